// Exact amounts of parameters and objects, only from fields that the contract defines.

import type {Fields} from '../api/fields.js';
import {isJsonObject, type JsonObject} from '../common/json.js';

/** Centavos, or the reason why they are unknown. */
export type KnownAmount = bigint | {readonly unknown: string};

/** Accepts digits as text too: in a form body every value is text. */
function wholeNumber(value: unknown, name: string): KnownAmount {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return BigInt(value as number);
  return typeof value === 'string' && /^\d{1,15}$/.test(value)
    ? BigInt(value)
    : {unknown: `${name} is not a whole number.`};
}

/** A number in the parameters. 0 counts as unknown: the service may treat it as missing. */
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

/** Quantity × price of an existing line item, whatever its resource calls the price. */
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

/** The amount of an object. A draft may have the amount 0 and items with prices. */
export function objectAmountOf({amount, line_items: items}: JsonObject): bigint | undefined {
  const amounts = [
    wholeNumber(amount, 'amount'),
    ...(Array.isArray(items) ? [sumOf(items.map((item) => priceOf(isJsonObject(item) ? item : {})))] : []),
  ].filter((each) => typeof each === 'bigint');
  return amounts.find((each) => each > 0n) ?? amounts[0];
}
