// Which endpoints were registered by which process, on disk before they are used: what a crash leaves behind can be found by its own id.

import type {IsAlive, ProcessIdentity} from '../../programs/identity.js';
import type {Database} from '../../storage/sqlite.js';

export interface Lease extends ProcessIdentity {
  /** Ours, chosen before the endpoint is made. */
  readonly id: string;
  readonly profile: string;
  /** The address that is registered. */
  readonly url: string;
  /** The service's id of the endpoint; not there until {@link Leases.confirm}, or when the process died in between. */
  readonly webhookId?: string;
}

interface Row {
  readonly id: string;
  readonly profile: string;
  readonly url: string;
  readonly webhook_id: string | null;
  readonly pid: number;
  readonly started_at: number;
}

export const LEASES_SCHEMA = `
  CREATE TABLE IF NOT EXISTS leases (
    id TEXT PRIMARY KEY, profile TEXT NOT NULL, url TEXT NOT NULL, webhook_id TEXT,
    pid INTEGER NOT NULL, started_at INTEGER NOT NULL
  ) WITHOUT ROWID;
`;

/** Each method returns when what it says is on the disk. */
export class Leases {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** To be called before the endpoint is made, so that there is none without a lease. */
  add({id, profile, url, webhookId, pid, startedAt}: Lease): void {
    this.#database
      .prepare('INSERT INTO leases (id, profile, url, webhook_id, pid, started_at) VALUES (?, ?, ?, ?, ?, ?)')
      .run(id, profile, url, webhookId ?? null, pid, startedAt);
  }

  /** The endpoint is there, and this is its id. */
  confirm(id: string, webhookId: string): void {
    this.#database.prepare('UPDATE leases SET webhook_id = ? WHERE id = ?').run(webhookId, id);
  }

  remove(id: string): void {
    this.#database.prepare('DELETE FROM leases WHERE id = ?').run(id);
  }

  /** Those of a profile whose process has ended without removing them. */
  dead(profile: string, isAlive: IsAlive): Lease[] {
    return this.#database
      .prepare('SELECT * FROM leases WHERE profile = ? ORDER BY started_at, id')
      .all<Row>(profile)
      .filter(({pid, started_at: startedAt}) => !isAlive(pid, startedAt))
      .map(({id, profile, url, webhook_id: webhookId, pid, started_at: startedAt}) => ({
        id,
        profile,
        url,
        ...(webhookId !== null && {webhookId}),
        pid,
        startedAt,
      }));
  }
}
