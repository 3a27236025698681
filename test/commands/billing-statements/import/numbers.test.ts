// Numbers of statements that look alike, and rows whose statement was replaced.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {writeXlsx} from 'hucre/xlsx';
import {expect, test} from 'vitest';
import {temporaryDirectory} from '../../../support/cli.js';
import {commandsIn} from '../../../support/commands.js';
import {screenInProcess} from '../../../support/in-process.js';
import {loaded} from '../../../support/terminal.js';
import {wordsOf} from '../../../support/words.js';

const HEADER = 'Invoice No,Email,Name,Item,Price,Due';
/** A row for Ana. */
const row = (number: string, price = 500, day = 15): string =>
  `${number},ana@example.com,Ana,Rent,${price},2031-12-${day}`;

function stage() {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  const file = join(directory, 'june.csv');
  const write = (...rows: string[]): void => writeFileSync(file, [HEADER, ...rows, ''].join('\n'));
  const bill = (...flags: string[]) => run(['billing-statements', 'import', file, '--finalize', '--yes', ...flags]);
  const faults = async () => (await bill('--json')).error().faults as unknown as Record<string, string>[];
  const count = async () => (await run(['billing-statements', 'list', '--json'])).json().data.length as number;
  return {directory, run, file, write, bill, faults, count};
}

test('refuses numbers of one file that look alike, and names both rows', async () => {
  const {directory, run, write, bill, count} = stage();
  write(row('INV-1'), row('INV-2'), row('inv-1', 600), row('1001'), row('1001.0', 700));
  const {status, stderr} = await bill();
  expect(status).toBe(2);
  const fix = 'Write it the same way in both rows if they are one statement. If not, change one of the numbers.';
  expect(stderr).toContain(`line 4, column "Invoice No", "inv-1": inv-1 looks like INV-1 in line 2. ${fix}`);
  expect(stderr).toContain(`line 6, column "Invoice No", "1001.0": 1001.0 looks like 1001 in line 5. ${fix}`);
  const book = join(directory, 'june.xlsx');
  const cells = [HEADER, row('INV-1'), row('inv-1', 600), row('A-1'), row('A-2')].map((line) => line.split(','));
  writeFileSync(book, await writeXlsx({sheets: [{name: 'June', rows: cells}]}));
  const alike = await run(['billing-statements', 'import', book, '--yes']);
  expect(alike.stderr).toContain('june.xlsx, row 3, column A "Invoice No", "inv-1": inv-1 looks like INV-1 in row 2.');
  expect(await count()).toBe(0);
});

test('refuses a number that looks like a billed one, however it is written', async () => {
  const {run, write, bill, faults, count} = stage();
  write(row('INV-1'), row('1001', 700));
  expect((await bill()).status).toBe(0);
  const numbers = ['INV-\u200B1', 'INV-\u00AD1', 'INV\u20111', 'inv-1', 'ＩＮＶ-1', '1001.0'];
  for (const [at, number] of numbers.entries()) {
    write(row(number, 500, 16 + at));
    expect(await faults(), number).toMatchObject([
      {
        code: 'alike_number',
        line: 2,
        column: 'Invoice No',
        problem: expect.stringMatching(/ looks like (?:INV-1|1001), billed as \S+-000\d on \d+ \p{L}+\.$/u),
        fix: expect.stringMatching(/^If it is the same, write /),
      },
    ]);
  }
  expect(await count()).toBe(2);
  expect((await bill('--allow-duplicate')).status).toBe(0);
  const [found] = (await run(['find', 'inv\u20131', '--json'])).json().data as {matched: string}[];
  expect(found).toMatchObject({matched: 'external_id=INV-1'});
  // Once billed, the row is known by its own number.
  expect((await bill('--json')).json()).toMatchObject({already: true, created: 0});
  expect(await count()).toBe(3);
});

test.skipIf(!loaded.pty)('asks at a terminal whether a number that looks like a billed one is another', async () => {
  const {directory, file, write, bill, count} = stage();
  write(row('INV-1'));
  expect((await bill()).status).toBe(0);
  write(row('INV\u20111', 500, 16));
  const args = ['billing-statements', 'import', file, '--finalize'];
  const answered = async (answer: string) => {
    const screen = screenInProcess(directory, args, {columns: 160});
    await screen.until(/INV\u20111 looks like INV-1, billed as \S+-0001 on \d+ \w+\. Bill it as another\? \(y\/N\)/);
    screen.type(answer);
    return screen;
  };
  const declined = await answered('\r');
  expect(await declined.ended).toBe(2);
  expect(await count()).toBe(1);
  const agreed = await answered('y\r');
  await agreed.until(/finalize 1 billing statement.*\(y\/N\)/);
  agreed.type('y\r');
  expect(await agreed.ended).toBe(0);
  expect(await count()).toBe(2);
});

test('passes over a row whose statement was reissued as the row says, and names it', async () => {
  const {run, write, bill, faults, count} = stage();
  write(row('S-1', 500), row('S-2', 600));
  expect((await bill()).status).toBe(0);
  const total = (sum: number): string => `,,,Total,${sum},`;
  write(row('S-1', 550), row('S-2', 600), row('S-3', 700), total(1850));
  const reissue = async () => {
    const [{problem = '', fix = ''} = {}, ...others] = await faults();
    expect(others).toEqual([]);
    expect(fix).toMatch(/^Replace it, then run the same command again: centavo reissue \S+ --item /);
    const [words] = wordsOf(fix.slice(fix.indexOf(': centavo ') + ': centavo '.length));
    expect((await run([...words!, '--yes'])).status).toBe(0);
    return problem;
  };
  expect(await reissue()).toMatch(/^S-1 was billed before as \S+-0001 \(open, ₱500\.00\)/);
  const dry = await bill('--dry-run');
  const passed = /^S-1 was reissued as (\S+-0003): not billed again\.$/m;
  expect(dry.stderr).toMatch(passed);
  expect(dry.stderr).toContain('2 of 3 statements are already billed and will be skipped.');
  const billed = await bill('--json');
  expect(billed.status).toBe(0);
  expect(billed.json()).toMatchObject({done: 1, created: 1});
  const again = (await bill('--json')).json();
  expect(again).toMatchObject({already: true, created: 0});
  expect(again.data[0].error).toMatch(/^S-1 was reissued as \S+-0003/);
  // A replacement that differs from the row is named, not what it replaced.
  write(row('S-1', 580), row('S-2', 600), row('S-3', 700), row('S-4', 800), total(2680));
  expect(await reissue()).toMatch(/^S-1 was reissued as \S+-0003 \(open, ₱550\.00\), with other content/);
  const last = await bill();
  expect(last.stdout).toMatch(/^1 of 1 finalized, ₱800\.00\./);
  expect(last.stderr.match(/S-1 was reissued as \S+-0005: not billed again\./g)).toHaveLength(2);
  expect(await count()).toBe(6);
  // The jobs of one second have no order: the last one has the row S-4.
  const jobs = (await run(['jobs', 'list', '--json'])).rows() as {id: string}[];
  const all = await Promise.all(jobs.map(async ({id}) => (await run(['jobs', 'get', id, '--json'])).json().rows));
  const rows = all.find((each) => each.some(({external_id: own}: {external_id: string}) => own === 'S-4'));
  expect(rows[0]).toMatchObject({
    ...{external_id: 'S-1', error_code: 'billed_before', sent: null, number: expect.stringMatching(/-0005$/)},
  });
});
