// Variants of the sheets in fixtures/public/fail-*: billed right, asked about, or refused, and never billed wrongly.

import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {JobFile} from '../../../src/billing/import/job/job-file.js';
import {readRowsIntoJob} from '../../../src/billing/import/read-rows.js';
import {CentavoError} from '../../../src/common/errors.js';
import type {InvalidInput} from '../../../src/input/invalid-input.js';
import {readItems} from '../../../src/input/spreadsheet/items.js';
import {ITEM_COLUMNS, STATEMENT_COLUMNS, comparedCell, readAnswer} from '../../../src/input/spreadsheet/meanings.js';
import type {ColumnAnswer, SheetLayout} from '../../../src/input/spreadsheet/meanings.js';
import {readSpreadsheet} from '../../../src/input/spreadsheet/read.js';
import {RowErrors} from '../../../src/input/spreadsheet/row-errors.js';
import {temporaryDirectory} from '../../support/cli.js';

interface Flags {
  /** Answers by header. */
  readonly map?: Readonly<Record<string, string>>;
  readonly item?: string;
}

const open = (text: string) => () => [Buffer.from(text)];
const answersOf = ({map = {}}: Flags, layout: SheetLayout) =>
  new Map(
    Object.entries(map).map(([header, means]) => [comparedCell(header), readAnswer(means, layout) as ColumnAnswer]),
  );

/** Reads a sheet into a job as an import does. Returns the total in pesos and the notes. */
async function billed(sheet: string, flags: Flags = {}): Promise<{total: number; notes: string}> {
  const filled = flags.item === undefined ? [] : ['item'];
  const map = answersOf(flags, STATEMENT_COLUMNS);
  const table = await readSpreadsheet(open(sheet), {layout: STATEMENT_COLUMNS, file: 'june.csv', map, filled});
  const job = JobFile.create(join(temporaryDirectory(), 'job.db'), {
    ...{id: 'job_test', source: 'june.csv', profile: 'sandbox', mode: 'sandbox', account: 'sandbox'},
    ...{finalize: false, send: false, created_at: 1, result_file: null, period: null, digest: ''},
  });
  onTestFinished(() => job.close());
  const faults = new RowErrors(table.decision);
  faults.add(...table.faults);
  const notes = [...table.notes];
  await readRowsIntoJob(table.decision.canReadRows ? table.rows : [], job, {
    ...{finalize: false, now: 1, item: flags.item, onNote: (note) => notes.push(note)},
    onFault: (...all) => faults.add(...all),
  });
  if (faults.count > 0) throw faults.error('june.csv');
  return {total: [...job.rows()].reduce((sum, {amount}) => sum + amount, 0) / 100, notes: notes.join(' ')};
}

/** Returns the total in pesos, `asked: <columns>`, or the code of the first fault. */
const outcome = async (sheet: string, flags?: Flags): Promise<number | string> =>
  billed(sheet, flags).then(
    ({total}) => total,
    ({details: {columns, faults}}: CentavoError) =>
      columns ? `asked: ${columns.map(({column}) => column).join(', ')}` : faults![0]!.code,
  );

const HEADER = 'Invoice No,Email,Name,Item,Qty,Unit Price,Due Date';
/** A sheet of two rows, ₱500 and ₱600; the first with other cells. */
const sheetOf = (changed: Readonly<Record<string, string>> = {}, header = HEADER): string => {
  const cells = {id: 'S-1', name: 'Ana Cruz', item: 'Rent', qty: '1', price: '500', ...changed};
  return [
    header,
    `${cells.id},ana@example.com,${cells.name},${cells.item},${cells.qty},${cells.price},2027-01-15`,
    'S-2,ben@example.com,Ben Uy,Rent,1,600,2027-01-15',
  ].join('\n');
};

test.each(['Price per 100', 'Rate/1000', 'Unit Price (per doz)', 'Price (%)', 'Price ¢', 'Unit cost', 'Old Price'])(
  'asks about the price column %s',
  async (header) => {
    expect(await outcome(sheetOf({}, HEADER.replace('Unit Price', header)))).toBe(`asked: ${header}`);
  },
);

test.each(['Unit Price (PHP)', 'Price (₱)', 'Price in Pesos', 'Presyo', 'PRICE EACH'])(
  'knows the price column %s',
  async (header) => expect(await outcome(sheetOf({}, HEADER.replace('Unit Price', header)))).toBe(1100),
);

test.each([
  'VOID-INV-3',
  'INV5VOID',
  'INV-3 (paid)',
  'CN-7',
  'cm 007',
  'Credit memo 7',
  'QTN-5',
  'Draft 3',
  'ＶＯＩＤ 4',
])('asks about the number %s', async (id) => {
  expect(await outcome(sheetOf({id}))).toBe('asked: Invoice No');
  expect(await outcome(sheetOf({id}), {map: {'Invoice No': 'external_id:as_is'}})).toBe(1100);
});

