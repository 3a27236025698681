// Raw socket servers in place of the API: one only counts, others answer with scripted bytes.

import {createServer, type Socket} from 'node:net';
import type {AddressInfo} from 'node:net';
import {Watchers} from '../watchers.js';

export interface RawServer {
  readonly url: string;
  readonly requests: readonly string[];
  /** Number of connections, also unused ones. */
  readonly connections: () => number;
  /** Resolves after this many requests. */
  readonly received: (count: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Bytes to answer with before closing the connection. Undefined leaves it open. */
type Script = (request: string) => string | undefined;

/** @param script response to each request */
export async function rawServer(script: Script): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const watchers = new Watchers();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
      if (head < 0 || text.length < head + 4 + length) return;
      requests.push(text);
      const answer = script(text);
      text = '';
      watchers.notify();
      if (answer !== undefined) socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => connections,
    received: (count) => watchers.counted(requests, count),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

export function httpAnswer(status: string, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}connection: close\r\n\r\n${body}`;
}

export const TEST_KEY = 'sk_test_MadeUpForTests0123456789abcdef';
export const LIVE_KEY = 'sk_live_MadeUpForTests0123456789abcdef';
export const PUBLIC_KEY = 'pk_test_MadeUpForTests0123456789abcdef';

/** True if the text contains a key in any readable form. */
export const showsKey = (text: string): boolean =>
  /MadeUpForTests/.test(text) || [TEST_KEY, LIVE_KEY, PUBLIC_KEY].some((key) => text.includes(encoded(key)));

const encoded = (key: string): string => Buffer.from(`${key}:`).toString('base64').slice(0, 24);
