// The approval page of `next_action`: wallets, QR Ph, and intents without a statement or session.

import {encode} from 'uqr';
import {describe, expect, test} from 'vitest';
import {listRequests} from '../../../src/sandbox/requests/request-log-queries.js';
import {ask, GOOD_CARD, hiddenFields, visitor} from './visitor.js';

type Visiting = Awaited<ReturnType<typeof visitor>>;

/** A standalone intent with a saved wallet, and the path of its page. */
async function attached(v: Visiting) {
  const statement = await v.statement({setup_future_usage: 'off_session'});
  v.pay(statement.id, {method: 'gcash'});
  const {data} = await v.ok('GET', `/customers/${statement.customer_id}/payment_methods`);
  const {id} = await v.intent({customer_id: statement.customer_id, description: 'Deposit'});
  const intent = await v.ok('POST', `/payment_intents/${id}/attach`, {payment_method_id: data[0].id});
  return {id, path: v.pathOf(intent.next_action.redirect_url as string)};
}

/** The poll of an open page. */
const look = (v: Visiting, path: string, site = 'same-origin') =>
  ask(v.server.port, path, 'HEAD', {'sec-fetch-site': site, 'sec-fetch-dest': 'empty'});

test('asks for approval, then shows the payment', async () => {
  const v = await visitor();
  const {id, path} = await attached(v);
  const {status, words, title} = await v.visit(path);
  expect(status).toBe(200);
  expect(title).toBe('Approve in GCash: ₱1,250.50 to Sandbox Merchant · Sandbox');
  expect(words).toContain('GCash: approve your payment to Sandbox Merchant ₱1,250.50 Deposit');
  expect(words).not.toContain('Choose another way to pay');
  const paid = await v.follow(path, {method: 'gcash', answer: 'approve'});
  expect(paid).toMatchObject({status: 200, path});
  expect(paid.words).toContain('Paid to Sandbox Merchant ₱1,250.50');
  expect((await v.ok('GET', `/payment_intents/${id}`)).status).toBe('succeeded');
});

test('shows why it was declined, and accepts no second answer', async () => {
  const v = await visitor();
  const {id, path} = await attached(v);
  const declined = await v.follow(path, {method: 'gcash', answer: 'fail', code: 'processing_error'});
  expect(declined.status).toBe(200);
  expect(declined.words).toContain('An error occurred while the payment was processed. Nothing was charged.');
  expect((await v.send(path, {method: 'gcash', answer: 'approve'})).words).toContain('did not go through');
  expect(await v.ok('GET', `/payment_intents/${id}`)).toMatchObject({
    status: 'awaiting_payment_method',
    last_payment_error: {code: 'processing_error'},
  });
});

test.each<Record<string, string>>([
  {},
  {method: 'gcash'},
  {method: 'maya', answer: 'approve'},
  {method: 'gcash', answer: 'yes'},
])('asks again after the invalid answer %o', async (form) => {
  const v = await visitor();
  const {path} = await attached(v);
  expect((await v.follow(path, form)).words).toContain('approve your payment');
  expect(v.payments()).toBe(1);
});

test.each(['approve', 'leave', 'decline', 'fail'])(
  'an old page, which shows another amount, cannot %s',
  async (answer) => {
    const v = await visitor();
    const {id, path} = await attached(v);
    const old = await v.visit(path);
    v.pay(id, {fail: 'generic_decline'});
    const {payment_method_id} = await v.ok('PUT', `/payment_intents/${id}`, {amount: 5_000_000});
    await v.ok('POST', `/payment_intents/${id}/attach`, {payment_method_id});
    const now = await v.follow(path, {...hiddenFields(old), answer});
    expect(now.words).toContain('approve your payment to Sandbox Merchant ₱50,000.00');
    expect(await v.ok('GET', `/payment_intents/${id}`)).toMatchObject({status: 'awaiting_next_action'});
    expect(v.payments()).toBe(1);
    const paid = await v.follow(path, {...hiddenFields(now), answer: 'approve'});
    expect(paid.words).toContain('Paid to Sandbox Merchant ₱50,000.00');
  },
);

