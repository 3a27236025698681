// Reads files that only their owner may use, and checks them first.

import * as fs from 'node:fs';
import {CentavoError} from '../common/errors.js';
import {codeOf} from '../common/system-errors.js';
import {shellQuote} from '../common/next-text.js';

export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_FOLDER_MODE = 0o700;
export const ACCESSIBLE_BY_OTHERS = 0o077;
export const WRITABLE_BY_OTHERS = 0o022;

/** Id of the user of this process. Undefined where files have no owner, as on Windows; modes are then unchecked. */
export type FileOwner = number | undefined;

/**
 * Reads a settings file that only its owner may write to. Follows links, because some users keep the file elsewhere.
 * @throws CentavoError code `unsafe_file`, or the system's error
 */
export const readSettingsFile = (path: string, user: FileOwner): string =>
  readChecked(path, 0, (stats) => {
    const {why, hint} = unsafePermissions(path, stats, user, WRITABLE_BY_OTHERS, true) ?? {};
    if (why) throw unsafe(`${path} is not safe to read.`, why, hint);
  });

/** Reads a secret from a file that only its owner may use. Follows no link. Throws like {@link readSettingsFile}. */
export function readSecretFile(path: string, user: FileOwner): string {
  const found = fs.lstatSync(path);
  if (!found.isFile())
    throw unsafeForKeys(path, describeOther(found, 'file'), `Remove it, then log in again: rm ${shellQuote(path)}`);
  // The file may have been replaced since this check, so check the opened file too.
  return readChecked(path, fs.constants.O_NOFOLLOW ?? 0, (stats) => checkForKeys(path, stats, user));
}

/** Throws `unsafe_file` unless the path is a folder that only its owner may use. */
export function checkSecretFolder(path: string, user: FileOwner): void {
  const stats = fs.lstatSync(path);
  if (!stats.isDirectory())
    throw unsafeForKeys(path, describeOther(stats, 'folder'), `Move it away: mv ${shellQuote(path)} …`);
  checkForKeys(path, stats, user);
}

function checkForKeys(path: string, stats: fs.Stats, user: FileOwner): void {
  const {why, hint} = unsafePermissions(path, stats, user, ACCESSIBLE_BY_OTHERS) ?? {};
  if (why) throw unsafeForKeys(path, why, hint);
}

/** Returns why a file or folder is unsafe, and the fix, unless only its owner could fix it. @param forbidden mode bits @param orRoot if root may own it */
export function unsafePermissions(path: string, stats: fs.Stats, user: FileOwner, forbidden: number, orRoot = false) {
  const {mode, uid} = stats;
  if (user === undefined) return undefined;
  if (uid !== user && !(orRoot && uid === 0)) {
    const why = `It belongs to ${userName(uid)}, and this is ${userName(user)}.`;
    // Without `safeMode`, because centavo does not change files of another owner.
    return {why, hint: uid === 0 ? `Change its owner: sudo chown ${user} ${shellQuote(path)}` : undefined};
  }
  if (!(mode & forbidden)) return undefined;
  const safeMode = stats.isDirectory() ? PRIVATE_FOLDER_MODE : PRIVATE_FILE_MODE;
  const shown = (mode & 0o777).toString(8);
  const isWrite = forbidden === WRITABLE_BY_OTHERS;
  return {
    safeMode,
    why: isWrite ? `Other users can write to it (mode ${shown}).` : `Other users can access it: its mode is ${shown}.`,
    hint: `Restrict it to yourself: chmod ${safeMode.toString(8)} ${shellQuote(path)}`,
  };
}

export const userName = (uid: number): string => (uid === 0 ? 'root' : `user ${uid}`);

const describeOther = (stats: fs.Stats, expected: string): string =>
  stats.isSymbolicLink() ? 'It is a symbolic link.' : `It is not a ${expected}.`;

const unsafe = (message: string, why: string, hint = 'To find a fix: centavo doctor'): CentavoError =>
  new CentavoError('config', message, {code: 'unsafe_file', why, hint});

const unsafeForKeys = (path: string, why: string, hint?: string): CentavoError =>
  unsafe(`${path} is not safe to keep keys in.`, why, hint);

function readChecked(path: string, flags: number, check: (stats: fs.Stats) => void): string {
  // O_NONBLOCK: do not wait for a FIFO in place of the file.
  const file = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | flags);
  try {
    check(fs.fstatSync(file));
    return fs.readFileSync(file, 'utf8');
  } finally {
    fs.closeSync(file);
  }
}

/** Errors of systems that cannot sync a folder, and do not need to. */
const NO_FOLDER_SYNC = ['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'EPERM'];

/** Flushes a folder to the disk, so that the names of new files survive a power cut. */
export function syncFolder(path: string): void {
  let folder: number | undefined;
  try {
    folder = fs.openSync(path, fs.constants.O_RDONLY);
    fs.fsyncSync(folder);
  } catch (error) {
    if (!NO_FOLDER_SYNC.includes(codeOf(error) ?? '')) throw error;
  } finally {
    if (folder !== undefined) fs.closeSync(folder);
  }
}
