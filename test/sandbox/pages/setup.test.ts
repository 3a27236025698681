// The page of a setup intent, and the choice of an installment plan on a payment page.

import {expect, test} from 'vitest';
import {hiddenFields, visitor} from './visitor.js';

async function setup(fields: object = {}) {
  const v = await visitor();
  const {id: customer_id} = await v.customer();
  const made = await v.ok('POST', '/setup_intents', {customer_id, ...fields});
  const path = v.pathOf(made.next_action.redirect_url as string);
  const read = () => v.ok('GET', `/setup_intents/${made.id}`);
  return {...v, made, path, read};
}

test('a wallet is chosen, declined, approved and saved', async () => {
  const v = await setup({description: 'Dues <b>'});
  const first = await v.visit(v.path);
  expect(first.words).toContain(
    'For Sandbox Merchant Save a payment method Dues <b> How do you want to pay in future?',
  );
  const approving = await v.follow(v.path, {method: 'maya'});
  expect(approving.title).toBe('Maya: approve saving your account, for Sandbox Merchant · Sandbox');
  const answer = {...hiddenFields(approving), answer: 'decline'};
  expect((await v.follow(v.path, answer)).words).toContain('Maya was not saved Nothing was charged.');
  expect(await v.read()).toMatchObject({status: 'awaiting_payment_method'});
  // The form of the attempt that was declined.
  expect((await v.follow(v.path, {...answer, answer: 'approve'})).title).toMatch(/^Maya: approve/);
  const last = await v.visit(v.path);
  const done = await v.follow(v.path, {...hiddenFields(last), answer: 'approve'});
  expect(done.words).toContain('Maya is saved You can use it for your next payment to Sandbox Merchant');
  expect(done.words).not.toMatch(/\bpaid\b/i);
  expect(await v.read()).toMatchObject({status: 'succeeded', next_action: null});
  expect((await v.follow(v.path, {answer: 'cancel'})).title).toMatch(/^Maya is saved/);
  expect(v.payments()).toBe(0);
});

test('a setup is canceled, or approved by a customer who leaves', async () => {
  const canceled = await setup();
  expect(await canceled.follow(canceled.path, {method: 'shopeepay'})).toMatchObject({status: 200});
  expect(await canceled.follow(canceled.path, {answer: 'cancel'})).toMatchObject({status: 410});
  expect((await canceled.read()).status).toBe('canceled');
  const v = await setup();
  const approving = await v.follow(v.path, {method: 'gcash'});
  const left = await v.follow(v.path, {...hiddenFields(approving), answer: 'leave'});
  expect(left.words).toContain('GCash is being saved');
  v.advance(10);
  expect((await v.visit(v.path)).title).toMatch(/^GCash is saved/);
});

test('a payer chooses an allowed installment plan, and the page keeps it after a decline', async () => {
  const v = await visitor();
  const PLANS = {installment_types: ['zero', 'regular'], payment_terms: [6, 12]};
  const options = {payment_methods: ['bdo_installment'], payment_method_options: {bdo_installment: PLANS}};
  const {id, path} = await v.checkout(options);
  const {html} = await v.visit(path);
  expect([...html.matchAll(/<option value="(\w+)"/g)].map(([, value]) => value)).toEqual([
    'zero',
    'regular',
    '6',
    '12',
  ]);
  const plan = {method: 'bdo_installment', installment_type: 'regular', payment_term: '12'};
  expect((await v.send(path, {...plan, payment_term: '36'})).words).toContain('Only 6 or 12 months can be used.');
  const approving = await v.follow(path, plan);
  expect(approving.words).toContain('BDO: approve your payment to Sandbox Merchant ₱900.00 BDO Installment, 12 months');
  const declined = await v.follow(approving.path, {...hiddenFields(approving), answer: 'decline'});
  expect(declined.words).toContain('You tried BDO Installment, 12 months (Regular).');
  expect(declined.html).toMatch(/value="regular" selected[\s\S]*value="12" selected/);
  v.pay(id, {method: 'bdo_installment', plan: {installment_type: 'zero', payment_term: 6}});
  expect((await v.visit(path)).words).toContain('BDO Installment, 6 months (Zero interest)');
});
