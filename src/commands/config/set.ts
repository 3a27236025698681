// `centavo config set` and `centavo config unset`: change a setting of a profile.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import type {GlobalFlags} from '../../cli/global-flags.js';
import {resultOfRecord} from '../../cli/records.js';
import {Args} from '../../cli/oclif.js';
import {ENVIRONMENT_PROFILE, SANDBOX_PROFILE, type Profile, withProfile} from '../../config/profiles.js';
import {resolveProfile} from '../../config/resolve.js';
import {type SettingName, SETTINGS, type SettingValue} from '../../config/settings.js';
import type {Context} from '../../context/context.js';
import {nextCommand, usageError} from '../../common/errors.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {shellQuote} from '../../common/next-text.js';
import {permitLimits} from './shared/limit-changes.js';
import {
  type AnySetting,
  PROFILE_SETTING,
  SETTING_CHANGE,
  settingArgument,
  settingNamed,
  shownValue,
} from './shared/setting-rows.js';

abstract class SettingChangeCommand extends BaseCommand {
  static risk = 'writes' as const;
  static exits = [...ACCOUNT_EXITS, 'auth'] as const;
  static output = () => SETTING_CHANGE;

  /** @param value undefined removes the setting */
  protected async change(setting: AnySetting, value: string | undefined, flags: GlobalFlags): Promise<void> {
    const {context} = this;
    const name = profileSettingName(setting, value);
    const {value: profile} = resolveProfile(await context.settingsInput());
    if (profile === SANDBOX_PROFILE && SETTINGS[name].needsAccount) {
      throw usageError('invalid_setting', `the sandbox is built in and has no ${name}.`, {
        hint: 'Choose a profile: --profile <name>',
      });
    }
    const parsed = value === undefined ? undefined : valueOrThrow<SettingValue>(SETTINGS[name].read(value), name);
    // Refuses a URL that no key may be sent to.
    if (name === 'base_url' && parsed !== undefined)
      await context.clientOf({key: '', baseUrl: await urlOf(context, parsed), encoding: 'json'});
    const record = {profile, name, value: parsed ?? null};
    if (flags['dry-run']) {
      const shown = shownValue(record) || 'unset';
      return context.io.note(`Nothing was changed. ${name} of ${profile} would be ${shown}.`);
    }
    const changed = (settings: Profile['settings']): Profile['settings'] => {
      const {[name]: _, ...others} = settings;
      return {...others, ...(parsed !== undefined && {[name]: parsed})};
    };
    const command = `config ${value === undefined ? 'unset' : 'set'}`;
    const limits = await permitLimits(context, profile, changed, {command, what: `change the limits of ${profile}`});
    await context.configuration.update((configuration) => {
      limits.begin(configuration);
      return withProfile(configuration, profile, (own) => ({...own, settings: changed(own.settings)}));
    });
    await this.printDone(
      resultOfRecord(SETTING_CHANGE, this.rendering.format ? record : {...record, value: shownValue(record)}),
    );
    const {variable} = SETTINGS[name];
    if (variable && context.env[variable]) context.io.note(`${variable} is set, and overrides it.`);
  }
}

export class ConfigSetCommand extends SettingChangeCommand {
  static override summary = 'Change a setting of a profile.';
  static override description = `${Object.entries(SETTINGS)
    .map(([name, {summary}]) => `${name}: ${summary}`)
    .join(
      '\n',
    )}\n\nApplies to the active profile, or to the profile given with --profile. You can set limits for the profiles sandbox and ${ENVIRONMENT_PROFILE} too. Only a person at a terminal can loosen a limit that protects a live key, or set agents to allow. With ask, a person approves each.`;
  static override examples = [
    '<%= config.bin %> config set max_amount 50,000 --profile shop',
    '<%= config.bin %> config set max_statements_per_run 20',
    '<%= config.bin %> config set read_only true',
    '<%= config.bin %> config set agents allow --profile shop',
  ];
  static override args = {
    name: settingArgument,
    value: Args.string({description: 'New value. Amounts are in pesos.'}),
  };

  async run(): Promise<void> {
    const {args, flags} = await this.read(ConfigSetCommand);
    const name = settingNamed(args.name);
    if (args.value === undefined)
      throw usageError('missing_argument', `the value of ${name} is missing.`, {
        next: [nextCommand('For the values', 'config set --help')],
      });
    return this.change(name, args.value, flags);
  }
}

export class ConfigUnsetCommand extends SettingChangeCommand {
  static override summary = 'Remove a setting of a profile, and use the default again.';
  static override description = 'Only a person at a terminal can remove a limit that protects a live key.';
  static override examples = ['<%= config.bin %> config unset max_amount --profile shop'];
  static override args = {name: settingArgument};

  async run(): Promise<void> {
    const {args, flags} = await this.read(ConfigUnsetCommand);
    return this.change(settingNamed(args.name), undefined, flags);
  }
}

/** @throws usage error for the active profile, which `profiles use` changes */
function profileSettingName(name: AnySetting, value: string | undefined): SettingName {
  if (name !== PROFILE_SETTING) return name;
  throw usageError('invalid_setting', 'the active profile is not a setting.', {
    hint: `centavo profiles use ${value ? shellQuote(value) : '<name>'}`,
  });
}

async function urlOf(context: Context, address: SettingValue): Promise<string> {
  const {endpoints} = await context.settingsInput();
  const name = String(address);
  return (Object.hasOwn(endpoints, name) ? endpoints[name]?.baseUrl : undefined) ?? name;
}
