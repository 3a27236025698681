// Checks whether the data folder is a copy. Its original may still send the same emails.

import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, realpathSync, statSync} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {capitalized, refusedError} from '../common/errors.js';
import {codeOf, localError} from '../common/system-errors.js';
import {PRIVATE_FOLDER_MODE, readSecretFile, type FileOwner} from '../storage/private-file.js';
import {replaceFile} from '../storage/replace-file.js';

export interface Machine {
  /** The host name, for people. */
  readonly name: string;
  /** Stays the same when the name changes; equals the name where the system has no such id. */
  readonly id: string;
}

export interface FolderPort {
  readonly dataDirectory: () => string;
  readonly host: {readonly machine?: Machine; readonly user: FileOwner};
  readonly io: {readonly canAsk: boolean};
  readonly prompt: {readonly confirm: (question: string) => Promise<boolean>};
  readonly token: (length: number) => string;
}

/** `continues` asks about the original of a copy, `adopts` takes the copy without a question. */
export type FolderUse = 'adopts' | 'begins' | 'continues';

/** Records this machine as the folder's owner. @throws CentavoError code `other_machine` unless a person says that the original stopped */
export async function useFolder(port: FolderPort, use: FolderUse): Promise<void> {
  const folder = port.dataDirectory();
  const path = join(folder, 'machine.json');
  try {
    mkdirSync(folder, {recursive: true, mode: PRIVATE_FOLDER_MODE});
    const {id, name} = port.host.machine ?? thisMachine();
    const real = realpathSync(folder);
    const {ino, birthtimeMs} = statSync(real);
    // No copy has the same number and creation time; some disks record no such time.
    const birth = birthtimeMs > 0 ? `${ino} ${birthtimeMs}` : null;
    const own = {machine: createHash('sha256').update(id).digest('hex'), name, path: real, birth};
    const found = ownerIn(path, port.host.user);
    const isHere = found?.machine === own.machine && (found.path === real || !existsSync(found.path));
    if (found && !isHere && (birth === null || found.birth !== birth)) {
      if (use === 'begins') return;
      const parts = [found.machine !== own.machine && found.name, found.path !== real && found.path];
      const origin = parts.filter(Boolean).join(', ');
      const message = origin ? `this data folder came from ${origin}.` : `${path} names no machine.`;
      if (use === 'continues') await confirmCopy(port, message);
    }
    replaceFile(path, `${JSON.stringify(own)}\n`, port.token(16));
  } catch (error) {
    throw localError(`${path} cannot be used.`, error);
  }
}

async function confirmCopy({io, prompt}: FolderPort, message: string): Promise<void> {
  const why = 'If centavo still works in another copy of the data folder, customers get emails twice.';
  if (io.canAsk && (await prompt.confirm(`${capitalized(message)} ${why} Has it stopped there for good?`))) return;
  throw refusedError('other_machine', message, {why, override: '--adopt'});
}

/** Returns the recorded owner: an empty path for a damaged file, undefined for a missing one. */
function ownerIn(path: string, user: FileOwner) {
  try {
    const owner: unknown = JSON.parse(readSecretFile(path, user));
    return (owner ?? {}) as {machine?: string; name?: string; path: string; birth?: string | null};
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) return {path: ''};
    throw error;
  }
}

function thisMachine(): Machine {
  const name = hostname();
  try {
    return {name, id: readFileSync('/etc/machine-id', 'utf8').trim() || name};
  } catch {
    return {name, id: name};
  }
}
