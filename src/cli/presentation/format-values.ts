// Formats API values as words, such as days overdue and payment methods.

import type {Shape} from '../../api/operation.js';
import {daysOverdue, dueTimeOf, paymentOf} from '../../api/statement.js';
import {formatCount} from '../../common/counts.js';
import {isJsonObject} from '../../common/json.js';
import {isDay, shortDay} from '../../common/manila.js';
import {oneLineText} from '../../output/format.js';
import type {FormatContext, ResultRow, FormattedValue, ValueFormatters} from '../../output/result.js';

const VALUE_FORMATTERS: Readonly<
  Record<string, Readonly<Record<string, (row: ResultRow, format: FormatContext) => FormattedValue | undefined>>>
> = {
  billing_statement: {
    status: formatStatus,
    method: ({method}) => asFormatted(typeof method === 'string' ? paymentMethodName(method) : undefined),
  },
  payment: {payment_method: ({payment_method: method}) => asFormatted(formatPaymentMethod(method))},
  payment_method: {details: ({details}) => asFormatted(cardText(details))},
  refund: {reason: ({reason}) => asFormatted(typeof reason === 'string' ? spaced(reason) : undefined)},
};

export const valueFormattersOf = ({name}: Shape): ValueFormatters =>
  new Map(Object.entries(VALUE_FORMATTERS[name] ?? {}));

const asFormatted = (text: string | undefined): FormattedValue | undefined =>
  text === undefined ? undefined : {text: oneLineText(text)};

const spaced = (name: string): string => name.replaceAll('_', ' ');

/** Returns `overdue 47 days` or `due today`; without a date column also `due 27 Nov` or `paid 18 Nov`. */
export function formatStatus(statement: ResultRow, {now, shownPaths}: FormatContext): FormattedValue | undefined {
  const late = daysOverdue(statement, now);
  if (late !== undefined && late > 0) return {text: `overdue ${formatCount(late, 'day')}`, style: 'red'};
  if (late === 0) return {text: 'due today', style: 'yellow'};
  if (shownPaths.has('due_at') || shownPaths.has('paid_at')) return undefined;
  const due = dueTimeOf(statement);
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
/** Returns `GCash` for `gcash`, and unknown names with spaces for underscores. */
export const paymentMethodName = (name: string): string => (Object.hasOwn(NAMES, name) ? NAMES[name]! : spaced(name));

/** `GCash`, `Visa ending in 4242`; undefined if the value is not a payment method. */
export function formatPaymentMethod(method: unknown): string | undefined {
  if (!isJsonObject(method) || typeof method.type !== 'string' || method.type === '') return undefined;
  return cardText(method[method.type]) ?? paymentMethodName(method.type);
}

function cardText(card: unknown): string | undefined {
  if (!isJsonObject(card) || typeof card.last4 !== 'string') return undefined;
  return `${typeof card.brand === 'string' ? paymentMethodName(card.brand) : 'card'} ending in ${card.last4}`;
}

/** `card, GCash, Maya`; undefined if the value is not a list of methods. */
export const methodNames = (methods: unknown): string | undefined =>
  Array.isArray(methods) && methods.length > 0 && methods.every((name) => typeof name === 'string')
    ? methods.map(paymentMethodName).join(', ')
    : undefined;
