// What keeps a login from its end, with the command that goes on from there: the one that was typed, so that it can be pasted as it is.

import {kindOfKey, maskedKey} from '../../config/keys/keys.js';
import {SETTINGS} from '../../config/settings.js';
import {waysOut} from '../../config/keys/ways-out.js';
import {capitalized, CentavoError} from '../../errors.js';
import {shellQuote} from '../../input/shell-words.js';
import type {LoginFlags} from './login.js';
import type {Endpoint, Place} from './login-place.js';

/** The login that was typed, as far as it says which account and where its key goes; without that, another would be meant. */
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

/** Without a keychain there are three ways out. @throws CentavoError what the work throws, with these for that login */
export async function explainKeychain<T>(
  work: Promise<T>,
  place: Place,
  {name}: Endpoint,
  flags: LoginFlags,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof CentavoError) || error.kind !== 'keychain' || place !== 'keychain') throw error;
    const login = loginLine(flags);
    const variables = `CENTAVO_SECRET_KEY${name === SETTINGS.base_url.default ? '' : ` and CENTAVO_BASE_URL=${shellQuote(name)}`}`;
    const hint = waysOut({login, variables, live: flags.live});
    throw new CentavoError(error.kind, error.message, {...error.details, hint});
  }
}

interface Checked {
  readonly key: string;
  readonly profile: string;
  readonly place: Place;
  readonly endpoint: Endpoint;
  readonly flags: LoginFlags;
}

/** A key that is refused is not stored, and one that cannot be checked only when that is asked for. */
export async function explainCheck<T>(
  checking: Promise<T>,
  {key, profile, place, endpoint, flags}: Checked,
): Promise<T> {
  try {
    return await checking;
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    const {message, details} = error;
    if (error.kind === 'auth') {
      const {slot} = kindOfKey(key);
      const masked = maskedKey(slot, key.slice(-4));
      throw new CentavoError(
        error.kind,
        `the API refused the key ${masked} (HTTP ${details.status}), and it was not stored.`,
        {
          ...details,
          why: [`It was asked at ${endpoint.baseUrl}.`, details.why].filter(Boolean).join(' '),
          hint:
            typeof place === 'string'
              ? `Copy the key once more: ${loginLine({...flags, profile})}`
              : `See what ${place.command[0]} prints, and run this again.`,
          applied: 'no',
        },
      );
    }
    if (error.kind !== 'unavailable') throw error;
    throw new CentavoError(error.kind, 'the key could not be checked, and was not stored.', {
      ...details,
      why: [capitalized(message), details.why].filter(Boolean).join(' '),
      hint: `To store it unchecked: ${loginLine({...flags, profile, offline: true})}${flags['with-token'] ? ' --with-token < key.txt' : ''}`,
    });
  }
}
