// Checks ids and event names that people type: only a valid id becomes part of a path, and a misspelt event would never arrive.

import {EVENT_TYPES} from '../api/events.js';
import {shapeOfId, shapes} from '../api/registry.js';
import {usageError, type CentavoError} from '../errors.js';
import {matchesPattern} from '../input/event-filter.js';
import {quote} from '../input/money.js';
import {shellQuote} from '../input/shell-words.js';
import {readJson} from '../json.js';
import {nearest} from './parse-errors.js';

const SECRET = /(sk|pk)_(live|test)_|whsk_|_secret_/;

/** What a person may mean a statement or customer by. */
export interface Reference {
  /** `start`: the beginning of an id, as tables show it; `name`: a whole name or a part of one. */
  readonly kind: 'email' | 'id' | 'name' | 'number' | 'start';
  readonly text: string;
}

const STATEMENT = 'bstm_';
const CUSTOMER = 'cus_';

/** `JEEPNEY-0002`: the customer's prefix and digits. */
const NUMBER = /^[\p{L}\p{N}]{1,40}-\d{1,20}$/u;
/** Whether this is of the form of a statement's number. */
export const isNumber = (text: string): boolean => NUMBER.test(text);
const EMAIL = /^[^\s@,;<>]+@[^\s@,;<>]+$/;
/** `cus_2mQ8`, also of a kind that does not exist: a misspelt id is no name. */
const LIKE_AN_ID = /^[a-z]+_\S*$/i;
/** Begins like a name, and has nothing that cannot be seen. */
const LIKE_A_NAME = /^["'“‘(]?[\p{L}\p{N}]\P{C}*$/u;
/** Tables show this many characters of an id behind its prefix; whole ids have 32. */
const SHORTEST_START = 8;
const WHOLE_ID = 32;

/**
 * What was typed in the place of an id: an id, or for a statement its number, for a customer the e-mail address or a name.
 * Nothing is read.
 * @param prefix of the ids of the wanted kind
 * @param name the flag or argument, for the error's words
 * @throws CentavoError kind `usage` for what cannot mean one of these
 */
export function readReference(text: string, prefix: string, name: string): Reference {
  const typed = text.trim();
  const isNamed = !SECRET.test(typed) && !LIKE_AN_ID.test(typed) && !/^https?:/.test(typed);
  if (isNamed && typed.length <= 200) {
    if (prefix === STATEMENT && isNumber(typed)) return {kind: 'number', text: typed};
    if (prefix === CUSTOMER && EMAIL.test(typed)) return {kind: 'email', text: typed};
    if (prefix === CUSTOMER && LIKE_A_NAME.test(typed)) return {kind: 'name', text: typed};
  }
  const id = checkId(text, prefix, name);
  const {length} = id.slice(prefix.length);
  const isStart = (prefix === STATEMENT || prefix === CUSTOMER) && length >= SHORTEST_START && length < WHOLE_ID;
  return {kind: isStart ? 'start' : 'id', text: id};
}

/** Whether something must be read to know what is meant. */
export const needsLookUp = (references: readonly Reference[]): boolean => references.some(({kind}) => kind !== 'id');

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
      hint: 'It is now in your shell’s history: consider replacing it.',
    });
  if (id.length <= 200 && shapeOfId(id)?.prefix === prefix) return id;
  const other = shapeOfId(id);
  if (other && other.prefix !== prefix)
    throw fail(`${id} is the id of a ${other.title}, not of a ${wanted}.`, {
      hint: `Ids of ${wanted}s begin with ${prefix}.`,
    });
  const inside = id.startsWith('http') ? new RegExp(`${prefix}[A-Za-z0-9]+`).exec(id)?.[0] : undefined;
  throw fail(`${quote(text)} is not the ${prefix === STATEMENT ? 'number or ' : ''}id of a ${wanted}.`, {
    hint: inside ? `Did you mean ${inside}?` : formOf(prefix, wanted, id),
  });
}

function formOf(prefix: string, wanted: string, typed: string): string {
  if (prefix === STATEMENT && typed && !LIKE_AN_ID.test(typed))
    return `The statements of a customer: centavo billing-statements list --customer ${shellQuote(typed)}`;
  return `Ids of ${wanted}s begin with ${prefix} and go on with letters and digits.`;
}

