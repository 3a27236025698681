// Finds unfinished imports of the same file, period or rows on this machine: continues, replaces or refuses them.

import {basename} from 'node:path';
import type {JobFile} from '../job/job-file.js';
import type {Context} from '../../../context/context.js';
import {formatCount, formatInteger} from '../../../common/counts.js';
import {refusedError, type CentavoError, type ErrorDetails} from '../../../common/errors.js';
import {timeOfDay} from '../../../common/manila.js';
import {momentText, REPEAT_WINDOW} from '../../../guard/repeats.js';
import {isNumbered} from '../../../input/own-numbers.js';
import {importNameOf} from './plan-output.js';
import type {JobHeader, StatementRow} from '../job/job-types.js';
import {
  endJob,
  forEachOtherJob,
  jobStep,
  ownJobs,
  resumeCommand,
  UNDONE,
  withJob,
  type JobSummary,
} from './find-jobs.js';

/** `june.csv was begun on 3 Jun at 10:03 and is not finished: 6 of 12 done.` @param now unix seconds by the account's clock */
const begunText = ({source, created_at: at, tally: {done, statements}}: JobSummary, now: number): string =>
  `${importNameOf(basename(source))} was begun ${momentText(at, now)} and is not finished: ${formatInteger(done)} of ${formatInteger(statements)} done.`;

/**
 * Finds the import of the same bytes and period to continue: unfinished, or with sends in doubt. Without a period, only
 * within 20 hours of its beginning, or if a person says so: an unfinished January is not February.
 * @returns its id; undefined if there is none, or if another plan replaces it
 */
export async function begunBefore(
  context: Context,
  {digest, period, finalize, send}: Pick<JobHeader, 'digest' | 'finalize' | 'period' | 'send'>,
  mayAsk: boolean,
): Promise<string | undefined> {
  const same = (await ownJobs(context)).filter((job) => job.digest === digest && job.period === period);
  const inDoubt = same.find(({state, tally}) => state === 'ended' && tally.inDoubt > 0);
  const begun = same.find(({state}) => state === 'running') ?? inDoubt;
  if (!begun) return undefined;
  if (begun.isRunning) throw inProgress(context, begun, importNameOf(basename(begun.source)));
  const now = await context.serviceNow();
  const isSamePlan = begun.finalize === finalize && begun.send === send;
  if (period !== null && !isSamePlan) return undefined;
  const text = begunText(begun, now);
  const why = isSamePlan
    ? 'Without --period, centavo cannot tell whether this bills the same month.'
    : 'It was begun with another choice of --finalize and --send.';
  if (isSamePlan && (period !== null || now - begun.created_at < REPEAT_WINDOW))
    context.io.note(`Continuing ${begun.id}: ${text}`);
  else if (begun === inDoubt) return undefined;
  else if (!mayAsk || !(await context.prompt.confirm(`${text} Continue that import instead?`)))
    throw unfinished(context, begun, text, why);
  return begun.id;
}

const TWICE = 'Two imports of one file would bill it twice.';

const refused = (context: Context, id: string, code: string, message: string, details: ErrorDetails): CentavoError =>
  refusedError(code, message, {job: id, next: [jobStep(context, 'To see it', 'jobs get', id)], ...details});

function inProgress(context: Context, {id}: JobSummary, what: string): CentavoError {
  const details = {why: TWICE, hint: 'Wait until it ends.', retryable: true};
  return refused(context, id, 'in_progress', `${what} is also in ${id}, which is running.`, details);
}

/** The error for an unfinished import, which only a person may continue or abandon. */
function unfinished(context: Context, {id}: JobSummary, message: string, why: string): CentavoError {
  const hint = `To continue it: ${resumeCommand(context, id)} (or abandon it: centavo jobs remove ${id})`;
  return refused(context, id, 'begun_before', message, {why, hint, needsPerson: true});
}

/** Jobs to check. `running`: only jobs that run now. `unfinished`: stopped jobs too. */
type JobScope = 'running' | 'unfinished';

interface Begun {
  readonly other: JobSummary;
  /** Number or name of the first row that both jobs have. */
  readonly external: string;
  /** True if this job has every row that the other still has to bill. */
  readonly holds: boolean;
}

async function findBegun(context: Context, job: JobFile, which: JobScope): Promise<Begun[]> {
  const found: Begun[] = [];
  await forEachOtherJob(context, job, (other, summary) => {
    if (!summary.isRunning && (which === 'running' || summary.state !== 'running')) return;
    if (job.period !== other.period && job.period !== null && other.period !== null) return;
    for (const row of job.rows())
      if (sharedRow(row, other)) {
        found.push({other: summary, external: row.external_id, holds: holdsOwed(job, other)});
        return;
      }
  });
  return found;
}

/** The other job's row of the same number; without numbers, of the same content. */
const sharedRow = (row: StatementRow, other: JobFile): StatementRow | undefined =>
  (isNumbered(row) ? other.rowWithExternalId(row.external_id) : other.rowWithPlainKey(row.plain_key)) ??
  other.rowWithKey(row.raw_key);

/** True if the job has every row that another still has to bill. An opened one must have the same content. */
function holdsOwed(job: JobFile, other: JobFile): boolean {
  if (job.period === null || job.period !== other.period) return false;
  for (const owed of other.rows([...UNDONE, 'failed'])) {
    const row = job.rowWithKey(owed.key) ?? job.rowWithKey(owed.raw_key);
    if (!row || (owed.opened === 1 && row.plain_key !== owed.plain_key)) return false;
  }
  return true;
}

/** Throws if another unfinished import has a row of this one. */
export async function refuseIfBegun(context: Context, job: JobFile, which: JobScope): Promise<void> {
  for (const begun of await findBegun(context, job, which)) throw rowBegun(context, begun);
}

const rowBegun = (context: Context, {other, external}: Begun): CentavoError =>
  other.isRunning
    ? inProgress(context, other, external)
    : unfinished(context, other, `${external} is also in ${other.id}, which is not done.`, TWICE);

/**
 * Ends unfinished imports of the same period, if this job has every row that they still have to bill, and waits until
 * their last calls show in the account. Throws for any other that has a row of this job.
 * @param mayAsk true if a person can be asked to continue the other import @returns the id of the import to continue
 */
export async function replaceBegun(context: Context, job: JobFile, mayAsk: boolean, dryRun: boolean) {
  const begun = await findBegun(context, job, 'unfinished');
  for (const each of begun) {
    const {other, external, holds} = each;
    if (holds && !other.isRunning) continue;
    const question = `${external} is also in ${other.id}, which was stopped. Continue that import instead?`;
    if (mayAsk && !other.isRunning && (await context.prompt.confirm(question))) return other.id;
    throw rowBegun(context, each);
  }
  if (begun.length === 0 || dryRun) return undefined;
  const at = await context.accountNow();
  // Their statements and drafts stay in the account.
  for (const {other} of begun) await withJob(context, other.id, (each) => endJob(context, each, 'abandoned', at));
  const {readDelay} = await context.billing();
  const timing = (await (await context.runs()).timing())();
  const wait = timing.settle + readDelay(timing);
  const what = `${formatCount(begun.length, 'import')} of this period ${begun.length === 1 ? 'was' : 'were'} not finished`;
  const until =
    wait === 0 ? '' : ` Checking until ${timeOfDay(context.nowMilliseconds() + wait)} which calls were applied.`;
  context.io.note(`${what}: this file replaces ${begun.map(({other}) => other.id).join(', ')}.${until}`);
  if (wait > 0) await context.sleep(wait, context.signal);
  return undefined;
}
