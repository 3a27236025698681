// The receiver: the server to which webhooks are sent. It stores genuine deliveries before anything else is done with them.

import {timingSafeEqual} from 'node:crypto';
import type {IncomingMessage, ServerResponse} from 'node:http';
import {cutShort, headerValues, isFromBrowser, isOwnHost, type ServerLimits, startServer} from '../../http/server.js';
import {SIGNATURE_HEADER, verifyEvent, verifySignature, type WebhookMode} from '../signature/signature.js';
import type {DeliveryStore} from '../store/deliveries.js';
import {PING_EVENT_TYPE, PING_HEADER} from '../tunnels/ping.js';
import {type Delivery, type EventFacts, factsOf, type RawHeader, readEventFacts} from './delivery.js';

export interface SenderAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

type RefusalReason =
  | 'body_too_large'
  | 'browser'
  | 'content_encoding'
  | 'host'
  | 'malformed'
  | 'method'
  | 'not_stored'
  | 'path'
  | 'ping'
  | 'timeout'
  | 'too_many_connections'
  | 'too_many_headers'
  | 'upgrade';

export interface Refusal {
  readonly reason: RefusalReason;
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
}

export interface ReceiverLimits extends ServerLimits {
  readonly bodyBytes: number;
}

const DEFAULT_LIMITS: ReceiverLimits = {
  bodyBytes: 1024 * 1024,
  headersMilliseconds: 2000,
  // Some senders do not reuse connections that are kept open for two seconds or less.
  idleMilliseconds: 5000,
  requestMilliseconds: 5000,
  connections: 256,
  headers: 100,
};

export interface ReceiverOptions {
  readonly store: Pick<DeliveryStore, 'record'>;
  readonly profile: string;
  /** As in {@link Delivery.webhook}. */
  readonly webhook?: () => string | undefined;
  /** Secret part of the URL: 32 letters and digits. */
  readonly token: string;
  readonly port?: number;
  readonly secrets: () => readonly string[];
  readonly mode?: WebhookMode;
  readonly toleranceSeconds?: number;
  /** False also accepts deliveries that are not genuine, and stores their verdict. */
  readonly verify?: boolean;
  /** Of public URLs that lead here, as in a Host header. */
  readonly publicHosts?: () => readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newId: () => string;
  /** The forwarding targets, which are stored with the delivery, so that a crash does not lose them. */
  readonly targetsOf?: (event: EventFacts) => readonly string[];
  /** The response for the sender of a stored delivery. */
  readonly respond: (delivery: Delivery) => Promise<SenderAnswer>;
  /** Called for every delivery, after it was stored. One that is refused as not genuine is not stored. */
  readonly onDelivery?: (delivery: Delivery) => void;
  readonly onRefused?: (refusal: Refusal) => void;
  /** Called when storing or answering fails, but not again until it has worked. */
  readonly onFailure?: (error: unknown) => void;
  readonly limits?: Partial<ReceiverLimits>;
}

export interface Receiver {
  /** Includes the token. */
  readonly url: string;
  readonly port: number;
  /** Answers pings with this nonce, signed with this secret, until the returned function is called. */
  readonly expectPing: (nonce: string, secret: string) => () => void;
  /** Resolves when current requests are answered, or cut short after `drainMilliseconds`. */
  readonly close: (drainMilliseconds: number) => Promise<void>;
}

