// HTTP: a server for programs on this machine. It listens on loopback only, limits time and size, refuses malformed requests,
// and closes without cutting off requests under way. Who a request is from can be checked: a program, or a web page in a browser.

import {createServer, type IncomingMessage, type RequestListener, type Server, STATUS_CODES} from 'node:http';
import type {AddressInfo, Socket} from 'node:net';
import {type CentavoError, usageError} from '../errors.js';
import {localError} from '../system-errors.js';

const HOST = '127.0.0.1';

export interface ServerLimits {
  /** How long a client may take for its headers, in milliseconds. */
  readonly headersMilliseconds: number;
  /** How long a connection may be idle after an answer, in milliseconds. */
  readonly idleMilliseconds: number;
  /** How long a client may take for its whole request, in milliseconds. */
  readonly requestMilliseconds: number;
  /** Open at once. */
  readonly connections: number;
  /** Headers of one request. */
  readonly headers: number;
}

/** Why the server itself refused something, and the status of its answer; 0 when there was none. */
export interface ServerRefusal {
  readonly reason: 'body_too_large' | 'malformed' | 'method' | 'timeout' | 'too_many_connections' | 'too_many_headers';
  readonly status: number;
}

export interface ServerOptions {
  /** 0 takes any free one. */
  readonly port: number;
  readonly limits: ServerLimits;
  /** What listens, for the words of an error: `the sandbox`. */
  readonly name: string;
  readonly onRequest: RequestListener;
  readonly onRefused?: (refusal: ServerRefusal) => void;
}

export interface LimitedServer {
  readonly port: number;
  /** True once closing has begun: an answer given now is the last of its connection. */
  readonly closing: () => boolean;
  /** @param patience how long what is under way may take, in milliseconds */
  readonly close: (patience: number) => Promise<void>;
}

/** @throws CentavoError kind `usage` for a port that is taken or not allowed */
export async function startServer({
  port,
  limits,
  name,
  onRequest,
  onRefused = () => {},
}: ServerOptions): Promise<LimitedServer> {
  const server = createServer({
    headersTimeout: limits.headersMilliseconds,
    requestTimeout: limits.requestMilliseconds,
    keepAliveTimeout: limits.idleMilliseconds,
    // Limits are enforced only as often as they are checked.
    connectionsCheckingInterval: Math.min(250, limits.headersMilliseconds / 4),
    insecureHTTPParser: false,
    // The servers check the Host header themselves.
    requireHostHeader: false,
  });
  server.maxConnections = limits.connections;
  // Node silently drops headers above this count. One more is accepted, so that too many can be noticed and refused.
  server.maxHeadersCount = limits.headers + 1;
  const busy = trackBusy(server);
  let closed: Promise<void> | undefined;

  server.on('drop', () => onRefused({reason: 'too_many_connections', status: 0}));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const refusal = refusalOfError(error);
    if (refusal) onRefused(refusal);
    endWith(socket, refusal?.status);
  });
  server.on('connect', (_request, socket: Socket) => {
    onRefused({reason: 'method', status: 405});
    endWith(socket, 405);
  });
  await listen(server, port, name);
  server.on('request', onRequest);

  return {
    port: (server.address() as AddressInfo).port,
    closing: () => closed !== undefined,
    close: (patience) =>
      (closed ??= new Promise((resolve) => {
        const limit = setTimeout(() => server.closeAllConnections(), patience);
        server.close(() => {
          clearTimeout(limit);
          resolve();
        });
        busy.endOthers();
      })),
  };
}

/** Tracks which connections have a request under way. The others are ended at once when the server closes. */
function trackBusy(server: Server): {endOthers: () => void} {
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
  return {
    endOthers: () => {
      ending = true;
      for (const socket of open) if (!busy.has(socket)) socket.destroy();
    },
  };
}

/** How long the rest of a refused request is read and dropped, in milliseconds, so that its sender sees the answer. */
const LINGER = 250;

const lastAnswer = (status: number): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;

/**
 * Answers a request whose body is still arriving, and ends its connection. Closing it at once, as Node does, would reset it,
 * and a sender that is reset while sending does not see the answer.
 */
export function cutShort(request: IncomingMessage, status: number): void {
  const {socket} = request;
  request.resume();
  socket.end(lastAnswer(status));
  const ending = setTimeout(() => socket.destroy(), LINGER);
  socket.once('close', () => clearTimeout(ending));
}

/** Why Node's parser or its limits refused a request; undefined for a connection that just ended. */
function refusalOfError({code = ''}: NodeJS.ErrnoException): ServerRefusal | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return {reason: 'timeout', status: 408};
  if (code === 'HPE_HEADER_OVERFLOW') return {reason: 'too_many_headers', status: 431};
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return {reason: 'body_too_large', status: 413};
  return code.startsWith('HPE_') ? {reason: 'malformed', status: 400} : undefined;
}

function endWith(socket: Socket, status: number | undefined): void {
  if (status === undefined || !socket.writable) socket.destroy();
  else socket.end(lastAnswer(status), () => socket.destroy());
}

function listen(server: Server, port: number, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, port, name)));
    server.listen({port, host: HOST, exclusive: true}, resolve);
  });
}

function listenError(error: NodeJS.ErrnoException, port: number, name: string): CentavoError {
  if (error.code === 'EADDRINUSE' || error.code === 'EACCES') {
    const taken = error.code === 'EADDRINUSE';
    return usageError(`port ${port} is ${taken ? 'in use' : 'not allowed'}.`, {
      code: taken ? 'port_in_use' : 'port_not_allowed',
      why: taken ? 'Another program is using it.' : 'Ports below 1024 need administrator rights.',
      hint: 'Use another port with --port, or a free one with --port 0.',
      cause: error,
    });
  }
  return localError(`${name} cannot listen on port ${port}.`, error);
}

/** The values of every header of this name, in order: Node joins them, and keeps only the first of some. */
export function headerValues({rawHeaders}: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.toLowerCase() === name) values.push(rawHeaders[index + 1]!);
  return values;
}

const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether a Host header names this server. Another name means DNS rebinding: a foreign name that resolves to this machine.
 * @param publicHosts further names of this server, with the port where there is one
 */
export function isOwnHost(host: string, port: number, publicHosts: readonly string[] = []): boolean {
  const name = host.toLowerCase();
  const isOwn = OWN_NAMES.some((own) => name === `${own}:${port}` || (port === 80 && name === own));
  return isOwn || publicHosts.some((known) => known.toLowerCase() === name);
}

/** Whether a page of another site, or any script, made a browser send the request. */
export function isFromBrowser({headers}: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin !== undefined || site === 'cross-site' || site === 'same-site';
}
