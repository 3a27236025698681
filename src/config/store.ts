// The configuration file: read once for a command, changed by one process at a time.

import {join} from 'node:path';
import {parseConfiguration, writeConfiguration} from './document.js';
import {proveReplaceable, readOwnFile, replaceOwnFile} from './private-file.js';
import {EMPTY, type Configuration} from './profiles.js';

export interface ConfigurationStore {
  /** The file, for words. @throws CentavoError kind `config` */
  readonly path: string;
  /** What the file says; nothing where there is none. @throws CentavoError kind `config` */
  read(): Configuration;
  /**
   * Reads, changes and writes while no other process does. What is given back as it was is not written; that it could be is proven.
   * @returns what is written now
   * @throws CentavoError kind `config` or `local_io`; the file is then as it was
   */
  update(change: (configuration: Configuration) => Configuration): Promise<Configuration>;
}

export interface ConfigurationStoreOptions {
  /** Asked when the file is: a folder that cannot be named is an error of the command, not of the start. @throws CentavoError kind `config` */
  readonly directory: () => string;
  /** Id of the user this process runs as; undefined where files have no owner. */
  readonly user: number | undefined;
  /** Names files that are written first. */
  readonly token: () => string;
}

export function configurationStore({directory, user, token}: ConfigurationStoreOptions): ConfigurationStore {
  const file = (): string => join(directory(), 'config.json');
  const read = (): Configuration => {
    const path = file();
    const text = readOwnFile(path, user);
    return text === undefined ? EMPTY : parseConfiguration(text, path);
  };
  return {
    get path() {
      return file();
    },
    read,
    update: async (change) => {
      const {openDatabase} = await import('../storage/sqlite.js');
      // The system lets go of a database's lock when its process dies, which no file of our own making would.
      const lock = openDatabase(join(directory(), '.lock'), {durable: false});
      try {
        return lock.transaction(() => {
          const before = read();
          const changed = change(before);
          const write = changed === before ? proveReplaceable : replaceOwnFile;
          write(file(), writeConfiguration(changed), token());
          return changed;
        });
      } finally {
        lock.close();
      }
    },
  };
}