export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const {store, token, now, onDelivery, onFailure} = options;
  const limits = {...DEFAULT_LIMITS, ...options.limits};
  /** Secrets of expected pings, by nonce. */
  const pings = new Map<string, string>();
  let failing = false;

  const server = await startServer({
    port: options.port ?? 0,
    limits,
    name: 'the receiver',
    onRequest: (request, response) => {
      handle(request, response).catch((error: unknown) => {
        fail(error);
        send(response, {status: 500});
      });
    },
    onRefused: (refusal) => options.onRefused?.(refusal),
  });

  function fail(error: unknown): void {
    if (!failing) onFailure?.(error);
    failing = true;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, options, server.port, limits.headers);
    if (refusal) return refuse(request, response, refusal);
    const body = await readBody(request, limits.bodyBytes);
    if (body === 'cut') return;
    if (body === 'too_large') return refuse(request, response, {reason: 'body_too_large', status: 413});
    const nonces = headerValues(request, PING_HEADER);
    if (nonces.length === 0) return take(body, request, response);
    const [nonce = ''] = nonces;
    if (nonces.length > 1 || !isExpectedPing(nonce, request, body))
      return refuse(request, response, {reason: 'ping', status: 401});
    return send(response, {status: 200, headers: {[PING_HEADER]: nonce}});
  }

  /** The signed body must also contain the nonce, since anyone could send the header. */
  function isExpectedPing(nonce: string, request: IncomingMessage, body: Uint8Array): boolean {
    const secret = pings.get(nonce);
    const {type, objectId} = readEventFacts(body);
    if (secret === undefined || type !== PING_EVENT_TYPE || objectId !== nonce) return false;
    const header = headerValues(request, SIGNATURE_HEADER.toLowerCase());
    return verifySignature({body, header, secrets: [secret], now: Math.floor(now() / 1000)}).genuine;
  }

  function deliveryOf(request: IncomingMessage, body: Uint8Array) {
    const receivedAt = now();
    const webhook = options.webhook?.();
    const {verdict, event} = verifyEvent({
      body,
      header: headerValues(request, SIGNATURE_HEADER.toLowerCase()),
      secrets: options.secrets(),
      now: Math.floor(receivedAt / 1000),
      toleranceSeconds: options.toleranceSeconds,
      mode: options.mode,
    });
    const delivery: Delivery = {
      id: options.newId(),
      receivedAt,
      profile: options.profile,
      ...(webhook !== undefined && {webhook}),
      path: pathBehindToken(request.url!, token)!,
      headers: pairs(request.rawHeaders),
      body,
      verdict,
      event: event ? factsOf(event) : readEventFacts(body),
    };
    return {delivery, event};
  }

  async function take(body: Uint8Array, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const {delivery, event} = deliveryOf(request, body);
    if (!delivery.verdict.genuine && options.verify !== false) {
      onDelivery?.(delivery);
      // The same response for every reason tells a forger nothing.
      return send(response, {status: 401});
    }
    let stored: Delivery;
    try {
      stored = {...delivery, ...(await store.record(delivery, options.targetsOf?.(delivery.event), event))};
    } catch (error) {
      fail(error);
      return refuse(request, response, {reason: 'not_stored', status: 503});
    }
    failing = false;
    onDelivery?.(stored);
    send(response, await options.respond(stored));
  }

  function send(response: ServerResponse, {status, headers, body}: SenderAnswer): void {
    if (response.headersSent || response.destroyed) return;
    const empty = body === undefined || body.byteLength === 0 || status === 204 || status === 304;
    response.writeHead(status, {
      ...headers,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(status === 405 && {allow: 'POST'}),
      ...(status !== 204 && {'content-length': empty ? 0 : body.byteLength}),
      ...(server.closing() && {connection: 'close'}),
    });
    response.end(empty ? undefined : body);
  }

  /** Also closes the connection. */
  function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    options.onRefused?.(refusal);
    // An earlier request on this connection may not be answered yet.
    if (!request.complete && response.socket) return cutShort(request, refusal.status);
    response.shouldKeepAlive = false;
    send(response, {status: refusal.status});
  }

  return {
    url: `http://127.0.0.1:${server.port}/${token}`,
    port: server.port,
    expectPing: (nonce, secret) => {
      pings.set(nonce, secret);
      return () => void pings.delete(nonce);
    },
    close: server.close,
  };
}

function readBody(request: IncomingMessage, limit: number): Promise<Buffer | 'cut' | 'too_large'> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve('too_large');
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve('too_large');
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', () => resolve('cut'));
    request.on('close', () => resolve('cut'));
  });
}

function pairs(raw: readonly string[]): RawHeader[] {
  const headers: RawHeader[] = [];
  for (let index = 0; index < raw.length; index += 2) headers.push([raw[index]!, raw[index + 1]!]);
  return headers;
}

/** Refuses everything but a program's POST to the secret path. Undefined when the body may be read. */
function refusalOf(
  request: IncomingMessage,
  {token, publicHosts}: ReceiverOptions,
  port: number,
  mostHeaders: number,
): Refusal | undefined {
  const {method, url = '', headers, rawHeaders} = request;
  if (rawHeaders.length / 2 > mostHeaders) return {reason: 'too_many_headers', status: 431};
  const hosts = headerValues(request, 'host');
  if (hosts.length !== 1) return {reason: 'host', status: 400};
  // Protects against DNS rebinding: another host name that resolves to this machine.
  if (!url.startsWith('/') || !isOwnHost(hosts[0]!, port, publicHosts?.() ?? [])) return {reason: 'host', status: 421};
  if (isFromBrowser(request)) return {reason: 'browser', status: 403};
  if (method !== 'POST') return {reason: 'method', status: 405};
  if (headers.upgrade !== undefined) return {reason: 'upgrade', status: 400};
  if (pathBehindToken(url, token) === undefined) return {reason: 'path', status: 404};
  if (headerValues(request, 'content-encoding').some((value) => value.toLowerCase() !== 'identity')) {
    // The bytes as sent are signed, so nothing is decompressed.
    return {reason: 'content_encoding', status: 415};
  }
  return undefined;
}

/** What follows `/token`, query included; undefined for any other path. */
function pathBehindToken(url: string, token: string): string | undefined {
  const given = Buffer.from(url.slice(1, 1 + token.length), 'latin1');
  const wanted = Buffer.from(token, 'latin1');
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
  const rest = url.slice(1 + token.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : undefined;
}
