// Sends due deliveries, once or until stopped: to several webhooks at once, but one event at a time per webhook.

import {setTimeout as sleep} from 'node:timers/promises';
import {withDeadline} from '../../common/deadlines.js';
import {isFileError} from '../../common/system-errors.js';
import {loopbackLookup} from '../../http/addresses.js';
import {WebhookSender} from '../../http/webhook-sender.js';
import type {Store} from '../store.js';
import type {Transaction} from '../transaction.js';
import type {DeliveryAttempt} from './attempts.js';
import {type EventReceiver, send, recordAttempt, takeNext, type LeasedDelivery} from './deliver.js';

const CONCURRENCY = 16;
// All in milliseconds.
const POST_TIMEOUT = 10_000;
/** Between checks for due deliveries and expired leases. */
const POLL_INTERVAL = 200;
/** For running attempts to end after a stop. */
const STOP_TIMEOUT = 1000;
const DEFAULT_TOTAL_TIMEOUT = 60_000;
/** Between checks for the end of an attempt in another process. */
const BUSY_INTERVAL = 50;

export interface DeliveryOptions {
  readonly onAttempt?: (attempt: DeliveryAttempt) => void;
  /** Called once for each webhook whose URL is not on this machine. */
  readonly onRefused?: (message: string) => void;
  /** Milliseconds for each request; 10 000 by default. */
  readonly timeout?: number;
}

export interface DueOptions extends DeliveryOptions {
  /** Milliseconds in total; 60 000 by default. */
  readonly totalTimeout?: number;
  readonly signal?: AbortSignal;
}

export interface RunningDelivery {
  /** Resolves when running attempts have ended, within about a second. */
  readonly stop: () => Promise<void>;
}

export interface DeliveryContext {
  readonly store: Store;
  readonly perform: <T>(action: (tx: Transaction) => T) => T;
  readonly now: () => number;
  /** Unix seconds for signatures. */
  readonly signedAt: () => number;
  /** By webhook: apps in this process, to which events go without a network. */
  readonly receivers: ReadonlyMap<string, EventReceiver>;
  /** Seconds since this machine started, for leases. */
  readonly uptime: () => number;
  /** False after the database was closed, even if attempts are running. */
  readonly isOpen: () => boolean;
  /** Adds a listener for a new delivery or a moved clock. Returns a function that removes it. */
  readonly onChange: (listener: () => void) => () => void;
}

export const posterOf = (timeout = POST_TIMEOUT): WebhookSender => new WebhookSender({timeout, lookup: loopbackLookup});

/** Runs an action; returns undefined if the file is closed or unusable. The lease then expires, for a retry. */
function ignoreFileErrors<T>({isOpen}: DeliveryContext, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (isOpen() && !isFileError(error)) throw error;
    return undefined;
  }
}

export function deliveryWorker(context: DeliveryContext, options: DeliveryOptions, signal: AbortSignal) {
  const {perform, receivers, signedAt, uptime} = context;
  const running = new Set<Promise<void>>();
  const refused = new Set<string>();
  let poster: WebhookSender | undefined;
  let stopped = false;

  const next = (tx: Transaction) => (stopped || signal.aborted ? undefined : takeNext(tx, uptime()));

  function report(attempt: DeliveryAttempt): void {
    options.onAttempt?.(attempt);
    const {outcome, webhook_id: webhook, error} = attempt;
    if (outcome !== 'refused' || refused.has(webhook)) return;
    refused.add(webhook);
    options.onRefused?.(`Events cannot be sent to the webhook ${webhook}: ${error}.`);
  }

  async function deliver(first: LeasedDelivery): Promise<void> {
    for (let leased: LeasedDelivery | undefined = first; leased;) {
      const current: LeasedDelivery = leased;
      const receiver = receivers.get(current.queued.webhook) ?? (poster ??= posterOf(options.timeout));
      const sent = await send(current, {receiver, signedAt: signedAt(), signal});
      const done = ignoreFileErrors(context, () =>
        perform((tx) => ({attempt: recordAttempt(tx, current, sent), next: next(tx)})),
      );
      if (done) report(done.attempt);
      leased = done?.next;
    }
  }

  return {
    begin: () => {
      while (running.size < CONCURRENCY) {
        const leased = ignoreFileErrors(context, () => perform(next));
        if (!leased) return;
        const delivering: Promise<void> = deliver(leased).finally(() => running.delete(delivering));
        running.add(delivering);
      }
    },
    isBusy: () => running.size > 0,
    idle: async () => {
      while (running.size > 0) await Promise.all(running);
    },
    stop: () => void (stopped = true),
  };
}

export function startDelivery(context: DeliveryContext, options: DeliveryOptions = {}): RunningDelivery {
  const {store, now, uptime, isOpen, onChange} = context;
  const ending = new AbortController();
  const worker = deliveryWorker(context, options, ending.signal);
  const check = (): void => {
    if (!isOpen()) return;
    ignoreFileErrors(context, () => {
      // Check first, because `begin` locks the file to run due timers and lease a delivery.
      if (store.hasDue(now()) || store.outbox.next(now(), uptime())) worker.begin();
    });
  };
  check();
  let waking: NodeJS.Immediate | undefined;
  const unsubscribe = onChange(() => {
    // Wait until the request that made the change is answered.
    waking ??= setImmediate(() => {
      waking = undefined;
      check();
    });
  });
  const timer = setInterval(check, POLL_INTERVAL).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      clearImmediate(waking);
      unsubscribe();
      worker.stop();
      const limit = setTimeout(() => ending.abort(), STOP_TIMEOUT);
      await worker.idle();
      clearTimeout(limit);
    },
  };
}

/** Sends due deliveries in order, and waits for attempts of other processes. */
export async function deliverDue(context: DeliveryContext, options: DueOptions = {}): Promise<void> {
  const {store, now} = context;
  await withDeadline(options.totalTimeout ?? DEFAULT_TOTAL_TIMEOUT, options.signal, async (limit) => {
    const worker = deliveryWorker(context, options, limit);
    while (!limit.aborted && (store.hasDue(now()) || store.outbox.isDue(now()))) {
      worker.begin();
      if (worker.isBusy()) await worker.idle();
      else await sleep(BUSY_INTERVAL, undefined, {signal: limit}).catch(() => {});
    }
  });
}
