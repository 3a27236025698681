// Imports from the command line: reported faults, JSON lines and the result file.

import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {answers, corpus} from '../../../fixtures/spreadsheets/corpus.js';
import {historyIn, recordsIn} from '../../../support/history/history.js';
import {temporaryDirectory} from '../../../support/cli.js';
import {commandsIn} from '../../../support/commands.js';
import {screenInProcess} from '../../../support/in-process.js';
import {loaded} from '../../../support/terminal.js';
import {importFile, importService} from '../../../support/services/import-service.js';
import {Merchant} from '../../../support/scenarios/merchant.js';
import {service} from '../../../support/services/service.js';
import {LIVE_KEY} from '../../../support/services/servers.js';
import {extendedTest} from '../../../support/test-size.js';

const HEADER =
  'External ID,Customer,Customer Email,Customer Name,Item,Quantity,Unit Price,Due,Description,metadata.order';
const FAULTS: Readonly<Record<string, readonly string[]>> = {
  'every column wrong': [',,not-an-address,,,0,x,soon,,'],
  'no customer, and both': ['A-1,,,,Web,1,500,2031-12-15,,', 'A-2,cus_1,ana@example.com,Ana,Web,1,500,2031-12-15,,'],
  'rows of one statement that differ': [
    'A-1,,ana@example.com,Ana,Web,1,500,2031-12-15,June,77',
    'A-1,,ben@example.com,Ana,Web,1,500,2031-12-16,July,78',
  ],
  'too small and too large': [
    'A-1,,ana@example.com,Ana,Web,1,1,2031-12-15,,',
    'A-2,,ana@example.com,Ana,Web,999,999999999,2031-12-15,,',
  ],
  'a customer that does not exist and has no name': ['A-1,,nobody@example.com,,Web,1,500,2031-12-15,,'],
  'an id that no customer has': ['A-1,cus_Nobody1,,,Web,1,500,2031-12-15,,'],
  'no due date': ['A-1,,ana@example.com,Ana,Web,1,500,,,'],
  'a date in the past': ['A-1,,ana@example.com,Ana,Web,1,500,2001-12-15,,'],
  'a total that differs': ['A-1,,ana@example.com,Ana,Web,1,500,2031-12-15,,', ',,,,Total,,501,,,'],
  'two statements that are the same': [
    'A-1,,ana@example.com,Ana,Web,1,500,2031-12-15,,',
    'A-1,,,,Hosting,1,75,,,',
    'A-2,,ana@example.com,Ana,Web,1,500,2031-12-16,,',
    'A-2,,,,Hosting,1,75,,,',
    'A-3,,Ana@Example.com,Ana,Hosting,1,75,15-Dec-31,again,9',
    'A-3,,,,Web,1,500,,,',
  ],
  'a comma too many': ['A-1,,ana@example.com,Ana,Web, page,1,500,2031-12-15,,'],
  'an id that is too long': [`${'A'.repeat(101)},,ana@example.com,Ana,Web,1,500,2031-12-15,,`],
};

test('prints commands that add due dates to drafts, or send one', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  const path = join(directory, 'june.csv');
  writeFileSync(path, 'customer email,customer name,item,unit price\nana@example.com,Ana,Web,500\n');
  const dry = await run(['billing-statements', 'import', path, '--dry-run']);
  expect(dry.stderr).toMatch(/Nothing was sent\. To send them: centavo import \S+ --due \+30d --send$/m);
  for (const isAgain of [false, true]) {
    const {stderr, ...made} = await run(['billing-statements', 'import', path]);
    expect(made.status).toBe(0);
    expect(stderr).toMatch(
      /To send the draft for .+, which has no due date: centavo bill --continue bstm_\w+ --due \+30d --send$/m,
    );
    if (!isAgain) continue;
    const [, command] = /which has no due date: centavo (.*)$/m.exec(stderr)!;
    expect((await run([...command!.split(' '), '--json'])).json()).toMatchObject({status: 'open'});
  }
  expect((await run(['billing-statements', 'import', path])).stdout).toMatch(
    /^Nothing new was billed: the only row was billed on /,
  );
});

test.runIf(loaded.pty)('says how to correct a row before how to bill it anyway', async () => {
  const path = join(temporaryDirectory(), 'june.csv');
  const row = 'ana@example.com,Ana,Web,500,2031-12-15\n';
  writeFileSync(path, `customer email,customer name,item,unit price,due\n${row}${row}`);
  const desk = screenInProcess(temporaryDirectory(), ['billing-statements', 'import', path], {columns: 80, rows: 24});
  expect(await desk.ended).toBe(2);
  expect(await desk.text()).toContain('Remove one of them. To do it anyway, add --allow-duplicate.');
});

