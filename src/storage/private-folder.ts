// Reads and writes small files in a folder. Only the owner may use the files, and each is replaced as a whole.

import * as fs from 'node:fs';
import {join} from 'node:path';
import {codeOf} from '../common/system-errors.js';
import {PRIVATE_FOLDER_MODE} from './private-file.js';
import {replaceFile} from './replace-file.js';

/** @param token returns part of a temporary file's name */
export function privateFolder(path: string, token: () => string) {
  return {
    /** Returns the files with this prefix and suffix, and skips unreadable files. */
    read: (prefix: string, suffix: string) => {
      let names: string[];
      try {
        names = fs.readdirSync(path);
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return [];
        throw error;
      }
      return names
        .filter((name) => name.startsWith(prefix) && name.endsWith(suffix))
        .flatMap((name) => {
          try {
            return [{name, text: fs.readFileSync(join(path, name), 'utf8')}];
          } catch {
            return [];
          }
        });
    },
    /** Replaces a file. Throws the system's error; the file is then unchanged. */
    write: (name: string, text: string): void => {
      fs.mkdirSync(path, {recursive: true, mode: PRIVATE_FOLDER_MODE});
      replaceFile(join(path, name), text, token());
    },
    remove: (name: string): void => fs.rmSync(join(path, name), {force: true}),
  };
}
