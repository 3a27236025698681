// Every method of the official client works against the sandbox, and returns complete entities.

import {createHmac} from 'node:crypto';
import {describe, expect, test} from 'vitest';
import {createPayout} from '../../src/sandbox/payments/payout-deposits.js';
import * as own from '../support/payrex.js';
import {customer, DAY, draft, methodsOf, recorded, session, START, unfilled} from '../support/payrex.js';
import {controlOf} from '../../src/sandbox/control/control.js';

const called = new Set<string>();

async function foreign() {
  const {payrex, ...rest} = await own.foreign();
  return {payrex: recorded(payrex, called), ...rest};
}

const deleted = (id: string) => ({id, deleted: true});

describe('billingStatements', () => {
  test('create, retrieve, update and finalize take the statement from draft to open', async () => {
    const {payrex, url} = await foreign();
    const {id: customerId} = await customer(payrex, {billing_statement_prefix: 'SARI'});
    const made = await payrex.billingStatements.create({
      customer_id: customerId,
      currency: 'PHP',
      payment_settings: {payment_methods: ['card', 'gcash']},
      metadata: {'Order ID': '12 A'},
    });
    expect(unfilled(made)).toEqual([]);
    expect(made).toMatchObject({
      status: 'draft',
      customerId,
      billingStatementNumber: 'SARI-0001',
      description: 'Payment for Billing Statement SARI-0001',
      lineItems: [],
      paymentIntent: null,
      paymentSettings: {payment_methods: ['card', 'gcash']},
      metadata: {'Order ID': '12 A'},
      customer: {id: customerId, name: 'Juan Dela Cruz', email: 'juan@example.com'},
      billingDetailsCollection: 'always',
      livemode: false,
      createdAt: START,
    });
    await payrex.billingStatementLineItems.create({
      billing_statement_id: made.id,
      description: 'Web design',
      unit_price: 150_000,
      quantity: 1,
    });
    const updated = await payrex.billingStatements.update(made.id, {due_at: START + DAY, description: 'Rent & more'});
    expect(updated).toMatchObject({id: made.id, dueAt: START + DAY, description: 'Rent & more', amount: 150_000});
    const opened = await payrex.billingStatements.finalize(made.id);
    expect(unfilled(opened)).toEqual([]);
    expect(opened).toMatchObject({
      status: 'open',
      finalizedAt: START,
      lineItems: [{resource: 'billing_statement_line_item', description: 'Web design', unit_price: 150_000}],
      paymentIntent: {id: expect.stringMatching(/^pi_/), status: 'awaiting_payment_method'},
    });
    expect(new URL(opened.billingStatementUrl).origin).toBe(url);
    expect(await payrex.billingStatements.retrieve(made.id)).toEqual(opened);
  });

  test('create takes the currency from the customer, as the official samples leave it out', async () => {
    const {payrex} = await foreign();
    const {id: customer_id} = await customer(payrex);
    expect(await payrex.billingStatements.create({customer_id})).toMatchObject({status: 'draft', currency: 'PHP'});
  });

  test('send returns nothing', async () => {
    const {payrex} = await foreign();
    const {id} = await payrex.billingStatements.finalize((await draft(payrex)).id);
    expect(await payrex.billingStatements.send(id)).toBeNull();
  });

  test('void and markUncollectible end it', async () => {
    const {payrex} = await foreign();
    for (const [method, status] of [
      ['void', 'void'],
      ['markUncollectible', 'uncollectible'],
    ] as const) {
      const {id} = await payrex.billingStatements.finalize((await draft(payrex)).id);
      const ended = await payrex.billingStatements[method](id);
      expect(ended).toMatchObject({id, status, paymentIntent: {status: 'canceled'}});
    }
  });

  test('list returns pages, and delete removes one', async () => {
    const {payrex} = await foreign();
    const [first, second] = [await draft(payrex), await draft(payrex)];
    const page = await payrex.billingStatements.list({limit: 1});
    expect(page).toMatchObject({data: [{id: second.id, status: 'draft'}], hasMore: true});
    expect(await payrex.billingStatements.list({limit: 1, after: second.id})).toMatchObject({
      data: [{id: first.id}],
      hasMore: false,
    });
    expect(await payrex.billingStatements.delete(first.id)).toEqual(deleted(first.id));
    expect((await payrex.billingStatements.list()).data).toHaveLength(1);
  });
});

