// A server on raw sockets, so that a response can have any wrong bytes; it records all input.

import {once} from 'node:events';
import {createServer, type AddressInfo, type Socket} from 'node:net';

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The number of its connection, from 1. */
  readonly connection: number;
}

export interface RawServer {
  readonly url: string;
  readonly port: number;
  /** Complete requests, in order of arrival. */
  readonly requests: RawRequest[];
  readonly connections: number;
  /** All bytes read, complete requests or not. */
  readonly received: () => string;
  readonly close: () => Promise<void>;
}

export interface Script {
  /** On a new connection, before anything is read. */
  readonly connect?: (socket: Socket) => void;
  /** On the first bytes of a request; returns true if it was handled. */
  readonly begin?: (socket: Socket) => boolean;
  /** On a complete request. */
  readonly answer?: (socket: Socket, request: RawRequest, count: number) => void;
}

export async function rawServer(script: Script): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  const received: Buffer[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    const connection = ++connections;
    let pending = '';
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    script.connect?.(socket);
    socket.on('data', (chunk) => {
      received.push(chunk);
      const first = pending === '';
      pending += chunk.toString('latin1');
      if (first && script.begin?.(socket)) return;
      for (;;) {
        const parsed = takeRequest(pending, connection);
        if (!parsed) return;
        pending = parsed.rest;
        requests.push(parsed.request);
        script.answer?.(socket, parsed.request, requests.length);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return connections;
    },
    received: () => Buffer.concat(received).toString('latin1'),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function takeRequest(bytes: string, connection: number): {request: RawRequest; rest: string} | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = Number(headers['content-length'] ?? 0);
  const body = bytes.slice(end + 4, end + 4 + length);
  if (body.length < length) return undefined;
  const [method = '', path = ''] = first.split(' ');
  return {request: {method, path, headers, body, connection}, rest: bytes.slice(end + 4 + length)};
}

export function httpAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): string {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const all = {'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), ...headers};
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n${text}`;
}
