// Simulates the Payments API in process, with its data in SQLite: requests, payments, hosted pages and webhooks.

import {randomBytes} from 'node:crypto';
import {uptime} from 'node:os';
import type {ApiRequest, ApiResponse} from '../api/wire.js';
import {CentavoError, type NextCommand, nextCommand} from '../common/errors.js';
import {toManila} from '../common/manila.js';
import {randomToken, type RandomBytes} from '../common/random.js';
import type {SandboxSettings} from '../common/sandbox-settings.js';
import {openDatabase, type Database} from '../storage/sqlite.js';
import type {EventReceiver} from './delivery/deliver.js';
import type {ResendOptions} from './delivery/event-reports.js';
import {
  deliverDue,
  startDelivery,
  type DeliveryOptions,
  type DeliveryContext,
  type DueOptions,
} from './delivery/worker.js';
import {ApiProblem} from './api-problems.js';
import type {Keys} from './requests/authentication.js';
import {type LoggedRequest, newRequestId, requestEntry} from './requests/request-log.js';
import {problemResponse, respond} from './requests/router.js';
import type {WebhookFault} from './serve/fault-injection.js';
import {checkVersion, StoreReader, Store, STORE_VERSION} from './store.js';
import {runDueTimers} from './timers.js';
import {Transaction} from './transaction.js';

export interface SandboxOptions {
  /** The database file; `:memory:` by default. */
  readonly path?: string;
  /** Unix seconds of the real clock; the sandbox's clock may be ahead of it. */
  readonly now?: () => number;
  /** Unix seconds for signatures, by default those of `now`: verifiers compare them with their own clock. */
  readonly signedAt?: () => number;
  /** Keys in place of the file's own, which stay in the file. */
  readonly keys?: Keys;
  /** Seconds since this machine started, for leases. Setting the real clock does not change them. */
  readonly uptime?: () => number;
  readonly random?: RandomBytes;
  readonly whenDamaged?: NextCommand;
  /** The generation of a sandbox that has none yet. Random by default. */
  readonly generation?: string;
}

/** Base URL of links to hosted pages, until a server sets its own. */
const DEFAULT_BASE_URL = 'http://127.0.0.1:4010';

export interface Clock {
  readonly now: number;
  /** Seconds ahead of the real clock. */
  readonly ahead: number;
}

/** Context of a request to a server. @internal */
export interface ServedState {
  /** The request id, `page` or `studio`. */
  readonly cause: string;
  /** Base URL of links to hosted pages. */
  readonly baseUrl: string;
  /** In place of the sandbox's own. */
  readonly keys?: Keys;
  /** The sandbox's generation when the command began. */
  readonly generation?: string;
  /** Called at the end of the transaction, unless the request is refused. */
  readonly onAnswer?: (response: ApiResponse, tx: Transaction) => void;
}

export type Sandbox = ReturnType<typeof openSandbox>;

/** Takes random bytes from a pool: one call of OpenSSL for each id was a tenth of an import's time. */
function pooledBytes(): RandomBytes {
  let pool = new Uint8Array();
  return (size) => {
    if (pool.length < size) pool = randomBytes(Math.max(size, 4096));
    const taken = pool.subarray(0, size);
    pool = pool.subarray(size);
    return taken;
  };
}

