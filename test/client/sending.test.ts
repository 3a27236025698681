// Whether a byte of a write was sent: what an exchange and undici report in each case, and how the client uses it.

import diagnostics from 'node:diagnostics_channel';
import {createServer, type Socket} from 'node:net';
import {createServer as createTlsServer} from 'node:tls';
import {describe, expect, onTestFinished, test} from 'vitest';
import {Agent} from 'undici';
import {clientOf, expectNoKey, READS, SHORT, WRITES} from '../support/client/calls.js';
import {LEAF_KEY, SELF_SIGNED} from '../support/client/certificates.js';
import {RESET} from '../support/client/faults.js';
import {keptAnswer, listen, socketServer, type Script} from '../support/services/sockets.js';
import type {CentavoError} from '../../src/common/errors.js';
import {sendRequest} from '../../src/http/send-request.js';

/** A label of more than 63 characters is invalid, so no resolver is needed. */
const UNKNOWN_HOST = `https://${'a'.repeat(64)}.invalid`;

async function refusedUrl(): Promise<string> {
  const {url, close} = await listen(createServer());
  await close();
  return url;
}

async function serve(script: Script): Promise<{url: string; connections: () => number}> {
  const server = await socketServer(script);
  onTestFinished(server.close);
  return {url: server.url, connections: server.connections};
}

async function serveTls(options: object): Promise<string> {
  const server = createTlsServer({key: LEAF_KEY, cert: SELF_SIGNED, ...options}, (socket) => socket.end());
  server.on('tlsClientError', () => {});
  const {url} = await listen(server, onTestFinished);
  return url.replace('http', 'https');
}

