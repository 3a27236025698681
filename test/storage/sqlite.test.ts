// The embedded database: atomic transactions, several processes at once, and clear errors if it cannot be opened.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, onTestFinished, test} from 'vitest';
import {openDatabase, type Database} from '../../src/storage/sqlite.js';
import {temporaryDirectory} from '../support/cli.js';

const WRITER = fileURLToPath(new URL('../support/storage/writer.mjs', import.meta.url));

function open(path: string, options?: {durable?: boolean}): Database {
  const database = openDatabase(path, options);
  onTestFinished(() => {
    try {
      database.close();
    } catch {}
  });
  return database;
}

function withTable(path = ':memory:'): Database {
  const database = open(path);
  database.exec('CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text)');
  return database;
}

const texts = (database: Database): unknown[] =>
  database.all<{text: unknown}>('SELECT text FROM notes ORDER BY id').map(({text}) => text);
const add = (database: Database, text: string): {readonly changes: number} =>
  database.run('INSERT INTO notes (text) VALUES (?)', text);

describe('statements', () => {
  test('return the number of changed rows, and rows, one row, or none', () => {
    const database = withTable();
    expect(add(database, 'a')).toEqual({changes: 1});
    add(database, 'b');
    expect(database.run('UPDATE notes SET text = text')).toEqual({changes: 2});
    expect(database.get('SELECT text FROM notes WHERE id = ?', 2)).toMatchObject({text: 'b'});
    expect(database.get('SELECT text FROM notes WHERE id = ?', 9)).toBeUndefined();
    expect(database.all('SELECT text FROM notes WHERE id = ?', 9)).toEqual([]);
  });

  test('take a field that a response omits as NULL, on every Node', () => {
    const database = withTable();
    database.run('INSERT INTO notes VALUES (1, ?)', undefined as unknown as string);
    expect(database.all('SELECT text FROM notes WHERE ? IS NULL', undefined as unknown as string)).toEqual([
      {text: null},
    ]);
  });

  test('keep values unchanged: null, large numbers, any text, bytes', () => {
    const database = withTable();
    const values = [
      null,
      5_999_999_999,
      Number.MAX_SAFE_INTEGER,
      -1,
      1.5,
      '',
      "Ñ '; DROP TABLE notes; -- 😀",
      new Uint8Array([0, 255, 1]),
    ];
    for (const value of values) database.run('INSERT INTO notes (text) VALUES (?)', value);
    const read = texts(database).map((value) => (value instanceof Uint8Array ? new Uint8Array(value) : value));
    expect(read).toEqual(values);
  });
});

describe('a transaction', () => {
  test('is committed when its work ends, and returns the result', () => {
    const database = withTable();
    expect(database.transaction(() => add(database, 'kept').changes + 41)).toBe(42);
    expect(texts(database)).toEqual(['kept']);
  });

  test('is rolled back if its work throws, and the next one works', () => {
    const database = withTable();
    add(database, 'before');
    const thrown = new Error('no');
    expect(() =>
      database.transaction(() => {
        add(database, 'undone');
        throw thrown;
      }),
    ).toThrow(thrown);
    database.transaction(() => add(database, 'after'));
    expect(texts(database)).toEqual(['before', 'after']);
  });

  test('is rolled back if a constraint fails', () => {
    const database = withTable();
    expect(() =>
      database.transaction(() => {
        add(database, 'undone');
        database.run('INSERT INTO notes (id) VALUES (1), (1)');
      }),
    ).toThrow();
    expect(texts(database)).toEqual([]);
  });

  test('inside another is refused, and rolls back both', () => {
    const database = withTable();
    expect(() =>
      database.transaction(() => {
        add(database, 'undone');
        database.transaction(() => add(database, 'never'));
      }),
    ).toThrow();
    expect(texts(database)).toEqual([]);
    add(database, 'after');
    expect(texts(database)).toEqual(['after']);
  });
});

describe('files', () => {
  test('are created with their folders, for the owner alone, and keep the data', () => {
    const path = join(temporaryDirectory(), 'deep', 'er', 'data.db');
    const first = withTable(path);
    add(first, 'kept');
    first.close();
    expect(texts(open(path))).toEqual(['kept']);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    // No journal remains.
    expect(['-wal', '-shm'].filter((suffix) => existsSync(path + suffix))).toEqual([]);
  });

  test('in memory are separate, and gone when closed', () => {
    const one = withTable();
    add(one, 'a');
    expect(texts(withTable())).toEqual([]);
  });

  test('can be opened without syncing to the disk', () => {
    const database = open(join(temporaryDirectory(), 'fast.db'), {durable: false});
    expect(Object.values(database.get<object>('PRAGMA synchronous')!)).toEqual([0]);
    expect(Object.values(open(join(temporaryDirectory(), 'safe.db')).get<object>('PRAGMA synchronous')!)).toEqual([2]);
  });

  test.each([
    ['a folder', (directory: string) => directory],
    ['below a file', (directory: string) => join(directory, 'file', 'data.db')],
    ['a file that is no database', (directory: string) => join(directory, 'text')],
    ['a path with a NUL', (directory: string) => join(directory, 'a\0b', 'data.db')],
  ])('that cannot be opened (%s) are named in an error with words', (_, pathIn) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'file'), '');
    writeFileSync(join(directory, 'text'), 'This is no database. '.repeat(500));
    const path = pathIn(directory);
    expect(() => openDatabase(path)).toThrow(
      expect.objectContaining({
        kind: 'local_io',
        message: `the database ${path} cannot be opened.`,
        details: expect.objectContaining({applied: 'no', why: expect.stringMatching(/\S/)}),
      }),
    );
  });
});

describe('two processes', () => {
  /** A process that runs a command once it has reported that it is ready. */
  async function writer(path: string, ...words: string[]) {
    const child = spawn(process.execPath, [WRITER, path, ...words], {stdio: ['pipe', 'pipe', 'inherit']});
    onTestFinished(() => void child.kill());
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await once(child.stdout, 'data');
    return {
      go: () => child.stdin.end(),
      done: async () => {
        if (child.exitCode === null) await once(child, 'close');
        return output;
      },
    };
  }

  test('add to one counter without losing an increment', async () => {
    const path = join(temporaryDirectory(), 'counter.db');
    const database = withTable(path);
    database.run('INSERT INTO notes (id, text) VALUES (1, 0)');
    const writers = await Promise.all([writer(path, 'count', '60'), writer(path, 'count', '60')]);
    for (const {go} of writers) go();
    for (let count = 0; count < 60; count++)
      database.transaction(() => {
        const {text} = database.get<{text: number}>('SELECT text FROM notes')!;
        database.run('UPDATE notes SET text = ?', text + 1);
      });
    for (const {done} of writers) await done();
    expect(texts(database)).toEqual([180]);
  });

  test('wait for each other: one reads the other’s write', async () => {
    const path = join(temporaryDirectory(), 'held.db');
    withTable(path);
    // It reports ready inside its transaction, which it ends on request.
    const holder = await writer(path, 'hold');
    const reader = await writer(path, 'read');
    reader.go();
    holder.go();
    expect(await reader.done()).toBe('ready\n["held"]');
    await holder.done();
  });

  test('one killed in a transaction leaves no data and no lock', async () => {
    const path = join(temporaryDirectory(), 'killed.db');
    const database = withTable(path);
    const victim = await writer(path, 'die');
    victim.go();
    await victim.done();
    expect(database.transaction(() => texts(database))).toEqual([]);
  });
});
