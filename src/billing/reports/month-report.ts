// Reports the payments received in a period, online or outside the service, and the statements of a month.

import {
  statementCustomerOf,
  dueTimeOf,
  statementNumberOf,
  amountOwed,
  settlementOf,
  statementName,
  unixTimeOf,
  type StatementLike,
} from '../../api/statement.js';
import type {LocalSettlement} from '../../accounting/standing.js';
import type {Client} from '../../client/client.js';
import {CentavoError} from '../../common/errors.js';
import {type Month, monthAfter, startOfMonth} from '../../common/manila.js';
import {statementPages, type AccountReadOptions} from '../account/account-reader.js';
import {replacedBy} from '../statement/metadata-keys.js';
import type {BillingStatementData} from '../statement/plan.js';
import {mapWithLimit, type PaymentReceipt, type ReceiptReader} from './receipts.js';

export interface MonthReportOptions extends AccountReadOptions {
  readonly receipts: ReceiptReader;
  readonly settlements: ReadonlyMap<string, LocalSettlement>;
  /** Called with the number of statements whose payments have been read. */
  readonly onReceipt?: (count: number, of: number) => void;
}

export interface Period {
  /** The first second of the period, in unix seconds. */
  readonly since?: number;
  /** The last second of the period, in unix seconds. */
  readonly until?: number;
}

export const isInPeriod = (at: number | undefined, {since = -Infinity, until = Infinity}: Period): boolean =>
  at !== undefined && at >= since && at <= until;

/** True if a statement may have been paid or finalized in or after the period: both set `updated_at`. */
const mayHaveChangedSince = ({updated_at: updated}: BillingStatementData, {since}: Period): boolean =>
  since === undefined || (unixTimeOf(updated) ?? Infinity) >= since;

/** Returns the settlement of a statement paid outside, which is void for the service. Prefers the service's time. */
function settledOf(
  statement: BillingStatementData,
  settlements: MonthReportOptions['settlements'],
): LocalSettlement | undefined {
  const settled = statement.status === 'void' ? settlementOf(settlements, statement) : undefined;
  return settled && {...settled, at: unixTimeOf(statement.updated_at) ?? settled.at};
}

/** The time of the payment, in unix seconds; if unknown, the time of the statement's last change. */
export const paidAt = ({at}: PaymentReceipt, statement: StatementLike): number | undefined =>
  at ?? unixTimeOf(statement.updated_at);

/** Fields of a statement in the reports, under their printed names. */
const namesOfEntry = (statement: BillingStatementData) => {
  const {id, name, email} = statementCustomerOf(statement);
  return {
    number: statementNumberOf(statement) ?? null,
    customer: name ?? null,
    email: email ?? null,
    customer_id: id ?? null,
    statement_id: statement.id,
  };
};

/** A payment received. Amounts are in centavos before refunds, times in unix seconds. */
export interface PaymentReceived extends ReturnType<typeof namesOfEntry> {
  readonly paid_at: number;
  readonly amount: number;
  /** For example `gcash`; null if paid outside the service or not named by the service. */
  readonly method: string | null;
  /** `outside` is a settlement recorded on this machine. */
  readonly source: 'online' | 'outside';
  readonly reason: string | null;
  /** Null if the service names no payment; `paid_at` is then the time of the last change. */
  readonly payment_id: string | null;
}

/** Returns the payments of a period, latest first. Reads all statements of the account. */
export async function readPaymentsReceived(
  client: Client,
  {
    receipts,
    settlements,
    customerId,
    onReceipt,
    ...options
  }: MonthReportOptions & Period & {readonly customerId?: string},
): Promise<PaymentReceived[]> {
  const paid: BillingStatementData[] = [];
  const found: PaymentReceived[] = [];
  for await (const {data} of statementPages(client, options))
    for (const statement of data) {
      if (customerId !== undefined && statementCustomerOf(statement).id !== customerId) continue;
      const settled = settledOf(statement, settlements);
      if (statement.status === 'paid' && mayHaveChangedSince(statement, options)) paid.push(statement);
      if (!settled || !isInPeriod(settled.at, options)) continue;
      const {at, reason, amount} = settled;
      const how = {paid_at: at, amount: amount ?? statement.amount, method: null, payment_id: null};
      found.push({...namesOfEntry(statement), ...how, source: 'outside', reason});
    }
  const online = await mapWithLimit(
    paid,
    async (listed): Promise<PaymentReceived | undefined> => {
      const receipt = await receipts.receiptOf(listed);
      const at = paidAt(receipt, listed);
      if (at === undefined || !isInPeriod(at, options)) return undefined;
      const statement = await receipts.readStatement(listed);
      const {amount} = receipt.payment ?? statement;
      const {method = null, id = null} = receipt;
      return {...namesOfEntry(statement), paid_at: at, amount, method, source: 'online', reason: null, payment_id: id};
    },
    (count) => onReceipt?.(count, paid.length),
  );
  return [...found, ...online.filter((each) => each !== undefined)].sort((a, b) => b.paid_at - a.paid_at);
}

