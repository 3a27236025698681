// Builds the index of all commands at build time, so that a command is found without loading its class.

import {EVENT_TYPES} from '../../api/events.js';
import type {Operation, Risk} from '../../api/operation.js';
import type {RegisteredOperation} from '../../api/registry.js';
import {EXIT_CODES} from '../../common/errors.js';
import {ANY_EXITS, type AgentUse, type CommandClass} from '../base.js';
import {globalFlags} from '../global-flags.js';
import {OVERRIDES} from '../overrides.js';

/** Fields of a command for help and `centavo commands`. */
export interface CommandEntry extends Pick<
  CommandClass,
  'args' | 'description' | 'examples' | 'flags' | 'summary' | 'usage'
> {
  readonly risk: Risk;
  /** See CommandClass.agents. */
  readonly agents?: AgentUse;
  readonly exitCodes: readonly number[];
  readonly operation?: Pick<Operation, 'method' | 'path'> & {readonly client: string};
}

/** Commands by id. Global flags and exit codes are listed once, not per command. */
export interface CommandIndex {
  readonly globalFlags: CommandEntry['flags'];
  readonly globalExitCodes: readonly number[];
  readonly commands: Readonly<Record<string, CommandEntry>>;
  readonly events: readonly string[];
}

const keyedByName = <T extends object>(parts: Readonly<Record<string, T>> = {}): Record<string, T> =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, {name, ...part}]));

const exitCodes = (exits: CommandClass['exits']) => exits.map((name) => EXIT_CODES[name].exit).sort((a, b) => a - b);

/** Flags of a person's account, screen, clipboard and secrets. An agent gives none of them to `centavo mcp`, and no file. */
const PERSONAL: ReadonlySet<string> = new Set(
  `client-secret copy follow no-color no-input output profile project quiet reveal schema secret-stdin to
  verbose`.split(/\s+/),
);

/** Marks the flags that lift a guard, and those that an agent may not give. */
const markedFlags = (flags: object = {}): CommandEntry['flags'] =>
  Object.fromEntries(
    Object.entries(flags).map(([name, flag]: [string, {helpValue?: unknown}]) => {
      const overrides = OVERRIDES.has(name);
      const isPersonal =
        overrides || PERSONAL.has(name) || /^<(?:command|file|program and)\b/.test(String(flag.helpValue));
      return [name, {...flag, ...(overrides && {overrides}), ...(isPersonal && {agents: 'never'})}];
    }),
  ) as CommandEntry['flags'];

/** `customers get <id>... [flags]` */
const usageOf = (id: string, args: CommandClass['args'] = {}): string =>
  [
    id.replaceAll(':', ' '),
    ...Object.entries(args).map(([name, {multiple}]) => `<${name.replaceAll('_', '-')}>${multiple ? '...' : ''}`),
    '[flags]',
  ].join(' ');

/** oclif sets these in each flag and argument, and their absence means the same. */
const MEANINGLESS: readonly string[] = ['"allowNo":false', '"input":[]', '"multiple":false'];

const withoutMeaningless = (name: string, value: unknown): unknown =>
  MEANINGLESS.includes(`${JSON.stringify(name)}:${JSON.stringify(value)}`) ? undefined : value;

/**
 * Returns the index as JSON, which omits the functions of flags. Usage is derived from arguments where absent.
 * Each command is a line, for {@link readIndex}.
 */
export function indexOf(
  commands: Readonly<Record<string, CommandClass>>,
  operations: readonly RegisteredOperation[],
): string {
  const requests = new Map(
    operations.map(({id, clientName: client, operation: {method, path}}) => [id, {method, path, client}]),
  );
  const entries = Object.entries(commands)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, {summary, description, examples, usage, args, flags, risk, agents, exits}]): [string, CommandEntry] => [
      id,
      {
        summary,
        description,
        examples,
        usage: usage ?? usageOf(id, args),
        args: keyedByName(args),
        flags: keyedByName(markedFlags(flags)),
        risk,
        agents,
        exitCodes: exitCodes(exits),
        operation: requests.get(id),
      },
    ]);
  const write = (value: unknown): string => JSON.stringify(value, withoutMeaningless);
  const head = write({
    globalFlags: keyedByName(markedFlags(globalFlags)),
    globalExitCodes: exitCodes(ANY_EXITS),
    events: EVENT_TYPES,
  });
  const lines = entries.map(([id, entry]) => `${JSON.stringify(id)}:${write(entry)}`);
  return `${head.slice(0, -1)},"commands":{\n${lines.join(',\n')}\n}}`;
}
