// The queue of one target. Sends deliveries in order, a few at a time. Events of one object never overtake each other.

import {LISTENER_MESSAGES, type ListenerCode} from '../../http/listener-codes.js';
import {type WebhookAttempt, isAccepted} from '../../http/webhook-sender.js';
import {isRetryable, webhookRetryDelay, type RetrySchedule} from '../../http/retry.js';
import type {Delivery, EventFacts, ForwardAttempt, WaitingDelivery} from '../receive/delivery.js';
import type {ServerReply} from '../../http/server.js';
import type {DeliveryStore} from '../store/deliveries.js';
import {responseHeaders} from './forward-headers.js';

export interface ForwardSchedule extends RetrySchedule {
  readonly tries: number;
}

/** An event that waits for an earlier event of the same object. */
export interface HeldEvent extends Required<WaitingDelivery> {
  readonly deliveryId: string;
  readonly event: EventFacts;
  readonly target: string;
}

export interface QueueOptions {
  readonly target: string;
  readonly store: Pick<DeliveryStore, 'forwards' | 'get'>;
  /** False for a single attempt. */
  readonly schedule: ForwardSchedule | false;
  readonly concurrency: number;
  /** False to let events of one object overtake each other. */
  readonly ordered: boolean;
  /** Milliseconds that a sender waits for a response. */
  readonly senderTimeout: number;
  readonly random: () => number;
  readonly now: () => number;
  readonly isReachable: () => Promise<boolean>;
  readonly onHeld: (held: HeldEvent) => void;
  readonly send: (delivery: Delivery, attempt: number) => Promise<{attempt: ForwardAttempt; exchange: WebhookAttempt}>;
  readonly onFailure: (error: unknown) => void;
}

/** `held`: waits for an earlier event of the same object. `waiting`: waits for its next attempt. */
interface QueuedEvent {
  readonly id: string;
  readonly event: EventFacts;
  readonly lane: string;
  phase: 'held' | 'ready' | 'sending' | 'waiting';
  /** Dropped once sent or held, to keep a backlog out of memory. */
  delivery?: Delivery;
  /** Number of the attempt, once it is stored. */
  attempt?: number;
  timer?: NodeJS.Timeout;
  /** End of the timer, in milliseconds since the epoch. */
  until?: number;
  isHoldReported?: boolean;
  senders: ((answer: ServerReply) => void)[];
}

/** Milliseconds before the next attempt, and its time for display only, because the clock may be set. */
type Pause = Readonly<{delay: number; until: number}>;

/** Milliseconds between two probes of an app that refused connections; doubles up to the maximum. */
const FIRST_PROBE_DELAY = 250;
const MAX_PROBE_DELAY = 2000;
/** Milliseconds between two looks for a replay that another process made of an event that holds others. */
const REPLAY_CHECK = 1000;

const listenerReply = (status: number, word: ListenerCode): ServerReply => ({
  status,
  headers: {'content-type': 'text/plain; charset=utf-8'},
  body: Buffer.from(`${LISTENER_MESSAGES[word]}\n`),
});
const ALREADY_ACCEPTED = listenerReply(200, 'taken');
const HELD = listenerReply(503, 'held');
const STOPPING = listenerReply(503, 'stopping');
const TIMED_OUT = listenerReply(504, 'late');
const NOT_FORWARDED = listenerReply(503, 'failed');
const UNREACHABLE = listenerReply(502, 'unreachable');

export class TargetQueue {
  readonly #events = new Map<string, QueuedEvent>();
  readonly #lanes = new Map<string, QueuedEvent[]>();
  readonly #unreached = new Set<QueuedEvent>();
  readonly #ready: QueuedEvent[] = [];
  #probeTimer: NodeJS.Timeout | undefined;
  /** Number of attempts that wait for the app's response; `#active` includes attempts that are not recorded yet. */
  #sending = 0;
  #active = 0;
  #retriesStopped = false;
  #stopping = false;
  #idleWaiters: (() => void)[] = [];

  constructor(private readonly options: QueueOptions) {}

  get pending(): number {
    return this.#events.size;
  }

