// Items and statements in spreadsheets: values, errors, and the memory of a long file.

import {isUtf8} from 'node:buffer';
import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {errorLines, errorObject} from '../../../src/cli/dispatch/print-error.js';
import {CentavoError} from '../../../src/common/errors.js';
import type {InvalidInput} from '../../../src/input/invalid-input.js';
import {
  ITEM_COLUMNS,
  STATEMENT_COLUMNS,
  readAnswer,
  type ColumnAnswer,
} from '../../../src/input/spreadsheet/meanings.js';
import {readItems} from '../../../src/input/spreadsheet/items.js';
import {readSpreadsheet, type ReadSpreadsheetOptions} from '../../../src/input/spreadsheet/read.js';
import {RowErrors} from '../../../src/input/spreadsheet/row-errors.js';
import {utf16be, utf16le, windows1252} from '../../fixtures/spreadsheets/bytes.js';
import {runs} from '../../support/test-size.js';

/** Answers by header. */
const answers = (...all: readonly (readonly [header: string, means: string])[]) =>
  new Map(all.map(([header, means]) => [header.toLowerCase(), readAnswer(means, STATEMENT_COLUMNS) as ColumnAnswer]));

const open = (source: Uint8Array | string) => () => [Buffer.from(source)];
const read = async (source: Uint8Array | string) => (await readItems(open(source), 'items.csv')).items;

/** Reads the columns of statements, and throws their faults as a command does. */
async function statementColumns(source: string, map?: Map<string, ColumnAnswer>) {
  const sheet = await readSpreadsheet(open(source), {file: 'x.csv', layout: STATEMENT_COLUMNS, ...(map && {map})});
  const faults = new RowErrors(sheet.decision);
  faults.add(...sheet.faults);
  if (faults.count > 0) throw faults.error('x.csv');
  return sheet;
}

async function refusal(promise: Promise<unknown>): Promise<{error: CentavoError; words: string}> {
  const error = (await promise.catch((thrown: unknown) => thrown)) as CentavoError;
  expect(error).toBeInstanceOf(CentavoError);
  expect(error.kind).toBe('usage');
  return {error, words: errorLines(error).join(' ')};
}

describe('items', () => {
  const WEB = {description: 'Web design', quantity: 2, unit_price: 1_500_000};
  const HOST = {description: 'Hosting', quantity: 1, unit_price: 50_000};
  const TWO = ['description,quantity,unit_price', 'Web design,2,"15,000"', 'Hosting,1,500'];

  test.each([
    ['lines that end in LF', `${TWO.join('\n')}\n`],
    ['lines that end in CRLF', `${TWO.join('\r\n')}\r\n`],
    ['lines that end in CR', `${TWO.join('\r')}\r`],
    ['no end of the last line', TWO.join('\n')],
    ['a byte order mark', `\uFEFF${TWO.join('\r\n')}`],
    ['blank lines', `\n${TWO.join('\n\n')}\n\n`],
    [
      'spaces around the names and values',
      'description , quantity, unit_price \n Web design ,2 ,15000\nHosting, 1 , 500 ',
    ],
    ['names in capitals', `Description,QUANTITY,Unit_Price\n${TWO.slice(1).join('\n')}`],
    ['columns in another order', 'unit_price,description,quantity\n"₱15,000.00",Web design,2\n500,Hosting,1'],
    ['prices in centavos', 'description,quantity,unit_price_centavos\nWeb design,2,1500000\nHosting,1,50000'],
    [
      'either price in either row',
      'description,quantity,unit_price,unit_price_centavos\nWeb design,2,,1500000\nHosting,1,500,',
    ],
    ['a total that is right', 'Item,Qty,Price,Total\nWeb design,2,15000,"₱30,000.00"\nHosting,1,500,'],
  ])('are read with %s', async (_, source) => {
    expect(await read(source)).toEqual([WEB, HOST]);
  });

  test('keep quotes, commas and line breaks inside quotes', async () => {
    const [only] = await read('description,unit_price\r\n"5"" pipe, blue\r\nand long","1,250.50"\r\n');
    expect(only).toEqual({description: '5" pipe, blue\nand long', quantity: 1, unit_price: 125_050});
  });

  test('keep __proto__ as a description and as a column', async () => {
    const items = await read('description,unit_price,__proto__\n__proto__,20,');
    expect(items).toEqual([{description: '__proto__', quantity: 1, unit_price: 2000}]);
    expect(({} as {polluted?: unknown}).polluted).toBeUndefined();
  });

  test.each(['Pens,1,0', 'Pens,1,₱0.00', 'Pens,2,"0.0"'])('with a price of zero are refused: %s', async (row) => {
    const {error} = await refusal(read(`${TWO.join('\n')}\n${row}\n`));
    expect(error.details.faults).toEqual([expect.objectContaining({line: 4, code: 'invalid_price'})]);
  });

  test.each(['150', '250', '199.99', '200.01'])('with a total of %s are refused, because it is 200', async (total) => {
    const differs = expect.objectContaining({code: 'total_differs', value: total});
    for (const source of [`Item,Qty,Price,Total\nPens,2,100,${total}`, `Item,Qty,Price\nPens,2,100\nTotal,,${total}`])
      expect((await refusal(read(source))).error.details.faults).toEqual([differs]);
  });

  test('list up to twenty faults as data', async () => {
    const rows = Array.from({length: 30}, (_, at) => `Item ${at},1,x`);
    const {error, words} = await refusal(read(['Item,Qty,Price', ...rows].join('\n')));
    expect(words).toContain('lines 2 to 31, column "Price", "x": It is not an amount in pesos.');
    const {faults} = (errorObject(error) as {error: {faults: unknown[]}}).error;
    expect(faults).toHaveLength(20);
    expect(faults[0]).toEqual({
      line: 2,
      column: 'Price',
      value: 'x',
      code: 'invalid_amount',
      problem: expect.any(String),
      fix: expect.any(String),
    });
  });

  test('list other faults besides a fault in every row', async () => {
    const rows = Array.from({length: 60}, (_, at) => `Item ${at},${at === 40 ? '1.5' : '1'},${at === 50 ? '0' : 'x'}`);
    const {error, words} = await refusal(read(['Item,Qty,Price', ...rows].join('\n')));
    expect(words).toContain('has 61 faults.');
    expect(words).toContain('lines 2 to 51 and 53 to 61, column "Price", "x": It is not an amount in pesos.');
    const lines = error.details.faults!.map(({line, code}) => `${line} ${code}`);
    expect(lines).toHaveLength(20);
    expect(lines.slice(-2)).toEqual(['42 invalid_quantity', '52 invalid_price']);
  });

  test('count all faults and name some lines of each kind', async () => {
    const rows = Array.from({length: 4000}, (_, at) => `Item ${at},${at % 2 ? '1' : '0'},${1 + (at % 9)}.0${at}`);
    const {words} = await refusal(read(['Item,Qty,Price', ...rows].join('\n')));
    expect(words).toMatch(/has 5,\d{3} faults of 2 kinds, the first of each below\./);
    expect(words).toContain('lines 2, 4, 6, 8, 10, 12, 14, 16 and more, column "Qty", "0": A quantity');
  });

  test.each([
    ['the third line', 'description,unit_price\na,20\nb,x', 3],
    ['a line after a blank one', 'description,unit_price\na,20\n\nb,x', 4],
    ['a line of CRLF lines', 'description,unit_price\r\na,20\r\nb,x\r\n', 3],
    ['a line after one that goes on', 'description,unit_price\r\n"a\r\na",20\r\nb,x', 4],
    ['a line after sep=', 'sep=,\ndescription,unit_price\nb,x', 3],
  ])('name the line of a fault in %s', async (_, source, line) => {
    expect((await refusal(read(source))).words).toContain(`items.csv, line ${line}, column "unit_price", "x"`);
  });
});

