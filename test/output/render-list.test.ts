// A list printed page by page equals the list printed as a whole.

import {parse} from 'csv-parse/sync';
import {describe, expect, test} from 'vitest';
import {renderList, untilStopped} from '../../src/output/render-list.js';
import {program} from '../support/output/built-jq.js';
import {render} from '../../src/output/render.js';
import type {Rendering, CommandResult} from '../../src/output/result.js';
import {COLUMNS, many, terminal, type Row, type TerminalOptions} from '../support/output/recorded-terminal.js';

const SECRET = 'pi_abc_secret_0123456789abcdef';
const row = (index: number, more: Row = {}): Row => ({
  id: `bstm_${index}`,
  customer: {id: 'cus_1', name: 'Juan, "the \u20281st"'},
  status: 'open',
  amount: index * 100,
  due_at: 1_797_350_399,
  ...more,
});
const ROWS = Array.from({length: 7}, (_, index) =>
  row(index, index > 4 ? {client_secret: SECRET, metadata: {a: 1}} : {}),
);
const PAGES = [ROWS.slice(0, 3), [], ROWS.slice(3, 6), ROWS.slice(6)];
const PIPE: TerminalOptions = {tty: false};
const NEVER = new AbortController().signal;

/** The document has `data` last, as every list. */
const listOf = (rows: readonly Row[]): CommandResult => many(rows);

async function inPages(pages: readonly (readonly Row[])[], rendering: Rendering, options = PIPE, resultOf = listOf) {
  const {io, out, err} = terminal(options);
  await renderList(pages, resultOf, rendering, untilStopped({io, signal: NEVER}));
  return {out: out(), err: err()};
}

async function whole(rows: readonly Row[], rendering: Rendering, options = PIPE) {
  const {io, out, err} = terminal(options);
  await render(listOf(rows), rendering, io);
  return {out: out(), err: err()};
}

describe.each<[Rendering, TerminalOptions?]>([
  [{}],
  [{}, {tty: true}],
  [{format: 'table'}],
  [{format: 'json'}],
  [{format: 'jsonl'}],
  [{format: 'csv'}],
  [{format: 'json', fields: ['id', 'metadata.a']}],
  [{format: 'jsonl', fields: ['metadata.a']}],
  [{format: 'csv', fields: ['id', 'metadata.a', 'client_secret']}],
  [{fields: ['amount']}],
  [{jq: await program('.data[].id')}],
  [{jq: await program('.data[].id'), format: 'jsonl'}],
])('as %j %j', (rendering, options) => {
  test('pages are the whole, byte for byte', async () => {
    const printed = await inPages(PAGES, rendering, options);
    expect(printed).toEqual(await whole(ROWS, rendering, options));
    expect(printed.out).not.toContain('0123456789abcdef');
  });

  test.each([[[]], [[[]]], [[[ROWS[6]!]]]])('%#: short lists print completely', async (pages) => {
    expect(await inPages(pages, rendering, options)).toEqual(await whole(pages.flat(), rendering, options));
  });
});

test('an unknown field is empty, with one warning after the list', async () => {
  const {io, out, err} = terminal(PIPE);
  const rendering = {format: 'csv', fields: ['id', 'nope']} as const;
  await renderList(PAGES, listOf, rendering, untilStopped({io, signal: NEVER}));
  expect(out()).toMatch(/^id,nope\r\n[^,]+,\r\n/);
  expect(err().match(/Warning: no field "nope"/g)).toHaveLength(1);
});

test('prints each page before requesting the next', async () => {
  const {io, out} = terminal(PIPE);
  const seen: number[] = [];
  function* pages() {
    for (const page of PAGES) {
      seen.push(out().split('\n').length - 1);
      yield page;
    }
  }
  await renderList(pages(), listOf, {format: 'jsonl'}, untilStopped({io, signal: NEVER}));
  expect(seen).toEqual([0, 3, 3, 6]);
});

test('a signal ends it between two pages, and the source is closed', async () => {
  const {io, out} = terminal(PIPE);
  const stop = new AbortController();
  let closed = false;
  function* pages() {
    try {
      yield PAGES[0]!;
      setImmediate(() => stop.abort());
      yield PAGES[2]!;
      yield PAGES[3]!;
    } finally {
      closed = true;
    }
  }
  await renderList(pages(), listOf, {format: 'jsonl'}, untilStopped({io, signal: stop.signal}));
  expect(out().split('\n')).toHaveLength(7);
  expect(closed).toBe(true);
});

test('names columns that only later pages have', async () => {
  const withDeleted = (rows: readonly Row[]): CommandResult =>
    many(rows, [
      ...COLUMNS,
      ...(rows.some(({deleted}) => deleted) ? [{path: 'deleted', header: 'deleted', kind: 'boolean'} as const] : []),
    ]);
  const pages = [[row(1)], [row(2, {deleted: true})]];
  const {out, err} = await inPages(pages, {format: 'csv'}, PIPE, withDeleted);
  // A row of another length is an error of the parser.
  expect(parse(out)).toHaveLength(3);
  expect(err).toBe('Columns missing from the first page were omitted: deleted.\n');
});
