// Delivery by a process that stays, for as long as it stays, and by one that ends, for what it has just done.

import {randomBytes} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Attempt} from './attempt-log.js';
import {Courier} from './courier.js';
import {becomeHost, hasHost, isHost, leaveHost, mayHost} from './delivery-host.js';
import {webhookFaultSequence, type Faults} from '../serve/faults.js';
import {isFileFault} from '../../thrown.js';
import type {Store} from '../store.js';
import {randomToken} from '../../token.js';
import type {Work} from '../work.js';

/** How often the database is asked whether something is due that another process has put there, in milliseconds. */
const POLL_INTERVAL = 200;
/** How long what is under way may take when delivery is stopped, in milliseconds. */
const PATIENCE = 1000;
/** How long one round of what is due may take when nothing else is said, in milliseconds. */
const LONGEST_ROUND = 60_000;
/** How often a process that waits for another one's attempt looks, in milliseconds. */
const WAITING_INTERVAL = 50;

export interface DeliveryOptions {
  /** Stops it, as `stop` does. */
  readonly signal?: AbortSignal;
  /** Told of each attempt that this process makes. */
  readonly onAttempt?: (attempt: Attempt) => void;
  /** Told once of each webhook that must not be sent to, and why. */
  readonly onRefused?: (message: string) => void;
  /** How long a receiver may take, in milliseconds; ten seconds when not given. */
  readonly timeout?: number;
}

export interface LoopOptions extends DeliveryOptions {
  readonly faults?: Faults;
  /** Which sequence of faults; 1 when not given. */
  readonly seed?: number;
}

export interface DueOptions extends DeliveryOptions {
  /** How long it may take in all, in milliseconds; a minute when not given. */
  readonly within?: number;
}

export interface Delivery {
  /** Begins nothing new, and resolves when what is under way has ended: within a second or so. */
  readonly stop: () => Promise<void>;
}

/** What delivery needs of the sandbox. */
export interface Depot {
  readonly store: Store;
  readonly perform: <T>(action: (work: Work) => T) => T;
  /** Unix seconds of the sandbox's clock, and of the world outside. */
  readonly now: () => number;
  readonly outside: () => number;
  /** False once the database was closed. */
  readonly isOpen: () => boolean;
  /** Has it called when something was put into the outbox or the clock was moved. @returns what ends that */
  readonly onChange: (listener: () => void) => () => void;
}

/**
 * Delivers until it is stopped, unless another process on the same file does: then it stands by.
 * A bug in what it does is thrown where nothing waits for it, so that the process ends with it.
 */
export function startDelivery(depot: Depot, options: LoopOptions = {}): Delivery {
  const {store, perform, now, outside, isOpen, onChange} = depot;
  const {faults = {}, seed = 1, signal} = options;
  const nextFault = webhookFaultSequence(faults, seed);
  const courier = new Courier({...options, perform, outside, isOpen, nextFault});
  const token = randomToken(randomBytes);
  let stopped: Promise<void> | undefined;

  const faulty = nextFault !== undefined;
  const hosts = (): boolean =>
    isHost(store, token, outside()) ||
    // Read before it is written: who stands by leaves the file alone.
    (mayHost(store, token, outside(), faulty) && perform((work) => becomeHost(work.store, token, outside(), faulty)));

  const look = (): void => {
    if (stopped || !isOpen()) return;
    try {
      // Taking what is due also does what is due by itself, such as announcing an overdue statement.
      if (hosts() && (store.hasDue(now()) || store.outbox.isDue(now()))) courier.send();
    } catch (error) {
      // Of a file that is locked or full at this moment, whoever changes something is told, and the next look is soon.
      if (!isFileFault(error)) throw error;
    }
  };
  look();
  let wakening: NodeJS.Immediate | undefined;
  const endChanges = onChange(() => {
    // After the answer that the change belongs to.
    wakening ??= setImmediate(() => {
      wakening = undefined;
      look();
    });
  });
  const timer = setInterval(look, POLL_INTERVAL).unref();

  const stop = (): Promise<void> =>
    (stopped ??= (async () => {
      clearInterval(timer);
      clearImmediate(wakening);
      endChanges();
      signal?.removeEventListener('abort', stop);
      await courier.close(PATIENCE);
      if (!isOpen()) return;
      try {
        perform((work) => leaveHost(work.store, token));
      } catch (error) {
        // Others wait until the host has not been heard of for a while.
        if (!isFileFault(error)) throw error;
      }
    })());
  signal?.addEventListener('abort', stop, {once: true});
  if (signal?.aborted) void stop();
  return {stop};
}

const unlessAborted = (signal: AbortSignal | undefined) => (error: unknown) => {
  if (!signal?.aborted) throw error;
};

/** Makes the attempts that are due, in order; those that another process is making are waited for. */
export async function deliverDue(
  {store, perform, now, outside, isOpen}: Depot,
  options: DueOptions = {},
): Promise<void> {
  const {within = LONGEST_ROUND, signal} = options;
  const courier = new Courier({...options, perform, outside, isOpen});
  const started = performance.now();
  const left = (): number => (signal?.aborted ? 0 : within - (performance.now() - started));
  const stop = (): void => void courier.close(0);
  signal?.addEventListener('abort', stop, {once: true});
  const limit = setTimeout(stop, within);
  try {
    while (left() > 0 && (store.hasDue(now()) || store.outbox.isDue(now()))) {
      courier.send();
      if (courier.busy) await courier.idle();
      else await sleep(WAITING_INTERVAL, undefined, {signal}).catch(unlessAborted(signal));
    }
  } finally {
    clearTimeout(limit);
    signal?.removeEventListener('abort', stop);
  }
}

/** As {@link deliverDue}, unless a process that stays does it anyway. */
export async function deliverUnlessHosted(depot: Depot, options: DueOptions): Promise<void> {
  if (!hasHost(depot.store, depot.outside())) await deliverDue(depot, options);
}
