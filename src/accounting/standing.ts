// Decides the state, exact amounts and dated movements of a billing statement, checkout session, payment intent or payment,
// from the API's objects and the history of this machine. Pure; every verb reads the result.

import {
  billedAt,
  centavosOf,
  daysOverdue,
  dueTimeOf,
  itemSumOf,
  methodOf,
  paymentOf,
  statementName,
  statementText,
  unixTimeOf,
  type StatementLike,
} from '../api/statement.js';
import {isJsonObject} from '../common/json.js';
import {balanceOf, sumsOf, type Movement, type MovementType} from './movements.js';

/** The states of money, first true one first: what came in outweighs what was given up. */
export const STATES = [
  'deleted',
  'draft',
  'refunded',
  'partly_refunded',
  'paid',
  'settled',
  'replaced',
  'void',
  'uncollectible',
  'expired',
  'canceled',
  'held',
  'processing',
  'overdue',
  'approving',
  'open',
  'unknown',
] as const;
export type MoneyState = (typeof STATES)[number];

/** The payer's last attempt, apart from the state: an overdue statement may also wait for the approval of a payment. */
export type PaymentAttempt =
  'approving' | 'canceled' | 'failed' | 'held' | 'none' | 'processing' | 'succeeded' | 'unknown';

/** Facts that neither the service nor the history of this machine gives. */
export const UNKNOWNS = [
  'amount',
  'attempt',
  'billed_at',
  'ended_why',
  'history',
  'paid_at',
  'payment',
  'refunds',
] as const;
export type UnknownFact = (typeof UNKNOWNS)[number];

/** A settlement recorded on this machine: paid outside the service. */
export interface LocalSettlement {
  /** Unix seconds when it was recorded. */
  readonly at: number;
  /** Unix seconds of the payment: the `--on` date, or the account's time of the settlement. */
  readonly paidAt?: number | null;
  /** The value of `--paid-outside`: `cash, 12 Nov`. */
  readonly reason: string;
  /** Centavos. */
  readonly amount: number | null;
  /** True if the settlement was certainly applied. Otherwise the statement's status decides. */
  readonly isCertain: boolean;
  /** True if the rest was written off: the statement is uncollectible, and the part that was paid is unknown. */
  readonly isGivenUp?: true;
}

/** A refund made, or perhaps made, from this machine. */
export interface LocalRefund {
  /** Unix seconds, by the account's clock. */
  readonly at: number;
  /** Centavos. */
  readonly amount: number;
  /** True if the API confirmed the refund; otherwise the refund may have been made. */
  readonly isCertain: boolean;
  /** Id of the refund, if its response was received. */
  readonly id?: string;
}

/** The last send, or possible send, of a statement from this machine. */
export interface RecordedSend {
  /** Unix seconds. */
  readonly at: number;
  readonly state: 'in_doubt' | 'sent';
}

export interface Replacement {
  readonly id: string;
  /** Number, or else id. */
  readonly name: string;
}

/** Facts about the money of one account in the history of this machine. */
export interface MoneyHistory {
  readonly settlement: (statementId: string) => LocalSettlement | undefined;
  /** Ids of the statements that replaced it, oldest first. */
  readonly replacements: (statementId: string) => readonly string[];
  readonly end: (statementId: string) => {readonly at: number} | undefined;
  readonly refunds: (paymentId: string) => readonly LocalRefund[];
  readonly send: (statementId: string) => RecordedSend | undefined;
  readonly isUnread?: boolean;
}

export const NO_HISTORY: MoneyHistory = {
  settlement: () => undefined,
  replacements: () => [],
  end: () => undefined,
  refunds: () => [],
  send: () => undefined,
};

/** Facts about the money of an object beside the object itself. Every part may be missing. */
export interface KnownFacts {
  readonly settlement?: LocalSettlement;
  /** The last statement that replaces this one; undefined if that one is void. */
  readonly replacement?: Replacement;
  /** Voided or written off from this machine, without a settlement. Unix seconds. */
  readonly end?: {readonly at: number};
  readonly refunds?: readonly LocalRefund[];
  /** The payment as read now; the object may have only its id. */
  readonly payment?: StatementLike;
  /** Cached details of the payment, which do not change. */
  readonly receipt?: {readonly at?: number; readonly id?: string; readonly method?: string};
  /** Unix seconds; lists may omit it. */
  readonly finalizedAt?: number;
  /** True if the history of this machine could not be read. */
  readonly isUnread?: boolean;
}

