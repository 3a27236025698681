// Rewrites oclif's parse errors with centavo's texts and exit code.

import {CentavoError, nextCommand, usageError, type NextCommand} from '../../common/errors.js';
import {OVERRIDES} from '../overrides.js';
import {quote} from '../../input/money.js';
import {nearestWord} from '../../input/nearest.js';

interface ParseError {
  readonly message: string;
  readonly name?: string;
  readonly flags?: readonly string[];
  readonly args?: readonly unknown[];
  readonly oclif?: {readonly exit?: number};
  readonly parse?: {
    readonly input?: {readonly flags?: object};
    readonly output?: {readonly args?: {readonly program?: readonly string[]}};
  };
}

/** Returns other errors unchanged. @param words the words of the command: `customers list` @param rest those after it */
export function explainParseError(thrown: unknown, words: string, rest: readonly string[]): unknown {
  if (thrown instanceof CentavoError) return thrown;
  const error = thrown as ParseError;
  // oclif names mutually exclusive flags only on the second line.
  const lines =
    error.message?.split('\n').filter((each) => !/^The following errors? occurred:?$/.test(each.trim())) ?? [];
  const line = (lines[0] ?? '').trim();
  const unparsed =
    error.parse !== undefined ||
    / (?:expects a value|expects one of these values: .*|can only be specified once)$/.test(line);
  if (error.oclif?.exit === undefined || !unparsed) return thrown;
  const [program] = (!rest.includes('--') && error.parse?.output?.args?.program) || [];
  if (program !== undefined) return programError(program, words);
  if (error.flags && /nonexistent flag/i.test(line))
    return unknownFlagError(
      error.flags,
      error.parse?.input?.flags ?? {},
      nextCommand('To list the flags', `${words} --help`),
    );
  if (error.args && /unexpected argument/i.test(line)) {
    const isFields = /^[a-z_.]+(?:,[a-z_.]+)+$/.test(String(error.args[0]));
    const advice = isFields ? 'Choose fields with --fields' : 'Put text with spaces in quotes';
    return usageError(
      'unexpected_argument',
      `unexpected ${error.args.length > 1 ? 'arguments' : 'argument'}: ${error.args.map((arg) => quote(String(arg))).join(' ')}.`,
      {next: [nextCommand(`${advice}. To list the arguments`, `${words} --help`)]},
    );
  }
  return usageError('invalid_flag', `${plainMessage(line)}.`, {...choiceHint(line)});
}

/** @param word the first word of a program without `--` before it */
export const programError = (word: string, verb: string): CentavoError =>
  usageError('unexpected_argument', `unexpected argument: ${JSON.stringify(word)}.`, {
    hint: `Put a program after --. For example: centavo ${verb} -- npm run dev`,
  });

/** @param flags the unknown flags, as typed @param known flags by name @param list the command that lists them */
function unknownFlagError(flags: readonly string[], known: object, list: NextCommand): CentavoError {
  // A typo never suggests a flag that lifts a guard.
  const names = Object.keys(known).filter((name) => !OVERRIDES.has(name));
  const guess = nearestWord(flags[0]!.replace(/^-+/, ''), names);
  return usageError('unknown_flag', `unknown flag ${flags.join(', ')}.`, {
    ...(guess ? {hint: `Did you mean --${guess}?`} : {next: [list]}),
  });
}

export function noCommandError(flag: string, globalFlags: object): CentavoError {
  const [name = ''] = flag.split('=');
  const isKnown = Object.keys(globalFlags).some((each) => name === `--${each}`) || /^-\w+$/.test(name);
  if (isKnown)
    return usageError('missing_command', 'no command is given.', {next: [nextCommand('To list the commands', 'help')]});
  return unknownFlagError([name], globalFlags, nextCommand('To list the flags of every command', 'help flags'));
}

function choiceHint(line: string): {hint?: string} {
  const match = /^Expected (--[\w-]+)=(.*) to be one of: (.*)$/.exec(line);
  const guess = match && nearestWord(match[2]!, match[3]!.split(', '));
  return guess ? {hint: `Did you mean ${match[1]} ${guess}?`} : {};
}

const plainMessage = (line: string): string =>
  line
    .replace(/\.$/, '')
    .replace(/^Flag /, '')
    .replace(/^([A-Z])(?=[a-z])/, (letter) => letter.toLowerCase());

const SECRET_NAMES = ['a live secret key', 'a test secret key', 'a secret key in base64', 'a webhook secret'];

/** @param kind its place in the list of `refuseSecrets` */
export const secretError = (kind: number): CentavoError =>
  usageError('secret_in_argument', `an argument contains ${SECRET_NAMES[kind]}.`, {
    why: 'Other processes and your shell history can read it, so replace it with a new one.',
    hint: 'Pass keys to centavo login or in CENTAVO_SECRET_KEY, and webhook secrets in CENTAVO_WEBHOOK_SECRET or on stdin.',
  });
