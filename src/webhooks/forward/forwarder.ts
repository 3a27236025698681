// Forwards deliveries to apps: the same bytes, in order, with retries. The sender gets the app's response.

import {guardedLookup} from '../../http/addresses.js';
import {Poster, type Exchange} from '../../http/post.js';
import type {IsAlive} from '../../programs/identity.js';
import type {Delivery, EventFacts, ForwardAttempt, RawHeader} from '../receive/delivery.js';
import type {SenderAnswer} from '../receive/receiver.js';
import {signPayload} from '../signature/signature.js';
import type {DeliveryStore} from '../store/deliveries.js';
import {checkedExtraHeaders, forwardedHeaders} from './forward-headers.js';
import {TargetQueue, type ForwardSchedule} from './target-queue.js';
import type {ForwardTarget} from './targets.js';

const DEFAULT_SCHEDULE: ForwardSchedule = {first: 1000, longest: 300_000, tries: 24};

export interface ForwarderOptions {
  readonly targets: readonly ForwardTarget[];
  readonly store: DeliveryStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** For one attempt. A sender waits a little longer. */
  readonly timeoutMilliseconds?: number;
  /** Accepts any certificate on this machine. */
  readonly insecure?: boolean;
  /** Added to every delivery, replacing the sender's headers of the same name. */
  readonly headers?: readonly RawHeader[];
  /** False makes one attempt only. */
  readonly retry?: false | Partial<ForwardSchedule>;
  /** Simultaneous attempts at one target. */
  readonly concurrency?: number;
  readonly onAttempt?: (attempt: ForwardAttempt) => void;
  /** Called when an attempt could not be recorded. */
  readonly onFailure?: (error: unknown) => void;
}

export interface Forwarder {
  readonly targetsOf: (event: EventFacts) => string[];
  /** Resolves with the response of the first app that did not accept, or else of any; 200 without targets. */
  readonly forward: (delivery: Delivery) => Promise<SenderAnswer>;
  /** Makes one attempt, whatever happened before. @param resignWith secret for a new signature */
  readonly replay: (delivery: Delivery, target: URL, resignWith?: string) => Promise<ForwardAttempt>;
  /** Continues with what processes that ended have left. Returns how many events those are. */
  readonly resume: (profile: string, isAlive: IsAlive) => number;
  /** Events that are being sent or wait for another attempt. */
  readonly pending: () => number;
  /** Starts no more attempts, and waits at most this long for current ones. */
  readonly drain: (milliseconds: number) => Promise<void>;
  /** Ends current attempts. What was not accepted stays in the store for the next `resume`. */
  readonly close: () => Promise<void>;
}

/** Milliseconds that a sender waits longer than one attempt, so that it also learns of a timeout. */
const GRACE = 250;

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
    insecure: options.insecure,
  });
  const stopping = new AbortController();

  async function send(
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
      target: url.href,
      attempt: number,
      startedAt,
      durationMs: now() - startedAt,
      ...(exchange.status !== undefined && {status: exchange.status}),
      ...(exchange.error !== undefined && {error: exchange.error}),
      ...marks,
    };
    try {
      onAttempt?.(attempt);
    } catch (error) {
      // The attempt was made nevertheless.
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
      patience: timeoutMilliseconds + GRACE,
      random,
      send: (delivery, attempt) => send(url, delivery, attempt),
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
    replay: async (delivery, target, resignWith) => {
      const {verdict, event, body} = delivery;
      const mode = verdict.genuine ? verdict.mode : event.livemode ? 'live' : 'test';
      const timestamp = Math.floor(now() / 1000);
      const signature = resignWith === undefined ? undefined : signPayload({body, secret: resignWith, timestamp, mode});
      const id = delivery.duplicateOf ?? delivery.id;
      const number = await store.forwards.beginAttempt(id, target.href, {replay: true});
      const {attempt} = await send(target, delivery, number, {signature, replay: true});
      await store.forwards.recordAttempt(attempt, {settled: true});
      return attempt;
    },
    resume: (profile, isAlive) => {
      let count = 0;
      for (const {target, queue} of queues) {
        for (const id of store.forwards.adopt(target, profile, isAlive)) {
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
