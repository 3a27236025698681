// Delivers a webhook's event by POST: one attempt, what came of it, and when to try again. It follows no redirect and uses no proxy,
// and limits the time and the memory that a receiver can take.

import {setMaxListeners} from 'node:events';
import type {IncomingHttpHeaders} from 'node:http';
import type {LookupFunction} from 'node:net';
import type {Readable} from 'node:stream';
import type {Dispatcher} from 'undici';
import {withDeadline} from '../deadlines.js';
import {exchange} from './exchange.js';
import {loadUndici} from './undici.js';
import {networkCodeOf, networkReason} from '../system-errors.js';
import {isLoopbackHost} from './addresses.js';

/** How much of an answer's body is read, in bytes. */
const LARGEST_ANSWER = 64 * 1024;
/** How long an idle connection is kept, in milliseconds: not longer than any app keeps it. */
const KEEP_ALIVE = 1000;

export interface PosterOptions {
  /** For a whole exchange, in milliseconds. */
  readonly timeout: number;
  /** Gives the addresses of a host that may be sent to. */
  readonly lookup: LookupFunction;
  /** How many connections to one origin are kept for further requests; each request has one of its own when not given. */
  readonly connections?: number;
  /** Accepts any certificate of this machine. */
  readonly insecure?: boolean;
}

export interface Post {
  readonly url: URL;
  /** Path and query; those of the URL when not given. */
  readonly path?: string;
  /** By name; or names and values in turn, which are sent exactly so. */
  readonly headers: string[] | Record<string, string>;
  readonly body: Uint8Array | Readable;
  /** Ends it before its time. */
  readonly signal?: AbortSignal;
  /** Replaces the poster's timeout. */
  readonly timeout?: number;
}

/** The result of a POST. `stopped`: by the signal. */
export interface Exchange {
  readonly ending: 'answered' | 'stopped' | 'timeout' | 'unreachable';
  readonly status?: number;
  readonly headers?: IncomingHttpHeaders;
  /** The beginning of the body. */
  readonly body?: Buffer;
  /** Why there is no answer, in words. */
  readonly error?: string;
  /** The code of that error: `ECONNREFUSED`. */
  readonly code?: string;
  readonly milliseconds: number;
}

/** Whether a receiver accepted the delivery. */
export const isAccepted = (status: number | null = 0): boolean => status !== null && status >= 200 && status < 300;

export class Poster {
  readonly #options: PosterOptions;
  /** Loaded at once, so that the first request does not wait for it. */
  readonly #agent: Promise<Dispatcher>;

  constructor(options: PosterOptions) {
    this.#options = options;
    this.#agent = agentFor(options);
  }

  /** Never throws. */
  async post({url, path, headers, body, signal, timeout = this.#options.timeout}: Post): Promise<Exchange> {
    // Any number of requests may be under way with the same signal.
    if (signal) setMaxListeners(0, signal);
    const started = performance.now();
    const done = (exchange: Omit<Exchange, 'milliseconds'>): Exchange => ({
      ...exchange,
      milliseconds: Math.round(performance.now() - started),
    });
    try {
      return await withDeadline(timeout, signal, async (limit) => {
        const request = {
          origin: url.origin,
          path: path ?? url.pathname + url.search,
          method: 'POST',
          headers,
          body: body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body,
          reset: this.#options.connections === undefined,
        } as const;
        // The headers are the answer: a body that breaks off or never ends does not change it.
        const answer = await exchange(await this.#agent, request, {signal: limit, largest: LARGEST_ANSWER});
        const start = answer.body.subarray(0, LARGEST_ANSWER);
        return done({ending: 'answered', status: answer.status, headers: answer.headers, body: start});
      });
    } catch (error) {
      if (signal?.aborted) return done({ending: 'stopped', error: 'stopped before it responded'});
      if ((error as Error).name === 'TimeoutError')
        return done({ending: 'timeout', error: `no response within ${timeout / 1000} s`});
      return done({ending: 'unreachable', error: networkReason(error), code: networkCodeOf(error)});
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await (await this.#agent).destroy();
  }
}

async function agentFor({timeout, lookup, connections, insecure = false}: PosterOptions): Promise<Dispatcher> {
  const {Agent, Pool} = await loadUndici();
  return new Agent({
    connections: connections ?? null,
    // The deadline is the only limit of an exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE,
    keepAliveMaxTimeout: KEEP_ALIVE,
    factory: (origin, options) => {
      const {hostname} = new URL(origin);
      const rejectUnauthorized = !(insecure && isLoopbackHost(hostname));
      return new Pool(origin, {...options, connect: {timeout, lookup, rejectUnauthorized}});
    },
  });
}

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
 * The same with half of it random, so that many senders do not return at once, and never shorter than the receiver's `Retry-After`.
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

/** Whether another attempt may succeed: the receiver was not reached, failed, or asked to wait. One that refuses will refuse again. */
export const mayRecover = ({ending, status = 0}: Exchange): boolean =>
  ending !== 'answered' || status >= 500 || status === 408 || status === 429;
