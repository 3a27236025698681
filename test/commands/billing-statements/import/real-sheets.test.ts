// Sheets of merchants and their programs that were once billed wrongly: each is billed as it says, asked about or refused.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {temporaryDirectory} from '../../../support/cli.js';
import {commandsIn} from '../../../support/commands.js';

const ANA = 'ana@example.com,Ana Reyes';
const HEADER = 'Invoice No,Email,Name,Item,Qty,Unit Price,Due';
const table = (header: string, ...rows: string[]): string => `${[header, ...rows].join('\n')}\n`;
/** A statement with one more column. */
const more = (column: string, ...cells: string[]): string =>
  table(`${HEADER},${column}`, ...cells.map((cell, at) => `R-${at + 1},${ANA},Rent,2,${500 + at},2031-12-15,${cell}`));
const one = (row: string): string => table(HEADER, row);
const address = (email: string): string => one(`R-1,${email},Ana Reyes,Rent,1,500,2031-12-15`);

/** Given are bills as `number centavos`, the columns that are asked about, or codes and values of faults. */
type Sheet = [what: string, sheet: string, given: string[], answers?: string[]];

const SHEETS: readonly Sheet[] = [
  // A price for more than one.
  ['a price per 100', more('Per', '100'), ['? Per']],
  ['a price per 1000 pieces', more('Price per', '1000 pcs'), ['? Price per']],
  [
    'the net value is what is owed',
    more('Per,Net Value', '100,30'),
    ['R-1 3000'],
    ['Per=ignore', 'Unit Price=ignore', 'Net Value=amount'],
  ],
  ['the net value is not the sum', more('Per,Net Value', '100,10'), ['total_differs 10'], ['Per=ignore']],
  // Credit notes.
  ['kinds of documents', more('Document Type', 'Invoice', 'Credit Memo'), ['? Document Type']],
  [
    'credit notes are left out',
    more('Type', 'Sales invoice', 'Sales credit note'),
    ['R-1 100000'],
    ['Type=leave_out:sales credit note'],
  ],
  // Totals that differ.
  ['a line amount', more('LineAmount', '900'), ['total_differs 900']],
  ['the rest of a bill', more('Outstanding', '400.00'), ['total_differs 400.00']],
  [
    'the total of a statement',
    table('Invoice No,Email,Name,Item,Price,Amount Due', `R-1,${ANA},Rent,500,575`, `R-1,${ANA},Water,75,575`),
    ['R-1 57500'],
  ],
  [
    'another total of a statement',
    table('Invoice No,Email,Name,Item,Price,Amount Due', `R-1,${ANA},Rent,500,570`, `R-1,${ANA},Water,75,570`),
    ['total_differs 570'],
  ],
  // Other money.
  [
    'dollars that are called prices',
    table('Invoice No,Email,Name,Item,Price (USD)', `R-1,${ANA},Web,500`),
    ['not_in_pesos '],
    ['Price (USD)=unit_price'],
  ],
  ['a currency in the title', `ACME Trading\nCurrency: USD\n\n${more('Due Date', '')}`, ['not_in_pesos Currency: USD']],
  [
    'a sentence in the title',
    `All amounts in US Dollars\n${more('Due Date', '')}`,
    ['not_in_pesos All amounts in US Dollars'],
  ],
  [
    'thousands in the title',
    `Amounts in ₱ thousands\n${more('Due Date', '')}`,
    ['not_in_pesos Amounts in ₱ thousands'],
  ],
  ['a sum of thousands in the title', `Up to 5 thousand guests\n${more('Total', '1000')}`, ['R-1 100000']],
  ['pesos in the title', `Billing of June (PHP)\n${more('Total', '1000')}`, ['R-1 100000']],
  // Paid, and what takes off.
  ['orders of a shop', more('Order Status', 'completed', 'trash'), ['? Order Status']],
  ['a tick in a remark', more('Remarks', '✅ GCash 12 Nov', ''), ['? Remarks']],
  [
    'an answered column that says paid',
    table('Invoice No,Email,Name,Ano,Price', `R-1,${ANA},Rent - PAID,500`),
    ['? Ano'],
    ['Ano=item'],
  ],
  ['rows not to bill', more('Do not bill', 'x'), ['? Do not bill']],
  ['a scholarship and a tick', more('Scholarship,Settled', '5000,', ',Yes - 12 Nov'), ['? Scholarship', '? Settled']],
  [
    'a value that is only a part',
    more('Settled', 'Yes - 12 Nov', ''),
    ['R-1 100000', 'R-2 100200'],
    ['Settled=leave_out:yes'],
  ],
  // Numbers.
  [
    'semicolons and three digits',
    'Invoice No;Email;Item;Qty;Unit Price\nR-1;ana@example.com;Rice;1,000;15\n',
    ['doubtful_number 1,000'],
  ],
  ['four decimals of zero', one(`R-1,${ANA},Rent,1.0000,8000.500000,2031-12-15`), ['R-1 800050']],
  ['four decimals that say something', one(`R-1,${ANA},Rent,1,8000.5025,2031-12-15`), ['invalid_amount 8000.5025']],
  // Texts.
  ['leading zeros', one(`00042,${ANA},Rent,1,500,2031-12-15`), ['00042 50000']],
  ['a text as a formula', one(`="00042",${ANA},Rent,1,500,2031-12-15`), ['00042 50000']],
  ['a quoted text as a formula', one(`"=""00042""",${ANA},"=""Rent""",1,500,2031-12-15`), ['00042 50000']],
  [
    'spaces before quotation marks',
    table(
      '"Invoice No", "Name", "Email", "Item", "Unit Price"',
      '"R-1", "Ana", "ana@example.com", "Rent, June", "8,000.00"',
    ),
    ['R-1 800000'],
  ],
  ['an entity', one('R-1,ana@example.com,Reyes &amp; Sons,Rent,1,500,2031-12-15'), ['garbled_cell Reyes &amp; Sons']],
  ['an empty cell of a database', more('Description', 'NULL'), ['garbled_cell NULL']],
  // Addresses that the service refuses.
  ...[
    'ana@example.com\u200b',
    'mailto:ana@example.com',
    '\u202aana@example.com\u202c',
    '(ana@example.com)',
    "'ana@example.com'",
    'ana@example.com.',
    'Email:ana@example.com',
    'ana@example..com',
    'ana@example.com/ben',
    'ana@example.com)',
  ].map((email): Sheet => [email, address(email), [`invalid_cell ${email}`]]),
];

test.each<Sheet>(SHEETS)('%s', async (_, sheet, given, answers = []) => {
  const file = join(temporaryDirectory(), 'june.csv');
  writeFileSync(file, sheet);
  const maps = answers.flatMap((answer) => ['--map', answer]);
  const words = ['billing-statements', 'import', file, '--dry-run', '--json', ...maps];
  const result = await commandsIn(temporaryDirectory())(words);
  if (result.status === 0) {
    const bills = result.rows<{external_id: string; amount: number}>();
    return expect(bills.map(({external_id: id, amount}) => `${id} ${amount}`)).toEqual(given);
  }
  expect(result).toMatchObject({status: 2, stdout: ''});
  const {columns = [], faults = [], next, needs_person: needsPerson} = result.error();
  const told = columns.length > 0 ? columns : faults;
  expect(
    told.map((each: Record<string, string>) => (each.code ? `${each.code} ${each.value}` : `? ${each.column}`)),
  ).toEqual(given);
  if (columns.length > 0)
    expect({next, needsPerson, faults: faults.length}).toEqual({next: [], needsPerson: true, faults: given.length});
});
