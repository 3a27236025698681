// Specification, "Endpoints": billing statements and their line items, each request written by hand in JSON and as a form.

import {describe, expect, test} from 'vitest';
import {DAY, service, START, type Sent} from './service.js';
import {customer, draft, open} from './stories.js';

const bodies = (json: object, form: string): [string, Sent][] => [
  ['JSON', {json}],
  ['a form', {form}],
];

const ID = expect.stringMatching(/^bstm_[A-Za-z0-9]+$/);

describe('POST /billing_statements', () => {
  test.each([
    [
      'JSON',
      (id: string): Sent => ({
        json: {customer_id: id, currency: 'PHP', description: 'June & July', metadata: {'Order ID': '12'}},
      }),
    ],
    [
      'a form',
      (id: string): Sent => ({
        form: `customer_id=${id}&currency=PHP&description=June+%26+July&metadata%5BOrder%20ID%5D=12`,
      }),
    ],
  ])('makes a draft from %s', async (_name, sent) => {
    const api = await service();
    const {id: customerId} = await customer(api);
    const answer = await api.send('POST', '/billing_statements', sent(customerId));
    expect(answer).toMatchObject({
      status: 200,
      headers: {'content-type': expect.stringContaining('application/json')},
      body: {
        id: ID,
        resource: 'billing_statement',
        status: 'draft',
        amount: 0,
        currency: 'PHP',
        customer_id: customerId,
        description: 'June & July',
        line_items: [],
        metadata: {'Order ID': '12'},
        livemode: false,
      },
    });
  });

  test.each([
    [
      'JSON',
      (id: string): Sent => ({
        json: {customer_id: id, currency: 'PHP', payment_settings: {payment_methods: ['gcash', 'qrph']}},
      }),
    ],
    [
      'a form',
      (id: string): Sent => ({
        form: `customer_id=${id}&currency=PHP&payment_settings[payment_methods][]=gcash&payment_settings[payment_methods][]=qrph`,
      }),
    ],
  ])('takes the payment methods of %s', async (_name, sent) => {
    const api = await service();
    const answer = await api.send('POST', '/billing_statements', sent((await customer(api)).id));
    expect(answer.body.payment_settings.payment_methods).toEqual(['gcash', 'qrph']);
  });

  test('names a missing customer', async () => {
    const api = await service();
    expect(await api.send('POST', '/billing_statements', {json: {currency: 'PHP'}})).toMatchObject({
      status: 400,
      body: {errors: [{code: 'parameter_required', detail: expect.any(String), parameter: 'customer_id'}]},
    });
  });
});

test('GET /billing_statements/:id returns the statement', async () => {
  const api = await service();
  const {id, customer_id: customerId} = await draft(api);
  expect(await api.send('GET', `/billing_statements/${id}`)).toMatchObject({
    status: 200,
    body: {
      id,
      amount: 150_000,
      due_at: START + 10 * DAY,
      customer: {id: customerId, name: 'Juan Dela Cruz', email: 'juan@example.com'},
      line_items: [{description: 'Web design', unit_price: 150_000, quantity: 1}],
    },
  });
});

test('GET /billing_statements returns a list', async () => {
  const api = await service();
  const {id} = await draft(api);
  const answer = await api.send('GET', '/billing_statements');
  expect(answer).toMatchObject({status: 200, body: {resource: 'list', has_more: false, data: [{id}]}});
  expect(Object.keys(answer.body).sort()).toEqual(['data', 'has_more', 'resource']);
});

test.each(
  bodies(
    {description: 'July', due_at: START + 3 * DAY, billing_details_collection: 'auto', metadata: {unit: '4B'}},
    `description=July&due_at=${START + 3 * DAY}&billing_details_collection=auto&metadata[unit]=4B`,
  ),
)('PUT /billing_statements/:id changes the draft from %s', async (_name, sent) => {
  const api = await service();
  const {id} = await draft(api);
  const answer = await api.send('PUT', `/billing_statements/${id}`, sent);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      id,
      amount: 150_000,
      description: 'July',
      due_at: START + 3 * DAY,
      billing_details_collection: 'auto',
      metadata: {unit: '4B'},
    },
  });
  expect((await api.ok('GET', `/billing_statements/${id}`)).due_at).toBe(START + 3 * DAY);
});

