// The sandbox of a test: payments, events, the clock, failures and snapshots, without a port.

import {afterEach, describe, expect, test, vi} from 'vitest';
import {createHmac} from 'node:crypto';
import {createSandbox, type TestSandbox} from '../../src/index.js';

const opened: TestSandbox[] = [];
const sandboxOf = async (options: Parameters<typeof createSandbox>[0] = {}): Promise<TestSandbox> => {
  const sandbox = await createSandbox({at: '2031-01-15T09:00:00+08:00', random: 7, ...options});
  opened.push(sandbox);
  return sandbox;
};
afterEach(async () => {
  for (const sandbox of opened.splice(0)) await sandbox.close();
});

const cart = {
  currency: 'PHP',
  line_items: [{name: 'T-shirt', amount: 45_000, quantity: 2}],
  success_url: 'https://shop.example/thanks',
  cancel_url: 'https://shop.example/cart',
} as const;

test('a session is paid, and its handler is told once', async () => {
  const sandbox = await sandboxOf();
  const bodies: string[] = [];
  const webhook = await sandbox.deliverTo(async (request) => {
    const body = await request.text();
    const [t, te] = request.headers
      .get('payrex-signature')!
      .split(',')
      .map((part) => part.split('=')[1]);
    const expected = createHmac('sha256', webhook.secret).update(`${t}.${body}`).digest('hex');
    expect(te).toBe(expected);
    expect(Math.abs(Number(t) - Date.now() / 1000)).toBeLessThan(60);
    bodies.push(body);
    return new Response('ok');
  });
  const session = await sandbox.client.checkoutSessions.create(cart);
  const {outcome, payment} = await sandbox.pay(session);
  expect(outcome).toBe('paid');
  expect(payment?.amount).toBe(90_000);
  expect(bodies.map((body) => (JSON.parse(body) as {type: string}).type)).toEqual(['payment_intent.succeeded']);
  expect(webhook.attempts).toMatchObject([{attempt: 1, status: 200, outcome: 'delivered'}]);
  expect(sandbox.clock.now()).toEqual(new Date('2031-01-15T01:00:00Z'));
});

test('a failed payment says why', async () => {
  const sandbox = await sandboxOf();
  const session = await sandbox.client.checkoutSessions.create(cart);
  const failed = await sandbox.pay(session, {card: 'insufficient_funds'});
  expect(failed).toMatchObject({outcome: 'failed', payment: null, error: {code: 'funds_insufficient'}});
  expect(await sandbox.pay(session, {card: 'three_d_secure'})).toMatchObject({outcome: 'awaiting_approval'});
  expect(await sandbox.pay(session)).toMatchObject({outcome: 'paid'});
});

test('a setup intent saves a method, or says why not', async () => {
  const sandbox = await sandboxOf();
  const {id: customer_id} = await sandbox.client.customers.create({name: 'A', email: 'a@example.com', currency: 'PHP'});
  const setup = await sandbox.client.setupIntents.create({customer_id});
  const failed = await sandbox.pay(setup, {outcome: 'generic_decline'});
  expect(failed).toMatchObject({outcome: 'failed', error: {code: 'generic_decline'}});
  const saved = await sandbox.pay(setup.id, {method: 'maya'});
  expect(saved).toMatchObject({outcome: 'saved', error: null, paymentMethod: {type: 'maya', customer_id}});
  expect(await sandbox.events.waitFor({type: 'setup_intent.succeeded', object: setup})).toMatchObject({
    data: {payment_method_id: (saved as {paymentMethod?: {id: string}}).paymentMethod!.id},
  });
});

test('what a webhook refuses comes again, when the clock says so', async () => {
  const sandbox = await sandboxOf();
  const statuses = [500, 503, 200];
  const webhook = await sandbox.deliverTo(() => new Response('', {status: statuses.shift()!}));
  await sandbox.trigger('refund.created');
  const before = webhook.attempts.length;
  await sandbox.clock.advance('1d');
  expect(webhook.attempts.filter(({outcome}) => outcome === 'retrying').length).toBe(2);
  expect(webhook.attempts.length).toBeGreaterThan(before);
});

