// The log of a sandbox: each request with its answer, and each payment that failed. It is bounded, and has no secrets.

import {randomUUID} from 'node:crypto';
import {shapeOfId} from '../../api/registry.js';
import type {ApiRequest, ApiResponse} from '../../api/wire.js';
import type {Database} from '../../storage/sqlite.js';

/** Times are unix seconds of the sandbox's clock. */
export interface LogEntry {
  /** Null for a failed payment, which is no request. */
  readonly id: string | null;
  readonly type: 'payment_failed' | 'request';
  readonly at: number;
  readonly method: string | null;
  readonly path: string | null;
  readonly query: string | null;
  /** Null when the connection was cut, and for a failed payment. */
  readonly status: number | null;
  /** Until the answer was made, without writing it to the disk; null for a failed payment. */
  readonly duration_ms: number | null;
  readonly user_agent: string | null;
  readonly object_id: string | null;
  /** The statement or session of the payment intent whose payment failed. */
  readonly source_id: string | null;
  /** The first error of an answer, or why a payment failed. */
  readonly code: string | null;
  /** What made a payment that failed: the id of a request, `page`, `studio` or `command`. */
  readonly cause: string | null;
  /** Whether a body is kept only up to the limit. */
  readonly request_cut: boolean;
  readonly response_cut: boolean;
}

export interface LoggedRequest extends LogEntry {
  readonly request_body: string | null;
  readonly response_body: string | null;
}

/** How many requests are kept, and how many failed payments; the oldest go first. */
const MAX_LOGGED = 1000;
export const MAX_LOGGED_BODY = 16 * 1024;
export const MAX_LOGGED_TEXT = 1024;

/** Bodies last: what is in front of them is then read without them. */
const REQUEST_LOG_SCHEMA = `
  CREATE TABLE IF NOT EXISTS requests (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT,
    status INTEGER,
    entry TEXT NOT NULL,
    request_body TEXT,
    response_body TEXT
  );
`;

export class RequestLog {
  constructor(readonly database: Database) {
    database.exec(REQUEST_LOG_SCHEMA);
  }

  /** Within a transaction. What an entry lacks is null. */
  add(...entries: readonly Partial<LoggedRequest>[]): void {
    const insert = this.database.prepare(
      'INSERT INTO requests (id, status, entry, request_body, response_body) VALUES (?, ?, ?, ?, ?)',
    );
    for (const {request_body: requestBody, response_body: responseBody, ...entry} of entries)
      insert.run(
        entry.id ?? null,
        entry.status ?? null,
        JSON.stringify(entry),
        requestBody ?? null,
        responseBody ?? null,
      );
  }

  /** Deletes the oldest that are too many, within a transaction. It reads the ids of all, so a server does it for many at once. */
  trim(): void {
    for (const is of ['IS NOT NULL', 'IS NULL'])
      this.database
        .prepare(
          `DELETE FROM requests WHERE id ${is} AND seq <=
          (SELECT seq FROM requests WHERE id ${is} ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
        )
        .run(MAX_LOGGED);
  }

  append(entries: readonly LoggedRequest[]): void {
    this.database.transaction(() => {
      this.add(...entries);
      this.trim();
    });
  }
}

/** @param answer undefined when the connection was cut */
export function requestEntry(
  {id, at, duration_ms}: Pick<LogEntry, 'at' | 'duration_ms' | 'id'>,
  {method, path, query, headers, body}: ApiRequest,
  answer: ApiResponse | undefined,
): LoggedRequest {
  const [sent, received] = [loggedBody(body), loggedBody(answer?.body)];
  const agent = headers['user-agent'];
  return {
    id,
    type: 'request',
    at,
    method,
    path: loggedText(path),
    query: query === '' ? null : loggedText(query),
    status: answer?.status ?? null,
    duration_ms,
    user_agent: agent === undefined ? null : loggedText(agent),
    object_id: objectOf(path, received.text),
    source_id: null,
    code: (answer && answer.status >= 400 && /"code":"(\w+)"/.exec(received.text ?? '')?.[1]) || null,
    cause: null,
    request_body: sent.text,
    request_cut: sent.cut,
    response_body: received.text,
    response_cut: received.cut,
  };
}

/** Not of the injected chance, so that the ids of objects do not depend on how many requests there were. */
export const newRequestId = (): string => `req_${randomUUID().replaceAll('-', '')}`;

/** Of links, webhooks and keys, and of the studio's address, whose `~` may be encoded. */
const SECRETS = /(_secret_|whsk_|sk_(?:live|test)_|(?:~|%(?:25)*7[Ee])(?=[A-Za-z0-9]{16}))[^\s"'&\\<]+/g;
export const withoutLoggedSecrets = (text: string): string => text.replace(SECRETS, '$1…');
const loggedText = (text: string): string => withoutLoggedSecrets(text).slice(0, MAX_LOGGED_TEXT);

function loggedBody(body: Uint8Array | undefined): {text: string | null; cut: boolean} {
  if (!body || body.byteLength === 0) return {text: null, cut: false};
  const {buffer, byteOffset, byteLength} = body;
  const text = Buffer.from(buffer, byteOffset, Math.min(byteLength, MAX_LOGGED_BODY)).toString();
  return {text: withoutLoggedSecrets(text), cut: byteLength > MAX_LOGGED_BODY};
}

/** What the answer is about, else the last object that the path names. */
function objectOf(path: string, answer: string | null): string | null {
  const returned = /^\{"id":"(\w+)"/.exec(answer ?? '')?.[1];
  if (returned) return returned;
  const parts = path.split('/').map((part) => part.replace(/^test_/, '').replace(/_secret_.*/, ''));
  return parts.findLast((part) => part.includes('_') && shapeOfId(part)) ?? null;
}
