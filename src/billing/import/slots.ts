// How many rows are worked on at a time. The limit of the service is not known: an answer 429 slows the whole run down, and
// each success lets it recover a little.

/** Milliseconds. */
const LONGEST_PAUSE = 60_000;

export class Slots {
  readonly #most: number;
  #limit: number;
  #taken = 0;
  #pausedUntil = 0;
  #slowedAt = Number.NEGATIVE_INFINITY;
  readonly #waiting: (() => void)[] = [];
  readonly #now: () => number;
  readonly #sleep: (milliseconds: number) => Promise<unknown>;

  /** @param most rows at a time @param around `now` in milliseconds */
  constructor(
    most: number,
    around: {readonly now: () => number; readonly sleep: (milliseconds: number) => Promise<unknown>},
  ) {
    this.#most = most;
    this.#limit = most;
    this.#now = around.now;
    this.#sleep = around.sleep;
  }

  /** Rows that may be worked on at a time now. */
  get limit(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /** Waits as long as the service has asked for. A signal ends it. */
  async pause(): Promise<void> {
    let sleeps = true;
    const wake = (): void => void (sleeps = false);
    for (let left = this.#left(); sleeps && left > 0; left = this.#left()) await this.#sleep(left).catch(wake);
  }

  #left(): number {
    // The clock may have been set back since.
    return Math.min(LONGEST_PAUSE, this.#pausedUntil - this.#now());
  }

  async acquire(): Promise<void> {
    await this.pause();
    while (this.#taken >= this.limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken++;
  }

  release(): void {
    this.#taken--;
    this.#wake();
  }

  #wake(): void {
    for (let free = this.limit - this.#taken; free > 0 && this.#waiting.length > 0; free--) this.#waiting.shift()!();
  }

  /** The service answered 429. Answers to calls that were under way together count once. @param seconds it asked to wait */
  slowDown(seconds = 1): void {
    const now = this.#now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(LONGEST_PAUSE, seconds * 1000));
    if (now - this.#slowedAt < 1000) return;
    this.#slowedAt = now;
    this.#limit = Math.max(1, this.#limit / 2);
  }

  /** A call succeeded: after as many successes as rows at a time, there is room for one row more. */
  succeeded(): void {
    this.#limit = Math.min(this.#most, this.#limit + 1 / this.#limit);
    this.#wake();
  }
}

/** Works on each while it has a slot. When `mayStart` says no, those under way are waited for and the rest is left. */
export async function forEachIn<Item>(
  slots: Slots,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
  mayStart: () => boolean,
): Promise<void> {
  const running = new Set<Promise<void>>();
  for (const item of items) {
    await slots.acquire();
    if (!mayStart()) {
      slots.release();
      break;
    }
    const done = work(item).finally(() => {
      slots.release();
      running.delete(done);
    });
    running.add(done);
    if (running.size >= MOST_WAITING) await Promise.race(running);
  }
  await Promise.all(running);
}

/** Rows that wait for their settle time; more would only take memory. */
const MOST_WAITING = 1000;
