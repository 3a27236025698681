// Imports and their jobs as people and scripts see them.

import type {JobFile} from '../../../billing/import/job-file.js';
import type {Row} from '../../../billing/import/job-types.js';
import type {Io} from '../../../output/io.js';
import {renderList, untilStopped} from '../../../output/render-list.js';
import type {Column, Rendering, Result} from '../../../output/result.js';
import type {Context} from '../../../context.js';
import {formatPesos} from '../../../pesos.js';
import {recordColumns, resultOfRecords} from '../../columns.js';
import {boolean, constant, either, integer, list, nullable, record, text} from '../../help/json-schema.js';
import {durationWords, recordOf} from './import-progress.js';
import type {JobSummary} from './jobs.js';

const rowFields = {
  external_id: text,
  id: nullable(text),
  number: nullable(text),
  status: nullable(text),
  sent: {enum: ['no', 'unknown', 'yes']},
  amount: integer,
  link: nullable(text),
  error_code: nullable(text),
  error: nullable(text),
};
const plannedRow = record({
  external_id: text,
  customer: text,
  items: integer,
  amount: integer,
  due_at: nullable(integer),
  exists: nullable(text),
});

/** A line of JSON for each statement as it ends, and one for all; of a dry run the statements that would be made. */
export const importSchema = either(
  record({type: constant('row'), ...rowFields}),
  record({
    ...{type: constant('summary'), job: text, statements: integer, done: integer, failed: integer},
    ...{in_doubt: integer, left: integer, amount: integer, result_file: nullable(text)},
  }),
  list(plannedRow),
);

/** How many rows of a plan are printed at a time. */
const ROWS_A_PAGE = 500;
/** Seconds that a request takes, for a first guess. */
const REQUEST = 0.25;

/** How much there is to do, before it is confirmed. */
export function planLines(job: JobFile, {paint}: Pick<Io, 'paint'>): string[] {
  const {finalize, send, mode} = job.record;
  const {statements, amount, customers, newCustomers} = job.tally;
  const items = job.itemCount;
  const requests = statements * (2 + Number(finalize) * 2 + Number(send) * 2) + items + newCustomers;
  const who = `${customers.toLocaleString('en')} ${customers === 1 ? 'customer' : 'customers'}`;
  const fresh = newCustomers > 0 ? `, ${newCustomers.toLocaleString('en')} of them new` : '';
  return [
    `${statements.toLocaleString('en')} billing ${statements === 1 ? 'statement' : 'statements'} for ${who}${fresh}`,
    `Total ${formatPesos(amount)}, ${items.toLocaleString('en')} ${items === 1 ? 'item' : 'items'}`,
    paint(
      'dim',
      `About ${requests.toLocaleString('en')} requests${mode === 'sandbox' ? '' : `, ${durationWords((requests * REQUEST) / 4)}`}`,
      'stderr',
    ),
  ].map((line) => `  ${line}`);
}

const PLAN_COLUMNS: readonly Column[] = [
  {path: 'external_id', header: 'external id', kind: 'text', rank: 1},
  {path: 'customer', header: 'customer', kind: 'text', rank: 2},
  {path: 'items', header: 'items', kind: 'text', rank: 4},
  {path: 'amount', header: 'amount', kind: 'centavos', rank: 3},
  {path: 'due_at', header: 'due', kind: 'timestamp', rank: 5},
];

