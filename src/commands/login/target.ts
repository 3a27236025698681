// Declares the flags of `centavo login`, and reads its target before the key: profile, key store and endpoint.

import type {GlobalFlags} from '../../cli/global-flags.js';
import {Flags, OPTIONAL_STORAGE, type Interfaces} from '../../cli/oclif.js';
import type {StoreChoice} from '../../config/keys/key-store.js';
import {BUILT_IN, PROFILE_FLAG, PROFILE_NAME, withProfile, type Setting} from '../../config/profiles.js';
import {resolveEndpoint, resolveSetting} from '../../config/resolve.js';
import {SETTINGS} from '../../config/settings.js';
import type {Context} from '../../context/context.js';
import {usageError} from '../../common/errors.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {splitWords} from '../../input/shell-quoting.js';

export const loginFlags = {
  'with-token': Flags.boolean({summary: 'Read the key from stdin.', exclusive: ['credential-command']}),
  'base-url': Flags.string({
    summary: 'API address: payrex, sandbox (started with sandbox serve), or a URL.',
    helpValue: '<url>',
  }),
  'credential-command': Flags.string({
    summary: 'Command that prints the key. It runs each time a key is needed, without a shell.',
    helpValue: '<program and arguments>',
    exclusive: ['insecure-storage'],
  }),
  'insecure-storage': Flags.string({
    summary: 'Store the key in a file that only you can read. For a live key: =live.',
    helpValue: OPTIONAL_STORAGE,
    options: ['test', 'live'],
  }),
  offline: Flags.boolean({summary: 'Store the key without checking it with the API.'}),
};
export type LoginFlags = Interfaces.InferredFlags<typeof loginFlags> & GlobalFlags;

export type LoginTarget = Awaited<ReturnType<typeof loginTarget>>;

/** Profile for a login without a profile name. */
const FIRST_PROFILE = 'default';

/** @throws CentavoError for a URL that no key may be sent to */
export async function loginTarget(context: Context, flags: LoginFlags) {
  const store = chosenStore(flags);
  const profile = profileOf(context, flags.profile);
  return {profile: profile.value, store, endpoint: await endpointOf(context, profile, flags['base-url'])};
}

function chosenStore(flags: LoginFlags): StoreChoice {
  if (flags['insecure-storage'] !== undefined) return 'file';
  if (flags['credential-command'] === undefined) return 'keychain';
  const command = valueOrThrow(splitWords(flags['credential-command']));
  if (command.length > 0) return {command};
  throw usageError('invalid_flag', '--credential-command is empty.', {
    hint: 'For example: --credential-command "pass show payrex/shop"',
  });
}

/** Returns the named profile, else the active profile if it can have keys, else `default`. */
function profileOf(context: Context, flag: string | undefined): Setting<string> {
  // Refuse an empty flag, which comes from an unset variable in a script.
  if (flag !== undefined) return {value: checkProfileName(flag), source: PROFILE_FLAG};
  const named = context.env.CENTAVO_PROFILE;
  if (named) return {value: checkProfileName(named), source: 'CENTAVO_PROFILE'};
  const {profile: active} = context.configuration.read();
  return active === undefined || BUILT_IN.includes(active)
    ? {value: FIRST_PROFILE, source: 'default'}
    : {value: active, source: 'configuration'};
}

function checkProfileName(name: string): string {
  const fault = !PROFILE_NAME.test(name)
    ? 'Use up to 32 lowercase letters, digits, - and _. Start with a letter or digit.'
    : BUILT_IN.includes(name)
      ? 'The name is reserved.'
      : undefined;
  if (!fault) return name;
  throw usageError('invalid_profile_name', `${JSON.stringify(name.slice(0, 60))} is not a valid profile name.`, {
    why: fault,
  });
}

async function endpointOf(context: Context, profile: Setting<string>, flag: string | undefined) {
  const input = await context.settingsInput();
  const named = flag === undefined ? undefined : valueOrThrow(SETTINGS.base_url.read(flag), '--base-url');
  // Apply the flag as a setting of the profile, and ignore the variable: flags override the environment.
  const configuration = withProfile(input.configuration, profile.value, (own) => ({
    ...own,
    settings: {...own.settings, ...(named !== undefined && {base_url: named})},
  }));
  const env = named === undefined ? input.env : {...input.env, CENTAVO_BASE_URL: undefined};
  const said = {...input, env, configuration};
  const {baseUrl, encoding} = resolveEndpoint(profile, said);
  const endpoint = {
    /** A name or a URL, as stored. */
    name: resolveSetting('base_url', profile, said).value,
    baseUrl: baseUrl.value,
    encoding: encoding.value,
    /** Seconds. */
    timeout: resolveSetting('timeout', profile, input).value,
  };
  await context.clientOf({key: '', ...endpoint});
  return endpoint;
}
