// `centavo help`: the page of a command or topic. cli/help/help.ts finds it before any command runs.

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
  static risk = 'reads' as const;
  static exits = [] as const;
  static output = undefined;

  async run(): Promise<void> {
    const {args} = await this.read(HelpCommand);
    const {unknownCommandError} = await import('../cli/line/unknown-command.js');
    throw unknownCommandError(args.command ?? [], this.config);
  }
}
