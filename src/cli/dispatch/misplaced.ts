// Suggests the command for words in the wrong place: `bill edit X`, `paid yesterday`.

import {CentavoError, nextCommand} from '../../common/errors.js';
import {readDate} from '../../input/dates.js';
import {InvalidInput} from '../../input/invalid-input.js';
import type {CommandCatalog} from '../catalog/command-catalog.js';
import {longId} from '../catalog/short-names.js';
import {commandFor} from './unknown-command.js';

/** Errors of a word in the wrong place. */
const MISPLACED = /^(?:customer_not_found|statement_not_found|unexpected_argument|unknown_flag)$/;
/** Flags that take a date, the usual first. */
const DATE_FLAGS = ['since', 'due', 'on'];

/** Returns other errors unchanged. @param typed the command as typed @param rest the words after it */
export function suggestForMisplaced(
  thrown: unknown,
  typed: string,
  rest: readonly string[],
  program: CommandCatalog,
): unknown {
  if (!(thrown instanceof CentavoError) || !MISPLACED.test(thrown.code)) return thrown;
  const words = verbAfterBill(typed, rest, program) ?? withDateFlag(thrown, typed, rest, program);
  if (words === undefined) return thrown;
  const intro = words.includes('--help') ? 'To see what it takes' : 'Did you mean';
  // The user meant another command, so the arguments of this one do not help.
  const others = thrown.code === 'unexpected_argument' ? [] : (thrown.details.next ?? []);
  return thrown.with({hint: undefined, next: [nextCommand(intro, words), ...others]});
}

/** `bill edit JEEPNEY-0002` */
function verbAfterBill(typed: string, rest: readonly string[], program: CommandCatalog): string[] | undefined {
  if (longId(typed) !== 'billing-statements:create') return undefined;
  const other = commandFor(rest[0] ?? '', program);
  return other && longId(other.join(':')) !== longId(typed) ? [...other, ...rest.slice(1)] : undefined;
}

/** `paid yesterday`; without a flag for the date, the help says what the command takes. */
function withDateFlag({code}: CentavoError, typed: string, rest: readonly string[], program: CommandCatalog) {
  if (code === 'unknown_flag') return undefined;
  const isDate = (word: string): boolean =>
    !/^(?:-|\d+$)/.test(word) && !(readDate(word, program.context.displayNow(), 'past') instanceof InvalidInput);
  const at = rest.findIndex((word, index) => isDate(word) && !rest[index - 1]?.startsWith('--'));
  if (at < 0) return undefined;
  const {flags = {}, usage} = program.index.commands[longId(typed)]!;
  const into = DATE_FLAGS.find((name) => flags[name] && !rest.some((word) => word.startsWith(`--${name}`)));
  const command = typed.split(':');
  // A required argument is still missing if the date is the only word.
  return into && (at > 0 || !usage?.includes('<'))
    ? [...command, ...rest.toSpliced(at, 1), `--${into}`, rest[at]!]
    : [...command, '--help'];
}
