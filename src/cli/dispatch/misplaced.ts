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

/** A flag or an argument. */
interface Place {
  readonly name: string;
  readonly helpValue?: string;
}

interface Line {
  readonly thrown: CentavoError;
  readonly program: CommandCatalog;
  readonly id: string;
  /** The command as typed, and the words after it. */
  readonly command: readonly string[];
  readonly rest: readonly string[];
  readonly args: readonly string[];
  readonly flags: readonly Place[];
  readonly argument: Place | undefined;
}

/** Errors of a word in the wrong place. */
const MISPLACED =
  /^(?:customer_not_found|invalid_(?:date|duration|flag|id|month)|statement_not_found|unexpected_argument|unknown_flag)$/;

/** Returns other errors unchanged. @param typed the command as typed @param rest the words after it */
export function suggestForMisplaced(
  thrown: unknown,
  typed: string,
  rest: readonly string[],
  program: CommandCatalog,
): unknown {
  if (!(thrown instanceof CentavoError) || !MISPLACED.test(thrown.code)) return thrown;
  const id = longId(typed);
  const {flags, args} = program.index.commands[id]!;
  const line: Line = {
    ...{thrown, program, id, command: typed.split(':'), rest},
    ...{args: readCommandLine(rest, Object.values({...flags, ...program.index.globalFlags})).args},
    ...{flags: Object.values(flags) as readonly Place[], argument: (Object.values(args ?? {}) as Place[])[0]},
  };
  return nameAsFlag(line) ?? valueOfChoice(line) ?? dayOfFlag(line) ?? verb(line) ?? dayAsName(line) ?? thrown;
}

const meant = ({thrown}: Line, ...words: readonly string[]): CentavoError =>
  thrown.with({hint: undefined, next: [nextCommand('Did you mean', words), ...(thrown.details.next ?? [])]});

/** Flags that name an object, as another program may call them. */
const NAMING = /^--(?:client|customer|email|id|name|number|statement)(?:=(.*))?$/s;

/** `bill --email x@y.z` */
function nameAsFlag(line: Line): CentavoError | undefined {
  const {thrown, command, rest, args, flags, argument} = line;
  if (thrown.code !== 'unknown_flag' || thrown.details.hint !== undefined) return undefined;
  const at = rest.findIndex((word) => NAMING.test(word));
  const joined = NAMING.exec(rest[at] ?? '')?.[1];
  const value = joined ?? rest[at + 1];
  if (at < 0 || !value || args.some((each) => each !== value)) return undefined;
  const others = rest.toSpliced(at, joined === undefined ? 2 : 1);
  if (/^<(?:bstm|cus)_/.test(argument?.helpValue ?? '')) return meant(line, ...command, value, ...others);
  return flags.some(({name}) => name === 'customer')
    ? meant(line, ...command, ...others, '--customer', value)
    : undefined;
}

/** `--method cash` */
function valueOfChoice(line: Line): CentavoError | undefined {
  const [, value = ''] = /^expected --[\w-]+=(\S*) to be one of/.exec(line.thrown.message) ?? [];
  const other = commandOf(value, line.program);
  // A verb such as `cancel` may be a status that was typed wrongly.
  return other?.some((word) => word.startsWith('--')) ? meant(line, ...other, ...line.args) : undefined;
}

/** Flags that take a day or a month, and those that take a longer period as well. */
const DATED = /^<(?:date|2026-10)>$/;
const PERIODS = /since|until|before|month/;

