// `centavo config unset <name>`: what a profile says no more.

import {ChangeCommand, NAME} from './change.js';

export class ConfigUnsetCommand extends ChangeCommand {
  static override summary = 'Take a setting of a profile away, so that the default holds.';
  static override examples = ['<%= config.bin %> config unset max_amount --profile shop'];
  static override usage = 'config unset <name> [flags]';
  static override args = {name: NAME};

  async run(): Promise<unknown> {
    const {args, flags} = await this.read(ConfigUnsetCommand);
    return this.change(args.name, undefined, flags);
  }
}