/** Amounts are centavos; null if unknown, never 0. Times are unix seconds. */
export interface Standing {
  readonly id: string;
  /** Number, or else id. */
  readonly name: string;
  readonly state: MoneyState;
  readonly attempt: PaymentAttempt;
  readonly dueAt?: number;
  /** Manila days since the due day of an unpaid statement; negative before it. */
  readonly daysOverdue?: number;
  readonly billed: number | null;
  readonly received: number | null;
  readonly settled: number | null;
  readonly refunded: number | null;
  /** Refunds from this machine that the service does not show yet; they may have failed since. */
  readonly pendingRefunds: number;
  readonly balance: number | null;
  /** Held on a card until `heldUntil`; 0 if nothing is held. */
  readonly held: number | null;
  readonly heldUntil?: number;
  readonly movements: readonly Movement[];
  readonly settlement?: LocalSettlement;
  readonly replacement?: Replacement;
  readonly intentId?: string;
  readonly paymentId?: string;
  readonly paidAt?: number;
  readonly method?: string;
  /** Code of the last failed attempt. */
  readonly failure?: string;
  readonly unknown: readonly UnknownFact[];
}

const ATTEMPTS: Readonly<Record<string, PaymentAttempt>> = {
  awaiting_payment_method: 'none',
  awaiting_next_action: 'approving',
  awaiting_capture: 'held',
  processing: 'processing',
  succeeded: 'succeeded',
  canceled: 'canceled',
};

const objectOf = (value: unknown): StatementLike | undefined => (isJsonObject(value) ? value : undefined);

