// Lists, shows and resends the sandbox's events. The API has no endpoint for them.

import type {EventEnvelope} from '../../api/events.js';
import type {ListEnvelope} from '../../api/wire.js';
import {CentavoError, type NextCommand, nextCommand} from '../../common/errors.js';
import {explainListenerCode} from '../../http/listener-codes.js';
import type {SqliteValue} from '../../storage/sqlite.js';
import {serialize} from '../serialize.js';
import type {StoredRecord} from '../store.js';
import type {Transaction} from '../transaction.js';
import type {ListenerRecord} from '../../webhooks/store/listener-record.js';
import {attemptOutcome, eventOutcomes, type WebhookOutcome} from '../requests/timeline.js';
import type {DeliveryAttempt} from './attempts.js';
import {send, recordAttempt, takeDelivery, type LeasedDelivery} from './deliver.js';
import {listensTo, subscribersTo} from './subscribers.js';
import {LEASE_SECONDS} from './outbox.js';
import {posterOf, type DeliveryContext} from './worker.js';

export interface EventQuery {
  readonly limit: number;
  readonly type?: string;
  /** Only events of these objects. */
  readonly objects?: readonly string[];
  /** Only events after the event with this id. */
  readonly after?: string;
  readonly isOldestFirst?: boolean;
}

/** Fields of an event that deliveries do not contain. */
export interface EventOrigin {
  /** A request id, `page`, `studio`, `control`, `command`, or `timer:` and the kind of timer. */
  readonly cause: string;
  readonly webhooks: number;
}

const envelopeOf = (tx: Transaction, event: StoredRecord): EventEnvelope =>
  serialize(event, tx) as unknown as EventEnvelope;
const originOf = ({_cause: cause, _webhooks: webhooks}: StoredRecord) => ({cause, webhooks}) as EventOrigin;

export type ReportedEvent = EventEnvelope & EventOrigin;

/** Newest first, unless the oldest are asked for. @throws CentavoError for an unknown id in `after` */
export function listEvents(tx: Transaction, query: EventQuery): ListEnvelope<ReportedEvent> {
  const {limit, type, objects, after, isOldestFirst = false} = query;
  const conditions: [string, ...SqliteValue[]][] = [["resource = 'event'"]];
  if (type !== undefined) conditions.push(["json_extract(body, '$.type') = ?", type]);
  if (objects) conditions.push([`parent IN (${objects.map(() => '?').join()})`, ...objects]);
  if (after !== undefined) conditions.push(['seq > ?', tx.store.sequenceOf('event', eventOf(tx, after).id)!]);
  const where = conditions.map(([sql]) => sql).join(' AND ');
  const sql = `SELECT body FROM objects WHERE ${where} ORDER BY seq ${isOldestFirst ? 'ASC' : 'DESC'} LIMIT ?`;
  const values = conditions.flatMap(([, ...given]) => given);
  const rows = tx.store.database.all<{body: string}>(sql, ...values, limit + 1);
  return {
    resource: 'list',
    has_more: rows.length > limit,
    data: rows.slice(0, limit).map(({body}) => {
      const event = JSON.parse(body) as StoredRecord;
      return {...envelopeOf(tx, event), ...originOf(event)};
    }),
  };
}

const shownOutcome = ({webhook_id, app, outcome, attempts, status, error}: WebhookOutcome) => ({
  webhook_id,
  target: app?.target ?? null,
  outcome,
  attempts,
  status,
  error,
});

export const withOutcomes = (tx: Transaction, page: ListEnvelope<ReportedEvent>, listeners?: ListenerRecord) => ({
  ...page,
  data: page.data.map((event) => ({...event, outcomes: eventOutcomes(tx, event.id, listeners).map(shownOutcome)})),
});

/** Returns an event with its outcomes, attempts and pending deliveries. */
export function getEvent(tx: Transaction, id: string, listeners?: ListenerRecord) {
  const outcomes = eventOutcomes(tx, id, listeners);
  const event = eventOf(tx, id);
  return {
    event: envelopeOf(tx, event),
    ...originOf(event),
    outcomes: outcomes.map(shownOutcome),
    pending: tx.store.outbox
      .ofEvent(id)
      .map(({webhook, attempts, due}) => ({webhook_id: webhook, attempts, next_at: due})),
    attempts: tx.store.attempts
      .ofEvent(id)
      .map((attempt) => ({...attempt, outcome: attemptOutcome(attempt, outcomes)})),
  };
}

