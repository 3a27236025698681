// Prints jobs and their statements, as tables and for scripts.

import type {StatementRow} from '../job/job-types.js';
import type {JobFile} from '../job/job-file.js';
import {resultOfRecords, type RecordTable} from '../../../cli/records.js';
import {accountFlagsOf} from '../../../cli/next-steps.js';
import * as schema from '../../../cli/schema.js';
import type {Context} from '../../../context/context.js';
import {formatInteger} from '../../../common/counts.js';
import {formatPesos} from '../../../common/pesos.js';
import {renderList, untilStopped} from '../../../output/render-list.js';
import type {Rendering, CommandResult} from '../../../output/result.js';
import {doubtStep, isAdopted, resumeCommand, jobSummaryOf, type JobSummary} from './find-jobs.js';
import {IMPORT_ROW, pagesOf, tallyFields} from './plan-output.js';
import {rowRecordOf} from './progress.js';

const jobFields = {
  ...schema.fieldsNamed('id source profile mode', schema.text),
  period: schema.nullable(schema.text),
  state: schema.text,
  ...tallyFields,
  amount: schema.centavos,
  finalize: schema.boolean,
  send: schema.boolean,
  created_at: schema.timestamp,
  ended_at: schema.nullable(schema.timestamp),
  void: schema.integer,
};
const JOB = schema.record(jobFields);

function jobRecord({tally, isRunning, ...job}: JobSummary): schema.SchemaValue<typeof JOB> {
  const state = isRunning ? 'running' : job.state === 'running' ? 'stopped' : job.state;
  const values = {...job, ...tally, state, in_doubt: tally.inDoubt, void: tally.voided};
  const names = Object.keys(jobFields) as (keyof typeof jobFields)[];
  return Object.fromEntries(names.map((name) => [name, values[name]])) as schema.SchemaValue<typeof JOB>;
}

export const jobsSchema = schema.page(JOB);
export const jobSchema = schema.record({...jobFields, rows: schema.list(IMPORT_ROW)});

const JOB_TABLE: RecordTable = {
  created_at: {header: 'begun', rank: 4},
  source: {header: 'file', rank: 2},
  period: 5,
  progress: {header: 'done', rank: 3},
  amount: 3,
  stands: {header: 'status', rank: 3},
  id: 1,
};

export function resultOfJobs(jobs: readonly JobSummary[]): CommandResult {
  const shown = jobs.map((job) => ({...jobRecord(job), stands: formatJobState(job), progress: progressOf(job)}));
  const data = jobs.map(jobRecord);
  const isOneAccount = new Set(data.map(({profile}) => profile)).size < 2;
  const atTerminal = {...JOB_TABLE, ...(!isOneAccount && {profile: {header: 'where', rank: 2}, amount: 4})};
  return resultOfRecords(JOB, data, {shown, atTerminal, empty: 'No jobs found.'});
}

/** `running`, `stopped`, `3 failed`, `done`, `2 void`. */
function formatJobState(job: JobSummary): string {
  const {state, failed, in_doubt: inDoubt, statements, done, void: voided} = jobRecord(job);
  const isVoid = voided > 0 && `${formatInteger(voided)} void`;
  if (state !== 'ended') return [state === 'ready' ? 'not started' : state, isVoid].filter(Boolean).join(', ');
  const parts = [failed > 0 && `${failed} failed`, inDoubt > 0 && `${inDoubt} outcome unknown`, isVoid].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : done === statements ? 'done' : 'incomplete';
}

const progressOf = ({tally: {done, statements}}: JobSummary): string =>
  `${formatInteger(done)} of ${formatInteger(statements)}`;

const ROW_TABLE: RecordTable = {
  external_id: {header: 'in file', rank: 1},
  customer_name: {header: 'customer', rank: 2},
  number: 4,
  amount: 3,
  stands: {header: 'status', rank: 3},
  error: 3,
  id: 6,
};

/** Prints a job with these rows, page by page, while rows are read. */
export async function printJob(file: JobFile, rows: Iterable<StatementRow>, rendering: Rendering, context: Context) {
  const job = jobSummaryOf(context, file);
  const {id, source, tally} = job;
  const state = formatJobState(job);
  const parts = [`${progressOf(job)} done`, formatPesos(tally.doneAmount), ...(state === 'done' ? [] : [state])];
  const below = [`${id}, ${source}: ${parts.join(', ')}.`];
  const resultOf = (some: readonly StatementRow[]): CommandResult => {
    const records = some.map((row) => rowRecordOf(row, file));
    // The status column already shows the unknown outcome.
    const errorOf = ({sent, error}: StatementRow): string | null => (sent === 'unknown' ? null : error);
    const shown = some.map((row, index) => ({...records[index]!, stands: formatRowState(row), error: errorOf(row)}));
    const document = {...jobRecord(job), rows: records};
    return resultOfRecords(IMPORT_ROW, records, {shown, document, rowsIn: 'rows', atTerminal: ROW_TABLE, below});
  };
  await renderList(pagesOf(rows), resultOf, rendering, untilStopped(context));
  if (!context.io.stdoutIsTerminal) return;
  // Prints each command with its own note, so that the command can be copied.
  for (const line of nextCommands(job, resumeCommand(context, id), doubtStep(context, file))) context.io.note(line);
  if (job.finalize && tally.done > tally.voided)
    context.io.note(
      `Payments and voids made elsewhere since then are not shown. To see the amounts owed: centavo owed${accountFlagsOf(context)}`,
    );
}

function nextCommands({state, isRunning, tally}: JobSummary, resume: string, doubt: string): string[] {
  const {statements, done, failed, inDoubt} = tally;
  if (isRunning || state === 'abandoned' || done === statements) return [];
  if (state === 'running' || done + failed + inDoubt < statements) return [`To continue: ${resume}`];
  return [
    ...(failed > 0 ? [`To retry the failed rows: ${resume} --retry-failed`] : []),
    ...(inDoubt > 0 ? [doubt] : []),
  ];
}

function formatRowState(row: StatementRow): string {
  const {phase, sent, status, unsettled_at: unsettledAt} = row;
  if (status !== null && status !== 'draft' && status !== 'open') return status;
  if (phase === 'failed') return 'failed';
  if (sent === 'unknown') return isAdopted(row) ? 'open, email unknown' : 'may have been sent';
  if (phase === 'done') return sent === 'yes' ? 'sent' : (status ?? 'draft');
  if (unsettledAt !== null) return 'outcome unknown';
  return phase === 'planned' ? 'waiting' : phase === 'drafted' ? 'draft' : 'begun';
}
