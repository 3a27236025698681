// Sends one request over HTTP. Redirects are not followed, and each write gets its own connection.

import type {Socket} from 'node:net';
import type {buildConnector, Dispatcher} from 'undici';
import type {Transport} from '../api/wire.js';
import {networkCodeOf} from '../common/system-errors.js';
import {sendRequest, loadUndici, type HttpResponse} from '../http/send-request.js';
import {TransportError} from './call-errors.js';
import {checkedBaseUrl, checkedProxy, isLoopback} from './endpoints.js';

/** Bytes. A larger response is refused. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** Proxies from the environment. Loopback requests never use a proxy. */
export interface ProxySettings {
  /** Proxy for https, which all requests to other machines use. */
  readonly https?: string;
  readonly none?: string;
}

interface SentRequest {
  /** Set before the first byte is sent. */
  sent: boolean;
  /** Set when the headers of a response have arrived. */
  answered?: boolean;
}

export function createHttpTransport({baseUrl, proxy = {}}: {baseUrl: string; proxy?: ProxySettings}) {
  const url = checkedBaseUrl(baseUrl);
  const via = !isLoopback(url.hostname) && proxy.https ? checkedProxy(proxy.https) : undefined;
  let shared: Promise<Connections> | undefined;
  /** Connection pools kept for the next writes. */
  const idle: Connections[] = [];

  const connect = () =>
    makeConnections(url.origin, MAX_RESPONSE_BYTES, via === undefined ? undefined : {address: via, except: proxy.none});

  const send: Transport = async ({method, path, query, headers, body}, {signal}) => {
    const write = method !== 'GET';
    // A write never reuses a socket: a kept-alive socket can close during the write and leave its outcome unknown.
    const connections = write ? (idle.pop() ?? (await connect())) : await (shared ??= connect());
    const attempt: SentRequest = {sent: false};
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
      const answer = await sendRequest(connections.dispatcher, request, {signal, onSending});
      attempt.answered = true;
      if (answer.fault !== undefined) throw answer.fault;
      // `reset` closes the socket after the response to a write, but a proxy's socket may stay open.
      if (write && via === undefined) idle.push(connections);
      else if (write) connections.end();
      return {status: answer.status, headers: joined(answer.headers), body: await plainBody(answer)};
    } catch (error) {
      if (write) connections.end();
      throw await asTransportError(error, attempt, url.origin);
    }
  };
  /** Ends the shared connections, including any that are being established. */
  const close = async (): Promise<void> => (await shared)?.end();
  return {send, close};
}

function joined(headers: HttpResponse['headers']): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    all[name] = Array.isArray(value) ? value.join(', ') : String(value);
  return all;
}

async function plainBody({headers, body}: HttpResponse): Promise<Uint8Array> {
  if (!headers['content-encoding'] && !/charset=(?!.?utf-8)/i.test(headers['content-type'] ?? '')) return body;
  const {bodyInUtf8} = await import('../http/body-text.js');
  return bodyInUtf8(headers, body, MAX_RESPONSE_BYTES);
}

/** Matches errors of a response that is not HTTP or too large. */
const NOT_HTTP = /HPE_|HTTPParser|HEADERS_OVERFLOW|EXCEEDED_MAX_SIZE|CONTENT_LENGTH_MISMATCH/;
const PERMANENT = /CERT|TLS|SSL|ENOTFOUND|SELF_SIGNED|UNABLE_TO_VERIFY/;

async function asTransportError(error: unknown, {sent, answered}: SentRequest, origin: string) {
  if (error instanceof ProxyRefusal)
    return new TransportError(error.message, {sent, permanent: error.permanent, origin, cause: error});
  const {name} = error as {name?: string};
  const code = networkCodeOf(error);
  if (name === 'TimeoutError' || name === 'AbortError')
    return new TransportError('no response in time', {sent, origin, cause: error});
  const {networkReason, networkFix} = await import('../http/network-reason.js');
  const garbled = NOT_HTTP.test(`${code} ${name ?? ''}`);
  const why =
    code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
      ? `the response is larger than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB`
      : networkReason(error);
  return new TransportError(why, {
    hint: networkFix(why),
    sent,
    permanent: garbled || PERMANENT.test(code),
    answered: garbled || answered,
    origin,
    cause: error,
  });
}

