// Passes deliveries on to apps: the same bytes, in order, again and again until they are taken; what the sender is told comes from the app.

import type {Delivery, EventFacts, ForwardAttempt, RawHeader} from '../receive/delivery.js';
import type {DeliveryStore} from '../store/deliveries.js';
import {guardedLookup} from '../../http/addresses.js';
import {Poster, type Exchange} from '../../http/post.js';
import type {ForwardTarget} from '../listen/filters.js';
import {checkedExtraHeaders, forwardedHeaders} from './forward-headers.js';
import type {IsAlive} from '../../programs/identity.js';
import type {SenderAnswer} from '../receive/receiver.js';
import {signPayload} from '../signature/signature.js';
import {TargetQueue, type ForwardSchedule} from './target-queue.js';

const DEFAULT_SCHEDULE: ForwardSchedule = {first: 1000, longest: 300_000, tries: 24};

export interface ForwarderOptions {
  /** Every one that accepts an event gets it. */
  readonly targets: readonly ForwardTarget[];
  readonly store: DeliveryStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** For one attempt, and for a sender's patience. */
  readonly timeoutMilliseconds?: number;
  /** `insecure` accepts any certificate of an app on this machine. */
  readonly tls?: {readonly insecure: boolean};
  /** Added to every delivery; instead of the sender's of the same name. */
  readonly headers?: readonly RawHeader[];
  /** False makes one attempt only. */
  readonly retry?: false | Partial<ForwardSchedule>;
  /** Attempts under way at one target at once. */
  readonly concurrency?: number;
  /**
   * `object`, when not given: events about the same object go one after another, also while one of them is being retried,
   * and others pass it. `arrival`: all of them do.
   */
  readonly order?: 'arrival' | 'object';
  readonly onAttempt?: (attempt: ForwardAttempt, delivery: Delivery) => void;
  /** Of an attempt that was made and could not be recorded. */
  readonly onFailure?: (error: unknown) => void;
}

export interface ReplayOptions {
  /** A secret to sign with anew, as of now. */
  readonly resignWith?: string;
}

export interface Forwarder {
  /** What is kept with a delivery, and where it goes. */
  readonly targetsOf: (event: EventFacts) => string[];
  /** What the sender is to be told: what the app said, or the first that did not take it; 200 when nobody wants it. */
  readonly forward: (delivery: Delivery) => Promise<SenderAnswer>;
  /** One attempt, now, whatever came of others. */
  readonly replay: (delivery: Delivery, target: URL, options?: ReplayOptions) => Promise<ForwardAttempt>;
  /** Goes on with what ended processes have left; returns how many events. */
  readonly resume: (profile: string, isAlive: IsAlive) => number;
  /** Events on their way or waiting for another attempt. */
  readonly pending: () => number;
  /** Waits for what is under way, but for no other attempt, and no longer than this. */
  readonly drain: (milliseconds: number) => Promise<void>;
  /** Ends what is under way; what is not delivered stays so in the store, for the next `resume`. */
  readonly close: () => Promise<void>;
}

/** How much longer than one attempt a sender waits, in milliseconds: what came of the attempt is still told. */
const GRACE = 250;

/** @throws CentavoError kind `usage` for headers that must not be set */
export function createForwarder(options: ForwarderOptions): Forwarder {
  const {
    targets,
    store,
    now,
    random,
    timeoutMilliseconds = 30_000,
    concurrency = 8,
    onAttempt,
    onFailure = () => {},
  } = options;
  const extra = checkedExtraHeaders(options.headers ?? []);
  const poster = new Poster({
    timeout: timeoutMilliseconds,
    lookup: guardedLookup,
    connections: concurrency,
    insecure: options.tls?.insecure,
  });
  const stopping = new AbortController();

  async function send(
    {href}: URL,
    url: URL,
    delivery: Delivery,
    number: number,
    more: {signature?: string; replay?: true} = {},
  ): Promise<{attempt: ForwardAttempt; exchange: Exchange}> {
    const startedAt = now();
    const {signature, ...marks} = more;
    const [, query = ''] = /\?(.*)$/s.exec(delivery.path) ?? [];
    const headers = forwardedHeaders(delivery, {attempt: number, extra, signature});
    const {signal} = stopping;
    const exchange = await poster.post({url, path: pathWith(url, query), headers, body: delivery.body, signal});
    const attempt: ForwardAttempt = {
      deliveryId: delivery.duplicateOf ?? delivery.id,
      target: href,
      attempt: number,
      startedAt,
      durationMs: now() - startedAt,
      ...(exchange.status !== undefined && {status: exchange.status}),
      ...(exchange.error !== undefined && {error: exchange.error}),
      ...marks,
    };
    try {
      onAttempt?.(attempt, delivery);
    } catch (error) {
      // The attempt was made, whatever becomes of the telling.
      onFailure(error);
    }
    return {attempt, exchange};
  }

  const queues = targets.map(({url, accepts}) => ({
    accepts,
    target: url.href,
    queue: new TargetQueue({
      target: url.href,
      store,
      schedule: options.retry === false ? false : {...DEFAULT_SCHEDULE, ...options.retry},
      concurrency,
      order: options.order ?? 'object',
      patience: timeoutMilliseconds + GRACE,
      random,
      send: (delivery, attempt) => send(url, url, delivery, attempt),
      onFailure,
    }),
  }));

  const wanting = ({type}: EventFacts) => queues.filter(({accepts}) => accepts(type));

  return {
    targetsOf: (event) => wanting(event).map(({target}) => target),
    forward: async (delivery) => {
      const answers = await Promise.all(wanting(delivery.event).map(({queue}) => queue.forward(delivery)));
      return answers.find(({status}) => status < 200 || status >= 300) ?? answers[0] ?? {status: 200};
    },
    replay: async (delivery, target, {resignWith} = {}) => {
      const {verdict, event, body} = delivery;
      const mode = verdict.genuine ? verdict.mode : event.livemode ? 'live' : 'test';
      const timestamp = Math.floor(now() / 1000);
      const signature = resignWith === undefined ? undefined : signPayload({body, secret: resignWith, timestamp, mode});
      const id = delivery.duplicateOf ?? delivery.id;
      const number = await store.beginAttempt(id, target.href, {replay: true});
      const {attempt} = await send(target, target, delivery, number, {signature, replay: true});
      await store.recordAttempt(attempt, {settled: true});
      return attempt;
    },
    resume: (profile, isAlive) => {
      let count = 0;
      for (const {target, queue} of queues) {
        for (const id of store.adoptUnforwarded(target, profile, isAlive)) {
          const delivery = store.get(id);
          if (delivery) queue.resume(delivery);
          count += 1;
        }
      }
      return count;
    },
    pending: () => queues.reduce((sum, {queue}) => sum + queue.pending, 0),
    drain: async (milliseconds) => {
      let limit: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (limit = setTimeout(resolve, milliseconds)));
      await Promise.race([late, Promise.all(queues.map(({queue}) => queue.drain()))]);
      clearTimeout(limit);
    },
    close: async () => {
      for (const {queue} of queues) queue.stop();
      stopping.abort();
      await Promise.all(queues.map(({queue}) => queue.drain()));
      await poster.close();
    },
  };
}

/** The target's own query comes first. */
function pathWith({pathname, search}: URL, query: string): string {
  if (query === '') return pathname + search;
  return `${pathname}${search === '' ? '?' : `${search}&`}${query}`;
}
