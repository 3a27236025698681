// Looks, before anything is made, at what the account has already: customers by their addresses, statements that this file has made
// before, and statements that would be billed twice.

import type {Client} from '../../client/client.js';
import {manilaDay} from '../../manila.js';
import {keyOf} from '../draft.js';
import {differenceOf, itemsOf, type Statement} from '../plan.js';
import {EXTERNAL_ID} from './read-statements.js';
import type {JobFile, Row} from './job-file.js';

interface LookOptions {
  readonly client: Client;
  readonly signal?: AbortSignal;
  /** Is told how far the reading is. */
  readonly onProgress?: (read: number) => void;
}

/** Something that keeps a customer of the file from being billed. */
export interface CustomerFault {
  readonly ref: string;
  readonly problem: string;
  readonly fix: string;
}

/**
 * Finds the customers of a job by id or address, each with one request. One that there is not is to be created, if it has a name.
 * @throws CentavoError when the account cannot be read
 */
export async function findCustomers(
  job: JobFile,
  {client, signal, onProgress}: LookOptions,
  onFault: (fault: CustomerFault) => void,
): Promise<void> {
  let read = 0;
  for (const {ref, email, name, id} of job.customers()) {
    onProgress?.(++read);
    if (email === null) {
      const found = await client.customers.get(id!, {signal}).catch((error: {kind?: string}) => {
        if (error.kind === 'not_found') return undefined;
        throw error;
      });
      if (!found || (found as {deleted?: unknown}).deleted === true)
        onFault({ref, problem: `There is no customer ${ref}.`, fix: 'Look for it: centavo customers list'});
      else job.setCustomer(ref, {name: String(found.name ?? '')});
      continue;
    }
    const listed = await client.customers.list({email, limit: 10}, {signal});
    // A service that ignores the filter must not decide who is billed.
    const found = listed.data.filter((each) => String(each.email).toLowerCase() === email);
    if (found.length === 1) job.setCustomer(ref, {id: found[0]!.id, name: String(found[0]!.name ?? name ?? '')});
    else if (found.length > 1)
      onFault({
        ref,
        problem: `${found.length} customers have the email address ${email}.`,
        fix: `Name one in the column customer: ${found.map(({id}) => id).join(', ')}`,
      });
    else if (name === null)
      onFault({
        ref,
        problem: `No customer has the email address ${email}.`,
        fix: 'Fill in customer_name to create the customer.',
      });
    else job.setCustomer(ref, {creates: 1});
  }
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

/** Walks the account's statements once. @throws CentavoError when they cannot be read */
export async function* findExisting(job: JobFile, {client, signal, onProgress}: LookOptions): AsyncGenerator<Existing> {
  const wanted = wantedByCustomer(job);
  let read = 0;
  for await (const listed of client.billingStatements.list({limit: 100}, {signal}) as AsyncIterable<Statement>) {
    onProgress?.(++read);
    const {customer_id: customer, status} = listed;
    if (ENDED.includes(String(status))) continue;
    const rows = wanted.get(customer) ?? [];
    // A list may leave out metadata and items; only what can concern this file is then read.
    const isThin = !listed.metadata || !Array.isArray(listed.line_items);
    const couldMatter = rows.length > 0 && (status === 'draft' || status === 'open');
    const statement =
      isThin && couldMatter ? ((await client.billingStatements.get(listed.id, {signal})) as Statement) : listed;
    const key = keyOf(statement);
    const own = key === undefined ? undefined : job.rowWithKey(key);
    if (own) {
      yield {row: own, statement, how: 'own'};
      continue;
    }
    const externalId = (statement.metadata as Record<string, unknown> | null)?.[EXTERNAL_ID];
    const changed = typeof externalId === 'string' ? job.rowNamed(externalId) : undefined;
    if (changed) {
      yield {row: changed, statement, how: 'changed'};
      continue;
    }
    if (status !== 'open') continue;
    for (const n of rows) {
      const row = job.row(n);
      if (isSame(row, statement, job)) yield {row, statement, how: 'duplicate'};
    }
  }
}

/** Numbers of the rows of each customer that exists already. */
function wantedByCustomer(job: JobFile): ReadonlyMap<string, number[]> {
  const wanted = new Map<string, number[]>();
  for (const {n, customer} of job.rows()) {
    const id = job.customer(customer)?.id;
    if (id) wanted.set(id, [...(wanted.get(id) ?? []), n]);
  }
  return wanted;
}

function isSame(row: Row, statement: Statement, job: JobFile): boolean {
  const {amount, due_at: due} = statement;
  if (typeof amount === 'number' && amount !== row.amount) return false;
  if (row.due_at !== null && (typeof due !== 'number' || manilaDay(due) !== manilaDay(row.due_at))) return false;
  const {missing, surplus, foreign} = differenceOf(job.itemsOf(row.n), itemsOf(statement));
  return missing.length + surplus.length + foreign.length === 0;
}
