// The request log (without secrets), causes of events, failed payments, and the server that links name.

import {expect, test} from 'vitest';
import {findRequest, listRequests, type LogQuery} from '../../../src/sandbox/requests/request-log-queries.js';
import {ask, GOOD_CARD, visitor} from '../pages/visitor.js';
import {createEmbeddedSandbox} from '../../../src/sandbox/embedded.js';
import {openSandbox} from '../../../src/sandbox/sandbox.js';
import {type SandboxServer, serveSandbox} from '../../../src/sandbox/serve/sandbox-server.js';
import {newFile} from '../studio/desk.js';
import {START, type Wire, world, type World} from '../../support/sandbox/world.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const entries = ({sandbox}: World, query: Partial<LogQuery> = {}) =>
  listRequests(sandbox.requests, {limit: 2000, ...query}).data;
const lines = (w: World, query?: Partial<LogQuery>) =>
  entries(w, query)
    .map(({method, path, code, status}) => [method, path ?? code, status].filter(Boolean).join(' '))
    .reverse();

/** Sends a request over HTTP. Returns the response with its request id. */
async function served(w: World, url: string, method: string, target: string, body?: object, headers = {}) {
  const response = await fetch(url + target, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${w.sandbox.keys.secret}:`).toString('base64')}`,
      'content-type': 'application/json',
      'user-agent': 'shop/1',
      ...headers,
    },
    body: body && JSON.stringify(body),
  });
  return {id: response.headers.get('x-request-id')!, body: (await response.json()) as Wire};
}

test('a server logs all requests, by the id in the response', async () => {
  const v = await visitor();
  const heard = {name: 'Juan', email: 'juan@example.com', currency: 'PHP'};
  const created = await served(v, v.server.url, 'POST', '/customers', heard);
  // Logged with its change; the others at the latest when the server closes.
  expect(lines(v)).toEqual(['POST /customers 200']);
  const read = await served(v, v.server.url, 'GET', '/customers?limit=3');
  const missing = await served(v, v.server.url, 'GET', '/customers/cus_nobody');
  const browser = await served(v, v.server.url, 'POST', '/customers', heard, {origin: 'http://evil.example'});
  await v.server.close();
  expect(lines(v)).toEqual([
    'POST /customers 200',
    'GET /customers 200',
    'GET /customers/cus_nobody 404',
    'POST /customers 403',
  ]);
  expect(findRequest(v.sandbox.requests, created.id)).toMatchObject({
    type: 'request',
    at: START,
    user_agent: 'shop/1',
    object_id: created.body.id,
    duration_ms: expect.any(Number),
    request_body: JSON.stringify(heard),
    response_body: JSON.stringify(created.body),
    request_cut: false,
  });
  expect(findRequest(v.sandbox.requests, read.id)).toMatchObject({query: 'limit=3', object_id: null});
  expect(findRequest(v.sandbox.requests, missing.id)).toMatchObject({object_id: 'cus_nobody'});
  expect(findRequest(v.sandbox.requests, browser.id)!.response_body).toMatch(/browser_not_allowed/);
  for (const id of [
    'req_',
    created.id.slice(0, 12),
    `*${created.id.slice(6)}`,
    `?${created.id.slice(1)}`,
    `[r]${created.id.slice(1)}`,
  ])
    expect(findRequest(v.sandbox.requests, id), id).toBeUndefined();
});

test('a change also writes the buffered requests before it, in order', async () => {
  const v = await visitor();
  await served(v, v.server.url, 'GET', '/customers');
  await served(v, v.server.url, 'POST', '/customers', {name: 'Juan', email: 'juan@example.com', currency: 'PHP'});
  expect(lines(v)).toEqual(['GET /customers 200', 'POST /customers 200']);
  expect(entries(v).map(({duration_ms}) => typeof duration_ms)).toEqual(['number', 'number']);
});

