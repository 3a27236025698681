// Texts in place of values: one day is not "1 days", and a day ends at midnight in Manila.

import {expect, test} from 'vitest';
import {formatCount} from '../../../src/common/counts.js';
import {BatchTally} from '../../../src/cli/operations/batch-tally.js';
import {standingOf} from '../../../src/accounting/standing.js';
import {stateLabel} from '../../../src/accounting/words.js';

const at = (time: string): number => Date.parse(time) / 1000;
const DUE = at('2026-12-15T23:59:59+08:00');

test.each([
  ['2026-12-14T23:59:59+08:00', 'due 15 Dec'],
  ['2026-12-15T00:00:00+08:00', 'due today'],
  ['2026-12-15T23:59:59+08:00', 'due today'],
  ['2026-12-16T00:00:00+08:00', 'overdue 1 day'],
  ['2026-12-16T23:59:59+08:00', 'overdue 1 day'],
  ['2026-12-17T00:00:00+08:00', 'overdue 2 days'],
])('at %s, the status of a statement due on 15 December is: %s', (time, words) => {
  const statement = {id: 'bstm_1', status: 'open', amount: 100, due_at: DUE};
  expect(stateLabel(standingOf(statement, {}, at(time)), at(time), false).text).toBe(words);
});

test('singular and plural', () => {
  expect([0, 1, 2, 1000].map((days) => formatCount(days, 'day'))).toEqual(['0 days', '1 day', '2 days', '1,000 days']);
  const changed = (count: number): string => Object.assign(new BatchTally(3), {changed: count}).summary().changed;
  expect([0, 1, 2].map(changed)).toEqual(['Nothing was changed.', '1 of 3 was changed.', '2 of 3 were changed.']);
});