test('a lost answer: the refund is made', async () => {
  const sandbox = await sandboxOf();
  const session = await sandbox.client.checkoutSessions.create(cart);
  const {payment} = await sandbox.pay(session);
  const failing = sandbox.failNext({operation: 'refunds.create', drop: 'after'});
  const refund = {payment_id: payment!.id, amount: 90_000, currency: 'PHP', reason: 'requested_by_customer'} as const;
  await expect(sandbox.client.refunds.create(refund)).rejects.toMatchObject({details: {applied: 'unknown'}});
  expect(failing.used).toBe(1);
  expect(await sandbox.events.waitFor({type: 'refund.created', object: payment!})).toMatchObject({
    data: {amount: 90_000},
  });
});

describe('a snapshot', () => {
  test('is returned to, with its handlers and its clock', async () => {
    const sandbox = await sandboxOf();
    const seen: string[] = [];
    await sandbox.deliverTo(async (request) => {
      seen.push(((await request.json()) as {type: string}).type);
      return new Response('');
    });
    const empty = await sandbox.snapshot();
    const customer = await sandbox.client.customers.create({name: 'Ana', email: 'ana@example.com', currency: 'PHP'});
    await sandbox.clock.advance('31d');
    await sandbox.restore(empty);
    await expect(sandbox.client.customers.get(customer.id)).rejects.toMatchObject({kind: 'not_found'});
    expect(sandbox.clock.now()).toEqual(new Date('2031-01-15T01:00:00Z'));
    await sandbox.trigger('refund.created');
    expect(seen).toContain('refund.created');
    await sandbox.reset();
    seen.length = 0;
    await sandbox.trigger('refund.created');
    expect(seen).toContain('refund.created');
  });
});

test('the same number gives the same ids', async () => {
  const ids = await Promise.all(
    [1, 2].map(async () => (await (await sandboxOf()).client.checkoutSessions.create(cart)).id),
  );
  expect(ids[0]).toBe(ids[1]);
});

test('fake timers do not stop deliveries', async () => {
  vi.useFakeTimers();
  try {
    const sandbox = await sandboxOf();
    const webhook = await sandbox.deliverTo(() => new Response(''));
    await sandbox.trigger('payment_intent.succeeded');
    expect(webhook.attempts.length).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

test('a handler that pays does not wait for itself', async () => {
  const sandbox = await sandboxOf();
  const next = await sandbox.client.checkoutSessions.create(cart);
  const webhook = await sandbox.deliverTo(async () => {
    if (webhook.attempts.length === 0) await sandbox.pay(next);
    return new Response('');
  });
  await sandbox.trigger('payment_intent.succeeded');
  expect(webhook.attempts.length).toBe(2);
});

test('an assertion in a handler fails the test', async () => {
  const sandbox = await sandboxOf();
  await sandbox.deliverTo(() => {
    throw new Error('wrong order');
  });
  await expect(sandbox.trigger('refund.created')).rejects.toThrow('wrong order');
});

test('the hosted page is opened and its form is sent', async () => {
  const sandbox = await sandboxOf();
  const session = await sandbox.client.checkoutSessions.create(cart);
  const page = await sandbox.fetch(session.url);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('T-shirt');
  expect((await sandbox.requests.list()).map(({method, path}) => [method, path])).toEqual([
    ['POST', '/checkout_sessions'],
    ['GET', new URL(session.url).pathname.replace(/_secret_.*/, '_secret_…')],
  ]);
});

test('an event that does not happen: what happened instead, and what is due', async () => {
  const sandbox = await sandboxOf();
  const session = await sandbox.client.checkoutSessions.create(cart);
  await sandbox.pay(session);
  await expect(sandbox.events.waitFor({type: 'payout.created'}, {timeout: 50})).rejects.toThrow(
    /payout.created did not happen. Instead: payment_intent.succeeded/,
  );
});

test('misuse is told at the line of the caller', async () => {
  const sandbox = await sandboxOf();
  const error = await sandbox.client.paymentIntents
    .create({amount: 1, currency: 'PHP'})
    .catch((thrown: Error) => thrown);
  expect((error as Error).stack!.split('\n')[1]).toContain('test-sandbox.test.ts');
  expect((error as Error).message).toContain('amount: The value for amount cannot be less than 2000.');
  await expect(sandbox.clock.advance('three days')).rejects.toThrow('"three days" is not a span of time.');
});
