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
    this.database
      .prepare(
        'INSERT INTO deliveries (event, webhook, due, give_up, attempts, fault, extra) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(event, webhook, due, giveUp, attempts, fault, extra);
    this.added += 1;
  }

  find(event: string, webhook: string): QueuedDelivery | undefined {
    return this.database
      .prepare('SELECT * FROM deliveries WHERE event = ? AND webhook = ?')
      .get<QueuedDelivery>(event, webhook);
  }

  isDue(now: number): boolean {
    return this.database.prepare('SELECT 1 FROM deliveries WHERE due <= ? LIMIT 1').get(now) !== undefined;
  }

  /** Returns the first due delivery to an idle webhook: a webhook gets one delivery at a time, in order. */
  next(now: number, uptime: number): QueuedDelivery | undefined {
    return this.database
      .prepare(
        `SELECT * FROM deliveries WHERE due <= ?
        AND webhook NOT IN (SELECT webhook FROM deliveries WHERE leased_until BETWEEN ? AND ?) ORDER BY due, seq LIMIT 1`,
      )
      .get<QueuedDelivery>(now, uptime, uptime + LEASE_SECONDS);
  }

  lease(queued: QueuedDelivery, uptime: number): QueuedDelivery {
    const leased = {...queued, attempts: queued.attempts + 1, leased_until: uptime + LEASE_SECONDS};
    this.database
      .prepare('UPDATE deliveries SET attempts = ?, leased_until = ? WHERE seq = ?')
      .run(leased.attempts, leased.leased_until, leased.seq);
    return leased;
  }

  /** Returns undefined if this attempt no longer holds the lease. */
  findLeased({seq, attempts}: QueuedDelivery): QueuedDelivery | undefined {
    return this.database
      .prepare('SELECT * FROM deliveries WHERE seq = ? AND attempts = ?')
      .get<QueuedDelivery>(seq, attempts);
  }

  postpone({seq}: QueuedDelivery, due: number): void {
    this.database.prepare('UPDATE deliveries SET due = ?, leased_until = 0 WHERE seq = ?').run(due, seq);
  }

  makeDue(webhook: string, now: number): void {
    const change = 'UPDATE deliveries SET due = ? WHERE webhook = ? AND attempts > 0 AND due > ?';
    this.database.prepare(change).run(now, webhook, now);
  }

  repeat({seq}: QueuedDelivery): void {
    this.database.prepare('UPDATE deliveries SET extra = 1, fault = NULL, leased_until = 0 WHERE seq = ?').run(seq);
  }

  /** Makes the delayed deliveries that this delivery overtakes due right after it. */
  releaseOvertaken({webhook, seq, due}: QueuedDelivery): void {
    this.database
      .prepare(
        `UPDATE deliveries SET due = ?, fault = NULL
        WHERE webhook = ? AND seq < ? AND fault = 'out-of-order-webhook' AND attempts = 0`,
      )
      .run(due, webhook, seq);
  }

  remove({seq}: QueuedDelivery): void {
    this.database.prepare('DELETE FROM deliveries WHERE seq = ?').run(seq);
  }

  ofEvent(event: string): QueuedDelivery[] {
    return this.database.prepare('SELECT * FROM deliveries WHERE event = ? ORDER BY seq').all<QueuedDelivery>(event);
  }

  ofWebhook(webhook: string): QueuedDelivery[] {
    return this.database
      .prepare('SELECT * FROM deliveries WHERE webhook = ? ORDER BY seq')
      .all<QueuedDelivery>(webhook);
  }
}
