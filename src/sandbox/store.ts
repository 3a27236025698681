// The sandbox's database: records as JSON in order of creation, settings, timers and the outbox. No business rules.

import {shapeOfId} from '../api/registry.js';
import {CentavoError, type NextCommand} from '../common/errors.js';
import {readOnly, type Database} from '../storage/sqlite.js';
import {AttemptLog} from './delivery/attempts.js';
import {Outbox} from './delivery/outbox.js';
import {RequestLog} from './requests/request-log.js';

/** Fields that start with an underscore are internal: no response or event contains them. */
export interface StoredRecord {
  id: string;
  resource: string;
  created_at: number;
  updated_at: number;
  [field: string]: unknown;
}

export interface ListQuery {
  readonly limit: number;
  readonly before?: string;
  readonly after?: string;
  readonly where?: (record: StoredRecord) => boolean;
}

export interface ListPage {
  readonly data: StoredRecord[];
  readonly hasMore: boolean;
}

export type TimerKind =
  | 'capture-deadline'
  | 'payment-end'
  | 'payout-deposit'
  | 'payout-dispatch'
  | 'session-expiry'
  | 'statement-overdue'
  | 'statement-will-be-due';

export interface Timer {
  readonly at: number;
  readonly kind: TimerKind;
  readonly id: string;
}

/** Schema version. Other versions are refused. */
export const STORE_VERSION = 1;

/** True for another program's database: it has tables, but no sandbox settings. */
function isForeign(database: Database): boolean {
  const count = (sql: string): number => database.get<{n: number}>(`SELECT count(*) AS n FROM ${sql}`)!.n;
  return count('sqlite_master') > 0 && count("pragma_table_info('settings') WHERE name IN ('name', 'value')") !== 2;
}

/** Throws for a database of another program or version; a new file has no version yet. @param path for the error */
export function checkVersion(database: Database, path: string, whenDamaged?: NextCommand): void {
  const fileError = (problem: string, code: string): CentavoError =>
    new CentavoError('local_io', `the sandbox file ${path} ${problem}`, {
      code,
      applied: 'no',
      ...(whenDamaged ? {next: [whenDamaged]} : {hint: 'Move the file away, and centavo creates a new sandbox.'}),
    });
  if (isForeign(database)) throw fileError('is the database of another program.', 'foreign_file');
  if (!database.get('SELECT 1 FROM sqlite_master')) return;
  const query = "SELECT 1 FROM settings WHERE name = 'version' AND value <> ?";
  if (database.get(query, String(STORE_VERSION)))
    throw fileError('was made by another version of centavo.', 'other_version');
}

const STORE_SCHEMA = `
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS objects (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    resource TEXT NOT NULL,
    parent TEXT,
    deleted INTEGER NOT NULL DEFAULT 0,
    body TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS objects_in_order ON objects (resource, seq);
  CREATE INDEX IF NOT EXISTS objects_by_parent ON objects (parent, resource, seq) WHERE parent IS NOT NULL;
  CREATE INDEX IF NOT EXISTS statements_by_number ON objects (json_extract(body, '$.billing_statement_number'))
    WHERE resource = 'billing_statement';
  CREATE TABLE IF NOT EXISTS timers (at INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (id, kind)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS timers_in_order ON timers (at);
  CREATE TABLE IF NOT EXISTS failures (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    made INTEGER NOT NULL,
    used INTEGER NOT NULL DEFAULT 0,
    fields TEXT NOT NULL
  );
`;

/** All tables except the settings and the aimed failures, which no snapshot has. */
export const TABLES = ['objects', 'timers', 'deliveries', 'attempts', 'answers', 'requests'];
/** Settings that a reset keeps. */
export const KEPT_SETTINGS = 'version secret_key public_key merchant_id base_url studio_url fees event_shape'.split(
  ' ',
);

interface StoredRow {
  readonly seq: number;
  readonly body: string;
  readonly deleted: number;
}

export class Store {
  readonly outbox: Outbox;
  readonly attempts: AttemptLog;
  readonly requests: RequestLog;

  constructor(readonly database: Database) {
    database.exec(STORE_SCHEMA);
    this.outbox = new Outbox(database);
    this.attempts = new AttemptLog(database);
    this.requests = new RequestLog(database);
  }

  setting(name: string): string | undefined {
    return this.database.get<{value: string}>('SELECT value FROM settings WHERE name = ?', name)?.value;
  }

  /** Number of rows that this process has changed. */
  changes(): number {
    return this.database.get<{n: number}>('SELECT total_changes() AS n')!.n;
  }

  set(name: string, value: string): void {
    const sql = 'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value';
    this.database.run(sql, name, value);
  }

  insert<T extends StoredRecord>(record: T, parent?: string): T {
    const sql = 'INSERT INTO objects (id, resource, parent, body) VALUES (?, ?, ?, ?)';
    this.database.run(sql, record.id, record.resource, parent ?? null, JSON.stringify(record));
    return record;
  }

  save(record: StoredRecord): void {
    this.database.run('UPDATE objects SET body = ? WHERE id = ?', JSON.stringify(record), record.id);
  }

  /** Leaves a tombstone: the id stays valid as a cursor, but lists skip it. */
  remove(id: string): void {
    this.database.run('UPDATE objects SET deleted = 1 WHERE id = ?', id);
    this.database.run('DELETE FROM timers WHERE id = ?', id);
  }

  find(resource: string, id: string): {record: StoredRecord; deleted: boolean} | undefined {
    const sql = 'SELECT seq, body, deleted FROM objects WHERE id = ? AND resource = ?';
    const row = this.database.get<StoredRow>(sql, id, resource);
    return row && {record: JSON.parse(row.body) as StoredRecord, deleted: row.deleted === 1};
  }

