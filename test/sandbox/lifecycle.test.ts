// The actions that each state allows, written by hand, so that the table is not tested against itself.

import {describe, expect, test} from 'vitest';
import {world, type Wire, type World} from '../support/sandbox/world.js';

const statements: Record<string, (w: World) => Promise<Wire>> = {
  draft: (w) => w.draft(),
  open: (w) => w.open(),
  paid: async (w) => w.pay((await w.open()).id).billing_statement!,
  void: async (w) => w.ok('POST', `/billing_statements/${(await w.open()).id}/void`),
  uncollectible: async (w) => w.ok('POST', `/billing_statements/${(await w.open()).id}/mark_uncollectible`),
};

const statementActions: Record<
  string,
  {send: (w: World, s: Wire) => Promise<{status: number; body: Wire}>; from: string[]; to?: string; event?: string}
> = {
  update: {
    send: (w, s) => w.call('PUT', `/billing_statements/${s.id}`, {description: 'Rent'}),
    from: ['draft'],
    event: 'billing_statement.updated',
  },
  delete: {
    send: (w, s) => w.call('DELETE', `/billing_statements/${s.id}`),
    from: ['draft'],
    event: 'billing_statement.deleted',
  },
  finalize: {
    send: (w, s) => w.call('POST', `/billing_statements/${s.id}/finalize`),
    from: ['draft'],
    to: 'open',
    event: 'billing_statement.finalized',
  },
  send: {
    send: (w, s) => w.call('POST', `/billing_statements/${s.id}/send`),
    from: ['open'],
    event: 'billing_statement.sent',
  },
  void: {
    send: (w, s) => w.call('POST', `/billing_statements/${s.id}/void`),
    from: ['open', 'uncollectible'],
    to: 'void',
    event: 'billing_statement.voided',
  },
  mark_uncollectible: {
    send: (w, s) => w.call('POST', `/billing_statements/${s.id}/mark_uncollectible`),
    from: ['open', 'void'],
    to: 'uncollectible',
    event: 'billing_statement.marked_uncollectible',
  },
  'add an item': {
    send: (w, s) =>
      w.call('POST', '/billing_statement_line_items', {
        billing_statement_id: s.id,
        description: 'x',
        unit_price: 1,
        quantity: 1,
      }),
    from: ['draft'],
    event: 'billing_statement_line_item.created',
  },
  'change an item': {
    send: (w, s) => w.call('PUT', `/billing_statement_line_items/${s.line_items[0].id}`, {quantity: 2}),
    from: ['draft'],
    event: 'billing_statement_line_item.updated',
  },
  'remove an item': {
    send: (w, s) => w.call('DELETE', `/billing_statement_line_items/${s.line_items[0].id}`),
    from: ['draft'],
    event: 'billing_statement_line_item.deleted',
  },
};

describe.each(Object.entries(statements))('a %s statement', (status, make) => {
  test.each(Object.entries(statementActions))('%s', async (_name, {send, from, to, event}) => {
    const w = world();
    const statement = await make(w);
    expect(statement.status).toBe(status);
    const before = w.events().length;
    const answer = await send(w, statement);
    const after = await w.call('GET', `/billing_statements/${statement.id}`);
    if (!from.includes(status)) {
      expect(answer).toMatchObject({status: 400, body: {errors: [{code: 'resource_invalid_state'}]}});
      expect(answer.body.errors[0].detail).toContain(from.join(' or '));
      expect(after.body.status).toBe(status);
      expect(w.events()).toHaveLength(before);
      return;
    }
    expect(answer.status).toBeLessThan(300);
    expect(w.types().slice(before)).toEqual([event]);
    const told = w.events().at(-1)!;
    if (to) {
      expect(after.body.status).toBe(to);
      expect(told.previous_attributes).toEqual({status});
    }
    expect(told.data.livemode).toBe(false);
  });

  test('shows url only while open, and the same link under its other name always', async () => {
    const {id} = await make(world());
    expect(id).toMatch(/^bstm_[A-Za-z0-9]{32}$/);
    const statement = await make(world());
    expect(statement.billing_statement_url).toMatch(new RegExp(`/b/test_${statement.id}_secret_[A-Za-z0-9]{32}$`));
    expect(statement.url).toBe(status === 'open' ? statement.billing_statement_url : null);
  });

  test('has its whole intent in responses, and a short one in events', async () => {
    const w = world();
    const {id, payment_intent: intent} = await make(w);
    const expected = {
      draft: undefined,
      open: 'awaiting_payment_method',
      paid: 'succeeded',
      void: 'canceled',
      uncollectible: 'canceled',
    }[status];
    expect(intent?.status).toBe(expected);
    if (!intent) return;
    expect(intent).toEqual(await w.ok('GET', `/payment_intents/${intent.id}`));
    expect((await w.ok('GET', '/billing_statements')).data[0].payment_intent).toEqual(intent);
    const told = w.events().filter(({data}) => data.id === id && data.payment_intent);
    expect(told.at(-1)!.data.payment_intent).toMatchObject({
      id: intent.id,
      client_secret: intent.client_secret,
      status: expected,
      latest_payment: intent.latest_payment?.id ?? null,
      amount: null,
      currency: null,
      payment_methods: null,
      livemode: false,
    });
  });
});