  /** Resolves with the response to the first attempt; for a queued event, to its next attempt. */
  forward(delivery: Delivery): Promise<ServerReply> {
    const {store, target} = this.options;
    const id = delivery.duplicateOf ?? delivery.id;
    const known = this.#events.get(id);
    // The store already counts the first attempt of a new delivery.
    const attempt = delivery.duplicateOf === undefined ? 1 : undefined;
    if (!known && attempt === undefined && store.forwards.state(id, target) === 'delivered')
      return Promise.resolve(ALREADY_ACCEPTED);
    const queued: QueuedEvent = known ?? {...this.#queuedOf(delivery, id), delivery, attempt};
    const answer = this.#replyTo(queued);
    if (!known) this.#enqueue(queued);
    else if (known.phase === 'waiting') this.#makeReady(known);
    if (this.#stopping && queued.phase !== 'sending') this.#reply(queued, STOPPING);
    const [head] = this.#lanes.get(queued.lane) ?? [];
    if (queued.phase === 'held' && head?.phase === 'waiting') this.#hold(queued);
    return answer;
  }

  #replyTo(queued: QueuedEvent): Promise<ServerReply> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(TIMED_OUT), this.options.senderTimeout);
      queued.senders.push((answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
    });
  }

  #hold(queued: QueuedEvent): void {
    const {target, onHeld, onFailure, store} = this.options;
    queued.delivery = undefined;
    if (queued.attempt === 1) store.forwards.releaseFirst(queued.id, target).catch(onFailure);
    queued.attempt = undefined;
    this.#reply(queued, HELD);
    const [head] = this.#lanes.get(queued.lane)!;
    if (queued.isHoldReported || head?.until === undefined) return;
    queued.isHoldReported = true;
    const heldBy = {deliveryId: head.id, event: head.event};
    onHeld({deliveryId: queued.id, event: queued.event, target, heldBy, nextAttemptAt: head.until});
  }

