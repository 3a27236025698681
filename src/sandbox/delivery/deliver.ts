// Delivers an event to a webhook: leased from the outbox, sent to an address of this machine, and recorded.
// Anyone who reaches the API can register a webhook, and could reach into a network if events were sent elsewhere.

import {isIP} from 'node:net';
import {isLoopbackAddress} from '../../http/addresses.js';
import {type Exchange, isAccepted, type Poster} from '../../http/post.js';
import {backoffDelay, type RetrySchedule} from '../../http/retry.js';
import {SIGNATURE_HEADER, signPayload} from '../../webhooks/signature/signature.js';
import {present} from '../present.js';
import type {Stored} from '../store.js';
import type {Transaction} from '../transaction.js';
import {type Answer, answerOf, type Attempt, type AttemptOutcome} from './attempts.js';
import type {QueuedDelivery} from './outbox.js';

/** In seconds of the sandbox's clock. Retries end at the delivery's `give_up`. */
const RETRIES: RetrySchedule = {first: 10, longest: Infinity};

export interface LeasedDelivery {
  readonly queued: QueuedDelivery;
  readonly type: string;
  readonly url: string;
  readonly secret: string;
  readonly body: Uint8Array;
}

export function takeNext(tx: Transaction, realNow: number): LeasedDelivery | undefined {
  const queued = tx.store.outbox.next(tx.now, realNow);
  return queued && take(tx, queued, realNow);
}

export function take(tx: Transaction, queued: QueuedDelivery, realNow: number): LeasedDelivery {
  const event = tx.store.find('event', queued.event)!.record;
  const webhook = tx.store.find('webhook', queued.webhook)!.record;
  return {
    queued: tx.store.outbox.lease(queued, realNow),
    type: event.type as string,
    url: webhook.url as string,
    secret: webhook.secret_key as string,
    body: Buffer.from(JSON.stringify(present(event, tx))),
  };
}

export interface Sent {
  readonly status: number | null;
  readonly error: string | null;
  readonly refused: boolean;
  readonly milliseconds: number;
  /** When something was sent. */
  readonly answer?: Answer;
}

/** Names reserved for examples and tests, which are not looked up. */
export const PLACEHOLDER = /(^|\.)(example|invalid|example\.(com|net|org))\.?$/;

const unsent = (error: string, refused: boolean): Sent => ({status: null, error, refused, milliseconds: 0});

const notLoopback = (hostname: string): Sent =>
  unsent(
    `${hostname} is not a loopback address. The sandbox sends events only to this machine, so nothing was sent`,
    true,
  );

export async function send(
  {url, secret, body}: LeasedDelivery,
  {poster, realNow, signal}: {poster: Poster; realNow: number; signal?: AbortSignal},
): Promise<Sent> {
  const target = new URL(url);
  const {hostname} = target;
  if (PLACEHOLDER.test(hostname)) return unsent(`${hostname} is reserved for examples, so nothing is sent`, false);
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0 && !isLoopbackAddress(address)) return notLoopback(hostname);
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'centavo-sandbox/1',
    [SIGNATURE_HEADER]: signPayload({body, secret, timestamp: realNow, mode: 'test'}),
  };
  const {code, milliseconds, ...answer} = await poster.post({url: target, headers, body, signal});
  if (code === 'EUNSAFE') return notLoopback(hostname);
  const {status = null} = answer;
  const error = answer.error ?? (isAccepted(status) ? null : await firstWordsOf(answer));
  return {status, error, refused: false, milliseconds, answer: answerOf(headers[SIGNATURE_HEADER]!, answer)};
}

async function firstWordsOf({headers = {}, body = Buffer.of()}: Pick<Exchange, 'body' | 'headers'>) {
  const {firstWords} = await import('../../http/first-words.js');
  return firstWords(Object.entries(headers), body.toString()) ?? null;
}

export function recordAttempt(tx: Transaction, leased: LeasedDelivery, sent: Sent): Attempt {
  const {store} = tx;
  const queued = store.outbox.held(leased.queued);
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
  const attempt: Attempt = {
    event_id: leased.queued.event,
    event_type: leased.type,
    webhook_id: leased.queued.webhook,
    url: leased.url,
    attempt: leased.queued.attempts,
    at: tx.now,
    status: sent.status,
    error: sent.error,
    duration_ms: sent.milliseconds,
    outcome: outcomeOf(sent, queued, nextAt),
    next_at: nextAt,
  };
  // A reset may have deleted the event meanwhile.
  if (event) store.attempts.add(attempt, sent.answer);
  return attempt;
}

function outcomeOf({status, refused}: Sent, queued: QueuedDelivery | undefined, nextAt: number | null): AttemptOutcome {
  if (refused) return 'refused';
  if (isAccepted(status)) return 'delivered';
  if (!queued) return 'dropped';
  return nextAt === null ? 'given_up' : 'retrying';
}

function retryTime(now: number, {attempts, extra, give_up: giveUp}: QueuedDelivery): number | null {
  const at = now + backoffDelay(attempts, RETRIES);
  return extra || at > giveUp ? null : at;
}

/** Deletes what is queued for a webhook, so that nothing is sent when it is enabled again. */
export function dropDeliveries(tx: Transaction, webhook: string, when: (type: string) => boolean = () => true): void {
  for (const queued of tx.store.outbox.ofWebhook(webhook)) {
    const event = tx.store.find('event', queued.event)!.record;
    if (!when(event.type as string)) continue;
    tx.store.outbox.remove(queued);
    tx.store.attempts.drop(event.id, webhook);
    updatePending(tx, event);
  }
}

function updatePending(tx: Transaction, event: Stored): void {
  const queued = tx.store.outbox.ofEvent(event.id).filter(({extra}) => !extra).length;
  if (queued !== event.pending_webhooks) tx.change(event, {pending_webhooks: queued});
}
