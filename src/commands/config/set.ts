// `centavo config set <name> <value>` and `centavo config unset <name>`: what a profile says from now on.

import {Args} from '@oclif/core';
import {BaseCommand, type GlobalFlags} from '../../cli/base.js';
import {resultOfRecord} from '../../cli/columns.js';
import {PROFILE_SETTING, settingNamed, shownValue, type AnySetting} from '../../cli/accounts/setting-rows.js';
import {ENVIRONMENT_PROFILE, SANDBOX_PROFILE, withProfile, type Profile} from '../../config/profiles.js';
import {resolveProfile} from '../../config/resolve.js';
import {SETTINGS, type SettingName, type SettingValue} from '../../config/settings.js';
import type {Context} from '../../context.js';
import {usageError} from '../../errors.js';
import {shellQuote} from '../../input/shell-words.js';

const NAME = Args.string({description: 'A setting; config list names them.'});

abstract class ChangeCommand extends BaseCommand {
  /** @param value undefined takes the setting away */
  protected async change(text: string | undefined, value: string | undefined, flags: GlobalFlags): Promise<unknown> {
    const {context} = this;
    const name = ofProfile(settingNamed(text), value);
    const {value: profile} = resolveProfile(await context.surroundings());
    if (profile === SANDBOX_PROFILE && SETTINGS[name].needsAccount) {
      throw usageError(`the sandbox is embedded and has no ${name}.`, {
        code: 'invalid_setting',
        hint: 'Name a profile: --profile <name>',
      });
    }
    const parsed = value === undefined ? undefined : SETTINGS[name].parse(value, name);
    if (name === 'base_url' && parsed !== undefined) await checkAddress(context, parsed);
    const record = {profile, name, value: parsed ?? null};
    if (flags['dry-run']) {
      const shown = shownValue({...record, source: ''});
      return void context.io.note(`Nothing was changed: ${name} of ${profile} would be ${shown || 'unset'}.`);
    }
    const after = await context.configuration.update((configuration) =>
      withProfile(configuration, profile, (own) => {
        const {[name]: _, ...others} = own.settings;
        return {...own, settings: {...others, ...(parsed !== undefined && {[name]: parsed})}};
      }),
    );
    await this.printDone(resultOfRecord({...record, value: shownOrRaw(record, this.rendering.format)}));
    const {variable} = SETTINGS[name];
    if (variable && context.env[variable]) context.io.note(`${variable} is set, and comes before it.`);
    if (name === 'base_url') await this.tellOfKeys(profile, after.profiles[profile]!, parsed);
    return record;
  }

  /** Keys stay with the address where they were checked; without a word every command would end at that from now on. */
  private async tellOfKeys(profile: string, {keys}: Profile, address: SettingValue | undefined): Promise<void> {
    const {context} = this;
    const {origin} = new URL(await urlOf(context, address ?? SETTINGS.base_url.default!));
    const other = Object.values(keys).find((key) => key.origin !== origin);
    if (!other) return;
    context.io.note(
      `Keys that were stored for ${other.origin} are sent nowhere else. To store one for ${origin}: centavo login --profile ${profile}`,
    );
  }
}

export class ConfigSetCommand extends ChangeCommand {
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
  static override args = {name: NAME, value: Args.string({description: 'What it is to be; amounts are in pesos.'})};

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

const shownOrRaw = (record: {name: SettingName; value: SettingValue | null}, format: string | undefined) =>
  format === undefined ? shownValue({...record, source: ''}) : record.value;

/** @throws CentavoError kind `usage` for the one setting that has a command of its own */
function ofProfile(name: AnySetting, value: string | undefined): SettingName {
  if (name !== PROFILE_SETTING) return name;
  throw usageError('which profile is active is not set here.', {
    code: 'invalid_setting',
    hint: `centavo profiles use ${value ? shellQuote(value) : '<name>'}`,
  });
}

/** @throws CentavoError kind `refused` or `config` for an address that a key must not be sent to */
async function checkAddress(context: Context, address: SettingValue): Promise<void> {
  await context.clientOf({key: '', baseUrl: await urlOf(context, address), encoding: 'json'});
}

async function urlOf(context: Context, address: SettingValue): Promise<string> {
  const {endpoints} = await context.surroundings();
  const name = String(address);
  return (Object.hasOwn(endpoints, name) ? endpoints[name]?.baseUrl : undefined) ?? name;
}
