// Profiles for tests: keys in any slots, and settings.

import type {KeySlot} from '../../../src/config/keys/keys.js';
import type {Configuration, KeyInStore, Profile, StoredKey} from '../../../src/config/profiles.js';

export const PAYREX = 'https://api.payrexhq.com';

/** A key in the keychain, or elsewhere by options. */
export const held = (more: Partial<KeyInStore> = {}): KeyInStore => ({
  store: 'keychain',
  fingerprint: '0123abcd',
  last4: 'cdef',
  origin: PAYREX,
  checked_at: 1_800_000_000,
  ...more,
});

/** A profile with keys in these slots. */
export const withKeys = (
  slots: readonly KeySlot[],
  settings: Profile['settings'] = {},
  key: StoredKey = held(),
): Profile => ({
  id: 'shop-id',
  keys: Object.fromEntries(slots.map((slot) => [slot, key])),
  settings,
});

export const active = (profile: string | undefined, profiles: Configuration['profiles'] = {}): Configuration => ({
  profile,
  profiles,
});