/**
 * Ids from stdin: one a line, or JSON lines with `id`, or the JSON of a list.
 * @throws CentavoError kind `usage` when a line has none
 */
export function idsOfInput(source: string): string[] {
  const text = source.trim();
  if (!text) return [];
  const whole = tryJson(text);
  const list = (whole as {data?: unknown[]} | undefined)?.data ?? (Array.isArray(whole) ? whole : undefined);
  if (list) return list.map(idOf);
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => (line.startsWith('{') ? idOf(tryJson(line)) : firstCell(line)));
}

/** The id that a line begins with; else the line up to a tab, since names have spaces. */
function firstCell(line: string): string {
  const [word = ''] = line.split(/\s/);
  return LIKE_AN_ID.test(word) ? word : line.split('\t')[0]!.trim();
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

/** A name within this edit distance of a known one counts as misspelt. Known names differ from each other by more. */
const MISSPELT = 2;
const EVENT_NAME = /^[a-z0-9_]+(\.[a-z0-9_]+)+$/;

export const isKnownEvent = (name: string): boolean => (EVENT_TYPES as readonly string[]).includes(name);
const KINDS = `Kinds: ${EVENT_TYPES.join(', ')}`;

/** `--events "billing_statement.piad"`. @param flag none for an argument */
const shown = (name: string, flag?: string): string => `${flag === undefined ? '' : `${flag} `}${quote(name)}`;

const unknownEvent = (what: string, hint: string): CentavoError => usageError(what, {code: 'unknown_event', hint});

interface Typed {
  /** Where it was typed; none for an argument. */
  readonly flag?: string;
  /** What to do if the name is new and only looks misspelt. */
  readonly otherwise: (name: string) => string;
}

/**
 * Checks the name of an event. The service may have events that centavo does not know, so a name that resembles no known one is accepted.
 * @returns the name when it is not known
 * @throws CentavoError kind `usage` for what is no name, or a known one misspelt
 */
export function checkEventName(name: string, {flag, otherwise}: Typed): string | undefined {
  if (isKnownEvent(name)) return undefined;
  const what = `${shown(name, flag)} is not a known event.`;
  const guess = nearest(name.toLowerCase(), EVENT_TYPES, MISSPELT);
  if (guess) throw unknownEvent(what, `Did you mean ${guess}? ${EVENT_NAME.test(name) ? otherwise(name) : ''}`.trim());
  if (EVENT_NAME.test(name)) return name;
  const meant = name.includes('*') ? EVENT_TYPES.filter((type) => matchesPattern(name, type)) : [];
  if (meant.length === 0) throw unknownEvent(what, KINDS);
  throw unknownEvent(`${shown(name, flag)} is a pattern; the service takes only names.`, `Names: ${meant.join(',')}`);
}

/**
 * Comma-separated patterns, with `!` before those to leave out: each must match something.
 * @returns the names that are not known
 * @throws CentavoError kind `usage` as {@link checkEventName} does, and for a pattern that matches no known kind
 */
export function checkEventPatterns(text: string, flag: string): string[] {
  const unknown: string[] = [];
  for (const pattern of text.split(',').map((part) => part.trim().replace(/^!/, ''))) {
    if (!pattern.includes('*')) {
      const name = checkEventName(pattern, {flag, otherwise: () => 'If it is a new event, add --unknown-events.'});
      if (name) unknown.push(name);
    } else if (!EVENT_TYPES.some((type) => matchesPattern(pattern, type))) {
      const whole = [...new Set(EVENT_TYPES.map((type) => type.replace(/\..*/, '.*')))];
      const guess = whole.find((one) => one.startsWith(pattern.replace(/\..*/, ''))) ?? nearest(pattern, whole);
      throw unknownEvent(
        `${shown(pattern, flag)} matches no known event.`,
        guess ? `Did you mean ${guess}? If it is for new events, add --unknown-events.` : KINDS,
      );
    }
  }
  return unknown;
}

/** The note about an unknown name that was accepted. */
export const unknownEventNote = (name: string): string =>
  `${quote(name)} is not an event that centavo knows. It arrives only if the service sends it.`;
