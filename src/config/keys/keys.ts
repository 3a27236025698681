// API keys as text: their form, their kinds, and how they are masked.

import {createHash} from 'node:crypto';
import {CentavoError} from '../../common/errors.js';

/** Kinds of keys. A profile has at most one key of each kind. */
export const KEY_SLOTS = ['test_secret', 'live_secret', 'test_public', 'live_public'] as const;
export type KeySlot = (typeof KEY_SLOTS)[number];

export interface KeyKind {
  readonly slot: KeySlot;
  readonly mode: 'live' | 'test';
  /** True for a public key, which can only get a payment intent with the intent's client secret. */
  readonly isPublic: boolean;
}

const KEY = /^[sp]k_((test|live)_[A-Za-z0-9]{8,}|test_([A-Za-z0-9]{8,}_)?ns_[\w-]{1,64})$/;

export function kindOfKey(key: string): KeyKind {
  const [first, mode] = key.split('_') as ['pk' | 'sk', 'live' | 'test'];
  return kindOfSlot(`${mode}_${first === 'pk' ? 'public' : 'secret'}`);
}

export function kindOfSlot(slot: KeySlot): KeyKind {
  return {slot, mode: slot.startsWith('live') ? 'live' : 'test', isPublic: slot.endsWith('public')};
}

export const slotText = (slot: KeySlot): string => `${slot.replace('_', ' ')} key`;

/** Returns the trimmed key. Errors do not show the key. @param source variable or store of the key, for the error */
export function checkKey(text: string, source: string): string {
  const fault = problemOfKey(text);
  if (fault === undefined) return text.trim();
  throw new CentavoError('auth', `${source} is not an API key.`, {
    code: 'invalid_key',
    why: fault,
    applied: 'no',
  });
}

/** Returns a sentence without the text, because the text may be a secret; undefined for a valid key. */
export function problemOfKey(text: string): string | undefined {
  const key = text.trim();
  if (KEY.test(key)) return undefined;
  if (key === '') return 'It is empty.';
  return `A key starts with sk_test_, sk_live_, pk_test_ or pk_live_, followed by letters and digits. This text has ${key.length} characters${oddCharacter(key)}.`;
}

/** Names the first character that a key cannot contain. Only the prefix may contain an underscore. */
function oddCharacter(key: string): string {
  const {length} = /^((sk|pk)_(test|live)_)?/.exec(key)![0];
  const allowed = length > 0 ? /[A-Za-z0-9]/ : /[A-Za-z0-9_]/;
  const at = [...key].findIndex((character, index) => index >= length && !allowed.test(character));
  return at < 0 ? '' : `, and character ${at + 1} is neither`;
}

export const maskedKey = (slot: KeySlot, lastFour: string): string => {
  const [mode, kind] = slot.split('_');
  return `${kind === 'public' ? 'pk' : 'sk'}_${mode}_…${lastFour}`;
};

export const maskedWhole = (key: string): string => maskedKey(kindOfKey(key).slot, key.slice(-4));

/** Returns 8 hexadecimal digits of a SHA-256 hash, to compare keys without storing them. */
export const fingerprint = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 8);

/** Returns a unique name per key, so that a new key does not overwrite the old key. @param id the profile's id */
export const entryName = (id: string, slot: KeySlot, print: string): string => `${id}/${slot}-${print}`;
