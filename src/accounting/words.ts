// Words for what happened to the money: one table for every list, error, detail view and page.

import {formatCount} from '../common/counts.js';
import {isJsonObject} from '../common/json.js';
import {longDay, shortDay} from '../common/manila.js';
import {formatPesos} from '../common/pesos.js';
import type {MoneyState, Standing, UnknownFact} from './standing.js';

type WordStyle = 'dim' | 'green' | 'red' | 'yellow';

interface StateWords {
  /** Short, for a column and for totals. */
  readonly label: string;
  readonly style?: WordStyle;
  /** Predicate for the object's name: `was replaced by JUAN-0004`. @param now unix seconds */
  readonly sentence: (standing: Standing, now: number) => string;
}

/** Names of payment methods, card brands and installment plans. */
const NAMES: Readonly<Record<string, string>> = {
  card: 'card',
  gcash: 'GCash',
  maya: 'Maya',
  billease: 'BillEase',
  qrph: 'QR Ph',
  bdo_installment: 'BDO Installment',
  visa: 'Visa',
  mastercard: 'Mastercard',
  jcb: 'JCB',
  regular: 'Regular',
  zero: 'Zero interest',
  regular_holiday: 'Regular, with holiday',
  zero_holiday: 'Zero interest, with holiday',
};
/** Returns `GCash` for `gcash`, and unknown names with spaces for underscores. */
export const paymentMethodName = (name: string): string =>
  Object.hasOwn(NAMES, name) ? NAMES[name]! : name.replaceAll('_', ' ');

/** `Visa ending in 4242`, `6 months (Regular)`; undefined for other details of a payment method. */
export function paymentMethodDetails(details: unknown): string | undefined {
  if (!isJsonObject(details)) return undefined;
  const {last4, brand, payment_term: months, installment_type: plan} = details;
  if (typeof months === 'number') return `${months} months (${paymentMethodName(String(plan))})`;
  const name = typeof brand === 'string' ? paymentMethodName(brand) : 'card';
  return typeof last4 === 'string' ? `${name} ending in ${last4}` : undefined;
}

/** `GCash`, `Visa ending in 4242`, `BDO Installment, 6 months (Regular)`; undefined for other values. */
export function paymentMethodText(method: unknown): string | undefined {
  if (!isJsonObject(method) || typeof method.type !== 'string' || method.type === '') return undefined;
  const [name, details] = [paymentMethodName(method.type), paymentMethodDetails(method[method.type])];
  return method.type === 'card' ? (details ?? name) : [name, details].filter(Boolean).join(', ');
}

const on = (at: number | undefined | null, now: number): string => (at ? ` on ${shortDay(at, now)}` : '');
const paid = ({paidAt, method}: Standing, now: number): string =>
  `was paid${on(paidAt, now)}${method === undefined ? '' : ` by ${paymentMethodName(method)}`}`;

/** Unix seconds of the payment outside the service, or else of its record. */
export const settledAt = ({movements}: Pick<Standing, 'movements'>): number | undefined =>
  movements.find(({type}) => type === 'settlement')?.at ?? undefined;

