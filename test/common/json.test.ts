// JSON with numbers of any length is read and written unchanged.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {BigJsonNumber, readJson, writeJson} from '../../src/common/json.js';
import {runs} from '../support/test-size.js';

const SEED = 20261122;

test.each([
  '12345678901234567890',
  '-99999999999999999999999999',
  '0.12345678901234567890123',
  '1e400',
  '[1,12345678901234567890,{"a":"12345678901234567890","b":98765432109876543210}]',
  '{"a":{"text":"a \\"quote\\" 1e5","n":9007199254740993}}',
  '{}',
  '[[],{},""]',
  '{"__proto__":12345678901234567890}',
])('%s is written as it was read', (text) => {
  expect(writeJson(readJson(text))).toBe(text);
});

test('accepts white space around long numbers, and indents like JSON.stringify', () => {
  const text = ' { "a" : [ 12345678901234567890 , 1 ] ,\n "b" : { } } ';
  expect(writeJson(readJson(text), 2)).toBe('{\n  "a": [\n    12345678901234567890,\n    1\n  ],\n  "b": {}\n}');
});

test.each('1.10 100000000000000000000 1E2 -0 0.1 1e21 9007199254740992 0e99 1.7976931348623157e308'.split(' '))(
  '%s is a number, as before',
  (text) => expect(readJson(text)).toBe(JSON.parse(text)),
);

test('a long number is rounded as a value, and complete as text', () => {
  const {n} = readJson('{"n":12345678901234567890}') as {n: BigJsonNumber};
  expect(Number(n)).toBe(12345678901234567000);
  expect(String(n)).toBe('12345678901234567890');
  expect(JSON.stringify({n})).toBe('{"n":12345678901234567000}');
});

test(`any JSON is read as JSON.parse reads it (seed ${SEED})`, () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, 2), (value, indent) => {
      // The first item selects the slow parser.
      const text = JSON.stringify([1e300, value], null, indent).replace('1e+300', '1e400');
      const [long, rest] = readJson(text) as unknown[];
      expect(String(long)).toBe('1e400');
      expect(JSON.stringify(rest)).toBe(JSON.stringify(value));
      expect(writeJson([long, rest], indent)).toBe(text);
    }),
    {seed: SEED, numRuns: runs(2000)},
  );
});
