// Pesos as people type them: exact centavos, or an error; never a guess or a rounding.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {MAXIMUM_CENTAVOS, MINIMUM_CENTAVOS} from '../../src/api/fields.js';
import {errorLines} from '../../src/cli/dispatch/print-error.js';
import {CentavoError} from '../../src/common/errors.js';
import {valueOrThrow} from '../../src/input/invalid-input.js';
import {readItem, totalAsNumber} from '../../src/input/items.js';
import {readCentavos, readPesos, quote} from '../../src/input/money.js';
import {decimalPesos, formatPesos} from '../../src/common/pesos.js';
import {growthOf, LINEAR} from '../support/far-limits.js';
import {runs} from '../support/test-size.js';

const SEED = 20261219;
const RUNS = {seed: SEED, numRuns: runs(2000)};

const pesos = (text: string) => valueOrThrow(readPesos(text), '--amount');

function refusal(text: string, parse = pesos): CentavoError {
  try {
    parse(text);
  } catch (error) {
    return error as CentavoError;
  }
  throw new Error(`${quote(text)} was accepted`);
}

test.each([
  ['120.50', 12_050],
  ['120.5', 12_050],
  ['120', 12_000],
  ['1,200.50', 120_050],
  ['₱120.50', 12_050],
  ['₱ 120.50', 12_050],
  ['PHP 120.50', 12_050],
  ['59,999,999.99', 5_999_999_999],
  ['20.00', 2000],
  ['19.99', 1999],
  ['60000000', 6_000_000_000],
  ['1,200.5', 120_050],
  ['4.35', 435],
  ['8.20', 820],
  ['0.29', 29],
  ['1001.10', 100_110],
  ['0', 0],
  ['  120 \t', 12_000],
  ['1.15', 115],
  ['90071992547409.91', Number.MAX_SAFE_INTEGER],
])('%s is %i centavos', (text, centavos) => {
  expect(pesos(text)).toBe(centavos);
});

test.each([
  ['59,999,999.991', 'at most two decimals'],
  ['1,20.50', ''],
  ['1234,567', ''],
  ['0,120', ''],
  ['1200,50', '1200.50'],
  ['1.200,50', '1200.50'],
  ['120.', ''],
  ['.50', ''],
  ['120.505', 'at most two decimals'],
  ['120.999', 'at most two decimals'],
  ['0.1+0.2', ''],
  ['=120', ''],
  ['1e3', 'cannot have an exponent'],
  ['0x10', ''],
  ['0b1', ''],
  ['1_000', ''],
  ['NaN', ''],
  ['Infinity', ''],
  ['-120', 'negative'],
  ['\u2212120', 'negative'],
  ['+120', ''],
  ['(120)', 'negative'],
  ['00120', ''],
  ['', ''],
  ['   ', ''],
  ['120 pesos', ''],
  ['$120', 'Only pesos'],
  ['USD 120', 'Only pesos'],
  ['１２０', 'U+FF11'],
  ['١٢٠', 'U+0661'],
  ['1\u00a0200', 'U+00A0'],
  ['120\u200b', 'U+200B'],
  ['1 200', ''],
  ['₱', ''],
  ['₱₱5', ''],
  ['120.50\n130', ''],
  ['90071992547409.92', 'is too large'],
])('%j is refused, with the value and one next step', (text, words) => {
  const error = refusal(text);
  expect(error).toMatchObject({kind: 'usage', code: 'invalid_amount', details: {applied: 'no'}});
  const lines = errorLines(error);
  expect(lines[0]).toContain(quote(text.trim()));
  expect(lines.join(' ')).toContain(words);
  expect(lines.length).toBeLessThanOrEqual(3);
  expect(lines.join(' ')).toContain('Nothing was sent.');
});

