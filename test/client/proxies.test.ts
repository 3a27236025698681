// Proxies: loopback never uses one, and a proxy only sees an encrypted tunnel.

import {createServer} from 'node:http';
import {connect} from 'node:net';
import {describe, expect, onTestFinished, test} from 'vitest';
import {attempt, clientOf, expectNoKey, KEY, READS, SHORT, WRITES} from '../support/client/calls.js';
import {keptAnswer, listen, socketServer} from '../support/services/sockets.js';
import {serveTls} from '../support/client/tls-server.js';
import type {CentavoError} from '../../src/common/errors.js';
import {waitingTime} from '../support/far-limits.js';

const HOST = 'https://api.centavo.test';
const ENCODED_KEY = Buffer.from(`${KEY}:`).toString('base64');

interface Proxy {
  readonly url: string;
  /** The requests to it, and every byte that it could read. */
  readonly log: string[];
  readonly bytes: () => string;
}

/** A proxy that records all it sees. Every tunnel leads to `port`. */
async function loggingProxy(port?: number, refusal = 502): Promise<Proxy> {
  const log: string[] = [];
  const seen: Buffer[] = [];
  const server = createServer((request, response) => {
    log.push(`${request.method} ${request.url}`);
    seen.push(Buffer.from(JSON.stringify(request.headers)));
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket) => {
    log.push(`CONNECT ${request.url}`);
    seen.push(Buffer.from(JSON.stringify(request.headers)));
    socket.on('error', () => {});
    if (port === undefined) {
      socket.end(refusal ? `HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n` : undefined);
      return;
    }
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.on('data', (chunk: Buffer) => seen.push(chunk));
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on('error', () => socket.destroy());
  });
  const {url} = await listen(server, onTestFinished);
  return {url, log, bytes: () => Buffer.concat(seen).toString('latin1')};
}

async function failure(call: (typeof READS)[number], options: Parameters<typeof clientOf>[1]): Promise<CentavoError> {
  const {client} = clientOf(HOST, options);
  const error = (await call.run(client).catch((thrown: unknown) => thrown)) as CentavoError;
  await client.close();
  expectNoKey(error);
  return error;
}

test('requests to loopback never use a proxy, wherever it is set', async () => {
  const proxy = await loggingProxy();
  const variables = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY'];
  for (const name of variables) process.env[name] = proxy.url;
  onTestFinished(() => {
    for (const name of variables) delete process.env[name];
  });
  for (const call of [READS[0]!, WRITES[0]!]) {
    const {result} = await attempt(
      call,
      {answer: (socket) => void socket.write(keptAnswer(200, call.good))},
      {proxy: {https: proxy.url}},
    );
    expect(result).toEqual(call.good);
  }
  expect(proxy.log).toEqual([]);
});

describe.each([READS[0]!, WRITES[0]!])('$name through a proxy', (call) => {
  const applied = call === WRITES[0] ? 'no' : undefined;

  test('shows it the host and nothing else', async () => {
    const server = await serveTls();
    const proxy = await loggingProxy(server.port);
    // The tunnel's end is not trusted here, so the call ends unsent.
    const error = await failure(call, {proxy: {https: proxy.url}});
    expect(error).toMatchObject({kind: 'unavailable', details: {applied, retryable: false}});
    expect(proxy.log).toEqual(['CONNECT api.centavo.test:443']);
    for (const secret of [KEY, ENCODED_KEY, '/customers', 'Juan', 'authorization'])
      expect(proxy.bytes()).not.toContain(secret);
    expect(server.requests()).toBe(0);
  });

  test.each([403, 407, 502])('that refuses with a %i has sent nothing', async (status) => {
    const proxy = await loggingProxy(undefined, status);
    const error = await failure(call, {proxy: {https: proxy.url}});
    expect(error).toMatchObject({kind: 'unavailable', exitCode: 8, details: {applied}});
    expect(error.details.why).toMatch(new RegExp(`^The proxy .*HTTP ${status}`));
    if (status === 407) expect(error.details.why).toContain('https_proxy=http://user:password@host:port');
    expect(proxy.bytes()).not.toContain(ENCODED_KEY);
  });

  test('that ends the connection has sent nothing', async () => {
    const proxy = await loggingProxy(undefined, 0);
    const error = await failure(call, {proxy: {https: proxy.url}});
    expect(error).toMatchObject({kind: 'unavailable', details: {applied, why: 'The proxy ended the connection.'}});
    expect(proxy.log).toHaveLength(3);
  });

  test('that nothing listens at has sent nothing', async () => {
    const error = await failure(call, {proxy: {https: 'http://127.0.0.1:1'}, timeout: 2000});
    expect(error).toMatchObject({kind: 'unavailable', details: {applied}});
  });

  test('ends at the deadline when the tunnel is silent', async () => {
    const silent = await serveSilence();
    const waited = waitingTime();
    const error = await failure(call, {proxy: {https: silent}, timeout: SHORT});
    expect(error).toMatchObject({kind: 'unavailable', details: {applied}});
    expect(waited()).toBeLessThan(SHORT + 3000);
  });
});

test('an address without a scheme means http', async () => {
  const proxy = await loggingProxy();
  await failure(READS[0]!, {proxy: {https: new URL(proxy.url).host}});
  expect(new Set(proxy.log)).toEqual(new Set([`CONNECT ${new URL(HOST).host}:443`]));
});

test.each([
  ['user:hunter2@host:1:2', 'not a valid URL'],
  ['ftp://me:hunter2@proxy.example', 'ftp:'],
  ['socks5://me:hunter2@proxy.example', 'socks5:'],
  ['http://', 'not a valid URL'],
  [' ', 'not a valid URL'],
  ['http://me:hunter2%zz@proxy.example', '%25'],
])('%j is no address of a proxy: it is said which variable to mend, and not what it holds', (https, why) => {
  expect(() => clientOf(HOST, {proxy: {https}})).toThrow(
    expect.objectContaining({
      kind: 'config',
      message: 'https_proxy is not the address of a proxy.',
      details: expect.objectContaining({code: 'invalid_proxy', why: expect.stringContaining(why), applied: 'no'}),
    }),
  );
  try {
    clientOf(HOST, {proxy: {https}});
  } catch (error) {
    expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
  }
});

test('a host in no_proxy is reached without the proxy', async () => {
  const proxy = await loggingProxy();
  const host = `${'a'.repeat(64)}.test`;
  const error = await failure(READS[0]!, {baseUrl: `https://${host}`, proxy: {https: proxy.url, none: host}});
  expect(error.details.why).toContain('ENOTFOUND');
  expect(error.details.hint).toBe('Check the network of this machine, and the name.');
  expect(proxy.log).toEqual([]);
});

async function serveSilence(): Promise<string> {
  const server = await socketServer({});
  onTestFinished(server.close);
  return server.url;
}
