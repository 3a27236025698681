// The surface of the test kit, beyond the paths of a first test.

import {spawnSync} from 'node:child_process';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {afterEach, describe, expect, onTestFinished, test, vi} from 'vitest';
import {constructEvent, createSandbox, type Event, type EventType, type TestSandbox} from '../../src/index.js';
import {temporaryDirectory} from '../support/cli.js';

const AT = '2031-01-15T09:00:00+08:00';
const START = Date.parse(AT) / 1000;

const opened: TestSandbox[] = [];
async function sandboxOf(options: Parameters<typeof createSandbox>[0] = {}): Promise<TestSandbox> {
  const sandbox = await createSandbox({at: AT, random: 7, ...options});
  opened.push(sandbox);
  return sandbox;
}
afterEach(async () => {
  vi.useRealTimers();
  for (const sandbox of opened.splice(0)) await sandbox.close();
});

const cart = {
  currency: 'PHP',
  line_items: [{name: 'T-shirt', amount: 45_000, quantity: 2}],
  success_url: 'https://shop.example/thanks',
  cancel_url: 'https://shop.example/cart',
} as const;
const ana = {name: 'Ana', email: 'ana@example.com', currency: 'PHP'} as const;
const ok = () => new Response('');

function deferred<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return {promise, resolve};
}

/** A handler that keeps the types of its events. */
function recorder() {
  const types: string[] = [];
  const handler = async (request: Request): Promise<Response> => {
    types.push(((await request.json()) as {type: string}).type);
    return ok();
  };
  return {types, handler};
}