test('an intent without a pending approval and a canceled one have pages too', async () => {
  const v = await visitor();
  const intent = await v.intent();
  const path = `/p/${intent.client_secret}`;
  expect(await v.visit(path)).toMatchObject({status: 404, title: 'Nothing to approve · Sandbox'});
  await v.ok('POST', `/payment_intents/${intent.id}/cancel`);
  for (const answer of [await v.visit(path), await v.send(path, GOOD_CARD)])
    expect(answer).toMatchObject({status: 410, title: 'This payment was canceled · Sandbox'});
});

test('a held intent shows the held amount, then the captured one', async () => {
  const v = await visitor();
  const {id, client_secret: secret} = await v.intent({payment_method_options: {card: {capture_type: 'manual'}}});
  v.pay(id);
  const held = await v.visit(`/p/${secret}`);
  expect(held.title).toBe('Held: ₱1,250.50 · Sandbox');
  expect(held.words).toContain('Held on your card for Sandbox Merchant ₱1,250.50');
  await v.ok('POST', `/payment_intents/${id}/capture`, {amount: 30_000});
  const paid = await v.visit(`/p/${secret}`);
  expect(paid.title).toBe('Paid: ₱300.00 · Sandbox');
  expect(paid.words).toContain('Paid to Sandbox Merchant ₱300.00');
});

test('a wallet payment creates one payment method, not one per step', async () => {
  const v = await visitor();
  const {path} = await v.statement();
  const approval = await v.follow(path, {method: 'maya'});
  await v.follow(approval.path, {method: 'maya', answer: 'approve'});
  expect(v.sandbox.perform((work) => work.store.counts().payment_method)).toBe(1);
});

test('the QR code contains text that says that no money moves', async () => {
  const v = await visitor();
  const {path, payment_intent: intent} = await v.checkout({payment_methods: ['qrph']});
  const {words, html} = await v.follow(path, {method: 'qrph'});
  expect(words).toContain('Scan to pay Sandbox Merchant ₱900.00');
  expect(words).toContain('I have paid Pay, and close this page Decline');
  const {size, data} = encode(`Sandbox QR Ph, no money moves: PHP 900.00, ${intent.id}`, {ecc: 'M', border: 0});
  expect(html.replace(/\s+/g, ' ')).toContain(
    `viewBox="-4 -4 ${size + 8} ${size + 8}" role="img" aria-label="QR code for ₱900.00"`,
  );
  const dark = [...html.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x},${y}`);
  const expected = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`${x},${y}`] : [])));
  expect(dark).toEqual(expected);
});

describe('a card that asks for approval', () => {
  const CHALLENGE = {...GOOD_CARD, number: '4000 0000 0000 3220'};

  test('redirects to its bank, and pays after approval', async () => {
    const v = await visitor();
    const {path, id, payment_intent: intent} = await v.checkout();
    const bank = await v.follow(path, CHALLENGE);
    expect(bank.title).toBe('Approve at your bank: ₱900.00 to Sandbox Merchant · Sandbox');
    expect(bank.words).toContain('Your bank: approve your payment to Sandbox Merchant ₱900.00');
    expect(await v.ok('GET', `/payment_intents/${intent.id}`)).toMatchObject({
      status: 'awaiting_next_action',
      next_action: {type: 'redirect', redirect_url: v.server.url + bank.path},
      latest_payment: null,
    });
    expect((await v.visit(path)).words).toContain('Your bank is waiting for your approval. Continue with your bank');
    // The same card asks again.
    expect((await v.follow(path, CHALLENGE)).path).toBe(bank.path);
    expect(v.payments()).toBe(0);
    const {headers} = await v.send(bank.path, {method: 'card', answer: 'approve'});
    expect(headers.location).toBe('https://shop.example/thanks');
    const {status, payment_intent: paid} = await v.ok('GET', `/checkout_sessions/${id}`);
    expect([status, paid.next_action, paid.latest_payment.payment_method.card.last4]).toEqual([
      'completed',
      null,
      '3220',
    ]);
  });

  test.each([
    [{answer: 'decline'}, 'The payment was declined by the issuer.'],
    [{answer: 'fail', code: 'cvc_incorrect'}, 'The security code of the card is incorrect.'],
  ])('%o returns with the entered values', async (answer, words) => {
    const v = await visitor();
    const {path} = await v.statement();
    const bank = await v.follow(path, CHALLENGE);
    const declined = await v.follow(bank.path, {method: 'card', ...answer});
    expect(declined.path).toBe(`${path}#attempt`);
    expect(declined.words).toContain(`${words} You tried Visa ending in 3220.`);
    expect(declined.html).toContain('value="4000 0000 0000 3220"');
    expect((await v.follow(path, GOOD_CARD)).words).toContain('Paid to');
  });

  test('is held after the approval for a manual capture', async () => {
    const v = await visitor();
    const {path} = await v.checkout({payment_method_options: {card: {capture_type: 'manual'}}});
    const bank = await v.follow(path, CHALLENGE);
    await v.send(bank.path, {method: 'card', answer: 'approve'});
    expect((await v.visit(path)).words).toContain('Held on your card');
  });

  test('asks again when attached as a saved method', async () => {
    const v = await visitor();
    const statement = await v.statement({setup_future_usage: 'off_session'});
    const bank = await v.follow(statement.path, CHALLENGE);
    await v.follow(bank.path, {method: 'card', answer: 'approve'});
    const {data} = await v.ok('GET', `/customers/${statement.customer_id}/payment_methods`);
    const {id} = await v.intent({customer_id: statement.customer_id});
    const intent = await v.ok('POST', `/payment_intents/${id}/attach`, {payment_method_id: data[0].id});
    expect(intent.status).toBe('awaiting_next_action');
    const path = v.pathOf(intent.next_action.redirect_url as string);
    expect((await v.follow(path, {method: 'card', answer: 'approve'})).words).toContain('Paid to');
  });
});