test('without a server, logs only writes', async () => {
  const w = world();
  const {id} = await w.customer();
  await w.ok('GET', `/customers/${id}`);
  await w.call('POST', '/customers', {name: 'Nobody'});
  await w.call('DELETE', `/customers/${id}`);
  expect(lines(w)).toEqual(['POST /customers 200', 'POST /customers 400', `DELETE /customers/${id} 200`]);
  expect(lines(w, {status: [400, 499]})).toEqual(['POST /customers 400']);
  expect(lines(w, {objects: [id as string]})).toEqual(['POST /customers 200', `DELETE /customers/${id} 200`]);
});

test('logs no secrets, and at most 16 KB of a body', async () => {
  const v = await visitor();
  const session = await v.checkout({description: 'x'.repeat(900)});
  const webhook = await v.ok('POST', '/webhooks', {url: 'http://127.0.0.1:1/', events: ['refund.created']});
  const intent = (session.payment_intent as Wire).id as string;
  const secret = String((session.payment_intent as Wire).client_secret);
  await served(v, v.server.url, 'GET', `/payment_intents/${intent}?client_secret=${secret}`);
  await served(v, v.server.url, 'POST', `/customers`, {name: v.sandbox.keys.secret, email: 'é'.repeat(20_000)});
  await v.send(session.path, {...GOOD_CARD, number: '5105 1051 0510 5100'});
  await v.server.close();
  const kept = entries(v).map(({id}) => findRequest(v.sandbox.requests, id!)!);
  const text = JSON.stringify(kept);
  for (const hidden of [
    v.sandbox.keys.secret,
    webhook.secret_key as string,
    secret,
    session.path.split('_secret_')[1]!,
  ])
    expect(text).not.toContain(hidden.replace(/^.*_/, ''));
  expect(text).not.toMatch(/authorization|Basic |5105/i);
  const [page, large] = kept;
  expect(page).toMatchObject({
    method: 'POST',
    status: 422,
    object_id: session.id,
    request_body: null,
    response_body: null,
  });
  expect(large).toMatchObject({request_cut: true, response_cut: false});
  expect(Buffer.byteLength(large!.request_body!)).toBeLessThan(16 * 1024 + 10);
});

test('keeps the last thousand requests, and failed payments separately', async () => {
  const w = world();
  const {id} = await w.intent();
  w.pay(id as string, {fail: 'generic_decline'});
  for (let count = 0; count < 1100; count += 1) await w.call('POST', '/nowhere');
  expect(entries(w, {objects: [id as string]})).toMatchObject([{type: 'payment_failed', code: 'generic_decline'}]);
  expect(entries(w).filter(({type}) => type === 'request')).toHaveLength(1000);
  const rows = w.sandbox.requests.database.get<{rows: number}>('SELECT count(*) AS rows FROM requests')!.rows;
  expect(rows).toBeLessThanOrEqual(1001 + 63);
  w.sandbox.reset();
  expect(entries(w)).toEqual([]);
});

test('each event has a cause, which is not in deliveries or the API', async () => {
  const v = await visitor();
  const {id, path} = await v.statement();
  const sent = await fetch(`${v.server.url}/billing_statements/${id}/send`, {
    method: 'POST',
    headers: {authorization: `Basic ${Buffer.from(`${v.sandbox.keys.secret}:`).toString('base64')}`},
  });
  v.advance(6 * 86_400);
  await v.send(path, GOOD_CARD);
  const causes = v.sandbox.perform((tx) =>
    tx.store
      .list('event', {limit: 100})
      .data.map(({type, _cause}) => `${String(type).split('.')[1]} ${String(_cause)}`),
  );
  expect(causes.reverse().slice(-4)).toEqual([
    `sent ${sent.headers.get('x-request-id')}`,
    'will_be_due timer:statement-will-be-due',
    'succeeded page',
    'paid page',
  ]);
  expect(JSON.stringify(v.events())).not.toMatch(/"_?(cause|webhooks)"/);
});

test.each([
  ['the page', 'page'],
  ['a command', 'command'],
])('a failed payment by %s is in the timeline of its statement', async (_, cause) => {
  const v = await visitor();
  const {id, path} = await v.statement();
  if (cause === 'page') await v.send(path, {...GOOD_CARD, number: '4503300000000008'});
  else v.pay(id as string, {card: '4503300000000008'});
  v.pay(id as string);
  const failed = entries(v, {objects: [id as string]}).find(({type}) => type === 'payment_failed');
  expect(failed).toMatchObject({
    id: null,
    source_id: id,
    object_id: expect.stringMatching(/^pi_/),
    cause,
    status: null,
  });
  expect(failed!.code).toMatch(/^\w+$/);
});

