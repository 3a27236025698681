// Settings: every accepted text is stored in a valid form, and invalid ones are refused.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {SETTINGS, SETTING_NAMES, type SettingName, type SettingValue} from '../../src/config/settings.js';
import {valueOrThrow} from '../../src/input/invalid-input.js';
import {runs} from '../support/test-size.js';

const SEED = 20261221;

const parse = (name: SettingName, text: string) => valueOrThrow<SettingValue>(SETTINGS[name].read(text), name);

describe('typed and stored values', () => {
  test.for([
    ['base_url', 'payrex', 'payrex'],
    ['base_url', 'sandbox', 'sandbox'],
    ['base_url', 'https://api.example', 'https://api.example'],
    ['encoding', 'json', 'json'],
    ['encoding', 'form', 'form'],
    ['timeout', '30', 30],
    ['timeout', '2m', 120],
    ['read_only', 'true', true],
    ['read_only', 'false', false],
    ['max_amount', '1,250.50', 125_050],
    ['max_amount', '₱50,000', 5_000_000],
    ['max_amount', '0.01', 1],
    ['max_statements_per_run', '20', 20],
  ] as const)('%s %s', ([name, text, value]) => {
    expect(parse(name, text)).toBe(value);
    expect(SETTINGS[name].holds(value)).toBe(true);
  });

  test.for([
    ['base_url', ''],
    ['base_url', 'api.example'],
    ['base_url', 'Payrex'],
    ['encoding', 'xml'],
    ['encoding', 'JSON'],
    ['encoding', ''],
    ['timeout', '0'],
    ['timeout', '0s'],
    ['timeout', '-1'],
    ['timeout', '1.5s'],
    ['timeout', 'soon'],
    ['read_only', 'yes'],
    ['read_only', '1'],
    ['read_only', 'TRUE'],
    ['read_only', ''],
    ['max_amount', '0'],
    ['max_amount', '0.00'],
    ['max_amount', '-5'],
    ['max_amount', '1e3'],
    ['max_amount', '12.345'],
    ['max_amount', '99999999999999999999'],
    ['max_statements_per_run', '0'],
    ['max_statements_per_run', '-1'],
    ['max_statements_per_run', '1.5'],
    ['max_statements_per_run', '١٢'],
    ['max_statements_per_run', '12345678'],
  ] as const)('%s %j is refused by its name', ([name, text]) => {
    let error: unknown;
    try {
      parse(name, text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({kind: 'usage', details: {applied: 'no'}, message: expect.stringContaining(name)});
  });

  test(`every accepted text is stored in a valid form (seed ${SEED})`, () => {
    const texts = fc.oneof(
      fc.string(),
      fc.nat().map(String),
      fc
        .tuple(fc.nat(99_999_999), fc.constantFrom('s', 'm', 'h', 'd', 'w', '.5', '.05', ',000'))
        .map((parts) => parts.join('')),
      fc.domain().map((name) => `https://${name}`),
      fc.constantFrom('true', 'false', 'json', 'form', 'payrex', 'sandbox', 'null', '[]', 'NaN', 'Infinity'),
    );
    let taken = 0;
    fc.assert(
      fc.property(fc.constantFrom(...SETTING_NAMES), texts, (name, text) => {
        let value: unknown;
        try {
          value = parse(name, text);
        } catch {
          return;
        }
        taken++;
        expect(SETTINGS[name].holds(value)).toBe(true);
        expect(JSON.parse(JSON.stringify(value))).toBe(value);
      }),
      {seed: SEED, numRuns: runs(1000)},
    );
    expect(taken).toBeGreaterThan(runs(50));
  });
});

test('limits come only from the file: no variable overrides one', () => {
  const variables = SETTING_NAMES.map((name) => [name, SETTINGS[name].variable]);
  expect(Object.fromEntries(variables)).toEqual({
    base_url: 'CENTAVO_BASE_URL',
    encoding: 'CENTAVO_ENCODING',
    timeout: 'CENTAVO_TIMEOUT',
    read_only: undefined,
    max_amount: undefined,
    max_statements_per_run: undefined,
  });
});

test.for([
  ['base_url', ''],
  ['base_url', 4010],
  ['encoding', 'xml'],
  ['timeout', 0],
  ['timeout', 1.5],
  ['timeout', '30'],
  ['read_only', 'true'],
  ['read_only', 1],
  ['read_only', null],
  ['max_amount', -1],
  ['max_amount', 1e300],
  ['max_amount', '50000'],
  ['max_statements_per_run', 0],
  ['max_statements_per_run', [3]],
] as const)('%s is not %j in the file', ([name, value]) => {
  expect(SETTINGS[name].holds(value)).toBe(false);
});
