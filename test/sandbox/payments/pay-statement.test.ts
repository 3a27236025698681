// Paying in the sandbox: every test card, every method and every refusal.

import {nextText} from '../../../src/common/next-text.js';
import {describe, expect, test} from 'vitest';
import {CentavoError, type ErrorKind} from '../../../src/common/errors.js';
import type {PayOptions} from '../../../src/sandbox/payments/pay-statement.js';
import {world, type Wire, type World} from '../../support/sandbox/world.js';

// Copied by hand from the service's documentation, to test the sandbox's own table.
const SUCCEEDING = [
  ['4242424242424242', 'visa', '424242', '4242'],
  ['4701322211111234', 'visa', '470132', '1234'],
  ['5425233430109903', 'mastercard', '542523', '9903'],
  ['5200828282828210', 'mastercard', '520082', '8210'],
  ['4000000760000002', 'visa', '400000', '0002'],
  ['4311780000241409', 'visa', '431178', '1409'],
] as const;

const FAILING = [
  ['4000000000001000', 'blocked'],
  ['4005550000000019', 'generic_decline'],
  ['4503300000000008', 'funds_insufficient'],
  ['4205260000000005', 'cvc_incorrect'],
  ['4001270000000000', 'processing_error'],
  ['4012000033330026', 'system_error'],
  ['4000000000000077', 'generic_decline'],
] as const;

