// When an attempt is made again, and whether it is.

import type {Exchange} from './exchange.js';

export interface RetrySchedule {
  /** Before the second attempt, in milliseconds; twice as long before each one after it. */
  readonly firstMilliseconds: number;
  /** Never longer than this. */
  readonly longestMilliseconds: number;
  /** Attempts in all. */
  readonly tries: number;
}

export const DEFAULT_SCHEDULE: RetrySchedule = {firstMilliseconds: 1000, longestMilliseconds: 300_000, tries: 24};

/** An app that is not there, has failed, or asks for patience may do better later; one that refuses has said what it has to say. */
export function mayRecover({ending, status = 0}: Exchange): boolean {
  return ending !== 'answered' || status >= 500 || status === 408 || status === 429;
}

/**
 * Milliseconds until the next attempt: half of them fixed and half by chance, so that many do not come back at once.
 * @param attempt number of the one that failed
 */
export function delayAfter(
  attempt: number,
  {headers}: Exchange,
  schedule: RetrySchedule,
  random: () => number,
): number {
  const {firstMilliseconds, longestMilliseconds} = schedule;
  const full = Math.min(longestMilliseconds, firstMilliseconds * 2 ** Math.min(attempt - 1, 30));
  const asked = Number(headers?.['retry-after'] ?? 0) * 1000;
  return Math.max(full * (0.5 + random() / 2), Math.min(longestMilliseconds, Number.isFinite(asked) ? asked : 0));
}
