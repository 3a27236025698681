// Finds billing statements that were created from the rows of a file before, or that bill the same items.

import {isGivenUp, NO_HISTORY, standingOf, type MoneyHistory} from '../../accounting/standing.js';
import type {Client} from '../../client/client.js';
import {isJsonObject} from '../../common/json.js';
import {manilaDay} from '../../common/manila.js';
import {isNumbered} from '../../input/own-numbers.js';
import {
  oldestFirst,
  getStatement,
  planKeyOf,
  statementsSince,
  type AccountReadOptions,
} from '../account/account-reader.js';
import {replacedBy} from '../statement/metadata-keys.js';
import {differenceOf, itemsOf, type BillingStatementData} from '../statement/plan.js';
import type {StatementRow} from './job/job-types.js';
import type {JobFile} from './job/job-file.js';
import {EXTERNAL_ID} from './read-rows.js';

export interface FindExistingOptions extends AccountReadOptions {
  /** Unix seconds; older statements are skipped. Omitted when a job reads the account for the first time. */
  readonly since?: number;
  /** Settlements: statements paid outside the service are not billed again, like statements paid online. */
  readonly history?: MoneyHistory;
  /** Called with each void or uncollectible statement for which nothing came in. */
  readonly onEnded?: (statement: BillingStatementData) => void;
}

/** A statement of the account that matches a row of the file. */
export interface ExistingStatement {
  readonly row: StatementRow;
  readonly statement: BillingStatementData;
  /**
   * `own`: created from the same row. `billed`: not a draft, created from a row with the same external id, with the same
   * customer, items and due date. `changed`: with other content. The replacement of an ended `own` statement is either.
   * `duplicate`: an open statement for the same customer, with the same items and due date.
   * `alike`: a statement whose external id looks like the row's, but differs.
   */
  readonly how: 'alike' | 'billed' | 'changed' | 'duplicate' | 'own';
}

/** Reads the account's statements once. Without `since`, stores in the job the times from which later reads start. */
export async function* findExisting(
  job: JobFile,
  client: Client,
  {signal, onPage, since, history = NO_HISTORY, onEnded}: FindExistingOptions,
): AsyncGenerator<ExistingStatement> {
  const mayBillAgain = (statement: BillingStatementData): boolean =>
    isGivenUp(standingOf(statement, {settlement: history.settlement(statement.id)}, 0));
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
    const isEnded = mayBillAgain(listed);
    if (isEnded) onEnded?.(listed);
    const statement = await completeStatement(listed, job, client, signal);
    const old = replacedBy(statement);
    if (old !== undefined) replacements.set(old, statement);
    for (const existing of matchesOf(statement, job)) {
      if (isEnded) {
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
    // The replacement of a numbered row was already matched by its external id.
    if (how === 'own' && !isNumbered(row) && !mayBillAgain(now))
      yield {row, statement: now, how: howBilled(row, now, job)};
  }
  if (since !== undefined) return;
  // Unless the list is newest first, later reads must cover all statements.
  job.setJob({since: isNewestFirst ? Math.min(newest, oldestOwn) : 0, newest});
}

/** Reads a statement by id if it may match a row: a list may omit metadata and items. */
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
  if (made) return [{row: made.row, statement, how: made.isSame ? 'own' : howBilled(made.row, statement, job)}];
  const same = status !== 'open' ? [] : job.rowsForId(customer, typeof amount === 'number' ? amount : undefined);
  const repeated = same.filter((row) => isSame(row, statement, job));
  const id = externalIdOf(statement);
  const alike = (id ? job.rowsAlike(id) : []).filter(({n}) => !repeated.some((row) => row.n === n));
  return [
    ...repeated.map((row) => ({row, statement, how: 'duplicate'}) as const),
    ...alike.map((row) => ({row, statement, how: 'alike'}) as const),
  ];
}

const isDraft = (statement: BillingStatementData): boolean => statement.status === 'draft';

function howBilled(row: StatementRow, statement: BillingStatementData, job: JobFile): 'billed' | 'changed' {
  const isPayer = job.customer(row.customer)?.id === statement.customer_id;
  return isPayer && !isDraft(statement) && isSame(row, statement, job) ? 'billed' : 'changed';
}

/** The merchant's own number of a statement. */
export function externalIdOf({metadata}: BillingStatementData): string | undefined {
  const {[EXTERNAL_ID]: id} = isJsonObject(metadata) ? metadata : {};
  return typeof id === 'string' ? id : undefined;
}

/** Returns the row from which any job created a statement. `isSame` is true if the content is unchanged. */
export function rowOfStatement(
  statement: BillingStatementData,
  job: JobFile,
): {readonly row: StatementRow; readonly isSame: boolean} | undefined {
  const same = job.rowWithKey(String(planKeyOf(statement)));
  if (same) return {row: same, isSame: true};
  const id = externalIdOf(statement) ?? '';
  const row = job.rowWithExternalId(id) ?? job.rowWithExternalId(id, 'raw_external_id');
  return row && {row, isSame: false};
}

function isSame(row: StatementRow, statement: BillingStatementData, job: JobFile): boolean {
  const {due_at: due} = statement;
  if (row.due_at !== null && (typeof due !== 'number' || manilaDay(due) !== manilaDay(row.due_at))) return false;
  const {missing, surplus, foreign} = differenceOf(job.itemsOf(row.n), itemsOf(statement));
  return missing.length + surplus.length + foreign.length === 0;
}

/** Keeps one statement per row: the oldest that is no longer a draft, or else the oldest draft. */
export function oldestPerRow(found: readonly ExistingStatement[]): ExistingStatement[] {
  const rank = ({statement}: ExistingStatement): number => Number(isDraft(statement));
  const sorted = found.toSorted((one, other) => rank(one) - rank(other) || oldestFirst(one.statement, other.statement));
  // A map keeps the last entry of each row.
  return [...new Map(sorted.toReversed().map((existing) => [existing.row.n, existing])).values()];
}
