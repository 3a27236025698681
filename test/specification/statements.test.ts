// Specification, "Billing statement": numbers, default texts, amounts, the due time, and allowed changes.

import {describe, expect, test} from 'vitest';
import {DAY, service, START, type Service, type Wire} from './service.js';
import {customer, draft, open} from './stories.js';

const create = (api: Service, fields: Wire): Promise<Wire> =>
  api.ok('POST', '/billing_statements', {currency: 'PHP', ...fields});

describe('the number of a statement', () => {
  test('is the prefix of the customer and the sequence number, which the service increments', async () => {
    const api = await service();
    const {id} = await customer(api, {billing_statement_prefix: 'SARI', next_billing_statement_sequence_number: 9});
    const numbers: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      numbers.push((await create(api, {customer_id: id})).billing_statement_number);
    }
    expect(numbers).toEqual(['SARI-0009', 'SARI-0010', 'SARI-0011']);
  });

  test('is counted for each customer separately', async () => {
    const api = await service();
    const [one, two] = [
      await customer(api, {billing_statement_prefix: 'ONE'}),
      await customer(api, {billing_statement_prefix: 'TWO'}),
    ];
    const numbers: string[] = [];
    for (const {id} of [one, two, one]) numbers.push((await create(api, {customer_id: id})).billing_statement_number);
    expect(numbers).toEqual(['ONE-0001', 'TWO-0001', 'ONE-0002']);
  });

  test('has a generated prefix if none is given', async () => {
    const api = await service();
    const {id, billing_statement_prefix: prefix} = await customer(api);
    expect(prefix).toMatch(/^[A-Z0-9]{3,15}$/);
    expect((await create(api, {customer_id: id})).billing_statement_number).toBe(`${prefix}-0001`);
  });

  test('is unique even if two customers share a prefix', async () => {
    const api = await service();
    const one = await customer(api, {billing_statement_prefix: 'SARI'});
    const two = await customer(api, {billing_statement_prefix: 'SARI'});
    const numbers: string[] = [];
    for (const {id} of [one, two, two, one])
      numbers.push((await create(api, {customer_id: id})).billing_statement_number);
    expect(numbers).toEqual(['SARI-0001', 'SARI-0002', 'SARI-0003', 'SARI-0004']);
  });

  test('is unique even if the sequence is set back and statements are deleted or moved', async () => {
    const api = await service();
    const {id} = await customer(api, {billing_statement_prefix: 'SARI'});
    const reset = () => api.ok('PUT', `/customers/${id}`, {next_billing_statement_sequence_number: 1});
    const first = await create(api, {customer_id: id});
    const second = await create(api, {customer_id: id});
    await api.ok('DELETE', `/billing_statements/${second.id}`);
    expect((await reset()).next_billing_statement_sequence_number).toBe('0003');
    expect((await create(api, {customer_id: id})).billing_statement_number).toBe('SARI-0003');
    const other = await customer(api, {billing_statement_prefix: 'SARI'});
    const moved = await api.ok('PUT', `/billing_statements/${first.id}`, {customer_id: other.id});
    expect(moved.billing_statement_number).toBe('SARI-0004');
  });

  test('ends in the customer’s next number, also if another customer used it', async () => {
    const api = await service();
    const [one, two] = [
      await customer(api, {billing_statement_prefix: 'SARI'}),
      await customer(api, {billing_statement_prefix: 'SARI'}),
    ];
    await create(api, {customer_id: one.id});
    const {next_billing_statement_sequence_number: next} = await api.ok('GET', `/customers/${two.id}`);
    const {billing_statement_number: number} = await create(api, {customer_id: two.id});
    expect([next, number]).toEqual(['0002', 'SARI-0002']);
  });

  test('ends in the customer’s next number, zero-padded', async () => {
    const api = await service();
    const {id} = await customer(api, {next_billing_statement_sequence_number: 7});
    const {next_billing_statement_sequence_number: next} = await api.ok('GET', `/customers/${id}`);
    const {billing_statement_number: number} = await create(api, {customer_id: id});
    expect(next).toMatch(/^0\d+$/);
    expect(number.split('-').at(-1)).toBe(next);
  });
});

