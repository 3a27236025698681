// Profiles as data: accounts by name, with their settings and a description of their keys.

import {CentavoError} from '../errors.js';
import type {KeySlot} from './keys/keys.js';
import type {OwnStore} from './keys/key-store.js';
import type {Settings} from './settings.js';

interface Known {
  /** The key's last four characters, to be shown. */
  readonly last4: string;
  /** The only origin that the key may be sent to: the one where it was checked. */
  readonly origin: string;
  /** Unix seconds; null when it was stored without being checked. */
  readonly checked_at: number | null;
}

/** A key in one of our stores. The key that is read back must have this fingerprint. */
export interface KeyInStore extends Known {
  readonly store: OwnStore;
  readonly fingerprint: string;
}

/** A key that a program prints. It may print a different key each time, so there is no fingerprint. */
export interface CommandKey extends Known {
  readonly store: 'command';
  readonly fingerprint?: undefined;
  readonly command: readonly string[];
}

/** Everything about a key of a profile except the key itself. */
export type StoredKey = KeyInStore | CommandKey;

export interface Profile {
  /** Part of the names of its keys in the keychain. It stays the same when the profile is renamed. */
  readonly id?: string;
  /** The account, as far as the API tells. */
  readonly merchant?: {readonly id: string; readonly name: string | null};
  readonly keys: Partial<Record<KeySlot, StoredKey>>;
  /** Keys that it has or had, as {@link knownKeys} writes them. Its limits bind them wherever they are used. */
  readonly known_keys?: readonly string[];
  readonly settings: Readonly<Partial<Settings>>;
}

export interface Configuration {
  /** The active profile; undefined until one was chosen. */
  readonly profile?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
  /** What a later version put beside them. */
  readonly others?: Readonly<Record<string, unknown>>;
}

export const EMPTY: Configuration = {profiles: Object.create(null) as {}};

/** The profile that needs nothing: the sandbox embedded here. */
export const SANDBOX_PROFILE = 'sandbox';
/** The profile that consists of environment variables. */
export const ENVIRONMENT_PROFILE = 'env';
/** Both always exist. They may have limits, and have no keys. */
export const BUILT_IN: readonly string[] = [SANDBOX_PROFILE, ENVIRONMENT_PROFILE];

/** A value, and who said so. */
export interface Setting<T> {
  readonly value: T;
  readonly source: string;
}

/** The source of a profile that was named on the command line. */
export const PROFILE_FLAG = '--profile';

/** Whether the command line names a profile. Its key and address then override the environment. */
export const isNamed = ({value, source}: Setting<string>): boolean =>
  source === PROFILE_FLAG && value !== ENVIRONMENT_PROFILE;

export const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/** @throws CentavoError kind `usage` for a name that cannot be a new profile's */
export function checkProfileName(name: string): string {
  const fault = !PROFILE_NAME.test(name)
    ? 'Use up to 32 lowercase letters, digits, - and _. Start with a letter or digit.'
    : BUILT_IN.includes(name)
      ? 'The name is reserved.'
      : undefined;
  if (!fault) return name;
  throw new CentavoError('usage', `${JSON.stringify(name.slice(0, 60))} is not a valid profile name.`, {
    code: 'invalid_profile_name',
    why: fault,
    applied: 'no',
  });
}

/** `live_secret-eab21095` of each key that a profile has or had; only `live_secret` of a program's, whose key nobody has seen. */
export const knownKeys = ({keys, known_keys = []}: Profile, ...more: readonly string[]): string[] => {
  const held = Object.entries(keys).map(([slot, key]) =>
    key.fingerprint === undefined ? slot : `${slot}-${key.fingerprint}`,
  );
  return [...new Set([...known_keys, ...held, ...more])];
};

/** The configuration with this profile changed, or made. */
export function withProfile(
  configuration: Configuration,
  name: string,
  change: (profile: Profile) => Profile,
): Configuration {
  const profile = configuration.profiles[name] ?? {keys: {}, settings: {}};
  return {...configuration, profiles: {...configuration.profiles, [name]: change(profile)}};
}
