// Words in place of values of the API: how long a statement is overdue, how it was paid.

import type {Shape} from '../../api/operation.js';
import {daysOverdue, dueOf, paymentOf} from '../../api/statement.js';
import {counted} from '../../ground/counts.js';
import {isHash} from '../../ground/json.js';
import {isDay, shortDay} from '../../ground/manila.js';
import {clean} from '../../output/format.js';
import type {Look, Row, Words, WordsByPath} from '../../output/result.js';

/** By shape and field. */
const WORDS: Readonly<Record<string, Readonly<Record<string, (row: Row, look: Look) => Words | undefined>>>> = {
  billing_statement: {
    status: statusWords,
    method: ({method}) => asWords(typeof method === 'string' ? methodName(method) : undefined),
  },
  payment: {payment_method: ({payment_method: method}) => asWords(methodWords(method))},
  payment_method: {details: ({details}) => asWords(cardWords(details))},
  refund: {reason: ({reason}) => asWords(typeof reason === 'string' ? spaced(reason) : undefined)},
};

export const wordsOf = ({name}: Shape): WordsByPath => new Map(Object.entries(WORDS[name] ?? {}));

const asWords = (text: string | undefined): Words | undefined => (text === undefined ? undefined : {text: clean(text)});

const spaced = (name: string): string => name.replaceAll('_', ' ');

/** `overdue 47 days`; without the date in another column, `due 27 Nov` and `paid 18 Nov`. */
export function statusWords(statement: Row, {now, beside}: Look): Words | undefined {
  const late = daysOverdue(statement, now);
  if (late !== undefined && late > 0) return {text: `overdue ${counted(late, 'day')}`, style: 'red'};
  if (late === 0) return {text: 'due today', style: 'yellow'};
  if (beside.has('due_at') || beside.has('paid_at')) return undefined;
  const due = dueOf(statement);
  if (late !== undefined && isDay(due)) return {text: `due ${shortDay(due, now)}`, style: 'yellow'};
  const paid = statement.status === 'paid' ? paymentOf(statement)?.created_at : undefined;
  return isDay(paid) ? {text: `paid ${shortDay(paid, now)}`, style: 'green'} : undefined;
}

const NAMES: Readonly<Record<string, string>> = {
  card: 'card',
  gcash: 'GCash',
  maya: 'Maya',
  billease: 'BillEase',
  qrph: 'QR Ph',
  visa: 'Visa',
  mastercard: 'Mastercard',
  jcb: 'JCB',
};
/** `GCash` of `gcash` */
export const methodName = (name: string): string => (Object.hasOwn(NAMES, name) ? NAMES[name]! : spaced(name));

/** `GCash`, `Visa ending in 4242`; undefined for a value that is no method. */
export function methodWords(method: unknown): string | undefined {
  if (!isHash(method) || typeof method.type !== 'string' || method.type === '') return undefined;
  return cardWords(method[method.type]) ?? methodName(method.type);
}

function cardWords(card: unknown): string | undefined {
  if (!isHash(card) || typeof card.last4 !== 'string') return undefined;
  return `${typeof card.brand === 'string' ? methodName(card.brand) : 'card'} ending in ${card.last4}`;
}

/** `card, GCash, Maya`; undefined for a value that is no list of methods. */
export const methodNames = (methods: unknown): string | undefined =>
  Array.isArray(methods) && methods.length > 0 && methods.every((name) => typeof name === 'string')
    ? methods.map(methodName).join(', ')
    : undefined;
