// Tells if a recorded process still runs. The pid alone is not enough: the system reuses pids.

import {readFileSync} from 'node:fs';
import {codeOf} from '../common/system-errors.js';

export interface ProcessIdentity {
  readonly pid: number;
  /**
   * Milliseconds: since boot on Linux, since the epoch elsewhere. A change of the clock, as after a virtual machine was
   * suspended, does not affect the time since boot.
   */
  readonly startedAt: number;
}

export type IsProcessAlive = (pid: number, startedAt: number) => boolean;

/** Milliseconds of a clock tick in /proc, on every Linux that Node supports. */
const TICK = 10;

/** Milliseconds from boot to the start of a process; undefined if /proc does not have it. */
function startOf(pid: number): number | undefined {
  try {
    // The program name, in parentheses, may contain any characters.
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

/** @param kill `process.kill`; signal 0 only checks */
export const livenessCheck =
  (kill: (pid: number, signal: 0) => unknown): IsProcessAlive =>
  (pid, startedAt) => {
    try {
      kill(pid, 0);
    } catch (error) {
      // EPERM: the process runs and belongs to another user.
      if (codeOf(error) !== 'EPERM') return false;
    }
    return (startOf(pid) ?? startedAt) === startedAt;
  };
