// The receiver: the server that senders reach. It stores genuine deliveries before anything else is done with them.

import type {IncomingMessage, ServerResponse} from 'node:http';
import {cutShort, headerValues, type ServerLimits, startServer} from '../../http/server.js';
import {SIGNATURE_HEADER, verifyEvent, verifySignature, type WebhookMode} from '../signature/signature.js';
import type {DeliveryStore} from '../store/deliveries.js';
import {PING_EVENT_TYPE, PING_HEADER} from '../tunnels/ping.js';
import {type Delivery, type EventFacts, factsOf, type RawHeader, readEventFacts} from './delivery.js';
import {pathBehindToken, type Refusal, refusalOf} from './refusals.js';

/** What the sender is told. */
export interface SenderAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface ReceiverLimits extends ServerLimits {
  /** Largest body, in bytes. */
  readonly bodyBytes: number;
}

const DEFAULT_LIMITS: ReceiverLimits = {
  bodyBytes: 1024 * 1024,
  headersMilliseconds: 2000,
  // Some senders do not reuse connections that are kept for about two seconds or less.
  idleMilliseconds: 5000,
  requestMilliseconds: 5000,
  connections: 256,
  headers: 100,
};

export interface ReceiverOptions {
  readonly store: Pick<DeliveryStore, 'record'>;
  /** Name of the profile that listens. */
  readonly profile: string;
  /** The webhook that leads here now, as {@link Delivery.webhook} names it. */
  readonly webhook?: () => string | undefined;
  /** Secret part of the URL: 32 letters and digits. */
  readonly token: string;
  /** Any free port by default. */
  readonly port?: number;
  /** All secrets that may sign now. */
  readonly secrets: () => readonly string[];
  /** Accept this mode only. */
  readonly mode?: WebhookMode;
  /** Seconds that a signature may be away from now. */
  readonly toleranceSeconds?: number;
  /** False also accepts deliveries that are not genuine. The verdict is stored with them. */
  readonly verify?: boolean;
  /** Hosts of public URLs that lead here, as in a Host header. */
  readonly publicHosts?: () => readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A new id: `dlv_` and 24 letters and digits. */
  readonly newId: () => string;
  /** Where a delivery is forwarded to. Stored with it, so that a crash does not lose it. */
  readonly targetsOf?: (event: EventFacts) => readonly string[];
  /** Decides what the sender of a stored delivery is told. */
  readonly respond: (delivery: Delivery) => Promise<SenderAnswer>;
  /** Called for every delivery, after it is stored. Those that are not genuine are stored only if `verify` is false. */
  readonly onDelivery?: (delivery: Delivery) => void;
  readonly onRefused?: (refusal: Refusal) => void;
  /** Called when storing or answering starts to fail, and again only after it has worked in between. */
  readonly onFailure?: (error: unknown) => void;
  readonly limits?: Partial<ReceiverLimits>;
}

export interface Receiver {
  /** Includes the token. */
  readonly url: string;
  readonly port: number;
  /**
   * Answers signed pings with this nonce, which prove that a public URL leads here, until the returned function is called.
   * @param secret that signs them
   */
  readonly expectPing: (nonce: string, secret: string) => () => void;
  /**
   * Accepts no more requests, and resolves when those under way are answered.
   * @param drainMilliseconds how long they may take
   */
  readonly close: (drainMilliseconds: number) => Promise<void>;
}

/** @throws CentavoError kind `usage` for a port that is taken or not allowed */
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
    const refusal = refusalOf(request, {
      token,
      port: server.port,
      publicHosts: options.publicHosts?.() ?? [],
      maximumHeaders: limits.headers,
    });
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

  /** The signed body must contain the nonce too, since anyone could send the header alone. */
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
      // The same answer for every reason tells a forger nothing.
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

  /** Closes the connection with the answer. */
  function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    options.onRefused?.(refusal);
    // An earlier request on the same connection may not have been answered yet.
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

/** The whole body, without trailers. */
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