/** `--since 30 feb`, `--overdue yesterday` */
function dayOfFlag(line: Line): CentavoError | undefined {
  const {command, rest, flags, program} = line;
  const now = program.context.displayNow();
  for (const [at, word] of rest.entries()) {
    const [start = '', joined] = word.split(/=(.*)/s);
    const place = flags.find(({name}) => start === `--${name}`)?.helpValue;
    const isSpan = place === OPTIONAL_TIME;
    if (!isSpan && !DATED.test(place ?? '')) continue;
    const end = rest.findIndex((each, index) => index > at && each.startsWith('-'));
    const following = rest.slice(at + 1, end < 0 ? undefined : end);
    const found = longestDay(joined === undefined ? following : [joined, ...following], now, isSpan);
    if (!found) continue;
    const {text, count, reading} = found;
    const length = count + (joined === undefined ? 1 : 0);
    const replaced = (by: string): readonly string[] => [...command, ...rest.toSpliced(at, length, start, by)];
    if (isSpan) {
      if (/^\d+[a-z]?$/.test(text)) continue;
      const away = 'day' in reading ? manilaDay(now) - reading.day : 0;
      const days = /^\d/.test(text) ? Math.abs(away) : away;
      return usageError('invalid_duration', `${start} takes a number of days, not ${quote(text)}.`, {
        next: [nextCommand(days > 0 ? 'Did you mean' : 'For example', replaced(`${days > 0 ? days : 7}d`))],
      });
    }
    if ('day' in reading || (reading.period && PERIODS.test(start))) return meant(line, ...replaced(text));
    const read = readDate(text, now);
    return read instanceof InvalidInput ? read.toError(start) : undefined;
  }
  return undefined;
}

/** Words of the longest day: `end of next month`. */
const MAX_WORDS = 4;

/** Returns the longest start of the words that names a day. A date of one word was read before. */
function longestDay(words: readonly string[], now: number, isSpan: boolean) {
  if (isSpan && words[0] === '') return {text: '', count: 1, reading: {fault: ''} as DayReading};
  for (let count = Math.min(words.length, MAX_WORDS); count > (isSpan ? 0 : 1); count--) {
    const text = words.slice(0, count).join(' ');
    const reading = readDay(text, {now, toward: 'past'});
    if (reading) return {text, count, reading};
  }
  return undefined;
}

/** `bill edit JEEPNEY-0002` */
function verb(line: Line): CentavoError | undefined {
  const {thrown, id, rest, args, program} = line;
  if (id !== 'billing-statements:create' || rest[0] !== args[0] || thrown.code.startsWith('invalid')) return undefined;
  const other = commandOf(args[0] ?? '', program);
  return other && longId(other.join(':')) !== id ? meant(line, ...other, ...rest.slice(1)) : undefined;
}

/** `paid yesterday`, `month last month` */
function dayAsName(line: Line): CentavoError | undefined {
  const {thrown, id, command, rest, args, flags, argument, program} = line;
  if (/^(?:invalid|unknown)/.test(thrown.code)) return undefined;
  const isGiven = (name: string): boolean => rest.some((word) => word.split('=')[0] === `--${name}`);
  const into = ['since', 'due', 'on'].find((name) => flags.some((flag) => flag.name === name) && !isGiven(name));
  const isMonth = DATED.test(argument?.helpValue ?? '');
  const isOptional = !program.index.commands[id]!.usage?.includes('<');
  for (const from of args.keys()) {
    const day = args.slice(from);
    const text = day.join(' ');
    const reading = dayOf(text, program.context.displayNow());
    if (!reading) continue;
    const fits = 'day' in reading ? !isMonth : reading.period && (isMonth || into === 'since');
    const others = rest.filter((each) => !day.includes(each));
    if (fits && (isMonth || into) && (isOptional || from > 0))
      return meant(line, ...command, ...others, ...(isMonth ? [] : [`--${into}`]), text);
    // Nobody should add a customer with this name, except for April.
    if ('day' in reading || !reading.period || text.includes(' '))
      return thrown.with({next: [nextCommand('To see what it takes', [...command, '--help'])]});
  }
  return undefined;
}

/** Reads a day as {@link readDay} does, or as `2026-12-15`. */
const dayOf = (text: string, now: number): DayReading | undefined =>
  /^\d{4}-\d{1,2}-\d{1,2}$/.test(text)
    ? readDate(text, now) instanceof InvalidInput
      ? {fault: ''}
      : {day: 0}
    : readDay(text, {now, toward: 'past'});
