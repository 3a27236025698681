// The webhook that a listener registers: created under a lease, checked and restored while listening, removed at the end.

import {CentavoError, whatAndWhy} from '../../errors.js';
import type {IsAlive, ProcessIdentity} from '../../programs/identity.js';
import type {Leases} from '../store/leases.js';
import type {ListenRecord} from './listen-record.js';

/** Manages webhooks at the service. */
export interface Registrar {
  /** Tells accounts apart: a webhook is removed with the key that made it. */
  readonly account: string;
  /** @param description names the lease, so that a webhook can be found whose id was never learnt */
  readonly register: (url: string, description: string) => Promise<{readonly id: string; readonly secret: string}>;
  readonly update: (id: string, url: string) => Promise<void>;
  readonly enable: (id: string) => Promise<void>;
  /** A webhook that no longer exists is not an error. */
  readonly remove: (id: string) => Promise<void>;
  /** Ids of the webhooks with exactly this description. */
  readonly find: (description: string) => Promise<readonly string[]>;
  /** Whether events are sent to it; `gone` when it does not exist. */
  readonly look: (id: string) => Promise<'disabled' | 'enabled' | 'gone'>;
  /** Milliseconds between two checks. */
  readonly interval: number;
}

export interface RegistrationOptions {
  readonly registrar: Registrar;
  readonly leases: Leases;
  readonly owner: ProcessIdentity;
  readonly exitOnDisconnect: boolean;
  readonly report: (record: ListenRecord) => void;
  /** Called for each new webhook before it is reported: from now on its secret signs. */
  readonly onRegistered: (webhook: {readonly id: string; readonly secret: string}) => void;
  /** Letters and digits that cannot be guessed. */
  readonly token: (length: number) => string;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  /** Stops checking and restoring. */
  readonly signal: AbortSignal;
}

/** Failures after which the same call may succeed. */
const PASSING = new Set(['outcome_unknown', 'rate_limited', 'unavailable']);
/** Between two calls, in milliseconds. */
const LONGEST_PAUSE = 16_000;
const LEASE_LENGTH = 24;

/** The description of a webhook, which names its lease. */
const descriptionOf = (leaseId: string): string => `centavo webhooks listen ${leaseId}`;

/** Removes the webhooks that ended processes have left behind, by their own ids. */
export async function removeDeadLeases(
  leases: Leases,
  registrar: Registrar,
  {isAlive, report}: Pick<RegistrationOptions, 'report'> & {readonly isAlive: IsAlive},
): Promise<void> {
  for (const lease of leases.dead(registrar.account, isAlive)) {
    const ids = lease.webhookId ? [lease.webhookId] : await registrar.find(descriptionOf(lease.id));
    for (const id of ids) await registrar.remove(id);
    leases.remove(lease.id);
    if (ids.length > 0)
      report({type: 'notice', message: `removed the webhook ${ids.join(', ')}, left by an earlier run`});
  }
}

export class Registration {
  readonly #options: RegistrationOptions;
  #lease: string | undefined;
  #id: string | undefined;
  #secret: string | undefined;
  #url = '';
  /** True while the webhook cannot be checked, which is reported once. */
  #blind = false;
  /** One change at a time: a tunnel may get another URL while the webhook is being restored. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  /** @throws CentavoError when the service refuses it */
  async begin(url: string): Promise<void> {
    this.#url = url;
    await this.#register();
  }