export function openSandbox(options: SandboxOptions = {}) {
  const random: RandomBytes = options.random ?? pooledBytes();
  const realNow = options.now ?? (() => Math.floor(Date.now() / 1000));
  const signedAt = options.signedAt ?? realNow;
  const path = options.path ?? ':memory:';
  const {whenDamaged} = options;
  const check = (opened: Database): void => opened.read(() => checkVersion(opened, path, whenDamaged));
  const database = openDatabase(path, {check, journal: 'WAL', whenDamaged});
  const {store, keys} = openStore(database, random, options);

  let generation = store.setting('generation')!;
  const clock = () => clockOf(store, realNow());
  const now = () => clock().now;
  let nextFault = (): WebhookFault | undefined => undefined;
  const baseUrl = () => store.setting('base_url') ?? DEFAULT_BASE_URL;
  const studioUrls = () => (store.setting('studio_url') ?? '').split(' ').filter(Boolean);
  const begin = (served: ServedState = {cause: 'command', baseUrl: baseUrl()}) =>
    new Transaction(store, now(), served.baseUrl, random, nextFault, served.cause);

  let open = true;
  let changed = false;
  const listeners = new Set<() => void>();
  const notifyChange = (): void => {
    changed = true;
    for (const listener of listeners) listener();
  };

  function perform<T>(action: (tx: Transaction) => T, served?: ServedState): T {
    const added = store.outbox.added;
    const result = database.transaction(() => {
      const before = store.changes();
      const tx = begin(served);
      runDueTimers(tx);
      const made = action(tx);
      if (store.changes() > before) store.set('clock_last', String(tx.now));
      return made;
    });
    if (store.outbox.added > added) notifyChange();
    return result;
  }

  function performRead<T>(action: (tx: Transaction) => T, served?: ServedState): T {
    const at = now();
    const read = database.read(() => (store.hasDue(at) ? undefined : {result: action(begin(served))}));
    return read ? read.result : perform(action, served);
  }

  function moveClock(to: (before: number) => number): Clock {
    const moved = database.transaction(() => {
      const after = setAhead(store, clock(), to);
      runDueTimers(begin());
      return after;
    });
    notifyChange();
    return moved;
  }

  function rewrite(work: (store: Store) => void): void {
    database.transaction(() => work(store));
    generation = store.setting('generation')!;
  }

  const receivers = new Map<string, EventReceiver>();
  const context: DeliveryContext = {
    store,
    perform,
    now,
    signedAt,
    receivers,
    uptime: options.uptime ?? uptime,
    isOpen: () => open,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };

  async function answer(request: ApiRequest, served: ServedState): Promise<ApiResponse> {
    try {
      return perform((tx) => {
        const known = served.generation ?? store.setting('generation');
        // A listener outlives a reset: it registers its webhook again.
        if (known !== store.setting('generation') && !request.path.startsWith('/webhooks')) throw wasReset();
        const response = respond(request, tx, served.keys ?? keys);
        // Commands then link to the last used server.
        if (request.method !== 'GET' && served.baseUrl !== baseUrl()) store.set('base_url', served.baseUrl);
        served.onAnswer?.(response, tx);
        return response;
      }, served);
    } catch (error) {
      if (error instanceof ApiProblem) return problemResponse(error);
      throw error;
    }
  }

  async function handle(request: ApiRequest): Promise<ApiResponse> {
    if (request.method === 'GET') return answer(request, {cause: 'command', baseUrl: baseUrl()});
    const started = performance.now();
    const id = newRequestId();
    const entry = (response: ApiResponse, at: number): LoggedRequest =>
      requestEntry({id, at, duration_ms: Math.round(performance.now() - started)}, request, response);
    let isLogged = false;
    const onAnswer = (response: ApiResponse, tx: Transaction): void => {
      store.requests.add(entry(response, tx.now));
      isLogged = true;
    };
    const response = await answer(request, {cause: id, baseUrl: baseUrl(), onAnswer, generation});
    if (!isLogged) store.requests.append([entry(response, now())]);
    return response;
  }

  return {
    keys,
    path,
    /** A random name, as it was when this file was opened: a reset and a loaded snapshot begin another generation. */
    generation: () => generation,
    /** Answers a request. Logs only writes. */
    handle,
    /** Answers a request of a server, which logs it. */
    answer,
    /** Runs an action in one transaction, without a request. */
    perform,
    /** Like `perform` for reads: takes the write lock only if timers are due. */
    performRead,
    /** Reads without the write lock and without running due timers. @param links base URL of links to hosted pages */
    read: <T>(action: (reading: StoreReader) => T, links = baseUrl(), at = now()): T =>
      database.read(() => action(new StoreReader(store, at, links))),
    requests: store.requests,
    /** Unix seconds of the sandbox's clock. */
    now,
    clock,
    /** Moves the clock forward, and runs due timers in order. */
    setClock: (at: number) => moveClock(() => wholeSeconds(at)),
    advanceClock: (seconds: number) => moveClock((before) => before + wholeSeconds(seconds)),
    /** Unix seconds for signatures. */
    signedAt,
    /** Replaces the state in one transaction, and reads the generation again. */
    rewrite,
    /** Deletes all objects and resets the clock; keeps the keys. */
    reset: () => rewrite(() => store.clear()),
    /** Changes the settings that are given, for all processes. A reset and a snapshot keep them. @returns all that are set */
    configure: ({fees, eventShape}: SandboxSettings = {}) =>
      perform(() => {
        if (fees) store.set('fees', fees);
        if (eventShape) store.set('event_shape', eventShape);
        return {fees: store.setting('fees'), eventShape: store.setting('event_shape')} as SandboxSettings;
      }),
    /** Base URL of links to hosted pages. */
    baseUrl,
    /** Studio addresses with their secrets, newest first; may include addresses of killed servers. */
    studioUrls,
    /** By webhook id: apps in this process. */
    receivers,
    startDelivery: (options?: DeliveryOptions) => startDelivery(context, options),
    deliverDue: (options?: DueOptions) => deliverDue(context, options),
    /** Sends due deliveries if this process caused an event or moved the clock. */
    deliverChanges: async (options?: DueOptions) => {
      if (changed) await deliverDue(context, options);
    },
    resendEvent: async (id: string, options?: ResendOptions) =>
      (await import('./delivery/event-reports.js')).resendEvent(context, id, options),
    /** Injects faults into deliveries of this process's events. @param next gives the next event's fault, if any */
    setWebhookFaults: (next: () => WebhookFault | undefined): void => {
      nextFault = next;
    },
    close: () => {
      open = false;
      database.close();
    },
  };
}

