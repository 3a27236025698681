// Tables on a terminal: within its width, in straight columns, for any text.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import wrapAnsi from 'wrap-ansi';
import {textMeasureFor} from '../../../src/output/text-width.js';
import {tableView} from '../../../src/output/tables/table-view.js';
import type {ResultColumn} from '../../../src/output/result.js';
import {
  COLUMNS,
  dangers,
  linesOf,
  many,
  one,
  PLAIN,
  shown,
  terminal,
  unpainted,
  widthOf,
  type Row,
} from '../../support/output/recorded-terminal.js';
import {cpuTimeSince, growthBetween, LINEAR} from '../../support/far-limits.js';
import {runs} from '../../support/test-size.js';

const SEED = 20261224;

const statement = (fields: Row = {}): Row => ({
  id: 'bstm_7Hq2Kx9LmN4pQr',
  resource: 'billing_statement',
  customer: {id: 'cus_2mQ8', name: 'Juan Dela Cruz'},
  status: 'open',
  amount: 125_050,
  due_at: 1_797_350_399,
  ...fields,
});

const NAMES = [
  'Juan Dela Cruz',
  '山田太郎',
  '김철수',
  'José Ñandú',
  '👩\u200D💻 Ana',
  '👨\u200D👩\u200D👧 Reyes',
  '🇵🇭 Shop',
  '❤\uFE0F',
  'e\u0301a',
  'ＦＵＬＬ',
  'สวัสดี',
  'नमस्ते',
  'a',
];

