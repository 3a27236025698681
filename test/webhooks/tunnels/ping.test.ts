// Verification of a path: only the receiver returns the nonce, and a failure names the response.

import {createServer, type RequestListener} from 'node:http';
import {buffer} from 'node:stream/consumers';
import {expect, onTestFinished, test} from 'vitest';
import {inspectSignature} from '../../../src/webhooks/signature/signature.js';
import {PING_HEADER, verifyTunnelPath, type VerifyPathOptions} from '../../../src/webhooks/tunnels/verify-path.js';
import {serveTls} from '../../support/client/tls-server.js';
import {rejection} from '../../support/tunnels/programs.js';
import {freePort} from '../../support/free-port.js';
import {listen} from '../../support/services/sockets.js';

const SECRET = 'whsk_stand_in_secret_1';

async function serve(listener: RequestListener): Promise<string> {
  const {url} = await listen(createServer(listener), onTestFinished);
  return `${url}/in/secret-token`;
}

/** A receiver verifies the body, and sends back the nonce of a ping. */
const receiver: RequestListener = async (request, response) => {
  const header = request.headersDistinct['payrex-signature'] ?? [];
  const now = Math.floor(Date.now() / 1000);
  const {genuine} = inspectSignature({body: await buffer(request), header, secrets: [SECRET], now});
  if (genuine) response.setHeader(PING_HEADER, String(request.headers[PING_HEADER]));
  response.end();
};

/** Proves; the pauses between attempts are only written down, and after `patience` of them the time is up. */
function prove(url: string, {patience = 100, ...options}: Partial<VerifyPathOptions> & {patience?: number} = {}) {
  const delays: number[] = [];
  const proven = verifyTunnelPath({
    url,
    nonce: 'nonce-1',
    secret: SECRET,
    mode: 'test',
    now: () => Math.floor(Date.now() / 1000),
    signal: new AbortController().signal,
    sleep: (milliseconds) => {
      delays.push(milliseconds);
      return delays.length <= patience ? Promise.resolve() : Promise.reject(new Error('the time is up'));
    },
    ...options,
  });
  return {proven, delays};
}

test('a signed ping comes back from the receiver', async () => {
  const {proven, delays} = prove(await serve(receiver));
  expect(await proven).toEqual({attempts: 1});
  expect(delays).toEqual([]);
});

test('retries an unreachable path with growing delays', async () => {
  const seen: Record<string, unknown>[] = [];
  const url = await serve((request, response) => {
    seen.push({method: request.method, url: request.url, skip: request.headers['ngrok-skip-browser-warning']});
    if (seen.length === 1) return void request.socket.destroy();
    if (seen.length <= 5) return void response.writeHead(seen.length % 2 ? 404 : 502).end('<html>');
    return void response.setHeader(PING_HEADER, String(request.headers[PING_HEADER])).end();
  });
  const {proven, delays} = prove(url);
  expect(await proven).toEqual({attempts: 6});
  expect(delays).toEqual([250, 500, 1000, 2000, 2000]);
  expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(
    new Set(['{"method":"POST","url":"/in/secret-token","skip":"1"}']),
  );
});

const NO_PROOF: readonly {who: string; listener: RequestListener; why: string}[] = [
  {
    who: 'a page of another server',
    listener: (_, response) => response.end('<!doctype html><title>\n Welcome to nginx! </title>'),
    why: 'Another server answers there: 200 with a page titled “Welcome to nginx!”.',
  },
  {
    who: 'the nonce of an earlier run',
    listener: (_, response) => response.setHeader(PING_HEADER, 'nonce-0').end(),
    why: 'Another server answers there: 200.',
  },
  {
    who: 'an echo of the whole request',
    listener: (request, response) => response.end(JSON.stringify(request.headers)),
    why: 'Another server answers there: 200.',
  },
  {
    who: 'an error with the nonce',
    listener: (_, response) => response.writeHead(500, {[PING_HEADER]: 'nonce-1'}).end(),
    why: 'It answers 500.',
  },
  {
    who: 'the page of a gateway',
    listener: (_, response) => response.writeHead(502).end('<HTML>bad gateway'),
    why: 'It answers 502 with a web page.',
  },
  {
    who: 'an answer without an end',
    listener: (_, response) => {
      // Since Node 24.22, the callback also runs when the client has closed the connection, with the error.
      const more = (error?: Error | null): void => {
        if (!error && !response.destroyed) response.write('x'.repeat(4096), more);
      };
      more();
    },
    why: 'Another server answers there: 200.',
  },
];

async function expectUnproven(url: string, why: string, deadline?: number): Promise<void> {
  const error = await rejection(prove(url, {patience: 0, deadline}).proven);
  expect(error).toMatchObject({kind: 'unavailable', code: 'tunnel_unproven', details: {why, retryable: true}});
  expect(error.message).toBe(`a request to ${new URL(url).origin} does not reach this machine.`);
  expect(JSON.stringify([error.message, error.details])).not.toContain('secret-token');
}

test.each(NO_PROOF)('does not accept $who as the receiver, and reports the response', async ({listener, why}) => {
  await expectUnproven(await serve(listener), why);
});

test('waits for a response until the deadline', async () => {
  await expectUnproven(await serve(() => {}), 'No response in time.', 300);
});

test('does not follow or retry a redirect', async () => {
  let requests = 0;
  const url = await serve((_, response) => {
    requests++;
    response.writeHead(308, {location: 'https://hooks.example.com/in/secret-token'}).end();
  });
  const {details} = await rejection(prove(url).proven);
  expect(requests).toBe(1);
  expect(details).toMatchObject({retryable: false});
  expect(details.why).toBe(
    'It answers 308, a redirect to https://hooks.example.com. Webhooks do not follow redirects.',
  );
});

test.each<[string, () => Promise<string>, string]>([
  ['an unknown name', () => Promise.resolve('https://a.example/'), 'The host name does not exist yet (ENOTFOUND).'],
  ['a closed port', async () => `http://127.0.0.1:${await freePort()}/`, 'It cannot be reached (ECONNREFUSED).'],
  [
    'an unknown certificate',
    async () => (await serveTls()).url,
    'Its certificate is not accepted (UNABLE_TO_VERIFY_LEAF_SIGNATURE).',
  ],
])('%s has a clear message', async (_, urlOf, why) => {
  const lookup: VerifyPathOptions['lookup'] = (_name, _options, callback) =>
    callback(Object.assign(new Error('not found'), {code: 'ENOTFOUND'}), '');
  const {proven} = prove(new URL('in/secret-token', await urlOf()).href, {lookup, patience: 0});
  expect((await rejection(proven)).details).toMatchObject({why, hint: expect.any(String)});
});

test('can be stopped during and between attempts', async () => {
  const asking = new AbortController();
  const url = await serve(() => asking.abort());
  expect(await rejection(prove(url, {signal: asking.signal}).proven)).toMatchObject({kind: 'interrupted'});

  const pausing = new AbortController();
  const sleep = (): Promise<void> => {
    pausing.abort();
    return Promise.reject(new Error('aborted'));
  };
  const refused = await serve((_, response) => response.writeHead(502).end());
  expect(await rejection(prove(refused, {signal: pausing.signal, sleep}).proven)).toMatchObject({kind: 'interrupted'});
});
