// The index of all commands, made when the program is built, so that no command is loaded to find another.

import type {Operation, Risk} from '../../api/operation.js';
import type {RegisteredOperation} from '../../api/registry.js';
import {EXIT_CODES} from '../../errors.js';
import {ANY_EXITS, type CommandClass} from '../base.js';
import {globalFlags} from '../global-flags.js';

/** What help and `centavo commands` need to know of a command. */
export interface CommandEntry extends Pick<
  CommandClass,
  'args' | 'description' | 'examples' | 'flags' | 'summary' | 'usage'
> {
  readonly risk: Risk;
  /** Those that not every command has. */
  readonly exitCodes: readonly number[];
  /** The request that a command of the API makes. */
  readonly operation?: Pick<Operation, 'method' | 'path'> & {readonly client: string};
}

/** Every command by its id; the flags and exit codes that all commands have stand once. It is made when the program is built. */
export interface CommandIndex {
  readonly globalFlags: CommandEntry['flags'];
  readonly globalExitCodes: readonly number[];
  readonly commands: Readonly<Record<string, CommandEntry>>;
}

const withNames = <T extends object>(parts: Readonly<Record<string, T>> = {}): Record<string, T> =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, {name, ...part}]));

const exitCodes = (exits: CommandClass['exits']): number[] =>
  exits.map((name) => EXIT_CODES[name].exit).sort((a, b) => a - b);

/**
 * The index of these commands, as JSON, which leaves out the functions that parse.
 * @param operations those of the contract
 */
export function indexOf(
  commands: Readonly<Record<string, CommandClass>>,
  operations: readonly RegisteredOperation[],
): string {
  const requests = new Map(
    operations.map(({id, method: client, operation: {method, path}}) => [id, {method, path, client}]),
  );
  const entries = Object.entries(commands)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, {summary, description, examples, usage, args, flags, risk, exits}]): [string, CommandEntry] => [
      id,
      {
        summary,
        description,
        examples,
        usage,
        args: withNames(args),
        flags: withNames(flags),
        risk,
        exitCodes: exitCodes(exits),
        operation: requests.get(id),
      },
    ]);
  return JSON.stringify({
    globalFlags: withNames(globalFlags),
    globalExitCodes: exitCodes(ANY_EXITS),
    commands: Object.fromEntries(entries),
  });
}
