// The control path over HTTP: who may use it, what it takes, and how it refuses.

import {request} from 'node:http';
import {connect} from 'node:net';
import {once} from 'node:events';
import {EVENT_TYPES} from '../../../src/api/events.js';
import {beforeEach, describe, expect, test} from 'vitest';
import {SOON, waitingTime} from '../../support/far-limits.js';
import {receiver, webhook} from '../../support/sandbox/receiver.js';
import {DAY, START} from '../../support/sandbox/world.js';
import {authorization, CART, refusalOf, served, type Served} from './served.js';

let s: Served;
beforeEach(async () => {
  s = await served();
});

const ROUTES = [
  'GET time',
  'POST time',
  'POST pay',
  'POST trigger',
  'GET events',
  'GET requests',
  'GET failures',
  'POST failures',
  'DELETE failures',
  'GET snapshots',
  'POST snapshots',
  'POST restore',
  'GET namespaces',
  'DELETE namespaces',
  'POST reset',
];

describe('the key', () => {
  test('is needed for all but the health', async () => {
    for (const headers of [{authorization: ''}, {authorization: authorization(s.sandbox.keys.public)}]) {
      for (const route of ROUTES) {
        const [method = '', path = ''] = route.split(' ');
        expect([route, ...refusalOf(await s.control(method, path, undefined, headers))]).toEqual([
          route,
          401,
          'auth_invalid',
          undefined,
        ]);
      }
      expect(await s.control('GET', 'health', undefined, headers)).toMatchObject({status: 200, body: {status: 'ok'}});
      expect(await s.control('HEAD', 'health', undefined, headers)).toMatchObject({status: 200});
    }
    expect(refusalOf(await s.control('POST', 'health', undefined, {authorization: ''}))[0]).toBe(401);
    for (const bad of ['Bearer x', 'Basic !', 'Basic', authorization('sk_live_abc'), authorization(`${s.key}x`)])
      expect(refusalOf(await s.control('POST', 'reset', undefined, {authorization: bad}))[0]).toBe(401);
  });

  test('does not help a web page or another name, and no answer has a CORS header', async () => {
    for (const headers of [
      {origin: 'https://evil.example'},
      {origin: 'null'},
      {'sec-fetch-site': 'cross-site'},
      {'sec-fetch-site': 'same-site'},
      {host: 'evil.example'},
      {host: `evil.example:${s.server.port}`},
    ])
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS'])
        for (const path of ['health', 'time', 'reset']) {
          const answer = await s.control(method, path, undefined, headers);
          expect(answer.status).toBe('host' in headers ? 421 : 403);
          expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
        }
    expect(Object.keys((await s.control('GET', 'time')).headers).join()).not.toContain('access-control');
  });
});

test.each([
  ['GET', '/_centavo/', 404],
  ['GET', '/_centavo', 404],
  ['GET', '/_centavo/time/', 404],
  ['GET', '//_centavo/time', 404],
  ['GET', '/%5fcentavo/time', 404],
  ['GET', '/_centavo/%74ime', 404],
  ['GET', '/_centavo/../_centavo/time', 404],
  ['GET', '/_centavo/__proto__', 404],
  ['GET', '/_centavo/constructor', 404],
  ['HEAD', '/_centavo/time', 404],
  ['OPTIONS', '/_centavo/time', 404],
  ['PUT', '/_centavo/time', 404],
  ['TRACE', '/_centavo/time', 400],
])('%s %s is %i', async (method, path, status) => {
  const answer = await s.send(method, path);
  expect(answer.status).toBe(status);
  if (path === '/_centavo/time/')
    expect(answer.body.errors[0].detail).toBe(
      `GET /_centavo/time/ is not a control request. There are: ${ROUTES.map((route) => route.replace(' ', ' /_centavo/')).join(', ')}.`,
    );
});

