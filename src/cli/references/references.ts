// Reads references to objects: ids, statement numbers, email addresses, names. Only a valid id goes into a path.

import {shapeOfId, shapes} from '../../api/registry.js';
import {usageError} from '../../common/errors.js';
import {readJson} from '../../common/json.js';
import {InvalidInput} from '../../input/invalid-input.js';
import {quote} from '../../input/money.js';
import {isSequence, isStatementNumber} from '../../input/names.js';

const SECRET_REFERENCE = /(sk|pk)_(live|test)_|whsk_|_secret_/;

export interface Reference {
  /**
   * `start`: the start of an id, as tables show it. `name`: all or part of a name. `sequence`: the digits of a
   * statement's number. `item`: a statement's item by number or description, `JEEPNEY-0002#2`.
   * For a statement, `email` and `name` are the customer's.
   */
  readonly kind: 'email' | 'id' | 'item' | 'name' | 'number' | 'sequence' | 'start';
  readonly text: string;
  /** True for the start of an id that was typed with an ellipsis. `text` is without it. */
  readonly isCut?: boolean;
}

export interface ReferenceOptions {
  /** True if the command changes something; the user must then confirm a partial name. */
  readonly changes: boolean;
  /** True if the question before the change names the object. */
  readonly namedInQuestion?: boolean;
  /** True to include deleted customers, whose statements still exist. */
  readonly withDeleted?: boolean;
  /** True if the reference of a checkout session or payment intent was looked for, too. */
  readonly alsoPayments?: boolean;
  /** Wanted statuses, for statements named by their customer or by a number in their metadata. */
  readonly status?: string | readonly string[];
}

const STATEMENT = 'bstm_';
const CUSTOMER_REFERENCE = 'cus_';
const LINE_ITEM = 'bstm_li_';

const EMAIL = /^[^\s@,;<>]+@[^\s@,;<>]+$/;
/** `JEEPNEY-0002#2`, `JEEPNEY-0002#Hosting` */
const ITEM = /^([^#]*)#(.+)$/s;
export const partsOfItem = (text: string): readonly [statement: string, item: string] => {
  const [, statement = '', item = ''] = ITEM.exec(text) ?? [];
  return [statement.trim(), item.trim()];
};
/** `cus_2mQ8` with any prefix, so that a misspelled id is not read as a name. */
const ID_LIKE = /^[a-z]+_\S*$/i;
/** Text that starts like a name and has only visible characters. */
const NAME_LIKE = /^["'“‘(]?[\p{L}\p{N}]\P{C}*$/u;
/** Minimum length of a shortened id after the prefix: as many characters as tables show. */
const MIN_START_LENGTH = 8;
const ID_LENGTH = 32;

/** True for text that can be a name or the user's own reference; false for ids, secrets and addresses. */
export const isNameLike = (typed: string): boolean =>
  typed !== '' &&
  typed.length <= 200 &&
  !SECRET_REFERENCE.test(typed) &&
  !ID_LIKE.test(typed) &&
  !/^https?:/.test(typed);

export function readReference(text: string, prefix: string): InvalidInput | Reference {
  const typed = text.trim();
  if (isNameLike(typed)) {
    if (prefix === STATEMENT && isStatementNumber(typed)) return {kind: 'number', text: typed};
    if (prefix === STATEMENT && isSequence(typed)) return {kind: 'sequence', text: typed};
    const byCustomer = prefix === CUSTOMER_REFERENCE || prefix === STATEMENT;
    if (byCustomer && EMAIL.test(typed)) return {kind: 'email', text: typed};
    if (byCustomer && NAME_LIKE.test(typed)) return {kind: 'name', text: typed};
  }
  if (prefix === LINE_ITEM && typed.length <= 300 && !SECRET_REFERENCE.test(typed)) {
    const [, statement, item] = ITEM.exec(typed) ?? [];
    if (statement !== undefined && item !== undefined) {
      const named = readReference(statement, STATEMENT);
      return named instanceof InvalidInput ? named : {kind: 'item', text: typed};
    }
  }
  const isCut = typed.endsWith('…');
  const id = readId(isCut ? typed.slice(0, -1) : text, prefix);
  if (id instanceof InvalidInput) return id;
  const {length} = id.slice(prefix.length);
  const isStart = isCut || (length >= MIN_START_LENGTH && length < ID_LENGTH);
  return {kind: isStart ? 'start' : 'id', text: id, ...(isCut && {isCut})};
}

export const needsLookup = (references: readonly Reference[]): boolean => references.some(({kind}) => kind !== 'id');

const fail = (problem: string, hint: string) => new InvalidInput(problem, {code: 'invalid_id', hint});

/** @param expected a noun phrase: `the id of a customer` */
export const secretInputError = (text: string, expected: string): InvalidInput | undefined =>
  SECRET_REFERENCE.test(text)
    ? fail(`expected ${expected}, but got a secret.`, 'It is now in your shell’s history: consider replacing it.')
    : undefined;

export function readId(text: string, prefix: string): InvalidInput | string {
  const id = text.trim();
  const title = shapes.get(prefix)!.title;
  const secret = secretInputError(id, `the id of a ${title}`);
  if (secret) return secret;
  if (id.length <= 200 && shapeOfId(id)?.prefix === prefix) return id;
  const other = shapeOfId(id);
  if (other && other.prefix !== prefix)
    return fail(`${id} is the id of a ${other.title}, not of a ${title}.`, `Ids of ${title}s start with ${prefix}.`);
  const inside = id.startsWith('http') ? new RegExp(`${prefix}[A-Za-z0-9]+`).exec(id)?.[0] : undefined;
  return fail(
    `${quote(text)} is not the ${prefix === STATEMENT ? 'number or ' : ''}id of a ${title}.`,
    inside ? `Did you mean ${inside}?` : idFormatHint(prefix, title),
  );
}

function idFormatHint(prefix: string, title: string): string {
  if (prefix === LINE_ITEM)
    return 'Use the statement and item number, JEEPNEY-0002#2, or an id that starts with bstm_li_.';
  if (prefix === STATEMENT)
    return 'Use the number, the customer’s name or email address, or an id that starts with bstm_.';
  if (prefix === CUSTOMER_REFERENCE) return 'Use the name, the email address, or an id that starts with cus_.';
  return `Ids of ${title}s start with ${prefix}, followed by letters and digits.`;
}

/** Reads ids from stdin: one per line, JSON lines with `id`, or a JSON list. Throws if an id is missing. */
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

/** Returns the id at the start of a line, or else the text before a tab, because names contain spaces. */
function firstCell(line: string): string {
  const [word = ''] = line.split(/\s/);
  return ID_LIKE.test(word) ? word : line.split('\t')[0]!.trim();
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
  throw usageError('no_ids', 'a line on stdin has no id.', {hint: 'Give one id a line, or JSON lines with "id".'});
}
