// Which process registered which webhook, stored before it is used, so that a webhook left by a crash can be found.

import type {IsAlive, ProcessIdentity} from '../../programs/identity.js';
import type {Database} from '../../storage/sqlite.js';

export interface Lease extends ProcessIdentity {
  /** Ours, chosen before the webhook is created. */
  readonly id: string;
  /** The account with whose key the webhook was created. Its column is called profile. */
  readonly account: string;
  /** The address that is registered. */
  readonly url: string;
  /** The service's id of the webhook. Missing until {@link Leases.confirm}, or when the process died before that. */
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

/** Each method returns once its change is on the disk. */
export class Leases {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Call it before the webhook is created, so that none is without a lease. */
  add({id, account, url, pid, startedAt}: Lease): void {
    this.#database
      .prepare('INSERT INTO leases (id, profile, url, pid, started_at) VALUES (?, ?, ?, ?, ?)')
      .run(id, account, url, pid, startedAt);
  }

  /** The webhook has been created with this id. */
  confirm(id: string, webhookId: string): void {
    this.#database.prepare('UPDATE leases SET webhook_id = ? WHERE id = ?').run(webhookId, id);
  }

  remove(id: string): void {
    this.#database.prepare('DELETE FROM leases WHERE id = ?').run(id);
  }

  /** The leases of an account whose process ended without removing them. */
  dead(account: string, isAlive: IsAlive): Lease[] {
    return this.#database
      .prepare('SELECT * FROM leases WHERE profile = ? ORDER BY started_at, id')
      .all<Row>(account)
      .filter(({pid, started_at: startedAt}) => !isAlive(pid, startedAt))
      .map(({id, url, webhook_id: webhookId, pid, started_at: startedAt}) => ({
        id,
        account,
        url,
        ...(webhookId !== null && {webhookId}),
        pid,
        startedAt,
      }));
  }
}