describe('a parameter', () => {
  test('comes as JSON, as a form, in the query or in the body', async () => {
    const ahead = async (path: string, sent?: object | string) => (await s.control('POST', path, sent)).body.now;
    expect(await ahead('time', {advance: '1d'})).toBe(START + DAY);
    expect(await ahead('time', {advance: DAY})).toBe(START + 2 * DAY);
    expect(await ahead('time', `advance=${DAY}`)).toBe(START + 3 * DAY);
    expect(await ahead('time', '{"advance": "1d"}')).toBe(START + 4 * DAY);
    expect(await ahead('time?advance=1d')).toBe(START + 5 * DAY);
    expect(await ahead('time', {to: START + 6 * DAY})).toBe(START + 6 * DAY);
    expect(await ahead('time', {to: '2027-01-25T16:00:00+08:00', advance: null})).toBe(START + 10 * DAY);
    await s.control('POST', 'failures', 'operation=refunds.create&status=500&applied=true&times=2');
    await s.control('POST', 'failures', {drop: 'after'});
    // An id in the body of DELETE must not remove all.
    const {body} = await s.control('DELETE', 'failures', {id: 1});
    const ends_at = START + 3600;
    expect(body.data).toEqual([{id: 2, drop: 'after', times: 1, used: 0, aim: 'any request', ends_at}]);
  });

  test.each<[string, object | string | undefined, string, string | undefined]>([
    ['GET time?x=1', undefined, 'parameter_unknown', 'x'],
    ['POST time', {advnace: '1d'}, 'parameter_unknown', 'advnace'],
    ['POST time', {['__proto__x']: 1}, 'parameter_unknown', '__proto__x'],
    ['POST time', '{"__proto__": {"advance": 1}}', 'parameter_unknown', '__proto__'],
    ['POST time', {}, 'parameter_invalid', 'advance'],
    ['POST time', {advance: 1, to: 2}, 'parameter_invalid', 'advance'],
    ['POST time', {advance: -1}, 'invalid_duration', undefined],
    ['POST time', {advance: 1.5}, 'invalid_duration', undefined],
    ['POST time', {advance: '9999999w'}, 'invalid_duration', undefined],
    ['POST time', {advance: 1e300}, 'invalid_duration', undefined],
    ['POST time', {advance: {toString: 1}}, 'invalid_duration', undefined],
    ['POST time', {to: {toString: 1, valueOf: 1}}, 'invalid_date', undefined],
    ['POST time', {to: 'tomorrow'}, 'invalid_date', undefined],
    ['POST time', {to: START * 1000}, 'invalid_date', undefined],
    ['POST time', {to: START - 1}, 'usage', undefined],
    ['POST time', {advance: '1d', wait: -1}, 'parameter_below_minimum', 'wait'],
    ['POST time', {advance: '1d', wait: 61}, 'parameter_above_maximum', 'wait'],
    ['POST time', {advance: '1d', wait: '5'}, 'parameter_type_invalid', 'wait'],
    ['POST time', '[1]', 'parameter_invalid', undefined],
    ['POST time', '1d', 'parameter_unknown', '1d'],
    ['POST time', '{"advance":', 'parameter_invalid', undefined],
    ['POST pay', {}, 'parameter_required', 'id'],
    ['POST pay', {id: {}}, 'parameter_type_invalid', 'id'],
    ['POST pay', {id: 'cus_1'}, 'usage', undefined],
    ['POST pay', {id: 'x'.repeat(1001)}, 'parameter_above_maximum', 'id'],
    ['POST trigger', {type: 'constructor'}, 'unknown_event', undefined],
    ['POST trigger', {type: 'refund.created', set: {amounts: 1}}, 'unknown_setting', undefined],
    ['POST trigger', {type: 'refund.created', set: 'all'}, 'parameter_type_invalid', 'set'],
    ['POST trigger', {type: 'refund.created', set: {amount: '5'}}, 'parameter_type_invalid', 'set.amount'],
    ['POST trigger', {type: 'refund.created', set: {amount: -5}}, 'parameter_below_minimum', 'amount'],
    ['POST trigger', {type: 'refund.created', set: {metadata: []}}, 'parameter_type_invalid', 'set.metadata'],
    ['GET events?limit=-1', undefined, 'parameter_below_minimum', 'limit'],
    ['GET events?limit=999999999999', undefined, 'parameter_above_maximum', 'limit'],
    ['GET events?limit=many', undefined, 'parameter_type_invalid', 'limit'],
    ['GET events?limit[]=1', undefined, 'parameter_type_invalid', 'limit'],
    ['GET events?wait=0.5', undefined, 'parameter_type_invalid', 'wait'],
    ['GET events?wait=99', undefined, 'parameter_above_maximum', 'wait'],
    ['GET events?type=payment.succeeded&wait=60', undefined, 'parameter_invalid', 'type'],
    ['GET requests?limit=0', undefined, 'parameter_below_minimum', 'limit'],
    ['POST failures', {status: 200}, 'invalid_failure', undefined],
    ['POST failures', {status: '500'}, 'parameter_type_invalid', 'status'],
    ['POST failures', {status: 500, times: -1}, 'invalid_failure', undefined],
    ['POST failures', {status: 500, times: 1e9}, 'invalid_failure', undefined],
    ['POST failures', {delay: 60_001}, 'invalid_failure', undefined],
    ['POST failures', {operation: 'refund.create', status: 500}, 'invalid_failure', undefined],
    ['DELETE failures?id=all', undefined, 'parameter_type_invalid', 'id'],
    ['POST snapshots', {name: 5}, 'parameter_type_invalid', 'name'],
    ['POST restore', {}, 'parameter_required', 'name'],
    ['DELETE namespaces', undefined, 'parameter_required', 'name'],
  ])('%s %j is refused: %s', async (route, sent, code, parameter) => {
    const [method = '', path = ''] = route.split(' ');
    expect(refusalOf(await s.control(method, path, sent))).toEqual([400, code, parameter]);
    expect(s.faults).toEqual([]);
    expect(s.sandbox.now()).toBe(START);
  });

  test('is refused with what there is, and what does not exist is 404', async () => {
    const detail = async (method: string, path: string, sent?: object) =>
      (await s.control(method, path, sent)).body.errors[0].detail as string;
    expect(await detail('POST', 'pay', {ide: 1})).toBe('POST pay takes id, method, card, outcome, wait.');
    expect(await detail('POST', 'reset', {all: true})).toBe('POST reset takes no parameters.');
    const {id} = await s.session();
    for (const [fields, text] of [
      [{card: 'constructor'}, 'constructor is not a test card.'],
      [{card: '__proto__'}, '__proto__ is not a test card.'],
      [{method: 'cash'}, 'cash is not a payment method. Payment methods: card, gcash'],
      [{outcome: 'toString'}, 'The value for outcome must be one of paid, awaiting_approval, processing, blocked, '],
      [{method: 'gcash', card: 'visa'}, 'card cannot be used with gcash.'],
    ] as const)
      expect(await detail('POST', 'pay', {id, ...fields})).toContain(text);
    for (const [method, path, sent] of [
      ['POST', 'pay', {id: 'cs_none'}],
      ['POST', 'restore', {name: 'none'}],
      ['POST', 'trigger', {type: 'billing_statement.voided', from: 'bstm_none'}],
      ['GET', 'events?after=evt_none', undefined],
      ['DELETE', 'namespaces?name=none', undefined],
    ] as const)
      expect([path, (await s.control(method, path, sent)).status]).toEqual([path, 404]);
    expect(s.faults).toEqual([]);
  });

  test('of one mebibyte is refused, and of more too', async () => {
    const name = 'x'.repeat(1024 * 1024 - 11);
    expect(refusalOf(await s.control('POST', 'snapshots', {name}))).toEqual([400, 'parameter_above_maximum', 'name']);
    expect(refusalOf(await s.control('POST', 'snapshots', {name: `${name}x`}))[0]).toBe(413);
  });
});

