// Continues an import that was stopped.

import type {Row} from '../../../../billing/import/job/facts.js';
import type {JobFile} from '../../../../billing/import/job/file.js';
import {sameAccount} from '../../../../cli/next-command.js';
import type {Context} from '../../../../context.js';
import {CentavoError, refused, usageError} from '../../../../ground/errors.js';
import {formatPesos} from '../../../../ground/pesos.js';
import {guardChange} from '../../../../guard/guard.js';
import {shellQuote} from '../../../../input/shell-words.js';
import type {Choice} from '../../../../output/prompt/prompt.js';
import type {Rendering} from '../../../../output/result.js';
import {adopt, refuseIfBegun} from './adopt.js';
import {checkAccount, resumeCommand, UNDONE, withJob} from './jobs.js';
import {lookingAgain, madeMeanwhile} from './look-again.js';
import {changeOfImport, printPlan} from './plan-words.js';
import {payerOf} from './progress.js';
import {checkRun, resultOf, workOn, type JobFlags} from './run.js';

/** @param text id of the job, as typed @param command for the history */
export async function resumeJob(
  context: Context,
  text: string,
  command: string,
  flags: JobFlags,
  rendering: Rendering,
): Promise<void> {
  const {host, isAlive, io, now} = context;
  const checked = await checkRun(context, flags, rendering, 'continue an import');
  const options = {...checked, ended: new Set<string>()};
  const {retries} = options;
  await withJob(context, text, async (job) => {
    const {source, result_file: resultFile} = job.record;
    const result = await resultOf(context, flags, source, resultFile);
    io.progress('Looking at the account');
    await checkAccount(context, job).catch(orLater(context, job.id));
    io.progress(undefined);
    job.refuseIfTaken(host.identity, isAlive);
    refuseIfUnread(context, job);
    if (flags['dry-run']) {
      const phases = [...UNDONE, ...(retries ? (['failed'] as const) : [])];
      return printPlan(job, job.rows(phases), rendering, context);
    }
    const own = await madeMeanwhile(context, job, options).catch(orLater(context, job.id));
    if (own.length > 0) await adopt(context, job, own, options.adopt);
    const {again, arrived} = flags['resend-unknown'] ? await askUnknown(context, job) : {again: [], arrived: []};
    const resent = again.map(({n}) => n);
    const left = job.left(retries, resent);
    const change = changeOfImport(job, left, command);
    if (left.statements > 0) await guardChange(context, flags, lookingAgain(context, job, options, change));
    return workOn(context, job, rendering, {
      ...options,
      result,
      prepare: async () => {
        await refuseIfBegun(context, job, 'running');
        if (retries) job.retryFailed();
        job.sendAgain(again, now());
        for (const {n} of arrived) job.setRow(n, ARRIVED);
      },
    });
  });
}

/** An account that cannot be reached now may be reached later. */
const orLater =
  (context: Context, id: string) =>
  (error: unknown): never => {
    if (!(error instanceof CentavoError) || error.kind !== 'unavailable') throw error;
    throw error.with({applied: 'no', hint: `To continue: ${resumeCommand(context, id)}`});
  };

/** Refuses a job that was killed before its file was read and confirmed. */
function refuseIfUnread(context: Context, {id, record: {state, source, finalize, send}}: JobFile): void {
  if (state !== 'ready') return;
  const again = `centavo billing-statements import ${shellQuote(source)}${send ? ' --send' : finalize ? ' --finalize' : ''}`;
  throw refused('job_not_begun', `${id} was never begun.`, {
    why: 'It ended before its file was read, checked and confirmed.',
    hint: source === '-' ? 'Import the file again.' : `Import it again: ${again}${sameAccount(context)}`,
  });
}

const ARRIVED: Partial<Row> = {sent: 'yes', phase: 'done', unsettled_at: null, error_code: null, error: null};

/** Asks about each row that may have been sent. @returns rows by what a person decided */
async function askUnknown({io, prompt}: Context, job: JobFile) {
  const unclear = job.unclearSends();
  if (unclear.length > 0 && !io.canAsk)
    throw usageError('cannot_ask', '--resend-unknown asks about each statement, and there is no terminal.', {
      hint: 'Run it at a terminal, without --json, --no-input and pipes.',
    });
  const question = (row: Row): string =>
    `${row.number ?? row.external_id} for ${payerOf(job, row)}, ${formatPesos(row.amount)}, may have been sent.`;
  const [again, arrived]: [Row[], Row[]] = [[], []];
  const choices: Choice<Row[] | undefined>[] = [
    {name: 'Decide later', value: undefined},
    {name: 'The customer has it: count it as sent', value: arrived},
    {name: 'Send it again', value: again},
  ];
  for (const row of unclear) (await prompt.select(question(row), choices))?.push(row);
  return {again, arrived};
}
