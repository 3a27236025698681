// A temporary home with real keys, in files and printed by programs.

import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {ENDPOINTS} from '../../../src/client/endpoints.js';
import {ProfileKeys, type NewKey} from '../../../src/config/keys/profile-keys.js';
import {openKeyStores} from '../../../src/config/keys/open-stores.js';
import {readKey} from '../../../src/config/keys/chosen-key.js';
import {resolve, type ResolveInput} from '../../../src/config/resolve.js';
import {temporaryDirectory} from '../cli.js';
import {hostOf} from '../processes.js';
import {configurationIn} from './configuration-writers.js';
import {PAYREX} from './profiles.js';

export type Home = ReturnType<typeof home>;

/** Names of files, anywhere in this folder, that hold a text. */
export const filesHolding =
  (directory: string) =>
  (text: string): string[] =>
    readdirSync(directory, {recursive: true, withFileTypes: true})
      .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name), 'utf8').includes(text))
      .map(({name}) => name);

/** A key of the profile `shop`, in a file. */
export const newKey = (key: string, token: string): NewKey => ({
  ...{profile: 'shop', key, store: 'file', origin: PAYREX, checkedAt: 1_800_000_000, token},
});

let tokens = 0;

/** @param env of the process */
export function home(env: Record<string, string> = {}) {
  const directory = temporaryDirectory();
  const configuration = configurationIn(join(directory, 'config'));
  const environment = {PATH: process.env.PATH, CENTAVO_CONFIG_DIR: join(directory, 'config'), ...env};
  const stores = openKeyStores(
    {
      ...hostOf(environment),
      platform: process.platform,
      user: process.getuid?.(),
      signal: new AbortController().signal,
      self: [process.execPath],
      atExit: () => () => {},
    },
    () => ({canAsk: false, onStderr: () => {}}),
    () => `t${tokens++}`,
  );
  const profileKeys = new ProfileKeys(configuration, stores);
  return {
    directory,
    keys: join(directory, 'config', 'keys'),
    configuration,
    profileKeys,
    /** Stores a key in a file of `shop`, or elsewhere by options. */
    keep: (key: string, more: Partial<NewKey> = {}) => profileKeys.save({...newKey(key, `new${tokens++}`), ...more}),
    /** The key that a command uses. */
    use: async (flags: ResolveInput['flags'] = {}) => {
      const given = {flags, env: environment, configuration: configuration.read()};
      const {key, profile} = resolve({...given, endpoints: ENDPOINTS});
      return key && readKey(key, profile.value, stores);
    },
    /** A program with this shell script; `"$@"` are its arguments. @returns its path */
    program: (name: string, script: string) => {
      const path = join(directory, name);
      writeFileSync(path, `#!/bin/sh\n${script}\n`, {mode: 0o700});
      return path;
    },
    holding: filesHolding(directory),
  };
}

/** Test values; no service knows them. */
export const keyOf = (first: 'pk_live_' | 'pk_test_' | 'sk_live_' | 'sk_test_', body = 'one'): string =>
  `${first}MadeUpForTests0123456789${body}`;
