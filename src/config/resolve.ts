// Which account a command speaks to, and by what rules: flag before environment before profile before default, each value with where it was said.

import {CentavoError} from '../errors.js';
import {chooseKey, type KeyReference} from './key-choice.js';
import {kindOfSlot} from './keys.js';
import type {Environment} from '../secrets.js';
import {BUILT_IN, ENVIRONMENT_PROFILE, PROFILE_NAME, SANDBOX_PROFILE, type Configuration} from './profiles.js';
import {SETTINGS, type SettingName, type SettingValue} from './settings.js';

/** A value, and who said so. */
export interface Setting<T> {
  readonly value: T;
  readonly source: string;
}

export type Mode = 'live' | 'sandbox' | 'test';

/** What a profile does not allow, whatever the command line says. */
export interface Limits {
  readonly readOnly: Setting<boolean>;
  /** Centavos. */
  readonly maxAmount: Setting<number | undefined>;
  readonly maxStatementsPerRun: Setting<number | undefined>;
}

/** What a command speaks to. In `sandbox` mode there is neither key nor URL: the sandbox is embedded. */
export interface Connection {
  readonly profile: Setting<string>;
  readonly mode: Mode;
  /** Which key; reading it is another matter. */
  readonly key?: KeyReference;
  readonly baseUrl?: Setting<string>;
  readonly encoding?: Setting<'form' | 'json'>;
  /** Seconds. */
  readonly timeout: Setting<number>;
  readonly limits: Limits;
  /** A public key may do one thing only. */
  readonly isPublic: boolean;
}

/** Endpoints that have a name, as {@link resolve} needs them; the client owns the list. */
export type Endpoints = Readonly<Record<string, {readonly baseUrl: string; readonly encoding: 'form' | 'json'}>>;

export interface Surroundings {
  readonly flags: {
    readonly profile?: string;
    readonly live?: boolean;
    /** Seconds. */
    readonly timeout?: number;
    /** A public key will do, and is taken where the profile has one. */
    readonly publicWillDo?: boolean;
  };
  readonly env: Environment;
  readonly configuration: Configuration;
  readonly endpoints: Endpoints;
}

/**
 * @throws CentavoError kind `config` for an unknown profile or a value that is none, `auth` where there is no key,
 * `refused` for what no key may do
 */
export function resolve(surroundings: Surroundings): Connection {
  const profile = resolveProfile(surroundings);
  const setting = <T extends SettingValue>(name: SettingName) =>
    resolveSetting(name, profile.value, surroundings) as Setting<T>;
  const common = {
    profile,
    timeout: setting<number>('timeout'),
    limits: {
      readOnly: setting<boolean>('read_only'),
      maxAmount: setting<number>('max_amount') as Setting<number | undefined>,
      maxStatementsPerRun: setting<number>('max_statements_per_run') as Setting<number | undefined>,
    },
  };
  if (profile.value === SANDBOX_PROFILE) return {...common, mode: 'sandbox', isPublic: false};

  const {baseUrl, encoding} = resolveEndpoint(profile.value, surroundings);
  const key = chooseKey(surroundings, profile.value);
  const {mode, isPublic} = kindOfSlot(key.slot);
  checkOrigin(key, baseUrl, profile.value);
  return {...common, mode, isPublic, key, baseUrl, encoding};
}

/** Where a profile's API is, and how it is spoken to. @throws CentavoError kind `config`, or `refused` for a password in the address */
export function resolveEndpoint(
  profile: string,
  surroundings: Surroundings,
): {baseUrl: Setting<string>; encoding: Setting<'form' | 'json'>} {
  const {value: name, source} = resolveSetting('base_url', profile, surroundings) as Setting<string>;
  const endpoint = endpointNamed(name, surroundings.endpoints);
  checkNoPassword(name);
  const {value, ...said} = resolveSetting('encoding', profile, surroundings);
  return {
    baseUrl: {value: URL.canParse(name) ? name : (endpoint?.baseUrl ?? name), source},
    encoding:
      value === undefined
        ? {value: endpoint?.encoding ?? 'json', source: endpoint ? source : 'default'}
        : {value: value as 'form' | 'json', ...said},
  };
}

/** The endpoint of this name, or the one whose address it is: written out, a service is spoken to as by its name. */
function endpointNamed(text: string, endpoints: Surroundings['endpoints']) {
  if (Object.hasOwn(endpoints, text)) return endpoints[text];
  const url = URL.canParse(text) ? new URL(text).href : undefined;
  return Object.values(endpoints).find(({baseUrl}) => `${baseUrl}/` === url);
}

