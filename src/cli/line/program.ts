// The program as oclif sees it: its commands stand in an index, and the class of a command is loaded when it runs.
// oclif's own configuration looks for plugins, themes and hooks first, and imports every command.

import {Config, type Command, type Interfaces} from '../oclif.js';
import {loadCommand} from '../../commands/index.js';
import type {Context} from '../../context.js';
import {usageError} from '../../errors.js';
import {toJson} from '../../output/format.js';
import type {CommandEntry, CommandIndex} from './command-index.js';
import {longId, SHORT_NAMES, shortened} from './short-names.js';
import {schemaFlag} from './wants-json.js';

const ERROR_SCHEMA = '--schema=error';

/** @throws CentavoError kind `usage` for another schema than that of the output or of errors */
function checkedSchema(argv: readonly string[]): string | undefined {
  const found = schemaFlag(argv);
  if (found === undefined || found === '--schema' || found === ERROR_SCHEMA) return found;
  throw usageError(`${found} is not a schema.`, {
    code: 'invalid_flag',
    hint: 'Use --schema for the output, or --schema=error for errors.',
  });
}

/**
 * A command line with the global flags behind the words of the command, as oclif reads them: `-p shop status` is
 * `status -p shop`.
 */
export function behindWords(argv: readonly string[], globalFlags: CommandIndex['globalFlags']): string[] {
  const known = Object.values(globalFlags);
  const words: string[] = [];
  const flags: string[] = [];
  let at = 0;
  for (; at < argv.length; at++) {
    const word = argv[at]!;
    if (!word.startsWith('-') || word === '-') {
      words.push(word);
      continue;
    }
    const takes = valueTaken(word, known);
    // What an unknown flag takes is known only to the command.
    if (takes === 'unknown') break;
    flags.push(word);
    if (takes === 'next' && at + 1 < argv.length) flags.push(argv[++at]!);
  }
  return [...words, ...flags, ...argv.slice(at)];
}

type Flag = CommandEntry['flags'][string];

/** Whether the value of this flag is the next word. @param word `--name`, `--name=value`, or letters: `-q`, `-qo` */
function valueTaken(word: string, known: readonly Flag[]): 'next' | 'none' | 'unknown' {
  const [, name, value] = /^--([^=]+)(=.*)?$/s.exec(word) ?? [];
  if (name !== undefined) {
    const flag = known.find((each) => each.name === name);
    return !flag ? 'unknown' : flag.type === 'option' && value === undefined ? 'next' : 'none';
  }
  const letters = [...word.slice(1)];
  for (const [index, char] of letters.entries()) {
    const flag = known.find((each) => each.char === char);
    if (!flag) return 'unknown';
    if (flag.type === 'option') return index === letters.length - 1 ? 'next' : 'none';
  }
  return 'none';
}

/** What the program is made of. */
export interface ProgramParts {
  /** The package's folder. */
  readonly root: string;
  readonly pjson: Interfaces.PJSON;
  readonly index: CommandIndex;
}

export class Program extends Config {
  readonly index: CommandIndex;
  private readonly listed: readonly Interfaces.Topic[];

  constructor(
    {root, pjson, index}: ProgramParts,
    readonly context: Context,
  ) {
    super({root, pjson});
    const {name, version} = pjson;
    Object.assign(this, {root, pjson, name, version, bin: name, topicSeparator: ' '});
    this.index = index;
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

  /** A new object each time, because oclif's help changes what it shows. */
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
      load: async () => (await loadCommand(longId(id))) as unknown as Command.Class,
    };
  }

  /**
   * Runs the command that the first words name.
   * @throws CentavoError kind `usage` if they name none, or the rest does not fit the command
   */
  async runWords(argv: readonly string[]): Promise<void> {
    const firstFlag = argv.findIndex((word) => word.startsWith('-'));
    const words = firstFlag < 0 ? argv : argv.slice(0, firstFlag);
    const ids = words.map((_, index) => words.slice(0, index + 1).join(':'));
    const typed = ids.findLast((each) => Object.hasOwn(this.index.commands, longId(each)));
    if (typed === undefined) {
      if (words.length === 0) {
        const {noCommandError} = await import('./parse-errors.js');
        throw noCommandError(argv[0]!, this.index.globalFlags);
      }
      const {unknownCommandError} = await import('./unknown-command.js');
      throw unknownCommandError(words, this);
    }
    const id = longId(typed);
    const rest = argv.slice(ids.indexOf(typed) + 1);
    const schema = checkedSchema(rest);
    if (schema !== undefined) return this.printSchema(id, schema);
    await this.runCommand(id, rest).catch(async (thrown: unknown) => {
      const {explainParseError} = await import('./parse-errors.js');
      throw explainParseError(thrown, typed.replaceAll(':', ' '));
    });
  }

  private async printSchema(id: string, flag: string): Promise<void> {
    const [{errorSchema, outputSchema}, {output}] = await Promise.all([import('../help/schemas.js'), loadCommand(id)]);
    const schema = flag === ERROR_SCHEMA ? errorSchema() : outputSchema(id.replaceAll(':', ' '), output?.());
    await this.context.io.out(`${toJson(schema, 2)}\n`);
  }

  /** @param id of a command that exists */
  override async runCommand<T>(id: string, argv: readonly string[] = []): Promise<T> {
    const command = await loadCommand(id);
    // Errors of oclif name it.
    command.id = id;
    return (await new command([...argv], this).execute()) as T;
  }

  /** There are no hooks. */
  override async runHook(): Promise<{successes: []; failures: []}> {
    return {successes: [], failures: []};
  }
}
