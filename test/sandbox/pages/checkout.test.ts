// The page of a checkout session, without a browser: pays, holds, expires and redirects to the merchant.

import {describe, expect, test} from 'vitest';
import {DAY} from '../../support/sandbox/world.js';
import {GOOD_CARD, visitor} from './visitor.js';

const THANKS = 'https://shop.example/thanks';

test('shows merchant, items, amount and the way to cancel', async () => {
  const v = await visitor();
  const customer = await v.customer({name: 'Liwayway Ramos'});
  const {path} = await v.checkout({
    customer_id: customer.id,
    customer_reference_id: 'CART-7114',
    description: 'Thank you for your order.',
    statement_descriptor: 'HABI SHOP',
    line_items: [
      {name: 'Baybayin print', amount: 75_000, quantity: 2, description: 'A3, on cotton paper'},
      {name: 'Tote bag', amount: 42_050, quantity: 1},
    ],
  });
  const {status, words, title, html} = await v.visit(path);
  expect(status).toBe(200);
  expect(title).toBe('Checkout, ₱1,920.50 to Sandbox Merchant · Sandbox');
  for (const part of [
    'Sandbox: no money moves',
    'Pay Sandbox Merchant ₱1,920.50 What you pay for Thank you for your order.',
    'For Liwayway Ramos Order CART-7114 On your bank statement HABI SHOP Expires 16 January 2027, 4:00 PM',
    'Baybayin print 2 × ₱750.00 A3, on cotton paper ₱1,500.00',
    'Tote bag 1 × ₱420.50 ₱420.50',
    'Total ₱1,920.50',
    'Pay ₱1,920.50 Cancel and return to Sandbox Merchant',
  ])
    expect(words).toContain(part);
  expect(html).toContain('<a href="https://shop.example/cart">');
});

test.each([
  ['pay', 'Pay Sandbox', 'Pay ₱900.00'],
  ['donate', 'Donate to Sandbox', 'Donate ₱900.00'],
  ['book', 'Book with Sandbox', 'Book ₱900.00'],
  ['send', 'Send to Sandbox', 'Send ₱900.00'],
  ['Reserve now', 'Pay Sandbox', 'Reserve now ₱900.00'],
  ['constructor', 'Pay Sandbox', 'constructor ₱900.00'],
  ['', 'Pay Sandbox', 'Pay ₱900.00'],
])('submit_type %s labels the button', async (type, heading, button) => {
  const v = await visitor();
  const {words} = await v.visit((await v.checkout({submit_type: type})).path);
  expect(words).toContain(heading);
  expect(words).toContain('Expires 16 January 2027, 4:00 PM');
  expect(words).toContain(button);
});

describe('paid', () => {
  test('by card redirects to the merchant, and the page shows the receipt', async () => {
    const v = await visitor();
    const {path, id} = await v.checkout();
    expect(await v.send(path, GOOD_CARD)).toMatchObject({status: 303, headers: {location: THANKS}, html: ''});
    expect(await v.ok('GET', `/checkout_sessions/${id}`)).toMatchObject({
      status: 'completed',
      payment_intent: {status: 'succeeded'},
    });
    const {status, words, title, html} = await v.visit(path);
    expect(status).toBe(200);
    expect(title).toBe('Paid: ₱900.00 · Sandbox');
    expect(words).toContain('Paid to Sandbox Merchant ₱900.00');
    expect(words).toContain('With Visa ending in 4242');
    expect(html).toContain(`<a class="button" href="${THANKS}">`);
  });

  test.each(['gcash', 'maya', 'billease', 'qrph'])('with %s redirects after approval', async (method) => {
    const v = await visitor();
    const {path, id} = await v.checkout();
    const approval = await v.follow(path, {method});
    const answer = await v.send(approval.path, {method, answer: 'approve'});
    expect(answer).toMatchObject({status: 303, headers: {location: THANKS}});
    expect((await v.ok('GET', `/checkout_sessions/${id}`)).status).toBe('completed');
  });

  test('twice at once pays once; the second form gets the paid page', async () => {
    const v = await visitor();
    const {path} = await v.checkout();
    const answers = await Promise.all([v.send(path, GOOD_CARD), v.send(path, GOOD_CARD), v.send(path, GOOD_CARD)]);
    expect(answers.map(({headers}) => headers.location).sort()).toEqual([path, path, THANKS].sort());
    expect(v.payments()).toBe(1);
  });

  test("the merchant's address is encoded for the header", async () => {
    const v = await visitor();
    const {path} = await v.checkout({success_url: 'https://shop.example/salamat/ñ?a=1&b=“2”#fin'});
    expect((await v.send(path, GOOD_CARD)).headers.location).toBe(
      'https://shop.example/salamat/%C3%B1?a=1&b=%E2%80%9C2%E2%80%9D#fin',
    );
  });

  test('a card with manual capture is held', async () => {
    const v = await visitor();
    const options = {card: {capture_type: 'manual'}};
    const {path, payment_intent: intent} = await v.checkout({payment_method_options: options});
    expect((await v.send(path, GOOD_CARD)).headers.location).toBe(THANKS);
    const held = await v.visit(path);
    expect(held.title).toBe('Held: ₱900.00 · Sandbox');
    expect(held.words).toContain('Held on your card for Sandbox Merchant ₱900.00');
    expect(held.html).not.toContain('<dl');
    v.advance(8 * DAY);
    const released = await v.visit(path);
    expect(released.title).toBe('Nothing was charged · Sandbox');
    expect(released.words).toContain('Nothing was charged');
    expect(released.words).not.toContain('Held on your card');
    expect((await v.ok('GET', `/payment_intents/${intent.id}`)).status).toBe('canceled');
  });

  test('the page shows a partly captured amount as paid', async () => {
    const v = await visitor();
    const {path, payment_intent: intent} = await v.checkout({
      payment_method_options: {card: {capture_type: 'manual'}},
    });
    await v.send(path, GOOD_CARD);
    await v.ok('POST', `/payment_intents/${intent.id}/capture`, {amount: 5000});
    const {title, words} = await v.visit(path);
    expect(title).toBe('Paid: ₱50.00 · Sandbox');
    expect(words).toContain('Paid to Sandbox Merchant ₱50.00');
  });
});

