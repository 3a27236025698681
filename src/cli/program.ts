// The program as oclif sees it: one plugin that reads its commands from an index and loads the class of the one that runs.
// oclif's own way is to read a manifest twice and to import every command.

import {Plugin, type Command, type Interfaces} from '@oclif/core';
import {loadCommand} from '../commands/index.js';
import {type BaseCommand, globalFlags} from './base.js';

/** What help, `centavo commands` and oclif need to know of a command that does not run. */
type CommandEntry = Pick<typeof BaseCommand, 'args' | 'description' | 'examples' | 'flags' | 'summary' | 'usage'>;

/** Every command by its id; the flags that all commands have stand once. It is made when the program is built. */
export interface CommandIndex {
  readonly globalFlags: CommandEntry['flags'];
  readonly commands: Readonly<Record<string, CommandEntry>>;
}

const withNames = <T extends object>(parts: Readonly<Record<string, T>> = {}): Record<string, T> =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, {name, ...part}]));

/** The index of these commands, as JSON, which leaves out the functions that parse. */
export function indexOf(commands: Readonly<Record<string, typeof BaseCommand>>): string {
  const entries = Object.entries(commands)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, {summary, description, examples, usage, args, flags}]): [string, CommandEntry] => [
      id,
      {summary, description, examples, usage, args: withNames(args), flags: withNames(flags)},
    ]);
  return JSON.stringify({globalFlags: withNames(globalFlags), commands: Object.fromEntries(entries)});
}

export class Program extends Plugin {
  /** @param root the package's folder */
  constructor(root: string, pjson: Interfaces.PJSON, index: CommandIndex) {
    super({root, pjson, isRoot: true, name: pjson.name});
    const {name, version} = pjson;
    Object.assign(this, {root, pjson, name, version, alias: name, type: 'core', valid: true, hooks: {}});
    this.commandIDs = Object.keys(index.commands);
    this.commands = Object.entries(index.commands).map(([id, entry]) => ({
      ...entry,
      id,
      flags: {...index.globalFlags, ...entry.flags} as Command.Loadable['flags'],
      args: entry.args as Command.Loadable['args'],
      aliases: [],
      hiddenAliases: [],
      hidden: false,
      pluginName: name,
      load: () => this.findCommand(id, {must: true}),
    }));
  }

  /** The constructor has done it. */
  override async load(): Promise<void> {}

  override findCommand(id: string, opts: {must: true}): Promise<Command.Class>;
  override findCommand(id: string, opts?: {must?: boolean}): Promise<Command.Class | undefined>;
  override async findCommand(id: string): Promise<Command.Class> {
    const command = await loadCommand(id);
    command.id = id;
    command.plugin = this;
    return command;
  }
}
