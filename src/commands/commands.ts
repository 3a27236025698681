// `centavo commands` lists the commands. `centavo help` shows a page; as JSON, what `commands` prints.
// cli/help/help.ts prints the pages.

import {BaseCommand, severalWords} from '../cli/base.js';
import {describeCommand, describeFlags} from '../cli/help/described.js';
import {resultOfRecords} from '../cli/records.js';
import * as schema from '../cli/schema.js';
import type {CommandCatalog} from '../cli/catalog/command-catalog.js';
import {longId} from '../cli/catalog/short-names.js';

const flags = schema.map(schema.record({}, {type: schema.text}));
const exitCodes = schema.list(schema.integer);
const COMMAND: schema.RecordSchema = schema.record(
  {
    id: schema.titled('command', schema.text),
    summary: schema.text,
    risk: schema.text,
    examples: schema.list(schema.text),
  },
  {
    ...schema.fieldsNamed('short_name description agents', schema.text),
    exit_codes: exitCodes,
    arguments: schema.list(schema.record({name: schema.text}, {type: schema.text})),
    flags,
    operation: schema.record({method: schema.text, path: schema.text, client: schema.text}),
  },
);
const commandsSchema = () => schema.page(COMMAND, {global_exit_codes: exitCodes}, {global_flags: flags});

export class CommandsCommand extends BaseCommand {
  static override summary = 'List all commands. With --json: arguments, flags and exit codes too.';
  static override description =
    'Name a topic or a command to narrow the list. A list of commands is brief; a single command is described in full. Global flags and exit codes are listed once.\n\n' +
    'Types in --json: the default is text; money is an amount in pesos (1,250.50); date is a day or a time (2026-12-15, +30d); duration is 30s or 2m; reference is an id; pair is key=value; item is "text x2 @ pesos". You can repeat list, pair and item. Risk is the most that a command can do: reads, writes, destroys, bills (asks a customer to pay) or moves_money. Agents: in live mode, an agent runs it, hands_over to a person, or never.';
  static override examples = [
    '<%= config.bin %> commands',
    '<%= config.bin %> commands --json',
    '<%= config.bin %> commands billing-statements --json',
    '<%= config.bin %> commands billing-statements create --json',
  ];
  static override usage = 'commands [topic or command...] [flags]';
  static override args = {words: severalWords({description: 'Topic or command.'})};
  static risk = 'reads' as const;
  static exits = [];
  static output = commandsSchema;

  async run(): Promise<void> {
    const {args} = await this.read(CommandsCommand);
    const {index, bin} = this.config as CommandCatalog;
    const words = (args.words ?? []).flatMap((word) => word.split(' '));
    const prefix = longId(words.join(':'));
    const found = Object.entries(index.commands).filter(
      ([id]) => prefix === '' || id === prefix || id.startsWith(`${prefix}:`),
    );
    if (found.length === 0) {
      const {unknownCommandError} = await import('../cli/dispatch/unknown-command.js');
      throw unknownCommandError(words, this.config, 'commands ');
    }
    const data = found.map(([id, entry]) => describeCommand(id, entry, {bin, whole: found.length === 1}));
    const globals = {
      global_exit_codes: index.globalExitCodes,
      ...(prefix === '' && {global_flags: describeFlags(index.globalFlags)}),
    };
    const document = {resource: 'list', has_more: false, ...globals, data};
    await this.print(resultOfRecords(COMMAND, data, {columns: ['id', 'summary'], document, compact: true}));
  }
}

export class HelpCommand extends BaseCommand {
  static override summary = 'Show help for a command or topic.';
  static override examples = [
    '<%= config.bin %> help',
    '<%= config.bin %> help billing-statements create',
    '<%= config.bin %> help exit-codes',
  ];
  static override usage = 'help [command...]';
  static override args = {command: severalWords({description: 'Command or topic.'})};
  static risk = 'reads' as const;
  static exits = [] as const;
  static output = commandsSchema;

  async run(): Promise<void> {
    const {args} = await this.read(HelpCommand);
    const {unknownCommandError} = await import('../cli/dispatch/unknown-command.js');
    throw unknownCommandError(args.command ?? [], this.config);
  }
}
