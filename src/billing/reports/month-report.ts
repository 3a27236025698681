// What was received: the statements that were paid in a period, online or outside the service, and the books of a month.

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
  /** By the id of the statement. */
  readonly settlements: ReadonlyMap<string, LocalSettlement>;
  /** How many statements were looked at whose payments are read. */
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

/** Whether a statement may have been paid or finalized since then: both change it. */
const mayBeSince = ({updated_at: updated}: BillingStatementData, {since}: Period): boolean =>
  since === undefined || (unixTimeOf(updated) ?? Infinity) >= since;

/** For the service, a statement that was paid outside is void. When, by the clock of the account, only the service knows. */
function settledOf(
  statement: BillingStatementData,
  settlements: MonthReportOptions['settlements'],
): LocalSettlement | undefined {
  const settled = statement.status === 'void' ? settlementOf(settlements, statement) : undefined;
  return settled && {...settled, at: unixTimeOf(statement.updated_at) ?? settled.at};
}

/** When a paid statement was paid: where the service names no payment, when it was last changed. */
export const paidAt = ({at}: PaymentReceipt, statement: StatementLike): number | undefined =>
  at ?? unixTimeOf(statement.updated_at);

/** What the records of the books say of a statement, under the names that are printed. */
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
  /** `outside` is what was settled on this machine. */
  readonly source: 'online' | 'outside';
  /** How it was paid outside. */
  readonly reason: string | null;
  /** Null where the service names no payment: then the date is that of the last change. */
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
      if (statement.status === 'paid' && mayBeSince(statement, options)) paid.push(statement);
      if (!settled || !isInPeriod(settled.at, options)) continue;
      const {at, reason, amount} = settled;
      const how = {paid_at: at, amount: amount ?? statement.amount, method: null, payment_id: null};
      found.push({...namesOfEntry(statement), ...how, source: 'outside', reason});
    }
  const online = await mapWithLimit(
    paid,
    async (listed): Promise<PaymentReceived | undefined> => {
      const receipt = await receipts.of(listed);
      const at = paidAt(receipt, listed);
      if (at === undefined || !isInPeriod(at, options)) return undefined;
      const statement = await receipts.whole(listed);
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
  /** What was billed in this month and was not taken back. */
  readonly billed: number;
  /** What was received through the service in this month, before refunds. */
  readonly paid: number;
  /** When it was paid or settled, in this month or another. */
  readonly paid_at: number | null;
  readonly method: string | null;
  /** As of now, whenever it was. */
  readonly refunded: number;
  /** What was settled outside in this month, as this machine knows it. */
  readonly settled: number;
  readonly settled_reason: string | null;
  /** What was billed in this month and was given up since. */
  readonly uncollectible: number;
  /** What is still to be paid on it. */
  readonly balance: number;
  /** Of a void statement: the number, or else the id, of the one that replaces it. */
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
  const opened: BillingStatementData[] = [];
  const looked: BillingStatementData[] = [];
  for await (const {data} of statementPages(client, options))
    for (const listed of data) {
      if (listed.status === 'draft' || listed.deleted === true) continue;
      if (replacedBy(listed) !== undefined) opened.push(listed);
      if (listed.created_at > period.until!) continue;
      if (mayBeSince(listed, period) || isInPeriod(settledOf(listed, settlements)?.at, period)) looked.push(listed);
    }
  const replacements = replacementsOf(opened);
  const entryOf = async (listed: BillingStatementData): Promise<MonthReportEntry | undefined> => {
    const settled = settledOf(listed, settlements);
    const finalizedAt = await receipts.finalizedAt(listed);
    const isBilled = isInPeriod(finalizedAt, period);
    const known = listed.status === 'paid' ? await receipts.of(listed) : undefined;
    const isPaid = known !== undefined && isInPeriod(paidAt(known, listed), period);
    const isSettled = isInPeriod(settled?.at, period);
    if (!isBilled && !isPaid && !isSettled) return undefined;
    const statement = await receipts.whole(listed);
    // It may have been paid meanwhile.
    if (statement.status !== listed.status) return entryOf(statement);
    const receipt = known && (known.payment ? known : await receipts.of(listed, true));
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
  const entries = await mapWithLimit(looked, entryOf, (count) => onReceipt?.(count, looked.length));
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
