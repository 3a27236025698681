// The served sandbox at the level of bytes: accepted and refused requests, and closing.

import {once} from 'node:events';
import {connect, type Socket} from 'node:net';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {CentavoError} from '../../../src/common/errors.js';
import {serveSandbox, type SandboxServer} from '../../../src/sandbox/serve/sandbox-server.js';
import {world, type Wire, type World} from '../../support/sandbox/world.js';
import {waitingTime} from '../../support/far-limits.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

let w: World;
let server: SandboxServer;

beforeEach(async () => {
  w = world();
  server = await serveSandbox(controlOf(w.sandbox), {port: 0});
});

afterEach(() => server.close());

const authorization = (key = w.sandbox.keys.secret) =>
  `Authorization: Basic ${Buffer.from(`${key}:`).toString('base64')}`;

/** Sends bytes. Returns everything until the server ends the connection. */
function raw(bytes: Buffer | string, port = server.port): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    socket.on('close', () => resolve(received));
    socket.on('error', () => {});
    socket.write(bytes);
  });
}

const ask = (requestLine: string, ...headers: string[]) =>
  raw([requestLine, 'Connection: close', ...headers, '', ''].join('\r\n'));
const host = () => `Host: 127.0.0.1:${server.port}`;
const statusOf = (answer: string) => Number(answer.split(' ')[1]);
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Wire;

test('chooses a port, and links name it', async () => {
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  expect(server.port).toBeGreaterThan(0);
  const answer = await ask('GET /customers?limit=5 HTTP/1.1', host(), authorization());
  expect(statusOf(answer)).toBe(200);
  expect(bodyOf(answer)).toEqual({resource: 'list', has_more: false, data: []});
  expect(answer).toMatch(/^x-request-id: req_[A-Za-z0-9]{32}\r$/m);
  expect(answer).toMatch(/^content-type: application\/json; charset=utf-8\r$/m);
  expect(answer.toLowerCase()).not.toContain('access-control');
  expect((await w.open()).url.startsWith(`${server.url}/b/test_`)).toBe(true);
});

test('passes a request and its response unchanged', async () => {
  const response = await fetch(`${server.url}/customers`, {
    method: 'POST',
    headers: {authorization: authorization().slice(15), 'content-type': 'application/x-www-form-urlencoded'},
    body: 'name=Ni%C3%B1o+Iba%C3%B1ez&email=n@b.co&currency=PHP',
  }).catch((error: Error) => error);
  // fetch of Node sends Sec-Fetch-Mode alone, which is no sign of a web page.
  expect((response as Response).status).toBe(200);
  expect(await (response as Response).json()).toMatchObject({name: 'Niño Ibañez'});
});

test('an empty response has no body', async () => {
  const {id} = await w.open();
  const answer = await ask(
    `POST /billing_statements/${id}/send HTTP/1.1`,
    host(),
    authorization(),
    'Content-Length: 0',
  );
  expect(statusOf(answer)).toBe(204);
  expect(answer.endsWith('\r\n\r\n')).toBe(true);
});

describe('the Host header', () => {
  test.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])('accepts %s', async (name) => {
    expect(statusOf(await ask('GET /customers HTTP/1.1', `Host: ${name}:${server.port}`, authorization()))).toBe(200);
  });

  test.each([
    'evil.example',
    'localhost',
    'localhost:1',
    '127.0.0.1.evil.example',
    '127.0.0.2',
    'localhost:4010@evil.example',
    '0.0.0.0',
  ])('refuses %s', async (name) => {
    const full = /:|@/.test(name) || name === 'localhost' ? name : `${name}:${server.port}`;
    const answer = await ask('GET /customers HTTP/1.1', `Host: ${full}`, authorization());
    expect(statusOf(answer)).toBe(421);
    expect(bodyOf(answer).errors[0].code).toBe('host_not_allowed');
  });

  test('refuses two of them', async () => {
    expect(statusOf(await ask('GET /customers HTTP/1.1', host(), host(), authorization()))).toBe(421);
    expect(statusOf(await ask('GET /customers HTTP/1.1', host(), 'Host: evil.example', authorization()))).toBe(421);
  });

  test.each(['1.0', '1.1'])('is required in HTTP/%s', async (version) => {
    expect(statusOf(await ask(`GET /customers HTTP/${version}`, authorization()))).toBe(400);
  });

  test('is accepted in HTTP/1.0', async () => {
    expect(statusOf(await ask('GET /customers HTTP/1.0', host(), authorization()))).toBe(200);
  });
});

test.each([
  'GET http://127.0.0.1/customers',
  'GET http://evil.example/customers',
  'TRACE /customers',
  'OPTIONS *',
  'CONNECT evil.example:443',
  'CONNECT /customers',
])('%s is refused', async (start) => {
  const answer = await ask(`${start} HTTP/1.1`, host(), authorization());
  expect(statusOf(answer)).toBe(start.startsWith('CONNECT') ? 405 : 400);
  expect(answer).not.toContain('Authorization');
});

