// Missing objects and unreadable requests: statuses, codes, and the `{errors: [{code, detail}]}` body.

import {describe, expect, test} from 'vitest';
import {service, type Sent} from './service.js';
import {customer, draft, intent, session, webhook} from './stories.js';

const NONE = 'N'.repeat(32);

/** Every endpoint of the specification with an id in its path: 25 of the 34. */
const WITH_ID: readonly [method: string, path: string, json?: object][] = [
  ['GET', `/billing_statements/bstm_${NONE}`],
  ['PUT', `/billing_statements/bstm_${NONE}`, {description: 'x'}],
  ['DELETE', `/billing_statements/bstm_${NONE}`],
  ['POST', `/billing_statements/bstm_${NONE}/finalize`],
  ['POST', `/billing_statements/bstm_${NONE}/void`],
  ['POST', `/billing_statements/bstm_${NONE}/mark_uncollectible`],
  ['POST', `/billing_statements/bstm_${NONE}/send`],
  ['PUT', `/billing_statement_line_items/bstm_li_${NONE}`, {quantity: 2}],
  ['DELETE', `/billing_statement_line_items/bstm_li_${NONE}`],
  ['GET', `/payment_intents/pi_${NONE}`],
  ['POST', `/payment_intents/pi_${NONE}/cancel`],
  ['POST', `/payment_intents/pi_${NONE}/capture`, {amount: 2000}],
  ['GET', `/checkout_sessions/cs_${NONE}`],
  ['POST', `/checkout_sessions/cs_${NONE}/expire`],
  ['GET', `/customers/cus_${NONE}`],
  ['PUT', `/customers/cus_${NONE}`, {name: 'x'}],
  ['DELETE', `/customers/cus_${NONE}`],
  ['GET', `/payments/pay_${NONE}`],
  ['PUT', `/payments/pay_${NONE}`, {description: 'x'}],
  ['GET', `/payouts/po_${NONE}/transactions`],
  ['GET', `/webhooks/wh_${NONE}`],
  ['PUT', `/webhooks/wh_${NONE}`, {description: 'x'}],
  ['DELETE', `/webhooks/wh_${NONE}`],
  ['POST', `/webhooks/wh_${NONE}/disable`],
  ['POST', `/webhooks/wh_${NONE}/enable`],
];

describe('an unknown id', () => {
  test.each(WITH_ID)('%s %s is not found', async (method, path, json) => {
    const api = await service();
    const id = path.split('/')[2]!;
    const {status, body, headers} = await api.send(method, path, {json});
    expect(status).toBe(404);
    expect(body).toEqual({errors: [{code: 'resource_not_found', detail: expect.stringContaining(id)}]});
    expect(headers['content-type']).toContain('application/json');
  });

  test('a statement of an unknown customer, and an item of an unknown statement, are not found', async () => {
    const api = await service();
    const statement = {customer_id: `cus_${NONE}`, currency: 'PHP'};
    const item = {billing_statement_id: `bstm_${NONE}`, description: 'x', unit_price: 2000, quantity: 1};
    for (const [path, json] of [
      ['/billing_statements', statement],
      ['/billing_statement_line_items', item],
    ] as const) {
      expect(await api.send('POST', path, {json})).toMatchObject({
        status: 404,
        body: {errors: [{code: 'resource_not_found', detail: expect.any(String)}]},
      });
    }
  });
});

test('an id of another resource is not found', async () => {
  const api = await service();
  const {id: customerId} = await customer(api);
  const {id: intentId} = await intent(api);
  const {id: sessionId} = await session(api);
  const {id: webhookId} = await webhook(api);
  const {id: statementId, line_items: items} = await draft(api);
  for (const path of [
    `/customers/${intentId}`,
    `/payment_intents/${customerId}`,
    `/checkout_sessions/${webhookId}`,
    `/webhooks/${sessionId}`,
    `/billing_statements/${items[0].id}`,
    `/payments/${statementId}`,
    `/payouts/${statementId}/transactions`,
  ]) {
    expect(await api.send('GET', path)).toMatchObject({
      status: 404,
      body: {errors: [{code: 'resource_not_found'}]},
    });
  }
});

describe('a route that the specification does not have', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/nothing'],
    ['GET', '/v1/customers'],
    ['GET', '/customers/'],
    ['GET', `/customers/cus_${NONE}/more`],
    ['PATCH', `/customers/cus_${NONE}`],
    ['POST', `/customers/cus_${NONE}`],
    ['GET', '/payments'],
    ['POST', '/payments'],
    ['GET', '/payment_intents'],
    ['DELETE', `/payment_intents/pi_${NONE}`],
    ['GET', '/payouts'],
    ['GET', `/billing_statement_line_items/bstm_li_${NONE}`],
    ['GET', '/billing_statement_line_items'],
    ['DELETE', '/webhooks'],
    ['POST', `/billing_statements/bstm_${NONE}/pay`],
    ['GET', `/billing_statements/bstm_${NONE}/finalize`],
    ['GET', '/Customers'],
  ])('%s %s', async (method, path) => {
    const api = await service();
    const {status, body} = await api.send(method, path);
    expect(status).toBe(404);
    expect(body).toEqual({errors: [{code: 'route_not_found', detail: expect.stringContaining(`${method}: ${path}`)}]});
  });
});

