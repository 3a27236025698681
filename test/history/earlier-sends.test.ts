// Sends in the history, as other commands read them.

import {join} from 'node:path';
import {expect, test} from 'vitest';
import {History} from '../../src/history/history.js';
import {NOT_SENT_STEP, SENT_STEP} from '../../src/history/queries.js';
import {historyIn, BEGINNING, recordsIn} from '../support/history/history.js';
import {cpuTimeSince, growthBetween, LINEAR} from '../support/far-limits.js';
import {temporaryDirectory} from '../support/cli.js';

const IMPORT = {profile: 'shop', mode: 'test', command: 'billing-statements import', ids: []} as const;

test('statements recorded together have their own outcomes', () => {
  const directory = temporaryDirectory();
  const [history, others] = [historyIn(directory), historyIn(directory)];
  history.begin(IMPORT);
  history.step('send', ['bstm_1', 'bstm_2', 'bstm_3']);
  history.step(SENT_STEP, ['bstm_2']);
  history.step(NOT_SENT_STEP, ['bstm_3']);
  expect(['bstm_1', 'bstm_2', 'bstm_3', 'bstm_4'].map((id) => others.lastSend(id))).toMatchObject([
    {at: BEGINNING + 1, state: 'in_doubt', change: 1, isRunning: false},
    {at: BEGINNING + 2, state: 'sent', change: 1, isRunning: false},
    undefined,
    undefined,
  ]);
  expect(history.lastSend('bstm_2'), 'what this process has begun itself').toBeUndefined();
});

test('the last send counts, even if its outcome is unknown', () => {
  const directory = temporaryDirectory();
  const [history, others] = [historyIn(directory), historyIn(directory)];
  for (const outcome of [SENT_STEP, undefined]) {
    history.begin(IMPORT);
    history.step('send', ['bstm_1']);
    if (outcome) history.step(outcome, ['bstm_1']);
    history.end({result: 'interrupted', exitCode: 130, applied: 'unknown'});
  }
  expect(others.lastSend('bstm_1')).toMatchObject({at: BEGINNING + 5, state: 'in_doubt', change: 2, isRunning: false});
  expect(others.earlierActivity('bstm_1', 15_000)).toMatchObject({unsettled: true, send: 'sent'});
});

test('a send of one step counts as sent on success, and as uncertain if its outcome is unknown', () => {
  const directory = temporaryDirectory();
  const [history, others] = [historyIn(directory), historyIn(directory)];
  for (const [id, end] of [
    ['bstm_1', {result: 'ok', exitCode: 0, applied: 'yes'}],
    ['bstm_2', {result: 'outcome_unknown', exitCode: 10, applied: 'unknown'}],
    ['bstm_3', {result: 'rejected', exitCode: 5, applied: 'no'}],
  ] as const) {
    history.begin({...IMPORT, command: 'billing-statements send', ids: [id]});
    history.end(end);
  }
  expect(['bstm_1', 'bstm_2', 'bstm_3'].map((id) => others.lastSend(id)?.state)).toEqual([
    'sent',
    'in_doubt',
    undefined,
  ]);
});

test('recorded times move to the service’s clock at its first answer, once', () => {
  let offset: number | undefined;
  let clock = BEGINNING;
  const path = join(temporaryDirectory(), 'history.db');
  const history = new History(path, {now: () => clock + (offset ?? 0), offset: () => offset, token: () => 'w1'});
  history.begin({...IMPORT, ids: ['bstm_1']});
  history.step('send', ['bstm_1']);
  offset = 3600;
  history.step(SENT_STEP, ['bstm_1']);
  // This machine's clock is put right.
  [offset, clock] = [0, BEGINNING + 3600];
  history.end({result: 'ok', exitCode: 0, applied: 'yes'});
  const at = BEGINNING + 3600;
  expect(recordsIn(history)).toMatchObject([{at, ended_at: at, steps: [{at}, {at}]}]);
});

test('a lookup takes as long in a large import as in a small one', async () => {
  const lookUps = (count: number): number => {
    const directory = temporaryDirectory();
    const [history, others] = [historyIn(directory), historyIn(directory)];
    const ids = Array.from({length: count}, (_, number) => `bstm_${number}`);
    history.begin(IMPORT);
    history.step('send', ids);
    history.step(SENT_STEP, ids);
    expect(others.lastSend('bstm_0')).toMatchObject({state: 'sent'});
    const before = process.cpuUsage();
    for (let number = 0; number < 1000; number++) others.lastSend(`bstm_${number % 100}`);
    return cpuTimeSince(before);
  };
  expect(await growthBetween(lookUps, 100, 10_000)).toBeLessThan(LINEAR);
});
