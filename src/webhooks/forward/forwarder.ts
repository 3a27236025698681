// Forwards deliveries to apps: the same bytes, in order, with retries. The sender gets the app's response.

import {guardedLookup} from '../../http/addresses.js';
import {canConnect, isAccepted, WebhookSender, type WebhookAttempt} from '../../http/webhook-sender.js';
import type {EventFilter} from '../../input/event-filter.js';
import type {IsProcessAlive} from '../../processes/process-identity.js';
import {resolvesWithin} from '../../processes/child-program.js';
import {isSignedWith, type Delivery, type EventFacts, type ForwardAttempt} from '../receive/delivery.js';
import type {ServerReply} from '../../http/server.js';
import {DEFAULT_TOLERANCE_SECONDS, signPayload} from '../signature/signature.js';
import type {DeliveryStore} from '../store/deliveries.js';
import {MAX_DELAY} from '../store/forward-log.js';
import {appResponseOf} from './answers.js';
import {appWait, type AppWait} from './app-wait.js';
import {forwardedHeaders} from './forward-headers.js';
import {TargetQueue, type ForwardSchedule, type QueueOptions} from './target-queue.js';
import type {ForwardTarget} from './targets.js';

const DEFAULT_SCHEDULE: ForwardSchedule = {first: 1000, maxDelay: MAX_DELAY, tries: 24};

export interface ForwarderOptions
  extends
    Pick<QueueOptions, 'now' | 'random'>,
    Partial<Pick<QueueOptions, 'concurrency' | 'onFailure' | 'onHeld' | 'ordered'>> {
  readonly targets: readonly ForwardTarget[];
  readonly store: DeliveryStore;
  /** Milliseconds for one attempt; 30 000 by default. A sender waits a little longer. */
  readonly timeoutMilliseconds?: number;
  /** False for a single attempt. */
  readonly retry?: false | Partial<ForwardSchedule>;
  /** Returns the app's secret, if known, to re-sign retries and replays whose original signature the app would refuse. */
  readonly secretOf?: (delivery: Delivery) => string | undefined;
  /** Given if centavo starts the app: a delivery that it refuses waits until it accepts connections. Receives notices. */
  readonly onAppAwaited?: (message: string) => void;
  readonly onAttempt?: (attempt: ForwardAttempt, event: EventFacts) => void;
}

/** Milliseconds that a sender waits beyond one attempt, so that the sender gets the result of a timed-out attempt. */
const SENDER_GRACE = 250;
/** Seconds of the app's tolerance that are reserved for delivery. */
const SIGNATURE_MARGIN = 30;

export class Forwarder {
  readonly #sender: WebhookSender;
  readonly #queues: readonly {readonly accepts: EventFilter; readonly target: string; readonly queue: TargetQueue}[];
  readonly #abort = new AbortController();
  /** Aborts when no delivery waits any longer. */
  readonly #draining = new AbortController();

