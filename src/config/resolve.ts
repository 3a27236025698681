// Which account a command speaks to: flag before environment before default, each value with the place it came from.

import {CentavoError} from '../errors.js';
import type {Environment} from './paths.js';

/** A value, and who said so. */
export interface Setting<T> {
  readonly value: T;
  readonly source: string;
}

export type Mode = 'live' | 'sandbox' | 'test';

/** What a command speaks to. In `sandbox` mode there is neither key nor URL: the sandbox is embedded. */
export interface Connection {
  readonly profile: Setting<string>;
  readonly mode: Mode;
  readonly key?: Setting<string>;
  readonly baseUrl?: Setting<string>;
  readonly encoding?: Setting<'form' | 'json'>;
  /** A public key may do one thing only. */
  readonly isPublic: boolean;
}

/** Endpoints that have a name, as {@link resolve} needs them; the client owns the list. */
export type Endpoints = Readonly<Record<string, {readonly baseUrl: string; readonly encoding: 'form' | 'json'}>>;

export const SANDBOX_PROFILE = 'sandbox';
/** The profile that consists of environment variables. */
export const ENVIRONMENT_PROFILE = 'env';

const KEY = /^(sk|pk)_(test|live)_[A-Za-z0-9]{8,}$/;

/**
 * @param flags what the command line says
 * @throws CentavoError kind `config` for an unknown profile or encoding, `auth` for a key that is none
 */
export function resolve(flags: {readonly profile?: string}, env: Environment, endpoints: Endpoints): Connection {
  const profile = resolveProfile(flags, env);
  if (profile.value === SANDBOX_PROFILE) return {profile, mode: 'sandbox', isPublic: false};

  const key = keyOf(env);
  const named = env.CENTAVO_BASE_URL ? endpoints[env.CENTAVO_BASE_URL] : endpoints.payrex;
  const source = env.CENTAVO_BASE_URL ? 'CENTAVO_BASE_URL' : 'default';
  return {
    profile,
    key: {value: key, source: 'CENTAVO_SECRET_KEY'},
    mode: key.split('_')[1] as 'live' | 'test',
    isPublic: key.startsWith('pk_'),
    baseUrl: {value: named?.baseUrl ?? env.CENTAVO_BASE_URL!, source},
    encoding: encodingOf(env) ?? {value: named?.encoding ?? 'json', source: named ? source : 'default'},
  };
}

function resolveProfile(flags: {readonly profile?: string}, env: Environment): Setting<string> {
  const wanted = flags.profile ?? env.CENTAVO_PROFILE;
  if (wanted === undefined) {
    return env.CENTAVO_SECRET_KEY
      ? {value: ENVIRONMENT_PROFILE, source: 'CENTAVO_SECRET_KEY'}
      : {value: SANDBOX_PROFILE, source: 'default'};
  }
  if (wanted === SANDBOX_PROFILE || wanted === ENVIRONMENT_PROFILE)
    return {value: wanted, source: flags.profile ? '--profile' : 'CENTAVO_PROFILE'};
  throw new CentavoError('config', `there is no profile ${JSON.stringify(wanted)}.`, {
    code: 'unknown_profile',
    why: `There are: ${SANDBOX_PROFILE}, which needs nothing, and ${ENVIRONMENT_PROFILE}, which reads CENTAVO_SECRET_KEY.`,
    applied: 'no',
  });
}

function keyOf(env: Environment): string {
  const key = env.CENTAVO_SECRET_KEY?.trim();
  if (!key) {
    throw new CentavoError('auth', 'there is no API key.', {
      code: 'no_key',
      hint: 'Put it in CENTAVO_SECRET_KEY, or use the sandbox: --profile sandbox',
      applied: 'no',
    });
  }
  if (KEY.test(key)) return key;
  throw new CentavoError('auth', 'CENTAVO_SECRET_KEY does not hold an API key.', {
    code: 'invalid_key',
    why: `A key begins with sk_test_, sk_live_, pk_test_ or pk_live_, and goes on with letters and digits; this has ${key.length} characters${oddCharacter(key)}.`,
    applied: 'no',
  });
}

/** Where the first character stands that no key has; the key itself is never shown. */
function oddCharacter(key: string): string {
  const at = [...key].findIndex((character) => !/[A-Za-z0-9_]/.test(character));
  return at < 0 ? '' : `, and character ${at + 1} is none of these`;
}

function encodingOf(env: Environment): Setting<'form' | 'json'> | undefined {
  const encoding = env.CENTAVO_ENCODING;
  if (!encoding) return undefined;
  if (encoding === 'form' || encoding === 'json') return {value: encoding, source: 'CENTAVO_ENCODING'};
  throw new CentavoError('config', `CENTAVO_ENCODING is ${JSON.stringify(encoding)}; it can be json or form.`, {
    applied: 'no',
  });
}

/** `sandbox`, `test · env` or `LIVE · shop`: where a write goes, for a person's eyes. */
export function destination({mode, profile}: Connection): string {
  if (mode === 'sandbox') return 'sandbox';
  return `${mode === 'live' ? 'LIVE' : 'test'} · ${profile.value}`;
}
