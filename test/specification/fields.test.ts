// Every field of every resource table of the specification is in real responses, with the specified type.

import {describe, expect, test} from 'vitest';
import * as tables from './resources.js';
import {service, START, type Wire} from './service.js';
import {customer, draft, held, intent, open, payment, session, webhook} from './stories.js';
import {controlOf} from '../../src/sandbox/control/control.js';

function kind(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return 'hash';
  return Number.isSafeInteger(value) ? 'integer' : typeof value;
}

/** The fields of an object that differ from the table, with their values. */
const wrong = (object: Wire, table: tables.Table): Record<string, string> =>
  Object.fromEntries(
    Object.entries(table)
      .map(([name, kinds]) => [name, kinds, kind(object?.[name])] as const)
      .filter(([, kinds, actual]) => !kinds.split('|').includes(actual))
      .map(([name, kinds, actual]) => [name, `${actual}, not ${kinds}`]),
  );

const METHODS = ['card', 'gcash', 'maya', 'billease', 'qrph'];

test('a billing statement, its items and its customer', async () => {
  const api = await service();
  const statement = await open(api, {metadata: {a: 'b'}, payment_settings: {payment_methods: METHODS}});
  expect(wrong(statement, tables.billingStatement)).toEqual({});
  expect(wrong(statement.customer, tables.billingStatementCustomer)).toEqual({});
  expect(wrong(statement.line_items[0], tables.embeddedLineItem)).toEqual({});
  expect(statement.payment_settings.payment_methods).toEqual(METHODS);
  expect(statement.billing_details_collection).toBe('always');
  expect(statement.line_items[0]).toMatchObject({
    id: expect.stringMatching(/^bstm_li_/),
    resource: 'billing_statement_line_item',
  });
});

test('a billing statement without metadata has null for it', async () => {
  const api = await service();
  expect(await draft(api)).toMatchObject({metadata: null});
});

test('a billing statement line item', async () => {
  const api = await service();
  const {id, line_items: items} = await draft(api);
  const item = await api.ok('PUT', `/billing_statement_line_items/${items[0].id}`, {quantity: 2});
  expect(wrong(item, tables.billingStatementLineItem)).toEqual({});
  expect(item.billing_statement_id).toBe(id);
});

describe('a payment intent', () => {
  const card = {capture_type: 'manual', allowed_bins: ['424242'], allowed_funding: ['credit']};
  const fields = {
    description: 'Deposit',
    statement_descriptor: 'HABI',
    metadata: {a: 'b'},
    payment_method_options: {card},
  };

  test('that is new', async () => {
    const api = await service();
    const made = await intent(api, {...fields, customer_id: (await customer(api)).id});
    expect(wrong(made, tables.paymentIntent)).toEqual({});
    expect(wrong(made.payment_method_options.card, tables.cardOptions)).toEqual({});
    expect(made.customer).toMatchObject({name: 'Juan Dela Cruz'});
  });

  test('without optional values has null where the table allows it', async () => {
    const api = await service();
    expect(await intent(api)).toMatchObject({
      last_payment_error: null,
      latest_payment: null,
      metadata: null,
      next_action: null,
      payment_method_id: null,
      return_url: null,
      statement_descriptor: null,
      capture_before_at: null,
      customer: null,
      payment_method_options: {card: {capture_type: 'automatic'}},
    });
  });

  test('that failed', async () => {
    const api = await service();
    const {id} = await intent(api, fields);
    controlOf(api.sandbox).pay(id, {fail: 'generic_decline'});
    const failed = await api.ok('GET', `/payment_intents/${id}`);
    expect(wrong(failed, tables.paymentIntent)).toEqual({});
    expect(wrong(failed.last_payment_error, tables.paymentError)).toEqual({});
    expect(Object.keys(failed.last_payment_error).sort()).toEqual(['code', 'detail']);
  });

  test('that holds an amount', async () => {
    const api = await service();
    const intentHeld = await api.ok('GET', `/payment_intents/${(await held(api)).id}`);
    expect(wrong(intentHeld, tables.paymentIntent)).toEqual({});
    expect(kind(intentHeld.capture_before_at)).toBe('integer');
    expect(kind(intentHeld.payment_method_id)).toBe('string');
  });

  test('that redirects the customer to authenticate', async () => {
    const api = await service();
    const {id, customer_id: customerId} = await open(api, {setup_future_usage: 'off_session'});
    controlOf(api.sandbox).pay(id, {method: 'gcash'});
    const {data} = await api.ok('GET', `/customers/${customerId}/payment_methods`);
    const {id: intentId} = await intent(api, {...fields, customer_id: customerId});
    await api.ok('POST', `/payment_intents/${intentId}/attach`, {payment_method_id: data[0].id});
    const waiting = await api.ok('GET', `/payment_intents/${intentId}`);
    expect(wrong(waiting, tables.paymentIntent)).toEqual({});
    expect(wrong(waiting.next_action, tables.nextAction)).toEqual({});
    expect(waiting.next_action.type).toBe('redirect');
  });

  test('that succeeded, with its payment', async () => {
    const api = await service();
    const {id} = await intent(api, {description: 'Deposit'});
    controlOf(api.sandbox).pay(id, {});
    const paid = await api.ok('GET', `/payment_intents/${id}`);
    expect(wrong(paid, tables.paymentIntent)).toEqual({});
    expect(wrong({customer: null, ...paid.latest_payment}, tables.payment)).toEqual({});
  });
});

