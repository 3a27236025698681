// The tables of a job's file.

/** Raised when the tables change. A file of release 0.6.0, version 1, gets what it lacks; any other is refused. */
export const VERSION = 2;
export const FORMER_VERSION = 1;

/** What version 2 added: what is known of each run, whose it is, and what the barriers have to know. */
export const UPGRADE = `
CREATE TABLE fact (of TEXT NOT NULL, n INTEGER NOT NULL, fact TEXT NOT NULL, PRIMARY KEY (of, n)) WITHOUT ROWID;
ALTER TABLE row ADD COLUMN run TEXT;
ALTER TABLE customer ADD COLUMN surplus TEXT;
ALTER TABLE job ADD COLUMN customers_since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN passed INTEGER NOT NULL DEFAULT 0;
UPDATE job SET version = ${VERSION};
`;

const FORMER_TABLES = `
CREATE TABLE job (
  id TEXT PRIMARY KEY, version INTEGER NOT NULL, source TEXT NOT NULL, profile TEXT NOT NULL, mode TEXT NOT NULL,
  account TEXT NOT NULL, finalize INTEGER NOT NULL, send INTEGER NOT NULL, created_at INTEGER NOT NULL,
  result_file TEXT, since INTEGER NOT NULL DEFAULT 0, newest INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL, ended_at INTEGER, keep INTEGER NOT NULL DEFAULT 0, pid INTEGER, pid_started_at INTEGER
);
CREATE TABLE row (
  n INTEGER PRIMARY KEY, external_id TEXT NOT NULL UNIQUE, line INTEGER NOT NULL, key TEXT NOT NULL DEFAULT '',
  customer TEXT NOT NULL, due TEXT, due_at INTEGER, description TEXT, metadata TEXT, amount INTEGER NOT NULL DEFAULT 0,
  phase TEXT NOT NULL DEFAULT 'planned', doubted INTEGER NOT NULL DEFAULT 0, unsettled_at INTEGER,
  opened INTEGER NOT NULL DEFAULT 0, id TEXT, number TEXT, link TEXT, status TEXT, sent TEXT NOT NULL DEFAULT 'no',
  resend_at INTEGER, error_code TEXT, error TEXT
);
CREATE TABLE item (
  row INTEGER NOT NULL, position INTEGER NOT NULL, description TEXT NOT NULL, quantity INTEGER NOT NULL,
  unit_price INTEGER NOT NULL, PRIMARY KEY (row, position)
) WITHOUT ROWID;
CREATE TABLE customer (
  ref TEXT PRIMARY KEY, id TEXT, email TEXT, name TEXT, creates INTEGER NOT NULL DEFAULT 0, begun_at INTEGER
) WITHOUT ROWID;
CREATE TABLE name (customer TEXT NOT NULL, name TEXT NOT NULL, line INTEGER NOT NULL, PRIMARY KEY (customer, name)) WITHOUT ROWID;
CREATE INDEX row_phase ON row (phase, n);
CREATE INDEX row_key ON row (key);
CREATE INDEX row_customer ON row (customer, n);
CREATE INDEX row_id ON row (id);
CREATE INDEX customer_id ON customer (id);
`;
export const TABLES = FORMER_TABLES + UPGRADE;