const CONNECT_TIMEOUT = 10_000;

interface Connections {
  readonly dispatcher: Dispatcher;
  /** Ends all connections at once, including any that are being established. */
  readonly end: () => void;
}

interface Proxy {
  readonly address: string;
  /** Hosts to reach without the proxy, as in `no_proxy`. */
  readonly except?: string;
}

/** Error for a proxy that opened no tunnel. The message says why, without a full stop. */
class ProxyRefusal extends Error {
  constructor(
    message: string,
    readonly permanent: boolean,
    cause?: unknown,
  ) {
    super(message, {cause});
  }
}

function tunnelRefusal(status: number): string {
  if (status === 407)
    return 'the proxy requires a user name and password (HTTP 407): https_proxy=http://user:password@host:port';
  const why: Record<number, string> = {
    403: ': it does not allow this address',
    502: ': it could not reach the API',
    503: ': it could not reach the API',
    504: ': the API did not answer in time',
  };
  return `the proxy refused the connection (HTTP ${status})${why[status] ?? ''}`;
}

type Connector = buildConnector.connector;

/** Makes connections, direct or through a proxy's tunnel, that can be ended at once. */
async function makeConnections(origin: string, maxResponseSize: number, proxy?: Proxy): Promise<Connections> {
  const undici = await loadUndici();
  // The call's deadline is the only time limit of an exchange.
  const options = {headersTimeout: 0, bodyTimeout: 0, maxResponseSize};
  const connectTo = undici.buildConnector({timeout: CONNECT_TIMEOUT});

  if (proxy) {
    const {default: EnvHttpProxyAgent} = await import('undici/lib/dispatcher/env-http-proxy-agent.js');
    const {default: connect} = await import('undici/lib/api/api-connect.js');
    // When a proxy hangs up, undici requests the tunnel again at once, thousands of times a second.
    const clientFactory = (proxyUrl: URL, given: object): Dispatcher => {
      const pool = new undici.Pool(proxyUrl, given);
      const ask = connect.bind(pool) as (of: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;
      const connectOnce = async (of: Dispatcher.ConnectOptions) => {
        const tunnel = await ask(of).catch((error: Error & {code?: string}) => {
          throw error.code === 'UND_ERR_SOCKET'
            ? new ProxyRefusal('the proxy ended the connection', false, error)
            : error;
        });
        if (tunnel.statusCode === 200) return tunnel;
        tunnel.socket.on('error', () => {}).destroy();
        throw new ProxyRefusal(tunnelRefusal(tunnel.statusCode), tunnel.statusCode < 500);
      };
      return Object.assign(pool, {connect: connectOnce as typeof pool.connect});
    };
    const {address, except} = proxy;
    // undici would read missing values from the environment, unchecked.
    const proxies = {httpProxy: address, httpsProxy: address, noProxy: except ?? ''};
    // A host of `no_proxy` has no tunnel to open.
    const factory = (target: string, {connect: open, ...given}: {connect?: Connector}): Dispatcher =>
      new undici.Pool(target, {...given, connect: open ? undici.skippingInformational(open) : connectTo});
    const dispatcher = new EnvHttpProxyAgent({...options, clientFactory, factory: factory as never, ...proxies});
    return {dispatcher, end: () => void dispatcher.destroy().catch(() => {})};
  }

  const pending = new Set<Socket>();
  const connect: Connector = (target, done) => {
    const socket = (connectTo as (...given: Parameters<Connector>) => Socket)(target, (...made) => {
      pending.delete(socket);
      done(...made);
    });
    pending.add(socket);
  };
  const dispatcher = new undici.Pool(origin, {...options, connect});
  return {
    dispatcher,
    // undici would wait for a connection that is being established.
    end: () => {
      for (const socket of pending) socket.destroy(new Error('given up'));
      dispatcher.destroy().catch(() => {});
    },
  };
}
