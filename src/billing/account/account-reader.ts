// Reads the statements and customers of an account: lists, newest first, and single objects by id.
// A list may omit metadata, items and customer details, and may contain deleted objects. A read by id is complete.

import {MAXIMUM_PAGE} from '../../api/fields.js';
import {exactSum} from '../../accounting/movements.js';
import {standingOf} from '../../accounting/standing.js';
import {statementCustomerOf, statementNumberOf, type StatementCustomer} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import type {Pages} from '../../client/pages.js';
import {formatCount} from '../../common/counts.js';
import {CentavoError} from '../../common/errors.js';
import {isJsonObject} from '../../common/json.js';
import {shortDay} from '../../common/manila.js';
import {formatPesos} from '../../common/pesos.js';
import {matchesName, hasSequence, isSameName, isSequence, wordsOfName} from '../../input/names.js';
import {lookOf} from '../../input/own-numbers.js';
import {OWN_KEYS, PLAN_KEY} from '../statement/metadata-keys.js';
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

/** Checkout sessions, read as statements, since they have the same fields. */
export const sessionPages = (client: Client, options: AccountReadOptions) =>
  pagesOf(
    client.checkoutSessions.list(
      {limit: MAXIMUM_PAGE},
      {signal: options.signal},
    ) as unknown as Pages<BillingStatementData>,
    {},
  );

/** @param filter the service may ignore it; callers that need an exact match compare again */
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

/** @param from unix seconds by the service's clock; older statements are omitted */
export const statementsSince = (client: Client, from: number, options: AccountReadOptions) =>
  itemsSince(statementPages(client, options), from);
export const customersSince = (client: Client, from: number, options: AccountReadOptions) =>
  itemsSince(customerPages(client, options), from);

/** Returns undefined for a `not_found` error, when an object may be missing. Throws any other error. */
export function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof CentavoError) || error.kind !== 'not_found') throw error;
}

/** Returns the object; undefined if the object is missing or marked as deleted. */
export async function undefinedIfMissing<T extends object>(read: PromiseLike<T>): Promise<T | undefined> {
  const found = await Promise.resolve(read).catch(ignoreNotFound);
  return (found as {deleted?: unknown} | undefined)?.deleted === true ? undefined : found;
}

/** May return a deleted statement, with its remaining fields. */
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

/** Reads all statements of the account, and returns the statements of these customers. */
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

/** A search for statements by number in any case, digits of a number, start of an id, or customer. */
export interface StatementQuery {
  readonly text: string;
  readonly isPaidBy?: (customer: StatementCustomer) => boolean;
}

/** Statements found, newest first, by the search text. */
export interface SearchedStatements {
  readonly found: ReadonlyMap<string, readonly BillingStatementData[]>;
  /** Statements with the search text as a metadata value, such as an invoice number. Only texts with a digit and no `@` count. */
  readonly own: ReadonlyMap<string, readonly BillingStatementData[]>;
  /** Ids of the statements read, by number. */
  readonly numbers: ReadonlyMap<string, string>;
}

/**
 * Reads statements until each number and start of an id is found; numbers are unique. A search by digits or by customer
 * reads all pages.
 */
export async function searchStatements(
  client: Client,
  wanted: readonly StatementQuery[],
  options: AccountReadOptions,
): Promise<SearchedStatements> {
  const [found, own] = [new Map<string, BillingStatementData[]>(), new Map<string, BillingStatementData[]>()];
  const numbers = new Map<string, string>();
  const typed = new Map<string, string[]>();
  for (const {text} of wanted) typed.set(lookOf(text), [...(typed.get(lookOf(text)) ?? []), text]);
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
      const isExact = typed.get(lookOf(number ?? '')) ?? [];
      for (const text of [...isExact, ...parts.filter(isPart).map(({text: part}) => part)]) add(found, text, statement);
      const values = new Set(metadataValuesOf(statement).map(([, value]) => lookOf(value)));
      for (const value of values)
        for (const text of typed.get(value) ?? []) if (isOwnNumber(text)) add(own, text, statement);
    }
    if (!isWalked && wanted.every(({text}) => found.has(text))) break;
  }
  return {found, own, numbers};
}

const isOwnNumber = (text: string): boolean => /\d/.test(text) && !text.includes('@');
const foldedText = (text: string): string => text.normalize('NFC').trim().toLowerCase();

