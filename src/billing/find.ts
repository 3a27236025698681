// Finds statements and customers by what people know of them: a number, an email address, a name or a part of one.

import {MAXIMUM_PAGE} from '../api/fields.js';
import {customerOf, numberOf, type StatementLike} from '../api/statement.js';
import type {Client} from '../client/client.js';
import {CentavoError} from '../ground/errors.js';
import {fitsName, hasSequence, isSameName, isSequence} from '../input/names.js';

export interface FoundCustomer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Only statements tell of them any more. */
  readonly isDeleted?: boolean;
}

export type FoundStatement = StatementLike & {readonly id: string};

export interface WalkOptions {
  readonly signal?: AbortSignal;
  /** Told how many objects of a list were looked at, after each page. */
  readonly onPage?: (count: number) => void;
}

/** Statements that were looked at, newest first. */
export interface SearchedStatements {
  /** Those that fit, by what was looked for. */
  readonly found: ReadonlyMap<string, readonly FoundStatement[]>;
  /** The number and id of each statement that has a number. */
  readonly numbers: ReadonlyMap<string, string>;
}

/**
 * Looks through the statements, newest first, until each of the numbers and beginnings of ids is found. Numbers are unique,
 * so what comes after the page with the last of them is not read; parts of numbers are looked for to the end.
 * @param wanted numbers in any case, their digits alone, and beginnings of ids
 */
export async function searchStatements(
  client: Client,
  wanted: readonly string[],
  {signal, onPage}: WalkOptions,
): Promise<SearchedStatements> {
  const found = new Map<string, FoundStatement[]>();
  const numbers = new Map<string, string>();
  const starts = wanted.filter((text) => text.startsWith('bstm_'));
  const parts = wanted.filter(isSequence);
  const typed = new Map<string, string[]>();
  for (const text of wanted) typed.set(text.toUpperCase(), [...(typed.get(text.toUpperCase()) ?? []), text]);
  let count = 0;
  for await (const {data} of client.billingStatements.list({limit: MAXIMUM_PAGE}, {signal}).pages()) {
    for (const statement of data) {
      const number = numberOf(statement);
      if (number !== undefined && !numbers.has(number)) numbers.set(number, statement.id);
      const fitting = [
        ...(typed.get(number?.toUpperCase() ?? '') ?? []),
        ...starts.filter((start) => statement.id.startsWith(start)),
        ...parts.filter((digits) => number !== undefined && hasSequence(number, digits)),
      ];
      for (const text of fitting) found.set(text, [...(found.get(text) ?? []), statement]);
    }
    if (parts.length === 0 && wanted.every((text) => found.has(text))) break;
    onPage?.((count += data.length));
  }
  return {found, numbers};
}

/** The statements of these customers, newest first. All statements are read. */
export async function statementsOfCustomers(
  client: Client,
  customerIds: readonly string[],
  {signal, onPage}: WalkOptions,
): Promise<FoundStatement[]> {
  const found: FoundStatement[] = [];
  let count = 0;
  for await (const {data} of client.billingStatements.list({limit: MAXIMUM_PAGE}, {signal}).pages()) {
    found.push(...data.filter((statement) => customerIds.includes(customerOf(statement).id ?? '')));
    onPage?.((count += data.length));
  }
  return found;
}

/** The statement with this id, if it is there and has this number. */
export async function statementWithNumber(
  client: Client,
  id: string,
  number: string,
  {signal}: WalkOptions,
): Promise<FoundStatement | undefined> {
  try {
    const statement = await client.billingStatements.get(id, {signal});
    return hasNumber(statement, number) ? statement : undefined;
  } catch (error) {
    if (error instanceof CentavoError && error.kind === 'not_found') return undefined;
    throw error;
  }
}

export const hasNumber = (statement: StatementLike, number: string): boolean =>
  numberOf(statement)?.toUpperCase() === number.toUpperCase();

