// Last month's statements as an import file that needs no editing.

import {parse} from 'csv-parse/sync';
import {stringify} from 'csv-stringify/sync';
import fc from 'fast-check';
import {writeXlsx} from 'hucre/xlsx';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {utf16le, windows1252} from '../../fixtures/spreadsheets/bytes.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';

async function stage() {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  onTestFinished(() => merchant.close());
  const run = commandsIn(directory);
  const customer = (await merchant.customer({name: 'Reyes', email: 'reyes@example.com'})).id as string;
  const due = merchant.sandbox.now() + 10 * 86_400;
  const bill = async (description: string, items: readonly object[], metadata: object): Promise<string> => {
    const {id} = await merchant.call('POST', '/billing_statements', {
      customer_id: customer,
      currency: 'PHP',
      description,
      metadata,
    });
    for (const item of items)
      await merchant.call('POST', '/billing_statement_line_items', {billing_statement_id: id, ...item});
    await merchant.call('PUT', `/billing_statements/${id}`, {due_at: due});
    await merchant.call('POST', `/billing_statements/${id}/finalize`);
    return id as string;
  };
  const month = new Date((merchant.sandbox.now() + 8 * 3600) * 1000).toISOString().slice(0, 7);
  return {directory, merchant, run, bill, month};
}

test('imports an exported month unchanged: same items, metadata and customer, new external ids', async () => {
  const {directory, merchant, run, bill, month} = await stage();
  const first = await bill(
    '-10% in July',
    [
      {description: 'Rent, "unit 4"', quantity: 1, unit_price: 1_500_000},
      {description: '=Water + light', quantity: 2, unit_price: 125_050},
      {description: 'Niño’s table', quantity: 3, unit_price: 99},
    ],
    {branch: 'Cebu', external_id: 'old-1', centavo_key: 'x'},
  );
  await bill('Second', [{description: 'Rent', quantity: 1, unit_price: 200_000}], {});
  const file = join(directory, 'next.csv');
  const exported = await run(['billing-statements', 'export', '--month', month, '--due', '+30d', '--file', file]);
  expect(exported.status, exported.stderr).toBe(0);
  expect(exported.stderr).toContain('2 billing statements');
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(
    /^\uFEFFexternal_id,customer,customer_name,item,quantity,unit_price,due,description,metadata.branch/,
  );
  expect(text).not.toContain('centavo_key');
  const again = await run(['billing-statements', 'export', '--month', month, '--due', '+30d', '--file', file]);
  expect(again, again.stderr).toMatchObject({status: 0});

  const imported = await run(['billing-statements', 'import', file, '--send', '--yes']);
  expect(imported.status, imported.stderr).toBe(0);
  const {data} = await merchant.call('GET', '/billing_statements?limit=10');
  const old = data.find(({id}: {id: string}) => id === first);
  const made = data.find(
    (each: any) => each.id !== first && each.metadata?.external_id?.endsWith(old.billing_statement_number),
  );
  const items = (statement: any) =>
    statement.line_items.map(({description, quantity, unit_price}: any) => ({description, quantity, unit_price}));
  expect(items(made)).toEqual(items(old));
  expect(made).toMatchObject({
    customer_id: old.customer_id,
    description: '-10% in July',
    amount: old.amount,
    metadata: {branch: 'Cebu', external_id: expect.stringMatching(/^\d{4}-\d\d-/)},
  });
  expect(made.metadata.external_id).not.toBe('old-1');

  // A second import of the file bills nothing.
  const twice = await run(['billing-statements', 'import', file, '--send', '--yes']);
  expect(twice).toMatchObject({status: 0, stdout: expect.stringContaining('Nothing new was billed')});
});

