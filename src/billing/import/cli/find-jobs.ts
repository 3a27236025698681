// Finds, opens and removes the jobs of this machine. Each job is a file in the folder `jobs`.

import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import type {ExistingStatement} from '../existing-statements.js';
import type {JobState, RowPhase, StatementRow} from '../job/job-types.js';
import type {JobFile} from '../job/job-file.js';
import {DEFAULT_PROJECT} from '../../../config/profiles.js';
import {localName} from '../../../config/resolve.js';
import {accountArgs, accountFlagsOf} from '../../../cli/next-steps.js';
import type {Context} from '../../../context/context.js';
import {formatInteger} from '../../../common/counts.js';
import {
  CentavoError,
  nextCommand,
  refusedError,
  usageError,
  type ErrorDetails,
  type NextCommand,
} from '../../../common/errors.js';
import {DAY} from '../../../common/manila.js';
import {systemReason} from '../../../common/system-errors.js';
import {quote} from '../../../input/money.js';

/** Seconds for which an ended job is kept: its file contains names, addresses and amounts. */
const RETENTION = 90 * DAY;
/** Seconds for which a job without rows is kept: another process may be reading its file. */
const EMPTY_RETENTION = 600;
/** Maximum ids in an error. */
const MAX_IDS = 100;

export const LIST_JOBS = nextCommand('To list jobs', 'jobs list');

/** Phases of rows that a resumed job works on. */
export const UNDONE: readonly RowPhase[] = ['planned', 'drafting', 'drafted', 'finishing'];

const JOB_FILE = /^(job_[a-z0-9]{10})\.db$/;

const jobFolder = (context: Context): string => join(context.dataDirectory(), 'jobs');
export const jobPath = (context: Context, id: string): string => join(jobFolder(context), `${id}.db`);

export async function checkAccount(context: Context, job: JobFile): Promise<void> {
  const {knownId, record} = job;
  const isSameName = record.profile === localName(await context.connection());
  await checkService(context, job, 'resume');
  if (knownId === undefined ? isSameName : await accountHas(context, knownId)) return;
  if (!isSameName) throw otherAccount(job, 'resume');
  throw accountChanged(job, `${knownId}, which ${job.id} uses, is not in this account.`);
}

/** Throws if the job is for another service or mode. @param verb the command in the hint */
export async function checkService(context: Context, job: JobFile, verb: 'resume' | 'void'): Promise<void> {
  const {account, id, mode, profile} = job.record;
  if (account === (await context.accountId())) return;
  if (mode === 'sandbox' && profile === localName(await context.connection()))
    throw accountChanged(job, `${id} belongs to the sandbox as it was before.`);
  throw otherAccount(job, verb);
}

const accountChanged = ({record: {id, mode}}: JobFile, message: string): CentavoError =>
  refusedError('other_account', message, {
    why: mode === 'sandbox' ? 'The sandbox was reset.' : 'It was deleted, or the key now belongs to another account.',
    next: [nextCommand(`To bill the file here, abandon ${id} and import it again`, 'jobs remove', id)],
    job: id,
  });

function otherAccount({record: {id, account, profile, mode}}: JobFile, verb: string): CentavoError {
  const [name, project] = profile.split('/');
  const ofSandbox = mode === 'sandbox' ? ['--project', project ?? DEFAULT_PROJECT] : [];
  const flags = ['--profile', name!, ...ofSandbox, ...(mode === 'live' ? ['--live'] : [])];
  return refusedError('other_account', `${id} belongs to another account.`, {
    why: `It was started with profile ${profile}, for ${account.split(' ')[0]}.`,
    next: [nextCommand('Name the profile', `jobs ${verb}`, id, flags)],
    job: id,
  });
}

/** True if the account has this customer or statement. */
async function accountHas(context: Context, id: string): Promise<boolean> {
  const client = await context.client();
  const {ignoreNotFound} = await context.imports();
  const {signal} = context;
  const read = id.startsWith('cus_') ? client.customers.get(id, {signal}) : client.billingStatements.get(id, {signal});
  return (await Promise.resolve(read).catch(ignoreNotFound)) !== undefined;
}

