// Statements of a month in Manila, and the exported rows of the next month.

import {expect, onTestFinished, test} from 'vitest';
import {NO_HISTORY} from '../../../src/accounting/standing.js';
import {exportMonth, exportNeeds, type ExportOptions} from '../../../src/billing/import/export-month.js';
import {ReceiptReader} from '../../../src/billing/reports/receipts.js';
import {readBook} from '../../../src/billing/reports/standings.js';
import {createClient} from '../../../src/client/client.js';
import {monthOf} from '../../../src/common/manila.js';
import {world} from '../../support/sandbox/world.js';

const at = (time: string): number => Date.parse(time) / 1000;

/** An account whose clock a test sets, and its export. */
function account() {
  let now = at('2026-10-01T10:00:00+08:00');
  const w = world({now: () => now});
  onTestFinished(() => w.sandbox.close());
  const client = createClient({key: w.sandbox.keys.secret, transport: w.sandbox.handle});
  return {
    w,
    setNow: (time: string) => void (now = at(time)),
    rowsOf: async (options: ExportOptions) => {
      const receipts = new ReceiptReader(client, {});
      const book = await readBook(client, {receipts, history: NO_HISTORY, now}, exportNeeds(options.month));
      return (await exportMonth(client, book, options)).rows;
    },
  };
}

test('a month begins and ends at midnight in Manila', async () => {
  const {w, setNow, rowsOf} = account();
  const times = [
    ['2026-11-30T23:59:59+08:00', 100_00, {year: 2026, month: 11}],
    ['2026-12-01T00:00:00+08:00', 200_00, {year: 2026, month: 12}],
    ['2026-12-31T23:59:59+08:00', 300_00, {year: 2026, month: 12}],
    ['2027-01-01T00:00:00+08:00', 400_00, {year: 2027, month: 1}],
  ] as const;
  for (const [time, centavos] of times) {
    setNow(time);
    await w.open({}, centavos);
  }
  for (const [time, , month] of times) {
    expect(monthOf(at(time))).toEqual(month);
    // The oldest statement first.
    const within = times.filter((each) => each[2].month === month.month);
    expect((await rowsOf({month})).map((row) => row.unit_price)).toEqual(within.map(([, centavos]) => centavos));
  }
});

test('a due date moves to the same day of the next month, or to its last day', async () => {
  const {w, rowsOf} = account();
  const moves = [
    ['2026-12-31T23:59:59+08:00', '2027-01-31'],
    ['2027-01-30T23:59:59+08:00', '2027-02-28'],
    ['2027-01-31T23:59:59+08:00', '2027-02-28'],
    ['2027-02-28T23:59:59+08:00', '2027-03-28'],
    ['2027-03-31T00:30:00+08:00', '2027-04-30'],
    ['2028-01-31T23:59:59+08:00', '2028-02-29'],
  ] as const;
  for (const [due] of moves) {
    const {id} = await w.draft();
    await w.ok('PUT', `/billing_statements/${id}`, {due_at: at(due)});
    await w.ok('POST', `/billing_statements/${id}/finalize`);
  }
  const rows = await rowsOf({month: {year: 2026, month: 10}});
  expect(rows.map((row) => row.due)).toEqual(moves.map(([, due]) => due));
});
