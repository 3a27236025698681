// The log of attempts to send an event to a webhook.

import type {WebhookAttempt} from '../../http/webhook-sender.js';
import type {Database} from '../../storage/sqlite.js';
import {MAX_LOGGED_TEXT} from '../requests/request-log.js';

/**
 * `delivered`: the response was 2xx. `given_up`: no more retries. `dropped`: the webhook was disabled or deleted.
 * `refused`: the address is not on this machine, so nothing was sent.
 */
export type AttemptOutcome = 'delivered' | 'dropped' | 'given_up' | 'refused' | 'retrying';

export interface DeliveryAttempt {
  readonly event_id: string;
  readonly event_type: string;
  readonly webhook_id: string;
  readonly url: string;
  readonly attempt: number;
  /** End of the attempt, in unix seconds of the sandbox's clock. */
  readonly at: number;
  /** Null without a response; `error` has the reason, or an excerpt of a response that is not 2xx. */
  readonly status: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly outcome: AttemptOutcome;
  /** Time of the next attempt, in unix seconds of the sandbox's clock. */
  readonly next_at: number | null;
}

export interface StoredResponse {
  readonly signature: string;
  /** Response headers as `name: value` lines, with cookies hidden; null without a response. */
  readonly headers: string | null;
  readonly body: string | null;
  /** 1 if the stored body is truncated. */
  readonly cut: number;
}

export function storedResponseOf(
  signature: string,
  headers: WebhookAttempt['headers'],
  body?: {readonly text: string; readonly cut: boolean},
): StoredResponse {
  const lines = Object.entries(headers ?? {}).map(
    ([name, value]) => `${name}: ${name === 'set-cookie' ? '…' : String(value)}`,
  );
  return {
    signature,
    headers: headers ? lines.join('\n').slice(0, MAX_LOGGED_TEXT) : null,
    body: body?.text ?? null,
    cut: Number(body?.cut ?? false),
  };
}

/** Limits of stored attempts and responses. Above a limit, the oldest are deleted. */
const MAX_ATTEMPTS = 10_000;
const MAX_RESPONSES = 1000;

const ATTEMPTS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS attempts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    url TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status INTEGER,
    error TEXT,
    duration_ms INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    next_at INTEGER
  );
  CREATE INDEX IF NOT EXISTS attempts_by_event ON attempts (event_id, seq);
  CREATE TABLE IF NOT EXISTS answers (attempt INTEGER PRIMARY KEY, signature TEXT NOT NULL, headers TEXT, body TEXT, cut INTEGER NOT NULL);
`;

export class AttemptLog {
  constructor(private readonly database: Database) {
    database.exec(ATTEMPTS_SCHEMA);
  }

  add(attempt: DeliveryAttempt, answer?: StoredResponse): void {
    const names = Object.keys(attempt);
    const sql = `INSERT INTO attempts (${names.join()}) VALUES (${names.map(() => '?').join()})`;
    this.database.run(sql, ...(Object.values(attempt) as DeliveryAttempt[keyof DeliveryAttempt][]));
    this.database.run('DELETE FROM attempts WHERE seq <= (SELECT MAX(seq) FROM attempts) - ?', MAX_ATTEMPTS);
    if (!answer) return;
    const {signature, headers, body, cut} = answer;
    this.database.run('INSERT INTO answers SELECT MAX(seq), ?, ?, ?, ? FROM attempts', signature, headers, body, cut);
    this.database.run('DELETE FROM answers WHERE attempt <= (SELECT MAX(seq) FROM attempts) - ?', MAX_RESPONSES);
  }

  /** Marks the last attempt as dropped if a retry was planned. */
  drop(event: string, webhook: string): void {
    const sql = `UPDATE attempts SET outcome = 'dropped', next_at = NULL WHERE outcome = 'retrying' AND seq =
      (SELECT MAX(seq) FROM attempts WHERE event_id = ? AND webhook_id = ?)`;
    this.database.run(sql, event, webhook);
  }

  /** Returns an event's attempts, oldest first. */
  ofEvent(event: string): DeliveryAttempt[] {
    return this.database
      .all<DeliveryAttempt & {readonly seq: number}>('SELECT * FROM attempts WHERE event_id = ? ORDER BY seq', event)
      .map((row) => {
        const {seq: _, ...attempt} = row;
        return attempt;
      });
  }
}
