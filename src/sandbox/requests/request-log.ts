// The request log: requests with responses, and failed payments. Limited in size, and without secrets.

import {randomUUID} from 'node:crypto';
import {shapeOfId} from '../../api/registry.js';
import type {ApiRequest, ApiResponse} from '../../api/wire.js';
import type {Database} from '../../storage/sqlite.js';

/** Times are unix seconds of the sandbox's clock. */
export interface LogEntry {
  /** Null for a failed payment. */
  readonly id: string | null;
  readonly type: 'payment_failed' | 'request';
  readonly at: number;
  readonly method: string | null;
  readonly path: string | null;
  readonly query: string | null;
  /** Null if the connection was closed, and for a failed payment. */
  readonly status: number | null;
  /** Excludes writing to the disk; null for a failed payment. */
  readonly duration_ms: number | null;
  readonly user_agent: string | null;
  readonly object_id: string | null;
  /** The statement or session whose payment failed. */
  readonly source_id: string | null;
  /** Code of the response's first error, or of the failed payment. */
  readonly code: string | null;
  /** Cause of a failed payment: a request id, `page`, `studio`, `control` or `command`. */
  readonly cause: string | null;
  /** The simulated failure that the request took: `failure 3`, or `fault rate-limit` of `--faults`. */
  readonly simulated: string | null;
  /** True if the stored body is truncated. */
  readonly request_cut: boolean;
  readonly response_cut: boolean;
}

export interface LoggedRequest extends LogEntry {
  readonly request_body: string | null;
  readonly response_body: string | null;
}

/** Maximum number of requests, and of failed payments. Readers skip older entries. */
const MAX_LOGGED = 1000;
/** At each 64th entry, entries that readers skip are deleted. Each time takes about a millisecond, because it reads all ids. */
const TRIM_INTERVAL = 64;
export const MAX_LOGGED_BODY = 16 * 1024;
export const MAX_LOGGED_TEXT = 1024;

/** Bodies come last, so that SQLite can read the other columns without them. */
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

const IS_KEPT = ['NULL', 'NOT NULL']
  .map(
    (kind) => `id IS ${kind} AND (seq <=
      (SELECT seq FROM requests WHERE id IS ${kind} ORDER BY seq DESC LIMIT 1 OFFSET ${MAX_LOGGED})) IS NOT TRUE`,
  )
  .join(' OR ');
/** The table without entries above the limit, for readers. */
export const KEPT_REQUESTS = `(SELECT * FROM requests WHERE ${IS_KEPT})`;

export class RequestLog {
  constructor(readonly database: Database) {
    database.exec(REQUEST_LOG_SCHEMA);
  }

  /** Adds entries within a transaction, and trims the log. Missing fields are null. */
  add(...entries: readonly Partial<LoggedRequest>[]): void {
    const sql =
      'INSERT INTO requests (id, status, entry, request_body, response_body) VALUES (?, ?, ?, ?, ?) RETURNING seq';
    for (const {request_body: requestBody, response_body: responseBody, ...entry} of entries) {
      const {id = null, status = null} = entry;
      const values = [id, status, JSON.stringify(entry), requestBody ?? null, responseBody ?? null];
      const {seq} = this.database.get<{seq: number}>(sql, ...values)!;
      if (seq % TRIM_INTERVAL === 0) this.database.exec(`DELETE FROM requests WHERE NOT (${IS_KEPT})`);
    }
  }

  append(entries: readonly LoggedRequest[], options?: {readonly waits: boolean}): void {
    this.database.transaction(() => this.add(...entries), options);
  }
}

/** @param answer undefined if the connection was closed */
export function requestEntry(
  {id, at, duration_ms, simulated}: Pick<LogEntry, 'at' | 'duration_ms' | 'id'> & {readonly simulated?: string},
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
    simulated: simulated ?? null,
    request_body: sent.text,
    request_cut: sent.cut,
    response_body: received.text,
    response_cut: received.cut,
  };
}

/** Does not use the injected randomness, so that object ids do not depend on the number of requests. */
export const newRequestId = (): string => `req_${randomUUID().replaceAll('-', '')}`;

/** Secrets of links, webhooks, keys and the studio's address, whose `~` may be encoded. */
const SECRETS = /(_secret_|whsk_|sk_(?:live|test)_|(?:~|%(?:25)*7[Ee])(?=[A-Za-z0-9]{16}))[^\s"'&\\<]+/g;
export const withoutLoggedSecrets = (text: string): string => text.replace(SECRETS, '$1…');
const loggedText = (text: string): string => withoutLoggedSecrets(text).slice(0, MAX_LOGGED_TEXT);

function loggedBody(body: Uint8Array | undefined): {text: string | null; cut: boolean} {
  if (!body || body.byteLength === 0) return {text: null, cut: false};
  const {buffer, byteOffset, byteLength} = body;
  const text = Buffer.from(buffer, byteOffset, Math.min(byteLength, MAX_LOGGED_BODY)).toString();
  return {text: withoutLoggedSecrets(text), cut: byteLength > MAX_LOGGED_BODY};
}

/** Returns the id of the object in the response, or of the last object in the path. */
function objectOf(path: string, answer: string | null): string | null {
  const returned = /^\{"id":"(\w+)"/.exec(answer ?? '')?.[1];
  if (returned) return returned;
  const parts = path.split('/').map((part) => part.replace(/^test_/, '').replace(/_secret_.*/, ''));
  return parts.findLast((part) => part.includes('_') && shapeOfId(part)) ?? null;
}
