// What happened to an object and to those that belong to it, in order: requests, failed payments, events, and what became of
// each event at each webhook. Times are unix seconds of the sandbox's clock.

import type {AttemptOutcome} from '../delivery/attempts.js';
import {present, type Wire} from '../present.js';
import type {Reading, Stored} from '../store.js';
import {findRequest, listRequests} from './read-log.js';
import type {LogEntry} from './request-log.js';

/** What became of an event at one webhook: its last attempt. */
export interface WebhookOutcome {
  readonly webhook_id: string;
  readonly url: string | null;
  /** `waiting`: it was not sent yet. */
  readonly outcome: AttemptOutcome | 'waiting';
  readonly attempts: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly next_at: number | null;
}

export interface EventStep {
  readonly type: 'event';
  readonly at: number;
  readonly id: string;
  readonly name: string;
  readonly object_id: string;
  /** The id of a request, `page`, `command`, or `timer:` with its kind; null for events of centavo 0.6.0 and before. */
  readonly cause: string | null;
  /** How many webhooks asked for it. */
  readonly asked: number | null;
  readonly webhooks: readonly WebhookOutcome[];
}

export interface Timeline {
  readonly object: Wire;
  /** The event that was meant, if one was. */
  readonly event?: string;
  /** Ids of the object and of those that belong to it. */
  readonly ids: readonly string[];
  /** Oldest first. Reads that succeeded are left out. */
  readonly steps: readonly (EventStep | LogEntry)[];
  /** How many others have this value in their metadata, all of them older. */
  readonly others: number;
  /** All that there are now. */
  readonly webhooks: readonly Wire[];
}

/** More than the log holds, and more webhooks than anyone has. */
const EVERYTHING = 10_000;

/** @param meant an id of an object, an event or a request, or a value of the metadata of a session or an intent */
export function timelineOf(tx: Reading, meant: string): Timeline | undefined {
  const {store} = tx;
  const event = store.find('event', meant)?.record;
  const request = meant.startsWith('req_') ? findRequest(store.requests, meant) : undefined;
  const id = event ? (event.data as {id?: string}).id : (request?.object_id ?? meant);
  const [start, ...others] = [tx.peek(id) ?? named(tx, meant)].flat();
  if (request && !ORDER.includes(String(start?.resource)))
    return {object: {id: request.id}, ids: [], others: 0, steps: [request], webhooks: []};
  if (!start) return undefined;
  const ids = relatedTo(tx, start);
  const entries = listRequests(store.requests, {limit: EVERYTHING, objects: ids})
    .data.filter(({method, status}) => method !== 'GET' || (status ?? 500) >= 400)
    .reverse();
  const events = ids
    .flatMap((id) => store.children(id, 'event'))
    .map((each) => [store.sequenceOf('event', each.id)!, each] as const)
    .sort(([one], [other]) => one - other)
    .map(([, each]) => stepOf(tx, each));
  // What a request caused stands behind it.
  const rows = [
    ...entries.map((step, order) => ({at: step.at, order, step})),
    ...events.map((step) => {
      const order = entries.findIndex(({id}) => id !== null && id === step.cause);
      return {at: entries[order]?.at ?? step.at, order: order < 0 ? entries.length : order, step};
    }),
  ];
  return {
    object: present(start, tx),
    ...(event && {event: event.id}),
    ids,
    steps: rows.sort((one, other) => one.at - other.at || one.order - other.order).map(({step}) => step),
    others: others.length,
    webhooks: store.list('webhook', {limit: EVERYTHING}).data.map((each) => present(each, tx)),
  };
}

/** Newest first; a session has the metadata of its intent. */
function named(tx: Reading, meant: string): readonly Stored[] {
  const where = ({metadata}: Stored): boolean => Object.values((metadata as object | null) ?? {}).includes(meant);
  const list = (resource: string): readonly Stored[] => tx.store.list(resource, {limit: EVERYTHING, where}).data;
  const sessions = list('checkout_session');
  return sessions.length > 0 ? sessions : list('payment_intent');
}

/** What is paid, and what belongs to it. */
const ORDER: readonly string[] = ['billing_statement', 'checkout_session', 'payment_intent', 'payment', 'refund'];

const LINKS = ['_source_id', '_payment_intent_id', 'payment_intent_id', '_payment_id', 'payment_id'];

/** The statement or session first, then its intent, its payment and the refunds. */
function relatedTo(tx: Reading, start: Stored): string[] {
  const found = new Map<string, Stored>();
  const add = (record: Stored | undefined): void => {
    if (!record || found.has(record.id)) return;
    found.set(record.id, record);
    for (const link of LINKS) add(tx.peek(record[link] as string | null));
    if (record.resource !== 'payment') return;
    const where = ({payment_id: id}: Stored): boolean => id === record.id;
    for (const refund of tx.store.list('refund', {limit: EVERYTHING, where}).data) add(refund);
  };
  add(start);
  const rank = ({resource}: Stored): number => ORDER.indexOf(resource);
  return [...found.values()].sort((one, other) => rank(one) - rank(other)).map(({id}) => id);
}

function stepOf({store}: Reading, {id, created_at: at, ...event}: Stored): EventStep {
  const attempts = store.attempts.ofEvent(id);
  const pending = store.outbox.ofEvent(id);
  const webhooks = new Set([...attempts.map((each) => each.webhook_id), ...pending.map(({webhook}) => webhook)]);
  return {
    type: 'event',
    at,
    id,
    name: event.type as string,
    object_id: (event.data as {id: string}).id,
    cause: (event._cause as string | undefined) ?? null,
    asked: (event._webhooks as number | undefined) ?? null,
    webhooks: [...webhooks].map((webhook) => {
      const last = attempts.findLast((each) => each.webhook_id === webhook);
      const next = pending.find((each) => each.webhook === webhook);
      const isDropped = last?.outcome === 'retrying' && !next;
      return {
        webhook_id: webhook,
        url: last?.url ?? null,
        outcome: isDropped ? 'dropped' : (last?.outcome ?? 'waiting'),
        attempts: last?.attempt ?? 0,
        status: last?.status ?? null,
        error: last?.error ?? null,
        next_at: next?.due ?? null,
      };
    }),
  };
}
