// Finds, before anything is made, statements that this file has made before, and what would be billed twice.

import type {Client} from '../../client/client.js';
import {manilaDay} from '../../ground/manila.js';
import {keyOf, statementsSince} from '../compose/draft.js';
import {differenceOf, itemsOf, type Statement} from '../compose/plan.js';
import type {Row} from './job/facts.js';
import type {JobFile} from './job/file.js';
import {EXTERNAL_ID} from './read-statements.js';

export interface LookOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (read: number) => void;
  /** Unix seconds: only statements from then on, for a job that has looked before. */
  readonly since?: number;
}

/** A statement of the account that concerns a row of the file. */
export interface Existing {
  readonly row: Row;
  readonly statement: Statement;
  /**
   * `own`: made from the same row before. `changed`: made from a row with the same external id and other content.
   * `duplicate`: an open statement of the same customer with the same items and due date.
   */
  readonly how: 'changed' | 'duplicate' | 'own';
}

const ENDED: readonly string[] = ['void', 'uncollectible'];

/** Reads the account's statements once. Without `since`, notes in the job that what it makes is newer. */
export async function* findExisting(
  job: JobFile,
  client: Client,
  {signal, onProgress, since}: LookOptions,
): AsyncGenerator<Existing> {
  let read = 0;
  let newest = 0;
  let last = Infinity;
  let isNewestFirst = true;
  let oldestOwn = Infinity;
  for await (const listed of statementsSince(client, since ?? 0, {signal})) {
    onProgress?.(++read);
    newest = Math.max(newest, listed.created_at);
    if (listed.created_at > last) isNewestFirst = false;
    last = listed.created_at;
    if (ENDED.includes(String(listed.status))) continue;
    for (const existing of await concerning(listed, job, client, signal)) {
      if (existing.how === 'own') oldestOwn = Math.min(oldestOwn, listed.created_at);
      yield existing;
    }
  }
  if (since !== undefined) return;
  // In another order the old ones do not come last, and what is looked for later is looked for among all.
  job.setSince(isNewestFirst ? Math.min(newest, oldestOwn) : 0, newest);
}

async function concerning(listed: Statement, job: JobFile, client: Client, signal?: AbortSignal): Promise<Existing[]> {
  const {customer_id: customer, status, amount} = listed;
  // A list may leave out metadata and items; only what can concern this file is then read.
  const isThin = !listed.metadata || !Array.isArray(listed.line_items);
  const couldMatter =
    ((status === 'draft' || status === 'open') && job.rowsForId(customer).length > 0) ||
    (listed.metadata === undefined && job.rowsForId(customer, amount).length > 0);
  const statement =
    isThin && couldMatter ? ((await client.billingStatements.get(listed.id, {signal})) as Statement) : listed;
  const key = keyOf(statement);
  const own = key === undefined ? undefined : job.rowWithKey(key);
  if (own) return [{row: own, statement, how: 'own'}];
  const externalId = (statement.metadata as Record<string, unknown> | null)?.[EXTERNAL_ID];
  const changed = typeof externalId === 'string' ? job.rowNamed(externalId) : undefined;
  if (changed) return [{row: changed, statement, how: 'changed'}];
  if (status !== 'open') return [];
  const same = job.rowsForId(customer, typeof amount === 'number' ? amount : undefined);
  return same.filter((row) => isSame(row, statement, job)).map((row) => ({row, statement, how: 'duplicate'}));
}

function isSame(row: Row, statement: Statement, job: JobFile): boolean {
  const {due_at: due} = statement;
  if (row.due_at !== null && (typeof due !== 'number' || manilaDay(due) !== manilaDay(row.due_at))) return false;
  const {missing, surplus, foreign} = differenceOf(job.itemsOf(row.n), itemsOf(statement));
  return missing.length + surplus.length + foreign.length === 0;
}