test('reports every fault with line, column, value and fix, and sends nothing', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  const told: string[] = [];
  for (const [name, rows] of Object.entries(FAULTS)) {
    const result = await run(['billing-statements', 'import', '-', '--send', '--yes'], {
      input: `${[HEADER, ...rows].join('\n')}\n`,
    });
    told.push(`${name} (exit ${result.status})\n${(result.stderr + result.stdout).replace(/^/gm, '  ').trimEnd()}`);
  }
  await expect(`${told.join('\n\n')}\n`).toMatchFileSnapshot('faults.txt');
  const undated = await run(['billing-statements', 'import', '-', '--send', '--yes'], {
    input: 'customer email,customer name,item,quantity,unit price\nana@example.com,Ana,Web,1,500\n',
  });
  expect(undated).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('line 2: No column has the due date, and'),
  });
  expect((await run(['billing-statements', 'list', '--json'])).json().data).toEqual([]);
  expect(readdirSync(join(directory, 'jobs'))).toEqual([]);
});

/** The same file with an external id and an address in every row, if it is text. */
function asImport(source: Buffer | Uint8Array | string): Buffer | string {
  if (typeof source !== 'string') return Buffer.from(source);
  const separator = source.includes('\t')
    ? '\t'
    : /;/.test(source.split('\n')[1] ?? '')
      ? ';'
      : source.includes('|')
        ? '|'
        : ',';
  let [isOpen, row] = [false, 0];
  return source
    .split(/(?<=\r\n|\n|\r(?!\n))/)
    .map((line) => {
      const continues = isOpen;
      if ((line.match(/"/g)?.length ?? 0) % 2 === 1) isOpen = !isOpen;
      if (continues || line.trim() === '' || line.startsWith('sep=')) return line;
      const cells = row++ === 0 ? ['External ID', 'Email'] : [`A-${row}`, 'ana@example.com'];
      return cells.map((cell) => cell + separator).join('') + line.replace(/^description(?=[,;\t|])/i, 'Item');
    })
    .join('');
}

// `npm test` reads the corpus once, in test/input/spreadsheet/corpus.test.ts.
extendedTest('reads or refuses every spreadsheet of the corpus', async () => {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  onTestFinished(() => merchant.close());
  await merchant.customer({email: 'ana@example.com', name: 'Ana'});
  const run = commandsIn(directory);
  const told: string[] = [];
  for (const [name, make] of Object.entries(corpus)) {
    const file = join(directory, name);
    const source = await make();
    writeFileSync(file, asImport(source as Buffer));
    const maps = (answers[name] ?? []).flatMap((answer) => ['--map', answer]);
    const words = ['billing-statements', 'import', file, '--dry-run', ...maps];
    // A refusal is JSON under csv.
    const refused = await run(words);
    const result = refused.status === 0 ? await run([...words, '-o', 'csv']) : refused;
    expect([0, 2], `${name}: ${result.stderr}`).toContain(result.status);
    const text = (result.stdout + result.stderr).replaceAll(`${directory}/`, '').replaceAll('\r', '');
    told.push(`${name} (exit ${result.status})\n${text.replace(/^/gm, '  ').trimEnd()}`);
  }
  expect(told.length).toBeGreaterThanOrEqual(40);
  await expect(`${told.join('\n\n')}\n`).toMatchFileSnapshot('corpus.txt');
});

async function stage(count = 6) {
  const directory = temporaryDirectory();
  const file = join(directory, 'june.csv');
  const {text, amounts} = importFile(count);
  writeFileSync(file, text);
  return {directory, file, text, amounts, run: commandsIn(directory, {pace: 0.01})};
}
const jobIn = (directory: string): string =>
  readdirSync(join(directory, 'jobs'))
    .find((name) => name.endsWith('.db'))!
    .slice(0, -3);

test('prints one JSON document with a row per statement and a summary', async () => {
  const {directory, file, run} = await stage();
  const {status, stdout, stderr} = await run(['billing-statements', 'import', file, '--send', '--json', '--yes']);
  expect({status, stderr}).toEqual({status: 0, stderr: ''});
  const {data, ...summary} = JSON.parse(stdout);
  expect(data).toHaveLength(6);
  for (const row of data) expect(row).toMatchObject({status: 'open', sent: 'yes', error: null});
  expect(summary).toMatchObject({
    resource: 'list',
    statements: 6,
    created: 6,
    done: 6,
    failed: 0,
    in_doubt: 0,
    left: 0,
  });
  const job = (await run(['jobs', 'get', jobIn(directory), '--json'])).json();
  expect(job).toMatchObject({state: 'ended', statements: 6, rows: expect.any(Array)});
  expect((await run(['history', '--json'])).json().data[0]).toMatchObject({
    command: 'billing-statements import',
    result: 'ok',
  });
});

test('records each send before it is made at high concurrency, without Node warnings', async () => {
  const {directory, file, run} = await stage(24);
  const service = await importService({latency: 5});
  onTestFinished(() => service.close());
  const [missing, warnings]: [string[], Error[]] = [[], []];
  service.faults = {
    latency: 5,
    onChange: (_, path) => {
      const [, id] = /^\/billing_statements\/(\w+)\/send$/.exec(path) ?? [];
      if (id === undefined) return;
      const steps = recordsIn(historyIn(directory)).flatMap((record) => record.steps);
      if (!steps.some(({step, ids}) => step === 'send' && ids.includes(id))) missing.push(id);
    },
  };
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const args = ['billing-statements', 'import', file, '--send', '--yes', '--concurrency', '24'];
  expect((await run(args, {env: service.env})).status).toBe(0);
  expect(service.emails().size).toBe(24);
  expect({missing, warnings}).toEqual({missing: [], warnings: []});
});

test('writes the result in the file’s order, with formulas neutralised, and overwrites no file', async () => {
  const {directory, file, text, run} = await stage(2);
  writeFileSync(file, text.replace(/JUNE-0001/g, '+HYPERLINK(x)'));
  writeFileSync(join(directory, 'june-result.csv'), 'mine');
  expect((await run(['billing-statements', 'import', file, '--send', '--yes'])).status).toBe(0);
  expect(readFileSync(join(directory, 'june-result.csv'), 'utf8')).toBe('mine');
  const [header, first, second] = readFileSync(join(directory, 'june-result-2.csv'), 'utf8').split(/\r?\n/);
  expect(header).toBe(
    '\uFEFFexternal_id,customer_name,id,number,status,sent,amount_centavos,amount_pesos,link,mode,error_code,error',
  );
  expect(first).toMatch(/^'\+HYPERLINK/);
  expect(second).toMatch(/^JUNE-0002,Payer 2,bstm_\w+,[A-Z0-9]+-\d+,open,yes,300104,3001.04,http/);
});

test('refuses a job of another account, and invalid arguments', async () => {
  const {directory, file, run} = await stage(2);
  expect((await run(['billing-statements', 'import', file, '--send', '--yes'])).status).toBe(0);
  const job = jobIn(directory);
  const elsewhere = temporaryDirectory();
  const fake = await service({}, {one: (shape, id) => ({id, resource: shape.name}), list: () => []});
  onTestFinished(() => fake.close());
  const env = {CENTAVO_SECRET_KEY: LIVE_KEY.replace('live', 'test'), CENTAVO_BASE_URL: fake.url};
  const other = await run(['jobs', 'resume', job, '--yes', '--json'], {env});
  expect(other).toMatchObject({status: 12, stdout: ''});
  expect(other.error()).toMatchObject({code: 'other_account', applied: 'no'});
  expect(fake.writes()).toEqual([]);
  expect((await commandsIn(elsewhere)(['jobs', 'resume', job])).status).toBe(3);
  expect((await run(['jobs', 'resume', 'june'])).status).toBe(2);
  expect((await run(['billing-statements', 'import', file, '--retry-failed'])).status).toBe(2);
  expect((await run(['billing-statements', 'import'])).status).toBe(2);
});

test('names a similar file, or lists the folder, if the file does not exist; a CSV file has no sheets', async () => {
  const folder = temporaryDirectory();
  const run = commandsIn(temporaryDirectory());
  const at = (name: string): string => join(folder, name);
  writeFileSync(at('june.csv'), importFile(1).text);
  for (const [words, unsent] of [
    [['import', at('jun.csv'), '--dry-run'], ''],
    [['import', at('jun.csv'), '--send', '--yes'], ' Nothing was sent.'],
    [['bill', 'juan', '--items', at('jun.csv')], ' Nothing was sent.'],
  ] as const) {
    const {status, stderr} = await run(words);
    expect(status).toBe(2);
    expect(stderr).toMatch(
      new RegExp(`cannot be read\\.\n {2}It does not exist\\.${unsent}\n {2}Did you mean ${at('june.csv')}\\?\n$`),
    );
  }
  expect((await run(['import', at('2031-rent.xlsx')])).stderr).toContain(`\n  To list the files there: ls ${folder}\n`);
  expect((await run(['import', at('none/june.csv')])).stderr).toMatch(/june\.csv cannot be read\.\n.*\n$/);
  expect(await run(['import', at('june.csv'), '--dry-run', '--sheet', 'June'])).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/june\.csv: only a workbook \(\.xlsx\) has sheets\.\n {2}Leave out --sheet\.\n$/),
  });
});
