// The key itself, from wherever it is kept; what comes back must be the key that was stored, and of the kind that is meant.

import {CentavoError} from '../../errors.js';
import type {CredentialStore} from './credentials.js';
import type {KeyReference} from './choice.js';
import {checkKey, fingerprint, kindOfKey, kindOfSlot, slotWords, storedName} from './keys.js';
import type {HeldKey} from '../profiles.js';
import {waysOut} from './ways-out.js';

/** The places where keys are kept. */
export interface KeyPlaces {
  /** Stores of ours, opened when first used. */
  readonly open: (store: 'file' | 'keychain') => Promise<CredentialStore>;
  /** What a program of the user's prints. @throws CentavoError kind `keychain` */
  readonly run: (words: readonly string[]) => Promise<string>;
}

/**
 * @param profile for the words of errors
 * @throws CentavoError kind `keychain` or `config` where it cannot be had, `refused` where it is a key of another kind
 */
export async function readKey(reference: KeyReference, profile: string, places: KeyPlaces): Promise<string> {
  if (reference.value !== undefined) return reference.value;
  const {stored, slot, id} = reference;
  const login = `centavo login --profile ${profile}`;
  const key =
    stored.store === 'command'
      ? checkKey(await places.run(stored.command), `What ${stored.command[0]} printed`)
      : await readHeld(stored, storedName(id, slot, stored.fingerprint), places, {
          of: `${slotWords(slot)} of ${profile}`,
          live: kindOfSlot(slot).mode === 'live',
          login,
          variables: `CENTAVO_SECRET_KEY with CENTAVO_PROFILE=${profile} (and no --profile)`,
        });
  const {slot: actual} = kindOfKey(key);
  if (actual === slot) return key;
  throw new CentavoError('refused', `the ${slotWords(slot)} of ${profile} is a ${slotWords(actual)}.`, {
    code: 'mode_mismatch',
    why: 'A key of another kind than the one that is meant is not sent anywhere.',
    hint: `Store it again: ${login}`,
    applied: 'no',
  });
}

async function readHeld(
  {store, fingerprint: wanted}: HeldKey,
  name: string,
  places: KeyPlaces,
  {of, ...ways}: {of: string; login: string; live: boolean; variables: string},
): Promise<string> {
  const kept = await (await places.open(store)).read(name).catch((error: unknown) => {
    if (!(error instanceof CentavoError) || error.kind !== 'keychain') throw error;
    throw new CentavoError(error.kind, error.message, {...error.details, hint: waysOut(ways)});
  });
  if (kept !== undefined && fingerprint(kept) === wanted) return checkKey(kept, `The ${store}`);
  const [code, message, why] =
    kept === undefined
      ? ['key_gone', `the ${store} has no ${of} any more.`, 'It was removed there.']
      : ['key_changed', `the ${store} gave another ${of} than the one that was stored.`, 'It was changed there.'];
  throw new CentavoError(store === 'keychain' ? 'keychain' : 'config', message, {
    code,
    why,
    hint: `Store it again: ${ways.login}`,
    applied: 'no',
  });
}