export const missingJob = (verb: string): CentavoError =>
  usageError('missing_argument', `the id of the import to ${verb} is missing.`, {next: [LIST_JOBS]});

/** Opens a job by its id as typed, and closes it when the work is done. */
export async function withJob<T>(context: Context, text: string, work: (job: JobFile) => Promise<T> | T): Promise<T> {
  const id = text.trim();
  const next = [LIST_JOBS];
  if (!JOB_FILE.test(`${id}.db`)) throw usageError('invalid_id', `${quote(text)} is not a job id.`, {next});
  const missing = {code: 'job_not_found', next, applied: 'no'} as const;
  if (!jobIds(context).includes(id))
    throw new CentavoError('not_found', `job ${id} was not found on this machine.`, missing);
  return withOpenJob(context, id, work);
}

async function withOpenJob<T>(context: Context, id: string, work: (job: JobFile) => Promise<T> | T): Promise<T> {
  const {JobFile} = await context.imports();
  const job = JobFile.open(jobPath(context, id));
  try {
    await countArrived(context, job);
    return await work(job);
  } finally {
    job.close();
  }
}

/** Values of a row whose statement another run finalized, and may have sent. Only a person can say. */
export const ADOPTED = {error_code: 'adopted', error: 'Adopted: open. Whether it was emailed is not known.'} as const;
export const isAdopted = (row: Pick<StatementRow, 'error_code'>): boolean => row.error_code === ADOPTED.error_code;
/** The step that asks a person about each statement that may have been sent. */
export const doubtStep = (context: Context, job: JobFile): string =>
  `${job.sendsInDoubt().every(isAdopted) ? 'To say for each statement whether the customer has it' : 'To decide for each statement whether to send it again'}: ${resumeCommand(context, job.id)} --resend-unknown`;

/** Values of a row whose statement was sent after all. */
export const ARRIVED = {sent: 'yes', phase: 'done', unsettled_at: null, error_code: null, error: null} as const;

/** Ends the doubt about statements that the history knows as sent: another job may have sent them, or a person said so. */
async function countArrived({changeLog, isAlive}: Context, job: JobFile): Promise<void> {
  for (const {n, id, resend_at: after} of job.isRunning(isAlive) ? [] : job.sendsInDoubt()) {
    const send = id === null ? undefined : (await changeLog()).lastSend(id);
    if (send?.state === 'sent' && send.at > (after ?? 0)) job.setRow(n, ARRIVED);
  }
}

function jobIds(context: Context): string[] {
  try {
    return readdirSync(jobFolder(context)).flatMap((name) => JOB_FILE.exec(name)?.[1] ?? []);
  } catch (error) {
    if ((error as {code?: string}).code === 'ENOENT') return [];
    throw new CentavoError('local_io', `the jobs in ${jobFolder(context)} cannot be read.`, {why: systemReason(error)});
  }
}

export async function removeJob(context: Context, id: string): Promise<void> {
  const {JobFile} = await context.imports();
  JobFile.remove(jobPath(context, id));
}

export function jobSummaryOf({isAlive}: Context, job: JobFile) {
  return {...job.record, tally: job.tally, isRunning: job.isRunning(isAlive)};
}
export type JobSummary = ReturnType<typeof jobSummaryOf>;

/** All readable jobs, newest first. @param warns true to print a note for each unreadable job */
export async function allJobs(context: Context, warns: boolean): Promise<JobSummary[]> {
  const found: JobSummary[] = [];
  for (const id of jobIds(context)) {
    try {
      found.push(await withOpenJob(context, id, (job) => jobSummaryOf(context, job)));
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      if (warns) context.io.note(`${id} cannot be read. To see why: centavo jobs get ${id}`);
    }
  }
  return found.sort((one, other) => other.created_at - one.created_at || (one.id < other.id ? 1 : -1));
}

