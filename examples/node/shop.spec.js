// The shop's tests with Vitest: npx vitest run shop.spec. For Jest, import the four from @jest/globals.

import {createSandbox} from 'centavo';
import {afterAll, beforeEach, expect, test} from 'vitest';
import {Shop} from './shop.js';

const webhookSecret = 'whsk_test_0123456789abcdef';
const sandbox = await createSandbox({at: '2031-01-15T09:00:00+08:00', random: 7});
const empty = await sandbox.snapshot();
afterAll(() => sandbox.close());

let shop, webhook, isDown;
beforeEach(async () => {
  await webhook?.stop();
  await sandbox.restore(empty);
  shop = new Shop({client: sandbox.client, webhookSecret});
  isDown = false;
  const handler = (request) => (isDown ? new Response('down', {status: 500}) : shop.webhook(request));
  webhook = await sandbox.deliverTo(handler, {secret: webhookSecret});
  await shop.checkout('A-1', {name: 'T-shirt', amount: 45_000, quantity: 2});
});
const order = () => shop.orders.get('A-1');

test('checkout', async () => {
  const url = await shop.checkout('A-2', {name: 'Notebook', amount: 12_500, quantity: 3});
  const page = await sandbox.fetch(url);
  expect(await page.text()).toContain('Notebook');
  expect(shop.orders.get('A-2').amount).toBe(37_500);
  expect(shop.orders.get('A-2').status).toBe('open');
});

test('webhook', async () => {
  const {outcome} = await sandbox.pay(order().session, {method: 'gcash'});
  expect(outcome).toBe('paid');
  expect(order().status).toBe('paid');
  // The service may send an event twice, and anybody may send a forged one.
  await webhook.redeliver(webhook.attempts[0].event);
  expect(order().shipped).toBe(1);
  const forged = await shop.webhook(new Request('https://shop.example', {method: 'POST', body: '{}'}));
  expect(forged.status).toBe(401);
});

test('refund', async () => {
  await sandbox.pay(order().session);
  await shop.refund('A-1');
  await sandbox.settled();
  expect(order().status).toBe('refunded');
});

test('retry after a 500', async () => {
  isDown = true;
  await sandbox.pay(order().session);
  expect(order().status).toBe('open');
  isDown = false;
  await sandbox.clock.advance('1m');
  expect(order().status).toBe('paid');
  expect(webhook.attempts.map(({status}) => status)).toEqual([500, 200]);
});

test('failed payment', async () => {
  const {outcome} = await sandbox.pay(order().session, {card: 'insufficient_funds'});
  expect(outcome).toBe('failed');
  expect(order().status).toBe('open');
  expect(await shop.problem('A-1')).toBe('funds_insufficient');
  await sandbox.pay(order().session);
  expect(order().status).toBe('paid');
});

test('lost answer', async () => {
  await sandbox.pay(order().session);
  sandbox.failNext({operation: 'refunds.create', drop: 'after'});
  await shop.refund('A-1');
  await sandbox.settled();
  expect(order().status).toBe('refunded');
  expect((await sandbox.events.list({type: 'refund.created'})).length).toBe(1);
});
