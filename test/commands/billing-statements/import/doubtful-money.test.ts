// Ambiguous amounts: tables refused with one fault, and clear ones that are read, as listed in doubtful-money.txt.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {answered, doubtful, honest} from '../../../fixtures/spreadsheets/doubtful-money.js';
import {temporaryDirectory} from '../../../support/cli.js';
import {commandsIn} from '../../../support/commands.js';
import {Merchant} from '../../../support/scenarios/merchant.js';
import {screenInProcess} from '../../../support/in-process.js';
import {extendedTest} from '../../../support/test-size.js';
import {loaded} from '../../../support/terminal.js';

const PEOPLE = {ana: 'Ana Reyes', juan: 'Juan dela Cruz', nino: 'Niño Peñafiel', reyes: 'Reyes & Sons, Inc.'};

async function stage() {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  onTestFinished(() => merchant.close());
  for (const [name, full] of Object.entries(PEOPLE))
    await merchant.customer({email: `${name}@example.com`, name: full});
  const run = commandsIn(directory);
  const path = join(directory, 'june.csv');
  return {
    directory,
    merchant,
    run,
    path,
    /** The output of a command that reads the table. @param name starts with the command */
    read: (name: string, table: string, ...flags: string[]) => {
      writeFileSync(path, table);
      const words = name.startsWith('items: ')
        ? ['billing-statements', 'create', '--customer-email', 'ana@example.com', '--items', path]
        : ['billing-statements', 'import', path];
      return run([...words, '--dry-run', ...flags]);
    },
    made: async () => (await run(['billing-statements', 'list', '--limit', '100', '--json'])).json().data,
  };
}

extendedTest('refuses each ambiguous table with one fault and its fix', async () => {
  const {directory, read, made} = await stage();
  const told: string[] = [];
  for (const [code, tables] of Object.entries(doubtful))
    for (const [name, table] of Object.entries(tables)) {
      const {status, stdout, stderr} = await read(name, table);
      expect({name, status, stdout}).toEqual({name, status: 2, stdout: ''});
      const {error} = JSON.parse((await read(name, table, '--json')).stderr);
      expect([name, (error.faults ?? [error]).map((fault: {code: string}) => fault.code)]).toEqual([name, [code]]);
      told.push(`${name}\n${stderr.slice(stderr.indexOf('Error: ')).replaceAll(`${directory}/`, '').trimEnd()}`);
    }
  expect(told.length).toBeGreaterThanOrEqual(30);
  await expect(`${told.join('\n\n')}\n`).toMatchFileSnapshot('doubtful-money.txt');
  expect(await made()).toEqual([]);
});

/** Flags that only a person is told, by code. */
const OVERRIDES: Readonly<Record<string, string>> = {
  customer_name_differs: '--accept-names',
  repeated_item: '--allow-repeated-items',
};

extendedTest('reads each clear table, and each ambiguous one with its flag', async () => {
  const {read, merchant} = await stage();
  const {id} = await merchant.customer({email: 'dina@example.com', name: 'Dina Uy'});
  const byId = `Invoice No,Customer,Name,Item,Amount\nD-1,${id},"Uy, Dina",Web,500\n`;
  expect(Object.keys(honest).length).toBeGreaterThanOrEqual(15);
  for (const [name, table] of Object.entries({...honest, 'import: an id': byId}))
    expect({name, ...(await read(name, table))}).toMatchObject({name, status: 0});
  for (const [name, [table, ...answers]] of Object.entries(answered)) {
    expect({name, ...(await read(name, table))}).toMatchObject({name, status: 2});
    const maps = answers.flatMap((answer) => ['--map', answer]);
    expect({name, ...(await read(name, table, ...maps))}).toMatchObject({name, status: 0});
  }
  const other = await read('import: an id', byId.replace('Dina', 'Dan'), '--json');
  expect(other.error()).toMatchObject({code: 'customer_name_differs', faults: [{line: 2, value: 'Uy, Dan'}]});
  // An answer does not make pesos of other money.
  for (const header of ['Price (USD)', 'Price (000s)', 'Rate in US$']) {
    const foreign = await read('items: money', `Item,${header}\nWeb,500\n`, '--map', `${header}=unit_price`, '--json');
    expect(foreign.error().faults).toMatchObject([{column: header, code: 'not_in_pesos'}]);
  }
  // A possible grand total is no row's price.
  const totals = await read('items: totals', 'Item,Grand Total\nWeb,500\nPens,500\n');
  expect(totals).toMatchObject({status: 2, stderr: expect.stringContaining('No column has the unit price')});

  // No flag bills a deduction or dollars: the rows must be changed.
  const {deduction_row: _, not_in_pesos: __, ...flagged} = doubtful;
  for (const [code, tables] of Object.entries(flagged))
    for (const [name, table] of Object.entries(tables)) {
      const {hint} = JSON.parse((await read(name, table, '--json')).stderr).error;
      const given = OVERRIDES[code] ?? hint;
      const [flag, value = ''] = /(--[\w-]+)(?: (?:'(.+)'|(\S+)))?$/.exec(given)!.slice(1).filter(Boolean);
      const words = value === '' ? [flag!] : [flag!, value.replace('…', 'ignore')];
      expect({name, ...(await read(name, table, ...words))}).toMatchObject({name, status: 0});
    }
});

