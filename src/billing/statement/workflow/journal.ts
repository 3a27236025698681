// The journal of runs on this machine's disk: intended calls and their outcomes. Only one process at a time works on a run.

import {existsSync} from 'node:fs';
import {CentavoError, refusedError} from '../../../common/errors.js';
import {DAY} from '../../../common/manila.js';
import type {KnownSend} from '../../../history/history.js';
import type {IsProcessAlive, ProcessIdentity} from '../../../processes/process-identity.js';
import {openStore, type Database, type StoreKind} from '../../../storage/sqlite.js';
import {statementIdIn, type RunEvent} from './run-events.js';

export interface RunJournal {
  /** The key of the plan, and of the run that owns its draft. */
  readonly key: string;
  readonly run: string;
  /** Events recorded by earlier processes of the run. */
  readonly events: readonly RunEvent[];
  /**
   * Records an event. An intent is on disk when this returns. An outcome is written with the next intent or by `close`:
   * if the process is killed before that, the outcome is unknown.
   * @throws CentavoError kind `local_io`; the call must then not be made
   */
  readonly record: (event: RunEvent) => Promise<void> | void;
  /** Detaches the run from its statement and its plan: the next command starts a new run. */
  readonly disown: () => void;
  /** Closes the journal. Never throws a CentavoError; unwritten calls count as uncertain. */
  readonly close: () => void;
}

export interface JournalOptions {
  /** A file, or `:memory:`. */
  readonly path: string;
  readonly owner: ProcessIdentity;
  readonly isAlive: IsProcessAlive;
  /** Unix seconds. */
  readonly now: () => number;
  /** False if old runs must stay, because this machine's clock may be wrong. */
  readonly prunes: boolean;
  readonly token: () => string;
}

export interface DraftIds {
  /** Id of a statement: continues this machine's last run that created or changed it. */
  readonly id?: string;
  /** Key of a plan: continues this machine's last run of that plan. */
  readonly key?: string;
}

/** Days from a run's last start to its removal. */
const KEPT = 90;

const JOURNAL_SCHEMA = `
  CREATE TABLE IF NOT EXISTS run (
    run TEXT PRIMARY KEY, key TEXT NOT NULL, statement TEXT, pid INTEGER, started_at INTEGER, at INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS run_statement ON run (statement);
  CREATE INDEX IF NOT EXISTS run_key ON run (key);
  CREATE TABLE IF NOT EXISTS event (
    run TEXT NOT NULL REFERENCES run (run) ON DELETE CASCADE, n INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (run, n)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS sent (
    statement TEXT NOT NULL, change TEXT NOT NULL, at INTEGER NOT NULL, state TEXT NOT NULL, account TEXT NOT NULL,
    PRIMARY KEY (statement, change)
  ) WITHOUT ROWID;
`;

interface JournalRow {
  readonly run: string;
  readonly key: string;
  readonly pid: number | null;
  readonly started_at: number;
}

const WHEN_MOVED =
  'Move the file away. centavo then checks its runs with the service, which takes about a minute longer.';

export const JOURNAL_STORE: StoreKind = {
  schema: JOURNAL_SCHEMA,
  ownTable: 'run',
  settings: 'PRAGMA foreign_keys = ON',
  whenDamaged: WHEN_MOVED,
  foreignFileError: (path, by) =>
    new CentavoError('local_io', `the journal ${path} was made by ${by}.`, {hint: WHEN_MOVED, applied: 'no'}),
};

/** Begins a run, or continues an earlier run. @throws CentavoError kind `refused` while another process works on it */
export function beginRun({path, owner, isAlive, now, prunes, token}: JournalOptions, {id, key}: DraftIds): RunJournal {
  const database = openStore(path, JOURNAL_STORE);
  try {
    const row = database.transaction((): JournalRow => {
      if (prunes) database.run('DELETE FROM run WHERE at < ? AND key <> ?', now() - KEPT * DAY, key ?? '');
      if (prunes) database.run('DELETE FROM sent WHERE at < ?', now() - KEPT * DAY);
      const found = journalRowOf(database, {id, key});
      if (found && found.pid !== null && found.pid !== owner.pid && isAlive(found.pid, found.started_at))
        throw busy(found, id);
      const mine = {run: token(), key: key ?? token(), ...found, pid: owner.pid, started_at: owner.startedAt};
      const sql = `INSERT INTO run (run, key, statement, pid, started_at, at)
        VALUES (?, ?, ?, ?, ?, max(?, (SELECT coalesce(max(at) + 1, 0) FROM run WHERE statement = ? OR key = ?)))
        ON CONFLICT (run) DO UPDATE SET pid = excluded.pid, started_at = excluded.started_at, at = excluded.at`;
      database.run(sql, mine.run, mine.key, id ?? null, mine.pid, mine.started_at, now(), id ?? '', mine.key);
      return mine;
    });
    return journalOf(database, row);
  } catch (error) {
    database.close();
    throw error;
  }
}

