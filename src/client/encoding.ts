// Encodes requests: JSON as the specification says, or the bracketed form that the real service documents.

import type {Encoding} from '../api/wire.js';
import {usageError} from '../errors.js';
import {LongNumber, writeJson} from '../json.js';

type Pair = readonly [name: string, value: string];

/**
 * The bracketed pairs of a value: `k[sub]=v`, `k[]=v`, `k[][f]=v`. Lists of hashes carry no index, so a new element
 * begins where a key repeats: each element is written with the same keys in the same order, those present in all first.
 */
function bracketPairs(params: Readonly<Record<string, unknown>>): Pair[] {
  return Object.entries(params).flatMap(([name, value]) => pairsOf(name, value));
}

function pairsOf(name: string, value: unknown): Pair[] {
  if (value === undefined) return [];
  if (value === null) return [[name, '']];
  if (value instanceof LongNumber) return [[name, String(value)]];
  if (Array.isArray(value) && value.length > 0) return arrayPairs(name, value);
  // A form writes an empty hash or list as it writes an empty text.
  if (typeof value === 'object' && Object.keys(value).length === 0) return [[name, '']];
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, inner]) => pairsOf(`${name}[${key}]`, inner));
  return [[name, String(value)]];
}

function arrayPairs(name: string, values: readonly unknown[]): Pair[] {
  const hashes = values.filter(
    (value): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value),
  );
  if (hashes.length !== values.length || hashes.length === 0)
    return values.flatMap((value) => pairsOf(`${name}[]`, value));
  const keys = [...new Set(hashes.flatMap((hash) => Object.keys(hash)))];
  const inAll = keys.filter((key) => hashes.every((hash) => hash[key] !== undefined));
  const order = [...inAll, ...keys.filter((key) => !inAll.includes(key))];
  return hashes.flatMap((hash) => order.flatMap((key) => pairsOf(`${name}[][${key}]`, hash[key])));
}

const encodePairs = (pairs: readonly Pair[]): string =>
  pairs.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');

/** RFC 3986 to the letter, as the official client libraries write it. @throws CentavoError kind `usage` */
function percentEncode(text: string): string {
  try {
    return encodeURIComponent(text).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch {
    throw usageError(`${JSON.stringify(text.slice(0, 60))} contains half a character, which cannot be sent.`, {
      code: 'invalid_text',
    });
  }
}

/** The query of a GET: absent and null values are left out. */
export function encodeQuery(params: Readonly<Record<string, unknown>>): string {
  return encodePairs(
    bracketPairs(Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null && value !== ''))),
  );
}

/** The body of a write and its content type; no parameters, no body. */
export function encodeBody(
  params: Readonly<Record<string, unknown>>,
  encoding: Encoding,
): {body: Uint8Array; contentType: string} | undefined {
  if (Object.values(params).every((value) => value === undefined)) return undefined;
  return encoding === 'json'
    ? {body: Buffer.from(writeJson(params)), contentType: 'application/json'}
    : {body: Buffer.from(encodePairs(bracketPairs(params))), contentType: 'application/x-www-form-urlencoded'};
}
