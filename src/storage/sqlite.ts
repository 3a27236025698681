// STORAGE: one adapter over SQLite for the sandbox and the deliveries; neither knows which engine it is.
// node:sqlite where Node has it, libsql on Node 20; when Node 20 goes, libsql goes and nothing else changes.

import {existsSync, mkdirSync, renameSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname} from 'node:path';
import {CentavoError, type Applied} from '../errors.js';
import {codeOf, isDamage, isLocalFault, localError} from '../system-errors.js';

export type Value = number | string | Uint8Array | null;

/** A prepared statement. */
export interface Statement {
  run(...values: Value[]): {readonly changes: number};
  get<Row>(...values: Value[]): Row | undefined;
  all<Row>(...values: Value[]): Row[];
}

export interface Database {
  /** The statement for this SQL, prepared at its first use. */
  prepare(sql: string): Statement;
  exec(sql: string): void;
  /**
   * Runs `work` in one transaction. The write lock is taken at once, so that two processes cannot both read, then write.
   * When `work` throws, everything is undone.
   */
  transaction<T>(work: () => T): T;
  close(): void;
}

interface Engine {
  exec(sql: string): void;
  prepare(sql: string): {run(...v: Value[]): unknown; get(...v: Value[]): unknown; all(...v: Value[]): unknown};
  close(): void;
}

const require = createRequire(import.meta.url);

function openEngine(path: string): Engine {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13))
    return new (withoutExperimentalWarning(() => require('node:sqlite')).DatabaseSync)(path);
  try {
    return asEngine(new (require('libsql') as {new (path: string): Libsql})(path));
  } catch (error) {
    if ((error as {code?: string}).code !== 'MODULE_NOT_FOUND') throw withNumber(error as Error);
    throw new CentavoError('local_io', 'the built-in database is not installed.', {
      why: `Node ${process.versions.node} has no SQLite of its own, and the optional package libsql is missing.`,
      hint: 'Use Node 22 or later, or reinstall without --omit=optional.',
      applied: 'no',
      cause: error,
    });
  }
}

/** When a file cannot be opened, libsql gives the error number only at the end of the message. */
const withNumber = (error: Error): Error =>
  Object.assign(error, {errcode: Number(/: (\d+)"\)$/.exec(error.message)?.[1] ?? Number.NaN)});

type Raw = Record<string, unknown>;

interface Libsql {
  exec(sql: string): void;
  prepare(sql: string): {run(v: Value[]): unknown; get(v: Value[]): Raw | undefined; all(v: Value[]): Raw[]};
  close(): void;
}

/** libsql takes a single null for named values unless it is in a list, returns bytes as ArrayBuffer, and adds `_metadata` to single rows. */
const asEngine = (database: Libsql): Engine => ({
  exec: (sql) => database.exec(sql),
  close: () => database.close(),
  prepare(sql) {
    const statement = database.prepare(sql);
    return {
      run: (...values) => statement.run(values),
      all: (...values) => statement.all(values).map(withBytes),
      get(...values) {
        const row = statement.get(values);
        if (row) delete row._metadata;
        return row && withBytes(row);
      },
    };
  },
});

function withBytes(row: Raw): Raw {
  for (const name in row) if (row[name] instanceof ArrayBuffer) row[name] = new Uint8Array(row[name]);
  return row;
}

/** Node 22 warns that node:sqlite is experimental on every start; the settings used here are stable since 22.13. */
function withoutExperimentalWarning<T>(load: () => T): T {
  const emit = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes('SQLite')) return;
    (emit as (...args: unknown[]) => void).call(process, warning, ...rest);
  }) as typeof process.emitWarning;
  try {
    return load();
  } finally {
    process.emitWarning = emit;
  }
}

/** How long a process waits for another one's transaction, in milliseconds. */
const BUSY_TIMEOUT = 10_000;

/**
 * Opens a database file (made with its folder when absent), or `:memory:`.
 * @param whenDamaged what to do about a file that cannot be read: the hint of that error
 * @param durable false trades the last commits of a power cut for speed; a killed process loses nothing either way
 * @throws CentavoError kind `local_io` when it cannot be opened; all that is done with it throws the same for a full disk,
 * a damaged file and whatever else can happen to a file
 */
export function openDatabase(
  path: string,
  {durable = true, whenDamaged = 'Move the file away, and centavo creates a new one.'} = {},
): Database {
  const fault = (what: string, error: unknown, applied: Applied = 'no'): CentavoError =>
    localError(`the database ${path} cannot be ${what}.`, error, {
      applied,
      ...(isDamage(error) && {hint: whenDamaged}),
    });
  let engine: Engine;
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), {recursive: true, mode: 0o700});
    engine = openEngine(path);
    // TRUNCATE, not WAL: the WAL of libsql's SQLite 3.45, and of early Node 22, can corrupt when it is reset.
    engine.exec(
      `PRAGMA busy_timeout=${BUSY_TIMEOUT}; PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=${durable ? 'FULL' : 'OFF'};`,
    );
  } catch (error) {
    throw fault('opened', error);
  }
  /** Faults of files become a CentavoError; any other error of the engine is a bug. */
  const told = <T>(work: () => T, committing = false): T => {
    try {
      return work();
    } catch (error) {
      if (!isLocalFault(error)) throw error;
      // The engine undoes what does not fit. When the disk fails during the commit, it may have been written all the same.
      const applied = committing && codeOf(error) === 'SQLITE_IOERR' ? 'unknown' : 'no';
      throw fault('used', error, applied);
    }
  };
  const statements = new Map<string, Statement>();

  const prepare = (sql: string): Statement => {
    const known = statements.get(sql);
    if (known) return known;
    const prepared = told(() => engine.prepare(sql));
    const statement: Statement = {
      run: (...values) => ({
        changes: Number((told(() => prepared.run(...values)) as {changes: number | bigint}).changes),
      }),
      get: <Row>(...values: Value[]) => (told(() => prepared.get(...values)) ?? undefined) as Row | undefined,
      all: <Row>(...values: Value[]) => told(() => prepared.all(...values)) as Row[],
    };
    statements.set(sql, statement);
    return statement;
  };

  return {
    prepare,
    exec: (sql) => told(() => engine.exec(sql)),
    transaction: (work) => {
      told(() => engine.exec('BEGIN IMMEDIATE'));
      try {
        const result = work();
        told(() => engine.exec('COMMIT'), true);
        return result;
      } catch (error) {
        // After a full disk there is nothing left to roll back. The first error is the one to report.
        try {
          engine.exec('ROLLBACK');
        } catch {}
        throw error;
      }
    },
    close: () => engine.close(),
  };
}

/**
 * Moves a database that cannot be used out of the way, with its journal, which would otherwise be applied to the next one.
 * @returns where it is now
 * @throws CentavoError kind `local_io`
 */
export function setAside(path: string): string {
  let number = 1;
  while (existsSync(`${path}.old-${number}`)) number++;
  const aside = `${path}.old-${number}`;
  try {
    for (const end of ['-journal', '-wal', '-shm', '']) if (existsSync(path + end)) renameSync(path + end, aside + end);
  } catch (error) {
    throw localError(`the database ${path} cannot be moved away.`, error);
  }
  return aside;
}