test('pays, triggers and moves the clock through what is due, and its webhooks are told first', async () => {
  const app = await receiver();
  await webhook(s, app.url, ...EVENT_TYPES);
  const {id} = await s.session();
  expect((await s.control('POST', 'pay', {id, card: 'insufficient_funds'})).body).toMatchObject({outcome: 'failed'});
  expect((await s.control('POST', 'pay', {id})).body).toMatchObject({outcome: 'paid', payment: {amount: 90_000}});
  expect(app.types()).toEqual(['payment_intent.succeeded']);
  await s.control('POST', 'trigger', {type: 'checkout_session.expired'});
  expect(app.types().at(-1)).toBe('checkout_session.expired');
  const events = await s.control('GET', `events?object=${id}`);
  expect(events.body.data).toMatchObject([{type: 'payment_intent.succeeded', cause: 'control'}]);

  app.answer = 500;
  const {id: event} = (await s.control('POST', 'trigger', {type: 'payout.created'})).body;
  app.answer = 200;
  const {id: statement} = await s.open();
  const seen = app.arrivals.length;
  const {body} = await s.control('POST', 'time', {advance: '31d'});
  expect(body).toMatchObject({now: START + 31 * DAY, time: '2027-02-15T16:00:00+08:00'});
  const later = app.types().slice(seen);
  expect(later.indexOf('billing_statement.will_be_due')).toBeLessThan(later.indexOf('billing_statement.overdue'));
  expect(app.arrivals.slice(seen).map((arrival) => arrival.event.id)).toContain(event);
  const overdue = app.arrivals.find(({event}) => event.type === 'billing_statement.overdue')!;
  expect(overdue.event.created_at).toBe(START + 10 * DAY);
  expect((await s.control('GET', `events?object=${statement}&type=billing_statement.overdue`)).body.data).toHaveLength(
    1,
  );
});

