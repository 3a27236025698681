// The configuration file's text: read strictly, written back with whatever a later version put there.

import {CentavoError} from '../errors.js';
import {readJson, UnreadableJson} from '../json.js';
import {KEY_SLOTS} from './keys/keys.js';
import {PROFILE_NAME, type Configuration, type Profile, type StoredKey} from './profiles.js';
import {SETTINGS, type SettingName} from './settings.js';

type Hash = Record<string, unknown>;

const isHash = (value: unknown): value is Hash => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param text the file. @throws CentavoError kind `config` that names what is wrong, and where */
export function parseConfiguration(text: string, path: string): Configuration {
  const wrong = (what: string, hint = 'Mend that line, or move the file away and log in again.') =>
    new CentavoError('config', `the configuration in ${path} cannot be used.`, {
      code: 'invalid_config',
      why: what,
      hint,
      applied: 'no',
    });
  let document: unknown;
  try {
    document = readJson(text);
  } catch (error) {
    if (error instanceof UnreadableJson) throw wrong(`${error.message}.`);
    throw error;
  }
  if (!isHash(document)) throw wrong('It is not an object.');
  const {version: itsVersion} = document;
  if (itsVersion !== 1)
    throw wrong(
      `Its version is ${JSON.stringify(itsVersion)}; this centavo knows 1.`,
      // To mend the number would make it lie.
      Number(itsVersion) > 1
        ? 'Use the later centavo that wrote it, or another folder: CENTAVO_CONFIG_DIR.'
        : undefined,
    );
  const {version: _, profile, profiles = {}, ...others} = document;
  if (profile !== undefined && typeof profile !== 'string') throw wrong('"profile" is not a name.');
  if (!isHash(profiles)) throw wrong('"profiles" is not an object.');
  // Without a prototype: "constructor" is a name as good as any, and not there until somebody makes it.
  const read: Record<string, Profile> = Object.create(null) as {};
  for (const [name, value] of Object.entries(profiles)) {
    if (!PROFILE_NAME.test(name)) throw wrong(`${JSON.stringify(name.slice(0, 60))} cannot be the name of a profile.`);
    read[name] = readProfile(value, (what) => wrong(`profiles.${name}${what}`));
  }
  return {profile, profiles: read, others};
}

function readProfile(value: unknown, wrong: (what: string) => Error): Profile {
  if (!isHash(value)) throw wrong(' is not an object.');
  const {id, merchant, keys = {}, ...rest} = value;
  if (id !== undefined && !(typeof id === 'string' && /^[a-z0-9_-]{1,64}$/.test(id))) throw wrong('.id is not an id.');
  if (merchant !== undefined && !(isHash(merchant) && typeof merchant.id === 'string'))
    throw wrong('.merchant has no id.');
  if (!isHash(keys)) throw wrong('.keys is not an object.');
  for (const [slot, key] of Object.entries(keys)) {
    if (!(KEY_SLOTS as readonly string[]).includes(slot))
      throw wrong(`.keys.${slot} is none of ${KEY_SLOTS.join(', ')}.`);
    if (!isStoredKey(key)) throw wrong(`.keys.${slot} is not a stored key.`);
  }
  for (const [name, setting] of Object.entries(rest)) {
    const spec = Object.hasOwn(SETTINGS, name) ? SETTINGS[name as SettingName] : undefined;
    if (spec && !spec.holds(setting)) throw wrong(`.${name} is ${JSON.stringify(setting).slice(0, 60)}; ${spec.form}.`);
  }
  return {
    ...(id !== undefined && {id}),
    ...(merchant !== undefined && {merchant: merchant as Profile['merchant']}),
    keys: keys as Profile['keys'],
    settings: rest as Profile['settings'],
  };
}

function isStoredKey(value: unknown): value is StoredKey {
  if (!isHash(value)) return false;
  const {store, last4, origin, command, fingerprint} = value;
  return (
    ['command', 'file', 'keychain'].includes(String(store)) &&
    // It is shown everywhere: a whole key in its place, put there by hand, would be, too.
    typeof last4 === 'string' &&
    /^[A-Za-z0-9]{4}$/.test(last4) &&
    isOrigin(origin) &&
    (store === 'command' ? fingerprint === undefined : /^[0-9a-f]{8}$/.test(String(fingerprint))) &&
    (store !== 'command' ||
      (Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string')))
  );
}

/** Scheme, host and port, as a URL's own origin is written: it is compared with one. */
const isOrigin = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value;

/** The text of the file. */
export function writeConfiguration({profile, profiles, others}: Configuration): string {
  const document = {
    version: 1,
    profile,
    profiles: Object.fromEntries(
      Object.entries(profiles).map(([name, {settings, ...rest}]) => [name, {...rest, ...settings}]),
    ),
    ...others,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
