// The reader of an account: its statements and customers as lists have them, newest first, and one by its id.
// A list may leave out metadata, items and who a customer is, and may still have what was deleted; a read by id has it right.

import {MAXIMUM_PAGE} from '../../api/fields.js';
import {statementCustomerOf, statementNumberOf, amountOwed, type StatementCustomer} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import type {Pages} from '../../client/pages.js';
import {formatCount} from '../../common/counts.js';
import {CentavoError} from '../../common/errors.js';
import {isJsonObject} from '../../common/json.js';
import {shortDay} from '../../common/manila.js';
import {formatPesos} from '../../common/pesos.js';
import {matchesName, hasSequence, isSameName, isSequence, wordsOfName} from '../../input/names.js';
import {OWN_KEYS, PLAN_KEY} from '../statement/copy.js';
import type {BillingStatementData} from '../statement/plan.js';

export interface AccountReadOptions {
  readonly signal?: AbortSignal;
  /** Told how many objects of a list were looked at, after each page. */
  readonly onPage?: (count: number) => void;
}

type AccountCustomer = Awaited<ReturnType<Client['customers']['get']>> & {readonly deleted?: boolean};

async function* pagesOf<Item extends {readonly id: string}>(list: Pages<Item>, {onPage}: AccountReadOptions) {
  let count = 0;
  for await (const page of list.pages()) {
    yield page;
    onPage?.((count += page.data.length));
  }
}

export const statementPages = (client: Client, options: AccountReadOptions) =>
  pagesOf(
    client.billingStatements.list({limit: MAXIMUM_PAGE}, {signal: options.signal}) as Pages<BillingStatementData>,
    options,
  );

/** @param filter exact, as far as the service knows it: whoever must not confuse two customers compares again */
export const customerPages = (
  client: Client,
  options: AccountReadOptions,
  filter: {readonly email?: string; readonly name?: string} = {},
) =>
  pagesOf(
    client.customers.list({...filter, limit: MAXIMUM_PAGE}, {signal: options.signal}) as Pages<AccountCustomer>,
    options,
  );

async function* since<Item extends Dated>(pages: AsyncIterable<{readonly data: readonly Item[]}>, from: number) {
  for await (const {data} of pages)
    for (const listed of data) {
      if (listed.created_at < from) return;
      yield listed;
    }
}

/** @param from unix seconds by the clock of the service; older ones are left out */
export const statementsSince = (client: Client, from: number, options: AccountReadOptions) =>
  since(statementPages(client, options), from);
export const customersSince = (client: Client, from: number, options: AccountReadOptions) =>
  since(customerPages(client, options), from);

/** For a read, or a removal, of what may not be there. */
export function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof CentavoError) || error.kind !== 'not_found') throw error;
}

/** What is read; undefined when it is not there, or only its id is left of it. */
export async function undefinedIfMissing<T extends object>(read: PromiseLike<T>): Promise<T | undefined> {
  const found = await Promise.resolve(read).catch(ignoreNotFound);
  return (found as {deleted?: unknown} | undefined)?.deleted === true ? undefined : found;
}

/** Also what is left of a deleted one. */
export const getStatement = (client: Client, id: string, {signal}: AccountReadOptions): Promise<BillingStatementData> =>
  client.billingStatements.get(id, {signal}) as Promise<BillingStatementData>;

export const findStatementById = (
  client: Client,
  id: string,
  options: AccountReadOptions,
): Promise<BillingStatementData | undefined> => undefinedIfMissing(getStatement(client, id, options));

export const findCustomerById = (
  client: Client,
  id: string,
  {signal}: AccountReadOptions,
): Promise<AccountCustomer | undefined> =>
  undefinedIfMissing(client.customers.get(id, {signal}) as Promise<AccountCustomer>);

/** The statements of these customers. All statements are read. */
export async function statementsOfCustomers(
  client: Client,
  customerIds: readonly string[],
  options: AccountReadOptions,
): Promise<BillingStatementData[]> {
  const found: BillingStatementData[] = [];
  for await (const {data} of statementPages(client, options))
    found.push(...data.filter((statement) => customerIds.includes(statementCustomerOf(statement).id ?? '')));
  return found;
}

/** What a statement is looked for by: a number in any case, its digits alone, the beginning of an id, or who pays it. */
export interface StatementQuery {
  readonly text: string;
  readonly isPaidBy?: (customer: StatementCustomer) => boolean;
}

