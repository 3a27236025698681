// The configuration file: read strictly, changed by one process at a time, written back with whatever a later version put there.

import {mkdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {CentavoError} from '../errors.js';
import {isHash, readJson, UnreadableJson} from '../json.js';
import {
  linkTarget,
  OWN_FOLDER,
  proveReplaceable,
  readSettingsFile,
  replaceFile,
  type User,
} from '../storage/private-file.js';
import {codeOf, localError, reasonOf} from '../system-errors.js';
import {KEY_SLOTS} from './keys/keys.js';
import {EMPTY, PROFILE_NAME, type Configuration, type Profile, type StoredKey} from './profiles.js';
import {SETTINGS, type SettingName} from './settings.js';

export interface ConfigurationFile {
  /** For words. @throws CentavoError kind `config` */
  readonly path: string;
  /** What the file says; nothing where there is none. @throws CentavoError kind `config` */
  read(): Configuration;
  /**
   * Reads, changes and writes under a lock. When `change` returns the same object, nothing is written; it is only checked that the file could be.
   * @returns what is written now
   * @throws CentavoError kind `config` or `local_io`; the file is then as it was
   */
  update(change: (configuration: Configuration) => Configuration): Promise<Configuration>;
}

export interface ConfigurationFileOptions {
  /** Asked when the file is: a folder that cannot be named is an error of the command, not of the start. @throws CentavoError kind `config` */
  readonly directory: () => string;
  readonly user: User;
  /** Names files that are written first. */
  readonly token: () => string;
}

export function configurationFile({directory, user, token}: ConfigurationFileOptions): ConfigurationFile {
  const pathOf = (): string => join(directory(), 'config.json');
  const read = (): Configuration => {
    const path = pathOf();
    const text = readText(path, user);
    return text === undefined ? EMPTY : parseConfiguration(text, path);
  };
  return {
    get path() {
      return pathOf();
    },
    read,
    update: async (change) => {
      const {openDatabase} = await import('../storage/sqlite.js');
      // The system releases the lock of a database when its process dies. A lock file would stay.
      const lock = openDatabase(join(directory(), '.lock'), {durable: false});
      try {
        return lock.transaction(() => {
          const before = read();
          const changed = change(before);
          const write = changed === before ? proveReplaceable : replaceFile;
          const path = pathOf();
          try {
            mkdirSync(dirname(path), {recursive: true, mode: OWN_FOLDER});
            write(linkTarget(path), writeConfiguration(changed), token());
          } catch (error) {
            throw localError(`${path} cannot be written.`, error);
          }
          return changed;
        });
      } finally {
        lock.close();
      }
    },
  };
}

/** The text of the file, or undefined where there is none. @throws CentavoError kind `config` */
function readText(path: string, user: User): string | undefined {
  try {
    return readSettingsFile(path, user);
  } catch (error) {
    if (error instanceof CentavoError) throw error;
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new CentavoError('config', `${path} cannot be read.`, {
      code: 'unreadable_config',
      why: reasonOf(error),
      applied: 'no',
    });
  }
}

/** @param text the file. @throws CentavoError kind `config` that names what is wrong, and where */
export function parseConfiguration(text: string, path: string): Configuration {
  const wrong = (what: string, hint = 'Fix that line, or move the file away and log in again.') =>
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
      `Its version is ${JSON.stringify(itsVersion)}; this version of centavo reads version 1.`,
      // Changing the number by hand would not change the format.
      Number(itsVersion) > 1
        ? 'Use the newer version of centavo that wrote it, or set CENTAVO_CONFIG_DIR to another folder.'
        : undefined,
    );
  const {version: _, profile, profiles = {}, ...others} = document;
  if (profile !== undefined && typeof profile !== 'string') throw wrong('"profile" is not a name.');
  if (!isHash(profiles)) throw wrong('"profiles" is not an object.');
  // No prototype: "constructor" is a valid name, and must be missing until somebody makes that profile.
  const read: Record<string, Profile> = Object.create(null) as {};
  for (const [name, value] of Object.entries(profiles)) {
    if (!PROFILE_NAME.test(name)) throw wrong(`${JSON.stringify(name.slice(0, 60))} is not a valid profile name.`);
    read[name] = readProfile(value, (what) => wrong(`profiles.${name}${what}`));
  }
  return {profile, profiles: read, others};
}

function readProfile(value: unknown, wrong: (what: string) => Error): Profile {
  if (!isHash(value)) throw wrong(' is not an object.');
  const {id, merchant, keys = {}, known_keys: known, ...rest} = value;
  if (id !== undefined && !(typeof id === 'string' && /^[a-z0-9_-]{1,64}$/.test(id))) throw wrong('.id is not an id.');
  if (merchant !== undefined && !(isHash(merchant) && typeof merchant.id === 'string'))
    throw wrong('.merchant has no id.');
  if (!isHash(keys)) throw wrong('.keys is not an object.');
  for (const [slot, key] of Object.entries(keys)) {
    if (!(KEY_SLOTS as readonly string[]).includes(slot))
      throw wrong(`.keys.${slot} is not one of ${KEY_SLOTS.join(', ')}.`);
    if (!isStoredKey(key)) throw wrong(`.keys.${slot} is not a stored key.`);
  }
  if (known !== undefined && !(Array.isArray(known) && known.every((each) => typeof each === 'string')))
    throw wrong('.known_keys is not a list.');
  for (const [name, setting] of Object.entries(rest)) {
    const spec = Object.hasOwn(SETTINGS, name) ? SETTINGS[name as SettingName] : undefined;
    if (spec && !spec.holds(setting)) throw wrong(`.${name} is ${JSON.stringify(setting).slice(0, 60)}; ${spec.form}.`);
  }
  return {
    ...(id !== undefined && {id}),
    ...(merchant !== undefined && {merchant: merchant as Profile['merchant']}),
    keys: keys as Profile['keys'],
    known_keys: known,
    settings: rest as Profile['settings'],
  };
}

function isStoredKey(value: unknown): value is StoredKey {
  if (!isHash(value)) return false;
  const {store, last4, origin, command, fingerprint} = value;
  return (
    ['command', 'file', 'keychain'].includes(String(store)) &&
    // It is shown everywhere. A whole key that somebody put here by hand would be shown too.
    typeof last4 === 'string' &&
    /^[A-Za-z0-9]{4}$/.test(last4) &&
    isOrigin(origin) &&
    (store === 'command' ? fingerprint === undefined : /^[0-9a-f]{8}$/.test(String(fingerprint))) &&
    (store !== 'command' ||
      (Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string')))
  );
}

/** Scheme, host and port, written exactly like `URL.origin`, with which it is compared. */
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