describe('the description', () => {
  test('contains the number by default', async () => {
    const api = await service();
    const {id} = await customer(api, {billing_statement_prefix: 'SARI'});
    expect((await create(api, {customer_id: id})).description).toBe('Payment for Billing Statement SARI-0001');
  });

  test('is copied to the payment intent', async () => {
    const api = await service();
    const {description, payment_intent: thin} = await open(api);
    expect(description).toMatch(/^Payment for Billing Statement [A-Z0-9]+-0001$/);
    expect((await api.ok('GET', `/payment_intents/${thin.id}`)).description).toBe(description);
  });
});

test('the amount is the sum of quantity times unit price over all items', async () => {
  const api = await service();
  const {id} = await create(api, {customer_id: (await customer(api)).id});
  for (const [unitPrice, quantity] of [
    [12_050, 3],
    [1, 999],
    [5_000_000_000, 1],
  ]) {
    await api.ok('POST', '/billing_statement_line_items', {
      billing_statement_id: id,
      description: 'x',
      unit_price: unitPrice,
      quantity,
    });
  }
  expect(await api.ok('GET', `/billing_statements/${id}`)).toMatchObject({amount: 5_000_037_149});
});

test('the customer summary has the current id, name and e-mail address', async () => {
  const api = await service();
  const {id, customer_id: customerId} = await draft(api);
  await api.ok('PUT', `/customers/${customerId}`, {name: 'Maria Santos'});
  expect((await api.ok('GET', `/billing_statements/${id}`)).customer).toEqual({
    id: customerId,
    name: 'Maria Santos',
    email: 'juan@example.com',
  });
});

describe('the due time', () => {
  test.each(['json', 'form'])('is ignored if sent on creation in a %s', async (encoding) => {
    const api = await service();
    const {id} = await customer(api);
    const due = START + DAY;
    const sent =
      encoding === 'json'
        ? {json: {customer_id: id, currency: 'PHP', due_at: due}}
        : {form: `customer_id=${id}&currency=PHP&due_at=${due}`};
    const answer = await api.send('POST', '/billing_statements', sent);
    expect([answer.status, answer.body.due_at || null]).toEqual([200, null]);
  });

  test('is required to finalize', async () => {
    const api = await service();
    const {id} = await create(api, {customer_id: (await customer(api)).id, due_at: START + DAY});
    const item = {billing_statement_id: id, description: 'x', unit_price: 2000, quantity: 1};
    await api.ok('POST', '/billing_statement_line_items', item);
    expect(await api.send('POST', `/billing_statements/${id}/finalize`)).toMatchObject({
      status: 400,
      body: {errors: [{code: 'parameter_required', parameter: 'due_at', detail: expect.any(String)}]},
    });
    await api.ok('PUT', `/billing_statements/${id}`, {due_at: START + DAY});
    expect((await api.ok('POST', `/billing_statements/${id}/finalize`)).status).toBe('open');
  });
});

test('a statement is read-only once it is open', async () => {
  const api = await service();
  const {id, line_items: items} = await open(api);
  const before = await api.ok('GET', `/billing_statements/${id}`);
  const item = {billing_statement_id: id, description: 'x', unit_price: 2000, quantity: 1};
  for (const [method, path, json] of [
    ['PUT', `/billing_statements/${id}`, {description: 'x'}],
    ['DELETE', `/billing_statements/${id}`],
    ['POST', `/billing_statements/${id}/finalize`],
    ['POST', '/billing_statement_line_items', item],
    ['PUT', `/billing_statement_line_items/${items[0].id}`, {quantity: 2}],
    ['DELETE', `/billing_statement_line_items/${items[0].id}`],
  ] as const) {
    const answer = await api.send(method, path, {json});
    expect([method, path, answer.status]).toEqual([method, path, 400]);
    expect(answer.body.errors).toEqual([{code: expect.any(String), detail: expect.stringContaining('open')}]);
  }
  expect(await api.ok('GET', `/billing_statements/${id}`)).toEqual(before);
});

test('ending a statement ends its intent', async () => {
  const api = await service();
  for (const action of ['void', 'mark_uncollectible']) {
    const {id, payment_intent: made} = await open(api);
    await api.ok('POST', `/billing_statements/${id}/${action}`);
    expect((await api.ok('GET', `/payment_intents/${made.id}`)).status).toBe('canceled');
  }
});
