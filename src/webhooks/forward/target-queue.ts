// The queue of one target. Deliveries are sent in the order of arrival, a few at once. Those about one object are sent one after
// another, and those about other objects may overtake them.

import {LISTENER_MESSAGES, type ListenerCode} from '../../http/listener-codes.js';
import {type WebhookAttempt, isAccepted} from '../../http/webhook-sender.js';
import {isRetryable, webhookRetryDelay, type RetrySchedule} from '../../http/retry.js';
import type {Delivery, EventFacts, ForwardAttempt, WaitingDelivery} from '../receive/delivery.js';
import type {ServerReply} from '../../http/server.js';
import type {DeliveryStore} from '../store/deliveries.js';
import {answeredHeaders} from './forward-headers.js';

export interface ForwardSchedule extends RetrySchedule {
  readonly tries: number;
}

/** An event that waits behind an earlier one about the same object. */
export interface HeldEvent extends Required<WaitingDelivery> {
  readonly deliveryId: string;
  readonly event: EventFacts;
  readonly target: string;
}

export interface QueueOptions {
  readonly target: string;
  readonly store: Pick<DeliveryStore, 'forwards' | 'get'>;
  /** False makes one attempt only. */
  readonly schedule: ForwardSchedule | false;
  readonly concurrency: number;
  /** False lets events about one object overtake each other. */
  readonly ordered: boolean;
  /** Milliseconds that a sender waits. */
  readonly patience: number;
  readonly random: () => number;
  readonly now: () => number;
  /** True if the target accepts a connection. */
  readonly isThere: () => Promise<boolean>;
  /** Called once for each event that is held. */
  readonly onHeld: (held: HeldEvent) => void;
  readonly send: (delivery: Delivery, attempt: number) => Promise<{attempt: ForwardAttempt; exchange: WebhookAttempt}>;
  readonly onFailure: (error: unknown) => void;
}

/** `held`: waits for an earlier event about the same object. `waiting`: for its next attempt. */
interface QueuedEvent {
  readonly id: string;
  readonly event: EventFacts;
  readonly lane: string;
  phase: 'held' | 'ready' | 'sending' | 'waiting';
  /** Dropped after the first attempt, to keep a backlog out of memory. */
  delivery?: Delivery;
  /** The next attempt, if its number is stored already. */
  attempt?: number;
  timer?: NodeJS.Timeout;
  /** When the timer ends, in milliseconds since the epoch. */
  until?: number;
  isHeldToldOf?: boolean;
  senders: ((answer: ServerReply) => void)[];
}

/** Milliseconds between two looks for an app that refused connections; doubles up to the longest. */
const FIRST_LOOK = 250;
const LONGEST_LOOK = 2000;

const isOwnEvent = (status: number, word: ListenerCode): ServerReply => ({
  status,
  headers: {'content-type': 'text/plain; charset=utf-8'},
  body: Buffer.from(`${LISTENER_MESSAGES[word]}\n`),
});
const TAKEN_BEFORE = isOwnEvent(200, 'taken');
const HELD = isOwnEvent(503, 'held');
const STOPPING = isOwnEvent(503, 'stopping');
const NO_ANSWER = isOwnEvent(504, 'late');
const NOT_PASSED_ON = isOwnEvent(503, 'failed');
const UNREACHABLE = isOwnEvent(502, 'unreachable');

export class TargetQueue {
  readonly #options: QueueOptions;
  readonly #events = new Map<string, QueuedEvent>();
  readonly #lanes = new Map<string, QueuedEvent[]>();
  /** Events that wait because the app could not be reached. */
  readonly #unreached = new Set<QueuedEvent>();
  readonly #ready: QueuedEvent[] = [];
  #look: NodeJS.Timeout | undefined;
  /** Attempts that wait for the app's answer, and all that are not recorded. */
  #sending = 0;
  #active = 0;
  /** No retries are started. */
  #resting = false;
  /** No attempts are started. */
  #stopping = false;
  #idle: (() => void)[] = [];

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  get pending(): number {
    return this.#events.size;
  }

