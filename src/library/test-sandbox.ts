// The test kit: a sandbox in this process, with the verbs that a test needs besides the API's own operations.

import {AsyncLocalStorage} from 'node:async_hooks';
import {randomBytes} from 'node:crypto';
import {EVENT_TYPES, type EventType} from '../api/events.js';
import type {Id} from '../api/fields.js';
import type {
  Event,
  EventOf,
  FailureCode,
  IdText,
  OperationName,
  Payment,
  PaymentError,
  PaymentIntent,
  PaymentMethod,
  PaymentMethodType,
  SetupIntent,
} from '../api/types.js';
import type {ApiRequest, HttpMethod, Transport} from '../api/wire.js';
import {TransportError} from '../client/call-errors.js';
import {abortPromise} from '../common/deadlines.js';
import {CentavoError, usageError} from '../common/errors.js';
import {randomToken, type RandomBytes} from '../common/random.js';
import {seededRandom} from '../common/seeded-random.js';
import {EVENT_SHAPES, FEES, type SandboxSettings} from '../common/sandbox-settings.js';
import {addWebhook} from '../sandbox/actions/webhooks.js';
import {CARDS, type CardName} from '../sandbox/payments/instruments.js';
import {
  type ControlEventQuery,
  controlOf,
  instantOf,
  OUTCOMES,
  outcomeOf,
  type SandboxControl,
  spanOf,
} from '../sandbox/control/control.js';
import {FAILURE} from '../sandbox/control/routes.js';
import type {AttemptOutcome, DeliveryAttempt} from '../sandbox/delivery/attempts.js';
import {exchangeOf} from '../sandbox/exchange.js';
import type {LogEntry} from '../sandbox/requests/request-log.js';
import {runAction} from '../sandbox/requests/router.js';
import type {TriggerOptions} from '../sandbox/sample-events.js';
import {openSandbox, type Sandbox} from '../sandbox/sandbox.js';
import {serveSandbox, type SandboxServer} from '../sandbox/serve/sandbox-server.js';
import {serialize} from '../sandbox/serialize.js';
import type {StoredRecord} from '../sandbox/store.js';
import {isUsableSecret} from '../webhooks/signature/signature.js';
import {atCaller} from './caller-line.js';
import {checkOptions, checkWord, idIn} from './given.js';
import {type HandlerOptions, receiverOf, type WebhookHandler} from './handler-receiver.js';
import {createTypedClient, type TypedClient} from './typed-client.js';

export interface TestSandboxOptions extends SandboxSettings {
  /** A file that keeps everything. By default, nothing is kept. */
  readonly path?: string;
  /** Where the clock stands at first: a Date, unix seconds, or a text with an offset. Now by default. */
  readonly at?: Date | number | string;
  /** True to let the clock run, as in `sandbox serve`. By default, only `clock` moves it. */
  readonly running?: boolean;
  /** True for customers, statements and payments to begin with. */
  readonly seeded?: boolean;
  /** The same number gives the same ids. */
  readonly random?: number;
}

type PayableId = Id<'bstm_' | 'cs_' | 'pi_'>;

type PayWith =
  | {readonly method?: Exclude<PaymentMethodType, 'card'>; readonly card?: undefined}
  | {readonly method?: 'card'; readonly card?: CardName | `${number}`};

/** The payer's method or card, and how the attempt ends: `paid` by default. */
export type PayingOptions = PayWith & {readonly outcome?: FailureCode | 'awaiting_approval' | 'paid' | 'processing'};

export type PaymentResult =
  | {readonly outcome: 'paid'; readonly payment: Payment; readonly intent: PaymentIntent; readonly error: null}
  | {readonly outcome: 'failed'; readonly payment: null; readonly intent: PaymentIntent; readonly error: PaymentError}
  | {
      readonly outcome: 'awaiting_approval' | 'held' | 'processing';
      readonly payment: null;
      readonly intent: PaymentIntent;
      readonly error: null;
    };

/** The outcome of a setup intent. `paymentMethod` is saved to the customer only if the outcome is `saved`. */
export interface SetupResult {
  readonly outcome: 'awaiting_approval' | 'failed' | 'processing' | 'saved';
  readonly setupIntent: SetupIntent;
  readonly paymentMethod: PaymentMethod;
  readonly error: PaymentError | null;
}

