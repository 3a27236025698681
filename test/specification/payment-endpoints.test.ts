// Specification, "Endpoints": payment intents, checkout sessions, payments and payouts, in JSON and as a form.

import {describe, expect, test} from 'vitest';
import {DAY, service, START, type Sent} from './service.js';
import {held, intent, payment, payout, session} from './stories.js';

const bodies = (json: object, form: string): [string, Sent][] => [
  ['JSON', {json}],
  ['a form', {form}],
];

test.each(
  bodies(
    {
      amount: 125_050,
      currency: 'PHP',
      description: 'Deposit',
      statement_descriptor: 'HABI STUDIO',
      payment_methods: ['card', 'gcash'],
      payment_method_options: {
        card: {capture_type: 'manual', allowed_bins: ['424242', '511111'], allowed_funding: ['credit']},
      },
      metadata: {'Order ID': 'A-1', note: ''},
    },
    'amount=125050&currency=PHP&description=Deposit&statement_descriptor=HABI%20STUDIO' +
      '&payment_methods%5B%5D=card&payment_methods%5B%5D=gcash' +
      '&payment_method_options%5Bcard%5D%5Bcapture_type%5D=manual' +
      '&payment_method_options%5Bcard%5D%5Ballowed_bins%5D%5B%5D=424242' +
      '&payment_method_options%5Bcard%5D%5Ballowed_bins%5D%5B%5D=511111' +
      '&payment_method_options%5Bcard%5D%5Ballowed_funding%5D%5B%5D=credit' +
      '&metadata%5BOrder%20ID%5D=A-1&metadata%5Bnote%5D=',
  ),
)('POST /payment_intents makes an intent from %s', async (_name, sent) => {
  const api = await service();
  expect(await api.send('POST', '/payment_intents', sent)).toMatchObject({
    status: 200,
    body: {
      id: expect.stringMatching(/^pi_[A-Za-z0-9]+$/),
      resource: 'payment_intent',
      status: 'awaiting_payment_method',
      amount: 125_050,
      amount_received: 0,
      amount_capturable: 0,
      currency: 'PHP',
      description: 'Deposit',
      statement_descriptor: 'HABI STUDIO',
      payment_methods: ['card', 'gcash'],
      payment_method_options: {
        card: {capture_type: 'manual', allowed_bins: ['424242', '511111'], allowed_funding: ['credit']},
      },
      metadata: {'Order ID': 'A-1', note: ''},
    },
  });
});

test('GET /payment_intents/:id returns the intent', async () => {
  const api = await service();
  const made = await intent(api);
  const answer = await api.send('GET', `/payment_intents/${made.id}`);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual(made);
});

test('POST /payment_intents/:id/cancel ends it', async () => {
  const api = await service();
  const {id} = await intent(api);
  expect(await api.send('POST', `/payment_intents/${id}/cancel`)).toMatchObject({
    status: 200,
    body: {id, resource: 'payment_intent', status: 'canceled'},
  });
  expect((await api.send('POST', `/payment_intents/${id}/cancel`)).status).toBe(400);
});

describe('POST /payment_intents/:id/capture', () => {
  test.each(bodies({amount: 100_000}, 'amount=100000'))(
    'collects part of what is held, from %s',
    async (_name, sent) => {
      const api = await service();
      const {id, ...before} = await held(api);
      expect(before).toMatchObject({
        amount_capturable: 125_050,
        amount_received: 0,
        capture_before_at: START + 7 * DAY,
      });
      expect(await api.send('POST', `/payment_intents/${id}/capture`, sent)).toMatchObject({
        status: 200,
        body: {
          id,
          status: 'succeeded',
          amount_received: 100_000,
          amount_capturable: 0,
          latest_payment: {resource: 'payment', amount: 100_000, status: 'paid'},
        },
      });
    },
  );

  test('refuses an intent without a held amount', async () => {
    const api = await service();
    const {id} = await intent(api);
    expect((await api.send('POST', `/payment_intents/${id}/capture`, {json: {amount: 2000}})).status).toBe(400);
  });
});

