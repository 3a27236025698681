// The history: beginnings, steps and ends of writes, and secrets that are never recorded.

import {chmodSync, existsSync, mkdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {historyIn, BEGINNING, FINALIZING, OK, recordOne, recordsIn} from '../support/history/history.js';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** Fields of a write of one request. */
const NO_STEP = {reason: null, step: null, step_at: null, steps: []};

const objectOf = (id: string) => ({id, number: null, customer: null, send: null});

describe('a write', () => {
  test('is visible to other processes from its beginning, with its end', () => {
    const directory = temporaryDirectory();
    const history = historyIn(directory);
    history.begin(FINALIZING);
    const begun = {
      ...{...FINALIZING, at: BEGINNING, number: null, customer: null, file: null, agent: null, ...NO_STEP},
      ...{result: 'unfinished', exit_code: null, applied: null, ended_at: null},
      objects: [objectOf('bstm_7Hq2')],
    };
    expect(recordsIn(historyIn(directory))).toEqual([begun]);
    history.addObject('pi_5Ls8');
    expect(history.end(OK)).toBe(true);
    expect(recordsIn(historyIn(directory))).toEqual([
      {
        ...{...begun, ids: ['bstm_7Hq2', 'pi_5Ls8']},
        objects: [objectOf('bstm_7Hq2'), objectOf('pi_5Ls8')],
        ...{result: 'ok', exit_code: 0, applied: 'yes', ended_at: BEGINNING + 1},
      },
    ]);
  });

  test('without a recorded end is unfinished', () => {
    const history = historyIn(temporaryDirectory());
    history.begin({...FINALIZING, amount: undefined});
    expect(recordsIn(history)).toMatchObject([{amount: null, result: 'unfinished', exit_code: null, applied: null}]);
  });

  test('of several steps records the next step and the known objects', () => {
    const history = historyIn(temporaryDirectory());
    history.step('draft', []);
    expect(recordsIn(history)).toEqual([]);
    history.begin({...FINALIZING, ids: ['cus_2mQ8']});
    history.step('draft', []);
    history.step('draft', ['bstm_7Hq2']);
    history.step('send', ['bstm_7Hq2']);
    expect(recordsIn(history)).toMatchObject([
      {result: 'unfinished', ids: ['cus_2mQ8', 'bstm_7Hq2'], step: 'send', step_at: BEGINNING + 3},
    ]);
    history.end(OK);
    expect(recordsIn(history)).toMatchObject([{result: 'ok', ids: ['cus_2mQ8', 'bstm_7Hq2'], step: 'send'}]);
  });

  test('is one of several in a process, each ending with its own objects', () => {
    const history = historyIn(temporaryDirectory());
    history.begin({...FINALIZING, ids: []});
    history.addObject('bstm_1');
    history.addObject('bstm_2');
    history.begin({...FINALIZING, ids: ['bstm_3']});
    history.addObject('bstm_3');
    history.end({result: 'outcome_unknown', exitCode: 10, applied: 'unknown'});
    const ended = {result: 'outcome_unknown', exit_code: 10, applied: 'unknown'};
    expect(recordsIn(history)).toMatchObject([
      {...ended, ids: ['bstm_1', 'bstm_2']},
      {...ended, ids: ['bstm_3']},
    ]);
    recordOne(history);
    expect(recordsIn(history).map(({result}) => result)).toEqual(['outcome_unknown', 'outcome_unknown', 'ok']);
  });

  test('that never began has no end and no file', () => {
    const history = historyIn(temporaryDirectory());
    history.addObject('bstm_1');
    expect(history.end(OK)).toBe(true);
    expect(recordsIn(history)).toEqual([]);
    expect(existsSync(history.path)).toBe(false);
  });
});

describe('the file', () => {
  test('is created with its folders, for its owner only', () => {
    const directory = join(temporaryDirectory(), 'share', 'centavo');
    const history = historyIn(directory);
    recordOne(history);
    expect([modeOf(join(directory, '..')), modeOf(directory), modeOf(history.path)]).toEqual(['700', '700', '600']);
  });

  test('is made private; the folder keeps its mode', () => {
    const directory = join(temporaryDirectory(), 'data');
    mkdirSync(directory);
    chmodSync(directory, 0o755);
    const history = historyIn(directory);
    recordOne(history);
    history.close();
    chmodSync(history.path, 0o644);
    history.begin(FINALIZING);
    expect([modeOf(directory), modeOf(history.path)]).toEqual(['755', '600']);
  });
});

describe('what could be a secret', () => {
  const SECRETS = [
    'sk_live_0123456789abcdef',
    'sk_test_0123456789abcdef',
    'pk_live_0123456789abcdef',
    'xsk_live_0123456789abcdef',
    'whsk_0123456789abcdef',
    'pi_abc_secret_0123456789abcdef',
    'pi_5Ls8_secret_0123456789abcdef',
  ];

  test.for(SECRETS)('is not recorded: %s', (secret) => {
    const history = historyIn(temporaryDirectory());
    history.begin({profile: secret, mode: 'test', command: `api POST /${secret}`, ids: [secret, 'bstm_7Hq2']});
    history.addObject(secret);
    history.end({...OK, result: secret});
    expect(readFileSync(history.path, 'latin1')).not.toContain('0123456789abcdef');
    expect(recordsIn(history)).toMatchObject([
      {profile: '[redacted]', command: '[redacted]', ids: ['bstm_7Hq2'], result: '[redacted]'},
    ]);
  });

  test('is distinguished from ids, which are all recorded; other texts are not', () => {
    const history = historyIn(temporaryDirectory());
    const ids = ['bstm_li_4Rt7', 'cus_2mQ8', 'po_txn_1', 'task_1'];
    history.begin({
      ...FINALIZING,
      ids: [...ids, 'Maria Clara', 'maria@example.com', 'cus_', '../cus_1', 'cus_1\n', ''],
    });
    history.end(OK);
    expect(recordsIn(history)[0]!.ids).toEqual(ids);
  });
});
