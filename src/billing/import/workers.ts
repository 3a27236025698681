// Several rows at a time against one service, at one pace. While it cannot be reached all wait; after two minutes the run ends.

import {clientOver, type Client} from '../../client/client.js';
import {CentavoError, type ErrorKind} from '../../ground/errors.js';
import {SETTLE_SECONDS} from '../compose/changes.js';
import {forEachIn, Slots} from './slots.js';

export interface WorkersOptions {
  readonly client: Client;
  /** Rows at a time. */
  readonly concurrency: number;
  /** Unix seconds. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly nowMilliseconds: () => number;
  /** Sleeps this many milliseconds, or rejects when the signal aborts. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;
  /** Stops the run: no call is begun any more. */
  readonly signal?: AbortSignal;
  /** Is told since when, in milliseconds since the epoch, the service has not answered; undefined once it has. */
  readonly onSilence?: (since: number | undefined) => void;
}

/** After so many calls it is known how long one takes. */
const MOST_TIMED = 1000;
/** The run ends when the service could not be reached for so many milliseconds, or turned so many calls away in turn. */
const LONGEST_OUTAGE = 120_000;
const MOST_LIMITED = 10;
/** Calls in turn after which all wait before the next one, and for how many seconds at most. */
const PATIENT_FROM = 4;
const LONGEST_WAIT = 10;
/** Another try may succeed. */
const HELD_UP: readonly ErrorKind[] = ['outcome_unknown', 'rate_limited', 'timed_out', 'unavailable'];
/** These concern every row, so the run ends. */
const ENDS_RUN: readonly ErrorKind[] = ['auth', 'config', 'internal', 'interrupted', 'keychain', 'local_io'];

export const isHeldUp = ({kind}: CentavoError): boolean => HELD_UP.includes(kind);
export const endsRun = ({kind}: CentavoError): boolean => ENDS_RUN.includes(kind);

export class Workers {
  /** Waits before each call while the service asks for it. */
  readonly client: Client;
  /** Whether any call is known to have changed something. */
  changed = false;
  readonly #options: WorkersOptions;
  readonly #slots: Slots;
  readonly #took: number[] = [];
  /** Milliseconds since the epoch. */
  #firstAnswer = Number.POSITIVE_INFINITY;
  /** Calls under way. */
  #pending = 0;
  /** Calls in turn that could not reach the service. */
  #unavailable = 0;
  /** Calls in turn that the service turned away until their time was over. */
  #limited = 0;
  #silentSince: number | undefined;
  #ended: unknown;

  constructor(options: WorkersOptions) {
    const {client, concurrency, nowMilliseconds, signal, sleep} = options;
    this.#options = options;
    this.#slots = new Slots(concurrency, {now: nowMilliseconds, sleep: (milliseconds) => sleep(milliseconds, signal)});
    const onLimited = (seconds?: number): void => {
      this.#slots.slowDown(seconds);
      this.#heard();
    };
    this.client = clientOver(client, async (call, given) => {
      await this.#slots.pause();
      const isChange = call.operation.method !== 'GET';
      if (isChange) this.throwIfStopped();
      const answer = await this.#listen(async () => client.perform(call, {...given, onLimited}));
      if (isChange) this.changed = true;
      return answer;
    });
  }

  /** Milliseconds: the median. */
  get callTime(): number {
    return this.#took.toSorted((one, other) => one - other)[Math.floor((this.#took.length - 1) / 2)] ?? 0;
  }

  /** Makes a call, and notes whether the service answers. */
  async #listen<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const began = this.#options.nowMilliseconds();
    this.#pending++;
    if (this.#silentSince === undefined) this.#silence(began);
    try {
      const answer = await call();
      this.#time(began, this.#options.nowMilliseconds());
      this.#heard();
      return answer;
    } catch (error) {
      if (error instanceof CentavoError && !isHeldUp(error)) this.#heard();
      throw error;
    } finally {
      this.#pending--;
    }
  }

  /** Those that begin before the first answer also load code and make connections. */
  #time(began: number, ended: number): void {
    if (began >= this.#firstAnswer && this.#took.length < MOST_TIMED) this.#took.push(ended - began);
    this.#firstAnswer = Math.min(this.#firstAnswer, ended);
  }

  #heard(): void {
    this.#unavailable = 0;
    this.#silence(this.#pending > 1 ? this.#options.nowMilliseconds() : undefined);
  }

  #silence(since: number | undefined): void {
    this.#silentSince = since;
    this.#options.onSilence?.(since);
  }

  async each<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
    const isGoing = (): boolean => this.#ended === undefined && !this.#options.signal?.aborted;
    const guarded = (item: Item): Promise<void> =>
      work(item).catch((error: unknown) => {
        this.#ended ??= error;
      });
    await forEachIn(this.#slots, items, guarded, isGoing);
    if (this.#ended !== undefined) throw this.#ended;
    this.throwIfStopped();
  }

  /** After Ctrl-C the calls under way end, and no other is begun. */
  throwIfStopped(): void {
    if (this.#options.signal?.aborted)
      throw new CentavoError('interrupted', 'the import was stopped.', {applied: 'no'});
  }

  succeeded(): void {
    this.#limited = 0;
    this.#slots.succeeded();
  }

  /** For what will be tried again. Throws the error when the service could not be used for too long. */
  heldUp(error: CentavoError): void {
    if (error.kind === 'rate_limited' && ++this.#limited >= MOST_LIMITED) throw error;
    if (error.kind !== 'unavailable') return;
    if (error.details.retryable === false) throw error;
    const count = ++this.#unavailable;
    const now = this.#options.nowMilliseconds();
    if (now - (this.#silentSince ?? now) >= LONGEST_OUTAGE) throw error;
    if (count >= PATIENT_FROM) this.#slots.slowDown(Math.min(LONGEST_WAIT, 2 ** (count - PATIENT_FROM)));
  }

  /** Gives up its slot until a call made then must have been applied. @param since unix seconds */
  async settle(since: number): Promise<void> {
    const left = Math.min(SETTLE_SECONDS, since + SETTLE_SECONDS - this.#options.now());
    if (left > 0) await this.sleep(left * 1000);
  }

  /** Gives up its slot for a while. */
  async sleep(milliseconds: number): Promise<void> {
    const {sleep, signal} = this.#options;
    this.#slots.release();
    await sleep(milliseconds, signal).catch(() => {});
    await this.#slots.acquire();
    this.throwIfStopped();
  }
}
