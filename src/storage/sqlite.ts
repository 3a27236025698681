// Adapts SQLite. Only this file knows the engine: node:sqlite, or libsql on Node versions without node:sqlite.

import * as fs from 'node:fs';
import {createRequire} from 'node:module';
import {dirname} from 'node:path';
import {type Applied, CentavoError, type NextCommand} from '../common/errors.js';
import {shellQuote} from '../common/next-text.js';
import {codeOf, isDatabaseDamage, isLocalFault, localError, systemError} from '../common/system-errors.js';
import {ACCESSIBLE_BY_OTHERS, PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE, syncFolder, userName} from './private-file.js';
import {fileSystemOf, isLogSafe, SIDE_FILES} from './write-ahead-log.js';

export type SqliteValue = number | string | Uint8Array | null;

export interface Database {
  /** True if commits are added to a write-ahead log, the file with `-wal` behind its name. */
  readonly hasLog: boolean;
  // Each statement is prepared once.
  run(sql: string, ...values: SqliteValue[]): {readonly changes: number};
  get<Row>(sql: string, ...values: SqliteValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SqliteValue[]): Row[];
  exec(sql: string): void;
  /**
   * Takes the write lock first, so that two processes cannot both read, then write. Rolls back if `work` throws.
   * @param options.waits false to throw at once while another process holds the lock
   */
  transaction<T>(work: () => T, options?: {readonly waits?: boolean}): T;
  /** Runs `work` on one state of the file, without a write lock. */
  read<T>(work: () => T): T;
  close(): void;
}

interface Engine {
  exec(sql: string): void;
  prepare(sql: string): {
    run(...v: SqliteValue[]): unknown;
    get(...v: SqliteValue[]): unknown;
    all(...v: SqliteValue[]): unknown;
  };
  close(): void;
}

const require = createRequire(import.meta.url);

/** `immutable`: reads without locks or other files, so no process may be writing. */
type Access = 'immutable' | 'read' | 'write';

function openEngine(path: string, access: Access): Engine {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const readOnly = access !== 'write';
  const uri = `file:${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}?${access === 'read' ? 'mode=ro' : 'immutable=1'}`;
  if (major > 22 || (major === 22 && minor >= 13)) {
    const {DatabaseSync} = withoutExperimentalWarning(() => require('node:sqlite'));
    // Before Node 22.15, a URI is a name of a file.
    return new DatabaseSync(access === 'immutable' && (major > 22 || minor >= 15) ? uri : path, {readOnly});
  }
  try {
    // libsql ignores its own option `readonly`, so the URI asks for it.
    return asEngine(new (loadLibsql())(readOnly && path !== ':memory:' ? uri : path));
  } catch (error) {
    if ((error as {code?: string}).code !== 'MODULE_NOT_FOUND') throw withErrorNumber(error as Error);
    throw new CentavoError('local_io', 'the built-in database is not installed.', {
      why: `Node ${process.versions.node} has no SQLite of its own, and the optional package libsql is missing.`,
      hint: 'Use Node 22.13 or later, or reinstall without --omit=optional.',
      applied: 'no',
      cause: error,
    });
  }
}

/** libsql for Linux with glibc, only in the bundle. Skips the search for the binding, which takes 10 ms. */
const BUNDLED_LIBSQL = 'libsql:bundled';

function loadLibsql(): new (path: string) => Libsql {
  try {
    return require(BUNDLED_LIBSQL);
  } catch {
    return require('libsql');
  }
}