  /** Resolves with the response to the first attempt, or to the next when the event is queued already. */
  forward(delivery: Delivery): Promise<ServerReply> {
    const {store, target} = this.#options;
    const id = delivery.duplicateOf ?? delivery.id;
    const known = this.#events.get(id);
    // The first attempt at a new delivery was stored with it.
    const attempt = delivery.duplicateOf === undefined ? 1 : undefined;
    if (!known && attempt === undefined && store.forwards.state(id, target) === 'delivered')
      return Promise.resolve(TAKEN_BEFORE);
    const queued: QueuedEvent = known ?? {...this.#queuedOf(delivery, id), delivery, attempt};
    const answer = this.#answerOf(queued);
    if (!known) this.#enter(queued);
    else if (known.phase === 'waiting') this.#makeReady(known);
    if (this.#stopping && queued.phase !== 'sending') this.#answer(queued, STOPPING);
    const [head] = this.#lanes.get(queued.lane) ?? [];
    if (queued.phase === 'held' && head?.phase === 'waiting') this.#hold(queued);
    return answer;
  }

  #answerOf(queued: QueuedEvent): Promise<ServerReply> {
    return new Promise((resolve) => {
      const patience = setTimeout(() => resolve(NO_ANSWER), this.#options.patience);
      queued.senders.push((answer) => {
        clearTimeout(patience);
        resolve(answer);
      });
    });
  }

  #hold(queued: QueuedEvent): void {
    queued.delivery = undefined;
    this.#answer(queued, HELD);
    const [head] = this.#lanes.get(queued.lane)!;
    if (queued.isHeldToldOf || head?.until === undefined) return;
    queued.isHeldToldOf = true;
    const {target, onHeld} = this.#options;
    const behind = {deliveryId: head.id, event: head.event};
    onHeld({deliveryId: queued.id, event: queued.event, target, behind, until: head.until});
  }

  /** Deliveries of one lane are sent one after another, also while the first is being retried. */
  #queuedOf({event}: Delivery, id: string): QueuedEvent {
    const lane = (this.#options.ordered ? event.objectId : undefined) ?? id;
    return {id, event, lane, phase: 'held', senders: []};
  }

  resume(delivery: Delivery): void {
    const {id} = delivery;
    if (!this.#events.has(id)) this.#enter(this.#queuedOf(delivery, id));
  }

  #enter(queued: QueuedEvent): void {
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
    this.#pump();
  }

  #pump(): void {
    while (!this.#stopping && this.#sending < this.#options.concurrency) {
      const queued = this.#ready.shift();
      if (!queued) break;
      queued.phase = 'sending';
      this.#sending += 1;
      this.#active += 1;
      let isSending = true;
      const sent = (): void => {
        if (!isSending) return;
        isSending = false;
        this.#sending -= 1;
        this.#pump();
      };
      void this.#attempt(queued, sent).finally(() => {
        sent();
        this.#active -= 1;
        if (this.#active === 0) for (const tell of this.#idle.splice(0)) tell();
      });
    }
  }

  /** @param sent called when the app is free for another event: this one is yet to be recorded */
  async #attempt(queued: QueuedEvent, sent: () => void): Promise<void> {
    const {store, target, send, now, onFailure} = this.#options;
    try {
      // A replay or another listener may have delivered it already.
      if (queued.attempt !== 1 && store.forwards.state(queued.id, target) === 'delivered')
        return this.#finish(queued, TAKEN_BEFORE);
      const delivery = queued.delivery ?? store.get(queued.id);
      if (!delivery) return this.#finish(queued, NOT_PASSED_ON);
      queued.delivery = undefined;
      queued.attempt ??= await store.forwards.beginAttempt(queued.id, target);
      const {attempt, exchange} = await send(delivery, queued.attempt);
      sent();
      this.#answer(queued, answerFor(exchange));
      const settled = this.#isSettled(queued.attempt, exchange);
      const until = settled ? undefined : now() + this.#delayAfter(queued.attempt, exchange);
      const next = await store.forwards.recordAttempt(attempt, {settled, next: until}).catch(onFailure);
      if (exchange.ending === 'answered') this.#recovered();
      if (settled) return this.#finish(queued, answerFor(exchange));
      this.#wait(queued, next ?? queued.attempt + 1, exchange, until!);
    } catch (error) {
      onFailure(error);
      const stopped: WebhookAttempt = {ending: 'stopped', milliseconds: 0};
      if (this.#options.schedule)
        this.#wait(queued, queued.attempt, stopped, now() + this.#delayAfter(queued.attempt ?? 1, stopped));
      else this.#finish(queued, NOT_PASSED_ON);
    }
  }

  #isSettled(attempt: number, exchange: WebhookAttempt): boolean {
    const {schedule} = this.#options;
    if (isAccepted(exchange.status)) return true;
    if (exchange.ending === 'stopped') return false;
    return !schedule || attempt >= schedule.tries || !isRetryable(exchange);
  }

  #delayAfter(attempt: number, exchange: WebhookAttempt): number {
    const {schedule, random} = this.#options;
    return schedule ? webhookRetryDelay(attempt, exchange, schedule, random) : 0;
  }

  #wait(queued: QueuedEvent, next: number | undefined, exchange: WebhookAttempt, until: number): void {
    const {schedule, now} = this.#options;
    queued.attempt = next;
    queued.phase = 'waiting';
    if (exchange.ending === 'unreachable') this.#unreached.add(queued);
    // For a sender that arrived while the attempt was being recorded.
    this.#answer(queued, answerFor(exchange));
    const isTriedAgain = !this.#resting && schedule !== false;
    if (isTriedAgain) queued.until = until;
    for (const behind of this.#lanes.get(queued.lane)!.slice(1)) this.#hold(behind);
    if (!isTriedAgain) return;
    queued.timer = setTimeout(() => this.#makeReady(queued), until - now());
    if (exchange.code === 'ECONNREFUSED') this.#lookFor(FIRST_LOOK);
  }

  /** Looks for the app until it accepts connections again, or nothing waits for that. */
  #lookFor(delay: number): void {
    if (this.#resting) return;
    this.#look ??= setTimeout(async () => {
      const isThere = this.#unreached.size > 0 && (await this.#options.isThere());
      this.#look = undefined;
      if (isThere) this.#recovered();
      else if (this.#unreached.size > 0) this.#lookFor(Math.min(delay * 2, LONGEST_LOOK));
    }, delay);
  }

  /** Sends all waiting events now: the app was restarted, or has just accepted an event. */
  tryNow(): void {
    if (this.#resting) return;
    for (const queued of this.#events.values()) if (queued.phase === 'waiting') this.#makeReady(queued);
  }

  /** Deliveries that could not reach the app are sent now. */
  #recovered(): void {
    if (!this.#resting) for (const queued of this.#unreached) this.#makeReady(queued);
  }

  #answer(queued: QueuedEvent, answer: ServerReply): void {
    for (const tell of queued.senders.splice(0)) tell(answer);
  }

  #finish(queued: QueuedEvent, answer: ServerReply): void {
    this.#answer(queued, answer);
    this.#events.delete(queued.id);
    const lane = this.#lanes.get(queued.lane)!;
    lane.shift();
    const [next] = lane;
    if (next) this.#makeReady(next);
    else this.#lanes.delete(queued.lane);
  }

  /** Starts no retries, and waits for current attempts. */
  async drain(): Promise<void> {
    this.#rest();
    if (this.#active > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Starts no attempts. Events that were not accepted stay in the store. */
  stop(): void {
    this.#stopping = true;
    this.#rest();
    for (const queued of this.#events.values()) if (queued.phase !== 'sending') this.#answer(queued, STOPPING);
  }

  #rest(): void {
    this.#resting = true;
    clearTimeout(this.#look);
    for (const queued of this.#events.values()) clearTimeout(queued.timer);
  }
}

function answerFor({ending, status, headers, body}: WebhookAttempt): ServerReply {
  if (ending === 'timeout') return NO_ANSWER;
  if (ending === 'stopped') return STOPPING;
  if (status === undefined || status < 200) return UNREACHABLE;
  return {status, headers: answeredHeaders(headers ?? {}), body};
}
