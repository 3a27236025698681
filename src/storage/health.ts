// What is wrong with our folders and files, found without changing any: modes, owners, damage, and what killed commands left.

import {accessSync, chmodSync, constants, existsSync, readdirSync, rmSync, statSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {reasonOf} from '../ground/system-errors.js';
import {shellQuote} from '../input/shell-words.js';
import {FOR_OTHERS, OWN_FILE, OWN_FOLDER, WRITABLE_BY_OTHERS, type User} from './private-file.js';
import {faultOfDatabase} from './sqlite.js';

export {faultOfDatabase};

export interface FileFault {
  readonly path: string;
  readonly message: string;
  /** Ends with a command. */
  readonly cure: string;
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
const READABLE = 0o400;
const STICKY = 0o1000;

/**
 * @param folder of the configuration or the data, which need not be there yet and may hold files of others
 * @param now milliseconds since the epoch
 * @param cure of a folder that cannot be used
 */
export function examineFolder(folder: string, user: User, now: number, cure: string) {
  const faults: FileFault[] = [];
  let paths: readonly string[] = [];
  try {
    const isThere = existsSync(folder);
    // It may be meant for others as well, so its mode is left to the person.
    if (isThere) faults.push(...faultsOf(folder, user, now).map((fault) => ({...fault, mend: undefined})));
    let nearest = folder;
    while (!existsSync(nearest)) nearest = dirname(nearest);
    const names = readdirSync(nearest);
    accessSync(nearest, constants.W_OK | constants.X_OK);
    const isOurs = (name: string): boolean => FILE.test(TEMPORARY.exec(name)?.[1] ?? name) || FOLDERS.includes(name);
    const own = isThere ? names.filter(isOurs).map((name) => join(folder, name)) : [];
    paths = own.flatMap((path) => [path, ...below(path)]);
  } catch (error) {
    // Its mode or its owner may be why.
    if (faults.length === 0) faults.push({path: folder, message: `It cannot be used. ${reasonOf(error)}`, cure});
  }
  return {faults: [...faults, ...paths.flatMap((path) => faultsOf(path, user, now))], files: paths.length};
}

/** Nothing for a file, and for a folder whose mode, which is told, does not allow it. */
function below(path: string): string[] {
  try {
    return readdirSync(path, {recursive: true, encoding: 'utf8'}).map((name) => join(path, name));
  } catch {
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
  return isDatabase ? [...faults, ...faultsOfDatabase(path, stats.isFile())] : faults;
}

function faultsOfDatabase(path: string, isFile: boolean): FileFault[] {
  const fault = isFile ? faultOfDatabase(path) : undefined;
  if (isFile && !fault) return [];
  const {why: message = 'It is not a file.', hint = 'Try again: centavo doctor'} = fault?.details ?? {};
  if (fault && fault.code !== 'damaged_file') return [{path, message, cure: hint}];
  const name = basename(path, '.db');
  const moves = [path, `${path}-journal`]
    .filter(existsSync)
    .map((each) => `mv ${shellQuote(each)} ${shellQuote(each.replace(path, `${path}.damaged`))}`);
  const cure =
    name === 'sandbox'
      ? 'To replace it with an empty one: centavo sandbox reset'
      : basename(dirname(path)) === 'jobs'
        ? `Import its spreadsheet again, then: centavo jobs purge ${name} --yes`
        : `Move it away: ${moves.join(' && ')}`;
  return [{path, message, cure}];
}
