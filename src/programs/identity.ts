// Whether a recorded process still runs. Its number alone may belong to another process by now.

import {readFileSync} from 'node:fs';
import {codeOf} from '../ground/system-errors.js';

/** The start tells apart processes that had the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export type IsAlive = (pid: number, startedAt: number) => boolean;

/** Milliseconds by which two measurements of a start may differ. */
const SAME_START = 5000;
/** Clock ticks per second in /proc, on every Linux that Node runs on. */
const TICKS = 100;

/** Milliseconds since the epoch; undefined where the system does not tell. */
function startOfProcess(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    const boot = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))![1]);
    return (boot + ticks / TICKS) * 1000;
  } catch {
    return undefined;
  }
}

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
    const started = startOfProcess(pid);
    return started === undefined || Math.abs(started - startedAt) < SAME_START;
  };
