// What is asserted about time, so that it holds on a machine that is busy with fifteen times the work it can do.

/** Milliseconds of a time limit that a test makes long, to show that something else ends the wait. */
export const FAR = 60_000;

/** Milliseconds: what takes less has not waited for a limit of {@link FAR}. */
export const SOON = FAR / 2;

/** The time in which this process waits from now on, in milliseconds. A time in which the machine does not let it go on is none of it. @returns says how much */
export function waitingTime(): () => number {
  const before = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(before).idle;
}

/** How many times more a tenfold input may cost at most: 10 is linear, 100 is quadratic. */
export const LINEAR = 30;

/** The time of the processor that this process needs for the work, in milliseconds. */
export function cpuTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const {user, system} = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Below this many milliseconds a measurement is noise. */
const NOISE = 2;

/** How many times more time of the processor the work takes on a text ten times as long. @param text makes one of so many characters or parts */
export function growthOf(work: (text: string) => unknown, text: (size: number) => string, size: number): number {
  // The least of several: one may be collecting garbage, or compiling.
  const cost = (given: string) => Math.min(...Array.from({length: 5}, () => cpuTime(() => work(given))));
  const [few, many] = [text(size / 10), text(size)];
  work(few);
  return cost(many) / Math.max(cost(few), NOISE);
}

/** The time that the processor needs for a fixed amount of ordinary work now, in milliseconds: it grows with what else runs on the machine. */
export function referenceTime(): number {
  return cpuTime(() => {
    for (let round = 0; round < 40; round++) {
      const rows = Array.from({length: 1000}, (_, index) => ({id: `row_${round}_${index}`, amount: index * 100}));
      (JSON.parse(JSON.stringify(rows)) as typeof rows).sort((one, other) => other.amount - one.amount);
    }
  });
}
