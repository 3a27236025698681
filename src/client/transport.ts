// Sends one request over HTTP. Redirects are not followed, and each write gets its own connection.

import type {Transport} from '../api/wire.js';
import {networkCodeOf, networkReason} from '../ground/system-errors.js';
import {exchange, type Answer} from '../http/exchange.js';
import {TransportError} from './call-errors.js';
import {makeConnections, ProxyRefusal, type Connections} from './connections.js';
import {checkedBaseUrl, checkedProxy, isLoopback} from './endpoints.js';

/** Bytes of the largest response that is read. */
const MAXIMUM_ANSWER = 16 * 1024 * 1024;

/** From the environment. Loopback never goes through a proxy. */
export interface ProxySettings {
  /** For https, which all requests to other machines use. */
  readonly https?: string;
  readonly none?: string;
}

interface Sending {
  /** Set before the first byte is sent. */
  sent: boolean;
  /** Set once the headers of a response have arrived. */
  answered?: boolean;
}

export function createHttpTransport({baseUrl, proxy = {}}: {baseUrl: string; proxy?: ProxySettings}) {
  const url = checkedBaseUrl(baseUrl);
  // Requests to other machines always use https.
  const via = !isLoopback(url.hostname) && proxy.https ? checkedProxy(proxy.https) : undefined;
  let shared: Promise<Connections> | undefined;
  /** Without a connection, for the next writes. */
  const idle: Connections[] = [];

  const connect = () =>
    makeConnections(url.origin, MAXIMUM_ANSWER, via === undefined ? undefined : {address: via, except: proxy.none});

  const send: Transport = async ({method, path, query, headers, body}, {signal}) => {
    const write = method !== 'GET';
    // A write never reuses a connection: a kept-alive one can close during the write and leave its outcome unknown.
    const connections = write ? (idle.pop() ?? (await connect())) : await (shared ??= connect());
    const attempt: Sending = {sent: false};
    const request = {
      origin: url.origin,
      path: path + (query ? `?${query}` : ''),
      method,
      headers,
      body: body ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : null,
      reset: write,
    };
    try {
      const onSending = (): void => void (attempt.sent = true);
      const answer = await exchange(connections.dispatcher, request, {signal, onSending});
      attempt.answered = true;
      if (answer.fault !== undefined) throw answer.fault;
      // Once the answer to a write has arrived, its connection is closed (`reset`), but a proxy's may be kept.
      if (write && via === undefined) idle.push(connections);
      else if (write) connections.end();
      return {status: answer.status, headers: joined(answer.headers), body: answer.body};
    } catch (error) {
      if (write) connections.end();
      throw asTransportError(error, attempt, url.origin);
    }
  };
  /** Does not wait for connections that are being established. */
  const close = async (): Promise<void> => (await shared)?.end();
  return {send, close};
}

/** Repeated headers become one. */
const joined = (headers: Answer['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
  );

/** The response is not HTTP, or larger than the limit. */
const NOT_HTTP = /HPE_|HTTPParser|HEADERS_OVERFLOW|EXCEEDED_MAX_SIZE|CONTENT_LENGTH_MISMATCH/;
const PERMANENT = /CERT|TLS|SSL|ENOTFOUND|SELF_SIGNED|UNABLE_TO_VERIFY/;

function asTransportError(error: unknown, {sent, answered}: Sending, origin: string): TransportError {
  if (error instanceof ProxyRefusal)
    return new TransportError(error.message, {sent, permanent: error.permanent, origin, cause: error});
  const {name} = error as {name?: string};
  const code = networkCodeOf(error);
  if (name === 'TimeoutError' || name === 'AbortError')
    return new TransportError('no response in time', {sent, origin, cause: error});
  const garbled = NOT_HTTP.test(`${code} ${name ?? ''}`);
  const why =
    code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
      ? `the response is larger than ${MAXIMUM_ANSWER / 1024 / 1024} MiB`
      : networkReason(error);
  return new TransportError(why, {
    sent,
    permanent: garbled || PERMANENT.test(code),
    answered: garbled || answered,
    origin,
    cause: error,
  });
}
