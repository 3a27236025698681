// Whether a recorded process still runs. Its number alone may belong to another process by now.

import {readFileSync} from 'node:fs';
import {codeOf} from '../ground/system-errors.js';

/** The start tells apart processes that had the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * Milliseconds. On Linux since the machine was booted: a clock that is set, as after a virtual machine was suspended, must not
   * make a running process look like one that has ended. Elsewhere, and until release 0.6.0, since the epoch.
   */
  readonly startedAt: number;
}

export type IsAlive = (pid: number, startedAt: number) => boolean;

/** Milliseconds by which two measurements of a start since the epoch may differ. */
const SAME_START = 5000;
/** Milliseconds of a clock tick in /proc, on every Linux that Node runs on. */
const TICK = 10;

/** When a process began: since the boot, and since the epoch by the clock as it is set now. None where the system does not tell. */
function startsOf(pid: number): number[] {
  try {
    // The name of the program, in brackets, may have anything in it.
    const [, ticks] = /.*\) (?:\S+ ){19}(\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))!;
    const [, boot] = /btime (\d+)/.exec(readFileSync('/proc/stat', 'utf8'))!;
    const start = Number(ticks) * TICK;
    return [start, start + Number(boot) * 1000];
  } catch {
    return [];
  }
}

/** @param startedAt milliseconds since the epoch, which do where the system does not tell more */
export const identityOf = (pid: number, startedAt: number): ProcessIdentity => ({
  pid,
  startedAt: startsOf(pid)[0] ?? startedAt,
});

/** @param kill `process.kill`, which with signal 0 only asks */
export const aliveBy =
  (kill: (pid: number, signal: 0) => unknown): IsAlive =>
  (pid, startedAt) => {
    try {
      kill(pid, 0);
    } catch (error) {
      // EPERM: it runs, and belongs to another user.
      if (codeOf(error) !== 'EPERM') return false;
    }
    const [start = startedAt, at = 0] = startsOf(pid);
    return start === startedAt || Math.abs(at - startedAt) < SAME_START;
  };