describe('billingStatementLineItems', () => {
  test('create, update and delete change a draft', async () => {
    const {payrex} = await foreign();
    const {id} = await draft(payrex);
    const fields = {billing_statement_id: id, description: 'Hosting & mail', unit_price: 2500, quantity: 2};
    const made = await payrex.billingStatementLineItems.create(fields);
    expect(unfilled(made)).toEqual([]);
    expect(made).toMatchObject({billingStatementId: id, description: 'Hosting & mail', unitPrice: 2500, quantity: 2});
    const updated = await payrex.billingStatementLineItems.update(made.id, {quantity: 3});
    expect(updated).toMatchObject({id: made.id, quantity: 3});
    expect((await payrex.billingStatements.retrieve(id)).amount).toBe(157_500);
    expect(await payrex.billingStatementLineItems.delete(made.id)).toEqual(deleted(made.id));
    expect((await payrex.billingStatements.retrieve(id)).amount).toBe(150_000);
  });

  test('retrieve has no route', async () => {
    const {payrex} = await foreign();
    const {lineItems} = await draft(payrex);
    await expect(payrex.billingStatementLineItems.retrieve(lineItems[0].id)).rejects.toMatchObject({
      name: 'ResourceNotFoundError',
      errors: [{code: 'route_not_found', detail: expect.stringContaining(lineItems[0].id)}],
    });
  });
});

describe('checkoutSessions', () => {
  test('create, retrieve, list and expire', async () => {
    const {payrex, url} = await foreign();
    const made = await session(payrex, {payment_methods: ['card', 'maya'], customer_reference_id: 'CART-1'});
    expect(unfilled(made)).toEqual([]);
    expect(made).toMatchObject({
      status: 'active',
      customerReferenceId: 'CART-1',
      paymentMethods: ['card', 'maya'],
      successUrl: 'https://shop.example/thanks?order=1&x=2',
      submitType: 'pay',
      expiresAt: START + DAY,
      lineItems: [{name: 'T-shirt', amount: 45_000, quantity: 2}],
      paymentIntent: {amount: 90_000, status: 'awaiting_payment_method'},
    });
    expect(new URL(made.url).origin).toBe(url);
    expect(await payrex.checkoutSessions.retrieve(made.id)).toEqual(made);
    expect(await payrex.checkoutSessions.list({limit: 5})).toEqual({data: [made], hasMore: false});
    expect(await payrex.checkoutSessions.expire(made.id)).toMatchObject({
      status: 'expired',
      paymentIntent: {status: 'canceled'},
    });
  });
});

test('customers: create, retrieve, list, update and delete', async () => {
  const {payrex} = await foreign();
  const made = await customer(payrex, {metadata: {'Order ID': '12'}});
  expect(unfilled(made)).toEqual([]);
  expect(made).toMatchObject({name: 'Juan Dela Cruz', email: 'juan@example.com', currency: 'PHP'});
  expect(await payrex.customers.retrieve(made.id)).toEqual(made);
  expect(await payrex.customers.list({email: 'juan@example.com'})).toEqual({data: [made], hasMore: false});
  const updated = await payrex.customers.update(made.id, {name: 'Niño Ibañez', metadata: null});
  expect(updated).toEqual({...made, name: 'Niño Ibañez', metadata: null});
  expect(await payrex.customers.delete(made.id)).toEqual(deleted(made.id));
  expect(await payrex.customers.retrieve(made.id)).toMatchObject({id: made.id, name: undefined});
});

describe('customerSessions', () => {
  test('create and retrieve', async () => {
    const {payrex} = await foreign();
    const {id: customer_id} = await customer(payrex);
    const made = await payrex.customerSessions.create({customer_id});
    expect(made).toMatchObject({
      id: expect.stringMatching(/^cus_s_/),
      clientSecret: expect.any(String),
      components: expect.arrayContaining([expect.objectContaining({component: 'payment_element'})]),
      expired: false,
      expiredAt: START + DAY,
    });
    expect(await payrex.customerSessions.retrieve(made.id)).toEqual(made);
  });

  // The service returns customer: {id}, which this client does not read.
  test('have no customer_id', async () => {
    const {payrex} = await foreign();
    const {id: customer_id} = await customer(payrex);
    expect(unfilled(await payrex.customerSessions.create({customer_id}))).toEqual(['customerId']);
  });
});