/** Events that one call can cause. The others follow from what they need. */
export type TriggerableType = Exclude<EventType, 'payment_intent.awaiting_capture'>;

export interface TestEventQuery<T extends EventType = EventType> {
  readonly type?: T;
  /** The object of the event, or one that it belongs to: a checkout session has the events of its intent. */
  readonly object?: string | {readonly id: string};
  /** Only events after this event. */
  readonly after?: Id<'evt_'> | {readonly id: string};
}

type Found<T extends EventType> = EventType extends T ? Event : EventOf<T>;

export interface TestEvents {
  /** Oldest first. */
  list<T extends EventType = EventType>(query?: TestEventQuery<T> & {readonly limit?: number}): Promise<Found<T>[]>;
  /**
   * Returns the first event that fits, also one that has happened already.
   * @param options.timeout milliseconds, 1000 by default. Then it fails, and says what happened instead.
   */
  waitFor<T extends EventType>(query: TestEventQuery<T>, options?: {readonly timeout?: number}): Promise<Found<T>>;
}

export interface DeliverOptions extends HandlerOptions {
  /** The signing secret that the app verifies with. By default, the kit makes one and returns it as `secret`. */
  readonly secret?: string;
  /** All by default. */
  readonly events?: readonly EventType[];
}

export interface Delivered {
  readonly event: Event;
  /** From 1. */
  readonly attempt: number;
  /** HTTP status; null if nothing answered. */
  readonly status: number | null;
  readonly outcome: AttemptOutcome;
}

export interface Delivering {
  readonly secret: string;
  readonly webhookId: Id<'wh_'>;
  /** All attempts, oldest first. */
  readonly attempts: readonly Delivered[];
  /** Sends an event again, as the service may. An app must act on it once. */
  redeliver(event: Event | Id<'evt_'>): Promise<void>;
  stop(): Promise<void>;
}

type Aimed =
  | {readonly operation: OperationName; readonly method?: undefined; readonly path?: undefined}
  | {readonly operation?: undefined; readonly method?: HttpMethod; readonly path?: `/${string}`};
type Way =
  | {readonly status: number; readonly applied?: boolean; readonly drop?: undefined; readonly delay?: number}
  | {readonly drop: 'after' | 'before'; readonly status?: undefined; readonly delay?: number}
  | {readonly delay: number; readonly status?: undefined; readonly drop?: undefined};

/**
 * Which requests fail, and how: `status` (400 to 599; with `applied`, the change is made nevertheless), `drop` (the
 * connection breaks before or after the change), or only `delay` (milliseconds). `times`: 1 by default.
 */
export type FailNext = Aimed & Way & {readonly times?: number};

export interface Failing {
  /** Number of requests that it has hit. */
  readonly used: number;
  cancel(): void;
}