/** Metadata of a statement or customer, without centavo's own keys. A list may omit metadata. */
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
  /** Unix seconds; statements created over a day before this time are skipped. */
  readonly since: number;
}

/** Returns the ids of the statements with a run's key, oldest first. */
export type DraftSearch = (wanted: DraftSearchKeys) => Promise<readonly string[]>;

/** Maximum difference between the clocks of this machine and the service, in seconds. */
const CLOCK_DIFFERENCE = 86_400;

/** Returns the key of a statement's plan; `omitted` if the list leaves the metadata out. */
export function planKeyOf({metadata, status}: BillingStatementData): string | 'omitted' | undefined {
  if (!metadata) return metadata === undefined || status === 'draft' ? 'omitted' : undefined;
  const key = (metadata as Record<string, unknown>)[PLAN_KEY];
  return typeof key === 'string' ? key : undefined;
}

/** Sorts the oldest first, and by id at equal times. */
export const oldestFirst = (one: Dated, other: Dated): number =>
  one.created_at - other.created_at || (one.id < other.id ? -1 : 1);

export interface Dated {
  readonly id: string;
  readonly created_at: number;
}

/** Returns the ids of the statements with a plan's key, oldest first. */
export async function statementsWithKey(
  client: Client,
  {key, customer, since}: DraftSearchKeys,
  options: AccountReadOptions,
): Promise<string[]> {
  const found: BillingStatementData[] = [];
  for await (const listed of statementsSince(client, since - CLOCK_DIFFERENCE, options)) {
    const listedKey = planKeyOf(listed);
    // Reads each candidate by id: a list may omit its metadata.
    const isOmitted = listedKey === 'omitted' && listed.customer_id === customer;
    if ((isOmitted ? planKeyOf(await getStatement(client, listed.id, options)) : listedKey) === key) found.push(listed);
  }
  return found.sort(oldestFirst).map(({id}) => id);
}

export interface FoundCustomer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Unix seconds; undefined for a customer known only from a statement. */
  readonly createdAt?: number;
  /** True if the customer was deleted, and only statements still contain the customer's details. */
  readonly isDeleted?: boolean;
}

/** Returns an empty string for a field that the service omits. */
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

/** Returns all customers, or all with this address or name, ignoring case. */
export async function findCustomers(
  client: Client,
  options: AccountReadOptions,
  filter: {readonly email?: string; readonly name?: string} = {},
): Promise<FoundCustomer[]> {
  // Filters again: a service that ignores the filter must not decide who is billed.
  const fits = ({name, email}: FoundCustomer): boolean =>
    (filter.email === undefined || email.toLowerCase() === filter.email.toLowerCase()) &&
    (filter.name === undefined || foldedText(name) === foldedText(filter.name));
  const found: FoundCustomer[] = [];
  for await (const page of customerPages(client, options, filter)) found.push(...currentCustomersOf(page).filter(fits));
  return found;
}

/** Customers with exactly this name, ignoring accents and case; if none match, customers whose name contains the text. */
export function findCustomersByName(
  customers: readonly FoundCustomer[],
  text: string,
): {readonly isWhole: boolean; readonly found: readonly FoundCustomer[]} {
  const whole = customers.filter(({name}) => isSameName(name, text));
  if (whole.length > 0) return {isWhole: true, found: whole};
  return {isWhole: false, found: customers.filter(({name}) => matchesName(name, text))};
}

export const matchesCustomer = ({name = '', email = ''}: StatementCustomer, text: string): boolean =>
  email.toLowerCase() === text.toLowerCase() || matchesName(name, text);

/**
 * Details that distinguish customers with the same name or address, by id: `2 statements, owes ₱450.00, created
 * 12 Nov`. Reads all statements if any customers are alike.
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
      const owed = exactSum(own.map((each) => standingOf(each, {}, now).balance ?? 0));
      const details = [
        own.length === 0 ? 'no statements' : formatCount(own.length, 'statement'),
        ...(owed > 0 ? [`owes ${formatPesos(owed)}`] : []),
        ...(createdAt === undefined ? [] : [`created ${shortDay(createdAt, now)}`]),
      ];
      return [id, details.join(', ')];
    }),
  );
}

/** Maximum customers that are read by id to find deleted customers. */
const MAX_DELETED_CHECKED = 10;

/** Finds deleted customers in all statements. @param text a statement number, an address, a name, or the start of an id */
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
