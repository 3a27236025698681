// Line items in one text.

import {expect, test} from 'vitest';
import {errorLines} from '../../src/cli/dispatch/print-error.js';
import {CentavoError} from '../../src/common/errors.js';
import {valueOrThrow} from '../../src/input/invalid-input.js';
import {readItem} from '../../src/input/items.js';
import {growthOf, LINEAR} from '../support/far-limits.js';

const item = (text: string) => valueOrThrow(readItem(text), '--item');

test.each([
  ['Web design x2 @ 15,000', 'Web design', 2, 1_500_000],
  ['Web design × 2 @ 15,000', 'Web design', 2, 1_500_000],
  ['Web design X2 @ ₱15,000.50', 'Web design', 2, 1_500_050],
  ['Web design ×2@15000', 'Web design', 2, 1_500_000],
  ['Hosting @ 500', 'Hosting', 1, 50_000],
  ['  Hosting   @ PHP 500  ', 'Hosting', 1, 50_000],
  ['Mailbox a@shop.example x3 @ 99.50', 'Mailbox a@shop.example', 3, 9950],
  ['Dinner @ Luneta @ 1,250.50', 'Dinner @ Luneta', 1, 125_050],
  ['iPhone xR @ 20,000', 'iPhone xR', 1, 2_000_000],
  ['Type x @ 20', 'Type x', 1, 2000],
  ['Lumber 2x4 x10 @ 120', 'Lumber 2x4', 10, 12_000],
  ['Box x2 x3 @ 5', 'Box x2', 3, 500],
  ['2x Pens @ 12.50', 'Pens', 2, 1250],
  ['2 × Pens @ 12.50', 'Pens', 2, 1250],
  ['2x4 lumber @ 120', '2x4 lumber', 1, 12_000],
  ['2x Pens x1 @ 5', '2x Pens', 1, 500],
  ['Pens @ P75', 'Pens', 1, 7500],
  ['Pens x3 @ Php 75.50', 'Pens', 3, 7550],
  ['Pens @ 75 pesos', 'Pens', 1, 7500],
  ['Pens x2 @ ₱75 each', 'Pens', 2, 7500],
  ['Pens ₱75', 'Pens', 1, 7500],
  ['Pens x2 ₱1,075.25', 'Pens', 2, 107_525],
  ['2x Pens 75 pesos', 'Pens', 2, 7500],
  ['Pens 75 php each', 'Pens', 1, 7500],
  ['Ñandú 😀 "quoted" x1 @ 20', 'Ñandú 😀 "quoted"', 1, 2000],
  ['Web\tdesign x2 @ 20', 'Web\tdesign', 2, 2000],
  ['Web\ndesign x2 @ 20', 'Web\ndesign', 2, 2000],
  ['Sticker @ 0.01', 'Sticker', 1, 1],
])('%j is %j, %i of them at %i centavos', (text, label, quantity, unitPrice) => {
  expect(item(text)).toEqual({description: label, quantity, unit_price: unitPrice});
});

test.each([
  ['Web design', 'invalid_item', 'no @ before its price'],
  ['', 'invalid_item', 'no @'],
  ['@ 500', 'invalid_item', 'no description'],
  ['x2 @ 100', 'invalid_item', '--item "Web design x2 @ 15,000"'],
  ['×2 @ 100', 'invalid_item', 'no description'],
  ['₱75', 'invalid_item', 'no @'],
  ['Hosting 6500', 'invalid_item', '"Hosting @ 6500"'],
  ['Pens P75', 'invalid_item', '"Pens @ 75"'],
  ['Web design @', 'invalid_amount', 'price'],
  ['Web design @ soon', 'invalid_amount', 'price'],
  ['Web design @ -5', 'invalid_amount', 'negative'],
  ['Pens @ 0', 'invalid_price', 'has a price of zero'],
  ['Pens x3 @ ₱0.00', 'invalid_price', '"Pens x3 @ ₱0.00"'],
  ['Web design x0 @ 5', 'invalid_quantity', '"0"'],
  ['Web design x-1 @ 5', 'invalid_quantity', '"-1"'],
  ['Web design x1.5 @ 5', 'invalid_quantity', '"1.5"'],
  ['Web design x01 @ 5', 'invalid_quantity', '"01"'],
  ['Web design x1e2 @ 5', 'invalid_quantity', '"1e2"'],
  ['Web design x9007199254740993 @ 5', 'invalid_quantity', ''],
  ['Web design x1000000001 @ 5', 'invalid_quantity', ''],
])('%j is refused: %s', (text, code, words) => {
  let error: CentavoError | undefined;
  try {
    item(text);
  } catch (thrown) {
    error = thrown as CentavoError;
  }
  expect(error).toMatchObject({kind: 'usage', code});
  expect(errorLines(error!).join(' ')).toContain(words);
});

test.each([
  (size: number) => `${'a '.repeat(size)}@ 5`,
  (size: number) => `${' x1'.repeat(size)} @ 5`,
  (size: number) => `a${' '.repeat(size)}x @ 5`,
  (size: number) => '@'.repeat(size),
])('the time to read an item of a hundred thousand characters grows with their number: %#', (text) => {
  const read = (given: string) => {
    try {
      item(given);
    } catch {}
  };
  expect(growthOf(read, text, 100_000)).toBeLessThan(LINEAR);
});

test('explains a price without the words around it', () => {
  expect(() => item('Pens @ soon')).toThrow(
    expect.objectContaining({details: expect.objectContaining({hint: 'For example: 1,250.50'})}),
  );
});

test('refuses a deduction, which would be billed on top', () => {
  expect(() => item('Less: downpayment @ 5000')).toThrow('looks like a deduction, but would be added to the total');
  expect(() => item('Discount @ -200')).toThrow('"-200" is not an amount in pesos');
});
