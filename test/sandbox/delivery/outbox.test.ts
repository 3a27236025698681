// From a change to a webhook: subscribers, body, signature and retries.

import {gzipSync} from 'node:zlib';
import {createRequire} from 'node:module';
import {describe, expect, onTestFinished, test} from 'vitest';
import {EVENT_TYPES} from '../../../src/api/events.js';
import {RETRY_WINDOW} from '../../../src/sandbox/delivery/subscribers.js';
import {receiver, verdictOf, webhook, type Answer, type Arrival} from '../../support/sandbox/receiver.js';
import {DAY, START, world, type Wire, type World} from '../../support/sandbox/world.js';
import {runs} from '../../support/test-size.js';

const eventOf = (w: World, type: string): Wire => w.events().findLast((event) => event.type === type)!;
const attemptsOf = (w: World, id: string) => w.sandbox.perform((work) => work.store.attempts.ofEvent(id));
const pendingIn = (w: World) =>
  w.sandbox.perform((work) =>
    work.store.list('event', {limit: 1000}).data.flatMap(({id}) => work.store.outbox.ofEvent(id)),
  );

describe('subscribers', () => {
  test('an event goes to every enabled webhook that subscribes to its type, and no other', async () => {
    const w = world();
    const [first, second, other, disabled] = await Promise.all([receiver(), receiver(), receiver(), receiver()]);
    await webhook(w, first.url, 'billing_statement.created', 'billing_statement.finalized');
    await webhook(w, second.url, 'billing_statement.created');
    await webhook(w, other.url, 'refund.created', '*', 'billing_statement.*', 'billing_statement');
    const {id} = await webhook(w, disabled.url, 'billing_statement.created');
    await w.ok('POST', `/webhooks/${id}/disable`);
    await w.open();
    expect(eventOf(w, 'billing_statement.created').pending_webhooks).toBe(2);
    expect(eventOf(w, 'billing_statement_line_item.created').pending_webhooks).toBe(0);
    await w.sandbox.deliverDue();
    expect(first.types()).toEqual(['billing_statement.created', 'billing_statement.finalized']);
    expect(second.types()).toEqual(['billing_statement.created']);
    expect([other.types(), disabled.types()]).toEqual([[], []]);
    expect(pendingIn(w)).toEqual([]);
  });

  test('a webhook gets no events from before its creation', async () => {
    let now = START;
    const w = world({now: () => now});
    const hook = await receiver();
    await w.session({expires_at: START + 3600});
    now += 7200;
    await webhook(w, hook.url, 'checkout_session.expired');
    await w.sandbox.deliverDue();
    expect(hook.types()).toEqual([]);
    expect(w.types()).toEqual(['checkout_session.expired']);
  });

  test('a refused change queues nothing', async () => {
    const w = world();
    const hook = await receiver();
    await webhook(w, hook.url, ...EVENT_TYPES);
    const {id} = await w.customer();
    const settings = {payment_methods: ['cash']};
    await w.call('POST', '/billing_statements', {customer_id: id, currency: 'PHP', payment_settings: settings});
    expect(() =>
      w.sandbox.perform((work) => {
        work.emit('refund.created', work.get('cus_', id));
        throw new Error('undone');
      }),
    ).toThrow('undone');
    expect(pendingIn(w)).toEqual([]);
  });

  test('pending_webhooks goes down as each webhook accepts', async () => {
    const w = world();
    const [good, bad] = await Promise.all([receiver(204), receiver(500)]);
    await webhook(w, good.url, 'billing_statement.created');
    await webhook(w, bad.url, 'billing_statement.created');
    await w.draft();
    await w.sandbox.deliverDue();
    expect(eventOf(w, 'billing_statement.created').pending_webhooks).toBe(1);
    bad.answer = 201;
    w.advance(10);
    await w.sandbox.deliverDue();
    expect(eventOf(w, 'billing_statement.created').pending_webhooks).toBe(0);
    expect(bad.arrivals.map(({event}) => event.pending_webhooks)).toEqual([2, 1]);
    expect(good.arrivals).toHaveLength(1);
  });
});

