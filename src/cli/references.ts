// Ids as arguments: the right kind, or clear words; several, or a list of them on stdin. Nothing else can become part of a path.

import {shapeOfId, shapes} from '../api/registry.js';
import {usageError} from '../errors.js';
import {quote} from '../input/money.js';
import {readJson} from '../json.js';

const SECRET = /(sk|pk)_(live|test)_|whsk_|_secret_/;

/**
 * An id that begins with the prefix.
 * @param name the flag or argument, for the error's words
 * @throws CentavoError kind `usage`
 */
export function checkId(text: string, prefix: string, name: string): string {
  const id = text.trim();
  const wanted = shapes.get(prefix)!.title;
  const fail = (message: string, details = {}) => usageError(message, {code: 'invalid_id', ...details});
  // A secret typed in the wrong place is not shown again.
  if (SECRET.test(id))
    throw fail(`${name} was given a secret, where the id of a ${wanted} belongs.`, {
      hint: 'It stands in your shell’s history now: consider replacing it.',
    });
  if (id.length <= 200 && shapeOfId(id)?.prefix === prefix) return id;
  const other = shapeOfId(id);
  if (other && other.prefix !== prefix)
    throw fail(`${id} is the id of a ${other.title}, not of a ${wanted}.`, {
      hint: `Ids of ${wanted}s begin with ${prefix}.`,
    });
  const inside = id.startsWith('http') ? new RegExp(`${prefix}[A-Za-z0-9]+`).exec(id)?.[0] : undefined;
  throw fail(`${quote(text)} is not the id of a ${wanted}.`, {
    hint: inside
      ? `Did you mean ${inside}?`
      : `Ids of ${wanted}s begin with ${prefix} and go on with letters and digits.`,
  });
}

/**
 * Ids from stdin: one a line, or JSON lines with `id`, or the JSON of a list.
 * @throws CentavoError kind `usage` when there is none
 */
export function idsOfInput(source: string): string[] {
  const text = source.trim();
  if (!text) throw usageError('there are no ids on stdin.', {code: 'no_ids'});
  const whole = tryJson(text);
  const list = (whole as {data?: unknown[]} | undefined)?.data ?? (Array.isArray(whole) ? whole : undefined);
  if (list) return list.map(idOf);
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => (line.startsWith('{') ? idOf(tryJson(line)) : line.split(/\s/)[0]!));
}

function tryJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function idOf(value: unknown): string {
  const id = typeof value === 'string' ? value : (value as {id?: unknown} | undefined)?.id;
  if (typeof id === 'string') return id;
  throw usageError('a line on stdin has no id.', {
    code: 'no_ids',
    hint: 'Give one id a line, or JSON lines with "id".',
  });
}