describe('options', () => {
  test('eventShape resource: the older body, which constructEvent reads as any event', async () => {
    const sandbox = await sandboxOf({eventShape: 'resource', fees: 'none'});
    const bodies: any[] = [];
    const events: Event[] = [];
    const webhook = await sandbox.deliverTo(async (request) => {
      const body = await request.text();
      bodies.push(JSON.parse(body));
      events.push(constructEvent(body, request.headers.get('payrex-signature'), webhook.secret));
      return ok();
    });
    const paid = await sandbox.pay(await sandbox.client.checkoutSessions.create(cart), {method: 'gcash'});
    await sandbox.reset();
    await sandbox.trigger('billing_statement.voided');
    const succeeded = bodies.find(({type}) => type === 'payment_intent.succeeded');
    expect(succeeded).not.toHaveProperty('previous_attributes');
    expect(succeeded.data).toMatchObject({
      resource: {id: paid.intent.id, resource: 'payment_intent', latest_payment: {fee: 0, net_amount: 90_000}},
      previous_attributes: {status: 'processing'},
    });
    expect(bodies.at(-1)).toMatchObject({type: 'billing_statement.voided', data: {resource: {status: 'void'}}});
    expect(
      events.map(({data, previous_attributes: previous}) => ({resource: data, previous_attributes: previous})),
    ).toEqual(bodies.map(({data}) => data));
  });

  test.each([
    [{fees: 'standart'}, /"standart" is not a setting of fees/],
    [{eventShape: 'object'}, /"object" is not a shape of events/],
  ])('%j is refused', async (options, message) => {
    await expect(createSandbox(options as object)).rejects.toThrow(message);
  });

  test.each([
    ['a text', AT],
    ['a Date', new Date(AT)],
    ['seconds', START],
    ['a text in UTC', '2031-01-15T01:00:00Z'],
  ])('at: %s', async (_, at) => {
    const {clock, client} = await sandboxOf({at});
    expect(clock.now()).toEqual(new Date(AT));
    expect((await client.customers.create(ana)).created_at).toBe(START);
  });

  test.each([['tomorrow'], ['2031-02-30'], [Number.NaN], [new Date('no')], [START * 1000], [1.5], [null]])(
    'at: %s is refused',
    async (at) => {
      await expect(sandboxOf({at: at as string})).rejects.toThrow('is not an instant');
    },
  );

  test('random: the same ids, secrets and events for each run', async () => {
    async function run() {
      const sandbox = await sandboxOf();
      const {secret, webhookId} = await sandbox.deliverTo(ok);
      const {payment} = await sandbox.pay(await sandbox.client.checkoutSessions.create(cart));
      const events = (await sandbox.events.list()).map(({id}) => id);
      return {keys: {...sandbox.keys}, secret, webhookId, payment: payment!.id, events};
    }
    const first = await run();
    expect(await run()).toEqual(first);
    expect(first.events).toHaveLength(1);
    const other = await sandboxOf({random: 8});
    expect(other.keys.secret).not.toBe(first.keys.secret);
  });

  test('seeded: customers, statements and payments to begin with', async () => {
    const sandbox = await sandboxOf({seeded: true});
    const seed = await sandbox.snapshot();
    const counted = async () => (await sandbox.client.customers.list({limit: 100})).data.length;
    const count = await counted();
    expect(count).toBeGreaterThan(5);
    await sandbox.client.customers.create(ana);
    await sandbox.restore(seed);
    expect(await counted()).toBe(count);
  });

  test('running: the clock goes on, and deliveries go out by themselves', async () => {
    const sandbox = await sandboxOf({running: true});
    const webhook = await sandbox.deliverTo(ok);
    await sandbox.client.checkoutSessions.create(cart).then(({id}) => sandbox.pay(id));
    expect(webhook.attempts).toHaveLength(1);
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(sandbox.clock.now().getTime() / 1000 - START).toBeGreaterThanOrEqual(60);
  });

  test('clock.run: the clock that stood goes on', async () => {
    const sandbox = await sandboxOf();
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(sandbox.clock.now()).toEqual(new Date(AT));
    sandbox.clock.run();
    sandbox.clock.run();
    expect(sandbox.clock.now()).toEqual(new Date(AT));
    vi.mocked(Date.now).mockReturnValue(Date.now() + 30_000);
    expect(sandbox.clock.now()).toEqual(new Date((START + 30) * 1000));
  });

  test('path: a file keeps everything, and another process reads it', async () => {
    const path = join(temporaryDirectory(), 'shop.db');
    const first = await sandboxOf({path});
    const webhook = await first.deliverTo(ok);
    const {id} = await first.client.customers.create(ana);
    await first.clock.advance('1d');

    const library = new URL('../../bundle/index.mjs', import.meta.url).href;
    const program = `
      const {createSandbox} = await import(${JSON.stringify(library)});
      const sandbox = await createSandbox({path: ${JSON.stringify(path)}, at: ${START}});
      const {name} = await sandbox.client.customers.get('${id}');
      console.log(name, sandbox.clock.now().toISOString());
      await sandbox.close();
    `;
    const args = ['--input-type=module', '--eval', program];
    const {stdout, stderr} = spawnSync(process.execPath, args, {encoding: 'utf8'});
    expect([stdout, stderr]).toEqual(['Ana 2031-01-16T01:00:00.000Z\n', '']);

    await first.close();
    const second = await sandboxOf({path});
    expect(second.keys).toEqual(first.keys);
    expect(await second.client.customers.get(id)).toMatchObject(ana);
    // The handler ended with its sandbox.
    await expect(second.client.webhooks.get(webhook.webhookId)).rejects.toMatchObject({kind: 'not_found'});
  });

  test('twenty sandboxes at once do not meet', async () => {
    const ids = await Promise.all(
      Array.from({length: 20}, async (_, random) => {
        const sandbox = await sandboxOf({random});
        const {types, handler} = recorder();
        await sandbox.deliverTo(handler);
        const {payment} = await sandbox.pay(await sandbox.client.checkoutSessions.create(cart));
        expect(types).toEqual(['payment_intent.succeeded']);
        return payment!.id;
      }),
    );
    expect(new Set(ids).size).toBe(20);
  });
});

