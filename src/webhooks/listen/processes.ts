// Whether a process that is written down still runs: its number alone may belong to another one by now.

import {readFileSync} from 'node:fs';
import type {IsAlive} from './leases.js';

/** Milliseconds by which two accounts of when a process started may differ. */
const SAME_START = 5000;
/** Clock ticks a second of /proc, on every Linux that Node runs on. */
const TICKS = 100;

/** When a process started, in milliseconds since the epoch; undefined where the system does not tell. */
function startOf(pid: number): number | undefined {
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
      // Somebody else's process is there, and is not ours to signal.
      if ((error as {code?: string}).code !== 'EPERM') return false;
    }
    const started = startOf(pid);
    return started === undefined || Math.abs(started - startedAt) < SAME_START;
  };
