// What is wrong with our folders and files, found without changing any: modes, owners, damage, and what killed commands left.

import {accessSync, chmodSync, constants, existsSync, readdirSync, rmSync, statfsSync, statSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {reasonOf, systemError} from '../ground/system-errors.js';
import {shellQuote} from '../input/shell-words.js';
import {FOR_OTHERS, OWN_FILE, OWN_FOLDER, WRITABLE_BY_OTHERS, type User} from './private-file.js';
import {faultOfDatabase} from './sqlite.js';

export {faultOfDatabase};

export interface FileFault {
  readonly path: string;
  readonly message: string;
  /** Ends with a command. Missing where only another folder helps. */
  readonly cure?: string;
  readonly isDamaged?: boolean;
  /** Loses nothing. Throws the system's error. */
  readonly mend?: () => void;
}

const FOLDERS = ['jobs', 'keys', 'statement-numbers', 'unfinished'];
const FILE =
  /^(?:config\.json|history\.jsonl|\.lock|(?:deliveries|history|runs|sandbox)\.db(?:\.old-\d+)?(?:-journal)?)$/;
/** A file that was to replace another one. */
const TEMPORARY = /^\.(.+)\.[A-Za-z0-9]{16}$/;
/** Milliseconds after which nobody is writing a temporary file any more. */
const LEFT_AFTER = 60 * 60 * 1000;
/** Bytes, which a few commands cannot fill. */
const LEAST_SPACE = 16 * 1024 * 1024;
const READABLE = 0o400;
const STICKY = 0o1000;

/**
 * @param folder of the configuration or the data, which need not be there yet and may hold files of others
 * @param now milliseconds since the epoch
 */
export function examineFolder(folder: string, user: User, now: number) {
  const faults: FileFault[] = [];
  let paths: readonly string[] = [];
  try {
    const nearest = nearestTo(folder);
    // It may be meant for others as well, so its mode is left to the person.
    if (nearest === folder) faults.push(...faultsOf(folder, user, now).map((fault) => ({...fault, mend: undefined})));
    accessSync(nearest, constants.R_OK | constants.W_OK | constants.X_OK);
    const isOurs = (name: string): boolean => FILE.test(TEMPORARY.exec(name)?.[1] ?? name) || FOLDERS.includes(name);
    paths = nearest === folder ? pathsIn(folder, isOurs) : [];
    const {bavail, bsize, blocks} = statfsSync(nearest);
    const left = `${Math.floor((bavail * bsize) / 1024 / 1024)} MB are left`;
    if (blocks > 0 && bavail * bsize < LEAST_SPACE)
      faults.push({
        path: folder,
        message: `Its disk is nearly full: ${left}.`,
        cure: 'Free up space, then: centavo doctor',
      });
  } catch (error) {
    // Its mode or its owner may be why.
    if (faults.length === 0) faults.push({path: folder, message: `It cannot be used. ${reasonOf(error)}`});
  }
  return {faults: [...faults, ...paths.flatMap((path) => faultsOf(path, user, now))], files: paths.length};
}

/** The folder, or the one in which it would be made. */
function nearestTo(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    const stats = statSync(at, {throwIfNoEntry: false});
    if (stats?.isDirectory()) return at;
    if (stats) throw systemError('ENOTDIR');
  }
}

function pathsIn(folder: string, isWanted: (name: string) => boolean = () => true): string[] {
  try {
    const paths = readdirSync(folder)
      .filter(isWanted)
      .map((name) => join(folder, name));
    return paths.flatMap((path) => [
      path,
      ...(statSync(path, {throwIfNoEntry: false})?.isDirectory() ? pathsIn(path) : []),
    ]);
  } catch {
    // Its mode, which is told, is why.
    return [];
  }
}

function faultsOf(path: string, user: User, now: number): FileFault[] {
  const stats = statSync(path, {throwIfNoEntry: false});
  // A link to nothing, or gone by now.
  if (!stats) return [];
  const {mode, uid} = stats;
  const [name, quoted, isFolder] = [basename(path), shellQuote(path), stats.isDirectory()];
  if (TEMPORARY.test(name) && now - stats.mtimeMs > LEFT_AFTER) {
    const message = 'A command that was killed left this temporary file.';
    return [{path, message, cure: `Delete it: rm ${quoted}`, mend: () => rmSync(path)}];
  }
  const faults: FileFault[] = [];
  const [isSettings, isDatabase] = [name === 'config.json', name.endsWith('.db')];
  const forbidden = mode & STICKY ? 0 : isSettings || (isFolder && name !== 'keys') ? WRITABLE_BY_OTHERS : FOR_OTHERS;
  const own = isFolder ? OWN_FOLDER : OWN_FILE;
  // What is no database is replaced as a whole.
  const needed = isFolder || isDatabase ? own : READABLE;
  if (user !== undefined && uid !== user && !(isSettings && uid === 0)) {
    const message = `It belongs to user ${uid}, and this is user ${user}.`;
    faults.push({path, message, cure: `Take it over: sudo chown ${user} ${quoted}`});
  } else if (user !== undefined && (mode & forbidden || (mode & needed) !== needed)) {
    const message = `${mode & forbidden ? 'Other users can use it' : 'You cannot use it'}: its mode is ${(mode & 0o777).toString(8)}.`;
    const cure = `Make it yours alone: chmod ${own.toString(8)} ${quoted}`;
    faults.push({path, message, cure, mend: () => chmodSync(path, own)});
  }
  if (!isDatabase) return faults;
  const fault = stats.isFile() ? faultOfDatabase(path) : undefined;
  if (stats.isFile() && !fault) return faults;
  const {code = 'damaged_file', details: {why = 'It is not a file.', hint = 'Try again: centavo doctor'} = {}} =
    fault ?? {};
  const moves = [path, `${path}-journal`].filter(existsSync).map((each) => {
    return `mv ${shellQuote(each)} ${shellQuote(each.replace(path, `${path}.damaged`))}`;
  });
  const isDamaged = code === 'damaged_file';
  return [...faults, {path, message: why, cure: isDamaged ? `Move it away: ${moves.join(' && ')}` : hint, isDamaged}];
}
