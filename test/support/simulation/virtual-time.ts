// Time that passes only when everybody waits: hours take milliseconds, and the same work takes the same course again.

interface Sleeper {
  readonly at: number;
  /** Whose wait this is; a process that dies takes its own with it. */
  readonly owner: object | undefined;
  readonly wake: () => void;
}

/** More wake-ups than this in one run mean that the work goes round in circles. */
const MOST_STEPS = 300_000;
/** Turns of the event loop without anything asleep after which nothing more is expected, as of a module that is being loaded. */
const MOST_IDLE_TURNS = 500;

/** Until every promise that can go on has gone on, also where the work itself waits for a turn of the event loop or two. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export class VirtualTime {
  /** Milliseconds since the epoch. */
  #now = 1_800_000_000_000;
  /** The next one last; of the same instant, whoever lay down first wakes first. */
  #asleep: Sleeper[] = [];

  /** @param seed named in errors */
  constructor(readonly seed: number) {}

  now = (): number => this.#now;

  get sleepers(): number {
    return this.#asleep.length;
  }

  /** Waits, or rejects with the signal's reason when it aborts. */
  sleep = (milliseconds: number, signal?: AbortSignal, owner?: object): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return void reject(signal.reason as Error);
      const abort = (): void => {
        this.#asleep = this.#asleep.filter((each) => each !== sleeper);
        reject(signal!.reason as Error);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const sleeper: Sleeper = {at: this.#now + Math.max(0, milliseconds), owner, wake};
      signal?.addEventListener('abort', abort, {once: true});
      let place = this.#asleep.length;
      while (place > 0 && this.#asleep[place - 1]!.at <= sleeper.at) place--;
      this.#asleep.splice(place, 0, sleeper);
    });

  /** Whoever waits for this owner waits for ever. */
  forget(owner: object): void {
    this.#asleep = this.#asleep.filter((each) => each.owner !== owner);
  }

  /** Lets time pass until this is settled. What others still wait for stays. @throws Error when nobody will ever wake it */
  async run<T>(work: Promise<T>, mostSteps = MOST_STEPS): Promise<T> {
    let settled = false;
    const over = (): void => void (settled = true);
    work.then(over, over);
    let idle = 0;
    for (let steps = 0; ; steps++) {
      await turns();
      if (settled) return work;
      if (steps > mostSteps) throw new Error(`It goes round in circles (seed ${this.seed}).`);
      if (this.#step()) idle = 0;
      else if (++idle > MOST_IDLE_TURNS) throw new Error(`All wait, and nothing will wake them (seed ${this.seed}).`);
    }
  }

  /** Lets time pass until nobody sleeps any more. */
  async rest(): Promise<void> {
    while (this.#asleep.length > 0) {
      this.#step();
      await turns();
    }
  }

  #step(): boolean {
    const next = this.#asleep.pop();
    if (!next) return false;
    this.#now = next.at;
    next.wake();
    return true;
  }
}
