// Writes the rows of the history, always within a transaction. Redacts or drops values that could be secrets.

import type {RecordedSend} from '../accounting/standing.js';
import type {ProcessIdentity} from '../processes/process-identity.js';
import type {Database} from '../storage/sqlite.js';

/** The statement of a change, as last seen. */
export interface HistorySubject {
  /** `JEEPNEY-0002` */
  readonly number?: string | null;
  readonly customer?: string | null;
  /** Centavos. */
  readonly amount?: number | null;
}

/** Name of an object for readers of the history: a statement's number or a customer's name. */
export type HistoryName = Pick<HistorySubject, 'customer' | 'number'>;

export interface NewHistoryEntry extends HistorySubject {
  readonly profile: string;
  /** `live`, `test` or `sandbox`. */
  readonly mode: string;
  /** The account's id; empty for a change of this machine's settings. */
  readonly account?: string;
  /** `billing-statements finalize`, without arguments. */
  readonly command: string;
  readonly ids: readonly string[];
  readonly names?: Iterable<readonly [id: string, name: HistoryName]>;
  /** The name of the import file. */
  readonly file?: string;
  /** The reason, as the user typed it. */
  readonly reason?: string | null;
  /** Unix seconds of a payment outside the service. */
  readonly paidAt?: number | null;
  /** The variable by which the agent that made the change was known. */
  readonly agent?: string;
}

/** A send that another file than the history records. */
export interface KnownSend extends RecordedSend {
  readonly statement: string;
  /** Id of the change; null in the file of an import, which does not know it. */
  readonly change: string | null;
  readonly account: string;
}

export interface HistoryEntryEnd {
  /** `ok`, or an error code such as `outcome_unknown`. */
  readonly result: string;
  readonly exitCode: number | null;
  readonly applied: string | null;
}

/** An entry is an object of a change, a step, or both. `part` is the number of the step's first entry. */
export const SCHEMA = `
  CREATE TABLE change (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, profile TEXT NOT NULL, mode TEXT NOT NULL,
    command TEXT NOT NULL, amount INTEGER, number TEXT, customer TEXT, reason TEXT, file TEXT,
    result TEXT, exit_code INTEGER, applied TEXT, ended_at INTEGER
  );
  CREATE TABLE entry (
    n INTEGER PRIMARY KEY, change INTEGER NOT NULL REFERENCES change (n), object TEXT, step TEXT, at INTEGER, part INTEGER
  );
  CREATE INDEX entry_change ON entry (change);
  CREATE INDEX entry_object ON entry (object, change);
  CREATE TABLE name (object TEXT PRIMARY KEY, number TEXT, customer TEXT) WITHOUT ROWID;
  CREATE TABLE file (n INTEGER PRIMARY KEY, path TEXT NOT NULL, sha256 TEXT NOT NULL, at INTEGER NOT NULL);
  CREATE INDEX file_path ON file (path);
`;

export const SCHEMA_UPGRADES = [
  // Version 2: when a settled statement was paid, in unix seconds by the account's clock.
  'ALTER TABLE change ADD COLUMN paid_at INTEGER',
  // Version 3: the account's id; null for older changes, and for changes of this machine only.
  'ALTER TABLE change ADD COLUMN account TEXT',
  // Version 4: the process that makes the change, to tell one that still runs from one that was killed.
  'ALTER TABLE change ADD COLUMN pid INTEGER; ALTER TABLE change ADD COLUMN pid_started_at INTEGER',
  // Version 5: the agent that made the change; null for a person or a script.
  'ALTER TABLE change ADD COLUMN agent TEXT',
];

const ID_PATTERN = /^[a-z]+(_[a-z]+)*_[A-Za-z0-9]+$/;
const SECRET_PATTERN = /[sp]k_(live|test)_|(?<![a-z])[sp]k_|whsk_|_secret_/;

const redacted = (text: string): string => (SECRET_PATTERN.test(text) ? '[redacted]' : text);
const redactedOrNull = (text: string | null | undefined) => (typeof text === 'string' ? redacted(text) : null);

/** The result of a change that was not made, as a person said. */
export const NOT_MADE = 'not_made';

export class HistoryWriter {
  constructor(private readonly database: Database) {}

