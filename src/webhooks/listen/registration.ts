// The webhook that a listener registers: made under a lease, looked at while it listens, mended when somebody takes it away, removed at the end.

import {CentavoError, whatAndWhy} from '../../errors.js';
import type {IsAlive, ProcessIdentity} from '../../programs/identity.js';
import type {Leases} from './leases.js';
import type {ListenRecord} from './records.js';

/** What registers webhooks with the service. */
export interface Registrar {
  /** @param description names the lease, so that a webhook is found again whose id was never learnt */
  readonly register: (url: string, description: string) => Promise<{readonly id: string; readonly secret: string}>;
  readonly update: (id: string, url: string) => Promise<void>;
  readonly enable: (id: string) => Promise<void>;
  /** What is not there any more is no error. */
  readonly remove: (id: string) => Promise<void>;
  /** Ids of the webhooks with exactly this description. */
  readonly find: (description: string) => Promise<readonly string[]>;
  /** Whether events are sent to it; `gone` when there is none of this id. */
  readonly look: (id: string) => Promise<'disabled' | 'enabled' | 'gone'>;
  /** Milliseconds between two looks. */
  readonly interval: number;
}

export interface RegistrationOptions {
  readonly registrar: Registrar;
  readonly leases: Leases;
  readonly owner: ProcessIdentity;
  /** Tells accounts apart: a webhook is removed with the key that made it. */
  readonly account: string;
  readonly exitOnDisconnect: boolean;
  readonly report: (record: ListenRecord) => void;
  /** Told of each webhook, before anything is said of it: from now on its secret signs. */
  readonly onRegistered: (webhook: {readonly id: string; readonly secret: string}) => void;
  /** Letters and digits that cannot be guessed. */
  readonly token: (length: number) => string;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  /** Ends it: no more is mended. */
  readonly signal: AbortSignal;
}

/** Failures after which the same call may succeed. */
const PASSING = new Set(['outcome_unknown', 'rate_limited', 'unavailable']);
/** Between two calls, in milliseconds. */
const LONGEST_PAUSE = 16_000;
const LEASE_LENGTH = 24;

/** The description of a webhook: what its lease can be found by. */
const descriptionOf = (leaseId: string): string => `centavo webhooks listen ${leaseId}`;

const isKind = (error: unknown, kind: string): error is CentavoError =>
  error instanceof CentavoError && error.kind === kind;

/** Removes the webhooks of processes that ended without doing so, by their own ids. */
export async function removeDeadLeases(
  leases: Leases,
  registrar: Registrar,
  {account, isAlive, report}: Pick<RegistrationOptions, 'account' | 'report'> & {readonly isAlive: IsAlive},
): Promise<void> {
  for (const lease of leases.dead(account, isAlive)) {
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
  /** True while it cannot be seen whether the webhook is there: that is said once. */
  #blind = false;
  /** One at a time: a tunnel may get another URL while the webhook is being mended. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  /** @throws CentavoError when the service refuses it */
  async begin(url: string): Promise<void> {
    this.#url = url;
    await this.#register();
  }

  /** The lease is on the disk before the webhook is made: whatever happens then, it can be found. */
  async #register(): Promise<void> {
    const {registrar, leases, owner, account, onRegistered, token} = this.#options;
    this.#lease = token(LEASE_LENGTH);
    leases.add({id: this.#lease, profile: account, url: this.#url, ...owner});
    const webhook = await registrar.register(this.#url, descriptionOf(this.#lease));
    leases.confirm(this.#lease, webhook.id);
    this.#id = webhook.id;
    this.#secret = webhook.secret;
    onRegistered(webhook);
  }

  /** Has events sent to another URL. @throws CentavoError when that cannot be brought about for half a minute */
  move(url: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#url = url;
      const id = this.#id!;
      try {
        await this.#insist(`the webhook ${id} does not have its new URL yet`, () =>
          this.#options.registrar.update(id, url),
        );
      } catch (error) {
        if (!isKind(error, 'not_found')) throw error;
        await this.#replace(id);
      }
    });
  }

  /**
   * Looks at the webhook now and then, and mends it when it was taken away. Resolves when the signal has aborted.
   * @throws CentavoError when it cannot be mended, or with `exitOnDisconnect` (code `webhook_lost`) is not to be
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
        // What was being mended when it was told to end is removed with the rest.
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

  /** Undefined when it cannot be seen now. */
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

  /** It has the same secret as before, so that the app need not be told. */
  async #enable(id: string): Promise<void> {
    const {registrar} = this.#options;
    this.#lost(id, 'webhook_disabled', `the webhook ${id} was disabled, so no events arrive; enabling it again`);
    try {
      await this.#insist(`the webhook ${id} is not enabled yet`, () => registrar.enable(id));
    } catch (error) {
      if (!isKind(error, 'not_found')) throw error;
      return this.#replace(id);
    }
    this.#back(`enabled again, with the same secret; events in between were not sent: ${id}`);
  }

  async #replace(id: string): Promise<void> {
    this.#lost(id, 'webhook_gone', `the webhook ${id} was deleted, so no events arrive; registering another`);
    await this.#insist('the new webhook is not registered yet', async () => {
      // Also one that an earlier try has made without our learning of it.
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

  /** @param secret when it is another one than before */
  #back(message: string, secret?: string): void {
    const back = {type: 'reconnected', message, public_url: this.#url, webhook_id: this.#id ?? null} as const;
    this.#options.report({...back, ...(secret !== undefined && {secret})});
  }

  /** What took the tunnel away may have taken the way to the service with it: it is tried for half a minute. */
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
    // Whoever asked for it is told when it fails; the next one has its turn either way.
    this.#turn = done.catch(() => {});
    return done;
  }

  /**
   * Takes the webhook away, if there is one; what cannot be removed now is left to the next run, and said.
   * @returns whether it is left
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
