// A served sandbox whose clock only tests move, and requests to its control path and API under any key.

import type {OutgoingHttpHeaders} from 'node:http';
import {onTestFinished} from 'vitest';
import {controlOf} from '../../../src/sandbox/control/control.js';
import {serveSandbox, type ServeOptions} from '../../../src/sandbox/serve/sandbox-server.js';
import {world, type Wire} from '../../support/sandbox/world.js';
import {ask} from '../pages/visitor.js';

export const authorization = (key: string): string => `Basic ${Buffer.from(`${key}:`).toString('base64')}`;

export async function served(options: Partial<ServeOptions> = {}) {
  const w = world();
  const faults: unknown[] = [];
  const server = await serveSandbox(controlOf(w.sandbox), {
    port: 0,
    onFault: (error) => faults.push(error),
    ...options,
  });
  onTestFinished(() => server.close());
  const key = server.keys.secret;

  /** @param sent an object for JSON, text for a form */
  async function send(method: string, path: string, sent?: object | string, headers: OutgoingHttpHeaders = {}) {
    const body = typeof sent === 'object' ? JSON.stringify(sent) : sent;
    const type = typeof sent === 'object' ? {'content-type': 'application/json'} : {};
    const length = body === undefined ? {} : {'content-length': Buffer.byteLength(body)};
    const all = {authorization: authorization(key), ...type, ...length, ...headers};
    const {status, html, headers: answered} = await ask(server.port, path, method, all, body);
    return {status, headers: answered, body: (html ? JSON.parse(html) : {}) as Wire};
  }

  return {
    ...w,
    server,
    key,
    /** Errors behind 500 responses. */
    faults,
    send,
    /** To a path below `/_centavo/`, with the secret key. */
    control: (method: string, path: string, sent?: object | string, headers?: OutgoingHttpHeaders) =>
      send(method, `/_centavo/${path}`, sent, headers),
    /** With another key. */
    as: (other: string) => (method: string, path: string, sent?: object | string) =>
      send(method, path, sent, {authorization: authorization(other)}),
  };
}

export type Served = Awaited<ReturnType<typeof served>>;

export const CART = {
  currency: 'PHP',
  line_items: [{name: 'T-shirt', amount: 45_000, quantity: 2}],
  success_url: 'https://shop.example/thanks',
  cancel_url: 'https://shop.example/cart',
};

/** Status, code and parameter of a refusal. */
export const refusalOf = ({status, body}: {status: number; body: Wire}): unknown[] => [
  status,
  body.errors?.[0]?.code,
  body.errors?.[0]?.parameter,
];
