// Amounts in what is about to be sent: exact, however they are written, and never taken for less than they are.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {operations} from '../../src/api/registry.js';
import {amountGiven, amountOf, priceWith, type Hash} from '../../src/guard/amounts.js';

const fieldsOf = (id: string) => operations.find((each) => each.id === id)!.operation.params;
const INTENT = fieldsOf('payment-intents:create');
const CHECKOUT = fieldsOf('checkout-sessions:create');
const ITEM = fieldsOf('billing-statement-line-items:create');

const wholeNumber = fc.integer({min: 0, max: 10 ** 14});
/** As a number, or as the text that a form would send. */
const written = (value: number) => fc.constantFrom<number | string>(value, String(value));

test('quantity × price, added up exactly: as a list or by places, as numbers or as text', () => {
  const line = fc.tuple(wholeNumber, fc.integer({min: 1, max: 10 ** 14}));
  const seed = 20_260_704;
  fc.assert(
    fc.property(fc.array(line, {maxLength: 5}), fc.gen(), fc.boolean(), (lines, pick, asList) => {
      const list = lines.map(([amount, quantity]) => ({
        name: 'A',
        amount: pick(written, amount),
        quantity: pick(written, quantity),
      }));
      const line_items = asList ? list : {...list};
      const total = lines.reduce((sum, [amount, quantity]) => sum + BigInt(amount) * BigInt(quantity), 0n);
      expect(amountGiven(CHECKOUT, {line_items})).toBe(total);
      expect(amountOf({amount: null, line_items: list})).toBe(total);
    }),
    {seed},
  );
  console.info(`Seed of the amounts: ${seed}`);
});

test.for<[Hash]>([
  [{amount: -1}],
  [{amount: 20.5}],
  [{amount: 2 ** 53}],
  [{amount: '20.00'}],
  [{amount: ' 20'}],
  [{amount: '0x14'}],
  [{amount: '1e9'}],
  [{amount: ''}],
  [{amount: true}],
  [{amount: [20]}],
  [{amount: {value: 20}}],
  [{amount: 20, line_items: 'many'}],
  [{amount: 20, line_items: [{amount: 20}]}],
  [{amount: 20, unit_price: 'much'}],
  // In a form these are the amount once more, or nearly: a service may take them for it.
  [{amount: 20, 'amount[]': 9999}],
  [{amount: 20, 'line_items[0][amount]': 9999, 'line_items[0][quantity]': 1}],
  [{amount: 20, ' amount': 9999}],
  [{amount: 20, 'amount\0': 9999}],
  [{amount: 20, '[amount]': 9999}],
  [{amount: 20, 'Unit.Price': 9999}],
  [{line_items: [{amount: 20, quantity: 1, 'quantity ': 9999}]}],
  // None may be read as one.
  [{line_items: [{amount: 20, quantity: 0}]}],
])('%j is unclear', ([params]) => {
  expect(amountGiven(INTENT, params)).toBe('unclear');
});

test('nothing is given where there is nothing, or null', () => {
  expect(amountGiven(INTENT, {})).toBeUndefined();
  expect(amountGiven(INTENT, {amount: null, description: '20'})).toBeUndefined();
});

test('the largest counts, and so does money that the operation does not know', () => {
  expect(amountGiven(INTENT, {amount: 20, unit_price: 30, quantity: 0})).toBe(30n);
  expect(amountGiven(fieldsOf('refunds:update'), {amount: 5000})).toBe(5000n);
  expect(amountGiven(ITEM, {unit_price: 300, quantity: 2, amount: 500})).toBe(600n);
});

test('of two prices of one item the larger counts', () => {
  const items = (...line_items: Hash[]) => amountGiven(CHECKOUT, {line_items});
  expect(items({amount: 9999, unit_price: 1, quantity: 2})).toBe(19_998n);
  expect(items({amount: 1, unit_price: 9999, quantity: 2})).toBe(19_998n);
  expect(items({amount: 'free', unit_price: 1, quantity: 2})).toBe('unclear');
});

test('an item with what is given in place of what was there', () => {
  const there = {unit_price: 500, quantity: 3, amount: 1500};
  expect(priceWith(there, {quantity: 2, description: 'Amount'})).toBe(1000n);
  expect(priceWith(there, {unit_price: null})).toBe(1500n);
  expect(priceWith(there, {unit_price: 1, amount: 700})).toBe(2100n);
  expect(priceWith(there, {quantity: 0})).toBe('unclear');
  expect(priceWith(there, {'unit_price[]': 9999})).toBe('unclear');
});

test('other names stay what they are', () => {
  expect(amountGiven(INTENT, {amount: 20, metadata: {Amount: '9999', 'quantity ': 'many'}, amounts: 5})).toBe(20n);
});

test('an object comes to its amount, or to its items, or does not say', () => {
  expect(amountOf({amount: 5, line_items: [{unit_price: 7, quantity: 1}]})).toBe(5n);
  expect(amountOf({line_items: [{unit_price: 7, quantity: 3}]})).toBe(21n);
  expect(amountOf({amount: 0, line_items: [{unit_price: 7, quantity: 3}]})).toBe(21n);
  expect(amountOf({amount: 0, line_items: []})).toBe(0n);
  expect(amountOf({amount: 'five', line_items: [{unit_price: 7}]})).toBeUndefined();
  expect(amountOf({})).toBeUndefined();
});
