// The reader of an account: its statements and customers as lists have them, newest first, and one by its id.
// A list may leave out metadata, items and who a customer is, and may still have what was deleted; a read by id has it right.

import {MAXIMUM_PAGE} from '../api/fields.js';
import {customerOf, numberOf} from '../api/statement.js';
import type {Client} from '../client/client.js';
import type {Pages} from '../client/pages.js';
import {CentavoError} from '../ground/errors.js';
import {fitsName, hasSequence, isSameName, isSequence} from '../input/names.js';
import {PLAN_KEY} from './compose/copy.js';
import type {Statement} from './compose/plan.js';

export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** Told how many objects of a list were looked at, after each page. */
  readonly onPage?: (count: number) => void;
}

type Customer = Awaited<ReturnType<Client['customers']['get']>> & {readonly deleted?: boolean};

async function* pagesOf<Item extends {readonly id: string}>(list: Pages<Item>, {onPage}: ReadOptions) {
  let count = 0;
  for await (const page of list.pages()) {
    yield page;
    onPage?.((count += page.data.length));
  }
}

export const statementPages = (client: Client, options: ReadOptions) =>
  pagesOf(client.billingStatements.list({limit: MAXIMUM_PAGE}, {signal: options.signal}) as Pages<Statement>, options);

/** @param filter exact, as far as the service knows it: whoever must not confuse two customers compares again */
export const customerPages = (
  client: Client,
  options: ReadOptions,
  filter: {readonly email?: string; readonly name?: string} = {},
) =>
  pagesOf(
    client.customers.list({...filter, limit: MAXIMUM_PAGE}, {signal: options.signal}) as Pages<Customer>,
    options,
  );

async function* since<Item extends Aged>(pages: AsyncIterable<{readonly data: readonly Item[]}>, from: number) {
  for await (const {data} of pages)
    for (const listed of data) {
      if (listed.created_at < from) return;
      yield listed;
    }
}

/** @param from unix seconds by the clock of the service; older ones are left out */
export const statementsSince = (client: Client, from: number, options: ReadOptions) =>
  since(statementPages(client, options), from);
export const customersSince = (client: Client, from: number, options: ReadOptions) =>
  since(customerPages(client, options), from);

/** For a read, or a removal, of what may not be there. */
export function notFoundIsNothing(error: unknown): undefined {
  if (!(error instanceof CentavoError) || error.kind !== 'not_found') throw error;
}

/** What is read; undefined when it is not there, or only its id is left of it. */
export async function ifThere<T extends object>(read: PromiseLike<T>): Promise<T | undefined> {
  const found = await Promise.resolve(read).catch(notFoundIsNothing);
  return (found as {deleted?: unknown} | undefined)?.deleted === true ? undefined : found;
}

/** Also what is left of a deleted one. */
export const getStatement = (client: Client, id: string, {signal}: ReadOptions): Promise<Statement> =>
  client.billingStatements.get(id, {signal}) as Promise<Statement>;

export const statementIfThere = (client: Client, id: string, options: ReadOptions): Promise<Statement | undefined> =>
  ifThere(getStatement(client, id, options));

export const customerIfThere = (client: Client, id: string, {signal}: ReadOptions): Promise<Customer | undefined> =>
  ifThere(client.customers.get(id, {signal}) as Promise<Customer>);

/** The statements of these customers. All statements are read. */
export async function statementsOfCustomers(
  client: Client,
  customerIds: readonly string[],
  options: ReadOptions,
): Promise<Statement[]> {
  const found: Statement[] = [];
  for await (const {data} of statementPages(client, options))
    found.push(...data.filter((statement) => customerIds.includes(customerOf(statement).id ?? '')));
  return found;
}

/** Statements that were looked at. */
export interface SearchedStatements {
  /** Those that fit, by what was looked for. */
  readonly found: ReadonlyMap<string, readonly Statement[]>;
  /** The number and id of each statement that has a number. */
  readonly numbers: ReadonlyMap<string, string>;
}

/**
 * Looks through the statements until each of the numbers and beginnings of ids is found. Numbers are unique, so what comes
 * after the page with the last of them is not read; parts of numbers are looked for to the end.
 * @param wanted numbers in any case, their digits alone, and beginnings of ids
 */
export async function searchStatements(
  client: Client,
  wanted: readonly string[],
  options: ReadOptions,
): Promise<SearchedStatements> {
  const found = new Map<string, Statement[]>();
  const numbers = new Map<string, string>();
  const parts = wanted.filter((text) => isSequence(text) || text.startsWith('bstm_'));
  const typed = new Map<string, string[]>();
  for (const text of wanted) typed.set(text.toUpperCase(), [...(typed.get(text.toUpperCase()) ?? []), text]);
  for await (const {data} of statementPages(client, options)) {
    for (const statement of data) {
      const number = numberOf(statement);
      if (number !== undefined && !numbers.has(number)) numbers.set(number, statement.id);
      const isPart = (text: string): boolean =>
        statement.id.startsWith(text) || (number !== undefined && isSequence(text) && hasSequence(number, text));
      for (const text of [...(typed.get(number?.toUpperCase() ?? '') ?? []), ...parts.filter(isPart)])
        found.set(text, [...(found.get(text) ?? []), statement]);
    }
    if (!wanted.some(isSequence) && wanted.every((text) => found.has(text))) break;
  }
  return {found, numbers};
}