describe('failed', () => {
  test('by card shows the reason and keeps the session open for a retry', async () => {
    const v = await visitor();
    const {path, id} = await v.checkout();
    const failed = await v.follow(path, {...GOOD_CARD, number: '4205260000000005'});
    expect(failed.path).toBe(`${path}#attempt`);
    expect(failed.words).toContain('The security code of the card is incorrect.');
    expect((await v.ok('GET', `/checkout_sessions/${id}`)).status).toBe('active');
    expect((await v.send(path, GOOD_CARD)).headers.location).toBe(THANKS);
  });

  test('by wallet returns with the wallet selected', async () => {
    const v = await visitor();
    const {path} = await v.checkout();
    const approval = await v.follow(path, {method: 'billease'});
    const failed = await v.follow(approval.path, {method: 'billease', answer: 'decline'});
    expect(failed.words).toContain('You tried BillEase.');
    expect(failed.html.replace(/\s+/g, ' ')).toContain('value="billease" checked');
  });
});

describe('expired', () => {
  test.each([
    ['by its time', 'It expired on 16 January 2027, 4:00 PM.'],
    ['by the merchant', 'It expired on 15 January 2027, 4:00 PM.'],
  ])('%s takes no payment and links to the merchant', async (how, words) => {
    const v = await visitor();
    const {path, id} = await v.checkout();
    const approval = await v.follow(path, {method: 'gcash'});
    if (how === 'by its time') v.advance(DAY);
    else await v.ok('POST', `/checkout_sessions/${id}/expire`);
    const approved = await v.follow(approval.path, {method: 'gcash', answer: 'approve'});
    for (const answer of [await v.visit(path), await v.send(path, GOOD_CARD), approved]) {
      expect(answer.status).toBe(410);
      expect(answer.words).toContain('This checkout has expired');
      expect(answer.words).toContain(words);
      expect(answer.html).toContain('<a href="https://shop.example/cart">');
      expect(answer.html).not.toContain('<form');
    }
    expect(v.payments()).toBe(0);
  });

  test('can be paid one second before', async () => {
    const v = await visitor();
    const {path} = await v.checkout();
    v.advance(DAY - 1);
    expect((await v.send(path, GOOD_CARD)).headers.location).toBe(THANKS);
  });
});

test('never redirects to an unsafe address, even a stored one', async () => {
  const v = await visitor();
  const {path, id} = await v.checkout();
  v.sandbox.perform((work) => work.change(work.peek(id)!, {success_url: 'javascript:alert(1)', cancel_url: 'data:x'}));
  expect((await v.visit(path)).html).not.toMatch(/javascript:|data:x|Cancel and return/);
  const paid = await v.follow(path, GOOD_CARD);
  expect(paid.path).toBe(path);
  expect(paid.html).not.toMatch(/javascript:|Return to/);
});

test('a test card fills every field also without a customer', async () => {
  const v = await visitor();
  const {path} = await v.checkout();
  expect((await v.visit(`${path}?card=4242424242424242`)).html).toContain('value="Juan Dela Cruz"');
});

test('shows that no payment method is available', async () => {
  const v = await visitor();
  const {path, payment_intent: intent} = await v.checkout();
  v.sandbox.perform((work) => work.change(work.peek(intent.id)!, {payment_methods: ['shopeepay']}));
  const {words, html} = await v.visit(path);
  expect(words).toContain('The merchant does not accept any payment method available here.');
  expect(html).not.toContain('<button');
});
