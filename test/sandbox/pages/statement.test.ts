// The page of a billing statement, without a browser: every state, and every way to pay, fail and retry.

import {describe, expect, test} from 'vitest';
import {DAY} from '../../support/sandbox/world.js';
import {GOOD_CARD, visitor} from './visitor.js';

const SUCCEEDING = [
  ['4242424242424242', 'Visa ending in 4242'],
  ['4701322211111234', 'Visa ending in 1234'],
  ['5425233430109903', 'Mastercard ending in 9903'],
  ['5200828282828210', 'Mastercard ending in 8210'],
  ['4000000760000002', 'Visa ending in 0002'],
  ['4311780000241409', 'Visa ending in 1409'],
] as const;

const FAILING = [
  ['4000000000001000', 'The card was blocked by the issuer.'],
  ['4005550000000019', 'The payment was declined by the issuer.'],
  ['4503300000000008', 'The account has insufficient funds.'],
  ['4205260000000005', 'The security code of the card is incorrect.'],
  ['4001270000000000', 'An error occurred while the payment was processed.'],
  ['4012000033330026', 'A system error occurred at the issuer.'],
  ['4000000000000077', 'The payment was declined by the issuer.'],
] as const;

const WALLETS = [
  ['gcash', 'GCash'],
  ['maya', 'Maya'],
  ['billease', 'BillEase'],
  ['qrph', 'QR Ph'],
] as const;

describe('while it is open', () => {
  test('shows merchant, items, amount, customer and due date', async () => {
    const v = await visitor();
    const customer = await v.customer({name: 'Niño Ibañez', email: 'nino@example.com'});
    const draft = await v.draft({customer_id: customer.id, description: 'Second milestone'}, 3_250_000);
    await v.ok('POST', '/billing_statement_line_items', {
      billing_statement_id: draft.id,
      description: 'Copywriting, per page',
      unit_price: 120_050,
      quantity: 6,
    });
    const statement = await v.ok('POST', `/billing_statements/${draft.id}/finalize`);
    const {status, words, title, html} = await v.visit(v.pathOf(statement.url));
    expect(status).toBe(200);
    expect(title).toBe(`Statement ${statement.billing_statement_number}, ₱39,703.00 to Sandbox Merchant · Sandbox`);
    for (const part of [
      'Sandbox: no money moves',
      'Pay Sandbox Merchant ₱39,703.00',
      'Second milestone',
      `Statement ${statement.billing_statement_number}`,
      'For Niño Ibañez nino@example.com',
      'Due 25 January 2027, 4:00 PM (in 10 days)',
      'Web design 1 × ₱32,500.00 ₱32,500.00',
      'Copywriting, per page 6 × ₱1,200.50 ₱7,203.00',
      'Total ₱39,703.00',
      'How do you want to pay?',
    ])
      expect(words).toContain(part);
    expect(html).toContain('<html lang="en">');
  });

  test('omits the default description, which only repeats the number', async () => {
    const v = await visitor();
    expect((await v.visit((await v.statement()).path)).words).not.toContain('Payment for Billing Statement');
  });

  test.each([
    [11 * DAY, 'Overdue: it was due yesterday.'],
    [10 * DAY + 60, '(earlier today)'],
    [40 * DAY, 'Overdue: it was due 30 days ago.'],
    [9 * DAY, 'tomorrow'],
    [10 * DAY - 60, '(today)'],
    [10 * DAY, '(today)'],
    // Until the next day in Manila, as every command says it.
    [10 * DAY + 8 * 3600 - 1, '(earlier today)'],
    [10 * DAY + 8 * 3600, 'Overdue: it was due yesterday.'],
  ])('after %i seconds shows %s', async (seconds, words) => {
    const v = await visitor();
    const {path} = await v.statement();
    v.advance(seconds);
    expect((await v.visit(path)).words).toContain(words);
  });

  test.each([
    ['00:00', '12:00 AM'],
    ['00:30', '12:30 AM'],
    ['01:05', '1:05 AM'],
    ['11:59', '11:59 AM'],
    ['12:00', '12:00 PM'],
    ['12:30', '12:30 PM'],
    ['13:05', '1:05 PM'],
    ['23:59', '11:59 PM'],
  ])('shows %s as %s', async (time, shown) => {
    const v = await visitor();
    v.advance(Date.parse(`2027-01-16T${time}+08:00`) / 1000 - v.sandbox.now());
    expect((await v.visit((await v.statement()).path)).words).toContain(`Due 26 January 2027, ${shown} (`);
  });

  test('can be paid when overdue', async () => {
    const v = await visitor();
    const {path} = await v.statement();
    v.advance(30 * DAY);
    expect((await v.visit(path)).words).toContain('You can still pay it.');
    expect((await v.follow(path, GOOD_CARD)).words).toContain('Paid to Sandbox Merchant');
  });

  test("offers only the statement's payment methods", async () => {
    const v = await visitor();
    const {path} = await v.statement({payment_settings: {payment_methods: ['maya', 'qrph']}});
    const {html, words} = await v.visit(path);
    expect([...html.matchAll(/type="radio"[^>]*value="(\w+)"/g)].map(([, method]) => method)).toEqual(['maya', 'qrph']);
    expect(words).not.toContain('Card number');
    for (const method of ['card', 'gcash', 'billease', 'bogus', '']) {
      const answer = await v.send(path, {...GOOD_CARD, method});
      expect(answer.status).toBe(422);
      expect(answer.words).toContain('Choose how to pay.');
    }
    expect(v.payments()).toBe(0);
  });

  test('the merchant of a seeded sandbox has a name', async () => {
    const v = await visitor();
    v.sandbox.perform((work) => work.store.set('merchant_name', 'Habi Studio'));
    expect((await v.visit((await v.statement()).path)).words).toContain('Pay Habi Studio');
  });
});

