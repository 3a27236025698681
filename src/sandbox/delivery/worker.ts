// Delivers what the outbox has due: to several webhooks at once, one event at a time to each. A process that stays does so until it is
// stopped, one that ends does so once. Any number of processes may do so on one file: the leases keep them apart.

import {setTimeout as sleep} from 'node:timers/promises';
import {withDeadline} from '../../deadlines.js';
import {loopbackLookup} from '../../http/addresses.js';
import {Poster} from '../../http/post.js';
import {isFileFault} from '../../thrown.js';
import type {Store} from '../store.js';
import type {Transaction} from '../transaction.js';
import {send, settle, takeNext, type Job} from './attempt.js';
import {refusalWords, type Attempt} from './attempts.js';

/** To how many webhooks it sends at once. */
const MOST_AT_ONCE = 16;
/** How long a receiver may take, in milliseconds. */
const POST_TIMEOUT = 10_000;
/** How often the outbox is looked at for what falls due or was left by another process, in milliseconds. */
const POLL_INTERVAL = 200;
/** How long what is under way may take when delivery is stopped, in milliseconds. */
const PATIENCE = 1000;
/** How long one round of what is due may take when nothing else is said, in milliseconds. */
const LONGEST_ROUND = 60_000;
/** How often a process that waits for another one's attempt looks, in milliseconds. */
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

export interface Delivery {
  /** Begins nothing new, and resolves when what is under way has ended: within a second or so. */
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
  /** Has it called when something was put into the outbox or the clock was moved. @returns what ends that */
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

  /** Begins with all that is due and not being sent. @throws what is a bug */
  begin(): void {
    while (this.#underWay.size < MOST_AT_ONCE) {
      const job = this.#tried(() => this.#context.perform((tx) => this.#next(tx)));
      if (!job) return;
      const delivering: Promise<void> = this.#deliver(job).finally(() => this.#underWay.delete(delivering));
      this.#underWay.add(delivering);
    }
  }

  get busy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Resolves when nothing is under way any more. @throws what is a bug */
  async idle(): Promise<void> {
    while (this.busy) await Promise.all(this.#underWay);
  }

  /** Begins nothing new. */
  rest(): void {
    this.#resting = true;
  }

  #next(tx: Transaction): Job | undefined {
    return this.#resting || this.#signal.aborted ? undefined : takeNext(tx, this.#context.realNow());
  }

  /** One after the other, until nothing is due. */
  async #deliver(first: Job): Promise<void> {
    this.#poster ??= posterOf(this.#options.timeout);
    for (let job: Job | undefined = first; job;) {
      const made: Job = job;
      const sent = await send(made, {poster: this.#poster, realNow: this.#context.realNow(), signal: this.#signal});
      const done = this.#tried(() =>
        this.#context.perform((tx) => ({attempt: settle(tx, made, sent), next: this.#next(tx)})),
      );
      if (done) this.#tell(done.attempt);
      job = done?.next;
    }
  }

  #tell(attempt: Attempt): void {
    this.#options.onAttempt?.(attempt);
    if (attempt.outcome !== 'refused' || this.#refused.has(attempt.webhook_id)) return;
    this.#refused.add(attempt.webhook_id);
    this.#options.onRefused?.(refusalWords(attempt));
  }

  /** With a file that cannot be used now, or is closed, nothing is done; the lease runs out, and it is tried again. */
  #tried<T>(action: () => T): T | undefined {
    try {
      return action();
    } catch (error) {
      if (this.#context.isOpen() && !isFileFault(error)) throw error;
      return undefined;
    }
  }
}

/**
 * Delivers until it is stopped. A bug in what it does is thrown where nothing waits for it, so that the process ends with it.
 */
export function startDelivery(context: DeliveryContext, options: DeliveryOptions = {}): Delivery {
  const {store, now, realNow, isOpen, onChange} = context;
  const ending = new AbortController();
  const worker = new DeliveryWorker(context, options, ending.signal);
  const look = (): void => {
    if (!isOpen()) return;
    try {
      // Read before it is written. Taking what is due also does what is due by itself, such as announcing an overdue statement.
      if (store.hasDue(now()) || store.outbox.next(now(), realNow())) worker.begin();
    } catch (error) {
      // Of a file that is locked or full at this moment, whoever changes something is told, and the next look is soon.
      if (!isFileFault(error)) throw error;
    }
  };
  look();
  let waking: NodeJS.Immediate | undefined;
  const endChanges = onChange(() => {
    // After the answer that the change belongs to.
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

/** Makes the attempts that are due, in order; those that another process is making are waited for. */
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
