// Suggests the command for words in the wrong place: `bill edit X`, `paid yesterday`, `--since 3 days ago`, `--method cash`.

import {CentavoError, nextCommand} from '../../common/errors.js';
import {readDate} from '../../input/dates.js';
import {InvalidInput} from '../../input/invalid-input.js';
import {quote} from '../../input/money.js';
import type {CommandCatalog} from '../catalog/command-catalog.js';
import {longId} from '../catalog/short-names.js';
import {commandFor} from './unknown-command.js';

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

/** Says that the text is a date, if the error is about it. @param into the flag that takes dates */
function asDate({code, kind, message, details}: CentavoError, text: string, into?: string): CentavoError {
  const isNamed = [quote(text), ` ${text}.`].some((words) => message.includes(words));
  const other = isNamed && {customer_not_found: 'customer', statement_not_found: 'billing statement'}[code];
  const what = other ? `not a ${other}` : code === 'unexpected_argument' && into && `which needs --${into}`;
  return new CentavoError(kind, what ? `${quote(text)} is a date, ${what}.` : message, details);
}

/** `--method cash` */
function valueOfChoice({thrown, rest, program}: Line): CentavoError | undefined {
  const [, value = ''] = /^expected --[\w-]+=(\S*) to be one of/.exec(thrown.message) ?? [];
  const other = commandFor(value, program);
  // A verb such as `cancel` may be a status that was typed wrongly.
  if (!other?.some((word) => word.startsWith('--'))) return undefined;
  return meant(thrown, [...other, ...rest.slice(0, endOfValue(rest, 0))]);
}

/** `bill edit JEEPNEY-0002` */
function verb({thrown, program, typed, rest}: Line): CentavoError | undefined {
  const id = longId(typed);
  if (id !== 'billing-statements:create' || thrown.code.startsWith('invalid')) return undefined;
  const other = commandFor(rest[0] ?? '', program);
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
    const error = asDate(thrown, text, into);
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
