// The webhook that a listener registers: created with a lease, checked and restored while listening, removed at the end.

import {wasAborted} from '../../common/deadlines.js';
import {CentavoError, messageAndReason} from '../../common/errors.js';
import type {IsProcessAlive} from '../../processes/process-identity.js';
import type {EndpointStore, WebhookLease} from '../store/endpoints.js';
import type {KeepTunnelOptions} from '../tunnels/supervisor.js';
import type {EndpointOptions, OpenEndpoint} from './endpoint.js';

export interface SigningWebhook {
  readonly id: string;
  readonly secret: string;
}

export interface WebhookRegistrar {
  /** Name of the account. A webhook is removed only with the account that created it. */
  readonly account: string;
  /** @param description contains the lease's id, to find a webhook of unknown id */
  readonly register: (url: string, description: string, secret?: string) => Promise<SigningWebhook>;
  /** True if a webhook can be registered with a given secret, as in the sandbox. */
  readonly allowsSecret: boolean;
  /** Sets the URL of an existing webhook and enables the webhook. Resolves with false if it no longer exists. */
  readonly resume: (id: string, url: string) => Promise<boolean>;
  readonly update: (id: string, url: string) => Promise<void>;
  readonly enable: (id: string) => Promise<void>;
  /** Ignores a missing webhook, as `remove` does. */
  readonly disable: (id: string) => Promise<void>;
  readonly remove: (id: string) => Promise<void>;
  readonly find: (description: string) => Promise<readonly string[]>;
  readonly statusOf: (id: string) => Promise<'disabled' | 'enabled' | 'gone'>;
  /** Ids of sandbox events that wait for another attempt at the webhook; empty for an account. */
  readonly queuedEvents: (id: string) => readonly string[];
  readonly interval: number;
}

export interface RegistrationOptions
  extends Pick<EndpointOptions, 'owner' | 'report' | 'token'>, Pick<KeepTunnelOptions, 'signal' | 'sleep'> {
  readonly registrar: WebhookRegistrar;
  readonly endpoints: EndpointStore;
  readonly endpoint: OpenEndpoint;
  /** True if the event arrived, and a forwarding target has not accepted it. */
  readonly isUndelivered: (eventId: string) => boolean;
}

/** Kinds of errors after which the same call may succeed. */
const TRANSIENT = new Set(['outcome_unknown', 'rate_limited', 'unavailable']);
/** Longest pause between two attempts, in milliseconds. */
const MAX_PAUSE = 16_000;
const LEASE_LENGTH = 24;

const descriptionOf = (leaseId: string): string => `centavo webhooks listen ${leaseId}`;

/** Removes or disables the webhooks of a lease. Resolves with their ids: none or several if the id was unknown. */
async function endLease(
  {id, webhookId}: Pick<WebhookLease, 'id' | 'webhookId'>,
  isKept: boolean,
  {endpoints, registrar}: Pick<RegistrationOptions, 'endpoints' | 'registrar'>,
): Promise<readonly string[]> {
  const ids = webhookId === undefined ? await registrar.find(descriptionOf(id)) : [webhookId];
  for (const webhook of ids) await (isKept ? registrar.disable(webhook) : registrar.remove(webhook));
  endpoints.removeLease(id);
  return ids;
}

export async function removeDeadLeases(
  options: Pick<RegistrationOptions, 'endpoint' | 'endpoints' | 'registrar' | 'report'> & {
    readonly isAlive: IsProcessAlive;
  },
): Promise<void> {
  const {endpoint, endpoints, registrar, report, isAlive} = options;
  for (const lease of endpoints.deadLeases(registrar.account, isAlive)) {
    const {id, webhookId} = lease;
    // This run resumes the webhook of its own endpoint, with the events that wait for it.
    if (webhookId !== undefined && webhookId === endpoint.current().webhookId) {
      endpoints.removeLease(id);
      continue;
    }
    const isKept = !registrar.allowsSecret && webhookId !== undefined && endpoints.isKept(webhookId);
    const ids = await endLease(lease, isKept, options);
    const removed = `removed the webhook ${ids.join(', ')}, left by an earlier run, with its waiting events`;
    if (!isKept && ids.length > 0) report({type: 'notice', message: removed});
  }
}