const wasReset = (): CentavoError =>
  new CentavoError('refused', 'the sandbox was reset while this command ran.', {
    code: 'sandbox_reset',
    why: 'The command began with objects that no longer exist.',
    hint: 'Run it again.',
    applied: 'no',
  });

/** Seconds. After a smaller step back of the real clock, the sandbox's clock stands still instead. */
const STANDSTILL = 5;

/** Never returns a time before the last recorded one: the sandbox's clock goes on when the real clock is put back. */
function clockOf(store: Store, realNow: number): Clock {
  const ahead = Number(store.setting('clock_offset') ?? 0);
  const last = Number(store.setting('clock_last') ?? 0);
  const behind = last - realNow - ahead;
  if (behind <= STANDSTILL) return {now: Math.max(last, realNow + ahead), ahead};
  store.set('clock_offset', String(ahead + behind));
  return {now: last, ahead: ahead + behind};
}

function wholeSeconds(value: number): number {
  if (Number.isInteger(value)) return value;
  throw new CentavoError('usage', `${value} is not a whole number of seconds.`);
}

/** Moves the clock. Returns exactly the time set, not the time a moment later. */
function setAhead(store: Store, before: Clock, to: (before: number) => number): Clock {
  const at = to(before.now);
  if (at < before.now)
    throw new CentavoError('usage', 'the sandbox clock only moves forward.', {
      why: `It is already at ${toManila(before.now).toISOString().slice(0, 19)}+08:00.`,
      next: [nextCommand('To start again', 'sandbox reset')],
    });
  const ahead = before.ahead + at - before.now;
  store.set('clock_offset', String(ahead));
  store.set('clock_last', String(at));
  return {now: at, ahead};
}

/** Opens the store. Writes the version, keys and merchant id into a new file. */
function openStore(
  database: Database,
  random: RandomBytes,
  {generation, keys}: SandboxOptions,
): {store: Store; keys: Keys} {
  try {
    return database.transaction(() => {
      const store = new Store(database);
      if (store.setting('version') === undefined) {
        store.set('version', String(STORE_VERSION));
        store.set('secret_key', `sk_test_${randomToken(random)}`);
        store.set('public_key', `pk_test_${randomToken(random)}`);
        store.set('merchant_id', `merc_${randomToken(random)}`);
      }
      // Even an insert that is ignored fails in a file that cannot be changed.
      if (store.setting('generation') === undefined) store.setGeneration(generation);
      return {store, keys: keys ?? {secret: store.setting('secret_key')!, public: store.setting('public_key')!}};
    });
  } catch (error) {
    database.close();
    throw error;
  }
}
