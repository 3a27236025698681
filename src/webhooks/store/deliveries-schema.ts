// The tables of the store of deliveries by version. A file of an earlier version is upgraded when it is opened.

import type {Database} from '../../storage/sqlite.js';

/** The change from each version to the next. Entries are never changed, so that every earlier file can be upgraded. */
const VERSIONS = [
  // 0.1.0
  `CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, received_at INTEGER NOT NULL,
    profile TEXT NOT NULL, path TEXT NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL, body_hash BLOB NOT NULL,
    verdict TEXT NOT NULL, genuine INTEGER NOT NULL,
    event TEXT NOT NULL, event_id TEXT, event_type TEXT, duplicate_of TEXT
  );
  CREATE INDEX deliveries_by_event ON deliveries (event_id);
  CREATE INDEX deliveries_by_time ON deliveries (received_at);
  CREATE INDEX deliveries_by_original ON deliveries (duplicate_of) WHERE duplicate_of IS NOT NULL;
  CREATE TABLE forwards (
    delivery_id TEXT NOT NULL, target TEXT NOT NULL, state TEXT NOT NULL,
    attempts INTEGER NOT NULL, pid INTEGER NOT NULL, started_at INTEGER NOT NULL,
    PRIMARY KEY (delivery_id, target)
  ) WITHOUT ROWID;
  CREATE INDEX forwards_pending ON forwards (target) WHERE state = 'pending';
  CREATE TABLE attempts (
    delivery_id TEXT NOT NULL, target TEXT NOT NULL, attempt INTEGER NOT NULL,
    started_at INTEGER NOT NULL, duration_ms REAL NOT NULL, status INTEGER, error TEXT, replay INTEGER NOT NULL
  );
  CREATE INDEX attempts_by_delivery ON attempts (delivery_id);
  CREATE TABLE IF NOT EXISTS leases (
    id TEXT PRIMARY KEY, profile TEXT NOT NULL, url TEXT NOT NULL, webhook_id TEXT,
    pid INTEGER NOT NULL, started_at INTEGER NOT NULL
  ) WITHOUT ROWID;`,
  // Unknown for deliveries stored before.
  'ALTER TABLE deliveries ADD COLUMN webhook TEXT',
];

/**
 * Must run in a transaction. A file of a later version or another program is not changed.
 * @returns `ready`, or who made the file
 */
export function bringUpToDate(database: Database): 'another program' | 'another version of centavo' | 'ready' {
  const {user_version: version} = database.prepare('PRAGMA user_version').get<{user_version: number}>()!;
  const {tables} = database.prepare('SELECT count(*) AS tables FROM sqlite_master').get<{tables: number}>()!;
  if (version > VERSIONS.length) return 'another version of centavo';
  if (version === 0 && tables > 0) return 'another program';
  if (version === VERSIONS.length) return 'ready';
  for (const change of VERSIONS.slice(version)) database.exec(change);
  database.exec(`PRAGMA user_version = ${VERSIONS.length}`);
  return 'ready';
}
