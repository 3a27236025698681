// A program and all that it started, ended together: asked first, so that it can leave the terminal in order, and then forced.

import {spawnSync, type ChildProcess} from 'node:child_process';

type EndSignal = 'SIGKILL' | 'SIGTERM';

export interface ProcessTreeOptions {
  /** Whether the program leads a group of its own. If not, what it started is looked for. */
  readonly ownGroup: boolean;
  /** `process.kill`. */
  readonly kill: (pid: number, signal: EndSignal) => unknown;
}

/** Milliseconds between asking and forcing. */
const GRACE = 500;

/** Ends it at once. Synchronous, so that it can be the last thing a process does. */
export const killTree = (child: ChildProcess, options: ProcessTreeOptions): void =>
  signal(treeOf(child, options), 'SIGKILL', options);

/** Asks it to end, and half a second later forces what is left. @param ended resolves when the program has ended */
export async function endTree(
  child: ChildProcess,
  ended: Promise<unknown>,
  options: ProcessTreeOptions,
): Promise<void> {
  // Looked for once, before anything ends: what has lost its parent cannot be found any more.
  const tree = treeOf(child, options);
  signal(tree, 'SIGTERM', options);
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([ended, new Promise((resolve) => (timer = setTimeout(resolve, GRACE)))]);
  clearTimeout(timer);
  signal(tree, 'SIGKILL', options);
}

function signal(pids: readonly number[], name: EndSignal, {kill}: ProcessTreeOptions): void {
  for (const pid of pids) {
    try {
      kill(pid, name);
    } catch {
      // It is gone already.
    }
  }
}

/** What to signal: a group as its negative number, and else each process, the youngest first. */
function treeOf({pid}: ChildProcess, {ownGroup}: ProcessTreeOptions): number[] {
  if (pid === undefined) return [];
  // On Windows there are no groups, and the second number is what is left of it.
  return ownGroup ? [-pid, pid] : familyOf(pid);
}

function familyOf(pid: number): number[] {
  const {status, stdout} = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], {encoding: 'utf8'});
  if (status !== 0) return [pid];
  const pairs = stdout.split('\n').map((row) => row.trim().split(/\s+/).map(Number) as [number, number]);
  const family = [pid];
  for (const member of family) family.push(...pairs.filter(([, parent]) => parent === member).map(([child]) => child));
  return family.reverse();
}