/** @param now unix seconds, by the account's clock */
export function standingOf(object: StatementLike, known: KnownFacts, now: number): Standing {
  const id = String(object.id);
  const isStatement = id.startsWith('bstm_');
  const status = String(object.status);
  const intent = id.startsWith('pi_') ? object : objectOf(object.payment_intent);
  const failure = statementText(objectOf(intent?.last_payment_error)?.code);
  const unknown = new Set<UnknownFact>();
  if (known.isUnread) unknown.add('history');

  const isPayment = id.startsWith('pay_');
  const attempt = isPayment && status === 'paid' ? 'succeeded' : attemptOf(object, intent);
  const isCounted = status !== 'draft' && object.deleted !== true;
  // An intent that waits or was canceled rules a payment out, whatever the status of its session says.
  const isPaid =
    isCounted &&
    (attempt === 'succeeded' ||
      (isStatement ? status === 'paid' : status === 'completed' && (attempt === 'none' || attempt === 'unknown')));
  const amount = centavosOf(object.amount) ?? centavosOf(intent?.amount) ?? itemSumOf(object.line_items);
  const payment = known.payment ?? (isPayment ? object : paymentOf({payment_intent: intent}));
  // 0 in an intent that was paid is no amount.
  const shown = centavosOf(payment?.amount) ?? (centavosOf(intent?.amount_received) || undefined);
  const received = isPaid ? (shown ?? amount) : 0;
  const refunded = isPaid ? centavosOf(payment?.amount_refunded) : 0;
  const isSettled = isStatement && isCounted && !isPaid && isSettledBy(known.settlement, object);
  const isWrittenOff = !isPaid && status === 'uncollectible' && known.settlement?.isGivenUp;
  const settlement = isSettled || isWrittenOff ? known.settlement : undefined;
  const state = stateOf();
  const isHeld = state === 'held';
  const isUnpaid = state === 'open' || state === 'overdue' || state === 'approving' || state === 'processing';

  if (attempt === 'unknown' && (isUnpaid || state === 'unknown')) unknown.add('attempt');
  if ((state === 'void' || state === 'uncollectible') && !known.end && !settlement) unknown.add('ended_why');
  // A paid or settled bill without an amount of its own was for the amount that came in.
  const billedAmount = amount ?? (isPaid ? received : isSettled ? (settlement?.amount ?? undefined) : undefined);
  const movements = movementsOf();
  const sums = sumsOf(movements);
  const hasAmount = !isCounted || (isPaid ? received : billedAmount) !== undefined;
  if (!hasAmount) unknown.add('amount');
  const orNull = (sum: number): number | null => (hasAmount && state !== 'unknown' ? sum : null);
  const own = known.refunds ?? [];
  return {
    id,
    name: statementName(object as StatementLike & {id: string}),
    state,
    attempt,
    dueAt: dueTimeOf(object),
    ...(isUnpaid && {daysOverdue: daysOverdue(object, now)}),
    billed: hasAmount ? sums.billed : null,
    received: orNull(sums.received),
    settled: orNull(sums.settled),
    refunded: state === 'unknown' ? null : (refunded ?? null),
    pendingRefunds: Math.max(0, own.reduce((sum, each) => sum + each.amount, 0) - (refunded ?? 0)),
    balance: orNull(balanceOf(sums)),
    held: isHeld ? centavosOf(intent?.amount_capturable) || (amount ?? null) : unknown.has('attempt') ? null : 0,
    ...(isHeld && {heldUntil: unixTimeOf(intent?.capture_before_at)}),
    movements,
    settlement,
    replacement: state === 'replaced' ? known.replacement : undefined,
    intentId: statementText(intent?.id) ?? statementText(object.payment_intent),
    ...(isPaid && {
      paymentId: statementText(payment?.id) ?? known.receipt?.id,
      paidAt: unixTimeOf(payment?.created_at) ?? known.receipt?.at,
      method: (payment && methodOf(payment)) ?? known.receipt?.method,
    }),
    failure: attempt === 'failed' ? failure : undefined,
    unknown: [...unknown],
  };

  function stateOf(): MoneyState {
    if (object.deleted === true) return 'deleted';
    if (status === 'draft') return 'draft';
    if (isPaid && received !== undefined && refunded !== undefined && refunded > 0)
      return refunded >= received ? 'refunded' : 'partly_refunded';
    if (isPaid) return 'paid';
    if (isSettled) return 'settled';
    if (status === 'void') return known.replacement ? 'replaced' : 'void';
    if (status === 'uncollectible' || status === 'expired') return status;
    if (attempt === 'canceled' && !isStatement) return 'canceled';
    if (attempt === 'held' || attempt === 'processing') return attempt;
    if (isStatement && (daysOverdue(object, now) ?? 0) > 0) return 'overdue';
    if (attempt === 'approving') return 'approving';
    // A setup intent waits for a payment method, too, and collects nothing.
    const isWaiting = status === 'awaiting_payment_method' && intent === object;
    return isWaiting || status === 'active' || status === 'open' ? 'open' : 'unknown';
  }

  function movementsOf(): Movement[] {
    if (!isCounted) return [];
    const all: Movement[] = [];
    const updated = unixTimeOf(object.updated_at);
    const paid = firstDate(['service', unixTimeOf(payment?.created_at) ?? known.receipt?.at], ['last_change', updated]);
    // Only a statement is a bill: the payment of a session or an intent is its billing, so nothing is owed on it.
    const billed = isStatement ? firstDate(['service', known.finalizedAt ?? billedAt(object)]) : paid;
    const add = (type: MovementType, centavos: number | undefined, {at, datedBy}: Dated, from = billed.at ?? 0) => {
      if (centavos !== undefined && centavos > 0)
        all.push({type, at, datedBy, bookedAt: Math.max(at ?? 0, from), amount: centavos});
    };
    if (isStatement || isPaid) {
      if (billed.at === null) unknown.add('billed_at');
      add('billing', isStatement ? billedAmount : received, billed);
    }
    const end = firstDate(['last_change', updated], ['history', known.end?.at]);
    if (isPaid) {
      if (paid.datedBy !== 'service') unknown.add('paid_at');
      // Without the amount of its payment, a capture counts as one of the whole amount.
      const isGuessed = shown === undefined && !isStatement;
      if (isGuessed || (statementText(payment?.id) ?? known.receipt?.id) === undefined) unknown.add('payment');
      if (refunded === undefined) unknown.add('refunds');
      add('payment', received, paid);
      const paidFrom = Math.max(paid.at ?? 0, billed.at ?? 0);
      let undated = refunded ?? 0;
      // Confirmed refunds first: an uncertain one must not lend its date to a refund from elsewhere.
      for (const {at, amount: own} of [...(known.refunds ?? [])].sort(
        (a, b) => Number(b.isCertain) - Number(a.isCertain),
      )) {
        add('refund', Math.min(undated, own), {at, datedBy: 'history'}, paidFrom);
        undated -= Math.min(undated, own);
      }
      add('refund', undated, UNDATED, paidFrom);
    } else if (state === 'settled') {
      const settled = settlement!;
      const paidOutside = firstDate(
        ['history', settled.paidAt ?? undefined],
        ['last_change', updated],
        ['history', settled.at],
      );
      add('settlement', billedAmount, paidOutside);
    } else if (state === 'replaced' || state === 'void') add('void', amount, end);
    else if (state === 'uncollectible') add('uncollectible', amount, end);
    return all;
  }
}