describe('deliveries', () => {
  const MANY = runs(1000);

  test('a POST of the stored event, signed each time with the real clock', async () => {
    let now = START;
    const w = world({now: () => now});
    w.advance(90 * DAY);
    const hook = await receiver(500);
    const {secret_key: secret} = await webhook(w, hook.url, 'billing_statement.created');
    await w.draft({description: 'Bayad ni Niño ✓'});
    await w.sandbox.deliverDue();
    now += 1000;
    await w.sandbox.deliverDue();
    const [first, second] = hook.arrivals as [Arrival, Arrival];
    expect(first).toMatchObject({method: 'POST', url: '/hook?from=sandbox'});
    expect(first.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^centavo-sandbox\/\S+$/),
      'content-length': String(first.body.length),
    });
    expect(first.event).toEqual(eventOf(w, 'billing_statement.created'));
    expect(first.event.data.description).toBe('Bayad ni Niño ✓');
    expect(second.event.id).toBe(first.event.id);
    expect(verdictOf(first, secret, START)).toMatchObject({genuine: true, mode: 'test', timestamp: START});
    expect(verdictOf(second, secret, now)).toMatchObject({genuine: true, timestamp: now});
    expect(verdictOf(second, 'whsk_ofsomebodyelse', now)).toMatchObject({reason: 'no_match'});

    const Payrex = createRequire(import.meta.url)('payrex-node');
    const parsed = new Payrex('sk_test_x').webhooks.parseEvent(
      first.body.toString(),
      first.headers['payrex-signature'],
      secret,
    );
    expect(parsed).toMatchObject({id: first.event.id, type: 'billing_statement.created', pendingWebhooks: 1});
  });

  test(`${MANY} events arrive once each, in order`, async () => {
    const w = world();
    const hook = await receiver();
    await webhook(w, hook.url, 'refund.updated');
    const customer = await w.customer();
    w.sandbox.perform((work) => {
      const record = work.get('cus_', customer.id as string);
      for (let index = 0; index < MANY; index += 1) work.emit('refund.updated', {...record, index});
    });
    await w.sandbox.deliverDue();
    expect(hook.arrivals.map(({event}) => event.data.index)).toEqual(Array.from({length: MANY}, (_, index) => index));
    expect(pendingIn(w)).toEqual([]);
  });

  test('sends to sixteen webhooks at once, without a warning from Node', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on('warning', warned);
    onTestFinished(() => void process.off('warning', warned));
    const w = world();
    const hook = await receiver('hang');
    for (let count = 0; count < 16; count += 1) await webhook(w, hook.url, 'billing_statement.created');
    await w.draft();
    const delivery = w.sandbox.startDelivery();
    await hook.until(16);
    await delivery.stop();
    expect(warnings).toEqual([]);
  });

  test('a slow webhook does not delay others', async () => {
    const w = world();
    const [slow, fast] = await Promise.all([receiver('hang'), receiver()]);
    await webhook(w, slow.url, 'billing_statement.created');
    await webhook(w, fast.url, 'billing_statement.created');
    for (let count = 0; count < 3; count += 1) await w.draft();
    const delivery = w.sandbox.startDelivery();
    await fast.until(3);
    await slow.until(1);
    expect(slow.arrivals).toHaveLength(1);
    await delivery.stop();
  });
});