  /** @param at unix seconds @returns the number of the change */
  begin(
    id: string,
    at: number,
    {profile, mode, command, ids, names = [], ...seen}: NewHistoryEntry,
    owner?: ProcessIdentity,
  ): number {
    const sql = `INSERT INTO change (id, at, profile, mode, command, amount, number, customer, reason, file, paid_at, account, pid, pid_started_at, agent)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n`;
    const {n: change} = this.database.get<{n: number}>(
      sql,
      ...[id, at, redacted(profile), mode, redacted(command), seen.amount ?? null],
      ...[seen.number, seen.customer, seen.reason, seen.file].map(redactedOrNull),
      ...[seen.paidAt ?? null, seen.account || null, owner?.pid ?? null, owner?.startedAt ?? null, seen.agent ?? null],
    )!;
    this.addObjects(change, ids);
    this.setNames(names);
    return change;
  }

  // Missing parts of a name keep their stored values.
  setNames(names: Iterable<readonly [id: string, name: HistoryName]>): void {
    for (const [id, {number, customer}] of names)
      if (safeIds([id]).length > 0)
        this.database.run(
          `INSERT INTO name (object, number, customer) VALUES (?, ?, ?) ON CONFLICT (object) DO UPDATE
           SET number = coalesce(excluded.number, number), customer = coalesce(excluded.customer, customer)`,
          ...[id, redactedOrNull(number), redactedOrNull(customer)],
        );
  }

  addObjects(change: number, ids: Iterable<string>): void {
    for (const id of safeIds(ids))
      this.database.run(
        'INSERT INTO entry (change, object) SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM entry WHERE change = ? AND object = ?)',
        ...[change, id, change, id],
      );
  }

  /** @param at unix seconds */
  step(change: number, step: string, at: number, ids: Iterable<string>): void {
    const sql = 'SELECT coalesce(max(n), 0) + 1 AS part FROM entry';
    const {part} = this.database.get<{part: number}>(sql)!;
    const named = safeIds(ids);
    for (const id of named.length > 0 ? named : [null])
      this.database.run(
        'INSERT INTO entry (change, object, step, at, part) VALUES (?, ?, ?, ?, ?)',
        ...[change, id, step, at, part],
      );
  }

  /** Records what a person said of a change whose outcome was unknown. @param at unix seconds */
  decide(change: number, isMade: boolean, at: number): void {
    this.database.run(
      'UPDATE change SET result = ?, applied = ?, ended_at = ? WHERE n = ?',
      ...[isMade ? 'ok' : NOT_MADE, isMade ? 'yes' : 'no', at, change],
    );
  }

  /** Adds seconds to the recorded times of a change. */
  shift(change: number, seconds: number): void {
    this.database.run('UPDATE change SET at = at + ? WHERE n = ?', seconds, change);
    this.database.run('UPDATE entry SET at = at + ? WHERE change = ?', seconds, change);
  }

  /** Records a send that the history lost. */
  restore({statement, change, at, state, account}: KnownSend, origin: Pick<NewHistoryEntry, 'mode' | 'profile'>): void {
    const send = {...origin, account, command: 'billing-statements send', ids: [statement]};
    const n = this.begin(`${change ?? 'import'}-${statement}`, at, send);
    this.step(n, state === 'sent' ? 'sent' : 'send', at, [statement]);
    const end = state === 'sent' ? {result: 'ok', applied: 'yes'} : {result: 'outcome_unknown', applied: 'unknown'};
    this.end(n, at, {...end, exitCode: null}, {});
  }

  /** Replaces an earlier end. @param at unix seconds */
  end(
    change: number,
    at: number,
    {result, exitCode, applied}: HistoryEntryEnd,
    {number, customer, amount}: HistorySubject,
  ): void {
    this.database.run(
      `UPDATE change SET result = ?, exit_code = ?, applied = ?, ended_at = ?, amount = coalesce(amount, ?),
         number = coalesce(?, number), customer = coalesce(?, customer) WHERE n = ?`,
      ...[redacted(result), exitCode, applied, at, amount ?? null],
      ...[redactedOrNull(number), redactedOrNull(customer), change],
    );
  }

  /** @param at unix seconds */
  file(path: string, sha256: string, at: number): void {
    this.database.run('INSERT INTO file (path, sha256, at) VALUES (?, ?, ?)', redacted(path), sha256, at);
  }
}

const safeIds = (ids: Iterable<string>) => [...ids].filter((id) => ID_PATTERN.test(id) && !SECRET_PATTERN.test(id));
