// One POST to a webhook: straight to its address, which must be one of this machine, never through a proxy, and no redirect followed.
// Whoever reaches the API can register a webhook: sent anywhere, requests would come from inside of somebody's network.

import {isIP} from 'node:net';
import {isLoopbackAddress} from '../../webhooks/forward/addresses.js';
import {lookupOf} from '../../webhooks/forward/guarded-lookup.js';

import {nameOf} from '../../thrown.js';

/** How long a receiver may take, in milliseconds. */
export const POST_TIMEOUT = 10_000;
/** How much of an answer is read, in bytes: its status is all that counts. */
const LARGEST_ANSWER = 65_536;

export interface Posted {
  /** Null when there was no answer; `error` then says why. */
  readonly status: number | null;
  readonly error: string | null;
  /** True when nothing was sent, and never will be to this address. */
  readonly refused: boolean;
  readonly milliseconds: number;
}

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Milliseconds. */
  readonly timeout: number;
  /** Ends it before its time. */
  readonly signal: AbortSignal;
}

/** Names that stand for nothing, in examples and tests: asking for their address would only cost time. */
const PLACEHOLDER = /(^|\.)(example|invalid|example\.(com|net|org))\.?$/;

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'no such host',
  EPIPE: 'connection reset',
};

const loopbackLookup = lookupOf((_, address) => isLoopbackAddress(address));

const isElsewhere = (hostname: string): boolean => {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) !== 0 && !isLoopbackAddress(address);
};

const notHere = (hostname: string): string =>
  `${hostname} is not a loopback address, and the sandbox sends only to this machine: nothing was sent`;

/** Sends it, and says what came of it. Never throws. */
export async function post(url: string, {headers, body, timeout, signal}: PostOptions): Promise<Posted> {
  const started = performance.now();
  const done = (status: number | null, error: string | null, refused = false): Posted => ({
    status,
    error: status === null ? error : null,
    refused,
    milliseconds: Math.round(performance.now() - started),
  });
  let target: URL;
  try {
    target = new URL(url);
  } catch {
    return done(null, 'not a URL');
  }
  if (PLACEHOLDER.test(target.hostname))
    return done(null, `${target.hostname} is a name for examples: nothing is sent`);
  if (isElsewhere(target.hostname)) return done(null, notHere(target.hostname), true);
  const {request: open} = target.protocol === 'https:' ? await import('node:https') : await import('node:http');

  return new Promise((resolve) => {
    let status: number | null = null;
    // A connection of its own: one that is kept may be closed by the receiver at the moment it is used again.
    const request = open(target, {
      method: 'POST',
      headers: {...headers, 'content-length': body.byteLength},
      agent: false,
      lookup: loopbackLookup,
    });
    const end = (error: string | null, refused?: boolean): void => {
      clearTimeout(limit);
      signal.removeEventListener('abort', stop);
      request.destroy();
      resolve(done(status, error, refused));
    };
    const limit = setTimeout(() => end(`no answer within ${timeout / 1000} s`), timeout);
    const stop = (): void => end('stopped before there was an answer');
    signal.addEventListener('abort', stop, {once: true});
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EUNSAFE') end(notHere(target.hostname), true);
      else end(WORDS[error.code ?? ''] ?? `the connection failed (${error.code ?? nameOf(error)})`);
    });
    request.on('response', (response) => {
      status = response.statusCode!;
      let left = LARGEST_ANSWER;
      response.on('data', (chunk: Buffer) => {
        left -= chunk.length;
        if (left < 0) end(null);
      });
      response.on('error', () => end(null));
      response.on('end', () => end(null));
    });
    request.end(body);
    if (signal.aborted) stop();
  });
}