test('centavos are whole numbers', () => {
  const centavos = (text: string) => valueOrThrow(readCentavos(text), '--amount-centavos');
  expect(centavos('12050')).toBe(12_050);
  expect(centavos(' 0 ')).toBe(0);
  for (const text of ['120.50', '1,200', '₱120', '-1', '+1', '012', '1e3', '', 'x', '9999999999999999'])
    expect(refusal(text, centavos)).toMatchObject({kind: 'usage', code: 'invalid_amount'});
});

describe(`properties (seed ${SEED})`, () => {
  const amounts = fc.integer({min: MINIMUM_CENTAVOS, max: MAXIMUM_CENTAVOS});

  test('reads back every written amount, with or without sign and commas', () => {
    fc.assert(
      fc.property(amounts, (centavos) => {
        expect(pesos(formatPesos(centavos))).toBe(centavos);
        expect(pesos(decimalPesos(centavos))).toBe(centavos);
        expect(pesos(`PHP ${formatPesos(centavos).slice(1)}`)).toBe(centavos);
      }),
      RUNS,
    );
  });

  test('reads back a sample of all amounts, and every integer limit', () => {
    const edges = [
      1999, 2000, 2_147_483_647, 2_147_483_648, 4_294_967_295, 4_294_967_296, 5_999_999_999, 6_000_000_000,
    ];
    for (const centavos of edges) expect(pesos(formatPesos(centavos))).toBe(centavos);
    let wrong = 0;
    for (let centavos = 2000; centavos <= MAXIMUM_CENTAVOS; centavos += 59_999)
      if (pesos(formatPesos(centavos)) !== centavos) wrong++;
    expect(wrong).toBe(0);
  });

  test('any text is a whole number of centavos, or a usage error of at most three short lines', () => {
    const texts = fc.oneof(
      fc.string({unit: 'binary', maxLength: 60}),
      fc.stringMatching(/^[₱PHP $]{0,4}[\d,.]{0,30}[\s\d.e+-]{0,5}$/),
    );
    fc.assert(
      fc.property(texts, (text) => {
        let centavos: number;
        try {
          centavos = pesos(text);
        } catch (error) {
          expect(error).toBeInstanceOf(CentavoError);
          expect((error as CentavoError).kind).toBe('usage');
          expect(errorLines(error as CentavoError).every((line) => line.length < 450)).toBe(true);
          return;
        }
        expect(Number.isSafeInteger(centavos) && centavos >= 0).toBe(true);
      }),
      RUNS,
    );
  });

  test.each([
    (size: number) => '1'.repeat(size),
    (size: number) => '1,'.repeat(size),
    (size: number) => '.111'.repeat(size),
    (size: number) => ' '.repeat(size),
    (size: number) => `1${' '.repeat(size)}x`,
    (size: number) => '1.111,'.repeat(size),
    (size: number) => '1e1'.repeat(size),
  ])('the time to refuse a hundred thousand characters grows with their number: %#', (text) => {
    expect(growthOf(refusal, text, 100_000)).toBeLessThan(LINEAR);
  });

  test('totals are exact in any order', () => {
    const items = fc.array(
      fc.record({quantity: fc.integer({min: 1, max: 10_000}), unit_price: fc.integer({min: 1, max: 5_000_000})}),
      {minLength: 1, maxLength: 50},
    );
    fc.assert(
      fc.property(items, (list) => {
        const all = list.map((item) => ({description: 'x', ...item}));
        const exact = list.reduce((sum, {quantity, unit_price}) => sum + BigInt(quantity) * BigInt(unit_price), 0n);
        expect(BigInt(totalAsNumber(all))).toBe(exact);
        expect(totalAsNumber(all.toReversed())).toBe(Number(exact));
      }),
      {...RUNS, numRuns: runs(500)},
    );
  });

  test('refuses a total that a number cannot hold exactly', () => {
    const item = valueOrThrow(readItem('Everything x1000000000 @ 60,000,000'), '--item');
    expect(() => totalAsNumber([item])).toThrow(expect.objectContaining({kind: 'usage', code: 'invalid_amount'}));
  });
});