export class WebhookRegistration {
  /** Undefined if nothing is registered; without `webhookId` until the service responds. */
  #lease: {readonly id: string; readonly webhookId?: string} | undefined;
  #webhook: SigningWebhook | undefined;
  #endWait!: () => void;
  #secretKnown: Promise<unknown> = new Promise<void>((resolve) => (this.#endWait = resolve));
  #url = '';
  #queued = 0;
  #checkFailed = false;
  /** Changes run one at a time: a tunnel may get a new URL while the webhook is being restored. */
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: RegistrationOptions) {
    options.signal.addEventListener('abort', this.#endWait);
  }

  /** Resolves when the secret is known, or when the run ends: a new webhook may send before its secret arrives. */
  get secretKnown(): Promise<unknown> {
    return this.#secretKnown;
  }

  get webhook(): SigningWebhook | undefined {
    return this.#webhook;
  }

  /** Number of events that the app did not accept, for which the sandbox webhook stays. */
  get waitingEvents(): number {
    return this.#queued;
  }

  async start(url: string): Promise<void> {
    this.#url = url;
    const {webhookId: savedId, secret} = this.options.endpoint.current();
    if (savedId !== undefined && secret !== undefined && (await this.#resume(savedId, secret))) return;
    const {id, secret: newSecret} = await this.#register();
    if (savedId === undefined) return;
    const message = `the webhook ${savedId} of an earlier run is no longer in this account: registered ${id}, with ${newSecret === secret ? 'the same' : 'a new'} secret`;
    this.options.report({type: 'notice', message});
  }

  async #resume(id: string, secret: string): Promise<boolean> {
    const {registrar, endpoints, owner, token} = this.options;
    const lease = {id: token(LEASE_LENGTH), webhookId: id};
    endpoints.addLease({...lease, account: registrar.account, url: this.#url, ...owner});
    this.#lease = lease;
    this.#webhook = {id, secret};
    if (await registrar.resume(id, this.#url)) {
      this.#endWait();
      return true;
    }
    endpoints.removeLease(lease.id);
    this.#lease = this.#webhook = undefined;
    return false;
  }

  /** Stores the lease before creating the webhook, so that the webhook can be found after a crash. */
  async #register(): Promise<SigningWebhook> {
    const {registrar, endpoints, endpoint, owner, token} = this.options;
    const id = token(LEASE_LENGTH);
    this.#lease = {id};
    endpoints.addLease({id, account: registrar.account, url: this.#url, ...owner});
    const registering = registrar.register(this.#url, descriptionOf(id), endpoint.current().secret);
    this.#secretKnown = registering.catch(() => {});
    const webhook = await registering;
    this.#webhook = webhook;
    this.#endWait();
    this.#lease = {id, webhookId: webhook.id};
    endpoints.confirmLease(id, webhook.id);
    const lasts = endpoint.keep || registrar.allowsSecret;
    endpoint.update({secret: lasts ? webhook.secret : undefined, webhookId: lasts ? webhook.id : undefined});
    return webhook;
  }

  updateUrl(url: string): Promise<void> {
    return this.#serialize(async () => {
      this.#url = url;
      const {id} = this.#webhook!;
      const update = (): Promise<void> => this.options.registrar.update(id, url);
      await this.#changeOrReplace(id, `the webhook ${id} does not have its new URL yet`, update);
    });
  }

  /** Checks the webhook at intervals, and restores a deleted or disabled webhook. Resolves when the signal aborts. */
  async watch(): Promise<void> {
    const {signal, sleep, registrar} = this.options;
    while (!signal.aborted) {
      if (await wasAborted(sleep(registrar.interval, signal), signal)) return;
      try {
        await this.#serialize(() => this.#check());
      } catch (error) {
        // After an abort, a failed restoration does not matter: `end` removes the webhook.
        if (!signal.aborted || !(error instanceof CentavoError)) throw error;
      }
    }
  }

  async #check(): Promise<void> {
    const {registrar, report} = this.options;
    const {id} = this.#webhook!;
    let state: Awaited<ReturnType<WebhookRegistrar['statusOf']>>;
    try {
      state = await registrar.statusOf(id);
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      if (!this.#checkFailed)
        report({type: 'notice', message: `the webhook could not be checked: ${messageAndReason(error)} (${id})`});
      this.#checkFailed = true;
      return;
    }
    this.#checkFailed = false;
    if (state === 'gone') await this.#replace(id);
    if (state === 'disabled') await this.#enable(id);
  }

  async #enable(id: string): Promise<void> {
    const {registrar, report} = this.options;
    const message = `the webhook ${id} was disabled, so no events arrive; enabling it again`;
    report({type: 'disconnected', reason: 'webhook_disabled', message});
    if (await this.#changeOrReplace(id, `the webhook ${id} is not enabled yet`, () => registrar.enable(id)))
      this.#reportRestored(`enabled again, with the same secret; events in between were not sent: ${id}`);
  }

  /** Resolves with false if the webhook did not exist and was replaced. */
  async #changeOrReplace(id: string, problem: string, call: () => Promise<void>): Promise<boolean> {
    try {
      await this.#retry(problem, call);
      return true;
    } catch (error) {
      if (!(error instanceof CentavoError) || error.kind !== 'not_found') throw error;
      await this.#replace(id);
      return false;
    }
  }

  async #replace(id: string): Promise<void> {
    const previous = this.#webhook!.secret;
    const message = `the webhook ${id} was deleted, so no events arrive; registering a new one`;
    this.options.report({type: 'disconnected', reason: 'webhook_gone', message});
    await this.#retry('the new webhook is not registered yet', async () => {
      // An earlier attempt may have created a webhook whose response was lost.
      await this.#endLease(false);
      await this.#register();
    });
    const webhook = this.#webhook!;
    const isSame = webhook.secret === previous;
    this.#reportRestored(
      `registered again, with ${isSame ? 'the same' : 'a new'} secret; events in between were not sent: ${webhook.id}`,
      isSame ? undefined : webhook.secret,
    );
  }

  #reportRestored(message: string, newSecret?: string): void {
    const record = {type: 'reconnected', message, public_url: this.#url, webhook_id: this.#webhook!.id} as const;
    this.options.report({...record, ...(newSecret !== undefined && {secret: newSecret})});
  }

  /** Retries for half a minute: a failure that interrupts a tunnel may also interrupt calls to the service. */
  async #retry(problem: string, call: () => Promise<void>): Promise<void> {
    const {signal, sleep, report} = this.options;
    for (let pause = 1000; ; pause *= 2) {
      try {
        return await call();
      } catch (error) {
        const isTransient = error instanceof CentavoError && TRANSIENT.has(error.kind);
        if (!isTransient || pause > MAX_PAUSE || signal.aborted) throw error;
        report({type: 'notice', message: `${problem}: ${messageAndReason(error)}`});
        await sleep(pause, signal).catch((thrown: unknown) => {
          throw signal.aborted ? error : thrown;
        });
      }
    }
  }

  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastChange.then(work);
    // Only the caller gets the error.
    this.#lastChange = done.catch(() => {});
    return done;
  }

  /** Removes the webhook, or disables a kept webhook. Resolves with true if that failed; the next run tries again. */
  async end(): Promise<boolean> {
    const {endpoint, endpoints, registrar, report, isUndelivered} = this.options;
    const id = this.#lease?.webhookId;
    const keep = (endpoint.keep || !registrar.allowsSecret) && id !== undefined && id === endpoint.current().webhookId;
    try {
      if (id !== undefined && endpoint.isSaved) this.#queued = registrar.queuedEvents(id).filter(isUndelivered).length;
      if (this.#queued > 0) {
        endpoints.removeLease(this.#lease!.id);
        return false;
      }
      await this.#endLease(keep);
      if (!keep) endpoint.update({webhookId: undefined});
      return false;
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      const name = id === undefined ? 'the webhook' : `the webhook ${id}`;
      report({
        type: 'notice',
        message: `${name} could not be ${keep ? 'disabled' : 'removed'}; the next run will ${keep ? 'use or disable' : 'remove'} it: ${messageAndReason(error)}`,
      });
      return true;
    }
  }

  async #endLease(isKept: boolean): Promise<void> {
    if (this.#lease === undefined) return;
    await endLease(this.#lease, isKept, this.options);
    this.#lease = undefined;
  }
}
