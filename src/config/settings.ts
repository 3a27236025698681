// The settings, with their environment variables, checks and defaults.

import {InvalidInput} from '../input/invalid-input.js';
import {readPesos} from '../input/money.js';
import {readDuration} from '../input/quantities.js';

export interface SettingsTable {
  agents: 'allow' | 'ask';
  base_url: string;
  encoding: 'form' | 'json';
  /** Centavos. */
  max_amount: number;
  max_statements_per_run: number;
  read_only: boolean;
  /** Seconds. */
  timeout: number;
}

export type SettingName = keyof SettingsTable;
export type SettingValue = SettingsTable[SettingName];

interface SettingSpec<T> {
  readonly summary: string;
  /** Environment variable that overrides the profile. Limits have none, so that only the profile can lift a limit. */
  readonly variable?: string;
  /** Allowed values, as the end of a sentence. */
  readonly form: string;
  readonly read: (text: string) => InvalidInput | T;
  readonly holds: (value: unknown) => boolean;
  /** True for settings that the sandbox lacks, because it has no address. */
  readonly needsAccount?: true;
  readonly default?: T;
}

const invalidSetting = (text: string, form: string): InvalidInput =>
  new InvalidInput(`cannot be ${JSON.stringify(text.slice(0, 60))}: ${form}.`, {code: 'invalid_setting'});

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

const COUNT_FORM = 'it must be a whole number of 1 or more';
const URL_FORM = 'it must be payrex, sandbox, or a URL such as https://api.example';

/** Returns the text without the part before an @, which may be a password. */
export const shownAddress = (text: string): string => text.replace(/^.*@/s, '…@');

function oneOf<const T extends SettingValue>(values: readonly T[]) {
  const form = `it must be ${values.join(' or ')}`;
  return {
    form,
    read: (text: string): InvalidInput | T =>
      values.find((value) => String(value) === text) ?? invalidSetting(text, form),
    holds: (value: unknown): boolean => values.some((allowed) => allowed === value),
  };
}

export const SETTINGS: {readonly [N in SettingName]: SettingSpec<SettingsTable[N]>} = {
  base_url: {
    summary: 'API address: payrex, sandbox (started with sandbox serve), or a URL.',
    variable: 'CENTAVO_BASE_URL',
    form: URL_FORM,
    // URL would accept localhost:4010 and take localhost as the scheme.
    read: (text) =>
      /^(payrex|sandbox)$/.test(text) || (URL.canParse(text) && /^\s*\w+:\/\//.test(text))
        ? text
        : invalidSetting(shownAddress(text), URL_FORM),
    holds: (value) => typeof value === 'string' && value !== '',
    needsAccount: true,
    default: 'payrex',
  },
  encoding: {
    summary: 'Encoding of requests: json or form.',
    variable: 'CENTAVO_ENCODING',
    ...oneOf(['json', 'form']),
    needsAccount: true,
  },
  timeout: {
    summary: 'Time limit for each API call, such as 30s or 2m.',
    variable: 'CENTAVO_TIMEOUT',
    form: 'it must be a time such as 30s or 2m',
    read: (text) => {
      const seconds = readDuration(text);
      return seconds === 0 ? invalidSetting(text, 'it must be longer than 0') : seconds;
    },
    holds: isCount,
    default: 30,
  },
  read_only: {
    summary: 'Refuse every change: true or false.',
    ...oneOf<boolean>([true, false]),
    default: false,
  },
  max_amount: {
    summary: 'Largest amount of a single change, in pesos. JSON shows it in centavos.',
    form: 'it must be a whole number of centavos, 1 or more',
    read: (text) => {
      const centavos = readPesos(text);
      return centavos === 0 ? invalidSetting(text, 'to refuse every change, set read_only') : centavos;
    },
    holds: isCount,
  },
  agents: {
    summary: 'Live changes by an agent: ask or allow.',
    ...oneOf(['ask', 'allow']),
    default: 'ask',
  },
  max_statements_per_run: {
    summary: 'Maximum number of billing statements that one command can change.',
    form: COUNT_FORM,
    read: (text) => (/^[1-9]\d{0,6}$/.test(text) ? Number(text) : invalidSetting(text, COUNT_FORM)),
    holds: isCount,
  },
};

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export const LIMITS = [
  'read_only',
  'max_amount',
  'max_statements_per_run',
  'agents',
] as const satisfies readonly SettingName[];

/** Returns a limit as a number for comparison: the larger, the looser. */
export const limitHeadroom = (name: SettingName, value: SettingValue | undefined): number =>
  value === true || (name === 'agents' && value !== 'allow') ? 0 : typeof value === 'number' ? value : Infinity;