/** Every row of a file: the texts of these fields. */
async function tableOf(bytes: Uint8Array, options: ReadSpreadsheetOptions, pieces = 7): Promise<string[][]> {
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  const parts = Array.from({length: Math.ceil(bytes.length / size)}, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const {rows} = await readSpreadsheet(() => parts, options);
  const table: string[][] = [];
  for await (const {cells, faults} of rows) {
    if (faults.length > 0) throw new CentavoError('usage', faults[0]!.problem);
    table.push(['description', 'quantity', 'unit_price'].map((field) => cells.get(field) ?? ''));
  }
  return table;
}

describe('any table', () => {
  const cell = fc.oneof(
    fc.string({unit: fc.constantFrom(...' ,;|\t"\'\nñÑé₱–’aB10.='), maxLength: 8}),
    fc.string({unit: 'grapheme', maxLength: 6}),
    fc.constantFrom('15,000', '1.250,50', 'sep=;', '"', '""', 'Niño', 'Ã±', 'a\r\nb', 'Item', 'Price'),
  );
  const dialect = fc.record({
    separator: fc.constantFrom(',', ';', '\t', '|'),
    end: fc.constantFrom('\n', '\r\n', '\r'),
    quoted: fc.boolean(),
    last: fc.boolean(),
    named: fc.boolean(),
    encode: fc.constantFrom<(text: string) => Buffer>(
      (text) => Buffer.from(text),
      (text) => Buffer.from(`\uFEFF${text}`),
      (text) => utf16le(`\uFEFF${text}`),
      (text) => utf16be(`\uFEFF${text}`),
      utf16le,
      windows1252,
    ),
    header: fc.constantFrom(['Item', 'Qty', 'Unit Price'], ['description', 'quantity', 'unit_price']),
    pieces: fc.integer({min: 1, max: 40}),
  });

  /** As read: trimmed, with LF line breaks. */
  const normal = (text: string): string => text.replace(/\r\n?/g, '\n').trim();

  test('is read back as it was written, or refused', async () => {
    const rows = fc.array(fc.tuple(cell, cell, cell), {minLength: 1, maxLength: 5});
    let same = 0;
    await fc.assert(
      fc.asyncProperty(rows, dialect, async (table, {separator, end, quoted, last, named, encode, header, pieces}) => {
        const write = (text: string): string =>
          quoted || /[\r\n"]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
        const lines = [header, ...table].map((row) => row.map(write).join(separator));
        const source = (named ? `sep=${separator}${end}` : '') + lines.join(end) + (last ? end : '');
        const bytes = encode(source);
        // Characters outside the encoding are lost before reading.
        // `Ñ–` has the bytes of another text in UTF-8, and is read as that.
        if (encode === windows1252 && /[^\0-\u007f]/.test(source) && isUtf8(bytes)) return;
        if (encode === windows1252 && [...source].some((each) => each > '\u007f' && !'–’ñÑé'.includes(each))) return;
        let found: string[][];
        try {
          found = await tableOf(bytes, {file: 'x', layout: ITEM_COLUMNS}, pieces);
        } catch (error) {
          expect(error).toBeInstanceOf(CentavoError);
          return;
        }
        same++;
        expect(found).toEqual(table.map((row) => row.map(normal)).filter((row) => row.some(Boolean)));
      }),
      {numRuns: runs(600)},
    );
    expect(same).toBeGreaterThan(runs(200));
  });
});

describe('statements', () => {
  test('are read by column names, or by a column mapping', async () => {
    const source = [
      'Invoice No.,E-mail,Company,Particulars,Qty,Price,Due,metadata.order,Metadata.Branch,Remark',
      'A-1,ana@example.com,Ana,Web design,2,500,2026-12-15,77,Cebu,x',
      'A-1,ana@example.com,Ana,Hosting,1,75,2026-12-15,77,Cebu,',
    ].join('\n');
    const map = answers(['Remark', 'description']);
    const {rows, fields, notes} = await readSpreadsheet(open(source), {file: 'x.csv', layout: STATEMENT_COLUMNS, map});
    expect([...fields]).toEqual([
      'external_id',
      'customer_email',
      'customer_name',
      'item',
      'quantity',
      'unit_price',
      'due',
      'metadata.order',
      'metadata.Branch',
      'description',
    ]);
    expect(notes).toEqual([]);
    const found: Record<string, string>[] = [];
    for await (const {cells} of rows) found.push(Object.fromEntries(cells));
    expect(found).toEqual([
      expect.objectContaining({external_id: 'A-1', item: 'Web design', 'metadata.order': '77', description: 'x'}),
      expect.objectContaining({external_id: 'A-1', item: 'Hosting', description: ''}),
    ]);
  });

  test('list the columns if a mapped one is missing', async () => {
    const {words} = await refusal(statementColumns('ref,item,price\na,b,1\n', answers(['Rate', 'unit_price'])));
    expect(words).toContain('it has no column "rate"');
    expect(words).toContain('"ref", "item", "price"');
  });
});

test('uses a lone amount-due column as a price only if mapped', async () => {
  const source = 'email,item,Amount Due\na@b.example,b,1500\n';
  expect((await refusal(statementColumns(source))).words).toContain(`add --map 'Amount Due=unit_price'`);
  const map = answers(['Amount Due', 'amount']);
  expect((await statementColumns(source, map)).fields).toContain('unit_price');
  // Beside a quantity it is the total, which is divided.
  const counted = await statementColumns('email,item,Qty,Amount Due\na@b.example,b,2,1500\n', map);
  expect([...counted.fields]).toEqual(['customer_email', 'item', 'quantity', 'amount']);
});

test('beside an email address, an answer names the customer, or else the first of several names', async () => {
  const source = 'Student,Parent,Email,Item,Price\nMia,Rita,rita@example.com,Books,200\n';
  const customerOf = async (...map: [column: string, meaning: string][]) => {
    const {decision} = await statementColumns(source, answers(...map));
    return decision.columns.flatMap(({means, column}) => (means === 'customer' ? column.name : []));
  };
  expect(await customerOf(['parent', 'ignore'])).toEqual(['Student']);
  expect(await customerOf(['parent', 'customer'])).toEqual(['Parent']);
  expect(await customerOf(['parent', 'customer_name'])).toEqual([]);
});

test('refuses an unknown meaning in an answer', () => {
  const {problem, details} = readAnswer('rate', STATEMENT_COLUMNS) as InvalidInput;
  expect(problem).toContain('"rate" is not a meaning');
  expect(details.hint).toMatch(/external_id, .*unit_price, .*metadata\.<name>, charge/);
});

/** Of a file whose reading must not take more than 25 bytes a row. */
const ROWS = runs(200_000);

test('memory does not grow with the rows', () => {
  const script = join(import.meta.dirname, '../../support/input/million-rows.mjs');
  const words = ['--expose-gc', '--max-old-space-size=64', script, String(ROWS)];
  const {status, stdout, stderr} = spawnSync(process.execPath, words, {encoding: 'utf8'});
  expect(status, stderr).toBe(0);
  const {rows, growth} = JSON.parse(stdout) as {rows: number; growth: number};
  expect(rows).toBe(ROWS);
  expect(growth).toBeLessThan(25 * ROWS);
  // A process that reads each row twice: on a busy machine it takes longer than the usual limit.
}, 600_000);
