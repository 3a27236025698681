// What a login tells of itself: whose key it is, where it goes, and which account is spoken to from now on.

import {kindOfKey} from '../../config/keys/keys.js';
import type {Environment} from '../../secrets.js';
import type {Profile} from '../../config/profiles.js';
import {clean} from '../../output/format.js';
import type {Place} from './login-place.js';

/** Whose key it is, as far as the API tells. */
export function accountWords(key: string, merchant: Profile['merchant'], checkedAt: number | null): string {
  if (checkedAt === null) return 'not asked: --offline';
  if (merchant) return clean([merchant.name, merchant.id].filter(Boolean).join(' · '));
  return kindOfKey(key).isPublic
    ? 'known to the API, which names none to a public key'
    : 'known to the API, which names it from the first billing statement on';
}

export const placeWords = (place: Place): string =>
  place === 'keychain'
    ? 'the keychain'
    : place === 'file'
      ? 'a file that only you can read'
      : `whatever ${place.command[0]} prints`;

/**
 * Which account commands speak to now, variables included: they come before what the configuration says.
 * @param active the profile that the configuration says
 */
export function activeWords(profile: string, active: string | undefined, env: Environment): string {
  if (env.CENTAVO_SECRET_KEY?.trim())
    return `CENTAVO_SECRET_KEY is set and overrides this key. To use this key: --profile ${profile}`;
  const named = env.CENTAVO_PROFILE || undefined;
  if (named !== undefined && named !== profile)
    return `CENTAVO_PROFILE says ${named}, and comes before it. For one command: --profile ${profile}`;
  if (active === profile) return `Commands speak to ${profile} now; to the sandbox with --profile sandbox.`;
  const change = `centavo profiles use ${profile}`;
  return named === undefined
    ? `Commands speak to ${active} as before. To change that: ${change}`
    : `Commands speak to ${profile} where CENTAVO_PROFILE says so, and to ${active} elsewhere. To change that: ${change}`;
}
