// The sandbox for commands, which pay as the customer, trigger events, seed and serve.

import type {ApiRequest} from '../api/wire.js';
import {CentavoError} from '../common/errors.js';
import {loopbackLookup} from '../http/addresses.js';
import {canConnect} from '../http/webhook-sender.js';
import {addWebhook} from './actions/webhooks.js';
import type {EventQuery} from './delivery/event-reports.js';
import type {LogQuery} from './requests/request-log-queries.js';
import {serialize} from './serialize.js';
import {openSandbox, type SandboxOptions} from './sandbox.js';
import type {SandboxServer, ServeOptions} from './serve/sandbox-server.js';

export interface ServedOptions extends Omit<ServeOptions, 'faults'> {
  readonly faults?: string;
  /** Called once for each webhook whose URL is not on this machine. */
  readonly onRefused?: (message: string) => void;
}

export type EmbeddedSandbox = ReturnType<typeof createEmbeddedSandbox>;

/** @param listenerRecord the record of this machine's listeners; undefined if none has run */
export function createEmbeddedSandbox({
  listenerRecord,
  ...options
}: SandboxOptions & Pick<ServeOptions, 'listenerRecord'>) {
  const sandbox = openSandbox(options);
  /** If false, a command does not load what failures need. */
  const isAimed = () => sandbox.requests.database.get('SELECT 1 FROM failures LIMIT 1') !== undefined;
  return {
    ...sandbox,
    /**
     * Returns a function that answers requests of a command, with the response or why there is none. Its signal ends a
     * simulated delay. @param interrupt refuses later requests
     */
    answering: (interrupt: AbortSignal) => async (request: ApiRequest, signal?: AbortSignal) => {
      // The sandbox never waits, so without this pause no signal would be handled between two requests.
      await new Promise((resolve) => setImmediate(resolve));
      // Cleanup after an interrupt passes no signal, and must continue.
      if (!signal?.aborted || !interrupt.aborted)
        return isAimed()
          ? (await import('./exchange.js')).answerOwn(sandbox, request, signal)
          : sandbox.handle(request);
      const {method, path} = request;
      throw new CentavoError('interrupted', 'the request was interrupted.', {
        applied: 'no',
        request: {method, path},
      });
    },
    /** Returns the aimed failures; undefined if there are none. */
    aimedFailures: async () =>
      isAimed() ? new (await import('./control/failures.js')).AimedFailures(sandbox) : undefined,
    snapshots: async () => (await import('./snapshots.js')).snapshotFiles(sandbox),
    object: (id: string) => sandbox.perform((tx) => serialize(tx.peek(id)!, tx)),
    /** The control verbs: pay, trigger and others. */
    control: async () => (await import('./control/control.js')).controlOf(sandbox),
    /** Returns a sample event from a temporary sandbox. */
    sampleEvent: async (type: string) => {
      const {trigger} = await import('./sample-events.js');
      const temporary = openSandbox({now: options.now, random: options.random});
      try {
        return temporary.perform((tx) => trigger(tx, type));
      } finally {
        temporary.close();
      }
    },
    /** Returns the number of new objects by resource; undefined if already seeded. */
    seed: async () => {
      const {seed} = await import('./seed/seed-account.js');
      return sandbox.perform(seed);
    },
    /** Takes over the webhook of this address, if a loaded snapshot brought it back: two would send each event twice. */
    addWebhook: (fields: {url: string; description: string; events: string[]}, secret: string) =>
      sandbox.perform((tx) => {
        const [same] = tx.store.list('webhook', {limit: 1, where: ({url}) => url === fields.url}).data;
        if (same) tx.change(same, {...fields, secret_key: secret, status: 'enabled'});
        return {id: (same ?? addWebhook(tx, fields, secret)).id, secret_key: secret};
      }),
    retryingEvents: (webhook: string) =>
      sandbox.read(({store}) =>
        store.outbox
          .ofWebhook(webhook)
          .filter(({attempts, extra}) => attempts > 0 && extra === 0)
          .map(({event}) => event),
      ),
    retryNow: (webhook: string) => sandbox.perform(({store, now}) => store.outbox.makeDue(webhook, now)),
    listEvents: async (query: EventQuery) => {
      const {listEvents, withOutcomes} = await import('./delivery/event-reports.js');
      const listeners = await listenerRecord?.();
      return sandbox.perform((tx) => withOutcomes(tx, listEvents(tx, query), listeners));
    },
    getEvent: async (id: string) => {
      const {getEvent} = await import('./delivery/event-reports.js');
      const listeners = await listenerRecord?.();
      return sandbox.perform((tx) => getEvent(tx, id, listeners));
    },
    /** Reads the request log: a list, or one request with the events that it caused. */
    requestLog: async () => {
      const {eventsCausedBy, findRequest, listRequests} = await import('./requests/request-log-queries.js');
      return {
        list: (query: LogQuery) => listRequests(sandbox.requests, query),
        find: (id: string) => {
          const request = findRequest(sandbox.requests, id);
          return request && {...request, events: sandbox.perform((tx) => eventsCausedBy(tx, request.id!))};
        },
      };
    },
    /** Statements, sessions and intents with this reference or metadata value, newest first. */
    payablesNamed: async (reference: string) => {
      const {payablesNamed} = await import('./requests/timeline.js');
      return sandbox.perform((tx) => payablesNamed(tx, reference));
    },
    /** Returns ids that start so, of objects, events and requests, and what they are. */
    idsFrom: async (start: string, limit: number) => {
      const {idsFrom} = await import('./requests/timeline.js');
      return sandbox.perform((tx) => idsFrom(tx, start, limit));
    },
    timeline: async (reference: string) => {
      const {timelineOf} = await import('./requests/timeline.js');
      const listeners = await listenerRecord?.();
      return sandbox.perform((tx) => timelineOf(tx, reference, listeners));
    },
    /** `enabled` or `disabled`; undefined if not found. */
    webhookStatus: (id: string) => sandbox.perform((tx) => tx.peek(id)?.status as string | undefined),
    servedStudio: async () => {
      for (const url of sandbox.studioUrls()) if (await canConnect(new URL(url), loopbackLookup)) return url;
      return undefined;
    },
    serve: async ({faults: text, seed = 1, onRefused, ...options}: ServedOptions): Promise<SandboxServer> => {
      const {parseFaults} = await import('./serve/parse-fault-flags.js');
      const faults = text === undefined ? undefined : parseFaults(text);
      const {serveSandbox} = await import('./serve/sandbox-server.js');
      const {controlOf} = await import('./control/control.js');
      const server = await serveSandbox(controlOf(sandbox), {...options, listenerRecord, faults, seed});
      if (faults) {
        const {webhookFaultSequence} = await import('./serve/fault-injection.js');
        sandbox.setWebhookFaults(webhookFaultSequence(faults, seed));
      }
      const delivery = sandbox.startDelivery({onRefused});
      const close = async (): Promise<void> => {
        await Promise.all([server.close(), delivery.stop()]);
      };
      return {...server, close};
    },
  };
}
