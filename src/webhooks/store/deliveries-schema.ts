// The tables of the store of deliveries, version by version: a file of an earlier one is brought up to date where it is opened.

import type {Database} from '../../storage/sqlite.js';
import {FORWARDS_SCHEMA} from './forward-log.js';
import {LEASES_SCHEMA} from '../listen/leases.js';

/** What makes each version of the one before it; only ever added to, so that what an earlier release wrote is kept. */
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
  ${FORWARDS_SCHEMA}
  ${LEASES_SCHEMA}`,
  // Which webhook each came by: of those that were stored before, it is not known.
  'ALTER TABLE deliveries ADD COLUMN webhook TEXT',
];

/**
 * Must run in a transaction. A file of a later version, or of another program, is left as it is.
 * @returns whether the file can be used, or else who made it
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