function eventOf(tx: Transaction, id: string): StoredRecord {
  const found = tx.store.find('event', id);
  if (found) return found.record;
  throw new CentavoError('not_found', `event ${id} was not found in the sandbox.`, {
    next: [nextCommand('To list events', 'sandbox events list')],
    applied: 'no',
  });
}

export interface ResendOptions {
  readonly webhook?: string;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  /** Called with an explanation if a listener answered in place of its app. */
  readonly onListenerCode?: (words: string) => void;
}

/** Sends an event now, even if already delivered, to one webhook or to all subscribers of its type. */
export async function resendEvent(
  {perform, receivers, signedAt, uptime}: DeliveryContext,
  id: string,
  {webhook, signal, timeout, onListenerCode}: ResendOptions = {},
): Promise<DeliveryAttempt[]> {
  const leases = perform((tx) =>
    targetsOf(tx, eventOf(tx, id), webhook).map((target) => takeNow(tx, id, target.id, uptime())),
  );
  const poster = posterOf(timeout);
  return Promise.all(
    leases.map(async (leased) => {
      const receiver = receivers.get(leased.queued.webhook) ?? poster;
      const sent = await send(leased, {receiver, signedAt: signedAt(), signal});
      const text = explainListenerCode(sent.answer?.body, leased.url, id);
      if (text !== undefined) onListenerCode?.(text);
      return perform((tx) => recordAttempt(tx, leased, sent));
    }),
  );
}

const rejectedEvent = (message: string, why: string, next: NextCommand, retryable?: boolean): CentavoError =>
  new CentavoError('rejected', message, {why, next: [next], retryable, applied: 'no'});

function targetsOf(tx: Transaction, event: StoredRecord, webhookId: string | undefined): StoredRecord[] {
  const type = event.type as string;
  if (webhookId === undefined) {
    const webhooks = subscribersTo(tx.store, type);
    if (webhooks.length > 0) return webhooks;
    throw rejectedEvent(
      `${event.id} has no webhook to send to.`,
      `No enabled webhook subscribes to ${type}.`,
      nextCommand('To create one', 'webhooks create --url http://127.0.0.1:3000/hook --events', type),
    );
  }
  const webhook = tx.peek(webhookId);
  if (webhook?.resource !== 'webhook')
    throw new CentavoError('not_found', `webhook ${webhookId} was not found in the sandbox.`, {applied: 'no'});
  if (listensTo(webhook, type)) return [webhook];
  const message = `${event.id} cannot be sent to ${webhookId}.`;
  if (webhook.status !== 'enabled')
    throw rejectedEvent(message, 'The webhook is disabled.', nextCommand('To enable it', 'webhooks enable', webhookId));
  const events = [...(webhook.events as string[]), type].join(',');
  const add = nextCommand('To add the event', 'webhooks update', webhookId, '--events', events);
  throw rejectedEvent(message, `The webhook does not subscribe to ${type}.`, add);
}

/** Leases the queued delivery, or a new delivery for this attempt only. */
function takeNow(tx: Transaction, event: string, webhook: string, uptime: number): LeasedDelivery {
  const {outbox, attempts} = tx.store;
  const queued = outbox.find(event, webhook);
  if (queued && queued.leased_until >= uptime && queued.leased_until <= uptime + LEASE_SECONDS)
    throw rejectedEvent(
      `${event} is already being sent to ${webhook}.`,
      'Another process is sending it.',
      nextCommand('To see the result', 'sandbox events get', event),
      true,
    );
  if (!queued) {
    const earlier = attempts.ofEvent(event).filter(({webhook_id: other}) => other === webhook);
    const count = Math.max(0, ...earlier.map(({attempt}) => attempt));
    outbox.add({event, webhook, due: tx.now, give_up: tx.now, attempts: count, extra: 1});
  }
  return takeDelivery(tx, outbox.find(event, webhook)!, uptime);
}
