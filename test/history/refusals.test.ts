// When the history cannot be written, nothing is sent, the error names the file and the reason, and earlier records stay.

import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, onTestFinished, test} from 'vitest';
import {errorLines} from '../../src/cli/dispatch/print-error.js';
import {CentavoError} from '../../src/common/errors.js';
import {cli, temporaryDirectory, preload} from '../support/cli.js';
import {openDatabase} from '../../src/storage/sqlite.js';
import {TEST_KEY} from '../support/services/servers.js';
import {service} from '../support/services/service.js';
import {historyIn, FINALIZING, OK, recordOne, recordsIn} from '../support/history/history.js';

function refusalOf(work: () => unknown): CentavoError {
  try {
    work();
  } catch (error) {
    if (error instanceof CentavoError) return error;
    throw error;
  }
  return expect.fail('It was not refused.');
}

type Spoil = (directory: string, path: string) => void;

describe('a beginning that cannot be recorded', () => {
  test.for<[name: string, why: string, spoil: Spoil]>([
    ['a folder is in the file’s place', 'It is a folder.', (_, path) => mkdirSync(path)],
    [
      'a pipe is in the file’s place',
      'It is not a file.',
      (_, path) => void execFileSync('sh', ['-c', 'mkfifo "$0"', path]),
    ],
    [
      'the file is a link to another one',
      'It is a symbolic link, which centavo does not follow.',
      (directory, path) => {
        writeFileSync(join(directory, 'elsewhere'), 'kept');
        symlinkSync('elsewhere', path);
      },
    ],
    [
      'the file is a link to nothing',
      'It is a symbolic link, which centavo does not follow.',
      (_, path) => symlinkSync('elsewhere', path),
    ],
    [
      'a file is in the folder’s place',
      'Part of the path is a file instead of a folder.',
      (directory) => {
        rmSync(directory, {recursive: true});
        writeFileSync(directory, '');
      },
    ],
  ])('%s', ([, why, spoil]) => {
    const directory = join(temporaryDirectory(), 'data');
    mkdirSync(directory);
    const history = historyIn(directory);
    spoil(directory, history.path);

    const refusal = refusalOf(() => history.begin(FINALIZING));
    expect(refusal).toMatchObject({kind: 'local_io', code: 'not_recorded', exitCode: 15, details: {applied: 'no'}});
    const [what, reason] = errorLines(refusal);
    expect(what).toBe(`Error: nothing was sent: the change could not be recorded in ${history.path}.`);
    expect(reason).toBe(`  ${why} Nothing was changed.`);
    // Nothing has begun, so ending succeeds.
    expect(history.end(OK)).toBe(true);
    expect(refusalOf(() => recordsIn(history))).toMatchObject({kind: 'local_io', exitCode: 15});
    const elsewhere = join(directory, 'elsewhere');
    if (existsSync(elsewhere)) expect(readFileSync(elsewhere, 'utf8')).toBe('kept');
  });
});

test.for<[by: string, sql: string, hint: string]>([
  ['another version of centavo', 'PRAGMA user_version = 9', 'Use the latest version of centavo.'],
  [
    'another program',
    'PRAGMA user_version = 0',
    'Move the file away. centavo then knows only the changes that its other files record.',
  ],
])('neither reads nor writes a history made by %s', ([by, sql, hint]) => {
  const directory = temporaryDirectory();
  const history = historyIn(directory);
  recordOne(history);
  history.close();
  const database = openDatabase(history.path);
  database.exec(sql);
  database.close();
  const before = readFileSync(history.path);

  const begun = refusalOf(() => history.begin(FINALIZING));
  expect(begun).toMatchObject({kind: 'local_io', code: 'not_recorded', details: {applied: 'no'}});
  const why = `It was made by ${by}.`;
  expect(begun.details).toMatchObject({why, hint});
  const read = refusalOf(() => recordsIn(history));
  expect(read.message).toBe(`the history ${history.path} cannot be read.`);
  expect(read.details).toMatchObject({why, hint});
  expect(readFileSync(history.path).equals(before)).toBe(true);
});

describe('an end that cannot be recorded', () => {
  test('is reported without throwing; the write stays unfinished, and the next one is recorded', () => {
    const directory = join(temporaryDirectory(), 'data');
    const away = `${directory}-away`;
    const history = historyIn(directory);
    recordOne(history);
    history.begin(FINALIZING);
    renameSync(directory, away);
    writeFileSync(directory, 'a file in the way');
    expect(history.end(OK)).toBe(false);
    expect(history.end(OK)).toBe(true);
    rmSync(directory);
    renameSync(away, directory);
    recordOne(history);
    expect(recordsIn(history).map(({result}) => result)).toEqual(['ok', 'unfinished', 'ok']);
  });
});

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const NO_SQLITE = fileURLToPath(new URL('../support/history/no-sqlite.cjs', import.meta.url));

// Not registered elsewhere: a skipped test fails in CI.
const hasSqlite = major > 22 || (major === 22 && minor >= 13);
(hasSqlite ? () => {} : describe)('a Node without SQLite', () => {
  test('reads an account; a change exits with 15 and sends nothing', async () => {
    const api = await service();
    onTestFinished(api.close);
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY, ...preload(NO_SQLITE)};
    const run = cli(temporaryDirectory(), {env});
    const read = await run(['customers', 'get', 'cus_2mQ8', '--json']);
    expect(read, read.stderr).toMatchObject({status: 0});
    const change = await run(['customers', 'create', '--name', 'Ana', '--email', 'ana@reyes.example']);
    expect(change).toMatchObject({status: 15, stdout: ''});
    expect(change.stderr).toMatch(/nothing was sent[^]*libsql is missing[^]*Use Node 22.13 or later/);
    expect(api.writes()).toEqual([]);
  });
});
