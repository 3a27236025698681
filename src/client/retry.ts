// When a request may be sent again: a read may; a write only on 429, or when it was certainly not sent.

/** `sent` says whether any byte of the request was sent. */
export type Attempt =
  | {readonly kind: 'answered'; readonly status: number; readonly retryAfterSeconds?: number}
  | {readonly kind: 'failed'; readonly sent: boolean; readonly permanent?: boolean};

export interface RetryPolicy {
  /** The first included. A 429 is repeated beyond them, until the deadline of the call. */
  readonly attempts: number;
  /** Milliseconds before the second attempt at most; doubles for each further attempt. */
  readonly baseDelay: number;
  readonly maximumDelay: number;
}

export const DEFAULT_RETRY: RetryPolicy = {attempts: 3, baseDelay: 500, maximumDelay: 8000};

const RETRYABLE_READS = new Set([408, 425, 429]);

const mayRetry = (write: boolean, attempt: Attempt): boolean => {
  if (attempt.kind === 'failed') return !attempt.permanent && (!write || !attempt.sent);
  if (write) return attempt.status === 429;
  return RETRYABLE_READS.has(attempt.status) || attempt.status >= 500;
};

/** Milliseconds before the next attempt, or undefined when this was the last. @param count attempts made, this one included */
export function delayBeforeRetry(
  policy: RetryPolicy,
  write: boolean,
  count: number,
  attempt: Attempt,
  random: number,
): number | undefined {
  const limited = attempt.kind === 'answered' && attempt.status === 429;
  if ((count >= policy.attempts && !limited) || !mayRetry(write, attempt)) return undefined;
  const told = attempt.kind === 'answered' ? attempt.retryAfterSeconds : undefined;
  // A service that limits the rate is not asked again at once, whatever it says.
  if (told !== undefined && (told > 0 || !limited)) return told * 1000;
  const bound = Math.min(policy.maximumDelay, policy.baseDelay * 2 ** (count - 1));
  return limited ? bound * (0.5 + random / 2) : bound * random;
}

/** Seconds. The header holds a number of them, or an HTTP date. @param now unix seconds */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header.trim());
  if (!/^[A-Z][a-z]{2}, [\w: ]{1,30} GMT$/.test(header)) return undefined;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil(at / 1000 - now));
}
