// Jobs and their statements as people and scripts see them.

import type {Row} from '../../../../billing/import/job/facts.js';
import type {JobFile} from '../../../../billing/import/job/file.js';
import {boolean, integer, list, nullable, record, text} from '../../../../cli/json-schema.js';
import {recordColumns, resultOfRecords} from '../../../../cli/objects/results.js';
import type {Context} from '../../../../context.js';
import {formatPesos} from '../../../../ground/pesos.js';
import {renderList, untilStopped} from '../../../../output/render-list.js';
import type {Column, Rendering, Result} from '../../../../output/result.js';
import {resumeCommand, summaryOf, type JobSummary} from './jobs.js';
import {pagesOf, rowFields} from './plan-words.js';
import {recordOf} from './progress.js';

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
  {path: 'customer_name', header: 'customer', kind: 'text', rank: 2},
  {path: 'number', header: 'number', kind: 'text', rank: 4},
  {path: 'amount', header: 'amount', kind: 'centavos', rank: 3},
  {path: 'stands', header: 'status', kind: 'text', rank: 3},
  {path: 'error', header: 'error', kind: 'text', rank: 3},
  {path: 'id', header: 'id', kind: 'text', rank: 6},
];

/** Prints a job with these of its rows, as they are read. */
export async function printJob(
  file: JobFile,
  rows: Iterable<Row>,
  rendering: Rendering,
  context: Context,
): Promise<void> {
  const job = summaryOf(context, file);
  const {id, source, tally} = job;
  const stands = stateWords(job);
  const parts = [`${progressOf(job)} done`, formatPesos(tally.doneAmount), ...(stands === 'done' ? [] : [stands])];
  const below = [`${id}, ${source}: ${parts.join(', ')}.`];
  const resultOf = (some: readonly Row[]): Result => {
    const records = some.map((row) => recordOf(row, file));
    const shown = some.map((row, index) => ({
      ...records[index]!,
      stands: rowWords(row),
      // The status says it.
      error: row.sent === 'unknown' ? null : row.error,
    }));
    const document = {...jobRecord(job), rows: records};
    return resultOfRecords(records, ROW_COLUMNS, {
      shown,
      document,
      rowsIn: 'rows',
      atTerminal: ROW_TABLE,
      below,
    });
  };
  await renderList(pagesOf(rows), resultOf, rendering, untilStopped(context));
  if (!context.io.stdoutIsTerminal) return;
  // Commands are not broken between words, so that they can be copied.
  for (const line of nextOf(job, resumeCommand(context, id))) context.io.note(line);
}

/** The next commands for a job that is not done. */
function nextOf({state, isRunning, tally}: JobSummary, resume: string): string[] {
  const {statements, done, failed, inDoubt} = tally;
  if (isRunning || state === 'abandoned' || done === statements) return [];
  if (state === 'running' || done + failed + inDoubt < statements) return [`To continue: ${resume}`];
  return [
    ...(failed > 0 ? [`To retry what failed: ${resume} --retry-failed`] : []),
    ...(inDoubt > 0 ? [`To decide about each: ${resume} --resend-unknown`] : []),
  ];
}

function rowWords({phase, sent, status, unsettled_at: unsettledAt}: Row): string {
  if (phase === 'failed') return 'failed';
  if (sent === 'unknown') return 'may have been sent';
  if (phase === 'done') return sent === 'yes' ? 'sent' : (status ?? 'draft');
  if (unsettledAt !== null) return 'in doubt';
  return phase === 'planned' ? 'waiting' : phase === 'drafted' ? 'draft' : 'begun';
}
