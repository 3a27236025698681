// Sends webhook events by POST, without redirects or proxies, within limits of time and size.

import {setMaxListeners} from 'node:events';
import type {IncomingHttpHeaders} from 'node:http';
import {connect, type LookupFunction} from 'node:net';
import type {Readable} from 'node:stream';
import type {Dispatcher} from 'undici';
import {withDeadline} from '../common/deadlines.js';
import {networkCodeOf} from '../common/system-errors.js';
import {sendRequest, loadUndici} from './send-request.js';

/** Maximum bytes to read of a response's body. */
const MAX_BODY_BYTES = 64 * 1024;
/** Milliseconds before an idle connection is closed, which is sooner than apps close it. */
const KEEP_ALIVE = 1000;

export interface WebhookSenderOptions {
  readonly timeout: number;
  /** Resolves a host to its allowed addresses. */
  readonly lookup: LookupFunction;
  /** Maximum connections per origin. Without it, each request opens a new connection. */
  readonly connections?: number;
}

export interface WebhookRequest {
  readonly url: URL;
  /** Path and query; by default the URL's. */
  readonly path?: string;
  readonly headers: string[] | Record<string, string>;
  readonly body: Uint8Array | Readable;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

export interface WebhookAttempt {
  readonly ending: 'answered' | 'stopped' | 'timeout' | 'unreachable';
  readonly status?: number;
  readonly headers?: IncomingHttpHeaders;
  readonly body?: Buffer;
  readonly error?: string;
  readonly code?: string;
  readonly milliseconds: number;
}

export const isAccepted = (status: number | null = 0): boolean => status !== null && status >= 200 && status < 300;

export class WebhookSender {
  /** Created in the constructor, so that the first request waits less. */
  readonly #agent: Promise<Dispatcher>;

  constructor(private readonly options: WebhookSenderOptions) {
    this.#agent = agentFor(options);
  }

  /** Sends a request. Never throws: `ending` and `error` describe a failure. */
  async post({
    url,
    path,
    headers,
    body,
    signal,
    timeout = this.options.timeout,
  }: WebhookRequest): Promise<WebhookAttempt> {
    // Any number of requests may share the signal.
    if (signal) setMaxListeners(0, signal);
    const started = performance.now();
    const done = (exchange: Omit<WebhookAttempt, 'milliseconds'>): WebhookAttempt => ({
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
          reset: this.options.connections === undefined,
        } as const;
        // Only the headers decide the outcome: a broken or endless body does not change it.
        const answer = await sendRequest(await this.#agent, request, {signal: limit, maxBytes: MAX_BODY_BYTES});
        const start = answer.body.subarray(0, MAX_BODY_BYTES);
        return done({ending: 'answered', status: answer.status, headers: answer.headers, body: start});
      });
    } catch (error) {
      if (signal?.aborted) return done({ending: 'stopped', error: 'stopped before it responded'});
      if ((error as Error).name === 'TimeoutError')
        return done({ending: 'timeout', error: `no response within ${timeout / 1000} s`});
      const {networkReason} = await import('./network-reason.js');
      return done({ending: 'unreachable', error: networkReason(error), code: networkCodeOf(error)});
    }
  }

  async close(): Promise<void> {
    await (await this.#agent).destroy();
  }
}

/** Milliseconds to wait for a connection in {@link canConnect}. */
const CONNECT_TIMEOUT = 1000;

export const canConnect = ({hostname, port, protocol}: URL, lookup: LookupFunction): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
      lookup,
    });
    const end = (isAccepted: boolean): void => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket.unref().setTimeout(CONNECT_TIMEOUT, () => end(false));
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });

async function agentFor({timeout, lookup, connections}: WebhookSenderOptions): Promise<Dispatcher> {
  const {Agent, buildConnector} = await loadUndici();
  return new Agent({
    connections: connections ?? null,
    // Only the deadline limits the time of a request.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE,
    keepAliveMaxTimeout: KEEP_ALIVE,
    connect: buildConnector({timeout, lookup, rejectUnauthorized: true}),
  });
}