/** Adds the error number, which libsql gives only in the message if a file cannot be opened. */
const withErrorNumber = (error: Error): Error =>
  Object.assign(error, {errcode: Number(/: (\d+)"\)$/.exec(error.message)?.[1] ?? Number.NaN)});

type Raw = Record<string, unknown>;

interface Libsql {
  exec(sql: string): void;
  prepare(sql: string): {
    run(v: SqliteValue[]): unknown;
    get(v: SqliteValue[]): Raw | undefined;
    all(v: SqliteValue[]): Raw[];
  };
  close(): void;
}

/** Adapts libsql: a lone null counts as named values, bytes come as ArrayBuffer, single rows have `_metadata`. */
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

/** Hides the warning of Node 22 that node:sqlite is experimental. The parts used here are stable since 22.13. */
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

/** Milliseconds to wait for another process's transaction. */
const BUSY_TIMEOUT = 10_000;

/** Milliseconds between attempts to get the write lock. SQLite's own retries back off, so a busy writer could always win. */
const BUSY_PAUSE = 0.25;
const NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(4));

function takeWriteLock(engine: Engine, timeout: number): void {
  engine.exec('PRAGMA busy_timeout=0');
  try {
    for (let waited = 0; ; waited += BUSY_PAUSE) {
      try {
        return engine.exec('BEGIN IMMEDIATE');
      } catch (error) {
        if (codeOf(error) !== 'SQLITE_BUSY' || waited >= timeout) throw error;
      }
      Atomics.wait(NEVER_NOTIFIED, 0, 0, BUSY_PAUSE);
    }
  } finally {
    engine.exec(`PRAGMA busy_timeout=${BUSY_TIMEOUT}`);
  }
}

/** Returns why this process may not change a database or create it, and the fix; undefined if the modes allow it. */
export function accessFault(path: string): {readonly why: string; readonly hint: string} | undefined {
  const {R_OK, W_OK, X_OK} = fs.constants;
  for (const end of ['/', '', ...SIDE_FILES]) {
    const [at, needed] = end === '/' ? [dirname(path), W_OK | X_OK] : [path + end, R_OK | W_OK];
    if (!fs.existsSync(at)) continue;
    try {
      fs.accessSync(at, needed);
    } catch (error) {
      if (!/^E(?:ACCES|PERM)$/.test(codeOf(error)!)) continue;
      const {uid, mode} = fs.statSync(at);
      const fix =
        (~mode >> 6) & needed ? 'Let its owner use it: chmod u+rwX' : 'Change its owner: sudo chown "$(id -u)"';
      const why = `${at} belongs to ${userName(uid)}, and its mode is ${(mode & 0o777).toString(8)}.`;
      return {why, hint: `${fix} ${shellQuote(at)}`};
    }
  }
  return undefined;
}

/**
 * Creates a private file with its folders, or makes an existing file private. Does not follow links.
 * @param checks true to change nothing
 * @throws the system's error, also if the path is a link or folder
 */
export function ensurePrivateFile(path: string, checks = false): void {
  const stats = fs.lstatSync(path, {throwIfNoEntry: false});
  if (stats?.isFile()) {
    if (stats.mode & ACCESSIBLE_BY_OTHERS && !checks) fs.chmodSync(path, PRIVATE_FILE_MODE);
    return;
  }
  if (stats) throw systemError(stats.isSymbolicLink() ? 'ELOOP' : stats.isDirectory() ? 'EISDIR' : 'ENXIO');
  const folder = dirname(path);
  const created = fs.mkdirSync(folder, {recursive: true, mode: PRIVATE_FOLDER_MODE});
  if (created !== undefined)
    for (let at = folder; at.length >= created.length; at = dirname(at)) syncFolder(dirname(at));
  fs.closeSync(
    fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW, PRIVATE_FILE_MODE),
  );
  syncFolder(folder);
}

const isDenied = (error: unknown): boolean =>
  /^(?:EACCES|ENOENT|EPERM|EROFS|SQLITE_(?:CANTOPEN|PERM|READONLY))$/.test(codeOf(error) ?? '');

/** True if a killed process left changes beside the file, or another process may be writing. */
const hasSideFiles = (path: string): boolean =>
  SIDE_FILES.some((end) => end !== '-shm' && fs.statSync(path + end, {throwIfNoEntry: false})?.size);

/** How the last commit is undone or kept after a crash. `WAL` becomes `TRUNCATE` where it is not safe. */
export type Journal = 'PERSIST' | 'TRUNCATE' | 'WAL';

/** @returns true if the database has a write-ahead log */
function setJournal(engine: Engine, path: string, journal: Journal): boolean {
  const ask = (sql: string): unknown => Object.values(engine.prepare(sql).get() as object)[0];
  const place = () => ({
    sqlite: String(ask('SELECT sqlite_version()')),
    platform: process.platform,
    fileSystem: fileSystemOf(path),
  });
  const isLogged = journal === 'WAL' && path !== ':memory:' && !accessFault(path) && isLogSafe(place());
  // Another engine is only unsafe if it checkpoints beside others. They do it, or the last process that closes the file.
  if (!isLogged) engine.exec('PRAGMA wal_autocheckpoint=0');
  try {
    engine.exec(`PRAGMA busy_timeout=0; PRAGMA journal_mode=${journal === 'WAL' && !isLogged ? 'TRUNCATE' : journal}`);
  } catch {
    // Another process uses the file with another journal, or the file cannot be changed.
  }
  engine.exec(`PRAGMA busy_timeout=${BUSY_TIMEOUT}`);
  if (!isLogged) return false;
  // Opens the log, after which no other process can remove it.
  engine.exec('PRAGMA schema_version');
  return ask('PRAGMA journal_mode') === 'wal';
}

interface OpenOptions {
  /** Throws for a file that centavo must not change. */
  readonly check?: (database: Database, path: string) => unknown;
  /** False if a power cut may lose the last commits; a killed process never loses a commit. */
  readonly durable?: boolean;
  readonly journal?: Journal;
  readonly readOnly?: boolean;
  /** SQL that runs first. */
  readonly settings?: string;
  /** Hint or command of the error for a damaged file. */
  readonly whenDamaged?: NextCommand | string;
}

/**
 * Opens a database. A file that cannot be changed, or has no space for a log, can still be read.
 * @param path a file or `:memory:`; a missing file and its folder are created for the owner alone
 */
export function openDatabase(
  path: string,
  {
    check,
    durable = true,
    journal = 'TRUNCATE',
    readOnly = false,
    settings = '',
    whenDamaged = 'Move the file away, and centavo creates a new file.',
  }: OpenOptions = {},
): Database {
  const fault = (participle: string, error: unknown, applied: Applied = 'no'): CentavoError =>
    localError(`the database ${path} cannot be ${participle}.`, error, {
      applied,
      // SQLite does not tell the file from its folder.
      ...(isDenied(error) && (accessFault(path) ?? {hint: 'To find a fix: centavo doctor'})),
      ...(isDatabaseDamage(error) && (typeof whenDamaged === 'string' ? {hint: whenDamaged} : {next: [whenDamaged]})),
    });
  const open = (access: Access): Engine => {
    const opened = openEngine(path, access);
    try {
      // Reads the file, and so opens a log.
      opened.exec(`PRAGMA busy_timeout=${BUSY_TIMEOUT}; ${settings}; PRAGMA schema_version`);
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  };
  let engine: Engine;
  /** The error if the disk has no space for a log. */
  let noSpace: unknown;
  // A reader leaves the log's files that it creates. A writer removes them.
  let access: Access = readOnly && SIDE_FILES.some((end) => fs.existsSync(path + end)) ? 'read' : 'write';
  try {
    // SQLite would create a file that other users can read, and would follow a link.
    if (path !== ':memory:' && !readOnly) ensurePrivateFile(path);
    // Even reading would create side files, with the mode of the file.
    const isFixed = (readOnly || journal === 'WAL') && path !== ':memory:' && accessFault(path) && !hasSideFiles(path);
    if (isFixed) access = 'immutable';
    try {
      engine = open(access);
    } catch (error) {
      const code = codeOf(error);
      if (!/^SQLITE_(?:CANTOPEN|FULL|READONLY)$/.test(code ?? '') || hasSideFiles(path)) throw error;
      if (code === 'SQLITE_FULL') noSpace = error;
      access = 'immutable';
      engine = open(access);
    }
  } catch (error) {
    throw fault('opened', error);
  }
  const guarded = <T>(work: () => T, committing = false): T => {
    try {
      return work();
    } catch (error) {
      if (!isLocalFault(error)) throw error;
      if (noSpace && codeOf(error) === 'SQLITE_READONLY') throw fault('used', noSpace);
      // SQLite undoes changes that do not fit on the disk. If the disk fails during the commit, changes may persist.
      const applied = committing && codeOf(error) === 'SQLITE_IOERR' ? 'unknown' : 'no';
      throw fault('used', error, applied);
    }
  };
  const statements = new Map<string, ReturnType<Engine['prepare']>>();
  const call = (method: 'all' | 'get' | 'run', sql: string, values: readonly SqliteValue[]): unknown =>
    guarded(() => {
      const statement = statements.get(sql) ?? engine.prepare(sql);
      statements.set(sql, statement);
      // A response may omit what its type promises. Newer Nodes throw then; older ones store NULL.
      return statement[method](...values.map((value) => value ?? null));
    });

  const inTransaction = <T>(begin: () => void, work: () => T): T => {
    guarded(begin);
    try {
      const result = work();
      guarded(() => engine.exec('COMMIT'), true);
      return result;
    } catch (error) {
      // After a full disk, SQLite has already rolled back and ROLLBACK fails. Report the first error.
      try {
        engine.exec('ROLLBACK');
      } catch {}
      throw error;
    }
  };

  const database = {
    hasLog: false as boolean,
    run: (sql, ...values) => ({changes: Number((call('run', sql, values) as {changes: number | bigint}).changes)}),
    get: <Row>(sql: string, ...values: SqliteValue[]) => (call('get', sql, values) ?? undefined) as Row | undefined,
    all: <Row>(sql: string, ...values: SqliteValue[]) => call('all', sql, values) as Row[],
    exec: (sql) => guarded(() => engine.exec(sql)),
    transaction: (work, {waits = true} = {}) =>
      inTransaction(() => takeWriteLock(engine, waits ? BUSY_TIMEOUT : 0), work),
    read: (work) => inTransaction(() => engine.exec('BEGIN'), work),
    close: () => engine.close(),
  } satisfies Database;
  try {
    check?.(database, path);
    if (access === 'write' && !readOnly)
      guarded(() => {
        database.hasLog = setJournal(engine, path, journal);
        engine.exec(`PRAGMA synchronous=${durable ? 'FULL' : 'OFF'}`);
      });
    return database;
  } catch (error) {
    engine.close();
    throw error;
  }
}

/**
 * Reads from a database without changing it. Returns undefined if the file or table is missing, or if a killed process
 * left a journal. Only the next writer can roll back such a journal.
 */
export function readOnly<T>(path: string, read: (database: Database) => T, table = 'sqlite_schema'): T | undefined {
  if (path !== ':memory:' && !fs.existsSync(path)) return undefined;
  let database: Database | undefined;
  try {
    database = openDatabase(path, {readOnly: true});
    const hasTable = database.get('SELECT 1 FROM pragma_table_list WHERE name = ?', table) !== undefined;
    return hasTable ? read(database) : undefined;
  } catch (error) {
    if (error instanceof CentavoError && codeOf(error.details.cause) === 'SQLITE_READONLY') return undefined;
    throw error;
  } finally {
    database?.close();
  }
}

export const withoutNulls = <Row extends object>(row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Row;

/** The tables of a file, and the error for a file that centavo cannot use. */
export interface StoreKind {
  readonly schema: string;
  /** SQL that leads from version 1 to 2, and so on; a new file gets all of it. */
  readonly upgrades?: readonly string[];
  /** A table by which a file without a version is centavo's own: `schema` then adds what is missing. */
  readonly ownTable?: string;
  readonly journal?: Journal;
  /** SQL for each connection that writes. */
  readonly settings?: string;
  readonly whenDamaged?: string;
  readonly foreignFileError: (path: string, by: 'another program' | 'another version of centavo') => CentavoError;
}

/** Returns the version of a file's tables; 0 for a new file. Throws for a file that centavo cannot use. */
export function versionOf(
  database: Database,
  path: string,
  {upgrades = [], ownTable = '', foreignFileError}: StoreKind,
): number {
  // One statement, because another process may create the tables between two.
  const sql =
    'SELECT user_version AS version, (SELECT min(name <> ?) FROM sqlite_master) AS other FROM pragma_user_version';
  const {version, other} = database.get<{version: number; other: number | null}>(sql, ownTable)!;
  if (version > 1 + upgrades.length) throw foreignFileError(path, 'another version of centavo');
  if (version === 0 && other) throw foreignFileError(path, 'another program');
  return version;
}

/** Opens a file, and creates its tables or upgrades an older file. */
export function openStore(path: string, kind: StoreKind): Database {
  const {schema, upgrades = [], journal, settings, whenDamaged} = kind;
  const current = 1 + upgrades.length;
  const check = (opened: Database): number => versionOf(opened, path, kind);
  const database = openDatabase(path, {check, journal, settings, whenDamaged});
  try {
    if (versionOf(database, path, kind) === current) return database;
    database.transaction(() => {
      // Another process may have created or upgraded the tables since.
      const version = versionOf(database, path, kind);
      const steps = version === 0 ? [schema, ...upgrades] : upgrades.slice(version - 1);
      if (version < current) database.exec(`${steps.join(';')}; PRAGMA user_version = ${current}`);
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
