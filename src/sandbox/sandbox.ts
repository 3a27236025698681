// THE SANDBOX: the Payments API, implemented, with its state in SQLite. A library first: a request in, an answer out, no port needed.
// Client and sandbox know nothing of each other; both know the contract.

import {randomBytes} from 'node:crypto';
import type {ApiRequest, ApiResponse} from '../api/wire.js';
import {CentavoError} from '../errors.js';
import {openDatabase, type Database} from '../storage/sqlite.js';
import type {Attempt} from './delivery/attempt-log.js';
import type {Keys} from './authentication.js';
import {
  deliverDue,
  deliverUnlessHosted,
  startDelivery,
  type Delivery,
  type Depot,
  type DueOptions,
  type LoopOptions,
} from './delivery/delivery.js';
import {resendEvent, type ResendOptions} from './delivery/resending.js';
import {problemResponse, respond} from './router.js';
import {Problem} from './problems.js';
import {isForeign, Store, STORE_VERSION} from './store.js';
import {runDueTimers} from './timers.js';
import {randomToken, type RandomBytes} from '../token.js';
import {Work} from './work.js';

export interface SandboxOptions {
  /** The database file; `:memory:`, which is the default, keeps nothing. */
  readonly path?: string;
  /** Unix seconds of the world outside; the sandbox's clock may be ahead of it. */
  readonly now?: () => number;
  readonly random?: RandomBytes;
  /** What to do about a file that cannot be read: the hint of that error. */
  readonly whenDamaged?: string;
}

/** Where hosted pages are said to be until a server says otherwise. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:4010';

export interface Clock {
  /** Unix seconds. */
  readonly now: number;
  /** Seconds by which it is ahead of the world's. */
  readonly ahead: number;
}

export interface Sandbox {
  readonly keys: Keys;
  /** Answers one request: usable as the client's transport. @throws CentavoError kind `local_io` when its file cannot be used */
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;
  /**
   * Does work outside the API in one transaction: what the payer, the clock and the seed are made of.
   * @internal
   */
  readonly perform: <T>(action: (work: Work) => T) => T;
  /** Unix seconds of the sandbox's clock. */
  readonly now: () => number;
  readonly clock: () => Clock;
  /**
   * Moves the clock forward to an instant in unix seconds; what falls due on the way happens in order.
   * @returns the clock at that instant
   * @throws CentavoError kind `usage` for an instant in the sandbox's past
   */
  readonly setClock: (at: number) => Clock;
  /** The same by so many seconds, exactly, whatever time it takes. */
  readonly advanceClock: (seconds: number) => Clock;
  /** Forgets every object and brings the clock back; the keys stay. */
  readonly reset: () => void;
  /** Where hosted pages are: what statement links and session urls begin with. */
  readonly setBaseUrl: (url: string) => void;
  readonly baseUrl: () => string;
  /** Sends events to the webhooks that listen to them, until it is stopped: for a process that stays. */
  readonly startDelivery: (options?: LoopOptions) => Delivery;
  /** Sends what is due now, in order, and resolves when it is done. */
  readonly deliverDue: (options?: DueOptions) => Promise<void>;
  /** Sends what this process has made due and no other one delivers: for a process that ends. */
  readonly deliverOwn: (options?: DueOptions) => Promise<void>;
  /** Sends an event again, to one webhook or to all that listen to it, and says what came of it. @throws CentavoError */
  readonly resendEvent: (id: string, options?: ResendOptions) => Promise<Attempt[]>;
  readonly close: () => void;
}

const KEPT = ['version', 'secret_key', 'public_key', 'merchant_id', 'base_url'];

