// One delivery, from the outbox to what came of it: takes the next one that is due, and settles an attempt. Each is one transaction's work.

import {signPayload, SIGNATURE_HEADER} from '../../webhooks/signature/signature.js';
import type {Attempt, AttemptOutcome} from './attempt-log.js';
import {recount} from './fan-out.js';
import type {WebhookFault} from '../serve/faults.js';
import type {Pending} from './outbox.js';
import type {Posted} from './post.js';
import {present} from '../present.js';
import type {Work} from '../work.js';

/** The first retry comes after this many seconds of the sandbox's clock; each later one takes twice as long. */
export const FIRST_RETRY = 10;
/** Seconds by which a late event is late, and for which one waits for another to overtake it. */
const LATENESS = 30;
const OVERTAKING = 5;

/** How many leases are taken at once: a transaction on a disk takes longer than many a receiver. */
const LEASES_AT_ONCE = 25;

/** An attempt to be made. */
export interface Job {
  readonly pending: Pending;
  readonly type: string;
  readonly url: string;
  readonly secret: string;
  readonly body: Uint8Array;
}

export interface Surroundings {
  /** Unix seconds of the world outside. */
  readonly outside: () => number;
  readonly nextFault?: () => WebhookFault | undefined;
}

/** Takes the leases of what is due next to one webhook, in order; none when nothing is, or others are sending it. */
export function takeNext(work: Work, {outside, nextFault}: Surroundings): Pending[] {
  const {outbox} = work.store;
  for (;;) {
    const first = outbox.next(work.now, outside());
    if (!first) return [];
    if (!nextFault)
      return outbox.due(first.webhook, work.now, LEASES_AT_ONCE).map((one) => outbox.lease(one, outside()));
    if (first.attempts > 0 || first.fault) return [outbox.lease(first, outside())];
    const fault = nextFault() ?? 'none';
    const delay = {'late-webhook': LATENESS, 'out-of-order-webhook': OVERTAKING}[fault as string] ?? 0;
    outbox.decide(first, fault, first.due + delay);
  }
}

/** What a lease is for; undefined when the delivery was dropped meanwhile. */
export function jobOf(work: Work, pending: Pending): Job | undefined {
  const event = work.store.find('event', pending.event)?.record;
  const webhook = work.store.find('webhook', pending.webhook)?.record;
  if (!event || !webhook || !work.store.outbox.held(pending)) return undefined;
  return {
    pending,
    type: event.type as string,
    url: webhook.url as string,
    secret: webhook.secret_key as string,
    body: Buffer.from(JSON.stringify(present(event, work))),
  };
}

/** @param outside unix seconds of the world outside: receivers hold the signature's time against their own clock */
export function headersOf({body, secret}: Job, outside: number): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'centavo-sandbox/1',
    [SIGNATURE_HEADER]: signPayload({body, secret, timestamp: outside, mode: 'test'}),
  };
}

const isDelivered = ({status}: Posted): boolean => status !== null && status >= 200 && status < 300;

/** Writes down what came of an attempt, and decides what is next: also the lease of another one, when it is to be sent twice. */
export function settle(work: Work, job: Job, posted: Posted, outside: number): {attempt: Attempt; again?: Pending} {
  const {store} = work;
  const pending = store.outbox.held(job.pending);
  const event = store.find('event', job.pending.event)?.record;
  const delivered = isDelivered(posted);
  const twice = pending !== undefined && delivered && pending.fault === 'duplicate-webhook';
  const nextAt = pending && !delivered && !posted.refused ? retryTime(work.now, pending) : null;

  if (pending && event) {
    store.outbox.releaseOvertaken(pending);
    if (twice) store.outbox.markExtra(pending);
    else if (nextAt === null) store.outbox.remove(pending);
    else store.outbox.postpone(pending, nextAt);
    recount(work, event);
  }
  const attempt = attemptOf(job, posted, work.now, nextAt, outcomeOf(posted, pending, nextAt));
  // A reset forgets the event while it is being sent.
  if (event) store.attempts.add(attempt);
  return {attempt, ...(twice && {again: store.outbox.lease(pending, outside)})};
}

function outcomeOf(posted: Posted, pending: Pending | undefined, nextAt: number | null): AttemptOutcome {
  if (posted.refused) return 'refused';
  if (isDelivered(posted)) return 'delivered';
  if (!pending) return 'dropped';
  return nextAt === null ? 'given_up' : 'retrying';
}

/** When it is tried again; null when it is not. */
function retryTime(now: number, {attempts, extra, give_up: giveUp}: Pending): number | null {
  const at = now + FIRST_RETRY * 2 ** Math.min(attempts - 1, 30);
  return extra || at > giveUp ? null : at;
}

function attemptOf(
  {pending, type, url}: Job,
  {status, error, milliseconds}: Posted,
  at: number,
  nextAt: number | null,
  outcome: AttemptOutcome,
): Attempt {
  return {
    event_id: pending.event,
    event_type: type,
    webhook_id: pending.webhook,
    url,
    attempt: pending.attempts,
    at,
    status,
    error,
    duration_ms: milliseconds,
    outcome,
    next_at: nextAt,
  };
}
