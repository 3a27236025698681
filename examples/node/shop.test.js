// The shop's tests with node:test, in this process: node --test. For Vitest and Jest, see shop.spec.js.

import assert from 'node:assert/strict';
import {after, beforeEach, test} from 'node:test';
import {createSandbox} from 'centavo';
import {Shop} from './shop.js';

const webhookSecret = 'whsk_test_0123456789abcdef';
const sandbox = await createSandbox({at: '2031-01-15T09:00:00+08:00', random: 7});
const empty = await sandbox.snapshot();
after(() => sandbox.close());

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
  assert.match(await page.text(), /Notebook/);
  assert.equal(shop.orders.get('A-2').amount, 37_500);
  assert.equal(shop.orders.get('A-2').status, 'open');
});

test('webhook', async () => {
  const {outcome} = await sandbox.pay(order().session, {method: 'gcash'});
  assert.equal(outcome, 'paid');
  assert.equal(order().status, 'paid');
  // The service may send an event twice, and anybody may send a forged one.
  await webhook.redeliver(webhook.attempts[0].event);
  assert.equal(order().shipped, 1);
  const forged = await shop.webhook(new Request('https://shop.example', {method: 'POST', body: '{}'}));
  assert.equal(forged.status, 401);
});

test('refund', async () => {
  await sandbox.pay(order().session);
  await shop.refund('A-1');
  await sandbox.settled();
  assert.equal(order().status, 'refunded');
});

test('retry after a 500', async () => {
  isDown = true;
  await sandbox.pay(order().session);
  assert.equal(order().status, 'open');
  isDown = false;
  await sandbox.clock.advance('1m');
  assert.equal(order().status, 'paid');
  assert.deepEqual(
    webhook.attempts.map(({status}) => status),
    [500, 200],
  );
});

test('failed payment', async () => {
  const {outcome} = await sandbox.pay(order().session, {card: 'insufficient_funds'});
  assert.equal(outcome, 'failed');
  assert.equal(order().status, 'open');
  assert.equal(await shop.problem('A-1'), 'funds_insufficient');
  await sandbox.pay(order().session);
  assert.equal(order().status, 'paid');
});

test('lost answer', async () => {
  await sandbox.pay(order().session);
  sandbox.failNext({operation: 'refunds.create', drop: 'after'});
  await shop.refund('A-1');
  await sandbox.settled();
  assert.equal(order().status, 'refunded');
  assert.equal((await sandbox.events.list({type: 'refund.created'})).length, 1);
});
