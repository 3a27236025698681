// Builds a customer's ledger: every statement, payment and refund in order of time, with a running balance.

import {billedAt, methodOf, statementNumberOf, unixTimeOf} from '../../api/statement.js';
import type {LocalRefund} from '../../accounting/standing.js';
import {CentavoError} from '../../common/errors.js';
import type {BillingStatementData} from '../statement/plan.js';
import type {StatementPayment} from './receipts.js';

export interface LedgerEntry {
  /** Unix seconds; null if the API gives no time. */
  readonly at: number | null;
  /** `settlement`: paid outside the service. `opening`: the balance before the period. */
  readonly type: 'opening' | 'payment' | 'refund' | 'settlement' | 'statement' | 'uncollectible' | 'void';
  readonly number: string | null;
  readonly statement_id: string | null;
  readonly payment_id: string | null;
  /** The payment method, or the reason for the end of the statement. */
  readonly detail: string | null;
  /** Centavos; negative for a void or uncollectible statement. */
  readonly billed: number;
  /** Centavos received, before refunds. */
  readonly paid: number;
  /** Centavos that the customer owes after this entry. */
  readonly balance: number;
  /** Centavos refunded, which do not change the balance. */
  readonly refunded: number;
  /** Number (or id) of the statement that replaces this void statement. */
  readonly replaced_by: string | null;
}

export interface LedgerStatement {
  readonly statement: BillingStatementData;
  readonly payment?: StatementPayment;
  /** Refunds of the payment from this machine, oldest first. */
  readonly refunds?: readonly LocalRefund[];
  /** The time of voiding or writing off, in unix seconds, and the reason recorded on this machine. */
  readonly ended?: {readonly at: number; readonly reason?: string};
  readonly replacedBy?: string;
}

export interface Ledger {
  readonly entries: readonly LedgerEntry[];
  /** Centavos. */
  readonly billed: number;
  readonly paid: number;
  readonly owed: number;
  readonly refunded: number;
  /** Centavos of refunds without a date. */
  readonly undated: number;
  /** Centavos of refunds from this machine that the API does not show yet. */
  readonly waiting: number;
  /** Numbers of paid statements without a payment from the API. */
  readonly unnamed: readonly string[];
}

type LedgerPart = Omit<LedgerEntry, 'balance'> & {readonly order: number};

/** @param statements newest first @param period in unix seconds; earlier entries become one opening line */
export function ledgerOf(
  statements: readonly LedgerStatement[],
  {since, until}: {readonly since?: number; readonly until?: number} = {},
): Ledger {
  let [undated, waiting] = [0, 0];
  const unnamed: string[] = [];
  // In the same second, the void of a statement comes before the next statement.
  const createdAt = ({statement}: LedgerStatement): number => unixTimeOf(statement.created_at) ?? 0;
  const oldestFirst = [...statements].reverse().sort((a, b) => createdAt(a) - createdAt(b));
  const parts = oldestFirst.flatMap((each) => {
    const {parts, rest} = ledgerPartsOf(each);
    undated += rest.undated;
    waiting += rest.waiting;
    if (rest.isUnnamed) unnamed.push(statementNumberOf(each.statement) ?? each.statement.id);
    return parts;
  });
  // A stable sort: refunds of the same second stay behind their payment.
  parts.sort((a, b) => a.order - b.order);
  const total = (entries: readonly LedgerPart[], of: 'billed' | 'paid' | 'refunded'): bigint =>
    entries.reduce((sum, part) => sum + BigInt(part[of]), 0n);
  const before = since === undefined ? [] : parts.filter(({order}) => order < since);
  const inPeriod = parts.filter(
    ({order}) => (since === undefined || order >= since) && (until === undefined || order <= until),
  );
  let balance = total(before, 'billed') - total(before, 'paid');
  const opening: LedgerEntry[] =
    since === undefined ? [] : [{at: since, type: 'opening', ...ZERO_BALANCE, balance: exact(balance)}];
  const entries = inPeriod.map((part): LedgerEntry => {
    const {order: _, ...entry} = part;
    balance += BigInt(part.billed) - BigInt(part.paid);
    return {...entry, balance: exact(balance)};
  });
  const [billed, paid] = [total(inPeriod, 'billed'), total(inPeriod, 'paid')];
  return {
    entries: [...opening, ...entries],
    billed: exact(billed),
    paid: exact(paid),
    owed: exact(balance),
    refunded: exact(total(inPeriod, 'refunded')),
    undated,
    waiting,
    unnamed,
  };
}

const ZERO_BALANCE = {
  ...{number: null, statement_id: null, payment_id: null, detail: null, replaced_by: null},
  ...{billed: 0, paid: 0, refunded: 0},
} as const;

/** @throws CentavoError if a number cannot hold the sum exactly, as with two million of the largest statements */
function exact(centavos: bigint): number {
  const number = Number(centavos);
  if (Number.isSafeInteger(number)) return number;
  throw new CentavoError('unavailable', 'the amounts of the statements are too large to be added exactly.', {
    code: 'unusable_answer',
  });
}

function ledgerPartsOf({statement, payment, refunds = [], ended, replacedBy}: LedgerStatement) {
  const rest = {undated: 0, waiting: 0, isUnnamed: false};
  const {id} = statement;
  const status: string | undefined = statement.status;
  if (status === 'draft' || statement.deleted) return {parts: [], rest};
  const amount = statement.amount ?? 0;
  const knownAt = billedAt(statement) ?? null;
  const order = knownAt ?? 0;
  const of = {...ZERO_BALANCE, number: statementNumberOf(statement) ?? null, statement_id: id};
  const part = (
    type: LedgerEntry['type'],
    at: number | null,
    order: number,
    more: Partial<LedgerPart>,
  ): LedgerPart => ({
    at,
    type,
    ...of,
    order,
    ...more,
  });
  const parts = [part('statement', knownAt, order, {billed: amount})];
  if (status === 'void' || status === 'uncollectible') {
    // By the account's clock, which may differ from this machine's.
    const at = unixTimeOf(statement.updated_at) ?? ended?.at ?? knownAt;
    const detail = ended?.reason ?? null;
    // A written-off statement may be partly paid; the API does not say how much.
    const [type, amounts] =
      status === 'void' && detail !== null
        ? (['settlement', {paid: amount}] as const)
        : ([status, {billed: -amount, replaced_by: replacedBy ?? null}] as const);
    parts.push(part(type, at, Math.max(at ?? 0, order), {...amounts, detail}));
  }
  if (status !== 'paid') return {parts, rest};
  const paidAt = unixTimeOf(payment?.created_at) ?? unixTimeOf(statement.updated_at) ?? knownAt;
  const paidOrder = Math.max(paidAt ?? 0, order);
  const payment_id = payment?.id ?? null;
  rest.isUnnamed = payment === undefined;
  parts.push(
    part('payment', paidAt, paidOrder, {
      payment_id,
      detail: (payment && methodOf(payment)) ?? null,
      paid: payment?.amount ?? amount,
    }),
  );
  const refund = (at: number | null, place: number, centavos: number): LedgerPart =>
    part('refund', at, place, {payment_id, refunded: centavos});
  let undated = payment?.amount_refunded ?? 0;
  const dated: LedgerPart[] = [];
  for (const {at, amount: centavos} of refunds) {
    const seen = Math.min(undated, centavos);
    rest.waiting += centavos - seen;
    undated -= seen;
    if (seen > 0) dated.push(refund(at, Math.max(at, paidOrder), seen));
  }
  if (undated > 0) parts.push(refund(null, paidOrder, undated));
  parts.push(...dated);
  rest.undated = undated;
  return {parts, rest};
}