describe('deliverTo', () => {
  test('a handler as Hono has it, with its path', async () => {
    const sandbox = await sandboxOf();
    const app = {
      routes: {'POST /hooks/payrex': ok} as Record<string, () => Response>,
      fetch: (request: Request) =>
        app.routes[`${request.method} ${new URL(request.url).pathname}`]?.() ?? new Response('', {status: 404}),
    };
    const webhook = await sandbox.deliverTo(app.fetch, {path: '/hooks/payrex'});
    await sandbox.trigger('refund.created');
    expect(webhook.attempts.map(({status}) => status)).toEqual(webhook.attempts.map(() => 200));
    expect(webhook.attempts.length).toBeGreaterThan(0);
  });

  test('a route as Next has it, with a secret that the app has', async () => {
    const sandbox = await sandboxOf();
    const secret = 'whsk_of_the_environment';
    const seen: EventType[] = [];
    const route = {
      async POST(request: Request): Promise<Response> {
        const event = constructEvent(await request.text(), request.headers.get('payrex-signature'), secret);
        if (event.type === 'refund.created') seen.push(event.type);
        return Response.json({received: true});
      },
    };
    const webhook = await sandbox.deliverTo(route.POST, {secret, events: ['refund.created']});
    expect(webhook.secret).toBe(secret);
    await sandbox.trigger('refund.created');
    expect(seen).toEqual(['refund.created']);
    expect(webhook.attempts.map(({event}) => event.type)).toEqual(seen);
  });

  test('a server of this machine', async () => {
    const sandbox = await sandboxOf();
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
      request.on('end', () => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
    const webhook = await sandbox.deliverTo(url, {events: ['refund.created']});
    await sandbox.trigger('refund.created');
    expect(webhook.attempts).toMatchObject([{status: 200, outcome: 'delivered'}]);
    expect(JSON.parse(bodies[0]!)).toMatchObject({type: 'refund.created'});
  });

  test('an address elsewhere gets nothing', async () => {
    const sandbox = await sandboxOf();
    const webhook = await sandbox.deliverTo('https://93.184.215.14/webhooks', {events: ['refund.created']});
    await sandbox.trigger('refund.created');
    expect(webhook.attempts).toMatchObject([{status: null, outcome: 'refused'}]);
  });

  test('onThrow: retry answers 500, and the event comes again', async () => {
    const sandbox = await sandboxOf();
    let isDown = true;
    const handler = (): Response => {
      if (isDown) throw new Error('the database is down');
      return ok();
    };
    const webhook = await sandbox.deliverTo(handler, {onThrow: 'retry', events: ['refund.created']});
    await sandbox.trigger('refund.created');
    isDown = false;
    await sandbox.clock.advance(10);
    expect(webhook.attempts.map(({status, outcome}) => [status, outcome])).toEqual([
      [500, 'retrying'],
      [200, 'delivered'],
    ]);
  });

  test('what a handler throws after a call of the client is thrown where the test waits next', async () => {
    const sandbox = await sandboxOf();
    await sandbox.deliverTo(() => {
      throw new Error('no such order');
    });
    const fail = async (): Promise<unknown> =>
      sandbox.client.billingStatements.create({
        customer_id: (await sandbox.client.customers.create(ana)).id,
        currency: 'PHP',
      });
    await fail();
    await expect(sandbox.settled()).rejects.toThrow('no such order');
    await sandbox.settled();
    await fail();
    await expect(sandbox.close()).rejects.toThrow('no such order');
    opened.length = 0;
  });

  test('a handler must return a Response, within ten seconds', async () => {
    const sandbox = await sandboxOf();
    await sandbox.deliverTo(() => undefined as unknown as Response, {events: ['refund.created']});
    await expect(sandbox.trigger('refund.created')).rejects.toThrow('The handler returned no Response.');
    await sandbox.deliverTo(() => Promise.reject(new DOMException('its own', 'TimeoutError')));
    await expect(sandbox.trigger('payout.created')).rejects.toThrow('its own');

    vi.useFakeTimers();
    const slow = await sandboxOf();
    const started = deferred<void>();
    const webhook = await slow.deliverTo(() => (started.resolve(), new Promise<Response>(() => {})), {
      events: ['refund.created'],
    });
    const triggered = slow.trigger('refund.created');
    await started.promise;
    vi.advanceTimersByTime(10_000);
    await triggered;
    expect(webhook.attempts).toMatchObject([{status: null, outcome: 'retrying'}]);
  });

  test('redeliver: again, to this handler only', async () => {
    const sandbox = await sandboxOf();
    const [one, two] = [await sandbox.deliverTo(ok), await sandbox.deliverTo(ok)];
    const event = await sandbox.trigger('refund.created');
    await one.redeliver(event);
    await one.redeliver(event.id);
    const to = (webhook: typeof one) => webhook.attempts.filter(({event: {id}}) => id === event.id).length;
    expect([to(one), to(two)]).toEqual([3, 1]);
    await expect(one.redeliver('evt_none')).rejects.toThrow('event evt_none was not found in the sandbox.');
  });

  test('stop: nothing more comes, also after a restore', async () => {
    const sandbox = await sandboxOf();
    const {types, handler} = recorder();
    const webhook = await sandbox.deliverTo(handler);
    const before = await sandbox.snapshot();
    await webhook.stop();
    await webhook.stop();
    await sandbox.trigger('refund.created');
    await sandbox.restore(before);
    await sandbox.trigger('refund.created');
    await sandbox.reset();
    await sandbox.trigger('refund.created');
    expect(types).toEqual([]);
    expect((await sandbox.client.webhooks.list()).data).toEqual([]);
  });
});

describe('failNext', () => {
  const statusOf = async (sandbox: TestSandbox, path: string, init: RequestInit = {}): Promise<number | string> => {
    const authorization = `Basic ${Buffer.from(`${sandbox.keys.secret}:`).toString('base64')}`;
    const sent = sandbox.fetch(path, {...init, headers: {authorization, ...(init.headers as Record<string, string>)}});
    return sent.then(
      ({status}) => status,
      () => 'dropped',
    );
  };
  const post = {
    method: 'POST',
    body: JSON.stringify(ana),
    headers: {'content-type': 'application/json'},
  };

  test('any request', async () => {
    const sandbox = await sandboxOf();
    const failing = sandbox.failNext({status: 503});
    expect(failing.used).toBe(0);
    expect(await statusOf(sandbox, '/customers')).toBe(503);
    expect(await statusOf(sandbox, '/customers')).toBe(200);
    expect(failing.used).toBe(1);
  });

  test.each([
    ['an operation', {operation: 'customers.create'}],
    ['a method and a path', {method: 'POST', path: '/customers'}],
    ['a path', {path: '/customers'}],
    ['a method', {method: 'POST'}],
  ] as const)('%s', async (_, which) => {
    const sandbox = await sandboxOf();
    sandbox.failNext({...which, status: 429});
    expect(await statusOf(sandbox, '/billing_statements')).toBe(200);
    expect(await statusOf(sandbox, '/customers', post)).toBe(429);
    expect(await statusOf(sandbox, '/customers', post)).toBe(200);
  });

  test.each([
    ['a status', {status: 500}, 500, 0],
    ['a status, applied', {status: 500, applied: true}, 500, 1],
    ['dropped before', {drop: 'before'}, 'dropped', 0],
    ['dropped after', {drop: 'after'}, 'dropped', 1],
    ['late', {delay: 5}, 200, 1],
    ['late and failed', {delay: 5, status: 502}, 502, 0],
  ] as const)('%s', async (_, how, status, made) => {
    const sandbox = await sandboxOf();
    sandbox.failNext({operation: 'customers.create', ...how});
    expect(await statusOf(sandbox, '/customers', post)).toBe(status);
    expect((await sandbox.client.customers.list()).data).toHaveLength(made);
  });

  test('a delay outlasts the timeout of the client', async () => {
    const sandbox = await sandboxOf();
    sandbox.failNext({operation: 'customers.create', delay: 200});
    await expect(sandbox.client.customers.create(ana, {timeout: 20})).rejects.toMatchObject({
      kind: 'outcome_unknown',
      details: {applied: 'unknown'},
    });
    const aborted = sandbox.fetch('/customers', {signal: AbortSignal.timeout(5)});
    sandbox.failNext({path: '/customers', delay: 200});
    await expect(aborted).rejects.toThrow();
  });

  test('reads are retried by the client, without a wait; more times, and it gives up', async () => {
    const sandbox = await sandboxOf();
    const twice = sandbox.failNext({operation: 'customers.list', status: 503, times: 2});
    await sandbox.client.customers.list();
    expect(twice.used).toBe(2);
    const always = sandbox.failNext({operation: 'customers.list', status: 503, times: 100});
    await expect(sandbox.client.customers.list()).rejects.toThrow('HTTP 503');
    expect(always.used).toBe(3);
    always.cancel();
    await sandbox.client.customers.list();
    expect(always.used).toBe(3);
  });
});

describe('events.waitFor', () => {
  test('waits for what happens later', async () => {
    const sandbox = await sandboxOf();
    const session = await sandbox.client.checkoutSessions.create(cart);
    const waiting = sandbox.events.waitFor({type: 'payment_intent.succeeded', object: session});
    await sandbox.pay(session);
    const event = await waiting;
    expect(event.data.amount).toBe(90_000);
    const after = sandbox.events.waitFor({type: 'payment_intent.succeeded', after: event}, {timeout: 0});
    await expect(after).rejects.toMatchObject({kind: 'timed_out', code: 'event_not_seen'});
  });

  test('says what happened instead, what is due, and what to write', async () => {
    const sandbox = await sandboxOf();
    const statement = await sandbox.trigger('billing_statement.finalized');
    const wait = sandbox.events.waitFor({type: 'billing_statement.overdue', object: statement.data}, {timeout: 30});
    const error = (await wait.catch((thrown: unknown) => thrown)) as Error;
    const [, seconds] = /await sandbox\.clock\.advance\((\d+)\)/.exec(error.message)!;
    expect(error.message).toMatch(
      /^billing_statement\.overdue did not happen to bstm_\w+\. Instead: .*billing_statement\.finalized\. Next is \S+ of bstm_\w+, in \d+ seconds of the sandbox's clock\. To get there: /,
    );
    expect(error.stack).toContain('kit.test.ts');
    await sandbox.clock.advance(Number(seconds));
    await sandbox.clock.advance('30d');
    await sandbox.events.waitFor({type: 'billing_statement.overdue', object: statement.data});
  });

  test('ends also while the timers of the test are fake', async () => {
    vi.useFakeTimers();
    const sandbox = await sandboxOf();
    await expect(sandbox.events.waitFor({type: 'payout.created'}, {timeout: 30})).rejects.toThrow(
      'payout.created did not happen. Nothing else happened.',
    );
  });
});

test('with fake timers, signatures are verified by the same clock', async () => {
  vi.useFakeTimers({now: new Date('2040-01-01')});
  const sandbox = await sandboxOf();
  const types: string[] = [];
  const webhook = await sandbox.deliverTo(async (request) => {
    types.push(constructEvent(await request.text(), request.headers.get('payrex-signature'), webhook.secret).type);
    return ok();
  });
  await sandbox.trigger('refund.created');
  expect(types).toContain('refund.created');
});

describe('snapshot, restore and reset', () => {
  test('planned failures, later webhooks of the API, requests and the clock go', async () => {
    const sandbox = await sandboxOf();
    const empty = await sandbox.snapshot();
    for (const back of [() => sandbox.restore(empty), () => sandbox.reset()]) {
      await sandbox.client.webhooks.create({url: 'http://127.0.0.1:9/x', events: ['refund.created']});
      await sandbox.client.customers.list();
      const failing = sandbox.failNext({status: 500});
      await sandbox.clock.advance('1d');
      await back();
      expect(await sandbox.requests.list()).toEqual([]);
      expect((await sandbox.client.webhooks.list()).data).toEqual([]);
      expect(failing.used).toBe(0);
      expect(sandbox.clock.now()).toEqual(new Date(AT));
    }
  });

  test('a handler that came after the snapshot stays, under its id and secret', async () => {
    const sandbox = await sandboxOf();
    const empty = await sandbox.snapshot();
    const {types, handler} = recorder();
    const {secret, webhookId} = await sandbox.deliverTo(handler, {events: ['refund.created']});
    for (const back of [() => sandbox.restore(empty), () => sandbox.reset()]) {
      await back();
      expect(await sandbox.client.webhooks.get(webhookId)).toMatchObject({secret_key: secret});
      await sandbox.trigger('refund.created');
    }
    expect(types).toEqual(['refund.created', 'refund.created']);
  });

  test('deliveries that run end first: they do not reach the next test', async () => {
    const sandbox = await sandboxOf();
    const empty = await sandbox.snapshot();
    const answer = deferred<Response>();
    const started = deferred<void>();
    const webhook = await sandbox.deliverTo(() => (started.resolve(), answer.promise));
    const {id} = await sandbox.client.customers.create(ana);
    await sandbox.client.billingStatements.create({customer_id: id, currency: 'PHP'});
    await started.promise;
    let isRestored = false;
    const restoring = sandbox.restore(empty).then(() => (isRestored = true));
    await new Promise(setImmediate);
    expect(isRestored).toBe(false);
    answer.resolve(ok());
    await restoring;
    expect(webhook.attempts).toEqual([]);
    expect(await sandbox.events.list()).toEqual([]);
  });

  test('deliveries that wait for a retry are in the snapshot', async () => {
    const sandbox = await sandboxOf();
    let status = 500;
    const webhook = await sandbox.deliverTo(() => new Response('', {status}), {events: ['refund.created']});
    await sandbox.trigger('refund.created');
    const waiting = await sandbox.snapshot();
    status = 200;
    for (let round = 0; round < 2; round += 1) {
      await sandbox.restore(waiting);
      await sandbox.clock.advance('10s');
      expect(webhook.attempts.map((attempt) => attempt.status)).toEqual([500, 200]);
    }
  });

  test('a handler may restore', async () => {
    const sandbox = await sandboxOf();
    const empty = await sandbox.snapshot();
    await sandbox.deliverTo(async () => {
      await sandbox.restore(empty);
      return ok();
    });
    await sandbox.trigger('refund.created');
    expect(await sandbox.events.list()).toEqual([]);
  });
});

test('requests.list: what was sent and answered, oldest first', async () => {
  const sandbox = await sandboxOf();
  const {id} = await sandbox.client.customers.create(ana);
  await sandbox.client.customers.get(id);
  await sandbox.client.customers.get('cus_none').catch(() => {});
  const requests = await sandbox.requests.list();
  expect(requests.map(({method, path, status}) => [method, path, status])).toEqual([
    ['POST', '/customers', 200],
    ['GET', `/customers/${id}`, 200],
    ['GET', '/customers/cus_none', 404],
  ]);
  expect(await sandbox.requests.list({limit: 1})).toMatchObject([{path: '/customers/cus_none'}]);
});

test('serve: the same sandbox on a port, to which its links then point', async () => {
  const sandbox = await sandboxOf();
  const {types, handler} = recorder();
  await sandbox.deliverTo(handler, {events: ['payment_intent.succeeded']});
  const server = await sandbox.serve();
  const {url} = await sandbox.client.checkoutSessions.create(cart);
  expect([url.startsWith(`${server.url}/`), sandbox.url]).toEqual([true, server.url]);
  const page = await (await fetch(url)).text();
  expect(page).toContain('T-shirt');

  const inputs = [...page.matchAll(/name="(\w+)"\s+value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]);
  const body = new URLSearchParams(Object.fromEntries(inputs));
  const typed = {method: 'card', number: '4242424242424242', expiry: '12/39', cvc: '123', name: 'Ana'};
  for (const [name, value] of Object.entries(typed)) body.set(name, value);
  const headers = {origin: server.url, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate'};
  const paid = await fetch(url, {method: 'POST', body, headers, redirect: 'manual'});
  expect([paid.status, paid.headers.get('location')]).toEqual([303, cart.success_url]);
  await sandbox.settled();
  expect(types).toEqual(['payment_intent.succeeded']);

  sandbox.failNext({operation: 'customers.list', status: 503});
  const authorization = `Basic ${Buffer.from(`${sandbox.keys.secret}:`).toString('base64')}`;
  const list = async () => (await fetch(`${server.url}/customers`, {headers: {authorization}})).status;
  expect([await list(), await list()]).toEqual([503, 200]);

  await server.close();
  await expect(fetch(url)).rejects.toThrow();
  expect(sandbox.url).toBe('http://sandbox.localhost');
});

test('await using closes it, and close may be called twice', async () => {
  let kept: TestSandbox;
  {
    await using sandbox = await createSandbox({at: AT});
    kept = sandbox;
    await sandbox.serve();
    await sandbox.client.customers.list();
  }
  await expect(kept.client.customers.list()).rejects.toThrow('this sandbox is closed.');
  await Promise.all([kept.close(), kept.close()]);
});
