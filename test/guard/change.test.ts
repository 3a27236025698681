// A change as text and amounts: from the command line alone, and with the objects that were read.

import {describe, expect, test} from 'vitest';
import {isWrite} from '../../src/api/operation.js';
import {operations, pathPrefixes, shapes} from '../../src/api/registry.js';
import {changeDetailsOf} from '../../src/guard/change.js';
import type {FetchedTarget} from '../../src/guard/target-fetcher.js';

const registeredAs = (id: string) => operations.find((each) => each.id === id)!;
const call = (id: string, ids: readonly string[] = [], params: object = {}) => ({
  registered: registeredAs(id),
  ids,
  params: params as Record<string, unknown>,
});
const shape = (prefix: string) => shapes.get(prefix)!;
const customer = 'Juan Dela Cruz';
const statement = (amount: number, id = 'bstm_7Hq2'): FetchedTarget => ({
  shape: shape('bstm_'),
  object: {id, amount},
  customer,
});
const intent: FetchedTarget = {shape: shape('pi_'), object: {id: 'pi_5kT1', amount: 500_000}, customer};
const item = {id: 'bstm_li_4Rt8', unit_price: 45_000, quantity: 2};

describe('as text', () => {
  test.for([
    [
      call('billing-statements:finalize', ['bstm_7Hq2']),
      statement(3_100_000),
      'finalize billing statement bstm_7Hq2 of ₱31,000.00 for Juan Dela Cruz',
    ],
    [
      call('billing-statements:mark-uncollectible', ['bstm_7Hq2']),
      statement(3_100_000),
      'mark uncollectible billing statement bstm_7Hq2 of ₱31,000.00 for Juan Dela Cruz',
    ],
    [
      call('billing-statements:update', ['bstm_7Hq2'], {customer_id: 'cus_9'}),
      {...statement(5), nextCustomer: 'Maria Clara'},
      'update billing statement bstm_7Hq2 of ₱0.05 for Juan Dela Cruz, then for Maria Clara',
    ],
    [
      call('payment-intents:create', [], {amount: 125_050}),
      {customer},
      'create a payment intent of ₱1,250.50 for Juan Dela Cruz',
    ],
    [
      call('payment-intents:capture', ['pi_5kT1'], {amount: 125_050}),
      intent,
      'capture payment intent pi_5kT1 of ₱5,000.00 for Juan Dela Cruz, amount ₱1,250.50',
    ],
    [
      call('payment-intents:cancel', ['pi_5kT1']),
      {...intent, customer: undefined},
      'cancel payment intent pi_5kT1 of ₱5,000.00',
    ],
    [
      call('refunds:create', [], {amount: 10_000, payment_id: 'pay_3Fa9'}),
      {shape: shape('pay_'), object: {id: 'pay_3Fa9', amount: 125_050}, customer},
      'create a refund of ₱100.00 on payment pay_3Fa9 of ₱1,250.50 for Juan Dela Cruz',
    ],
    [
      call('payment-intents:create', [], {amount: '20.00'}),
      {customer},
      'create a payment intent of an unknown amount for Juan Dela Cruz',
    ],
    [
      call('payment-intents:update', ['pi_5kT1'], {amount: 125_050, 'amount[]': 1}),
      intent,
      'update payment intent pi_5kT1 of ₱5,000.00 for Juan Dela Cruz, amount ₱1,250.50 (also sending "amount[]")',
    ],
    [
      call('payment-intents:update', ['pi_5kT1'], {amount: 125_050.5}),
      intent,
      'update payment intent pi_5kT1 of ₱5,000.00 for Juan Dela Cruz, with an unknown amount',
    ],
    [
      call('checkout-sessions:create', [], {line_items: [{amount: 5_999_999_999, quantity: 1_000_000_001}]}),
      {},
      'create a checkout session of ₱60,000,000,049,999,999.99',
    ],
    [call('refunds:update', ['re_6Wn3'], {metadata: {a: 'b'}}), {}, 'update refund re_6Wn3'],
    [
      call('billing-statement-line-items:create', [], {unit_price: 45_000, quantity: 2}),
      statement(10_000),
      'create a billing statement line item of ₱900.00 on billing statement bstm_7Hq2 of ₱100.00 (then ₱1,000.00) for Juan Dela Cruz',
    ],
    [
      call('billing-statement-line-items:update', ['bstm_li_4Rt8'], {quantity: 1}),
      {...statement(100_000), part: item},
      'update billing statement line item bstm_li_4Rt8 of ₱900.00 on billing statement bstm_7Hq2 of ₱1,000.00 (then ₱550.00) for Juan Dela Cruz, amount ₱450.00',
    ],
    [
      call('billing-statement-line-items:delete', ['bstm_li_4Rt8']),
      {...statement(100_000), part: item},
      'delete billing statement line item bstm_li_4Rt8 of ₱900.00 on billing statement bstm_7Hq2 of ₱1,000.00 (then ₱100.00) for Juan Dela Cruz',
    ],
    [call('customers:create', [], {name: 'Maria Clara'}), {}, 'create a customer (Maria Clara)'],
    [
      call('customers:delete', ['cus_2mQ8']),
      {shape: shape('cus_'), object: {id: 'cus_2mQ8'}, customer},
      'delete customer cus_2mQ8 (Juan Dela Cruz)',
    ],
    [
      call('customers:delete-payment-method', ['cus_2mQ8', 'pm_9dK2']),
      {shape: shape('cus_'), object: {id: 'cus_2mQ8'}, customer},
      'delete payment method pm_9dK2 for Juan Dela Cruz',
    ],
    [
      call('setup-intents:create', [], {customer_id: 'cus_2mQ8'}),
      {shape: shape('cus_'), object: {id: 'cus_2mQ8'}, customer},
      'create a setup intent for Juan Dela Cruz',
    ],
    [call('webhooks:disable', ['wh_1Bv7']), {shape: shape('wh_'), object: {id: 'wh_1Bv7'}}, 'disable webhook wh_1Bv7'],
  ] as const)('%#: $2', ([made, seen, words]) => {
    expect(changeDetailsOf([made], [seen]).action).toBe(words);
  });

  test('several: the count, the total, and the customers or their count', () => {
    const calls = ['bstm_1', 'bstm_2', 'bstm_3', 'bstm_4'].map((id) => call('billing-statements:send', [id]));
    const seen = ['Ana', 'Bea', 'Ana', 'Dan'].map((name) => ({...statement(150_000), customer: name}));
    expect(changeDetailsOf(calls, seen).action).toBe(
      'send 4 billing statements of ₱6,000.00 in all for Ana, Bea and Dan',
    );
    const others = seen.map((each, index) => ({...each, customer: `Customer ${index}`}));
    expect(changeDetailsOf(calls, others).action).toBe('send 4 billing statements of ₱6,000.00 in all for 4 customers');
    expect(changeDetailsOf(calls).action).toBe('send 4 billing statements');
  });

  test('a name can neither move the cursor nor hide the question', () => {
    const {action} = changeDetailsOf(
      [call('billing-statements:send', ['bstm_1'])],
      [{...statement(5), customer: `\u001B[2J\u202E${'x'.repeat(1000)}\n`}],
    );
    // oxlint-disable-next-line no-control-regex
    expect(action).not.toMatch(/[\u0000-\u001F\u202E]/);
    expect(action.length).toBeLessThan(150);
  });

  test.for([
    ['Eve of ₱1.00? (y/N) yes', '"Eve of ₱1.00? (y/N) yes"'],
    ['Juan, amount "₱1.00"', `"Juan, amount '₱1.00'"`],
    [`Juan${'\u3000 '.repeat(40)}Cruz`, 'Juan Cruz'],
    ['José Ñandú-O’Brien Jr. & Sons', 'José Ñandú-O’Brien Jr. & Sons'],
    ['山田太郎', '山田太郎'],
    ['\u3000\u00A0', '" "'],
  ] as const)('a name cannot pass for a part of the question: %s', ([name, words]) => {
    const {action} = changeDetailsOf(
      [call('billing-statements:send', ['bstm_1'])],
      [{...statement(5), customer: name}],
    );
    expect(action).toBe(`send billing statement bstm_1 of ₱0.05 for ${words}`);
  });
});

