// Specification, "Authentication": rules 1 to 5, and rule 1 of "Errors".

import {describe, expect, test} from 'vitest';
import {basic, service, type Sent} from './service.js';
import {customer, draft, intent, payment, payout, session, webhook} from './stories.js';
import {controlOf} from '../../src/sandbox/control/control.js';

const refused = {status: 401, body: {errors: [{code: 'auth_invalid', detail: expect.any(String)}]}};

describe('rule 1: the secret key is the user name, the password is empty', () => {
  test('the secret key is accepted', async () => {
    const api = await service();
    const authorization = basic(`${api.secretKey}:`);
    expect((await api.send('GET', '/customers', {key: null, headers: {authorization}})).status).toBe(200);
  });

  test.each<[string, (secret: string) => Sent]>([
    ['no key', () => ({key: null})],
    ['an empty key', () => ({key: ''})],
    ['another key', () => ({key: `sk_test_${'x'.repeat(32)}`})],
    ['part of the key', (secret) => ({key: secret.slice(0, -1)})],
    ['the key with more behind it', (secret) => ({key: `${secret}x`})],
    ['the key in other letters', (secret) => ({key: secret.toUpperCase()})],
    ['the key as the password', (secret) => ({key: null, headers: {authorization: basic(`:${secret}`)}})],
    ['the key as a bearer token', (secret) => ({key: null, headers: {authorization: `Bearer ${secret}`}})],
    ['the key without encoding', (secret) => ({key: null, headers: {authorization: `Basic ${secret}:`}})],
    ['the key in the query alone', () => ({key: null})],
  ])('%s is refused', async (_name, sent) => {
    const api = await service();
    expect(await api.send('GET', `/customers?key=${api.secretKey}`, sent(api.secretKey))).toMatchObject(refused);
    const {send} = api;
    const json = {name: 'Juan', email: 'juan@example.com', currency: 'PHP'};
    expect(await send('POST', '/customers', {json, ...sent(api.secretKey)})).toMatchObject(refused);
    expect((await api.ok('GET', '/customers')).data).toEqual([]);
  });
});

describe('rule 2: a public key gets a payment intent with its client secret, and nothing else', () => {
  test('with the client secret, returns the intent', async () => {
    const api = await service();
    const {id, client_secret: secret} = await intent(api);
    const answer = await api.send('GET', `/payment_intents/${id}?client_secret=${secret}`, {key: api.publicKey});
    expect(answer).toMatchObject({status: 200, body: {id, status: 'awaiting_payment_method', amount: 125_050}});
  });

  test.each(['', '?client_secret=', '?secret=x'])(
    'without it (%j) the request is invalid, and the parameter named',
    async (query) => {
      const api = await service();
      const {id} = await intent(api);
      expect(await api.send('GET', `/payment_intents/${id}${query}`, {key: api.publicKey})).toMatchObject({
        status: 400,
        body: {errors: [{code: 'parameter_required', detail: expect.any(String), parameter: 'client_secret'}]},
      });
    },
  );

  test('with the secret of another intent, returns nothing', async () => {
    const api = await service();
    const [{id}, {client_secret: other}] = [await intent(api, {description: 'Hidden'}), await intent(api)];
    const answer = await api.send('GET', `/payment_intents/${id}?client_secret=${other}`, {key: api.publicKey});
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveLength(1);
    expect(answer.text).not.toContain('Hidden');
  });

  test('every other endpoint refuses it', async () => {
    const api = await service();
    const {id: customerId} = await customer(api);
    const {id: statementId, line_items: items} = await draft(api);
    const {id: sessionId} = await session(api);
    const {id: paymentId, payment_intent_id: intentId} = await payment(api);
    const {id: webhookId} = await webhook(api);
    const payoutId = await payout(api);
    const lines = [{name: 'T-shirt', amount: 45_000, quantity: 1}];
    const urls = {success_url: 'https://shop.example/a', cancel_url: 'https://shop.example/b'};
    const item = {billing_statement_id: statementId, description: 'x', unit_price: 2000, quantity: 1};
    const others: readonly [string, string, object?][] = [
      ['POST', '/billing_statements', {customer_id: customerId, currency: 'PHP'}],
      ['GET', `/billing_statements/${statementId}`],
      ['GET', '/billing_statements'],
      ['PUT', `/billing_statements/${statementId}`, {description: 'x'}],
      ['DELETE', `/billing_statements/${statementId}`],
      ['POST', `/billing_statements/${statementId}/finalize`],
      ['POST', `/billing_statements/${statementId}/void`],
      ['POST', `/billing_statements/${statementId}/mark_uncollectible`],
      ['POST', `/billing_statements/${statementId}/send`],
      ['POST', '/billing_statement_line_items', item],
      ['PUT', `/billing_statement_line_items/${items[0].id}`, {quantity: 2}],
      ['DELETE', `/billing_statement_line_items/${items[0].id}`],
      ['POST', '/payment_intents', {amount: 2000, currency: 'PHP'}],
      ['POST', `/payment_intents/${intentId}/cancel`],
      ['POST', `/payment_intents/${intentId}/capture`, {amount: 2000}],
      ['POST', '/checkout_sessions', {currency: 'PHP', line_items: lines, ...urls}],
      ['GET', `/checkout_sessions/${sessionId}`],
      ['POST', `/checkout_sessions/${sessionId}/expire`],
      ['POST', '/customers', {name: 'Juan', email: 'juan@example.com', currency: 'PHP'}],
      ['GET', `/customers/${customerId}`],
      ['GET', '/customers'],
      ['PUT', `/customers/${customerId}`, {name: 'x'}],
      ['DELETE', `/customers/${customerId}`],
      ['GET', `/payments/${paymentId}`],
      ['PUT', `/payments/${paymentId}`, {description: 'x'}],
      ['GET', `/payouts/${payoutId}/transactions`],
      ['POST', '/webhooks', {url: 'https://shop.example/hooks', events: ['refund.created']}],
      ['GET', '/webhooks'],
      ['GET', `/webhooks/${webhookId}`],
      ['PUT', `/webhooks/${webhookId}`, {description: 'x'}],
      ['DELETE', `/webhooks/${webhookId}`],
      ['POST', `/webhooks/${webhookId}/disable`],
      ['POST', `/webhooks/${webhookId}/enable`],
    ];
    expect(others).toHaveLength(34 - 1);
    for (const [method, path, json] of others) {
      const answer = await api.send(method, path, {json, key: api.publicKey});
      expect([method, path, answer.status, answer.body.errors?.[0].code]).toEqual([method, path, 401, 'auth_invalid']);
    }
    expect(await api.ok('GET', `/billing_statements/${statementId}`)).toMatchObject({status: 'draft', amount: 150_000});
    expect(await api.ok('GET', `/webhooks/${webhookId}`)).toMatchObject({status: 'enabled'});
  });

  test('it is refused before its parameters are checked', async () => {
    const api = await service();
    for (const path of ['/customers', '/billing_statements', '/payment_intents', '/checkout_sessions', '/webhooks']) {
      const answer = await api.send('POST', path, {json: {}, key: api.publicKey});
      expect([path, answer.status, answer.body.errors?.[0].code]).toEqual([path, 401, 'auth_invalid']);
    }
  });
});