describe('a payer who approves and leaves', () => {
  const left = async (v: Visiting, fields?: object) => {
    const session = await v.checkout(fields);
    const approval = await v.follow(session.path, {method: 'gcash'});
    const page = await v.follow(approval.path, {method: 'gcash', answer: 'leave'});
    return {session, approval, page};
  };

  test('is not redirected; the payment succeeds later, with an event', async () => {
    const v = await visitor();
    const {session, approval, page} = await left(v);
    expect(page).toMatchObject({status: 200, path: session.path});
    expect(page.words).toContain('Your payment is being processed You can close this page.');
    expect(page.words).toContain('In a few seconds the payment succeeds. Only a webhook notifies Sandbox Merchant');
    expect((await v.visit(approval.path)).headers.location).toBe(session.path);
    expect(v.types()).toEqual([]);
    expect(await v.ok('GET', `/payment_intents/${session.payment_intent.id}`)).toMatchObject({
      status: 'processing',
      next_action: null,
    });
    for (const answer of [await v.visit(session.path), await v.follow(session.path, GOOD_CARD)])
      expect(answer.words).toContain('being processed');
    expect(() => v.pay(session.id)).toThrow('cannot be paid');
    expect(v.payments()).toBe(0);
    v.advance(10);
    expect((await v.visit(session.path)).words).toContain('Paid to Sandbox Merchant');
    expect(v.types()).toEqual(['payment_intent.succeeded']);
  });

  test('pays nothing if the session expires first, and every page shows that', async () => {
    const v = await visitor();
    const {session, approval} = await left(v);
    for (const path of [session.path, approval.path]) expect((await v.visit(path)).words).not.toContain('expired');
    expect((await look(v, session.path)).headers['x-waiting']).toBe('');
    // An approval page that is still open elsewhere reloads.
    expect((await look(v, approval.path)).headers).toMatchObject({location: session.path});
    await v.ok('POST', `/checkout_sessions/${session.id}/expire`);
    for (const path of [session.path, approval.path])
      expect((await look(v, path)).headers).not.toHaveProperty('x-waiting');
    expect((await v.visit(session.path)).words).toContain('This checkout has expired');
    v.advance(60);
    expect((await v.ok('GET', `/payment_intents/${session.payment_intent.id}`)).status).toBe('canceled');
    expect(v.payments()).toBe(0);
  });

  test('is told of a hold for a manual capture', async () => {
    const v = await visitor();
    const {path, payment_intent: intent} = await v.checkout({
      payment_method_options: {card: {capture_type: 'manual'}},
    });
    const bank = await v.follow(path, {...GOOD_CARD, number: '4000 0000 0000 3220'});
    const page = await v.follow(bank.path, {method: 'card', answer: 'leave'});
    expect(page.words).toContain('In a few seconds the amount is held on your card. Only a webhook notifies');
    v.advance(10);
    expect((await v.ok('GET', `/payment_intents/${intent.id}`)).status).toBe('awaiting_capture');
    expect((await v.visit(path)).words).toContain('Held on your card for');
    expect(v.types()).toEqual(['payment_intent.amount_capturable']);
  });

  test('sees the payment of a standalone intent on its page', async () => {
    const v = await visitor();
    const {path} = await attached(v);
    const page = await v.follow(path, {method: 'gcash', answer: 'leave'});
    expect(page.words).toContain('Your payment is being processed');
    expect((await look(v, path)).headers['x-waiting']).toBe('');
    v.advance(10);
    expect((await look(v, path)).headers).not.toHaveProperty('x-waiting');
    expect((await v.visit(path)).words).toContain('Paid to Sandbox Merchant ₱1,250.50');
  });
});

