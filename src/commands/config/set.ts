// `centavo config set`: changes a setting of a profile.

import {ACCOUNT_EXITS} from '../../cli/base.js';
import {Args} from '../../cli/oclif.js';
import {SettingChangeCommand} from '../../cli/accounts/setting-change.js';
import {settingArgument, settingChange, settingNamed} from '../../cli/accounts/setting-rows.js';
import {ENVIRONMENT_PROFILE} from '../../config/profiles.js';
import {SETTINGS} from '../../config/settings.js';
import {usageError} from '../../errors.js';

export class ConfigSetCommand extends SettingChangeCommand {
  static override summary = 'Change a setting of a profile.';
  static override description = `${Object.entries(SETTINGS)
    .map(([name, {summary}]) => `${name}: ${summary}`)
    .join(
      '\n',
    )}\n\nApplies to the active profile, or to the one given with --profile. You can set limits for the profiles sandbox and ${ENVIRONMENT_PROFILE} too. Only a person at a terminal can loosen a limit that protects a live key.`;
  static override examples = [
    '<%= config.bin %> config set max_amount 50,000 --profile shop',
    '<%= config.bin %> config set max_statements_per_run 20',
    '<%= config.bin %> config set read_only true',
  ];
  static override usage = 'config set <name> <value> [flags]';
  static override args = {
    name: settingArgument,
    value: Args.string({description: 'New value. Amounts are in pesos.'}),
  };
  static risk = 'writes' as const;
  static exits = [...ACCOUNT_EXITS, 'auth'] as const;
  static output = () => settingChange;

  async run(): Promise<unknown> {
    const {args, flags} = await this.read(ConfigSetCommand);
    const name = settingNamed(args.name);
    if (args.value === undefined)
      throw usageError(`the value of ${name} is missing.`, {
        code: 'missing_argument',
        hint: 'For the values: centavo config set --help',
      });
    return this.change(name, args.value, flags);
  }
}