describe('by card', () => {
  test.each(SUCCEEDING)('%s pays', async (number, shown) => {
    const v = await visitor();
    const {path, id} = await v.statement();
    const receipt = await v.follow(path, {...GOOD_CARD, number});
    expect(receipt).toMatchObject({status: 200, path});
    expect(receipt.title).toMatch(/^Paid: statement .*, ₱1,500\.00/);
    expect(receipt.words).toContain(`With ${shown}`);
    expect(receipt.words).toContain('Paid 15 January 2027, 4:00 PM');
    const paid = await v.ok('GET', `/billing_statements/${id}`);
    expect(paid).toMatchObject({status: 'paid'});
    expect(receipt.words).toContain(`Payment ${paid.payment_intent.latest_payment.id}`);
    expect(v.types()).toContain('billing_statement.paid');
  });

  test.each(FAILING)('%s fails with a message, and another card pays', async (number, detail) => {
    const v = await visitor();
    const {path} = await v.statement();
    const failed = await v.follow(path, {...GOOD_CARD, number});
    expect(failed).toMatchObject({status: 200, path: `${path}#attempt`});
    expect(failed.html).toContain('role="alert" id="attempt" tabindex="-1"');
    expect(failed.words).toContain(
      `The payment did not go through ${detail} You tried Visa ending in ${number.slice(-4)}. Nothing was charged.`,
    );
    expect(v.payments()).toBe(0);
    expect((await v.follow(path, GOOD_CARD)).words).toContain('Paid to Sandbox Merchant');
    expect(v.payments()).toBe(1);
  });

  test.each([
    [{number: ''}, 'number', 'Enter a card number.'],
    [{number: '4111 1111 1111 1111'}, 'number', 'The sandbox does not accept real cards'],
    [{number: '4242'}, 'number', 'The sandbox does not accept real cards'],
    [{expiry: ''}, 'expiry', 'Enter the expiry date as month and year, such as 12/29.'],
    [{expiry: '13/40'}, 'expiry', 'Enter the expiry date'],
    [{expiry: '00/40'}, 'expiry', 'Enter the expiry date'],
    [{expiry: '12/2040'}, 'expiry', 'Enter the expiry date'],
    [{expiry: '12/26'}, 'expiry', 'This card has expired.'],
    [{cvc: ''}, 'cvc', 'Enter the 3 digits of the security code.'],
    [{cvc: '12'}, 'cvc', 'Enter the 3 digits'],
    [{cvc: '12a'}, 'cvc', 'Enter the 3 digits'],
    [{name: '  '}, 'name', 'Enter the name on the card.'],
  ])('%o is refused at its field', async (wrong, field, words) => {
    const v = await visitor();
    const {path} = await v.statement();
    const answer = await v.send(path, {...GOOD_CARD, ...wrong});
    expect(answer.status).toBe(422);
    expect(answer.title).toMatch(/^Error: /);
    expect(answer.words).toContain(words);
    expect(answer.html).toMatch(new RegExp(`<a href="#${field}">`));
    expect(answer.html.replace(/\s+/g, ' ')).toMatch(
      new RegExp(`id="${field}"[^>]*aria-invalid="true" aria-describedby="${field}-error"`),
    );
    expect(answer.html).toContain(`id="${field}-error"`);
    expect(v.payments()).toBe(0);
  });

  test.each(['01/27', '1/27', '0127', '01 / 27'])('accepts the current month: %s', async (expiry) => {
    const v = await visitor();
    expect((await v.follow((await v.statement()).path, {...GOOD_CARD, expiry})).words).toContain('Paid to');
  });

  test('keeps entered values, except the security code and numbers that may be real', async () => {
    const v = await visitor();
    const {path} = await v.statement();
    const kept = await v.send(path, {...GOOD_CARD, cvc: '9x9', name: 'Ma. "Luz"'});
    expect(kept.html).toContain('value="4242 4242 4242 4242"');
    expect(kept.html).toContain('value="Ma. &quot;Luz&quot;"');
    expect(kept.html).not.toContain('9x9');
    expect((await v.send(path, {...GOOD_CARD, number: '4111111111111111'})).html).not.toContain('4111111111111111');
  });

  test('after a decline all entered values stay except the security code, and the title shows it', async () => {
    const v = await visitor();
    const {path} = await v.statement();
    const typed = {...GOOD_CARD, number: '4503 3000 0000 0008', cvc: '987', name: 'Ma. "Luz"', expiry: '11/41'};
    const {html, title} = await v.follow(path, typed);
    expect(title).toMatch(/^Declined · Statement /);
    for (const value of ['4503 3000 0000 0008', 'Ma. &quot;Luz&quot;', '11/41', 'card" checked'])
      expect(html.replace(/\s+/g, ' ')).toContain(`value="${value}`);
    expect(html).not.toContain('987');
    expect((await v.follow(path, {...typed, number: '4001270000000000'})).title).toMatch(/^Failed · /);
    // A wallet declined afterwards removes nothing.
    const approval = await v.follow(path, {method: 'gcash'});
    const again = await v.follow(approval.path, {method: 'gcash', answer: 'decline'});
    expect(again.html).toContain('value="11/41"');
    expect(JSON.stringify(await v.ok('GET', '/billing_statements'))).not.toMatch(/11\/41|987/);
  });

  test('the link of a test card fills the form', async () => {
    const v = await visitor();
    const {path} = await v.statement();
    const {html, words} = await v.visit(path);
    const links = [...html.matchAll(/href="([^"]*\?card=(\d+)#number)"/g)];
    expect(links.map(([, , number]) => number)).toEqual(
      expect.arrayContaining([...SUCCEEDING, ...FAILING].map(([number]) => number)),
    );
    expect(words).toContain('4503 3000 0000 0008 fails: insufficient funds');
    const filled = await v.visit(links.find(([, , number]) => number === '4503300000000008')![1]!.split('#')[0]!);
    const value = (id: string) =>
      new RegExp(`id="${id}"[^>]*?value="([^"]*)"`).exec(filled.html.replace(/\s+/g, ' '))?.[1];
    const form = {number: value('number')!, expiry: value('expiry')!, cvc: value('cvc')!, name: value('name')!};
    expect(form).toEqual({number: '4503 3000 0000 0008', expiry: '12/30', cvc: '123', name: 'Juan Dela Cruz'});
    expect((await v.follow(path, {method: 'card', ...form})).words).toContain('insufficient funds');
    expect((await v.visit(`${path}?card=4111111111111111`)).html).not.toContain('4111');
  });

  test('refuses a card that the statement does not accept, and marks it in the list', async () => {
    const v = await visitor();
    const settings = {payment_methods: ['card'], payment_method_options: {card: {allowed_bins: ['520082']}}};
    const {path} = await v.statement({payment_settings: settings});
    const answer = await v.send(path, GOOD_CARD);
    expect(answer.status).toBe(422);
    expect(answer.words).toContain('Only cards that start with 520082 can be used.');
    expect(answer.words).toContain('4242 4242 4242 4242 not accepted here');
    expect((await v.follow(path, {...GOOD_CARD, number: '5200828282828210'})).words).toContain('Mastercard');
  });
});

describe.each(WALLETS)('with %s', (method, name) => {
  test('is approved on its own page, and then paid', async () => {
    const v = await visitor();
    const {path, id} = await v.statement();
    const approval = await v.follow(path, {method});
    expect(approval.status).toBe(200);
    expect(approval.path).toMatch(/^\/p\/pi_\w+_secret_\w+$/);
    expect(approval.words).toContain('Sandbox Merchant ₱1,500.00');
    expect((await v.ok('GET', `/billing_statements/${id}`)).payment_intent.status).toBe('awaiting_next_action');
    const receipt = await v.follow(approval.path, {method, answer: 'approve'});
    expect(receipt.path).toBe(path);
    expect(receipt.words).toContain(`With ${name}`);
    expect((await v.visit(approval.path)).headers.location).toBe(path);
  });

  test.each([
    [{answer: 'decline'}, 'The payment was declined by the issuer.'],
    [{answer: 'fail', code: 'funds_insufficient'}, 'The account has insufficient funds.'],
    [{answer: 'fail', code: 'bogus'}, 'The payment was declined by the issuer.'],
  ])('%o returns, shows the reason, and allows a retry', async (answer, detail) => {
    const v = await visitor();
    const {path} = await v.statement();
    const approval = await v.follow(path, {method});
    const failed = await v.follow(approval.path, {method, ...answer});
    expect(failed.path).toBe(`${path}#attempt`);
    expect(failed.words).toContain(`${detail} You tried ${name}.`);
    expect(v.payments()).toBe(0);
    const again = await v.follow(path, {method});
    expect((await v.follow(again.path, {method, answer: 'approve'})).words).toContain('Paid to');
  });
});
