// The reader of an account: its statements and customers as lists have them, newest first, and one by its id.
// A list may omit metadata, items and customer details, and may still contain deleted objects; a read by id is complete.

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
  /** Receives the number of objects read so far, after each page. */
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

/** @param filter exact only as far as the service supports it: a caller that must not confuse two customers compares again */
export const customerPages = (
  client: Client,
  options: AccountReadOptions,
  filter: {readonly email?: string; readonly name?: string} = {},
) =>
  pagesOf(
    client.customers.list({...filter, limit: MAXIMUM_PAGE}, {signal: options.signal}) as Pages<AccountCustomer>,
    options,
  );

async function* itemsSince<Item extends Dated>(pages: AsyncIterable<{readonly data: readonly Item[]}>, from: number) {
  for await (const {data} of pages)
    for (const listed of data) {
      if (listed.created_at < from) return;
      yield listed;
    }
}

/** @param from unix seconds by the service's clock; older ones are omitted */
export const statementsSince = (client: Client, from: number, options: AccountReadOptions) =>
  itemsSince(statementPages(client, options), from);
export const customersSince = (client: Client, from: number, options: AccountReadOptions) =>
  itemsSince(customerPages(client, options), from);

/** For reading or deleting an object that may be missing. */
export function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof CentavoError) || error.kind !== 'not_found') throw error;
}

/** Returns the object; undefined if it is missing or only its id remains. */
export async function undefinedIfMissing<T extends object>(read: PromiseLike<T>): Promise<T | undefined> {
  const found = await Promise.resolve(read).catch(ignoreNotFound);
  return (found as {deleted?: unknown} | undefined)?.deleted === true ? undefined : found;
}

/** Returns deleted customers too, with their remaining fields. */
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

/** Search text of a statement: a number in any case, its digits alone, the beginning of an id, or its customer. */
export interface StatementQuery {
  readonly text: string;
  readonly isPaidBy?: (customer: StatementCustomer) => boolean;
}

/** Statements found, newest first, by the search text. */
export interface SearchedStatements {
  readonly found: ReadonlyMap<string, readonly BillingStatementData[]>;
  /** Statements with this value in their metadata, such as the merchant's invoice number. Words without a digit and addresses do not count. */
  readonly own: ReadonlyMap<string, readonly BillingStatementData[]>;
  /** The number and id of each statement that has a number. */
  readonly numbers: ReadonlyMap<string, string>;
}

/**
 * Reads the statements until each number and beginning of an id is found. Numbers are unique, so later pages are not read
 * once all are found. Every other search reads all pages.
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

/** Values that people keep in the metadata of a statement or a customer. A list may omit them. */
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
  /** Unix seconds; statements from well before this time are skipped. */
  readonly since: number;
}

/** Ids of the statements that carry a run's key, the oldest first. */
export type DraftSearch = (wanted: DraftSearchKeys) => Promise<readonly string[]>;

/** Maximum difference between the clocks of this machine and the service, in seconds. */
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
    const listedKey = runKeyOf(listed);
    // Reads each candidate by id: a list may omit its metadata.
    const isUnclear = listedKey === 'unclear' && listed.customer_id === customer;
    if ((isUnclear ? runKeyOf(await getStatement(client, listed.id, options)) : listedKey) === key) found.push(listed);
  }
  return found.sort(oldestFirst).map(({id}) => id);
}

export interface FoundCustomer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Unix seconds; statements do not contain it. */
  readonly createdAt?: number;
  /** True if only statements still contain the customer. */
  readonly isDeleted?: boolean;
}

/** The service may omit unknown fields. */
const accountText = (value: unknown): string => (typeof value === 'string' ? value : '');

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

/** Customers with exactly this name, ignoring accents and case; if there are none, customers whose name contains it. */
export function findCustomersByName(
  customers: readonly FoundCustomer[],
  text: string,
): {readonly isWhole: boolean; readonly found: readonly FoundCustomer[]} {
  const whole = customers.filter(({name}) => isSameName(name, text));
  if (whole.length > 0) return {isWhole: true, found: whole};
  return {isWhole: false, found: customers.filter(({name}) => matchesName(name, text))};
}

/** True if the text is the address or a part of the name of the statement's customer. */
export const matchesCustomer = ({name = '', email = ''}: StatementCustomer, text: string): boolean =>
  email.toLowerCase() === text.toLowerCase() || matchesName(name, text);

/**
 * Details that distinguish customers with the same name or address, by id: `2 statements, owes ₱450.00, created
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
      const details = [
        own.length === 0 ? 'no statements' : formatCount(own.length, 'statement'),
        ...(owed > 0n ? [`owes ${formatPesos(owed)}`] : []),
        ...(createdAt === undefined ? [] : [`created ${shortDay(createdAt, now)}`]),
      ];
      return [id, details.join(', ')];
    }),
  );
}

/** Maximum number of customers read to find deleted ones. */
const MAX_DELETED_CHECKED = 10;

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
  for (const customer of fitting.slice(0, MAX_DELETED_CHECKED))
    if (!(await findCustomerById(client, customer.id, options))) deleted.push(customer);
  return deleted;
}
