// The sandbox with what its owner can do besides calling the API: play the customer, cause events, fill it, serve it.

import {CentavoError} from '../errors.js';
import {getEvent, listEvents, type EventPage, type EventQuery, type EventReport} from './delivery/events.js';
import {pay, type PayOptions, type PayResult} from './paying/payer.js';
import {TEST_CARDS, type TestCard} from './paying/instruments.js';
import {Problem} from './problems.js';
import {createSandbox, type Sandbox, type SandboxOptions} from './sandbox.js';
import {seed, type SeedCounts} from './seed/seed.js';
import {FAULTS, parseFaults} from './serve/faults.js';
import {serveSandbox, type SandboxServer, type ServeOptions} from './serve/http.js';
import type {Stored} from './store.js';
import {trigger, type TriggerOptions} from './trigger.js';

export interface EmbeddedSandbox extends Sandbox {
  /** Plays the customer. @throws CentavoError */
  readonly pay: (id: string, options: PayOptions) => PayResult;
  /** Does what causes an event. @returns the event @throws CentavoError */
  readonly trigger: (type: string, options: TriggerOptions) => Stored;
  /** A sample event of this kind, from a temporary sandbox. @throws CentavoError kind `usage` */
  readonly sampleEvent: (type: string) => Stored;
  /** Fills it with a believable merchant. */
  readonly seed: () => SeedCounts;
  readonly cards: readonly TestCard[];
  readonly faults: typeof FAULTS;
  readonly listEvents: (query: EventQuery) => EventPage;
  /** `enabled` or `disabled`; undefined when there is no webhook of this id. */
  readonly webhookStatus: (id: string) => string | undefined;
  /** @throws CentavoError kind `not_found` */
  readonly getEvent: (id: string) => EventReport;
  /**
   * Serves it on a port, and delivers events until it is closed.
   * @param faults as `--faults` writes them
   * @param onRefused told once of each webhook that must not be sent to
   * @throws CentavoError kind `usage`
   */
  readonly serve: (options: ServedOptions) => Promise<SandboxServer>;
}

export interface ServedOptions extends Pick<ServeOptions, 'onFault' | 'port' | 'seed'> {
  readonly faults?: string;
  readonly onRefused?: (message: string) => void;
}

export function createEmbeddedSandbox(options: SandboxOptions): EmbeddedSandbox {
  const sandbox = createSandbox(options);
  return {
    ...sandbox,
    pay: (id, payOptions) => sandbox.perform((tx) => pay(tx, id, payOptions)),
    trigger: (type, triggerOptions) => sandbox.perform((tx) => asAsked(() => trigger(tx, type, triggerOptions))),
    sampleEvent: (type) => {
      const other = createSandbox({now: options.now, random: options.random});
      try {
        return other.perform((tx) => trigger(tx, type));
      } finally {
        other.close();
      }
    },
    seed: () => sandbox.perform(seed),
    cards: TEST_CARDS,
    faults: FAULTS,
    listEvents: (query) => sandbox.perform((tx) => listEvents(tx, query)),
    webhookStatus: (id) => sandbox.perform((tx) => tx.peek(id)?.status as string | undefined),
    getEvent: (id) => sandbox.perform((tx) => getEvent(tx, id)),
    serve: async ({port, faults: text, seed: faultSeed, onFault, onRefused}) => {
      const faults = text === undefined ? undefined : parseFaults(text);
      const server = await serveSandbox(sandbox, {port, faults, seed: faultSeed, onFault});
      if (faults) sandbox.setWebhookFaults(faults, faultSeed);
      const delivery = sandbox.startDelivery({onRefused});
      const close = async (): Promise<void> => {
        await Promise.all([server.close(), delivery.stop()]);
      };
      return {...server, close};
    },
  };
}

/** Turns a refusal of the API into an error with its words. */
function asAsked<T>(tx: () => T): T {
  try {
    return tx();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const kind = error.status === 404 ? 'not_found' : 'rejected';
    throw new CentavoError(kind, error.message, {code: error.errors[0]?.code, apiErrors: error.errors, applied: 'no'});
  }
}
