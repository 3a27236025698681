// What setting and unsetting share: whose setting it is, whether it can be that, and what is said afterwards.

import {Args} from '@oclif/core';
import type {Context} from '../../context.js';
import {SANDBOX_PROFILE, withProfile, type Profile} from '../../config/profiles.js';
import {resolveProfile} from '../../config/resolve.js';
import {SETTINGS, type SettingName, type SettingValue} from '../../config/settings.js';
import {usageError} from '../../errors.js';
import {BaseCommand, type GlobalFlags} from '../../cli/base.js';
import {resultOfRecord} from '../../cli/columns.js';
import {shellQuote} from '../../input/shell-words.js';
import {PROFILE_SETTING, settingNamed, shownValue, type AnySetting} from './setting-names.js';

export const NAME = Args.string({description: 'A setting; config list names them.'});

export abstract class ChangeCommand extends BaseCommand {
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
