// A temporary home with real keys, in files and printed by programs.

import {chmodSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {ENDPOINTS} from '../../../src/client/endpoints.js';
import {ProfileKeys, type NewKey} from '../../../src/config/keys/profile-keys.js';
import {openKeyStores} from '../../../src/config/keys/open-stores.js';
import {readKey} from '../../../src/config/keys/chosen-key.js';
import {resolve, type ResolveInput} from '../../../src/config/resolve.js';
import type {ConfigurationFile} from '../../../src/config/configuration-file.js';
import {temporaryDirectory} from '../cli.js';
import {configurationIn} from './configuration-writers.js';
import {PAYREX} from './profiles.js';

export interface Home {
  readonly directory: string;
  readonly keys: string;
  readonly configuration: ConfigurationFile;
  readonly profileKeys: ProfileKeys;
  /** Stores a key in a file of `shop`, or elsewhere by options. */
  readonly keep: (key: string, more?: Partial<NewKey>) => ReturnType<ProfileKeys['save']>;
  /** The key that a command uses. */
  readonly use: (flags?: ResolveInput['flags']) => Promise<string | undefined>;
  /** A program with this shell script; `"$@"` are its arguments. @returns its path */
  readonly program: (name: string, script: string) => string;
  /** Names of files below that contain this text. */
  readonly holding: (text: string) => string[];
}

let tokens = 0;

/** @param env of the process */
export function home(env: Record<string, string> = {}): Home {
  const directory = temporaryDirectory();
  const configuration = configurationIn(join(directory, 'config'));
  const environment = {PATH: process.env.PATH, CENTAVO_CONFIG_DIR: join(directory, 'config'), ...env};
  const stores = openKeyStores(
    {
      env: environment,
      platform: process.platform,
      user: process.getuid?.(),
      signal: new AbortController().signal,
      self: [process.execPath],
      atExit: () => () => {},
      kill: (pid, signal) => process.kill(pid, signal),
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
    keep: (key, more = {}) =>
      profileKeys.save({
        profile: 'shop',
        key,
        store: 'file',
        origin: PAYREX,
        checkedAt: 1_800_000_000,
        token: `new${tokens++}`,
        ...more,
      }),
    use: async (flags = {}) => {
      const {key, profile} = resolve({
        flags,
        env: environment,
        configuration: configuration.read(),
        endpoints: ENDPOINTS,
      });
      return key && readKey(key, profile.value, stores);
    },
    program: (name, script) => {
      const path = join(directory, name);
      writeFileSync(path, `#!/bin/sh\n${script}\n`);
      chmodSync(path, 0o700);
      return path;
    },
    holding: (text) =>
      readdirSync(directory, {recursive: true, withFileTypes: true})
        .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name), 'utf8').includes(text))
        .map(({name}) => name),
  };
}

/** Test values; no service knows them. */
export const keyOf = (first: 'pk_live_' | 'pk_test_' | 'sk_live_' | 'sk_test_', body = 'one'): string =>
  `${first}MadeUpForTests0123456789${body}`;