  children(parent: string, resource: string): StoredRecord[] {
    const sql = 'SELECT body FROM objects WHERE parent = ? AND resource = ? AND deleted = 0 ORDER BY seq';
    return this.database.all<StoredRow>(sql, parent, resource).map((row) => JSON.parse(row.body) as StoredRecord);
  }

  /** True if a statement has this number, even if deleted. */
  hasStatementNumber(number: string): boolean {
    const sql = `SELECT 1 FROM objects
      WHERE resource = 'billing_statement' AND json_extract(body, '$.billing_statement_number') = ?`;
    return this.database.get(sql, number) !== undefined;
  }

  sequenceOf(resource: string, id: string): number | undefined {
    return this.database.get<StoredRow>('SELECT seq FROM objects WHERE id = ? AND resource = ?', id, resource)?.seq;
  }

  /** Returns one page, newest first. `before` returns the newer objects directly before the cursor. */
  list(resource: string, {limit, before, after, where}: ListQuery): ListPage {
    const cursor = before ?? after;
    const at = cursor === undefined ? undefined : this.sequenceOf(resource, cursor);
    if (cursor !== undefined && at === undefined) throw new RangeError(cursor);
    const found: StoredRecord[] = [];
    let position = at ?? (before === undefined ? Number.MAX_SAFE_INTEGER : 0);
    const sql =
      before === undefined
        ? 'SELECT seq, body FROM objects WHERE resource = ? AND deleted = 0 AND seq < ? ORDER BY seq DESC LIMIT ?'
        : 'SELECT seq, body FROM objects WHERE resource = ? AND deleted = 0 AND seq > ? ORDER BY seq ASC LIMIT ?';
    // One extra row shows whether another page follows. A filter may need several reads.
    const batch = Math.max(limit + 1, where ? 200 : 0);
    while (found.length <= limit) {
      const rows = this.database.all<StoredRow>(sql, resource, position, batch);
      for (const row of rows) {
        const record = JSON.parse(row.body) as StoredRecord;
        if (!where || where(record)) found.push(record);
      }
      if (rows.length < batch) break;
      position = rows.at(-1)!.seq;
    }
    const data = found.slice(0, limit);
    return {data: before === undefined ? data : data.reverse(), hasMore: found.length > limit};
  }

  /** Returns the number of objects by resource. Subtracts deleted objects, because both counts can use an index. */
  counts(): Record<string, number> {
    const count = (where: string) => {
      const sql = `SELECT resource, count(*) AS n FROM objects ${where} GROUP BY resource`;
      return this.database.all<{resource: string; n: number}>(sql);
    };
    const counts = Object.fromEntries(count('').map(({resource, n}) => [resource, n]));
    for (const {resource, n} of count('WHERE deleted = 1')) counts[resource]! -= n;
    return counts;
  }

  /** Replaces the object's timer of this kind. */
  schedule({at, kind, id}: Timer): void {
    const sql = 'INSERT INTO timers (at, kind, id) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at';
    this.database.run(sql, at, kind, id);
  }

  unschedule(id: string): void {
    this.database.run('DELETE FROM timers WHERE id = ?', id);
  }

  hasDue(now: number): boolean {
    return this.database.get('SELECT 1 FROM timers WHERE at <= ? LIMIT 1', now) !== undefined;
  }

  takeDue(now: number): Timer | undefined {
    const sql = 'SELECT at, kind, id FROM timers WHERE at <= ? ORDER BY at, id LIMIT 1';
    const timer = this.database.get<Timer>(sql, now);
    if (timer) this.database.run('DELETE FROM timers WHERE id = ? AND kind = ?', timer.id, timer.kind);
    return timer;
  }

  /** Deletes everything except {@link KEPT_SETTINGS}. What was remembered of the sandbox no longer counts. */
  clear(): void {
    for (const table of [...TABLES, 'failures']) this.database.exec(`DELETE FROM ${table}`);
    const marks = KEPT_SETTINGS.map(() => '?').join(', ');
    this.database.run(`DELETE FROM settings WHERE name NOT IN (${marks})`, ...KEPT_SETTINGS);
    this.setGeneration();
  }

  /** Sets the random name of the generation, unless it is set. A reset and a loaded snapshot begin another. */
  setGeneration(name: string | null = null): void {
    const sql = "INSERT OR IGNORE INTO settings (name, value) VALUES ('generation', coalesce(?, hex(randomblob(12))))";
    this.database.run(sql, name);
  }
}

export class StoreReader {
  /** @param baseUrl base URL of links to hosted pages */
  constructor(
    readonly store: Store,
    readonly now: number,
    readonly baseUrl: string,
  ) {}

  /** Returns undefined for an unknown or deleted object. */
  peek(id: string | null | undefined): StoredRecord | undefined {
    const shape = id ? shapeOfId(id) : undefined;
    const found = shape && this.store.find(shape.name, id!);
    return found && !found.deleted ? found.record : undefined;
  }

  /** Also returns a deleted customer, whom statements and payments still name. */
  customer(id: unknown): StoredRecord | undefined {
    return typeof id === 'string' ? this.store.find('customer', id)?.record : undefined;
  }
}

/** Returns the address and secret key of the last server, if any. Reads the file without changing it. */
export function servedAt(path: string): {readonly url: string; readonly key: string} | undefined {
  const query = `SELECT url.value AS url, key.value AS key FROM settings url, settings key
    WHERE url.name = 'base_url' AND key.name = 'secret_key'`;
  return readOnly(path, (database) => database.get<{url: string; key: string}>(query), 'settings');
}
