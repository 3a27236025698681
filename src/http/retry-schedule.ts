// When a delivery is attempted again, and whether it is: exponential, with the numbers of whoever sends.

import type {Exchange} from './post.js';

export interface RetrySchedule {
  /** Before the second attempt; twice as long before each one after it. */
  readonly first: number;
  /** Never longer than this. */
  readonly longest: number;
}

/** How long to wait after this attempt failed, in the unit of the schedule. @param attempt 1 for the first */
export const delayAfter = (attempt: number, {first, longest}: RetrySchedule): number =>
  Math.min(longest, first * 2 ** Math.min(attempt - 1, 30));

/**
 * The same with half of it by chance, so that many senders do not come back at once, and not before the receiver asked for it.
 * @param schedule in milliseconds
 * @param random gives a number from 0 to 1
 */
export function delayWithJitter(
  attempt: number,
  {headers}: Exchange,
  schedule: RetrySchedule,
  random: () => number,
): number {
  const asked = Number(headers?.['retry-after'] ?? 0) * 1000;
  return Math.max(
    delayAfter(attempt, schedule) * (0.5 + random() / 2),
    Math.min(schedule.longest, Number.isFinite(asked) ? asked : 0),
  );
}

/** A receiver that is not there, has failed, or asks for patience may do better later; one that refuses has said what it has to say. */
export const mayRecover = ({ending, status = 0}: Exchange): boolean =>
  ending !== 'answered' || status >= 500 || status === 408 || status === 429;
