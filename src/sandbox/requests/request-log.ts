// The log of a sandbox: each request with its answer, and each payment that failed. It is bounded, and has no secrets.

import {shapeOfId} from '../../api/registry.js';
import type {ApiRequest, ApiResponse} from '../../api/wire.js';
import type {Database, Value} from '../../storage/sqlite.js';

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
  /** Null for a failed payment, and as long as a server has not noted it. */
  readonly duration_ms: number | null;
  readonly user_agent: string | null;
  readonly object_id: string | null;
  /** The statement or session of the payment intent whose payment failed. */
  readonly source_id: string | null;
  /** Why a payment failed, and what made it: the id of a request, `page` or `command`. */
  readonly code: string | null;
  readonly cause: string | null;
}

interface Bodies {
  readonly request_body: string | null;
  readonly response_body: string | null;
  /** 1 for a body that is kept only up to the limit. */
  readonly request_cut: number;
  readonly response_cut: number;
}

export type LoggedRequest = LogEntry & Bodies;

export interface LogQuery {
  readonly limit: number;
  /** The position behind which to begin; requests without an end are then left out until they have one. */
  readonly after?: number;
  /** The lowest and the highest. */
  readonly status?: readonly [number, number];
  /** What was done to this object, or mentioned it. */
  readonly object?: string;
}

/** How many requests are kept, and how many failed payments; the oldest go first. */
const MOST = 1000;
const LARGEST_BODY = 16 * 1024;
const LONGEST_TEXT = 1024;

/** Bodies last: what is in front of them is then read without them. */
const COLUMNS = [
  'id',
  'type',
  'at',
  'method',
  'path',
  'query',
  'status',
  'duration_ms',
  'user_agent',
  'object_id',
  'source_id',
  'code',
  'cause',
] as const;
const ALL = [...COLUMNS, 'request_cut', 'response_cut', 'request_body', 'response_body'] as const;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS requests (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT UNIQUE,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    method TEXT,
    path TEXT,
    query TEXT,
    status INTEGER,
    duration_ms INTEGER,
    user_agent TEXT,
    object_id TEXT,
    source_id TEXT,
    code TEXT,
    cause TEXT,
    request_cut INTEGER NOT NULL,
    response_cut INTEGER NOT NULL,
    request_body TEXT,
    response_body TEXT
  );
`;

export class RequestLog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    database.exec(SCHEMA);
  }

  /** Within a transaction. A request that is known is replaced, and becomes the newest. */
  add(entry: LoggedRequest): void {
    const sql = `INSERT OR REPLACE INTO requests (${ALL.join()}) VALUES (${ALL.map(() => '?').join()})`;
    this.#database.prepare(sql).run(...ALL.map((name) => entry[name]));
  }

  /** Deletes the oldest that are too many, within a transaction. It reads the ids of all, so a server does it for many at once. */
  trim(): void {
    for (const is of ['IS NOT NULL', 'IS NULL'])
      this.#database
        .prepare(
          `DELETE FROM requests WHERE id ${is} AND seq <=
          (SELECT seq FROM requests WHERE id ${is} ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
        )
        .run(MOST);
  }

  keep(entries: readonly LoggedRequest[]): void {
    this.#database.transaction(() => {
      for (const entry of entries) this.add(entry);
      this.trim();
    });
  }

  /** Newest first. `last` is the position of the newest of all, to go on from. */
  list({limit, after, status, object}: LogQuery): {data: LogEntry[]; hasMore: boolean; last: number} {
    const conditions: [string, ...Value[]][] = [];
    if (after !== undefined) conditions.push(['seq > ? AND (id IS NULL OR duration_ms IS NOT NULL)', after]);
    if (status) conditions.push(['status BETWEEN ? AND ?', ...status]);
    if (object !== undefined) {
      const mentions = 'instr(path, ?) OR instr(query, ?) OR instr(request_body, ?)';
      conditions.push([`(object_id = ? OR source_id = ? OR ${mentions})`, ...Array<string>(5).fill(object)]);
    }
    const where = conditions.map(([sql]) => sql).join(' AND ') || '1';
    const values = conditions.flatMap(([, ...given]) => given);
    const rows = this.#database
      .prepare(`SELECT seq, ${COLUMNS.join()} FROM requests WHERE ${where} ORDER BY seq DESC LIMIT ?`)
      .all<LogEntry & {readonly seq: number}>(...values, limit + 1);
    return {
      data: rows.slice(0, limit).map((row) => {
        const {seq: _, ...entry} = row;
        return entry;
      }),
      hasMore: rows.length > limit,
      last: rows[0]?.seq ?? after ?? 0,
    };
  }

  /** @param id or the beginning of one, if no other begins so; letters, digits and `_` */
  find(id: string): LoggedRequest | undefined {
    const found = this.#database
      .prepare(`SELECT ${ALL.join()} FROM requests WHERE id GLOB ? LIMIT 2`)
      .all<LoggedRequest>(`${id}*`);
    return found.length === 1 ? found[0] : undefined;
  }

  clear(): void {
    this.#database.exec('DELETE FROM requests');
  }
}

const NONE = {
  id: null,
  method: null,
  path: null,
  query: null,
  status: null,
  duration_ms: null,
  user_agent: null,
  object_id: null,
  source_id: null,
  code: null,
  cause: null,
  request_body: null,
  response_body: null,
  request_cut: 0,
  response_cut: 0,
};

type Failure = Pick<LogEntry, 'at' | 'cause' | 'code' | 'object_id' | 'source_id'>;

export const failedPayment = (failure: Failure): LoggedRequest => ({...NONE, type: 'payment_failed', ...failure});

/** @param answer undefined when the connection was cut */
export function requestEntry(
  known: Pick<LogEntry, 'at' | 'duration_ms' | 'id'>,
  {method, path, query, headers, body}: ApiRequest,
  answer: ApiResponse | undefined,
): LoggedRequest {
  const [asked, answered] = [keptBody(body), keptBody(answer?.body)];
  const agent = headers['user-agent'];
  return {
    ...NONE,
    ...known,
    type: 'request',
    method,
    path: keptText(path),
    query: query === '' ? null : keptText(query),
    status: answer?.status ?? null,
    user_agent: agent === undefined ? null : keptText(agent),
    object_id: objectOf(path, answered.text),
    request_body: asked.text,
    request_cut: asked.cut,
    response_body: answered.text,
    response_cut: answered.cut,
  };
}

const SECRETS = /((?:client_secret|secret_key)(?:"\s*:\s*"|=)|_secret_|whsk_|sk_(?:live|test)_)[^\s"'&\\<]+/g;
const keptText = (text: string): string => text.replace(SECRETS, '$1…').slice(0, LONGEST_TEXT);

function keptBody(body: Uint8Array | undefined): {text: string | null; cut: number} {
  if (!body || body.byteLength === 0) return {text: null, cut: 0};
  const {buffer, byteOffset, byteLength} = body;
  const text = Buffer.from(buffer, byteOffset, Math.min(byteLength, LARGEST_BODY)).toString();
  return {text: text.replace(SECRETS, '$1…'), cut: byteLength > LARGEST_BODY ? 1 : 0};
}

/** What the answer is about, else the last object that the path names. */
function objectOf(path: string, answer: string | null): string | null {
  const answered = /^\{"id":"(\w+)"/.exec(answer ?? '')?.[1];
  if (answered) return answered;
  const named = path.split('/').map((part) => part.replace(/^test_/, '').replace(/_secret_.*/, ''));
  return named.findLast((part) => part.includes('_') && shapeOfId(part)) ?? null;
}
