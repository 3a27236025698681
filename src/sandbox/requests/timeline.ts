// The timeline of an object and its related objects: requests, failed payments, events and their deliveries.
// Times are unix seconds of the sandbox's clock.

import {listenerCodeIn} from '../../http/listener-codes.js';
import type {AppOutcome, ListenerRecord} from '../../webhooks/store/listener-record.js';
import type {DeliveryAttempt, AttemptOutcome} from '../delivery/attempts.js';
import {serialize, type Wire} from '../serialize.js';
import type {StoreReader, StoredRecord} from '../store.js';
import {findRequest, listRequests} from './request-log-queries.js';
import {KEPT_REQUESTS, type LogEntry} from './request-log.js';

/** Outcome of an event at one webhook, or at the app behind the webhook's listener, from the last attempt. */
export interface WebhookOutcome extends Pick<DeliveryAttempt, 'error' | 'next_at' | 'status' | 'webhook_id'> {
  readonly url: string | null;
  /** `waiting`: not sent yet. */
  readonly outcome: AppOutcome['outcome'] | AttemptOutcome;
  readonly attempts: number;
  readonly allSame: boolean;
  readonly duration_ms: number | null;
  /** Set if a listener of this machine received the event: its record then counts. */
  readonly app?: AppOutcome;
}

export interface EventStep {
  readonly type: 'event';
  readonly at: number;
  readonly id: string;
  readonly name: string;
  readonly object_id: string;
  /** A request id, `page`, `studio`, `control`, `command`, or `timer:` and the kind of timer. */
  readonly cause: string;
  readonly subscribers: number;
  readonly webhooks: readonly WebhookOutcome[];
}

export interface ObjectTimeline {
  readonly object: Wire;
  /** The statement, session or intent that the object belongs to. */
  readonly payable: Wire;
  readonly event?: string;
  readonly ids: readonly string[];
  /** Oldest first, without successful reads. */
  readonly steps: readonly (EventStep | LogEntry)[];
  readonly webhooks: readonly Wire[];
}

/** No limit in practice: the log is smaller. */
const ALL_STEPS = 10_000;

/** @param reference id of an object, event or request */
export function timelineOf(tx: StoreReader, reference: string, listeners?: ListenerRecord): ObjectTimeline | undefined {
  const {store} = tx;
  const event = store.find('event', reference)?.record;
  const request = reference.startsWith('req_') ? findRequest(store.requests, reference) : undefined;
  const id = event ? (event.data as {id?: string}).id : (request?.object_id ?? reference);
  const start = tx.peek(id);
  if (request && !ORDER.includes(String(start?.resource)))
    return {object: {id: request.id}, payable: {id: request.id}, ids: [], steps: [request], webhooks: []};
  if (!start) return undefined;
  const ids = relatedIds(tx, start);
  const entries = listRequests(store.requests, {limit: ALL_STEPS, objects: ids, changes: true}).data.reverse();
  const events = ids
    .flatMap((id) => store.children(id, 'event'))
    .map((record) => [store.sequenceOf('event', record.id)!, record] as const)
    .sort(([a], [b]) => a - b)
    .map(([, record]) => timelineStepOf(tx, record, listeners));
  return {
    object: serialize(start, tx),
    payable: serialize(tx.peek(ids[0]) ?? start, tx),
    ...(event && {event: event.id}),
    ids,
    steps: inOrder(entries, events),
    webhooks: store.list('webhook', {limit: ALL_STEPS}).data.map((webhook) => serialize(webhook, tx)),
  };
}

export function recentSteps(tx: StoreReader, limit: number, listeners?: ListenerRecord): ObjectTimeline['steps'] {
  const {store} = tx;
  const entries = listRequests(store.requests, {limit, changes: true}).data.reverse();
  const events = store.list('event', {limit}).data.reverse();
  const steps = events.map((event) => timelineStepOf(tx, event, listeners));
  return inOrder(entries, steps).slice(-limit);
}