const OLD_TLS = {minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0'};

/** True if undici begins to send one POST, and if it publishes that its headers were sent. */
async function fired(url: string, body = '{}') {
  const seen = new Set<string>();
  const listener = () => void seen.add('sendHeaders');
  diagnostics.subscribe('undici:client:sendHeaders', listener);
  const agent = new Agent({headersTimeout: 0, bodyTimeout: 0, connect: {timeout: SHORT}});
  try {
    await sendRequest(
      agent,
      {origin: url, path: '/customers', method: 'POST', body},
      {signal: AbortSignal.timeout(SHORT), onSending: () => void seen.add('onSending')},
    );
  } catch {
    // The outcome does not matter here.
  } finally {
    diagnostics.unsubscribe('undici:client:sendHeaders', listener);
    await agent.destroy();
  }
  return [...seen];
}

const UNSENT: string[] = [];
const SENT = ['onSending', 'sendHeaders'];

// The client depends on this table: a new version of undici must not change it.
describe('an exchange reports sending, and undici sent headers', () => {
  const cases: readonly [what: string, seen: string[], open: () => Promise<string>, body?: string][] = [
    ['not when nothing listens', UNSENT, refusedUrl],
    ['not when the host is unknown', UNSENT, async () => UNKNOWN_HOST],
    ['not when TLS meets a server that is silent', UNSENT, async () => (await serve({})).url.replace('http', 'https')],
    [
      'not when TLS meets a server that speaks plain HTTP',
      UNSENT,
      async () =>
        (await serve({begin: (socket) => (socket.end('HTTP/1.1 400 Bad\r\n\r\n'), true)})).url.replace('http', 'https'),
    ],
    ['not when the certificate is self-signed', UNSENT, () => serveTls({})],
    ['not when the server’s TLS is too old', UNSENT, () => serveTls(OLD_TLS)],
    [
      'when the connection is ended as soon as it is accepted',
      SENT,
      async () => (await serve({connect: (s) => s.end()})).url,
    ],
    [
      'when the connection is reset at the first bytes',
      SENT,
      async () => (await serve({begin: (s) => (RESET(s), true)})).url,
    ],
    [
      'when the connection is reset in the middle of a body',
      SENT,
      async () => (await serve({begin: (s) => (RESET(s), true)})).url,
      'x'.repeat(2_000_000),
    ],
    ['when the server is silent', SENT, async () => (await serve({})).url],
    ['when the server answers', SENT, async () => (await serve({answer: (s) => s.write(keptAnswer(200, {}))})).url],
  ];
  test.each(cases)('%s', async (_, seen, open, body) => {
    expect(await fired(await open(), body)).toEqual(seen);
  });
});

async function failureOf(url: string, run: (typeof READS)[number]['run'], timeout?: number) {
  const {client, waits} = clientOf(url, {timeout});
  const error = (await run(client).catch((thrown: unknown) => thrown)) as CentavoError;
  await client.close();
  expectNoKey(error);
  return {
    kind: error.kind,
    applied: error.details.applied,
    retryable: error.details.retryable,
    attempts: waits.length + 1,
  };
}

describe.each([...READS, ...WRITES])('$name', (call) => {
  const applied = READS.includes(call) ? undefined : 'no';

  test('gets three attempts where nothing listens, since nothing was sent', async () => {
    expect(await failureOf(await refusedUrl(), call.run)).toEqual({
      kind: 'unavailable',
      applied,
      retryable: true,
      attempts: 3,
    });
  });

  test('is not retried if the host is unknown', async () => {
    expect(await failureOf(UNKNOWN_HOST, call.run)).toEqual({
      kind: 'unavailable',
      applied,
      retryable: false,
      attempts: 1,
    });
  });

  test('TLS to a server that stays silent ends at the deadline, unsent', async () => {
    const url = (await serve({})).url.replace('http', 'https');
    expect(await failureOf(url, call.run, SHORT)).toMatchObject({kind: 'unavailable', applied, attempts: 1});
  });

  test('a self-signed certificate is refused at once, unsent', async () => {
    expect(await failureOf(await serveTls({}), call.run)).toMatchObject({
      kind: 'unavailable',
      applied,
      retryable: false,
      attempts: 1,
    });
  });

  test('TLS 1.1 is refused, unsent', async () => {
    expect(await failureOf(await serveTls(OLD_TLS), call.run)).toMatchObject({kind: 'unavailable', applied});
  });
});

test('a write that was unsent at first is sent once', async () => {
  let refuse = true;
  const server = await socketServer({answer: (socket) => void socket.write(keptAnswer(200, WRITES[0]!.good))});
  onTestFinished(server.close);
  const {TransportError} = await import('../../src/client/call-errors.js');
  const {createHttpTransport} = await import('../../src/client/transport.js');
  const http = createHttpTransport({baseUrl: server.url});
  const {client} = clientOf('', {
    baseUrl: undefined,
    transport: async (request, options) => {
      if (!refuse) return http.send(request, options);
      refuse = false;
      throw new TransportError('the connection was refused', {sent: false});
    },
  });
  expect(await WRITES[0]!.run(client)).toEqual(WRITES[0]!.good);
  expect(server.requests).toHaveLength(1);
});

describe('connections', () => {
  const answers: Script = {
    answer: (socket, request) =>
      void socket.write(keptAnswer(200, request.method === 'GET' ? READS[0]!.good : WRITES[0]!.good)),
  };

  test('each write has a new one, and reads share theirs', async () => {
    const server = await socketServer(answers);
    const {client} = clientOf(server.url);
    onTestFinished(async () => {
      await client.close();
      await server.close();
    });
    for (let count = 0; count < 10; count++) await WRITES[0]!.run(client);
    expect(server.connections()).toBe(10);
    for (let count = 0; count < 10; count++) await READS[0]!.run(client);
    expect(server.connections()).toBeLessThan(15);
    expect(
      new Set(server.requests.filter(({method}) => method === 'POST').map(({connection}) => connection)).size,
    ).toBe(10);
  });

  test('fifty writes to a server that ends idle connections at once have known outcomes', async () => {
    const server = await socketServer({
      answer: (socket) => {
        socket.write(keptAnswer(200, WRITES[0]!.good));
        setImmediate(() => socket.end());
      },
    });
    const {client} = clientOf(server.url);
    for (let count = 0; count < 50; count++) await WRITES[0]!.run(client);
    await client.close();
    await server.close();
    expect(server.requests).toHaveLength(50);
  });

  test('only the write of unknown outcome among several reports it', async () => {
    const server = await socketServer({
      answer: (socket, request) =>
        request.body.includes('"Lost') ? RESET(socket) : void socket.write(keptAnswer(200, WRITES[0]!.good)),
    });
    const {client} = clientOf(server.url);
    const outcomes = await Promise.allSettled(
      Array.from({length: 30}, (_, index) =>
        client.customers.create({name: index % 3 ? 'Kept' : 'Lost', email: 'a@example.com', currency: 'PHP'}),
      ),
    );
    await client.close();
    await server.close();
    expect(outcomes.map(({status}) => status)).toEqual(
      Array.from({length: 30}, (_, index) => (index % 3 ? 'fulfilled' : 'rejected')),
    );
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason.kind).toBe('outcome_unknown');
  });
});

describe.each([READS[0]!, WRITES[0]!])('$name skips informational responses', (call) => {
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
  const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n';
  test.each([
    ['a 100', CONTINUE],
    ['a 100 with headers', 'HTTP/1.1 100 Continue\r\nx-a: b\r\n\r\n'],
    ['a 102', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['a 103', HINTS],
    ['several', CONTINUE + HINTS + CONTINUE + CONTINUE],
  ])('%s, whole and byte by byte', async (_, first) => {
    const good = keptAnswer(200, call.good);
    const inBytes = async (socket: Socket): Promise<void> => {
      for (const byte of Buffer.from(first + good)) await new Promise((done) => socket.write(Buffer.of(byte), done));
    };
    const answers: readonly ((socket: Socket) => unknown)[] = [
      (socket) => socket.write(first + good),
      (socket) => socket.write(first, () => setImmediate(() => socket.write(good))),
      (socket) => inBytes(socket.setNoDelay()),
    ];
    const server = await socketServer({answer: (socket, _request, count) => answers[count - 1]!(socket)});
    onTestFinished(server.close);
    const {client, waits} = clientOf(server.url);
    for (const _answer of answers) expect(await call.run(client)).toEqual(call.good);
    expect([server.requests.length, waits]).toEqual([answers.length, []]);
    await client.close();
  });
});
