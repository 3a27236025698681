// Reads the fields of a billing statement in one place: its number, customer, due date, payment and link.

import {isDay, manilaDay} from '../common/manila.js';

/** A billing statement from the API. Any field may be missing, null or of another type. */
export type StatementLike = Readonly<Record<string, unknown>>;

export interface StatementCustomer {
  readonly id?: string;
  readonly name?: string;
  readonly email?: string;
}

export const statementText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
/** Returns unix seconds; undefined for an unset time (0 or null) or a number outside the calendar. */
export const unixTimeOf = (value: unknown): number | undefined => (isDay(value) ? value : undefined);
/** Returns a whole number, such as an amount in centavos; undefined for a negative number or another type. */
export const centavosOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
const hashFieldOf = (value: unknown): StatementLike =>
  typeof value === 'object' && value !== null ? (value as StatementLike) : {};

/** Returns a number such as `JEEPNEY-0002`; undefined until the service sets it. */
export const statementNumberOf = (statement: StatementLike): string | undefined =>
  statementText(statement.billing_statement_number);

export const statementName = (statement: StatementLike & {readonly id: string}): string =>
  statementNumberOf(statement) ?? statement.id;

/** The status for a sentence: `INV-1 is void`. */
export const statusText = ({status}: StatementLike): string =>
  statementText(status) ?? 'of unknown status (the API gave none)';

/** True if the statement can no longer be paid, and was not paid through the service. */
export const hasEnded = ({status}: StatementLike): boolean => status === 'void' || status === 'uncollectible';

/** Returns when a statement was finalized, or else created, in unix seconds. */
export const billedAt = ({finalized_at: finalized, created_at: created}: StatementLike): number | undefined =>
  unixTimeOf(finalized) ?? unixTimeOf(created);

/** Reads the customer, which the API returns as an object or only as an id. */
export function statementCustomerOf(statement: StatementLike): StatementCustomer {
  const {id, name, email} = hashFieldOf(statement.customer);
  return {
    id: statementText(id) ?? statementText(statement.customer) ?? statementText(statement.customer_id),
    name: statementText(name),
    email: statementText(email),
  };
}

/** Returns the number, customer name and amount in centavos, each only if set. */
export function statementSubjectOf(statement: StatementLike): {number?: string; customer?: string; amount?: number} {
  const {name} = statementCustomerOf(statement);
  const [number, {amount}] = [statementNumberOf(statement), statement];
  return {
    ...(number !== undefined && {number}),
    ...(name !== undefined && {customer: name}),
    // The amount of a draft without items is 0.
    ...(centavosOf(amount) && {amount: Number(amount)}),
  };
}

/** Returns the sum of a checkout session's items in centavos; undefined if an item lacks quantity or amount. */
export function itemSumOf(items: unknown): number | undefined {
  if (!Array.isArray(items) || items.length === 0) return undefined;
  const sumOf = ({quantity, amount}: StatementLike) => (centavosOf(quantity) ?? NaN) * (centavosOf(amount) ?? NaN);
  return centavosOf(items.reduce((sum: number, item) => sum + sumOf(hashFieldOf(item)), 0));
}

/** Returns unix seconds; undefined if not set. */
export const dueTimeOf = (statement: StatementLike): number | undefined => unixTimeOf(statement.due_at);

/** Returns the payment link of an open statement. Other statements have a link too, but cannot be paid. */
export const paymentLinkOf = (statement: StatementLike): string | undefined =>
  statement.status === 'open'
    ? (statementText(statement.billing_statement_url) ?? statementText(statement.url))
    : undefined;

/** Returns Manila days since the due day of an open statement: 1 on the next day. @param now unix seconds */
export function daysOverdue(statement: StatementLike, now: number): number | undefined {
  const due = dueTimeOf(statement);
  return statement.status !== 'open' || due === undefined ? undefined : manilaDay(now) - manilaDay(due);
}

/** Returns the statement's payment, which the API puts inside the payment intent. */
export function paymentOf(statement: StatementLike): StatementLike | undefined {
  const payment = hashFieldOf(hashFieldOf(statement.payment_intent).latest_payment);
  return statementText(payment.id) === undefined ? undefined : payment;
}

/** Returns a payment's method, such as `gcash`, if the service names the method. */
export const methodOf = ({payment_method: method}: StatementLike): string | undefined =>
  statementText(hashFieldOf(method).type);