describe('a table of statements', () => {
  test('names its columns, aligns amounts on the right, and gives days', async () => {
    const text = await shown(many([statement(), statement({amount: 5_999_999_999, status: 'paid'})]), {}, {env: PLAIN});
    expect(linesOf(text)).toEqual([
      'ID                   CUSTOMER        STATUS          AMOUNT  DUE',
      'bstm_7Hq2Kx9LmN4pQr  Juan Dela Cruz  open         ₱1,250.50  2026-12-15',
      'bstm_7Hq2Kx9LmN4pQr  Juan Dela Cruz  paid    ₱59,999,999.99  2026-12-15',
    ]);
  });

  test('keeps its columns straight under wide, joined and combining characters', async () => {
    const rows = NAMES.map((name, index) => statement({customer: {name}, amount: 10 ** (index % 8) * 2000}));
    const lines = linesOf(await shown(many(rows), {}, {columns: 100, env: PLAIN}));
    const dates = lines.map((line) => widthOf(line.slice(0, line.search(/(2026-12-15|DUE)$/))));
    expect(new Set(dates).size).toBe(1);
  });

  test('measures Latin letters and quotation marks as a terminal shows them', async () => {
    const latin = Array.from({length: 0x250 - 0xc0}, (_, index) => String.fromCodePoint(0xc0 + index));
    const letters = [...latin, ...'₱·‘’“”–—…'];
    const rows = letters.map((letter, index) => statement({customer: {name: letter.repeat(index % 20)}}));
    const lines = linesOf(await shown(many(rows), {}, {columns: 100, env: PLAIN}));
    const dates = lines.slice(1).map((line) => widthOf(line.slice(0, line.indexOf('2026-12-15'))));
    expect(lines).toHaveLength(letters.length + 1);
    expect(new Set(dates).size).toBe(1);
  });

  test.each([200, 120, 80, 70, 60])('stays within %i columns', async (columns) => {
    const rows = NAMES.map((name) => statement({customer: {name: name.repeat(5)}}));
    for (const line of linesOf(await shown(many(rows), {}, {columns, env: PLAIN})))
      expect(widthOf(line)).toBeLessThanOrEqual(columns);
  });

  test('shows ids, amounts and states whole, however narrow it is', async () => {
    for (const columns of [200, 80, 60, 40, 20, 1]) {
      const text = await shown(many([statement({customer: {name: 'x'.repeat(300)}})]), {}, {columns, env: PLAIN});
      for (const whole of ['bstm_7Hq2Kx9LmN4pQr', '₱1,250.50', 'open']) {
        // Hidden columns are named on stderr.
        if (columns < 70 && !text.includes(whole)) continue;
        expect(text).toContain(whole);
      }
      expect(text).toContain('bstm_7Hq2Kx9LmN4pQr');
    }
  });

  test('names hidden columns on stderr', async () => {
    const {io, out, err} = terminal({columns: 45, env: PLAIN});
    const {render} = await import('../../../src/output/render.js');
    await render(many([statement()]), {}, io);
    expect(out()).not.toContain('2026-12-15');
    expect(err()).toBe('Not shown, terminal too narrow: amount, due.\n');
  });

  test('prints a thousand rows as one table with one header', async () => {
    const rows = Array.from({length: 1000}, (_, index) => statement({id: `bstm_${index}`, amount: index * 100}));
    const lines = linesOf(await shown(many(rows), {}, {env: PLAIN}));
    expect(lines).toHaveLength(1001);
    expect(lines.filter((line) => line.startsWith('ID'))).toHaveLength(1);
    expect(new Set(lines.map((line) => line.search(/(2026-12-15|DUE)$/))).size).toBe(1);
  });

  test('takes time linear in its rows', async () => {
    const timed = async (count: number): Promise<number> => {
      // Few rows have the same cell widths.
      const rows = Array.from({length: count}, (_, index) =>
        statement({id: `bstm_${'x'.repeat(index % 23)}`, customer: {name: 'y'.repeat(index % 31)}, amount: index ** 2}),
      );
      const began = process.cpuUsage();
      expect(linesOf(await shown(many(rows), {}, {columns: 120, env: PLAIN}))).toHaveLength(count + 1);
      return cpuTimeSince(began);
    };
    expect(await growthBetween(timed, 400, 4000)).toBeLessThan(LINEAR);
  });

  test.each(['word ', 'नमस्ते ', 'e\u0301', '山', '😀a'])(
    'cuts a long text of %j in time that grows with the text, and gives its length',
    async (part) => {
      const columns: ResultColumn[] = [{path: 'name', header: 'name', kind: 'text'}];
      const timed = async (count: number): Promise<number> => {
        const text = part.repeat(count);
        const began = process.cpuUsage();
        const lines = linesOf(await shown(many([{name: text}], columns), {}, {env: PLAIN}));
        const spent = cpuTimeSince(began);
        expect(lines.length).toBeLessThan(11);
        expect(lines.join(), 'no half of a character').not.toMatch(/[\p{Cs}\uFFFD]/u);
        expect(lines.map((line) => line.trim()).join(' ')).toMatch(
          new RegExp(`^NAME ${part}.* … \\(${text.length} characters\\)$`),
        );
        return spent;
      };
      expect(await growthBetween(timed, 2000, 20_000)).toBeLessThan(LINEAR);
    },
  );

  test('wraps only text', async () => {
    const columns = COLUMNS.map((column) => ({...column, kind: column.kind === 'object' ? 'text' : column.kind}));
    const rows = [statement({customer: 'A very long name of a company '.repeat(4)})];
    const lines = linesOf(await shown(many(rows, columns), {}, {columns: 70, env: PLAIN}));
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.filter((line) => line.includes('bstm_'))).toHaveLength(1);
  });
});