function refusal(action: () => unknown): CentavoError {
  try {
    action();
  } catch (error) {
    if (error instanceof CentavoError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function expectRefusal(action: () => unknown, kind: ErrorKind, words: RegExp): void {
  const error = refusal(action);
  expect(error.kind).toBe(kind);
  expect(error.details.applied).toBe('no');
  expect(`${error.message} ${error.details.why}`).toMatch(words);
}

describe('cards that succeed', () => {
  test.each(SUCCEEDING)('%s (%s)', async (number, brand, first6, last4) => {
    const w = world();
    const statement = await w.open();
    const paid = w.pay(statement.id, {card: number});
    expect(paid).toMatchObject({
      result: 'paid',
      payment: {
        amount: 150_000,
        net_amount: 150_000,
        fee: 0,
        amount_refunded: 0,
        refunded: false,
        status: 'paid',
        currency: 'PHP',
        payment_method: {type: 'card', card: {brand, first6, last4}},
        billing: {name: 'Juan Dela Cruz', email: 'juan@example.com', address: {city: null}},
      },
      payment_intent: {status: 'succeeded', amount_received: 150_000, amount_capturable: 0, last_payment_error: null},
      billing_statement: {status: 'paid', url: null},
    });
    expect(await w.ok('GET', `/payments/${paid.payment!.id}`)).toEqual(paid.payment);
    expect(JSON.stringify(await w.ok('GET', `/payment_intents/${paid.payment_intent.id}`))).not.toContain(number);
  });
});

describe('cards that fail', () => {
  test.each(FAILING)('%s: %s', async (number, code) => {
    const w = world();
    const statement = await w.open();
    const before = w.events().length;
    const failed = w.pay(statement.id, {card: number});
    expect(failed).toMatchObject({
      result: 'failed',
      payment: null,
      payment_intent: {
        status: 'awaiting_payment_method',
        last_payment_error: {code, detail: expect.any(String)},
        latest_payment: null,
        amount_received: 0,
      },
      billing_statement: {status: 'open'},
    });
    expect(w.events()).toHaveLength(before);
    expect(w.pay(statement.id, {card: '4242 4242-4242 4242'})).toMatchObject({
      result: 'paid',
      payment_intent: {last_payment_error: null},
    });
  });

  test.each(['blocked', 'generic_decline', 'funds_insufficient', 'cvc_incorrect', 'processing_error', 'system_error'])(
    'forced with %s',
    async (code) => {
      const w = world();
      const {id} = await w.session();
      expect(w.pay(id, {method: 'gcash', fail: code})).toMatchObject({
        result: 'failed',
        payment_intent: {last_payment_error: {code}},
        checkout_session: {status: 'active'},
      });
    },
  );
});

describe('a card that asks for approval', () => {
  const card = '4000000000003220';

  test.each<[string, PayOptions, string]>([
    ['paid again', {}, 'paid'],
    ['paid with the same card', {card}, 'paid'],
    ['declined', {fail: 'generic_decline'}, 'failed'],
    ['paid with another card', {card: '5200828282828210'}, 'paid'],
    ['paid with a wallet', {method: 'gcash'}, 'paid'],
  ])('waits, then is %s', async (_, options, result) => {
    const w = world();
    const {id} = await w.open();
    expect(w.pay(id, {card})).toMatchObject({
      result: 'awaiting_next_action',
      payment: null,
      payment_intent: {status: 'awaiting_next_action', next_action: {type: 'redirect'}, last_payment_error: null},
      billing_statement: {status: 'open'},
    });
    expect(w.pay(id, options).result).toBe(result);
  });

  test('can fail at once', async () => {
    const w = world();
    expect(w.pay((await w.open()).id, {card, fail: 'blocked'}).result).toBe('failed');
  });
});

test.each(['gcash', 'maya', 'billease', 'qrph'])('%s pays', async (method) => {
  const w = world();
  const {payment} = w.pay((await w.open()).id, {method});
  expect((payment!.payment_method as Wire).type).toBe(method);
  if (method === 'qrph')
    expect(payment!.payment_method).toMatchObject({
      qrph: {account_name: 'Juan Dela Cruz', last4_account_number: expect.stringMatching(/^\d{4}$/)},
    });
});

test('events come in order, with previous values', async () => {
  const w = world();
  const statement = await w.open();
  w.pay(statement.id);
  const [intent, paid] = w.events().slice(-2);
  expect(intent).toMatchObject({
    type: 'payment_intent.succeeded',
    data: {status: 'succeeded', latest_payment: {amount: 150_000}},
  });
  expect(intent!.previous_attributes).toEqual({status: 'processing', amount_capturable: 0, amount_received: 0});
  expect(intent!.data.latest_payment).not.toHaveProperty('customer');
  expect(paid).toMatchObject({
    type: 'billing_statement.paid',
    data: {status: 'paid', payment_intent: {status: 'succeeded', latest_payment: expect.stringMatching(/^pay_/)}},
  });
  expect(paid!.previous_attributes).toEqual({status: 'open'});
});

describe('a manual capture', () => {
  const manual = {payment_methods: ['card', 'gcash'], payment_method_options: {card: {capture_type: 'manual'}}};

  test('holds a card', async () => {
    const w = world();
    const {id} = await w.session(manual);
    expect(w.pay(id)).toMatchObject({
      result: 'held',
      payment: null,
      payment_intent: {
        status: 'awaiting_capture',
        amount_capturable: 90_000,
        amount_received: 0,
        capture_before_at: w.sandbox.now() + 604_800,
      },
      checkout_session: {status: 'completed'},
    });
    expect(w.events().at(-1)).toMatchObject({
      type: 'payment_intent.amount_capturable',
      previous_attributes: {status: 'processing', amount_capturable: 0},
    });
    expect(Object.keys(w.events().at(-1)!.previous_attributes)).toHaveLength(2);
  });

  test('does not hold a wallet', async () => {
    const w = world();
    expect(w.pay((await w.session(manual)).id, {method: 'gcash'}).result).toBe('paid');
  });
});

describe('refuses a method that is not allowed', () => {
  const settings = (fields: object) => ({payment_settings: fields});

  test.each([
    [{payment_methods: ['gcash']}, {method: 'maya'}, /gcash/],
    [{payment_methods: ['gcash']}, {card: '4242424242424242'}, /gcash/],
    [
      {payment_methods: ['card'], payment_method_options: {card: {allowed_bins: ['520082', '42']}}},
      {card: '5425233430109903'},
      /520082 or 42/,
    ],
    [
      {payment_methods: ['card'], payment_method_options: {card: {allowed_funding: ['debit']}}},
      {card: '4242424242424242'},
      /debit/,
    ],
  ])('%j', async (given, options, words) => {
    const w = world();
    const {id} = await w.open(settings(given));
    expectRefusal(() => w.pay(id, options), 'rejected', words);
    expect((await w.ok('GET', `/billing_statements/${id}`)).status).toBe('open');
  });

  test('accepts cards within the restrictions, and defaults to an allowed method', async () => {
    const w = world();
    const restricted = settings({
      payment_methods: ['card'],
      payment_method_options: {card: {allowed_bins: ['520082'], allowed_funding: ['debit']}},
    });
    expect(w.pay((await w.open(restricted)).id, {card: '5200828282828210'}).result).toBe('paid');
    expect(w.pay((await w.open(settings({payment_methods: ['maya']}))).id).payment!.payment_method).toMatchObject({
      type: 'maya',
    });
  });
});

describe('refuses to pay', () => {
  test.each<[string, (w: World) => Promise<Wire>, RegExp]>([
    ['a draft', (w) => w.draft(), /draft/],
    ['a paid statement', async (w) => w.pay((await w.open()).id).billing_statement!, /status is paid/],
    ['its intent', async (w) => w.pay((await w.open()).id).payment_intent, /status is succeeded/],
    ['a void statement', async (w) => w.ok('POST', `/billing_statements/${(await w.open()).id}/void`), /void/],
    [
      'an uncollectible statement',
      async (w) => w.ok('POST', `/billing_statements/${(await w.open()).id}/mark_uncollectible`),
      /uncollectible/,
    ],
    ['an expired session', async (w) => w.ok('POST', `/checkout_sessions/${(await w.session()).id}/expire`), /expired/],
    ['a completed session', async (w) => w.pay((await w.session()).id).checkout_session!, /status is completed/],
    ['a canceled intent', async (w) => w.ok('POST', `/payment_intents/${(await w.intent()).id}/cancel`), /canceled/],
  ])('%s', async (_name, make, words) => {
    const w = world();
    const {id} = await make(w);
    const before = w.events().length;
    expectRefusal(() => w.pay(id), 'rejected', words);
    expect(w.events()).toHaveLength(before);
  });

  test('a held intent, with the command that captures it', async () => {
    const w = world();
    const {id} = await w.intent({payment_methods: ['card'], payment_method_options: {card: {capture_type: 'manual'}}});
    w.pay(id);
    const {details} = refusal(() => w.pay(id));
    expect(details.why).toBe('Its status is awaiting capture.');
    expect(nextText(details)).toMatch(new RegExp(`capture ${id} --amount-centavos \\d+$`));
  });

  test('unknown objects and invalid options', async () => {
    const w = world();
    const {id} = await w.open();
    expectRefusal(() => w.pay('bstm_none'), 'not_found', /bstm_none/);
    expectRefusal(() => w.pay('cus_none'), 'usage', /Give the id of a billing statement/);
    expectRefusal(() => w.pay('nonsense'), 'usage', /Give the id of a billing statement/);
    expectRefusal(() => w.pay(id, {card: '4111111111111111'}), 'usage', /not a test card/);
    expectRefusal(() => w.pay(id, {method: 'cash'}), 'usage', /cash/);
    expectRefusal(() => w.pay(id, {method: 'gcash', card: '4242424242424242'}), 'usage', /gcash/);
    expectRefusal(() => w.pay(id, {fail: 'toString'}), 'usage', /toString/);
  });
});

describe('a statement for future use', () => {
  test('saves the payment method to its customer, once', async () => {
    const w = world();
    const {id: customerId} = await w.customer();
    for (const card of ['4503300000000008', '5200828282828210']) {
      const {id} = await w.open({customer_id: customerId, setup_future_usage: 'off_session'});
      w.pay(id, {card});
      if (card === '4503300000000008') w.pay(id, {card: '5200828282828210'});
    }
    const {data} = await w.ok('GET', `/customers/${customerId}/payment_methods`);
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      type: 'card',
      customer_id: customerId,
      details: {last4: '8210', brand: 'mastercard'},
      allow_redisplay: true,
    });
  });

  test('other statements save nothing, but the intent names the method', async () => {
    const w = world();
    const statement = await w.open();
    expect(w.pay(statement.id).payment_intent.payment_method_id).toMatch(/^pm_/);
    expect((await w.ok('GET', `/customers/${statement.customer_id}/payment_methods`)).data).toEqual([]);
  });
});
