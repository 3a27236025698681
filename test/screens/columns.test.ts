// The screen that asks what the columns of a spreadsheet mean.

import {existsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {writeXlsx} from 'hucre/xlsx';
import {describe, expect, test} from 'vitest';
import {shownDirectory, temporaryDirectory} from '../support/cli.js';
import {commandsIn} from '../support/commands.js';
import {screenInProcess} from '../support/in-process.js';
import {loaded} from '../support/terminal.js';
import {widths} from '../support/test-size.js';

const SHEET = `Tuition of November
Invoice No,Email,Name,Item,Qty,Unit Price,Due,Phone,Scholarship,Settled,Status
S-1,ana@example.com,Ana Reyes,Tuition,1,20000,2031-01-15,0917 123 4567,5000,,unpaid
S-2,ben@example.com,Ben Cruz,Tuition - PAID,1,20001,2031-01-15,,,Yes - 12 Nov,partial
S-3,carla@example.com,Carla Uy,Books,1,900,2031-01-15,,,,settled
`;
const words = (file: string): string[] => ['billing-statements', 'import', file, '--dry-run'];

function see(
  text: string | Uint8Array,
  options: Parameters<typeof screenInProcess>[2] = {},
  directory = temporaryDirectory(),
) {
  const file = join(shownDirectory(), 'june.csv');
  writeFileSync(file, text);
  const shown = screenInProcess(directory, words(file), {rows: 60, ...options});
  const isKept = (): boolean => existsSync(join(directory, 'columns.json'));
  return {...shown, isKept};
}

describe.skipIf(!loaded.pty)('columns that are not understood', () => {
  const LOOKS = [
    ...widths([60, 80, 100]).map((columns) => ({name: `${columns}`, columns, env: {}})),
    {name: 'accessible', columns: 80, env: {ACCESSIBLE: '1'}},
  ];
  test.each(LOOKS)('$name: all columns, a question and one answer', async ({name, ...look}) => {
    const shown = see(SHEET, look);
    // What is typed before the mark of a plain prompt would be echoed before it.
    await shown.until(name === 'accessible' ? /are they\?\s+> / : /are they\?/);
    shown.type('4 as is, 9 ignore, 10 leave_out, 11 leave out settled\r');
    expect(await shown.ended).toBe(0);
    const text = (await shown.show()).replace(/\S*\/(?=june\.csv)/g, '');
    await expect(text).toMatchFileSnapshot(`texts/columns-${name}.txt`);
  });

  test('asks again for what is missing or wrong, and keeps what was typed', async () => {
    const shown = see(SHEET);
    await shown.until(/are they\?/);
    // The example is a column that is asked about: ignoring the price would lose it.
    shown.type('help\r');
    await shown.until(/"help" names no column\. Write a number and a meaning: 4 ignore/);
    shown.type('\u0015\r');
    await shown.until(/Say what 4, 9, 10 and 11 are\./);
    shown.type('9-11 ignore\r');
    await shown.until(/Say also what 4 is\./);
    shown.type(', 4 itme\r');
    await shown.until(/9-11 ignore, 4 itme[^]*4: "itme" is not a meaning/);
    shown.type('\u007F'.repeat(4));
    shown.type('as is, 11 leave_out done\r');
    await shown.until(/11: no cell is "done"/);
    shown.type('\u0003');
    expect(await shown.ended).toBe(130);
    expect(shown.isKept()).toBe(false);
  });

  test('in plain lines, the parts that were right are kept', async () => {
    const shown = see(SHEET, {env: {ACCESSIBLE: '1'}});
    await shown.until(/are they\?/);
    shown.type('9-11 ignore\r');
    await shown.until(/Say also what 4 is\./);
    shown.type('item as_is\r');
    expect(await shown.ended).toBe(0);
    expect(await shown.text()).toContain('3 billing statements for 3 customers');
  });

  test('a field that no column has is asked about, until the table is whole', async () => {
    const shown = see('Email,Lessee,Upa,Due\nana@example.com,Ana,900,2031-01-15\n');
    await shown.until(/Still missing: item, unit price\.[^]*are they\?/);
    shown.type('lessee = customer name, upa ignore\r');
    await shown.until(
      /Upa[^\n]* ignored[^]*Still missing: item, unit price\.\s+If no column has the item, press Ctrl-C and add --item[^]*Which columns are they\?/,
    );
    shown.type('3 charge\r');
    expect(await shown.ended).toBe(0);
    expect(await shown.text()).toMatch(/Upa[^]*₱900\.00/);
  });

  test('two columns with one meaning are asked about again', async () => {
    const shown = see('Email,Name,Item,One,Two\nana@example.com,Ana,Rent,95,80\n');
    await shown.until(/are they\?/);
    shown.type('4-5 unit price\r');
    await shown.until(/Two: "One" has the same meaning, unit_price\.[^]*are they\?/);
    shown.type('5 ignore\r');
    expect(await shown.ended).toBe(0);
  });

  test('asks nothing about a sheet that no answer cures', async () => {
    const shown = see('Email,Name,Item,Price,Notes,Notes,Kind\nana@example.com,Ana,Rent,95,a,b,c\n');
    expect(await shown.ended).toBe(2);
    expect(await shown.text()).not.toContain('?  (');
  });

  test('remembers no answer that is refused', async () => {
    const shown = see('Email,Name,Item,Fee USD,Kind\nana@example.com,Ana,Rent,95,a\n');
    await shown.until(/are they\?/);
    shown.type('fee usd unit price, 5 ignore\r');
    expect(await shown.ended).toBe(2);
    expect(await shown.text()).toMatch(/is\s+not in pesos\./);
    expect(shown.isKept()).toBe(false);
  });

  test('a hidden column of a workbook is marked', async () => {
    const rows = [
      ['Email', 'Name', 'Item', 'Price', 'Kind'],
      ['ana@example.com', 'Ana', 'Rent', 95, 'x'],
    ];
    const columns = [{}, {}, {}, {}, {hidden: true}];
    const shown = see(await writeXlsx({sheets: [{name: 'June', rows, columns}]}));
    await shown.until(/5 {2}Kind \(hidden\) {2}x .*\? {2}\(1 row\)/);
    shown.kill('SIGINT');
    expect(await shown.ended).toBe(130);
  });

  test('a known column is corrected, and the correction is remembered', async () => {
    const directory = temporaryDirectory();
    const sheet = 'Email,Name,Item,Fee,Total,Kind\nana@example.com,Ana,Rent,100,900,x\n';
    const shown = see(sheet, {}, directory);
    await shown.until(/are they\?/);
    shown.type('5 unit price, 4 ignore, kind: metadata.kind\r');
    expect(await shown.ended).toBe(0);
    const again = see(sheet, {}, directory);
    expect(await again.ended).toBe(0);
    expect(await again.text()).toMatch(/Ignored as before: Fee \("100", 1 row\)[^]*₱900\.00/);
  });

  test('values that were left out stay left out, or ask again after another answer', async () => {
    const directory = temporaryDirectory();
    const sheet = (note: string, extra = '') =>
      `Email,Name,Item,Fee,Notes${extra && ',Parking'}\nana@example.com,Ana,Rent,100,\nben@example.com,Ben,Rent,900,${note}${extra}\n`;
    const month = async (text: string, answer: string, asks: RegExp) => {
      const shown = see(text, {}, directory);
      if (answer) {
        await shown.until(asks);
        shown.type(`${answer}\r`);
      }
      expect(await shown.ended).toBe(0);
      return shown.text();
    };
    await month(sheet('on leave'), '5 leave_out on leave', /are they\?/);
    await month(
      sheet('paid'),
      '5 leave_out paid',
      /Meanings:[^]*, ignore\s+Your earlier answers: 5 leave_out on leave/,
    );
    expect(await month(sheet('On leave'), '', /$/)).toMatch(/Not billed, as answered: line 3/);
    const more = await month(
      sheet('paid', ',50'),
      'as before, 6 ignore',
      /type: as before\): 5 leave_out on leave\|paid/,
    );
    expect(more).toMatch(/Not billed, as answered: line 3/);
    await month(sheet('moved in'), '5 ignore', /are they\?/);
    await month(sheet('paid'), '5 leave_out paid', /It holds other values than before: "paid"\./);
  });

  test('without a terminal, the fault names the new value and its line, not the first cell', async () => {
    const directory = temporaryDirectory();
    const sheet = (note: string) =>
      `Email,Name,Item,Fee,Notes\nana@example.com,Ana,Rent,100,on leave\nben@example.com,Ben,Rent,900,${note}\n`;
    const shown = see(sheet(''), {}, directory);
    await shown.until(/are they\?/);
    shown.type('5 leave_out on leave\r');
    expect(await shown.ended).toBe(0);
    const file = join(temporaryDirectory(), 'june.csv');
    writeFileSync(file, sheet('dropped'));
    const {error} = await commandsIn(directory)([...words(file), '--json']);
    expect(error().faults).toMatchObject([{line: 3, value: 'dropped', problem: expect.stringMatching(/"dropped"\.$/)}]);
  });
});
