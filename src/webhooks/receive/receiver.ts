// The server that receives webhooks. Stores a genuine delivery before forwarding it or responding.

import {timingSafeEqual} from 'node:crypto';
import type {IncomingMessage, ServerResponse} from 'node:http';
import {
  cutShort,
  headerValues,
  isFromBrowser,
  isOwnHost,
  type HttpServer,
  readBody,
  type ServerReply,
  type ServerLimits,
  type ServerRefusal,
  startServer,
} from '../../http/server.js';
import {SIGNATURE, verifyEvent, inspectSignature, type VerifyOptions} from '../signature/signature.js';
import type {DeliveryStore} from '../store/deliveries.js';
import {PING_EVENT_TYPE, PING_HEADER} from '../tunnels/verify-path.js';
import {type Delivery, type EventFacts, eventFactsOf, type RawHeader, readEventFacts} from './delivery.js';

type RefusalReason =
  ServerRefusal['reason'] | 'browser' | 'content_encoding' | 'host' | 'not_stored' | 'path' | 'ping' | 'upgrade';

export interface ReceiverRefusal {
  readonly reason: RefusalReason;
  /** HTTP status; 0 if the connection was closed without a response. */
  readonly status: number;
}

const NOT_STORED: ReceiverRefusal = {reason: 'not_stored', status: 503};

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

export interface ReceiverOptions extends Pick<VerifyOptions, 'mode' | 'toleranceSeconds'> {
  readonly store: Pick<DeliveryStore, 'record'>;
  readonly profile: string;
  readonly webhook?: () => string | undefined;
  /** Secret part of the URL: 32 letters and digits. */
  readonly token: string;
  readonly port?: number;
  readonly secrets: () => readonly string[];
  /** Resolves when `secrets` are known. Until then, deliveries wait: none can be judged. */
  readonly secretsKnown?: () => Promise<unknown> | undefined;
  /** False to accept deliveries that are not genuine too, and store their verdict. */
  readonly verify?: boolean;
  /** Public host names of this receiver, with the port if any, as in a Host header. */
  readonly publicHosts?: () => readonly string[];
  readonly now: () => number;
  readonly newId: () => string;
  /** Returns the forwarding targets, which are stored with the delivery, so that a crash does not lose them. */
  readonly targetsOf?: (event: EventFacts) => readonly string[];
  readonly respond: (delivery: Delivery) => Promise<ServerReply>;
  /** Called for every delivery, once stored. Refused deliveries that are not genuine are not stored. */
  readonly onDelivery?: (delivery: Delivery) => void;
  readonly onRefused?: (refusal: ReceiverRefusal) => void;
  readonly onFailure?: (error: unknown) => void;
  readonly limits?: Partial<ReceiverLimits>;
}

export const startReceiver = (options: ReceiverOptions): Promise<Receiver> => new Receiver(options).start();

export class Receiver {
  readonly #limits: ReceiverLimits;
  /** Secrets of expected pings, by nonce. */
  readonly #pings = new Map<string, string>();
  #hasFailed = false;
  #server!: HttpServer;

  constructor(private readonly options: ReceiverOptions) {
    this.#limits = {...DEFAULT_LIMITS, ...options.limits};
  }