/** Readable jobs of this account, newest first. */
export async function ownJobs(context: Context): Promise<JobSummary[]> {
  const own = await context.accountId();
  return (await allJobs(context, false)).filter(({account}) => account === own);
}

/** Returns the id of the matching job of this account; the user chooses from several. @param verb the action in errors */
export async function chooseJob(verb: string, context: Context, fits: (job: JobSummary) => boolean): Promise<string> {
  const {io, prompt} = context;
  const found = (await ownJobs(context)).filter((job) => !job.isRunning && fits(job));
  const label = ({id, source, period, tally: {done, statements}}: JobSummary): string =>
    `${id}, ${source}${period === null ? '' : ` (${period})`}: ${formatInteger(done)} of ${formatInteger(statements)} done`;
  const [first] = found;
  if (!first) throw usageError('no_job', `no import to ${verb}.`, {next: [LIST_JOBS]});
  if (found.length === 1) {
    io.note(label(first));
    context.resolved.set('', first.id);
    return first.id;
  }
  const choices = found.map((job) => ({name: label(job), value: job.id}));
  if (io.canAsk) return prompt.select('Which import?', choices);
  throw usageError('several_jobs', `found ${formatInteger(found.length)} imports to ${verb}.`, {
    changed: '',
    hint: `Name one: ${found.map(({id}) => id).join(', ')}`,
    candidates: found.map(({id, source}) => ({id, name: source})),
    next: [LIST_JOBS],
  });
}

/** Opens each other job of the same account, newest first. Skips jobs that another process has just removed. */
export async function forEachOtherJob(
  context: Context,
  {id}: JobFile,
  visit: (other: JobFile, summary: JobSummary) => void,
): Promise<void> {
  for (const summary of await ownJobs(context))
    if (summary.id !== id)
      await withOpenJob(context, summary.id, (other) => visit(other, summary)).catch((error: unknown) => {
        if (!(error instanceof CentavoError) || error.code !== 'job_not_found') throw error;
      });
}

/** Jobs that ended 90 days ago or earlier, and jobs that were not started within a day (ten minutes without rows), each by its account's clock. */
export async function oldJobs(context: Context): Promise<JobSummary[]> {
  const [own, ownNow, now] = [await context.accountId(), await context.accountNow(), context.now()];
  const old = (await allJobs(context, true)).filter(
    ({account, ended_at: endedAt, state, isRunning, created_at: begun, tally}) => {
      const at = account === own ? ownNow : now;
      // A job that was never started has sent nothing.
      const isLeft = state === 'ready' && at - begun >= (tally.statements === 0 ? EMPTY_RETENTION : DAY);
      const isOver = endedAt === null ? isLeft : at - endedAt >= RETENTION;
      return !isRunning && isOver;
    },
  );
  if (old.length > 0) await context.serviceNow();
  return context.allowsPruning() ? old : [];
}

export const jobStep = (context: Context, words: string, command: string, ...args: string[]): NextCommand =>
  nextCommand(words, command, args, accountArgs(context));

/** Ends a job that no process runs. @param at unix seconds by the account's clock */
export function endJob({host, isAlive}: Context, job: JobFile, state: JobState, at: number): void {
  job.claim(host.identity, isAlive);
  job.release(host.identity, state, at);
}

/** The error about bills of the account, which only a person may lift. */
export function refusedBills(
  context: Context,
  code: string,
  message: string,
  bills: readonly Pick<ExistingStatement, 'statement'>[],
  details: ErrorDetails,
): CentavoError {
  const ids = [...new Set(bills.map(({statement}) => statement.id))].slice(0, MAX_IDS);
  const next = [jobStep(context, 'To see one', 'billing-statements get', ids[0]!)];
  return refusedError(code, message, {ids, next, needsPerson: true, ...details});
}

export const resumeCommand = (context: Context, id: string): string =>
  `centavo jobs resume ${id}${accountFlagsOf(context)}`;
