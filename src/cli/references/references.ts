// What people type to name an object: an id, a statement's number, a customer's email address or name. Only a valid id becomes part of a path.

import {shapeOfId, shapes} from '../../api/registry.js';
import {isSequence, isStatementNumber} from '../../input/statement-number.js';
import {usageError} from '../../errors.js';
import {quote} from '../../input/money.js';
import {shellQuote} from '../../input/shell-words.js';
import {readJson} from '../../json.js';

const SECRET = /(sk|pk)_(live|test)_|whsk_|_secret_/;

/** What a person may mean a statement or customer by. */
export interface Reference {
  /**
   * `start`: the beginning of an id, as tables show it; `name`: a whole name or a part of one; `sequence`: the digits of a
   * statement's number; `item`: an item of a statement by its place or its description, `JEEPNEY-0002#2`. A statement that
   * is asked for may be meant by the email address or name of its customer.
   */
  readonly kind: 'email' | 'id' | 'item' | 'name' | 'number' | 'sequence' | 'start';
  readonly text: string;
}

/** How a reference is resolved. */
export interface ReferenceOptions {
  /** The flag or argument, for the words of errors: `--customer`. */
  readonly name: string;
  /** Whether the command changes something: then a part of a name does not do without a person to confirm it. */
  readonly changes: boolean;
  /** Whether what is found will be said anyway, in the question before the change. */
  readonly isSaidLater?: boolean;
  /** Whether a deleted customer may be meant, too: what they were billed is still there. */
  readonly withDeleted?: boolean;
  /** Of the statements of a customer, only those with this status are meant. */
  readonly status?: string;
}

const STATEMENT = 'bstm_';
const CUSTOMER = 'cus_';
const LINE_ITEM = 'bstm_li_';

const EMAIL = /^[^\s@,;<>]+@[^\s@,;<>]+$/;
/** `JEEPNEY-0002#2`, `JEEPNEY-0002#Hosting` */
const ITEM = /^([^#]*)#(.+)$/s;
/** The statement and the item that a reference of the kind `item` names. */
export const partsOfItem = (text: string): readonly [statement: string, item: string] => {
  const [, statement = '', item = ''] = ITEM.exec(text) ?? [];
  return [statement.trim(), item.trim()];
};
/** `cus_2mQ8`, also of a kind that does not exist: a misspelt id is no name. */
const LIKE_AN_ID = /^[a-z]+_\S*$/i;
/** Begins like a name, and has nothing that cannot be seen. */
const LIKE_A_NAME = /^["'“‘(]?[\p{L}\p{N}]\P{C}*$/u;
/** Tables show this many characters of an id behind its prefix; whole ids have 32. */
const SHORTEST_START = 8;
const WHOLE_ID = 32;

/**
 * What was typed in the place of an id: an id, or for a statement its number, for a customer the email address or a name.
 * Nothing is read.
 * @param prefix of the ids of the wanted kind
 * @param name the flag or argument, for the error's words
 * @param isAnswer whether a person was asked: a list to choose from can follow, so a statement may be named by its customer
 * @throws CentavoError kind `usage` for what cannot mean one of these
 */
export function readReference(text: string, prefix: string, name: string, isAnswer = false): Reference {
  const typed = text.trim();
  const isNamed = !SECRET.test(typed) && !LIKE_AN_ID.test(typed) && !/^https?:/.test(typed);
  if (isNamed && typed.length <= 200) {
    if (prefix === STATEMENT && isStatementNumber(typed)) return {kind: 'number', text: typed};
    if (prefix === STATEMENT && isSequence(typed)) return {kind: 'sequence', text: typed};
    const byCustomer = prefix === CUSTOMER || (prefix === STATEMENT && isAnswer);
    if (byCustomer && EMAIL.test(typed)) return {kind: 'email', text: typed};
    if (byCustomer && LIKE_A_NAME.test(typed)) return {kind: 'name', text: typed};
  }
  if (prefix === LINE_ITEM && typed.length <= 300 && !SECRET.test(typed)) {
    const [, statement, item] = ITEM.exec(typed) ?? [];
    if (statement !== undefined && item !== undefined) {
      readReference(statement, STATEMENT, name);
      return {kind: 'item', text: typed};
    }
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
    throw fail(`${name} expects the id of a ${wanted}, but got a secret.`, {
      hint: 'It is now in your shell’s history: consider replacing it.',
    });
  if (id.length <= 200 && shapeOfId(id)?.prefix === prefix) return id;
  const other = shapeOfId(id);
  if (other && other.prefix !== prefix)
    throw fail(`${id} is the id of a ${other.title}, not of a ${wanted}.`, {
      hint: `Ids of ${wanted}s start with ${prefix}.`,
    });
  const inside = id.startsWith('http') ? new RegExp(`${prefix}[A-Za-z0-9]+`).exec(id)?.[0] : undefined;
  throw fail(`${quote(text)} is not the ${prefix === STATEMENT ? 'number or ' : ''}id of a ${wanted}.`, {
    hint: inside ? `Did you mean ${inside}?` : formOf(prefix, wanted, id),
  });
}

function formOf(prefix: string, wanted: string, typed: string): string {
  if (prefix === STATEMENT && typed && !LIKE_AN_ID.test(typed))
    return `The statements of a customer: centavo billing-statements list --customer ${shellQuote(typed)}`;
  if (prefix === LINE_ITEM)
    return 'Name it by the statement and its place there, JEEPNEY-0002#2, or by its id, which starts with bstm_li_.';
  return `Ids of ${wanted}s start with ${prefix}, followed by letters and digits.`;
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
