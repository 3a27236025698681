// Listening, from the first lease to the last clean-up: receiver, tunnel, endpoint, forwarding. What happens is reported as records.

import {follow} from '../../deadlines.js';
import {CentavoError, whatAndWhy} from '../../errors.js';
import {secretName} from './accounts.js';
import type {DeliveryStore} from '../store/deliveries.js';
import type {Delivery, ForwardAttempt} from '../receive/delivery.js';
import type {EventFilter} from './filters.js';
import type {Forwarder} from '../forward/forwarder.js';
import type {IsAlive, ProcessIdentity} from '../../programs/identity.js';
import type {ListenRecord, Summary} from './records.js';
import {Registration, removeDeadLeases, type Registrar} from './registration.js';
import {startReceiver, type Receiver, type SenderAnswer} from '../receive/receiver.js';
import {signPayload, type WebhookMode} from '../signature/signature.js';
import {provePath} from '../tunnels/ping.js';
import {keepTunnel, type TunnelState} from '../tunnels/supervisor.js';
import type {TunnelProvider} from '../tunnels/tunnel.js';

export interface ListenOptions {
  readonly store: DeliveryStore;
  readonly owner: ProcessIdentity;
  readonly isAlive: IsAlive;
  readonly profile: string;
  /** Tells accounts apart: an endpoint is removed with the key that made it. */
  readonly account: string;
  readonly mode: WebhookMode;
  readonly port?: number;
  readonly toleranceSeconds?: number;
  /** False takes what is not genuine, too. */
  readonly verify: boolean;
  /** Secrets that are known already; with them nothing is registered. */
  readonly secrets: readonly string[];
  readonly registrar?: Registrar;
  readonly provider: TunnelProvider;
  readonly exitOnDisconnect: boolean;
  readonly accepts: EventFilter;
  /** Made when it is known to whom it reports. */
  readonly forwarder?: (onAttempt: (attempt: ForwardAttempt) => void, onFailure: (error: unknown) => void) => Forwarder;
  readonly targets: readonly string[];
  readonly report: (record: ListenRecord) => void;
  /** Ends it cleanly. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Letters and digits that cannot be guessed. */
  readonly token: (length: number) => string;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/** How long deliveries under way may take when it ends, in milliseconds. */
const DRAIN = 2000;
const TOKEN_LENGTH = 32;

/** What a caller gets to work with while it listens. */
export interface Listening {
  readonly forwarder: Forwarder | undefined;
  /** Resolves when it has ended and nothing of it is left. @throws CentavoError */
  readonly done: Promise<Summary>;
}

/**
 * Begins to listen. Dead leases of earlier runs, and old deliveries that need nothing more, are cleaned up first.
 * @throws CentavoError when the receiver cannot be started
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const {store, registrar, now} = options;
  await store.prune(now());
  if (registrar) await removeDeadLeases(store.leases, registrar, options);
  const session = new Session(options);
  await session.start();
  return {forwarder: session.forwarder, done: session.run()};
}

class Session {
  readonly #options: ListenOptions;
  /** All that sign now. */
  #secrets: readonly string[];
  /** The webhook that leads here, as deliveries name it. */
  #webhook: string | undefined;
  readonly #token: string;
  readonly #pingSecret: string;
  readonly #counts = {
    genuine: 0,
    not_genuine: 0,
    refused: 0,
    filtered: 0,
    duplicates: 0,
    forwarded: 0,
    forward_failures: 0,
    webhook_left: false,
  };
  readonly forwarder: Forwarder | undefined;
  #receiver: Receiver | undefined;
  #publicHost: string | undefined;
  /** Ends it all: when it is told to, or when the webhook is lost for good. */
  readonly #ending = new AbortController();
  readonly #registration: Registration | undefined;
  #watching: Promise<void> | undefined;
  #lost: unknown;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.#secrets = options.secrets;
    const [given] = options.secrets;
    this.#webhook = given === undefined ? undefined : secretName(given);
    const {registrar, store} = options;
    this.#registration =
      registrar &&
      new Registration({
        ...options,
        registrar,
        leases: store.leases,
        onRegistered: ({id, secret}) => {
          this.#webhook = id;
          this.#secrets = [secret];
        },
        signal: this.#ending.signal,
      });
    this.#token = options.token(TOKEN_LENGTH);
    this.#pingSecret = options.token(TOKEN_LENGTH);
    this.forwarder = options.forwarder?.(
      (attempt) => this.#attempted(attempt),
      (error) => this.#failed('an attempt could not be recorded and may be repeated', error),
    );
  }

  async start(): Promise<void> {
    const {store, profile, port = 0, mode, toleranceSeconds, verify, now, token, report} = this.#options;
    this.#receiver = await startReceiver({
      store,
      profile,
      token: this.#token,
      port,
      mode,
      toleranceSeconds,
      verify,
      now,
      secrets: () => this.#secrets,
      webhook: () => this.#webhook,
      publicHosts: () => (this.#publicHost ? [this.#publicHost] : []),
      newId: () => `dlv_${token(24)}`,
      targetsOf: (event) => (this.#options.accepts(event.type) ? (this.forwarder?.targetsOf(event) ?? []) : []),
      respond: (delivery) => this.#respond(delivery),
      onDelivery: (delivery) => this.#delivered(delivery),
      onRefused: ({reason, status}) => {
        this.#counts.refused++;
        report({type: 'refused', reason, status: status ?? null});
      },
      onFailure: (error) => this.#failed('deliveries cannot be stored and are answered with 503', error),
    });
  }

  async run(): Promise<Summary> {
    const {provider, random, sleep, exitOnDisconnect, profile, isAlive, report} = this.#options;
    const release = follow(this.#ending, this.#options.signal);
    const {signal} = this.#ending;
    const left = this.forwarder?.resume(profile, isAlive) ?? 0;
    if (left > 0)
      report({type: 'notice', message: `forwarding ${left} that an earlier run received and did not pass on`});
    try {
      await keepTunnel({
        provider,
        localPort: this.#receiver!.port,
        signal,
        prove: (url, until) => this.#prove(url, until),
        onState: (state) => this.#changed(state),
        random,
        sleep,
        exitOnDisconnect,
      });
    } finally {
      this.#ending.abort();
      release();
      await this.#watching;
      await this.#end();
    }
    if (this.#lost !== undefined) throw this.#lost;
    return this.#counts;
  }

  #publicUrl(base: string): string {
    return `${base}/${this.#token}`;
  }

  /** A signed ping has to come back through the public URL before anything is called ready. */
  async #prove(base: string, signal: AbortSignal): Promise<void> {
    const {token, mode, now, sleep} = this.#options;
    this.#publicHost = new URL(base).host;
    const nonce = token(TOKEN_LENGTH);
    const unexpect = this.#receiver!.expectPing(nonce, this.#pingSecret);
    try {
      await provePath({
        url: this.#publicUrl(base),
        nonce,
        mode,
        createdAt: Math.floor(now() / 1000),
        sign: (body) => signPayload({body, secret: this.#pingSecret, timestamp: Math.floor(now() / 1000), mode}),
        signal,
        sleep,
      });
    } finally {
      unexpect();
    }
  }

  async #changed(state: TunnelState): Promise<void> {
    const {report} = this.#options;
    const url = this.#publicUrl(state.url);
    if (state.state === 'ready') return this.#ready(url);
    if (state.state === 'disconnected')
      return report({type: 'disconnected', reason: 'tunnel', message: `disconnected: ${state.why}; connecting again`});
    if (state.urlChanged) await this.#registration?.move(url);
    report({
      type: 'reconnected',
      message: `connected again, at ${new URL(url).host}`,
      public_url: url,
      webhook_id: this.#registration ? this.#webhook! : null,
    });
  }

  async #ready(url: string): Promise<void> {
    const {report, mode, targets} = this.#options;
    const registration = this.#registration;
    await registration?.begin(url);
    report({
      type: 'ready',
      url: this.#receiver!.url,
      public_url: url,
      webhook_id: registration ? this.#webhook! : null,
      secret_source: registration ? 'registered' : 'given',
      secret: this.#secrets[0],
      mode,
      targets,
    });
    this.#watching = registration?.watch().catch((error: unknown) => {
      this.#lost ??= error;
      this.#ending.abort();
    });
  }

  /** A store that cannot be written may be written again, and a bug in one delivery is no end of the others: both are said. */
  #failed(words: string, error: unknown): void {
    const message =
      error instanceof CentavoError ? `${words}: ${whatAndWhy(error)}` : `a bug in centavo (${(error as Error).name})`;
    this.#options.report({type: 'notice', message});
  }

  #delivered(delivery: Delivery): void {
    const {report, accepts} = this.#options;
    if (delivery.verdict.genuine) this.#counts.genuine++;
    else this.#counts.not_genuine++;
    if (delivery.duplicateOf) this.#counts.duplicates++;
    if (accepts(delivery.event.type)) report({type: 'delivery', delivery});
    else this.#counts.filtered++;
  }

  #respond(delivery: Delivery): Promise<SenderAnswer> {
    const forwards = this.forwarder && this.#options.accepts(delivery.event.type);
    return forwards ? this.forwarder!.forward(delivery) : Promise.resolve({status: 200});
  }

  #attempted(attempt: ForwardAttempt): void {
    if (attempt.status !== undefined && attempt.status < 300) this.#counts.forwarded++;
    else this.#counts.forward_failures++;
    this.#options.report({type: 'forward', attempt});
  }

  /** Takes no more, lets what is under way end, and takes the endpoint away. */
  async #end(): Promise<void> {
    await this.#receiver!.close(DRAIN);
    await this.forwarder?.drain(DRAIN);
    await this.forwarder?.close();
    this.#counts.webhook_left = (await this.#registration?.end()) ?? false;
    this.#options.report({type: 'summary', ...this.#counts});
  }
}
