// Resolves the account, key and settings of a command, each with its source.
// Flags override the environment, which overrides the profile, which overrides defaults.

import type {Environment} from '../common/environment.js';
import {CentavoError, refusedError, usageError} from '../common/errors.js';
import {InvalidInput} from '../input/invalid-input.js';
import {chooseKey, type KeyChoice, type KeyReference} from './keys/chosen-key.js';
import {fingerprint, kindOfSlot} from './keys/keys.js';
import {
  BUILT_IN,
  DEFAULT_PROJECT,
  ENVIRONMENT_PROFILE,
  isNamed,
  knownKeys,
  PROFILE_FLAG,
  PROFILE_NAME,
  PROJECT_FLAG,
  SANDBOX_PROFILE,
  type Configuration,
  type Setting,
} from './profiles.js';
import {
  limitHeadroom,
  SETTINGS,
  shownAddress,
  type SettingName,
  type SettingsTable,
  type SettingValue,
} from './settings.js';

export type AccountMode = 'live' | 'sandbox' | 'test';

/** Limits with the profile as their source. No flag lifts a limit. */
export interface ProfileLimits {
  readonly readOnly: Setting<boolean>;
  readonly maxAmount: Setting<number | undefined>;
  readonly maxStatementsPerRun: Setting<number | undefined>;
  readonly agents: Setting<'allow' | 'ask'>;
}

/** The embedded sandbox (mode `sandbox`) has a project, and neither key nor URL. */
export interface Connection {
  readonly profile: Setting<string>;
  readonly project?: Setting<string>;
  readonly mode: AccountMode;
  readonly key?: KeyReference;
  readonly baseUrl?: Setting<string>;
  readonly encoding?: Setting<'form' | 'json'>;
  readonly timeout: Setting<number>;
  readonly limits: ProfileLimits;
  readonly isPublic: boolean;
}

export type EndpointsByMode = Readonly<Record<string, {readonly baseUrl: string; readonly encoding: 'form' | 'json'}>>;

export interface ResolveInput extends KeyChoice {
  readonly endpoints: EndpointsByMode;
  /** The output of the credential command. */
  readonly printed?: string;
}

export function resolve(input: ResolveInput): Connection {
  const profile = resolveProfile(input);
  const common = {profile, timeout: resolveSetting('timeout', profile, input)};
  if (profile.value === SANDBOX_PROFILE) {
    const project = resolveProject(input);
    return {...common, project, limits: limitsOf(profile, input), mode: 'sandbox', isPublic: false};
  }
  if (input.flags.project !== undefined)
    throw usageError('project_without_sandbox', `--project ${JSON.stringify(input.flags.project)} needs the sandbox.`, {
      why: `Profile ${profile.value} is a real account, and a project is a sandbox.`,
      hint: 'Leave --project out, or use the sandbox with --profile sandbox',
    });

  const {baseUrl, encoding} = resolveEndpoint(profile, input);
  const key = chooseKey(input, profile, baseUrl);
  const {mode, isPublic} = kindOfSlot(key.slot);
  checkOrigin(key, baseUrl, profile, input);
  return {...common, limits: limitsOf(profile, input, key), mode, isPublic, key, baseUrl, encoding};
}

/** Returns the tightest limits of the used profile, of profiles with the key, and of env for an environment key. */
function limitsOf({value: used}: Setting<string>, input: ResolveInput, key?: KeyReference): ProfileLimits {
  const {profiles} = input.configuration;
  const seen = key?.value ?? input.printed;
  // Hashed only if a profile has keys, because a hash loads node:crypto.
  const print = () => (seen === undefined ? key?.stored?.fingerprint : fingerprint(seen));
  const names = Object.keys(profiles).filter(
    (name) =>
      (name === ENVIRONMENT_PROFILE && key?.value !== undefined) ||
      knownKeys(profiles[name]!).some((known) => known.endsWith(print() ?? '-')),
  );
  const tightest = <N extends SettingName>(limit: N) =>
    [used, ...names]
      .map((value) => resolveSetting(limit, {value, source: ''}, input))
      .reduce((one, other) => (limitHeadroom(limit, other.value) < limitHeadroom(limit, one.value) ? other : one));
  return {
    readOnly: tightest('read_only'),
    maxAmount: tightest('max_amount'),
    maxStatementsPerRun: tightest('max_statements_per_run'),
    agents: tightest('agents'),
  };
}

