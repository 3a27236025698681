// Specification, "Effects that hold": 1 to 5, and failed attempts in "Errors".

import {describe, expect, test} from 'vitest';
import {DAY, service, START, type Service} from './service.js';
import {draft, held, intent, open, session} from './stories.js';
import {controlOf} from '../../src/sandbox/control/control.js';

const rejected = expect.objectContaining({kind: 'rejected'});

/** The payer’s message if there is nothing to pay. */
function refusal(api: Service, id: string): unknown {
  try {
    return controlOf(api.sandbox).pay(id, {});
  } catch (error) {
    return error;
  }
}

describe('1: finalizing a billing statement creates its payment intent', () => {
  test('there is none before', async () => {
    const api = await service();
    const {id, payment_intent: before} = await draft(api);
    expect(before).toBeNull();
    const {payment_intent: after} = await api.ok('POST', `/billing_statements/${id}/finalize`);
    expect(await api.ok('GET', `/payment_intents/${after.id}`)).toMatchObject({
      resource: 'payment_intent',
      amount: 150_000,
      currency: 'PHP',
      status: 'awaiting_payment_method',
      client_secret: after.client_secret,
    });
  });

  test('the current metadata of the statement is copied to it and to the payment', async () => {
    const api = await service();
    const {id} = await draft(api, {metadata: {'Order ID': '1', gone: 'x'}});
    await api.ok('PUT', `/billing_statements/${id}`, {metadata: {'Order ID': '2', 'Ñandú 漢字': '✓ & ok'}});
    const {payment_intent: thin} = await api.ok('POST', `/billing_statements/${id}/finalize`);
    const metadata = {'Order ID': '2', 'Ñandú 漢字': '✓ & ok'};
    expect((await api.ok('GET', `/payment_intents/${thin.id}`)).metadata).toEqual(metadata);
    const {payment} = controlOf(api.sandbox).pay(id, {});
    expect((await api.ok('GET', `/payments/${String(payment!.id)}`)).metadata).toEqual(metadata);
  });

  test('its description is copied too, and its payment methods limit the intent', async () => {
    const api = await service();
    const {payment_intent: thin} = await open(api, {
      description: 'June rent',
      payment_settings: {payment_methods: ['gcash', 'maya']},
    });
    expect(await api.ok('GET', `/payment_intents/${thin.id}`)).toMatchObject({
      description: 'June rent',
      payment_methods: ['gcash', 'maya'],
    });
    expect(() => controlOf(api.sandbox).pay(thin.id, {method: 'card'})).toThrow(rejected);
  });
});

describe('2: a billing statement exposes its url only while it is open', () => {
  test.each([
    ['draft', 'draft', false],
    ['open', 'open', true],
    ['paid', 'paid', false],
    ['void', 'void', false],
    ['mark_uncollectible', 'uncollectible', false],
  ])('%s', async (action, status, shown) => {
    const api = await service();
    const {id} = action === 'draft' ? await draft(api) : await open(api);
    if (action === 'paid') controlOf(api.sandbox).pay(id, {});
    if (action === 'void' || action === 'mark_uncollectible')
      await api.ok('POST', `/billing_statements/${id}/${action}`);
    const statement = await api.ok('GET', `/billing_statements/${id}`);
    expect(statement.status).toBe(status);
    if (shown) expect(new URL(statement.url).origin).toBe(api.url);
    else expect(statement.url ?? null).toBeNull();
    expect((await api.ok('GET', '/billing_statements')).data[0].url).toBe(statement.url);
  });
});

test('3: a billing statement that is past due and open can still be paid', async () => {
  const api = await service();
  const {id, due_at: due} = await open(api);
  api.sandbox.setClock(due + 30 * DAY);
  expect(await api.ok('GET', `/billing_statements/${id}`)).toMatchObject({status: 'open', url: expect.any(String)});
  expect(controlOf(api.sandbox).pay(id, {method: 'gcash'})).toMatchObject({
    result: 'paid',
    billing_statement: {status: 'paid'},
  });
  expect((await api.ok('GET', `/billing_statements/${id}`)).status).toBe('paid');
});

