// Processes several rows at a time. The service's limit is unknown: a 429 response halves the concurrency, and each success
// raises it a little. While the service is unreachable, all rows wait; after two minutes the run ends.

import {clientOver, type Client} from '../../client/client.js';
import {CentavoError, type ErrorKind} from '../../common/errors.js';
import type {RunOptions, RunProgressEvent} from '../statement/workflow/run-plan.js';

export interface RowWorkersOptions extends Pick<RunOptions, 'client' | 'sleep'> {
  readonly concurrency: number;
  /** Unix seconds. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly nowMilliseconds: () => number;
  /** Stops the run: no further row or write starts. */
  readonly signal?: AbortSignal;
  /** Receives the start of the wait for a response, in milliseconds since the epoch; undefined when no call is pending. */
  readonly onNoResponse?: (since: number | undefined) => void;
  /** Called with the end of a wait, in milliseconds since the epoch, and the reason for the wait. */
  readonly onWait?: (until: number, why: ImportWait) => void;
}

/** `barrier`: until reads show the statements of other imports; `customers`: until reads show their customers. */
export type ImportWait =
  Extract<RunProgressEvent, {type: 'wait'}>['why'] | 'barrier' | 'customers' | 'limited' | 'unavailable';

/** Maximum calls that are timed, enough for a stable median. */
const MAX_TIMED_CALLS = 1000;
/** Milliseconds after which a call is slow and halves the concurrency: slow reads are too old to finalize by. */
const SLOW_CALL = 2500;
/** Milliseconds that the service may be unreachable, and rate-limited calls in a row, before the run ends. */
const MAX_OUTAGE = 120_000;
const MAX_RATE_LIMITED = 10;
/** Failed calls in a row after which all calls back off, and the longest backoff in seconds. */
const BACKOFF_FROM = 4;
const MAX_BACKOFF = 10;
/** Milliseconds. */
const MAX_PAUSE = 60_000;
/** Maximum rows in progress, including rows that sleep, to limit memory. */
const MAX_WAITING_ROWS = 1000;
const RETRYABLE: readonly ErrorKind[] = ['outcome_unknown', 'rate_limited', 'timed_out', 'unavailable'];
/** Errors that affect every row, so the run ends. */
const FATAL: readonly ErrorKind[] = ['auth', 'config', 'internal', 'interrupted', 'keychain', 'local_io'];

export const isWorthRetrying = ({kind}: CentavoError): boolean => RETRYABLE.includes(kind);
export const stopsImport = ({kind, code}: CentavoError): boolean => FATAL.includes(kind) || code === 'sandbox_reset';

export class RowWorkers {
  /** A client that waits out rate limits before each call. */
  readonly client: Client;
  /** True if any write is known to have been applied. */
  changed = false;
  readonly #options: RowWorkersOptions;
  /** Maximum rows processed at a time, and the current number. */
  #limit: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #pausedUntil = 0;
  #slowedAt = Number.NEGATIVE_INFINITY;
  readonly #callTimes: number[] = [];
  /** Milliseconds since the epoch. */
  #firstAnswer = Number.POSITIVE_INFINITY;
  #pending = 0;
  /** Calls in a row that could not reach the service. */
  #unavailable = 0;
  /** Calls in a row that ended rate limited. */
  #limited = 0;
  /** Milliseconds since the epoch: the first call since the last response. Includes waits without a pending call. */
  #silentSince: number | undefined;
  #fatalError: unknown;

  constructor(options: RowWorkersOptions) {
    const {client, concurrency} = options;
    this.#options = options;
    this.#limit = concurrency;
    const onLimited = (seconds?: number): void => {
      this.#slowDown(seconds, 'limited');
      this.#markAnswered();
    };
    this.client = clientOver(client, async (call, given) => {
      const isChange = call.operation.method !== 'GET';
      // A call with `once` has already waited, before the engine recorded its intent.
      if (!given?.once) await this.waitUntilReady(isChange);
      const answer = await this.#track(async () => client.perform(call, {...given, onLimited}));
      if (isChange) this.changed = true;
      return answer;
    });
  }

  /** Median time of a call, in milliseconds; 0 until a call is timed. */
  get callTime(): number {
    return this.#callTimes.toSorted((one, other) => one - other)[Math.floor((this.#callTimes.length - 1) / 2)] ?? 0;
  }