describe('POST /checkout_sessions', () => {
  test.each(
    bodies(
      {
        currency: 'PHP',
        line_items: [
          {name: 'A & B', amount: 45_000, quantity: 2},
          {name: 'C', amount: 500, quantity: 1, description: 'Longer', image: 'https://shop.example/c.jpg'},
          {name: 'D', amount: 1, quantity: 7, image: 'https://shop.example/d.jpg'},
        ],
        success_url: 'https://shop.example/thanks?order=1&x=2',
        cancel_url: 'https://shop.example/cart',
        customer_reference_id: 'CART-1',
        payment_methods: ['card', 'gcash'],
        description: 'Order 1',
        submit_type: 'donate',
        expires_at: START + 3600,
        metadata: {cart: '1'},
      },
      'currency=PHP' +
        '&line_items[][name]=A%20%26%20B&line_items[][amount]=45000&line_items[][quantity]=2' +
        '&line_items[][name]=C&line_items[][amount]=500&line_items[][quantity]=1' +
        '&line_items[][description]=Longer&line_items[][image]=https%3A%2F%2Fshop.example%2Fc.jpg' +
        '&line_items[][name]=D&line_items[][amount]=1&line_items[][quantity]=7' +
        '&line_items[][image]=https%3A%2F%2Fshop.example%2Fd.jpg' +
        '&success_url=https%3A%2F%2Fshop.example%2Fthanks%3Forder%3D1%26x%3D2&cancel_url=https%3A%2F%2Fshop.example%2Fcart' +
        '&customer_reference_id=CART-1&payment_methods[]=card&payment_methods[]=gcash&description=Order+1' +
        `&submit_type=donate&expires_at=${START + 3600}&metadata[cart]=1`,
    ),
  )('makes a page to pay on from %s', async (_name, sent) => {
    const api = await service();
    const {status, body} = await api.send('POST', '/checkout_sessions', sent);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^cs_[A-Za-z0-9]+$/),
      resource: 'checkout_session',
      status: 'active',
      amount: 90_507,
      customer_reference_id: 'CART-1',
      success_url: 'https://shop.example/thanks?order=1&x=2',
      cancel_url: 'https://shop.example/cart',
      payment_methods: ['card', 'gcash'],
      description: 'Order 1',
      submit_type: 'donate',
      expires_at: START + 3600,
      payment_intent: {resource: 'payment_intent', amount: 90_507, status: 'awaiting_payment_method'},
    });
    expect(body.line_items).toEqual([
      {name: 'A & B', amount: 45_000, quantity: 2, description: null, image: null, ...line},
      {name: 'C', amount: 500, quantity: 1, description: 'Longer', image: 'https://shop.example/c.jpg', ...line},
      {name: 'D', amount: 1, quantity: 7, description: null, image: 'https://shop.example/d.jpg', ...line},
    ]);
  });

  const line = {id: expect.stringMatching(/^cs_li_[A-Za-z0-9]+$/), resource: 'checkout_session_line_item'};

  test('has the defaults of the specification', async () => {
    const api = await service();
    expect(await session(api)).toMatchObject({submit_type: 'pay', billing_details_collection: 'always'});
  });

  test.each(['line_items', 'success_url', 'cancel_url'])('requires %s', async (parameter) => {
    const api = await service();
    const json: Record<string, unknown> = {
      currency: 'PHP',
      line_items: [{name: 'T-shirt', amount: 45_000, quantity: 1}],
      success_url: 'https://shop.example/thanks',
      cancel_url: 'https://shop.example/cart',
    };
    delete json[parameter];
    expect(await api.send('POST', '/checkout_sessions', {json})).toMatchObject({
      status: 400,
      body: {errors: [{code: 'parameter_required', parameter}]},
    });
  });
});

test('GET /checkout_sessions/:id returns the session', async () => {
  const api = await service();
  const made = await session(api);
  const answer = await api.send('GET', `/checkout_sessions/${made.id}`);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual(made);
});

test('POST /checkout_sessions/:id/expire ends it', async () => {
  const api = await service();
  const {id} = await session(api);
  expect(await api.send('POST', `/checkout_sessions/${id}/expire`)).toMatchObject({
    status: 200,
    body: {id, resource: 'checkout_session', status: 'expired', payment_intent: {status: 'canceled'}},
  });
});

test('GET /payments/:id returns the payment', async () => {
  const api = await service();
  const {id} = await payment(api);
  expect(await api.send('GET', `/payments/${id}`)).toMatchObject({
    status: 200,
    body: {id: expect.stringMatching(/^pay_[A-Za-z0-9]+$/), resource: 'payment', status: 'paid', amount: 125_050},
  });
});

test.each(
  bodies({description: 'Paid in the shop', metadata: {till: '3'}}, 'description=Paid+in+the+shop&metadata[till]=3'),
)('PUT /payments/:id changes its text and metadata from %s', async (_name, sent) => {
  const api = await service();
  const {id} = await payment(api);
  const changed = {id, status: 'paid', amount: 125_050, description: 'Paid in the shop', metadata: {till: '3'}};
  expect(await api.send('PUT', `/payments/${id}`, sent)).toMatchObject({status: 200, body: changed});
  expect(await api.ok('GET', `/payments/${id}`)).toMatchObject(changed);
});

test('GET /payouts/:id/transactions returns the transactions, newest first', async () => {
  const api = await service();
  const answer = await api.send('GET', `/payouts/${await payout(api)}/transactions`);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      resource: 'list',
      has_more: false,
      data: [
        {transaction_type: 'adjustment', transaction_id: null, amount: -25_000},
        {transaction_type: 'refund', amount: -50_000},
        {transaction_type: 'payment', transaction_id: expect.stringMatching(/^pay_/), amount: 300_000},
      ],
    },
  });
  for (const {id} of answer.body.data) expect(id).toMatch(/^po_txn_[A-Za-z0-9]+$/);
});

test('GET /payouts/:id/transactions returns only the transactions of this payout', async () => {
  const api = await service();
  const [first, second] = [await payout(api), await payout(api)];
  const ids = (await api.ok('GET', `/payouts/${first}/transactions`)).data.map(({id}: {id: string}) => id);
  expect(ids).toHaveLength(3);
  for (const {id} of (await api.ok('GET', `/payouts/${second}/transactions`)).data) expect(ids).not.toContain(id);
});
