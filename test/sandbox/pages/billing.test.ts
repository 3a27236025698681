// Billing details on payment pages: asked without a customer, and copied to the payment.

import {describe, expect, test} from 'vitest';
import {type Wire} from '../../support/sandbox/world.js';
import {GOOD_CARD, visitor} from './visitor.js';

const TYPED = {
  billing_name: ' Luz Viminda ',
  billing_email: 'luz@example.com',
  billing_phone: '',
  billing_line1: '7 Bonifacio St.',
  billing_line2: '',
  billing_city: 'Iloilo City',
  billing_state: 'Iloilo',
  billing_postal_code: '5000',
  billing_country: 'ph',
};

const CARRIED = {
  name: 'Luz Viminda',
  email: 'luz@example.com',
  phone: null,
  address: {
    line1: '7 Bonifacio St.',
    line2: null,
    city: 'Iloilo City',
    state: 'Iloilo',
    postal_code: '5000',
    country: 'PH',
  },
};

type Visitor = Awaited<ReturnType<typeof visitor>>;

async function billingOf(v: Visitor, sessionId: string): Promise<unknown> {
  const {payment_intent: intent} = await v.ok('GET', `/checkout_sessions/${sessionId}`);
  return ((intent as Wire).latest_payment as Wire).billing;
}

describe('without a customer', () => {
  test('the page asks with an invented payer filled in, and uses it by default', async () => {
    const v = await visitor();
    const {path, id} = await v.checkout();
    const {words, html} = await v.visit(path);
    expect(words).toContain('Billing details: Juan Dela Cruz, juan@example.com');
    expect(html).not.toMatch(/<details\s+open/);
    for (const name of Object.keys(TYPED)) expect(html).toContain(`name="${name}"`);
    await v.send(path, GOOD_CARD);
    expect(await billingOf(v, id)).toMatchObject({name: 'Juan Dela Cruz', address: {line2: null, country: 'PH'}});
  });

  test('the payment has the details entered with a card', async () => {
    const v = await visitor();
    const {path, id} = await v.checkout();
    await v.send(path, {...GOOD_CARD, ...TYPED});
    expect(await billingOf(v, id)).toEqual(CARRIED);
  });

  test('the payment has the details entered before a wallet was approved', async () => {
    const v = await visitor();
    const {path, id} = await v.checkout();
    const approval = await v.follow(path, {method: 'gcash', ...TYPED});
    await v.send(approval.path, {method: 'gcash', answer: 'approve'});
    expect(await billingOf(v, id)).toEqual(CARRIED);
  });

  test('the payment has the entered details also when captured later', async () => {
    const v = await visitor();
    const {
      path,
      id,
      payment_intent: intent,
    } = await v.checkout({
      payment_method_options: {card: {capture_type: 'manual'}},
    });
    await v.send(path, {...GOOD_CARD, ...TYPED});
    await v.ok('POST', `/payment_intents/${intent.id}/capture`, {amount: 90_000});
    expect(await billingOf(v, id)).toEqual(CARRIED);
  });

  test('entered details stay after a decline, by card or by wallet', async () => {
    const v = await visitor();
    const {path, id} = await v.checkout();
    const declined = await v.follow(path, {...GOOD_CARD, number: '4005550000000019', ...TYPED});
    expect(declined.words).toContain('Billing details: Luz Viminda, luz@example.com');
    const approval = await v.follow(path, {method: 'maya', ...TYPED, billing_email: 'luz2@example.com'});
    const back = await v.follow(approval.path, {method: 'maya', answer: 'decline'});
    expect(back.words).toContain('Billing details: Luz Viminda, luz2@example.com');
    expect(back.html).toContain('value="7 Bonifacio St."');
    await v.send(path, {...GOOD_CARD, ...TYPED});
    expect(await billingOf(v, id)).toEqual(CARRIED);
  });

  test.each([
    ['billing_name', '  ', 'Enter your name.'],
    ['billing_email', 'luz', 'Enter your email address, such as juan@example.com.'],
    ['billing_country', 'Philippines', 'Enter a two-letter country code, such as PH.'],
    ['billing_country', '7', 'Enter a two-letter country code, such as PH.'],
  ])('%s %j is asked for again, and the rest stays', async (name, value, words) => {
    const v = await visitor();
    const {path} = await v.checkout();
    const answer = await v.send(path, {method: 'gcash', ...TYPED, [name]: value});
    expect(answer.status).toBe(422);
    expect(answer.words).toContain(words);
    expect(answer.html).toMatch(/<details\s+open/);
    expect(answer.html).toContain(`href="#${name}"`);
    expect(answer.html).toContain('value="7 Bonifacio St."');
    expect(v.payments()).toBe(0);
  });
});

test('a customer is not asked: the payment has their details', async () => {
  const v = await visitor();
  const billing_details = {phone: '+639180000000', address: {city: 'Baguio'}};
  const {id: customerId} = await v.customer({billing_details});
  const {path, id} = await v.checkout({customer_id: customerId});
  expect((await v.visit(path)).html).not.toContain('billing_name');
  await v.send(path, {...GOOD_CARD, ...TYPED});
  expect(await billingOf(v, id)).toMatchObject({
    name: 'Juan Dela Cruz',
    phone: '+639180000000',
    address: {city: 'Baguio', line2: null},
  });
});
