// Rewrites oclif's parse errors in our words and with our exit status. A guess is offered, never run.

import {distance} from 'fastest-levenshtein';
import {CentavoError, usageError} from '../../errors.js';
import {quote} from '../../input/money.js';

interface ParseError {
  readonly message: string;
  readonly name?: string;
  readonly flags?: readonly string[];
  readonly args?: readonly unknown[];
  readonly oclif?: {readonly exit?: number};
  readonly parse?: {readonly input?: {readonly flags?: Readonly<Record<string, unknown>>}};
}

/** Flags that lift a guard: nobody is led to one by a slip. */
const LIFTS_GUARD = /^(?:live|yes|force|insecure-storage|skip-verify|(?:accept|allow)-.*|forward-(?:insecure|remote))$/;

/**
 * The candidate meant by a mistyped word: the only one that begins with it, else the closest, of those that begin with it if
 * there are any; undefined if none is close.
 * @param most the largest edit distance; by default a third of the word, and 1 of a short one
 */
export function nearest(
  word: string,
  candidates: readonly string[],
  most = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3)),
): string | undefined {
  const begun = candidates.filter((candidate) => word !== '' && candidate.startsWith(word));
  if (begun.length === 1) return begun[0];
  const [best] = (begun.length > 0 ? begun : candidates)
    .map((candidate) => ({candidate, away: distance(word, candidate)}))
    .sort((a, b) => a.away - b.away);
  return best && best.away <= most ? best.candidate : undefined;
}

/** Our own errors and bugs are returned unchanged. @param words of the command: `customers list` */
export function explainParseError(thrown: unknown, words: string): unknown {
  if (thrown instanceof CentavoError) return thrown;
  const error = thrown as ParseError;
  // For mutually exclusive flags, oclif names them only on its second line.
  const lines =
    error.message?.split('\n').filter((each) => !/^The following errors? occurred:?$/.test(each.trim())) ?? [];
  const line = (lines[0] ?? '').trim();
  const unparsed =
    error.parse !== undefined ||
    / (?:expects a value|expects one of these values: .*|can only be specified once)$/.test(line);
  if (error.oclif?.exit === undefined || !unparsed) return thrown;
  if (error.flags && /nonexistent flag/i.test(line)) return unknownFlagError(error, words);
  if (error.args && /unexpected argument/i.test(line)) {
    return usageError(
      `unexpected ${error.args.length > 1 ? 'arguments' : 'argument'}: ${error.args.map((arg) => quote(String(arg))).join(' ')}.`,
      {
        code: 'unexpected_argument',
        hint: `Put text with spaces in quotes. To list the arguments: centavo ${words} --help`,
      },
    );
  }
  return usageError(`${plain(line)}.`, {code: 'invalid_flag', ...choiceHint(line)});
}

const proposable = (flags: object): string[] => Object.keys(flags).filter((name) => !LIFTS_GUARD.test(name));

function unknownFlagError({flags = [], parse}: ParseError, words: string): CentavoError {
  const known = proposable(parse?.input?.flags ?? {});
  const [first = ''] = flags;
  const guess = nearest(first.replace(/^-+/, ''), known);
  return usageError(`unknown flag ${flags.join(', ')}.`, {
    code: 'unknown_flag',
    hint: guess ? `Did you mean --${guess}?` : `To list the flags: centavo ${words} --help`,
  });
}

/** @param first the first word, which is a flag */
export function noCommandError(first: string, globalFlags: object): CentavoError {
  const [name = ''] = first.split('=');
  const known = Object.keys(globalFlags);
  const isKnown = known.some((each) => name === `--${each}`) || /^-\w+$/.test(name);
  const guess = nearest(name.replace(/^-+/, ''), proposable(globalFlags));
  if (!isKnown)
    return usageError(`unknown flag ${name}.`, {
      code: 'unknown_flag',
      hint: guess ? `Did you mean --${guess}?` : 'To list the flags of every command: centavo help flags',
    });
  return usageError('no command is given.', {
    code: 'missing_command',
    hint: 'To list the commands: centavo help',
  });
}

function choiceHint(line: string): {hint?: string} {
  const match = /^Expected (--[\w-]+)=(.*) to be one of: (.*)$/.exec(line);
  const guess = match && nearest(match[2]!, match[3]!.split(', '));
  return guess ? {hint: `Did you mean ${match[1]} ${guess}?`} : {};
}

/** oclif's first line as a sentence without its full stop. */
const plain = (line: string): string =>
  line
    .replace(/\.$/, '')
    .replace(/^Flag /, '')
    .replace(/^([A-Z])(?=[a-z])/, (letter) => letter.toLowerCase());
