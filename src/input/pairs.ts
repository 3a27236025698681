// `key=value` and `key[sub]=value`, as typed for metadata and for parameters without a flag.

import {usageError} from '../ground/errors.js';
import {isHash, readJson, UnreadableJson} from '../ground/json.js';
import {quote} from './money.js';

/** Metadata from `key=value` texts. A value may contain `=` and may be empty. */
export function parsePairs(texts: readonly string[], name: string): Record<string, string> {
  const pairs = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const key = text.slice(0, at);
    if (at < 1)
      throw usageError(`${name} ${quote(text)} is not key=value.`, {
        code: 'invalid_metadata',
        hint: `For example: ${name} order=1234`,
      });
    if (/[[\]]/.test(key))
      throw usageError(`${name}: the key ${quote(key)} cannot contain brackets.`, {code: 'invalid_metadata'});
    if (pairs.has(key)) throw usageError(`${name}: the key ${quote(key)} is given twice.`, {code: 'invalid_metadata'});
    pairs.set(key, text.slice(at + 1));
  }
  return Object.fromEntries(pairs);
}

/** Parameters from `--data`: pairs or JSON objects. In pairs, whole numbers, true, false and null are no text. */
export function parseData(texts: readonly string[], name: string): Record<string, unknown> {
  let data: Hash = {};
  for (const text of texts) {
    if (/^\s*[{[]/.test(text)) data = {...data, ...parseJsonObject(text, name)};
    else putPair(data, text, name);
  }
  return data;
}

export function parseJsonObject(text: string, name: string): object {
  let parsed: unknown;
  try {
    parsed = readJson(text);
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    throw usageError(`${name} cannot be read.`, {code: 'invalid_json', why: `${error.message}.`});
  }
  if (isHash(parsed)) return parsed;
  throw usageError(`${name} must be a JSON object.`, {code: 'invalid_json'});
}

function putPair(data: Record<string, unknown>, text: string, name: string): void {
  const match = /^([^=[\]]+)((?:\[[^[\]]*\])*)=([\s\S]*)$/.exec(text);
  if (!match)
    throw usageError(`${name} ${quote(text)} is not key=value.`, {
      code: 'invalid_data',
      hint: `For example: ${name} description="June" or ${name} @file.json`,
    });
  const path = [match[1]!, ...[...match[2]!.matchAll(/\[([^[\]]*)\]/g)].map((part) => part[1]!)];
  if (!put(data, path, scalar(match[3]!)))
    throw usageError(`${name} ${quote(text)} conflicts with an earlier value of ${quote(path[0]!)}.`, {
      code: 'invalid_data',
      why: 'A key can have a single value, keys of its own, or a list.',
    });
}

type Hash = Record<string, unknown>;

/**
 * An empty key appends to a list. As in a form, `k[][f]` begins a new element when the last one already has `f`.
 * @returns false if a value of another kind would be lost
 */
function put(target: Hash, [key = '', next, ...rest]: readonly string[], value: unknown): boolean {
  const before = own(target, key);
  if (next === undefined) {
    if (typeof before === 'object' && before !== null) return false;
    set(target, key, value);
    return true;
  }
  if (next !== '') {
    if (before === undefined) set(target, key, {});
    else if (!isHash(before)) return false;
    return put(target[key] as Hash, [next, ...rest], value);
  }
  if (before === undefined) set(target, key, []);
  else if (!Array.isArray(before)) return false;
  const list = target[key] as unknown[];
  if (rest.length === 0) {
    list.push(value);
    return true;
  }
  const last = list.at(-1);
  if (!isHash(last) || holds(last, rest)) list.push({});
  return put(list.at(-1) as Hash, rest, value);
}

/** `__proto__` is a key like any other. */
const set = (target: Hash, key: string, value: unknown): unknown =>
  Object.defineProperty(target, key, {value, enumerable: true, configurable: true, writable: true});

const own = (target: Hash, key: string): unknown => (Object.hasOwn(target, key) ? target[key] : undefined);

/** Whether there is a value at this path. A list can always grow. */
function holds(target: Hash, [key = '', next, ...rest]: readonly string[]): boolean {
  const value = own(target, key);
  if (value === undefined || next === undefined) return value !== undefined;
  return next !== '' && isHash(value) && holds(value, [next, ...rest]);
}

function scalar(text: string): unknown {
  if (/^(true|false|null)$/.test(text)) return JSON.parse(text);
  if (/^-?(0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  return text;
}
