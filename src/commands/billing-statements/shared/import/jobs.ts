// The jobs of this machine: a file for each, in a folder of its own.

import {readdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import type {JobRecord, Phase, Tally} from '../../../../billing/import/job/facts.js';
import type {JobFile} from '../../../../billing/import/job/file.js';
import {sameAccount} from '../../../../cli/next-command.js';
import type {Context} from '../../../../context.js';
import {CentavoError, usageError} from '../../../../ground/errors.js';
import {DAY} from '../../../../ground/manila.js';
import {reasonOf} from '../../../../ground/system-errors.js';
import {quote} from '../../../../input/money.js';
import {shellQuote} from '../../../../input/shell-words.js';

/** How long a job is kept after it has ended, in seconds: it holds names, addresses and amounts. */
export const KEPT = 90 * DAY;

/** Phases of rows that a resumed job works on. */
export const UNDONE: readonly Phase[] = ['planned', 'drafting', 'drafted', 'finishing'];

const NAME = /^job_[a-z0-9]{10}$/;

export const jobFolder = (context: Context): string => join(context.dataDirectory(), 'jobs');
export const jobPath = (context: Context, id: string): string => join(jobFolder(context), `${id}.db`);
/** An id that no other job has. */
export const newJobId = (context: Context): string => `job_${context.token(20).toLowerCase().slice(0, 10)}`;

/** Where a job's account is: an import never goes on with another one. */
export async function accountOf(context: Context): Promise<string> {
  const {mode, baseUrl} = await context.connection();
  return mode === 'sandbox' ? 'sandbox' : `${baseUrl!.value} ${mode}`;
}

export async function checkAccount(context: Context, job: JobFile): Promise<void> {
  const {id, account, profile, mode} = job.record;
  const connection = await context.connection();
  const {knownId} = job;
  const isSameName = profile === connection.profile.value;
  const isSameService = account === (await accountOf(context));
  if (isSameService && (knownId === undefined ? isSameName : await has(context, knownId))) return;
  if (isSameService && isSameName)
    throw new CentavoError('refused', `this account does not have ${knownId}, which ${id} works with.`, {
      code: 'other_account',
      why: mode === 'sandbox' ? 'The sandbox was reset.' : 'It was deleted, or the key is now that of another account.',
      hint: `To bill the file here, give up ${id} and import it again: centavo jobs abandon ${id}`,
      applied: 'no',
    });
  throw new CentavoError('refused', `${id} is for another account.`, {
    code: 'other_account',
    why: `It was begun with the profile ${profile}, for ${account}.`,
    hint: `Name the profile: centavo jobs resume ${id} --profile ${shellQuote(profile)}${mode === 'live' ? ' --live' : ''}`,
    applied: 'no',
  });
}

/** Whether the account has a customer or statement that the job knows. */
async function has(context: Context, id: string): Promise<boolean> {
  const client = await context.client();
  const {signal} = context;
  const read = id.startsWith('cus_') ? client.customers.get(id, {signal}) : client.billingStatements.get(id, {signal});
  return read.then(
    () => true,
    (error: unknown) => {
      if (error instanceof CentavoError && error.kind === 'not_found') return false;
      throw error;
    },
  );
}

export async function openJob(context: Context, text: string): Promise<JobFile> {
  const id = text.trim();
  if (!NAME.test(id))
    throw usageError(`${quote(text)} is not the id of a job.`, {
      code: 'invalid_id',
      hint: 'To list jobs: centavo jobs list',
    });
  if (!jobIds(context).includes(id))
    throw new CentavoError('not_found', `there is no job ${id} on this machine.`, {
      code: 'job_not_found',
      hint: 'To list jobs: centavo jobs list',
      applied: 'no',
    });
  const {JobFile} = await context.imports();
  return JobFile.open(jobPath(context, id));
}

export function jobIds(context: Context): string[] {
  try {
    return readdirSync(jobFolder(context))
      .filter((name) => name.endsWith('.db'))
      .map((name) => name.slice(0, -'.db'.length))
      .filter((id) => NAME.test(id));
  } catch (error) {
    if ((error as {code?: string}).code === 'ENOENT') return [];
    throw new CentavoError('local_io', `the jobs in ${jobFolder(context)} cannot be read.`, {why: reasonOf(error)});
  }
}

export function removeJob(context: Context, id: string): void {
  for (const end of ['-journal', '']) rmSync(jobPath(context, id) + end, {force: true});
}

export interface JobSummary extends JobRecord {
  readonly tally: Tally;
  readonly isRunning: boolean;
}

export function summaryOf(context: Context, job: JobFile): JobSummary {
  return {...job.record, tally: job.tally, isRunning: job.isRunning(context.isAlive)};
}

/** Every job that can be read, newest first. @param options `says` which cannot */
export async function allJobs(context: Context, {says = false} = {}): Promise<JobSummary[]> {
  const {JobFile} = await context.imports();
  const found: JobSummary[] = [];
  for (const id of jobIds(context)) {
    try {
      const job = JobFile.open(jobPath(context, id));
      try {
        found.push(summaryOf(context, job));
      } finally {
        job.close();
      }
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      if (says) context.io.note(`${id} cannot be read. To see why: centavo jobs get ${id}`);
    }
  }
  return found.sort((one, other) => other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1));
}

/** Jobs that ended long ago, and files that were never begun. @param now unix seconds */
export async function oldJobs(context: Context, now: number): Promise<JobSummary[]> {
  return (await allJobs(context, {says: true})).filter(({endedAt, keep, state, isRunning, createdAt}) => {
    const isOver = endedAt !== null && now - endedAt >= KEPT;
    // One that was checked and never begun has sent nothing.
    const isUnused = state === 'ready' && now - createdAt >= DAY;
    return !isRunning && !keep && (isOver || isUnused);
  });
}

export const resumeCommand = (context: Context, id: string): string =>
  `centavo jobs resume ${id}${sameAccount(context)}`;
