// Looks, before anything is made, at what the account has already: customers by their addresses, statements that this file has made
// before, and statements that would be billed twice.

import type {Client} from '../../client/client.js';
import {manilaDay} from '../../manila.js';
import {keyOf, statementsSince} from '../compose/draft.js';
import {differenceOf, itemsOf, type Statement} from '../compose/plan.js';
import {EXTERNAL_ID} from './read-statements.js';
import type {JobFile} from './job-file.js';
import type {JobCustomer, Row} from './job-types.js';
import type {Workers} from './workers.js';

interface LookOptions {
  readonly signal?: AbortSignal;
  /** Is told how far the reading is. */
  readonly onProgress?: (read: number) => void;
  /** Unix seconds: only statements from then on, for a job that has looked before. */
  readonly since?: number;
}

/** Something that keeps a customer of the file from being billed. */
export interface CustomerFault {
  readonly ref: string;
  readonly problem: string;
  readonly fix: string;
}

/**
 * Finds the customers of a job by id or address, each with one request. One that does not exist is to be created, if it has a name.
 * @throws CentavoError when the account cannot be read
 */
export async function findCustomers(
  job: JobFile,
  workers: Workers,
  {signal, onProgress}: LookOptions,
  onFault: (fault: CustomerFault) => void,
): Promise<void> {
  let read = 0;
  job.begin();
  await workers.each(job.customers(), async (customer) => {
    const fault =
      customer.email === null
        ? await findById(job, workers.client, customer, signal)
        : await findByEmail(job, workers.client, customer, signal);
    workers.succeeded();
    if (++read % AT_ONCE === 0) job.commit();
    onProgress?.(read);
    if (fault) onFault({ref: customer.ref, ...fault});
  });
  job.end();
}

/** How many customers are written in one transaction. */
const AT_ONCE = 1000;

type Fault = Omit<CustomerFault, 'ref'>;

async function findById(
  job: JobFile,
  client: Client,
  {ref, id}: JobCustomer,
  signal?: AbortSignal,
): Promise<Fault | undefined> {
  const found = await client.customers.get(id!, {signal}).catch((error: {kind?: string}) => {
    if (error.kind === 'not_found') return undefined;
    throw error;
  });
  if (!found || (found as {deleted?: unknown}).deleted === true)
    return {problem: `There is no customer ${ref}.`, fix: 'To look for it: centavo customers list'};
  job.setCustomer(ref, {name: String(found.name ?? '')});
  return undefined;
}

async function findByEmail(
  job: JobFile,
  client: Client,
  {ref, email, name}: JobCustomer,
  signal?: AbortSignal,
): Promise<Fault | undefined> {
  const found = new Map<string, {readonly id: string; readonly name?: unknown}>();
  // The service may tell upper case from lower case.
  for (const address of new Set([email!, ref]))
    for await (const each of client.customers.list({email: address, limit: 100}, {signal}))
      // One that ignores the filter must not decide who is billed.
      if (String(each.email).toLowerCase() === ref) found.set(each.id, each);
  const [only, ...others] = found.values();
  if (only && others.length === 0) job.setCustomer(ref, {id: only.id, name: String(only.name ?? name ?? '')});
  else if (only)
    return {
      problem: `${found.size} customers have the email address ${email}.`,
      fix: `Name one in the column customer: ${[...found.keys()].join(', ')}`,
    };
  else if (name === null)
    return {
      problem: `No customer has the email address ${email}.`,
      fix: 'Fill in customer_name to create the customer.',
    };
  else job.setCustomer(ref, {creates: 1});
  return undefined;
}

/** A statement of the account that concerns a row of the file. */
export interface Existing {
  readonly row: Row;
  readonly statement: Statement;
  /**
   * `own`: made from the same row before. `changed`: made from a row with the same external id and other content.
   * `duplicate`: an open statement of the same customer with the same items and due date.
   */
  readonly how: 'changed' | 'duplicate' | 'own';
}

const ENDED: readonly string[] = ['void', 'uncollectible'];

/**
 * Walks the account's statements once. Without `since`, notes in the job that what it makes is newer than they are.
 * @throws CentavoError when they cannot be read
 */
export async function* findExisting(
  job: JobFile,
  client: Client,
  {signal, onProgress, since}: LookOptions,
): AsyncGenerator<Existing> {
  let read = 0;
  let newest = 0;
  let last = Infinity;
  let isNewestFirst = true;
  let oldestOwn = Infinity;
  for await (const listed of statementsSince(client, since ?? 0, {signal})) {
    onProgress?.(++read);
    newest = Math.max(newest, listed.created_at);
    if (listed.created_at > last) isNewestFirst = false;
    last = listed.created_at;
    if (ENDED.includes(String(listed.status))) continue;
    for (const existing of await concerning(listed, job, client, signal)) {
      if (existing.how === 'own') oldestOwn = Math.min(oldestOwn, listed.created_at);
      yield existing;
    }
  }
  if (since !== undefined) return;
  // In another order the old ones do not come last, and what is looked for later is looked for among all.
  job.setSince(isNewestFirst ? Math.min(newest, oldestOwn) : 0, newest);
}

/** The rows that a statement concerns, and how. */
async function concerning(listed: Statement, job: JobFile, client: Client, signal?: AbortSignal): Promise<Existing[]> {
  const {customer_id: customer, status, amount} = listed;
  // A list may leave out metadata and items; only what can concern this file is then read.
  const isThin = !listed.metadata || !Array.isArray(listed.line_items);
  const couldMatter =
    ((status === 'draft' || status === 'open') && job.rowsForId(customer).length > 0) ||
    (listed.metadata === undefined && job.rowsForId(customer, amount).length > 0);
  const statement =
    isThin && couldMatter ? ((await client.billingStatements.get(listed.id, {signal})) as Statement) : listed;
  const key = keyOf(statement);
  const own = key === undefined ? undefined : job.rowWithKey(key);
  if (own) return [{row: own, statement, how: 'own'}];
  const externalId = (statement.metadata as Record<string, unknown> | null)?.[EXTERNAL_ID];
  const changed = typeof externalId === 'string' ? job.rowNamed(externalId) : undefined;
  if (changed) return [{row: changed, statement, how: 'changed'}];
  if (status !== 'open') return [];
  const same = job.rowsForId(customer, typeof amount === 'number' ? amount : undefined);
  return same.filter((row) => isSame(row, statement, job)).map((row) => ({row, statement, how: 'duplicate'}));
}

function isSame(row: Row, statement: Statement, job: JobFile): boolean {
  const {due_at: due} = statement;
  if (row.due_at !== null && (typeof due !== 'number' || manilaDay(due) !== manilaDay(row.due_at))) return false;
  const {missing, surplus, foreign} = differenceOf(job.itemsOf(row.n), itemsOf(statement));
  return missing.length + surplus.length + foreign.length === 0;
}
