// Rows of CSV: blanks around quotation marks, text written as a formula, and what is refused.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {csvRows, findSeparator} from '../../../src/input/spreadsheet/files/csv.js';
import {runs} from '../../support/test-size.js';

/** The cells of each row; the problem of a row that cannot be read. @param at where the text is cut into pieces */
async function rowsOf(text: string, separator = ',', at: readonly number[] = []) {
  const lines = text.split(/(?<=\n)/);
  const pieces = [0, ...at].map((from, index) => ({
    text: lines.slice(from, at[index]).join(''),
    line: from + 1,
  }));
  const rows: (string | readonly string[])[] = [];
  const source = async function* () {
    yield* pieces;
  };
  for await (const row of csvRows(source(), separator)) rows.push('cells' in row ? row.cells : row.problem);
  return rows;
}

const AFTER = 'There is text after a closing quotation mark.';
const MIDDLE = 'There is a quotation mark in the middle of a cell.';

test.each<[string, string, (string | string[])[]]>([
  [',', '"No", "Rent, June" ,\t"8,000.00"', [['No', 'Rent, June', '8,000.00']]],
  ['\t', ' "a"\t\t "b" \tc', [['a', '', 'b', 'c']]],
  [';', 'a ; " b " ;c', [['a', ' b ', 'c']]],
  ['|', ' "a" | "b"', [['a', 'b']]],
  [',', '"Web"s,1', [AFTER]],
  [',', '"Web" s,1', [AFTER]],
  [',', ' "Web"s,1', [AFTER]],
  [',', 'We"b,1', [MIDDLE]],
  [',', '="00042",="a, b",x', [['="00042"', '="a, b"', 'x']]],
  ['|', 'x| ="5"" pipe" |="1"', [['x', '="5"" pipe"', '="1"']]],
  [
    ',',
    '"x,="",y",="1"\nz,"="',
    [
      ['x,=",y', '="1"'],
      ['z', '='],
    ],
  ],
  [',', '"=""00042""",1', [['="00042"', '1']]],
  [',', '="a"b,1', [MIDDLE]],
  [',', '=SUM("a","b"),1', [MIDDLE]],
])('separated by %j: %j', async (separator, text, rows) => {
  expect(await rowsOf(text, separator)).toEqual(rows);
});

test('a formula text is read like the same cell in quotation marks, in pieces of any length', async () => {
  const text = fc.string({unit: fc.constantFrom(...'a0 ,;"=\n'), maxLength: 6});
  const cell = fc.record({text, isFormula: fc.boolean()});
  const table = fc.array(fc.tuple(cell, cell), {minLength: 1, maxLength: 6});
  const quoted = (words: string) => `"${words.replaceAll('"', '""')}"`;
  const cuts = fc.array(fc.integer({min: 1, max: 12}), {maxLength: 4});
  await fc.assert(
    fc.asyncProperty(table, cuts, async (rows, at) => {
      const cells = rows.map((row) =>
        row.map(({text: words, isFormula}) => (isFormula ? `=${quoted(words.replaceAll('\n', ''))}` : words)),
      );
      const lines = cells.map((row) =>
        row.map((words, index) => (words.startsWith('="') && index === 0 ? words : quoted(words))).join(','),
      );
      const source = lines.join('\n');
      // Only whole formula texts stand without quotation marks.
      fc.pre(rows.every(([{text: words, isFormula}]) => isFormula || !words.startsWith('="')));
      const sorted = [...new Set(at)].sort((a, b) => a - b);
      expect(await rowsOf(source, ',', sorted)).toEqual(cells);
    }),
    {numRuns: runs(400)},
  );
});

test('the separator is found with blanks before quotation marks and formula texts below', async () => {
  const isHeader = (cells: readonly string[]) => cells.includes('Email') && cells.length > 1;
  const found = await findSeparator('Report\n"No"; "Email"\n="1";a\n', 'x.csv', isHeader);
  expect(found).toEqual({separator: ';', skip: 0});
});
