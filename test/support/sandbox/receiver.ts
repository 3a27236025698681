// A real webhook server: records what arrives, and answers as the test sets.

import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {onTestFinished} from 'vitest';
import {verifySignature, type Verdict} from '../../../src/webhooks/signature/signature.js';
import type {Wire} from './world.js';

export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly event: Wire;
}

export type Answer = number | 'hang' | 'reset' | ((arrival: Arrival, response: ServerResponse) => void);

export interface Receiver {
  readonly url: string;
  readonly arrivals: Arrival[];
  readonly types: () => string[];
  answer: Answer;
  /** Resolves after this many arrivals. */
  readonly until: (count: number) => Promise<void>;
}

export async function receiver(answer: Answer = 200): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  let waiting: {count: number; resolve: () => void}[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const arrival = {
      method: request.method!,
      path: request.url!,
      headers: request.headers,
      body,
      event: JSON.parse(body.toString()) as Wire,
    };
    arrivals.push(arrival);
    const {answer: told} = made;
    if (typeof told === 'function') told(arrival, response);
    else if (told === 'reset') request.socket.resetAndDestroy();
    else if (told !== 'hang') response.writeHead(told).end();
    for (const {resolve} of waiting.filter(({count}) => arrivals.length >= count)) resolve();
    waiting = waiting.filter(({count}) => arrivals.length < count);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const made: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?from=sandbox`,
    arrivals,
    types: () => arrivals.map(({event}) => event.type as string),
    answer,
    until: (count) =>
      arrivals.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({count, resolve})),
  };
  return made;
}

/** @param now unix seconds of the receiver's own clock */
export const verdictOf = ({headers, body}: Arrival, secret: string, now: number): Verdict =>
  verifySignature({body, header: [String(headers['payrex-signature'])], secrets: [secret], now});

export const webhook = (
  {ok}: {ok: (method: 'POST', target: string, body: object) => Promise<Wire>},
  url: string,
  ...events: string[]
): Promise<Wire> => ok('POST', '/webhooks', {url, events});
