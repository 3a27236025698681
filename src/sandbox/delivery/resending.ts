// Sending an event by hand: now, whether or not it was delivered before.

import {CentavoError} from '../../errors.js';
import type {Attempt} from './attempt-log.js';
import {Courier} from './courier.js';
import type {DeliveryOptions, Depot} from './delivery.js';
import {jobOf, settle, type Job} from './dispatch.js';
import {eventOf} from './event-log.js';
import {listensTo, subscribersTo} from './fan-out.js';
import type {Stored} from '../store.js';
import type {Work} from '../work.js';

export interface ResendOptions extends DeliveryOptions {
  /** Only to this one. */
  readonly webhook?: string;
}

/**
 * Sends an event now, whether or not it was delivered before, to one webhook or to all that listen to its kind.
 * @returns what came of each attempt
 * @throws CentavoError kind `not_found`, or `rejected` when there is no one to send it to
 */
export async function resendEvent(
  {perform, outside, isOpen}: Depot,
  id: string,
  {webhook, signal, onAttempt, timeout}: ResendOptions = {},
): Promise<Attempt[]> {
  const jobs = perform((work) =>
    targetsOf(work, eventOf(work, id), webhook).map((target) => jobFor(work, id, target, outside())),
  );
  const courier = new Courier({perform, outside, isOpen, timeout});
  const stop = (): void => void courier.close(0);
  signal?.addEventListener('abort', stop, {once: true});
  const attempts = await Promise.all(
    jobs.map(async (job) => {
      const posted = await courier.attempt(job);
      const {attempt} = perform((work) => settle(work, job, posted, outside()));
      onAttempt?.(attempt);
      return attempt;
    }),
  );
  signal?.removeEventListener('abort', stop);
  return attempts;
}

const rejected = (message: string, why: string, hint?: string, retryable?: boolean): CentavoError =>
  new CentavoError('rejected', message, {why, hint, retryable, applied: 'no'});

function targetsOf(work: Work, event: Stored, webhookId: string | undefined): Stored[] {
  const type = event.type as string;
  if (webhookId === undefined) {
    const webhooks = subscribersTo(work.store, type);
    if (webhooks.length > 0) return webhooks;
    throw rejected(
      `${event.id} has no one to be sent to.`,
      `No enabled webhook listens to ${type}.`,
      `Make one: centavo webhooks create --url http://127.0.0.1:3000/hook --events ${type}`,
    );
  }
  const webhook = work.peek(webhookId);
  if (webhook?.resource !== 'webhook')
    throw new CentavoError('not_found', `there is no webhook ${webhookId} in the sandbox.`, {applied: 'no'});
  if (listensTo(webhook, type)) return [webhook];
  const disabled = webhook.status !== 'enabled';
  throw rejected(
    `${event.id} cannot be sent to ${webhookId}.`,
    disabled ? 'The webhook is disabled.' : `The webhook does not listen to ${type}.`,
    disabled
      ? `Enable it: centavo webhooks enable ${webhookId}`
      : `Let it: centavo webhooks update ${webhookId} --events ${[...(webhook.events as string[]), type].join(',')}`,
  );
}

/** The delivery that is pending, taken now; else one for this attempt only. */
function jobFor(work: Work, event: string, {id: webhook}: Stored, outside: number): Job {
  const {outbox, attempts} = work.store;
  const pending = outbox.find(event, webhook);
  if (pending && pending.leased_until > outside)
    throw rejected(
      `${event} is being sent to ${webhook} at this moment.`,
      'Another process does it.',
      `See what comes of it: centavo sandbox events get ${event}`,
      true,
    );
  if (!pending) {
    const before = attempts.ofEvent(event).filter(({webhook_id: other}) => other === webhook);
    const last = Math.max(0, ...before.map(({attempt}) => attempt));
    outbox.add({event, webhook, due: work.now, give_up: work.now, attempts: last, extra: 1});
  }
  return jobOf(work, outbox.lease(outbox.find(event, webhook)!, outside))!;
}