/** Puts events after the request that caused them. Within a second, the events' order decides. @param events in order */
function inOrder(entries: readonly LogEntry[], events: readonly EventStep[]): ObjectTimeline['steps'] {
  const positions = new Map<string, number>();
  events.forEach(({cause}, index) => positions.set(cause, positions.get(cause) ?? index));
  let position = -1;
  const logged = entries.map((step, order) => {
    position = step.id === null ? position : (positions.get(step.id) ?? position);
    return {at: step.at, place: position, order, step};
  });
  const known = new Map(logged.map((row) => [row.step.id, row]));
  const rows = [
    ...logged,
    ...events.map((step, place) => {
      const from = known.get(step.cause);
      return from ? {...from, step} : {at: step.at, place, order: entries.length, step};
    }),
  ];
  const sorted = rows.sort((a, b) => a.at - b.at || a.place - b.place || a.order - b.order);
  return sorted.map(({step}) => step);
}

/**
 * Returns what has this reference or metadata value, newest first. A statement with this number outweighs references.
 * Omits the intents of statements and sessions.
 */
export function payablesNamed(tx: StoreReader, reference: string): readonly Wire[] {
  const wanted = reference.toLowerCase();
  const isWanted = (value: unknown): boolean => typeof value === 'string' && value.toLowerCase() === wanted;
  const isNumbered = ({billing_statement_number: number}: StoredRecord): boolean => isWanted(number);
  const where = (record: StoredRecord): boolean =>
    !record._source_id &&
    (isNumbered(record) ||
      isWanted(record.customer_reference_id) ||
      // An email address names a customer, and centavo's own keys name no order.
      (!wanted.includes('@') &&
        Object.entries(record.metadata ?? {}).some(([key, value]) => !key.startsWith('centavo_') && isWanted(value))));
  const found = ['checkout_session', 'billing_statement', 'payment_intent'].flatMap(
    (resource) => tx.store.list(resource, {limit: ALL_STEPS, where}).data,
  );
  const numbered = found.filter(isNumbered);
  return (numbered.length > 0 ? numbered : found.sort((one, other) => other.created_at - one.created_at)).map(
    (record) => serialize(record, tx),
  );
}

/** Returns ids that start so, the shortest first: the type of an event, the method and path of a request, or the resource. */
export const idsFrom = ({store}: StoreReader, start: string, limit: number): {id: string; what: string}[] => {
  const sql = `SELECT id, CASE resource WHEN 'event' THEN body ->> '$.type' ELSE replace(resource, '_', ' ') END AS what
    FROM objects WHERE id GLOB ?1 AND deleted = 0
    UNION ALL SELECT id, (entry ->> '$.method') || ' ' || (entry ->> '$.path') FROM ${KEPT_REQUESTS} WHERE id GLOB ?1
    ORDER BY id LIMIT ?2`;
  return store.database.all<{id: string; what: string}>(sql, `${start}*`, limit);
};

const ORDER: readonly string[] = ['billing_statement', 'checkout_session', 'payment_intent', 'payment', 'refund'];

const LINKS = ['_source_id', '_payment_intent_id', 'payment_intent_id', '_payment_id', 'payment_id'];

/** Returns the ids of the statement or session, its intent, its payment and the refunds. */
export function relatedIds(tx: StoreReader, start: StoredRecord): string[] {
  const found = new Map<string, StoredRecord>();
  const add = (record: StoredRecord | undefined): void => {
    if (!record || found.has(record.id)) return;
    found.set(record.id, record);
    for (const link of LINKS) add(tx.peek(record[link] as string | null));
    if (record.resource !== 'payment') return;
    const where = ({payment_id: payment}: StoredRecord): boolean => payment === record.id;
    for (const refund of tx.store.list('refund', {limit: ALL_STEPS, where}).data.reverse()) add(refund);
  };
  add(start);
  const rank = ({resource}: StoredRecord): number => ORDER.indexOf(resource);
  return [...found.values()].sort((a, b) => rank(a) - rank(b)).map(({id}) => id);
}

