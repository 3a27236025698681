// Layout of any columns: never too wide, wrongly cut, or lost as the terminal widens.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {fitColumns, GAP, columnSubsets, type ColumnWidths} from '../../../src/output/tables/layout.js';
import {render} from '../../../src/output/render.js';
import type {ResultColumn} from '../../../src/output/result.js';
import {cellOf, shortIds} from '../../../src/output/tables/cells.js';
import type {ValueFormatters} from '../../../src/output/result.js';
import {formatPesos} from '../../../src/common/pesos.js';
import {dangers, linesOf, many, PLAIN, terminal, widthOf, type Row} from '../../support/output/recorded-terminal.js';
import {runs} from '../../support/test-size.js';

const SEED = 20261222;
const WIDTHS = {min: 30, max: 220};

describe(`the rules (seed ${SEED})`, () => {
  const columns = fc.array(
    fc.record(
      {
        rank: fc.integer({min: 1, max: 8}),
        forms: fc
          .array(fc.integer({min: 1, max: 60}), {minLength: 1, maxLength: 3})
          .map((all) => all.sort((a, b) => b - a)),
        soft: fc.integer({min: 8, max: 30}),
        least: fc.integer({min: 4, max: 14}),
      },
      {requiredKeys: ['rank', 'forms']},
    ),
    {minLength: 1, maxLength: 9},
  );
  const keptAt = (all: readonly ColumnWidths[], width: number): readonly number[] => {
    const sets = columnSubsets(all.map(({rank}) => rank));
    const found = sets.find((set) =>
      fitColumns(
        set.map((index) => all[index]!),
        width,
      ),
    );
    return found ?? sets.at(-1)!;
  };

  test('keeps tables within the terminal and columns above their minimum', () => {
    fc.assert(
      fc.property(
        columns,
        fc.integer(WIDTHS),
        fc.constantFrom('soft' as const, 'least' as const),
        (all, width, limit) => {
          const places = fitColumns(all, width, limit);
          if (!places) return;
          const total = places.reduce((sum, place) => sum + place.width, GAP * (places.length - 1));
          expect(total).toBeLessThanOrEqual(width);
          for (const [index, {form, width: given}] of places.entries()) {
            const {forms, soft, least} = all[index]!;
            const floor = limit === 'least' ? (least ?? soft) : soft;
            expect(given).toBeLessThanOrEqual(forms[form]!);
            expect(given).toBeGreaterThanOrEqual(Math.min(forms[form]!, floor ?? Infinity));
          }
        },
      ),
      {seed: SEED, numRuns: runs(3000)},
    );
  });

  test('never drops a column as the terminal widens from 30 to 220', () => {
    fc.assert(
      fc.property(columns, (all) => {
        let before: readonly number[] = [];
        for (let {min: width} = WIDTHS; width <= WIDTHS.max; width++) {
          const kept = keptAt(all, width);
          expect(before.filter((index) => !kept.includes(index))).toEqual([]);
          before = kept;
        }
      }),
      {seed: SEED, numRuns: 200},
    );
  });

  test('keeps the first three ranks, and drops a whole rank at a time', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({min: 1, max: 8}), {minLength: 1, maxLength: 9}), (ranks) => {
        const sets = columnSubsets(ranks);
        const staying = ranks.flatMap((rank, index) => (rank <= Math.max(3, Math.min(...ranks)) ? [index] : []));
        expect(sets.at(-1)).toEqual(staying);
        for (const set of sets)
          for (const index of set)
            expect(
              ranks
                .flatMap((rank, other) => (rank <= ranks[index]! ? [other] : []))
                .every((other) => set.includes(other)),
            ).toBe(true);
      }),
      {seed: SEED, numRuns: runs(1000)},
    );
  });
});

describe('short ids', () => {
  test('are the prefix, eight characters and an ellipsis, or more to stay distinct', () => {
    expect(shortIds(['bstm_I9XSFQEXl8RM', 'bstm_7Hq2Kx9LmN4p'])).toEqual(['bstm_I9XSFQEX…', 'bstm_7Hq2Kx9L…']);
    expect(shortIds(['bstm_I9XSFQEXl8RM', 'bstm_I9XSFQEXl9RM'])).toEqual(['bstm_I9XSFQEXl8…', 'bstm_I9XSFQEXl9…']);
    expect(shortIds(['bstm_li_I9XSFQEXl8RM', 'cus_1', '', 'not an id'])).toEqual([
      'bstm_li_I9XSFQEX…',
      'cus_1',
      '',
      'not an id',
    ]);
    expect(shortIds(['pay_I9XSFQEXl8RM', 'pay_I9XSFQEXl8RM'])).toEqual(['pay_I9XSFQEX…', 'pay_I9XSFQEX…']);
  });
});

