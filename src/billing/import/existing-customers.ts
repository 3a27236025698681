// Finds the customers of a file that already exist in the account, before anything is created.

import type {Client} from '../../client/client.js';
import {shellQuote} from '../../common/next-text.js';
import {
  findCustomerById,
  customerPages,
  currentCustomersOf,
  findCustomers,
  type FoundCustomer,
  type AccountReadOptions,
} from '../account/account-reader.js';
import type {JobCustomer} from './job/job-types.js';
import type {JobFile} from './job/job-file.js';
import {isCustomerNameReference, customerNameReference} from './read-rows.js';
import type {RowWorkers} from './row-workers.js';

/** The reason why a customer of the file cannot be billed. */
export interface CustomerFault {
  readonly ref: string;
  /** The reference as typed, if it differs from `ref`. */
  readonly value?: string;
  readonly problem: string;
  readonly fix: string;
}

type CustomerMatchFault = Pick<CustomerFault, 'fix' | 'problem'>;
type Match = Promise<CustomerMatchFault | undefined>;
type Search = {readonly job: JobFile; readonly client: Client; readonly signal?: AbortSignal};

/** The customer list is read only if it takes at most one request per this many customers in the file. */
const CUSTOMERS_A_PAGE = 20;
/** Maximum customers of the same name that an error lists. */
const MAX_NAMED_CUSTOMERS = 5;

/**
 * Finds a job's customers in the account's list. If the list is long compared with the file, sends single requests instead.
 * Customers given only by name need the whole list. A missing customer with a name is marked to be created.
 */
export async function findJobCustomers(
  job: JobFile,
  workers: RowWorkers,
  {signal, onPage}: AccountReadOptions,
  onFault: (fault: CustomerFault) => void,
): Promise<void> {
  const {client} = workers;
  const pages = Math.floor(job.tally.customers / CUSTOMERS_A_PAGE);
  job.begin();
  const listed = await readList(job, client, pages, {signal, onPage});
  const search = {job, client, signal};
  const find = async (customer: JobCustomer): Match => {
    const {ref, id, email, name} = customer;
    if (isCustomerNameReference(ref)) return undefined;
    if (email === null) return listed === undefined || name === null ? findById(search, customer) : undefined;
    if (listed === undefined) return findByEmail(search, customer);
    const several = listed.get(ref);
    return several ? ambiguousFault(email, several) : id === null ? createLater(job, customer) : undefined;
  };
  let found = 0;
  await workers.forEach(job.customers(), async (customer) => {
    const fault = await find(customer);
    workers.recordSuccess();
    if (fault) onFault({ref: customer.ref, ...fault});
    onPage?.(++found);
    await job.commitBatch(found);
  });
  await findByNames(job, client, {signal, onPage}, onFault);
  job.end();
}

/** Finds customers given only by name. The name must be unique in the account and among the file's new customers. */
async function findByNames(
  job: JobFile,
  client: Client,
  options: AccountReadOptions,
  onFault: (fault: CustomerFault) => void,
): Promise<void> {
  const found = new Map<string, Map<string, FoundCustomer>>();
  for (const {ref} of job.customers()) if (isCustomerNameReference(ref)) found.set(ref, new Map());
  if (found.size === 0) return;
  for await (const page of customerPages(client, options))
    for (const customer of currentCustomersOf(page))
      found.get(customerNameReference(customer.name))?.set(customer.id, customer);
  const created = new Map<string, string>();
  for (const {creates, name, email} of job.customers())
    if (creates === 1 && email !== null) created.set(customerNameReference(name ?? ''), email);
  for (const [ref, same] of found) {
    const value = job.customer(ref)!.name!;
    const [only, ...others] = same.values();
    const createdEmail = created.get(ref);
    const fault = (problem: string, fix: string): void => onFault({ref, value, problem, fix});
    if (createdEmail !== undefined)
      fault(`The new customer ${createdEmail} has the same name.`, 'Fill in the email address in both rows.');
    else if (!only)
      fault('No customer has this name.', 'Correct the name, or fill in an email address to create the customer.');
    else if (others.length > 0) {
      const some = [only, ...others]
        .slice(0, MAX_NAMED_CUSTOMERS)
        .map(({id, email}) => `${email || 'no address'} (${id})`);
      fault(`${same.size} customers have this name: ${some.join(', ')}.`, 'Fill in the email address.');
    } else job.setCustomer(ref, {id: only.id, name: only.name, email: only.email || null});
  }
}

/**
 * Stores the ids of a job's customers from the account's list. Returns the ids of ambiguous customers by reference;
 * undefined if the list is longer than `maxPages`.
 */
async function readList(job: JobFile, client: Client, maxPages: number, {signal, onPage}: AccountReadOptions) {
  // Customers created after this time may be duplicates of other imports.
  const noteNewest = ([newest]: readonly object[]): void =>
    job.setJob({customers_since: Number((newest as {created_at?: number} | undefined)?.created_at ?? 0)});
  if (maxPages === 0) return noteNewest((await client.customers.list({limit: 1}, {signal})).data) as undefined;
  const several = new Map<string, readonly string[]>();
  let pages = 0;
  const onBatch = (read: number): void => {
    job.commit();
    onPage?.(read);
  };
  for await (const {data, has_more: hasMore} of customerPages(client, {signal, onPage: onBatch})) {
    if (pages === 0) noteNewest(data);
    for (const {id, email, name, deleted} of data) {
      if (deleted === true) continue;
      for (const ref of [id, String(email).toLowerCase()]) {
        const customer = job.customer(ref);
        if (customer === undefined) continue;
        if (customer.id !== null && customer.id !== id) several.set(ref, [...(several.get(ref) ?? [customer.id]), id]);
        else job.setCustomer(ref, {id, name: String(name ?? customer.name ?? '')});
      }
    }
    if (++pages >= maxPages && hasMore) return undefined;
  }
  return several;
}

async function findById({job, client, signal}: Search, {ref, id}: JobCustomer): Match {
  const found = await findCustomerById(client, id!, {signal});
  if (!found) return {problem: `Customer ${ref} was not found.`, fix: 'To list customers: centavo customers list'};
  job.setCustomer(ref, {name: String(found.name ?? '')});
  return undefined;
}

async function findByEmail({job, client, signal}: Search, customer: JobCustomer): Match {
  const {ref, email, name} = customer;
  const found = new Map<string, {readonly id: string; readonly name: string}>();
  // The service's search may be case-sensitive.
  for (const address of new Set([email!, ref]))
    for (const each of await findCustomers(client, {signal}, {email: address})) found.set(each.id, each);
  const [only, ...others] = found.values();
  if (!only) return createLater(job, customer);
  if (others.length > 0) return ambiguousFault(email!, [...found.keys()]);
  job.setCustomer(ref, {id: only.id, name: only.name || (name ?? '')});
  return undefined;
}

const ambiguousFault = (email: string, ids: readonly string[]): CustomerMatchFault => ({
  problem: `${ids.length} customers have the email address ${email}.`,
  fix: `Name one in the column customer: ${ids.join(', ')}. To tell them apart: centavo customers list --email ${shellQuote(email)}`,
});

function createLater(job: JobFile, {ref, email, name}: JobCustomer): CustomerMatchFault | undefined {
  if (name === null)
    return {
      problem: `No customer has the email address ${email}.`,
      fix: 'To create the customer, fill in a column customer_name.',
    };
  job.setCustomer(ref, {creates: 1});
  return undefined;
}
