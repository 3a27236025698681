// Retry rules: whether another attempt may be made, and after which delay. Callers do the waiting.

import type {WebhookAttempt} from './webhook-sender.js';

/** `sent`: true if any byte of the request was sent. */
export type CallAttempt =
  | {readonly kind: 'answered'; readonly status: number; readonly retryAfterSeconds?: number}
  | {readonly kind: 'failed'; readonly sent: boolean; readonly permanent?: boolean};

export interface RetryPolicy {
  /** Maximum number of attempts. A 429 is retried beyond this number, until the call's deadline. */
  readonly attempts: number;
  /** Maximum milliseconds before the second attempt; doubles for each further attempt. */
  readonly baseDelay: number;
  readonly maximumDelay: number;
}

export const DEFAULT_RETRY: RetryPolicy = {attempts: 3, baseDelay: 500, maximumDelay: 8000};

export interface RetrySchedule {
  /** Delay before the second attempt; doubles for each further attempt. */
  readonly first: number;
  readonly maxDelay: number;
}

const RETRYABLE_READS = new Set([408, 425, 429]);

/** True for a write only after a 429 or if no byte was sent: the API has no idempotency keys. */
const mayRetry = (write: boolean, attempt: CallAttempt): boolean => {
  if (attempt.kind === 'failed') return !attempt.permanent && (!write || !attempt.sent);
  if (write) return attempt.status === 429;
  return RETRYABLE_READS.has(attempt.status) || attempt.status >= 500;
};

/**
 * Returns the milliseconds before the next attempt of a call, with jitter; undefined if no attempt may follow.
 * @param count number of attempts made
 */
export function delayBeforeRetry(
  policy: RetryPolicy,
  write: boolean,
  count: number,
  attempt: CallAttempt,
  random: number,
): number | undefined {
  const limited = attempt.kind === 'answered' && attempt.status === 429;
  if ((count >= policy.attempts && !limited) || !mayRetry(write, attempt)) return undefined;
  const retryAfter = attempt.kind === 'answered' ? attempt.retryAfterSeconds : undefined;
  // After a 429, `Retry-After: 0` must not cause an immediate retry.
  if (retryAfter !== undefined && (retryAfter > 0 || !limited)) return retryAfter * 1000;
  const bound = backoffDelay(count, {first: policy.baseDelay, maxDelay: policy.maximumDelay});
  return limited ? bound * (0.5 + random / 2) : bound * random;
}

/** Returns the delay in the schedule's unit. @param attempt number of the last attempt, from 1 */
export const backoffDelay = (attempt: number, {first, maxDelay}: RetrySchedule): number =>
  Math.min(maxDelay, first * 2 ** Math.min(attempt - 1, 30));

/**
 * Returns the milliseconds before a webhook is resent. Half of the delay is random, so that senders do not collide.
 * The receiver's `Retry-After` is the minimum, up to the maximum delay.
 */
export function webhookRetryDelay(
  attempt: number,
  {headers}: WebhookAttempt,
  schedule: RetrySchedule,
  random: () => number,
): number {
  const asked = Number(headers?.['retry-after'] ?? 0) * 1000;
  return Math.max(
    backoffDelay(attempt, schedule) * (0.5 + random() / 2),
    Math.min(schedule.maxDelay, Number.isFinite(asked) ? asked : 0),
  );
}

/** True if sending a webhook again may succeed: the receiver was not reached, failed, or asked to wait. */
export const isRetryable = ({ending, status = 0}: WebhookAttempt): boolean =>
  ending !== 'answered' || status >= 500 || status === 408 || status === 429;

/** Returns seconds. The header has a number of seconds or an HTTP date. @param now unix seconds by the clock of the service */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header.trim());
  if (!/^[A-Z][a-z]{2}, [\w: ]{1,30} GMT$/.test(header)) return undefined;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil(at / 1000 - now));
}