export const timelineStepOf = (
  tx: StoreReader,
  {id, created_at: at, ...event}: StoredRecord,
  listeners?: ListenerRecord,
): EventStep => ({
  type: 'event',
  at,
  id,
  name: event.type as string,
  object_id: (event.data as {id: string}).id,
  cause: event._cause as string,
  subscribers: event._webhooks as number,
  webhooks: eventOutcomes(tx, id, listeners),
});

/** Returns the last answer to attempts, and whether all answers were the same. */
function lastAnswer(attempts: readonly {status?: number | null; error?: string | null; excerpt?: string}[]) {
  const {status = null, error, excerpt = null} = attempts.at(-1) ?? {};
  const allSame = attempts.every((each) => each.error === error && (each.status ?? null) === status);
  return {status, error: error ?? excerpt, allSame};
}

/** Returns the outcome of an event at each webhook or app. Commands and the studio show no other. */
export function eventOutcomes({store, now}: StoreReader, event: string, listeners?: ListenerRecord): WebhookOutcome[] {
  const attempts = store.attempts.ofEvent(event);
  const pending = store.outbox.ofEvent(event);
  const apps = new Set(listeners?.ofEvent(event));
  const atApp = (own: WebhookOutcome, app: AppOutcome): WebhookOutcome => {
    apps.delete(app);
    const next = app.waiting?.nextAttemptAt;
    // A listener that gives up leaves the event to its sender.
    const isSentAgain = app.outcome === 'given_up' && own.next_at !== null;
    return {
      ...own,
      ...lastAnswer(app.attempts),
      app,
      outcome: isSentAgain ? 'retrying' : app.outcome,
      attempts: app.attempts.length,
      duration_ms: Math.round(app.attempts.at(-1)?.durationMs ?? 0),
      // The listener plans by this machine's clock.
      next_at:
        next === undefined
          ? isSentAgain
            ? own.next_at
            : null
          : now + Math.max(0, Math.ceil((next - listeners!.nowMilliseconds()) / 1000)),
    };
  };
  const ownOutcome = (webhook: string): WebhookOutcome => {
    const made = attempts.filter((attempt) => attempt.webhook_id === webhook);
    const last = made.at(-1);
    return {
      ...lastAnswer(made),
      webhook_id: webhook,
      url: last?.url ?? null,
      outcome: last?.outcome ?? 'waiting',
      attempts: last?.attempt ?? 0,
      duration_ms: last?.duration_ms ?? null,
      next_at: pending.find((delivery) => delivery.webhook === webhook)?.due ?? null,
    };
  };
  const webhooks = new Set([...attempts.map((attempt) => attempt.webhook_id), ...pending.map(({webhook}) => webhook)]);
  const known = [...webhooks].flatMap((webhook) => {
    const secret = store.find('webhook', webhook)?.record.secret_key as string | undefined;
    const names = [webhook, secret && listeners?.nameOfSecret(secret)];
    const behind = [...apps].filter(({delivery}) => names.includes(delivery.webhook));
    const own = ownOutcome(webhook);
    return behind.length === 0 ? [own] : behind.map((app) => atApp(own, app));
  });
  // A listener with a given secret may belong to no webhook.
  return [...known, ...[...apps].map((app) => atApp(ownOutcome(app.delivery.webhook ?? ''), app))];
}

/** Returns the outcome of an attempt. A listener that has the event keeps it for its app: `stored`. */
export function attemptOutcome(attempt: DeliveryAttempt, outcomes: readonly WebhookOutcome[]) {
  const apps = outcomes.flatMap(({webhook_id: webhook, app}) => (app && webhook === attempt.webhook_id ? [app] : []));
  if (apps.length === 0 || attempt.outcome === 'delivered') return attempt.outcome;
  if (attempt.status === null) return 'failed';
  // The listener answers in its own words, or with the app's status. Any other status is its refusal.
  const isStored =
    listenerCodeIn(attempt.error) !== undefined ||
    apps.some(({attempts}) => attempts.some(({status}) => status === attempt.status));
  return isStored ? 'stored' : attempt.outcome;
}
