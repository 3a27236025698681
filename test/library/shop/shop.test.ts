// Tests of the shop beside this file: each path of a payment, without an account, a network or a port.

import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest';
import {createSandbox, type Delivering, type Snapshot, type TestSandbox} from '../../../src/index.js';
import {createShop} from './shop.js';

const secret = 'whsk_of_the_shop_under_test';
const shirt = {id: '1001', item: 'T-shirt', amount: 45_000};

let sandbox: TestSandbox;
let webhook: Delivering;
let empty: Snapshot;
let shop: ReturnType<typeof createShop>;
let receipts: string[];
let isMailDown: boolean;

beforeAll(async () => {
  sandbox = await createSandbox({at: '2031-01-15T09:00:00+08:00', random: 7});
  webhook = await sandbox.deliverTo((request) => shop.webhook(request), {secret, onThrow: 'retry'});
  empty = await sandbox.snapshot();
});
afterAll(() => sandbox.close());

beforeEach(async () => {
  await sandbox.restore(empty);
  receipts = [];
  isMailDown = false;
  const sendReceipt = ({id}: {id: string}) => {
    if (isMailDown) throw new Error('The mail server does not answer.');
    receipts.push(id);
  };
  shop = createShop({payments: sandbox.client, secret, sendReceipt});
});

async function paidOrder() {
  const session = await shop.checkout(shirt);
  await sandbox.pay(session);
  return session;
}

test('checkout: the customer sees the item and its price', async () => {
  const session = await shop.checkout(shirt);
  expect(session).toMatchObject({status: 'active', amount: 45_000, metadata: {order: '1001'}});
  expect(shop.order('1001')).toMatchObject({status: 'open'});
});

test('webhook: a payment marks the order as paid', async () => {
  await paidOrder();
  expect(shop.order('1001')).toMatchObject({status: 'paid', payment: expect.stringMatching(/^pay_/)});
  expect(receipts).toEqual(['1001']);
  expect(webhook.attempts).toMatchObject([{status: 200, outcome: 'delivered'}]);
});

test('webhook: a forged event is refused', async () => {
  const request = new Request('https://shop.example/webhooks/payrex', {method: 'POST', body: '{"id": "evt_1"}'});
  const response = await shop.webhook(request);
  expect(response.status).toBe(401);
  expect(await response.text()).toContain('Payrex-Signature');
});

test('failed payment: the order stays open, and the customer may try again', async () => {
  const session = await shop.checkout(shirt);
  const {outcome, error} = await sandbox.pay(session, {card: 'insufficient_funds'});
  expect({outcome, code: error?.code}).toEqual({outcome: 'failed', code: 'funds_insufficient'});
  expect(shop.order('1001')).toMatchObject({status: 'open'});

  await sandbox.pay(session, {method: 'gcash'});
  expect(shop.order('1001')).toMatchObject({status: 'paid'});
});

test('3-D Secure: the order waits for the approval', async () => {
  const session = await shop.checkout(shirt);
  await sandbox.pay(session, {card: 'three_d_secure', outcome: 'awaiting_approval'});
  expect(shop.order('1001')).toMatchObject({status: 'open'});

  await sandbox.pay(session);
  expect(shop.order('1001')).toMatchObject({status: 'paid'});
});

test('retry: an event comes again after the shop could not handle it', async () => {
  isMailDown = true;
  await paidOrder();
  expect(webhook.attempts).toMatchObject([{attempt: 1, status: 500, outcome: 'retrying'}]);
  expect(shop.order('1001')).toMatchObject({status: 'open'});

  isMailDown = false;
  await sandbox.clock.advance('10s');
  expect(webhook.attempts).toMatchObject([{attempt: 1}, {attempt: 2, status: 200, outcome: 'delivered'}]);
  expect(receipts).toEqual(['1001']);
});

test('duplicate delivery: the customer gets one receipt', async () => {
  const session = await paidOrder();
  const event = await sandbox.events.waitFor({type: 'payment_intent.succeeded', object: session});
  await webhook.redeliver(event);
  expect(webhook.attempts).toHaveLength(2);
  expect(receipts).toEqual(['1001']);
});

test('refund: the event of the refund marks the order', async () => {
  await paidOrder();
  await shop.refund('1001');
  await sandbox.settled();
  expect(shop.order('1001')).toMatchObject({status: 'refunded'});
  await expect(shop.refund('1001')).rejects.toThrow('Order 1001 cannot be refunded.');
});

test('refused refund: the order stays paid', async () => {
  await paidOrder();
  sandbox.failNext({operation: 'refunds.create', status: 400});
  await expect(shop.refund('1001')).rejects.toThrow('HTTP 400');
  expect(shop.order('1001')).toMatchObject({status: 'paid'});
});

test('lost answer: the refund was made, and its event says so', async () => {
  await paidOrder();
  sandbox.failNext({operation: 'refunds.create', drop: 'after'});
  await shop.refund('1001');
  await sandbox.settled();
  expect(shop.order('1001')).toMatchObject({status: 'refunded'});
  expect(await sandbox.events.list({type: 'refund.created'})).toHaveLength(1);
});

test('hosted form: the customer fills it in as in a browser', async () => {
  const {url} = await shop.checkout(shirt);
  const page = await (await sandbox.fetch(url)).text();
  expect(page).toContain('Pay ₱450.00');

  const inputs = [...page.matchAll(/name="(\w+)"\s+value="([^"]*)"/g)];
  const body = new URLSearchParams(Object.fromEntries(inputs.map(([, name, value]) => [name!, value!])));
  const typed = {method: 'card', number: '4242 4242 4242 4242', expiry: '12/39', cvc: '123', name: 'Ana Reyes'};
  for (const [name, value] of Object.entries(typed)) body.set(name, value);
  const paid = await sandbox.fetch(url, {method: 'POST', body, redirect: 'manual'});
  expect([paid.status, paid.headers.get('location')]).toEqual([303, 'https://shop.example/orders/1001']);
  await sandbox.settled();
  expect(receipts).toEqual(['1001']);
});
