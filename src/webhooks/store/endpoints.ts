// Stores endpoints of listeners, which keep a path, a port and a secret between runs, and leases of webhooks.

import type {IsProcessAlive, ProcessIdentity} from '../../processes/process-identity.js';
import {readOnly, withoutNulls, type Database} from '../../storage/sqlite.js';
import {isSignedWith, type Delivery} from '../receive/delivery.js';

export interface EndpointKey {
  readonly profile: string;
  readonly mode: 'live' | 'sandbox' | 'test';
  /** The user's name for the endpoint, or the real path of a folder. */
  readonly name: string;
}

export interface ListenEndpoint {
  readonly port: number;
  /** Secret part of the URL. */
  readonly token: string;
  /** In the sandbox, the secret of every registration; in an account, only the secret of a kept webhook. */
  readonly secret?: string;
  /** Id of a webhook that stays registered, but disabled, between runs. In the sandbox, also the id of a killed run’s webhook. */
  readonly webhookId?: string;
  /** The app's address in the last run: the target of events that match no route. */
  readonly target?: string;
}

/** Links a registered webhook to its process, so that the webhook can be found after a crash. */
export interface WebhookLease extends ProcessIdentity {
  /** Chosen by centavo, before the webhook is created. */
  readonly id: string;
  /** The account of the key that created the webhook; stored in the column `profile`. */
  readonly account: string;
  readonly url: string;
  /** Missing until {@link EndpointStore.confirmLease}, or if the process died before that call. */
  readonly webhookId?: string;
}

const tokenOf = (url: string): string => new URL(url).pathname.split('/')[1] ?? '';

/** Methods return when their change is on disk. */
export class EndpointStore {
  constructor(private readonly database: Database) {}

  find({profile, mode, name}: EndpointKey): ListenEndpoint | undefined {
    const sql =
      'SELECT port, token, secret, webhook_id AS webhookId, target FROM endpoints WHERE profile = ? AND mode = ? AND name = ?';
    const row = this.database.get<ListenEndpoint>(sql, profile, mode, name);
    return row && withoutNulls(row);
  }

  save({profile, mode, name}: EndpointKey, {port, token, secret, webhookId, target}: ListenEndpoint): void {
    const sql =
      'INSERT OR REPLACE INTO endpoints (profile, mode, name, port, token, secret, webhook_id, target) VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
    this.database.run(sql, profile, mode, name, port, token, secret ?? null, webhookId ?? null, target ?? null);
  }

  /** Returns the endpoint secret that signed a delivery, or else the secret of the endpoint with this name. */
  secretOf(delivery: Delivery, name: string): string | undefined {
    const {profile, verdict} = delivery;
    const sql = `SELECT name, secret FROM endpoints
      WHERE profile = ? AND (mode = 'live') = ? AND secret IS NOT NULL ORDER BY mode, name`;
    const isLive = verdict.genuine && verdict.mode === 'live' ? 1 : 0;
    const rows = this.database.all<{name: string; secret: string}>(sql, profile, isLive);
    const found = rows.find(({secret}) => isSignedWith(delivery, secret)) ?? rows.find((row) => row.name === name);
    return found?.secret;
  }

  nameOfUrl(url: string): string | undefined {
    return this.database.get<{name: string}>('SELECT name FROM endpoints WHERE token = ?', tokenOf(url))?.name;
  }

  /** Names of the account's endpoints with a running listener. */
  running({profile, mode}: Pick<EndpointKey, 'mode' | 'profile'>, isAlive: IsProcessAlive): string[] {
    const sql = `SELECT e.name, c.pid, c.started_at AS startedAt FROM endpoints e
      JOIN claims c ON c.what = 'endpoint ' || e.profile || ' ' || e.mode || ' ' || e.name
      WHERE e.profile = ? AND e.mode = ? ORDER BY e.name`;
    return this.database
      .all<ProcessIdentity & {readonly name: string}>(sql, profile, mode)
      .filter(({pid, startedAt}) => isAlive(pid, startedAt))
      .map(({name}) => name);
  }

  isRunning(url: string, isAlive: IsProcessAlive): boolean {
    const sql = `SELECT c.pid, c.started_at AS startedAt FROM endpoints e
      JOIN claims c ON c.what = 'endpoint ' || e.profile || ' ' || e.mode || ' ' || e.name WHERE e.token = ?`;
    return this.database.all<ProcessIdentity>(sql, tokenOf(url)).some(({pid, startedAt}) => isAlive(pid, startedAt));
  }

  isKept(webhookId: string): boolean {
    return this.database.get('SELECT 1 FROM endpoints WHERE webhook_id = ?', webhookId) !== undefined;
  }

  /** Claims a resource for this process until it ends. @returns pid of a running process that already holds the claim */
  claim(resource: string, {pid, startedAt}: ProcessIdentity, isAlive: IsProcessAlive): number | undefined {
    return this.database.transaction(() => {
      const sql = 'SELECT pid, started_at AS startedAt FROM claims WHERE what = ?';
      const holder = this.database.get<ProcessIdentity>(sql, resource);
      if (holder && isAlive(holder.pid, holder.startedAt)) return holder.pid;
      const query = 'INSERT OR REPLACE INTO claims (what, pid, started_at) VALUES (?, ?, ?)';
      this.database.run(query, resource, pid, startedAt);
      return undefined;
    });
  }

  release({pid, startedAt}: ProcessIdentity): void {
    this.database.run('DELETE FROM claims WHERE pid = ? AND started_at = ?', pid, startedAt);
  }

  /** Must run before the webhook is created, so that every webhook has a lease. */
  addLease({id, account, url, webhookId, pid, startedAt}: WebhookLease): void {
    const sql = 'INSERT INTO leases (id, profile, url, webhook_id, pid, started_at) VALUES (?, ?, ?, ?, ?, ?)';
    this.database.run(sql, id, account, url, webhookId ?? null, pid, startedAt);
  }

  confirmLease(id: string, webhookId: string): void {
    this.database.run('UPDATE leases SET webhook_id = ? WHERE id = ?', webhookId, id);
  }

  removeLease(id: string): void {
    this.database.run('DELETE FROM leases WHERE id = ?', id);
  }

  /** Returns the leases that ended processes did not remove. */
  deadLeases(account: string, isAlive: IsProcessAlive): WebhookLease[] {
    const sql = `SELECT id, profile AS account, url, webhook_id AS webhookId, pid, started_at AS startedAt FROM leases
      WHERE profile = ? ORDER BY started_at, id`;
    return this.database
      .all<WebhookLease>(sql, account)
      .filter(({pid, startedAt}) => !isAlive(pid, startedAt))
      .map(withoutNulls);
  }
}

/** Returns dead leases whose webhook no endpoint uses. Only reads the file, which may be missing. */
export function deadLeasesIn(path: string, account: string, isAlive: IsProcessAlive) {
  const read = (database: Database) => {
    const endpoints = new EndpointStore(database);
    // The next listener finds and removes a webhook of unknown id.
    const isOrphaned = ({webhookId = ''}: WebhookLease) => webhookId !== '' && !endpoints.isKept(webhookId);
    return endpoints.deadLeases(account, isAlive).filter(isOrphaned) as Required<WebhookLease>[];
  };
  return readOnly(path, read, 'endpoints') ?? [];
}
