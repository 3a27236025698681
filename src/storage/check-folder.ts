// Finds problems of centavo's folders and files: modes, owners, damage, leftovers of killed commands. Changes nothing.

import * as fs from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {capitalized, CentavoError} from '../common/errors.js';
import {localError, systemError, systemReason} from '../common/system-errors.js';
import {nextText, shellQuote} from '../common/next-text.js';
import {unsafePermissions, ACCESSIBLE_BY_OTHERS, WRITABLE_BY_OTHERS, type FileOwner} from './private-file.js';
import {linkTarget} from './replace-file.js';
import {accessFault, ensurePrivateFile, readOnly, type Database} from './sqlite.js';
import {SIDE_FILES} from './write-ahead-log.js';

/** Throws for a database that centavo cannot use: of another program or version. */
export type StoreCheck = (database: Database, path: string) => unknown;
type CheckOf = (name: string) => StoreCheck;

/** `cure` ends with a command; `fix` loses no data; `done` says what it did. */
type CheckedFileFault = Readonly<{path: string; message: string; cure: string; fix?: () => void; done?: string}>;

const OWN_NAMES =
  /^(?:(?:columns|config|machine)\.json|\.lock|jobs|keys|sandboxes|statement-numbers|unfinished|(?:deliveries|history|repeats|runs|sandbox)\.db(?:\.old-\d+)?(?:-(?:journal|shm|wal))?)$/;
/** Name of a temporary file; contains the name of the file to replace. */
const TEMPORARY_NAME = /^\.(.+)\.[A-Za-z0-9]{16}$/;
/** Milliseconds after which a temporary file is no longer being written. */
const STALE_AFTER = 60 * 60 * 1000;
const STICKY = 0o1000;

/**
 * @param folder the configuration or data folder, which may be missing or contain files of other programs
 * @param now milliseconds since the epoch
 * @param cure fix for a folder that cannot be used, or of another user
 * @param checkOf returns the check of a database, by the name of its file
 */
export function checkFolder(folder: string, user: FileOwner, now: number, cure: string, checkOf: CheckOf) {
  const faults: CheckedFileFault[] = [];
  let paths: readonly string[] = [];
  let nearest = folder;
  while (!fs.existsSync(nearest)) nearest = dirname(nearest);
  try {
    // Other users may use the folder on purpose, so its mode is not changed.
    if (nearest === folder)
      faults.push(...folderFaults(folder, user, now, cure, checkOf).map((fault) => ({...fault, fix: undefined})));
    const names = fs.readdirSync(nearest);
    fs.accessSync(nearest, fs.constants.W_OK | fs.constants.X_OK);
    const owned =
      nearest === folder ? names.filter((name) => OWN_NAMES.test(TEMPORARY_NAME.exec(name)?.[1] ?? name)) : [];
    paths = owned.map((name) => join(folder, name)).flatMap((path) => [path, ...contentsOf(path)]);
  } catch (error) {
    // A fault of mode or owner, found above, may already explain the error.
    const message = `It cannot be used. ${systemReason(error)} centavo cannot write in ${nearest}.`;
    if (faults.length === 0) faults.push({path: folder, message, cure});
  }
  faults.push(...paths.flatMap((path) => folderFaults(path, user, now, cure, checkOf)));
  // Every file of a folder that cannot be used has the folder's fault.
  return {
    faults: faults.filter(({cure: fix}, at) => faults.findIndex((each) => each.cure === fix) === at),
    files: paths.length,
  };
}

/** Returns no paths for a file, or for an unreadable folder, whose mode is reported separately. */
function contentsOf(path: string): string[] {
  try {
    return fs.readdirSync(path, {recursive: true, encoding: 'utf8'}).map((name) => join(path, name));
  } catch {
    return [];
  }
}