/** A statement in the report of a month. Amounts are in centavos, times in unix seconds. */
export interface MonthReportEntry extends ReturnType<typeof namesOfEntry> {
  readonly status: string;
  readonly created_at: number;
  readonly finalized_at: number | null;
  readonly due_at: number | null;
  /** Billed in this month; 0 if the statement is void and was not settled. */
  readonly billed: number;
  /** Received through the service in this month, before refunds. */
  readonly paid: number;
  /** Time of the payment or settlement, in any month. */
  readonly paid_at: number | null;
  readonly method: string | null;
  /** Refunded to date, in any month. */
  readonly refunded: number;
  /** Settled outside the service in this month, according to this machine's history. */
  readonly settled: number;
  readonly settled_reason: string | null;
  /** Billed in this month and written off since. */
  readonly uncollectible: number;
  /** The amount still to be paid. */
  readonly balance: number;
  /** Number (or id) of the statement that replaces this void statement. */
  readonly replaced_by: string | null;
  /** Null if the statement is unpaid, or the service names no payment. */
  readonly payment_id: string | null;
}

/** Returns the statements finalized or paid in a month in Manila, oldest first. Reads all statements of the account. */
export async function readMonthReport(
  client: Client,
  {month, receipts, settlements, onReceipt, ...options}: MonthReportOptions & {readonly month: Month},
): Promise<MonthReportEntry[]> {
  const period: Period = {since: startOfMonth(month), until: startOfMonth(monthAfter(month)) - 1};
  const replacing: BillingStatementData[] = [];
  const candidates: BillingStatementData[] = [];
  for await (const {data} of statementPages(client, options))
    for (const listed of data) {
      if (listed.status === 'draft' || listed.deleted === true) continue;
      if (replacedBy(listed) !== undefined) replacing.push(listed);
      if (listed.created_at > period.until!) continue;
      if (mayHaveChangedSince(listed, period) || isInPeriod(settledOf(listed, settlements)?.at, period))
        candidates.push(listed);
    }
  const replacements = replacementsOf(replacing);
  const entryOf = async (listed: BillingStatementData): Promise<MonthReportEntry | undefined> => {
    const settled = settledOf(listed, settlements);
    const finalizedAt = await receipts.finalizedAt(listed);
    const isBilled = isInPeriod(finalizedAt, period);
    const known = listed.status === 'paid' ? await receipts.receiptOf(listed) : undefined;
    const isPaid = known !== undefined && isInPeriod(paidAt(known, listed), period);
    const isSettled = isInPeriod(settled?.at, period);
    if (!isBilled && !isPaid && !isSettled) return undefined;
    const statement = await receipts.readStatement(listed);
    // The statement may have been paid during the report.
    if (statement.status !== listed.status) return entryOf(statement);
    const receipt = known && (known.payment ? known : await receipts.receiptOf(listed, true));
    const {status, amount} = statement;
    return {
      ...namesOfEntry(statement),
      status,
      created_at: statement.created_at,
      finalized_at: finalizedAt ?? null,
      due_at: dueTimeOf(statement) ?? null,
      billed: isBilled && (status !== 'void' || settled) ? amount : 0,
      paid: isPaid ? (receipt?.payment?.amount ?? amount) : 0,
      paid_at: settled?.at ?? (receipt && paidAt(receipt, statement)) ?? null,
      method: receipt?.method ?? null,
      refunded: receipt?.payment?.amount_refunded ?? 0,
      settled: isSettled ? (settled?.amount ?? amount) : 0,
      settled_reason: settled?.reason ?? null,
      uncollectible: isBilled && status === 'uncollectible' ? amount : 0,
      balance: amountOwed(statement) ?? 0,
      replaced_by: (status === 'void' && replacements.get(statement.id)) || null,
      payment_id: receipt?.id ?? null,
    };
  };
  const entries = await mapWithLimit(candidates, entryOf, (count) => onReceipt?.(count, candidates.length));
  return entries
    .filter((entry) => entry !== undefined)
    .reverse()
    .sort((one, other) => (one.finalized_at ?? 0) - (other.finalized_at ?? 0));
}

/** Number (or id) of each replacement, by the id of the replaced statement. A draft replaces nothing yet. */
export const replacementsOf = (statements: readonly BillingStatementData[]): ReadonlyMap<string, string> =>
  new Map(
    statements.flatMap((statement) => {
      const old = statement.status === 'draft' ? undefined : replacedBy(statement);
      return old === undefined ? [] : [[old, statementName(statement)] as const];
    }),
  );

const SUMS = ['billed', 'paid', 'settled', 'refunded', 'uncollectible', 'balance'] as const;
export type MonthTotals = Readonly<Record<(typeof SUMS)[number], number>>;

export const monthTotalsOf = (entries: readonly MonthReportEntry[]): MonthTotals =>
  Object.fromEntries(SUMS.map((name) => [name, exactSum(entries.map((entry) => entry[name]))])) as MonthTotals;

/** @throws CentavoError if a number cannot hold the sum exactly */
export function exactSum(amounts: readonly number[]): number {
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  if (amounts.every(Number.isSafeInteger) && Number.isSafeInteger(sum)) return sum;
  throw new CentavoError('unavailable', 'the amounts of the billing statements cannot be added exactly.', {
    code: 'unusable_answer',
  });
}