describe('paymentIntents', () => {
  test('create, retrieve and cancel', async () => {
    const {payrex} = await foreign();
    const made = await payrex.paymentIntents.create({
      amount: 125_050,
      currency: 'PHP',
      payment_methods: ['card'],
      payment_method_options: {card: {capture_type: 'manual', allowed_bins: ['424242', '511111']}},
    });
    expect(unfilled(made)).toEqual([]);
    expect(made).toMatchObject({
      amount: 125_050,
      paymentMethods: ['card'],
      paymentMethodOptions: {card: {capture_type: 'manual', allowed_bins: ['424242', '511111']}},
      status: 'awaiting_payment_method',
      latestPayment: null,
    });
    expect(await payrex.paymentIntents.retrieve(made.id)).toEqual(made);
    expect(await payrex.paymentIntents.cancel(made.id)).toEqual({...made, status: 'canceled'});
  });

  test('capture collects the held amount; payments and refunds follow', async () => {
    const {payrex, sandbox} = await foreign();
    const card = {capture_type: 'manual'};
    const {id} = await payrex.paymentIntents.create({
      amount: 125_050,
      currency: 'PHP',
      payment_method_options: {card},
    });
    controlOf(sandbox).pay(id, {});
    const captured = await payrex.paymentIntents.capture(id, {amount: 100_000});
    expect(captured).toMatchObject({status: 'succeeded', amountReceived: 100_000, latestPayment: {amount: 100_000}});
    const payment = await payrex.payments.retrieve(captured.latestPayment.id);
    expect(unfilled(payment)).toEqual([]);
    expect(payment).toMatchObject({paymentIntentId: id, status: 'paid', refunded: false, amount: 100_000});
    expect(payment.paymentMethod).toMatchObject({type: 'card', card: {last4: '4242'}});
    expect(await payrex.payments.update(payment.id, {description: 'Shop', metadata: {till: 3}})).toEqual({
      ...payment,
      description: 'Shop',
      metadata: {till: '3'},
    });
    const refund = await payrex.refunds.create({
      payment_id: payment.id,
      amount: 5000,
      currency: 'PHP',
      reason: 'others',
      remarks: 'Late & wet',
    });
    expect(unfilled(refund)).toEqual([]);
    expect(refund).toMatchObject({paymentId: payment.id, amount: 5000, status: 'succeeded', remarks: 'Late & wet'});
    const noted = await payrex.refunds.update(refund.id, {metadata: {ticket: 'A 1'}});
    expect(noted).toEqual({...refund, metadata: {ticket: 'A 1'}});
    expect(await payrex.payments.retrieve(payment.id)).toMatchObject({refunded: true, amountRefunded: 5000});
  });
});

test('payouts: listTransactions', async () => {
  const {payrex, sandbox} = await foreign();
  const movements = [
    {type: 'payment', id: `pay_${'A'.repeat(32)}`, amount: 10_000},
    {type: 'adjustment', id: null, amount: -2500},
  ] as const;
  const bank = {account_name: 'Habi Studio', account_number: '4410', bank_name: 'BPI'};
  const {id} = sandbox.perform((work) => createPayout(work, movements, bank));
  const {data, hasMore} = await payrex.payouts.listTransactions(id, {limit: 2});
  expect(hasMore).toBe(false);
  expect(data.flatMap(unfilled)).toEqual([]);
  expect(data).toMatchObject([
    {transactionType: 'adjustment', transactionId: null, amount: -2500, netAmount: -2500},
    {transactionType: 'payment', transactionId: `pay_${'A'.repeat(32)}`, amount: 10_000},
  ]);
});

test('webhooks: create, retrieve, list, update, disable, enable and delete', async () => {
  const {payrex} = await foreign();
  const events = ['payment_intent.succeeded', 'billing_statement.paid'];
  const made = await payrex.webhooks.create({url: 'https://shop.example/hooks?a=1', events});
  expect(unfilled(made)).toEqual([]);
  expect(made).toMatchObject({status: 'enabled', url: 'https://shop.example/hooks?a=1', events});
  expect(made.secretKey).toMatch(/^whsk_/);
  expect(await payrex.webhooks.retrieve(made.id)).toEqual(made);
  expect(await payrex.webhooks.list({limit: 10})).toEqual({data: [made], hasMore: false});
  const changed = {...made, events: ['refund.created'], description: 'Mga refund'};
  expect(await payrex.webhooks.update(made.id, {events: ['refund.created'], description: 'Mga refund'})).toEqual(
    changed,
  );
  expect(await payrex.webhooks.disable(made.id)).toEqual({...changed, status: 'disabled'});
  expect(await payrex.webhooks.enable(made.id)).toEqual(changed);
  expect(await payrex.webhooks.delete(made.id)).toEqual(deleted(made.id));
});

test('webhooks: parseEvent', async () => {
  const {payrex} = await foreign();
  const {secretKey} = await payrex.webhooks.create({url: 'https://shop.example/hooks', events: ['refund.created']});
  const body = '{"id":"evt_1","type":"refund.created","data":{"id":"re_1","resource":"refund"}}';
  const digest = createHmac('sha256', secretKey).update(`${START}.${body}`).digest('hex');
  const event = payrex.webhooks.parseEvent(body, `t=${START},te=${digest},li=`, secretKey);
  expect(event).toMatchObject({id: 'evt_1', type: 'refund.created', data: {id: 're_1'}});
});

test('every method of the client was called', async () => {
  const {payrex} = await own.foreign();
  const methods = methodsOf(payrex);
  expect(methods).toHaveLength(41);
  expect([...called].sort()).toEqual(methods.sort());
});
