// Workbooks as other programs write them: their parts, number formats, dates, strikethrough, and sizes.

import {writeXlsx, type Cell, type CellStyle} from 'hucre/xlsx';
import {describe, expect, test} from 'vitest';
import {readSheets, type XlsxRow} from '../../../src/input/spreadsheet/files/xlsx.js';
import {WorkbookParts} from '../../../src/input/spreadsheet/files/zip.js';
import {workbook, zip} from '../../fixtures/spreadsheets/bytes.js';

const DAY = new Date(Date.UTC(2027, 0, 15));
const written = (rows: unknown[][], more: object = {}) =>
  writeXlsx({sheets: [{name: 'June', rows: rows as Cell['value'][][], ...more}]});
const rowsOf = async (bytes: Uint8Array): Promise<readonly XlsxRow[]> =>
  (await readSheets(bytes, 'june.xlsx'))[0]!.rows();

/** Writes the parts of a workbook again. */
async function rewritten(
  change: (name: string, xml: string) => readonly [name: string, data: Buffer | string],
  more: Parameters<typeof zip>[0] = [],
): Promise<Buffer> {
  const {files} = new WorkbookParts(
    await written([
      ['Item', 'Due'],
      ['Niño', DAY],
    ]),
    'june.xlsx',
  );
  const parts = Object.values(files).map(({name, asNodeBuffer}) => change(name, asNodeBuffer().toString('utf8')));
  return zip([...parts.map(([name, data]) => ({name, data})), ...more]);
}

const CHART = {
  name: 'xl/chartsheets/sheet1.xml',
  data: '<chartsheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>',
};
const CHART_TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/chartsheet';

test.each<[string, () => Promise<Buffer>]>([
  ['as they are', () => rewritten((name, xml) => [name, xml])],
  ['with backslashes', () => rewritten((name, xml) => [name.replaceAll('/', '\\'), xml])],
  ['in UTF-16', () => rewritten((name, xml) => [name, Buffer.from(`\uFEFF${xml}`, 'utf16le')])],
  [
    'around book.xml',
    () => rewritten((...part) => part.map((text) => text.replaceAll('workbook.xml', 'book.xml')) as [string, string]),
  ],
  ['with a manifest', () => rewritten((name, xml) => [name, xml], [{name: 'META-INF/manifest.xml', data: '<x/>'}])],
  [
    'with an ISO date',
    () =>
      rewritten((name, xml) => [
        name,
        xml.replace(/(<c r="B2"[^>]*)><v>.*?(?=<\/v>)/, '$1 t="d"><v>2027-01-15T00:00:00'),
      ]),
  ],
  [
    'after a chart',
    () =>
      rewritten(
        (name, xml) => [
          name,
          xml
            .replace('<sheets>', '<sheets><sheet name="Chart" sheetId="9" r:id="rId99"/>')
            .replace(
              /(?=<\/Relationships>)/,
              name.includes('workbook')
                ? `<Relationship Id="rId99" Type="${CHART_TYPE}" Target="chartsheets/sheet1.xml"/>`
                : '',
            ),
        ],
        [CHART],
      ),
  ],
])('reads the parts %s', async (_, make) => {
  expect(await rowsOf(await make())).toMatchObject([{cells: ['Item', 'Due']}, {cells: ['Niño', '2027-01-15']}]);
});

describe('number formats', () => {
  const read = async (format: string, value: unknown) => {
    const [row] = await rowsOf(await written([[value]], {cells: new Map([['0,0', {value, style: {numFmt: format}}]])}));
    return [row!.cells[0], row!.shown?.get(0)];
  };

  test.each([
    ['"USD" #,##0.00', 1500.5, 'USD 1500.5', 'USD 1,500.50'],
    ['\\$#,##0.00', 1500.5, '$1500.5', '$1,500.50'],
    ['"RM"#,##0.00', 1500.5, 'RM1500.5', 'RM1,500.50'],
    ['General" USD"', 1500.5, 'USD 1500.5', '1500.5 USD'],
    ['#,##0.00 "per 100"', 1500.5, 'per 1500.5', '1,500.50 per 100'],
    ['[$₱-3409]#,##0.00', 1500.5, '1500.5', '₱1,500.50'],
    ['₱#,##0.00;-₱#,##0.00', 1500.5, '1500.5', '₱1,500.50'],
    ['"PHP "#,##0', 1500.5, '1500.5', 'PHP 1,501'],
    ['_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)', -1500.5, '-1500.5', '(1,500.50)'],
    ['#,##0,', 1_500_000, '1,500 = 1500000', '1,500'],
    ['#,##0",000"', 1500, '1,500,000 = 1500', '1,500,000'],
    ['(#,##0)', 1500, '(1,500) = 1500', '(1,500)'],
    [';;;', 1500, 'hidden = 1500', ''],
    ['00000', 42, '42', '00042'],
    ['"INV-"0000', 43, 'INV43', 'INV-0043'],
    ['0000-000-0000', 9_171_234_567, '9171234567', '0917-123-4567'],
    ['mmm-yy', new Date(Date.UTC(2026, 5, 1)), '2026-06-01', 'Jun-26'],
    ['h:mm AM/PM', 17 / 24, '1899-12-31T17:00:00+08:00', '5:00 PM'],
    ['yyyy-mm-dd', 9_171_234_567, '9171234567 (yyyy-mm-dd)', undefined],
    ['"No. "@', '42', '42', 'No. 42'],
    ['General', 0.1 + 0.2, '0.3', undefined],
    ['@', 639_171_234_567, '639171234567', undefined],
  ])('%s of %d is %s', async (format, value, cell, shown) => {
    expect(await read(format, value)).toEqual([cell, shown]);
  });
});

test('says what is struck through, in whole or in part, and which columns are hidden', async () => {
  const struck: CellStyle = {font: {strikethrough: true}};
  const cell = (value: string, style?: CellStyle) => ({value, style});
  const cells = new Map([
    ['1,0', cell('Rent', struck)],
    ['1,1', cell('500', struck)],
    ['2,1', cell('600', struck)],
    [
      '3,1',
      cell('700', {
        font: {strikethrough: false, bold: true},
        fill: {type: 'pattern', pattern: 'solid', fgColor: {rgb: 'FFFF00'}},
      }),
    ],
  ]);
  const rows = [
    ['Item', 'Price', 'Note'],
    ['Rent', '500'],
    ['Water', '600', 'x'],
    ['Power', '700'],
  ];
  const [sheet] = await readSheets(await written(rows, {cells, columns: [{}, {}, {hidden: true}]}), 'june.xlsx');
  expect(sheet!.rows().flatMap(({faults}) => faults.map(({cell: at, code}) => `${at} ${code}`))).toEqual([
    '2:2 struck_row',
    'B3 struck_cell',
  ]);
  expect([...sheet!.hiddenColumns]).toEqual([2]);
});

test('sees a strike in a part of the text', async () => {
  const strike = '<r><rPr><strike/></rPr><t>Niña</t></r><r><t>Niño</t></r>';
  const [, row] = await rowsOf(await rewritten((name, xml) => [name, xml.replace('<t>Niño</t>', strike)]));
  expect(row).toMatchObject({cells: ['NiñaNiño', '2027-01-15'], faults: [{cell: 'A2', code: 'struck_cell'}]});
});

test('refuses more than 34 MB of cells', async () => {
  const [sheet] = await readSheets(workbook('<row/>'.repeat(6_000_000)), 'june.xlsx');
  expect(() => sheet!.rows()).toThrow('june.xlsx: it has more than 34 MB of cells.');
});