/** The state of a sandbox, made by `snapshot()` alone. */
export class Snapshot {
  readonly #of: readonly [control: SandboxControl, name: string];
  constructor(control: SandboxControl, name: string) {
    this.#of = [control, name];
  }
  /** @internal */
  static restore(snapshot: Snapshot, control: SandboxControl): void {
    if (!(snapshot instanceof Snapshot) || snapshot.#of[0] !== control)
      throw usageError('other_snapshot', 'this is not a snapshot of this sandbox.', {
        hint: 'Restore what its own snapshot() returned.',
      });
    control.restore(snapshot.#of[1]);
  }
}

export interface TestSandbox {
  readonly keys: {readonly secret: string; readonly public: string};
  /** Base URL of its links. Nothing listens there until `serve`; `fetch` answers. */
  readonly url: string;
  /** A client of this sandbox. Its retries do not wait. */
  readonly client: TypedClient;
  /** Answers as a server: the API, hosted pages with their forms, and the control path. A dropped request rejects. */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>;
  /** For a client of your own: `createClient({key, transport: sandbox.transport})`. */
  readonly transport: Transport;
  /** Pays as the customer, and delivers the events. To approve what waits for approval, pay again. */
  pay<const A extends string>(
    target: IdText<'bstm_' | 'cs_' | 'pi_', A> | {readonly id: PayableId},
    options?: PayingOptions,
  ): Promise<PaymentResult>;
  /** Saves the payment method of a setup intent as the customer. */
  pay(setupIntent: Id<'si_'> | {readonly id: Id<'si_'>}, options?: PayingOptions): Promise<SetupResult>;
  /** Performs the operations that cause such an event, and delivers it. */
  trigger<T extends TriggerableType>(type: T, options?: TriggerOptions): Promise<EventOf<T>>;
  readonly events: TestEvents;
  readonly requests: {
    /** Requests so far, oldest first; the last `limit` of them, 1000 by default. */
    list(query?: {readonly limit?: number}): Promise<readonly LogEntry[]>;
  };
  /** Sends events to a handler in this process, or to an address of this machine. */
  deliverTo(app: URL | WebhookHandler | string, options?: DeliverOptions): Promise<Delivering>;
  /** Resolves when everything that is due was delivered. `pay`, `trigger` and the clock do this themselves. */
  settled(): Promise<void>;
  readonly clock: {
    now(): Date;
    /** `'31d'`, `'1d 6h'` or seconds. What falls due happens in order, and is delivered. @returns the new time */
    advance(span: number | string): Promise<Date>;
    set(instant: Date | number | string): Promise<Date>;
    /** From now on, the clock runs. */
    run(): void;
  };
  failNext(failure: FailNext): Failing;
  /** Keeps everything, the clock included, in memory until the sandbox is closed. */
  snapshot(): Promise<Snapshot>;
  /** Returns to a snapshot, after running deliveries have ended. Handlers stay; planned failures do not. */
  restore(snapshot: Snapshot): Promise<void>;
  /** Empties the sandbox. Keys and handlers stay. */
  reset(): Promise<void>;
  /** Serves it on a port too, for a browser or another process. */
  serve(options?: {readonly port?: number}): Promise<SandboxServer>;
  /** Ends it, also if called twice. Throws what a handler threw since the test last waited. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const URL_OF_LINKS = 'http://sandbox.localhost';
/** Address of a handler in this process, which is only a name. */
const APP = 'http://app.localhost';
const WEBHOOK_PATH = '/webhooks/payrex';
/** Milliseconds. */
const WAIT_FOR_EVENT = 1000;
const MAX_REQUESTS = 1000;

const realSeconds = (): number => Math.floor(Date.now() / 1000);
const dateOf = (seconds: number): Date => new Date(seconds * 1000);

function bytesOf(seed: unknown): RandomBytes {
  if (seed === undefined) return (size) => randomBytes(size);
  if (!Number.isSafeInteger(seed)) throw usageError('invalid_number', `random ${String(seed)} is not a whole number.`);
  const next = seededRandom(seed as number);
  return (size) => Uint8Array.from({length: size}, () => Math.floor(next() * 256));
}

/** Opens a sandbox for a test. @throws CentavoError for options that cannot be used */
export const createSandbox: (options?: TestSandboxOptions) => Promise<TestSandbox> = atCaller(async (options = {}) => {
  checkOptions('createSandbox', options, ['path', 'at', 'running', 'seeded', 'random', 'fees', 'eventShape']);
  const {path, at, running = false, seeded = false, random, fees, eventShape} = options;
  if (fees !== undefined) checkWord('a setting of fees', fees, FEES);
  if (eventShape !== undefined) checkWord('a shape of events', eventShape, EVENT_SHAPES);
  const kit = new Kit(path, at === undefined ? realSeconds() : instantOf(at), bytesOf(random));
  kit.engine.configure({fees, eventShape});
  if (running) kit.run();
  if (seeded) kit.engine.perform((await import('../sandbox/seed/seed-account.js')).seed);
  return atCaller(kit.surface());
});

/** Makes each use of an engine after its end an error that says so. */
function untilClosed(engine: Sandbox): Sandbox {
  let isOpen = true;
  const close = (): void => {
    isOpen = false;
    engine.close();
  };
  const get = (target: Sandbox, name: keyof Sandbox) => {
    if (isOpen) return target[name];
    throw usageError('sandbox_closed', 'this sandbox is closed.', {hint: 'Close it when the last test has ended.'});
  };
  return new Proxy<Sandbox>({...engine, close}, {get: get as ProxyHandler<Sandbox>['get']});
}

function queryOf(query: TestEventQuery & {readonly limit?: number}): ControlEventQuery {
  checkOptions('events', query, ['type', 'object', 'after', 'limit']);
  const {type, object, after} = query;
  if (type !== undefined) checkWord('an event', type, EVENT_TYPES);
  return {...query, object: object && idIn(object), after: after && idIn(after)};
}

class Kit {
  readonly engine: Sandbox;
  readonly #control: SandboxControl;
  readonly #exchange: ReturnType<typeof exchangeOf>;
  readonly #random: RandomBytes;
  /** Webhooks of `deliverTo`, by id; undefined if stopped. */
  readonly #webhooks = new Map<string, StoredRecord | undefined>();
  /** What handlers threw, for the test that waits. */
  readonly #thrown: unknown[] = [];
  /** Set while a handler runs, whose own calls must not wait for its end. */
  readonly #handling = new AsyncLocalStorage<true>();
  readonly #ends: (() => Promise<void>)[] = [];
  #deliveries: Promise<void> = Promise.resolve();
  /** What the verbs of a test cause, and where links point to. */
  readonly #served = {cause: 'control', baseUrl: URL_OF_LINKS};
  /** Real unix seconds since which the clock runs. */
  #since: number | undefined;

  constructor(path: string | undefined, at: number, random: RandomBytes) {
    this.#random = random;
    const now = (): number => (this.#since === undefined ? at : at + realSeconds() - this.#since);
    this.engine = untilClosed(openSandbox({path, now, random, signedAt: realSeconds}));
    this.engine.perform(({store}) => store.set('base_url', URL_OF_LINKS));
    this.#control = controlOf(this.engine);
    this.#exchange = exchangeOf(this.#control, this.#served);
  }

  run(): void {
    if (this.#since !== undefined) return;
    this.#since = realSeconds();
    const delivery = this.engine.startDelivery();
    this.#ends.push(() => delivery.stop());
  }

  /** Sends what is due, one run after the other: two at once would wait for each other's leases. */
  #deliver(): Promise<void> {
    const delivery = this.#deliveries.then(() => this.engine.deliverDue());
    this.#deliveries = delivery.catch(() => {});
    return delivery;
  }

  readonly settled = async (): Promise<void> => {
    if (this.#handling.getStore()) return;
    await this.#deliver();
    this.#rethrow();
  };

  #rethrow(): void {
    const [thrown] = this.#thrown.splice(0);
    if (thrown !== undefined) throw thrown;
  }

  async #answer(request: ApiRequest, signal?: AbortSignal) {
    signal?.throwIfAborted();
    // The exchange would answer 500.
    this.engine.now();
    const answering = this.#exchange.run(request);
    answering.then(() => this.#deliver()).catch((error: unknown) => this.#thrown.push(error));
    return signal ? Promise.race([answering, abortPromise(signal)]) : answering;
  }

  readonly transport: Transport = async (request, {signal}) => {
    const sent = !signal?.aborted;
    const {id, answer} = await this.#answer(request, signal).catch((error: unknown) => {
      throw signal?.aborted ? new TransportError('no response in time', {sent, cause: error}) : error;
    });
    if (answer === 'reset') throw new TransportError('the connection was closed without a response', {sent: true});
    return {...answer, headers: {...answer.headers, 'x-request-id': id}};
  };

  readonly fetch = async (input: Request | URL | string, init?: RequestInit): Promise<Response> => {
    const request = new Request(typeof input === 'string' ? new URL(input, URL_OF_LINKS) : input, init);
    const {pathname, search} = new URL(request.url);
    const bytes = new Uint8Array(await request.arrayBuffer());
    const sent: ApiRequest = {
      method: request.method as HttpMethod,
      path: pathname,
      query: search.slice(1),
      headers: Object.fromEntries(request.headers),
      body: bytes.length > 0 ? bytes : undefined,
    };
    const {id, answer} = await this.#answer(sent, request.signal);
    if (answer === 'reset') throw new TypeError('fetch failed: the sandbox closed the connection, as failNext asked.');
    const body = answer.status === 204 ? null : Buffer.from(answer.body);
    return new Response(body, {status: answer.status, headers: {...answer.headers, 'x-request-id': id}});
  };

  readonly pay = async (target: string | {readonly id: string}, options: PayingOptions = {}) => {
    checkOptions('pay', options, ['method', 'card', 'outcome']);
    const {card, outcome: wanted = 'paid'} = options;
    checkWord('an outcome', wanted, OUTCOMES);
    if (card !== undefined && !/^[\d -]+$/.test(card)) checkWord('a test card', card, Object.keys(CARDS));
    const paid = this.#control.pay(idIn(target), options, this.#served);
    await this.settled();
    const {payment, payment_intent: intent, setup_intent: setupIntent, payment_method: paymentMethod} = paid;
    const outcome = outcomeOf(paid.result);
    if (!intent) return {outcome, setupIntent, paymentMethod, error: paid.error} as never;
    const error = outcome === 'failed' ? intent.last_payment_error : null;
    return {outcome, payment: outcome === 'paid' ? payment : null, intent, error} as never;
  };

  readonly trigger = async (type: string, options: TriggerOptions = {}) => {
    checkOptions('trigger', options, ['from', 'set']);
    const event = this.#control.trigger(type, options, this.#served);
    await this.settled();
    return event as unknown as Event;
  };

  readonly listEvents = async (query: TestEventQuery & {limit?: number} = {}) => {
    const found = this.#control.events(queryOf(query));
    return found.map((reported) => {
      const {cause: _, webhooks: __, ...event} = reported;
      return event;
    }) as unknown as Event[];
  };

  readonly waitFor = async (given: TestEventQuery, {timeout = WAIT_FOR_EVENT} = {}): Promise<Event> => {
    const query = queryOf(given);
    if (await this.#control.waitForEvent(query, timeout)) return (await this.listEvents({...given, limit: 1}))[0]!;
    const next = this.#control.nextDue();
    throw new CentavoError('timed_out', this.#control.whyNotSeen(query), {
      code: 'event_not_seen',
      ...(next && {hint: `To get there: await sandbox.clock.advance(${next.at - this.engine.now()})`}),
    });
  };

  readonly listRequests = async ({limit = MAX_REQUESTS} = {}): Promise<readonly LogEntry[]> => {
    this.#exchange.flush();
    return this.#control.requests(limit);
  };

  readonly deliverTo = async (
    app: URL | WebhookHandler | string,
    options: DeliverOptions = {},
  ): Promise<Delivering> => {
    const {secret = `whsk_${randomToken(this.#random)}`, events = EVENT_TYPES, path = WEBHOOK_PATH} = options;
    checkOptions('deliverTo', options, ['secret', 'events', 'path', 'onThrow']);
    for (const type of events) checkWord('an event', type, EVENT_TYPES);
    if (!isUsableSecret(secret))
      throw usageError('invalid_secret', 'this secret cannot be used to sign.', {
        hint: 'Give at least 12 characters without white space, or none to have one made.',
      });
    const url = typeof app === 'function' ? APP + path : String(app);
    if (typeof app !== 'function' && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
      throw usageError('invalid_url', `${JSON.stringify(url)} is not an address.`, {
        hint: 'Give a handler, or the URL of an app on this machine: http://127.0.0.1:3000/webhooks',
      });
    const record = this.engine.perform((tx) => addWebhook(tx, {url, events}, secret));
    this.#webhooks.set(record.id, record);
    if (typeof app === 'function')
      this.engine.receivers.set(record.id, receiverOf(app, options, {handling: this.#handling, thrown: this.#thrown}));
    const attempts = () => this.#attemptsOf(record.id);
    return atCaller({
      secret,
      webhookId: record.id as Id<'wh_'>,
      get attempts() {
        return attempts();
      },
      redeliver: async (event: Event | Id<'evt_'>) => {
        await this.settled();
        await this.engine.resendEvent(idIn(event), {webhook: record.id});
        await this.settled();
      },
      stop: async () => {
        this.#webhooks.set(record.id, undefined);
        this.#arrangeWebhooks();
      },
    });
  };

  #attemptsOf(webhook: string): Delivered[] {
    return this.engine.read((tx) =>
      tx.store.database
        .all<DeliveryAttempt>('SELECT * FROM attempts WHERE webhook_id = ? ORDER BY seq', webhook)
        .map(({event_id: id, attempt, status, outcome}) => {
          const event = serialize(tx.store.find('event', id)!.record, tx) as unknown as Event;
          return {event, attempt, status, outcome};
        }),
    );
  }

  /** Adds the webhooks of `deliverTo` that a restore or a reset took away, and removes those that were stopped. */
  #arrangeWebhooks(): void {
    this.engine.perform((tx) => {
      for (const [id, record] of this.#webhooks) {
        const isThere = tx.peek(id) !== undefined;
        if (record && !isThere) tx.store.insert({...record});
        if (!record) this.engine.receivers.delete(id);
        if (!record && isThere) runAction(tx, 'webhooks:delete', {}, id);
      }
    });
  }

  /** Replaces the state, after the deliveries of the present one. */
  async #replace(work: () => void): Promise<void> {
    if (!this.#handling.getStore()) await this.#deliver();
    this.#exchange.flush();
    work();
    this.#arrangeWebhooks();
    this.#rethrow();
  }

  readonly advance = async (span: number | string): Promise<Date> => this.set(this.engine.now() + spanOf(span));

  readonly set = async (instant: Date | number | string): Promise<Date> => {
    const {now} = await this.#control.advanceTo(instantOf(instant), this.settled);
    return dateOf(now);
  };

  readonly serve = async ({port = 0} = {}): Promise<SandboxServer> => {
    const server = await serveSandbox(this.#control, {port});
    const delivery = this.engine.startDelivery();
    this.#served.baseUrl = server.url;
    const close = async (): Promise<void> => {
      this.#served.baseUrl = URL_OF_LINKS;
      await Promise.all([server.close(), delivery.stop()]);
    };
    this.#ends.push(close);
    return {...server, close};
  };

  async #close(): Promise<void> {
    await Promise.all(this.#ends.splice(0).map((end) => end()));
    await this.#deliveries;
    await this.#exchange.close();
    // A file may be opened again, without these apps.
    this.#webhooks.forEach((_, id) => this.#webhooks.set(id, undefined));
    this.#arrangeWebhooks();
    this.engine.close();
    this.#rethrow();
  }

  surface(): TestSandbox {
    const {engine, transport, fetch, settled} = this;
    const served = this.#served;
    let closing: Promise<void> | undefined;
    const close = () => (closing ??= this.#close());
    return {
      keys: engine.keys,
      get url() {
        return served.baseUrl;
      },
      client: createTypedClient({
        key: engine.keys.secret,
        transport,
        retry: {attempts: 3, baseDelay: 0, maximumDelay: 0},
      }),
      fetch,
      transport,
      pay: this.pay,
      trigger: this.trigger as TestSandbox['trigger'],
      events: {list: this.listEvents, waitFor: this.waitFor} as unknown as TestEvents,
      requests: {list: this.listRequests},
      deliverTo: this.deliverTo,
      settled,
      clock: {now: () => dateOf(engine.now()), advance: this.advance, set: this.set, run: () => this.run()},
      failNext: (failure) => {
        engine.now();
        checkOptions('failNext', failure, Object.keys(FAILURE));
        const {failures} = this.#control;
        const {id} = failures.add(failure);
        return {
          get used() {
            return failures.used(id);
          },
          cancel: () => failures.remove(id),
        };
      },
      snapshot: async () => {
        await settled();
        this.#exchange.flush();
        return new Snapshot(this.#control, this.#control.snapshot());
      },
      restore: (snapshot) => this.#replace(() => Snapshot.restore(snapshot, this.#control)),
      reset: () => this.#replace(this.#control.reset),
      serve: this.serve,
      close,
      [Symbol.asyncDispose]: close,
    };
  }
}
