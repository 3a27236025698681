// Items as people type and paste them: list marks, spreadsheet rows, and errors for invalid lines.

import {expect, test} from 'vitest';
import type {InvalidInput} from '../../src/input/invalid-input.js';
import {pastedLines, readTypedItem} from '../../src/input/typed-items.js';

test.each([
  ['Web design x2 @ 15,000', 'Web design', 2, 1_500_000],
  ['2x Pens @ 12.50', 'Pens', 2, 1250],
  ['- Pens @ 75', 'Pens', 1, 7500],
  ['* Pens @ ₱75', 'Pens', 1, 7500],
  ['• Pens ₱75', 'Pens', 1, 7500],
  ['1. Pens @ P75', 'Pens', 1, 7500],
  ['12) Pens 75 pesos', 'Pens', 1, 7500],
  ['Cement, 40 kg\t120\t265', 'Cement, 40 kg', 120, 26_500],
  ['Cement, 40 kg\t265.00', 'Cement, 40 kg', 1, 26_500],
  ['Cement\t1,200\t₱265.00', 'Cement', 1200, 26_500],
  ['Cement\t2.00\t265', 'Cement', 2, 26_500],
  ['Cement\t2\t265\t530.00', 'Cement', 2, 26_500],
  ['1\tCement\t2\t265', 'Cement', 2, 26_500],
  ['3\tCement\t265', 'Cement', 1, 26_500],
  ['Cement\tx2 @ 20', 'Cement', 2, 2000],
  ['Niño’s   cake @ 1,250', 'Niño’s cake', 1, 125_000],
])('%j is %j, %i of them at %i centavos', (line, text, quantity, unitPrice) => {
  expect(readTypedItem(line)).toEqual({item: {description: text, quantity, unit_price: unitPrice}});
});

test.each([
  ['Hosting 6500', 'No price. Did you mean: Hosting @ 6500'],
  ['Ube 3 x 75', 'No price. Did you mean: Ube x3 @ 75'],
  ['Ube 3 pcs x 75', 'No price. Did you mean: Ube x3 @ 75'],
  ['Ube 3 gal x 75', 'No price. Example: Web design x2 @ 15,000'],
  ['Ube 3x75', 'No price. Did you mean: Ube x3 @ 75'],
  ['Pens P75', 'No price. Did you mean: Pens @ 75'],
  ['Delivery', 'No price. Example: Web design x2 @ 15,000'],
  ['x2 @ 100', 'No description. Example: Web design x2 @ 15,000'],
  ['@ 100', 'No description. Example: Web design x2 @ 15,000'],
  ['Pens @ 0', 'The price is zero; the minimum is ₱0.01.'],
  ['Pens x0 @ 5', 'The quantity is not a whole number of at least 1. Example: Web design x2 @ 15,000'],
  ['Pens @ -5', 'It is a deduction, and a price cannot be negative. Subtract it from the price of another item.'],
  ['Pens @ $5', /^Only pesos/],
  ['Pens @ 12,5', /comma/],
  ['Pens @ soon', 'The price "soon" is not an amount in pesos. Example: Web design x2 @ 15,000'],
  ['Cement\t2\t265\t600', /^Its columns are ambiguous/],
  ['Pens\t2\t100\t150', /^Its columns are ambiguous/],
  ['Pens\t2\t100\t199.99', /^Its columns are ambiguous/],
  ['Pens\t2\t100\t200.01', /^Its columns are ambiguous/],
  ['1\tPens\t2\t100\t150', /^Its columns are ambiguous/],
])('%j is refused: %s', (line, fault) => {
  const {problem = 'accepted'} = readTypedItem(line) as Partial<InvalidInput>;
  if (fault instanceof RegExp) expect(problem).toMatch(fault);
  else expect(problem).toBe(fault);
});

test.each([
  ['Pancit bilao 3 @ 450', 'Pancit bilao', '3'],
  ['Glue 3pcs @ 450', 'Glue', '3'],
  ['Glue 12 pcs. @ 450', 'Glue', '12'],
  ['3 Pads @ 450', 'Pads', '3'],
  ['x3 Pads @ 450', 'Pads', '3'],
  ['3xGlue @ 450', 'Glue', '3'],
  ['3×Glue @ 450', 'Glue', '3'],
  ['3pcs Glue @ 450', 'Glue', '3'],
  ['3 pieces of Glue @ 450', 'Glue', '3'],
  ['３ Pads @ 450', 'Pads', '3'],
])('%j may hold a quantity and asks about it', (line, text, count) => {
  const {question} = readTypedItem(line) as {question: string};
  expect(question).toContain(`Is ${count} the quantity? Then write: ${text} x${count} @ 450.`);
  expect(readTypedItem(`${text} x${count} @ 450`)).toEqual({
    item: {description: text, quantity: Number(count), unit_price: 45_000},
  });
});

test.each(['2x4 Lumber @ 450', '3D print @ 450', 'A4 paper @ 450', 'Xerox @ 450', 'Room 12B @ 450'])(
  '%j is a name: nothing is asked',
  (line) =>
    expect(readTypedItem(line)).toEqual({item: {description: line.slice(0, -6), quantity: 1, unit_price: 45_000}}),
);

test('a line may have 500 characters', () => {
  const lineOf = (length: number) => `${'x'.repeat(length - 4)} @ 5`;
  expect(readTypedItem(lineOf(500))).toHaveProperty('item');
  const problem = 'It is 501 characters long; the limit is 500.';
  expect(readTypedItem(lineOf(501))).toMatchObject({problem});
});

test('suggestions are valid items', () => {
  for (const line of ['Hosting 6500', 'Pens P75', 'Web design x2 15,000.50']) {
    const {problem} = readTypedItem(line) as InvalidInput;
    expect(readTypedItem(problem.split('Did you mean: ')[1]!)).toHaveProperty('item');
  }
});

test('splits pasted lines at any line break; skips blank lines', () => {
  expect(pastedLines('Pens\t2\t75\r\n\r\n  \rPaper @ 5\nInk @ 7\n')).toEqual(['Pens\t2\t75', 'Paper @ 5', 'Ink @ 7']);
});

test.each(['Total\t500', 'Total 500', 'Total @ 500', 'Grand total\t1\t500', 'Amount due: ₱500'])(
  '%j is no item',
  (text) => {
    expect((readTypedItem(text) as InvalidInput).text).toContain('looks like a total');
  },
);

test.each(['Less: downpayment 5000', 'Less: downpayment @ 5000', 'Bawas @ 200'])(
  '%s is no item, since it would be billed on top',
  (text) => {
    expect((readTypedItem(text) as InvalidInput).text).toMatch(
      /^It looks like a deduction, but would be added to the total\./,
    );
    expect(readTypedItem('Lesson plan @ 200')).toMatchObject({item: {description: 'Lesson plan'}});
  },
);

test.each([
  ['Discount @ -200', 'It is a deduction, and a price cannot be negative.'],
  ['Promo @ -200', 'It is a deduction, and a price cannot be negative.'],
  ['less 10%', 'It looks like a deduction.'],
])('%s is answered as a deduction, not as an item that is added', (text, words) => {
  const answer = (readTypedItem(text) as InvalidInput).text;
  expect(answer).toContain(`${words} Subtract it from`);
});

test('a quantity before a unit is asked about', () => {
  expect(readTypedItem('consulting x2 hrs @ 500')).toMatchObject({
    question:
      'Is 2 the quantity? Then write: consulting, hrs x2 @ 500. Press Enter again for one item named “consulting x2 hrs”.',
  });
});
