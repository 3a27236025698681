// Names, reads and prints settings for `centavo config`.

import * as schema from '../../../cli/schema.js';
import {Args, Flags} from '../../../cli/oclif.js';
import {SANDBOX_PROFILE, type Setting} from '../../../config/profiles.js';
import {resolveEndpoint, resolveProfile, resolveSetting} from '../../../config/resolve.js';
import {SETTING_NAMES, type SettingName, SETTINGS, type SettingValue} from '../../../config/settings.js';
import type {Context} from '../../../context/context.js';
import {usageError} from '../../../common/errors.js';
import {formatPesos} from '../../../common/pesos.js';
import {quote} from '../../../input/money.js';
import {nearestWord} from '../../../input/nearest.js';

/** Name under which the active profile is listed as a setting. */
export const PROFILE_SETTING = 'profile';
export type AnySetting = SettingName | typeof PROFILE_SETTING;

export const ALL_SETTINGS: readonly AnySetting[] = [PROFILE_SETTING, ...SETTING_NAMES];

export function settingNamed(text: string | undefined): AnySetting {
  const name = text?.replaceAll('-', '_');
  if (name !== undefined && (ALL_SETTINGS as readonly string[]).includes(name)) return name as AnySetting;
  const guess = name === undefined ? undefined : nearestWord(name.toLowerCase(), ALL_SETTINGS);
  throw usageError(
    text === undefined ? 'missing_argument' : 'unknown_setting',
    text === undefined ? 'the name of a setting is missing.' : `unknown setting: ${quote(text)}.`,
    {hint: `${guess === undefined ? '' : `Did you mean ${guess}? `}Settings: ${ALL_SETTINGS.join(', ')}`},
  );
}

export async function settingRow(context: Context, name: AnySetting) {
  const input = await context.settingsInput();
  const profile = resolveProfile(input);
  const row = ({value, source}: Setting<SettingValue | undefined>) => ({name, value: value ?? null, source});
  if (name === PROFILE_SETTING) return row(profile);
  if (!SETTINGS[name].needsAccount) return row(resolveSetting(name, profile, input));
  if (profile.value === SANDBOX_PROFILE) return row({value: undefined, source: 'the sandbox is embedded'});
  const {baseUrl, encoding} = resolveEndpoint(profile, input);
  return row(name === 'base_url' ? baseUrl : encoding);
}

export const shownValue = ({name, value}: {name: AnySetting; value: SettingValue | null}): string =>
  value === null
    ? ''
    : name === 'max_amount'
      ? formatPesos(Number(value))
      : name === 'timeout'
        ? `${String(value)}s`
        : String(value);

const settingValue = schema.nullable<boolean | number | string>({type: ['string', 'integer', 'boolean']});

export const SETTING = schema.record({name: schema.text, value: settingValue, source: schema.text});
export const SETTING_CHANGE = schema.record({profile: schema.text, name: schema.text, value: settingValue});

export const settingArgument = Args.string({
  description: 'Setting. To list them: centavo config list',
  helpValue: `<${ALL_SETTINGS.join('|')}>`,
});
export const showOrigin = {'show-origin': Flags.boolean({summary: 'Show where each value comes from.'})};