test('takes a prefix that all numbers have as the merchant’s own', async () => {
  expect(await outcome(sheetOf({id: 'CN-1'}).replace('S-2', 'CN-2'))).toBe(1100);
});

test.each([
  ...['Rent - PAID', 'FULLY PAID', 'bayad na', 'Rent - nabayaran na', 'VOIDED', 'void - rent', '(void) Rent'],
  ...['Rent (PAID via BPI)', 'Rent paid 12 Nov', 'Rent PAID IN FULL', 'PAID June rent', 'Rent_PAID', 'Rent|void'],
  ...['✓ Rent', 'Rent ✔️', 'Credit memo', 'Credit note - chairs', 'Refund of deposit', 'DO NOT CHARGE', 'ＰＡＩＤ'],
])('asks about the item %s', async (item) => {
  expect(await outcome(sheetOf({item}))).toBe('asked: Item');
  expect(await outcome(sheetOf({item}), {map: {Item: 'item:as_is'}})).toBe(1100);
});

test.each([
  ...['Paid ads June', 'Void where prohibited print', 'Unpaid balance May', 'Refundable deposit', 'Pre-paid load'],
  ...['Paid-up insurance premium', 'not paid', 'Rent (hindi pa bayad)', 'to be paid by 5 June', 'Cancellation fee'],
  ...['Rent - not yet paid', 'Credit report', 'Rent NOT PAID', 'Discount card printing', 'Total Fitness membership'],
])('bills the item %s', async (item) => expect(await outcome(sheetOf({item}))).toBe(1100));

test.each(['Senior discount', 'Rebate', 'EWT 2%', 'Less: DP'])('refuses the item %s', async (item) => {
  expect(await outcome(sheetOf({item}))).toBe('deduction_row');
});

test.each(['Won Kim', 'Paid Lim', 'Franc Cruz', 'Ten Thousand Waves Spa', 'Total Gas Corp', 'Sum Ting'])(
  'bills the customer %s',
  async (name) => expect(await outcome(sheetOf({name}))).toBe(1100),
);

test.each([
  ...['ALL AMOUNTS IN USD', 'Currency: NOK', 'All amounts in US Dollars', 'Presyo sa dolyar', 'Amounts in Thai Baht'],
  ...['Mexican pesos', 'Amounts in centavos', '(IN THOUSANDS)', "in '000", 'PHP 000', 'Figures in PHP thousands'],
  ...['Amounts in Php Million', 'Unit: PHP thousand', 'x1000', 'Prices per 100 pcs', 'All prices per dozen'],
])('refuses the title %s, above the header and below the total', async (title) => {
  expect(await outcome(`${title}\n\n${sheetOf()}`)).toBe('not_in_pesos');
  expect(await outcome(`${sheetOf()}\nTotal,,,,,1100,\n${title},,,,,,`)).not.toBe(1100);
});

test.each([
  ...['US Tuition', 'Won Kim', 'Franc Cruz', 'In the Yen of June', 'Dollar Store Manila', 'Ten Thousand Waves Spa'],
  ...[
    'All amounts in PHP',
    'Currency: Philippine Peso',
    'TIN 000-123-456-000',
    'ALL MALL',
    'GCash 0917 000 1111',
    'Rates per 10 pax',
  ],
])('reads below the title %s', async (title) => expect(await outcome(`${title}\n\n${sheetOf()}`)).toBe(1100));

test('refuses titles of rows that may not be owed', async () => {
  for (const title of ['PAID ACCOUNTS', 'Credit notes', 'List of refunds'])
    expect(await outcome(`${title}\n\n${sheetOf()}`)).toBe('doubtful_title');
});

test.each(['Total', 'TOTAL FOR JUNE', 'Kabuuang halaga', 'Total: 2 bills', 'Overall total', 'Sum'])(
  'compares the total row %s',
  async (word) => {
    for (const cells of [`${word},,,,,1100,`, `,,,${word},,1100,`])
      expect(await outcome(`${sheetOf()}\n${cells}`)).toBe(1100);
    expect(await outcome(`${sheetOf()}\n${word},,,,,1000,`)).toBe('total_differs');
  },
);

test('compares subtotals with the rows since the last one', async () => {
  const [header, first, second] = sheetOf().split('\n');
  const withSubtotal = (amount: number) =>
    [header, first, ',,,Subtotal,,500,', second, `,,,Subtotal,,${amount},`, ',,,Grand total,,1100,'].join('\n');
  expect(await outcome(withSubtotal(600))).toBe(1100);
  expect(await outcome(withSubtotal(601))).toBe('total_differs');
});

