// Reads the fields of a billing statement in one place: its number, customer, due date, payment and link.

import {isDay, manilaDay} from '../common/manila.js';

/** A billing statement from the API. Any field may be missing, null or of another kind. */
export type StatementLike = Readonly<Record<string, unknown>>;

export interface StatementCustomer {
  readonly id?: string;
  readonly name?: string;
  readonly email?: string;
}

export const statementText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
/** Unix seconds. The service writes an unset time as 0 or null; a number without a calendar day is not a time either. */
export const unixTimeOf = (value: unknown): number | undefined => (isDay(value) ? value : undefined);
const hashFieldOf = (value: unknown): StatementLike =>
  typeof value === 'object' && value !== null ? (value as StatementLike) : {};

/** `JEEPNEY-0002`; undefined until the service sets one. */
export const statementNumberOf = (statement: StatementLike): string | undefined =>
  statementText(statement.billing_statement_number);

export const statementName = (statement: StatementLike & {readonly id: string}): string =>
  statementNumberOf(statement) ?? statement.id;

/** True if it can no longer be paid, and was not paid through the service. */
export const hasEnded = ({status}: StatementLike): boolean => status === 'void' || status === 'uncollectible';

/** The settlement of a statement, by its id. A written-off statement brought in nothing, also if it was voided later. */
export function settlementOf<S extends {readonly isGivenUp?: true}>(
  settlements: ReadonlyMap<string, S>,
  {id, status}: StatementLike,
): S | undefined {
  const found = settlements.get(String(id));
  return found?.isGivenUp && status === 'void' ? undefined : found;
}

/** When a statement was finalized, or else created, in unix seconds. */
export const billedAt = ({finalized_at: finalized, created_at: created}: StatementLike): number | undefined =>
  unixTimeOf(finalized) ?? unixTimeOf(created);

/** The API returns an object, or only an id. */
export function statementCustomerOf(statement: StatementLike): StatementCustomer {
  const {id, name, email} = hashFieldOf(statement.customer);
  return {
    id: statementText(id) ?? statementText(statement.customer) ?? statementText(statement.customer_id),
    name: statementText(name),
    email: statementText(email),
  };
}

/** The number, customer name and amount in centavos, each only if set. */
export function statementSubjectOf(statement: StatementLike): {number?: string; customer?: string; amount?: number} {
  const {name} = statementCustomerOf(statement);
  const [number, {amount}] = [statementNumberOf(statement), statement];
  return {
    ...(number !== undefined && {number}),
    ...(name !== undefined && {customer: name}),
    // A draft without items comes to nothing yet.
    ...(typeof amount === 'number' && Number.isSafeInteger(amount) && amount > 0 && {amount}),
  };
}

/** Unix seconds; undefined if not set. */
export const dueTimeOf = (statement: StatementLike): number | undefined => unixTimeOf(statement.due_at);

/** The payment link of an open statement. Others have one too, but cannot be paid. */
export const paymentLinkOf = (statement: StatementLike): string | undefined =>
  statement.status === 'open'
    ? (statementText(statement.billing_statement_url) ?? statementText(statement.url))
    : undefined;

/** Centavos still to be paid; undefined for an open statement without an amount. */
export const amountOwed = (statement: StatementLike): number | undefined =>
  statement.status !== 'open' ? 0 : typeof statement.amount === 'number' ? statement.amount : undefined;

/** Whole Manila days since the due day of an open statement: 1 on the day after it. @param now unix seconds */
export function daysOverdue(statement: StatementLike, now: number): number | undefined {
  const due = dueTimeOf(statement);
  return statement.status !== 'open' || due === undefined ? undefined : manilaDay(now) - manilaDay(due);
}

/** The payment that settled it: the API returns it inside the payment intent. */
export function paymentOf(statement: StatementLike): StatementLike | undefined {
  const payment = hashFieldOf(hashFieldOf(statement.payment_intent).latest_payment);
  return statementText(payment.id) === undefined ? undefined : payment;
}

/** `gcash`: the method of a payment, if the service names it. */
export const methodOf = ({payment_method: method}: StatementLike): string | undefined =>
  statementText(hashFieldOf(method).type);
