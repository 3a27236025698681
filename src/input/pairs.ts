// `key=value` and `key[sub]=value`, as typed for metadata and for parameters without a flag.

import {putAt} from '../ground/brackets.js';
import {isHash, readJson, UnreadableJson} from '../ground/json.js';
import {Fault} from './fault.js';
import {quote} from './money.js';
import {shellQuote} from './shell-words.js';

/** Metadata from `key=value` texts. A value may contain `=` and may be empty. */
export function readPairs(texts: readonly string[]): Fault | Record<string, string> {
  const pairs = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const key = text.slice(0, at);
    const refused = (problem: string) =>
      new Fault(problem, {code: 'invalid_metadata', hint: (place) => `For example: ${place} order=1234`});
    if (at < 1) return refused(`${quote(text)} is not key=value.`);
    if (/[[\]]/.test(key)) return refused(`has the key ${quote(key)}, which cannot contain brackets.`);
    if (pairs.has(key)) return refused(`has the key ${quote(key)} twice.`);
    pairs.set(key, text.slice(at + 1));
  }
  return Object.fromEntries(pairs);
}

/** Parameters from `--data`: pairs or JSON objects. In pairs, whole numbers, true, false and null are no text. */
export function readData(texts: readonly string[]): Fault | Record<string, unknown> {
  let data: Record<string, unknown> = {};
  for (const text of texts) {
    const read = /^\s*[{[]/.test(text) ? readJsonObject(text) : putPair(data, text);
    if (read instanceof Fault) return read;
    if (read !== data) data = {...data, ...read};
  }
  return data;
}

export function readJsonObject(text: string): Fault | object {
  try {
    const parsed = readJson(text);
    return isHash(parsed) ? parsed : new Fault('must be a JSON object.', {code: 'invalid_json'});
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    return new Fault('cannot be read.', {code: 'invalid_json', why: `${error.message}.`});
  }
}

function putPair(data: Record<string, unknown>, text: string): Fault | object {
  const match = /^([^=[\]]+)((?:\[[^[\]]*\])*)=([\s\S]*)$/.exec(text);
  if (!match)
    return new Fault(`${quote(text)} is not key=value.`, {
      code: 'invalid_data',
      hint: (place) => `For example: ${place} description="June" or ${place} @file.json`,
    });
  const [, name, keys, value] = match as unknown as readonly [string, string, string, string];
  const unnumbered = keys.replace(/\[\d+\]\[/g, '[][');
  if (unnumbered !== keys)
    return new Fault(`${quote(text)} numbers the elements of a list.`, {
      code: 'invalid_data',
      hint: (place) => `Leave the number out: ${place} ${shellQuote(`${name}${unnumbered}=${value}`)}`,
    });
  const path = [name, ...[...keys.matchAll(/\[([^[\]]*)\]/g)].map((part) => part[1]!)];
  if (putAt(data, path, scalar(value), false)) return data;
  return new Fault(`${quote(text)} conflicts with an earlier value of ${quote(name)}.`, {
    code: 'invalid_data',
    why: 'A key can have a single value, keys of its own, or a list.',
  });
}

function scalar(text: string): unknown {
  if (/^(true|false|null)$/.test(text)) return JSON.parse(text);
  if (/^-?(0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  return text;
}
