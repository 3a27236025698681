// Finds billing statements that were created from the rows of a file before, or that bill the same items.

import {isGivenUp, NO_HISTORY, standingOf, type MoneyHistory} from '../../accounting/standing.js';
import {billedAt} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import {isJsonObject} from '../../common/json.js';
import {manilaDay} from '../../common/manila.js';
import {dateText} from '../../input/dates.js';
import {isNumbered} from '../../input/own-numbers.js';
import {
  oldestFirst,
  getStatement,
  planKeyOf,
  statementsSince,
  type AccountReadOptions,
} from '../account/account-reader.js';
import {EXTERNAL_ID, PERIOD_KEY, replacedBy} from '../statement/metadata-keys.js';
import {differenceOf, itemsOf, type BillingStatementData} from '../statement/plan.js';
import type {StatementRow} from './job/job-types.js';
import type {JobFile} from './job/job-file.js';
import {contentKey, keyInPeriod} from './read-rows.js';

export interface FindExistingOptions extends AccountReadOptions {
  /** Unix seconds; older statements are skipped. Omitted when a job reads the account for the first time. */
  readonly since?: number;
  /** Settlements: statements paid outside the service are not billed again, like statements paid online. */
  readonly history?: MoneyHistory;
  /** Called with each void or uncollectible statement for which nothing came in. */
  readonly onEnded?: (statement: BillingStatementData) => void;
}

/** How a statement matches a row. The replacement of an ended `own` statement is `billed` or `changed`. */
type Match =
  /** Created from the same row. */
  | 'own'
  /**
   * Not a draft, and created from a row with the same external id, customer, items and the due date that the sheet says.
   * In a job with a period: any statement of the row and the period that is not a draft and differs, also a void one.
   */
  | 'billed'
  /** Created from a row with the same external id, but a draft, or with another customer or content. */
  | 'changed'
  /** Open, for the same customer, with the same items and due date. */
  | 'duplicate'
  /** Its external id looks like the row's, but differs. */
  | 'alike'
  /** In a job with a period: created from the row without one, if the row was never billed under a period. */
  | 'unperioded';

/** A statement of the account that matches a row of the file. */
export interface ExistingStatement {
  readonly row: StatementRow;
  readonly statement: BillingStatementData;
  readonly how: Match;
  /** True if nothing came in and nothing will: a void statement. */
  readonly isEnded?: boolean;
  /** In a job with a period: true if the statement is of another row than its number says now. */
  readonly isMoved?: boolean;
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
  const {period} = job;
  const replacements = new Map<string, BillingStatementData>();
  const ended: ExistingStatement[] = [];
  const unperioded: ExistingStatement[] = [];
  const underPeriod = new Set<number>();
  for await (const listed of statementsSince(client, since ?? 0, {signal, onPage})) {
    newest = Math.max(newest, listed.created_at);
    if (listed.created_at > last) isNewestFirst = false;
    last = listed.created_at;
    const isEnded = mayBillAgain(listed);
    if (isEnded) onEnded?.(listed);
    const statement = await completeStatement(listed, job, client, signal);
    const old = replacedBy(statement);
    if (old !== undefined) replacements.set(old, statement);
    const billed = periodOf(statement);
    if (period !== null && billed !== null && billed !== period) {
      for (const {n} of rowsUnder(statement, job)) underPeriod.add(n);
      continue;
    }
    for (const existing of matchesOf(statement, job)) {
      const {how, isMoved, row} = existing;
      if (isMoved !== undefined) underPeriod.add(row.n);
      if (isEnded) ended.push(existing);
      else if (how === 'unperioded') unperioded.push(existing);
      else {
        if (how === 'own') oldestOwn = Math.min(oldestOwn, listed.created_at);
        yield existing;
      }
    }
  }
  for (const {row, statement, how, isMoved} of ended) {
    let now = statement;
    for (let more = replacements.size; more > 0; more--) now = replacements.get(now.id) ?? now;
    const isEnded = mayBillAgain(now);
    if (isMoved !== undefined) {
      if (!isMoved || !isEnded) yield {row, statement: now, how: 'billed', isEnded, isMoved};
    }
    // The replacement of a numbered row was already matched by its external id.
    else if (how === 'own' && !isNumbered(row) && !isEnded) yield {row, statement: now, how: howBilled(row, now, job)};
  }
  for (const existing of unperioded) {
    if (!underPeriod.has(existing.row.n)) yield existing;
    // A copy or a replacement of an earlier bill does not compete with this job. A draft may be of an import that runs now.
    else if (since === undefined && !isDraft(existing.statement)) job.addOther(existing.statement.id);
  }
  if (since !== undefined) return;
  // Unless the list is newest first, later reads must cover all statements.
  job.setJob({since: isNewestFirst ? Math.min(newest, oldestOwn) : 0, newest});
}

/** Reads a statement by id if it may match a row: a list may omit metadata and items. */
async function completeStatement(listed: BillingStatementData, job: JobFile, client: Client, signal?: AbortSignal) {
  const {customer_id: customer, status, amount} = listed;
  const isThin = !listed.metadata || !Array.isArray(listed.line_items);
  const couldMatter =
    ((status === 'draft' || status === 'open') && job.rowsForId(customer).length > 0) ||
    (listed.metadata === undefined && job.rowsForId(customer, job.period === null ? amount : undefined).length > 0);
  return isThin && couldMatter ? getStatement(client, listed.id, {signal}) : listed;
}

