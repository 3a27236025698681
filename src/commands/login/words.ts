// Messages of a login: what it did, and why it failed, with the next command.

import {waysOut, type StoreChoice} from '../../config/keys/key-store.js';
import {kindOfKey, maskedWhole} from '../../config/keys/keys.js';
import type {Profile} from '../../config/profiles.js';
import {SETTINGS} from '../../config/settings.js';
import type {Environment} from '../../ground/environment.js';
import {capitalized, CentavoError, whatAndWhy} from '../../ground/errors.js';
import {shellQuote} from '../../input/shell-words.js';
import {clean} from '../../output/format.js';
import type {LoginFlags, LoginTarget} from './target.js';

/** The login as a command, for hints. Without its account and store it would be another login. */
export function loginLine(flags: LoginFlags): string {
  const said = (['profile', 'base-url'] as const).flatMap((name) =>
    flags[name] === undefined ? [] : [`--${name} ${shellQuote(flags[name])}`],
  );
  const storage = flags['insecure-storage'];
  return [
    'centavo login',
    ...said,
    ...(storage === undefined ? [] : [`--insecure-storage=${storage}`]),
    ...(flags['credential-command'] === undefined
      ? []
      : [`--credential-command ${shellQuote(flags['credential-command'])}`]),
    ...(flags.offline ? ['--offline'] : []),
  ].join(' ');
}

/** Adds the ways to do without a keychain to its errors. */
export const explainKeychain = <T>(
  work: Promise<T>,
  {store, endpoint: {name}}: LoginTarget,
  flags: LoginFlags,
): Promise<T> =>
  work.catch((error: unknown) => {
    if (!(error instanceof CentavoError) || error.kind !== 'keychain' || store !== 'keychain') throw error;
    const login = loginLine(flags);
    const variables = `CENTAVO_SECRET_KEY${name === SETTINGS.base_url.default ? '' : ` and CENTAVO_BASE_URL=${shellQuote(name)}`}`;
    throw error.with({hint: waysOut({login, variables, live: flags.live})});
  });

/** Explains why a key was not stored: it was refused, or could not be checked. */
export const explainCheck = <T>(
  checking: Promise<T>,
  key: string,
  {profile, store, endpoint}: LoginTarget,
  flags: LoginFlags,
): Promise<T> =>
  checking.catch((error: unknown) => {
    if (!(error instanceof CentavoError)) throw error;
    const {details} = error;
    if (error.kind === 'auth') {
      const message = `the API refused the key ${maskedWhole(key)} (HTTP ${details.status}), so it was not stored.`;
      const why = [`The key was checked at ${endpoint.baseUrl}.`, details.why].filter(Boolean).join(' ');
      const hint =
        typeof store === 'string'
          ? `Copy the key again: ${loginLine({...flags, profile})}`
          : `Check what ${store.command[0]} prints, then try again.`;
      throw new CentavoError(error.kind, message, {...details, why, hint, applied: 'no'});
    }
    if (error.kind !== 'unavailable') throw error;
    throw new CentavoError(error.kind, 'the key could not be checked, so it was not stored.', {
      ...details,
      why: capitalized(whatAndWhy(error)),
      hint: `To store it without checking: ${loginLine({...flags, profile, offline: true})}${flags['with-token'] ? ' --with-token < key.txt' : ''}`,
    });
  });

/** The account of a key, as far as the API tells. */
export function accountWords(key: string, merchant: Profile['merchant'], checkedAt: number | null): string {
  if (checkedAt === null) return 'not checked (--offline)';
  if (merchant) return clean([merchant.name, merchant.id].filter(Boolean).join(' · '));
  return kindOfKey(key).isPublic
    ? 'accepted by the API, which does not name the account for a public key'
    : 'accepted by the API, which names the account once it has a billing statement';
}

export const storeWords = (store: StoreChoice): string =>
  store === 'keychain'
    ? 'the keychain'
    : store === 'file'
      ? 'a file that only you can read'
      : `the output of ${store.command[0]}`;

/** Which account commands use now. @param active the active profile of the configuration, which variables override */
export function activeWords(profile: string, active: string | undefined, env: Environment): string {
  if (env.CENTAVO_SECRET_KEY?.trim())
    return `CENTAVO_SECRET_KEY is set and overrides this key. To use this key: --profile ${profile}`;
  const named = env.CENTAVO_PROFILE || undefined;
  if (named !== undefined && named !== profile)
    return `CENTAVO_PROFILE is ${named}, and overrides it. To use this profile for one command: --profile ${profile}`;
  if (active === profile) return `Commands now use ${profile}. To use the sandbox: --profile sandbox`;
  const change = `centavo profiles use ${profile}`;
  return named === undefined
    ? `Commands still use ${active}. To switch: ${change}`
    : `Commands use ${profile} where CENTAVO_PROFILE is set to it, and ${active} elsewhere. To switch: ${change}`;
}