test('a simulated fault is logged as the client saw it', async () => {
  const v = await visitor({faults: {rates: {'error-after': 1}}});
  await served(v, v.server.url, 'POST', '/customers', {name: 'Juan', email: 'juan@example.com', currency: 'PHP'});
  await v.server.close();
  expect(lines(v)).toEqual(['POST /customers 500']);
});

test('links name the answering server; in commands, the last used one', async () => {
  const v = await visitor();
  const second = await serveSandbox(controlOf(v.sandbox), {port: 0});
  const fields = {
    currency: 'PHP',
    line_items: [{name: 'T', amount: 45_000, quantity: 1}],
    success_url: 'https://a.example/',
  };
  const session = {...fields, cancel_url: 'https://a.example/'};
  const made = await served(v, second.url, 'POST', '/checkout_sessions', session);
  expect(made.body.url).toContain(`${second.url}/c/`);
  await second.close();
  expect((await served(v, v.server.url, 'GET', `/checkout_sessions/${made.body.id}`)).body.url).toContain(v.server.url);
  await served(v, v.server.url, 'POST', '/checkout_sessions', session);
  expect((await v.session()).url).toContain(v.server.url);
});

test('when one of several servers ends, links and the studio move to a running one', async () => {
  const path = newFile();
  const sandbox = createEmbeddedSandbox({path});
  const other = openSandbox({path});
  const [first, second, third] = [
    await serveSandbox(controlOf(sandbox), {port: 0}),
    await serveSandbox(controlOf(other), {port: 0}),
    await serveSandbox(controlOf(other), {port: 0}),
  ];
  const leadTo = async ({url, studioUrl}: SandboxServer): Promise<void> =>
    expect([sandbox.baseUrl(), await sandbox.servedStudio()]).toEqual([url, studioUrl]);
  await leadTo(third);
  await second.close();
  await leadTo(third);
  // A server that started after them and was killed.
  sandbox.perform(({store}) => {
    store.set('studio_url', ['http://127.0.0.1:1/studio/~killed/', ...sandbox.studioUrls()].join(' '));
    store.set('base_url', 'http://127.0.0.1:1');
  });
  expect(await sandbox.servedStudio()).toBe(third.studioUrl);
  await third.close();
  await leadTo(first);
  expect(sandbox.studioUrls()).toEqual([first.studioUrl]);
  await first.close();
  expect(await sandbox.servedStudio()).toBeUndefined();
  expect(sandbox.baseUrl()).toBe(first.url);
  sandbox.close();
  other.close();
});

test('answers only allowed names, for the API and for pages', async () => {
  const secretKey = 'sk_test_0123456789abcdefghij';
  const v = await visitor({host: '0.0.0.0', secretKey, allowedHosts: ['host.docker.internal', 'shop.local:81']});
  expect(v.server.url).toBe(`http://127.0.0.1:${v.server.port}`);
  const {path} = await v.statement();
  const status = async (host: string, target: string) => (await ask(v.server.port, target, 'GET', {host})).status;
  for (const host of [
    'host.docker.internal',
    `host.docker.internal:${v.server.port}`,
    'Shop.local:81',
    `localhost:${v.server.port}`,
  ])
    expect([host, await status(host, '/customers'), await status(host, path)]).toEqual([host, 401, 200]);
  for (const host of ['evil.example', 'shop.local', `0.0.0.0:${v.server.port}`, 'host.docker.internal.evil.example'])
    expect([host, await status(host, '/customers'), await status(host, path)]).toEqual([host, 421, 421]);
});

test('reports an address that this machine does not have', async () => {
  await expect(
    serveSandbox(controlOf(world().sandbox), {port: 0, host: '203.0.113.7', secretKey: 'sk_test_0123456789abcdefghij'}),
  ).rejects.toMatchObject({
    code: 'address_not_available',
    message: '203.0.113.7 is not an address of this machine.',
  });
});