  /** Makes a queue entry. Deliveries of one lane are sent one after another, even while the first is being retried. */
  #queuedOf({event}: Delivery, id: string): QueuedEvent {
    const lane = (this.options.ordered ? event.objectId : undefined) ?? id;
    return {id, event, lane, phase: 'held', senders: []};
  }

  resume(delivery: Delivery): void {
    const {id} = delivery;
    if (!this.#events.has(id)) this.#enqueue(this.#queuedOf(delivery, id));
  }

  #enqueue(queued: QueuedEvent): void {
    this.#events.set(queued.id, queued);
    const lane = this.#lanes.get(queued.lane);
    if (lane) lane.push(queued);
    else {
      this.#lanes.set(queued.lane, [queued]);
      this.#makeReady(queued);
    }
  }

  #makeReady(queued: QueuedEvent): void {
    clearTimeout(queued.timer);
    this.#unreached.delete(queued);
    queued.until = undefined;
    queued.phase = 'ready';
    this.#ready.push(queued);
    this.#sendNext();
  }

  #sendNext(): void {
    while (!this.#stopping && this.#sending < this.options.concurrency) {
      const queued = this.#ready.shift();
      if (!queued) break;
      queued.phase = 'sending';
      this.#sending += 1;
      this.#active += 1;
      let isSending = true;
      const onSent = (): void => {
        if (!isSending) return;
        isSending = false;
        this.#sending -= 1;
        this.#sendNext();
      };
      void this.#attempt(queued, onSent).finally(() => {
        onSent();
        this.#active -= 1;
        if (this.#active === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
      });
    }
  }

  /** @param onSent called when the attempt has ended, before it is recorded */
  async #attempt(queued: QueuedEvent, onSent: () => void): Promise<void> {
    const {store, target, send, onFailure} = this.options;
    try {
      // A replay or another listener may have delivered the event already.
      if (queued.attempt !== 1 && store.forwards.state(queued.id, target) === 'delivered')
        return this.#finish(queued, ALREADY_ACCEPTED);
      const delivery = queued.delivery ?? store.get(queued.id);
      if (!delivery) return this.#finish(queued, NOT_FORWARDED);
      queued.delivery = undefined;
      queued.attempt ??= await store.forwards.beginAttempt(queued.id, target);
      const {attempt, exchange} = await send(delivery, queued.attempt);
      onSent();
      this.#reply(queued, replyFor(exchange));
      const settled = this.#isSettled(queued.attempt, exchange);
      const pause = this.#pauseAfter(queued.attempt, exchange);
      const planned = {settled, next: settled ? undefined : pause.until};
      await store.forwards.recordAttempt(attempt, planned).catch(onFailure);
      if (exchange.ending === 'answered') this.#retryUnreached();
      if (settled) return this.#finish(queued, replyFor(exchange));
      // The next number is taken when the attempt is made: a replay may come first.
      queued.attempt = undefined;
      this.#wait(queued, exchange, pause);
    } catch (error) {
      onFailure(error);
      const stopped: WebhookAttempt = {ending: 'stopped', milliseconds: 0};
      if (this.options.schedule) this.#wait(queued, stopped, this.#pauseAfter(queued.attempt ?? 1, stopped));
      else this.#finish(queued, NOT_FORWARDED);
    }
  }

  #isSettled(attempt: number, exchange: WebhookAttempt): boolean {
    const {schedule} = this.options;
    if (isAccepted(exchange.status)) return true;
    if (exchange.ending === 'stopped') return false;
    return !schedule || attempt >= schedule.tries || !isRetryable(exchange);
  }

  #pauseAfter(attempt: number, exchange: WebhookAttempt): Pause {
    const {schedule, random, now} = this.options;
    const delay = schedule ? webhookRetryDelay(attempt, exchange, schedule, random) : 0;
    return {delay, until: now() + delay};
  }

  #wait(queued: QueuedEvent, exchange: WebhookAttempt, {delay, until}: Pause): void {
    const {schedule} = this.options;
    queued.phase = 'waiting';
    if (exchange.ending === 'unreachable') this.#unreached.add(queued);
    // Another sender may have arrived while the attempt was being recorded.
    this.#reply(queued, replyFor(exchange));
    const willRetry = !this.#retriesStopped && schedule !== false;
    if (willRetry) queued.until = until;
    for (const held of this.#lanes.get(queued.lane)!.slice(1)) this.#hold(held);
    if (!willRetry) return;
    this.#retryIn(queued, delay);
    if (exchange.code === 'ECONNREFUSED') this.#probe(FIRST_PROBE_DELAY);
  }

  #retryIn(queued: QueuedEvent, delay: number): void {
    const {store, target} = this.options;
    const step = Math.min(delay, REPLAY_CHECK);
    queued.timer = setTimeout(() => {
      const holds = this.#lanes.get(queued.lane)!.length > 1;
      if (step === delay || (holds && store.forwards.state(queued.id, target) === 'delivered')) this.#makeReady(queued);
      else this.#retryIn(queued, delay - step);
    }, step);
  }

  /** Probes the app until it accepts connections again, or until no event waits. */
  #probe(delay: number): void {
    if (this.#retriesStopped) return;
    this.#probeTimer ??= setTimeout(async () => {
      const isReachable = this.#unreached.size > 0 && (await this.options.isReachable());
      this.#probeTimer = undefined;
      if (isReachable) this.#retryUnreached();
      else if (this.#unreached.size > 0) this.#probe(Math.min(delay * 2, MAX_PROBE_DELAY));
    }, delay);
  }

  /** Sends all waiting events now, after the app restarted or accepted a replay. */
  retryNow(): void {
    if (this.#retriesStopped) return;
    for (const queued of this.#events.values()) if (queued.phase === 'waiting') this.#makeReady(queued);
  }

  #retryUnreached(): void {
    if (!this.#retriesStopped) for (const queued of this.#unreached) this.#makeReady(queued);
  }

  #reply(queued: QueuedEvent, answer: ServerReply): void {
    for (const reply of queued.senders.splice(0)) reply(answer);
  }

  #finish(queued: QueuedEvent, answer: ServerReply): void {
    this.#reply(queued, answer);
    this.#events.delete(queued.id);
    const lane = this.#lanes.get(queued.lane)!;
    lane.shift();
    const [next] = lane;
    if (next) this.#makeReady(next);
    else this.#lanes.delete(queued.lane);
  }

  /** Stops retries. Resolves when current attempts are recorded. */
  async drain(): Promise<void> {
    this.#stopRetries();
    if (this.#active > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Starts no further attempts. Events that were not accepted stay in the store. */
  stop(): void {
    this.#stopping = true;
    this.#stopRetries();
    for (const queued of this.#events.values()) if (queued.phase !== 'sending') this.#reply(queued, STOPPING);
  }

  #stopRetries(): void {
    this.#retriesStopped = true;
    clearTimeout(this.#probeTimer);
    for (const queued of this.#events.values()) clearTimeout(queued.timer);
  }
}

function replyFor({ending, status, headers, body}: WebhookAttempt): ServerReply {
  if (ending === 'timeout') return TIMED_OUT;
  if (ending === 'stopped') return STOPPING;
  if (status === undefined || status < 200) return UNREACHABLE;
  return {status, headers: responseHeaders(headers ?? {}), body};
}
