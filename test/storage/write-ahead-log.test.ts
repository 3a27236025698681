// Where a database has a write-ahead log, and how processes with and without one share a file.

import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {openDatabase, readOnly} from '../../src/storage/sqlite.js';
import {fileSystemOf, isLogSafe, SIDE_FILES} from '../../src/storage/write-ahead-log.js';
import {temporaryDirectory} from '../support/cli.js';

const EXT4 = 0xef53;

test.each([
  ['3.44.5', false],
  ['3.44.6', true],
  ['3.45.1', false],
  ['3.46.1', false],
  ['3.47.2', false],
  ['3.50.6', false],
  ['3.50.7', true],
  ['3.51.2', false],
  ['3.51.3', true],
  ['3.52.0', true],
  ['3.53.4', true],
  ['3.54.0', true],
  ['4.0.0', true],
  ['', false],
])('SQLite %s: %s', (sqlite, expected) => {
  expect(isLogSafe({sqlite, platform: 'linux', fileSystem: EXT4})).toBe(expected);
});

test.each([
  ['darwin', EXT4, false],
  ['win32', EXT4, false],
  ['linux', EXT4, true],
  ['linux', 0x58465342, true],
  ['linux', 0x9123683e, true],
  ['linux', 0x01021994, true],
  ['linux', 0x794c7630, true],
  ['linux', 0x2fc12fc1, true],
  ['linux', 0xf2f52010, true],
  ['linux', 0x65735546, false],
  ['linux', 0x01021997, false],
  ['linux', 0x6a656a63, false],
  ['linux', 0x6969, false],
  ['linux', 0xff534d42, false],
  ['linux', 0xfe534d42, false],
  ['linux', undefined, false],
])('%s, file system %i: %s', (platform, fileSystem, expected) => {
  expect(isLogSafe({sqlite: '3.53.4', platform, fileSystem})).toBe(expected);
});

/** A file with two connections: `first` wants a log, `other` does not. */
function shared() {
  const path = join(temporaryDirectory(), 'data.db');
  const first = openDatabase(path, {journal: 'WAL'});
  onTestFinished(() => first.close());
  first.exec('CREATE TABLE notes (text)');
  return {path, first};
}

test('a file has a log where one is safe', () => {
  const {path, first} = shared();
  const {sqlite} = first.get<{sqlite: string}>('SELECT sqlite_version() AS sqlite')!;
  expect(first.hasLog).toBe(isLogSafe({sqlite, platform: process.platform, fileSystem: fileSystemOf(path)}));
  expect(existsSync(`${path}-wal`)).toBe(first.hasLog);
  expect(openDatabase(':memory:', {journal: 'WAL'}).hasLog).toBe(false);
});

test('a process without a log does not wait for one that has it, and both write', () => {
  const {path, first} = shared();
  const began = performance.now();
  const other = openDatabase(path);
  other.exec("INSERT INTO notes VALUES ('other')");
  first.exec("INSERT INTO notes VALUES ('first')");
  expect(performance.now() - began).toBeLessThan(5000);
  expect(other.hasLog).toBe(false);
  expect(other.all('SELECT text FROM notes')).toEqual([{text: 'other'}, {text: 'first'}]);
  other.close();
});

test('a file that a check refuses keeps its journal', () => {
  const path = join(temporaryDirectory(), 'data.db');
  const made = openDatabase(path);
  made.exec('CREATE TABLE notes (text)');
  made.close();
  const check = (): never => {
    throw new Error('refused');
  };
  expect(() => openDatabase(path, {check, journal: 'WAL'})).toThrow('refused');
  const database = openDatabase(path, {readOnly: true});
  expect(database.get('PRAGMA journal_mode')).toEqual({journal_mode: 'delete'});
  database.close();
});

test('reading leaves no files', () => {
  const path = join(temporaryDirectory(), 'data.db');
  const database = openDatabase(path, {journal: 'WAL'});
  database.exec('CREATE TABLE notes (text)');
  database.close();
  expect(readOnly(path, (opened) => opened.all('SELECT * FROM notes'))).toEqual([]);
  const left = readdirSync(join(path, '..')).filter((name) => SIDE_FILES.some((end) => name.endsWith(end)));
  expect(left.filter((name) => !name.endsWith('-journal'))).toEqual([]);
});
