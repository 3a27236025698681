// Money received: the statements paid in a period, online or outside the service, and the report of a month.

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
import type {LocalSettlement} from '../../history/queries.js';
import type {Client} from '../../client/client.js';
import {CentavoError} from '../../common/errors.js';
import {type Month, monthAfter, startOfMonth} from '../../common/manila.js';
import {statementPages, type AccountReadOptions} from '../account/account-reader.js';
import {replacedBy} from '../statement/copy.js';
import type {BillingStatementData} from '../statement/plan.js';
import {mapWithLimit, type PaymentReceipt, type ReceiptReader} from './receipts.js';

export interface MonthReportOptions extends AccountReadOptions {
  readonly receipts: ReceiptReader;
  readonly settlements: ReadonlyMap<string, LocalSettlement>;
  /** Called with the number of statements whose payments have been read. */
  readonly onReceipt?: (count: number, of: number) => void;
}

export interface Period {
  /** The first second, in unix seconds. */
  readonly since?: number;
  /** The last second. */
  readonly until?: number;
}

export const isInPeriod = (at: number | undefined, {since = -Infinity, until = Infinity}: Period): boolean =>
  at !== undefined && at >= since && at <= until;

/** True if a statement may have been paid or finalized since then: both change it. */
const mayHaveChangedSince = ({updated_at: updated}: BillingStatementData, {since}: Period): boolean =>
  since === undefined || (unixTimeOf(updated) ?? Infinity) >= since;

/** For the service, a statement paid outside is void. Only the service knows when, by the account's clock. */
function settledOf(
  statement: BillingStatementData,
  settlements: MonthReportOptions['settlements'],
): LocalSettlement | undefined {
  const settled = statement.status === 'void' ? settlementOf(settlements, statement) : undefined;
  return settled && {...settled, at: unixTimeOf(statement.updated_at) ?? settled.at};
}

/** The time of payment; if the service names no payment, the time of the last change. */
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

/** Amounts are centavos before refunds, times unix seconds. */
export interface PaymentReceived extends ReturnType<typeof namesOfEntry> {
  readonly paid_at: number;
  readonly amount: number;
  /** `gcash`; null where it was paid outside, or the service does not say it. */
  readonly method: string | null;
  /** `outside` is a settlement recorded on this machine. */
  readonly source: 'online' | 'outside';
  readonly reason: string | null;
  /** Null if the service names no payment: the date is then that of the last change. */
  readonly payment_id: string | null;
}

/** Statements that were paid in a period, the last first. All statements are read. */
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

/** A statement in the books of a month. Amounts are centavos, times unix seconds. */
export interface MonthReportEntry extends ReturnType<typeof namesOfEntry> {
  readonly status: string;
  readonly created_at: number;
  readonly finalized_at: number | null;
  readonly due_at: number | null;
  /** Billed in this month and not taken back. */
  readonly billed: number;
  /** Received through the service in this month, before refunds. */
  readonly paid: number;
  /** When it was paid or settled, in any month. */
  readonly paid_at: number | null;
  readonly method: string | null;
  /** The current value, whenever it changed. */
  readonly refunded: number;
  /** Settled outside in this month, as recorded on this machine. */
  readonly settled: number;
  readonly settled_reason: string | null;
  /** Billed in this month and written off since. */
  readonly uncollectible: number;
  /** The amount still to be paid. */
  readonly balance: number;
  /** Number (or id) of the statement that replaces a voided one. */
  readonly replaced_by: string | null;
  /** Null where the service names no payment of a paid one. */
  readonly payment_id: string | null;
}

/** One entry for each statement that was finalized or paid in a month in Manila, the oldest first. All statements are read. */
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
    // It may have been paid during the report.
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

/** Numbers, or else ids, of the statements that replace others, by the id of the other. A draft replaces nothing yet. */
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

/** @throws CentavoError where the amounts of the service cannot be added exactly */
export function exactSum(amounts: readonly number[]): number {
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  if (amounts.every(Number.isSafeInteger) && Number.isSafeInteger(sum)) return sum;
  throw new CentavoError('unavailable', 'the amounts of the billing statements cannot be added exactly.', {
    code: 'unusable_answer',
  });
}
