// Computes exact amounts of requests and objects, only from fields that the API contract defines.

import type {Fields} from '../api/fields.js';
import {isJsonObject, type JsonObject} from '../common/json.js';

/** Centavos, or why the amount is unknown. */
export type KnownAmount = bigint | {readonly unknown: string};

/** Returns a whole number as a bigint. Also accepts digits as text, because every value in a form body is text. */
function wholeNumber(value: unknown, name: string): KnownAmount {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return BigInt(value as number);
  return typeof value === 'string' && /^\d{1,15}$/.test(value)
    ? BigInt(value)
    : {unknown: `${name} is not a whole number.`};
}

/** Returns a number from the parameters. 0 counts as unknown, because the API may treat 0 as missing. */
function numberGiven(params: JsonObject, name: string): KnownAmount {
  const number = wholeNumber(params[name], name);
  return number === 0n ? {unknown: `${name} is 0.`} : number;
}

function combine(a: KnownAmount, b: KnownAmount, operator: (a: bigint, b: bigint) => bigint): KnownAmount {
  if (typeof a !== 'bigint') return a;
  return typeof b === 'bigint' ? operator(a, b) : b;
}

const multiply = (price: KnownAmount, quantity: KnownAmount): KnownAmount => combine(price, quantity, (a, b) => a * b);
const sumOf = (amounts: readonly KnownAmount[]): KnownAmount =>
  amounts.reduce<KnownAmount>((total, each) => combine(total, each, (a, b) => a + b), 0n);

/** Returns quantity × price of a line item. The price is `unit_price` or `amount`, depending on the resource. */
const priceOf = (item: JsonObject): KnownAmount =>
  multiply(wholeNumber(item.unit_price ?? item.amount, 'The price'), wholeNumber(item.quantity, 'The quantity'));

export function priceOfRequest(before: JsonObject | undefined, params: JsonObject): KnownAmount {
  const given = ['unit_price', 'quantity'].filter((name) => Object.hasOwn(params, name));
  const unclear = given.map((name) => numberGiven(params, name)).find((number) => typeof number !== 'bigint');
  return unclear ?? priceOf({...before, ...params});
}

const moneyField = (fields: Fields): [name: string, field: Fields[string]] | undefined =>
  Object.entries(fields).find(([, {kind}]) => kind === 'centavos' || kind === 'items');

export function requestedAmount(fields: Fields, params: JsonObject): KnownAmount | undefined {
  const [name, {kind, fields: parts = {}}] = moneyField(fields) ?? ['', {kind: undefined}];
  if (kind === undefined || !Object.hasOwn(params, name)) return undefined;
  if ((params.currency ?? 'PHP') !== 'PHP') return {unknown: 'The currency must be PHP.'};
  if (kind === 'items') {
    const items = params[name];
    return Array.isArray(items)
      ? sumOf(
          items.map(
            (item) => (isJsonObject(item) && requestedAmount(parts, item)) || {unknown: `An item has no price.`},
          ),
        )
      : {unknown: `${name} is not a list.`};
  }
  const price = numberGiven(params, name);
  return 'quantity' in fields ? multiply(price, numberGiven(params, 'quantity')) : price;
}

export const needsAmount = (fields: Fields): boolean => moneyField(fields)?.[1].required === true;

export function unknownParameters(fields: Fields, params: JsonObject, inside?: string): string[] {
  return Object.entries(params).flatMap(([name, value]) => {
    const path = inside === undefined ? name : `${inside}[${name}]`;
    if (!Object.hasOwn(fields, name)) return [path];
    const {fields: parts, kind} = fields[name]!;
    if (!parts) return [];
    const hashes: unknown[] = kind === 'items' && Array.isArray(value) ? value : [value];
    return hashes.filter(isJsonObject).flatMap((hash) => unknownParameters(parts, hash, path));
  });
}

/** Returns an object's amount in centavos. A draft may have the amount 0 although its items have prices. */
export function objectAmountOf({amount, line_items: items}: JsonObject): bigint | undefined {
  const amounts = [
    wholeNumber(amount, 'amount'),
    ...(Array.isArray(items) ? [sumOf(items.map((item) => priceOf(isJsonObject(item) ? item : {})))] : []),
  ].filter((each) => typeof each === 'bigint');
  return amounts.find((each) => each > 0n) ?? amounts[0];
}
