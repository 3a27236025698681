// Amounts in what is about to be sent or was read: exact, and found by the contract's fields, however they are written.

import type {Fields} from '../api/fields.js';
import {operations} from '../api/registry.js';

/** Centavos; `unclear` where there is something that is no whole number of them. */
export type Amount = bigint | 'unclear';

export type Hash = Readonly<Record<string, unknown>>;

const isHash = (value: unknown): value is Hash => typeof value === 'object' && value !== null && !Array.isArray(value);
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Digits in a text count as well: in a form all that is sent is text. */
function wholeNumber(value: unknown): Amount {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return BigInt(value as number);
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? BigInt(value) : 'unclear';
}

const times = (price: Amount, quantity: Amount): Amount =>
  price === 'unclear' || quantity === 'unclear' ? 'unclear' : price * quantity;
const sum = (amounts: readonly Amount[]): Amount =>
  amounts.reduce((total, each) => (total === 'unclear' || each === 'unclear' ? 'unclear' : total + each), 0n);
const largest = (amounts: readonly Amount[]): Amount =>
  amounts.reduce((most, each) => (most === 'unclear' || each === 'unclear' ? 'unclear' : each > most ? each : most));

/** Quantity × price of a line item that is there, whatever its resource calls the price. */
export const priceOf = (item: unknown): Amount =>
  isHash(item) ? times(wholeNumber(item.unit_price ?? item.amount), wholeNumber(item.quantity)) : 'unclear';

/** The same of one that is about to be sent: which of two prices counts is for the service to say, so the larger does. */
function priceGiven(item: unknown): Amount {
  if (!isHash(item) || isDisguised(item)) return 'unclear';
  const prices = [item.unit_price, item.amount].filter(isGiven);
  return prices.length === 0 ? 'unclear' : times(largest(prices.map(wholeNumber)), quantityGiven(item));
}

/** None at all may be read as not given, and that as one. */
function quantityGiven({quantity}: Hash): Amount {
  const given = wholeNumber(quantity);
  return given === 0n ? 'unclear' : given;
}

/** A list may come as a hash of its places, too: `line_items[0][amount]`. */
function sumOf(items: unknown, price: (item: unknown) => Amount): Amount {
  if (typeof items !== 'object' || items === null) return 'unclear';
  return sum(Object.values(items).map(price));
}

/** Every parameter that is money somewhere: with --data it can be sent where the contract does not have it. */
const MONEY: Fields = Object.fromEntries(
  operations.flatMap(({operation}) =>
    Object.entries(operation.params).filter(([, {kind}]) => kind === 'centavos' || kind === 'items'),
  ),
);

/**
 * Whether a name only looks like another one than that of money or a quantity: in a form `amount[]` is `amount` anew,
 * and services forgive blanks and capitals.
 */
const isDisguised = (params: Hash): boolean =>
  Object.keys(params).some((name) => {
    const read = /[^[\]\0]+/.exec(name)?.[0].trim().replace(/[ .]/g, '_').toLowerCase() ?? '';
    return read !== name && (read === 'quantity' || Object.hasOwn(MONEY, read));
  });

/** The amount that parameters carry; the largest where there are several, undefined where there is none. @param fields those of the operation */
export function amountGiven(fields: Fields, params: Hash): Amount | undefined {
  if (isDisguised(params)) return 'unclear';
  const amounts = Object.entries(MONEY)
    .filter(([name]) => isGiven(params[name]))
    .map(([name, {kind}]) => {
      if (kind === 'items') return sumOf(params[name], priceGiven);
      const price = wholeNumber(params[name]);
      // A quantity that the operation does not know changes nothing.
      return 'quantity' in fields && name in fields ? times(price, quantityGiven(params)) : price;
    });
  return amounts.length === 0 ? undefined : largest(amounts);
}

/** Whether the operation cannot do without an amount. */
export const needsAmount = (fields: Fields): boolean =>
  Object.entries(fields).some(([name, {required}]) => required && name in MONEY);

/** What an object is about in all; undefined when it does not say. Drafts may carry 0, and their items more. */
export function amountOf(object: Hash): bigint | undefined {
  const amounts = [wholeNumber(object.amount), sumOf(object.line_items, priceOf)].filter(
    (amount) => amount !== 'unclear',
  );
  return amounts.find((amount) => amount > 0n) ?? amounts[0];
}

/** What a line item comes to with what is given put in place of what was there; null leaves that. */
export function priceWith(before: Hash | undefined, params: Hash): Amount {
  if (isDisguised(params)) return 'unclear';
  const after = {...before, ...Object.fromEntries(Object.entries(params).filter(([, value]) => isGiven(value)))};
  if (isGiven(params.quantity) && quantityGiven(params) === 'unclear') return 'unclear';
  return isGiven(params.amount) ? priceGiven(after) : priceOf(after);
}