  /** The lease is on the disk before the webhook is created, so that it can be found whatever happens. */
  async #register(): Promise<void> {
    const {registrar, leases, owner, onRegistered, token} = this.#options;
    this.#lease = token(LEASE_LENGTH);
    leases.add({id: this.#lease, profile: registrar.account, url: this.#url, ...owner});
    const webhook = await registrar.register(this.#url, descriptionOf(this.#lease));
    leases.confirm(this.#lease, webhook.id);
    this.#id = webhook.id;
    this.#secret = webhook.secret;
    onRegistered(webhook);
  }

  /** Has events sent to another URL. @throws CentavoError when that fails for half a minute */
  move(url: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#url = url;
      const id = this.#id!;
      const update = (): Promise<void> => this.#options.registrar.update(id, url);
      await this.#change(id, `the webhook ${id} does not have its new URL yet`, update);
    });
  }

  /**
   * Checks the webhook at intervals, and restores it when it was deleted or disabled. Resolves when the signal aborts.
   * @throws CentavoError when it cannot be restored; code `webhook_lost` with `exitOnDisconnect`
   */
  async watch(): Promise<void> {
    const {signal, sleep, registrar} = this.#options;
    while (!signal.aborted) {
      await sleep(registrar.interval, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (signal.aborted) return;
      try {
        await this.#inTurn(() => this.#look());
      } catch (error) {
        // A webhook that was being restored when the end came is removed with the rest.
        if (!signal.aborted || !(error instanceof CentavoError)) throw error;
      }
    }
  }

  async #look(): Promise<void> {
    const id = this.#id!;
    const state = await this.#stateOf(id);
    if (state === 'gone') await this.#replace(id);
    if (state === 'disabled') await this.#enable(id);
  }

  /** Undefined when it cannot be checked now. */
  async #stateOf(id: string): Promise<'disabled' | 'enabled' | 'gone' | undefined> {
    const {registrar, report} = this.#options;
    try {
      const state = await registrar.look(id);
      this.#blind = false;
      return state;
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      if (!this.#blind)
        report({type: 'notice', message: `the webhook could not be checked: ${whatAndWhy(error)} (${id})`});
      this.#blind = true;
      return undefined;
    }
  }

  /** The secret stays the same, so the app need not be told. */
  async #enable(id: string): Promise<void> {
    const {registrar} = this.#options;
    this.#lost(id, 'webhook_disabled', `the webhook ${id} was disabled, so no events arrive; enabling it again`);
    if (await this.#change(id, `the webhook ${id} is not enabled yet`, () => registrar.enable(id)))
      this.#back(`enabled again, with the same secret; events in between were not sent: ${id}`);
  }

  /** Changes a webhook, or replaces it when it does not exist. @returns whether it was changed */
  async #change(id: string, failing: string, call: () => Promise<void>): Promise<boolean> {
    try {
      await this.#insist(failing, call);
      return true;
    } catch (error) {
      if (!(error instanceof CentavoError) || error.kind !== 'not_found') throw error;
      await this.#replace(id);
      return false;
    }
  }

  async #replace(id: string): Promise<void> {
    this.#lost(id, 'webhook_gone', `the webhook ${id} was deleted, so no events arrive; registering another`);
    await this.#insist('the new webhook is not registered yet', async () => {
      // An earlier try may have created one without an answer.
      await this.#remove();
      await this.#register();
    });
    this.#back(`registered again, with a new secret; events in between were not sent: ${this.#id}`, this.#secret);
  }

  #lost(id: string, reason: 'webhook_disabled' | 'webhook_gone', message: string): void {
    const {report, exitOnDisconnect} = this.#options;
    if (!exitOnDisconnect) return report({type: 'disconnected', reason, message});
    report({type: 'disconnected', reason, message: message.replace(/;.*/, '')});
    throw new CentavoError('unavailable', `the webhook ${id} was lost.`, {
      code: 'webhook_lost',
      why: reason === 'webhook_gone' ? 'It was deleted.' : 'It was disabled.',
      hint: 'To have it restored, leave out --exit-on-disconnect.',
    });
  }

  /** @param secret when it is a new one */
  #back(message: string, secret?: string): void {
    const back = {type: 'reconnected', message, public_url: this.#url, webhook_id: this.#id ?? null} as const;
    this.#options.report({...back, ...(secret !== undefined && {secret})});
  }

  /** Retries for half a minute: what broke the tunnel may have broken the way to the service too. */
  async #insist(failing: string, call: () => Promise<void>): Promise<void> {
    const {signal, sleep, report} = this.#options;
    for (let pause = 1000; ; pause *= 2) {
      try {
        return await call();
      } catch (error) {
        const passes = error instanceof CentavoError && PASSING.has(error.kind);
        if (!passes || pause > LONGEST_PAUSE || signal.aborted) throw error;
        report({type: 'notice', message: `${failing}: ${whatAndWhy(error)}`});
        await sleep(pause, signal).catch((thrown: unknown) => {
          throw signal.aborted ? error : thrown;
        });
      }
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    // The caller gets the error; the next change has its turn either way.
    this.#turn = done.catch(() => {});
    return done;
  }

  /**
   * Removes the webhook, if there is one. When that fails, it is reported, and the next run removes it.
   * @returns whether the webhook is left
   */
  async end(): Promise<boolean> {
    try {
      await this.#remove();
      return false;
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      const {report} = this.#options;
      const which = this.#id === undefined ? 'the webhook' : `the webhook ${this.#id}`;
      report({
        type: 'notice',
        message: `${which} could not be removed; the next run will remove it: ${whatAndWhy(error)}`,
      });
      return true;
    }
  }

  async #remove(): Promise<void> {
    const {registrar, leases} = this.#options;
    if (this.#lease === undefined) return;
    for (const id of this.#id ? [this.#id] : await registrar.find(descriptionOf(this.#lease)))
      await registrar.remove(id);
    leases.remove(this.#lease);
    this.#lease = this.#id = undefined;
  }
}