export const STATE_WORDS: Readonly<Record<MoneyState, StateWords>> = {
  deleted: {label: 'deleted', style: 'dim', sentence: () => 'was deleted'},
  draft: {label: 'draft', style: 'dim', sentence: () => 'is a draft'},
  refunded: {
    label: 'refunded',
    style: 'dim',
    sentence: (standing, now) => `${paid(standing, now)}, and refunded in full`,
  },
  partly_refunded: {
    label: 'partly refunded',
    style: 'green',
    sentence: (standing, now) =>
      `${paid(standing, now)}, and ${formatPesos(standing.refunded ?? 0)} of it was refunded`,
  },
  paid: {label: 'paid', style: 'green', sentence: paid},
  settled: {
    label: 'settled',
    style: 'dim',
    sentence: (standing, now) =>
      `was paid outside the service${on(settledAt(standing), now)}: ${standing.settlement!.reason}`,
  },
  replaced: {
    label: 'replaced',
    style: 'dim',
    sentence: ({replacement}) => `was replaced by ${replacement!.name}`,
  },
  void: {label: 'void', style: 'dim', sentence: () => 'is void'},
  uncollectible: {
    label: 'uncollectible',
    style: 'red',
    sentence: ({settlement}) => `is marked uncollectible${settlement ? `: ${settlement.reason}` : ''}`,
  },
  expired: {label: 'expired', style: 'dim', sentence: () => 'has expired'},
  canceled: {label: 'canceled', style: 'dim', sentence: () => 'is canceled'},
  held: {
    label: 'held',
    style: 'yellow',
    sentence: ({held, heldUntil}, now) =>
      `is not collected yet: ${held === null ? 'money' : formatPesos(held)} is held on a card${heldUntil ? ` until ${shortDay(heldUntil, now)}` : ''}`,
  },
  processing: {
    label: 'processing',
    style: 'yellow',
    sentence: () => 'is being paid: the customer approved the payment, and the service is processing it',
  },
  overdue: {
    label: 'overdue',
    style: 'red',
    sentence: ({daysOverdue}) => `is open and overdue by ${formatCount(daysOverdue ?? 0, 'day')}`,
  },
  approving: {
    label: 'open',
    style: 'yellow',
    sentence: () => 'is open: the customer started a payment and has not approved it yet',
  },
  open: {label: 'open', style: 'yellow', sentence: () => 'is open'},
  unknown: {label: 'unknown', sentence: () => 'has a status that centavo does not know'},
};

/** `JUAN-0001 was replaced by JUAN-0004`. @param now unix seconds */
export const describeStanding = (standing: Standing, now: number, name = standing.name): string =>
  `${name} ${STATE_WORDS[standing.state].sentence(standing, now)}`;

/**
 * Returns the text and style of a state in a column: `overdue 47 days`, `paid 18 Nov`.
 * @param hasDate true if another column shows the due date or the date of payment
 */
export function stateLabel(
  standing: Standing,
  now: number,
  hasDate: boolean,
): {readonly text: string; readonly style?: WordStyle} {
  const {state, daysOverdue, dueAt, paidAt} = standing;
  const {label, style} = STATE_WORDS[state];
  const dated = (text: string, at: number | null | undefined): string =>
    hasDate || !at ? text : `${text} ${shortDay(at, now)}`;
  if (state === 'overdue') return {text: `overdue ${formatCount(daysOverdue!, 'day')}`, style};
  if (state === 'open' || state === 'approving') {
    if (daysOverdue === 0) return {text: 'due today', style};
    return {text: dueAt === undefined || hasDate ? label : `due ${shortDay(dueAt, now)}`, style};
  }
  if (state === 'paid') return {text: dated(label, paidAt), style};
  if (state === 'settled') return {text: dated(label, settledAt(standing)), style};
  return {text: label, style};
}

/** Returns a sentence about the payer's last attempt; undefined if there is none, or the state says it. */
export function attemptSentence({state, attempt, failure}: Standing): string | undefined {
  if (attempt === 'approving' && state !== 'approving')
    return 'The customer started a payment and has not approved it yet.';
  if (attempt === 'failed' && failure !== undefined) return `The last payment failed with ${failure}.`;
  return undefined;
}

/** Said of a void statement before a proposal to bill it again. */
export const UNKNOWN_END = 'Whether it was paid outside or replaced is known only to the machine where that was done.';

/** Unknown facts as noun phrases, for the line `Not known: …`. */
export const UNKNOWN_WORDS: Readonly<Record<UnknownFact, string>> = {
  amount: 'the amount',
  attempt: 'whether a payment is under way',
  billed_at: 'the date of billing',
  ended_why: 'whether it was paid outside or replaced, which only the machine where that was done knows',
  history: 'the history of this machine, which could not be read',
  paid_at: 'the date of the payment',
  payment: 'the payment',
  refunds: 'refunds',
};

/** `Thursday, 12 November 2026: cash (voided)`, for a detail view. */
export const settlementText = (standing: Standing): string | undefined => {
  const {state, settlement} = standing;
  if (!settlement) return undefined;
  const day = longDay(settledAt(standing) ?? settlement.at);
  return `${day}: ${settlement.reason} (${state === 'uncollectible' ? 'marked uncollectible' : 'voided'})`;
};