function attemptOf(object: StatementLike, intent: StatementLike | undefined): PaymentAttempt {
  if (intent) {
    const attempt = ATTEMPTS[String(intent.status)] ?? 'unknown';
    // An error without a code is a failure, too.
    return attempt === 'none' && objectOf(intent.last_payment_error) ? 'failed' : attempt;
  }
  return object.payment_intent === null ? 'none' : 'unknown';
}

type Dated = Pick<Movement, 'at' | 'datedBy'>;
const UNDATED: Dated = {at: null, datedBy: 'unknown'};

function firstDate(...sources: readonly (readonly [Movement['datedBy'], number | undefined])[]): Dated {
  const found = sources.find(([, at]) => at !== undefined);
  return found ? {at: found[1]!, datedBy: found[0]} : UNDATED;
}

/** True if the statement was paid outside: certainly, or as a void status confirms. A write-off pays nothing. */
export const isSettledBy = (settlement: LocalSettlement | undefined, {status}: StatementLike): boolean =>
  settlement !== undefined && !settlement.isGivenUp && (settlement.isCertain || status === 'void');

/** True if the customer can pay it now. */
export const isPayable = ({state}: Pick<Standing, 'state'>): boolean =>
  state === 'open' || state === 'overdue' || state === 'approving';

/** True if money came in, through the service or outside it. */
export const isReceived = ({state}: Pick<Standing, 'state'>): boolean =>
  state === 'paid' || state === 'settled' || state === 'refunded' || state === 'partly_refunded';

/** Order by the money: what came in first, then what is under way. */
export const moneyRank = (standing: Standing): number =>
  isReceived(standing) ? 0 : ['held', 'processing'].includes(standing.state) ? 1 : 2;

/** True if nothing came in, so that the same items may be billed again. */
export const isGivenUp = ({state, settlement}: Pick<Standing, 'settlement' | 'state'>): boolean =>
  state === 'void' || (state === 'uncollectible' && !settlement);

/** True if nothing more can come in by itself: a wait for a payment has ended. */
export const isFinal = (standing: Pick<Standing, 'state'>): boolean =>
  isReceived(standing) ||
  ['canceled', 'deleted', 'expired', 'replaced', 'uncollectible', 'void'].includes(standing.state);

/** True if something is owed, or perhaps owed: the amount of an unpaid statement may be unknown. */
export const isOwed = (standing: Pick<Standing, 'balance' | 'state'>): boolean =>
  standing.balance === null ? !isFinal(standing) : standing.balance > 0;

/** Maximum centavos to refund. Pending refunds of other machines are unknown and may lower it. */
export const refundableOf = ({received, refunded, pendingRefunds}: Standing): number =>
  Math.max(0, (received ?? 0) - (refunded ?? 0) - pendingRefunds);

/** Returns the facts of the history about an object, without its replacement, which may be void itself. */
export function knownFrom(history: MoneyHistory, object: StatementLike, paymentId = paymentIdIn(object)): KnownFacts {
  const id = String(object.id);
  const {status} = object;
  const hasEndedHere = id.startsWith('bstm_') && (status === 'void' || status === 'uncollectible');
  const recorded = id.startsWith('bstm_') ? history.settlement(id) : undefined;
  // A list may be older than a certain settlement.
  const settlement = hasEndedHere || recorded?.isCertain ? recorded : undefined;
  const end = hasEndedHere && !settlement ? history.end(id) : undefined;
  const refunds = paymentId === undefined ? undefined : history.refunds(paymentId);
  return {settlement, end, refunds, isUnread: history.isUnread};
}

/** The id of the payment, which an intent has as an id or as an object. */
export function paymentIdIn(object: StatementLike): string | undefined {
  const latest = (object.id && String(object.id).startsWith('pi_') ? object : objectOf(object.payment_intent))
    ?.latest_payment;
  return statementText(objectOf(latest)?.id) ?? statementText(latest);
}
