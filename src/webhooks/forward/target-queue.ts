// The queue of one target. Deliveries start in the order of arrival, a few at once. Those about one object go one after
// another, also while the first is being retried; those about other objects overtake them.

import {delayWithJitter, type Exchange, isAccepted, mayRecover, type RetrySchedule} from '../../http/post.js';
import type {Delivery, ForwardAttempt} from '../receive/delivery.js';
import type {SenderAnswer} from '../receive/receiver.js';
import type {DeliveryStore} from '../store/deliveries.js';
import {answeredHeaders} from './forward-headers.js';

/** In milliseconds. */
export interface ForwardSchedule extends RetrySchedule {
  /** Attempts in all. */
  readonly tries: number;
}

export interface QueueOptions {
  /** Its URL. */
  readonly target: string;
  readonly store: Pick<DeliveryStore, 'forwards' | 'get'>;
  /** False makes one attempt only. */
  readonly schedule: ForwardSchedule | false;
  /** Most attempts at once. */
  readonly concurrency: number;
  /** How long a sender waits, in milliseconds. */
  readonly patience: number;
  readonly random: () => number;
  readonly send: (delivery: Delivery, attempt: number) => Promise<{attempt: ForwardAttempt; exchange: Exchange}>;
  readonly onFailure: (error: unknown) => void;
}

/** An event that is not accepted yet. `held`: waits for an earlier event about the same object. `waiting`: for its next attempt. */
interface QueuedEvent {
  /** Id of the first delivery of the event. */
  readonly id: string;
  readonly lane: string;
  phase: 'held' | 'ready' | 'sending' | 'waiting';
  /** Dropped after the first attempt, to keep a backlog out of memory. */
  delivery?: Delivery;
  /** Number of the next attempt, if it is stored already. */
  attempt?: number;
  timer?: NodeJS.Timeout;
  senders: ((answer: SenderAnswer) => void)[];
}

/** Deliveries of one lane go one after another. */
const laneOf = ({id, event}: Delivery): string => event.objectId ?? id;

const text = (status: number, words: string): SenderAnswer => ({
  status,
  headers: {'content-type': 'text/plain; charset=utf-8'},
  body: Buffer.from(`${words}\n`),
});
const TAKEN_BEFORE = text(200, 'The app already has this event.');
const HELD = text(503, 'Stored. An earlier event of the same object is being retried first.');
const STOPPING = text(503, 'Stored. It will be forwarded later.');
const NO_ANSWER = text(504, 'Stored. The app has not responded in time.');
const NOT_PASSED_ON = text(503, 'Stored. It could not be forwarded.');
const UNREACHABLE = text(502, 'Stored. The app cannot be reached.');

export class TargetQueue {
  readonly #options: QueueOptions;
  readonly #jobs = new Map<string, QueuedEvent>();
  readonly #lanes = new Map<string, QueuedEvent[]>();
  /** Waiting jobs that could not reach the app. */
  readonly #unreached = new Set<QueuedEvent>();
  readonly #ready: QueuedEvent[] = [];
  #active = 0;
  /** No retries are started. */
  #resting = false;
  /** No attempts are started. */
  #stopping = false;
  #idle: (() => void)[] = [];

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** How many events are neither accepted nor given up. */
  get pending(): number {
    return this.#jobs.size;
  }

  /** Resolves with the answer for the sender: that of the first attempt, or of the next when the event is queued already. */
  forward(delivery: Delivery): Promise<SenderAnswer> {
    const {store, target} = this.#options;
    const id = delivery.duplicateOf ?? delivery.id;
    const known = this.#jobs.get(id);
    // The first attempt at a new delivery was stored with it.
    const attempt = delivery.duplicateOf === undefined ? 1 : undefined;
    if (!known && attempt === undefined && store.forwards.state(id, target) === 'delivered')
      return Promise.resolve(TAKEN_BEFORE);
    const job: QueuedEvent = known ?? {id, lane: laneOf(delivery), phase: 'held', delivery, attempt, senders: []};
    const answer = this.#answerOf(job);
    if (!known) this.#enter(job);
    else if (known.phase === 'waiting') this.#makeReady(known);
    if (this.#stopping && job.phase !== 'sending') this.#answer(job, STOPPING);
    const [head] = this.#lanes.get(job.lane) ?? [];
    if (job.phase === 'held' && head?.phase === 'waiting') this.#hold(job);
    return answer;
  }

  #answerOf(job: QueuedEvent): Promise<SenderAnswer> {
    return new Promise((resolve) => {
      const patience = setTimeout(() => resolve(NO_ANSWER), this.#options.patience);
      job.senders.push((answer) => {
        clearTimeout(patience);
        resolve(answer);
      });
    });
  }

  #hold(job: QueuedEvent): void {
    job.delivery = undefined;
    this.#answer(job, HELD);
  }

