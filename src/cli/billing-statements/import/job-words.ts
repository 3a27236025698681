// Jobs and their statements as people and scripts see them.

import type {Row} from '../../../billing/import/job-types.js';
import type {Context} from '../../../context.js';
import {renderList, untilStopped} from '../../../output/render-list.js';
import type {Column, Rendering, Result} from '../../../output/result.js';
import {formatPesos} from '../../../pesos.js';
import {recordColumns, resultOfRecords} from '../../columns.js';
import {boolean, integer, list, nullable, record, text} from '../../help/json-schema.js';
import {recordOf} from './import-progress.js';
import {pagesOf, rowFields} from './import-words.js';
import {resumeCommand, type JobSummary} from './jobs.js';

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

/** For people. */
const JOB_TABLE: readonly Column[] = [
  {path: 'created_at', header: 'begun', kind: 'timestamp', rank: 4},
  {path: 'source', header: 'file', kind: 'text', rank: 2},
  {path: 'progress', header: 'done', kind: 'text', rank: 3},
  {path: 'amount', header: 'amount', kind: 'centavos', rank: 3},
  {path: 'stands', header: 'status', kind: 'text', rank: 3},
  {path: 'id', header: 'id', kind: 'text', rank: 1},
];

/** Jobs as a list. */
export function resultOfJobs(jobs: readonly JobSummary[]): Result {
  const shown = jobs.map((job) => ({...jobRecord(job), stands: stateWords(job), progress: progressOf(job)}));
  return resultOfRecords(jobs.map(jobRecord), JOB_COLUMNS, {shown, atTerminal: JOB_TABLE, empty: 'No jobs found.'});
}

/** `running`, `stopped`, `3 failed`, `done`. */
function stateWords({state, isRunning, tally: {failed, inDoubt, statements, done}}: JobSummary): string {
  if (isRunning) return 'running';
  if (state === 'abandoned' || state === 'ready') return state === 'ready' ? 'not begun' : 'abandoned';
  if (state === 'running') return 'stopped';
  const parts = [failed > 0 && `${failed} failed`, inDoubt > 0 && `${inDoubt} in doubt`].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : done === statements ? 'done' : 'incomplete';
}

const progressOf = ({tally: {done, statements}}: JobSummary): string =>
  `${done.toLocaleString('en')} of ${statements.toLocaleString('en')}`;

/** As the result file has them, and the pipe. */
export const ROW_COLUMNS = recordColumns(Object.keys(rowFields), {amount: 'centavos'});

/** For people. */
const ROW_TABLE: readonly Column[] = [
  {path: 'external_id', header: 'external id', kind: 'text', rank: 1},
  {path: 'number', header: 'number', kind: 'text', rank: 2},
  {path: 'amount', header: 'amount', kind: 'centavos', rank: 3},
  {path: 'stands', header: 'status', kind: 'text', rank: 3},
  {path: 'error', header: 'error', kind: 'text', rank: 4},
  {path: 'id', header: 'id', kind: 'text', rank: 6},
];

/** Prints a job with these of its rows, as they are read. */
export function printJob(job: JobSummary, rows: Iterable<Row>, rendering: Rendering, context: Context): Promise<void> {
  const {id, source, tally, isRunning} = job;
  const below = [
    `${id}, ${source}: ${progressOf(job)} done, ${formatPesos(tally.doneAmount)}, ${stateWords(job)}.`,
    ...(tally.failed > 0 && !isRunning ? [`To retry what failed: ${resumeCommand(context, id)} --retry-failed`] : []),
  ];
  const resultOf = (some: readonly Row[]): Result => {
    const records = some.map(recordOf);
    const shown = some.map((row, index) => ({...records[index]!, stands: rowWords(row)}));
    const document = {...jobRecord(job), rows: records};
    return resultOfRecords(records, ROW_COLUMNS, {
      shown,
      document,
      rowsIn: 'rows',
      atTerminal: ROW_TABLE,
      below,
    });
  };
  return renderList(pagesOf(rows), resultOf, rendering, untilStopped(context));
}

function rowWords({phase, sent, status, unsettled_at: unsettledAt}: Row): string {
  if (phase === 'failed') return 'failed';
  if (sent === 'unknown') return 'may have been sent';
  if (phase === 'done') return sent === 'yes' ? 'sent' : (status ?? 'draft');
  return phase === 'planned' ? 'waiting' : unsettledAt === null ? 'begun' : 'in doubt';
}