describe('4: once a checkout session is expired, payment can no longer be completed through it', () => {
  test.each<[string, (api: Service, id: string) => unknown]>([
    ['by a request', (api, id) => api.ok('POST', `/checkout_sessions/${id}/expire`)],
    ['by time', (api) => api.sandbox.setClock(START + 3600)],
  ])('%s', async (_name, expire) => {
    const api = await service();
    const {id, payment_intent: made} = await session(api, {expires_at: START + 3600});
    await expire(api, id);
    expect((await api.ok('GET', `/checkout_sessions/${id}`)).status).toBe('expired');
    for (const target of [id, made.id]) expect(refusal(api, target)).toEqual(rejected);
    expect(await api.ok('GET', `/payment_intents/${made.id}`)).toMatchObject({
      status: 'canceled',
      latest_payment: null,
    });
  });

  test('just before, it can', async () => {
    const api = await service();
    const {id} = await session(api, {expires_at: START + 3600});
    api.sandbox.setClock(START + 3599);
    expect(controlOf(api.sandbox).pay(id, {})).toMatchObject({result: 'paid', checkout_session: {status: 'completed'}});
  });
});

describe('5: a payment intent results in at most one successful payment', () => {
  test('a paid one cannot be paid again', async () => {
    const api = await service();
    const {id} = await intent(api);
    const {payment} = controlOf(api.sandbox).pay(id, {});
    expect(refusal(api, id)).toEqual(rejected);
    expect(await api.ok('GET', `/payment_intents/${id}`)).toMatchObject({
      status: 'succeeded',
      amount_received: 125_050,
      latest_payment: {id: payment!.id, amount: 125_050},
    });
  });

  test('neither can a statement, by its id or its intent’s id', async () => {
    const api = await service();
    const {id, payment_intent: made} = await open(api);
    controlOf(api.sandbox).pay(made.id, {});
    for (const target of [id, made.id]) expect(refusal(api, target)).toEqual(rejected);
  });

  test('a captured intent cannot be captured again', async () => {
    const api = await service();
    const {id} = await held(api);
    await api.ok('POST', `/payment_intents/${id}/capture`, {amount: 100_000});
    expect((await api.send('POST', `/payment_intents/${id}/capture`, {json: {amount: 25_050}})).status).toBe(400);
    expect((await api.ok('GET', `/payment_intents/${id}`)).amount_received).toBe(100_000);
  });

  test('failed attempts create no payment, and do not prevent one', async () => {
    const api = await service();
    const {id} = await intent(api);
    for (const fail of ['generic_decline', 'funds_insufficient']) {
      expect(controlOf(api.sandbox).pay(id, {fail})).toMatchObject({result: 'failed', payment: null});
      const failed = await api.ok('GET', `/payment_intents/${id}`);
      expect(failed).toMatchObject({status: 'awaiting_payment_method', latest_payment: null, amount_received: 0});
      expect(failed.last_payment_error).toEqual({code: fail, detail: expect.stringMatching(/ .*\.$/)});
    }
    expect(controlOf(api.sandbox).pay(id, {})).toMatchObject({result: 'paid', payment: {status: 'paid'}});
    expect(await api.ok('GET', `/payment_intents/${id}`)).toMatchObject({
      status: 'succeeded',
      last_payment_error: null,
    });
  });
});

test('a session copies its metadata to its intent and payment', async () => {
  const api = await service();
  const {id, payment_intent: made} = await session(api, {metadata: {cart: 'A 1'}});
  expect(made.metadata).toEqual({cart: 'A 1'});
  expect(controlOf(api.sandbox).pay(id, {}).payment!.metadata).toEqual({cart: 'A 1'});
});

test('the statement descriptor of a session overrides its intent’s', async () => {
  const api = await service();
  const {payment_intent: made} = await session(api, {statement_descriptor: 'HABI STUDIO'});
  expect((await api.ok('GET', `/payment_intents/${made.id}`)).statement_descriptor).toBe('HABI STUDIO');
});
