// Chooses the key of a command by flags, environment and profile, reads it from its store, and checks it.

import type {Environment} from '../../common/environment.js';
import {CentavoError, refusedError} from '../../common/errors.js';
import {
  ENVIRONMENT_PROFILE,
  isNamed,
  type Configuration,
  type KeyInStore,
  type Setting,
  type StoredKey,
} from '../profiles.js';
import {keychainHints, type KeyStores} from './key-store.js';
import {checkKey, entryName, fingerprint, kindOfKey, maskedKey, maskedWhole, slotText, type KeySlot} from './keys.js';

interface NamedKey {
  readonly slot: KeySlot;
  /** `sk_test_…cdef` */
  readonly masked: string;
  /** `CENTAVO_SECRET_KEY`, or `profile shop (keychain)`. */
  readonly source: string;
}

export interface GivenKey extends NamedKey {
  readonly value: string;
  readonly stored?: undefined;
}

export interface ProfileKey extends NamedKey {
  readonly value?: undefined;
  readonly stored: StoredKey;
  /** Id of the profile; part of the key's name in its store. */
  readonly id: string;
}

export type KeyReference = GivenKey | ProfileKey;

export interface AccountFlags {
  profile?: string;
  project?: string;
  /** True to use the live key of a profile and to allow changes with it. */
  live?: boolean;
  timeout?: number;
}

export interface KeyNeed {
  readonly acceptsPublicKey?: boolean;
  /** True for sandbox commands, which need no key and never say that the sandbox is only the default. */
  readonly isSandboxCommand?: boolean;
}

export interface KeyChoice {
  readonly flags: Readonly<AccountFlags & KeyNeed>;
  readonly env: Environment;
  readonly configuration: Configuration;
}

const noKey = (message: string, hint: string, why?: string, override?: string): CentavoError =>
  new CentavoError('auth', message, {code: 'no_key', why, hint, override, applied: 'no'});

/** Returns the profile's key with `--profile`; otherwise a key in the environment comes first. Throws `no_key`. */
export function chooseKey(
  {flags, env, configuration}: KeyChoice,
  named: Setting<string>,
  address: Setting<string>,
): KeyReference {
  const profile = named.value;
  const given = Boolean(env.CENTAVO_SECRET_KEY?.trim());
  if (env.CENTAVO_SECRET_KEY && given && !isNamed(named)) {
    const value = checkKey(env.CENTAVO_SECRET_KEY, 'CENTAVO_SECRET_KEY');
    return {slot: kindOfKey(value).slot, masked: maskedWhole(value), source: 'CENTAVO_SECRET_KEY', value};
  }
  if (profile === ENVIRONMENT_PROFILE)
    throw noKey(
      `no API key for ${address.value}${env.CENTAVO_SECRET_KEY === undefined ? '' : ': CENTAVO_SECRET_KEY is empty'}.`,
      `Set CENTAVO_SECRET_KEY, use the sandbox with --profile sandbox, or store a key: centavo login${address.source === 'default' ? '' : ` --base-url ${address.value}`}`,
      address.source === 'default' ? undefined : `The address comes from ${address.source}.`,
    );

  const {id = profile, keys = {}} = configuration.profiles[profile] ?? {};
  const [mode, other] = flags.live ? (['live', 'test'] as const) : (['test', 'live'] as const);
  const order = [`${mode}_secret`, `${mode}_public`] as const;
  const slot = (flags.acceptsPublicKey ? [...order].reverse() : order).find((candidate) => keys[candidate]);
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
      given ? `Use CENTAVO_SECRET_KEY with --profile env, or log in: ${login}` : `Log in: ${login}`,
      given
        ? `CENTAVO_SECRET_KEY is not used, because --profile ${profile} uses only the keys of that profile.`
        : undefined,
    );
  throw noKey(
    `the profile ${profile} has no ${slotText(`${mode}_secret`)}.`,
    `To store a ${mode} key: ${login}`,
    mode === 'test'
      ? 'The profile has only a live key.'
      : 'The profile has only a test key, and --live needs a live key.',
    mode === 'test' ? '--live' : undefined,
  );
}

export async function readKey(reference: KeyReference, profile: string, stores: KeyStores): Promise<string> {
  if (reference.value !== undefined) return reference.value;
  const {stored, slot, id} = reference;
  const login = `centavo login --profile ${profile}`;
  const key =
    stored.store === 'command'
      ? checkKey(await stores.run(stored.command), `The output of ${stored.command[0]}`)
      : await readFromStore(stored, entryName(id, slot, stored.fingerprint), stores, {
          label: `${slotText(slot)} of ${profile}`,
          login,
          variables: `CENTAVO_SECRET_KEY with CENTAVO_PROFILE=${profile} (and no --profile)`,
        });
  const {slot: actual} = kindOfKey(key);
  if (actual === slot) return key;
  throw refusedError('mode_mismatch', `the ${slotText(slot)} of ${profile} is a ${slotText(actual)}.`, {
    why: 'centavo does not send a key of an unexpected kind.',
    hint: `Store it again: ${login}`,
  });
}

async function readFromStore(
  {store, fingerprint: expected}: KeyInStore,
  name: string,
  stores: KeyStores,
  {label, ...ways}: {label: string; login: string; variables: string},
): Promise<string> {
  const secret = await (await stores.open(store)).read(name).catch((error: unknown) => {
    if (!(error instanceof CentavoError) || error.kind !== 'keychain') throw error;
    throw error.with({hint: keychainHints(ways)});
  });
  if (secret !== undefined && fingerprint(secret) === expected) return checkKey(secret, `The ${store}`);
  const [code, message, why] =
    secret === undefined
      ? ['key_gone', `the ${store} no longer has the ${label}.`, 'It was removed there.']
      : ['key_changed', `the ${store} returned a different ${label} than the one stored.`, 'It was changed there.'];
  throw new CentavoError(store === 'keychain' ? 'keychain' : 'config', message, {
    code,
    why,
    hint: `Store it again: ${ways.login}`,
    override: store === 'keychain' ? undefined : '--insecure-storage',
    applied: 'no',
  });
}
