// Last month's statements in the columns of the merchant's own sheet, billed again for the next month.

import {parse} from 'csv-parse/sync';
import fc from 'fast-check';
import {writeXlsx} from 'hucre/xlsx';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {shownDirectory, temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {screenInProcess} from '../../support/in-process.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {loaded} from '../../support/terminal.js';

type Table = readonly (readonly (number | string)[])[];

/** A merchant with one sheet. */
async function desk(name: string, table: Table) {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  onTestFinished(() => merchant.close());
  const run = commandsIn(directory);
  const file = join(shownDirectory(), name);
  const text = table.map((row) => row.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(','));
  writeFileSync(
    file,
    name.endsWith('.xlsx')
      ? await writeXlsx({sheets: [{name: 'Rent', rows: table.map((row) => [...row])}]})
      : text.join('\n'),
  );
  const month = new Date((merchant.sandbox.now() + 8 * 3600) * 1000).toISOString().slice(0, 7);
  const next = join(shownDirectory(), 'next.csv');
  /** The items of each open statement, by customer. The last month comes first. */
  const billed = async () => {
    const {data} = await merchant.call('GET', '/billing_statements?limit=100');
    return data
      .filter(({status}: any) => status === 'open')
      .map(({customer, line_items: items, amount}: any) => ({
        email: customer.email as string,
        amount: amount as number,
        items: items.map(({description, quantity, unit_price}: any) => [description, quantity, unit_price]).sort(),
      }))
      .sort((one: any, other: any) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
  };
  return {
    ...{directory, merchant, run, file, next, month, billed},
    first: async (...more: string[]) => {
      const done = await run(['import', file, '--period', month, '--due', '+10d', '--send', '--yes', ...more]);
      expect(done.status, done.stderr).toBe(0);
    },
    export: async (...more: string[]) => {
      const done = await run(['export', '--month', month, '--like', file, '--file', next, '--force', ...more]);
      expect(done.status, done.stderr).toBe(0);
      return {stderr: done.stderr, rows: parse(readFileSync(next), {bom: true}) as string[][]};
    },
    /** Runs the import that an export proposed. */
    pasted: async (stderr: string) => {
      const words = /centavo (import .*)$/m.exec(stderr)![1]!;
      const argv = [...words.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
      const done = await run([...argv, '--yes']);
      expect(done.status, done.stderr).toBe(0);
      return done;
    },
  };
}

const HOSTILE = "=cmd|'/C calc'!A0";
const SHEETS: readonly (readonly [title: string, file: string, table: Table, ...flags: string[]])[] = [
  [
    'a row for each item, with totals',
    'items.csv',
    [
      [
        'No',
        'Date',
        'Invoice No',
        'Client',
        'Email',
        'Mobile',
        'Item',
        'Qty',
        'Unit Price',
        'Amount',
        'Due Date',
        'metadata.branch',
      ],
      [
        1,
        '2031-01-05',
        'A-1',
        'Niño Ibañez',
        'nino@example.com',
        '+63 917 123 4567',
        'Rice',
        2,
        '1,450',
        '2,900',
        '2031-02-10',
        'Cebu',
      ],
      [
        2,
        '2031-01-05',
        'A-1',
        'Niño Ibañez',
        'nino@example.com',
        '+63 917 123 4567',
        `'${HOSTILE}`,
        1,
        500,
        500,
        '2031-02-10',
        'Cebu',
      ],
      [3, '2031-01-06', 'A-2', "'+Ana", 'ana@example.com', '', 'Rice', 3, '1,450', '4,350', '2031-02-10', ''],
    ],
  ],
  [
    'a workbook without own numbers',
    'fees.xlsx',
    [
      ['First Name', 'Surname', 'Email', 'Particulars', 'Amount'],
      ['Juan Carlos', 'Cruz', 'jc@example.com', 'Tuition', 12_500.5],
      ['Ana', 'Uy', 'ana@example.com', 'Tuition', 9_000],
    ],
  ],
  [
    'no column for the item',
    'dues.csv',
    [
      ['Reference', 'Email', 'Name', 'Monthly Fee'],
      ['U-1', 'ben@example.com', 'Ben', '1,200'],
      ['U-2', 'eva@example.com', 'Eva', '900'],
    ],
    ...['--item', 'Monthly dues'],
  ],
];

test.each(SHEETS)('%s: the next month bills the same', async (_, ...sheet) => {
  const [name, table, ...flags] = sheet as [string, Table, ...string[]];
  const {first, export: exported, pasted, billed} = await desk(name, table);
  await first(...flags);
  const before = await billed();
  const {rows, stderr} = await exported();
  expect(rows[0]).toEqual(table[0]);
  expect(rows).toHaveLength(table.length);
  for (const cell of rows.flat()) expect(cell).not.toMatch(/^\s*[=+\-@]/);
  await pasted(stderr);
  expect(await billed()).toEqual(before.flatMap((each: unknown) => [each, each]));
  expect((await pasted(stderr)).stdout).toContain('Nothing new was billed');
});

const RENT: Table = [
  ['Unit', 'Tenant', 'Email', 'Renta', 'Tubig', 'Remarks', 'Status'],
  ['1B', 'Ben Cruz', 'ben@example.com', '9,500', 280, '', ''],
  ['1A', 'Ana Reyes', 'ana@example.com', '12,000', '350.50', 'key with guard', 'Owner'],
  ['1C', 'Eva Uy', 'eva@example.com', '12,000', 310, '', 'Moved out'],
];

describe.skipIf(!loaded.pty)('a column for each charge', () => {
  async function rent() {
    const it = await desk('rent.csv', RENT);
    const shown = screenInProcess(it.directory, ['import', it.file, '--due', '+10d', '--dry-run'], {rows: 60});
    await shown.until(/are they\?/);
    shown.type('1 external_id, 4-5 charge, 6 ignore, 7 leave_out moved out\r');
    expect(await shown.ended).toBe(0);
    await it.first();
    return it;
  }

  test('the rows keep their numbers, order and remarks, and a second export bills nothing', async () => {
    const {export: exported, pasted, billed, month, merchant} = await rent();
    const before = await billed();
    const other = await merchant.customer({name: 'Zoe', email: 'zoe@example.com'});
    await merchant.open({customer_id: other.id, description: 'Deposit'}, 50_000);
    const {rows, stderr} = await exported();
    expect(rows).toEqual([
      RENT[0],
      ['1B', 'Ben Cruz', 'ben@example.com', '9500.00', '280.00', '', ''],
      ['1A', 'Ana Reyes', 'ana@example.com', '12000.00', '350.50', 'key with guard', 'Owner'],
    ]);
    expect(stderr).toMatch(
      /^Skipped, as the sheet has other items, or a later bill of the row: \S+-0001\.\nThe sheet has no description column, .*\n2 billing statements of/m,
    );
    await pasted(stderr);
    expect((await billed()).filter(({email}: any) => email !== 'zoe@example.com')).toEqual(
      before.flatMap((each: unknown) => [each, each]),
    );
    // Both periods were billed in this month: the later bill is the row.
    const again = await exported();
    expect(again.rows).toEqual(rows);
    expect((await pasted(again.stderr)).stdout).toContain('Nothing new was billed');
    expect(month).toMatch(/^\d{4}-\d\d$/);
  });

  test('a replaced row and a changed address come from the account; one customer alone can be exported', async () => {
    const {export: exported, run, merchant} = await rent();
    const {data} = await merchant.call('GET', '/customers?limit=10');
    const {id} = data.find(({name}: any) => name === 'Ana Reyes');
    await merchant.call('PUT', `/customers/${id}`, {email: 'ana@new.example'});
    const done = await run(['reissue', '1A', '--item', 'Renta @ 13,000', '--due', '+20d', '--yes']);
    expect(done.status, done.stderr).toBe(0);
    // Eva Uy moved out, and was not billed.
    expect((await exported()).stderr).toMatch(/^Not billed in \d{4}-\d\d, so not in the file: 1C\.$/m);
    expect((await exported('--customer', 'Ana Reyes')).rows).toEqual([
      RENT[0],
      ['1A', 'Ana Reyes', 'ana@new.example', '13000.00', '', 'key with guard', 'Owner'],
    ]);
  });
});

test('a sheet that is not understood, and JSON, are refused', async () => {
  const {run, file} = await desk('rent.csv', RENT);
  const refused = await run(['export', '--like', file]);
  expect(refused).toMatchObject({status: 2});
  expect(refused.stderr).toContain(`At a terminal, answer once: centavo import ${file} --dry-run`);
  expect(await run(['export', '--like', file, '--json'])).toMatchObject({status: 2});
});

test('the file is for an import also with --json', async () => {
  const [, name, table] = SHEETS[0]!;
  const {first, run, next, month, file, export: exported} = await desk(name, table);
  await first();
  const words = ['export', '--month', month, '--file', next];
  expect(await run(words)).toMatchObject({status: 0});
  const text = readFileSync(next, 'utf8');
  expect(JSON.parse((await run([...words, '--json'])).stdout)).toMatchObject({file: next});
  expect(readFileSync(next, 'utf8')).toBe(text);
  const {rows} = await exported('--json');
  expect(rows[0]).toEqual(table[0]);
  expect((await run(['export', '--like', file, '--sheet', 'x', '--month', month])).status).toBe(2);
});

test('a workbook with two tables needs the name of one', async () => {
  const {run, first, file, month, next} = await desk('fees.xlsx', SHEETS[1]![2]);
  await first();
  const rows = SHEETS[1]![2].map((row) => [...row]);
  writeFileSync(
    file,
    await writeXlsx({
      sheets: [
        {name: 'May', rows},
        {name: 'June', rows},
      ],
    }),
  );
  const words = ['export', '--like', file, '--month', month, '--file', next];
  expect(await run(words)).toMatchObject({status: 2, stderr: expect.stringContaining('--sheet May')});
  expect(await run([...words, '--sheet', 'June'])).toMatchObject({status: 0});
});

test('any columns in any order: the next month bills each customer the same', async () => {
  const seed = 47_000;
  console.log(`seed ${seed}`);
  const people = [
    ['Ana', 'Reyes', 'ana@example.com'],
    ['Ben', 'de la Cruz', 'ben@example.com'],
    ['Niño', 'Ibañez', 'nino@example.com'],
  ] as const;
  const sheet = fc.record({
    payer: fc.constantFrom<string[]>(
      ['Email'],
      ['Customer'],
      ['Name', 'Email'],
      ['Client', 'Email'],
      ['First Name', 'Surname', 'Email'],
    ),
    number: fc.constantFrom<string[]>([], ['Ref No'], ['Invoice No']),
    price: fc.constantFrom<string[]>(
      ['Unit Price'],
      ['Qty', 'Unit Price'],
      ['Amount'],
      ['Qty', 'Unit Price', 'Total', 'Balance Due'],
    ),
    more: fc.subarray(['Due Date', 'Memo', 'metadata.branch', 'Phone', 'No', 'TIN', 'Address']),
    rows: fc.array(
      fc.record({
        who: fc.nat(people.length - 1),
        item: fc.constantFrom('Rent', "'=Water", 'Site visit, June', '"Wi-Fi"'),
        quantity: fc.integer({min: 1, max: 9}),
        centavos: fc.integer({min: 5_000, max: 900_000}),
      }),
      {minLength: 1, maxLength: 5},
    ),
    order: fc.infiniteStream(fc.nat(1000)),
  });
  for (const {payer, number, price, more, rows, order} of fc.sample(sheet, {seed, numRuns: 12})) {
    const columns = [...payer, ...number, 'Item', ...price, ...more]
      .map((name) => [order.next().value as number, name] as const)
      .sort(([one], [other]) => one - other)
      .map(([, name]) => name);
    const pesos = (centavos: number) => (centavos / 100).toFixed(2);
    const table: Table = [
      columns,
      ...rows.map(({who, item, quantity: given, centavos}, at) => {
        const [firstName, lastName, email] = people[who]!;
        const quantity = price.includes('Qty') ? given : 1;
        const total = rows
          .filter((row) => (number.length === 0 ? row === rows[at] : row.who === who))
          .reduce((sum, row) => sum + (price.includes('Qty') ? row.quantity : 1) * row.centavos, 0);
        const cells: Record<string, string> = {
          ...{Email: email, Customer: email, Name: `${firstName} ${lastName}`, Client: `${firstName} ${lastName}`},
          ...{'First Name': firstName, Surname: lastName, Item: item, Qty: String(quantity)},
          ...{'Unit Price': pesos(centavos), Amount: pesos(quantity * centavos), Total: pesos(quantity * centavos)},
          ...{'Balance Due': pesos(total), 'Due Date': '2031-05-0' + (1 + who), Memo: `For ${firstName}`},
          ...{'metadata.branch': who === 1 ? '' : 'Cebu', Phone: '+63 917 000 000' + who, No: String(at + 1)},
          ...{TIN: `00${who}-123`, Address: `${who} Main St.`, 'Ref No': `U-${who}`, 'Invoice No': `INV-${who}`},
        };
        return columns.map((name) => cells[name]!);
      }),
    ];
    const it = await desk('any.csv', table);
    for (const [first, last, email] of people) await it.merchant.customer({name: `${first} ${last}`, email});
    const done = await it.run([
      'import',
      it.file,
      '--period',
      it.month,
      '--due',
      '+10d',
      '--send',
      '--yes',
      '--allow-repeated-items',
      '--allow-duplicate',
    ]);
    expect(done.status, `${JSON.stringify(table)}${done.stderr}`).toBe(0);
    const sums = async () => {
      const all = new Map<string, number>();
      for (const {email, amount} of await it.billed()) all.set(email, (all.get(email) ?? 0) + amount);
      return all;
    };
    const before = await sums();
    const {rows: next, stderr} = await it.export();
    expect(next[0]).toEqual(columns);
    const words = /centavo (import .*)$/m.exec(stderr)![1]!.split(' ');
    const again = await it.run([...words, '--yes', '--allow-repeated-items', '--allow-duplicate']);
    expect(again.status, `${JSON.stringify(table)}\n${JSON.stringify(next)}\n${again.stderr}`).toBe(0);
    for (const [email, sum] of await sums())
      expect(sum, `${JSON.stringify(table)}\n${JSON.stringify(next)}`).toBe(2 * before.get(email)!);
    it.merchant.close();
  }
}, 120_000);
