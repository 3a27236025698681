// Servers of a test: one listens and closes with its connections, one answers with any bytes.

import {createServer, type AddressInfo, type Server, type Socket} from 'node:net';
import {Watchers} from '../watchers.js';

export type Listening = Awaited<ReturnType<typeof listen>>;

/** Listens on this machine. @param done registers the end, if the caller does not close the server */
export async function listen(server: Server, done: (close: () => Promise<void>) => void = () => {}, onPort = 0) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(onPort, '127.0.0.1', resolve));
  const {port} = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  done(close);
  return {port, url: `http://127.0.0.1:${port}`, close};
}

export interface RawRequest {
  /** From the request line to the last byte of the body. */
  readonly bytes: Buffer;
  readonly line: string;
  readonly method: string;
  readonly path: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** In order, as written. */
  readonly fields: readonly (readonly [string, string])[];
  readonly body: Buffer;
  readonly socket: Socket;
  /** The number of its connection, from 1. */
  readonly connection: number;
}

export interface Script {
  /** On a new connection, before anything is read. */
  readonly connect?: (socket: Socket) => void;
  /** On the first bytes of a request; returns true if it was handled. */
  readonly begin?: (socket: Socket) => boolean;
  /** On a complete request. */
  readonly answer?: (socket: Socket, request: RawRequest, count: number) => void;
}

export type SocketServer = Awaited<ReturnType<typeof socketServer>>;

/** A server on raw sockets, so that a response can have any wrong bytes; it records all input. */
export async function socketServer(script: Script, port = 0) {
  /** Complete requests, in order of arrival. */
  const requests: RawRequest[] = [];
  const watchers = new Watchers();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = ++connections;
    let pending = Buffer.alloc(0);
    script.connect?.(socket);
    socket.on('data', (chunk) => {
      const isFirst = pending.length === 0;
      pending = Buffer.concat([pending, chunk]);
      if (isFirst && script.begin?.(socket)) return;
      for (let request = take(pending); request; request = take(pending)) {
        pending = pending.subarray(request.bytes.length);
        const whole = {...request, socket, connection};
        requests.push(whole);
        script.answer?.(socket, whole, requests.length);
        watchers.notify();
      }
    });
  });
  return {
    ...(await listen(server, undefined, port)),
    requests,
    /** Number of connections, also unused ones. */
    connections: () => connections,
    /** Resolves after this many requests. */
    received: (count: number) => watchers.counted(requests, count),
  };
}

function take(read: Buffer): Omit<RawRequest, 'connection' | 'socket'> | undefined {
  const end = read.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...lines] = read.subarray(0, end).toString('latin1').split('\r\n');
  const fields = lines.map((one) => [one.slice(0, one.indexOf(':')), one.slice(one.indexOf(':') + 1).trim()] as const);
  const headers = Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));
  const length = end + 4 + Number(headers['content-length'] ?? 0);
  if (read.length < length) return undefined;
  const [method = '', path = ''] = line.split(' ');
  const bytes = Buffer.from(read.subarray(0, length));
  return {bytes, line, method, path, headers, fields, body: bytes.subarray(end + 4)};
}

/** An answer that keeps the connection. */
export function keptAnswer(
  status: number | string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = {'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), ...headers};
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${typeof status === 'number' ? `${status} Status` : status}\r\n${lines.join('')}\r\n${text}`;
}
