// Runs a listener: the receiver, the tunnel, the registered webhook, and forwarding.
// The modules of src/webhooks receive, check, store and forward events on the developer's machine.

import {linkAbort} from '../../common/deadlines.js';
import {DAY} from '../../common/manila.js';
import {CentavoError, usageError, messageAndReason} from '../../common/errors.js';
import {isAccepted} from '../../http/webhook-sender.js';
import type {EventFilter} from '../../input/event-filter.js';
import {Forwarder, type ForwarderOptions} from '../forward/forwarder.js';
import type {ForwardTarget} from '../forward/targets.js';
import {deliveryIds, secretName, type Delivery, type EventFacts, type ForwardAttempt} from '../receive/delivery.js';
import {startReceiver, type Receiver, type ReceiverOptions} from '../receive/receiver.js';
import type {WebhookMode} from '../signature/signature.js';
import type {DeliveryStore} from '../store/deliveries.js';
import {verifyTunnelPath} from '../tunnels/verify-path.js';
import {keepTunnel, type KeepTunnelOptions, type TunnelState} from '../tunnels/supervisor.js';
import {openEndpoint, TOKEN_LENGTH, type EndpointOptions, type OpenEndpoint} from './endpoint.js';
import {noCounts, type ListenSummary} from './listen-record.js';
import {
  WebhookRegistration,
  removeDeadLeases,
  type WebhookRegistrar,
  type RegistrationOptions,
  type SigningWebhook,
} from './registration.js';

export interface ListenOptions
  extends
    Omit<RegistrationOptions, 'endpoint' | 'endpoints' | 'isUndelivered' | 'registrar'>,
    EndpointOptions,
    Pick<KeepTunnelOptions, 'provider' | 'random'>,
    Pick<ReceiverOptions, 'now' | 'port' | 'profile' | 'toleranceSeconds'> {
  readonly store: DeliveryStore;
  /** True once the service's clock is known, and agrees with this machine's. */
  readonly allowsPruning: () => boolean;
  readonly mode: WebhookMode;
  readonly verify: boolean;
  readonly signing: {readonly secret: string} | {readonly registrar: WebhookRegistrar};
  readonly accepts: EventFilter;
  readonly startsApp?: boolean;
  readonly targets: readonly ForwardTarget[];
  readonly forwarding?: Pick<ForwarderOptions, 'ordered' | 'retry'>;
}

/** Milliseconds that current deliveries have to finish at the end. */
const DRAIN = 2000;

export interface RunningListener {
  readonly forwarder: Forwarder;
  readonly done: Promise<ListenSummary>;
}

/** Starts a listener, after removing the webhooks of ended runs. */
export async function startListener(options: ListenOptions): Promise<RunningListener> {
  const {store, signing, provider} = options;
  const why = await provider.missing();
  if (why !== undefined) throw usageError('tunnel_missing', `the tunnel ${provider.name} cannot be opened.`, {why});
  const {endpoints} = store;
  const release = (): void => endpoints.release(options.owner);
  try {
    const endpoint = openEndpoint(endpoints, options);
    if ('registrar' in signing) await removeDeadLeases({...options, endpoint, endpoints, registrar: signing.registrar});
    const run = new ListenRun(options, endpoint);
    await run.start();
    return {forwarder: run.forwarder, done: run.run().finally(release)};
  } catch (error) {
    release();
    throw error;
  }
}

class ListenRun {
  readonly #givenWebhook: SigningWebhook | undefined;
  readonly #counts = noCounts();
  /** Ids of tried or held deliveries that the app has not accepted. */
  readonly #notAccepted = new Set<string>();
  readonly forwarder: Forwarder;
  #receiver: Receiver | undefined;
  #publicHost: string | undefined;
  /** Aborts with the caller's signal, or when the webhook cannot be restored. */
  readonly #abort = new AbortController();
  readonly #registration: WebhookRegistration | undefined;
  #webhookWatch: Promise<void> | undefined;
  #isPruned = false;
  #webhookError: unknown;