function withJournal<T>(path: string, work: (database: Database) => T): T {
  const database = openStore(path, JOURNAL_STORE);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Records a send before its call, and then its outcome. */
export function recordSend(path: string, state: KnownSend['state'] | 'not_sent', send: Omit<KnownSend, 'state'>): void {
  const sql = 'REPLACE INTO sent (statement, change, at, state, account) VALUES (?, ?, ?, ?, ?)';
  const {statement, change, at, account} = send;
  withJournal(path, (database) => database.run(sql, statement, change, at, state, account));
}

export function sendsInRuns(path: string): KnownSend[] {
  const sql = `SELECT * FROM sent WHERE state <> 'not_sent'`;
  return existsSync(path) ? withJournal(path, (database) => database.all<KnownSend>(sql)) : [];
}

const journalRowOf = (database: Database, {id = '', key = ''}: DraftIds): JournalRow | undefined => {
  const sql = 'SELECT run, key, pid, started_at FROM run WHERE statement = ? OR key = ? ORDER BY at DESC LIMIT 1';
  return database.get<JournalRow>(sql, id, key);
};

const eventsOf = (database: Database, run: string): RunEvent[] =>
  database
    .all<{event: string}>('SELECT event FROM event WHERE run = ? ORDER BY n', run)
    .map(({event}) => JSON.parse(event) as RunEvent);

function journalOf(database: Database, {run, key}: JournalRow): RunJournal {
  const events = eventsOf(database, run);
  let count = events.length;
  let later: RunEvent[] = [];
  let statement: string | undefined;
  let isDisowned = false;
  const flush = (): void => {
    if (later.length === 0) return;
    database.transaction(() => {
      for (const [index, event] of later.entries())
        database.run('INSERT INTO event (run, n, event) VALUES (?, ?, ?)', run, count + index, JSON.stringify(event));
      if (statement !== undefined)
        database.run('UPDATE run SET statement = ? WHERE run = ? AND statement IS NULL', statement, run);
    });
    count += later.length;
    later = [];
  };
  return {
    run,
    key,
    events,
    record: (event) => {
      later.push(event);
      statement = statementIdIn(event) ?? statement;
      if (event.type !== 'intended') return;
      try {
        flush();
      } catch (error) {
        // The intent is not on disk, so its call will not be made.
        later.pop();
        throw error;
      }
    },
    disown: () => void (isDisowned = true),
    close: () => {
      try {
        flush();
        database.run('UPDATE run SET pid = NULL WHERE run = ?', run);
        if (isDisowned) database.run("UPDATE run SET statement = NULL, key = '-' WHERE run = ?", run);
      } catch (error) {
        if (!(error instanceof CentavoError)) throw error;
      }
      database.close();
    },
  };
}

/** Returns a journal that writes nothing: for dry runs, and for plans that only the history records. */
export const memoryJournal = (
  token: () => string,
  events: readonly RunEvent[] = [],
  {run, key}: Partial<JournalRow> = {},
): RunJournal => ({
  run: run ?? token(),
  key: key ?? token(),
  events,
  record: () => {},
  disown: () => {},
  close: () => {},
});

/** Returns the journal of a dry run, which reads the recorded events and writes none. */
export function dryRunJournal({path, token}: Pick<JournalOptions, 'path' | 'token'>, named: DraftIds): RunJournal {
  const read = (database: Database): RunJournal | undefined => {
    const row = journalRowOf(database, named);
    return row && memoryJournal(token, eventsOf(database, row.run), row);
  };
  return (existsSync(path) && withJournal(path, read)) || memoryJournal(token);
}

const busy = ({pid}: JournalRow, id: string | undefined): CentavoError =>
  refusedError('run_busy', `another centavo is working on ${id ?? 'this statement'} (process ${pid}).`, {
    why: 'Two runs at once could bill twice.',
    hint: 'Wait until it has ended, then try again.',
    retryable: true,
  });