test('every change of the contract has a text without any read', () => {
  for (const registered of operations.filter(({operation}) => isWrite(operation))) {
    const ids = pathPrefixes(registered.resource, registered.operation).map((prefix) => `${prefix}Made1`);
    const {action} = changeDetailsOf([{registered, ids, params: {}}]);
    expect(action).toMatch(ids.length > 0 ? new RegExp(`${ids.at(-1)}$`) : / a [a-z ]+$/);
    expect(action).not.toMatch(/undefined|null| {2}/);
  }
});

test('distinguishes unread amounts from changes without an amount', () => {
  const amounts = Object.fromEntries(
    operations
      .filter(({operation}) => isWrite(operation))
      .map((registered) => {
        const ids = pathPrefixes(registered.resource, registered.operation).map((prefix) => `${prefix}Made1`);
        const found = changeDetailsOf([{registered, ids, params: {}}]).amounts;
        return [registered.id, found === undefined ? 'read' : found.length === 0 ? 'none' : 'missing'];
      }),
  );
  expect(
    Object.entries(amounts)
      .filter(([, how]) => how === 'read')
      .map(([id]) => id),
  ).toEqual([
    'billing-statements:update',
    'billing-statements:finalize',
    'billing-statements:send',
    'billing-statement-line-items:create',
    'billing-statement-line-items:update',
    'payment-intents:update',
    'payment-intents:capture',
    'payment-intents:attach',
  ]);
  expect(
    Object.entries(amounts)
      .filter(([, how]) => how === 'missing')
      .map(([id]) => id),
  ).toEqual(['payment-intents:create', 'checkout-sessions:create', 'refunds:create']);
});