describe('a body that cannot be read', () => {
  const json = (raw: string): Sent => ({raw, headers: {'content-type': 'application/json'}});

  test.each(['{', '{"name": "Juan",}', "{'name': 'Juan'}", 'name=Juan', '[]', '"text"', '12', 'null'])(
    '%s in place of a JSON object is refused',
    async (raw) => {
      const api = await service();
      const {status, body} = await api.send('POST', '/customers', json(raw));
      expect(status).toBe(400);
      expect(body.errors[0]).toMatchObject({code: expect.any(String), detail: expect.stringMatching(/json/i)});
      expect((await api.ok('GET', '/customers')).data).toEqual([]);
    },
  );

  test('accepts the media type of JSON in any case, and with a character set', async () => {
    const api = await service();
    const raw = JSON.stringify({name: 'Niño', email: 'nino@example.com', currency: 'PHP'});
    for (const type of ['application/json; charset=utf-8', 'Application/JSON']) {
      const answer = await api.send('POST', '/customers', {raw, headers: {'content-type': type}});
      expect([type, answer.status, answer.body.name]).toEqual([type, 200, 'Niño']);
    }
  });
});

describe('a value of the wrong kind', () => {
  test.each<[string, string, Sent]>([
    ['an amount in words', 'amount', {json: {amount: 'much', currency: 'PHP'}}],
    ['an amount as text', 'amount', {json: {amount: '125050', currency: 'PHP'}}],
    ['an amount with a fraction', 'amount', {json: {amount: 1250.5, currency: 'PHP'}}],
    ['an amount with a fraction in a form', 'amount', {form: 'amount=1250.50&currency=PHP'}],
    ['an amount in words in a form', 'amount', {form: 'amount=much&currency=PHP'}],
    ['an empty amount in a form', 'amount', {form: 'amount=&currency=PHP'}],
    ['no amount', 'amount', {json: {currency: 'PHP'}}],
    [
      'a payment method there is none of',
      'payment_methods.0',
      {form: 'amount=2000&currency=PHP&payment_methods[]=cash'},
    ],
    ['a list as text', 'payment_methods', {json: {amount: 2000, currency: 'PHP', payment_methods: 'card'}}],
    ['metadata as text', 'metadata', {json: {amount: 2000, currency: 'PHP', metadata: 'x'}}],
  ])('%s is refused by name', async (_name, parameter, sent) => {
    const api = await service();
    const {status, body} = await api.send('POST', '/payment_intents', sent);
    expect(status).toBe(400);
    expect(body.errors).toEqual([expect.objectContaining({parameter, code: expect.stringMatching(/^parameter_/)})]);
  });

  test.each([
    ['a hash', {a: {b: 'c'}}],
    ['a list', {a: ['b']}],
  ])('a metadata value that is %s is refused, not stored as a text', async (_name, metadata) => {
    const api = await service();
    const {status, body} = await api.send('POST', '/payment_intents', {
      json: {amount: 2000, currency: 'PHP', metadata},
    });
    expect([status, body.errors?.[0].parameter]).toEqual([400, expect.stringContaining('metadata')]);
  });

  test('does not store a null metadata value as the text null', async () => {
    const api = await service();
    const {body} = await api.send('POST', '/payment_intents', {
      json: {amount: 2000, currency: 'PHP', metadata: {a: null}},
    });
    expect(body.metadata?.a).not.toBe('null');
  });

  test.each(['USD', 'php', 'EUR'])('a currency other than PHP, such as %s, is refused everywhere', async (currency) => {
    const api = await service();
    const {id: customerId} = await customer(api);
    const lines = [{name: 'T-shirt', amount: 45_000, quantity: 1}];
    const urls = {success_url: 'https://shop.example/a', cancel_url: 'https://shop.example/b'};
    for (const [path, json] of [
      ['/customers', {name: 'Juan', email: 'juan@example.com', currency}],
      ['/billing_statements', {customer_id: customerId, currency}],
      ['/payment_intents', {amount: 2000, currency}],
      ['/checkout_sessions', {line_items: lines, ...urls, currency}],
    ] as const) {
      const answer = await api.send('POST', path, {json});
      expect([path, answer.status, answer.body.errors?.[0].parameter]).toEqual([path, 400, 'currency']);
    }
  });
});
