// A sandbox on its own port, and plain HTTP requests to it, independent of the contract.

import {request as httpRequest, type IncomingHttpHeaders} from 'node:http';
import {onTestFinished} from 'vitest';
import {createEmbeddedSandbox, type EmbeddedSandbox} from '../../src/sandbox/embedded.js';
import {serveSandbox} from '../../src/sandbox/serve/sandbox-server.js';
import {controlOf} from '../../src/sandbox/control/control.js';

/** Unix seconds at which each sandbox begins. Its clock stops until a test advances it. */
export const START = 1_790_000_000;
export const DAY = 86_400;

export type Wire = any;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text as JSON; undefined if empty. */
  readonly body: Wire;
}

export interface Sent {
  /** A body in JSON. */
  readonly json?: unknown;
  /** A body as an HTML form writes it. */
  readonly form?: string;
  /** Any other body, with its type in the headers. */
  readonly raw?: string;
  /** The user name of Basic authentication. Default: the secret key; null for none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Service {
  readonly url: string;
  readonly secretKey: string;
  readonly publicKey: string;
  readonly send: (method: string, target: string, sent?: Sent) => Promise<Answer>;
  /** The response body of a request that must succeed; a request body is sent as JSON. */
  readonly ok: (method: string, target: string, json?: unknown) => Promise<Wire>;
  /** Parts outside the API: the payer, the clock, the records. */
  readonly sandbox: EmbeddedSandbox;
}

export const basic = (userAndPassword: string): string => `Basic ${Buffer.from(userAndPassword).toString('base64')}`;

/** A new sandbox, served until the test, or the given hook, ends. */
export async function service(done: (close: () => Promise<void>) => void = onTestFinished): Promise<Service> {
  const sandbox = createEmbeddedSandbox({now: () => START});
  const server = await serveSandbox(controlOf(sandbox), {port: 0});
  done(async () => {
    await server.close();
    sandbox.close();
  });

  const send: Service['send'] = (method, target, {json, form, raw, key = sandbox.keys.secret, headers} = {}) => {
    const body = json === undefined ? (form ?? raw) : JSON.stringify(json);
    return exchange(`${server.url}${target}`, method, body, {
      ...(json !== undefined && {'content-type': 'application/json'}),
      ...(form !== undefined && {'content-type': 'application/x-www-form-urlencoded'}),
      ...(key !== null && {authorization: basic(`${key}:`)}),
      ...headers,
    });
  };

  return {
    url: server.url,
    secretKey: sandbox.keys.secret,
    publicKey: sandbox.keys.public,
    sandbox,
    send,
    async ok(method, target, json) {
      const answer = await send(method, target, {json});
      if (answer.status >= 300) throw new Error(`${method} ${target}: HTTP ${answer.status} ${answer.text}`);
      return answer.body;
    },
  };
}

function exchange(
  url: string,
  method: string,
  body: string | undefined,
  headers: Record<string, string>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : {'content-length': String(Buffer.byteLength(body))};
    const request = httpRequest(url, {method, headers: {...length, ...headers}, agent: false}, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const parsed = text === '' ? undefined : JSON.parse(text);
        resolve({status: response.statusCode!, headers: response.headers, text, body: parsed});
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
