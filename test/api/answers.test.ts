// The quick check of answers accepts exactly what the schemas accept.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {isObjectOf, isPageOf} from '../../src/api/answers.js';
import {resources} from '../../src/api/registry.js';
import {faultOf, faultOfPage} from '../../src/api/schema.js';
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
