// The reader of an account: its statements and customers as lists have them, newest first, and one by its id.
// A list may leave out metadata, items and who a customer is, and may still have what was deleted; a read by id has it right.

import {MAXIMUM_PAGE} from '../api/fields.js';
import {customerOf, numberOf, owedOn, type StatementCustomer} from '../api/statement.js';
import type {Client} from '../client/client.js';
import type {Pages} from '../client/pages.js';
import {counted} from '../ground/counts.js';
import {CentavoError} from '../ground/errors.js';
import {isHash} from '../ground/json.js';
import {shortDay} from '../ground/manila.js';
import {formatPesos} from '../ground/pesos.js';
import {fitsName, hasSequence, isSameName, isSequence, wordsOfName} from '../input/names.js';
import {OWN_KEYS, PLAN_KEY} from './compose/copy.js';
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

/** What a statement is looked for by: a number in any case, its digits alone, the beginning of an id, or who pays it. */
export interface Wanted {
  readonly text: string;
  readonly isPaidBy?: (customer: StatementCustomer) => boolean;
}

/** Statements that were looked at, newest first, each by the text that it was looked for. */
export interface SearchedStatements {
  readonly found: ReadonlyMap<string, readonly Statement[]>;
  /** Those with this value in their metadata, such as one's own invoice number: neither a word without a digit nor an address is one. */
  readonly own: ReadonlyMap<string, readonly Statement[]>;
  /** The number and id of each statement that has a number. */
  readonly numbers: ReadonlyMap<string, string>;
}

/**
 * Looks through the statements until each of the numbers and beginnings of ids is found. Numbers are unique, so what comes
 * after the page with the last of them is not read; everything else is looked for to the end.
 */
export async function searchStatements(
  client: Client,
  wanted: readonly Wanted[],
  options: ReadOptions,
): Promise<SearchedStatements> {
  const [found, own] = [new Map<string, Statement[]>(), new Map<string, Statement[]>()];
  const numbers = new Map<string, string>();
  const typed = new Map<string, string[]>();
  for (const {text} of wanted) typed.set(folded(text), [...(typed.get(folded(text)) ?? []), text]);
  const parts = wanted.filter(({text, isPaidBy}) => isPaidBy || isSequence(text) || text.startsWith('bstm_'));
  const isWalked = wanted.some(({text, isPaidBy}) => isPaidBy || isSequence(text));
  const add = (to: Map<string, Statement[]>, text: string, statement: Statement): void => {
    const before = to.get(text);
    if (before) before.push(statement);
    else to.set(text, [statement]);
  };
  for await (const {data} of statementPages(client, options)) {
    for (const statement of data) {
      const number = numberOf(statement);
      if (number !== undefined && !numbers.has(number)) numbers.set(number, statement.id);
      const isPart = ({text, isPaidBy}: Wanted): boolean =>
        isPaidBy?.(customerOf(statement)) ??
        (statement.id.startsWith(text) || (number !== undefined && isSequence(text) && hasSequence(number, text)));
      const isExact = typed.get(folded(number ?? '')) ?? [];
      for (const text of [...isExact, ...parts.filter(isPart).map(({text: part}) => part)]) add(found, text, statement);
      const values = new Set(ownValuesOf(statement).map(([, value]) => folded(value)));
      for (const value of values)
        for (const text of typed.get(value) ?? []) if (isOwnNumber(text)) add(own, text, statement);
    }
    if (!isWalked && wanted.every(({text}) => found.has(text))) break;
  }
  return {found, own, numbers};
}

const isOwnNumber = (text: string): boolean => /\d/.test(text) && !text.includes('@');
const folded = (text: string): string => text.normalize('NFC').trim().toLowerCase();

/** What people keep in the metadata of a statement or a customer. A list may leave it out. */
export const ownValuesOf = ({metadata}: {readonly metadata?: unknown}): (readonly [key: string, value: string])[] =>
  isHash(metadata)
    ? Object.entries(metadata).flatMap(([key, value]) => (OWN_KEYS.includes(key) ? [] : [[key, String(value)]]))
    : [];

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
  /** Unix seconds; statements do not tell it. */
  readonly createdAt?: number;
  /** Only statements tell of them any more. */
  readonly isDeleted?: boolean;
}

/** A service may leave out what it does not know. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Those of a page that were not deleted. */
export const customersOn = ({data}: {readonly data: readonly Customer[]}): FoundCustomer[] =>
  data
    .filter(({deleted}) => deleted !== true)
    .map(({id, name, email, created_at: createdAt}) => ({id, name: textOf(name), email: textOf(email), createdAt}));

/** Every customer, or those with this address or name in any case. */
export async function findCustomers(
  client: Client,
  options: ReadOptions,
  filter: {readonly email?: string; readonly name?: string} = {},
): Promise<FoundCustomer[]> {
  // A service that ignores the filter must not decide who is billed.
  const fits = ({name, email}: FoundCustomer): boolean =>
    (filter.email === undefined || email.toLowerCase() === filter.email.toLowerCase()) &&
    (filter.name === undefined || folded(name) === folded(filter.name));
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

/** Whether the text is the address or a part of the name of a statement's customer. */
export const fitsCustomer = ({name = '', email = ''}: StatementCustomer, text: string): boolean =>
  email.toLowerCase() === text.toLowerCase() || fitsName(name, text);

/**
 * What tells customers apart of whom another one has the same name or address, by id: `2 statements, owes ₱450.00, created
 * 12 Nov`. All statements are read if there are such.
 */
export async function toldApart(
  client: Client,
  customers: readonly FoundCustomer[],
  now: number,
  options: ReadOptions,
): Promise<ReadonlyMap<string, string>> {
  const namesOf = ({name, email}: FoundCustomer): string[] =>
    [wordsOfName(name).join(' '), email.toLowerCase()].filter((each) => each !== '');
  const counts = new Map<string, number>();
  for (const each of customers.flatMap(namesOf)) counts.set(each, (counts.get(each) ?? 0) + 1);
  const alike = customers.filter((each) => namesOf(each).some((one) => counts.get(one)! > 1));
  if (alike.length === 0) return new Map();
  const ids = alike.map(({id}) => id);
  const statements = await statementsOfCustomers(client, ids, options);
  return new Map(
    alike.map(({id, createdAt}) => {
      const own = statements.filter((each) => customerOf(each).id === id);
      const owed = own.reduce((sum, each) => sum + BigInt(owedOn(each) ?? 0), 0n);
      const words = [
        own.length === 0 ? 'no statements' : counted(own.length, 'statement'),
        ...(owed > 0n ? [`owes ${formatPesos(owed)}`] : []),
        ...(createdAt === undefined ? [] : [`created ${shortDay(createdAt, now)}`]),
      ];
      return [id, words.join(', ')];
    }),
  );
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