  constructor(
    private readonly options: ListenOptions,
    private readonly endpoint: OpenEndpoint,
  ) {
    const {signing, store, accepts, targets, forwarding, now, random, report, startsApp} = options;
    const {signal} = this.#abort;
    if ('secret' in signing) this.#givenWebhook = {id: secretName(signing.secret), secret: signing.secret};
    else
      this.#registration = new WebhookRegistration({
        ...options,
        registrar: signing.registrar,
        endpoints: store.endpoints,
        endpoint,
        signal,
        isUndelivered: (eventId) => store.forwards.isUndelivered(eventId),
      });
    this.forwarder = new Forwarder({
      ...forwarding,
      targets: targets.map((target) => ({...target, accepts: (type) => accepts(type) && target.accepts(type)})),
      store,
      now,
      random,
      onAppAwaited: startsApp ? (message) => report({type: 'notice', message}) : undefined,
      secretOf: () => this.#webhook?.secret ?? this.endpoint.current().secret,
      onAttempt: (attempt, event) => this.#handleAttempt(attempt, event),
      onHeld: (held) => {
        this.#notAccepted.add(held.deliveryId);
        report({type: 'held', held});
      },
      onFailure: (error) => this.#warn('a forwarding attempt could not be recorded, and may be repeated', error),
    });
  }

  get #webhook(): SigningWebhook | undefined {
    return this.#givenWebhook ?? this.#registration?.webhook;
  }

  async start(): Promise<void> {
    const {port, report, targets} = this.options;
    const {port: savedPort} = this.endpoint.current();
    this.#receiver = await this.#startReceiver(port ?? savedPort).catch((error: unknown) => {
      const isTaken = error instanceof CentavoError && error.code === 'port_in_use';
      if (!isTaken || port !== undefined) throw error;
      report({type: 'notice', message: `another program uses port ${savedPort}, so this run uses another port`});
      return this.#startReceiver(0);
    });
    // A temporary port is not saved: the saved port may be free again next time.
    const isTemporary = port === undefined && savedPort !== 0 && this.#receiver.port !== savedPort;
    // No route matches a nameless event, unless it matches all.
    const target = targets.find(({accepts}) => accepts(''))?.url.href;
    this.endpoint.update({target, ...(!isTemporary && {port: this.#receiver.port})});
  }

  #startReceiver(port: number): Promise<Receiver> {
    const {now, token, report} = this.options;
    return startReceiver({
      ...this.options,
      port,
      token: this.endpoint.current().token,
      secrets: () => (this.#webhook ? [this.#webhook.secret] : []),
      secretsKnown: () => this.#registration?.secretKnown,
      webhook: () => this.#webhook?.id,
      publicHosts: () => (this.#publicHost ? [this.#publicHost] : []),
      newId: deliveryIds(now, token),
      targetsOf: (event) => this.forwarder.targetsOf(event),
      respond: (delivery) => this.forwarder.forward(delivery),
      onDelivery: (delivery) => this.#handleDelivery(delivery),
      onRefused: ({reason, status}) => {
        this.#counts.refused++;
        report({type: 'refused', reason, status});
      },
      onFailure: (error) => this.#warn('deliveries cannot be stored, and are answered with 503', error),
    });
  }

  async run(): Promise<ListenSummary> {
    const {profile, isAlive, report} = this.options;
    const release = linkAbort(this.#abort, this.options.signal);
    const {signal} = this.#abort;
    const resumed = this.forwarder.resume(profile, isAlive);
    if (resumed > 0) report({type: 'notice', message: `forwarding ${resumed} from an earlier run`});
    try {
      await keepTunnel({
        ...this.options,
        localPort: this.#receiver!.port,
        signal,
        verify: (url, until) => this.#verifyTunnel(url, until),
        onState: (state) => this.#handleTunnelState(state),
      });
    } finally {
      this.#abort.abort();
      release();
      await this.#webhookWatch;
      await this.#shutDown();
    }
    if (this.#webhookError !== undefined) throw this.#webhookError;
    return this.#counts;
  }

  #publicUrl(base: string): string {
    return `${base}/${this.endpoint.current().token}`;
  }

  /** Rejects unless a signed ping to the public URL arrives at the receiver. */
  async #verifyTunnel(base: string, signal: AbortSignal): Promise<void> {
    const {token, mode, sleep} = this.options;
    const now = (): number => Math.floor(this.options.now() / 1000);
    this.#publicHost = new URL(base).host;
    const [nonce, secret] = [token(TOKEN_LENGTH), token(TOKEN_LENGTH)];
    const cancelPing = this.#receiver!.expectPing(nonce, secret);
    try {
      await verifyTunnelPath({url: this.#publicUrl(base), nonce, secret, mode, now, signal, sleep});
    } finally {
      cancelPing();
    }
  }

  async #handleTunnelState(state: TunnelState): Promise<void> {
    const {report} = this.options;
    const url = this.#publicUrl(state.url);
    if (state.state === 'ready') return this.#handleReady(url);
    if (state.state === 'disconnected')
      return report({type: 'disconnected', reason: 'tunnel', message: `disconnected: ${state.why}; reconnecting`});
    if (state.urlChanged) await this.#registration?.updateUrl(url);
    report({
      type: 'reconnected',
      message: `reconnected at ${new URL(url).host}`,
      public_url: url,
      webhook_id: this.#registration?.webhook?.id ?? null,
    });
  }

  async #handleReady(url: string): Promise<void> {
    const {report, mode, targets, endpoint, store} = this.options;
    const registration = this.#registration;
    await registration?.start(url);
    await this.#prune(this.options.allowsPruning());
    const isSaved = registration && store.endpoints.find(endpoint)?.secret === registration.webhook?.secret;
    report({
      type: 'ready',
      url: this.#receiver!.url,
      public_url: url,
      webhook_id: registration?.webhook?.id ?? null,
      secret_source: registration ? 'registered' : 'given',
      secret: this.#webhook?.secret,
      secret_command: isSaved ? `centavo webhooks secret${endpoint.isNamed ? ` --name ${endpoint.name}` : ''}` : null,
      mode,
      targets: targets.map((target) => target.url.href),
    });
    this.#webhookWatch = registration?.watch().catch((error: unknown) => {
      this.#webhookError ??= error;
      this.#abort.abort();
    });
  }

  /** Reports an error without ending the run: the store may recover, and other deliveries may work. */
  #warn(problem: string, error: unknown): void {
    const message =
      error instanceof CentavoError
        ? `${problem}: ${messageAndReason(error)}`
        : `a bug in centavo (${(error as Error).name})`;
    this.options.report({type: 'notice', message});
  }

  /** Removes old deliveries, once, after the service's clock or a signature showed that this machine's is right. */
  async #prune(isClockRight: boolean): Promise<void> {
    if (!isClockRight || this.#isPruned) return;
    this.#isPruned = true;
    const {store, now} = this.options;
    await store.prune(now()).catch((error: unknown) => this.#warn('old deliveries cannot be removed', error));
  }

  #handleDelivery(delivery: Delivery): void {
    const {report, accepts, targets} = this.options;
    const {verdict, receivedAt, event} = delivery;
    void this.#prune(verdict.genuine && Math.abs(receivedAt / 1000 - verdict.timestamp) <= DAY);
    if (verdict.genuine) this.#counts.genuine++;
    else this.#counts.not_genuine++;
    if (delivery.duplicateOf) this.#counts.duplicates++;
    if (!accepts(event.type)) return void this.#counts.filtered++;
    const unrouted = verdict.genuine && targets.length > 0 && this.forwarder.targetsOf(event).length === 0;
    if (unrouted) this.#counts.unrouted++;
    report({type: 'delivery', delivery, unrouted});
  }

  #handleAttempt(attempt: ForwardAttempt, event: EventFacts): void {
    const {deliveryId, status, replay} = attempt;
    if (isAccepted(status)) {
      this.#counts.forwarded++;
      // A replayed event may already be counted.
      if (this.#notAccepted.delete(deliveryId) || !replay) this.#counts.events_accepted++;
    } else {
      this.#counts.forward_failures++;
      if (!replay) this.#notAccepted.add(deliveryId);
    }
    this.options.report({type: 'forward', attempt, event});
  }

  async #shutDown(): Promise<void> {
    await this.#receiver!.close(DRAIN);
    await this.forwarder.drain(DRAIN);
    await this.forwarder.close();
    this.#counts.webhook_left = (await this.#registration?.end()) ?? false;
    this.#counts.events_waiting = this.#registration?.waitingEvents ?? 0;
    this.#counts.events_not_accepted = this.#notAccepted.size;
    this.options.report({type: 'summary', ...this.#counts});
  }
}