describe('a waiting page', () => {
  test('reloads after a payment elsewhere, and for nothing else', async () => {
    const v = await visitor();
    const {path, id} = await v.checkout();
    const {path: code} = await v.follow(path, {method: 'qrph'});
    for (const page of [path, code]) expect((await look(v, page)).headers).toHaveProperty('x-waiting');
    v.pay(id, {fail: 'generic_decline'});
    expect((await look(v, path)).headers).toHaveProperty('x-waiting');
    await v.follow(path, {method: 'qrph'});
    v.pay(id);
    expect(await look(v, path)).toMatchObject({status: 200, html: ''});
    expect((await look(v, path)).headers).not.toHaveProperty('x-waiting');
    // The page with the code continues as if approved there.
    expect(await look(v, code)).toMatchObject({status: 303, headers: {location: 'https://shop.example/thanks'}});
    expect((await look(v, path, 'cross-site')).status).toBe(403);
  });

  test('reloads for another amount or attempt', async () => {
    const v = await visitor();
    const {path, payment_intent: intent} = await v.checkout();
    const approval = await v.follow(path, {method: 'gcash'});
    const form = await v.visit(path);
    const shown = async (page: string) => (await look(v, page)).headers['x-waiting'];
    for (const page of [approval, {...form, path}])
      expect(page.html).toContain(`<meta name="x-waiting" content="${await shown(page.path)}" />`);
    await v.follow(path, {method: 'gcash'});
    expect(await shown(approval.path)).not.toBe(approval.headers['x-waiting']);
    expect(await shown(path)).toBe(form.headers['x-waiting']);
    v.sandbox.perform((work) => work.change(work.peek(intent.id)!, {amount: 95_000}));
    expect(await shown(path)).not.toBe(form.headers['x-waiting']);
  });

  test('reloads without scripts only if it has no text fields', async () => {
    const v = await visitor();
    const {path} = await v.statement();
    const refresh = '<noscript><meta http-equiv="refresh" content="10" /></noscript>';
    expect((await v.visit(path)).html).not.toContain('http-equiv="refresh"');
    expect((await v.follow(path, {method: 'qrph'})).html).toContain(refresh);
  });

  test('does not fill the log', async () => {
    const v = await visitor();
    const {path} = await v.statement();
    await look(v, path);
    await v.visit(path);
    await v.server.close();
    const visits = listRequests(v.sandbox.requests, {limit: 10}).data.filter(({path: kept}) => kept?.startsWith('/b/'));
    expect(visits).toMatchObject([{method: 'GET'}]);
  });
});
