// Suggests the command for words in the wrong place: `bill edit X`, `paid yesterday`, `--since 30 feb`, `--method cash`.

import {CentavoError, nextCommand, usageError} from '../../common/errors.js';
import {manilaDay} from '../../common/manila.js';
import {readDate} from '../../input/dates.js';
import {readDay, type DayReading} from '../../input/date-words.js';
import {InvalidInput} from '../../input/invalid-input.js';
import {quote} from '../../input/money.js';
import type {CommandCatalog} from '../catalog/command-catalog.js';
import {longId} from '../catalog/short-names.js';
import {OPTIONAL_TIME} from '../oclif.js';
import {readCommandLine} from './complete.js';
import {commandOf} from './unknown-command.js';

/** Errors of a word in the wrong place. */
const MISPLACED =
  /^(?:customer_not_found|invalid_(?:date|duration|flag|month)|statement_not_found|unexpected_argument|unknown_flag)$/;
/** Flags that take a day or a month, and those that take a longer period as well. */
const PLACES = /^<(?:date|2026-10)>$/;
const PERIODS = /since|until|before|month/;
/** Words of the longest day: `end of next month`. */
const MAX_WORDS = 4;
/** Flags that name an object, as another program may call them. */
const NAMING = /^--(?:client|customer|email|id|name|number|statement)$/;

/** Returns other errors unchanged. @param typed the command as typed @param rest the words after it */
export function suggestForMisplaced(
  thrown: unknown,
  typed: string,
  rest: readonly string[],
  program: CommandCatalog,
): unknown {
  if (!(thrown instanceof CentavoError) || !MISPLACED.test(thrown.code)) return thrown;
  const command = typed.split(':');
  const entry = program.index.commands[longId(typed)]!;
  const own = Object.values(entry.flags) as readonly Place[];
  const {args, given} = readCommandLine(rest, Object.values({...entry.flags, ...program.index.globalFlags}));
  const now = program.context.displayNow();
  const meant = (words: readonly string[]): CentavoError =>
    thrown.with({hint: undefined, next: [nextCommand('Did you mean', words), ...(thrown.details.next ?? [])]});
  const has = (name: string): boolean => own.some((flag) => flag.name === name);

  if (thrown.code === 'unknown_flag') {
    const at = rest.findIndex((word) => NAMING.test(word.split('=')[0]!));
    const [, value = rest[at + 1]] = /=(.*)$/s.exec(rest[at] ?? '') ?? [];
    if (at < 0 || value === undefined || thrown.details.hint !== undefined) return thrown;
    const others = rest.toSpliced(at, rest[at]!.includes('=') ? 1 : 2);
    const [first] = Object.values((entry.args ?? {}) as Record<string, Place>);
    if (/^<(?:bstm|cus)_/.test(first?.helpValue ?? '')) return meant([...command, value, ...others]);
    return has('customer') ? meant([...command, ...others, '--customer', value]) : thrown;
  }
  const [, value = ''] = /^expected --[\w-]+=(\S*) to be one of/.exec(thrown.message) ?? [];
  const instead = commandOf(value, program);
  if (instead) return meant([...instead, ...args]);

  for (const [at, word] of rest.entries()) {
    const [start = '', joined] = word.split(/=(.*)/s);
    const place = own.find(({name}) => start === `--${name}`)?.helpValue;
    if (place !== OPTIONAL_TIME && !PLACES.test(place ?? '')) continue;
    const after = rest.slice(at + 1).findIndex((each) => each.startsWith('-'));
    const following = rest.slice(at + 1, after < 0 ? undefined : at + 1 + after);
    const [text, count, reading] =
      longestDay(joined === undefined ? following : [joined, ...following], now, place === OPTIONAL_TIME ? 1 : 2) ?? [];
    if (text === undefined || count === undefined) continue;
    const replaced = (by: string): string[] => [
      ...command,
      ...rest.toSpliced(at, count + (joined === undefined ? 1 : 0), start, by),
    ];
    if (place === OPTIONAL_TIME) {
      if (/^\d/.test(text)) continue;
      const days = reading && 'day' in reading ? manilaDay(now) - reading.day : 0;
      return usageError('invalid_duration', `${start} takes a number of days, not ${quote(text)}.`, {
        next: [nextCommand(days > 0 ? 'Did you mean' : 'For example', replaced(`${days > 0 ? days : 7}d`))],
      });
    }
    if (!reading || !('fault' in reading) || (reading.period && PERIODS.test(start))) return meant(replaced(text));
    const read = readDate(text, now);
    return read instanceof InvalidInput ? read.toError(start) : thrown;
  }
  if (/^invalid/.test(thrown.code)) return thrown;

  const [verb = ''] = args;
  const other =
    longId(typed) === 'billing-statements:create' && rest[0] === verb ? commandOf(verb, program) : undefined;
  if (other && longId(other.join(':')) !== longId(typed)) return meant([...other, ...rest.slice(1)]);
  const into = ['since', 'due', 'on'].find((name) => has(name) && !given.has(name));
  for (let from = 0; into !== undefined && from < args.length; from++) {
    const text = args.slice(from).join(' ');
    const at = rest.indexOf(args[from]!);
    if (
      readDay(text, {now, toward: 'past'}) !== undefined &&
      rest.slice(at, at + args.length - from).join(' ') === text
    )
      return meant([...command, ...rest.toSpliced(at, args.length - from, `--${into}`, text)]);
  }
  return thrown;
}

interface Place {
  readonly name: string;
  readonly helpValue?: string;
}

/** Returns the longest text of the first words that names a day, or a day that does not exist. */
function longestDay(
  words: readonly string[],
  now: number,
  least: number,
): readonly [text: string, count: number, reading?: DayReading] | undefined {
  if (words[0] === '' && least === 1) return ['', 1];
  for (let count = Math.min(words.length, MAX_WORDS); count >= least; count--) {
    const text = words.slice(0, count).join(' ');
    const reading = readDay(text, {now, toward: 'past'});
    if (reading) return [text, count, reading];
  }
  return undefined;
}
