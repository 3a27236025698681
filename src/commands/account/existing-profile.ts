// The profile that a command about profiles means: one that is there, and was made by somebody.

import type {Context} from '../../context.js';
import {BUILT_IN, type Profile} from '../../config/profiles.js';
import {CentavoError, usageError} from '../../errors.js';
import {nearest} from '../../cli/parse-errors.js';

/**
 * @param name the one that is named; else CENTAVO_PROFILE, else the active one
 * @throws CentavoError kind `usage` for one that is always there, `config` for one that is not there
 */
export function existingProfile(context: Context, name: string | undefined): [string, Profile] {
  const {profile: active, profiles} = context.configuration.read();
  const wanted = name ?? (context.env.CENTAVO_PROFILE || undefined) ?? active;
  const made = Object.keys(profiles).filter((each) => !BUILT_IN.includes(each));
  const others = made.length > 0 ? `Profiles: ${made.join(', ')}` : 'To make one: centavo login';
  if (wanted === undefined || BUILT_IN.includes(wanted)) {
    const [message, why] =
      wanted === undefined
        ? ['no profile is named, and none is active.', undefined]
        : [
            `${wanted} is always there, and has no keys.`,
            'It needs no login; this is for a profile that a login made.',
          ];
    throw usageError(message, {code: 'no_profile', why, hint: others});
  }
  const found = profiles[wanted];
  if (found) return [wanted, found];
  const guess = nearest(wanted, made);
  throw new CentavoError('config', `there is no profile ${JSON.stringify(wanted.slice(0, 60))}.`, {
    code: 'unknown_profile',
    hint: guess === undefined ? others : `Did you mean ${guess}? ${others}`,
    applied: 'no',
  });
}