test('any text is read back from the exported file, and begins no formula', async () => {
  const {directory, merchant, run, bill, month} = await stage();
  const part = fc.constantFrom(
    ...[
      '\n',
      '\r',
      '\r\n',
      '"',
      ',',
      ';',
      '\t',
      '=',
      '+',
      '-',
      '@',
      '\0',
      '\uFEFF',
      '\u2028',
      '😀',
      ' ',
      "'",
      'a',
      '1',
      '|',
    ],
  );
  const text = fc.array(part, {minLength: 1, maxLength: 6}).map((parts) => `${parts.join('')}x${parts.join('')}`);
  const texts = [...fc.sample(text, {seed: 42, numRuns: 60}), "Web design\n=cmd|'/C calc'!A0", 'a\r=1', '\n@SUM(1)'];
  const price = (at: number) => 10_000 + at;
  for (let at = 0; at < texts.length; at += 9)
    await bill(
      'July',
      texts.slice(at, at + 9).map((description, n) => ({description, quantity: 1, unit_price: price(at + n)})),
      {},
    );
  const file = join(directory, 'next.csv');
  expect((await run(['billing-statements', 'export', '--month', month, '--file', file])).status).toBe(0);
  // As a spreadsheet opens it: any line break outside of quotation marks ends a row.
  const rows = parse(readFileSync(file), {bom: true, record_delimiter: ['\r\n', '\n', '\r']}) as string[][];
  expect(rows).toHaveLength(texts.length + 1);
  for (const cell of rows.flat()) expect(cell).not.toMatch(/^\s*[=+\-@]/);
  const imported = await run(['billing-statements', 'import', file, '--yes']);
  expect(imported.status, imported.stderr).toBe(0);
  const {data} = await merchant.call('GET', '/billing_statements?limit=100');
  const made = data
    .filter(({status}: any) => status === 'draft')
    .flatMap(({line_items: items}: any) => items)
    .sort((one: any, other: any) => one.unit_price - other.unit_price);
  // Control characters are left out, a line break is LF, and blanks at the ends do not count.
  const kept = (each: string): string => each.replaceAll('\0', '').replace(/\r\n?/g, '\n').trim();
  expect(made.map(({description}: any) => kept(description))).toEqual(texts.map(kept));
});

/** A table as Excel stores it: amounts and dates are numbers. */
const excel = (text: string) =>
  (parse(text, {bom: true}) as string[][]).map((cells, at) =>
    cells.map((cell, column) =>
      at === 0
        ? cell
        : /^(?:quantity|unit_price)$/.test(HEADINGS[column] ?? '')
          ? Number(cell)
          : /^\d\d-[A-Z][a-z]{2}-\d{4}$/.test(cell)
            ? new Date(`${cell} UTC`)
            : cell,
    ),
  );
const HEADINGS = ['external_id', 'customer', 'customer_name', 'item', 'quantity', 'unit_price', 'due', 'description'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** A date in Excel's CSV, in every locale: 5-Dec-26. */
const shown = (cell: Date | number | string): string =>
  cell instanceof Date
    ? `${cell.getUTCDate()}-${MONTHS[cell.getUTCMonth()]}-${String(cell.getUTCFullYear()).slice(2)}`
    : String(cell);

test('imports the same after a spreadsheet saved it', async () => {
  const {directory, merchant, run, bill, month} = await stage();
  const texts = ['Rent,\n"unit 4"; 2\ttabs', '=1+1', "'=1", "'Til June", '+63 917', '-5 %', 'Niño’s', '0.50', 'sep=;'];
  for (const [at, text] of texts.entries())
    await bill(text, [{description: text, quantity: 1 + at, unit_price: 125_050}], {
      note: text,
      [`a, "b" ${at}`]: text,
    });
  const file = join(directory, 'next.csv');
  expect((await run(['billing-statements', 'export', '--month', month, '--file', file])).status).toBe(0);
  const table = excel(readFileSync(file, 'utf8'));
  const cells = table.map((row) => row.map(shown));
  const saved: Record<string, Buffer | Uint8Array | string> = {
    'utf-8.csv': `\uFEFF${stringify(cells, {record_delimiter: '\r\n'})}`,
    'semicolons.csv': stringify(cells, {record_delimiter: '\r\n', delimiter: ';'}),
    'ansi.csv': windows1252(stringify(cells, {record_delimiter: '\r\n'})),
    'unicode.txt': utf16le(`\uFEFF${stringify(cells, {record_delimiter: '\r\n', delimiter: '\t'})}`),
    'book.xlsx': await writeXlsx({sheets: [{name: 'next', rows: table}]}),
    'next.csv': readFileSync(file),
  };
  const plans: unknown[] = [];
  for (const [name, bytes] of Object.entries(saved)) {
    writeFileSync(join(directory, name), bytes);
    const looked = await run(['billing-statements', 'import', join(directory, name), '--send', '--dry-run', '--json']);
    expect(looked.status, `${name}: ${looked.stderr}`).toBe(0);
    plans.push(looked.json());
  }
  for (const plan of plans) expect(plan).toEqual(plans[0]);
  // Statements are matched by content in every file format.
  expect((await run(['billing-statements', 'import', file, '--yes'])).status).toBe(0);
  for (const name of Object.keys(saved)) {
    const again = await run(['billing-statements', 'import', join(directory, name), '--json']);
    expect(again.json(), name).toMatchObject({already: true, created: 0});
  }
  const {data} = await merchant.call('GET', '/billing_statements?limit=100');
  const made = data.filter(({status}: {status: string}) => status === 'draft');
  expect(made.map(({description}: {description: string}) => description).sort()).toEqual([...texts].sort());
  for (const {description, line_items: items, metadata} of made) {
    expect(items[0].description).toBe(description);
    expect(metadata.note).toBe(description);
  }
});

test('reports edited rows and rows that are already billed', async () => {
  const {directory, run, bill, month} = await stage();
  await bill('July', [{description: 'Rent', quantity: 1, unit_price: 200_000}], {});
  const file = join(directory, 'next.csv');
  expect((await run(['billing-statements', 'export', '--month', month, '--file', file])).status).toBe(0);
  expect((await run(['billing-statements', 'import', file, '--send', '--yes'])).status).toBe(0);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('2000.00', '2500.00'));
  const edited = await run(['billing-statements', 'import', file, '--send', '--yes']);
  expect(edited.status).toBe(2);
  expect(edited.stderr).toMatch(/line 2.*was billed before as \S+ \(open, ₱2,000\.00\), with other content/);
  writeFileSync(file, text.replace(/^(\d{4}-\d\d)-/m, '$1-NEW-'));
  const doubled = await run(['billing-statements', 'import', file, '--send', '--yes']);
  expect(doubled.status).toBe(2);
  expect(doubled.stderr).toContain('bills the same customer for the same items and due date');
  const allowed = await run(['billing-statements', 'import', file, '--send', '--yes', '--allow-duplicate']);
  expect(allowed.status, allowed.stderr).toBe(0);
});

