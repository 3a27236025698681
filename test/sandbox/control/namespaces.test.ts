// Namespaces of a served sandbox: separate worlds by key, their pages and webhooks, their limits and their end.

import {existsSync} from 'node:fs';
import {type IncomingMessage, request} from 'node:http';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {text} from 'node:stream/consumers';
import {expect, test} from 'vitest';
import {SOON, waitingTime} from '../../support/far-limits.js';
import {receiver, verdictOf} from '../../support/sandbox/receiver.js';
import {START} from '../../support/sandbox/world.js';
import {ask, GOOD_CARD, hiddenFields} from '../pages/visitor.js';
import {CART, refusalOf, served, type Served} from './served.js';

const KEY = 'sk_test_ns_';
const names = async (s: Served): Promise<string[]> =>
  ((await s.control('GET', 'namespaces')).body.data as {name: string}[]).map(({name}) => name);

/** A session of this namespace, and the path of its page. */
async function sessionIn(s: Served, name: string) {
  const {body} = await s.as(KEY + name)('POST', '/checkout_sessions', CART);
  return {id: body.id as string, path: (body.url as string).slice(s.server.url.length)};
}

test('fifty at once are separate: objects, events, requests, clocks, failures, snapshots and webhooks', async () => {
  const s = await served();
  const app = await receiver();
  await s.customer();
  const all = Array.from({length: 50}, (_, index) => `w${index}`);
  await Promise.all(
    all.map(async (name, index) => {
      const call = s.as(KEY + name);
      const hook = await call('POST', '/webhooks', {url: `${app.url}&${name}`, events: ['payment_intent.succeeded']});
      const {id, path} = await sessionIn(s, name);
      await call('POST', '/_centavo/snapshots', {name: 'before'});
      await call('POST', '/_centavo/failures', {operation: 'refunds.create', status: 500});
      expect((await call('POST', '/_centavo/time', {advance: index})).body.now).toBeLessThan(START + 3600);
      expect((await call('POST', '/_centavo/pay', {id})).body.outcome).toBe('paid');
      expect((await call('GET', '/_centavo/events')).body.data).toMatchObject([{type: 'payment_intent.succeeded'}]);
      expect((await call('GET', '/customers')).body.data).toEqual([]);
      const requests = (await call('GET', '/_centavo/requests')).body.data as {path: string}[];
      expect(requests.map((each) => each.path).sort()).toEqual(['/checkout_sessions', '/customers', '/webhooks']);
      const arrivals = app.arrivals.filter(({url}) => url.endsWith(`&${name}`));
      expect(arrivals).toHaveLength(1);
      expect(verdictOf(arrivals[0]!, hook.body.secret_key as string, START).genuine).toBe(true);
      expect((await ask(s.server.port, path)).words).toContain('₱900.00');
      await call('POST', '/_centavo/restore', {name: 'before'});
      expect((await call('GET', '/_centavo/events')).body.data).toEqual([]);
      expect((await call('GET', '/_centavo/failures')).body.data).toEqual([]);
    }),
  );
  expect((await names(s)).sort()).toEqual([...all].sort());
  expect((await s.control('GET', 'events')).body.data).toEqual([]);
  expect((await s.send('GET', '/customers')).body.data).toHaveLength(1);
  expect(s.faults).toEqual([]);
});

test('a new namespace has the fees and the event shape of the server', async () => {
  const s = await served({fees: 'withholding', eventShape: 'resource'});
  const app = await receiver();
  const call = s.as(KEY + 'shop');
  await call('POST', '/webhooks', {url: app.url, events: ['payment_intent.succeeded']});
  const {id} = await sessionIn(s, 'shop');
  const {body} = await call('POST', '/_centavo/pay', {id, method: 'card'});
  expect(body.payment).toMatchObject({amount: 90_000, fee: 0, net_amount: 89_550});
  expect(app.arrivals[0]!.event.data.resource).toMatchObject({resource: 'payment_intent', status: 'succeeded'});
});

