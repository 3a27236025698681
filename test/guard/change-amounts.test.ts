// Amounts in a request: exact if the contract has them; unknown parameters are named.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Fields} from '../../src/api/fields.js';
import {operations} from '../../src/api/registry.js';
import type {JsonObject} from '../../src/common/json.js';
import {requestedAmount, objectAmountOf, priceOfRequest, unknownParameters} from '../../src/guard/change-amounts.js';

const fieldsOf = (id: string) => operations.find((each) => each.id === id)!.operation.params;
const INTENT = fieldsOf('payment-intents:create');
const CHECKOUT = fieldsOf('checkout-sessions:create');

const wholeNumber = fc.integer({min: 0, max: 10 ** 14});
/** As a number, or as text like in a form. */
const written = (value: number) => fc.constantFrom<number | string>(value, String(value));

test('adds quantity × price exactly, from numbers or text', () => {
  const line = fc.tuple(wholeNumber, fc.integer({min: 1, max: 10 ** 14}));
  const seed = 20_260_704;
  fc.assert(
    fc.property(fc.array(line, {maxLength: 5}), fc.gen(), (lines, pick) => {
      const line_items = lines.map(([amount, quantity]) => ({
        name: 'A',
        amount: pick(written, amount),
        quantity: pick(written, quantity),
      }));
      const total = lines.reduce((sum, [amount, quantity]) => sum + BigInt(amount) * BigInt(quantity), 0n);
      expect(requestedAmount(CHECKOUT, {line_items})).toBe(total);
      expect(objectAmountOf({amount: null, line_items})).toBe(total);
    }),
    {seed},
  );
  console.info(`Seed of the amounts: ${seed}`);
});

const wrongAmounts: unknown[] = [
  ...[-1, 0, 20.5, 2 ** 53, '20.00', ' 20', '0x14', '1e9', '', '0', true, null, [20], {value: 20}],
];

test.for(wrongAmounts.map((amount) => [amount]))('the amount %j is unknown', ([amount]) => {
  expect(requestedAmount(INTENT, {amount})).toEqual({unknown: expect.stringMatching(/^amount is /)});
});

test.for<[unknown]>([
  ['many'],
  [{0: {amount: 20, quantity: 1}}],
  [[{amount: 20}]],
  [[{quantity: 1}]],
  [[{amount: 20, quantity: 0}]],
  [[{amount: 'free', quantity: 1}]],
  [[{unit_price: 20, quantity: 1}]],
  [[null]],
])('the total of items %j is unknown', ([line_items]) => {
  expect(requestedAmount(CHECKOUT, {line_items})).toEqual({unknown: expect.stringMatching(/ (is|has) /)});
});

test('an amount in another currency is unknown', () => {
  expect(requestedAmount(INTENT, {amount: 2000, currency: 'PHP'})).toBe(2000n);
  expect(requestedAmount(INTENT, {amount: 2000, currency: 'USD'})).toEqual({unknown: 'The currency must be PHP.'});
});

test('has no amount if the contract has none', () => {
  expect(requestedAmount(INTENT, {})).toBeUndefined();
  expect(requestedAmount(fieldsOf('refunds:update'), {amount: 5000})).toBeUndefined();
});

// The API may read these as another amount, so unknown parameters are named in every spelling.
test.for<[fields: Fields, params: JsonObject, unknown: string[]]>([
  [INTENT, {amount: 20, 'amount[]': 9999}, ['amount[]']],
  [INTENT, {amount: 20, 'line_items[0][amount]': 9999}, ['line_items[0][amount]']],
  [INTENT, {amount: 20, ' amount': 9999, Amount: 1}, [' amount', 'Amount']],
  [INTENT, {amount: 20, 'amount\0': 9999}, ['amount\0']],
  [INTENT, {amount: 20, unit_price: 9999, quantity: 0}, ['unit_price', 'quantity']],
  [INTENT, {amount: 20, constructor: 1}, ['constructor']],
  [fieldsOf('refunds:update'), {amount: 5000}, ['amount']],
  [CHECKOUT, {line_items: [{amount: 1, quantity: 1, unit_price: 9999}]}, ['line_items[unit_price]']],
  [CHECKOUT, {line_items: [{amount: 20, quantity: 1, 'quantity ': 9999}]}, ['line_items[quantity ]']],
  [CHECKOUT, {line_items: {0: {amount: 9999, quantity: 1}}}, ['line_items[0]']],
  [CHECKOUT, {payment_method_options: {card: {amount: 9999}}}, ['payment_method_options[card][amount]']],
  [INTENT, {amount: 20, currency: 'PHP', metadata: {Amount: '9999', 'quantity ': 'many'}}, []],
  [CHECKOUT, {line_items: [{name: 'A', amount: 20, quantity: 1}], payment_methods: ['card']}, []],
])('%#: names unknown parameters: $1', ([fields, params, unknown]) => {
  expect(unknownParameters(fields, params)).toEqual(unknown);
});

test('an item with its given values replaced', () => {
  const there = {unit_price: 500, quantity: 3, amount: 1500};
  expect(priceOfRequest(there, {})).toBe(1500n);
  expect(priceOfRequest(there, {quantity: 2, description: 'Amount'})).toBe(1000n);
  expect(priceOfRequest(there, {unit_price: 700})).toBe(2100n);
  for (const params of [{quantity: 0}, {unit_price: null}, {unit_price: [700]}])
    expect(priceOfRequest(there, params)).toEqual({unknown: expect.any(String)});
});

test('an object has its amount, or the total of its items, or neither', () => {
  expect(objectAmountOf({amount: 5, line_items: [{unit_price: 7, quantity: 1}]})).toBe(5n);
  expect(objectAmountOf({line_items: [{unit_price: 7, quantity: 3}]})).toBe(21n);
  expect(objectAmountOf({amount: 0, line_items: [{unit_price: 7, quantity: 3}]})).toBe(21n);
  expect(objectAmountOf({amount: 0, line_items: []})).toBe(0n);
  expect(objectAmountOf({amount: 'five', line_items: [{unit_price: 7}]})).toBeUndefined();
  expect(objectAmountOf({})).toBeUndefined();
});
