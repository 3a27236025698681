// Finds problems of centavo's folders and files: modes, owners, damage, leftovers of killed commands. Changes nothing.

import {accessSync, chmodSync, constants, existsSync, readdirSync, rmSync, statSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {systemReason} from '../common/system-errors.js';
import {nextText, shellQuote} from '../common/next-text.js';
import {unsafePermissions, ACCESSIBLE_BY_OTHERS, WRITABLE_BY_OTHERS, type FileOwner} from './private-file.js';
import {describeDatabaseFault} from './sqlite.js';

export {describeDatabaseFault};

/** `cure` ends with a command; `fix` loses no data. */
type CheckedFileFault = Readonly<{path: string; message: string; cure: string; fix?: () => void}>;

const OWN_NAMES =
  /^(?:(?:columns|config)\.json|\.lock|jobs|keys|statement-numbers|unfinished|(?:deliveries|history|runs|sandbox)\.db(?:\.old-\d+)?(?:-journal)?)$/;
/** Name of a temporary file; contains the name of the file to replace. */
const TEMPORARY_NAME = /^\.(.+)\.[A-Za-z0-9]{16}$/;
/** Milliseconds after which a temporary file is no longer being written. */
const STALE_AFTER = 60 * 60 * 1000;
const STICKY = 0o1000;

/**
 * @param folder the configuration or data folder, which may be missing or contain files of other programs
 * @param now milliseconds since the epoch
 * @param cure fix for a folder that cannot be used
 */
export function checkFolder(folder: string, user: FileOwner, now: number, cure: string) {
  const faults: CheckedFileFault[] = [];
  let paths: readonly string[] = [];
  try {
    let nearest = folder;
    while (!existsSync(nearest)) nearest = dirname(nearest);
    // Other users may use the folder on purpose, so its mode is not changed.
    if (nearest === folder)
      faults.push(...folderFaults(folder, user, now).map((fault) => ({...fault, fix: undefined})));
    const names = readdirSync(nearest);
    accessSync(nearest, constants.W_OK | constants.X_OK);
    const owned =
      nearest === folder ? names.filter((name) => OWN_NAMES.test(TEMPORARY_NAME.exec(name)?.[1] ?? name)) : [];
    paths = owned.map((name) => join(folder, name)).flatMap((path) => [path, ...contentsOf(path)]);
  } catch (error) {
    // A fault of mode or owner, found above, may already explain the error.
    if (faults.length === 0) faults.push({path: folder, message: `It cannot be used. ${systemReason(error)}`, cure});
  }
  return {faults: [...faults, ...paths.flatMap((path) => folderFaults(path, user, now))], files: paths.length};
}

/** Returns no paths for a file, or for an unreadable folder, whose mode is reported separately. */
function contentsOf(path: string): string[] {
  try {
    return readdirSync(path, {recursive: true, encoding: 'utf8'}).map((name) => join(path, name));
  } catch {
    return [];
  }
}

function folderFaults(path: string, user: FileOwner, now: number): CheckedFileFault[] {
  const stats = statSync(path, {throwIfNoEntry: false});
  // A dangling link, or a file deleted since the listing.
  if (!stats) return [];
  const name = basename(path);
  if (TEMPORARY_NAME.test(name) && now - stats.mtimeMs > STALE_AFTER) {
    const message = 'A command that was killed left this temporary file.';
    return [{path, message, cure: `Delete it: rm ${shellQuote(path)}`, fix: () => rmSync(path)}];
  }
  const isSettings = name === 'config.json';
  const isShared = isSettings || (stats.isDirectory() && name !== 'keys');
  const forbidden = stats.mode & STICKY ? 0 : isShared ? WRITABLE_BY_OTHERS : ACCESSIBLE_BY_OTHERS;
  const {why, hint, safeMode} = unsafePermissions(path, stats, user, forbidden, isSettings) ?? {};
  const fix = safeMode === undefined ? undefined : () => chmodSync(path, safeMode);
  const exposed = why === undefined ? [] : [{path, message: why, cure: hint!, fix}];
  return name.endsWith('.db') ? [...exposed, ...damageOf(path, stats.isFile())] : exposed;
}

function damageOf(path: string, isFile: boolean): CheckedFileFault[] {
  const fault = isFile ? describeDatabaseFault(path) : undefined;
  if (isFile && !fault) return [];
  const {why: message = 'It is not a file.'} = fault?.details ?? {};
  if (fault && fault.code !== 'damaged_file')
    return [{path, message, cure: nextText(fault.details) ?? 'Try again: centavo doctor'}];
  const name = basename(path, '.db');
  if (name === 'sandbox') return [{path, message, cure: 'To replace it with an empty one: centavo sandbox reset'}];
  if (basename(dirname(path)) === 'jobs')
    return [{path, message, cure: `Import its spreadsheet again, then: centavo jobs remove ${name} --yes`}];
  const moves = [path, `${path}-journal`].filter(existsSync);
  const away = moves.map((file) => `mv ${shellQuote(file)} ${shellQuote(file.replace(path, `${path}.damaged`))}`);
  return [{path, message, cure: `Move it away: ${away.join(' && ')}`}];
}
