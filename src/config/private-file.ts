// Files that only their owner may change: read with that checked, and replaced whole or not at all.

import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {basename, dirname, join, resolve} from 'node:path';
import {CentavoError} from '../errors.js';
import {shellQuote} from '../input/shell-words.js';
import {codeOf, localFault, reasonOf} from '../thrown.js';

const WRITABLE_BY_OTHERS = 0o022;

/**
 * The text of a file that nobody else may write to, or undefined where there is none.
 * A symbolic link is followed: people keep their settings elsewhere and link to them.
 * @param user id of the user this process runs as; undefined where files have no owner
 * @throws CentavoError kind `config` when others may change it, or it cannot be read
 */
export function readOwnFile(path: string, user: number | undefined): string | undefined {
  let file: number;
  try {
    // Something else than a file in its place, a pipe for one, is not waited for.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new CentavoError('config', `${path} cannot be read.`, {
      code: 'unreadable_config',
      why: reasonOf(error),
      applied: 'no',
    });
  }
  try {
    const {mode, uid} = fstatSync(file);
    if (user !== undefined) {
      if (mode & WRITABLE_BY_OTHERS)
        throw unsafe(
          path,
          `Others may write to it (mode ${(mode & 0o777).toString(8)}).`,
          `Make it yours alone: chmod 600 ${shellQuote(path)}`,
        );
      if (uid !== user && uid !== 0) throw unsafe(path, `It belongs to user ${uid}, and this is user ${user}.`);
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof CentavoError) throw error;
    throw unsafe(path, reasonOf(error));
  } finally {
    closeSync(file);
  }
}

const unsafe = (path: string, why: string, hint?: string): CentavoError =>
  new CentavoError('config', `${path} is not read.`, {code: 'unsafe_file', why, hint, applied: 'no'});

/**
 * Replaces a file by one of this text that only its owner may read (0600), in a folder that is made so (0700) when missing.
 * @param token names the file that is written first; a crash may leave it behind, and never half of the real one
 * @throws CentavoError kind `local_io`; the file is then as it was
 */
export function replaceOwnFile(path: string, text: string, token: string): void {
  writeBeside(path, text, token, (temporary, target) => {
    renameSync(temporary, target);
    syncFolder(dirname(target));
  });
}

/** Proves that a file could be replaced, and leaves it as it is. @throws CentavoError kind `local_io` */
export function proveReplaceable(path: string, text: string, token: string): void {
  writeBeside(path, text, token, (temporary) => rmSync(temporary));
}

function writeBeside(
  path: string,
  text: string,
  token: string,
  use: (temporary: string, target: string) => void,
): void {
  let temporary: string | undefined;
  try {
    mkdirSync(dirname(path), {recursive: true, mode: 0o700});
    const target = whereItLeads(path);
    temporary = join(dirname(target), `.${basename(target)}.${token}`);
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    use(temporary, target);
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, {force: true});
    throw localFault(`${path} cannot be written.`, error);
  }
}

/** Makes the new name last: what comes next may be to remove what the old file named. Not every system can. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {}
}

/** Where a link ends, whether something is there already or not. */
function whereItLeads(path: string): string {
  try {
    return realpathSync(path);
  } catch {}
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return path;
  }
}
