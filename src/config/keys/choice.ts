// Which key is meant: that of the environment, or the one of the profile that fits --live. The key itself is read elsewhere.

import {CentavoError} from '../../errors.js';
import {checkKey, kindOfKey, maskedKey, slotWords, type KeySlot} from './keys.js';
import type {Environment} from '../../secrets.js';
import {ENVIRONMENT_PROFILE, isNamed, type Configuration, type Setting, type StoredKey} from '../profiles.js';

interface Named {
  readonly slot: KeySlot;
  /** `sk_test_…cdef` */
  readonly masked: string;
  /** `CENTAVO_SECRET_KEY`, or `profile shop (keychain)`. */
  readonly source: string;
}

/** A key from the environment. */
export interface GivenKey extends Named {
  readonly value: string;
  readonly stored?: undefined;
}

/** A key that a profile has. */
export interface ProfileKey extends Named {
  readonly value?: undefined;
  readonly stored: StoredKey;
  /** The profile's, by which stores know its keys. */
  readonly id: string;
}

export type KeyReference = GivenKey | ProfileKey;

interface Wanted {
  readonly flags: {readonly live?: boolean; readonly publicWillDo?: boolean};
  readonly env: Environment;
  readonly configuration: Configuration;
}

const noKey = (message: string, hint: string, why?: string): CentavoError =>
  new CentavoError('auth', message, {code: 'no_key', why, hint, applied: 'no'});

/**
 * A profile that `--profile` names brings its own key; else that of the environment comes first.
 * @param address where it would be sent, for the words of the error
 * @throws CentavoError kind `auth` where there is no such key
 */
export function chooseKey(
  {flags, env, configuration}: Wanted,
  named: Setting<string>,
  address: Setting<string>,
): KeyReference {
  const profile = named.value;
  const given = Boolean(env.CENTAVO_SECRET_KEY?.trim());
  if (env.CENTAVO_SECRET_KEY && given && !isNamed(named)) {
    const value = checkKey(env.CENTAVO_SECRET_KEY, 'CENTAVO_SECRET_KEY');
    const {slot} = kindOfKey(value);
    return {slot, masked: maskedKey(slot, value.slice(-4)), source: 'CENTAVO_SECRET_KEY', value};
  }
  if (profile === ENVIRONMENT_PROFILE)
    throw noKey(
      `there is no API key for ${address.value}${env.CENTAVO_SECRET_KEY === undefined ? '' : ': CENTAVO_SECRET_KEY is empty'}.`,
      `Set CENTAVO_SECRET_KEY, use the sandbox with --profile sandbox, or store a key: centavo login${address.source === 'default' ? '' : ` --base-url ${address.value}`}`,
      address.source === 'default' ? undefined : `The address comes from ${address.source}.`,
    );

  const {id = profile, keys = {}} = configuration.profiles[profile] ?? {};
  const [mode, other] = flags.live ? (['live', 'test'] as const) : (['test', 'live'] as const);
  const order = [`${mode}_secret`, `${mode}_public`] as const;
  const slot = (flags.publicWillDo ? [...order].reverse() : order).find((each) => keys[each]);
  if (slot) {
    const stored = keys[slot]!;
    return {
      slot,
      masked: maskedKey(slot, stored.last4),
      source: `profile ${profile} (${stored.store})`,
      stored,
      id,
    };
  }
  const login = `centavo login --profile ${profile}`;
  if (!keys[`${other}_secret`] && !keys[`${other}_public`])
    throw noKey(
      `the profile ${profile} has no key.`,
      given ? `Use the key of the environment with --profile env, or log in: ${login}` : `Log in: ${login}`,
      given ? `CENTAVO_SECRET_KEY is not used: --profile ${profile} uses only the key of that profile.` : undefined,
    );
  throw noKey(
    `the profile ${profile} has no ${slotWords(`${mode}_secret`)}.`,
    `${mode === 'test' ? 'For the live key add --live; to' : 'To'} store one: ${login}`,
    mode === 'test'
      ? 'It has a live key, which is used with --live.'
      : 'It has a test key, and --live asks for a live one.',
  );
}