const manual = {payment_methods: ['card'], payment_method_options: {card: {capture_type: 'manual'}}};

const intents: Record<string, (w: World) => Promise<Wire>> = {
  awaiting_payment_method: (w) => w.intent(),
  awaiting_next_action: async (w) => (await withSavedWallet(w)).intent,
  awaiting_capture: async (w) => w.pay((await w.intent(manual)).id).payment_intent,
  succeeded: async (w) => w.pay((await w.intent()).id).payment_intent,
  canceled: async (w) => w.ok('POST', `/payment_intents/${(await w.intent()).id}/cancel`),
};

async function withSavedWallet(w: World): Promise<{intent: Wire; methodId: string}> {
  const statement = await w.open({setup_future_usage: 'off_session'});
  w.pay(statement.id, {method: 'gcash'});
  const methodId = (await w.ok('GET', `/customers/${statement.customer_id}/payment_methods`)).data[0].id as string;
  const {id} = await w.intent({customer_id: statement.customer_id});
  return {intent: await w.ok('POST', `/payment_intents/${id}/attach`, {payment_method_id: methodId}), methodId};
}

describe.each(Object.entries(intents))('an intent that is %s', (status, make) => {
  test.each<['PUT' | 'POST', string, object, string[]]>([
    ['PUT', '', {amount: 300_000}, ['awaiting_payment_method']],
    ['POST', '/cancel', {}, ['awaiting_payment_method']],
    ['POST', '/capture', {amount: 125_050}, ['awaiting_capture']],
  ])('%s%s', async (method, path, body, from) => {
    const w = world();
    const {id, status: actual} = await make(w);
    expect(actual).toBe(status);
    const answer = await w.call(method, `/payment_intents/${id}${path}`, body);
    if (from.includes(status)) expect(answer.status).toBe(200);
    else expect(answer).toMatchObject({status: 400, body: {errors: [{code: 'resource_invalid_state'}]}});
  });
});

test('an attached wallet redirects the customer, and the payer returns', async () => {
  const w = world();
  const {intent} = await withSavedWallet(w);
  expect(intent).toMatchObject({status: 'awaiting_next_action', next_action: {type: 'redirect'}});
  expect(intent.next_action.redirect_url).toContain(intent.client_secret);
  expect(w.pay(intent.id)).toMatchObject({
    result: 'paid',
    payment: {payment_method: {type: 'gcash'}},
    payment_intent: {next_action: null},
  });
});

test("an attached card pays at once; another customer's card is refused", async () => {
  const w = world();
  const statement = await w.open({setup_future_usage: 'on_session'});
  w.pay(statement.id);
  const [method] = (await w.ok('GET', `/customers/${statement.customer_id}/payment_methods`)).data;
  const {id} = await w.intent({customer_id: statement.customer_id});
  expect(await w.ok('POST', `/payment_intents/${id}/attach`, {payment_method_id: method.id})).toMatchObject({
    status: 'succeeded',
    payment_method_id: method.id,
  });
  const stranger = await w.intent({customer_id: (await w.customer()).id});
  expect(await w.call('POST', `/payment_intents/${stranger.id}/attach`, {payment_method_id: method.id})).toMatchObject({
    status: 400,
    body: {errors: [{code: 'parameter_invalid', parameter: 'payment_method_id'}]},
  });
  await w.ok('DELETE', `/customers/${statement.customer_id}/payment_methods/${method.id}`);
  const again = await w.intent({customer_id: statement.customer_id});
  expect((await w.call('POST', `/payment_intents/${again.id}/attach`, {payment_method_id: method.id})).status).toBe(
    404,
  );
});

