// A folder of small files that only their owner may use, each replaced as a whole.

import {mkdirSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {codeOf} from '../common/system-errors.js';
import {PRIVATE_FOLDER_MODE, replaceFile} from './private-file.js';

/** @param token part of the names of temporary files */
export function privateFolder(path: string, token: () => string) {
  return {
    /** The files whose names begin and end like this, without unreadable ones. */
    read: (prefix: string, suffix: string) => {
      let names: string[];
      try {
        names = readdirSync(path);
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return [];
        throw error;
      }
      return names
        .filter((name) => name.startsWith(prefix) && name.endsWith(suffix))
        .flatMap((name) => {
          try {
            return [{name, text: readFileSync(join(path, name), 'utf8')}];
          } catch {
            return [];
          }
        });
    },
    /** Throws the system's error; the file is then unchanged. */
    write: (name: string, text: string): void => {
      mkdirSync(path, {recursive: true, mode: PRIVATE_FOLDER_MODE});
      replaceFile(join(path, name), text, token());
    },
    remove: (name: string): void => rmSync(join(path, name), {force: true}),
  };
}
