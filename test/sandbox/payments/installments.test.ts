// BDO installments: requests in JSON and forms, allowed plans, and the plan of a payment.

import {expect, test} from 'vitest';
import {world} from '../../support/sandbox/world.js';

const PLANS = {installment_types: ['zero', 'regular'], payment_terms: [6, 12]};
const options = {payment_methods: ['bdo_installment'], payment_method_options: {bdo_installment: PLANS}};
const FORM =
  '&payment_methods[]=bdo_installment&payment_method_options[bdo_installment][installment_types][]=zero' +
  '&payment_method_options[bdo_installment][installment_types][]=regular' +
  '&payment_method_options[bdo_installment][payment_terms][]=6&payment_method_options[bdo_installment][payment_terms][]=12';

test('intents and sessions take the plans, also as a form', async () => {
  const w = world();
  const lines = '&line_items[][name]=A&line_items[][amount]=5000&line_items[][quantity]=1';
  const addresses = '&success_url=https://a.example&cancel_url=https://a.example';
  const {payment_intent: intent, ...session} = await w.session(options);
  for (const made of [
    session,
    intent,
    await w.intent(options),
    await w.ok('POST', '/payment_intents', `amount=5000&currency=PHP${FORM}`),
    await w.ok('POST', '/checkout_sessions', `currency=PHP${lines}${addresses}${FORM}`),
  ]) {
    expect(made.payment_methods).toEqual(['bdo_installment']);
    expect(made.payment_method_options.bdo_installment).toEqual(PLANS);
  }
});

test.each([
  ['payment_terms', [4], 'must be one of 3, 6, 9, 12, 18, 24, 36'],
  ['payment_terms', ['six'], 'must be one of 3, 6, 9, 12, 18, 24, 36'],
  ['installment_types', ['free'], 'must be one of regular, zero, regular_holiday, zero_holiday'],
])('refuses %s of %j', async (name, value, fault) => {
  const payment_method_options = {bdo_installment: {[name]: value}};
  const {status, body} = await world().call('POST', '/payment_intents', {
    ...{amount: 5000, currency: 'PHP', payment_method_options},
  });
  const parameter = `payment_method_options.bdo_installment.${name}.0`;
  expect(status).toBe(400);
  expect(body.errors).toMatchObject([{parameter, detail: `The value for ${parameter} ${fault}.`}]);
});

test('pays with the first plan, and refuses one that is not allowed', async () => {
  const w = world();
  const {id} = await w.intent(options);
  const plan = {installment_type: 'zero', payment_term: 36};
  expect(() => w.pay(id, {method: 'bdo_installment', plan})).toThrow('cannot be paid with bdo_installment');
  expect(w.pay(id).payment!.payment_method).toEqual({
    type: 'bdo_installment',
    bdo_installment: {installment_type: 'zero', payment_term: 6},
  });
});

test('is not for statements, and only offered if asked for', async () => {
  const w = world();
  const {id: customer_id} = await w.customer();
  const payment_settings = {payment_methods: ['bdo_installment']};
  const refused = await w.call('POST', '/billing_statements', {customer_id, currency: 'PHP', payment_settings});
  expect(refused.body.errors).toMatchObject([{parameter: 'payment_settings.payment_methods.0'}]);
  expect((await w.intent()).payment_methods).not.toContain('bdo_installment');
});
