// Stores and removes keys of profiles. Changes the store before the configuration, so that a crash loses no key.

import {CentavoError} from '../../common/errors.js';
import type {ConfigurationFile} from '../configuration-file.js';
import {
  ENVIRONMENT_PROFILE,
  knownKeys,
  withProfile,
  type Configuration,
  type Profile,
  type StoredKey,
} from '../profiles.js';
import type {KeyStores, WritableStore, StoreChoice} from './key-store.js';
import {fingerprint, kindOfKey, slotText, entryName, type KeySlot} from './keys.js';

export interface NewKey {
  readonly profile: string;
  readonly key: string;
  readonly store: StoreChoice;
  /** The only origin that the key may be sent to. */
  readonly origin: string;
  readonly baseUrl?: string;
  readonly merchant?: Profile['merchant'];
  readonly checkedAt: number | null;
  /** True if the environment has the same key. The profile env then records it, so that the limits of env apply. */
  readonly isFromEnvironment?: boolean;
  readonly token: string;
}

interface RemainingKey {
  readonly slot: KeySlot;
  readonly last4: string;
  readonly store: WritableStore;
  readonly name: string;
  readonly reason: string;
}

export class ProfileKeys {
  readonly #configuration: ConfigurationFile;
  readonly #stores: KeyStores;
  readonly run: KeyStores['run'];

  constructor(configuration: ConfigurationFile, stores: KeyStores) {
    this.#configuration = configuration;
    this.#stores = stores;
    this.run = stores.run;
  }

  /** Checks that a key can be stored, before the user is asked for a key. Throws if not. */
  async probe(store: WritableStore): Promise<void> {
    // Fail now if the configuration cannot be written.
    await this.#configuration.update((current) => current);
    await (await this.#stores.open(store)).probe();
  }

  /** Stores a key, and creates and activates its profile if needed. If it throws, the old key remains. */
  async save({profile: name, key, store, origin, baseUrl, merchant, checkedAt, isFromEnvironment, token}: NewKey) {
    const {slot} = kindOfKey(key);
    const before = this.#configuration.read().profiles[name];
    // A profile without an id uses its name.
    const id = before?.id ?? (before && Object.keys(before.keys).length > 0 ? name : `${name}-${token.toLowerCase()}`);
    const print = fingerprint(key);
    if (typeof store === 'string') await (await this.#stores.open(store)).write(entryName(id, slot, print), key);
    const seen = `${slot}-${print}`;
    const known = {last4: key.slice(-4), origin, checked_at: checkedAt};
    const stored: StoredKey =
      typeof store === 'string'
        ? {store, fingerprint: print, ...known}
        : {store: 'command', command: store.command, ...known};
    let old: StoredKey | undefined;
    const change = (current: Configuration): Configuration => {
      const now = current.profiles[name];
      if (now?.id !== undefined && now.id !== id)
        throw new CentavoError('config', `the profile ${name} was just created by another command.`, {
          hint: 'Log in again.',
        });
      old = now?.keys[slot];
      const changed = withProfile(current, name, (profile) => ({
        ...profile,
        id,
        ...(merchant && {merchant}),
        keys: {...profile.keys, [slot]: stored},
        known_keys: knownKeys(profile, seen),
        settings: {...profile.settings, ...(baseUrl !== undefined && {base_url: baseUrl})},
      }));
      const chosen = {...changed, profile: current.profile ?? name};
      if (!isFromEnvironment || !current.profiles[ENVIRONMENT_PROFILE]) return chosen;
      return withProfile(chosen, ENVIRONMENT_PROFILE, (env) => ({...env, known_keys: knownKeys(env, seen)}));
    };
    let after: Configuration;
    try {
      after = await this.#configuration.update(change);
    } catch (error) {
      // Remove the new key, because nothing refers to it. The old key is a separate entry.
      if (entryOf(before?.keys[slot]) !== entryOf(stored)) await this.#remove(id, slot, stored).catch(() => {});
      throw error;
    }
    if (!old || old.store === 'command' || entryOf(old) === entryOf(stored)) return {configuration: after};
    try {
      await this.#remove(id, slot, old);
      return {configuration: after};
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      // The new key is stored, so the command succeeded. The replaced key remains in its store.
      return {configuration: after, remainsIn: old.store};
    }
  }

  /** Removes keys. Without `force`, a key that its store cannot remove stays in the profile and stops the removal. */
  async remove(name: string, requested: readonly KeySlot[], force = false) {
    const {id = name, keys = {}} = this.#configuration.read().profiles[name] ?? {};
    const slots: KeySlot[] = [];
    const remaining: RemainingKey[] = [];
    // Fail before the stores change if the configuration cannot be written.
    if (requested.some((slot) => keys[slot])) await this.#configuration.update((current) => current);
    for (const slot of requested) {
      const stored = keys[slot];
      if (!stored) continue;
      try {
        await this.#remove(id, slot, stored);
      } catch (error) {
        if (!(error instanceof CentavoError) || stored.store === 'command') throw error;
        if (!force) throw withRemoved(error, slots);
        const {store, last4, fingerprint: print} = stored;
        remaining.push({slot, last4, store, name: entryName(id, slot, print), reason: error.message});
      }
      await this.#configuration.update((current) => {
        // Another command may have replaced the key or removed the profile.
        if (!isSameKey(current.profiles[name]?.keys[slot], stored)) return current;
        return withProfile(current, name, (profile) => {
          const {[slot]: _, ...rest} = profile.keys;
          return {...profile, keys: rest, known_keys: knownKeys(profile)};
        });
      });
      slots.push(slot);
    }
    return {slots, remaining};
  }

  async #remove(id: string, slot: KeySlot, stored: StoredKey): Promise<void> {
    if (stored.store === 'command') return;
    await (await this.#stores.open(stored.store)).remove(entryName(id, slot, stored.fingerprint));
  }
}

/** Returns the identity of a stored key; undefined for the key of a program. */
const entryOf = (stored: StoredKey | undefined): string | undefined =>
  stored && stored.store !== 'command' ? `${stored.store} ${stored.fingerprint}` : undefined;

const isSameKey = (stored: StoredKey | undefined, other: StoredKey): boolean =>
  stored?.store === other.store && entryOf(stored) === entryOf(other);

/** Only a person may forget a key that stays in its store. */
function withRemoved(failure: CentavoError, removed: readonly KeySlot[]): CentavoError {
  const error = failure.with({hint: undefined, override: '--force'});
  const {why} = error.details;
  if (removed.length === 0) return error;
  const before = `Before that, the ${removed.map(slotText).join(' and ')} ${removed.length > 1 ? 'are' : 'is'} removed.`;
  return error.with({
    why: why === undefined ? before : `${why} ${before}`,
    applied: 'yes',
  });
}
