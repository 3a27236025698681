// The target of a login: the profile, the store of the key, and the endpoint. It is known before the key is asked for.

import type {GlobalFlags} from '../../cli/global-flags.js';
import type {StoreChoice} from '../../config/keys/key-store.js';
import {BUILT_IN, checkProfileName, PROFILE_FLAG, withProfile, type Setting} from '../../config/profiles.js';
import {resolveEndpoint, resolveSetting} from '../../config/resolve.js';
import {SETTINGS} from '../../config/settings.js';
import type {Context} from '../../context.js';
import {usageError} from '../../ground/errors.js';
import {splitWords} from '../../input/shell-words.js';

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
  /** As it is stored: a name or a URL. */
  readonly name: string;
  readonly baseUrl: string;
  readonly encoding: 'form' | 'json';
  /** Seconds that the check may take. */
  readonly timeout: number;
}

/** The profile of a login that names none. */
const FIRST_PROFILE = 'default';

/** Refuses an address that no key may be sent to. */
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
  throw usageError('--credential-command is empty.', {
    code: 'invalid_flag',
    hint: 'For example: --credential-command "pass show payrex/shop"',
  });
}

/** The named profile, else the active one if it can have keys. */
function profileOf(context: Context, flag: string | undefined): Setting<string> {
  // An empty flag comes from an unset variable in a script. It does not mean another profile, so it is refused.
  if (flag !== undefined) return {value: checkProfileName(flag), source: PROFILE_FLAG};
  const named = context.env.CENTAVO_PROFILE;
  if (named) return {value: checkProfileName(named), source: 'CENTAVO_PROFILE'};
  const {profile: active} = context.configuration.read();
  return active === undefined || BUILT_IN.includes(active)
    ? {value: FIRST_PROFILE, source: 'default'}
    : {value: active, source: 'configuration'};
}

async function endpointOf(context: Context, profile: Setting<string>, flag: string | undefined): Promise<Endpoint> {
  const input = await context.settingsInput();
  const named = flag === undefined ? undefined : SETTINGS.base_url.parse(flag, '--base-url');
  // The flag is applied like a setting of the profile, and the variable is ignored, because flags override the environment.
  const configuration = withProfile(input.configuration, profile.value, (own) => ({
    ...own,
    settings: {...own.settings, ...(named !== undefined && {base_url: named})},
  }));
  const env = named === undefined ? input.env : {...input.env, CENTAVO_BASE_URL: undefined};
  const said = {...input, env, configuration};
  const {baseUrl, encoding} = resolveEndpoint(profile, said);
  const endpoint = {
    name: resolveSetting('base_url', profile, said).value,
    baseUrl: baseUrl.value,
    encoding: encoding.value,
    timeout: resolveSetting('timeout', profile, input).value,
  };
  await context.clientOf({key: '', ...endpoint});
  return endpoint;
}
