// Suggests the command for words in the wrong place: `bill edit X`, `paid yesterday`, `--since 3 days ago`, `--method cash`.

import {CentavoError, nextCommand} from '../../common/errors.js';
import {readDate} from '../../input/dates.js';
import {InvalidInput} from '../../input/invalid-input.js';
import {quote} from '../../input/money.js';
import type {CommandCatalog} from '../catalog/command-catalog.js';
import {longId} from '../catalog/short-names.js';
import {commandOf} from './unknown-command.js';

interface Line {
  readonly thrown: CentavoError;
  readonly program: CommandCatalog;
  /** The command as typed. */
  readonly typed: string;
  /** The words after the command. */
  readonly rest: readonly string[];
}

/** Errors of a word in the wrong place. */
const MISPLACED = /^(?:customer_not_found|invalid_(?:date|flag)|statement_not_found|unexpected_argument|unknown_flag)$/;

/** Returns other errors unchanged. @param typed the command as typed @param rest the words after it */
export function suggestForMisplaced(
  thrown: unknown,
  typed: string,
  rest: readonly string[],
  program: CommandCatalog,
): unknown {
  if (!(thrown instanceof CentavoError) || !MISPLACED.test(thrown.code)) return thrown;
  const line = {thrown, program, typed, rest};
  return valueOfChoice(line) ?? verb(line) ?? day(line) ?? thrown;
}

const meant = (thrown: CentavoError, words: readonly string[]): CentavoError =>
  thrown.with({hint: undefined, next: [nextCommand('Did you mean', words), ...(thrown.details.next ?? [])]});

/** Says that a word which no customer and no statement is called is a date. */
function calledDate(thrown: CentavoError, text: string): CentavoError {
  const what = /^(customer|statement)_not_found$/.exec(thrown.code)?.[1];
  const isNamed = [`"${text}"`, ` ${text}.`].some((words) => thrown.message.includes(words));
  if (what === undefined || !isNamed) return thrown;
  const message = `${quote(text)} is a date, not a ${what === 'customer' ? what : 'billing statement'}.`;
  return new CentavoError(thrown.kind, message, thrown.details);
}

/** `--method cash` */
function valueOfChoice({thrown, rest, program}: Line): CentavoError | undefined {
  const [, value = ''] = /^expected --[\w-]+=(\S*) to be one of/.exec(thrown.message) ?? [];
  const other = commandOf(value, program);
  // A verb such as `cancel` may be a status that was typed wrongly.
  if (!other?.some((word) => word.startsWith('--'))) return undefined;
  return meant(thrown, [...other, ...rest.slice(0, endOfValue(rest, 0))]);
}

/** `bill edit JEEPNEY-0002` */
function verb({thrown, program, typed, rest}: Line): CentavoError | undefined {
  const id = longId(typed);
  if (id !== 'billing-statements:create' || thrown.code.startsWith('invalid')) return undefined;
  const other = commandOf(rest[0] ?? '', program);
  return other && longId(other.join(':')) !== id ? meant(thrown, [...other, ...rest.slice(1)]) : undefined;
}

/** `paid yesterday`, `--since 3 days ago` */
function day({thrown, program, typed, rest}: Line): CentavoError | undefined {
  const {flags = {}, usage} = program.index.commands[longId(typed)]!;
  const command = typed.split(':');
  if (thrown.code === 'unknown_flag') return undefined;
  const into = ['since', 'due', 'on'].find((name) => flags[name] && !rest.some((word) => word.startsWith(`--${name}`)));
  for (const [at, word] of rest.entries()) {
    if (word.startsWith('-')) continue;
    const before = rest[at - 1] ?? '';
    const isValue = before.startsWith('--');
    const end = endOfValue(rest, at);
    const isUnquoted = (flags[before.slice(2)] as {helpValue?: string})?.helpValue === '<date>' && end > at + 1;
    if (isValue && !isUnquoted) continue;
    const text = rest.slice(at, end).join(' ');
    const place = isValue ? before : `--${into}`;
    const read = readDate(text, program.context.displayNow(), 'past');
    if (isUnquoted && read instanceof InvalidInput && thrown.message.startsWith(`${place} `))
      return read.toError(place);
    if (read instanceof InvalidInput || /^\d+$/.test(text)) continue;
    if (isValue) return meant(thrown, [...command, ...rest.toSpliced(at, end - at, text)]);
    const error = calledDate(thrown, text);
    return into && (at > 0 || !usage?.includes('<'))
      ? meant(error, [...command, ...rest.toSpliced(at, end - at), place, text])
      : error.with({next: [nextCommand('To see what it takes', [...command, '--help'])]});
  }
  return undefined;
}

/** Returns the position of the next flag, or the end. */
function endOfValue(rest: readonly string[], from: number): number {
  const next = rest.findIndex((word, at) => at >= from && word.startsWith('-'));
  return next < 0 ? rest.length : next;
}