test('refuses to change the intent of a statement or session directly', async () => {
  const w = world();
  for (const {payment_intent: intent} of [await w.open(), await w.session()]) {
    expect((await w.call('POST', `/payment_intents/${intent.id}/cancel`)).status).toBe(400);
    expect((await w.call('PUT', `/payment_intents/${intent.id}`, {amount: 5000})).status).toBe(400);
  }
});

test('a capture takes part of the held amount, once, and releases the rest', async () => {
  const w = world();
  const {id} = await w.intent(manual);
  w.pay(id);
  expect(await w.call('POST', `/payment_intents/${id}/capture`, {amount: 125_051})).toMatchObject({
    status: 400,
    body: {errors: [{code: 'parameter_above_maximum', parameter: 'amount'}]},
  });
  const captured = await w.ok('POST', `/payment_intents/${id}/capture`, {amount: 100_000});
  expect(captured).toMatchObject({
    status: 'succeeded',
    amount: 125_050,
    amount_received: 100_000,
    amount_capturable: 0,
    latest_payment: {amount: 100_000},
  });
  expect(w.events().at(-1)).toMatchObject({
    type: 'payment_intent.succeeded',
    previous_attributes: {status: 'awaiting_capture', amount_capturable: 125_050, amount_received: 0},
  });
  expect((await w.call('POST', `/payment_intents/${id}/capture`, {amount: 25_050})).status).toBe(400);
});

describe('a checkout session', () => {
  test('expires once, and its intent with it', async () => {
    const w = world();
    const {id} = await w.session();
    expect(await w.ok('POST', `/checkout_sessions/${id}/expire`)).toMatchObject({
      status: 'expired',
      payment_intent: {status: 'canceled'},
    });
    expect(w.events().at(-1)).toMatchObject({
      type: 'checkout_session.expired',
      previous_attributes: {status: 'active'},
      data: {status: 'expired'},
    });
    expect((await w.call('POST', `/checkout_sessions/${id}/expire`)).status).toBe(400);
  });

  test('does not expire when it is completed', async () => {
    const w = world();
    const {id} = await w.session();
    expect(w.pay(id)).toMatchObject({result: 'paid', checkout_session: {status: 'completed'}});
    expect((await w.call('POST', `/checkout_sessions/${id}/expire`)).status).toBe(400);
  });

  test('must expire in the future', async () => {
    const w = world();
    const fields = {line_items: [{name: 'x', amount: 5000, quantity: 1}], expires_at: w.sandbox.now()};
    await expect(w.session(fields)).rejects.toThrow(/expires_at/);
  });
});

test('webhooks can be disabled, enabled and deleted', async () => {
  const w = world();
  const {id, ...webhook} = await w.ok('POST', '/webhooks', {
    url: 'https://shop.example/hooks',
    events: ['billing_statement.paid'],
  });
  expect(webhook).toMatchObject({
    status: 'enabled',
    secret_key: expect.stringMatching(/^whsk_[A-Za-z0-9]{32}$/),
    livemode: false,
  });
  expect((await w.ok('POST', `/webhooks/${id}/disable`)).status).toBe('disabled');
  expect((await w.ok('POST', `/webhooks/${id}/disable`)).status).toBe('disabled');
  expect((await w.ok('POST', `/webhooks/${id}/enable`)).status).toBe('enabled');
  expect(await w.ok('DELETE', `/webhooks/${id}`)).toEqual({id, resource: 'webhook', deleted: true});
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/enable'],
    ['DELETE', ''],
  ] as const) {
    expect((await w.call(method, `/webhooks/${id}${path}`)).status).toBe(404);
  }
});

test('a setup intent is canceled once', async () => {
  const w = world();
  const {id} = await w.ok('POST', '/setup_intents', {customer_id: (await w.customer()).id});
  expect((await w.ok('POST', `/setup_intents/${id}/cancel`)).status).toBe('canceled');
  expect((await w.call('POST', `/setup_intents/${id}/cancel`)).status).toBe(400);
});
