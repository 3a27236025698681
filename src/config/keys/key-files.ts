// Keys in files that nobody else can read, one file per key, for those who ask for it.

import {mkdirSync, readdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {CentavoError, type Applied} from '../../ground/errors.js';
import {codeOf, localError, reasonOf} from '../../ground/system-errors.js';
import {
  checkSecretFolder,
  OWN_FOLDER,
  readSecretFile,
  replaceFile,
  syncFolder,
  type User,
} from '../../storage/private-file.js';
import {checkEntryName, type KeyStore} from './key-store.js';

export interface KeyFilesOptions {
  /** An absolute path. It is made (0700) for the first key. */
  readonly directory: string;
  readonly user: User;
  readonly token: () => string;
}

/** Files of mode 0600. Throws `unsafe_file` instead of reading what others could read or could have put there. */
export function createKeyFiles({directory, user, token}: KeyFilesOptions): KeyStore {
  // Entry names have no dot. The prefix avoids file names that Windows reserves.
  const fileOf = (name: string): string => `key-${checkEntryName(name).replace('/', '.')}`;

  const read = (file: string): string | undefined => {
    const path = join(directory, file);
    try {
      checkSecretFolder(directory, user);
      return readSecretFile(path, user);
    } catch (error) {
      if (isMissing(error)) return undefined;
      if (error instanceof CentavoError) throw error;
      throw new CentavoError('config', `the key in ${path} cannot be read.`, {
        code: 'unreadable_file',
        why: reasonOf(error),
        applied: 'no',
        cause: error,
      });
    }
  };

  const write = (file: string, secret: string): void => {
    const path = join(directory, file);
    let applied: Applied = 'no';
    try {
      mkdirSync(directory, {recursive: true, mode: OWN_FOLDER});
      checkSecretFolder(directory, user);
      replaceFile(path, secret, token());
      applied = 'unknown';
      if (readSecretFile(path, user) !== secret)
        throw new CentavoError('local_io', `the key in ${path} could not be written.`, {
          why: 'It does not contain what was written.',
          applied,
        });
    } catch (error) {
      throw failed(path, 'written', error, applied);
    }
  };

  const remove = (file: string): void => {
    try {
      // A crash may have left a temporary file.
      const ours = readdirSync(directory).filter((found) => found === file || found.startsWith(`.${file}.`));
      for (const found of ours) rmSync(join(directory, found), {force: true});
      syncFolder(directory);
    } catch (error) {
      if (!isMissing(error)) throw failed(join(directory, file), 'removed', error, 'no');
    }
  };

  return {
    probe: async () => {
      const file = fileOf(`probe/${token()}`);
      write(file, token());
      remove(file);
    },
    read: async (name) => read(fileOf(name)),
    write: async (name, secret) => write(fileOf(name), secret),
    remove: async (name) => remove(fileOf(name)),
  };
}

const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';

const failed = (path: string, what: string, error: unknown, applied: Applied): CentavoError =>
  localError(`the key in ${path} could not be ${what}.`, error, {applied});
