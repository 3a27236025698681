// Reads a command line that an agent gives to `centavo mcp`, and writes it anew by the table of commands.

import type {CommandCatalog} from '../../cli/catalog/command-catalog.js';
import type {CommandEntry, CommandIndex} from '../../cli/catalog/command-index.js';
import {longId} from '../../cli/catalog/short-names.js';
import {findCommand} from '../../cli/dispatch/argv.js';
import {isTime, OPTIONAL_TIME, type Interfaces} from '../../cli/oclif.js';
import {refusedError, usageError, type CentavoError} from '../../common/errors.js';
import {quote} from '../../input/money.js';

type Flag = Interfaces.Flag<unknown> & {readonly agents?: 'never'; readonly helpValue?: unknown};
type FlagTable = Readonly<Record<string, Flag>>;

/** Each flag has its value in the same word, and arguments follow `--`: oclif reads it in one way only. */
export interface AgentLine {
  readonly argv: readonly string[];
  readonly reads: boolean;
}

const allowed = (flags: object = {}): CommandEntry['flags'] =>
  Object.fromEntries(Object.entries(flags as FlagTable).filter(([, {agents}]) => agents !== 'never'));

/** Returns the table of commands with those commands and flags alone that an agent may use. */
export function agentIndex({commands, globalFlags, ...rest}: CommandIndex): CommandIndex {
  const entries = Object.entries(commands)
    .filter(([, {agents, risk}]) => agents !== 'never' && (agents !== undefined || risk === 'reads'))
    .map(([id, entry]) => [id, {...entry, flags: allowed(entry.flags)}] as const);
  return {...rest, globalFlags: allowed(globalFlags), commands: Object.fromEntries(entries)};
}

/** @param catalog with the table of {@link agentIndex} @throws CentavoError for a line that an agent may not run */
export function readLine(words: readonly string[], catalog: CommandCatalog, whole: CommandIndex): AgentLine {
  const {typed} = findCommand(words, whole.commands);
  const entry = typed === undefined ? undefined : (catalog.findCommand(typed) as unknown as CommandEntry | undefined);
  if (typed === undefined)
    throw usageError('unknown_command', `${quote(words.slice(0, 3).join(' '))} is not a command.`, {
      hint: 'The tool commands lists them. The words of the command come first, each as a text of its own.',
    });
  if (!entry) throw forPerson(`centavo ${typed.replaceAll(':', ' ')}`);
  const {rest} = findCommand(words, whole.commands);
  const {flags, args} = split(rest, entry.flags as FlagTable, whole.commands[longId(typed)]?.flags);
  const takesFile = Object.values(entry.args ?? {}).some((arg) => (arg as {helpValue?: string}).helpValue === '<file>');
  if (takesFile && args.some((arg) => arg !== '-'))
    throw usageError('invalid_argument', 'a file cannot be named here.', {hint: 'Give -, and its content as input.'});
  const argv = [...typed.split(':'), ...flags, ...(args.length > 0 ? ['--', ...args] : [])];
  return {argv, reads: entry.risk === 'reads'};
}

/** @param personal all flags of the command, for the message */
function split(rest: readonly string[], known: FlagTable, personal: object = {}) {
  const [flags, args]: [string[], string[]] = [[], []];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!;
    if (word === '--') return {flags, args: [...args, ...rest.slice(at + 1)]};
    if (word === '-' || !word.startsWith('-')) {
      args.push(word);
      continue;
    }
    const [, no, name = '', given] = /^--(no-)?([a-z][a-z\d-]*)(?:=(.*))?$/s.exec(word) ?? [];
    const flag = Object.hasOwn(known, name) ? known[name]! : undefined;
    if (!flag || (no && !(flag.type === 'boolean' && flag.allowNo)))
      throw Object.hasOwn(personal, name) ? forPerson(`--${name}`) : unknownFlag(word);
    if (flag.type === 'boolean' && given !== undefined) throw unknownFlag(word);
    const isAlone = given === undefined && flag.helpValue === OPTIONAL_TIME && !isTime(rest[at + 1]);
    const value = flag.type === 'boolean' || isAlone ? undefined : (given ?? rest[++at]);
    if (flag.type === 'option' && !isAlone && value === undefined)
      throw usageError('missing_flag', `--${name} has no value.`);
    if (name === 'data' && /^\s*@/.test(value!)) throw forPerson('--data with a file');
    flags.push(`--${no ?? ''}${name}${value === undefined ? '' : `=${value}`}`);
  }
  return {flags, args};
}

const unknownFlag = (word: string): CentavoError =>
  usageError('unknown_flag', `${quote(word.slice(0, 60))} is not a flag that can be used here.`, {
    hint: 'The tool commands shows the flags of a command. Write them in full: --name value',
  });

const forPerson = (what: string): CentavoError =>
  refusedError('needs_person', `${what} is not for agents.`, {
    hint: 'A person runs it, in a terminal.',
    needsPerson: true,
  });
