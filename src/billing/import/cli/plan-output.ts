// Prints the plan of an import, and defines the fields that scripts receive.

import {basename} from 'node:path';
import type {Standing} from '../../../accounting/standing.js';
import {STATE_WORDS} from '../../../accounting/words.js';
import type {BillingStatementData} from '../../statement/plan.js';
import type {StatementRow} from '../job/job-types.js';
import type {JobFile, RemainingRows} from '../job/job-file.js';
import {resultOfRecords, type RecordTable} from '../../../cli/records.js';
import * as schema from '../../../cli/schema.js';
import type {Context} from '../../../context/context.js';
import {formatInteger, formatCount} from '../../../common/counts.js';
import {placeInFile, type FileFault} from '../../../common/errors.js';
import {shortDay} from '../../../common/manila.js';
import {formatPesos} from '../../../common/pesos.js';
import type {PlannedChange} from '../../../guard/change.js';
import type {RowErrors} from '../../../input/spreadsheet/row-errors.js';
import type {OutputStreams, OutputPart, Style} from '../../../output/streams.js';
import {renderList, untilStopped} from '../../../output/render-list.js';
import type {Rendering, CommandResult} from '../../../output/result.js';
import {UNDONE} from './find-jobs.js';
import {formatDuration, rowPayerOf} from './progress.js';

const rowFields = {
  external_id: schema.text,
  ...schema.fieldsNamed('customer_name id number status', schema.nullable(schema.text)),
  sent: schema.nullable(schema.choice('no', 'unknown', 'yes')),
  amount: schema.centavos,
  link: schema.nullable(schema.text),
  mode: schema.text,
  error_code: schema.nullable(schema.text),
  error: schema.nullable(schema.text),
};
/** A statement of an import, as in JSON output and in the result file. */
export const IMPORT_ROW = schema.record(rowFields);
const PLANNED = schema.record({
  external_id: schema.text,
  customer: schema.text,
  items: schema.integer,
  amount: schema.centavos,
  due_at: schema.nullable(schema.titled('due', schema.timestamp)),
  exists: schema.nullable(schema.text),
});

export const tallyFields = {
  ...schema.fieldsNamed('statements done failed in_doubt', schema.integer),
};
const summaryFields = {
  job: schema.nullable(schema.text),
  period: schema.nullable(schema.text),
  ...tallyFields,
  left: schema.integer,
  created: schema.integer,
  already: schema.boolean,
  amount: schema.integer,
  result_file: schema.nullable(schema.text),
  mode: schema.text,
};
/** The rows and the summary; in JSON lines, a `row` as each statement ends, then a `summary`. A dry run prints its plan. */
export const importSchema = schema.either(
  schema.page(IMPORT_ROW, summaryFields),
  schema.record({type: schema.constant('row'), ...rowFields}),
  schema.record({type: schema.constant('summary'), ...summaryFields}),
  schema.page(PLANNED),
);

const PAGE_SIZE = 500;
/** Milliseconds of local work per request. */
const LOCAL_TIME = 1;

export interface ImportTimes {
  /** Milliseconds per request. */
  readonly callTime: number;
  readonly concurrency: number;
  /** Milliseconds of the wait between two rounds, and of the wait before continuing another machine's drafts. */
  readonly barrier: number;
  readonly takeOver: number;
}