describe('failed deliveries', () => {
  test.for<[string, Answer, object]>([
    ['500', 500, {status: 500, error: null}],
    ['404', 404, {status: 404, error: null}],
    [
      'words in gzip',
      (_, response) => void response.writeHead(500, {'content-encoding': 'gzip'}).end(gzipSync('Walang orders')),
      {status: 500, error: 'Walang orders'},
    ],
    ['a broken connection', 'reset', {status: null, error: 'the connection was reset (ECONNRESET)'}],
    ['no response in time', 'hang', {status: null, error: 'no response within 0.8 s'}],
    [
      'a redirect, which is not followed',
      (_, response) => void response.writeHead(307, {location: '/elsewhere'}).end(),
      {status: 307, error: null},
    ],
  ])('%s is retried with growing delays', async ([, answer, result]) => {
    const w = world();
    const hook = await receiver(answer);
    await webhook(w, hook.url, 'billing_statement.created');
    await w.draft();
    const drain = () => w.sandbox.deliverDue(answer === 'hang' ? {timeout: 800} : {});
    await drain();
    await drain();
    expect(hook.arrivals).toHaveLength(1);
    for (const [index, wait] of [10, 20, 40].entries()) {
      w.advance(wait - 1);
      await drain();
      expect(hook.arrivals).toHaveLength(index + 1);
      w.advance(1);
      await drain();
      expect(hook.arrivals).toHaveLength(index + 2);
    }
    hook.answer = 200;
    w.advance(80);
    await drain();
    const attempts = attemptsOf(w, hook.arrivals[0]!.event.id as string);
    expect(attempts.map(({attempt}) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(attempts[0]).toMatchObject({
      ...result,
      event_type: 'billing_statement.created',
      url: hook.url,
      at: START,
      outcome: 'retrying',
      next_at: START + 10,
    });
    expect(attempts[4]).toMatchObject({status: 200, outcome: 'delivered', next_at: null, at: START + 150});
    expect(new Set(hook.arrivals.map(({url}) => url)).size).toBe(1);
  });

  test('no server at the address', async () => {
    const w = world();
    const hook = await receiver();
    await webhook(w, hook.url.replace(/:\d+/, ':1'), 'billing_statement.created');
    await w.draft();
    await w.sandbox.deliverDue();
    const {id} = eventOf(w, 'billing_statement.created');
    expect(attemptsOf(w, id)).toMatchObject([
      {status: null, error: 'the connection was refused (ECONNREFUSED)', outcome: 'retrying'},
    ]);
  });

  test('an example address is never resolved', async () => {
    const w = world();
    await webhook(w, 'https://shop.example/hooks', 'billing_statement.created');
    await w.draft();
    await w.sandbox.deliverDue();
    const {id} = eventOf(w, 'billing_statement.created');
    expect(attemptsOf(w, id)[0]!.error).toMatch(/nothing is sent/);
  });

  test('retries end three days after the event', async () => {
    const w = world();
    const hook = await receiver(503);
    await webhook(w, hook.url, 'billing_statement.created');
    await w.draft();
    for (let passed = 0; passed <= RETRY_WINDOW + DAY; passed += 10) {
      const waits = w.sandbox.perform((work) => work.store.outbox.isDue(work.now));
      if (waits) await w.sandbox.deliverDue();
      w.advance(10);
    }
    const {id, pending_webhooks: pending} = eventOf(w, 'billing_statement.created');
    const attempts = attemptsOf(w, id);
    expect(attempts.at(-1)).toMatchObject({outcome: 'given_up', next_at: null});
    expect(attempts.at(-1)!.at).toBeLessThanOrEqual(START + RETRY_WINDOW);
    const distances = attempts.slice(1).map(({at}, index) => at - attempts[index]!.at);
    expect(distances).toEqual(distances.map((_, index) => 10 * 2 ** index));
    expect(attempts).toHaveLength(15);
    expect(pending).toBe(0);
    w.advance(30 * DAY);
    await w.sandbox.deliverDue();
    expect(hook.arrivals).toHaveLength(15);
  });

  test('a failing event does not delay later ones; after an advance, all due events arrive in order', async () => {
    const w = world();
    const hook = await receiver((arrival, response) => {
      response.writeHead(arrival.event.type.endsWith('created') ? 500 : 200).end();
    });
    await webhook(w, hook.url, 'billing_statement.created', 'billing_statement.finalized', 'billing_statement.overdue');
    await w.open();
    await w.sandbox.deliverDue();
    expect(hook.types()).toEqual(['billing_statement.created', 'billing_statement.finalized']);
    hook.answer = 200;
    w.advance(20 * DAY);
    await w.sandbox.deliverDue();
    expect(hook.types().slice(2)).toEqual(['billing_statement.created', 'billing_statement.overdue']);
  });
});

test('the delivery that was due first is sent first, even if its event is newer', async () => {
  const w = world();
  const hook = await receiver(500);
  await webhook(w, hook.url, 'billing_statement.created');
  const older = await w.draft();
  await w.sandbox.deliverDue();
  w.advance(5);
  const younger = await w.draft();
  hook.answer = 200;
  w.advance(60);
  await w.sandbox.deliverDue();
  expect(hook.arrivals.map(({event}) => event.data.id)).toEqual([older.id, younger.id, older.id]);
});

describe('disabling and deleting', () => {
  const failed = async (events = ['billing_statement.created']) => {
    const w = world();
    const hook = await receiver(500);
    const {id} = await webhook(w, hook.url, ...events);
    await w.draft();
    await w.sandbox.deliverDue();
    hook.answer = 200;
    return {w, hook, id};
  };
  const later = async (w: World) => {
    w.advance(DAY);
    await w.sandbox.deliverDue();
  };

  test('disabling drops pending deliveries, and enabling again resumes none', async () => {
    const {w, hook, id} = await failed();
    await w.ok('POST', `/webhooks/${id}/disable`);
    expect(pendingIn(w)).toEqual([]);
    expect(eventOf(w, 'billing_statement.created').pending_webhooks).toBe(0);
    await w.ok('POST', `/webhooks/${id}/enable`);
    await later(w);
    expect(hook.arrivals).toHaveLength(1);
    await w.draft();
    await w.sandbox.deliverDue();
    expect(hook.arrivals).toHaveLength(2);
  });

  test('deleting drops them too', async () => {
    const {w, hook, id} = await failed();
    await w.ok('DELETE', `/webhooks/${id}`);
    await w.draft();
    await later(w);
    expect(hook.arrivals).toHaveLength(1);
    expect(pendingIn(w)).toEqual([]);
    expect(attemptsOf(w, hook.arrivals[0]!.event.id)).toMatchObject([{status: 500, outcome: 'dropped', next_at: null}]);
  });

  test('an unsubscribed type is no longer sent; the rest goes to the new address', async () => {
    const {w, hook, id} = await failed(['billing_statement.created', 'billing_statement_line_item.created']);
    const other = await receiver();
    expect(hook.arrivals).toHaveLength(2);
    await w.ok('PUT', `/webhooks/${id}`, {url: other.url, events: ['billing_statement_line_item.created']});
    await later(w);
    expect(hook.arrivals).toHaveLength(2);
    expect(other.types()).toEqual(['billing_statement_line_item.created']);
  });

  test('a running attempt ends, and has no retry', async () => {
    const w = world();
    const answers: (() => void)[] = [];
    const hook = await receiver((_, response) => answers.push(() => response.writeHead(500).end()));
    const {id} = await webhook(w, hook.url, 'billing_statement.created');
    await w.draft();
    await w.draft();
    const round = w.sandbox.deliverDue();
    await hook.until(1);
    await w.ok('POST', `/webhooks/${id}/disable`);
    await w.ok('POST', `/webhooks/${id}/enable`);
    answers[0]!();
    await round;
    await later(w);
    expect(hook.arrivals).toHaveLength(1);
    expect(attemptsOf(w, hook.arrivals[0]!.event.id)).toMatchObject([{status: 500, outcome: 'dropped', next_at: null}]);
  });

  test('a reset deletes all deliveries', async () => {
    const {w, hook} = await failed();
    const {id} = eventOf(w, 'billing_statement.created');
    w.sandbox.reset();
    await later(w);
    expect(hook.arrivals).toHaveLength(1);
    expect(attemptsOf(w, id)).toEqual([]);
  });
});

test('the log keeps the newest ten thousand attempts', async () => {
  const w = world();
  const hook = await receiver();
  await webhook(w, hook.url, 'billing_statement.created');
  await w.draft();
  await w.sandbox.deliverDue();
  const {id} = eventOf(w, 'billing_statement.created');
  const [attempt] = attemptsOf(w, id);
  w.sandbox.perform((work) => {
    for (let number = 2; number <= 10_010; number += 1) work.store.attempts.add({...attempt!, attempt: number});
  });
  const kept = attemptsOf(w, id);
  expect(kept).toHaveLength(10_000);
  expect(kept[0]!.attempt).toBe(11);
});
