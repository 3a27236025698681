// What `centavo config set` and `centavo config unset` share: changes a setting of a profile.

import {SANDBOX_PROFILE, type Profile, withProfile} from '../../config/profiles.js';
import {resolveProfile} from '../../config/resolve.js';
import {type SettingName, SETTINGS, type SettingValue} from '../../config/settings.js';
import type {Context} from '../../context.js';
import {usageError} from '../../errors.js';
import {shellQuote} from '../../input/shell-words.js';
import {BaseCommand} from '../base.js';
import type {GlobalFlags} from '../global-flags.js';
import {resultOfRecord} from '../columns.js';
import {permitLimits} from './limit-changes.js';
import {type AnySetting, PROFILE_SETTING, shownValue} from './setting-rows.js';

export abstract class SettingChangeCommand extends BaseCommand {
  /** @param value undefined takes the setting away */
  protected async change(setting: AnySetting, value: string | undefined, flags: GlobalFlags): Promise<unknown> {
    const {context} = this;
    const name = ofProfile(setting, value);
    const {value: profile} = resolveProfile(await context.surroundings());
    if (profile === SANDBOX_PROFILE && SETTINGS[name].needsAccount) {
      throw usageError(`the sandbox is built in and has no ${name}.`, {
        code: 'invalid_setting',
        hint: 'Choose a profile: --profile <name>',
      });
    }
    const parsed = value === undefined ? undefined : SETTINGS[name].parse(value, name);
    // An address that no key may be sent to is refused.
    if (name === 'base_url' && parsed !== undefined)
      await context.clientOf({key: '', baseUrl: await urlOf(context, parsed), encoding: 'json'});
    const record = {profile, name, value: parsed ?? null};
    if (flags['dry-run']) {
      const shown = shownValue(record) || 'unset';
      return void context.io.note(`Nothing was changed. ${name} of ${profile} would be ${shown}.`);
    }
    const changed = (settings: Profile['settings']): Profile['settings'] => {
      const {[name]: _, ...others} = settings;
      return {...others, ...(parsed !== undefined && {[name]: parsed})};
    };
    const command = `config ${value === undefined ? 'unset' : 'set'}`;
    const limits = await permitLimits(context, profile, changed, {command, what: `change the limits of ${profile}`});
    const after = await context.configuration.update((configuration) => {
      limits.begin(configuration);
      return withProfile(configuration, profile, (own) => ({...own, settings: changed(own.settings)}));
    });
    await this.printDone(resultOfRecord(this.rendering.format ? record : {...record, value: shownValue(record)}));
    const {variable} = SETTINGS[name];
    if (variable && context.env[variable]) context.io.note(`${variable} is set, and overrides it.`);
    if (name === 'base_url') await this.tellOfKeys(profile, after.profiles[profile]!, parsed);
    return record;
  }

  /** Keys stay with the address where they were checked. Without this note, every command would fail from now on without a visible reason. */
  private async tellOfKeys(profile: string, {keys}: Profile, address: SettingValue | undefined): Promise<void> {
    const {context} = this;
    const {origin} = new URL(await urlOf(context, address ?? SETTINGS.base_url.default!));
    const other = Object.values(keys).find((key) => key.origin !== origin);
    if (!other) return;
    context.io.note(
      `The stored keys are for ${other.origin} and are not sent anywhere else. To store one for ${origin}: centavo login --profile ${profile}`,
    );
  }
}

/** @throws CentavoError kind `usage` for the one setting that has a command of its own */
function ofProfile(name: AnySetting, value: string | undefined): SettingName {
  if (name !== PROFILE_SETTING) return name;
  throw usageError('the active profile is not a setting.', {
    code: 'invalid_setting',
    hint: `centavo profiles use ${value ? shellQuote(value) : '<name>'}`,
  });
}

async function urlOf(context: Context, address: SettingValue): Promise<string> {
  const {endpoints} = await context.surroundings();
  const name = String(address);
  return (Object.hasOwn(endpoints, name) ? endpoints[name]?.baseUrl : undefined) ?? name;
}