/** @throws CentavoError kind `local_io` when the database cannot be opened or was made by another version */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const random: RandomBytes = options.random ?? randomBytes;
  const outside = options.now ?? (() => Math.floor(Date.now() / 1000));
  const path = options.path ?? ':memory:';
  const {whenDamaged} = options;
  const database = openDatabase(path, {whenDamaged});
  const {store, keys} = openStore(database, random, path, whenDamaged);

  const clock = (): Clock => {
    const ahead = Number(store.setting('clock_offset') ?? 0);
    return {now: outside() + ahead, ahead};
  };
  const now = () => clock().now;
  const begin = () => new Work(store, now(), store.setting('base_url') ?? DEFAULT_BASE_URL, random);

  let open = true;
  const listeners = new Set<() => void>();
  /** True once this process has put something into the outbox, or moved the clock. */
  let stirred = false;
  function stir(): void {
    stirred = true;
    for (const listener of listeners) listener();
  }

  function perform<T>(action: (work: Work) => T): T {
    const added = store.outbox.added;
    const result = database.transaction(() => {
      const work = begin();
      runDueTimers(work);
      return action(work);
    });
    if (store.outbox.added > added) stir();
    return result;
  }

  /** One reading of the world's clock decides: it may tick meanwhile. */
  function moveClock(to: (before: number) => number): Clock {
    const moved = database.transaction(() => {
      const before = clock();
      const at = to(before.now);
      if (!(at >= before.now)) {
        throw new CentavoError('usage', 'the sandbox’s clock only goes forward.', {
          why: `It is at ${new Date(before.now * 1000).toISOString()} already.`,
          hint: 'Start again with: centavo sandbox reset',
          applied: 'no',
        });
      }
      const ahead = before.ahead + at - before.now;
      store.set('clock_offset', String(ahead));
      runDueTimers(begin());
      return {now: at, ahead};
    });
    stir();
    return moved;
  }

  const depot: Depot = {
    store,
    perform,
    now,
    outside,
    isOpen: () => open,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  async function handle(request: ApiRequest): Promise<ApiResponse> {
    try {
      return perform((work) => respond(request, work, keys));
    } catch (error) {
      if (error instanceof Problem) return problemResponse(error);
      throw error;
    }
  }

  return {
    keys,
    handle,
    perform,
    now,
    clock,
    setClock: (at) => moveClock(() => at),
    advanceClock: (seconds) => moveClock((before) => before + seconds),
    reset: () => database.transaction(() => store.clear(KEPT)),
    baseUrl: () => store.setting('base_url') ?? DEFAULT_BASE_URL,
    setBaseUrl: (url) => database.transaction(() => store.set('base_url', url)),
    startDelivery: (options) => startDelivery(depot, options),
    deliverDue: (options) => deliverDue(depot, options),
    deliverOwn: async (options = {}) => {
      if (stirred) await deliverUnlessHosted(depot, options);
    },
    resendEvent: (id, options) => resendEvent(depot, id, options),
    close: () => {
      open = false;
      database.close();
    },
  };
}

function openStore(
  database: Database,
  random: RandomBytes,
  path: string,
  whenDamaged?: string,
): {store: Store; keys: Keys} {
  try {
    return database.transaction(() => {
      if (isForeign(database)) throw notOurs('is the database of another program.', 'foreign_file', path, whenDamaged);
      const store = new Store(database);
      return {store, keys: initialise(store, random, path, whenDamaged)};
    });
  } catch (error) {
    database.close();
    throw error;
  }
}

const notOurs = (
  what: string,
  code: string,
  path: string,
  hint = 'Move the file away; a new sandbox is then made in its place.',
): CentavoError => new CentavoError('local_io', `the sandbox file ${path} ${what}`, {code, hint, applied: 'no'});

/** Makes a new file a sandbox, with keys of its own, or reads the keys of one that is. */
function initialise(store: Store, random: RandomBytes, path: string, whenDamaged?: string): Keys {
  const version = store.setting('version');
  if (version !== undefined && version !== String(STORE_VERSION))
    throw notOurs('was made by another version of centavo.', 'other_version', path, whenDamaged);
  if (version === undefined) {
    store.set('version', String(STORE_VERSION));
    store.set('secret_key', `sk_test_${randomToken(random)}`);
    store.set('public_key', `pk_test_${randomToken(random)}`);
    store.set('merchant_id', `merc_${randomToken(random)}`);
  }
  return {secret: store.setting('secret_key')!, public: store.setting('public_key')!};
}
