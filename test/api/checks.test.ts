// The checks of responses, and the quick check of requests, which accepts only what the schemas accept.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {areIntegers, faultOf, faultOfPage} from '../../src/api/checks.js';
import {operations} from '../../src/api/registry.js';
import {payments} from '../../src/api/resources/payments.js';
import {requestSchema} from '../../src/api/schema.js';
import {BigJsonNumber} from '../../src/common/json.js';
import {runs} from '../support/test-size.js';

const values = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    true,
    0,
    1,
    2,
    -0,
    1.5,
    2 ** 53,
    -1e21,
    '',
    '100',
    [],
    {},
    new BigJsonNumber('12345678901234567890'),
  ),
  fc.string(),
  fc.integer(),
);
const {shape} = payments;
const good = {id: 'pay_1', resource: 'payment', amount: 5, fee: null};

test.each<[unknown, string | undefined]>([
  [good, undefined],
  [{id: 'pay_1'}, undefined],
  [{...good, amount: '5', description: 5}, 'its amount is not a whole number of centavos'],
  [{...good, fee: 1.5}, 'its fee is not a whole number of centavos'],
  [{...good, amount: new BigJsonNumber('12345678901234567890')}, 'its amount is not a whole number of centavos'],
  [{...good, resource: 'refund'}, 'its resource is not payment'],
  [{...good, id: 're_1'}, 'its id does not start with pay_'],
  [{}, 'its id does not start with pay_'],
  [[], 'it is not an object'],
  [null, 'it is not an object'],
])('the fault of %j: %s', (object, fault) => {
  expect(faultOf(object, shape)).toBe(fault);
  expect(faultOfPage({data: [good, object], has_more: 0}, shape)).toBe(fault && `in one item, ${fault}`);
});

test('the fault of a page', () => {
  expect(faultOfPage({data: [], has_more: true}, shape)).toBeUndefined();
  expect(faultOfPage({data: [], has_more: 2}, shape)).toBe('its has_more is not true or false');
  expect(faultOfPage({data: good, has_more: true}, shape)).toBe('its data is not a list');
  expect(faultOfPage([], shape)).toBe('its data is not a list');
});

test('parameters that are all integers pass the schemas unchanged', () => {
  const given = fc.constantFrom(...operations.map(({operation}) => operation.params)).chain((fields) => {
    const bounds = Object.values(fields).flatMap(({min = 0, max = 0}) => [min - 1, min, max, max + 1]);
    const name = fc.constantFrom('other', ...Object.keys(fields));
    const params = fc.dictionary(name, fc.oneof(fc.constantFrom(...bounds, 5), values), {maxKeys: 2});
    return fc.record({fields: fc.constant(fields), params});
  });
  const seen = new Set<boolean>();
  fc.assert(
    fc.property(given, ({fields, params}) => {
      const known = Object.fromEntries(Object.entries(params).filter(([name]) => name in fields));
      const isGood = areIntegers(known, fields);
      if (isGood) expect(requestSchema(fields).safeParse(known)).toEqual({success: true, data: known});
      seen.add(isGood);
    }),
    {numRuns: runs(1000)},
  );
  expect(seen.size).toBe(2);
});
