// Reads the request log. A separate file from writing, because few commands read the log.

import type {SqliteValue} from '../../storage/sqlite.js';
import {serialize, type Wire} from '../serialize.js';
import type {StoreReader, StoredRecord} from '../store.js';
import {KEPT_REQUESTS, type LogEntry, type LoggedRequest, type RequestLog} from './request-log.js';

export interface LogQuery {
  readonly limit: number;
  /** Only entries after this position. */
  readonly after?: number;
  /** Only entries before this position. */
  readonly before?: number;
  /** Excludes successful reads. */
  readonly changes?: boolean;
  /** Only API errors and 5xx responses. Ended payment pages have no error code, so they are left out. */
  readonly failed?: boolean;
  /** True for failed payments only, false for requests only. */
  readonly payments?: boolean;
  /** Lowest and highest status. */
  readonly status?: readonly [number, number];
  /** Only entries that mention one of these objects. */
  readonly objects?: readonly string[];
}

interface LogRow {
  readonly seq: number;
  readonly entry: string;
}

/** Fields that a failed payment, or an entry of an earlier version, lacks. */
const FAILED_PAYMENT = {
  id: null,
  method: null,
  path: null,
  query: null,
  status: null,
  duration_ms: null,
  user_agent: null,
  simulated: null,
  request_cut: false,
  response_cut: false,
};

const readLogRows = (entry: string): LogEntry => ({...FAILED_PAYMENT, ...(JSON.parse(entry) as LogEntry)});

/** Returns entries, newest first. `last` is the newest entry's position; `first` is the oldest's on a full page. */
export function listRequests(
  {database}: RequestLog,
  {limit, after, before, changes, failed, payments, status, objects = []}: LogQuery,
): {data: LogEntry[]; hasMore: boolean; last: number; first: number} {
  const conditions: [string, ...SqliteValue[]][] = [];
  if (after !== undefined) conditions.push(['seq > ?', after]);
  if (before !== undefined) conditions.push(['seq < ?', before]);
  if (changes) conditions.push(["(status IS NULL OR status >= 400 OR entry ->> '$.method' <> 'GET')"]);
  if (failed) conditions.push(["status >= 400 AND (status >= 500 OR entry ->> '$.code' IS NOT NULL)"]);
  if (payments !== undefined) conditions.push([payments ? 'id IS NULL' : 'id IS NOT NULL']);
  if (status) conditions.push(['status BETWEEN ? AND ?', ...status]);
  if (objects.length > 0) {
    const mentions = objects.map(() => 'instr(entry, ?) OR instr(request_body, ?)');
    conditions.push([`(${mentions.join(' OR ')})`, ...objects.flatMap((id) => [id, id])]);
  }
  const where = conditions.map(([sql]) => sql).join(' AND ') || '1';
  const values = conditions.flatMap(([, ...given]) => given);
  const query = `SELECT seq, entry FROM ${KEPT_REQUESTS} WHERE ${where} ORDER BY seq DESC LIMIT ?`;
  const rows = database.all<LogRow>(query, ...values, limit + 1);
  return {
    data: rows.slice(0, limit).map(({entry}) => readLogRows(entry)),
    hasMore: rows.length > limit,
    last: rows[0]?.seq ?? after ?? 0,
    first: rows.at(limit - 1)?.seq ?? 0,
  };
}

export function findRequest({database}: RequestLog, id: string): LoggedRequest | undefined {
  const sql = `SELECT * FROM ${KEPT_REQUESTS} WHERE id = ?`;
  const found = database.get<LogRow & Pick<LoggedRequest, 'request_body' | 'response_body'>>(sql, id);
  return found && {...readLogRows(found.entry), request_body: found.request_body, response_body: found.response_body};
}

const MAX_EVENTS = 100;

/** Returns the events that a request caused, oldest first. */
export const eventsCausedBy = (tx: StoreReader, cause: string): Wire[] => {
  const sql =
    "SELECT body FROM objects WHERE resource = 'event' AND json_extract(body, '$._cause') = ? ORDER BY seq LIMIT ?";
  return tx.store.database
    .all<{body: string}>(sql, cause, MAX_EVENTS)
    .map(({body}) => serialize(JSON.parse(body) as StoredRecord, tx));
};