/** Statements that were looked at, newest first, each by the text that it was looked for. */
export interface SearchedStatements {
  readonly found: ReadonlyMap<string, readonly BillingStatementData[]>;
  /** Those with this value in their metadata, such as one's own invoice number: neither a word without a digit nor an address is one. */
  readonly own: ReadonlyMap<string, readonly BillingStatementData[]>;
  /** The number and id of each statement that has a number. */
  readonly numbers: ReadonlyMap<string, string>;
}

/**
 * Looks through the statements until each of the numbers and beginnings of ids is found. Numbers are unique, so what comes
 * after the page with the last of them is not read; everything else is looked for to the end.
 */
export async function searchStatements(
  client: Client,
  wanted: readonly StatementQuery[],
  options: AccountReadOptions,
): Promise<SearchedStatements> {
  const [found, own] = [new Map<string, BillingStatementData[]>(), new Map<string, BillingStatementData[]>()];
  const numbers = new Map<string, string>();
  const typed = new Map<string, string[]>();
  for (const {text} of wanted) typed.set(foldedText(text), [...(typed.get(foldedText(text)) ?? []), text]);
  const parts = wanted.filter(({text, isPaidBy}) => isPaidBy || isSequence(text) || text.startsWith('bstm_'));
  const isWalked = wanted.some(({text, isPaidBy}) => isPaidBy || isSequence(text));
  const add = (to: Map<string, BillingStatementData[]>, text: string, statement: BillingStatementData): void => {
    const before = to.get(text);
    if (before) before.push(statement);
    else to.set(text, [statement]);
  };
  for await (const {data} of statementPages(client, options)) {
    for (const statement of data) {
      const number = statementNumberOf(statement);
      if (number !== undefined && !numbers.has(number)) numbers.set(number, statement.id);
      const isPart = ({text, isPaidBy}: StatementQuery): boolean =>
        isPaidBy?.(statementCustomerOf(statement)) ??
        (statement.id.startsWith(text) || (number !== undefined && isSequence(text) && hasSequence(number, text)));
      const isExact = typed.get(foldedText(number ?? '')) ?? [];
      for (const text of [...isExact, ...parts.filter(isPart).map(({text: part}) => part)]) add(found, text, statement);
      const values = new Set(metadataValuesOf(statement).map(([, value]) => foldedText(value)));
      for (const value of values)
        for (const text of typed.get(value) ?? []) if (isOwnNumber(text)) add(own, text, statement);
    }
    if (!isWalked && wanted.every(({text}) => found.has(text))) break;
  }
  return {found, own, numbers};
}

const isOwnNumber = (text: string): boolean => /\d/.test(text) && !text.includes('@');
const foldedText = (text: string): string => text.normalize('NFC').trim().toLowerCase();

/** What people keep in the metadata of a statement or a customer. A list may leave it out. */
export const metadataValuesOf = ({
  metadata,
}: {
  readonly metadata?: unknown;
}): (readonly [key: string, value: string])[] =>
  isJsonObject(metadata)
    ? Object.entries(metadata).flatMap(([key, value]) => (OWN_KEYS.includes(key) ? [] : [[key, String(value)]]))
    : [];

export const hasStatementNumber = (statement: BillingStatementData, number: string): boolean =>
  statementNumberOf(statement)?.toUpperCase() === number.toUpperCase();

export interface DraftSearchKeys {
  readonly key: string;
  readonly run?: string;
  readonly customer: string;
  /** Unix seconds; statements from well before it are not looked at. */
  readonly since: number;
}

/** Ids of the statements that carry a run's key, the oldest first. */
export type DraftSearch = (wanted: DraftSearchKeys) => Promise<readonly string[]>;

/** How far the clocks of this machine and of the service may differ, in seconds. */
const CLOCK_DIFFERENCE = 86_400;

/** The key of the run that made a listed statement; `unclear` when the statement must be read to know it. */
export function runKeyOf({metadata, status}: BillingStatementData): string | 'unclear' | undefined {
  if (!metadata) return metadata === undefined || status === 'draft' ? 'unclear' : undefined;
  const key = (metadata as Record<string, unknown>)[PLAN_KEY];
  return typeof key === 'string' ? key : undefined;
}