/** Which profile: `--profile`, else CENTAVO_PROFILE, else what CENTAVO_SECRET_KEY makes, else the active one. @throws CentavoError kind `config` */
export function resolveProfile({flags, env, configuration}: Surroundings): Setting<string> {
  const {profile: active} = configuration;
  if (flags.profile !== undefined) return known({value: flags.profile, source: '--profile'}, configuration);
  if (env.CENTAVO_PROFILE) return known({value: env.CENTAVO_PROFILE, source: 'CENTAVO_PROFILE'}, configuration);
  // A key in the environment wants an account: the active one, whose limits hold, or one of its own.
  // An empty one is a secret that somebody forgot to set; whoever set the variable did not mean the sandbox.
  if (env.CENTAVO_SECRET_KEY !== undefined && (active === undefined || active === SANDBOX_PROFILE))
    return {value: ENVIRONMENT_PROFILE, source: 'CENTAVO_SECRET_KEY'};
  if (active !== undefined) return known({value: active, source: 'configuration'}, configuration);
  return {value: SANDBOX_PROFILE, source: 'default'};
}

function known(profile: Setting<string>, {profiles}: Configuration): Setting<string> {
  const names = [...new Set([...BUILT_IN, ...Object.keys(profiles)])];
  if (names.includes(profile.value)) return profile;
  throw new CentavoError('config', `there is no profile ${JSON.stringify(profile.value.slice(0, 60))}.`, {
    code: 'unknown_profile',
    why: `There are: ${names.join(', ')}; ${profile.source} says which.`,
    hint: `Make one: centavo login --profile ${PROFILE_NAME.test(profile.value) ? profile.value : 'shop'}`,
    applied: 'no',
  });
}

/** One value for this profile, and who said it. @throws CentavoError kind `config` for a variable that holds none */
export function resolveSetting(
  name: SettingName,
  profile: string,
  {flags, env, configuration}: Surroundings,
): Setting<SettingValue | undefined> {
  const {variable, parse, default: otherwise} = SETTINGS[name];
  if (name === 'timeout' && flags.timeout !== undefined) return {value: flags.timeout, source: '--timeout'};
  const text = variable && env[variable];
  if (text) {
    try {
      return {value: parse(text, variable), source: variable};
    } catch (error) {
      const {message, details} = error as CentavoError;
      throw new CentavoError('config', message, details);
    }
  }
  const own = configuration.profiles[profile]?.settings[name];
  return own === undefined ? {value: otherwise, source: 'default'} : {value: own, source: `profile ${profile}`};
}

/** Whatever is in the address is shown with it. @throws CentavoError kind `refused` */
function checkNoPassword(address: string): void {
  if (!URL.canParse(address)) return;
  const {username, password} = new URL(address);
  if (!username && !password) return;
  throw new CentavoError('refused', 'the base URL carries a user name or a password.', {
    code: 'unsafe_url',
    hint: 'Leave it out: the key alone tells who asks.',
    applied: 'no',
  });
}

/** A stored key goes to the origin where it was checked and to no other. @throws CentavoError kind `refused` */
function checkOrigin({stored, masked}: KeyReference, baseUrl: Setting<string>, profile: string): void {
  if (!stored || !URL.canParse(baseUrl.value)) return;
  const {origin} = new URL(baseUrl.value);
  if (origin === stored.origin) return;
  throw new CentavoError(
    'refused',
    `the key ${masked} was stored for ${stored.origin}, and is not sent to ${origin}.`,
    {
      code: 'other_origin',
      why: `That address is said by ${baseUrl.source}.`,
      hint: `To store a key for it: centavo login --profile ${profile} --base-url ${baseUrl.value}`,
      applied: 'no',
    },
  );
}

/** `sandbox`, `test · env` or `LIVE · shop`: where a write goes, for a person's eyes. */
export function destination({mode, profile, key}: Pick<Connection, 'key' | 'mode' | 'profile'>): string {
  if (mode === 'sandbox') return 'sandbox';
  const other = key?.value !== undefined && profile.value !== ENVIRONMENT_PROFILE ? ` (key from ${key.source})` : '';
  return `${mode === 'live' ? 'LIVE' : 'test'} · ${profile.value}${other}`;
}