/** Summarizes the plan, before the user confirms it. */
export function importPlanLines(job: JobFile, {callTime, concurrency, barrier, takeOver}: ImportTimes): OutputPart[] {
  const {finalize, send, mode, period, created_at: createdAt} = job.record;
  const {newCustomers} = job.tally;
  const {statements, amount, customers, items, firstDue, lastDue, undated, largest} = job.remainingRows(true, []);
  // `15 Dec`, `27 Nov to 23 Dec`.
  const days = [firstDue, lastDue].map((at) => at !== null && shortDay(at, createdAt));
  const dues = [...new Set(days)].join(' to ');
  const requests = statements * (2 + Number(finalize) + Number(send)) + items + newCustomers;
  const waits = ((newCustomers > 0 ? 2 : 1) * barrier + (job.takesOver ? takeOver : 0)) / 1000;
  const seconds = (requests * (callTime / Math.min(concurrency, Math.max(1, statements)) + LOCAL_TIME)) / 1000 + waits;
  const fresh = newCustomers > 0 ? ` (${formatInteger(newCustomers)} new)` : '';
  const lines = [
    `${formatCount(statements, 'billing statement')} for ${formatCount(customers, 'customer')}${fresh}`,
    `Total ${formatPesos(amount)}, ${formatCount(items, 'item')}`,
    statements > 1 &&
      largest &&
      `Largest ${formatPesos(largest.amount)}, ${largest.external_id} for ${rowPayerOf(job, largest)}`,
    firstDue !== null && `Due ${dues}`,
    period !== null && `Period ${period}`,
    waits > 0 && `Waits ${formatDuration(waits)} to check that no other import bills these rows`,
    undated > 0 && `Without a due date: ${formatInteger(undated)}. To set one, add --due +30d`,
  ].filter(Boolean);
  const last = `About ${formatInteger(requests)} requests${mode === 'sandbox' ? '' : `, ${formatDuration(seconds)}`}`;
  return [...lines.map((line) => ({text: `  ${line}`})), {text: `  ${last}`, style: 'dim'}];
}

/** Maximum statements listed before an import; the others are counted. */
const MAX_LISTED = 20;

/** The table of the first remaining statements. A dry run prints all statements. */
export function payersTable(job: JobFile, io: OutputStreams): Promise<string[]> {
  const [rows = []] = pagesOf(job.rows(UNDONE));
  const {statements} = job.remainingRows(true, []);
  return tableLines(resultOfPlan(job, rows.slice(0, MAX_LISTED)), io, job.record.created_at, statements);
}

/** Renders the first rows of a table, for stderr before a question. @param now unix seconds @param all total number of rows */
export async function tableLines(
  {shown, rows, ...result}: CommandResult,
  io: OutputStreams,
  now: number,
  all = rows.length,
): Promise<string[]> {
  const {tableText} = await import('../../../output/tables/views.js');
  // Without colours: a note has a style of its own.
  const plain = Object.create(io, {paint: {value: (_: Style, part: string) => part}}) as OutputStreams;
  const first = {...result, rows: (shown ?? rows).slice(0, MAX_LISTED)};
  const {text} = await tableText(first, {io: plain, now});
  const more = all - MAX_LISTED;
  const rest = more > 0 ? [`and ${formatInteger(more)} more. To see all of them, add --dry-run.`] : [];
  return [...text.trimEnd().split('\n'), ...rest];
}

/** Faults that a person may accept, under a sentence that ends in a colon. */
export function faultLines(what: string, {count, shown}: RowErrors): string[] {
  const lines = shown.map((fault) => `  ${placeInFile(fault)}: ${fault.problem}`);
  return count === 0 ? [] : [what, ...firstLines(lines, count)];
}

/** `june.csv`, or `stdin` */
export const importNameOf = (file: string): string => (file === '-' ? 'stdin' : file);

/** Returns at most {@link MAX_LISTED} lines, and the number of the others. */
export function firstLines(lines: readonly string[], all = lines.length): string[] {
  const some = lines.slice(0, MAX_LISTED);
  return all > some.length ? [...some, `  and ${formatInteger(all - some.length)} more`] : some;
}

export type RowPlace = Pick<FileFault, 'cell' | 'column' | 'line' | 'value'>;

/** `JEEPNEY-0002 (open, ₱31,000.00)`. */
export const formatBilledAs = ({name, state}: Standing, {amount}: BillingStatementData): string =>
  `${name} (${STATE_WORDS[state].label}, ${formatPesos(amount ?? 0)})`;

