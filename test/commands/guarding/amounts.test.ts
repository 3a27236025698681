// Amounts in what is about to be sent: exact, however they are written, and never taken for less than they are.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {operations} from '../../../src/api/registry.js';
import {amountGiven, amountOf, type Hash} from '../../../src/commands/guarding/amounts.js';

const fieldsOf = (id: string) => operations.find((each) => each.id === id)!.operation.params;
const INTENT = fieldsOf('payment-intents:create');
const CHECKOUT = fieldsOf('checkout-sessions:create');
const ITEM = fieldsOf('billing-statement-line-items:create');

const wholeNumber = fc.integer({min: 0, max: 10 ** 14});
/** As a number, or as the text that a form would send. */
const written = (value: number) => fc.constantFrom<number | string>(value, String(value));

test('quantity × price, added up exactly: as a list or by places, as numbers or as text', () => {
  const line = fc.tuple(wholeNumber, wholeNumber);
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

test('an object comes to its amount, or to its items, or does not say', () => {
  expect(amountOf({amount: 5, line_items: [{unit_price: 7, quantity: 1}]})).toBe(5n);
  expect(amountOf({line_items: [{unit_price: 7, quantity: 3}]})).toBe(21n);
  expect(amountOf({amount: 'five', line_items: [{unit_price: 7}]})).toBeUndefined();
  expect(amountOf({})).toBeUndefined();
});
