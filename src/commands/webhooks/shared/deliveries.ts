// Shared by commands on stored deliveries: ids, filters, and the printed record.

import {startOfPeriod} from '../../../cli/lists/list-filters.js';
import * as schema from '../../../cli/schema.js';
import {wholeId} from '../../../cli/references/local-ids.js';
import {sandboxName} from '../../../config/resolve.js';
import type {Context} from '../../../context/context.js';
import {CentavoError, nextCommand, usageError} from '../../../common/errors.js';
import {valueOrThrow} from '../../../input/invalid-input.js';
import {quote} from '../../../input/money.js';
import {readWholeNumber} from '../../../input/quantities.js';
import type {Delivery} from '../../../webhooks/receive/delivery.js';
import type {DeliveryQuery, DeliveryStore} from '../../../webhooks/store/deliveries.js';
import type {DeliveryOutcome} from '../../../webhooks/store/listener-record.js';
import {attemptJson, deliveryJson} from './delivery-lines.js';

/** `delivered`, or several different ones. */
export const outcomesText = (outcomes: readonly {readonly outcome: string}[]): string =>
  [...new Set(outcomes.map(({outcome}) => outcome))].join(', ');

export function deliveryObject(delivery: Delivery, {attempts, waiting, apps}: DeliveryOutcome) {
  const last = attempts.at(-1);
  return {
    ...deliveryJson(delivery),
    received_at: Math.floor(delivery.receivedAt / 1000),
    object_id: delivery.event.objectId ?? null,
    profile: delivery.profile,
    webhook: delivery.webhook ?? null,
    outcome: outcomesText(apps),
    forwarded: last ? String(last.status ?? last.error ?? 'no response') : null,
    attempts: attempts.map((attempt) => ({...attemptJson(attempt), started_at: Math.floor(attempt.startedAt / 1000)})),
    held_by: waiting?.heldBy?.deliveryId ?? null,
    next_attempt_at: waiting?.nextAttemptAt ? Math.floor(waiting.nextAttemptAt / 1000) : null,
  };
}

export const response = schema.record({
  headers: schema.list(schema.list(schema.text)),
  body: schema.text,
  cut: schema.boolean,
});
/** Fields of a forwarding attempt, in live records and in lists. */
export const attemptFields = {
  target: schema.text,
  attempt: schema.integer,
  status: schema.nullable(schema.integer),
  error: schema.nullable(schema.text),
  duration_ms: schema.integer,
  replay: schema.boolean,
  response: schema.nullable(response),
  likely_cause: schema.nullable(schema.text),
};
/** Fields of a delivery, in live records and in lists. */
export const deliveryFields = {
  event_id: schema.nullable(schema.text),
  event_type: schema.nullable(schema.titled('event', schema.text)),
  verdict: schema.text,
  duplicate_of: schema.nullable(schema.text),
  path: schema.text,
  headers: schema.list(schema.list(schema.text)),
  body_base64: schema.text,
};

export const DELIVERY = schema.record({
  id: schema.text,
  ...deliveryFields,
  received_at: schema.titled('received', schema.timestamp),
  object_id: schema.nullable(schema.titled('object', schema.text)),
  profile: schema.text,
  webhook: schema.nullable(schema.text),
  outcome: schema.text,
  forwarded: schema.nullable(schema.text),
  attempts: schema.list(schema.record({...attemptFields, started_at: schema.integer})),
  held_by: schema.nullable(schema.text),
  next_attempt_at: schema.nullable(schema.titled('next attempt', schema.timestamp)),
});
const COLUMNS = ['id', 'event_type', 'forwarded', 'received_at', 'object_id', 'webhook'];
const REST = 'outcome event_id verdict profile duplicate_of attempts held_by next_attempt_at headers'.split(' ');
export const deliveryColumns = {columns: COLUMNS, all: [...COLUMNS, ...REST]};

interface QueryFlags extends Pick<DeliveryQuery, 'before' | 'failed' | 'type'> {
  readonly limit: string;
  readonly since?: string;
}

export const deliveryQuery = (
  {limit, before, type, failed, since}: QueryFlags,
  {now, project}: Context,
): DeliveryQuery => ({
  sandbox: sandboxName(project()),
  limit: valueOrThrow(readWholeNumber(limit, {from: 1}), '--limit'),
  before,
  type,
  failed: failed || undefined,
  since: since === undefined ? undefined : startOfPeriod(since, '--since', now()) * 1000,
});

export const LIST_DELIVERIES = nextCommand('To list deliveries', 'webhooks deliveries list');

/** @param text id of a delivery or of its event, which may be cut */
export async function findDelivery(context: Context, text: string | undefined): Promise<Delivery> {
  const store = await context.deliveries();
  const id = text && (await wholeId(context, text, [store]));
  if (!id || !/^(?:dlv|evt)_\w+$/.test(id)) {
    throw usageError(
      'invalid_id',
      id ? `${quote(id)} is not the id of a delivery or an event.` : 'the id of a delivery is missing.',
      {next: [LIST_DELIVERIES]},
    );
  }
  const isEvent = id.startsWith('evt_');
  const delivery = isEvent ? store.findByEvent(id) : store.get(id);
  if (delivery) return delivery;
  const isSandbox = isEvent && (await context.connection()).mode === 'sandbox';
  const isSent = isSandbox && (await (await context.sandbox()).idsFrom(id, 1)).length > 0;
  throw new CentavoError('not_found', `${isEvent ? 'no delivery of event' : 'no delivery'} ${id} was found.`, {
    next: [...(isSent ? [nextCommand('To send it again', 'sandbox events resend', id)] : []), LIST_DELIVERIES],
  });
}

/** Returns the previous event about the same object, from any webhook. Ids sort by time. */
export const previousDelivery = (store: DeliveryStore, {id, event}: Delivery): Delivery | undefined =>
  event.objectId === undefined
    ? undefined
    : store.findByObjects([event.objectId]).findLast((earlier) => earlier.id < id && earlier.event.id !== event.id);
