// The page to which `next_action` sends a payer: of wallets, of QR Ph, and of intents without a statement or session.

import {encode} from 'uqr';
import {expect, test} from 'vitest';
import {GOOD_CARD, visitor} from './visitor.js';

type Visiting = Awaited<ReturnType<typeof visitor>>;

/** An intent of its own with a wallet that the customer has saved, and the path of its page. */
async function attached(v: Visiting) {
  const statement = await v.statement({setup_future_usage: 'off_session'});
  v.pay(statement.id, {method: 'gcash'});
  const {data} = await v.ok('GET', `/customers/${statement.customer_id}/payment_methods`);
  const {id} = await v.intent({customer_id: statement.customer_id, description: 'Deposit'});
  const intent = await v.ok('POST', `/payment_intents/${id}/attach`, {payment_method_id: data[0].id});
  return {id, path: v.pathOf(intent.next_action.redirect_url as string)};
}

test('it asks for approval, and shows the payment when that was given', async () => {
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

test('it says why it was declined, and takes no second answer', async () => {
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
])('the answer %o is none, and it asks again', async (form) => {
  const v = await visitor();
  const {path} = await attached(v);
  expect((await v.follow(path, form)).words).toContain('approve your payment');
  expect(v.payments()).toBe(1);
});

test('an intent that waits for nothing, and one that was canceled, have pages too', async () => {
  const v = await visitor();
  const intent = await v.intent();
  const path = `/p/${intent.client_secret}`;
  expect(await v.visit(path)).toMatchObject({status: 404, title: 'There is nothing to approve · Sandbox'});
  await v.ok('POST', `/payment_intents/${intent.id}/cancel`);
  for (const answer of [await v.visit(path), await v.send(path, GOOD_CARD)])
    expect(answer).toMatchObject({status: 410, title: 'This payment was canceled · Sandbox'});
});

test('an intent that holds a card shows what is held', async () => {
  const v = await visitor();
  const intent = await v.intent({payment_method_options: {card: {capture_type: 'manual'}}});
  v.pay(intent.id);
  expect((await v.visit(`/p/${intent.client_secret}`)).words).toContain('Held on your card for Sandbox Merchant');
});

test('paying with a wallet makes one payment method, not one for each step', async () => {
  const v = await visitor();
  const {path} = await v.statement();
  const approval = await v.follow(path, {method: 'maya'});
  await v.follow(approval.path, {method: 'maya', answer: 'approve'});
  expect(v.sandbox.perform((work) => work.store.counts().payment_method)).toBe(1);
});

test('the QR code is that of words which say that no money moves', async () => {
  const v = await visitor();
  const {path, payment_intent: intent} = await v.checkout({payment_methods: ['qrph']});
  const {words, html} = await v.follow(path, {method: 'qrph'});
  expect(words).toContain('Scan to pay Sandbox Merchant ₱900.00');
  expect(words).toContain('I have paid Decline');
  const {size, data} = encode(`Sandbox QR Ph, no money moves: PHP 900.00, ${intent.id}`, {ecc: 'M', border: 0});
  expect(html.replace(/\s+/g, ' ')).toContain(
    `viewBox="-4 -4 ${size + 8} ${size + 8}" role="img" aria-label="QR code for ₱900.00"`,
  );
  const dark = [...html.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x},${y}`);
  const expected = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`${x},${y}`] : [])));
  expect(dark).toEqual(expected);
});
