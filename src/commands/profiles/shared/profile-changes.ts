// Shared by commands that change profiles: finding the profile, and removing its keys.

import {Flags} from '../../../cli/oclif.js';
import {maskedKey, type KeySlot} from '../../../config/keys/keys.js';
import {BUILT_IN, type Profile} from '../../../config/profiles.js';
import type {Context} from '../../../context/context.js';
import {CentavoError, nextCommand, usageError} from '../../../common/errors.js';
import {nearestWord} from '../../../input/nearest.js';

/** Returns a profile created by a login. @param name defaults to CENTAVO_PROFILE, then the active profile */
export function existingProfile(context: Context, name: string | undefined): [string, Profile] {
  const {profile: active, profiles} = context.configuration.read();
  const wanted = name ?? (context.env.CENTAVO_PROFILE || undefined) ?? active;
  const made = Object.keys(profiles).filter((each) => !BUILT_IN.includes(each));
  const others = made.length > 0 ? `Profiles: ${made.join(', ')}` : 'To create one: centavo login';
  if (wanted === undefined || BUILT_IN.includes(wanted)) {
    const [message, why] =
      wanted === undefined
        ? ['no profile is given, and no profile is active.', undefined]
        : [`${wanted} is built in, and has no keys.`, 'This command works on profiles created by centavo login.'];
    throw usageError('no_profile', message, {why, hint: others});
  }
  const found = profiles[wanted];
  if (found) return [wanted, found];
  const guess = nearestWord(wanted, made);
  throw new CentavoError('config', `profile ${JSON.stringify(wanted.slice(0, 60))} was not found.`, {
    code: 'unknown_profile',
    hint: guess === undefined ? others : `Did you mean ${guess}? ${others}`,
  });
}

export const forgetKeyFlag = Flags.boolean({
  summary: 'Forget a key even if it cannot be removed from its keychain or file, and print where it may remain.',
});

export interface Removed {
  readonly slots: readonly KeySlot[];
  /** With --force, keys that may remain in their stores, for the printed record. */
  readonly left: {readonly left?: readonly string[]};
}

/** Removes keys of a profile. With `force`, warns of keys that may remain. */
export async function forgetKeys(
  {profileKeys, io}: Context,
  profile: string,
  slots: readonly KeySlot[],
  force: boolean,
): Promise<Removed> {
  if (slots.length === 0) return {slots, left: force ? {left: []} : {}};
  const {slots: removed, remaining} = await (await profileKeys()).remove(profile, slots, force);
  for (const {slot, last4, store, name, reason} of remaining) {
    const where = store === 'keychain' ? `the keychain, as ${name} of centavo` : 'its file';
    const line = `Warning: ${maskedKey(slot, last4)} may still be in ${where}: ${reason}`;
    io.note(line, {style: 'yellow'});
  }
  return {slots: removed, left: force ? {left: remaining.map(({store, name}) => `${store} ${name}`)} : {}};
}

export function profileName(name: string | undefined): string {
  if (name !== undefined) return name;
  throw usageError('missing_argument', 'the name is missing.', {next: [nextCommand('To list them', 'profiles list')]});
}
