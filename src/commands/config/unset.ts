// `centavo config unset`: takes a setting of a profile away.

import {ACCOUNT_EXITS} from '../../cli/base.js';
import {SettingChangeCommand} from '../../cli/accounts/setting-change.js';
import {settingArgument, settingChange, settingNamed} from '../../cli/accounts/setting-rows.js';

export class ConfigUnsetCommand extends SettingChangeCommand {
  static override summary = 'Remove a setting of a profile, and use the default again.';
  static override description = 'Only a person at a terminal can remove a limit that protects a live key.';
  static override examples = ['<%= config.bin %> config unset max_amount --profile shop'];
  static override usage = 'config unset <name> [flags]';
  static override args = {name: settingArgument};
  static risk = 'writes' as const;
  static exits = [...ACCOUNT_EXITS, 'auth'] as const;
  static output = () => settingChange;

  async run(): Promise<unknown> {
    const {args, flags} = await this.read(ConfigUnsetCommand);
    return this.change(settingNamed(args.name), undefined, flags);
  }
}