test('compares a subtotal with the rows since the last one, with and without those that are left out', async () => {
  const [, first, second] = sheetOf().split('\n');
  const withSubtotal = (amount: number) =>
    [`${HEADER},Paid`, `${first},`, ',,,Subtotal,,500,', `${second},yes`, `,,,Subtotal,,${amount},`].join('\n');
  const map = {map: {Paid: 'leave_out:yes'}};
  expect(await outcome(withSubtotal(600), map)).toBe(500);
  await expect(billed(withSubtotal(601), map)).rejects.toThrow(
    'the rows since the last total come to ₱600.00, or to ₱0.00 without the rows left out.',
  );
});

const CHARGES = 'Tenant,Email,Renta,Tubig,Due Date';
const CHARGE_MAP = {map: {Renta: 'charge', Tubig: 'charge'}};
test.each<[string, number | string]>([
  ...['', '-', '—', '0', '₱0.00', '₱ -', 'PHP 0'].map((cell): [string, number] => [cell, 5000]),
  ['₱100', 5100],
  ...['-100', '(100)', 'paid', '$5', 'x'].map((cell): [string, string] => [cell, 'invalid_amount']),
])('reads a charge of %s', async (cell, expected) => {
  expect(await outcome(`${CHARGES}\nAna Cruz,ana@example.com,5000,${cell},2027-01-15`, CHARGE_MAP)).toBe(expected);
});

test.each(['Qty,2', 'Item,June'])('refuses a cell that a row of charges does not bill: %s', async (column) => {
  const [header, cell] = column.split(',');
  const sheet = `Email,${header},Renta\nana@example.com,${cell},5000`;
  expect(await outcome(sheet, {map: {Renta: 'charge'}})).toBe('unread_cell');
  expect(await outcome(sheet, {map: {Renta: 'charge', [header!]: 'ignore'}})).toBe(5000);
});

test('a dash is no item, and is filled in as an empty cell is', async () => {
  expect(await outcome(sheetOf({item: '-'}))).toBe('missing_description');
  expect(await outcome(sheetOf({item: '-'}), {item: 'Monthly dues'})).toBe(1100);
});

test('tells the faults of rows with those of texts that are asked about', async () => {
  const error = (await billed(sheetOf({price: 'free'}).replace('Uy,Rent', 'Uy,Rent - PAID')).catch(
    (thrown: unknown) => thrown,
  )) as CentavoError;
  expect(error.details.faults!.map(({code, line, value}) => `${code} ${line} ${value}`).sort()).toEqual([
    'invalid_amount 2 free',
    'unknown_column 3 Rent - PAID',
  ]);
});

test('names the values whose rows are billed beside those that are left out', async () => {
  const sheet = sheetOf({}, `${HEADER},Settled`).replace('-15\nS-2', '-15,YES\nS-2').concat(',yes - 12 Nov');
  const {total, notes} = await billed(sheet, {map: {Settled: 'leave_out:yes'}});
  expect(total).toBe(600);
  expect(notes).toContain('Billed: the rows whose "Settled" is "yes - 12 Nov".');
});

test('names a value that no row has, so that a misspelled one is seen', async () => {
  const sheet = sheetOf({}, `${HEADER},Status`).replace('-15\nS-2', '-15,Moved out\nS-2').concat(',');
  const {total, notes} = await billed(sheet, {map: {Status: 'leave_out:moved-out'}});
  expect(total).toBe(1100);
  expect(notes).toContain('Billed: the rows whose "Status" is "Moved out". No cell is "moved-out".');
});

test('says of a wrong total what the rows come to, with and without those that are left out', async () => {
  const sheet = sheetOf({}, `${HEADER},Settled`).replace('-15\nS-2', '-15,YES\nS-2').concat(',\nTotal,,,,,1000,,');
  await expect(billed(sheet, {map: {Settled: 'leave_out:yes'}})).rejects.toThrow(
    'the rows above come to ₱1,100.00, or to ₱600.00 without the rows left out.',
  );
});

test.each(['My  Note', 'My\u00a0Note', '"My\nNote"', 'MY NOTE '])('an answer finds the header %j', async (header) => {
  const sheet = sheetOf({}, `${HEADER},${header}`).concat(',x');
  expect(await outcome(sheet, {map: {'My Note': 'ignore'}})).toBe(1100);
});

test('reads answers in the words of people', async () => {
  expect(readAnswer('leave out:yes', STATEMENT_COLUMNS)).toMatchObject({means: 'leave_out', leaveOut: ['yes']});
  expect((readAnswer('leave_out:', STATEMENT_COLUMNS) as InvalidInput).problem).toContain('needs the values');
  expect(readAnswer('item:as_is', ITEM_COLUMNS)).toMatchObject({means: 'description', isAsIs: true});
  const map = answersOf({map: {Item: 'item:as_is'}}, ITEM_COLUMNS);
  expect((await readItems(open('Item,Price\nRent - PAID,500'), 'items.csv', {map})).items).toHaveLength(1);
});
