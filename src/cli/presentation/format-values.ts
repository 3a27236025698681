// Formats API values as words, such as payment methods.

import type {Shape} from '../../api/operation.js';
import {paymentMethodName} from '../../accounting/words.js';
import {isJsonObject} from '../../common/json.js';
import {oneLineText} from '../../output/format.js';
import type {ResultRow, FormattedValue, ValueFormatters} from '../../output/result.js';

const VALUE_FORMATTERS: Readonly<
  Record<string, Readonly<Record<string, (row: ResultRow) => FormattedValue | undefined>>>
> = {
  billing_statement: {
    method: ({method}) => asFormatted(typeof method === 'string' ? paymentMethodName(method) : undefined),
  },
  payment: {payment_method: ({payment_method: method}) => asFormatted(formatPaymentMethod(method))},
  payment_method: {details: ({details}) => asFormatted(cardText(details))},
  refund: {reason: ({reason}) => asFormatted(typeof reason === 'string' ? reason.replaceAll('_', ' ') : undefined)},
};

export const valueFormattersOf = ({name}: Shape): ValueFormatters =>
  new Map(Object.entries(VALUE_FORMATTERS[name] ?? {}));

const asFormatted = (text: string | undefined): FormattedValue | undefined =>
  text === undefined ? undefined : {text: oneLineText(text)};

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