/** Every customer, newest first. */
export const allCustomers = (client: Client, options: WalkOptions): Promise<FoundCustomer[]> =>
  listCustomers(client, {}, options);

/** The customers with this email address, in any case. */
export async function customersWithEmail(
  client: Client,
  email: string,
  options: WalkOptions,
): Promise<FoundCustomer[]> {
  const wanted = email.toLowerCase();
  // A service that ignores the filter must not decide who is billed.
  const listed = await listCustomers(client, {email}, options);
  return listed.filter((each) => each.email.toLowerCase() === wanted);
}

/** The customers with exactly this name, in any case. */
export async function customersWithName(client: Client, name: string, options: WalkOptions): Promise<FoundCustomer[]> {
  const plain = (text: string): string => text.normalize('NFC').trim().toLowerCase();
  const listed = await listCustomers(client, {name}, options);
  return listed.filter((each) => plain(each.name) === plain(name));
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

async function listCustomers(
  client: Client,
  filter: {readonly email?: string; readonly name?: string},
  {signal, onPage}: WalkOptions,
): Promise<FoundCustomer[]> {
  const customers: FoundCustomer[] = [];
  let count = 0;
  for await (const {data} of client.customers.list({...filter, limit: MAXIMUM_PAGE}, {signal}).pages()) {
    for (const {id, name, email, deleted} of data)
      if (deleted !== true) customers.push({id, name: textOf(name), email: textOf(email)});
    onPage?.((count += data.length));
  }
  return customers;
}

/** A service may leave out what it does not know. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** How many customers are read at most to see whether they were deleted. */
const MOST_DELETED = 10;

/** Deleted customers that statements still name, by number, address, name or beginning of an id. All statements are read. */
export async function deletedCustomers(
  client: Client,
  text: string,
  {signal, onPage}: WalkOptions,
): Promise<FoundCustomer[]> {
  const known = new Map<string, FoundCustomer>();
  const exactly = new Set<string>();
  let count = 0;
  for await (const {data} of client.billingStatements.list({limit: MAXIMUM_PAGE}, {signal}).pages()) {
    for (const statement of data) {
      const {id, name = '', email = ''} = customerOf(statement);
      if (id === undefined) continue;
      if (!known.has(id)) known.set(id, {id, name, email, isDeleted: true});
      if (
        hasNumber(statement, text) ||
        email.toLowerCase() === text.toLowerCase() ||
        (text.startsWith('cus_') && id.startsWith(text))
      )
        exactly.add(id);
    }
    onPage?.((count += data.length));
  }
  const fitting =
    exactly.size > 0 ? [...exactly].map((id) => known.get(id)!) : customersLike([...known.values()], text).found;
  const deleted: FoundCustomer[] = [];
  for (const customer of fitting.slice(0, MOST_DELETED))
    if (await isDeleted(client, customer.id, signal)) deleted.push(customer);
  return deleted;
}

/** A service may keep what is left of a deleted customer, or nothing. */
async function isDeleted(client: Client, id: string, signal?: AbortSignal): Promise<boolean> {
  try {
    return (await client.customers.get(id, {signal})).deleted === true;
  } catch (error) {
    if (error instanceof CentavoError && error.kind === 'not_found') return true;
    throw error;
  }
}

/** @throws CentavoError kind `not_found` when there is none, `usage` when there are several */
export async function customerByEmail(
  client: Client,
  email: string,
  options: WalkOptions,
): Promise<{readonly id: string; readonly name: string}> {
  const found = await customersWithEmail(client, email, options);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) {
    throw new CentavoError('not_found', `no customer has the email address ${email}.`, {
      code: 'customer_not_found',
      applied: 'no',
    });
  }
  throw new CentavoError('usage', `${found.length} customers have the email address ${email}.`, {
    code: 'customer_ambiguous',
    hint: `Say which with --customer: ${found.map(({id, name}) => `${id} (${name})`).join(', ')}`,
    applied: 'no',
  });
}
