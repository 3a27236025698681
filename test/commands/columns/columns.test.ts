// Answers about the columns of spreadsheets: asked once, remembered, listed and forgotten.

import {statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {shownDirectory, temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {screenInProcess} from '../../support/in-process.js';
import {loaded} from '../../support/terminal.js';

const HEADER = 'Invoice No,Email,Name,Item,Qty,Unit Price,Due';
const sheet = (header: string, cells: readonly string[], item = 'Rent'): string =>
  [
    `${HEADER},${header}`,
    ...cells.map((cell, nth) => `S-${nth},p${nth}@example.com,Person ${nth},${item},1,900,2031-02-10,${cell}`),
  ].join('\n');

const billing = (file: string, ...more: string[]): string[] => [
  'billing-statements',
  'import',
  file,
  '--dry-run',
  ...more,
];

function desk(text: string) {
  const directory = temporaryDirectory();
  const file = join(shownDirectory(), 'june.csv');
  const run = commandsIn(directory);
  const write = (next: string): void => writeFileSync(file, next);
  write(text);
  const see = (options: Parameters<typeof screenInProcess>[2] = {}) =>
    screenInProcess(directory, billing(file), {rows: 60, ...options});
  const answer = async (typed: string): Promise<string> => {
    const shown = see();
    await shown.until(/are they\?/);
    shown.type(`${typed}\r`);
    expect(await shown.ended).toBe(0);
    return shown.text();
  };
  /** The columns that are asked about in the next month; none if the sheet is billed. */
  const next = async (text: string) => {
    write(text);
    const {status, stdout, stderr, error} = await run(billing(file, '--json'));
    return status === 0
      ? {asks: [], billed: JSON.parse(stdout).data.length as number}
      : {asks: error().columns?.map(({column}: {column: string}) => column) ?? [stderr], billed: 0};
  };
  return {directory, file, run, write, see, answer, next};
}

const FREE = ['a-1', 'b c', 'd (e)', 'f/2', 'g:h', 'i+j', 'k;l', 'm&n'];

describe.skipIf(!loaded.pty)('the second month', () => {
  type Months = [string, string, readonly string[], string | undefined, readonly string[], readonly string[], number?];
  test.each<Months>([
    ['the same values', 'Status', ['Unpaid', 'Late'], 'ignore', ['late', 'unpaid'], []],
    ['fewer values', 'Status', ['Unpaid', 'Late'], 'ignore', ['Late', ''], []],
    ['a new value', 'Status', ['Unpaid', 'Late'], 'ignore', ['Unpaid', 'Done'], ['Status']],
    ['an empty column is filled', 'Remarks', ['', ''], undefined, ['', 'call'], ['Remarks']],
    ['zero becomes a number', 'Discount', ['0', '0', '0.00', '0.0', '00'], 'ignore', ['0', '500'], ['Discount']],
    ['a price per more', 'Per', ['1', '1'], 'ignore', ['1', '100'], ['Per']],
    ['new numbers of one form', 'GCash Ref', ['10-7', '20-7', '30-7', '40-8'], 'ignore', ['99-1', '98-2'], []],
    ['free text stays free', 'Remarks', FREE, 'ignore', ['anything'], []],
    ['free text says paid', 'Remarks', FREE, 'ignore', ['PAID 2 June'], ['Remarks']],
    ['the value left out', 'Settled', ['yes', 'no'], 'leave_out yes', ['Yes', 'no', 'no'], [], 2],
    ['another way to say yes', 'Settled', ['yes', 'no'], 'leave_out yes', ['y', 'no'], ['Settled']],
    ['more charges', 'Tubig', ['250', ''], 'charge', ['300', '120'], []],
    ['metadata', 'PO', ['A1', 'A2'], 'metadata.po', ['B1', 'B2'], []],
  ])('%s', async (_, header, before, answer, after, asks, billed = after.length) => {
    const {answer: first, next, run, file} = desk(sheet(header, before));
    if (answer === undefined) expect((await run(billing(file))).status).toBe(0);
    else expect(await first(`8 ${answer}`)).toContain('centavo columns forget 1');
    expect(await next(sheet(header, after))).toEqual({asks, billed: asks.length > 0 ? 0 : billed});
  });

  test('one column more is another sheet, with the earlier answer proposed', async () => {
    const {answer, next, see} = desk(sheet('Remarks', ['a', 'b']));
    await answer('remarks ignore');
    expect(await next(sheet('Remarks,Floor', ['a,1', 'b,2']))).toEqual({asks: ['Remarks', 'Floor'], billed: 0});
    const shown = see();
    await shown.until(
      /Your earlier answers \(to give them again,\s+type:\s+as\s+before\): 8 ignore[^]*\? What are they/,
    );
    shown.type('all ignore\r');
    await shown.ended;
    expect(await shown.text()).toContain('columns forget 2');
  });

  test('a text that is billed as it is, until another says that it is paid', async () => {
    const {answer, next} = desk(sheet('PO', ['', ''], 'Rent - PAID'));
    expect(await answer('item as is')).toContain('may not be owed');
    expect(await next(sheet('PO', ['', ''], 'Rent - PAID'))).toEqual({asks: [], billed: 2});
    expect(await next(sheet('PO', ['', ''], 'Rent - VOID'))).toEqual({asks: ['Item'], billed: 0});
  });
});

test.skipIf(!loaded.pty)('flags win, hold for their command, and what is ignored is named', async () => {
  const {answer, run, file, directory, next} = desk(sheet('Notes,Kind', ['call first,x', ',']));
  expect((await run(billing(file, '--map', 'Notes=ignore', '--map', 'Kind=ignore'))).status).toBe(0);
  expect((await next(sheet('Notes,Kind', ['call first,x', ',']))).asks).toEqual(['Notes', 'Kind']);
  await answer('8-9 ignore');
  expect((await run(billing(file))).stderr).toContain(
    'Ignored as before: Notes ("call first", 1 row), Kind ("x", 1 row)',
  );
  expect((await run(billing(file, '--map', 'Notes=leave_out:call first', '--json'))).rows()).toHaveLength(1);
  expect(statSync(join(directory, 'columns.json')).mode & 0o777).toBe(0o600);
});

test.skipIf(!loaded.pty)('lists and forgets', async () => {
  const {answer, run, file, next} = desk(sheet('Notes', ['a', 'b']));
  await answer('notes = ignore');
  const [listed, ...others] = (await run(['columns', 'list', '--json'])).rows();
  expect(others).toEqual([]);
  expect(listed).toMatchObject({number: 1, file, answers: {notes: 'ignore'}});
  expect(listed.columns).toHaveLength(8);
  expect((await run(['columns', 'list'], {columns: 80})).stdout).toMatch(/notes=ignore/);
  expect((await run(['columns', 'forget', '2'])).status).toBe(3);
  expect((await run(['columns', 'forget'])).status).toBe(2);
  expect((await run(['columns', 'forget', '1', '--dry-run'])).stderr).toContain(
    'forget the answers about columns: 1 (',
  );
  expect((await next(sheet('Notes', ['a', 'b']))).asks).toEqual([]);
  expect((await run(['columns', 'forget', '1', '--yes', '--json'])).rows()).toHaveLength(1);
  expect((await next(sheet('Notes', ['a', 'b']))).asks).toEqual(['Notes']);
});

test.skipIf(!loaded.pty)('keeps a hundred sets of headers: the set unused for longest gives way', async () => {
  const {answer, directory, run} = desk(sheet('Notes', ['a', 'b']));
  const sheets = Array.from({length: 100}, (_, nth) => ({
    ...{number: nth + 1, headers: [`h${nth}`], file: 'x.csv', used_at: nth === 41 ? 1 : nth + 2},
    answers: [{column: `h${nth}`, means: 'ignore', seen: {values: [], loud: []}}],
  }));
  writeFileSync(join(directory, 'columns.json'), JSON.stringify({version: 1, sheets}), {mode: 0o600});
  expect(await answer('all ignore')).toContain('columns forget 101');
  const numbers = (await run(['columns', 'list', '--json'])).rows().map(({number}: {number: number}) => number);
  expect(numbers).toEqual([...sheets.map(({number}) => number), 101].filter((number) => number !== 42));
});

test.each(['{', '{"version":1,"sheets":[{"number":1}]}', '{"version":2,"sheets":[]}'])(
  'a damaged memory stops an import, and forgetting all cures it: %s',
  async (text) => {
    const {directory, run, file} = desk(sheet('Notes', ['', '']));
    writeFileSync(join(directory, 'columns.json'), text, {mode: 0o600});
    const {status, stderr} = await run(billing(file));
    expect(status).toBe(14);
    expect(stderr).toContain('centavo columns forget --all');
    expect((await run(['columns', 'list'])).status).toBe(14);
    expect((await run(['columns', 'forget', '--all'])).status).toBe(0);
    expect((await run(billing(file))).status).toBe(0);
  },
);
