// THE OUTBOX: which event is still to be sent to which webhook, and when. A row is one event for one webhook; it goes when there is nothing left to do.
// Rows are leased, so that of several processes on one file only one sends an event to a webhook at a time.

import type {Database} from '../../storage/sqlite.js';

/** What was decided about a delivery on request (faults.ts), and whether it was carried out. */
export type Held = 'duplicate-webhook' | 'late-webhook' | 'none' | 'out-of-order-webhook';

/** One event for one webhook. Times are unix seconds of the sandbox's clock, but for the lease. */
export interface Pending {
  readonly seq: number;
  readonly event: string;
  readonly webhook: string;
  readonly due: number;
  /** After this it is not tried again. */
  readonly give_up: number;
  /** How many attempts were begun. Also the mark of a lease: whoever began the last one holds it. */
  readonly attempts: number;
  /** Unix seconds of the world outside; 0 when nobody is sending it. */
  readonly leased_until: number;
  /** Null until it is decided. */
  readonly fault: Held | null;
  /** 1 for what was asked for beyond the first delivery: it is tried once, and does not count as pending. */
  readonly extra: number;
}

/** How long a lease holds, in seconds of the world outside: longer than any attempt takes. */
export const LEASE_SECONDS = 15;

const SCHEMA = `
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
  readonly #database: Database;
  /** Counts what this process has put in, so that it knows when there is something to send. */
  added = 0;

  constructor(database: Database) {
    this.#database = database;
    database.exec(SCHEMA);
  }

  /** @param attempts how many there were already, for a delivery that is asked for again */
  add(
    fields: Pick<Pending, 'due' | 'event' | 'give_up' | 'webhook'> & Partial<Pick<Pending, 'attempts' | 'extra'>>,
  ): void {
    const {event, webhook, due, give_up: giveUp, attempts = 0, extra = 0} = fields;
    this.#database
      .prepare('INSERT INTO deliveries (event, webhook, due, give_up, attempts, extra) VALUES (?, ?, ?, ?, ?, ?)')
      .run(event, webhook, due, giveUp, attempts, extra);
    this.added += 1;
  }

  find(event: string, webhook: string): Pending | undefined {
    return this.#database
      .prepare('SELECT * FROM deliveries WHERE event = ? AND webhook = ?')
      .get<Pending>(event, webhook);
  }

  /** True when something is due, whether or not another process is sending it. */
  isDue(now: number): boolean {
    return this.#database.prepare('SELECT 1 FROM deliveries WHERE due <= ? LIMIT 1').get(now) !== undefined;
  }

  /** The first that is due, of those webhooks to which nothing is being sent: each gets one at a time, in order. */
  next(now: number, outside: number): Pending | undefined {
    return this.#database
      .prepare(
        `SELECT * FROM deliveries WHERE due <= ? AND webhook NOT IN (SELECT webhook FROM deliveries WHERE leased_until > ?)
        ORDER BY due, seq LIMIT 1`,
      )
      .get<Pending>(now, outside);
  }

  /** What is due to one webhook, in order. */
  due(webhook: string, now: number, limit: number): Pending[] {
    return this.#database
      .prepare('SELECT * FROM deliveries WHERE webhook = ? AND due <= ? ORDER BY due, seq LIMIT ?')
      .all<Pending>(webhook, now, limit);
  }

  /** Takes the lease of a delivery for its next attempt. */
  lease(pending: Pending, outside: number): Pending {
    const leased = {...pending, attempts: pending.attempts + 1, leased_until: outside + LEASE_SECONDS};
    this.#database
      .prepare('UPDATE deliveries SET attempts = ?, leased_until = ? WHERE seq = ?')
      .run(leased.attempts, leased.leased_until, leased.seq);
    return leased;
  }

  /** Ends a lease under which nothing was attempted. */
  release({seq, attempts}: Pending): void {
    this.#database
      .prepare('UPDATE deliveries SET attempts = attempts - 1, leased_until = 0 WHERE seq = ? AND attempts = ?')
      .run(seq, attempts);
  }

  /** The delivery as it now is, when the lease of this attempt still holds it. */
  held({seq, attempts}: Pending): Pending | undefined {
    return this.#database
      .prepare('SELECT * FROM deliveries WHERE seq = ? AND attempts = ?')
      .get<Pending>(seq, attempts);
  }

  /** Ends the lease, and sets when it is due again. */
  postpone({seq}: Pending, due: number): void {
    this.#database.prepare('UPDATE deliveries SET due = ?, leased_until = 0 WHERE seq = ?').run(due, seq);
  }

  decide({seq}: Pending, fault: Held, due: number): void {
    this.#database.prepare('UPDATE deliveries SET fault = ?, due = ? WHERE seq = ?').run(fault, due, seq);
  }

  markExtra({seq}: Pending): void {
    this.#database.prepare("UPDATE deliveries SET extra = 1, fault = 'none' WHERE seq = ?").run(seq);
  }

  /** What was held back to be overtaken by this one is due right after it. */
  releaseOvertaken({webhook, seq, due}: Pending): void {
    this.#database
      .prepare(
        `UPDATE deliveries SET due = ?, fault = 'none'
        WHERE webhook = ? AND seq < ? AND fault = 'out-of-order-webhook' AND attempts = 0`,
      )
      .run(due, webhook, seq);
  }

  remove({seq}: Pending): void {
    this.#database.prepare('DELETE FROM deliveries WHERE seq = ?').run(seq);
  }

  ofEvent(event: string): Pending[] {
    return this.#database.prepare('SELECT * FROM deliveries WHERE event = ? ORDER BY seq').all<Pending>(event);
  }

  ofWebhook(webhook: string): Pending[] {
    return this.#database.prepare('SELECT * FROM deliveries WHERE webhook = ? ORDER BY seq').all<Pending>(webhook);
  }

  clear(): void {
    this.#database.exec('DELETE FROM deliveries');
  }
}
