// Aimed failures as rows of the sandbox's file: who takes them, and when they end.

import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {AimedFailures} from '../../../src/sandbox/control/failures.js';
import {createEmbeddedSandbox} from '../../../src/sandbox/embedded.js';
import {loadSnapshot, saveSnapshot} from '../../../src/sandbox/snapshots.js';
import {openDatabase} from '../../../src/storage/sqlite.js';
import {DAY, START} from '../../support/sandbox/world.js';

const HOUR = 3600;
const LIST = {method: 'GET', path: '/customers', query: '', headers: {}, body: undefined} as const;

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'centavo-failures-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  return join(folder, 'sandbox.db');
}

function opened(path: string) {
  const clock = {now: START};
  const sandbox = createEmbeddedSandbox({path, now: () => clock.now});
  onTestFinished(() => sandbox.close());
  return {clock, sandbox, failures: new AimedFailures(sandbox)};
}

const rowsOf = (path: string): unknown[] => {
  const database = openDatabase(path, {readOnly: true});
  try {
    return database.all('SELECT * FROM failures');
  } finally {
    database.close();
  }
};

test('of three that share a file, one takes a failure, and its row goes', () => {
  const path = newFile();
  const all = [opened(path), opened(path), opened(path)].map(({failures}) => failures);
  all[0]!.add({operation: 'customers.list', status: 503});
  expect(all.map((each) => each.take(LIST)?.name)).toEqual(['failure 1', undefined, undefined]);
  expect(rowsOf(path)).toEqual([]);
  all[1]!.add({path: '/customers', delay: 5, times: 2});
  expect(all.map((each) => each.take(LIST)?.name)).toEqual(['failure 2', 'failure 2', undefined]);
  expect(all.map((each) => each.used(2))).toEqual([1, 2, 0]);
});

test('a failure ends after an hour of the real clock, whatever the sandbox clock says', () => {
  const {sandbox, failures, clock} = opened(newFile());
  failures.add({status: 500, times: 5});
  sandbox.advanceClock(30 * DAY);
  clock.now += HOUR - 1;
  expect(failures.take(LIST)).toMatchObject({name: 'failure 1'});
  expect(failures.summary()).toBe(
    '1 failure is aimed: any request gets HTTP 500 4 times (until 17:00). To end: centavo sandbox fail --clear',
  );
  clock.now += 1;
  expect(failures.take(LIST)).toBeUndefined();
  expect([failures.summary(), failures.list()]).toEqual([undefined, []]);
  // The clock was put back.
  clock.now = START - HOUR;
  expect(failures.take(LIST)).toBeUndefined();
  failures.add({status: 400});
  expect(failures.list()).toMatchObject([{id: 2, status: 400}]);
});

test('no snapshot has failures; a loaded one and a reset end them', () => {
  const path = newFile();
  const {sandbox, failures} = opened(path);
  failures.add({status: 500});
  const name = saveSnapshot(sandbox, 'aimed');
  expect(rowsOf(`${path}.snapshot-${name}`)).toEqual([]);
  expect(failures.list()).toHaveLength(1);
  loadSnapshot(sandbox, name);
  expect(failures.list()).toEqual([]);
  failures.add({status: 500});
  sandbox.reset();
  expect(failures.list()).toEqual([]);
});

test('a file and a snapshot of an earlier version, without failures, open and load', () => {
  const path = newFile();
  const {sandbox} = opened(path);
  const name = saveSnapshot(sandbox);
  for (const each of [path, `${path}.snapshot-${name}`]) {
    const database = openDatabase(each);
    database.exec('DROP TABLE failures');
    database.close();
  }
  const later = opened(path);
  later.failures.add({status: 500});
  loadSnapshot(later.sandbox, name);
  expect(later.failures.list()).toEqual([]);
});

test('a request of a command takes only a failure with own, and the log names it', async () => {
  const {sandbox, failures} = opened(newFile());
  const authorization = `Basic ${btoa(`${sandbox.keys.secret}:`)}`;
  const answer = sandbox.answering(new AbortController().signal);
  const request = {...LIST, headers: {authorization, 'content-type': 'application/json'}};
  const create = {...request, method: 'POST', body: Buffer.from('{"name":"Ana"}')} as const;
  failures.add({status: 503});
  expect(await answer(request)).toMatchObject({status: 200});
  failures.add({drop: 'before', own: true});
  expect(await answer(create)).toBe('simulated failure 2 closed the connection');
  failures.add({drop: 'after', own: true});
  expect(await answer(create)).toBe('simulated failure 3 closed the connection');
  failures.add({status: 500, applied: true, own: true});
  expect(await answer(create)).toMatchObject({status: 500});
  failures.add({delay: 60_000, own: true});
  expect(await answer(request, AbortSignal.timeout(5))).toBe('no response in time, because of simulated failure 5');
  expect(failures.list()).toMatchObject([{id: 1, used: 0}]);
  const {data} = (await sandbox.requestLog()).list({limit: 9});
  expect(data.map(({method, status, simulated}) => [method, status, simulated])).toEqual([
    ['GET', 200, 'failure 5'],
    ['POST', 500, 'failure 4'],
    ['POST', null, 'failure 3'],
    ['POST', null, 'failure 2'],
  ]);
});
