// Keeping keys and forgetting them: the store first, then the configuration, so that a crash between leaves a key too many and never one too few.

import {CentavoError} from '../errors.js';
import type {KeyPlaces} from './key-reader.js';
import {fingerprint, kindOfKey, storedName, type KeySlot} from './keys.js';
import {withProfile, type Configuration, type Profile, type StoredKey} from './profiles.js';
import type {ConfigurationStore} from './store.js';

/** A key that was checked, and where it is to be kept. */
export interface NewKey {
  readonly profile: string;
  readonly key: string;
  readonly place: 'file' | 'keychain' | {readonly command: readonly string[]};
  /** The one origin that it may be sent to. */
  readonly origin: string;
  /** What the profile is to say of its address; undefined leaves it. */
  readonly baseUrl?: string;
  readonly merchant?: Profile['merchant'];
  /** Unix seconds; null when it was not checked. */
  readonly checkedAt: number | null;
  /** Names the keys of a profile that is new. */
  readonly token: string;
}

export interface Kept {
  readonly configuration: Configuration;
  /** Where the key that was replaced still is, because it could not be removed there. */
  readonly leftIn?: 'file' | 'keychain';
}

export interface KeyKeeper {
  /** Proves that a key could be kept, before anybody is asked for one. @throws CentavoError kind `keychain`, `config` or `local_io` */
  probe(place: 'file' | 'keychain'): Promise<void>;
  /**
   * Keeps a key in its profile, which is made when new and becomes the active one where none was chosen.
   * @throws CentavoError kind `keychain`, `config` or `local_io`; the key that was there before is then still there
   */
  keep(key: NewKey): Promise<Kept>;
  /**
   * Forgets keys of a profile. What cannot be removed from its store stays in the profile, so that it can be tried again.
   * @returns the slots that were forgotten
   * @throws CentavoError kind `keychain`, `config` or `local_io`
   */
  forget(profile: string, slots: readonly KeySlot[]): Promise<KeySlot[]>;
  /** What a program prints that is to be asked for a key. @throws CentavoError kind `keychain` */
  run(words: readonly string[]): Promise<string>;
}

export const keyKeeper = (configuration: ConfigurationStore, places: KeyPlaces): KeyKeeper => ({
  probe: async (place) => {
    // What cannot be remembered is not put anywhere.
    await configuration.update((current) => current);
    await (await places.open(place)).probe();
  },
  keep: (key) => keepKey(configuration, places, key),
  forget: (profile, slots) => forgetKeys(configuration, places, profile, slots),
  run: places.run,
});

async function keepKey(
  configuration: ConfigurationStore,
  places: KeyPlaces,
  {profile: name, key, place, origin, baseUrl, merchant, checkedAt, token}: NewKey,
): Promise<Kept> {
  const {slot} = kindOfKey(key);
  const before = configuration.read().profiles[name];
  // Keys of a profile that has no id go by its name.
  const id = before?.id ?? (before && Object.keys(before.keys).length > 0 ? name : `${name}-${token.toLowerCase()}`);
  const print = fingerprint(key);
  if (typeof place === 'string') await (await places.open(place)).write(storedName(id, slot, print), key);
  const known = {last4: key.slice(-4), origin, checked_at: checkedAt};
  const stored: StoredKey =
    typeof place === 'string'
      ? {store: place, fingerprint: print, ...known}
      : {store: 'command', command: place.command, ...known};
  let old: StoredKey | undefined;
  const change = (current: Configuration): Configuration => {
    const now = current.profiles[name];
    if (now?.id !== undefined && now.id !== id)
      throw new CentavoError('config', `the profile ${name} was made by another command just now.`, {
        hint: 'Log in again.',
        applied: 'no',
      });
    old = now?.keys[slot];
    const changed = withProfile(current, name, (profile) => ({
      ...profile,
      id,
      ...(merchant && {merchant}),
      keys: {...profile.keys, [slot]: stored},
      settings: {...profile.settings, ...(baseUrl !== undefined && {base_url: baseUrl})},
    }));
    return {...changed, profile: current.profile ?? name};
  };
  let after: Configuration;
  try {
    after = await configuration.update(change);
  } catch (error) {
    // A key that nothing remembers is not left behind; the one that was there before is another entry.
    if (entryOf(before?.keys[slot]) !== entryOf(stored)) await removeStored(places, id, slot, stored).catch(() => {});
    throw error;
  }
  if (!old || old.store === 'command' || entryOf(old) === entryOf(stored)) return {configuration: after};
  try {
    await removeStored(places, id, slot, old);
    return {configuration: after};
  } catch {
    // The new key is kept, and that is what was asked for.
    return {configuration: after, leftIn: old.store};
  }
}

/** Tells the entries of one slot apart; a program's key is none of ours. */
const entryOf = (stored: StoredKey | undefined): string | undefined =>
  stored && stored.store !== 'command' ? `${stored.store} ${stored.fingerprint}` : undefined;

const removeStored = async (places: KeyPlaces, id: string, slot: KeySlot, stored: StoredKey) => {
  if (stored.store === 'command') return;
  await (await places.open(stored.store)).remove(storedName(id, slot, stored.fingerprint));
};

async function forgetKeys(
  configuration: ConfigurationStore,
  places: KeyPlaces,
  name: string,
  slots: readonly KeySlot[],
): Promise<KeySlot[]> {
  const {id = name, keys = {}} = configuration.read().profiles[name] ?? {};
  const forgotten: KeySlot[] = [];
  // Where the profile cannot be changed, its keys are left in their stores.
  if (slots.some((slot) => keys[slot])) await configuration.update((current) => current);
  for (const slot of slots) {
    const stored = keys[slot];
    if (!stored) continue;
    await removeStored(places, id, slot, stored);
    await configuration.update((current) =>
      withProfile(current, name, (profile) => {
        const {[slot]: _, ...rest} = profile.keys;
        return {...profile, keys: rest};
      }),
    );
    forgotten.push(slot);
  }
  return forgotten;
}