test('the hosted page of a namespace is found by its link, and paid there', async () => {
  const s = await served();
  const {id, path} = await sessionIn(s, 'shop');
  const paid = await ask(
    s.server.port,
    path,
    'POST',
    {origin: s.server.url, 'content-type': 'application/x-www-form-urlencoded'},
    new URLSearchParams({...hiddenFields(await ask(s.server.port, path)), ...GOOD_CARD}).toString(),
  );
  expect(paid.status).toBe(303);
  expect((await ask(s.server.port, `${path}x`)).status).toBe(404);
  const call = s.as(`${KEY}shop`);
  const session = (await call('GET', `/checkout_sessions/${id}`)).body;
  expect(session).toMatchObject({status: 'completed', url: s.server.url + path});
  // Events that timers cause have links to this server too.
  await call('POST', '/_centavo/trigger', {type: 'billing_statement.sent'});
  expect(JSON.stringify((await call('GET', '/_centavo/events')).body)).not.toContain('127.0.0.1:4010');
  await s.control('DELETE', 'namespaces?name=shop');
  expect((await ask(s.server.port, path)).status).toBe(404);
});

test('a key opens no namespace if its name is not valid, or it is public', async () => {
  const s = await served();
  for (const bad of ['', 'a b', 'a.b', 'x'.repeat(65), '../x', 'é']) {
    const {status, body} = await s.as(KEY + bad)('GET', '/customers');
    expect([bad, status]).toEqual([bad, 401]);
    if (bad !== 'é') expect(body.errors[0].detail).toBe('The name of a namespace is 1 to 64 letters, digits, - and _.');
  }
  expect((await s.as('pk_test_ns_a')('GET', '/customers')).status).toBe(401);
  expect(await names(s)).toEqual([]);
  await s.as(`${KEY}a`)('GET', '/customers');
  expect((await s.as('pk_test_ns_a')('POST', '/_centavo/reset')).status).toBe(401);
  expect((await s.as('pk_test_ns_a')('GET', '/customers')).status).toBe(401);
  expect((await s.as(`${KEY}__proto__`)('GET', '/customers')).status).toBe(200);
  expect(await names(s)).toEqual(['a', '__proto__']);
});

test('only the key of the server lists and closes them', async () => {
  const s = await served();
  const call = s.as(`${KEY}a`);
  for (const [method, path] of [
    ['GET', '/_centavo/namespaces'],
    ['DELETE', '/_centavo/namespaces?name=a'],
  ] as const)
    expect(refusalOf(await call(method, path))).toEqual([403, 'server_only', undefined]);
  expect((await s.control('GET', 'namespaces')).body.data).toEqual([{name: 'a', now: START}]);
  expect((await s.control('DELETE', 'namespaces', {name: 'a'})).body.data).toEqual([]);
  expect((await s.control('DELETE', 'namespaces', {name: 'a'})).status).toBe(404);
  // The next request begins a new one.
  expect((await call('GET', '/_centavo/events')).body.data).toEqual([]);
});

test('are 256 at most, then one can be opened when another is closed', async () => {
  const s = await served();
  await Promise.all(Array.from({length: 256}, (_, index) => s.as(`${KEY}n${index}`)('GET', '/_centavo/health')));
  const {status, body} = await s.as(`${KEY}more`)('GET', '/customers');
  expect([status, body.errors[0]]).toEqual([
    400,
    {
      code: 'too_many_namespaces',
      detail:
        'There are 256 namespaces, the most. Close one: DELETE /_centavo/namespaces?name=… with the secret key of the server.',
    },
  ]);
  expect((await s.as(`${KEY}n7`)('GET', '/customers')).status).toBe(200);
  await s.control('DELETE', 'namespaces?name=n7');
  expect((await s.as(`${KEY}more`)('GET', '/customers')).status).toBe(200);
});

test('one that is closed while requests run answers them, and its sandbox is gone', async () => {
  const s = await served();
  const idle = waitingTime();
  const call = s.as(`${KEY}a`);
  const app = await receiver('hang');
  await call('POST', '/webhooks', {url: app.url, events: ['refund.created']});
  const waiting = call('GET', '/_centavo/events?type=payout.deposited&wait=60');
  const triggered = call('POST', '/_centavo/trigger', {type: 'refund.created', wait: 60});
  await app.until(1);
  await call('POST', '/_centavo/failures', {method: 'GET', path: '/customers', delay: 60_000});
  const late = call('GET', '/customers');
  await call('GET', '/_centavo/time');
  expect((await s.control('DELETE', 'namespaces?name=a')).status).toBe(200);
  expect((await waiting).status).toBe(408);
  expect((await triggered).body.type).toBe('refund.created');
  expect((await late).status).toBe(200);
  expect(idle()).toBeLessThan(SOON / 10);
  expect(s.faults).toEqual([]);
});

