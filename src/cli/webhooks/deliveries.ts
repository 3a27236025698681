// What the commands on stored deliveries share: ids, filters, and how a delivery looks.

import type {Context} from '../../context.js';
import {CentavoError, usageError} from '../../errors.js';
import {parseDate} from '../../input/dates.js';
import {quote} from '../../input/money.js';
import {parseWholeNumber} from '../../input/numbers.js';
import type {Column} from '../../output/render.js';
import type {Delivery, ForwardAttempt} from '../../webhooks/receive/delivery.js';
import type {DeliveryQuery, DeliveryStore} from '../../webhooks/store/deliveries.js';

export const DELIVERY_COLUMNS: readonly Column[] = [
  {path: 'id', header: 'id', kind: 'text'},
  {path: 'event_type', header: 'event', kind: 'text'},
  {path: 'forwarded', header: 'forwarded', kind: 'text'},
  {path: 'received_at', header: 'received', kind: 'timestamp'},
  {path: 'object_id', header: 'object', kind: 'text'},
  {path: 'webhook', header: 'webhook', kind: 'text'},
];

export const ALL_DELIVERY_COLUMNS: readonly Column[] = [
  ...DELIVERY_COLUMNS,
  {path: 'event_id', header: 'event id', kind: 'text'},
  {path: 'verdict', header: 'verdict', kind: 'text'},
  {path: 'profile', header: 'profile', kind: 'text'},
  {path: 'duplicate_of', header: 'duplicate of', kind: 'text'},
  {path: 'attempts', header: 'attempts', kind: 'object'},
  {path: 'headers', header: 'headers', kind: 'object'},
  {path: 'body', header: 'body', kind: 'text'},
];

/** A delivery as JSON shows it, with its body in base64. */
export function deliveryObject(delivery: Delivery, attempts: readonly ForwardAttempt[]) {
  const {id, receivedAt, event, verdict, profile, webhook, duplicateOf, path, headers, body} = delivery;
  const last = attempts.at(-1);
  return {
    id,
    received_at: Math.floor(receivedAt / 1000),
    event_id: event.id ?? null,
    event_type: event.type ?? null,
    object_id: event.objectId ?? null,
    verdict: verdict.genuine ? 'genuine' : verdict.reason,
    profile,
    webhook: webhook ?? null,
    duplicate_of: duplicateOf ?? null,
    forwarded: last ? String(last.status ?? last.error ?? 'no answer') : null,
    attempts: attempts.map(({target, attempt, status, error, startedAt, durationMs, replay}) => ({
      target,
      attempt,
      status: status ?? null,
      error: error ?? null,
      started_at: Math.floor(startedAt / 1000),
      duration_ms: Math.round(durationMs),
      replay: replay ?? false,
    })),
    path,
    headers,
    body_base64: Buffer.from(body).toString('base64'),
  };
}

/** The flags that choose deliveries. */
interface QueryFlags {
  readonly limit: string;
  readonly before?: string;
  readonly type?: string;
  readonly failed?: boolean;
  readonly since?: string;
}

/** @throws CentavoError kind `usage` */
export const deliveryQuery = ({limit, before, type, failed, since}: QueryFlags, {now}: Context): DeliveryQuery => ({
  limit: parseWholeNumber(limit, '--limit', {from: 1}),
  before,
  type,
  failed: failed || undefined,
  since: since === undefined ? undefined : parseDate(since, '--since', now()) * 1000,
});

/** @throws CentavoError kind `usage` for text that is not an id, `not_found` when there is no such delivery */
export function findDelivery(store: DeliveryStore, text: string | undefined): Delivery {
  const id = text?.trim();
  if (!id || !/^dlv_[A-Za-z0-9]+$/.test(id)) {
    throw usageError(id ? `${quote(id)} is not the id of a delivery.` : 'the id of a delivery is missing.', {
      code: 'invalid_id',
      hint: 'Deliveries are listed by: centavo webhooks deliveries list',
    });
  }
  const delivery = store.get(id);
  if (delivery) return delivery;
  throw new CentavoError('not_found', `there is no delivery ${id}.`, {
    hint: 'To see the stored deliveries: centavo webhooks deliveries list',
  });
}

/** How many earlier deliveries are searched. */
const SEARCHED = 200;

/** The previous event about the same object, by whichever webhook it came. */
export function previousDelivery(store: DeliveryStore, {id, event}: Delivery): Delivery | undefined {
  if (event.objectId === undefined) return undefined;
  return store
    .list({limit: SEARCHED, before: id})
    .find((earlier) => earlier.event.objectId === event.objectId && earlier.event.id !== event.id);
}
