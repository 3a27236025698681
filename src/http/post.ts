// POSTs a webhook's event once, and says what came of it. It follows no redirect and uses no proxy, and nothing that a receiver does
// takes longer, or more memory, than it is given.

import {setMaxListeners} from 'node:events';
import type {IncomingHttpHeaders} from 'node:http';
import type {LookupFunction} from 'node:net';
import type {Readable} from 'node:stream';
import type {Dispatcher} from 'undici';
import {abortionOf, withDeadline} from '../deadlines.js';
import {networkCodeOf, networkReason} from '../thrown.js';
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
  /** Path and query, where they are not those of the URL. */
  readonly path?: string;
  /** By name, or flat and exactly as they are to be sent: names and values in turn. */
  readonly headers: string[] | Record<string, string>;
  readonly body: Uint8Array | Readable;
  /** Ends it before its time. */
  readonly signal?: AbortSignal;
  /** In place of the poster's own. */
  readonly timeout?: number;
}

/** What came of a POST. `stopped`: by the signal. */
export interface Exchange {
  readonly ending: 'answered' | 'stopped' | 'timeout' | 'unreachable';
  readonly status?: number;
  readonly headers?: IncomingHttpHeaders;
  /** The beginning of it. */
  readonly body?: Buffer;
  /** Why there is no answer, in words. */
  readonly error?: string;
  /** The code of that error: `ECONNREFUSED`. */
  readonly code?: string;
  readonly milliseconds: number;
}

/** Whether a receiver has taken what was sent. */
export const isTaken = (status: number | null = 0): boolean => status !== null && status >= 200 && status < 300;

export class Poster {
  readonly #options: PosterOptions;
  /** Loaded at once: the first request need not wait for it. */
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
        const asking = (await this.#agent).request({
          origin: url.origin,
          path: path ?? url.pathname + url.search,
          method: 'POST',
          headers,
          body: body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body,
          signal: limit,
          reset: this.#options.connections === undefined,
        });
        // undici heeds a signal only once it has a connection.
        const answer = await Promise.race([asking, abortionOf(limit)]);
        const start = await readStart(answer.body);
        return done({ending: 'answered', status: answer.statusCode, headers: answer.headers, body: start});
      });
    } catch (error) {
      if (signal?.aborted) return done({ending: 'stopped', error: 'stopped before it had answered'});
      if ((error as Error).name === 'TimeoutError')
        return done({ending: 'timeout', error: `no answer within ${timeout / 1000} s`});
      return done({ending: 'unreachable', error: networkReason(error), code: networkCodeOf(error)});
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await (await this.#agent).destroy();
  }
}

async function agentFor({timeout, lookup, connections, insecure = false}: PosterOptions): Promise<Dispatcher> {
  const {Agent, Pool} = await import('undici');
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

/** The receiver has answered once the head is there: a body that breaks off, or never ends, takes nothing back. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size >= LARGEST_ANSWER) break;
    }
  } catch {}
  return Buffer.concat(chunks).subarray(0, LARGEST_ANSWER);
}
