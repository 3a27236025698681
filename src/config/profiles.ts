// Profiles as data: accounts by name, with their settings and descriptions of their keys.

import type {WritableStore} from './keys/key-store.js';
import type {KeySlot} from './keys/keys.js';
import type {SettingsTable} from './settings.js';

interface KnownKey {
  readonly last4: string;
  /** The only origin that the key may be sent to, where it was also checked. */
  readonly origin: string;
  /** Unix seconds; null if the key was not checked. */
  readonly checked_at: number | null;
}

/** A key in a store that centavo writes. The stored value must have this fingerprint. */
export interface KeyInStore extends KnownKey {
  readonly store: WritableStore;
  readonly fingerprint: string;
}

/** A key that a program prints. The key may differ each time, so it has no fingerprint. */
export interface CommandKey extends KnownKey {
  readonly store: 'command';
  readonly fingerprint?: undefined;
  readonly command: readonly string[];
}

export type StoredKey = KeyInStore | CommandKey;

export interface Profile {
  /** Part of the keys' names in the stores. A later profile with the same name gets another id. */
  readonly id?: string;
  /** As returned by the API. */
  readonly merchant?: {readonly id: string; readonly name: string | null};
  readonly keys: Partial<Record<KeySlot, StoredKey>>;
  /** Present and past keys, from {@link knownKeys}. The profile's limits apply to these keys in every profile. */
  readonly known_keys?: readonly string[];
  readonly settings: Readonly<Partial<SettingsTable>>;
}

export interface Configuration {
  readonly profile?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly others?: Readonly<Record<string, unknown>>;
}

export const EMPTY: Configuration = {profiles: Object.create(null) as {}};

export const SANDBOX_PROFILE = 'sandbox';
export const ENVIRONMENT_PROFILE = 'env';
/** Profiles that always exist, may have limits, and have no keys. */
export const BUILT_IN: readonly string[] = [SANDBOX_PROFILE, ENVIRONMENT_PROFILE];

export interface Setting<T> {
  readonly value: T;
  readonly source: string;
}

export const PROFILE_FLAG = '--profile';
export const PROJECT_FLAG = '--project';
/** The project of the sandbox file that has no project in its path. */
export const DEFAULT_PROJECT = 'default';

/** True if the command line names the profile, whose key and address then override the environment. */
export const isNamed = ({value, source}: Setting<string>): boolean =>
  source === PROFILE_FLAG && value !== ENVIRONMENT_PROFILE;

export const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/** Returns `live_secret-eab21095` for each present or past key, and `live_secret` for the key of a program. */
export const knownKeys = ({keys, known_keys = []}: Profile, ...more: readonly string[]): string[] => {
  const held = Object.entries(keys).map(([slot, key]) =>
    key.fingerprint === undefined ? slot : `${slot}-${key.fingerprint}`,
  );
  return [...new Set([...known_keys, ...held, ...more])];
};

export function withProfile(
  configuration: Configuration,
  name: string,
  change: (profile: Profile) => Profile,
): Configuration {
  const profile = configuration.profiles[name] ?? {keys: {}, settings: {}};
  return {...configuration, profiles: {...configuration.profiles, [name]: change(profile)}};
}
