// oclif's configuration with commands from an index. A command's class is loaded only when the command runs.
// The default configuration would look for plugins, themes and hooks, and import every command.

import type {Context} from '../../context/context.js';
import type {CommandClass} from '../base.js';
import {Config, type Command, type Interfaces} from '../oclif.js';
import type {CommandEntry, CommandIndex} from './command-index.js';
import {longId, SHORT_NAMES, shortened} from './short-names.js';

export interface CommandCatalogParts {
  readonly root: string;
  readonly pjson: Interfaces.PJSON;
  readonly index: CommandIndex;
  readonly loadCommand: (id: string) => Promise<CommandClass>;
}

/** Reads the index of commands. An entry is parsed when it is first asked for: most commands need none. */
export function readIndex(json: string): CommandIndex {
  const [head, ...lines] = json.split('\n');
  const index = JSON.parse(`${head}}}`) as CommandIndex;
  for (const line of lines.slice(0, -1)) {
    const end = line.indexOf('":');
    let entry: CommandEntry | undefined;
    const get = (): CommandEntry => (entry ??= JSON.parse(line.slice(end + 2).replace(/,$/, '')) as CommandEntry);
    Object.defineProperty(index.commands, line.slice(1, end), {enumerable: true, get});
  }
  return index;
}

export class CommandCatalog extends Config {
  readonly index: CommandIndex;
  readonly loadCommand: CommandCatalogParts['loadCommand'];
  private readonly listed: readonly Interfaces.Topic[];

  constructor(
    {root, pjson, index, loadCommand}: CommandCatalogParts,
    readonly context: Context,
  ) {
    super({root, pjson});
    const {name, version} = pjson;
    Object.assign(this, {root, pjson, name, version, bin: name, topicSeparator: ' '});
    this.index = index;
    this.loadCommand = loadCommand;
    this.listed = Object.entries(pjson.oclif.topics ?? {}).map(([topic, about]) => ({name: topic, ...about}));
  }

  override get commandIDs(): string[] {
    return Object.keys(this.index.commands);
  }

  override get commands(): Command.Loadable[] {
    return [...this.commandIDs, ...Object.keys(SHORT_NAMES)].map((id) => this.findCommand(id)!);
  }

  override get topics(): Interfaces.Topic[] {
    return this.listed.map((topic) => ({...topic}));
  }

  override findTopic(name: string): Interfaces.Topic {
    return this.topics.find((topic) => topic.name === name)!;
  }

  /** Returns a new object each time, because oclif's help modifies it. */
  override findCommand(id: string, options: {must: true}): Command.Loadable;
  override findCommand(id: string, options?: {must?: boolean}): Command.Loadable | undefined;
  override findCommand(id: string): Command.Loadable | undefined {
    const named = this.index.commands[longId(id)];
    if (!named) return undefined;
    const entry = longId(id) !== id ? shortened(named, id) : named;
    return {
      ...entry,
      id,
      flags: {...this.index.globalFlags, ...entry.flags} as Command.Loadable['flags'],
      args: entry.args as Command.Loadable['args'],
      aliases: [],
      hiddenAliases: [],
      hidden: false,
      load: async () => (await this.loadCommand(longId(id))) as unknown as Command.Class,
    };
  }

  override async runCommand<T>(id: string, argv: readonly string[] = []): Promise<T> {
    const command = await this.loadCommand(id);
    // For oclif's errors, which use the id.
    command.id = id;
    // A command that asks nothing and changes nothing runs alike for everybody.
    const isPlain =
      command.risk === 'reads' &&
      !command.agents &&
      !this.context.io.stdoutIsTerminal &&
      !argv.join().includes('--reveal');
    const wrapped = isPlain
      ? undefined
      : await (await import('../operations/wrapper.js')).wrapperOf(this.context, command, argv);
    return (await new command([...argv], this).execute(wrapped)) as T;
  }

  override async runHook(): Promise<{successes: []; failures: []}> {
    return {successes: [], failures: []};
  }
}