describe('a wait', () => {
  test('ends when the event happens', async () => {
    const {id} = await s.session();
    const waiting = s.control('GET', `events?type=payment_intent.succeeded&object=${id}&wait=60`);
    await s.control('GET', 'time');
    await s.control('POST', 'pay', {id});
    expect((await waiting).body.data).toHaveLength(1);
  });

  test('says what happened instead, and what is due next', async () => {
    const {id} = await s.session();
    await s.control('POST', 'trigger', {type: 'refund.created'});
    const {status, body} = await s.control('GET', 'events?type=checkout_session.expired&wait=0');
    expect([status, body.errors[0].code]).toEqual([408, 'event_not_seen']);
    expect(body.errors[0].detail).toMatch(/^checkout_session.expired did not happen. Instead: .*refund.created/);
    expect(body.errors[0].detail).toContain(
      `Next is session-expiry of ${id}, in 86400 seconds of the sandbox's clock.`,
    );
    await s.control('POST', 'reset');
    expect((await s.control('GET', 'events?wait=0')).body.errors[0].detail).toBe(
      'an event did not happen. Nothing else happened.',
    );
  });

  test('ends when the server closes, and when its client has gone', async () => {
    const idle = waitingTime();
    const gone = request({port: s.server.port, path: '/_centavo/events?wait=60', auth: `${s.key}:`});
    gone.on('error', () => {});
    gone.end();
    await once(gone, 'socket');
    await s.control('GET', 'time');
    gone.destroy();
    const waiting = s.control('GET', 'events?wait=60');
    await s.control('POST', 'failures', {delay: 60_000});
    const late = s.send('GET', '/customers');
    await s.control('GET', 'time');
    await s.server.close();
    expect((await waiting).status).toBe(408);
    expect((await late).status).toBe(200);
    expect(idle()).toBeLessThan(SOON / 10);
  });
});

test('the clock moves on although an app does not answer, and its client has gone', async () => {
  const app = await receiver('hang');
  await webhook(s, app.url, ...EVENT_TYPES);
  await s.open();
  const body = JSON.stringify({advance: '31d'});
  const gone = connect(s.server.port, '127.0.0.1');
  gone.on('error', () => {});
  gone.write(
    `POST /_centavo/time HTTP/1.1\r\nHost: 127.0.0.1:${s.server.port}\r\nAuthorization: ${authorization(s.key)}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await app.until(1);
  gone.destroy();
  await expect.poll(() => s.sandbox.now()).toBe(START + 31 * DAY);
});

describe('failures', () => {
  test('hit the API and not the control path, and are planned up to a limit', async () => {
    await s.control('POST', 'failures', {status: 503, times: 2});
    expect((await s.control('GET', 'time')).status).toBe(200);
    expect((await s.send('GET', '/customers')).status).toBe(503);
    expect((await s.control('GET', 'failures')).body.data).toMatchObject([{used: 1, times: 2}]);
    expect((await s.control('DELETE', 'failures')).body.data).toEqual([]);
    expect((await s.send('GET', '/customers')).status).toBe(200);
    await s.control('POST', 'failures', {operation: 'checkoutSessions.create', drop: 'after'});
    await expect(s.send('POST', '/checkout_sessions', CART)).rejects.toThrow(/socket hang up|ECONNRESET/);
    const requests = (await s.control('GET', 'requests?limit=3')).body.data as {path: string; status: number | null}[];
    expect(requests.map(({path}) => path)).toContain('/checkout_sessions');
    expect(requests.every(({path}) => !path.startsWith('/_centavo'))).toBe(true);
  });
});

describe('snapshots', () => {
  test('bring everything back, and a name given again replaces', async () => {
    const {id} = await s.customer();
    expect((await s.control('POST', 'snapshots', {name: '2'})).body).toEqual({name: '2'});
    expect((await s.control('POST', 'snapshots')).body).toEqual({name: 'snapshot-2'});
    await s.control('POST', 'time', {advance: '1d'});
    await s.control('POST', 'snapshots', {name: '2'});
    expect((await s.control('GET', 'snapshots')).body.data).toEqual([{name: '2'}, {name: 'snapshot-2'}]);
    await s.control('POST', 'reset');
    expect((await s.send('GET', `/customers/${id}`)).status).toBe(404);
    expect((await s.control('POST', 'restore', {name: '2'})).body.now).toBe(START + DAY);
    expect((await s.send('GET', `/customers/${id}`)).status).toBe(200);
    expect((await s.control('POST', 'restore', {name: 'snapshot-2'})).body.now).toBe(START);
    const copies = s.sandbox.requests.database.all<{name: string}>('SELECT name FROM sqlite_temp_master');
    expect(new Set(copies.map(({name}) => /snapshot_(\d+)/.exec(name)?.[1]))).toEqual(new Set(['2', '3']));
  });

  test('are 100 at most', async () => {
    for (let number = 0; number < 100; number++) await s.control('POST', 'snapshots', {name: `s${number}`});
    expect(refusalOf(await s.control('POST', 'snapshots', {name: 'more'}))).toEqual([
      400,
      'too_many_snapshots',
      'name',
    ]);
    expect(refusalOf(await s.control('POST', 'snapshots'))[0]).toBe(400);
    expect((await s.control('POST', 'snapshots', {name: 's7'})).status).toBe(200);
  });
});
