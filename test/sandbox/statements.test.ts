// Statements: numbers, descriptions, the intent's fields, and deletion.

import {describe, expect, test} from 'vitest';
import {DAY, START, world} from '../support/sandbox/world.js';

test('a new draft has no items and no due time, and its number as description', async () => {
  const w = world();
  const customer = await w.customer({billing_statement_prefix: 'SARI', next_billing_statement_sequence_number: 42});
  const draft = await w.ok('POST', '/billing_statements', {
    customer_id: customer.id,
    currency: 'PHP',
    due_at: START + DAY,
  });
  expect(draft).toMatchObject({
    status: 'draft',
    amount: 0,
    currency: 'PHP',
    due_at: null,
    finalized_at: null,
    billing_statement_number: 'SARI-0042',
    description: 'Payment for Billing Statement SARI-0042',
    billing_statement_merchant_name: null,
    statement_descriptor: null,
    setup_future_usage: null,
    billing_details_collection: 'always',
    metadata: null,
    payment_intent: null,
    line_items: [],
    customer: {id: customer.id, name: customer.name, email: customer.email},
    payment_settings: {payment_methods: ['card', 'gcash', 'maya', 'billease', 'qrph']},
    merchant_id: expect.stringMatching(/^merc_/),
  });
  expect(Object.keys(draft).filter((name) => name.startsWith('_'))).toEqual([]);
  expect((await w.ok('GET', `/customers/${customer.id}`)).next_billing_statement_sequence_number).toBe('0043');
});

test('an unknown or deleted customer is refused', async () => {
  const w = world();
  const {id} = await w.customer();
  await w.ok('DELETE', `/customers/${id}`);
  for (const customerId of [id, 'cus_none']) {
    expect((await w.call('POST', '/billing_statements', {customer_id: customerId, currency: 'PHP'})).status).toBe(404);
  }
});

test("moving a draft to another customer gives it that customer's number", async () => {
  const w = world();
  const other = await w.customer({billing_statement_prefix: 'OTHER'});
  const draft = await w.draft();
  const moved = await w.ok('PUT', `/billing_statements/${draft.id}`, {customer_id: other.id});
  expect(moved).toMatchObject({
    billing_statement_number: 'OTHER-0001',
    description: 'Payment for Billing Statement OTHER-0001',
    customer: {id: other.id},
  });
  expect(w.events().at(-1)!.previous_attributes).toMatchObject({
    customer_id: draft.customer_id,
    billing_statement_number: draft.billing_statement_number,
  });
});

test('finalizing copies metadata, description, methods and card restrictions to the intent', async () => {
  const w = world();
  const draft = await w.draft({metadata: {'Order ID': '1'}, description: 'June rent'});
  await w.ok('PUT', `/billing_statements/${draft.id}`, {
    metadata: {'Order ID': '2', 'Ñ 漢字': '✓'},
    payment_settings: {payment_methods: ['card'], payment_method_options: {card: {allowed_funding: ['debit']}}},
  });
  const {payment_intent: thin, finalized_at} = await w.ok('POST', `/billing_statements/${draft.id}/finalize`);
  expect(finalized_at).toBe(START);
  const intent = await w.ok('GET', `/payment_intents/${thin.id}`);
  expect(intent).toMatchObject({
    amount: 150_000,
    description: 'June rent',
    metadata: {'Order ID': '2', 'Ñ 漢字': '✓'},
    payment_methods: ['card'],
    payment_method_options: {
      card: {request_three_d_secure: 'any', capture_type: 'automatic', allowed_funding: ['debit']},
    },
    customer: {id: draft.customer_id},
    client_secret: expect.stringMatching(new RegExp(`^${thin.id}_secret_[A-Za-z0-9]{32}$`)),
  });
  const {payment} = w.pay(draft.id, {card: '4701322211111234'});
  expect(payment!.metadata).toEqual(intent.metadata);
});

describe('finalizing refuses', () => {
  test('a draft without a due time', async () => {
    const w = world();
    const {id} = await w.draft();
    await w.ok('PUT', `/billing_statements/${id}`, {due_at: null});
    expect(await w.call('POST', `/billing_statements/${id}/finalize`)).toMatchObject({
      status: 400,
      body: {errors: [{code: 'parameter_required', parameter: 'due_at'}]},
    });
  });

  test('a draft without items', async () => {
    const w = world();
    const {id, line_items: items} = await w.draft();
    await w.ok('DELETE', `/billing_statement_line_items/${items[0].id}`);
    expect(await w.call('POST', `/billing_statements/${id}/finalize`)).toMatchObject({
      status: 400,
      body: {errors: [{code: 'parameter_required', parameter: 'line_items'}]},
    });
    expect(await w.ok('GET', `/billing_statements/${id}`)).toMatchObject({
      status: 'draft',
      amount: 0,
      payment_intent: null,
    });
  });
});

test('items change the amount, and their events have the previous values of all given fields', async () => {
  const w = world();
  const {id, line_items: items} = await w.draft();
  const item = await w.ok('PUT', `/billing_statement_line_items/${items[0].id}`, {quantity: 3, unit_price: 150_000});
  expect(item).toMatchObject({quantity: 3, billing_statement_id: id});
  expect(w.events().at(-1)).toMatchObject({
    type: 'billing_statement_line_item.updated',
    data: {quantity: 3, unit_price: 150_000},
  });
  expect(w.events().at(-1)!.previous_attributes).toEqual({quantity: 1, unit_price: 150_000});
  expect((await w.ok('GET', `/billing_statements/${id}`)).amount).toBe(450_000);
});

test('an update event has the previous values of all given fields, and a customer sets the currency', async () => {
  const w = world();
  const {id, customer_id: customerId, due_at: due} = await w.draft({description: 'June rent'});
  const previous = async (fields: object) => {
    await w.ok('PUT', `/billing_statements/${id}`, fields);
    return w.events().at(-1)!.previous_attributes as unknown;
  };
  expect(w.events().at(-1)!.previous_attributes).toEqual({due_at: null});
  const same = {customer_id: customerId, currency: 'PHP'};
  expect(await previous({customer_id: customerId, description: 'July rent', due_at: due})).toEqual({
    ...same,
    description: 'June rent',
    due_at: due,
  });
  expect(await previous({customer_id: customerId, description: 'July rent'})).toEqual({});
  expect(await previous({})).toEqual({});
});

test('deleting a draft deletes its items, and the event contains them', async () => {
  const w = world();
  const {id, line_items: items} = await w.draft();
  w.advance(60);
  expect(await w.ok('DELETE', `/billing_statements/${id}`)).toEqual({id, resource: 'billing_statement', deleted: true});
  expect(w.events().at(-1)).toMatchObject({
    type: 'billing_statement.deleted',
    data: {id, status: 'draft', line_items: [{id: items[0].id}], updated_at: START + 60},
    previous_attributes: {},
  });
  expect((await w.call('PUT', `/billing_statement_line_items/${items[0].id}`, {quantity: 2})).status).toBe(404);
});

test('a statement keeps naming a deleted customer, but cannot be finalized for one', async () => {
  const w = world();
  const open = await w.open();
  const draft = await w.draft();
  for (const {customer_id: id} of [open, draft]) await w.ok('DELETE', `/customers/${id}`);
  expect((await w.ok('GET', `/billing_statements/${open.id}`)).customer.name).toBe('Juan Dela Cruz');
  expect(await w.call('POST', `/billing_statements/${draft.id}/finalize`)).toMatchObject({
    status: 400,
    body: {errors: [{parameter: 'customer_id'}]},
  });
});
