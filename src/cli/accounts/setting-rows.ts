// Names of settings as arguments, and their values as rows.

import type {Context} from '../../context.js';
import {SANDBOX_PROFILE, type Setting} from '../../config/profiles.js';
import {resolveEndpoint, resolveProfile, resolveSetting} from '../../config/resolve.js';
import {SETTINGS, SETTING_NAMES, type SettingName, type SettingValue} from '../../config/settings.js';
import {usageError} from '../../errors.js';
import {quote} from '../../input/money.js';
import {formatPesos} from '../../pesos.js';
import type {Column} from '../../output/render.js';
import {recordColumns} from '../columns.js';
import {nearest} from '../parse-errors.js';

/** Which profile is active is a setting as well, though none of a profile. */
export const PROFILE_SETTING = 'profile';
export type AnySetting = SettingName | typeof PROFILE_SETTING;

export const ALL_SETTINGS: readonly AnySetting[] = [PROFILE_SETTING, ...SETTING_NAMES];

/** @throws CentavoError kind `usage` */
export function settingNamed(text: string | undefined): AnySetting {
  const name = text?.replaceAll('-', '_');
  if (name !== undefined && (ALL_SETTINGS as readonly string[]).includes(name)) return name as AnySetting;
  const guess = name === undefined ? undefined : nearest(name.toLowerCase(), ALL_SETTINGS);
  throw usageError(text === undefined ? 'the name of a setting is missing.' : `there is no setting ${quote(text)}.`, {
    code: text === undefined ? 'missing_argument' : 'unknown_setting',
    hint: `${guess === undefined ? '' : `Did you mean ${guess}? `}Settings: ${ALL_SETTINGS.join(', ')}`,
  });
}

/** One setting as it holds, and who said so. */
export interface SettingRow {
  readonly name: AnySetting;
  readonly value: SettingValue | null;
  readonly source: string;
  readonly [other: string]: unknown;
}

/** @throws CentavoError kind `config` */
export async function settingRow(context: Context, name: AnySetting): Promise<SettingRow> {
  const surroundings = await context.surroundings();
  const profile = resolveProfile(surroundings);
  const row = ({value, source}: Setting<SettingValue | undefined>): SettingRow => ({
    name,
    value: value ?? null,
    source,
  });
  if (name === PROFILE_SETTING) return row(profile);
  if (!SETTINGS[name].needsAccount) return row(resolveSetting(name, profile, surroundings));
  if (profile.value === SANDBOX_PROFILE) return row({value: undefined, source: 'the sandbox is embedded'});
  const {baseUrl, encoding} = resolveEndpoint(profile, surroundings);
  return row(name === 'base_url' ? baseUrl : encoding);
}

/** The value as a person reads it. */
export const shownValue = ({name, value}: SettingRow): string =>
  value === null
    ? ''
    : name === 'max_amount'
      ? formatPesos(Number(value))
      : name === 'timeout'
        ? `${String(value)}s`
        : String(value);

export const settingColumns = (origin: boolean): Column[] =>
  recordColumns(['name', 'value', ...(origin ? ['source'] : [])]);
