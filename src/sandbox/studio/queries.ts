// Queries of studio pages. Each uses an index or reads a bounded table.

import type {EventType} from '../../api/events.js';
import {DAY, endOfManilaDay} from '../../common/manila.js';
import type {SqliteValue} from '../../storage/sqlite.js';
import type {ListenerRecord} from '../../webhooks/store/listener-record.js';
import type {StoredResponse, DeliveryAttempt} from '../delivery/attempts.js';
import {EXAMPLE_HOSTS} from '../delivery/deliver.js';
import type {StoreReader, Store, StoredRecord, Timer} from '../store.js';
import {CUSTOMER_INDEX, STATUS_INDEX} from './indexes.js';

interface StudioRow {
  readonly seq: number;
  readonly body: string;
}

const storedRecordOf = ({body}: StudioRow): StoredRecord => JSON.parse(body) as StoredRecord;

/** The parameter is {@link lateBefore}. */
const OVERDUE = `${STATUS_INDEX} = 'open' AND json_extract(body, '$.due_at') BETWEEN 1 AND ?`;

/** Returns the end of yesterday in Manila: a statement due by then is overdue. Unix seconds. */
const lateBefore = (now: number): number => endOfManilaDay(now) - DAY;

/** Returns the number of objects by status. Overdue statements also count as open. */
export const statesOf = (
  {store: {database}, now}: StoreReader,
  resource: string,
): readonly {status: string; n: number}[] => {
  const sql = `SELECT ${STATUS_INDEX} AS status, count(*) AS n FROM objects WHERE resource = ?1 AND deleted = 0 AND ${STATUS_INDEX} IS NOT NULL
    GROUP BY status UNION ALL SELECT 'overdue', count(*) FROM objects WHERE resource = ?1 AND deleted = 0 AND ${OVERDUE}
    ORDER BY status`;
  return database.all<{status: string; n: number}>(sql, resource, lateBefore(now)).filter(({n}) => n > 0);
};

export interface StudioPageOfRows {
  readonly records: readonly StoredRecord[];
  /** Position of the next page; undefined at the end. */
  readonly next?: number;
}

function pageOfRows(store: Store, where: string, values: readonly SqliteValue[], before?: number): StudioPageOfRows {
  const sql = `SELECT seq, body FROM objects WHERE ${where} AND seq < ? ORDER BY seq DESC LIMIT ?`;
  const rows = store.database.all<StudioRow>(sql, ...values, before ?? Number.MAX_SAFE_INTEGER, ROWS + 1);
  const shown = rows.slice(0, ROWS);
  return {records: shown.map(storedRecordOf), ...(rows.length > ROWS && {next: shown.at(-1)!.seq})};
}

export const ROWS = 50;

export function objectsOf(
  {store, now}: StoreReader,
  resource: string,
  status: string | undefined,
  before: number | undefined,
): StudioPageOfRows {
  const [condition, ...values] =
    status === undefined ? ['1'] : status === 'overdue' ? [OVERDUE, lateBefore(now)] : [`${STATUS_INDEX} = ?`, status];
  return pageOfRows(store, `resource = ? AND deleted = 0 AND ${condition}`, [resource, ...values], before);
}

export const eventsOf = (store: Store, type: EventType | undefined, before: number | undefined): StudioPageOfRows =>
  type === undefined
    ? pageOfRows(store, "resource = 'event'", [], before)
    : pageOfRows(store, "resource = 'event' AND json_extract(body, '$.type') = ?", [type], before);

export const objectsOfCustomer = (store: Store, id: string): StudioPageOfRows =>
  pageOfRows(store, `${CUSTOMER_INDEX} = ? AND deleted = 0`, [id]);

/** Fields to search. Without secrets, which a search could reveal letter by letter. */
const SEARCHED_FIELDS = 'id name email description billing_statement_number customer_reference_id metadata line_items';
const SEARCHED = `json_extract(body, ${SEARCHED_FIELDS.split(' ').map((name) => `'$.${name}'`)})`;

/** Returns customers, statements, sessions and intents with the text, newest first; at most one more than a page. */
export function searchObjects({database}: Store, text: string): readonly StoredRecord[] {
  const like = (text: string): string => `%${text.replace(/[!%_]/g, '!$&')}%`;
  const sql = `SELECT seq, body FROM objects WHERE resource IN ('customer', 'billing_statement', 'checkout_session', 'payment_intent')
    AND deleted = 0 AND body LIKE ? ESCAPE '!'
    AND EXISTS (SELECT 1 FROM json_tree(${SEARCHED}) WHERE type = 'text' AND value LIKE ? ESCAPE '!') ORDER BY seq DESC LIMIT ?`;
  return database
    .all<StudioRow>(sql, like(JSON.stringify(text).slice(1, -1)), like(text), ROWS + 1)
    .map(storedRecordOf);
}

