// The courier: carries what the outbox has due to the webhooks, several at once, one at a time to each. Never throws, and never holds up an answer.

import type {Attempt} from './attempt-log.js';
import {headersOf, settle, takeNext, type Job, type Surroundings} from './dispatch.js';
import {post, POST_TIMEOUT} from './post.js';
import type {Work} from './work.js';

/** To how many webhooks it sends at once. */
const MOST_AT_ONCE = 16;

export interface CourierOptions extends Surroundings {
  readonly perform: <T>(action: (work: Work) => T) => T;
  readonly onAttempt?: (attempt: Attempt) => void;
  /** How long a receiver may take, in milliseconds; ten seconds when not given. */
  readonly timeout?: number;
}

export class Courier {
  readonly #options: CourierOptions;
  readonly #stop = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #closed = false;

  constructor(options: CourierOptions) {
    this.#options = options;
  }

  /** Begins with all that is due and not being sent yet. */
  send(): void {
    while (!this.#closed && this.#underWay.size < MOST_AT_ONCE) {
      const job = this.#tried(() => this.#options.perform((work) => takeNext(work, this.#options)));
      if (!job) return;
      const carried: Promise<void> = this.#carry(job).finally(() => this.#underWay.delete(carried));
      this.#underWay.add(carried);
    }
  }

  get busy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Begins nothing new; what is under way may take this long, in milliseconds, before it is broken off. */
  async close(patience: number): Promise<void> {
    this.#closed = true;
    const limit = setTimeout(() => this.#stop.abort(), patience);
    await this.idle();
    clearTimeout(limit);
  }

  /** One attempt; what comes of it is written down in one transaction with taking the next one, until none is due. */
  async #carry(first: Job): Promise<void> {
    const {perform, outside} = this.#options;
    for (let job: Job | undefined = first; job;) {
      const sent: Job = job;
      const result = await this.attempt(sent);
      job = this.#tried(() => {
        const settled = perform((work) => {
          const {attempt, again} = settle(work, sent, result, outside());
          return {attempt, next: again ?? (this.#closed ? undefined : takeNext(work, this.#options))};
        });
        this.#options.onAttempt?.(settled.attempt);
        return settled.next;
      });
    }
  }

  attempt(job: Job): ReturnType<typeof post> {
    const {outside, timeout = POST_TIMEOUT} = this.#options;
    return post(job.url, {headers: headersOf(job, outside()), body: job.body, timeout, signal: this.#stop.signal});
  }

  /** A file that cannot be written now, or is closed, ends the round; the lease runs out, and it is tried again. */
  #tried<T>(action: () => T): T | undefined {
    try {
      return action();
    } catch {
      return undefined;
    }
  }
}