test('PUT /billing_statements/:id keeps the other fields', async () => {
  const api = await service();
  const {id} = await draft(api, {metadata: {unit: '4B'}, payment_settings: {payment_methods: ['card']}});
  expect(await api.ok('PUT', `/billing_statements/${id}`, {description: 'July'})).toMatchObject({
    metadata: {unit: '4B'},
    payment_settings: {payment_methods: ['card']},
    due_at: START + 10 * DAY,
  });
});

test('DELETE /billing_statements/:id returns the deleted resource', async () => {
  const api = await service();
  const {id} = await draft(api);
  const answer = await api.send('DELETE', `/billing_statements/${id}`);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({id, resource: 'billing_statement', deleted: true});
  expect((await api.send('GET', `/billing_statements/${id}`)).status).toBe(404);
  expect((await api.ok('GET', '/billing_statements')).data).toEqual([]);
});

test('POST /billing_statements/:id/finalize opens it', async () => {
  const api = await service();
  const {id} = await draft(api);
  expect(await api.send('POST', `/billing_statements/${id}/finalize`)).toMatchObject({
    status: 200,
    body: {id, resource: 'billing_statement', status: 'open', payment_intent: {id: expect.stringMatching(/^pi_/)}},
  });
});

test.each([
  ['void', 'void'],
  ['mark_uncollectible', 'uncollectible'],
])('POST /billing_statements/:id/%s makes it %s', async (action, status) => {
  const api = await service();
  const {id} = await open(api);
  expect(await api.send('POST', `/billing_statements/${id}/${action}`)).toMatchObject({
    status: 200,
    body: {id, resource: 'billing_statement', status},
  });
  expect((await api.ok('GET', `/billing_statements/${id}`)).status).toBe(status);
});

test('POST /billing_statements/:id/send returns 204 without a body', async () => {
  const api = await service();
  const {id} = await open(api);
  const answer = await api.send('POST', `/billing_statements/${id}/send`);
  expect(answer).toMatchObject({status: 204, text: ''});
  expect(answer.headers).not.toHaveProperty('content-type');
});

describe('POST /billing_statement_line_items', () => {
  test.each([
    [
      'JSON',
      (id: string): Sent => ({json: {billing_statement_id: id, description: 'Hosting', unit_price: 2500, quantity: 3}}),
    ],
    [
      'a form',
      (id: string): Sent => ({form: `billing_statement_id=${id}&description=Hosting&unit_price=2500&quantity=3`}),
    ],
  ])('adds an item from %s, and its price times its quantity to the amount', async (_name, sent) => {
    const api = await service();
    const {id} = await draft(api);
    expect(await api.send('POST', '/billing_statement_line_items', sent(id))).toMatchObject({
      status: 200,
      body: {
        id: expect.stringMatching(/^bstm_li_[A-Za-z0-9]+$/),
        resource: 'billing_statement_line_item',
        description: 'Hosting',
        unit_price: 2500,
        quantity: 3,
        billing_statement_id: id,
        livemode: false,
      },
    });
    const statement = await api.ok('GET', `/billing_statements/${id}`);
    expect(statement).toMatchObject({amount: 157_500, line_items: [{}, {description: 'Hosting'}]});
  });
});

test.each(
  bodies({description: 'Design', unit_price: 99_950, quantity: 2}, 'description=Design&unit_price=99950&quantity=2'),
)('PUT /billing_statement_line_items/:id changes the item and the amount from %s', async (_name, sent) => {
  const api = await service();
  const {id, line_items: items} = await draft(api);
  expect(await api.send('PUT', `/billing_statement_line_items/${items[0].id}`, sent)).toMatchObject({
    status: 200,
    body: {id: items[0].id, description: 'Design', unit_price: 99_950, quantity: 2, billing_statement_id: id},
  });
  expect((await api.ok('GET', `/billing_statements/${id}`)).amount).toBe(199_900);
});

test('DELETE /billing_statement_line_items/:id removes the item from the statement', async () => {
  const api = await service();
  const {id, line_items: items} = await draft(api);
  const answer = await api.send('DELETE', `/billing_statement_line_items/${items[0].id}`);
  expect(answer).toMatchObject({status: 200});
  expect(answer.body).toEqual({id: items[0].id, resource: 'billing_statement_line_item', deleted: true});
  expect(await api.ok('GET', `/billing_statements/${id}`)).toMatchObject({amount: 0, line_items: []});
});
