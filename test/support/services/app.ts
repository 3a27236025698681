// A developer's app: accepts webhooks on a port, and records each request.

import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {buffer} from 'node:stream/consumers';
import {onTestFinished} from 'vitest';
import {Watchers} from '../watchers.js';
import {listen} from './sockets.js';

export interface Hit {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export type Said =
  number | 'hang' | 'reset' | {status: number; headers?: Record<string, string>; body?: Buffer | string};

export type App = Awaited<ReturnType<typeof app>>;

/** @param answer called with each request and its number, from 1 */
export async function app(
  answer: (hit: Hit, count: number, response: ServerResponse) => Promise<Said> | Said = () => 200,
  onPort = 0,
) {
  const hits: Hit[] = [];
  const watchers = new Watchers();
  const server = createServer(async (request, response) => {
    const {method, url, rawHeaders, headers} = request;
    const hit = {method: method!, url: url!, rawHeaders, headers, body: await buffer(request)};
    hits.push(hit);
    const respond = (said: Said): void => {
      if (said === 'reset') return void request.socket.resetAndDestroy();
      if (said === 'hang') return;
      const {status, headers: own = {}, body = ''} = typeof said === 'number' ? {status: said} : said;
      response.writeHead(status, own).end(body);
    };
    const said = answer(hit, hits.length, response);
    if (said instanceof Promise) void said.then(respond);
    else respond(said);
    watchers.notify();
  });
  const {port, close} = await listen(server, onTestFinished, onPort);
  /** Resolves after this many requests. */
  const received = (count: number) => watchers.counted(hits, count);
  return {port, hits: hits as readonly Hit[], close, received};
}
