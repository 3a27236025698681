// Cells of spreadsheets: exact values, or the fault and its fix in words.

import {expect, test} from 'vitest';
import {
  centavosOfCell,
  dueOfCell,
  pesosOfCell,
  quantityOfCell,
  textOfCell,
  type SheetCell,
} from '../../../src/input/spreadsheet/cells.js';

/** The value, or the code, problem and fix in one text. */
const said = <T>(cell: SheetCell<T>): T | string => ('value' in cell ? cell.value : Object.values(cell).join(' '));

const TOO_FINE = /^invalid_amount A peso has 100 centavos/;
const DOUBTFUL = 'doubtful_number In a file with semicolons, its last three digits may be thousands or decimals. Write';
const DIGITS = /^invalid_\w+ It has digits other than 0 to 9\. Write them as 0 to 9, for example/;
const FORMULA = /It is a formula without its result/;

test.each<[string, RegExp | number | string, commaDecimals?: boolean]>([
  ['8000.0000', 800_000],
  ['8000.500000', 800_050],
  ['8000.000', 800_000],
  ['1,250.500', 125_050],
  ['8.0000', 800],
  ['0.500', 50],
  ['₱ 1 250.5000', 125_050],
  ['8.000', TOO_FINE],
  ['1.500', TOO_FINE],
  ['8000.1250', TOO_FINE],
  ['8000.0001', TOO_FINE],
  ['="8,000.00"', 800_000],
  ['=8000', FORMULA],
  ['="8,000"&"x"', FORMULA],
  ['1,000', 100_000],
  ['1,000', `${DOUBTFUL} 1000, or 1`, true],
  ['₱1,000', `${DOUBTFUL} 1000, or 1`, true],
  ['12,345', `${DOUBTFUL} 12345, or 12.345`, true],
  ['120,500', `${DOUBTFUL} 120500, or 120.5`, true],
  ['100,000', `${DOUBTFUL} 100000, or 100`, true],
  ['1.000', `${DOUBTFUL} 1000, or 1`, true],
  ['1,000.00', 100_000, true],
  ['1,000,000', 100_000_000, true],
  ['1250.50', 125_050, true],
  ['1.250,50', /Write 1250\.50$/, true],
  ['8,000 each', /^invalid_amount It is not an amount in pesos\./],
  ['500 paid', /^invalid_amount/],
  ['five hundred', /^invalid_amount/],
  ['Free', /^invalid_amount/],
  ['٥٠٠', DIGITS],
  ['８０００', DIGITS],
  ['₱８,000', DIGITS],
])('price %j: %s', (written, expected, commaDecimals) => {
  const found = said(pesosOfCell(written, {commaDecimals}));
  if (expected instanceof RegExp) expect(found).toMatch(expected);
  else expect(found).toBe(expected);
});

test.each<[string, RegExp | number | string, commaDecimals?: boolean]>([
  ['1.0000', 1],
  ['1,000', 1000],
  ['1,000', `${DOUBTFUL} 1000, or 1`, true],
  ['1.000', `${DOUBTFUL} 1000, or 1`, true],
  ['2,500', `${DOUBTFUL} 2500, or 2.5`, true],
  ['1000', 1000, true],
  ['1,000,000', 1_000_000, true],
  ['="3"', 3],
  ['３', DIGITS],
  ['٣', DIGITS],
  ['½', /^invalid_quantity/],
])('quantity %j: %s', (written, expected, commaDecimals) => {
  const found = said(quantityOfCell(written, {commaDecimals}));
  if (expected instanceof RegExp) expect(found).toMatch(expected);
  else expect(found).toBe(expected);
});

test('centavos and dates are read from formula texts', () => {
  expect(said(centavosOfCell('="125050"'))).toBe(125_050);
  expect(said(centavosOfCell('１２５'))).toMatch(DIGITS);
  expect(said(dueOfCell('="2027-01-15"', 1_764_200_000))).toBe(said(dueOfCell('2027-01-15', 1_764_200_000)));
});

const NO_VALUE = 'garbled_cell A program wrote it for an empty cell. Clear the cell, or write the text.';
const ENTITY = (name: string) =>
  `garbled_cell It has ${name}, as web pages write a character. Write the character itself: & for &amp;`;

test.each<[string, RegExp | string]>([
  ['', ''],
  [' Reyes & Sons ', 'Reyes & Sons'],
  ['R&D; parts', 'R&D; parts'],
  ['00042', '00042'],
  ['="00042"', '00042'],
  ['="5"" pipe"', '5" pipe'],
  [`'=2 pcs`, '=2 pcs'],
  [`'Tis`, `'Tis`],
  ['=A1', /^garbled_cell It is a formula without its result/],
  ['=SUM("a")', FORMULA],
  ['＝A1', FORMULA],
  ['Reyes &amp; Sons', ENTITY('&amp;')],
  ['rice &#8211; large', ENTITY('&#8211;')],
  ['rice &#x2013; large', ENTITY('&#x2013;')],
  ['a&nbsp;b', ENTITY('&nbsp;')],
  ['a&Ntilde;b', ENTITY('&Ntilde;')],
  ['a&#27;b', ENTITY('&#27;')],
  ['a&#9999999;b', ENTITY('&#9999999;')],
  ['="Reyes &amp; Sons"', ENTITY('&amp;')],
  ['NULL', NO_VALUE],
  ['="NULL"', NO_VALUE],
  ['None', NO_VALUE],
  ['nan', NO_VALUE],
  ['undefined', NO_VALUE],
  ['Nan', 'Nan'],
  ['Null, Ana', 'Null, Ana'],
  ['None of these', 'None of these'],
  ['#N/A', /^garbled_cell The spreadsheet did not show a value\./],
  ['#REF!', /did not show a value/],
  ['####', /did not show a value/],
  ['#12', '#12'],
])('text %j: %s', (written, expected) => {
  if (expected instanceof RegExp) expect(said(textOfCell(written))).toMatch(expected);
  else expect(said(textOfCell(written))).toBe(expected);
});
