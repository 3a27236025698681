// The audit's file: a line for each beginning and each end, what is made of them, and what never gets into it.

import {chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {auditIn, BEGINNING, FINALIZING, OK, recordOne, recordsIn} from '../support/audit/history.js';

const linesOf = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** Of a write that is one request. */
const NO_STEP = {reason: null, step: null, step_at: null, steps: []};

describe('a write', () => {
  test('is a line when it begins, and another when it ends', () => {
    const audit = auditIn(temporaryDirectory());
    audit.begin(FINALIZING);
    const begun = {type: 'begun', id: 'w1', at: BEGINNING, ...FINALIZING};
    expect(linesOf(audit.path)).toEqual([begun]);
    audit.touched('pi_5Ls8');
    expect(audit.end(OK)).toBe(true);
    expect(linesOf(audit.path)).toEqual([
      begun,
      {type: 'ended', id: 'w1', at: BEGINNING + 1, result: 'ok', exit_code: 0, applied: 'yes', ids: ['pi_5Ls8']},
    ]);
    expect(recordsIn(audit)).toEqual([
      {
        ...FINALIZING,
        at: BEGINNING,
        ids: ['bstm_7Hq2', 'pi_5Ls8'],
        result: 'ok',
        exit_code: 0,
        applied: 'yes',
        ...NO_STEP,
        ended_at: BEGINNING + 1,
        number: null,
        customer: null,
      },
    ]);
  });

  test('that did not end is unfinished', () => {
    const audit = auditIn(temporaryDirectory());
    audit.begin({...FINALIZING, amount: undefined});
    expect(recordsIn(audit)).toMatchObject([{amount: null, result: 'unfinished', exit_code: null, applied: null}]);
  });

  test('that takes several steps says which it was about to take, and what is known by then', () => {
    const audit = auditIn(temporaryDirectory());
    audit.step('draft', []);
    expect(recordsIn(audit)).toEqual([]);
    audit.begin({...FINALIZING, ids: ['cus_2mQ8']});
    audit.step('draft', []);
    audit.step('draft', ['bstm_7Hq2']);
    audit.step('send', ['bstm_7Hq2']);
    expect(recordsIn(audit)).toMatchObject([
      {result: 'unfinished', ids: ['cus_2mQ8', 'bstm_7Hq2'], step: 'send', step_at: BEGINNING + 3},
    ]);
    audit.end(OK);
    expect(recordsIn(audit)).toMatchObject([{result: 'ok', ids: ['cus_2mQ8', 'bstm_7Hq2'], step: 'send'}]);
  });

  test('is one of several in a process, each of which ends, with what it made', () => {
    const audit = auditIn(temporaryDirectory());
    audit.begin({...FINALIZING, ids: []});
    audit.touched('bstm_1');
    audit.touched('bstm_2');
    audit.begin({...FINALIZING, ids: ['bstm_3']});
    audit.touched('bstm_3');
    audit.end({result: 'outcome_unknown', exitCode: 10, applied: 'unknown'});
    const ended = {result: 'outcome_unknown', exit_code: 10, applied: 'unknown'};
    expect(recordsIn(audit)).toMatchObject([
      {...ended, ids: ['bstm_1', 'bstm_2']},
      {...ended, ids: ['bstm_3']},
    ]);
    recordOne(audit);
    expect(recordsIn(audit).map(({result}) => result)).toEqual(['outcome_unknown', 'outcome_unknown', 'ok']);
  });

  test('that none was begun has no end, and no file', () => {
    const audit = auditIn(temporaryDirectory());
    audit.touched('bstm_1');
    expect(audit.end(OK)).toBe(true);
    expect(recordsIn(audit)).toEqual([]);
    expect(existsSync(audit.path)).toBe(false);
  });
});

describe('the file', () => {
  test('is made with its folders, for its owner only', () => {
    const directory = join(temporaryDirectory(), 'share', 'centavo');
    const audit = auditIn(directory);
    recordOne(audit);
    expect([modeOf(join(directory, '..')), modeOf(directory), modeOf(audit.path)]).toEqual(['700', '700', '600']);
  });

  test('is made private where it was not; the folder is left as it is', () => {
    const directory = join(temporaryDirectory(), 'data');
    mkdirSync(directory);
    chmodSync(directory, 0o755);
    const audit = auditIn(directory);
    recordOne(audit);
    chmodSync(audit.path, 0o644);
    audit.begin(FINALIZING);
    expect([modeOf(directory), modeOf(audit.path)]).toEqual(['755', '600']);
  });

  test('is read whole, however long it is and wherever its pieces are cut', () => {
    const audit = auditIn(temporaryDirectory());
    const profiles = Array.from({length: 3000}, (_, index) => `tindahan-ñ-${'₱'.repeat(index % 400)}`);
    const lines = profiles.map((profile, index) => ({...FINALIZING, type: 'begun', id: `w${index}`, at: 1, profile}));
    writeFileSync(audit.path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(statSync(audit.path).size).toBeGreaterThan(2 << 20);
    expect(recordsIn(audit).map(({profile}) => profile)).toEqual(profiles);
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

  test.for(SECRETS)('gets into no line: %s', (secret) => {
    const audit = auditIn(temporaryDirectory());
    audit.begin({profile: secret, mode: 'test', command: `api POST /${secret}`, ids: [secret, 'bstm_7Hq2']});
    audit.touched(secret);
    audit.end({...OK, result: secret});
    expect(readFileSync(audit.path, 'utf8')).not.toContain('0123456789abcdef');
    expect(recordsIn(audit)).toMatchObject([
      {profile: '[redacted]', command: '[redacted]', ids: ['bstm_7Hq2'], result: '[redacted]'},
    ]);
  });

  test('is told from ids, of which all are kept; what is no id is not', () => {
    const audit = auditIn(temporaryDirectory());
    const ids = ['bstm_li_4Rt7', 'cus_2mQ8', 'po_txn_1', 'task_1'];
    audit.begin({...FINALIZING, ids: [...ids, 'Maria Clara', 'maria@example.com', 'cus_', '../cus_1', 'cus_1\n', '']});
    audit.end(OK);
    expect(recordsIn(audit)[0]!.ids).toEqual(ids);
  });
});

describe('a line that is not as it should be', () => {
  function readingOf(text: string): {commands: string[]; unreadable: number} {
    const audit = auditIn(temporaryDirectory());
    writeFileSync(audit.path, text);
    let unreadable = 0;
    const commands = recordsIn(audit, (lines) => (unreadable = lines)).map(({command}) => command);
    return {commands, unreadable};
  }
  const begun = (command: string): string =>
    JSON.stringify({type: 'begun', id: command, at: 1, profile: 'shop', mode: 'test', command, ids: []});

  test.for([
    'not JSON',
    '"text"',
    'null',
    '7',
    '[]',
    '{}',
    '\0\0\0\0',
    '{"type":7}',
    '{"type":"begun"}',
    '{"type":"begun","id":"w1","at":"today","command":"a"}',
    '{"type":"begun","id":"w1","at":1}',
    '{"type":"ended","id":"w1"}',
    begun('torn').slice(0, -9),
  ])('is left out and counted: %j', (line) => {
    expect(readingOf(`${begun('a')}\n${line}\n${begun('b')}\n`)).toEqual({commands: ['a', 'b'], unreadable: 1});
  });

  test.for(['', ' ', '\r', '{"type":"renamed","id":"w1"}'])('is left out, and no loss: %j', (line) => {
    expect(readingOf(`${begun('a')}\n${line}\n${begun('b')}\n`)).toEqual({commands: ['a', 'b'], unreadable: 0});
  });

  test.for(['', '{"type":"begun","id":"w9"', '{"type":"begun","id":"w9","command":"says \\"{\\"', '\0\0\0'])(
    'does not take with it what stands behind it without a line break: %j',
    (torn) => {
      const glued = `${begun('a')}\n${torn}${begun('b')}\n${begun('c')}${begun('d')}\n`;
      expect(readingOf(glued)).toEqual({commands: ['a', 'b', 'c', 'd'], unreadable: torn === '' ? 0 : 1});
    },
  );

  test('of a later version is read as far as it is known', () => {
    const audit = auditIn(temporaryDirectory());
    const begin = {type: 'begun', v: 9, id: 'w1', at: 1, command: 'a', mode: 'shadow', ids: ['bstm_1', 7], who: {a: 1}};
    const end = {type: 'ended', v: 9, id: 'w1', result: 'ok', exit_code: 0, applied: 'partly', ids: 'bstm_2', by: 'x'};
    writeFileSync(audit.path, `${JSON.stringify(begin)}\n${JSON.stringify(end)}\n`);
    const tells = (): never => expect.fail('every line can be read');
    expect(recordsIn(audit, tells)).toEqual([
      {
        at: 1,
        profile: '',
        mode: 'shadow',
        command: 'a',
        ids: ['bstm_1'],
        amount: null,
        result: 'ok',
        exit_code: 0,
        applied: 'partly',
        ...NO_STEP,
        ended_at: null,
        number: null,
        customer: null,
      },
    ]);
  });

  test('which was written again behind what others wrote meanwhile counts once', () => {
    const audit = auditIn(temporaryDirectory());
    const entry = (type: string, id: string, more: object): string => JSON.stringify({type, id, at: 1, ...more});
    const step = (ids: readonly string[]): string => entry('step', 'a', {step: 'send', ids});
    const end = (result: string): string => entry('ended', 'a', {result, ids: ['bstm_3']});
    const others = Array.from({length: 10}, (_, index) => begun(`other ${index}`));
    const lines = [begun('a'), ...others, begun('a'), step(['bstm_1']), step(['bstm_2']), end('ok'), end('ok')];
    writeFileSync(audit.path, lines.map((line) => `${line}\n`).join(''));
    const records = recordsIn(audit);
    expect(records).toHaveLength(11);
    expect(records.find(({command}) => command === 'a')).toMatchObject({
      result: 'ok',
      ids: ['bstm_1', 'bstm_2', 'bstm_3'],
    });
  });

  test('which is there twice counts once, and an end without its beginning not at all', () => {
    const audit = auditIn(temporaryDirectory());
    const end = JSON.stringify({type: 'ended', id: 'b', result: 'ok', exit_code: 0, applied: 'yes', ids: []});
    writeFileSync(audit.path, `${begun('a')}\n${begun('a')}\n${end}\n`);
    expect(recordsIn(audit)).toMatchObject([{command: 'a', result: 'unfinished'}]);
  });
});
