// Carries one request over HTTP: Basic auth arrives in the headers, redirects are not followed, and a write gets its own connection.

import diagnostics from 'node:diagnostics_channel';
import type {Dispatcher} from 'undici';
import type {ApiRequest, ApiResponse, Transport} from '../api/wire.js';
import {abortionOf} from '../deadlines.js';
import {networkCodeOf, networkReason} from '../thrown.js';
import {makeConnections, ProxyRefusal, type Connections} from './connections.js';
import {checkedBaseUrl, checkedProxy, isLoopback} from './endpoints.js';
import {TransportError} from './errors.js';

/** Largest answer that is read, in bytes. */
const MAXIMUM_ANSWER = 16 * 1024 * 1024;

/** Proxy variables as the environment gives them; loopback never goes through a proxy. */
export interface ProxySettings {
  /** For what goes by https; everything that leaves this machine does. */
  readonly https?: string;
  readonly none?: string;
}

export interface HttpTransportOptions {
  /** Scheme, host and port; https, or http to loopback. */
  readonly baseUrl: string;
  readonly proxy?: ProxySettings;
}

export interface HttpTransport {
  readonly send: Transport;
  /** Ends all connections; waits for none, since one that is still being made may take its time. */
  readonly close: () => Promise<void>;
}

/** What is being sent just now, so that undici's diagnostics can tell of which attempt a byte has left. */
interface Attempted {
  sent: boolean;
  /** Set once the head of an answer is there. */
  answered?: boolean;
}
const attempts = new WeakMap<object, Attempted>();
let starting: Attempted | undefined;
let watching = false;

/** undici says `sendHeaders` when the first byte goes out: the one reliable sign that a write may have arrived. */
function watchSending(): void {
  if (watching) return;
  watching = true;
  diagnostics.subscribe('undici:request:create', (message) => {
    const {request} = message as {request: {method?: string}};
    // A proxy is first asked for a tunnel, in a request of its own: nothing of ours is in it.
    if (starting && request.method !== 'CONNECT') attempts.set(request, starting);
  });
  diagnostics.subscribe('undici:client:sendHeaders', (message) => {
    const attempt = attempts.get((message as {request: object}).request);
    if (attempt) attempt.sent = true;
  });
}

/** @throws CentavoError from {@link checkedBaseUrl} and {@link checkedProxy} */
export function createHttpTransport({baseUrl, proxy = {}}: HttpTransportOptions): HttpTransport {
  const url = checkedBaseUrl(baseUrl);
  // Whatever goes to another machine goes by https.
  const via = !isLoopback(url.hostname) && proxy.https ? checkedProxy(proxy.https) : undefined;
  let shared: Promise<Connections> | undefined;

  const connect = () =>
    makeConnections(MAXIMUM_ANSWER, via === undefined ? undefined : {address: via, except: proxy.none});

  async function send(request: ApiRequest, {signal}: {signal?: AbortSignal}): Promise<ApiResponse> {
    watchSending();
    const write = request.method !== 'GET';
    // A write never reuses a connection: a kept-alive one may die under it and leave its outcome in doubt.
    const connections = write ? await connect() : await (shared ??= connect());
    const attempt: Attempted = {sent: false};
    try {
      return await exchange(connections.dispatcher, request, attempt, signal);
    } catch (error) {
      throw asTransportError(error, attempt);
    } finally {
      if (write) connections.end();
    }
  }

  async function exchange(
    dispatcher: Dispatcher,
    request: ApiRequest,
    attempt: Attempted,
    signal?: AbortSignal,
  ): Promise<ApiResponse> {
    const target = request.path + (request.query ? `?${request.query}` : '');
    starting = attempt;
    let answering: Promise<Dispatcher.ResponseData>;
    try {
      answering = dispatcher.request({
        origin: url.origin,
        path: target,
        method: request.method,
        headers: request.headers,
        body: request.body ? Buffer.from(request.body) : null,
        signal,
      });
    } finally {
      starting = undefined;
    }
    // undici heeds a signal only once it has a connection.
    const answer = await (signal ? Promise.race([answering, abortionOf(signal)]) : answering);
    attempt.answered = true;
    const chunks: Buffer[] = [];
    for await (const chunk of answer.body) chunks.push(chunk as Buffer);
    const headers = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [
        name.toLowerCase(),
        Array.isArray(value) ? value.join(', ') : String(value),
      ]),
    );
    return {status: answer.statusCode, headers, body: Buffer.concat(chunks)};
  }

  return {
    send,
    close: async () => {
      (await shared)?.end();
    },
  };
}

/** What came back is no HTTP, or more than is read. */
const GARBLED = /HPE_|HTTPParser|HEADERS_OVERFLOW|EXCEEDED_MAX_SIZE|CONTENT_LENGTH_MISMATCH/;
const PERMANENT = /CERT|TLS|SSL|ENOTFOUND|SELF_SIGNED|UNABLE_TO_VERIFY/;

function asTransportError(error: unknown, {sent, answered}: Attempted): TransportError {
  if (error instanceof ProxyRefusal)
    return new TransportError(error.message, {sent, permanent: error.permanent, cause: error});
  const {name} = error as {name?: string};
  const code = networkCodeOf(error);
  if (name === 'TimeoutError' || name === 'AbortError')
    return new TransportError('no answer in time', {sent, cause: error});
  const garbled = GARBLED.test(`${code} ${name ?? ''}`);
  const why =
    code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
      ? `the answer is larger than ${MAXIMUM_ANSWER / 1024 / 1024} MiB`
      : networkReason(error);
  return new TransportError(why, {
    sent,
    permanent: garbled || PERMANENT.test(code),
    answered: garbled || answered,
    cause: error,
  });
}
