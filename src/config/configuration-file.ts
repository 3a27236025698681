// Reads and writes the configuration file: strict checks, one writer at a time, and fields of later versions are kept.

import {mkdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {CentavoError} from '../common/errors.js';
import {isJsonObject, readJson, UnreadableJson} from '../common/json.js';
import {codeOf, localError, systemReason} from '../common/system-errors.js';
import {shellQuote} from '../common/next-text.js';
import {PRIVATE_FOLDER_MODE, readSettingsFile, type FileOwner} from '../storage/private-file.js';
import {KEY_SLOTS} from './keys/keys.js';
import {EMPTY, PROFILE_NAME, type Configuration, type Profile, type StoredKey} from './profiles.js';
import {SETTINGS, type SettingName} from './settings.js';

export interface ConfigurationFileOptions {
  /** Called only when a command needs the file, so that a missing folder does not stop other commands. */
  readonly directory: () => string;
  readonly user: FileOwner;
  readonly token: () => string;
}

export type ConfigurationFile = Readonly<ReturnType<typeof configurationFile>>;

export function configurationFile({directory, user, token}: ConfigurationFileOptions) {
  const pathOf = (): string => join(directory(), 'config.json');
  const read = (): Configuration => {
    const path = pathOf();
    const text = readIfExists(path, user);
    return text === undefined ? EMPTY : parseConfiguration(text, path);
  };
  return {
    get path() {
      return pathOf();
    },
    read,
    /** Reads, changes and writes under a lock. Writes nothing if `change` returns the same object. */
    update: async (change: (configuration: Configuration) => Configuration): Promise<Configuration> => {
      const {openDatabase} = await import('../storage/sqlite.js');
      const {checkReplaceable, linkTarget, replaceFile} = await import('../storage/replace-file.js');
      // A lock file would remain when its process dies, but a database lock is released.
      const lock = openDatabase(join(directory(), '.lock'), {durable: false});
      try {
        return lock.transaction(() => {
          const before = read();
          const changed = change(before);
          const write = changed === before ? checkReplaceable : replaceFile;
          const path = pathOf();
          try {
            mkdirSync(dirname(path), {recursive: true, mode: PRIVATE_FOLDER_MODE});
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

function readIfExists(path: string, user: FileOwner): string | undefined {
  try {
    return readSettingsFile(path, user);
  } catch (error) {
    if (error instanceof CentavoError) throw error;
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new CentavoError('config', `${path} cannot be read.`, {
      code: 'unreadable_config',
      why: systemReason(error),
      hint: 'To find a fix: centavo doctor',
    });
  }
}

export function parseConfiguration(text: string, path: string): Configuration {
  const away = `mv ${shellQuote(path)} ${shellQuote(`${path}.damaged`)}`;
  const invalid = (why: string, hint = `Fix that line, or move the file away and log in again: ${away}`) =>
    new CentavoError('config', `the configuration in ${path} cannot be used.`, {
      code: 'invalid_config',
      why,
      hint,
    });
  let document: unknown;
  try {
    document = readJson(text);
  } catch (error) {
    if (error instanceof UnreadableJson) throw invalid(`${error.message}.`);
    throw error;
  }
  if (!isJsonObject(document)) throw invalid('It is not an object.');
  const {version} = document;
  if (version !== 1)
    throw invalid(
      `Its version is ${JSON.stringify(version)}; this version of centavo reads version 1.`,
      // Changing the number by hand would not change the format.
      Number(version) > 1
        ? 'Use the newer version of centavo that wrote it, or set CENTAVO_CONFIG_DIR to another folder.'
        : undefined,
    );
  const {version: _, profile, profiles = {}, ...others} = document;
  if (profile !== undefined && typeof profile !== 'string') throw invalid('"profile" is not a name.');
  if (!isJsonObject(profiles)) throw invalid('"profiles" is not an object.');
  // An object without a prototype, because "constructor" is a valid profile name.
  const read: Record<string, Profile> = Object.create(null) as {};
  for (const [name, value] of Object.entries(profiles)) {
    if (!PROFILE_NAME.test(name)) throw invalid(`${JSON.stringify(name.slice(0, 60))} is not a valid profile name.`);
    read[name] = readProfile(value, (problem) => invalid(`profiles.${name}${problem}`));
  }
  return {profile, profiles: read, others};
}

function readProfile(value: unknown, invalid: (problem: string) => Error): Profile {
  if (!isJsonObject(value)) throw invalid(' is not an object.');
  const {id, merchant, keys = {}, known_keys: known, ...rest} = value;
  if (id !== undefined && !(typeof id === 'string' && /^[a-z0-9_-]{1,64}$/.test(id)))
    throw invalid('.id is not an id.');
  if (merchant !== undefined && !(isJsonObject(merchant) && typeof merchant.id === 'string'))
    throw invalid('.merchant has no id.');
  if (!isJsonObject(keys)) throw invalid('.keys is not an object.');
  for (const [slot, key] of Object.entries(keys)) {
    if (!(KEY_SLOTS as readonly string[]).includes(slot))
      throw invalid(`.keys.${slot} is not one of ${KEY_SLOTS.join(', ')}.`);
    if (!isStoredKey(key)) throw invalid(`.keys.${slot} is not a stored key.`);
  }
  if (known !== undefined && !(Array.isArray(known) && known.every((item) => typeof item === 'string')))
    throw invalid('.known_keys is not a list.');
  for (const [name, setting] of Object.entries(rest)) {
    const spec = Object.hasOwn(SETTINGS, name) ? SETTINGS[name as SettingName] : undefined;
    if (spec && !spec.holds(setting))
      throw invalid(`.${name} is ${JSON.stringify(setting).slice(0, 60)}; ${spec.form}.`);
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
  if (!isJsonObject(value)) return false;
  const {store, last4, origin, command, fingerprint} = value;
  return (
    ['command', 'file', 'keychain'].includes(String(store)) &&
    // Messages show the value, so a whole key that a user pasted here is refused.
    typeof last4 === 'string' &&
    /^[A-Za-z0-9]{4}$/.test(last4) &&
    isOrigin(origin) &&
    (store === 'command' ? fingerprint === undefined : /^[0-9a-f]{8}$/.test(String(fingerprint))) &&
    (store !== 'command' ||
      (Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string')))
  );
}

/** True if the value is spelled as `URL.origin`, with which it is compared. */
const isOrigin = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value;

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
