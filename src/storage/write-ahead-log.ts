// Decides where a database may use a write-ahead log (WAL), which needs one sync a commit. A rollback journal needs five.

import * as fs from 'node:fs';
import {dirname} from 'node:path';

/** Ends of the names of the files that SQLite writes beside a database. */
export const SIDE_FILES = ['-journal', '-wal', '-shm'] as const;

export interface LogPlace {
  /** From `sqlite_version()` of the open engine. With a system's SQLite, `process.versions` names another version. */
  readonly sqlite: string;
  readonly platform: string;
  /** Type of the file system, from `statfs`; undefined if the system does not tell. */
  readonly fileSystem: number | undefined;
}

/** Local file systems of Linux: ext, XFS, Btrfs, tmpfs, overlay, ZFS, F2FS. On others, processes may not share memory. */
const LOCAL = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010]);

/** First fixed patch by minor version of SQLite 3. Later minor versions are all fixed. */
const FIXED: Readonly<Record<number, number>> = {44: 6, 50: 7, 51: 3};

/**
 * Before SQLite 3.51.3, a checkpoint could overwrite a log that another connection had begun anew, and so corrupt the
 * file (sqlite.org/wal.html, "The WAL-Reset Bug").
 */
export function isLogSafe({sqlite, platform, fileSystem = 0}: LogPlace): boolean {
  const [major = 0, minor = 0, patch = 0] = sqlite.split('.').map(Number);
  const isFixed = major > 3 || (major === 3 && (minor > 51 || patch >= (FIXED[minor] ?? Infinity)));
  return isFixed && platform === 'linux' && LOCAL.has(fileSystem);
}

export function fileSystemOf(path: string): number | undefined {
  try {
    return fs.statfsSync(dirname(path)).type;
  } catch {
    return undefined;
  }
}
