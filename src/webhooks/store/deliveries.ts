// The delivery store. Every genuine delivery is on disk before its sender gets a response.

import {createHash} from 'node:crypto';
import {CentavoError} from '../../common/errors.js';
import {localError} from '../../common/system-errors.js';
import type {ProcessIdentity} from '../../processes/process-identity.js';
import {openStore, type Database, type SqliteValue, type StoreKind} from '../../storage/sqlite.js';
import {deliveryContentOf, type Delivery, type EventFacts, type RawHeader} from '../receive/delivery.js';
import type {Verdict} from '../signature/signature.js';
import {EndpointStore} from './endpoints.js';
import {ForwardLog} from './forward-log.js';
import {GroupCommit} from './group-commit.js';

/** Milliseconds for which accepted deliveries are kept and duplicates recognized. The service retries for 3 days. */
export const RETENTION = 7 * 24 * 60 * 60 * 1000;

export interface DeliveryQuery {
  readonly limit: number;
  /** Number of matches to pass over. */
  readonly skip?: number;
  readonly before?: string;
  /** Leaves out other projects of the sandbox than this one: `sandbox`, or `sandbox/shop`. */
  readonly sandbox?: string;
  /** Event type; `*` stands for any characters. */
  readonly type?: string;
  /** True to select only deliveries that a target has not accepted. */
  readonly failed?: boolean;
  readonly since?: number;
}

interface DeliveryRow {
  readonly seq: number;
  readonly id: string;
  readonly received_at: number;
  readonly profile: string;
  readonly webhook: string | null;
  readonly path: string;
  readonly headers: string;
  /** The body. A duplicate's body may be stored with the first delivery. */
  readonly full_body: Uint8Array;
  readonly verdict: string;
  readonly event: string;
  readonly duplicate_of: string | null;
}

/** To save space, the body of a duplicate with the same bytes is stored only with the first delivery. */
const SELECT = `SELECT *, CASE WHEN length(body) > 0 THEN body
    ELSE coalesce((SELECT body FROM deliveries AS o WHERE o.id = deliveries.duplicate_of), body) END AS full_body
  FROM deliveries`;
const NO_BODY = new Uint8Array();
/** Deliveries read at a time, to bound memory. */
const DELIVERIES_AT_ONCE = 20;

export class DeliveryStore {
  readonly endpoints: EndpointStore;
  readonly forwards: ForwardLog;
  readonly #commits: GroupCommit;