export function resolveEndpoint(
  profile: Setting<string>,
  input: ResolveInput,
): {baseUrl: Setting<string>; encoding: Setting<'form' | 'json'>} {
  const {value: name, source} = resolveSetting('base_url', profile, input);
  const endpoint = endpointNamed(name, input.endpoints);
  checkNoPassword(name);
  const {value, ...origin} = resolveSetting('encoding', profile, input);
  return {
    baseUrl: {value: URL.canParse(name) ? name : (endpoint?.baseUrl ?? name), source},
    encoding:
      value === undefined
        ? {value: endpoint?.encoding ?? 'json', source: endpoint ? source : 'default'}
        : {value, ...origin},
  };
}

/** Finds an endpoint by name or address, because its encoding is the same either way. */
function endpointNamed(text: string, endpoints: ResolveInput['endpoints']) {
  if (Object.hasOwn(endpoints, text)) return endpoints[text];
  const url = URL.canParse(text) ? new URL(text).href : undefined;
  return Object.values(endpoints).find(({baseUrl}) => `${baseUrl}/` === url);
}

/**
 * Returns the profile of `--profile`, else CENTAVO_PROFILE, else the active profile. A key or address without a profile
 * selects env. A job with an empty key then fails instead of using the sandbox.
 */
export function resolveProfile({flags, env, configuration}: ResolveInput): Setting<string> {
  const {profile: active} = configuration;
  if (flags.profile !== undefined) return knownProfile({value: flags.profile, source: PROFILE_FLAG}, configuration);
  if (env.CENTAVO_PROFILE === SANDBOX_PROFILE && env.CENTAVO_BASE_URL) throw sandboxElsewhere(env);
  if (env.CENTAVO_PROFILE) return knownProfile({value: env.CENTAVO_PROFILE, source: 'CENTAVO_PROFILE'}, configuration);
  if (active === undefined || active === SANDBOX_PROFILE) {
    // An empty variable is a secret that was not filled in, so the user did not mean the sandbox.
    if (env.CENTAVO_SECRET_KEY !== undefined) return {value: ENVIRONMENT_PROFILE, source: 'CENTAVO_SECRET_KEY'};
    if (env.CENTAVO_BASE_URL) return {value: ENVIRONMENT_PROFILE, source: 'CENTAVO_BASE_URL'};
  }
  if (active !== undefined) return knownProfile({value: active, source: 'configuration'}, configuration);
  if (configuration.profiles[ENVIRONMENT_PROFILE]?.settings.base_url !== undefined)
    return {value: ENVIRONMENT_PROFILE, source: 'configuration'};
  return {value: SANDBOX_PROFILE, source: 'default'};
}

/** Returns the project of `--project`, else CENTAVO_PROJECT, else `default`. No folder decides. @throws for an impossible name */
export function resolveProject({flags, env}: Pick<ResolveInput, 'env' | 'flags'>): Setting<string> {
  const {project = env.CENTAVO_PROJECT} = flags;
  if (!project && flags.project === undefined) return {value: DEFAULT_PROJECT, source: 'default'};
  const source = flags.project === undefined ? 'CENTAVO_PROJECT' : PROJECT_FLAG;
  return {value: checkProjectName(project!, source), source};
}

/** @param source where the name comes from @throws for an impossible name */
export function checkProjectName(name: string, source: string): string {
  if (PROFILE_NAME.test(name)) return name;
  throw new CentavoError(
    source === 'CENTAVO_PROJECT' ? 'config' : 'usage',
    `${source} ${JSON.stringify(name)} is not a project name.`,
    {
      code: 'invalid_project',
      why: 'Use up to 32 lowercase letters, digits, - and _. Start with a letter or digit.',
      hint: 'For example: --project shop',
      applied: 'no',
    },
  );
}

/** Names an account in what is kept by name, such as listeners and caches: `shop`, or `sandbox/shop` for a project. */
export const localName = ({profile, project}: Pick<Connection, 'profile' | 'project'>): string =>
  project ? sandboxName(project.value) : profile.value;

/** Returns `sandbox`, or `sandbox/shop` for a project. */
export const sandboxName = (project: string): string =>
  project === DEFAULT_PROJECT ? SANDBOX_PROFILE : `${SANDBOX_PROFILE}/${project}`;

/** Returns the error for contradictory variables, which centavo does not resolve by guessing. */
function sandboxElsewhere(env: Environment): CentavoError {
  const hasKey = Boolean(env.CENTAVO_SECRET_KEY?.trim());
  return new CentavoError(
    hasKey ? 'config' : 'auth',
    `CENTAVO_PROFILE is sandbox, and CENTAVO_BASE_URL is ${shownAddress(env.CENTAVO_BASE_URL!)}.`,
    {
      code: hasKey ? 'contradiction' : 'no_key',
      why: 'The embedded sandbox has no address.',
      hint: `Unset CENTAVO_PROFILE${hasKey ? '' : ' and set CENTAVO_SECRET_KEY'}, or use the sandbox with --profile sandbox`,
      applied: 'no',
    },
  );
}