const IN_FILE = {header: 'in file', rank: 1};
const PLAN_COLUMNS: RecordTable = {external_id: IN_FILE, customer: 2, items: 4, amount: 3, due_at: 5};
const PLAN_TABLE: RecordTable = {...PLAN_COLUMNS, exists: {header: 'made as', rank: 4}};

/** Prints the plan page by page, while its rows are read. */
export const printPlan = (
  job: JobFile,
  rows: Iterable<StatementRow>,
  rendering: Rendering,
  context: Context,
): Promise<void> => renderList(pagesOf(rows), (some) => resultOfPlan(job, some), rendering, untilStopped(context));

/** Splits rows into pages, to limit memory. */
export function* pagesOf(rows: Iterable<StatementRow>): Generator<StatementRow[]> {
  let page: StatementRow[] = [];
  for (const row of rows) {
    if (page.push(row) < PAGE_SIZE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** `Ana Reyes <ana@example.com>` for a customer who was found by name; otherwise undefined. */
function formatNamedCustomer(job: JobFile, ref: string): string | undefined {
  const {name, email = null} = job.customer(ref) ?? {};
  return email === null || email.toLowerCase() === ref ? undefined : `${name} <${email}>`;
}

function resultOfPlan(job: JobFile, planned: readonly StatementRow[]): CommandResult {
  const rows = planned.map(({n, external_id, customer: ref, amount, due_at, id: exists}) => {
    const customer = job.customer(ref)?.name ?? ref;
    return {external_id, customer, items: job.itemsOf(n).length, amount, due_at, exists};
  });
  // The address distinguishes two customers of one name.
  const shown = rows.map((row, index) => ({
    ...row,
    customer: formatNamedCustomer(job, planned[index]!.customer) ?? row.customer,
    exists: planned[index]!.number ?? row.exists,
  }));
  return resultOfRecords(PLANNED, rows, {shown, columns: PLAN_COLUMNS, atTerminal: PLAN_TABLE});
}

/**
 * `create, finalize and send 400 billing statements of ₱1,284,500.00 in all for 388 customers (12 new)`.
 * @param remaining totals of the rows to confirm
 * @param mismatches number of names that differ from the customers' names
 */
export function changeOfImport(job: JobFile, remaining: RemainingRows, command: string, mismatches = 0): PlannedChange {
  const {finalize, send, source, state} = job.record;
  const {statements, amount, toCreate, toComplete, toFinalize, largest} = remaining;
  const {newCustomers, statements: all} = job.tally;
  const make = toCreate > 0 ? 'create' : toComplete > 0 && 'complete';
  const verbs = [make, finalize && toFinalize > 0 && 'finalize', send && 'send'].filter(Boolean);
  const steps = verbs.length > 1 ? `${verbs.slice(0, -1).join(', ')} and ${verbs.at(-1)}` : (verbs[0] ?? 'complete');
  const rest = statements < all;
  const what = `${rest && all > 1 ? `${formatInteger(statements)} of ` : ''}${formatCount(all, 'billing statement')}`;
  const fresh = toCreate > 0 && newCustomers > 0 ? ` (${formatInteger(newCustomers)} new)` : '';
  const who = `${formatCount(remaining.customers, 'customer')}${fresh}${finalize ? '' : ', as drafts'}`;
  const renamed = mismatches > 0 ? `, ${formatInteger(mismatches)} under another name` : '';
  return {
    command,
    needsConfirmation: true,
    ids: [],
    ...(source !== '-' && {file: basename(source)}),
    known: {
      action: `${rest && state !== 'ready' ? `continue ${job.id}: ` : ''}${steps} ${what} of ${formatPesos(amount)} in all for ${who}${renamed}`,
      amount: BigInt(amount),
      statements,
      // A limit that allows the largest amount allows all smaller amounts.
      amounts: largest ? [{label: `billing statement ${largest.external_id}`, amount: BigInt(largest.amount)}] : [],
    },
  };
}
