// Pending deliveries: one row per event and webhook, deleted when done.
// A lease lets only one process at a time send to a webhook.

import type {Database} from '../../storage/sqlite.js';
import type {WebhookFault} from '../serve/fault-injection.js';

/** Times are unix seconds of the sandbox's clock, except `leased_until`. */
export interface QueuedDelivery {
  readonly seq: number;
  readonly event: string;
  readonly webhook: string;
  readonly due: number;
  /** End of the retries. */
  readonly give_up: number;
  /** Number of attempts started. The number also identifies the lease of the last attempt. */
  readonly attempts: number;
  /** Seconds since this machine started, which no set clock changes; 0 without a lease. */
  readonly leased_until: number;
  readonly fault: WebhookFault | null;
  /** 1 for a repeated delivery, which gets one attempt and does not count as pending. */
  readonly extra: number;
}

type NewDelivery = Pick<QueuedDelivery, 'due' | 'event' | 'give_up' | 'webhook'> &
  Partial<Pick<QueuedDelivery, 'attempts' | 'extra' | 'fault'>>;

/** Seconds; longer than any attempt. A lease that ends later is from before a restart of the machine. */
export const LEASE_SECONDS = 15;

const OUTBOX_SCHEMA = `
  CREATE TABLE IF NOT EXISTS deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    event TEXT NOT NULL,
    webhook TEXT NOT NULL,
    due INTEGER NOT NULL,
    give_up INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    leased_until INTEGER NOT NULL DEFAULT 0,
    fault TEXT,
    extra INTEGER NOT NULL DEFAULT 0,
    UNIQUE (event, webhook)
  );
  CREATE INDEX IF NOT EXISTS deliveries_in_order ON deliveries (due, seq);
  CREATE INDEX IF NOT EXISTS deliveries_by_webhook ON deliveries (webhook, due, seq);
`;

export class Outbox {
  added = 0;

  constructor(private readonly database: Database) {
    database.exec(OUTBOX_SCHEMA);
  }

  add({event, webhook, due, give_up: giveUp, attempts = 0, fault = null, extra = 0}: NewDelivery): void {
    const sql =
      'INSERT INTO deliveries (event, webhook, due, give_up, attempts, fault, extra) VALUES (?, ?, ?, ?, ?, ?, ?)';
    this.database.run(sql, event, webhook, due, giveUp, attempts, fault, extra);
    this.added += 1;
  }

  find(event: string, webhook: string): QueuedDelivery | undefined {
    const sql = 'SELECT * FROM deliveries WHERE event = ? AND webhook = ?';
    return this.database.get<QueuedDelivery>(sql, event, webhook);
  }

  isDue(now: number): boolean {
    return this.database.get('SELECT 1 FROM deliveries WHERE due <= ? LIMIT 1', now) !== undefined;
  }

  /** Returns the first due delivery to an idle webhook: a webhook gets one delivery at a time, in order. */
  next(now: number, uptime: number): QueuedDelivery | undefined {
    const sql = `SELECT * FROM deliveries WHERE due <= ?
      AND webhook NOT IN (SELECT webhook FROM deliveries WHERE leased_until BETWEEN ? AND ?) ORDER BY due, seq LIMIT 1`;
    return this.database.get<QueuedDelivery>(sql, now, uptime, uptime + LEASE_SECONDS);
  }

  lease(queued: QueuedDelivery, uptime: number): QueuedDelivery {
    const leased = {...queued, attempts: queued.attempts + 1, leased_until: uptime + LEASE_SECONDS};
    const sql = 'UPDATE deliveries SET attempts = ?, leased_until = ? WHERE seq = ?';
    this.database.run(sql, leased.attempts, leased.leased_until, leased.seq);
    return leased;
  }

  /** Returns undefined if this attempt no longer holds the lease. */
  findLeased({seq, attempts}: QueuedDelivery): QueuedDelivery | undefined {
    return this.database.get<QueuedDelivery>('SELECT * FROM deliveries WHERE seq = ? AND attempts = ?', seq, attempts);
  }

  postpone({seq}: QueuedDelivery, due: number): void {
    this.database.run('UPDATE deliveries SET due = ?, leased_until = 0 WHERE seq = ?', due, seq);
  }

  makeDue(webhook: string, now: number): void {
    const change = 'UPDATE deliveries SET due = ? WHERE webhook = ? AND attempts > 0 AND due > ?';
    this.database.run(change, now, webhook, now);
  }

  repeat({seq}: QueuedDelivery): void {
    this.database.run('UPDATE deliveries SET extra = 1, fault = NULL, leased_until = 0 WHERE seq = ?', seq);
  }

  /** Makes the delayed deliveries that this delivery overtakes due right after it. */
  releaseOvertaken({webhook, seq, due}: QueuedDelivery): void {
    const sql = `UPDATE deliveries SET due = ?, fault = NULL
      WHERE webhook = ? AND seq < ? AND fault = 'out-of-order-webhook' AND attempts = 0`;
    this.database.run(sql, due, webhook, seq);
  }

  remove({seq}: QueuedDelivery): void {
    this.database.run('DELETE FROM deliveries WHERE seq = ?', seq);
  }

  ofEvent(event: string): QueuedDelivery[] {
    return this.database.all<QueuedDelivery>('SELECT * FROM deliveries WHERE event = ? ORDER BY seq', event);
  }

  ofWebhook(webhook: string): QueuedDelivery[] {
    return this.database.all<QueuedDelivery>('SELECT * FROM deliveries WHERE webhook = ? ORDER BY seq', webhook);
  }
}