  /** Continues with an event whose sender is gone. */
  resume(delivery: Delivery): void {
    const {id} = delivery;
    if (!this.#jobs.has(id)) this.#enter({id, lane: laneOf(delivery), phase: 'held', senders: []});
  }

  #enter(job: QueuedEvent): void {
    this.#jobs.set(job.id, job);
    const lane = this.#lanes.get(job.lane);
    if (lane) lane.push(job);
    else {
      this.#lanes.set(job.lane, [job]);
      this.#makeReady(job);
    }
  }

  #makeReady(job: QueuedEvent): void {
    clearTimeout(job.timer);
    this.#unreached.delete(job);
    job.phase = 'ready';
    this.#ready.push(job);
    this.#pump();
  }

  #pump(): void {
    while (!this.#stopping && this.#active < this.#options.concurrency) {
      const job = this.#ready.shift();
      if (!job) break;
      job.phase = 'sending';
      this.#active += 1;
      void this.#attempt(job).finally(() => {
        this.#active -= 1;
        this.#pump();
        if (this.#active === 0) for (const tell of this.#idle.splice(0)) tell();
      });
    }
  }

  async #attempt(job: QueuedEvent): Promise<void> {
    const {store, target, send, onFailure} = this.#options;
    try {
      // A replay, or another listener on the same store, may have delivered it meanwhile.
      if (job.attempt !== 1 && store.forwards.state(job.id, target) === 'delivered')
        return this.#finish(job, TAKEN_BEFORE);
      const delivery = job.delivery ?? store.get(job.id);
      // It was pruned.
      if (!delivery) return this.#finish(job, NOT_PASSED_ON);
      job.delivery = undefined;
      job.attempt ??= await store.forwards.beginAttempt(job.id, target);
      const {attempt, exchange} = await send(delivery, job.attempt);
      this.#answer(job, answerFor(exchange));
      const settled = this.#isSettled(job.attempt, exchange);
      const next = await store.forwards.recordAttempt(attempt, {settled}).catch(onFailure);
      if (exchange.ending === 'answered') this.#recovered();
      if (settled) return this.#finish(job, answerFor(exchange));
      this.#wait(job, next ?? job.attempt + 1, exchange);
    } catch (error) {
      onFailure(error);
      if (this.#options.schedule) this.#wait(job, job.attempt, {ending: 'stopped', milliseconds: 0});
      else this.#finish(job, NOT_PASSED_ON);
    }
  }

  #isSettled(attempt: number, exchange: Exchange): boolean {
    const {schedule} = this.#options;
    if (isAccepted(exchange.status)) return true;
    if (exchange.ending === 'stopped') return false;
    return !schedule || attempt >= schedule.tries || !mayRecover(exchange);
  }

  #wait(job: QueuedEvent, next: number | undefined, exchange: Exchange): void {
    const {schedule, random} = this.#options;
    job.attempt = next;
    job.phase = 'waiting';
    if (exchange.ending === 'unreachable') this.#unreached.add(job);
    // For a sender that came while the attempt was being recorded.
    this.#answer(job, answerFor(exchange));
    for (const behind of this.#lanes.get(job.lane)!.slice(1)) this.#hold(behind);
    if (this.#resting || !schedule) return;
    job.timer = setTimeout(() => this.#makeReady(job), delayWithJitter((next ?? 2) - 1, exchange, schedule, random));
  }

  /** The app answers again, so deliveries that could not reach it are sent now. */
  #recovered(): void {
    if (!this.#resting) for (const job of this.#unreached) this.#makeReady(job);
  }

  #answer(job: QueuedEvent, answer: SenderAnswer): void {
    for (const tell of job.senders.splice(0)) tell(answer);
  }

  #finish(job: QueuedEvent, answer: SenderAnswer): void {
    this.#answer(job, answer);
    this.#jobs.delete(job.id);
    const lane = this.#lanes.get(job.lane)!;
    lane.shift();
    const [next] = lane;
    if (next) this.#makeReady(next);
    else this.#lanes.delete(job.lane);
  }

  /** Starts no retries, and resolves when no attempt is under way. */
  async drain(): Promise<void> {
    this.#rest();
    if (this.#active > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Starts no attempts. What was not accepted stays in the store. */
  stop(): void {
    this.#stopping = true;
    this.#rest();
    for (const job of this.#jobs.values()) if (job.phase !== 'sending') this.#answer(job, STOPPING);
  }

  #rest(): void {
    this.#resting = true;
    for (const job of this.#jobs.values()) clearTimeout(job.timer);
  }
}

function answerFor({ending, status, headers, body}: Exchange): SenderAnswer {
  if (ending === 'timeout') return NO_ANSWER;
  if (ending === 'stopped') return STOPPING;
  if (status === undefined || status < 200) return UNREACHABLE;
  return {status, headers: answeredHeaders(headers ?? {}), body};
}