test('a request whose body arrives after its namespace was closed is told so', async () => {
  const s = await served();
  const slow = request({
    port: s.server.port,
    path: '/_centavo/reset',
    method: 'POST',
    auth: `${KEY}a:`,
    headers: {'content-length': 2},
  });
  const answered = once(slow, 'response') as Promise<[IncomingMessage]>;
  slow.flushHeaders();
  await expect.poll(() => names(s)).toEqual(['a']);
  await s.control('DELETE', 'namespaces?name=a');
  slow.end('{}');
  const [response] = await answered;
  expect(response.resume().statusCode).toBe(503);
  expect(s.faults).toEqual([]);
});

test('where others can reach the server, the key of a namespace has its secret', async () => {
  const secretKey = 'sk_test_0123456789abcdefghij';
  for (const options of [
    {host: '0.0.0.0', secretKey},
    {secretKey, allowedHosts: ['shop.local']},
  ]) {
    const s = await served(options);
    const {status, body} = await s.as(`${KEY}a`)('GET', '/customers');
    expect([status, body.errors[0].detail]).toEqual([
      401,
      'Other machines can reach this server, so the key of a namespace is its secret key, then _ns_ and a name.',
    ]);
    const call = s.as(`${secretKey}_ns_a`);
    expect((await call('POST', '/checkout_sessions', CART)).status).toBe(200);
    expect((await call('GET', '/_centavo/time')).status).toBe(200);
    expect((await s.as(`${secretKey.slice(0, -1)}x_ns_a`)('GET', '/customers')).status).toBe(401);
    expect(await names(s)).toEqual(['a']);
  }
});

test('a key from outside replaces the generated one, and another address needs it', async () => {
  const secretKey = 'sk_test_0123456789abcdefghij';
  const s = await served({secretKey});
  expect(s.key).toBe(secretKey);
  expect((await s.send('GET', '/customers')).status).toBe(200);
  expect((await s.control('GET', 'time')).status).toBe(200);
  expect((await s.as(s.sandbox.keys.secret)('GET', '/customers')).status).toBe(401);
  expect((await s.as(s.sandbox.keys.secret)('GET', '/_centavo/time')).status).toBe(401);
  await expect(served({host: '0.0.0.0'})).rejects.toMatchObject({kind: 'usage', code: 'missing_key'});
  await expect(served({host: '::'})).rejects.toMatchObject({code: 'missing_key'});
});

const python = '/usr/bin/python3';
const SCRIPT = `
import base64, json, sys, urllib.request, urllib.error
url, key = sys.argv[1:]
def call(verb, path, **fields):
    data = json.dumps(fields).encode() if fields else None
    request = urllib.request.Request(url + path, data, method=verb)
    request.add_header('Authorization', 'Basic ' + base64.b64encode((key + ':').encode()).decode())
    if data: request.add_header('Content-Type', 'application/json')
    try:
        return json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as error:
        return {'status': error.code, **json.load(error)}
cart = {'currency': 'PHP', 'line_items': [{'name': 'T-shirt', 'amount': 45000, 'quantity': 2}], 'success_url': 'https://shop.example', 'cancel_url': 'https://shop.example'}
session = call('POST', '/checkout_sessions', **cart)
paid = call('POST', '/_centavo/pay', id=session['id'], method='gcash')
events = call('GET', '/_centavo/events?wait=5&object=' + session['id'])
clock = call('POST', '/_centavo/time', advance='31d')
none = call('GET', '/_centavo/events?wait=0&type=refund.created')
print(json.dumps([paid['outcome'], [event['type'] for event in events['data']], clock['time'][10:], none['status']]))
`;

test.skipIf(!existsSync(python))("Python's standard library drives it", async () => {
  const s = await served();
  const run = spawn(python, ['-c', SCRIPT, s.server.url, `${KEY}pytest`], {stdio: ['ignore', 'pipe', 'inherit']});
  const [printed] = await Promise.all([text(run.stdout), once(run, 'close')]);
  expect(JSON.parse(printed)).toEqual(['paid', ['payment_intent.succeeded'], 'T16:00:00+08:00', 408]);
});
