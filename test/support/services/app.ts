// A developer's app: accepts webhooks on a port, and records each request.

import {createServer, type IncomingMessage, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {onTestFinished} from 'vitest';
import {Watchers} from '../watchers.js';

export interface Hit {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export type Said = number | {status: number; headers?: Record<string, string>; body?: string};

export interface App {
  readonly port: number;
  readonly hits: readonly Hit[];
  /** Resolves after this many requests. */
  readonly received: (count: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** @param answer called with each request and its number, from 1 */
export async function app(
  answer: (hit: Hit, count: number) => Promise<Said> | Said = () => 200,
  port = 0,
): Promise<App> {
  const hits: Hit[] = [];
  const watchers = new Watchers();
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const {method, url, rawHeaders, headers} = request;
    const hit = {method: method!, url: url!, rawHeaders, headers, body: Buffer.concat(chunks)};
    hits.push(hit);
    watchers.notify();
    const said = await answer(hit, hits.length);
    const {status, headers: own = {}, body = ''} = typeof said === 'number' ? {status: said} : said;
    response.writeHead(status, own).end(body);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return {
    port: (server.address() as AddressInfo).port,
    hits,
    close,
    received: (count) => watchers.counted(hits, count),
  };
}