test('an export whose due dates have passed proposes a command that sends, with a date to come', async () => {
  const {directory, run, bill, month} = await stage();
  await bill('July', [{description: 'Rent', quantity: 1, unit_price: 200_000}], {});
  const file = join(directory, 'next.csv');
  const words = ['billing-statements', 'export', '--month', month, '--file', file];
  expect((await run(words)).stderr).toContain(`then: centavo import ${file} --send\n`);
  expect((await run(['sandbox', 'clock', 'advance', '60d'])).status).toBe(0);
  const {stderr} = await run(words);
  expect(stderr).toContain(`Some due dates have passed or are missing. Edit the file, then: centavo`);
  // Each proposal works as it is written: of the export, and of the dry run.
  const pasted = (text: string): string[] => /centavo (import .*)$/m.exec(text)![1]!.split(' ');
  const dry = await run([...pasted(stderr), '--dry-run']);
  expect(dry).toMatchObject({status: 0, stderr: expect.stringContaining('1 row whose date has passed')});
  const sent = await run([...pasted(dry.stderr), '--yes']);
  expect(sent, sent.stderr).toMatchObject({status: 0});
  expect((await run(['billing-statements', 'list', '--status', 'open', '--fields', 'due_at'])).stdout).toContain('-');
});

test('prints centavos with --json; an invalid month is exit 2', async () => {
  const {merchant, run, bill, month} = await stage();
  await bill('July', [{description: 'Rent', quantity: 1, unit_price: 200_000}], {});
  await merchant.draft();
  expect((await run(['billing-statements', 'export', '--month', month])).stderr).toBe(
    `Skipped: 1 draft or void statement.\n1 billing statement of ${month}.\n`,
  );
  const {stdout} = await run(['billing-statements', 'export', '--month', month, '--json']);
  expect(JSON.parse(stdout).data).toMatchObject([{item: 'Rent', quantity: 1, unit_price: 200_000, metadata: {}}]);
  expect((await run(['billing-statements', 'export', '--month', '2026-13'])).status).toBe(2);
  expect((await run(['billing-statements', 'export'])).stdout).toMatch(/^external_id,[^\n]*\n$/);
});
