// The page of a billing statement pays at most once, and shows ended and missing statements.

import {describe, expect, test} from 'vitest';
import {GOOD_CARD, hiddenFields, visitor} from './visitor.js';

const BLOCKED = '4000000000001000';

describe('at most one payment', () => {
  test('two forms at once pay once, and both lead to the receipt', async () => {
    const v = await visitor();
    const {path} = await v.statement();
    const answers = await Promise.all(Array.from({length: 8}, () => v.follow(path, GOOD_CARD)));
    for (const {words} of answers) expect(words).toContain('Paid to Sandbox Merchant');
    expect(v.payments()).toBe(1);
    expect(v.types().filter((type) => type === 'billing_statement.paid')).toHaveLength(1);
  });

  test('the form from the back button does not pay again', async () => {
    const v = await visitor();
    const {path} = await v.statement();
    await v.follow(path, GOOD_CARD);
    for (const form of [GOOD_CARD, {method: 'gcash'}, {...GOOD_CARD, number: BLOCKED}])
      expect((await v.follow(path, form)).words).toContain('Paid to Sandbox Merchant');
    expect(v.payments()).toBe(1);
  });

  test('a wallet approved twice at once pays once', async () => {
    const v = await visitor();
    const {path} = await v.statement();
    const approval = await v.follow(path, {method: 'gcash'});
    const form = {method: 'gcash', answer: 'approve'};
    const [one, two] = await Promise.all([v.send(approval.path, form), v.send(approval.path, form)]);
    expect([one.headers.location, two.headers.location]).toEqual([path, path]);
    expect(v.payments()).toBe(1);
  });

  test('a wallet page left open does not pay after a card, or after another wallet was chosen', async () => {
    const v = await visitor();
    const {path} = await v.statement();
    const old = await v.follow(path, {method: 'gcash'});
    expect((await v.visit(path)).words).toContain('GCash is waiting for your approval. Continue with GCash');
    await v.follow(path, {method: 'maya'});
    expect((await v.follow(old.path, {method: 'gcash', answer: 'approve'})).words).toContain('Maya: approve');
    expect((await v.follow(old.path, {method: 'maya'})).words).toContain('Maya: approve');
    expect(v.payments()).toBe(0);
    await v.follow(path, GOOD_CARD);
    expect((await v.follow(old.path, {method: 'maya', answer: 'approve'})).path).toBe(path);
    expect(v.payments()).toBe(1);
  });

  test('a wallet page left open does not pay after a card failed', async () => {
    const v = await visitor();
    const {path} = await v.statement();
    const old = await v.follow(path, {method: 'gcash'});
    await v.follow(path, {...GOOD_CARD, number: BLOCKED});
    expect((await v.follow(old.path, {method: 'gcash', answer: 'approve'})).words).toContain('did not go through');
    expect(v.payments()).toBe(0);
  });
});

test('a form with an outdated amount, as after restoring a snapshot, pays nothing', async () => {
  const v = await visitor();
  const pages = [await v.statement(), await v.checkout()];
  for (const {path, payment_intent: intent} of pages) {
    const old = await v.visit(path);
    v.sandbox.perform((work) => work.change(work.peek((intent as {id: string}).id)!, {amount: 5_000_000}));
    for (const form of [GOOD_CARD, {...GOOD_CARD, number: '4000000000003220'}, {method: 'gcash'}]) {
      const now = await v.follow(path, {...hiddenFields(old), ...form});
      expect(now).toMatchObject({status: 200, path});
      expect(now.words).toContain('Pay ₱50,000.00');
    }
    expect(v.payments()).toBe(0);
  }
  const {path} = pages[0]!;
  expect((await v.follow(path, {...hiddenFields(await v.visit(path)), ...GOOD_CARD})).words).toContain('Paid to');
});

describe('an ended statement', () => {
  test.each([
    ['void', 410, 'This statement was voided'],
    ['mark_uncollectible', 410, 'This statement is closed'],
  ])('%s has a page without a form', async (action, status, words) => {
    const v = await visitor();
    const {id, path} = await v.statement();
    await v.ok('POST', `/billing_statements/${id}/${action}`);
    for (const answer of [await v.visit(path), await v.send(path, GOOD_CARD)]) {
      expect(answer.status).toBe(status);
      expect(answer.words).toContain(words);
      expect(answer.html).not.toContain('<form');
    }
    expect(v.payments()).toBe(0);
  });

  test('an open wallet page leads to the outcome', async () => {
    const v = await visitor();
    const {id, path} = await v.statement();
    const approval = await v.follow(path, {method: 'maya'});
    await v.ok('POST', `/billing_statements/${id}/void`);
    expect((await v.follow(approval.path, {method: 'maya', answer: 'approve'})).words).toContain('was voided');
  });

  test('a draft is not ready, and a deleted one is not found', async () => {
    const v = await visitor();
    const {id} = await v.draft();
    const secret = v.sandbox.perform((work) => String(work.peek(id)!._secret));
    const path = `/b/test_${id}_secret_${secret}`;
    expect(await v.visit(path)).toMatchObject({status: 404, title: 'This statement is not ready yet · Sandbox'});
    expect((await v.send(path, GOOD_CARD)).status).toBe(404);
    await v.ok('DELETE', `/billing_statements/${id}`);
    expect(await v.visit(path)).toMatchObject({status: 404, title: 'Page not found · Sandbox'});
  });

  test('a receipt shows refunds, and still names a deleted customer', async () => {
    const v = await visitor();
    const {path, id, customer_id: customerId} = await v.statement();
    await v.follow(path, GOOD_CARD);
    const {payment_intent: intent} = await v.ok('GET', `/billing_statements/${id}`);
    await v.ok('POST', '/refunds', {
      payment_id: intent.latest_payment.id,
      amount: 50_000,
      currency: 'PHP',
      reason: 'others',
    });
    await v.ok('DELETE', `/customers/${customerId}`);
    const {words} = await v.visit(path);
    expect(words).toContain('Refunded ₱500.00');
    expect(words).toContain('Juan Dela Cruz');
  });
});

test.each([
  '/b/',
  '/b',
  '/b/x',
  '/b/test_bstm_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA_secret_BBBB',
  '/b/test_cus_AAAA_secret_BBBB',
  '/c/bstm_AAAA_secret_BBBB',
  '/p/%2e%2e',
])('%s is not found, with a page', async (path) => {
  const v = await visitor();
  const answer = await v.visit(path);
  expect(answer.status).toBe(404);
  expect(answer.words).toContain('Page not found');
});

test('the right id with a wrong secret is not found', async () => {
  const v = await visitor();
  const {path} = await v.statement();
  const wrong = path.slice(0, -1) + (path.endsWith('A') ? 'B' : 'A');
  const nothing = await v.visit('/b/test_bstm_AAAA_secret_BBBB');
  for (const guess of [wrong, `${path}A`, path.slice(0, -1), path.replace(/_secret_.*/, '_secret_')])
    expect((await v.visit(guess)).html).toBe(nothing.html);
});
