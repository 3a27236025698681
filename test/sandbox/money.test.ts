// Amounts: exact, and within the bounds of the specification.

import {describe, expect, test} from 'vitest';
import {START, world, type Wire} from '../support/sandbox/world.js';

const MINIMUM = 2000;
const MAXIMUM = 5_999_999_999;

async function finalized(...lines: {unit_price: number; quantity: number}[]): Promise<{status: number; body: Wire}> {
  const w = world();
  const {id, line_items: items} = await w.draft();
  await w.ok('DELETE', `/billing_statement_line_items/${items[0].id}`);
  for (const line of lines) {
    const item = {billing_statement_id: id, description: 'x', ...line};
    const answer = await w.call('POST', '/billing_statement_line_items', item);
    if (answer.status >= 400) return answer;
  }
  return w.call('POST', `/billing_statements/${id}/finalize`);
}

describe('a statement', () => {
  test.each([
    ['the minimum', [{unit_price: MINIMUM, quantity: 1}], MINIMUM],
    [
      'the minimum of many',
      [
        {unit_price: 1, quantity: 1999},
        {unit_price: 1, quantity: 1},
      ],
      MINIMUM,
    ],
    ['the maximum', [{unit_price: MAXIMUM, quantity: 1}], MAXIMUM],
    [
      'the maximum of many',
      [
        {unit_price: 1_999_999_999, quantity: 3},
        {unit_price: 2, quantity: 1},
      ],
      MAXIMUM,
    ],
  ])('of %s can be finalized', async (_name, lines, amount) => {
    const {status, body} = await finalized(...lines);
    expect(status).toBe(200);
    expect(body.amount).toBe(amount);
  });

  test.each([
    ['less', [{unit_price: 1999, quantity: 1}], 'parameter_below_minimum'],
    [
      'more',
      [
        {unit_price: MAXIMUM, quantity: 1},
        {unit_price: 1, quantity: 1},
      ],
      'parameter_above_maximum',
    ],
  ])('of %s is refused', async (_name, lines, code) => {
    expect(await finalized(...lines)).toMatchObject({status: 400, body: {errors: [{code, parameter: 'amount'}]}});
  });

  test('of more than a safe integer is refused', async () => {
    expect(await finalized({unit_price: 94_906_267, quantity: 94_906_267})).toMatchObject({
      status: 400,
      body: {errors: [{code: 'parameter_above_maximum', parameter: 'amount'}]},
    });
  });

  test('is never stored above the maximum, and a refused item changes nothing', async () => {
    const w = world();
    const {id, line_items: items} = await w.draft({}, MAXIMUM);
    const before = await w.ok('GET', `/billing_statements/${id}`);
    const told = w.events().length;
    const above = {status: 400, body: {errors: [{code: 'parameter_above_maximum', parameter: 'amount'}]}};
    const item = {billing_statement_id: id, description: 'x', unit_price: 1, quantity: 1};
    expect(await w.call('POST', '/billing_statement_line_items', item)).toMatchObject(above);
    for (const change of [{quantity: 2}, {unit_price: MAXIMUM + 1}])
      expect(await w.call('PUT', `/billing_statement_line_items/${items[0].id}`, change)).toMatchObject(above);
    expect(await w.ok('GET', `/billing_statements/${id}`)).toEqual(before);
    expect(w.events()).toHaveLength(told);
  });
});

