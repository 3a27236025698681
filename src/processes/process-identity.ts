// Tells if a recorded process still runs. Its number alone may belong to another process by now.

import {readFileSync} from 'node:fs';
import {codeOf} from '../common/system-errors.js';

/** The start distinguishes processes that had the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * Milliseconds. On Linux since the machine was booted: a clock that is set, as after a virtual machine was suspended, must not
   * make a running process look like one that has ended. Elsewhere since the epoch.
   */
  readonly startedAt: number;
}

export type IsProcessAlive = (pid: number, startedAt: number) => boolean;

/** Milliseconds of a clock tick in /proc, on every Linux that Node runs on. */
const TICK = 10;

/** When a process began, since boot. Undefined on systems without /proc. */
function startOf(pid: number): number | undefined {
  try {
    // The name of the program, in brackets, may have anything in it.
    const [, ticks] = /.*\) (?:\S+ ){19}(\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))!;
    return Number(ticks) * TICK;
  } catch {
    return undefined;
  }
}

/** @param startedAt milliseconds since the epoch, used on systems without /proc */
export const processIdentityOf = (pid: number, startedAt: number): ProcessIdentity => ({
  pid,
  startedAt: startOf(pid) ?? startedAt,
});

/** @param kill `process.kill`, which with signal 0 only checks */
export const livenessCheck =
  (kill: (pid: number, signal: 0) => unknown): IsProcessAlive =>
  (pid, startedAt) => {
    try {
      kill(pid, 0);
    } catch (error) {
      // EPERM: it runs, and belongs to another user.
      if (codeOf(error) !== 'EPERM') return false;
    }
    return (startOf(pid) ?? startedAt) === startedAt;
  };