function folderFaults(path: string, user: FileOwner, now: number, cure: string, checkOf: CheckOf): CheckedFileFault[] {
  const name = basename(path);
  const check = name.endsWith('.db') ? checkOf(name) : undefined;
  const found = fs.lstatSync(path, {throwIfNoEntry: false});
  const stats = fs.statSync(path, {throwIfNoEntry: false});
  // A file deleted since the listing, or a dangling link, which no change follows.
  if (!stats) return found && check ? damageOf(path, check) : [];
  if (TEMPORARY_NAME.test(name) && now - stats.mtimeMs > STALE_AFTER) {
    const message = 'A command that was killed left this temporary file.';
    const remove = `Delete it: rm ${shellQuote(path)}`;
    return [{path, message, cure: remove, fix: () => fs.rmSync(path), done: 'It was deleted.'}];
  }
  const isSettings = name === 'config.json';
  const isShared = isSettings || (stats.isDirectory() && name !== 'keys');
  const forbidden = stats.mode & STICKY ? 0 : isShared ? WRITABLE_BY_OTHERS : ACCESSIBLE_BY_OTHERS;
  const {why, hint, safeMode} = unsafePermissions(path, stats, user, forbidden, isSettings) ?? {};
  const fix = safeMode === undefined ? undefined : () => fs.chmodSync(path, safeMode);
  const done = `Its mode is now ${safeMode?.toString(8)}.`;
  const exposed = why === undefined ? [] : [{path, message: why, cure: hint ?? cure, fix, done}];
  // The owner explains why the file cannot be used.
  if (why !== undefined && !fix) return exposed;
  if (check) return [...exposed, ...damageOf(path, check)];
  const denied = stats.isDirectory() ? accessFault(join(path, 'file')) : undefined;
  return denied ? [...exposed, {path, message: denied.why, cure: denied.hint}] : exposed;
}

function damageOf(path: string, check: StoreCheck): CheckedFileFault[] {
  const fault = describeDatabaseFault(path, check);
  return fault ? [{path, message: capitalized(fault.details.why ?? fault.message), cure: cureOf(path, fault)}] : [];
}

function cureOf(path: string, {code, details}: CentavoError): string {
  const stats = fs.lstatSync(path);
  const file = shellQuote(path);
  if (stats.isSymbolicLink())
    return fs.existsSync(path)
      ? `Put its file in its place: mv ${shellQuote(linkTarget(path))} ${file}`
      : `It leads nowhere. Remove it: rm ${file}`;
  if (code !== 'damaged_file' && stats.isFile()) return nextText(details) ?? 'Try again: centavo doctor';
  const name = basename(path, '.db');
  const project = basename(dirname(dirname(path))) === 'sandboxes' ? ` --project ${basename(dirname(path))}` : '';
  if (name === 'sandbox') return `To replace it with an empty one: centavo sandbox reset${project}`;
  if (basename(dirname(path)) === 'jobs')
    return `Import its spreadsheet again, then: centavo jobs remove ${name} --yes`;
  const moves = [path, ...SIDE_FILES.map((end) => path + end)].filter(fs.existsSync);
  const away = moves.map((each) => `mv ${shellQuote(each)} ${shellQuote(each.replace(path, `${path}.damaged`))}`);
  return `Move it away: ${away.join(' && ')}`;
}

/** Returns the error with which a change to this database would end. */
function describeDatabaseFault(path: string, check: StoreCheck): CentavoError | undefined {
  try {
    ensurePrivateFile(path, true);
    const denied = accessFault(path);
    if (denied) throw localError('', systemError('EACCES'), denied);
    return readOnly(path, (database) => {
      const {quick_check: found} = database.get<{quick_check: string}>('PRAGMA quick_check(1)')!;
      if (found !== 'ok') throw systemError('SQLITE_CORRUPT');
      check(database, path);
      return undefined;
    });
  } catch (error) {
    return localError('', error);
  }
}

/** Moves a database away with its journal, which SQLite would apply to the next database. @returns the new path */
export function moveDamagedDatabase(path: string): string {
  let number = 1;
  while (fs.existsSync(`${path}.old-${number}`)) number++;
  const aside = `${path}.old-${number}`;
  try {
    for (const end of [...SIDE_FILES, '']) if (fs.existsSync(path + end)) fs.renameSync(path + end, aside + end);
  } catch (error) {
    throw localError(`the database ${path} cannot be moved away.`, error);
  }
  return aside;
}
