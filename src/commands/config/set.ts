// `centavo config set`: changes a setting of a profile.

import {ACCOUNT_EXITS} from '../../cli/base.js';
import {Args} from '../../cli/oclif.js';
import {SettingChangeCommand} from '../../cli/accounts/setting-change.js';
import {settingArgument, settingChange, settingNamed} from '../../cli/accounts/setting-rows.js';
import {ENVIRONMENT_PROFILE} from '../../config/profiles.js';
import {SETTINGS} from '../../config/settings.js';
import {usageError} from '../../errors.js';

export class ConfigSetCommand extends SettingChangeCommand {
  static override summary = 'Set something for a profile.';
  static override description = `${Object.entries(SETTINGS)
    .map(([name, {summary}]) => `${name}: ${summary}`)
    .join(
      '\n',
    )}\n\nOf the active profile, or the one that --profile names; sandbox and ${ENVIRONMENT_PROFILE} may have limits as well.`;
  static override examples = [
    '<%= config.bin %> config set max_amount 50,000 --profile shop',
    '<%= config.bin %> config set max_statements_per_run 20',
    '<%= config.bin %> config set read_only true',
  ];
  static override usage = 'config set <name> <value> [flags]';
  static override args = {
    name: settingArgument,
    value: Args.string({description: 'What it is to be; amounts are in pesos.'}),
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
        hint: `To take it away: centavo config unset ${name}`,
      });
    return this.change(name, args.value, flags);
  }
}