  constructor(
    private readonly database: Database,
    path: string,
    owner: ProcessIdentity,
  ) {
    this.endpoints = new EndpointStore(database);
    this.#commits = new GroupCommit(database, path);
    this.forwards = new ForwardLog(database, this.#commits, owner);
  }

  /** Resolves once the delivery and its targets are on disk. */
  record(
    delivery: Delivery,
    targets: readonly string[] = [],
    event?: Record<string, unknown>,
  ): Promise<{duplicateOf?: string}> {
    const hash = createHash('sha256').update(deliveryContentOf(delivery, event)).digest();
    return this.#commits.add(() => {
      const original = this.#firstOf(delivery, hash);
      this.#insert(delivery, hash, original);
      for (const target of targets) this.forwards.plan(original ?? delivery.id, target, original ? 0 : 1);
      return original === undefined ? {} : {duplicateOf: original};
    });
  }

  /** Returns the id of the first delivery with the same content. An event without an id is never a duplicate. */
  #firstOf({event, profile, webhook, verdict}: Delivery, hash: Uint8Array): string | undefined {
    if (event.id === undefined) return undefined;
    const sql = `SELECT coalesce(duplicate_of, id) AS id FROM deliveries
      WHERE event_id = ? AND body_hash = ? AND profile = ? AND webhook IS ? AND genuine = ? ORDER BY seq LIMIT 1`;
    const values = [event.id, hash, profile, webhook ?? null, verdict.genuine ? 1 : 0];
    return this.database.get<{id: string}>(sql, ...values)?.id;
  }

  #insert(delivery: Delivery, hash: Uint8Array, original: string | undefined): void {
    const {id, receivedAt, profile, webhook, path, headers, body, verdict, event} = delivery;
    const json = [JSON.stringify(headers), JSON.stringify(verdict), JSON.stringify(event)] as const;
    const sql = `INSERT INTO deliveries (id, received_at, profile, webhook, path, body, body_hash, genuine, headers, verdict,
      event, event_id, event_type, duplicate_of) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    const values = [
      id,
      receivedAt,
      profile,
      webhook ?? null,
      path,
      original !== undefined && this.#hasBody(original, body) ? NO_BODY : body,
      hash,
      verdict.genuine ? 1 : 0,
      ...json,
      event.id ?? null,
      event.type ?? null,
      original ?? null,
    ];
    this.database.run(sql, ...values);
  }

  #hasBody(id: string, body: Uint8Array): boolean {
    return this.database.get('SELECT 1 FROM deliveries WHERE id = ? AND body = ?', id, body) !== undefined;
  }

  get(id: string): Delivery | undefined {
    const row = this.database.get<DeliveryRow>(`${SELECT} WHERE id = ?`, id);
    return row && deliveryOfRow(row);
  }

  /** Returns ids that start so, of deliveries, events and their objects. `what` is the type of the event. */
  idsFrom(start: string, limit: number): {id: string; what: string | null}[] {
    const sql = `SELECT id, min(what) AS what FROM (
      SELECT id, event_type AS what FROM deliveries UNION ALL SELECT event_id, event_type FROM deliveries
      UNION ALL SELECT json_extract(event, '$.objectId'), NULL FROM deliveries)
      WHERE id GLOB ? GROUP BY id ORDER BY id LIMIT ?`;
    return this.database.all(sql, `${start}*`, limit);
  }

  /** Prefers genuine deliveries, then first deliveries over duplicates, then the latest. */
  findByEvent(eventId: string): Delivery | undefined {
    const sql = `${SELECT} WHERE event_id = ? ORDER BY genuine DESC, duplicate_of IS NOT NULL, seq DESC LIMIT 1`;
    const row = this.database.get<DeliveryRow>(sql, eventId);
    return row && deliveryOfRow(row);
  }

  /** Returns deliveries of an event, oldest first, without duplicates. */
  findAllByEvent(eventId: string): Delivery[] {
    return this.database
      .all<DeliveryRow>(`${SELECT} WHERE event_id = ? AND duplicate_of IS NULL ORDER BY seq`, eventId)
      .map(deliveryOfRow);
  }

  /** Returns a text that changes when a process writes to the file. */
  version(): string {
    const query = "SELECT data_version || '.' || total_changes() AS version FROM pragma_data_version";
    return this.database.get<{version: string}>(query)!.version;
  }

  /** Returns deliveries of events about these objects, oldest first, without duplicates. */
  findByObjects(ids: readonly string[]): Delivery[] {
    const sql = `${SELECT} WHERE duplicate_of IS NULL AND json_extract(event, '$.objectId') IN (${ids.map(() => '?').join()}) ORDER BY seq`;
    return this.database.all<DeliveryRow>(sql, ...ids).map(deliveryOfRow);
  }

  list(query: DeliveryQuery): Delivery[] {
    return [...this.pages(query)].flat();
  }

  /** Yields the newest deliveries first, in pages, to bound memory. */
  *pages({limit, skip = 0, before, sandbox, type, failed, since}: DeliveryQuery): Generator<Delivery[]> {
    const conditions: [sql: string, ...values: SqliteValue[]][] = [];
    if (before !== undefined) conditions.push(['seq < (SELECT seq FROM deliveries WHERE id = ?)', before]);
    if (sandbox !== undefined) conditions.push(["(profile = ? OR profile || '/' NOT GLOB 'sandbox/*')", sandbox]);
    if (type !== undefined) conditions.push(['event_type GLOB ?', type.replace(/[[?]/g, '[$&]')]);
    if (since !== undefined) conditions.push(['received_at >= ?', since]);
    if (failed)
      conditions.push([
        "EXISTS (SELECT 1 FROM forwards f WHERE f.delivery_id = deliveries.id AND f.state <> 'delivered')",
      ]);
    const where = ['seq < ?', ...conditions.map(([sql]) => sql)].join(' AND ');
    const sql = `${SELECT} WHERE ${where} ORDER BY seq DESC LIMIT ? OFFSET ?`;
    const values = conditions.flatMap(([, ...each]) => each);
    let beforeSeq = Number.MAX_SAFE_INTEGER;
    for (let remaining = limit; remaining > 0; remaining -= DELIVERIES_AT_ONCE) {
      const offset = remaining === limit ? skip : 0;
      const bounds = [Math.min(remaining, DELIVERIES_AT_ONCE), offset];
      const rows = this.database.all<DeliveryRow>(sql, beforeSeq, ...values, ...bounds);
      if (rows.length > 0) yield rows.map(deliveryOfRow);
      if (rows.length < DELIVERIES_AT_ONCE) return;
      beforeSeq = rows.at(-1)!.seq;
    }
  }

  /** Removes deliveries older than {@link RETENTION} that every target accepted. @param now milliseconds since the epoch */
  prune(now: number): Promise<void> {
    return this.#commits.add(() => {
      // A first delivery stays until its duplicates are old too.
      const sql = `DELETE FROM deliveries WHERE received_at < ?1
        AND id NOT IN (SELECT duplicate_of FROM deliveries WHERE duplicate_of IS NOT NULL AND received_at >= ?1)
        AND NOT EXISTS (SELECT 1 FROM forwards f
        WHERE f.delivery_id = coalesce(deliveries.duplicate_of, deliveries.id) AND f.state <> 'delivered')`;
      const {changes} = this.database.run(sql, now - RETENTION);
      if (changes === 0) return;
      this.database.exec(`
        DELETE FROM forwards WHERE delivery_id NOT IN (SELECT id FROM deliveries);
        DELETE FROM attempts WHERE delivery_id NOT IN (SELECT id FROM deliveries);
      `);
    });
  }

  close(): void {
    this.#commits.close();
    this.database.close();
  }
}

const deliveryOfRow = (row: DeliveryRow): Delivery => ({
  id: row.id,
  receivedAt: row.received_at,
  profile: row.profile,
  ...(row.webhook !== null && {webhook: row.webhook}),
  path: row.path,
  headers: JSON.parse(row.headers) as RawHeader[],
  body: row.full_body,
  verdict: JSON.parse(row.verdict) as Verdict,
  event: JSON.parse(row.event) as EventFacts,
  ...(row.duplicate_of !== null && {duplicateOf: row.duplicate_of}),
});

/**
 * Opens the store. Creates a missing file, readable by its owner only.
 * @param owner this process, which owns its unfinished forwards until it ends
 */
export function openDeliveries(path: string, {owner}: {readonly owner: ProcessIdentity}): DeliveryStore {
  try {
    return new DeliveryStore(openStore(path, DELIVERY_STORE), path, owner);
  } catch (error) {
    throw localError(`the delivery database ${path} cannot be opened.`, error);
  }
}

const SCHEMA = `
  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, received_at INTEGER NOT NULL,
    profile TEXT NOT NULL, path TEXT NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL, body_hash BLOB NOT NULL,
    verdict TEXT NOT NULL, genuine INTEGER NOT NULL,
    event TEXT NOT NULL, event_id TEXT, event_type TEXT, duplicate_of TEXT, webhook TEXT
  );
  CREATE INDEX deliveries_by_event ON deliveries (event_id);
  CREATE INDEX deliveries_by_time ON deliveries (received_at);
  CREATE INDEX deliveries_by_original ON deliveries (duplicate_of) WHERE duplicate_of IS NOT NULL;
  CREATE TABLE forwards (
    delivery_id TEXT NOT NULL, target TEXT NOT NULL, state TEXT NOT NULL,
    attempts INTEGER NOT NULL, pid INTEGER NOT NULL, started_at INTEGER NOT NULL, next_at INTEGER,
    PRIMARY KEY (delivery_id, target)
  ) WITHOUT ROWID;
  CREATE INDEX forwards_pending ON forwards (target) WHERE state = 'pending';
  CREATE TABLE attempts (
    delivery_id TEXT NOT NULL, target TEXT NOT NULL, attempt INTEGER NOT NULL,
    started_at INTEGER NOT NULL, duration_ms REAL NOT NULL, status INTEGER, error TEXT, replay INTEGER NOT NULL,
    response TEXT
  );
  CREATE INDEX attempts_by_delivery ON attempts (delivery_id);
  CREATE TABLE leases (
    id TEXT PRIMARY KEY, profile TEXT NOT NULL, url TEXT NOT NULL, webhook_id TEXT,
    pid INTEGER NOT NULL, started_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE endpoints (
    profile TEXT NOT NULL, mode TEXT NOT NULL, name TEXT NOT NULL,
    port INTEGER NOT NULL, token TEXT NOT NULL, secret TEXT, webhook_id TEXT,
    PRIMARY KEY (profile, mode, name)
  ) WITHOUT ROWID;
  CREATE TABLE claims (what TEXT PRIMARY KEY, pid INTEGER NOT NULL, started_at INTEGER NOT NULL) WITHOUT ROWID;
`;

export const DELIVERY_STORE: StoreKind = {
  schema: SCHEMA,
  upgrades: ['ALTER TABLE endpoints ADD COLUMN target TEXT'],
  journal: 'WAL',
  // A page of this size fits three typical deliveries. SQLite then writes a third less than with its default size.
  settings: 'PRAGMA secure_delete = ON; PRAGMA page_size = 8192',
  foreignFileError: (path, by) =>
    new CentavoError('local_io', `the delivery database ${path} was made by ${by}.`, {
      hint: 'Move the file away, and centavo creates a new file.',
      applied: 'no',
    }),
};