describe('rule 3: with a secret key the client secret is not needed', () => {
  test('it is accepted nevertheless', async () => {
    const api = await service();
    const made = await intent(api);
    for (const query of ['', `?client_secret=${made.client_secret}`]) {
      const answer = await api.send('GET', `/payment_intents/${made.id}${query}`);
      expect([answer.status, answer.body]).toEqual([200, made]);
    }
  });

  test('it returns more than a public key', async () => {
    const api = await service();
    const {id: customerId} = await customer(api);
    const made = await intent(api, {customer_id: customerId, metadata: {margin: '40%'}});
    controlOf(api.sandbox).pay(made.id, {});
    const path = `/payment_intents/${made.id}?client_secret=${made.client_secret}`;
    const whole = await api.ok('GET', path);
    const {body: part, text} = await api.send('GET', path, {key: api.publicKey});
    const names = Object.keys(part);
    expect(Object.keys(whole)).toEqual(expect.arrayContaining(names));
    expect(names.length).toBeLessThan(Object.keys(whole).length);
    expect(names).toEqual(
      expect.arrayContaining(['id', 'status', 'amount', 'currency', 'payment_methods', 'next_action']),
    );
    for (const sensitive of ['metadata', 'customer', 'latest_payment']) expect(names).not.toContain(sensitive);
    expect(text).not.toMatch(/40%|juan@example\.com|cus_|pay_/);
  });
});

test('rule 4: each webhook has its own key, which can be read again', async () => {
  const api = await service();
  const [first, second] = [await webhook(api), await webhook(api)];
  expect(first.secret_key).not.toBe(second.secret_key);
  expect((await api.ok('GET', `/webhooks/${first.id}`)).secret_key).toBe(first.secret_key);
});

test('rule 5: keys of the sandbox are test keys, and its objects are in test mode', async () => {
  const api = await service();
  expect(api.secretKey).toMatch(/^sk_test_[A-Za-z0-9]{32}$/);
  expect(api.publicKey).toMatch(/^pk_test_[A-Za-z0-9]{32}$/);
  expect((await customer(api)).livemode).toBe(false);
  const live = await api.send('GET', '/customers', {key: api.secretKey.replace('test', 'live')});
  expect(live).toMatchObject({status: 401, body: {errors: [{code: 'mode_mismatched'}]}});
});
