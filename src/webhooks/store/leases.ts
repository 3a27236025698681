// Which process registered which webhook, stored first, so that a webhook left by a crash can be found.

import type {IsAlive, ProcessIdentity} from '../../programs/identity.js';
import {withoutNulls, type Database} from '../../storage/sqlite.js';

export interface Lease extends ProcessIdentity {
  /** Chosen by us, before the webhook is created. */
  readonly id: string;
  /** The account of the key that created the webhook; in the column `profile`. */
  readonly account: string;
  readonly url: string;
  /** Missing until {@link Leases.confirm}, and when the process died before that. */
  readonly webhookId?: string;
}

/** Methods return when their change is on the disk. */
export class Leases {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Called before the webhook is created, so that none is without a lease. */
  add({id, account, url, webhookId, pid, startedAt}: Lease): void {
    this.#database
      .prepare('INSERT INTO leases (id, profile, url, webhook_id, pid, started_at) VALUES (?, ?, ?, ?, ?, ?)')
      .run(id, account, url, webhookId ?? null, pid, startedAt);
  }

  confirm(id: string, webhookId: string): void {
    this.#database.prepare('UPDATE leases SET webhook_id = ? WHERE id = ?').run(webhookId, id);
  }

  remove(id: string): void {
    this.#database.prepare('DELETE FROM leases WHERE id = ?').run(id);
  }

  /** Leases whose process ended without removing them. */
  dead(account: string, isAlive: IsAlive): Lease[] {
    return this.#database
      .prepare(
        `SELECT id, profile AS account, url, webhook_id AS webhookId, pid, started_at AS startedAt FROM leases
         WHERE profile = ? ORDER BY started_at, id`,
      )
      .all<Lease>(account)
      .filter(({pid, startedAt}) => !isAlive(pid, startedAt))
      .map(withoutNulls);
  }
}
