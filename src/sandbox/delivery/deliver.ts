// Leases an event from the outbox, sends it to a webhook and records the attempt.
// Sends only to this machine. Otherwise anyone who can call the API could probe the network with a webhook.

import {isIP} from 'node:net';
import {isLoopbackAddress} from '../../http/addresses.js';
import {isAccepted, type WebhookSender} from '../../http/webhook-sender.js';
import {backoffDelay, type RetrySchedule} from '../../http/retry.js';
import {SIGNATURE_HEADER, signPayload} from '../../webhooks/signature/signature.js';
import {MAX_LOGGED_BODY} from '../requests/request-log.js';
import {deliveredEvent} from '../serialize.js';
import type {StoredRecord} from '../store.js';
import type {Transaction} from '../transaction.js';
import {type StoredResponse, storedResponseOf, type DeliveryAttempt, type AttemptOutcome} from './attempts.js';
import type {QueuedDelivery} from './outbox.js';

/** Seconds of the sandbox's clock. Retries end at the delivery's `give_up`. */
const RETRIES: RetrySchedule = {first: 10, maxDelay: Infinity};

export interface LeasedDelivery {
  readonly queued: QueuedDelivery;
  readonly type: string;
  readonly url: string;
  readonly secret: string;
  readonly body: Uint8Array;
}

export function takeNext(tx: Transaction, uptime: number): LeasedDelivery | undefined {
  const queued = tx.store.outbox.next(tx.now, uptime);
  return queued && takeDelivery(tx, queued, uptime);
}

export function takeDelivery(tx: Transaction, queued: QueuedDelivery, uptime: number): LeasedDelivery {
  const event = tx.store.find('event', queued.event)!.record;
  const webhook = tx.store.find('webhook', queued.webhook)!.record;
  return {
    queued: tx.store.outbox.lease(queued, uptime),
    type: event.type as string,
    url: webhook.url as string,
    secret: webhook.secret_key as string,
    body: Buffer.from(JSON.stringify(deliveredEvent(event, tx))),
  };
}

export interface SendResult {
  readonly status: number | null;
  readonly error: string | null;
  readonly refused: boolean;
  readonly milliseconds: number;
  readonly answer?: StoredResponse;
}

/** Host names reserved for examples and tests, which the sandbox never resolves. */
export const EXAMPLE_HOSTS = /(^|\.)(example|invalid|example\.(com|net|org))\.?$/;

const notSent = (error: string, refused: boolean): SendResult => ({status: null, error, refused, milliseconds: 0});

const notLoopback = (hostname: string): SendResult =>
  notSent(
    `${hostname} is not a loopback address. The sandbox sends events only to this machine, so nothing was sent`,
    true,
  );

/** Takes events over HTTP, or in this process. */
export interface EventReceiver extends Pick<WebhookSender, 'post'> {
  /** True for an app in this process: its address is only a name. */
  readonly isInProcess?: true;
}

export async function send(
  leased: LeasedDelivery,
  {receiver, signedAt, signal}: {receiver: EventReceiver; signedAt: number; signal?: AbortSignal},
): Promise<SendResult> {
  const target = new URL(leased.url);
  return (receiver.isInProcess ? undefined : notAllowed(target)) ?? post(leased, target, receiver, signedAt, signal);
}

/** The result for an address to which nothing is sent. */
function notAllowed({hostname}: URL): SendResult | undefined {
  if (EXAMPLE_HOSTS.test(hostname)) return notSent(`${hostname} is reserved for examples, so nothing is sent`, false);
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) !== 0 && !isLoopbackAddress(address) ? notLoopback(hostname) : undefined;
}

async function post(
  {secret, body}: LeasedDelivery,
  target: URL,
  receiver: EventReceiver,
  timestamp: number,
  signal: AbortSignal | undefined,
): Promise<SendResult> {
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'centavo-sandbox/1',
    [SIGNATURE_HEADER]: signPayload({body, secret, timestamp, mode: 'test'}),
  };
  const {code, milliseconds, ...answer} = await receiver.post({url: target, headers, body, signal});
  if (code === 'EUNSAFE') return notLoopback(target.hostname);
  const {status = null} = answer;
  const {bodyText} = await import('../../http/body-text.js');
  const kept = answer.body && bodyText(answer.headers ?? {}, answer.body, MAX_LOGGED_BODY);
  const {errorExcerpt} = await import('../../http/error-excerpt.js');
  const error = answer.error ?? ((!isAccepted(status) && kept && errorExcerpt(kept.text)) || null);
  const stored = storedResponseOf(headers[SIGNATURE_HEADER]!, answer.headers, kept);
  return {status, error, refused: false, milliseconds, answer: stored};
}

export function recordAttempt(tx: Transaction, leased: LeasedDelivery, sent: SendResult): DeliveryAttempt {
  const {store} = tx;
  const queued = store.outbox.findLeased(leased.queued);
  const event = store.find('event', leased.queued.event)?.record;
  const delivered = isAccepted(sent.status);
  const nextAt = queued && !delivered && !sent.refused ? retryTime(tx.now, queued) : null;
  if (queued && event) {
    store.outbox.releaseOvertaken(queued);
    if (delivered && queued.fault === 'duplicate-webhook') store.outbox.repeat(queued);
    else if (nextAt === null) store.outbox.remove(queued);
    else store.outbox.postpone(queued, nextAt);
    updatePending(tx, event);
  }
  const attempt: DeliveryAttempt = {
    event_id: leased.queued.event,
    event_type: leased.type,
    webhook_id: leased.queued.webhook,
    url: leased.url,
    attempt: leased.queued.attempts,
    at: tx.now,
    status: sent.status,
    error: sent.error,
    duration_ms: sent.milliseconds,
    outcome: attemptOutcomeOf(sent, queued, nextAt),
    next_at: nextAt,
  };
  // A reset may have deleted the event.
  if (event) store.attempts.add(attempt, sent.answer);
  return attempt;
}

function attemptOutcomeOf(
  {status, refused}: SendResult,
  queued: QueuedDelivery | undefined,
  nextAt: number | null,
): AttemptOutcome {
  if (refused) return 'refused';
  if (isAccepted(status)) return 'delivered';
  if (!queued) return 'dropped';
  return nextAt === null ? 'given_up' : 'retrying';
}

function retryTime(now: number, {attempts, extra, give_up: giveUp}: QueuedDelivery): number | null {
  const at = now + backoffDelay(attempts, RETRIES);
  return extra || at > giveUp ? null : at;
}

/** Deletes a webhook's queued deliveries, so that re-enabling the webhook sends no old events. */
export function dropDeliveries(tx: Transaction, webhook: string, when: (type: string) => boolean = () => true): void {
  for (const queued of tx.store.outbox.ofWebhook(webhook)) {
    const event = tx.store.find('event', queued.event)!.record;
    if (!when(event.type as string)) continue;
    tx.store.outbox.remove(queued);
    tx.store.attempts.drop(event.id, webhook);
    updatePending(tx, event);
  }
}

function updatePending(tx: Transaction, event: StoredRecord): void {
  const queued = tx.store.outbox.ofEvent(event.id).filter(({extra}) => !extra).length;
  if (queued !== event.pending_webhooks) tx.change(event, {pending_webhooks: queued});
}
