// Where a login keeps its key, which profile it is for, and where that profile's API is: what is known before the key is asked for.

import type {LoginFlags} from './login.js';
import type {Context} from '../../context.js';
import {BUILT_IN, checkProfileName, PROFILE_FLAG, withProfile, type Setting} from '../../config/profiles.js';
import {resolveEndpoint, resolveSetting} from '../../config/resolve.js';
import {SETTINGS} from '../../config/settings.js';
import {usageError} from '../../errors.js';
import {splitWords} from '../../input/shell-words.js';

/** A store of ours, or a program that prints the key. */
export type Place = 'file' | 'keychain' | {readonly command: readonly string[]};

/** The profile of a login that names none. */
const FIRST_PROFILE = 'default';

/** @throws CentavoError kind `usage` */
export function placeOf(flags: Pick<LoginFlags, 'credential-command' | 'insecure-storage'>): Place {
  if (flags['insecure-storage'] !== undefined) return 'file';
  if (flags['credential-command'] === undefined) return 'keychain';
  const command = splitWords(flags['credential-command']);
  if (command.length > 0) return {command};
  throw usageError('--credential-command names no program.', {
    code: 'invalid_flag',
    hint: 'For example: --credential-command "pass show payrex/shop"',
  });
}

/** The profile that is named, and by whom, else the active one when it can hold keys. @throws CentavoError kind `usage` */
export function profileOf(context: Context, flag: string | undefined): Setting<string> {
  // A flag that is empty is a variable of a script's that was not set, and means no other profile.
  if (flag !== undefined) return {value: checkProfileName(flag), source: PROFILE_FLAG};
  const named = context.env.CENTAVO_PROFILE;
  if (named) return {value: checkProfileName(named), source: 'CENTAVO_PROFILE'};
  const {profile: active} = context.configuration.read();
  return active === undefined || BUILT_IN.includes(active)
    ? {value: FIRST_PROFILE, source: 'default'}
    : {value: active, source: 'configuration'};
}

export interface Endpoint {
  /** As it is to be remembered: a name or a URL. */
  readonly name: string;
  readonly baseUrl: string;
  readonly encoding: 'form' | 'json';
  /** Seconds that the check may take. */
  readonly timeout: number;
}

/** @throws CentavoError kind `usage` or `config` for an address that is none, `refused` for one that no key may be sent to */
export async function endpointOf(
  context: Context,
  profile: Setting<string>,
  flag: string | undefined,
): Promise<Endpoint> {
  const surroundings = await context.surroundings();
  const named = flag === undefined ? undefined : String(SETTINGS.base_url.parse(flag, '--base-url'));
  // As if the profile said so already: nothing of the environment comes before a flag.
  const configuration = withProfile(surroundings.configuration, profile.value, (own) => ({
    ...own,
    settings: {...own.settings, ...(named !== undefined && {base_url: named})},
  }));
  const env = named === undefined ? surroundings.env : {...surroundings.env, CENTAVO_BASE_URL: undefined};
  const said = {...surroundings, env, configuration};
  const {baseUrl, encoding} = resolveEndpoint(profile, said);
  const endpoint = {
    name: String(resolveSetting('base_url', profile, said).value),
    baseUrl: baseUrl.value,
    encoding: encoding.value,
    timeout: Number(resolveSetting('timeout', profile, surroundings).value),
  };
  await context.clientOf({key: '', ...endpoint});
  return endpoint;
}
