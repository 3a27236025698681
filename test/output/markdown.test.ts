// Markdown: tables that a document shows as they were meant, whatever the texts are.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {dangers, many, one, PLAIN, shown, type Row} from '../support/output/terminal.js';
import {runs} from '../support/tiers.js';

const SEED = 20261223;
const ROWS: Row[] = [
  {id: 'bstm_1', customer: {name: 'Cruz | Sons'}, status: 'open', amount: 125_050, due_at: 1_797_350_399},
  {id: 'bstm_2', customer: {name: '<b>*Ana*</b> [x](y)'}, status: 'draft', amount: 0, due_at: 0},
];
const format = 'markdown';

describe('a list', () => {
  test('is one table with amounts on the right, full values, and nothing that Markdown would act on', async () => {
    expect(await shown(many(ROWS), {format}, {tty: false})).toBe(
      [
        '| Id | Customer | Status | Amount | Due |',
        '| --- | --- | --- | ---: | --- |',
        '| bstm_1 | Cruz \\| Sons | open | ₱1,250.50 | 2026-12-15 |',
        '| bstm_2 | \\<b\\>\\*Ana\\*\\</b\\> \\[x\\](y) | draft | ₱0.00 |  |',
        '',
      ].join('\n'),
    );
  });

  test('is the same at a terminal, however narrow, and without what stands under a table there', async () => {
    const result = {...many(ROWS), below: ['2 statements']};
    const piped = await shown(many(ROWS), {format}, {tty: false});
    expect(await shown(result, {format, now: 1_797_300_000}, {columns: 30, env: PLAIN})).toBe(piped);
  });

  test('of nothing is a table without rows', async () => {
    expect(await shown(many([]), {format}, {tty: false})).toMatch(/^\| Id \|.*\n\| --- \|.*\n$/);
  });

  test('has the fields that were asked for', async () => {
    expect(await shown(many(ROWS), {format, fields: ['amount', 'id']}, {tty: false})).toMatch(/^\| Amount \| Id \|\n/);
  });
});

test('one object is a table of its fields, and one of each list in it', async () => {
  const items = [{id: 'li_1', description: 'Pens', quantity: 3, unit_price: 1250}];
  const columns = [
    {path: 'status', header: 'status', kind: 'status'},
    {path: 'due_at', header: 'due', kind: 'timestamp'},
    {path: 'description', header: 'description', kind: 'text'},
    {path: 'items', header: 'line items', kind: 'object'},
  ] as const;
  expect(await shown(one({...ROWS[0], items}, columns), {format}, {tty: false})).toBe(
    [
      '| Field | Value |',
      '| --- | --- |',
      '| Status | open |',
      '| Due | 2026-12-15 23:59 |',
      '',
      '**Line items**',
      '',
      '| Id | Description | Quantity | Unit price | Total |',
      '| --- | --- | --- | ---: | ---: |',
      '| li_1 | Pens | 3 | ₱12.50 | ₱37.50 |',
      '',
    ].join('\n'),
  );
});

test(`every row has as many cells as there are columns, and no control characters (seed ${SEED})`, async () => {
  const texts = fc.oneof(fc.string({unit: 'binary', maxLength: 30}), fc.stringMatching(/^[|\\`*[\]<>\n\r\t a]{0,12}$/));
  await fc.assert(
    fc.asyncProperty(fc.array(texts, {minLength: 1, maxLength: 5}), async (names) => {
      const text = await shown(many(names.map((name) => ({...ROWS[0], customer: {name}}))), {format}, {tty: false});
      expect(dangers(text)).toEqual([]);
      const lines = text.split('\n').slice(0, -1);
      expect(lines).toHaveLength(names.length + 2);
      for (const line of lines) expect(line.replace(/\\./gu, '').match(/\|/g)).toHaveLength(6);
    }),
    {seed: SEED, numRuns: runs(500)},
  );
});
