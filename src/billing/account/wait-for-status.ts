// Polls a billing statement until it reaches a status.

import {isFinal, standingOf} from '../../accounting/standing.js';
import {statementNumberOf} from '../../api/statement.js';
import {isLoopback} from '../../client/endpoints.js';
import {wasAborted} from '../../common/deadlines.js';
import {CentavoError} from '../../common/errors.js';
import type {BillingStatementData} from '../statement/plan.js';
import type {RunOptions} from '../statement/workflow/run-plan.js';

export type StatusWaitTarget = 'open' | 'paid' | 'uncollectible' | 'void';

export interface StatusWaitOptions extends Pick<RunOptions, 'client' | 'now' | 'sleep'> {
  readonly id: string;
  readonly target: StatusWaitTarget;
  /** Milliseconds. */
  readonly timeout: number;
  /** Base URL of the API; undefined for the embedded sandbox. */
  readonly baseUrl?: string;
  readonly signal: AbortSignal;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Called after each read, and after a failed read that is retried later. */
  readonly onRead: (news: BillingStatementData | CentavoError) => void;
}

export interface StatusWaitResult {
  /** `ended`: nothing more can come in, in a status other than the target. `late`: not reached before the deadline. */
  readonly end: 'ended' | 'late' | 'reached';
  readonly statement: BillingStatementData;
}

/** Milliseconds between two reads of a service on this machine. */
const LOCAL_INTERVAL = 500;
/** Milliseconds between the first two reads of a remote service, and the maximum between later reads. */
const FIRST_INTERVAL = 5000;
const MAX_INTERVAL = 30_000;
const GROWTH = 1.5;
/** Relative variation of a delay, so that several waits do not read at the same time. */
const JITTER = 0.2;
/** Minimum and maximum timeout of a read, in milliseconds. The minimum applies even at the deadline. */
const MIN_READ_TIMEOUT = 1000;
const MAX_READ_TIMEOUT = 30_000;

const RETRYABLE: readonly string[] = ['rate_limited', 'unavailable'];

/** @throws CentavoError of a read that cannot be retried, or of the last read if none succeeded */
export async function waitForStatus(options: StatusWaitOptions): Promise<StatusWaitResult> {
  const {client, id, target, timeout, signal, sleep, now, onRead} = options;
  const deadline = now() + timeout;
  let statement: BillingStatementData | undefined;
  for (let count = 0; ; count++) {
    let pause = delay(options, count);
    const remaining = Math.max(deadline - now(), MIN_READ_TIMEOUT);
    try {
      const read = client.billingStatements.get(id, {signal, timeout: Math.min(remaining, MAX_READ_TIMEOUT)});
      statement = (await read) as BillingStatementData;
      if (statement.deleted) throw new CentavoError('not_found', `billing statement ${id} was deleted.`);
      onRead(statement);
      if (statement.status === target) return {end: 'reached', statement};
      // No end depends on the time.
      if (isFinal(standingOf(statement, {}, 0))) return {end: 'ended', statement};
    } catch (error) {
      if (!(error instanceof CentavoError) || !RETRYABLE.includes(error.kind)) throw error;
      if (now() >= deadline && statement === undefined) throw error;
      onRead(error);
      pause = Math.max(pause, (error.details.retryAfter ?? 0) * 1000);
    }
    const rest = deadline - now();
    if (rest <= 0 && statement) return {end: 'late', statement};
    if (await wasAborted(sleep(Math.max(0, Math.min(pause, rest)), signal), signal))
      throw new CentavoError('interrupted', `stopped waiting for ${statementNumberOf(statement ?? {}) ?? id}.`);
  }
}

function delay({baseUrl, random}: StatusWaitOptions, count: number): number {
  if (baseUrl === undefined || isLoopback(new URL(baseUrl).hostname)) return LOCAL_INTERVAL;
  return Math.min(MAX_INTERVAL, FIRST_INTERVAL * GROWTH ** count) * (1 - JITTER + 2 * JITTER * random());
}
