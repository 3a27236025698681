// Reads `key=value` and `key[sub]=value`, typed for metadata and for parameters without a flag.

import {setAtPath} from '../common/brackets.js';
import {isJsonObject, readJson, UnreadableJson} from '../common/json.js';
import {InvalidInput} from './invalid-input.js';
import {quote} from './money.js';
import {shellQuote} from '../common/next-text.js';

/** Reads metadata from `key=value` texts. A value can contain `=` and can be empty. */
export function readPairs(texts: readonly string[]): InvalidInput | Record<string, string> {
  const pairs = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const key = text.slice(0, at);
    const invalid = (problem: string) =>
      new InvalidInput(problem, {code: 'invalid_metadata', hint: (place) => `For example: ${place} order=1234`});
    if (at < 1) return invalid(`${quote(text)} is not key=value.`);
    if (/[[\]]/.test(key)) return invalid(`has the key ${quote(key)}, which cannot contain brackets.`);
    if (pairs.has(key)) return invalid(`has the key ${quote(key)} twice.`);
    pairs.set(key, text.slice(at + 1));
  }
  return Object.fromEntries(pairs);
}

/** Reads `--data`: pairs or JSON objects. Whole numbers, true, false and null in pairs become JSON values. */
export function readData(texts: readonly string[]): InvalidInput | Record<string, unknown> {
  let data: Record<string, unknown> = {};
  for (const text of texts) {
    const read = /^\s*[{[]/.test(text) ? readJsonObject(text) : setPair(data, text);
    if (read instanceof InvalidInput) return read;
    if (read !== data) data = {...data, ...read};
  }
  return data;
}

export function readJsonObject(text: string): InvalidInput | object {
  try {
    const parsed = readJson(text);
    return isJsonObject(parsed) ? parsed : new InvalidInput('must be a JSON object.', {code: 'invalid_json'});
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    return new InvalidInput('cannot be read.', {code: 'invalid_json', why: `${error.message}.`});
  }
}

function setPair(data: Record<string, unknown>, text: string): InvalidInput | object {
  const match = /^([^=[\]]+)((?:\[[^[\]]*\])*)=([\s\S]*)$/.exec(text);
  if (!match)
    return new InvalidInput(`${quote(text)} is not key=value.`, {
      code: 'invalid_data',
      hint: (place) => `For example: ${place} description="June" or ${place} @file.json`,
    });
  const [, name, keys, value] = match as unknown as readonly [string, string, string, string];
  const unnumbered = keys.replace(/\[\d+\]\[/g, '[][');
  if (unnumbered !== keys)
    return new InvalidInput(`${quote(text)} numbers the elements of a list.`, {
      code: 'invalid_data',
      hint: (place) => `Leave the number out: ${place} ${shellQuote(`${name}${unnumbered}=${value}`)}`,
    });
  const path = [name, ...[...keys.matchAll(/\[([^[\]]*)\]/g)].map((part) => part[1]!)];
  if (setAtPath(data, path, parseScalar(value), false)) return data;
  return new InvalidInput(`${quote(text)} conflicts with an earlier value of ${quote(name)}.`, {
    code: 'invalid_data',
    why: 'A key can have a single value, keys of its own, or a list.',
  });
}

function parseScalar(text: string): unknown {
  if (/^(true|false|null)$/.test(text)) return JSON.parse(text);
  if (/^-?(0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  return text;
}
