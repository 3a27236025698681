// Commits to a write-ahead log: nothing is acknowledged before its sync, also if a sync fails or the store closes.

import {execFileSync} from 'node:child_process';
import {closeSync, open, openSync, readdirSync, readFileSync, readlinkSync, renameSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {afterEach, beforeEach, describe, expect, onTestFinished, test} from 'vitest';
import type {CentavoError} from '../../../src/common/errors.js';
import {openDatabase, type Database} from '../../../src/storage/sqlite.js';
import {GroupCommit} from '../../../src/webhooks/store/group-commit.js';
import {temporaryDirectory} from '../../support/cli.js';
import {until} from '../../support/webhooks/listener.js';

let at: string;
let path: string;
let database: Database;
let commits: GroupCommit;
/** Values whose write has resolved or failed, in this order. */
let ended: (number | string)[];

beforeEach(() => {
  at = temporaryDirectory();
  path = join(at, 'deliveries.db');
  // The test is alone with the file, so a log is safe with each engine.
  const opened = openDatabase(path);
  opened.exec('PRAGMA journal_mode = WAL; CREATE TABLE events (value INTEGER)');
  database = {...opened, hasLog: true};
  commits = new GroupCommit(database, path);
  ended = [];
});

afterEach(() => {
  commits.close();
  database.close();
});

const insert = (value: number, urgent = true): Promise<unknown> =>
  commits
    .add(() => void database.run('INSERT INTO events VALUES (?)', value), {urgent})
    .then(() => ended.push(value))
    .catch((error: CentavoError) => ended.push(`${value}: ${error.details.why}`));

/** As another process reads them. */
function storedValues(): number[] {
  const other = openDatabase(path, {readOnly: true});
  const rows = other.all<{value: number}>('SELECT value FROM events');
  other.close();
  return rows.map(({value}) => value);
}

const committed = (...values: number[]) => until(() => storedValues().join() === values.join());

/** Occupies the threads that sync files, until the returned function is called or the test ends. */
function occupyThreads(): () => Promise<void> {
  const pipe = join(at, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const threads = Number(process.env.UV_THREADPOOL_SIZE ?? 4);
  // Each waits for a writer.
  const readers = Promise.all(Array.from({length: threads}, () => promisify(open)(pipe, 'r')));
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    const writer = openSync(pipe, 'r+');
    for (const each of [writer, ...(await readers)]) closeSync(each);
  };
  onTestFinished(() => (released ??= release()));
  return () => (released ??= release());
}

/** The descriptor by which the log is synced. SQLite's own is open for writing. */
const logDescriptors = (): number[] =>
  readdirSync('/proc/self/fd')
    .map(Number)
    .filter((each) => {
      try {
        const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${each}`, 'utf8'))![1]!;
        return readlinkSync(`/proc/self/fd/${each}`) === `${path}-wal` && flags.endsWith('0');
      } catch {
        return false;
      }
    });

/** Makes a descriptor refer to another file. */
function redirect(descriptor: number, to: string): void {
  closeSync(descriptor);
  const opened = [openSync(to, 'r')];
  while (opened.at(-1) !== descriptor) opened.push(openSync(to, 'r'));
  for (const each of opened.slice(0, -1)) closeSync(each);
}

describe.runIf(process.platform === 'linux')('with a write-ahead log', () => {
  test('a write resolves after its sync; only one that is not urgent resolves before', async () => {
    const release = occupyThreads();
    void insert(1);
    void insert(2, false);
    await committed(1, 2);
    void insert(3);
    void insert(4, false);
    await until(() => ended.length > 0);
    expect(ended).toEqual([2]);
    await release();
    await until(() => ended.length === 4);
    expect(ended).toEqual([2, 1, 4, 3]);
    expect(storedValues()).toEqual([1, 2, 3, 4]);
  });

  test('after a failed sync, no write is acknowledged until the log can be synced again', async () => {
    await insert(1);
    const [descriptor] = logDescriptors();
    redirect(descriptor!, '/dev/null');
    await insert(2);
    await insert(3);
    redirect(descriptor!, `${path}-wal`);
    await insert(4);
    const why = 'The system reported EINVAL.';
    expect(ended).toEqual([1, `2: ${why}`, `3: ${why}`, 4]);
    expect(storedValues()).toEqual([1, 2, 3, 4]);
  });

  test('closing commits what waits, and leaves a running sync its answer', async () => {
    const release = occupyThreads();
    void insert(1);
    await committed(1);
    void insert(2);
    commits.close();
    await until(() => ended.length > 0);
    expect(ended).toEqual([2]);
    expect(storedValues()).toEqual([1, 2]);
    await release();
    await until(() => ended.length === 2);
    expect(logDescriptors()).toEqual([]);
  });

  test('a removed log fails each write until it is back', async () => {
    await insert(1);
    renameSync(`${path}-wal`, `${path}-away`);
    await insert(2);
    renameSync(`${path}-away`, `${path}-wal`);
    await insert(3);
    expect(ended).toEqual([1, '2: It does not exist.', 3]);
    expect(storedValues()).toEqual([1, 3]);
  });
});
