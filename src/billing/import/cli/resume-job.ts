// Continues an import that was stopped.

import type {StatementRow} from '../job/job-types.js';
import type {JobFile} from '../job/job-file.js';
import type {Context} from '../../../context/context.js';
import {CentavoError, refusedError, usageError} from '../../../common/errors.js';
import {formatPesos} from '../../../common/pesos.js';
import {guardChange} from '../../../guard/guard.js';
import type {Choice} from '../../../output/prompt/prompt.js';
import type {Rendering} from '../../../output/result.js';
import {adoptExisting} from './adopt-existing.js';
import {refuseIfBegun} from './begun-jobs.js';
import {ARRIVED, checkAccount, isAdopted, jobStep, UNDONE, withJob} from './find-jobs.js';
import {withRecheck, findCreatedSince} from './recheck-account.js';
import {changeOfImport, printPlan} from './plan-output.js';
import {rowPayerOf} from './progress.js';
import {checkImportRun, importResultOf, workOnJob, type JobFlags} from './run-import.js';

/** @param text id of the job, as typed @param command name for the history */
export async function resumeJob(
  context: Context,
  text: string,
  command: string,
  flags: JobFlags,
  rendering: Rendering,
): Promise<void> {
  const {host, isAlive, io} = context;
  const checked = await checkImportRun(context, flags, 'continue an import');
  const options = {...checked, ended: new Set<string>()};
  const {retries} = options;
  await withJob(context, text, async (job) => {
    const {source, result_file: resultFile} = job.record;
    const result = await importResultOf(context, flags, source, resultFile);
    io.progress('Checking the account');
    await checkAccount(context, job).catch(withResumeStep(context, job.id));
    io.progress(undefined);
    job.refuseIfTaken(host.identity, isAlive);
    refuseIfUnread(context, job);
    if (flags['dry-run']) {
      const phases = [...UNDONE, ...(retries ? (['failed'] as const) : [])];
      return printPlan(job, job.rows(phases), rendering, context);
    }
    await (await context.runs()).ownFolder(options.adopt ? 'adopts' : 'continues');
    const own = await findCreatedSince(context, job, options).catch(withResumeStep(context, job.id));
    if (own.length > 0) await adoptExisting(context, job, own, {adopts: options.adopt});
    const {again, arrived} = flags['resend-unknown'] ? await askAboutSends(context, job) : {again: [], arrived: []};
    const resent = again.map(({n}) => n);
    const remaining = job.remainingRows(retries, resent);
    const change = changeOfImport(job, remaining, command);
    if (remaining.statements > 0) await guardChange(context, flags, withRecheck(context, job, options, change));
    return workOnJob(context, job, rendering, {
      ...options,
      result,
      prepare: async () => {
        await refuseIfBegun(context, job, 'running');
        if (retries) job.retryFailed();
        job.sendAgain(again, await context.accountNow());
        const history = await context.history();
        for (const {id} of arrived) history.countAsSent(id!);
        for (const {n} of arrived) job.setRow(n, ARRIVED);
      },
    });
  });
}

/** Adds the resume command to the error of an unreachable service. */
const withResumeStep =
  (context: Context, id: string) =>
  (error: unknown): never => {
    if (!(error instanceof CentavoError) || error.kind !== 'unavailable') throw error;
    throw error.with({
      applied: 'no',
      hint: undefined,
      job: id,
      next: [jobStep(context, 'To continue', 'jobs resume', id)],
    });
  };

/** Throws for a job that ended before its file was read and confirmed. */
function refuseIfUnread(context: Context, {id, record: {state, source, finalize, send}}: JobFile): void {
  if (state !== 'ready') return;
  const ends = [source, ...(send ? ['--send'] : finalize ? ['--finalize'] : [])];
  throw refusedError('job_not_begun', `${id} was never started.`, {
    why: 'It ended before its file was read, checked and confirmed.',
    ...(source === '-'
      ? {hint: 'Import the file again.'}
      : {next: [jobStep(context, 'Import it again', 'import', ...ends)]}),
    job: id,
  });
}

/** Asks about each row that may have been sent. @returns rows to send `again`, and rows that have `arrived` */
async function askAboutSends({io, prompt}: Context, job: JobFile) {
  const inDoubt = job.sendsInDoubt();
  if (inDoubt.length > 0 && !io.canAsk)
    throw usageError('cannot_ask', '--resend-unknown asks questions and needs a terminal.', {
      hint: 'Run it at a terminal, without --json, --no-input and pipes.',
    });
  const question = (row: StatementRow): string =>
    `${row.number ?? row.external_id} for ${rowPayerOf(job, row)}, ${formatPesos(row.amount)}, ${isAdopted(row) ? 'is open. Whether it was emailed is not known.' : 'may have been sent.'}`;
  const [again, arrived]: [StatementRow[], StatementRow[]] = [[], []];
  const choices: Choice<StatementRow[] | undefined>[] = [
    {name: 'Decide later', value: undefined},
    {name: 'The customer has it: count it as sent', value: arrived},
    {name: 'Send it again', value: again},
  ];
  for (const row of inDoubt) (await prompt.select(question(row), choices))?.push(row);
  return {again, arrived};
}