  async #track<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const began = this.#options.nowMilliseconds();
    if (this.#pending++ === 0) this.#options.onNoResponse?.(began);
    this.#silentSince ??= began;
    try {
      const answer = await call();
      this.#recordTime(began, this.#options.nowMilliseconds());
      this.#markAnswered();
      return answer;
    } catch (error) {
      if (error instanceof CentavoError && !isWorthRetrying(error)) this.#markAnswered();
      throw error;
    } finally {
      if (--this.#pending === 0) this.#options.onNoResponse?.(undefined);
    }
  }

  /** Records the time of a call. Calls started before the first response do not count: they also load code and open connections. */
  #recordTime(began: number, ended: number): void {
    if (ended - began > SLOW_CALL) this.#slowDown(0);
    if (began >= this.#firstAnswer && this.#callTimes.length < MAX_TIMED_CALLS) this.#callTimes.push(ended - began);
    this.#firstAnswer = Math.min(this.#firstAnswer, ended);
  }

  #markAnswered(): void {
    this.#unavailable = 0;
    this.#silentSince = this.#pending > 1 ? this.#options.nowMilliseconds() : undefined;
    this.#options.onNoResponse?.(this.#silentSince);
  }

  async forEach<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
    const running = new Set<Promise<void>>();
    for (const item of items) {
      await this.#acquire();
      if (this.#fatalError !== undefined || this.#options.signal?.aborted) {
        this.#release();
        break;
      }
      const done = work(item)
        .catch((error: unknown) => void (this.#fatalError ??= error))
        .finally(() => {
          this.#release();
          running.delete(done);
        });
      running.add(done);
      if (running.size >= MAX_WAITING_ROWS) await Promise.race(running);
    }
    // Running rows finish; the remaining rows are not started.
    await Promise.all(running);
    if (this.#fatalError !== undefined) throw this.#fatalError;
    this.throwIfStopped();
  }

  /** Throws `interrupted` after Ctrl-C: running calls finish, and no other call starts. */
  throwIfStopped(): void {
    if (this.#options.signal?.aborted)
      throw new CentavoError('interrupted', 'the import was stopped.', {applied: 'no'});
  }

  /** Waits until the requested pause is over, or the signal aborts. */
  async #pause(): Promise<void> {
    const {nowMilliseconds: now, signal, sleep} = this.#options;
    // Limited, because the clock may have been set back.
    const remaining = (): number => Math.min(MAX_PAUSE, this.#pausedUntil - now());
    let isPaused = true;
    const wake = (): void => void (isPaused = false);
    for (let rest = remaining(); isPaused && rest > 0; rest = remaining()) await sleep(rest, signal).catch(wake);
  }

  get #maxRunning(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  async #acquire(): Promise<void> {
    await this.#pause();
    while (this.#running >= this.#maxRunning) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
  }

  #release(): void {
    this.#running--;
    this.#wake();
  }

  #wake(): void {
    for (let free = this.#maxRunning - this.#running; free > 0 && this.#waiting.length > 0; free--)
      this.#waiting.shift()!();
  }

  /** Pauses all calls, and halves the concurrency at most once a second. @param seconds length of the pause */
  #slowDown(seconds = 1, why: ImportWait = 'unavailable'): void {
    const now = this.#options.nowMilliseconds();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(MAX_PAUSE, seconds * 1000));
    this.#options.onWait?.(this.#pausedUntil, why);
    if (now - this.#slowedAt < 1000) return;
    this.#slowedAt = now;
    this.#limit = Math.max(1, this.#limit / 2);
  }

  /** Raises the concurrency by one after as many successes as rows run at a time. */
  recordSuccess(): void {
    this.#limited = 0;
    this.#limit = Math.min(this.#options.concurrency, this.#limit + 1 / this.#limit);
    this.#wake();
  }

  /** Counts a failed call before its retry, and may slow down. Throws the error if the service was unusable for too long. */
  retryLater(error: CentavoError): void {
    if (error.kind === 'rate_limited' && ++this.#limited >= MAX_RATE_LIMITED) throw error;
    if (error.kind !== 'unavailable') return;
    if (error.details.retryable === false) throw error;
    const count = ++this.#unavailable;
    const now = this.#options.nowMilliseconds();
    if (now - (this.#silentSince ?? now) >= MAX_OUTAGE) throw error;
    if (count >= BACKOFF_FROM) this.#slowDown(Math.min(MAX_BACKOFF, 2 ** (count - BACKOFF_FROM)));
  }

  /** Waits out a rate limit. @param isChange true before a write, which throws `interrupted` after Ctrl-C */
  async waitUntilReady(isChange = true): Promise<void> {
    await this.#pause();
    if (isChange) this.throwIfStopped();
  }

  /** Waits between two rounds, when no row is running. */
  async waitBetweenRounds(milliseconds: number): Promise<void> {
    const {sleep, signal} = this.#options;
    await sleep(Math.max(0, milliseconds), signal).catch(() => {});
    this.throwIfStopped();
  }

  /** Frees the row's slot for other rows while the row sleeps. */
  async sleep(milliseconds: number): Promise<void> {
    const {sleep, signal} = this.#options;
    this.#release();
    await sleep(milliseconds, signal).catch(() => {});
    await this.#acquire();
    this.throwIfStopped();
  }
}