test('the end of a day is a day, and has no time of day', () => {
  const column: ResultColumn = {path: 'paid_at', header: 'paid', kind: 'timestamp', rank: 1, timed: true};
  const look = {now: 1_796_000_000, words: new Map(), shownPaths: new Set(['paid_at'])};
  const textOf = (text: string) =>
    cellOf({paid_at: Date.parse(`2026-11-20T${text}+08:00`) / 1000}, column, {io: PLAIN, look} as never).text;
  expect(['23:59:59', '23:59:58', '00:00:00'].map(textOf)).toEqual(['20 Nov', '20 Nov 23:59', '20 Nov 00:00']);
});

describe(`tables of any texts (seed ${SEED})`, () => {
  const COLUMNS: readonly ResultColumn[] = [
    {path: 'number', header: 'number', kind: 'text', rank: 1, whole: true},
    {path: 'customer', header: 'customer', kind: 'object', rank: 2, cut: 'name'},
    {path: 'email', header: 'email', kind: 'text', rank: 8, cut: 'address'},
    {path: 'amount', header: 'amount', kind: 'centavos', rank: 3},
    {path: 'due_at', header: 'due', kind: 'timestamp', rank: 5},
    {path: 'status', header: 'status', kind: 'status', rank: 3},
    {path: 'note', header: 'note', kind: 'text', rank: 7},
    {path: 'id', header: 'id', kind: 'text', rank: 6, shortens: true, whole: true},
  ];
  // Without a due date column, the status includes it.
  const words: ValueFormatters = new Map([
    [
      'status',
      ({status}, {shownPaths}) => ({text: shownPaths.has('due_at') ? String(status) : `${String(status)} 27 Nov`}),
    ],
  ]);
  const texts = fc.oneof(
    fc.string({unit: 'grapheme', maxLength: 40}),
    fc.constantFrom(
      '山田太郎商店 マニラ支店',
      '👩\u200D💻 Ana',
      'Niño Ibañez',
      'สวัสดี',
      'Aling Nena’s Sari-Sari Store',
      'e\u0301'.repeat(30),
    ),
  );
  const rows: fc.Arbitrary<Row[]> = fc.array(
    fc.record({
      number: fc.stringMatching(/^[A-Z0-9]{3,9}-[0-9]{4}$/),
      customer: texts,
      email: fc.stringMatching(/^[a-z.]{1,20}@[a-z]{2,14}\.example$/),
      amount: fc.integer({min: 0, max: 5_999_999_999}),
      due_at: fc.integer({min: 0, max: 4_000_000_000}),
      status: fc.constantFrom('open', 'draft', 'overdue 47 days'),
      note: texts,
      id: fc.stringMatching(/^bstm_[A-Za-z0-9]{32}$/),
    }),
    {minLength: 1, maxLength: 5},
  );
  const NOW = 1_797_300_000;

  async function at(width: number, all: readonly Row[]) {
    const {io, out, err} = terminal({columns: width, env: PLAIN});
    await render({...many(all, COLUMNS), atTerminal: COLUMNS, formatters: async () => words}, {now: NOW}, io);
    const hidden = /Not shown, terminal too narrow: (.*)\./.exec(err().replaceAll('\n', ' '))?.[1]?.split(', ') ?? [];
    return {out: out(), hidden};
  }

  test('fit their width, cut no amount and no number, and halve no character', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer(WIDTHS), async (all, width) => {
        const {out} = await at(width, all);
        expect(dangers(out)).toEqual([]);
        for (const line of linesOf(out)) expect(widthOf(line), line).toBeLessThanOrEqual(width);
        for (const {amount, number} of all) {
          expect(out).toContain(formatPesos(amount as number));
          expect(out).toContain(number);
        }
        expect(out).not.toContain('\u200D…');
      }),
      {seed: SEED, numRuns: runs(400)},
    );
  });

  test('show at least as much at a greater width', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer(WIDTHS), fc.integer({min: 1, max: 60}), async (all, width, more) => {
        const [narrow, wide] = [await at(width, all), await at(width + more, all)];
        expect(wide.hidden.filter((name) => !narrow.hidden.includes(name))).toEqual([]);
      }),
      {seed: SEED, numRuns: runs(300)},
    );
  });

  test('show ids if nothing else names the objects, and no empty column', async () => {
    const id = 'bstm_I9XSFQEXl8RMDKL7bwieAv19SRZkSopa';
    const {out, hidden} = await at(60, [{id, number: null, customer: 'cus_2mQ8', amount: 125_050, status: 'open'}]);
    expect(out).toBe('CUSTOMER     AMOUNT  STATUS       ID\ncus_2mQ8  ₱1,250.50  open 27 Nov  bstm_I9XSFQEX…\n');
    expect(hidden).toEqual([]);
  });
});
