// Assertions about time that hold on a machine with fifteen times its normal load.

import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';

/** Milliseconds of a long timeout in a test that expects another end of the wait. */
export const FAR = 60_000;

/** Milliseconds: a shorter wait cannot have been the timeout {@link FAR}. */
export const SOON = FAR / 2;

/** Measures the waiting time of this process in milliseconds, without the time in which the machine held it. @returns a function that reads it */
export function waitingTime(): () => number {
  const before = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(before).idle;
}

/** The largest cost ratio for a tenfold input: 10 is linear, 100 is quadratic. */
export const LINEAR = 30;

/** The time of the processor since then, in milliseconds. The kernel only estimates which part of it is `user`. */
export function cpuTimeSince(before: NodeJS.CpuUsage): number {
  const {user, system} = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The time of the processor that this process needs for the work, in milliseconds. */
export function cpuTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  return cpuTimeSince(before);
}

/** Below this many milliseconds a measurement is noise. */
const NOISE = 2;

/** The ratio of CPU time for a tenfold text. @param text creates a text with this number of characters or parts */
export function growthOf(work: (text: string) => unknown, text: (size: number) => string, size: number): number {
  // The smallest of several: a run may include garbage collection or compilation.
  const cost = (given: string) => Math.min(...Array.from({length: 5}, () => cpuTime(() => work(given))));
  const [few, many] = [text(size / 10), text(size)];
  work(few);
  return cost(many) / Math.max(cost(few), NOISE);
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * The ratio of CPU time for two sizes: of each the smallest of three, after one run for the compiler.
 * @param timed does the work for this many objects, and returns its milliseconds
 */
export async function growthBetween(
  timed: (size: number) => Promise<number> | number,
  small: number,
  large: number,
): Promise<number> {
  // The heap of a worker holds the garbage of all files before. Its collection would count for the larger size. It also
  // drops compiled code, so a small run follows.
  const once = async (size: number) => {
    collectGarbage();
    await timed(small);
    return timed(size);
  };
  const cost = async (size: number) => Math.min(await once(size), await once(size), await once(size));
  await timed(small);
  const [few, many] = [await cost(small), await cost(large)];
  console.info(`${small} objects: ${Math.round(few)} ms of the processor; ${large} objects: ${Math.round(many)} ms.`);
  return many / Math.max(few, NOISE);
}

/** Milliseconds of CPU time for a fixed amount of work: it grows with the load of the machine. */
export function referenceTime(): number {
  return cpuTime(() => {
    for (let round = 0; round < 40; round++) {
      const rows = Array.from({length: 1000}, (_, index) => ({id: `row_${round}_${index}`, amount: index * 100}));
      (JSON.parse(JSON.stringify(rows)) as typeof rows).sort((one, other) => other.amount - one.amount);
    }
  });
}