test.each(['PATCH', 'PROPFIND'])('%s has no route', async (method) => {
  expect(statusOf(await ask(`${method} /customers HTTP/1.1`, host(), authorization()))).toBe(404);
});

describe('a browser', () => {
  test.each([
    'Origin: https://evil.example',
    'Origin: null',
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Site: same-site',
  ])('with %s is refused', async (header) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const answer = await ask(`${method} /customers HTTP/1.1`, host(), authorization(), header, 'Content-Length: 0');
      expect(statusOf(answer)).toBe(403);
      expect(bodyOf(answer).errors[0].code).toBe('browser_not_allowed');
      expect(answer.toLowerCase()).not.toContain('access-control');
    }
  });

  test('changes nothing', async () => {
    const body = 'name=A&email=a@b.co&currency=PHP';
    const answer = await raw(
      `POST /customers HTTP/1.1\r\nConnection: close\r\n${host()}\r\n${authorization()}\r\nOrigin: https://evil.example\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(statusOf(answer)).toBe(403);
    expect((await w.ok('GET', '/customers')).data).toEqual([]);
  });
});

describe('a body', () => {
  const post = (headers: string, body: Buffer | string) =>
    raw(
      Buffer.concat([
        Buffer.from(
          `POST /customers HTTP/1.1\r\nConnection: close\r\n${host()}\r\n${authorization()}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`,
        ),
        Buffer.from(body),
      ]),
    );

  const customer = (padding: number) =>
    JSON.stringify({name: 'A', email: 'a@b.co', currency: 'PHP', padding: 'x'.repeat(padding)});

  test('of one mebibyte is accepted', async () => {
    const body = customer(1024 * 1024 - customer(0).length);
    expect(body).toHaveLength(1024 * 1024);
    expect(statusOf(await post(`Content-Length: ${body.length}`, body))).toBe(200);
  });

  test('of one byte more is refused with a response', async () => {
    const body = customer(1024 * 1024 - customer(0).length + 1);
    expect(statusOf(await post(`Content-Length: ${body.length}`, body))).toBe(413);
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    expect(statusOf(await post('Transfer-Encoding: chunked', chunked))).toBe(413);
    expect((await w.ok('GET', '/customers')).data).toEqual([]);
  });

  test('with two lengths is refused', async () => {
    expect(statusOf(await post('Content-Length: 2\r\nTransfer-Encoding: chunked', '0\r\n\r\n'))).toBe(400);
    expect(statusOf(await post('Content-Length: 2\r\nContent-Length: 3', '{}'))).toBe(400);
  });
});

test('disconnects endless headers', async () => {
  const answer = await raw(`GET /customers HTTP/1.1\r\n${host()}\r\nX: ${'x'.repeat(40_000)}`);
  expect(statusOf(answer)).toBe(431);
});

test('disconnects an incomplete request', async () => {
  const waited = waitingTime();
  expect(statusOf(await raw(`GET /customers HTTP/1.1\r\n${host()}\r\n`))).toBe(408);
  // After five seconds; Node itself would allow a whole minute.
  expect(waited()).toBeLessThan(8000);
});

describe('listening', () => {
  test('on a used port fails with the next step', async () => {
    const error = await serveSandbox(controlOf(world().sandbox), {port: server.port}).catch(
      (thrown: unknown) => thrown as CentavoError,
    );
    expect(error).toBeInstanceOf(CentavoError);
    expect(error).toMatchObject({kind: 'usage', code: 'port_in_use'});
    const {message, details} = error as CentavoError;
    expect(message).toContain(String(server.port));
    expect(details.hint).toContain('--port 0');
  });

  test.each(['127.0.0.2', '::1'])('leaves %s closed: only 127.0.0.1 is listened on', async (address) => {
    const socket = connect(server.port, address);
    await expect(once(socket, 'connect')).rejects.toThrow();
    socket.destroy();
  });
});

describe('closing', () => {
  test('ends idle connections, also those without a request', async () => {
    const silent = raw('');
    const idle = raw(`GET /customers HTTP/1.1\r\n${host()}\r\n${authorization()}\r\n\r\n`);
    await ask('GET /customers HTTP/1.1', host(), authorization());
    const waited = waitingTime();
    await server.close();
    expect(await silent).toBe('');
    expect(statusOf(await idle)).toBe(200);
    // Before their timeout.
    expect(waited()).toBeLessThan(1000);
    await server.close();
  });

  test('waits for running requests', async () => {
    const slow = await serveSandbox(controlOf(w.sandbox), {port: 0, faults: {latency: 300}});
    const answer = raw(
      `GET /customers HTTP/1.1\r\nHost: 127.0.0.1:${slow.port}\r\n${authorization()}\r\n\r\n`,
      slow.port,
    );
    // A response on a second connection proves that the first request arrived.
    await raw(`GET /customers HTTP/1.1\r\nConnection: close\r\nHost: evil.example\r\n\r\n`, slow.port);
    await slow.close();
    expect(statusOf(await answer)).toBe(200);
    expect((await answer).toLowerCase()).toContain('connection: close');
  });
});
