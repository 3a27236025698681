// What was received: the statements that were paid in a period, online or outside the service, and the books of a month.

import {
  customerOf,
  dueOf,
  numberOf,
  owedOn,
  settlementOf,
  statementName,
  timeOf,
  type StatementLike,
} from '../../api/statement.js';
import type {Settlement} from '../../audit/queries.js';
import type {Client} from '../../client/client.js';
import {CentavoError} from '../../ground/errors.js';
import {type Month, monthAfter, startOfMonth} from '../../ground/manila.js';
import {statementPages, type ReadOptions} from '../account.js';
import {replacedBy} from '../compose/copy.js';
import type {Statement} from '../compose/plan.js';
import {fewAtATime, type Receipt, type Receipts} from './payments.js';

export interface MoneyInOptions extends ReadOptions {
  readonly receipts: Receipts;
  /** By the id of the statement. */
  readonly settlements: ReadonlyMap<string, Settlement>;
  /** How many statements were looked at whose payments are read. */
  readonly onReceipt?: (count: number, of: number) => void;
}

export interface Period {
  /** The first second, in unix seconds. */
  readonly since?: number;
  /** The last second. */
  readonly until?: number;
}

export const isIn = (at: number | undefined, {since = -Infinity, until = Infinity}: Period): boolean =>
  at !== undefined && at >= since && at <= until;

/** Whether a statement may have been paid or finalized since then: both change it. */
const mayBeSince = ({updated_at: updated}: Statement, {since}: Period): boolean =>
  since === undefined || (timeOf(updated) ?? Infinity) >= since;

/** For the service, a statement that was paid outside is void. When, by the clock of the account, only the service knows. */
function settledOf(statement: Statement, settlements: MoneyInOptions['settlements']): Settlement | undefined {
  const settled = statement.status === 'void' ? settlementOf(settlements, statement) : undefined;
  return settled && {...settled, at: timeOf(statement.updated_at) ?? settled.at};
}

/** When a paid statement was paid: where the service names no payment, when it was last changed. */
export const paidAt = ({at}: Receipt, statement: StatementLike): number | undefined =>
  at ?? timeOf(statement.updated_at);

/** What the records of the books say of a statement, under the names that are printed. */
const named = (statement: Statement) => {
  const {id, name, email} = customerOf(statement);
  return {
    number: numberOf(statement) ?? null,
    customer: name ?? null,
    email: email ?? null,
    customer_id: id ?? null,
    statement_id: statement.id,
  };
};