export const hasNumber = (statement: Statement, number: string): boolean =>
  numberOf(statement)?.toUpperCase() === number.toUpperCase();

export interface KeySearch {
  readonly key: string;
  readonly run?: string;
  readonly customer: string;
  /** Unix seconds; statements from well before it are not looked at. */
  readonly since: number;
}

/** Ids of the statements that carry a run's key, the oldest first. */
export type Search = (wanted: KeySearch) => Promise<readonly string[]>;

/** How far the clocks of this machine and of the service may differ, in seconds. */
const CLOCK_DIFFERENCE = 86_400;

/** The key of the run that made a listed statement; `unclear` when the statement must be read to know it. */
export function keyOf({metadata, status}: Statement): string | 'unclear' | undefined {
  if (!metadata) return metadata === undefined || status === 'draft' ? 'unclear' : undefined;
  const key = (metadata as Record<string, unknown>)[PLAN_KEY];
  return typeof key === 'string' ? key : undefined;
}

/** The oldest first; of equal times the lowest id. */
export const byAge = (one: Aged, other: Aged): number =>
  one.created_at - other.created_at || (one.id < other.id ? -1 : 1);

export interface Aged {
  readonly id: string;
  readonly created_at: number;
}

/** Ids of the statements that carry the key of a plan, oldest first. */
export async function statementsWithKey(
  client: Client,
  {key, customer, since}: KeySearch,
  options: ReadOptions,
): Promise<string[]> {
  const found: Statement[] = [];
  for await (const listed of statementsSince(client, since - CLOCK_DIFFERENCE, options)) {
    const said = keyOf(listed);
    // Those that could be the run's own are read one by one.
    const isUnclear = said === 'unclear' && listed.customer_id === customer;
    if ((isUnclear ? keyOf(await getStatement(client, listed.id, options)) : said) === key) found.push(listed);
  }
  return found.sort(byAge).map(({id}) => id);
}

export interface FoundCustomer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Only statements tell of them any more. */
  readonly isDeleted?: boolean;
}

/** A service may leave out what it does not know. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Those of a page that were not deleted. */
export const customersOn = ({data}: {readonly data: readonly Customer[]}): FoundCustomer[] =>
  data
    .filter(({deleted}) => deleted !== true)
    .map(({id, name, email}) => ({id, name: textOf(name), email: textOf(email)}));

/** Every customer, or those with this address or name in any case. */
export async function findCustomers(
  client: Client,
  options: ReadOptions,
  filter: {readonly email?: string; readonly name?: string} = {},
): Promise<FoundCustomer[]> {
  const plain = (text: string): string => text.normalize('NFC').trim().toLowerCase();
  // A service that ignores the filter must not decide who is billed.
  const fits = ({name, email}: FoundCustomer): boolean =>
    (filter.email === undefined || email.toLowerCase() === filter.email.toLowerCase()) &&
    (filter.name === undefined || plain(name) === plain(filter.name));
  const found: FoundCustomer[] = [];
  for await (const page of customerPages(client, options, filter)) found.push(...customersOn(page).filter(fits));
  return found;
}

/** Those whose whole name is the text, but for accents and case; without any, those whose name contains it. */
export function customersLike(
  customers: readonly FoundCustomer[],
  text: string,
): {readonly isWhole: boolean; readonly found: readonly FoundCustomer[]} {
  const whole = customers.filter(({name}) => isSameName(name, text));
  if (whole.length > 0) return {isWhole: true, found: whole};
  return {isWhole: false, found: customers.filter(({name}) => fitsName(name, text))};
}

/** How many customers are read at most to see whether they were deleted. */
const MOST_DELETED = 10;

/** Deleted customers that statements still name, by number, address, name or beginning of an id. All statements are read. */
export async function deletedCustomers(client: Client, text: string, options: ReadOptions): Promise<FoundCustomer[]> {
  const known = new Map<string, FoundCustomer>();
  const exactly = new Set<string>();
  for await (const {data} of statementPages(client, options))
    for (const statement of data) {
      const {id, name = '', email = ''} = customerOf(statement);
      if (id === undefined) continue;
      if (!known.has(id)) known.set(id, {id, name, email, isDeleted: true});
      const isStart = text.startsWith('cus_') && id.startsWith(text);
      if (isStart || hasNumber(statement, text) || email.toLowerCase() === text.toLowerCase()) exactly.add(id);
    }
  const fitting =
    exactly.size > 0 ? [...exactly].map((id) => known.get(id)!) : customersLike([...known.values()], text).found;
  const deleted: FoundCustomer[] = [];
  for (const customer of fitting.slice(0, MOST_DELETED))
    if (!(await customerIfThere(client, customer.id, options))) deleted.push(customer);
  return deleted;
}