/** The oldest first; of equal times the lowest id. */
export const oldestFirst = (one: Dated, other: Dated): number =>
  one.created_at - other.created_at || (one.id < other.id ? -1 : 1);

export interface Dated {
  readonly id: string;
  readonly created_at: number;
}

/** Ids of the statements that carry the key of a plan, oldest first. */
export async function statementsWithKey(
  client: Client,
  {key, customer, since}: DraftSearchKeys,
  options: AccountReadOptions,
): Promise<string[]> {
  const found: BillingStatementData[] = [];
  for await (const listed of statementsSince(client, since - CLOCK_DIFFERENCE, options)) {
    const said = runKeyOf(listed);
    // Those that could be the run's own are read one by one.
    const isUnclear = said === 'unclear' && listed.customer_id === customer;
    if ((isUnclear ? runKeyOf(await getStatement(client, listed.id, options)) : said) === key) found.push(listed);
  }
  return found.sort(oldestFirst).map(({id}) => id);
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
const accountText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Those of a page that were not deleted. */
export const currentCustomersOf = ({data}: {readonly data: readonly AccountCustomer[]}): FoundCustomer[] =>
  data
    .filter(({deleted}) => deleted !== true)
    .map(({id, name, email, created_at: createdAt}) => ({
      id,
      name: accountText(name),
      email: accountText(email),
      createdAt,
    }));

/** Every customer, or those with this address or name in any case. */
export async function findCustomers(
  client: Client,
  options: AccountReadOptions,
  filter: {readonly email?: string; readonly name?: string} = {},
): Promise<FoundCustomer[]> {
  // A service that ignores the filter must not decide who is billed.
  const fits = ({name, email}: FoundCustomer): boolean =>
    (filter.email === undefined || email.toLowerCase() === filter.email.toLowerCase()) &&
    (filter.name === undefined || foldedText(name) === foldedText(filter.name));
  const found: FoundCustomer[] = [];
  for await (const page of customerPages(client, options, filter)) found.push(...currentCustomersOf(page).filter(fits));
  return found;
}

/** Those whose whole name is the text, but for accents and case; without any, those whose name contains it. */
export function findCustomersByName(
  customers: readonly FoundCustomer[],
  text: string,
): {readonly isWhole: boolean; readonly found: readonly FoundCustomer[]} {
  const whole = customers.filter(({name}) => isSameName(name, text));
  if (whole.length > 0) return {isWhole: true, found: whole};
  return {isWhole: false, found: customers.filter(({name}) => matchesName(name, text))};
}

/** Whether the text is the address or a part of the name of a statement's customer. */
export const matchesCustomer = ({name = '', email = ''}: StatementCustomer, text: string): boolean =>
  email.toLowerCase() === text.toLowerCase() || matchesName(name, text);

/**
 * What tells customers apart of whom another one has the same name or address, by id: `2 statements, owes ₱450.00, created
 * 12 Nov`. All statements are read if there are such.
 */
export async function distinguishingDetails(
  client: Client,
  customers: readonly FoundCustomer[],
  now: number,
  options: AccountReadOptions,
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
      const own = statements.filter((each) => statementCustomerOf(each).id === id);
      const owed = own.reduce((sum, each) => sum + BigInt(amountOwed(each) ?? 0), 0n);
      const words = [
        own.length === 0 ? 'no statements' : formatCount(own.length, 'statement'),
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
export async function deletedCustomers(
  client: Client,
  text: string,
  options: AccountReadOptions,
): Promise<FoundCustomer[]> {
  const known = new Map<string, FoundCustomer>();
  const exactly = new Set<string>();
  for await (const {data} of statementPages(client, options))
    for (const statement of data) {
      const {id, name = '', email = ''} = statementCustomerOf(statement);
      if (id === undefined) continue;
      if (!known.has(id)) known.set(id, {id, name, email, isDeleted: true});
      const isStart = text.startsWith('cus_') && id.startsWith(text);
      if (isStart || hasStatementNumber(statement, text) || email.toLowerCase() === text.toLowerCase()) exactly.add(id);
    }
  const fitting =
    exactly.size > 0 ? [...exactly].map((id) => known.get(id)!) : findCustomersByName([...known.values()], text).found;
  const deleted: FoundCustomer[] = [];
  for (const customer of fitting.slice(0, MOST_DELETED))
    if (!(await findCustomerById(client, customer.id, options))) deleted.push(customer);
  return deleted;
}
