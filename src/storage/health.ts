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

interface Examining {
  readonly user: User;
  /** Milliseconds since the epoch. */
  readonly now: number;
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
const STICKY = 0o1000;
/** The code of an error for a file that holds no database that can be read. */
const DAMAGED = 'damaged_file';

const isOurs = (name: string): boolean =>
  FOLDERS.includes(name) || FILE.test(name) || FILE.test(TEMPORARY.exec(name)?.[1] ?? '');

/** @param folder of the configuration or the data, which need not be there yet */
export function examineFolder(folder: string, examining: Examining) {
  const faults: FileFault[] = [];
  let paths: readonly string[] = [];
  try {
    const nearest = nearestTo(folder);
    if (nearest === folder) {
      faults.push(...faultsOf(folder, examining));
      paths = pathsIn(folder, isOurs);
    }
    accessSync(nearest, constants.R_OK | constants.W_OK | constants.X_OK);
    const {bavail, bsize, blocks} = statfsSync(nearest);
    if (blocks > 0 && bavail * bsize < LEAST_SPACE)
      faults.push({
        path: folder,
        message: `Its disk is nearly full: ${Math.floor((bavail * bsize) / 1024 / 1024)} MB are left.`,
        cure: 'Free up disk space, then: centavo doctor',
      });
  } catch (error) {
    // Its mode or its owner may be why.
    if (faults.length === 0) faults.push({path: folder, message: `It cannot be used. ${reasonOf(error)}`});
  }
  return {faults: [...faults, ...paths.flatMap((path) => faultsOf(path, examining))], files: paths.length};
}

/** The folder, or the one in which it would be made. */
function nearestTo(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    const stats = statSync(at, {throwIfNoEntry: false});
    if (stats?.isDirectory()) return at;
    if (stats) throw systemError('ENOTDIR');
  }
}

const pathsIn = (folder: string, isWanted: (name: string) => boolean): string[] =>
  readdirSync(folder, {withFileTypes: true})
    .filter(({name}) => isWanted(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? [path, ...pathsIn(path, () => true)] : [path];
    });

function holdsOnlyOurs(folder: string): boolean {
  try {
    return readdirSync(folder).every(isOurs);
  } catch {
    return false;
  }
}

function faultsOf(path: string, {user, now}: Examining): FileFault[] {
  const stats = statSync(path, {throwIfNoEntry: false});
  // Somebody who made it a link to nothing, or it is gone by now.
  if (!stats) return [];
  const name = basename(path);
  const isFolder = stats.isDirectory();
  const quoted = shellQuote(path);
  if (TEMPORARY.test(name) && now - stats.mtimeMs > LEFT_AFTER) {
    const message = 'A command that was killed left this temporary file.';
    return [{path, message, cure: `Delete it: rm ${quoted}`, mend: () => rmSync(path)}];
  }
  const faults: FileFault[] = [];
  const isSettings = name === 'config.json';
  if (user !== undefined && stats.uid !== user && !(isSettings && stats.uid === 0)) {
    const message = `It belongs to user ${stats.uid}, and this is user ${user}.`;
    faults.push({path, message, cure: `Take it over: sudo chown ${user} ${quoted}`});
  } else if (user !== undefined) {
    const wanted = isFolder ? OWN_FOLDER : OWN_FILE;
    const isOpen = isSettings || (isFolder && name !== 'keys');
    const forbidden = stats.mode & STICKY ? 0 : isOpen ? WRITABLE_BY_OTHERS : FOR_OTHERS;
    const mode = (stats.mode & 0o777).toString(8);
    if (stats.mode & forbidden || (stats.mode & wanted) !== wanted)
      faults.push({
        path,
        message: `${stats.mode & forbidden ? 'Other users can access it' : 'You cannot access it'}: its mode is ${mode}.`,
        cure: `Restrict it to yourself: chmod ${wanted.toString(8)} ${quoted}`,
        // A folder that also holds other things may be meant for others.
        ...((!isFolder || FOLDERS.includes(name) || holdsOnlyOurs(path)) && {mend: () => chmodSync(path, wanted)}),
      });
  }
  if (!name.endsWith('.db')) return faults;
  const fault = stats.isFile() ? faultOfDatabase(path)?.details : {why: 'It is not a file.', code: DAMAGED};
  if (!fault) return faults;
  const isDamaged = fault.code === DAMAGED;
  const moved = [path, `${path}-journal`].filter(existsSync).map((each) => {
    return `mv ${shellQuote(each)} ${shellQuote(each.replace(path, `${path}.damaged`))}`;
  });
  const cure = isDamaged ? `Move it away: ${moved.join(' && ')}` : (fault.hint ?? 'Try again: centavo doctor');
  return [...faults, {path, message: fault.why!, cure, isDamaged}];
}
