// The quick checks accept exactly what the schemas accept.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {areIntegers, isObjectOf, isPageOf} from '../../src/api/checks.js';
import {operations, resources} from '../../src/api/registry.js';
import {faultOf, faultOfPage, requestSchema} from '../../src/api/schema.js';
import {BigJsonNumber} from '../../src/common/json.js';
import {runs} from '../support/test-size.js';

const shapes = [
  ...new Set(resources.flatMap(({operations}) => Object.values(operations)).map(({returns}) => returns.shape)),
];
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
const damaged = fc.constantFrom(...shapes).chain((shape) => {
  const {prefix, oldPrefix = prefix, name, fields} = shape;
  const good = {
    ...Object.fromEntries(Object.keys(fields).map((field) => [field, fc.constantFrom(5, null, undefined)])),
    id: fc.constantFrom(`${prefix}1`, `${oldPrefix}1`),
    resource: fc.constantFrom(name, undefined),
  };
  const object = fc
    .tuple(
      fc.record(good),
      fc.dictionary(fc.constantFrom('id', 'resource', ...Object.keys(fields)), values, {maxKeys: 1}),
    )
    .map(([whole, wrong]) => ({...whole, ...wrong}));
  return fc.record({
    shape: fc.constant(shape),
    object: fc.oneof({weight: 9, arbitrary: object}, values),
    data: fc.oneof({weight: 9, arbitrary: fc.array(object, {maxLength: 3})}, values),
    has_more: fc.oneof(fc.boolean(), values),
  });
});

test('the quick check and the schemas agree on good and damaged answers', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(damaged, ({shape, object, data, has_more}) => {
      const [isGood, isGoodPage] = [isObjectOf(object, shape), isPageOf({data, has_more}, shape)];
      expect(isGood).toBe(faultOf(object, shape) === undefined);
      expect(isGoodPage).toBe(faultOfPage({data, has_more}, shape) === undefined);
      seen.add(`object ${isGood}`).add(`page ${isGoodPage}`);
    }),
    {numRuns: runs(1000)},
  );
  expect([...seen].sort()).toEqual(['object false', 'object true', 'page false', 'page true']);
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