/** @param statement of the job's period, or of none */
function matchesOf(statement: BillingStatementData, job: JobFile): ExistingStatement[] {
  const {customer_id: customer, status, amount} = statement;
  const made = rowOfStatement(statement, job);
  if (made && job.period !== null) {
    const {row} = made;
    if (!made.isSame) return [{row, statement, how: 'unperioded'}];
    const how = isDraft(statement) || isSame({...row, due_at: fixedDueOf(row)}, statement, job) ? 'own' : 'billed';
    return [{row, statement, how, isMoved: isMoved(row, statement, job)}];
  }
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

function howBilled(row: StatementRow, statement: BillingStatementData, job: JobFile): Match {
  const isPayer = job.customer(row.customer)?.id === statement.customer_id;
  // A due date such as +30d was another day then.
  const same = isSame({...row, due_at: periodOf(statement) === null ? fixedDueOf(row) : null}, statement, job);
  return isPayer && !isDraft(statement) && same ? 'billed' : 'changed';
}

/** The merchant's own number of a statement. */
export function externalIdOf({metadata}: BillingStatementData): string | undefined {
  const {[EXTERNAL_ID]: id} = isJsonObject(metadata) ? metadata : {};
  return typeof id === 'string' ? id : undefined;
}

export function periodOf({metadata}: BillingStatementData): string | null {
  const {[PERIOD_KEY]: period} = isJsonObject(metadata) ? metadata : {};
  return typeof period === 'string' ? period : null;
}

/**
 * Returns the row from which any job created a statement. `isSame` is true if the content is unchanged; in a job with a
 * period, if the statement has the period.
 */
export function rowOfStatement(
  statement: BillingStatementData,
  job: JobFile,
): {readonly row: StatementRow; readonly isSame: boolean} | undefined {
  const key = String(planKeyOf(statement));
  const {period} = job;
  const isOfPeriod = period !== null && periodOf(statement) === period;
  // A row whose number stood for another row was billed under its content.
  const byContent = isOfPeriod && job.rowsForId(statement.customer_id).find((row) => contentKey(row, period) === key);
  const same = job.rowWithKey(key) ?? (byContent || undefined);
  if (same) return {row: same, isSame: true};
  const [row] = rowsUnder(statement, job);
  return row && (period === null || periodOf(statement) === null) ? {row, isSame: false} : undefined;
}

/** Rows of the statement's number; else rows without numbers whose key, under the statement's period, is the statement's. */
function rowsUnder(statement: BillingStatementData, job: JobFile): StatementRow[] {
  const id = externalIdOf(statement);
  if (id !== undefined) return [job.rowWithExternalId(id) ?? job.rowWithExternalId(id, 'raw_external_id') ?? []].flat();
  const [key, period] = [planKeyOf(statement), periodOf(statement)];
  if (key === undefined || period === job.period) return [];
  const rows = job.rowsForId(statement.customer_id);
  return rows.filter((row) => !isNumbered(row) && keyInPeriod(row, period) === key);
}

/** True if the number now stands for another row: of another customer, or with the content of another row of the file. */
function isMoved(row: StatementRow, statement: BillingStatementData, job: JobFile): boolean {
  if (!isNumbered(row)) return false;
  const rows = job.rowsForId(statement.customer_id);
  if (rows.every(({n}) => n !== row.n)) return true;
  return !isSame(row, statement, job) && rows.some((other) => other.n !== row.n && isSame(other, statement, job));
}

function isSame(row: StatementRow, statement: BillingStatementData, job: JobFile): boolean {
  const {due_at: due} = statement;
  if (row.due_at !== null && (typeof due !== 'number' || manilaDay(due) !== manilaDay(row.due_at))) return false;
  const {missing, surplus, foreign} = differenceOf(job.itemsOf(row.n), itemsOf(statement));
  return missing.length + surplus.length + foreign.length === 0;
}

/** True if a bill has another customer, other items or another due date than its row. `+10d` is another day each time. */
export function isBilledOtherwise({row, statement}: ExistingStatement, job: JobFile): boolean {
  const {customer_id: customer, amount, line_items: items} = statement;
  if (job.customer(row.customer)?.id !== customer || amount !== row.amount) return true;
  return Array.isArray(items) && !isSame({...row, due_at: fixedDueOf(row)}, statement, job);
}

/** True if a row has a draft, and another import bills its number with other content now, or did so since. */
export const isBilledBeside = ({statement: other}: ExistingStatement, {statement: draft}: ExistingStatement): boolean =>
  isDraft(draft) && (isDraft(other) || (billedAt(other) ?? Infinity) >= draft.created_at);

/** The due date that the sheet says, in unix seconds; null for a relative date, or one that has passed. */
export const fixedDueOf = ({due, due_at: at}: StatementRow) => (at !== null && due === dateText(at) ? at : null);

/** Keeps one statement per row: the oldest that is no longer a draft, or else the oldest draft, or else a void one. */
export function oldestPerRow(found: readonly ExistingStatement[]): ExistingStatement[] {
  const rank = ({statement, isEnded}: ExistingStatement): number => (isEnded ? 2 : Number(isDraft(statement)));
  const sorted = found.toSorted((one, other) => rank(one) - rank(other) || oldestFirst(one.statement, other.statement));
  // A map keeps the last entry of each row.
  const own = new Map(sorted.toReversed().map((existing) => [existing.row.n, existing]));
  return [...own.values()].sort((one, other) => one.row.n - other.row.n);
}
