// An HTTP server, on loopback by default. Limits time and size, and closes without cutting off requests.

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type {AddressInfo, Socket} from 'node:net';
import {type CentavoError, usageError} from '../common/errors.js';
import {localError} from '../common/system-errors.js';

const LOOPBACK = '127.0.0.1';

export interface ServerLimits {
  /** Milliseconds that a client may take for its headers. */
  readonly headersMilliseconds: number;
  /** Milliseconds that a connection may be idle after a response. */
  readonly idleMilliseconds: number;
  /** Milliseconds that a client may take for its whole request. */
  readonly requestMilliseconds: number;
  readonly connections: number;
  readonly headers: number;
}

/** Why the server itself refused a request or connection. The status is 0 if no response was sent. */
export interface ServerRefusal {
  readonly reason: 'body_too_large' | 'malformed' | 'method' | 'timeout' | 'too_many_connections' | 'too_many_headers';
  readonly status: number;
}

export interface ServerOptions {
  readonly port: number;
  readonly host?: string;
  readonly limits: ServerLimits;
  readonly name: string;
  readonly onRequest: RequestListener;
  readonly onRefused?: (refusal: ServerRefusal) => void;
}

export interface ServerReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface HttpServer {
  readonly port: number;
  /** Sends a response. While the server is closing, the response ends its connection. */
  readonly send: (response: ServerResponse, answer: ServerReply) => void;
  /** @param grace milliseconds that running requests may still take */
  readonly close: (grace: number) => Promise<void>;
}

export async function startServer({
  port,
  host = LOOPBACK,
  limits,
  name,
  onRequest,
  onRefused = () => {},
}: ServerOptions): Promise<HttpServer> {
  const server = createServer({
    headersTimeout: limits.headersMilliseconds,
    requestTimeout: limits.requestMilliseconds,
    keepAliveTimeout: limits.idleMilliseconds,
    // Node enforces the time limits only at this interval.
    connectionsCheckingInterval: Math.min(250, limits.headersMilliseconds / 4),
    insecureHTTPParser: false,
    // Request listeners check the Host header.
    requireHostHeader: false,
  });
  server.maxConnections = limits.connections;
  // Node silently drops headers above this count. Accept one more, so that too many can be noticed and refused.
  server.maxHeadersCount = limits.headers + 1;
  const endConnections = trackBusy(server);
  let closed: Promise<void> | undefined;

  server.on('drop', () => onRefused({reason: 'too_many_connections', status: 0}));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const refusal = refusalOfError(error);
    if (refusal) onRefused(refusal);
    endWithStatus(socket, refusal?.status);
  });
  server.on('connect', (_request, socket: Socket) => {
    onRefused({reason: 'method', status: 405});
    endWithStatus(socket, 405);
  });
  await listen(server, port, host, name);
  server.on('request', onRequest);

  return {
    port: (server.address() as AddressInfo).port,
    send: (response, answer) => send(response, answer, closed !== undefined),
    close: (grace) =>
      (closed ??= new Promise((resolve) => {
        const limit = setTimeout(() => server.closeAllConnections(), grace);
        server.close(() => {
          clearTimeout(limit);
          resolve();
        });
        endConnections();
      })),
  };
}

function send(response: ServerResponse, {status, headers, body}: ServerReply, last: boolean): void {
  if (response.headersSent || response.destroyed) return;
  const empty = body === undefined || body.byteLength === 0 || status === 204 || status === 304;
  response.writeHead(status, {
    ...headers,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status !== 204 && {'content-length': empty ? 0 : body.byteLength}),
    ...(last && {connection: 'close'}),
  });
  response.end(empty ? undefined : body);
}

/** Returns the body, `aborted` if the connection ended, or `too_large`. @param limit bytes */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | 'aborted' | 'too_large'> {
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
    request.on('error', () => resolve('aborted'));
    request.on('close', () => resolve('aborted'));
  });
}

/** @returns a function that ends idle connections at once, and busy connections after their response */
function trackBusy(server: Server): () => void {
  const open = new Set<Socket>();
  const busy = new Set<Socket>();
  let ending = false;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.on('request', ({socket}: IncomingMessage, response) => {
    busy.add(socket);
    response.on('close', () => {
      busy.delete(socket);
      if (ending) socket.end();
    });
  });
  return () => {
    ending = true;
    for (const socket of open) if (!busy.has(socket)) socket.destroy();
  };
}

/** Milliseconds for reading and dropping the rest of a refused request, so that its sender sees the response. */
const DRAIN_TIME = 250;

const lastAnswer = (status: number): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;

/**
 * Answers a request whose body is still arriving, and ends its connection. An immediate close, as in Node, would reset
 * the connection, and the sender would not see the response.
 */
export function cutShort(request: IncomingMessage, status: number): void {
  const {socket} = request;
  request.resume();
  socket.end(lastAnswer(status));
  const ending = setTimeout(() => socket.destroy(), DRAIN_TIME);
  socket.once('close', () => clearTimeout(ending));
}

/** Returns undefined for a connection that just ended. */
function refusalOfError({code = ''}: NodeJS.ErrnoException): ServerRefusal | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return {reason: 'timeout', status: 408};
  if (code === 'HPE_HEADER_OVERFLOW') return {reason: 'too_many_headers', status: 431};
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return {reason: 'body_too_large', status: 413};
  return code.startsWith('HPE_') ? {reason: 'malformed', status: 400} : undefined;
}

function endWithStatus(socket: Socket, status: number | undefined): void {
  if (status === undefined || !socket.writable) socket.destroy();
  else socket.end(lastAnswer(status), () => socket.destroy());
}

function listen(server: Server, port: number, host: string, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, port, host, name)));
    server.listen({port, host, exclusive: true}, resolve);
  });
}

function listenError(error: NodeJS.ErrnoException, port: number, host: string, name: string): CentavoError {
  if (error.code === 'EADDRNOTAVAIL')
    return usageError('address_not_available', `${host} is not an address of this machine.`, {
      hint: 'For all of its addresses: --host 0.0.0.0',
      cause: error,
    });
  const other = {hint: 'Use another port with --port, or a free one with --port 0.', cause: error};
  if (error.code === 'EADDRINUSE')
    return usageError('port_in_use', `port ${port} is in use.`, {why: 'It may be another centavo.', ...other});
  const why = 'Ports below 1024 need administrator rights.';
  if (error.code === 'EACCES') return usageError('port_not_allowed', `port ${port} is not allowed.`, {why, ...other});
  return localError(`${name} cannot listen on port ${port}.`, error);
}

/** Returns every value of a header, in order. Node joins repeated headers, or keeps only the first. */
export function headerValues({rawHeaders}: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.toLowerCase() === name) values.push(rawHeaders[index + 1]!);
  return values;
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * True if a Host header names this server. Another name means DNS rebinding: a foreign name that resolves here.
 * @param publicHosts further names of this server, with the port if any
 */
export function isOwnHost(host: string, port: number, publicHosts: readonly string[] = []): boolean {
  const name = host.toLowerCase();
  const isLoopback = LOOPBACK_NAMES.some(
    (loopback) => name === `${loopback}:${port}` || (port === 80 && name === loopback),
  );
  return isLoopback || publicHosts.some((known) => known.toLowerCase() === name);
}

/** True if a browser sent the request for a page of another site, or for any script. */
export function isFromBrowser({headers}: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin !== undefined || site === 'cross-site' || site === 'same-site';
}