/** Rows some at a time, for a list that is printed as it is read. */
export function* pagesOf(rows: Iterable<Row>): Generator<Row[]> {
  let page: Row[] = [];
  for (const row of rows) {
    if (page.push(row) < ROWS_A_PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Prints the statements that an import would make, as they are read. @param planned rows in the order of the file */
export function printPlan(
  job: JobFile,
  planned: Iterable<Row>,
  rendering: Rendering,
  context: Pick<Context, 'io' | 'signal'>,
): Promise<void> {
  return renderList(pagesOf(planned), (rows) => resultOfPlan(job, rows), rendering, untilStopped(context));
}

function resultOfPlan(job: JobFile, planned: readonly Row[]): Result {
  const rows = planned.map((row) => ({
    external_id: row.external_id,
    customer: job.customer(row.customer)?.name ?? row.customer,
    items: job.itemsOf(row.n).length,
    amount: row.amount,
    due_at: row.due_at,
    exists: row.id,
  }));
  return resultOfRecords(rows, PLAN_COLUMNS, {
    all: [...PLAN_COLUMNS, {path: 'exists', header: 'exists', kind: 'text'}],
  });
}

/** `running`, `stopped`, `3 failed`, `done`. */
function stateWords({state, isRunning, tally: {failed, inDoubt, statements, done}}: JobSummary): string {
  if (isRunning) return 'running';
  if (state === 'abandoned' || state === 'ready') return state === 'ready' ? 'not begun' : 'abandoned';
  if (state === 'running') return 'stopped';
  const parts = [failed > 0 && `${failed} failed`, inDoubt > 0 && `${inDoubt} in doubt`].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : done === statements ? 'done' : 'incomplete';
}

const jobRecord = (job: JobSummary) => ({
  id: job.id,
  source: job.source,
  profile: job.profile,
  mode: job.mode,
  state: job.isRunning ? 'running' : job.state === 'running' ? 'stopped' : job.state,
  statements: job.tally.statements,
  done: job.tally.done,
  failed: job.tally.failed,
  in_doubt: job.tally.inDoubt,
  amount: job.tally.amount,
  finalize: job.finalize,
  send: job.send,
  created_at: job.createdAt,
  ended_at: job.endedAt,
  keep: job.keep,
});

export const jobFields = {
  ...{id: text, source: text, profile: text, mode: text, state: text},
  ...{statements: integer, done: integer, failed: integer, in_doubt: integer, amount: integer},
  ...{finalize: boolean, send: boolean, created_at: integer, ended_at: nullable(integer), keep: boolean},
};
export const jobSchema = record({...jobFields, rows: list(record(rowFields))});

const KINDS = {amount: 'centavos', created_at: 'timestamp', ended_at: 'timestamp'} as const;
const JOB_COLUMNS = recordColumns(Object.keys(jobFields), KINDS);

/** Jobs as a list. */
export function resultOfJobs(jobs: readonly JobSummary[]): Result {
  const shown = jobs.map((job) => ({...jobRecord(job), stands: stateWords(job), progress: progressOf(job)}));
  const columns: Column[] = [
    {path: 'created_at', header: 'begun', kind: 'timestamp', rank: 4},
    {path: 'source', header: 'file', kind: 'text', rank: 2},
    {path: 'progress', header: 'done', kind: 'text', rank: 3},
    {path: 'amount', header: 'amount', kind: 'centavos', rank: 3},
    {path: 'stands', header: 'status', kind: 'text', rank: 3},
    {path: 'id', header: 'id', kind: 'text', rank: 1},
  ];
  return resultOfRecords(jobs.map(jobRecord), columns, {
    shown,
    all: [...JOB_COLUMNS, ...columns.filter(({path}) => !JOB_COLUMNS.some((column) => column.path === path))],
    empty: 'No jobs found.',
  });
}

const progressOf = ({tally: {done, statements}}: JobSummary): string =>
  `${done.toLocaleString('en')} of ${statements.toLocaleString('en')}`;

const ROW_COLUMNS: readonly Column[] = [
  {path: 'external_id', header: 'external id', kind: 'text', rank: 1},
  {path: 'number', header: 'number', kind: 'text', rank: 2},
  {path: 'amount', header: 'amount', kind: 'centavos', rank: 3},
  {path: 'stands', header: 'status', kind: 'text', rank: 3},
  {path: 'error', header: 'error', kind: 'text', rank: 4},
  {path: 'id', header: 'id', kind: 'text', rank: 6},
];

/** One job with its rows. */
export function resultOfJob(job: JobSummary, rows: readonly Row[]): Result {
  const records = rows.map(recordOf);
  const shown = rows.map((row, index) => ({...records[index]!, stands: rowWords(row)}));
  const {id, source, tally} = job;
  return resultOfRecords(records, ROW_COLUMNS, {
    shown,
    document: {...jobRecord(job), rows: records},
    all: [...recordColumns(Object.keys(rowFields), {amount: 'centavos'}), ROW_COLUMNS[3]!],
    below: [`${id}, ${source}: ${progressOf(job)} done, ${formatPesos(tally.doneAmount)}, ${stateWords(job)}.`],
  });
}

function rowWords({phase, sent, status, error}: Row): string {
  if (phase === 'failed') return 'failed';
  if (sent === 'unknown') return 'may have been sent';
  if (phase === 'done') return sent === 'yes' ? 'sent' : (status ?? 'draft');
  return phase === 'planned' ? 'waiting' : error === null ? 'begun' : 'in doubt';
}
