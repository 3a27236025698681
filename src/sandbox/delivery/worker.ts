// Delivers what is due in the outbox: to several webhooks at once, one event at a time to each. A process that keeps running delivers
// until it is stopped, one that ends delivers once. Any number of processes can deliver from one file: leases keep them apart.

import {setTimeout as sleep} from 'node:timers/promises';
import {withDeadline} from '../../deadlines.js';
import {loopbackLookup} from '../../http/addresses.js';
import {Poster} from '../../http/post.js';
import {isFileError} from '../../system-errors.js';
import type {Store} from '../store.js';
import type {Transaction} from '../transaction.js';
import {refusalWords, type Attempt} from './attempts.js';
import {send, recordAttempt, takeNext, type LeasedDelivery} from './deliver.js';

/** How many webhooks are sent to at once. */
const MOST_AT_ONCE = 16;
/** How long a receiver may take, in milliseconds. */
const POST_TIMEOUT = 10_000;
/** How often the outbox is checked for deliveries that fall due or that another process left, in milliseconds. */
const POLL_INTERVAL = 200;
/** How long current attempts may take when delivery is stopped, in milliseconds. */
const PATIENCE = 1000;
/** How long delivering what is due may take by default, in milliseconds. */
const LONGEST_ROUND = 60_000;
/** How often a process that waits for another process's attempt checks, in milliseconds. */
const WAITING_INTERVAL = 50;

export interface DeliveryOptions {
  /** Told of each attempt that this process makes. */
  readonly onAttempt?: (attempt: Attempt) => void;
  /** Told once of each webhook that must not be sent to, and why. */
  readonly onRefused?: (message: string) => void;
  /** How long a receiver may take, in milliseconds; ten seconds when not given. */
  readonly timeout?: number;
}

export interface DueOptions extends DeliveryOptions {
  /** How long it may take in all, in milliseconds; a minute when not given. */
  readonly within?: number;
  readonly signal?: AbortSignal;
}

export interface RunningDelivery {
  /** Starts no new attempt, and resolves when the current ones have ended, within about a second. */
  readonly stop: () => Promise<void>;
}

/** What delivery needs of the sandbox. */
export interface DeliveryContext {
  readonly store: Store;
  readonly perform: <T>(action: (tx: Transaction) => T) => T;
  /** Unix seconds of the sandbox's clock, and of the real clock. */
  readonly now: () => number;
  readonly realNow: () => number;
  /** False once the database was closed, which may be while something is under way. */
  readonly isOpen: () => boolean;
  /** Calls the listener when the outbox grew or the clock was moved. @returns a function that removes the listener */
  readonly onChange: (listener: () => void) => () => void;
}

export const posterOf = (timeout = POST_TIMEOUT): Poster => new Poster({timeout, lookup: loopbackLookup});

export class DeliveryWorker {
  readonly #context: DeliveryContext;
  readonly #options: DeliveryOptions;
  readonly #signal: AbortSignal;
  readonly #underWay = new Set<Promise<void>>();
  readonly #refused = new Set<string>();
  #poster: Poster | undefined;
  #resting = false;

  /** @param signal ends what is under way */
  constructor(context: DeliveryContext, options: DeliveryOptions, signal: AbortSignal) {
    this.#context = context;
    this.#options = options;
    this.#signal = signal;
  }

  /** Starts delivering what is due and not being sent. @throws only on a bug */
  begin(): void {
    while (this.#underWay.size < MOST_AT_ONCE) {
      const leased = this.#tried(() => this.#context.perform((tx) => this.#next(tx)));
      if (!leased) return;
      const delivering: Promise<void> = this.#deliver(leased).finally(() => this.#underWay.delete(delivering));
      this.#underWay.add(delivering);
    }
  }

  get busy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Resolves when no attempt is under way. @throws only on a bug */
  async idle(): Promise<void> {
    while (this.busy) await Promise.all(this.#underWay);
  }

  /** Starts no new attempt from now on. */
  rest(): void {
    this.#resting = true;
  }

  #next(tx: Transaction): LeasedDelivery | undefined {
    return this.#resting || this.#signal.aborted ? undefined : takeNext(tx, this.#context.realNow());
  }

  /** Makes one attempt after the other, until nothing is due. */
  async #deliver(first: LeasedDelivery): Promise<void> {
    this.#poster ??= posterOf(this.#options.timeout);
    for (let leased: LeasedDelivery | undefined = first; leased;) {
      const made: LeasedDelivery = leased;
      const sent = await send(made, {poster: this.#poster, realNow: this.#context.realNow(), signal: this.#signal});
      const done = this.#tried(() =>
        this.#context.perform((tx) => ({attempt: recordAttempt(tx, made, sent), next: this.#next(tx)})),
      );
      if (done) this.#tell(done.attempt);
      leased = done?.next;
    }
  }

  #tell(attempt: Attempt): void {
    this.#options.onAttempt?.(attempt);
    if (attempt.outcome !== 'refused' || this.#refused.has(attempt.webhook_id)) return;
    this.#refused.add(attempt.webhook_id);
    this.#options.onRefused?.(refusalWords(attempt));
  }

  /** Does nothing when the file is closed or cannot be used now. The lease then runs out, and the delivery is tried again. */
  #tried<T>(action: () => T): T | undefined {
    try {
      return action();
    } catch (error) {
      if (this.#context.isOpen() && !isFileError(error)) throw error;
      return undefined;
    }
  }
}

/**
 * Delivers until it is stopped. A bug is thrown uncaught, so that it ends the process.
 */
export function startDelivery(context: DeliveryContext, options: DeliveryOptions = {}): RunningDelivery {
  const {store, now, realNow, isOpen, onChange} = context;
  const ending = new AbortController();
  const worker = new DeliveryWorker(context, options, ending.signal);
  const look = (): void => {
    if (!isOpen()) return;
    try {
      // Checked first, because taking a delivery locks the file. It also runs due timers, such as that of an overdue statement.
      if (store.hasDue(now()) || store.outbox.next(now(), realNow())) worker.begin();
    } catch (error) {
      // When the file is locked or full now, the command that changes something reports it; the next check follows soon.
      if (!isFileError(error)) throw error;
    }
  };
  look();
  let waking: NodeJS.Immediate | undefined;
  const endChanges = onChange(() => {
    // After the answer to the request that made the change.
    waking ??= setImmediate(() => {
      waking = undefined;
      look();
    });
  });
  const timer = setInterval(look, POLL_INTERVAL).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      clearImmediate(waking);
      endChanges();
      worker.rest();
      const limit = setTimeout(() => ending.abort(), PATIENCE);
      await worker.idle();
      clearTimeout(limit);
    },
  };
}

/** Makes the attempts that are due, in order, and waits for those that another process is making. */
export async function deliverDue(context: DeliveryContext, options: DueOptions = {}): Promise<void> {
  const {store, now} = context;
  await withDeadline(options.within ?? LONGEST_ROUND, options.signal, async (limit) => {
    const worker = new DeliveryWorker(context, options, limit);
    while (!limit.aborted && (store.hasDue(now()) || store.outbox.isDue(now()))) {
      worker.begin();
      if (worker.busy) await worker.idle();
      else await sleep(WAITING_INTERVAL, undefined, {signal: limit}).catch(() => {});
    }
  });
}
