// Encodes requests: JSON as the specification says, or the bracketed form that the real service documents.

import type {Encoding} from '../api/wire.js';
import {usageError} from '../ground/errors.js';
import {isHash, LongNumber, writeJson} from '../ground/json.js';

type Pair = readonly [name: string, value: string];

/**
 * `k[sub]=v`, `k[]=v`, `k[][f]=v`. Lists of hashes carry no index, and a new element begins where a key repeats: so
 * each element has the same keys in the same order, those present in all first.
 */
function bracketPairs(params: Readonly<Record<string, unknown>>): Pair[] {
  return Object.entries(params).flatMap(([name, value]) => pairsOf(name, value));
}

function pairsOf(name: string, value: unknown): Pair[] {
  if (value === undefined) return [];
  if (value === null) return [[name, '']];
  if (value instanceof LongNumber) return [[name, String(value)]];
  if (Array.isArray(value) && value.length > 0) return arrayPairs(name, value);
  // In a form, an empty hash or list looks like an empty text.
  if (typeof value === 'object' && Object.keys(value).length === 0) return [[name, '']];
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, inner]) => pairsOf(`${name}[${key}]`, inner));
  return [[name, String(value)]];
}

function arrayPairs(name: string, values: readonly unknown[]): Pair[] {
  const hashes = values.filter(isHash);
  if (hashes.length !== values.length || hashes.length === 0)
    return values.flatMap((value) => pairsOf(`${name}[]`, value));
  const keys = [...new Set(hashes.flatMap((hash) => Object.keys(hash)))];
  const inAll = keys.filter((key) => hashes.every((hash) => hash[key] !== undefined));
  const order = [...inAll, ...keys.filter((key) => !inAll.includes(key))];
  return hashes.flatMap((hash) => order.flatMap((key) => pairsOf(`${name}[][${key}]`, hash[key])));
}

const encodePairs = (pairs: readonly Pair[]): string =>
  pairs.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');

/** Strictly RFC 3986, as in the official client libraries. */
function percentEncode(text: string): string {
  try {
    return encodeURIComponent(text).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch {
    throw usageError(
      'invalid_text',
      `${JSON.stringify(text.slice(0, 60))} contains half a character, which cannot be sent.`,
    );
  }
}

/** Absent, null and empty values are left out. */
export function encodeQuery(params: Readonly<Record<string, unknown>>): string {
  return encodePairs(
    bracketPairs(Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null && value !== ''))),
  );
}

export function encodeBody(
  params: Readonly<Record<string, unknown>>,
  encoding: Encoding,
): {body: Uint8Array; contentType: string} | undefined {
  if (Object.values(params).every((value) => value === undefined)) return undefined;
  return encoding === 'json'
    ? {body: Buffer.from(writeJson(params)), contentType: 'application/json'}
    : {body: Buffer.from(encodePairs(bracketPairs(params))), contentType: 'application/x-www-form-urlencoded'};
}
