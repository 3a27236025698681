// `centavo help`, `help exit-codes` and `help flags`. cli/help/help.ts prints the help of commands and topics.

import {BaseCommand, severalWords} from '../cli/base.js';
import {globalFlags} from '../cli/global-flags.js';
import {helpPageSchema} from '../cli/help/help-json.js';
import {resultOfRecords} from '../cli/records.js';
import {integerSchema, listPageSchema, recordSchema, textSchema} from '../cli/schema.js';
import {EXIT_CODES} from '../common/errors.js';

const EXIT_CODE = recordSchema({code: integerSchema, name: textSchema, meaning: textSchema});
const GLOBAL_FLAG = recordSchema({flag: textSchema, meaning: textSchema});

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
  static output = () => helpPageSchema;

  async run(): Promise<void> {
    const {args} = await this.read(HelpCommand);
    const {unknownCommandError} = await import('../cli/dispatch/unknown-command.js');
    throw unknownCommandError(args.command ?? [], this.config);
  }
}

export class ExitCodesCommand extends BaseCommand {
  static override summary = 'List the exit codes and what they mean.';
  static override examples = ['<%= config.bin %> help exit-codes', '<%= config.bin %> help exit-codes --json'];
  static risk = 'reads' as const;
  static exits = [] as const;
  static output = () => listPageSchema(EXIT_CODE);

  async run(): Promise<void> {
    await this.read(ExitCodesCommand);
    const rows = Object.entries(EXIT_CODES).map(([name, {exit, meaning}]) => ({code: exit, name, meaning}));
    await this.print(resultOfRecords(EXIT_CODE, rows));
  }
}

export class FlagsCommand extends BaseCommand {
  static override summary = 'List the global flags.';
  static override examples = ['<%= config.bin %> help flags'];
  static risk = 'reads' as const;
  static exits = [] as const;
  static output = () => listPageSchema(GLOBAL_FLAG);

  async run(): Promise<void> {
    await this.read(FlagsCommand);
    const rows = Object.entries(globalFlags).map(([name, flag]) => ({
      flag: `${flag.char ? `-${flag.char}, ` : ''}--${name}${'helpValue' in flag && flag.helpValue ? ` ${String(flag.helpValue)}` : ''}`,
      meaning: flag.summary,
    }));
    await this.print(resultOfRecords(GLOBAL_FLAG, rows));
  }
}
