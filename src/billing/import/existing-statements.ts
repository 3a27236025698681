// Finds, before anything is made, statements that this file has made before, and what would be billed twice.

import {hasEnded} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import {isJsonObject} from '../../common/json.js';
import {manilaDay} from '../../common/manila.js';
import {
  oldestFirst,
  getStatement,
  runKeyOf,
  statementsSince,
  type AccountReadOptions,
} from '../account/account-reader.js';
import {replacedBy} from '../statement/copy.js';
import {differenceOf, itemsOf, type BillingStatementData} from '../statement/plan.js';
import type {StatementRow} from './job/job-types.js';
import type {JobFile} from './job/job-file.js';
import {EXTERNAL_ID, isNumbered} from './read-rows.js';

export interface FindExistingOptions extends AccountReadOptions {
  /** Unix seconds: reads only newer statements, for a job that has read the account before. */
  readonly since?: number;
  /** Statements that were paid outside the service, by their ids: like those that were paid online, they are not billed again. */
  readonly settled?: ReadonlyMap<string, unknown>;
  /** Called with statements that no longer bill anyone. */
  readonly onEnded?: (statement: BillingStatementData) => void;
}

/** A statement of the account that concerns a row of the file. */
export interface ExistingStatement {
  readonly row: StatementRow;
  readonly statement: BillingStatementData;
  /**
   * `own`: made from the same row before. `changed`: made from a row with the same external id and other content, or
   * the replacement of one that was made from the same row.
   * `duplicate`: an open statement of the same customer with the same items and due date.
   */
  readonly how: 'changed' | 'duplicate' | 'own';
}

/** Reads the account's statements once. Without `since`, records in the job that its own statements are newer. */
export async function* findExisting(
  job: JobFile,
  client: Client,
  {signal, onPage, since, settled, onEnded}: FindExistingOptions,
): AsyncGenerator<ExistingStatement> {
  let newest = 0;
  let last = Infinity;
  let isNewestFirst = true;
  let oldestOwn = Infinity;
  const replacements = new Map<string, BillingStatementData>();
  const ended: ExistingStatement[] = [];
  for await (const listed of statementsSince(client, since ?? 0, {signal, onPage})) {
    newest = Math.max(newest, listed.created_at);
    if (listed.created_at > last) isNewestFirst = false;
    last = listed.created_at;
    const isEnded = hasEnded(listed);
    if (isEnded) onEnded?.(listed);
    const statement = await completeStatement(listed, job, client, signal);
    const old = replacedBy(statement);
    if (old !== undefined) replacements.set(old, statement);
    for (const existing of matchesOf(statement, job)) {
      if (isEnded && !settled?.has(listed.id)) {
        ended.push(existing);
        continue;
      }
      if (existing.how === 'own') oldestOwn = Math.min(oldestOwn, listed.created_at);
      yield existing;
    }
  }
  for (const {row, statement, how} of ended) {
    let now = statement;
    for (let more = replacements.size; more > 0; more--) now = replacements.get(now.id) ?? now;
    // With numbered rows, the replacement itself was found by its number.
    if (how === 'own' && !isNumbered(row) && (!hasEnded(now) || settled?.has(now.id)))
      yield {row, statement: now, how: 'changed'};
  }
  if (since !== undefined) return;
  // In another order the old ones do not come last, so later searches cover all statements.
  job.setJob({since: isNewestFirst ? Math.min(newest, oldestOwn) : 0, newest});
}

/** A list may omit metadata and items, so statements that can concern this file are read by id. */
async function completeStatement(
  listed: BillingStatementData,
  job: JobFile,
  client: Client,
  signal?: AbortSignal,
): Promise<BillingStatementData> {
  const {customer_id: customer, status, amount} = listed;
  const isThin = !listed.metadata || !Array.isArray(listed.line_items);
  const couldMatter =
    ((status === 'draft' || status === 'open') && job.rowsForId(customer).length > 0) ||
    (listed.metadata === undefined && job.rowsForId(customer, amount).length > 0);
  return isThin && couldMatter ? getStatement(client, listed.id, {signal}) : listed;
}

function matchesOf(statement: BillingStatementData, job: JobFile): ExistingStatement[] {
  const {customer_id: customer, status, amount} = statement;
  const made = rowOfStatement(statement, job);
  if (made) return [{row: made.row, statement, how: made.isSame ? 'own' : 'changed'}];
  if (status !== 'open') return [];
  const same = job.rowsForId(customer, typeof amount === 'number' ? amount : undefined);
  return same.filter((row) => isSame(row, statement, job)).map((row) => ({row, statement, how: 'duplicate'}));
}

/** The row from which this or another job created a statement, and whether the content is the same. */
export function rowOfStatement(
  statement: BillingStatementData,
  job: JobFile,
): {readonly row: StatementRow; readonly isSame: boolean} | undefined {
  const same = job.rowWithKey(String(runKeyOf(statement)));
  if (same) return {row: same, isSame: true};
  const {[EXTERNAL_ID]: name} = isJsonObject(statement.metadata) ? statement.metadata : {};
  const row = typeof name === 'string' ? job.rowWithExternalId(name) : undefined;
  return row && {row, isSame: false};
}

function isSame(row: StatementRow, statement: BillingStatementData, job: JobFile): boolean {
  const {due_at: due} = statement;
  if (row.due_at !== null && (typeof due !== 'number' || manilaDay(due) !== manilaDay(row.due_at))) return false;
  const {missing, surplus, foreign} = differenceOf(job.itemsOf(row.n), itemsOf(statement));
  return missing.length + surplus.length + foreign.length === 0;
}

/** Of several statements of one row, keeps the oldest, or one that is no longer a draft. */
export function oldestPerRow(found: readonly ExistingStatement[]): ExistingStatement[] {
  const isDraft = ({statement}: ExistingStatement): number => Number(statement.status === 'draft');
  const sorted = found.toSorted(
    (one, other) => isDraft(one) - isDraft(other) || oldestFirst(one.statement, other.statement),
  );
  // A map keeps the last entry of each row.
  return [...new Map(sorted.toReversed().map((existing) => [existing.row.n, existing])).values()];
}
