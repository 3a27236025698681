// `centavo help`: shows help for a command or topic.

import {loadHelpClass} from '@oclif/core';
import {BaseCommand, severalWords} from '../cli/base.js';

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