/** Amounts are centavos before refunds, times unix seconds. */
export interface Received extends ReturnType<typeof named> {
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
export async function readReceived(
  client: Client,
  {receipts, settlements, customerId, onReceipt, ...options}: MoneyInOptions & Period & {readonly customerId?: string},
): Promise<Received[]> {
  const paid: Statement[] = [];
  const found: Received[] = [];
  for await (const {data} of statementPages(client, options))
    for (const statement of data) {
      if (customerId !== undefined && customerOf(statement).id !== customerId) continue;
      const settled = settledOf(statement, settlements);
      if (statement.status === 'paid' && mayBeSince(statement, options)) paid.push(statement);
      if (!settled || !isIn(settled.at, options)) continue;
      const {at, reason, amount} = settled;
      const how = {paid_at: at, amount: amount ?? statement.amount, method: null, payment_id: null};
      found.push({...named(statement), ...how, source: 'outside', reason});
    }
  const online = await fewAtATime(
    paid,
    async (listed): Promise<Received | undefined> => {
      const receipt = await receipts.of(listed);
      const at = paidAt(receipt, listed);
      if (at === undefined || !isIn(at, options)) return undefined;
      const statement = await receipts.whole(listed);
      const {amount} = receipt.payment ?? statement;
      const {method = null, id = null} = receipt;
      return {...named(statement), paid_at: at, amount, method, source: 'online', reason: null, payment_id: id};
    },
    (count) => onReceipt?.(count, paid.length),
  );
  return [...found, ...online.filter((each) => each !== undefined)].sort((a, b) => b.paid_at - a.paid_at);
}

/** A statement in the books of a month. Amounts are centavos, times unix seconds. */
export interface MonthEntry extends ReturnType<typeof named> {
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
export async function readMonth(
  client: Client,
  {month, receipts, settlements, onReceipt, ...options}: MoneyInOptions & {readonly month: Month},
): Promise<MonthEntry[]> {
  const period: Period = {since: startOfMonth(month), until: startOfMonth(monthAfter(month)) - 1};
  const opened: Statement[] = [];
  const looked: Statement[] = [];
  for await (const {data} of statementPages(client, options))
    for (const listed of data) {
      if (listed.status === 'draft' || listed.deleted === true) continue;
      if (replacedBy(listed) !== undefined) opened.push(listed);
      if (listed.created_at > period.until!) continue;
      if (mayBeSince(listed, period) || isIn(settledOf(listed, settlements)?.at, period)) looked.push(listed);
    }
  const replacements = replacementsOf(opened);
  const entryOf = async (listed: Statement): Promise<MonthEntry | undefined> => {
    const settled = settledOf(listed, settlements);
    const finalizedAt = await receipts.finalizedAt(listed);
    const isBilled = isIn(finalizedAt, period);
    const known = listed.status === 'paid' ? await receipts.of(listed) : undefined;
    const isPaid = known !== undefined && isIn(paidAt(known, listed), period);
    const isSettled = isIn(settled?.at, period);
    if (!isBilled && !isPaid && !isSettled) return undefined;
    const statement = await receipts.whole(listed);
    // It may have been paid meanwhile.
    if (statement.status !== listed.status) return entryOf(statement);
    const receipt = known && (known.payment ? known : await receipts.of(listed, true));
    const {status, amount} = statement;
    return {
      ...named(statement),
      status,
      created_at: statement.created_at,
      finalized_at: finalizedAt ?? null,
      due_at: dueOf(statement) ?? null,
      billed: isBilled && (status !== 'void' || settled) ? amount : 0,
      paid: isPaid ? (receipt?.payment?.amount ?? amount) : 0,
      paid_at: settled?.at ?? (receipt && paidAt(receipt, statement)) ?? null,
      method: receipt?.method ?? null,
      refunded: receipt?.payment?.amount_refunded ?? 0,
      settled: isSettled ? (settled?.amount ?? amount) : 0,
      settled_reason: settled?.reason ?? null,
      uncollectible: isBilled && status === 'uncollectible' ? amount : 0,
      balance: owedOn(statement) ?? 0,
      replaced_by: (status === 'void' && replacements.get(statement.id)) || null,
      payment_id: receipt?.id ?? null,
    };
  };
  const entries = await fewAtATime(looked, entryOf, (count) => onReceipt?.(count, looked.length));
  return entries
    .filter((entry) => entry !== undefined)
    .reverse()
    .sort((one, other) => (one.finalized_at ?? 0) - (other.finalized_at ?? 0));
}

/** Numbers, or else ids, of the statements that replace others, by the id of the other. A draft replaces nothing yet. */
export const replacementsOf = (statements: readonly Statement[]): ReadonlyMap<string, string> =>
  new Map(
    statements.flatMap((statement) => {
      const old = statement.status === 'draft' ? undefined : replacedBy(statement);
      return old === undefined ? [] : [[old, statementName(statement)] as const];
    }),
  );

const SUMS = ['billed', 'paid', 'settled', 'refunded', 'uncollectible', 'balance'] as const;
export type MonthTotals = Readonly<Record<(typeof SUMS)[number], number>>;

export const totalsOf = (entries: readonly MonthEntry[]): MonthTotals =>
  Object.fromEntries(SUMS.map((name) => [name, sumOf(entries.map((entry) => entry[name]))])) as MonthTotals;

/** @throws CentavoError where the amounts of the service cannot be added exactly */
export function sumOf(amounts: readonly number[]): number {
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  if (amounts.every(Number.isSafeInteger) && Number.isSafeInteger(sum)) return sum;
  throw new CentavoError('unavailable', 'the amounts of the billing statements cannot be added exactly.', {
    code: 'unusable_answer',
  });
}
