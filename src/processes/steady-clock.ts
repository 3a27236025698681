// A clock that also counts the time while the machine sleeps. Setting the machine's clock does not change it.

import {uptime} from 'node:os';

/** Milliseconds: `uptime` counts whole seconds on some systems, so a shorter sleep is not certain. */
const LEAST_SLEEP = 2000;
/** Milliseconds. `uptime` takes longer than all else here, and an import reads the clock ninety times a row. */
const CHECK_INTERVAL = 10;

/** Returns a clock that begins at `now`, in milliseconds since the epoch. @param sinceStart milliseconds of this process */
export function steadyClock(now: number, sinceStart: () => number): () => number {
  const began = now - sinceStart();
  // Timers and `sinceStart` stand still while the machine sleeps; `uptime` does not.
  const asleep = (): number => uptime() * 1000 - sinceStart();
  let first: number | undefined;
  let slept = 0;
  let checked = -CHECK_INTERVAL;
  return () => {
    const at = sinceStart();
    if (at - checked >= CHECK_INTERVAL) {
      checked = at;
      first ??= asleep();
      if (asleep() - first > slept + LEAST_SLEEP) slept = asleep() - first;
    }
    return Math.floor(began + at + slept);
  };
}