describe('a checkout session', () => {
  const of = (amount: number, quantity: number) => world().session({line_items: [{name: 'x', amount, quantity}]});

  test('accepts both bounds', async () => {
    expect(await of(1000, 2)).toMatchObject({amount: MINIMUM, payment_intent: {amount: MINIMUM}});
    expect(await of(MAXIMUM, 1)).toMatchObject({amount: MAXIMUM, payment_intent: {amount: MAXIMUM}});
  });

  test('refuses amounts beyond them', async () => {
    await expect(of(1999, 1)).rejects.toThrow(/parameter_below_minimum/);
    await expect(of(MAXIMUM + 1, 1)).rejects.toThrow(/parameter_above_maximum/);
    await expect(of(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).rejects.toThrow(/parameter_above_maximum/);
  });
});

test.each([
  [MINIMUM, 200],
  [MAXIMUM, 200],
  [MINIMUM - 1, 400],
  [MAXIMUM + 1, 400],
  [2000.5, 400],
  ['2000', 400],
])('an intent of %j answers %i', async (amount, status) => {
  expect((await world().call('POST', '/payment_intents', {amount, currency: 'PHP'})).status).toBe(status);
});

describe('refunds', () => {
  const refund = (paymentId: unknown, amount: number) => ({
    payment_id: paymentId,
    amount,
    currency: 'PHP',
    reason: 'requested_by_customer',
  });

  test('can be partial, up to the last centavo, and not one more', async () => {
    const w = world();
    const {payment} = w.pay((await w.open()).id);
    const first = await w.ok('POST', '/refunds', refund(payment!.id, 50_000));
    expect(first).toMatchObject({
      id: expect.stringMatching(/^re_/),
      status: 'succeeded',
      amount: 50_000,
      description: `Refund for payment ${payment!.id}`,
      other_reason: null,
      processed_at: START,
      remarks: null,
      metadata: null,
    });
    expect(w.events().at(-1)).toMatchObject({type: 'refund.created', previous_attributes: {}, data: {id: first.id}});
    expect(await w.ok('GET', `/payments/${payment!.id}`)).toMatchObject({
      amount: 150_000,
      amount_refunded: 50_000,
      refunded: true,
      status: 'paid',
    });
    expect(await w.call('POST', '/refunds', refund(payment!.id, 100_001))).toMatchObject({
      status: 400,
      body: {errors: [{code: 'parameter_above_maximum', parameter: 'amount'}]},
    });
    await w.ok('POST', '/refunds', refund(payment!.id, 100_000));
    expect((await w.ok('GET', `/payments/${payment!.id}`)).amount_refunded).toBe(150_000);
    expect(await w.call('POST', '/refunds', refund(payment!.id, 1))).toMatchObject({
      status: 400,
      body: {errors: [{code: 'resource_invalid_state'}]},
    });
  });

  test('change their metadata; an update without changes keeps updated_at', async () => {
    const w = world();
    const {payment} = w.pay((await w.open()).id);
    const {id, created_at: created} = await w.ok('POST', '/refunds', refund(payment!.id, 50_000));
    const update = async (metadata?: object) => {
      w.advance(60);
      await w.ok('PUT', `/refunds/${id}`, metadata ? {metadata} : {});
      const {type, previous_attributes: previous, data} = w.events().at(-1)!;
      expect(type).toBe('refund.updated');
      return [previous, data.updated_at - created, data.metadata];
    };
    const metadata = {ticket: '8841'};
    expect(await update()).toEqual([{}, 0, null]);
    expect(await update({})).toEqual([{}, 0, null]);
    expect(await update(metadata)).toEqual([{}, 180, metadata]);
    expect(await update(metadata)).toEqual([{}, 180, metadata]);
  });

  test.each([undefined, null, ''])(
    'with the description %j name their payment unless it is given',
    async (description) => {
      const w = world();
      const {payment} = w.pay((await w.open()).id);
      const made = await w.ok('POST', '/refunds', {...refund(payment!.id, 1), description});
      expect(made.description).toBe(description ?? `Refund for payment ${payment!.id}`);
      expect(w.events().at(-1)!.data.description).toBe(description ?? null);
    },
  );

  test('are refused for QR Ph', async () => {
    const w = world();
    const {payment} = w.pay((await w.open()).id, {method: 'qrph'});
    expect(await w.call('POST', '/refunds', refund(payment!.id, 1))).toMatchObject({
      status: 400,
      body: {errors: [{parameter: 'payment_id'}]},
    });
  });
});

test("a session's metadata is copied to its intent and payment", async () => {
  const w = world();
  const metadata = {'Order ID': 'A-1'};
  const session = await w.session({metadata, description: 'Shirts', payment_methods: ['gcash']});
  expect(session.payment_intent).toMatchObject({metadata, description: 'Shirts', payment_methods: ['gcash']});
  expect(w.pay(session.id).payment).toMatchObject({metadata, description: 'Shirts', amount: 90_000});
});

test('a payment accepts a description and metadata', async () => {
  const w = world();
  const {payment} = w.pay((await w.intent()).id);
  expect(
    await w.ok('PUT', `/payments/${payment!.id}`, {description: 'June', metadata: {unit: '4B'}, amount: 1}),
  ).toMatchObject({
    description: 'June',
    metadata: {unit: '4B'},
    amount: 125_050,
  });
  expect(await w.ok('PUT', `/payments/${payment!.id}`, {metadata: {}})).toMatchObject({
    description: 'June',
    metadata: null,
  });
});