  constructor(private readonly options: ForwarderOptions) {
    const {targets, retry, timeoutMilliseconds = 30_000, onAppAwaited: onNotice} = options;
    const queueOptions = {concurrency: 8, ordered: true, onHeld: () => {}, onFailure: () => {}, ...options};
    this.#sender = new WebhookSender({
      timeout: timeoutMilliseconds,
      lookup: guardedLookup,
      connections: queueOptions.concurrency,
    });
    this.#queues = targets.map(({url, accepts}) => {
      const isReachable = () => canConnect(url, guardedLookup);
      const wait = onNotice && appWait(url.host, isReachable, onNotice, this.#draining.signal);
      const queue = new TargetQueue({
        ...queueOptions,
        target: url.href,
        schedule: retry === false ? false : {...DEFAULT_SCHEDULE, ...retry},
        senderTimeout: timeoutMilliseconds + SENDER_GRACE,
        isReachable,
        send: (delivery, attempt) => this.#send(url, delivery, attempt, {wait}),
      });
      return {accepts, target: url.href, queue};
    });
  }

  async #send(
    url: URL,
    delivery: Delivery,
    number: number,
    {wait, resignWith, ...flags}: {wait?: AppWait; resignWith?: string; replay?: true},
  ): Promise<{attempt: ForwardAttempt; exchange: WebhookAttempt}> {
    const {now, onAttempt, onFailure} = this.options;
    let startedAt = now();
    const [, query = ''] = /\?(.*)$/s.exec(delivery.path) ?? [];
    const secret = resignWith ?? (number > 1 || flags.replay ? this.#resigningSecret(delivery) : undefined);
    const signature = secret === undefined ? undefined : this.#sign(delivery, secret);
    const headers = forwardedHeaders(delivery, {attempt: number, signature});
    const {signal} = this.#abort;
    const post = () => this.#sender.post({url, path: pathWith(url, query), headers, body: delivery.body, signal});
    let exchange = await post();
    if (exchange.code !== 'ECONNREFUSED') wait?.reset();
    else if (wait) {
      await wait.untilReachable();
      startedAt = now();
      exchange = await post();
    }
    const attempt: ForwardAttempt = {
      deliveryId: delivery.duplicateOf ?? delivery.id,
      target: url.href,
      attempt: number,
      startedAt,
      durationMs: exchange.milliseconds,
      ...appResponseOf(exchange),
      ...flags,
    };
    try {
      onAttempt?.(attempt, delivery.event);
    } catch (error) {
      onFailure?.(error);
    }
    return {attempt, exchange};
  }

  /** Returns the secret if a new signature is needed. Only for verified events: a re-signed forgery looks genuine. */
  #resigningSecret(delivery: Delivery): string | undefined {
    const {secretOf, now} = this.options;
    const secret = delivery.verdict.genuine ? secretOf?.(delivery) : undefined;
    const toleranceSeconds = DEFAULT_TOLERANCE_SECONDS - SIGNATURE_MARGIN;
    const isValid = secret && isSignedWith(delivery, secret, {now: Math.floor(now() / 1000), toleranceSeconds});
    return isValid ? undefined : secret;
  }

  #sign({verdict, event, body}: Delivery, secret: string): string {
    const mode = verdict.genuine ? verdict.mode : event.livemode ? 'live' : 'test';
    return signPayload({body, secret, timestamp: Math.floor(this.options.now() / 1000), mode});
  }

  #queuesFor({type}: EventFacts) {
    return this.#queues.filter(({accepts}) => accepts(type));
  }

  targetsOf(event: EventFacts): string[] {
    return this.#queuesFor(event).map(({target}) => target);
  }

  /** Resolves with the first response that is not 2xx, or else the first response; 200 without targets. */
  async forward(delivery: Delivery): Promise<ServerReply> {
    const answers = await Promise.all(this.#queuesFor(delivery.event).map(({queue}) => queue.forward(delivery)));
    return answers.find(({status}) => !isAccepted(status)) ?? answers[0] ?? {status: 200};
  }

  /** Makes one attempt, regardless of earlier attempts. @param resignWith secret for a new signature */
  async replay(delivery: Delivery, target: URL, resignWith?: string): Promise<ForwardAttempt> {
    const {store} = this.options;
    const id = delivery.duplicateOf ?? delivery.id;
    const number = await store.forwards.beginAttempt(id, target.href, {replay: true});
    const {attempt} = await this.#send(target, delivery, number, {resignWith, replay: true});
    await store.forwards.recordAttempt(attempt, {settled: true});
    if (isAccepted(attempt.status)) this.retryNow(target.href);
    return attempt;
  }

  /** Sends the waiting events of this target now; without a URL, of all targets. */
  retryNow(url?: string): void {
    for (const {target, queue} of this.#queues) if (target === (url ?? target)) queue.retryNow();
  }

  /** Resumes the events of ended processes. Returns the number of events. */
  resume(profile: string, isAlive: IsProcessAlive): number {
    const {store} = this.options;
    let count = 0;
    for (const {target, queue} of this.#queues)
      for (const id of store.forwards.adopt(target, profile, isAlive)) {
        const delivery = store.get(id);
        if (delivery) queue.resume(delivery);
        count += 1;
      }
    return count;
  }

  /** Number of events that are being sent, or wait to be sent. */
  pending(): number {
    return this.#queues.reduce((sum, {queue}) => sum + queue.pending, 0);
  }

  /** Stops retries, and waits at most this long for current attempts. */
  async drain(milliseconds: number): Promise<void> {
    this.#draining.abort();
    await resolvesWithin(this.#drainAll(), milliseconds);
  }

  /** Ends current attempts. Events that were not accepted stay in the store for the next `resume`. */
  async close(): Promise<void> {
    for (const {queue} of this.#queues) queue.stop();
    this.#abort.abort();
    await this.#drainAll();
    await this.#sender.close();
  }

  #drainAll(): Promise<unknown> {
    return Promise.all(this.#queues.map(({queue}) => queue.drain()));
  }
}

/** Returns the target's path and query, followed by the delivery's query. */
function pathWith({pathname, search}: URL, query: string): string {
  if (query === '') return pathname + search;
  return `${pathname}${search === '' ? '?' : `${search}&`}${query}`;
}