const HEADER = 'Invoice No,Email,Name,Item,Amount';
const OTHERS = [HEADER, 'N-1,ana@example.com,Ana Santos,Web,500', 'N-2,juan@example.com,"Dela Cruz, Juan",Web,501'];

test('shows the first twenty rows and the totals before an import, but not to scripts', async () => {
  const {path, run, made} = await stage();
  const rows = Array.from({length: 22}, (_, at) => `N-${at},ana@example.com,Ana Reyes,Item,${500 + at}`);
  writeFileSync(path, `${[HEADER, ...rows, 'N-21,,,Water,20'].join('\n')}\n`);
  const dry = await run(['billing-statements', 'import', path, '--dry-run']);
  expect(dry.stdout.match(/^N-\d+\t/gm)).toHaveLength(22);
  const shown = await run(['billing-statements', 'import', path, '--yes']);
  expect(shown).toMatchObject({status: 0, stderr: expect.stringMatching(/^N-0 +Ana Reyes +1 +₱500\.00 *$/m)});
  expect(shown.stderr).toMatch(/^N-19 .*\nand 2 more\. To see all of them, add --dry-run\.\n.*\n  Total ₱11,251\.00/m);
  expect(shown.stderr).not.toMatch(/^N-20/m);
  expect(await made()).toHaveLength(22);
  writeFileSync(path, `${HEADER}\nN-30,ana@example.com,Ana Reyes,Item,600\n`);
  expect(await run(['billing-statements', 'import', path, '--yes', '--json'])).toMatchObject({status: 0, stderr: ''});
});

test('--accept-names bills under other names, lists them, and is no part of the suggested command', async () => {
  const {path, run, made} = await stage();
  writeFileSync(path, `${OTHERS.map((line, index) => `${line},${index === 0 ? 'Due' : '+30d'}`).join('\n')}\n`);
  const {status, stderr} = await run(['billing-statements', 'import', path, '--accept-names']);
  expect(status).toBe(0);
  expect(stderr).toMatch(
    /^These names differ from the customers’ names:\n  line 2, column "Name", "Ana Santos": ana@example\.com is the customer "Ana Reyes"\.\n→/m,
  );
  // Whether to accept them again is for a person to say.
  expect(stderr).toMatch(/june\.csv --send$/m);
  expect(await made()).toHaveLength(2);
});

test.skipIf(!loaded.pty)('lists other names in the question at a terminal; --yes does not accept them', async () => {
  const {directory, path, made} = await stage();
  writeFileSync(path, `${OTHERS.join('\n')}\n`);
  const words = ['billing-statements', 'import', path];
  const refused = screenInProcess(directory, [...words, '--yes'], {columns: 160});
  expect(await refused.ended).toBe(2);
  const declined = screenInProcess(directory, words, {columns: 160});
  await declined.until(
    /N-1 +Ana Reyes[^]*differ from the customers’ names:\s+line 2, column "Name", "Ana Santos": [^]*for 2 customers, as drafts, 1 under another name\?/,
  );
  declined.type('\r');
  expect(await declined.ended).toBe(12);
  expect(await made()).toEqual([]);
  const agreed = screenInProcess(directory, words, {columns: 160, pace: 0.01});
  await agreed.until(/1 under another name\?/);
  agreed.type('y\r');
  expect(await agreed.ended).toBe(0);
  expect(await made()).toHaveLength(2);
});

test('refuses an answer about an unknown column and lists the columns', async () => {
  const {read} = await stage();
  const {status, stderr} = await read(
    'import',
    `${HEADER},VAT\nN-1,ana@example.com,,Web,500,12%\n`,
    '--map',
    'Tax=ignore',
  );
  expect({status, stderr}).toEqual({
    status: 2,
    stderr: expect.stringMatching(/it has no column "tax"\.\n  Its columns are: "Invoice No", .*, "VAT"$/m),
  });
});
