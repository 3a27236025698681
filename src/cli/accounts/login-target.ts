// What a login is about, known before the key is asked for: its profile, the store of its key, and the endpoint that the key is for.

import type {StoreChoice} from '../../config/keys/key-store.js';
import type {Context} from '../../context.js';
import {BUILT_IN, checkProfileName, PROFILE_FLAG, withProfile, type Setting} from '../../config/profiles.js';
import {resolveEndpoint, resolveSetting} from '../../config/resolve.js';
import {SETTINGS} from '../../config/settings.js';
import {usageError} from '../../errors.js';
import {splitWords} from '../../input/shell-words.js';
import type {GlobalFlags} from '../base.js';

/** The flags of a login. */
export interface LoginFlags extends GlobalFlags {
  readonly 'base-url'?: string;
  readonly 'credential-command'?: string;
  readonly 'insecure-storage'?: string;
  readonly offline?: boolean;
  readonly 'with-token'?: boolean;
}

export interface LoginTarget {
  readonly profile: string;
  readonly store: StoreChoice;
  readonly endpoint: Endpoint;
}

export interface Endpoint {
  /** As it is to be remembered: a name or a URL. */
  readonly name: string;
  readonly baseUrl: string;
  readonly encoding: 'form' | 'json';
  /** Seconds that the check may take. */
  readonly timeout: number;
}

/** The profile of a login that names none. */
const FIRST_PROFILE = 'default';

/** @throws CentavoError kind `usage` or `config` for what names none of them, `refused` for an address that no key may be sent to */
export async function loginTarget(context: Context, flags: LoginFlags): Promise<LoginTarget> {
  const store = storeOf(flags);
  const profile = profileOf(context, flags.profile);
  return {profile: profile.value, store, endpoint: await endpointOf(context, profile, flags['base-url'])};
}

function storeOf(flags: LoginFlags): StoreChoice {
  if (flags['insecure-storage'] !== undefined) return 'file';
  if (flags['credential-command'] === undefined) return 'keychain';
  const command = splitWords(flags['credential-command']);
  if (command.length > 0) return {command};
  throw usageError('--credential-command names no program.', {
    code: 'invalid_flag',
    hint: 'For example: --credential-command "pass show payrex/shop"',
  });
}

/** The profile that is named, and by whom, else the active one when it can hold keys. */
function profileOf(context: Context, flag: string | undefined): Setting<string> {
  // A flag that is empty is a variable of a script's that was not set, and means no other profile.
  if (flag !== undefined) return {value: checkProfileName(flag), source: PROFILE_FLAG};
  const named = context.env.CENTAVO_PROFILE;
  if (named) return {value: checkProfileName(named), source: 'CENTAVO_PROFILE'};
  const {profile: active} = context.configuration.read();
  return active === undefined || BUILT_IN.includes(active)
    ? {value: FIRST_PROFILE, source: 'default'}
    : {value: active, source: 'configuration'};
}

async function endpointOf(context: Context, profile: Setting<string>, flag: string | undefined): Promise<Endpoint> {
  const surroundings = await context.surroundings();
  const named = flag === undefined ? undefined : SETTINGS.base_url.parse(flag, '--base-url');
  // As if the profile said so already: nothing of the environment comes before a flag.
  const configuration = withProfile(surroundings.configuration, profile.value, (own) => ({
    ...own,
    settings: {...own.settings, ...(named !== undefined && {base_url: named})},
  }));
  const env = named === undefined ? surroundings.env : {...surroundings.env, CENTAVO_BASE_URL: undefined};
  const said = {...surroundings, env, configuration};
  const {baseUrl, encoding} = resolveEndpoint(profile, said);
  const endpoint = {
    name: resolveSetting('base_url', profile, said).value,
    baseUrl: baseUrl.value,
    encoding: encoding.value,
    timeout: resolveSetting('timeout', profile, surroundings).value,
  };
  await context.clientOf({key: '', ...endpoint});
  return endpoint;
}