  async start(): Promise<this> {
    this.#server = await startServer({
      port: this.options.port ?? 0,
      limits: this.#limits,
      name: 'the receiver',
      onRequest: (request, response) => {
        this.#handle(request, response).catch((error: unknown) => {
          this.#reportFailure(error);
          this.#server.send(response, {status: 500});
        });
      },
      onRefused: (refusal) => this.options.onRefused?.(refusal),
    });
    return this;
  }

  get port(): number {
    return this.#server.port;
  }

  /** The local URL, with the token. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/${this.options.token}`;
  }

  /** Answers pings with this nonce, signed with this secret, until the returned function is called. */
  expectPing(nonce: string, secret: string): () => void {
    this.#pings.set(nonce, secret);
    return () => void this.#pings.delete(nonce);
  }

  /** Resolves when current requests are answered, or cut short after `drainMilliseconds`. */
  close(drainMilliseconds: number): Promise<void> {
    return this.#server.close(drainMilliseconds);
  }

  #reportFailure(error: unknown): void {
    if (!this.#hasFailed) this.options.onFailure?.(error);
    this.#hasFailed = true;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, this.options, this.port, this.#limits.headers);
    if (refusal) return this.#refuse(request, response, refusal);
    const body = await readBody(request, this.#limits.bodyBytes);
    if (body === 'aborted') return;
    if (body === 'too_large') return this.#refuse(request, response, {reason: 'body_too_large', status: 413});
    const nonces = headerValues(request, PING_HEADER);
    if (nonces.length === 0) return this.#receive(body, request, response);
    const [nonce = ''] = nonces;
    if (nonces.length > 1 || !this.#isExpectedPing(nonce, request, body))
      return this.#refuse(request, response, {reason: 'ping', status: 401});
    this.#server.send(response, {status: 200, headers: {[PING_HEADER]: nonce}});
  }

  /** True if the signed body contains the nonce too: anyone could send the header. */
  #isExpectedPing(nonce: string, request: IncomingMessage, body: Uint8Array): boolean {
    const secret = this.#pings.get(nonce);
    const {type, objectId} = readEventFacts(body);
    if (secret === undefined || type !== PING_EVENT_TYPE || objectId !== nonce) return false;
    // Only this process knows the nonce, so its age does not matter.
    const options = {body, header: headerValues(request, SIGNATURE), secrets: [secret], now: 0, toleranceSeconds: 0};
    return inspectSignature(options).genuine;
  }

  #deliveryOf(request: IncomingMessage, body: Uint8Array) {
    const {now, webhook, secrets, toleranceSeconds, mode, newId, profile, token} = this.options;
    const receivedAt = now();
    const webhookId = webhook?.();
    const {verdict, event} = verifyEvent({
      body,
      header: headerValues(request, SIGNATURE),
      secrets: secrets(),
      now: Math.floor(receivedAt / 1000),
      toleranceSeconds,
      mode,
    });
    const delivery: Delivery = {
      id: newId(),
      receivedAt,
      profile,
      ...(webhookId !== undefined && {webhook: webhookId}),
      path: pathBehindToken(request.url!, token)!,
      headers: headerPairs(request.rawHeaders),
      body,
      verdict,
      event: event ? eventFactsOf(event) : readEventFacts(body),
    };
    return {delivery, event};
  }

  async #receive(body: Uint8Array, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const {store, verify, targetsOf, onDelivery, respond, secrets, secretsKnown} = this.options;
    await secretsKnown?.();
    // The listener ended before its webhook was registered.
    if (secrets().length === 0) return this.#refuse(request, response, NOT_STORED);
    const {delivery, event} = this.#deliveryOf(request, body);
    if (!delivery.verdict.genuine && verify !== false) {
      onDelivery?.(delivery);
      // The same response for every reason tells a forger nothing.
      return this.#server.send(response, {status: 401});
    }
    let stored: Delivery;
    try {
      stored = {...delivery, ...(await store.record(delivery, targetsOf?.(delivery.event), event))};
    } catch (error) {
      this.#reportFailure(error);
      return this.#refuse(request, response, NOT_STORED);
    }
    this.#hasFailed = false;
    onDelivery?.(stored);
    this.#server.send(response, await respond(stored));
  }

  /** Responds with the status, and closes the connection. */
  #refuse(request: IncomingMessage, response: ServerResponse, refusal: ReceiverRefusal): void {
    const {status} = refusal;
    this.options.onRefused?.(refusal);
    // A response has no socket while an earlier request on its connection is unanswered.
    if (!request.complete && response.socket) return cutShort(request, status);
    response.shouldKeepAlive = false;
    this.#server.send(response, {status, ...(status === 405 && {headers: {allow: 'POST'}})});
  }
}

function headerPairs(raw: readonly string[]): RawHeader[] {
  const headers: RawHeader[] = [];
  for (let index = 0; index < raw.length; index += 2) headers.push([raw[index]!, raw[index + 1]!]);
  return headers;
}

/** Refuses every request except a program's POST to the secret path. Returns undefined if the body may be read. */
function refusalOf(
  request: IncomingMessage,
  {token, publicHosts}: ReceiverOptions,
  port: number,
  maxHeaders: number,
): ReceiverRefusal | undefined {
  const {method, url = '', headers, rawHeaders} = request;
  if (rawHeaders.length / 2 > maxHeaders) return {reason: 'too_many_headers', status: 431};
  const hosts = headerValues(request, 'host');
  if (hosts.length !== 1) return {reason: 'host', status: 400};
  // Protects against DNS rebinding: another host name that resolves to this machine.
  if (!url.startsWith('/') || !isOwnHost(hosts[0]!, port, publicHosts?.() ?? [])) return {reason: 'host', status: 421};
  if (isFromBrowser(request)) return {reason: 'browser', status: 403};
  if (method !== 'POST') return {reason: 'method', status: 405};
  if (headers.upgrade !== undefined) return {reason: 'upgrade', status: 400};
  if (pathBehindToken(url, token) === undefined) return {reason: 'path', status: 404};
  if (headerValues(request, 'content-encoding').some((value) => value.toLowerCase() !== 'identity')) {
    // The signature covers the bytes as sent, so nothing is decompressed.
    return {reason: 'content_encoding', status: 415};
  }
  return undefined;
}

/** Returns the path after `/token`, with the query; undefined for any other path. */
function pathBehindToken(url: string, token: string): string | undefined {
  const received = Buffer.from(url.slice(1, 1 + token.length), 'latin1');
  const expected = Buffer.from(token, 'latin1');
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return undefined;
  const rest = url.slice(1 + token.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : undefined;
}
