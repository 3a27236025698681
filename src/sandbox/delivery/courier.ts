// The courier: carries what the outbox has due to the webhooks, several at once, one at a time to each, and never holds up an answer.
// A file that cannot be used at the moment only makes it late. What else is thrown is a bug, and reaches whoever waits for it.

import {refusalWords, type Attempt} from './attempt-log.js';
import {headersOf, jobOf, settle, takeNext, type Job, type Surroundings} from './dispatch.js';
import type {Pending} from './outbox.js';
import {isFileFault} from '../../thrown.js';
import {post, POST_TIMEOUT, type Posted} from './post.js';
import type {Work} from '../work.js';

/** To how many webhooks it sends at once. */
const MOST_AT_ONCE = 16;
/** How long attempts may wait to be written down together with later ones, in milliseconds. */
const WRITING_INTERVAL = 100;

export interface CourierOptions extends Surroundings {
  readonly perform: <T>(action: (work: Work) => T) => T;
  /** False once the database was closed, which may be while something is under way. */
  readonly isOpen: () => boolean;
  readonly onAttempt?: (attempt: Attempt) => void;
  /** Told once of each webhook that must not be sent to, and why. */
  readonly onRefused?: (message: string) => void;
  /** How long a receiver may take, in milliseconds; ten seconds when not given. */
  readonly timeout?: number;
}

export class Courier {
  readonly #options: CourierOptions;
  readonly #stop = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #refused = new Set<string>();
  #closed = false;

  constructor(options: CourierOptions) {
    this.#options = options;
  }

  /** Begins with all that is due and not being sent yet. @throws what is a bug */
  send(): void {
    while (!this.#closed && this.#underWay.size < MOST_AT_ONCE) {
      const leased = this.#tried(() => this.#options.perform((work) => takeNext(work, this.#options)));
      if (!leased?.length) return;
      const carried: Promise<void> = this.#carry(leased).finally(() => this.#underWay.delete(carried));
      this.#underWay.add(carried);
    }
  }

  get busy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Resolves when nothing is under way any more. @throws what is a bug */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Begins nothing new; what is under way may take this long, in milliseconds, before it is broken off. */
  async close(patience: number): Promise<void> {
    this.#closed = true;
    const limit = setTimeout(() => this.#stop.abort(), patience);
    try {
      await this.idle();
    } finally {
      clearTimeout(limit);
    }
  }

  /** Round after round to one webhook, until nothing is due. */
  async #carry(first: readonly Pending[]): Promise<void> {
    for (let leased: readonly Pending[] | undefined = first; leased?.length;) {
      const round: readonly Pending[] = leased;
      const done = await this.#attemptEach(round);
      leased = this.#tried(() => this.#writeDown(round, done));
    }
  }

  /** One after the other, so long as they need not be written down. */
  async #attemptEach(leased: readonly Pending[]): Promise<Map<Pending, {job: Job; posted: Posted}>> {
    const done = new Map<Pending, {job: Job; posted: Posted}>();
    const started = performance.now();
    for (const pending of leased) {
      if (done.size > 0 && (this.#closed || performance.now() - started > WRITING_INTERVAL)) break;
      const job = this.#tried(() => this.#options.perform((work) => jobOf(work, pending)));
      if (job) done.set(pending, {job, posted: await this.attempt(job)});
    }
    return done;
  }

  /** In one transaction: what came of them, the end of the leases that were not used, and the next leases. */
  #writeDown(leased: readonly Pending[], done: Map<Pending, {job: Job; posted: Posted}>): readonly Pending[] {
    const {perform, outside, onAttempt} = this.#options;
    const {attempts, next} = perform((work) => {
      for (const pending of leased) if (!done.has(pending)) work.store.outbox.release(pending);
      const settled = [...done.values()].map(({job, posted}) => settle(work, job, posted, outside()));
      const again = settled.flatMap((one) => one.again ?? []);
      const more = again.length > 0 || this.#closed ? again : takeNext(work, this.#options);
      return {attempts: settled.map(({attempt}) => attempt), next: more};
    });
    for (const attempt of attempts) {
      onAttempt?.(attempt);
      if (attempt.outcome === 'refused') this.#tellRefused(attempt);
    }
    return next;
  }

  #tellRefused(attempt: Attempt): void {
    if (this.#refused.has(attempt.webhook_id)) return;
    this.#refused.add(attempt.webhook_id);
    this.#options.onRefused?.(refusalWords(attempt));
  }

  attempt(job: Job): ReturnType<typeof post> {
    const {outside, timeout = POST_TIMEOUT} = this.#options;
    return post(job.url, {headers: headersOf(job, outside()), body: job.body, timeout, signal: this.#stop.signal});
  }

  /** A file that cannot be used now, or is closed, ends the round; the lease runs out, and it is tried again. */
  #tried<T>(action: () => T): T | undefined {
    try {
      return action();
    } catch (error) {
      if (this.#options.isOpen() && !isFileFault(error)) throw error;
      return undefined;
    }
  }
}
