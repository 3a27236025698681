// Forgets keys of a profile, and says what its stores may still have when that is done by force.

import {Flags} from '@oclif/core';
import {maskedKey, type KeySlot} from '../../config/keys/keys.js';
import type {Context} from '../../context.js';

export const forceFlag = Flags.boolean({
  summary:
    'Forget a key even where its store, such as a keychain that does not answer, does not let go of it; say where it may stay.',
});

export interface Removed {
  readonly slots: readonly KeySlot[];
  /** What a record says of it: nothing unless it was done by force. */
  readonly left: {readonly left?: readonly string[]};
}

/**
 * @param again the command that does it by force
 * @throws CentavoError kind `keychain`, `config` or `local_io`
 */
export async function forgetKeys(
  {keyKeeper, io}: Context,
  profile: string,
  slots: readonly KeySlot[],
  {force, again}: {force: boolean; again: string},
): Promise<Removed> {
  if (slots.length === 0) return {slots, left: force ? {left: []} : {}};
  const hint = `To forget it here and leave it there: ${again}`;
  const {slots: forgotten, left} = await (await keyKeeper()).forget(profile, slots, {force, hint});
  for (const {slot, last4, store, name, reason} of left) {
    const where = store === 'keychain' ? `the keychain, as ${name} of centavo` : 'its file';
    const line = `Warning: ${maskedKey(slot, last4)} may still be in ${where}: ${reason}`;
    io.note(io.paint('yellow', line, 'stderr'));
  }
  return {slots: forgotten, left: force ? {left: left.map(({store, name}) => `${store} ${name}`)} : {}};
}