function knownProfile(profile: Setting<string>, {profiles}: Configuration): Setting<string> {
  const names = [...new Set([...BUILT_IN, ...Object.keys(profiles)])];
  if (names.includes(profile.value)) return profile;
  throw new CentavoError('config', `profile ${JSON.stringify(profile.value.slice(0, 60))} not found.`, {
    code: 'unknown_profile',
    why: `The name comes from ${profile.source}. Your profiles: ${names.join(', ')}.`,
    hint: `Create it: centavo login --profile ${PROFILE_NAME.test(profile.value) ? profile.value : 'shop'}`,
  });
}

/** Type of a setting; may be undefined for a setting without a default. */
type Resolved<N extends SettingName> = N extends 'agents' | 'base_url' | 'read_only' | 'timeout'
  ? SettingsTable[N]
  : SettingsTable[N] | undefined;

/** With `--profile`, the profile's address and encoding override the environment. */
export function resolveSetting<N extends SettingName>(
  name: N,
  profile: Setting<string>,
  {flags, env, configuration}: ResolveInput,
): Setting<Resolved<N>> {
  const {variable, needsAccount, default: fallback} = SETTINGS[name];
  if (name === 'timeout' && flags.timeout !== undefined)
    return {value: flags.timeout as Resolved<N>, source: '--timeout'};
  const text = variable && env[variable];
  const stored = configuration.profiles[profile.value]?.settings[name];
  const ofProfile =
    stored === undefined ? undefined : {value: stored as Resolved<N>, source: `profile ${profile.value}`};
  if (ofProfile && (!text || (needsAccount && isNamed(profile)))) {
    if (name === 'base_url') readSetting(name, String(stored), `base_url of ${ofProfile.source}`);
    return ofProfile;
  }
  if (variable && text) return {value: readSetting(name, text, variable), source: variable};
  return {value: fallback as Resolved<N>, source: 'default'};
}

function readSetting<N extends SettingName>(name: N, text: string, where: string): Resolved<N> {
  const read: InvalidInput | SettingValue = SETTINGS[name].read(text);
  if (!(read instanceof InvalidInput)) return read as Resolved<N>;
  const {message, details} = read.toError(where);
  throw new CentavoError('config', message, details);
}

/** Throws if an address contains a password, because addresses are printed. */
function checkNoPassword(address: string): void {
  if (!URL.canParse(address)) return;
  const {username, password} = new URL(address);
  if (!username && !password) return;
  throw refusedError('unsafe_url', 'the base URL contains a user name or password.', {
    hint: 'Remove it. The key alone identifies the account.',
  });
}

/** Throws if a stored key would go to another origin, or an environment key to the active profile's address. */
function checkOrigin(key: KeyReference, baseUrl: Setting<string>, profile: Setting<string>, {endpoints}: ResolveInput) {
  const {stored, masked} = key;
  const {origin} = new URL(baseUrl.value);
  if (!stored) {
    const ofProfile = baseUrl.source === `profile ${profile.value}`;
    if (!ofProfile || profile.source !== 'configuration' || profile.value === ENVIRONMENT_PROFILE) return;
    if (origin === new URL(endpoints[String(SETTINGS.base_url.default)]!.baseUrl).origin) return;
    throw refusedError('other_origin', `the key ${masked} from CENTAVO_SECRET_KEY is not sent to ${origin}.`, {
      why: `The address comes from the active profile ${profile.value}, and the key may belong to another account.`,
      hint: `To send it there anyway, set CENTAVO_PROFILE=${profile.value}. To use the profile’s own key: --profile ${profile.value}`,
    });
  }
  if (origin === stored.origin) return;
  throw refusedError(
    'other_origin',
    `the key ${masked} was stored for ${stored.origin}, so it is not sent to ${origin}.`,
    {
      why: `The address comes from ${baseUrl.source}.`,
      hint: `To store a key for it: centavo login --profile ${profile.value} --base-url ${baseUrl.value}`,
    },
  );
}

/** Returns the destination of a write as shown to users: `sandbox`, `sandbox/shop`, `test · env` or `LIVE · shop`. */
export function destination(connection: Pick<Connection, 'key' | 'mode' | 'profile' | 'project'>): string {
  const {mode, profile, key} = connection;
  if (mode === 'sandbox') return localName(connection);
  const other = key?.value !== undefined && profile.value !== ENVIRONMENT_PROFILE ? ` (key from ${key.source})` : '';
  return `${mode === 'live' ? 'LIVE' : 'test'} · ${profile.value}${other}`;
}
