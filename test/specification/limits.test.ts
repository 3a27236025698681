// Specification, "Limits": the bounds of every bounded amount, of pages, and of texts on bank statements.

import {describe, expect, test} from 'vitest';
import {service, type Answer, type Sent, type Service} from './service.js';
import {draft, held, intent, payout} from './stories.js';
import {controlOf} from '../../src/sandbox/control/control.js';

const AMOUNTS = [
  [1999, 'parameter_below_minimum'],
  [2000, undefined],
  [5_999_999_999, undefined],
  [6_000_000_000, 'parameter_above_maximum'],
] as const;

const URLS = {success_url: 'https://shop.example/a', cancel_url: 'https://shop.example/b'};
const urlForm = 'success_url=https%3A%2F%2Fshop.example%2Fa&cancel_url=https%3A%2F%2Fshop.example%2Fb';

type Send = (api: Service, amount: number) => Promise<Answer>;

const bounded: readonly [string, Send][] = [
  ['a payment intent', (api, amount) => api.send('POST', '/payment_intents', {json: {amount, currency: 'PHP'}})],
  [
    'a payment intent by form',
    (api, amount) => api.send('POST', '/payment_intents', {form: `amount=${amount}&currency=PHP`}),
  ],
  [
    'a payment intent that is changed',
    async (api, amount) => api.send('PUT', `/payment_intents/${(await intent(api)).id}`, {json: {amount}}),
  ],
  [
    'the total of a checkout session',
    (api, amount) =>
      api.send('POST', '/checkout_sessions', {
        json: {
          currency: 'PHP',
          ...URLS,
          line_items: [
            {name: 'x', amount: amount - 1, quantity: 1},
            {name: 'y', amount: 1, quantity: 1},
          ],
        },
      }),
  ],
  [
    'the total of a checkout session by form',
    (api, amount) =>
      api.send('POST', '/checkout_sessions', {
        form: `currency=PHP&${urlForm}&line_items[][name]=x&line_items[][amount]=${amount}&line_items[][quantity]=1`,
      }),
  ],
  [
    'the total of a billing statement',
    async (api, amount) => {
      const {id} = await draft(api, {}, amount - 1);
      const item = {billing_statement_id: id, description: 'y', unit_price: 1, quantity: 1};
      const added = await api.send('POST', '/billing_statement_line_items', {json: item});
      // An item that takes it above the maximum is refused itself.
      return added.status === 400 ? added : api.send('POST', `/billing_statements/${id}/finalize`);
    },
  ],
];

describe.each(bounded)('the amount of %s', (_name, send) => {
  test.each(AMOUNTS)('%i', async (amount, code) => {
    const api = await service();
    const {status, body} = await send(api, amount);
    if (code) {
      expect([status, body.errors]).toEqual([400, [{code, detail: expect.any(String), parameter: 'amount'}]]);
    } else {
      expect([status, body.amount]).toEqual([200, amount]);
    }
  });
});

describe('the captured amount', () => {
  test.each([
    [1999, 400],
    [2000, 200],
    [5_999_999_999, 200],
    [6_000_000_000, 400],
  ])('%i', async (amount, status) => {
    const api = await service();
    const {id} = await held(api, 5_999_999_999);
    const answer = await api.send('POST', `/payment_intents/${id}/capture`, {json: {amount}});
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.body.latest_payment.amount).toBe(amount);
    else expect(answer.body.errors).toEqual([expect.objectContaining({parameter: 'amount'})]);
  });

  test('more than is held is refused', async () => {
    const api = await service();
    const {id} = await held(api, 125_050);
    expect(await api.send('POST', `/payment_intents/${id}/capture`, {json: {amount: 125_051}})).toMatchObject({
      status: 400,
      body: {errors: [{code: 'parameter_above_maximum', parameter: 'amount'}]},
    });
  });
});

test('a refused amount leaves the statement a draft', async () => {
  const api = await service();
  const {id} = await draft(api, {}, 1999);
  await api.send('POST', `/billing_statements/${id}/finalize`);
  expect(await api.ok('GET', `/billing_statements/${id}`)).toMatchObject({status: 'draft', payment_intent: null});
});

test('the maximum amount is paid exactly', async () => {
  const api = await service();
  const {id} = await intent(api, {amount: 5_999_999_999});
  expect(controlOf(api.sandbox).pay(id, {}).payment).toMatchObject({amount: 5_999_999_999});
});

test('refuses a total beyond exact integers', async () => {
  const api = await service();
  const line_items = [{name: 'x', amount: 5_999_999_999, quantity: 5_999_999_999}];
  expect(await api.send('POST', '/checkout_sessions', {json: {currency: 'PHP', ...URLS, line_items}})).toMatchObject({
    status: 400,
    body: {errors: [{code: 'parameter_above_maximum'}]},
  });
});

describe('the size of a page', () => {
  test.each([
    ['0', 400],
    ['1', 200],
    ['100', 200],
    ['101', 400],
    ['-1', 400],
    ['1.5', 400],
    ['ten', 400],
    ['1e1', 400],
  ])('limit=%s', async (limit, status) => {
    const api = await service();
    const payoutId = await payout(api);
    for (const path of ['/billing_statements', '/customers', '/webhooks', `/payouts/${payoutId}/transactions`]) {
      const answer = await api.send('GET', `${path}?limit=${limit}`);
      expect([path, answer.status]).toEqual([path, status]);
      if (status === 400) expect(answer.body.errors).toEqual([expect.objectContaining({parameter: 'limit'})]);
    }
  });
});

describe('a statement descriptor', () => {
  const exactly = 'HABI STUDIO MANILA INC';

  test.each<[string, (text: string) => [string, Sent]]>([
    [
      'a payment intent',
      (text) => ['/payment_intents', {json: {amount: 2000, currency: 'PHP', statement_descriptor: text}}],
    ],
    [
      'a checkout session',
      (text) => [
        '/checkout_sessions',
        {
          json: {
            currency: 'PHP',
            ...URLS,
            line_items: [{name: 'x', amount: 2000, quantity: 1}],
            statement_descriptor: text,
          },
        },
      ],
    ],
  ])('of %s has 22 characters at most', async (_name, request) => {
    const api = await service();
    for (const text of [exactly, 'Ñ'.repeat(22), '🧵'.repeat(22)]) {
      const answer = await api.send('POST', ...request(text));
      expect([answer.status, answer.body.statement_descriptor]).toEqual([200, text]);
    }
    expect(await api.send('POST', ...request(`${exactly}.`))).toMatchObject({
      status: 400,
      body: {errors: [{parameter: 'statement_descriptor'}]},
    });
  });
});