test('a checkout session, its items and its intent', async () => {
  const api = await service();
  const made = await session(api, {
    description: 'Order 1',
    statement_descriptor: 'HABI',
    customer_reference_id: 'CART-1',
    metadata: {a: 'b'},
    line_items: [
      {name: 'T-shirt', amount: 45_000, quantity: 2, description: 'Blue', image: 'https://shop.example/t.jpg'},
      {name: 'Cap', amount: 20_000, quantity: 1},
    ],
  });
  expect(wrong(made, tables.checkoutSession)).toEqual({});
  for (const line of made.line_items) expect(wrong(line, tables.checkoutSessionLineItem)).toEqual({});
  expect(made.line_items[0]).toMatchObject({id: expect.stringMatching(/^cs_li_/), image: 'https://shop.example/t.jpg'});
  expect(wrong(made.payment_intent, tables.paymentIntent)).toEqual({});
  expect(made.expires_at).toBeGreaterThan(START);
});

test('a checkout session without optional values has null where the table allows it', async () => {
  const api = await service();
  expect(await session(api)).toMatchObject({
    customer_reference_id: null,
    metadata: null,
    line_items: [{description: null, image: null}],
  });
});

test('a customer', async () => {
  const api = await service();
  expect(wrong(await customer(api, {metadata: {a: 'b'}}), tables.customer)).toEqual({});
  expect(await customer(api)).toMatchObject({metadata: null});
});

describe('a payment', () => {
  test('by card', async () => {
    const api = await service();
    const made = await payment(api);
    expect(wrong(made, tables.payment)).toEqual({});
    expect(wrong(made.billing, tables.billing)).toEqual({});
    expect(wrong(made.billing.address, tables.address)).toEqual({});
    expect(made.payment_method.type).toBe('card');
    expect(wrong(made.payment_method.card, tables.card)).toEqual({});
    expect(made.payment_method.card).toMatchObject({first6: '424242', last4: '4242'});
  });

  test('by QR Ph', async () => {
    const api = await service();
    const {payment_method: method} = await payment(api, {}, 'qrph');
    expect(method.type).toBe('qrph');
    expect(wrong(method.qrph, tables.qrph)).toEqual({});
    expect(method).not.toHaveProperty('card');
  });

  test('of a customer has the customer and the billing details', async () => {
    const api = await service();
    const address = {line1: '12 Mabini', city: 'Pasay', state: 'Metro Manila', postal_code: '1300', country: 'PH'};
    const {id} = await customer(api, {billing_details: {phone: '+639171234567', address}});
    const made = await payment(api, {customer_id: id});
    expect(made.customer).toMatchObject({id});
    expect(made.billing).toMatchObject({
      name: 'Juan Dela Cruz',
      email: 'juan@example.com',
      phone: '+639171234567',
      address,
    });
    expect(wrong(made.billing.address, tables.address)).toEqual({});
  });

  test('that was refunded in part has refunded: true', async () => {
    const api = await service();
    const {id} = await payment(api);
    expect(await api.ok('GET', `/payments/${id}`)).toMatchObject({refunded: false, amount_refunded: 0});
    await api.ok('POST', '/refunds', {payment_id: id, amount: 5000, currency: 'PHP', reason: 'others'});
    const refunded = await api.ok('GET', `/payments/${id}`);
    expect(refunded).toMatchObject({refunded: true, amount_refunded: 5000, amount: 125_050, status: 'paid'});
    expect(wrong(refunded, tables.payment)).toEqual({});
  });
});

test('a webhook', async () => {
  const api = await service();
  expect(wrong(await webhook(api, {description: 'Orders'}), tables.webhook)).toEqual({});
  expect(wrong(await webhook(api), tables.webhook)).toEqual({});
});

test('created_at and updated_at are unix seconds, and a change moves only the second', async () => {
  const api = await service();
  const {id} = await customer(api);
  api.sandbox.setClock(START + 60);
  expect(await api.ok('PUT', `/customers/${id}`, {name: 'Maria'})).toMatchObject({
    created_at: START,
    updated_at: START + 60,
  });
});
