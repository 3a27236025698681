// Stores keys in files that only their owner can read, one file per key, for users who choose files.

import {mkdirSync, readdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {CentavoError, type Applied} from '../../common/errors.js';
import {codeOf, localError, systemReason} from '../../common/system-errors.js';
import {
  checkSecretFolder,
  PRIVATE_FOLDER_MODE,
  readSecretFile,
  syncFolder,
  type FileOwner,
} from '../../storage/private-file.js';
import {replaceFile} from '../../storage/replace-file.js';
import {checkEntryName, type KeyStore} from './key-store.js';

export interface KeyFilesOptions {
  /** Absolute path of the folder, created with mode 0700 for the first key. */
  readonly directory: string;
  readonly user: FileOwner;
  readonly token: () => string;
}

/** Stores keys in files of mode 0600. Reading throws `unsafe_file` if other users could read or write the file. */
export function createKeyFiles({directory, user, token}: KeyFilesOptions): KeyStore {
  // Entry names have no dot, so file names stay unique. The prefix avoids names that Windows reserves.
  const fileOf = (name: string): string => `key-${checkEntryName(name).replace('/', '.')}`;

  const read = async (name: string): Promise<string | undefined> => {
    const path = join(directory, fileOf(name));
    try {
      checkSecretFolder(directory, user);
      return readSecretFile(path, user);
    } catch (error) {
      if (isMissing(error)) return undefined;
      if (error instanceof CentavoError) throw error;
      throw new CentavoError('config', `the key in ${path} cannot be read.`, {
        code: 'unreadable_file',
        why: systemReason(error),
        cause: error,
      });
    }
  };

  const write = async (name: string, secret: string): Promise<void> => {
    const path = join(directory, fileOf(name));
    let applied: Applied = 'no';
    try {
      mkdirSync(directory, {recursive: true, mode: PRIVATE_FOLDER_MODE});
      checkSecretFolder(directory, user);
      replaceFile(path, secret, token());
      applied = 'unknown';
      if (readSecretFile(path, user) !== secret)
        throw new CentavoError('local_io', `the key in ${path} could not be written.`, {
          why: 'It does not contain the written key.',
          applied,
        });
    } catch (error) {
      throw localError(`the key in ${path} could not be written.`, error, {applied});
    }
  };

  const remove = async (name: string): Promise<void> => {
    const file = fileOf(name);
    try {
      // A crash may have left a temporary file.
      const ours = readdirSync(directory).filter((found) => found === file || found.startsWith(`.${file}.`));
      for (const found of ours) rmSync(join(directory, found), {force: true});
      syncFolder(directory);
    } catch (error) {
      if (!isMissing(error))
        throw localError(`the key in ${join(directory, file)} could not be removed.`, error, {applied: 'no'});
    }
  };

  const probe = async (): Promise<void> => {
    const name = `probe/${token()}`;
    await write(name, token());
    await remove(name);
  };
  return {probe, read, write, remove};
}

const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';
