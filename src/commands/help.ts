// `centavo help`: shows help, the global flags, and the exit codes.

import {loadHelpClass} from '@oclif/core';
import {BaseCommand, globalFlags, severalWords} from '../cli/base.js';
import {recordColumns, resultOfRecords} from '../cli/columns.js';
import {EXIT_CODES} from '../errors.js';

export class HelpCommand extends BaseCommand {
  static override summary = 'Show help for a command or topic.';
  static override examples = [
    '<%= config.bin %> help',
    '<%= config.bin %> help billing-statements create',
    '<%= config.bin %> help exit-codes',
  ];
  static override usage = 'help [command...]';
  static override args = {command: severalWords({description: 'Command or topic.'})};

  async run(): Promise<void> {
    const {args} = await this.read(HelpCommand);
    const Help = await loadHelpClass(this.config);
    await new Help(this.config, this.config.pjson.oclif.helpOptions ?? {}).showHelp(args.command ?? []);
  }
}

export class FlagsCommand extends BaseCommand {
  static override summary = 'List the flags that every command has.';
  static override examples = ['<%= config.bin %> help flags'];

  async run(): Promise<unknown> {
    await this.read(FlagsCommand);
    const rows = Object.entries(globalFlags).map(([name, flag]) => ({
      flag: `${flag.char ? `-${flag.char}, ` : ''}--${name}${'helpValue' in flag && flag.helpValue ? ` ${String(flag.helpValue)}` : ''}`,
      meaning: flag.summary,
    }));
    await this.print(resultOfRecords(rows, recordColumns(['flag', 'meaning'])));
    return rows;
  }
}

export class ExitCodesCommand extends BaseCommand {
  static override summary = 'List the exit codes and what they mean.';
  static override examples = ['<%= config.bin %> help exit-codes', '<%= config.bin %> help exit-codes --json'];

  async run(): Promise<unknown> {
    await this.read(ExitCodesCommand);
    const rows = Object.entries(EXIT_CODES).map(([name, {exit, meaning}]) => ({code: exit, name, meaning}));
    await this.print(resultOfRecords(rows, recordColumns(['code', 'name', 'meaning'])));
    return rows;
  }
}
