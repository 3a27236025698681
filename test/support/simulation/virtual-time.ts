// Virtual time: it passes only when all wait, so hours take milliseconds and runs are reproducible.

interface Sleeper {
  readonly at: number;
  /** Owner of the wait; it ends with its process. */
  readonly owner: object | undefined;
  readonly wake: () => void;
}

/** Maximum number of wake-ups in one run; more mean an endless loop. */
const MOST_STEPS = 300_000;
/** Turns of the event loop without a sleeper before giving up, such as during a module load. */
const MOST_IDLE_TURNS = 5000;
/** Those after which each turn takes a millisecond. */
const FAST_IDLE_TURNS = 500;

const readsFiles = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));

/** Waits until every promise that can continue has, even over a few turns of the event loop, or after reading files. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3 || readsFiles(); turn++) await new Promise((resolve) => setImmediate(resolve));
}

export class VirtualTime {
  /** Milliseconds since the epoch. */
  #now = 1_800_000_000_000;
  /** The next one last; at the same instant, the first sleeper wakes first. */
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

  /** Waits of this owner never end. */
  forget(owner: object): void {
    this.#asleep = this.#asleep.filter((each) => each.owner !== owner);
  }

  /** Lets time pass until this is settled. Other waits remain. @throws Error if nothing can wake it */
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
      else if (++idle > FAST_IDLE_TURNS) await new Promise((resolve) => setTimeout(resolve, 1));
      if (idle > MOST_IDLE_TURNS) throw new Error(`All wait, and nothing will wake them (seed ${this.seed}).`);
    }
  }

  /** Lets time pass until no waits remain. */
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
