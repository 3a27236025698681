// What the history says of sends, as other commands read it.

import {expect, test} from 'vitest';
import {lastSends, NOT_SENT, SENT} from '../../src/billing/compose/journal.js';

const write = (steps: readonly {readonly step: string; readonly ids: readonly string[]}[]) => ({
  command: 'billing-statements import',
  ids: [...new Set(steps.flatMap(({ids}) => ids))],
  result: 'unfinished',
  applied: null,
  at: 1,
  steps: steps.map((step, at) => ({...step, at})),
  ended_at: null,
});

test('of statements that are recorded together, each has its own outcome', () => {
  const sends = lastSends([
    write([
      {step: 'send', ids: ['bstm_1', 'bstm_2', 'bstm_3']},
      {step: SENT, ids: ['bstm_2']},
      {step: NOT_SENT, ids: ['bstm_3']},
    ]),
  ]);
  expect([...sends]).toEqual([
    ['bstm_1', {at: 0, state: 'in_doubt'}],
    ['bstm_2', {at: 1, state: 'sent'}],
  ]);
});

test('the record of a large import is read once, not once for each of its statements', () => {
  let reads = 0;
  const ids = Array.from({length: 1000}, (_, number) => `bstm_${number}`);
  const record = write(ids.flatMap((id) => ['send', SENT].map((step) => ({step, ids: [id]}))));
  const steps = record.steps.map(({ids: named, ...rest}) => ({
    ...rest,
    get ids() {
      reads++;
      return named;
    },
  }));
  expect(lastSends([{...record, steps}]).size).toBe(1000);
  expect(reads).toBeLessThan(10 * steps.length);
});