describe('colour', () => {
  const painted = (text: string) => text !== unpainted(text);
  const rows = many([statement(), statement({status: 'paid'}), statement({status: 'uncollectible'})]);

  test.each([
    ['on a terminal', {tty: true}, true],
    ['not in a pipe', {tty: false}, false],
    ['not with NO_COLOR', {tty: true, env: {NO_COLOR: '1'}}, false],
    ['with an empty NO_COLOR, which says nothing', {tty: true, env: {NO_COLOR: ''}}, true],
    ['not with TERM=dumb', {tty: true, env: {TERM: 'dumb'}}, false],
    ['in a pipe with FORCE_COLOR', {tty: false, env: {FORCE_COLOR: '1'}}, true],
    ['not with FORCE_COLOR=0', {tty: true, env: {FORCE_COLOR: '0'}}, false],
    ['not with FORCE_COLOR=false', {tty: true, env: {FORCE_COLOR: 'false'}}, false],
  ])('%s', async (_, options, expected) => {
    expect(painted(await shown(rows, {format: 'table'}, options))).toBe(expected);
  });

  test('changes only colour, not text or layout', async () => {
    const plain = await shown(rows, {}, {env: PLAIN});
    expect(unpainted(await shown(rows, {}, {}))).toBe(plain);
  });

  test.each(['constructor', '__proto__', 'toString', 'never_heard_of'])(
    'a state of %j is shown and not painted',
    async (status) => {
      expect(unpainted(await shown(many([statement({status})]), {}, {}))).toContain(status);
      expect(unpainted(await shown(one(statement({status})), {}, {}))).toContain(status);
    },
  );
});

describe(`any texts (seed ${SEED})`, () => {
  const cells = fc.oneof(
    fc.string({unit: 'grapheme', maxLength: 30}),
    fc.string({unit: 'binary', maxLength: 20}),
    fc.constantFrom(...NAMES),
    fc.array(fc.constantFrom(...NAMES, ' ', '-'), {maxLength: 8}).map((parts) => parts.join('')),
  );
  const rows = fc.array(
    fc.tuple(fc.stringMatching(/^[A-Za-z0-9_]{1,20}$/), cells, fc.integer({min: 0, max: 10 ** 10}).map(String)),
    {
      minLength: 1,
      maxLength: 6,
    },
  );
  const columns: readonly ResultColumn[] = [
    {path: 'id', header: 'id', kind: 'text', whole: true, rank: 1},
    {path: 'name', header: 'name', kind: 'text', rank: 1},
    {path: 'amount', header: 'amount', kind: 'text', whole: true, align: 'right', rank: 1},
  ];
  const tableOf = async (all: readonly (readonly string[])[], width: number) => {
    const records = all.map(([id, name, amount]) => ({id, name, amount}));
    return (await tableView(many(records, columns), {io: terminal({columns: width, env: PLAIN}).io})).text;
  };

  test('no line is wider than the terminal, and none holds a control character', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({min: 45, max: 140}), async (all, width) => {
        const table = await tableOf(all, width);
        if (table === undefined) return;
        expect(dangers(table)).toEqual([]);
        for (const line of linesOf(table)) expect(widthOf(line)).toBeLessThanOrEqual(width);
      }),
      {seed: SEED, numRuns: runs(1500)},
    );
  });

  test('the last column, aligned on the right, ends in the same place on every line that has it', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        const table = await tableOf(all, 140);
        const ends = linesOf(table!)
          .filter((line) => /(\d|AMOUNT)$/.test(line))
          .map(widthOf);
        expect(new Set(ends).size).toBe(1);
      }),
      {seed: SEED, numRuns: runs(1500)},
    );
  });
});

test('a text is wrapped as wrap-ansi wraps it', async () => {
  const {wrap} = await textMeasureFor();
  const words = fc.oneof(fc.constant(' '), fc.stringMatching(/^[A-Za-z0-9ñ₱.請-]{0,30}$/));
  const texts = fc.array(words, {maxLength: 12}).map((parts) => parts.join(' '));
  fc.assert(
    fc.property(texts, fc.integer({min: 1, max: 24}), (text, width) => {
      const lines = wrapAnsi(text, width, {hard: true, trim: false}).split('\n');
      const trimmed = lines.map((line) => line.trim()).filter((line, index) => index === 0 || line !== '');
      expect(wrap(text, width)).toEqual(text.length <= width && lines.length === 1 ? [text] : trimmed);
    }),
    {seed: 20261122, numRuns: runs(2000)},
  );
});
