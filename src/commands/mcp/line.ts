// Reads a command line that an agent gives to `centavo mcp`, and writes it anew from the table of commands.

import type {CommandEntry, CommandIndex} from '../../cli/catalog/command-index.js';
import {longId} from '../../cli/catalog/short-names.js';
import {findCommand} from '../../cli/dispatch/argv.js';
import {typeOf} from '../../cli/help/described.js';
import {OPTIONAL_TIME, type Interfaces} from '../../cli/oclif.js';
import {refusedError, usageError, type CentavoError} from '../../common/errors.js';
import {quote} from '../../input/money.js';

type Flag = Interfaces.Flag<unknown> & {readonly agents?: 'never'; readonly overrides?: boolean};

/** A line of flags with their values, in the form that oclif can read in one way only. */
export interface AgentLine {
  readonly id: string;
  readonly argv: readonly string[];
  readonly reads: boolean;
}

/** True if `centavo mcp` runs the command. */
export const isForAgents = ({agents, risk}: CommandEntry): boolean =>
  (agents ?? (risk === 'reads' ? '' : 'never')) !== 'never';

/** Returns the flags of a command, global ones included, that an agent may give: no file, no secret, no override. */
export const agentFlags = ({flags}: CommandEntry, {globalFlags}: CommandIndex): Record<string, Flag> =>
  Object.fromEntries(
    Object.entries({...globalFlags, ...flags} as Record<string, Flag>).filter(
      ([, flag]) =>
        !flag.overrides && flag.agents !== 'never' && (flag.type === 'boolean' || typeOf(flag).type !== 'file'),
    ),
  );

/** @throws CentavoError for a line that an agent may not run, before anything of it is read */
export function readLine(words: readonly string[], index: CommandIndex): AgentLine {
  const {typed, rest} = findCommand(words, index.commands);
  if (typed === undefined)
    throw usageError('unknown_command', `${quote(words.slice(0, 3).join(' '))} is not a command.`, {
      hint: 'The tool commands lists them. Give the words of the command first, each as its own text.',
    });
  const id = longId(typed);
  const entry = index.commands[id]!;
  if (!isForAgents(entry)) throw forPerson(`centavo ${id.replaceAll(':', ' ')}`);
  const {flags, args} = split(rest, agentFlags(entry, index), entry);
  const takesFile = Object.values(entry.args ?? {}).some((arg) => typeOf(arg as {helpValue?: string}).type === 'file');
  if (takesFile && args.some((arg) => arg !== '-'))
    throw usageError('invalid_argument', 'a file cannot be named here.', {hint: 'Give - and the content as input.'});
  return {
    id,
    argv: [...id.split(':'), ...flags, ...(args.length > 0 ? ['--', ...args] : [])],
    reads: entry.risk === 'reads',
  };
}

function split(rest: readonly string[], allowed: Record<string, Flag>, {flags: known}: CommandEntry) {
  const [flags, args]: string[][] = [[], []];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!;
    if (word === '--') return {flags: flags!, args: [...args!, ...rest.slice(at + 1)]};
    if (word === '-' || !word.startsWith('-')) {
      args!.push(word);
      continue;
    }
    const [, name = '', given] = /^--([a-z][a-z\d-]*)(?:=(.*))?$/s.exec(word) ?? [];
    const flag = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    const positive = name.startsWith('no-') ? allowed[name.slice(3)] : undefined;
    const negates = positive?.type === 'boolean' && positive.allowNo === true;
    if (!flag && !negates) throw Object.hasOwn(known ?? {}, name) ? forPerson(`--${name}`) : unknownFlag(word);
    const takesValue = flag?.type === 'option';
    if (!takesValue && given !== undefined) throw usageError('invalid_flag', `--${name} takes no value.`);
    const isAlone =
      takesValue && given === undefined && flag.helpValue === OPTIONAL_TIME && !/^\d/.test(rest[at + 1] ?? '');
    const value = !takesValue || isAlone ? undefined : (given ?? rest[++at]);
    if (takesValue && !isAlone && value === undefined) throw usageError('missing_flag', `--${name} has no value.`);
    if (name === 'data' && /^\s*@/.test(value!)) throw forPerson('--data @file');
    flags!.push(value === undefined ? `--${name}` : `--${name}=${value}`);
  }
  return {flags: flags!, args: args!};
}

const unknownFlag = (word: string): CentavoError =>
  usageError('unknown_flag', `${quote(word.slice(0, 60))} is not a flag that can be used here.`, {
    hint: 'The tool commands, with the name of the command, lists its flags. Write them in full: --name value',
  });

const forPerson = (what: string): CentavoError =>
  refusedError('needs_person', `${what} is not for agents.`, {
    hint: 'A person runs it, in a terminal.',
    needsPerson: true,
  });
