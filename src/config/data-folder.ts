// Tells whether the data folder was copied from another place, where centavo may still work on what this folder begun.

import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, realpathSync, statSync} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {capitalized, CentavoError, refusedError} from '../common/errors.js';
import {isJsonObject} from '../common/json.js';
import {shellQuote} from '../common/next-text.js';
import {codeOf, localError} from '../common/system-errors.js';
import {PRIVATE_FOLDER_MODE, readSecretFile, replaceFile, type FileOwner} from '../storage/private-file.js';

export interface Machine {
  /** The host name, for people. */
  readonly name: string;
  /** Stays the same when the name changes; equals the name where the system has no such id. */
  readonly id: string;
}

/** Whose the folder is. `birth`: its number and creation time on the disk, which no copy has; empty if unknown. */
type Owner = Readonly<Record<'birth' | 'machine' | 'name' | 'path', string>>;

/** `begins`: takes a folder of nobody. `continues`: asks about the copy. `notes`: only says so. `adopts`: takes the folder. */
export type FolderUse = 'adopts' | 'begins' | 'continues' | 'notes';

export interface FolderPort {
  readonly folder: string;
  readonly machine?: Machine;
  readonly user: FileOwner;
  readonly token: string;
  readonly io: {readonly canAsk: boolean; readonly note: (line: string) => void};
  readonly prompt: {readonly confirm: (question: string) => Promise<boolean>};
}

/** @throws CentavoError code `other_machine` if the folder is a copy, and nobody says that its original has stopped */
export async function useFolder({folder, user, token, io, prompt, ...port}: FolderPort, use: FolderUse): Promise<void> {
  const path = join(folder, 'machine.json');
  mkdirSync(folder, {recursive: true, mode: PRIVATE_FOLDER_MODE});
  const [found, own] = [ownerIn(path, user), ownerNow(folder, port.machine ?? thisMachine())];
  const isSameFolder = own.birth !== '' && found?.birth === own.birth;
  const isSameMachine = found?.machine === own.machine && (found.path === own.path || !existsSync(found.path));
  if (found && !isSameFolder && !isSameMachine && use !== 'adopts') {
    if (use === 'begins') return;
    const where = [found.machine !== own.machine && found.name, found.path !== own.path && found.path];
    const message = `this data folder was copied from ${where.filter(Boolean).join(', ')}.`;
    const why = 'If centavo still works there too, customers get emails twice.';
    const text = `${capitalized(message)} ${why}`;
    if (use === 'notes') return io.note(text);
    if (!io.canAsk || !(await prompt.confirm(`${text} Has it stopped there for good?`)))
      throw refusedError('other_machine', message, {why, needsPerson: true, override: '--adopt'});
  }
  if (found && Object.entries(own).every(([name, value]) => found[name as keyof Owner] === value)) return;
  try {
    replaceFile(path, `${JSON.stringify({version: 1, ...own})}\n`, token);
  } catch (error) {
    throw localError(`${path} cannot be written.`, error);
  }
}

function ownerIn(path: string, user: FileOwner): Owner | undefined {
  try {
    const owner: unknown = JSON.parse(readSecretFile(path, user));
    const isText = (name: string): boolean => typeof (owner as Record<string, unknown>)[name] === 'string';
    if (isJsonObject(owner) && ['birth', 'machine', 'name', 'path'].every(isText)) return owner as unknown as Owner;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw localError(`${path} cannot be read.`, error);
  }
  throw new CentavoError('config', `${path} is damaged.`, {
    why: 'It says which machine the data folder belongs to.',
    hint: `If centavo uses no copy of the folder elsewhere, remove the file: rm ${shellQuote(path)}`,
    applied: 'no',
  });
}

function ownerNow(folder: string, {id, name}: Machine): Owner {
  const path = realpathSync(folder);
  const {ino, birthtimeMs} = statSync(path);
  return {
    machine: createHash('sha256').update(id).digest('hex'),
    name,
    path,
    birth: birthtimeMs > 0 ? `${ino} ${birthtimeMs}` : '',
  };
}

function thisMachine(): Machine {
  const name = hostname();
  try {
    return {name, id: readFileSync('/etc/machine-id', 'utf8').trim() || name};
  } catch {
    return {name, id: name};
  }
}