/** Returns the id of the object with this id or statement number. */
export const findObjectId = ({database}: Store, text: string): string | undefined => {
  const sql = `SELECT id FROM objects WHERE id = ? UNION ALL SELECT id FROM objects WHERE resource = 'billing_statement'
    AND json_extract(body, '$.billing_statement_number') = upper(?) AND deleted = 0 LIMIT 1`;
  return database.get<{id: string}>(sql, text, text)?.id;
};

interface Sum {
  readonly amount: number;
  readonly count: number;
}

const AMOUNT = "json_extract(body, '$.amount')";
const sumOf = (amount: string): string => `coalesce(sum(${amount}), 0) AS amount, count(*) AS count`;
const NONE: Sum = {amount: 0, count: 0};

/** Returns sums in centavos. `paid` covers the last seven days, less what was refunded of these payments. */
export function totals({store: {database}, now}: StoreReader): Readonly<Record<'open' | 'overdue' | 'paid', Sum>> {
  const sql = `SELECT json_extract(body, '$.due_at') BETWEEN 1 AND ? AS late, ${sumOf(AMOUNT)} FROM objects
    WHERE resource = 'billing_statement' AND deleted = 0 AND ${STATUS_INDEX} = 'open' GROUP BY late`;
  const open = database.all<Sum & {readonly late: number | null}>(sql, lateBefore(now));
  const query = `SELECT ${sumOf(`${AMOUNT} - json_extract(body, '$.amount_refunded')`)} FROM objects WHERE resource = 'payment' AND deleted = 0 AND json_extract(body, '$.created_at') > ?`;
  const paid = database.get<Sum>(query, now - 7 * DAY)!;
  return {
    open: open.reduce((sum, {amount, count}) => ({amount: sum.amount + amount, count: sum.count + count}), NONE),
    overdue: open.find(({late}) => late === 1) ?? NONE,
    paid,
  };
}

/** Returns timers, earliest first. */
export const timers = ({database}: Store, limit: number): readonly Timer[] =>
  database.all<Timer>('SELECT at, kind, id FROM timers ORDER BY at, id LIMIT ?', limit);

export interface WaitingEvents {
  readonly webhook: StoredRecord;
  readonly events: number;
  /** Number of events with a failed attempt. */
  readonly failing: number;
  readonly due: number;
}

/** Returns webhooks with queued deliveries, without example webhooks. */
export const waitingEvents = ({store}: StoreReader): readonly WaitingEvents[] => {
  const sql = `SELECT webhook AS id, count(*) AS events, sum(attempts > 0 AND leased_until = 0) AS failing, min(due) AS due
    FROM deliveries GROUP BY webhook ORDER BY due`;
  return store.database
    .all<{id: string; events: number; failing: number; due: number}>(sql)
    .map(({id, ...rest}) => ({...rest, webhook: store.find('webhook', id)!.record}))
    .filter(({webhook}) => !isExample(webhook));
};

/** Returns the id of the event being sent to a webhook, for which later events wait. */
export const eventBeingSent = ({database}: Store, webhook: string): string | undefined =>
  database.get<{event: string}>('SELECT event FROM deliveries WHERE webhook = ? AND leased_until > 0 LIMIT 1', webhook)
    ?.event;

export const newestAttempts = ({database}: Store, limit: number, webhook: string): readonly DeliveryAttempt[] => {
  const sql = 'SELECT * FROM attempts WHERE webhook_id = ? ORDER BY seq DESC LIMIT ?';
  return database.all<DeliveryAttempt>(sql, webhook, limit);
};

/** Returns the response to an attempt; undefined if deleted, or if nothing was sent. */
export const answerTo = (
  {database}: Store,
  {event_id: event, webhook_id: webhook, attempt}: DeliveryAttempt,
): StoredResponse | undefined => {
  const sql = `SELECT signature, headers, body, cut FROM answers WHERE attempt =
    (SELECT MAX(seq) FROM attempts WHERE event_id = ? AND webhook_id = ? AND attempt = ?)`;
  return database.get<StoredResponse>(sql, event, webhook, attempt);
};

/** True for addresses reserved for examples, to which nothing is sent. */
export const isExample = ({url}: DeliveryAttempt | StoredRecord): boolean =>
  typeof url === 'string' && URL.canParse(url) && EXAMPLE_HOSTS.test(new URL(url).hostname);

/** Returns a text that changes when a process writes to the file, or a listener to its record. */
export function cursor({store, now}: StoreReader, listeners: ListenerRecord | undefined): string {
  const sql = 'SELECT data_version AS at, total_changes() AS own FROM pragma_data_version';
  const {at, own} = store.database.get<{at: number; own: number}>(sql)!;
  // Relative times, such as "in 9 min", change without writes.
  return `${at}.${own}.${Math.floor(now / 30)}.${listeners?.version() ?? ''}`;
}

export const timersOf = ({database}: Store, id: string): readonly Timer[] =>
  database.all<Timer>('SELECT at, kind, id FROM timers WHERE id = ? ORDER BY at', id);
