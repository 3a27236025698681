// Listening, from the first lease to the last clean-up: receiver, tunnel, endpoint, forwarding. What happens is reported as records.

import {CentavoError} from '../errors.js';
import type {DeliveryStore} from './deliveries.js';
import type {Delivery, ForwardAttempt} from './delivery.js';
import type {EventFilter} from './filters.js';
import type {Forwarder} from './forwarder.js';
import type {IsAlive, ProcessIdentity} from './leases.js';
import type {ListenRecord, Summary} from './records.js';
import {startReceiver, type Receiver, type SenderAnswer} from './receiver.js';
import {signPayload, type WebhookMode} from './signature.js';
import {provePath} from './tunnels/ping.js';
import {keepTunnel, type TunnelState} from './tunnels/supervisor.js';
import type {TunnelProvider} from './tunnels/tunnel.js';
import {reasonOf} from '../thrown.js';

/** What registers endpoints with the service. */
export interface Registrar {
  /** @param description names the lease, so that an endpoint is found again whose id was never learnt */
  readonly register: (url: string, description: string) => Promise<{readonly id: string; readonly secret: string}>;
  readonly update: (id: string, url: string) => Promise<void>;
  /** What is not there any more is no error. */
  readonly remove: (id: string) => Promise<void>;
  /** Ids of the endpoints with exactly this description. */
  readonly find: (description: string) => Promise<readonly string[]>;
}

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
  readonly forwarder?: (onAttempt: (attempt: ForwardAttempt) => void) => Forwarder;
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
/** Failures after which the same call may succeed. */
const PASSING = new Set(['outcome_unknown', 'rate_limited', 'unavailable']);
/** Between two calls, in milliseconds. */
const LONGEST_PAUSE = 16_000;

/** The description of an endpoint: what its lease can be found by. */
const descriptionOf = (leaseId: string): string => `centavo webhooks listen ${leaseId}`;

/** What a caller gets to work with while it listens. */
export interface Listening {
  readonly forwarder: Forwarder | undefined;
  /** Resolves when it has ended and nothing of it is left. @throws CentavoError */
  readonly done: Promise<Summary>;
}

/**
 * Begins to listen. Dead leases of earlier runs are cleaned up first.
 * @throws CentavoError when the receiver cannot be started
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  await removeDeadLeases(options);
  const session = new Session(options);
  await session.start();
  return {forwarder: session.forwarder, done: session.run()};
}

/** Endpoints of processes that ended without removing them, by their own ids. */
async function removeDeadLeases({store, account, isAlive, registrar, report}: ListenOptions): Promise<void> {
  if (!registrar) return;
  for (const lease of store.leases.dead(account, isAlive)) {
    const ids = lease.webhookId ? [lease.webhookId] : await registrar.find(descriptionOf(lease.id));
    for (const id of ids) await registrar.remove(id);
    store.leases.remove(lease.id);
    if (ids.length > 0)
      report({type: 'notice', message: `removed the webhook ${ids.join(', ')}, left by an earlier run`});
  }
}

class Session {
  readonly #options: ListenOptions;
  readonly #secrets: string[];
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
  };
  readonly forwarder: Forwarder | undefined;
  #receiver: Receiver | undefined;
  #publicHost: string | undefined;
  #lease: string | undefined;
  #webhookId: string | undefined;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.#secrets = [...options.secrets];
    this.#token = options.token(TOKEN_LENGTH);
    this.#pingSecret = options.token(TOKEN_LENGTH);
    this.forwarder = options.forwarder?.((attempt) => this.#attempted(attempt));
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
      publicHosts: () => (this.#publicHost ? [this.#publicHost] : []),
      newId: () => `dlv_${token(24)}`,
      targetsOf: (event) => (this.#options.accepts(event.type) ? (this.forwarder?.targetsOf(event) ?? []) : []),
      respond: (delivery) => this.#respond(delivery),
      onDelivery: (delivery) => this.#delivered(delivery),
      onRefused: ({reason, status}) => {
        this.#counts.refused++;
        report({type: 'refused', reason, status: status ?? null});
      },
      onFailure: (error) =>
        report({
          type: 'notice',
          message: `deliveries cannot be stored, and are answered 503. ${reasonOf(error)}`,
        }),
    });
  }

  async run(): Promise<Summary> {
    const {provider, signal, random, sleep, exitOnDisconnect, profile, isAlive, report} = this.#options;
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
      await this.#end();
    }
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
    const {report, registrar} = this.#options;
    const url = this.#publicUrl(state.url);
    if (state.state === 'ready') return this.#ready(url);
    if (state.state === 'disconnected')
      return report({type: 'disconnected', message: `disconnected: ${state.why}; connecting again`});
    if (state.urlChanged && registrar && this.#webhookId) await this.#move(registrar, this.#webhookId, url);
    report({type: 'reconnected', message: `connected again, at ${new URL(url).host}`, public_url: url});
  }

  /** What took the tunnel away may have taken the way to the service with it: it is tried for a while. */
  async #move(registrar: Registrar, id: string, url: string): Promise<void> {
    const {signal, sleep, report} = this.#options;
    for (let pause = 1000; ; pause *= 2) {
      try {
        return await registrar.update(id, url);
      } catch (error) {
        const passes = error instanceof CentavoError && PASSING.has(error.kind);
        if (!passes || pause > LONGEST_PAUSE || signal.aborted) throw error;
        report({type: 'notice', message: `the webhook ${id} does not have its new URL yet: ${error.message}`});
        await sleep(pause, signal).catch(() => {});
      }
    }
  }

  /** The lease is on the disk before the endpoint is made: whatever happens then, it can be found. */
  async #ready(url: string): Promise<void> {
    const {registrar, store, owner, account, report, mode, targets, token} = this.#options;
    let secret: string | undefined;
    if (registrar) {
      this.#lease = token(24);
      store.leases.add({id: this.#lease, profile: account, url, ...owner});
      const endpoint = await registrar.register(url, descriptionOf(this.#lease));
      store.leases.confirm(this.#lease, endpoint.id);
      this.#webhookId = endpoint.id;
      ({secret} = endpoint);
      this.#secrets.push(secret);
    }
    report({
      type: 'ready',
      url: this.#receiver!.url,
      public_url: url,
      webhook_id: this.#webhookId ?? null,
      secret_source: registrar ? 'registered' : 'given',
      secret: secret ?? this.#secrets[0],
      mode,
      targets,
    });
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
    const {store, registrar, report} = this.#options;
    await this.#receiver!.close(DRAIN);
    await this.forwarder?.drain(DRAIN);
    await this.forwarder?.close();
    if (this.#lease && registrar) {
      try {
        for (const id of this.#webhookId ? [this.#webhookId] : await registrar.find(descriptionOf(this.#lease)))
          await registrar.remove(id);
        store.leases.remove(this.#lease);
      } catch (error) {
        if (!(error instanceof CentavoError)) throw error;
        report({
          type: 'notice',
          message: `the webhook ${this.#webhookId ?? ''} could not be removed; the next run does it`,
        });
      }
    }
    report({type: 'summary', ...this.#counts});
  }
}
