// Continues an import that was stopped.

import type {Row} from '../../../../billing/import/job/facts.js';
import type {JobFile} from '../../../../billing/import/job/file.js';
import {forceFlag} from '../../../../cli/base.js';
import type {GlobalFlags} from '../../../../cli/global-flags.js';
import {sameAccount} from '../../../../cli/next-command.js';
import {Flags} from '../../../../cli/oclif.js';
import type {Context} from '../../../../context.js';
import {CentavoError, usageError} from '../../../../ground/errors.js';
import {formatPesos} from '../../../../ground/pesos.js';
import {guardChange, guardConnection, guardIntent} from '../../../../guard/guard.js';
import {shellQuote} from '../../../../input/shell-words.js';
import type {Choice} from '../../../../output/prompt/prompt.js';
import type {Rendering} from '../../../../output/result.js';
import {adopt, refuseIfBegun} from './adopt.js';
import {checkAccount, openJob, resumeCommand, UNDONE} from './jobs.js';
import {lookingAgain, madeMeanwhile} from './look-again.js';
import {changeOfImport} from './plan-words.js';
import {printPlan} from './plan-words.js';
import {checkFormat, readConcurrency, resultPath, workOn} from './run.js';

/** What is done about statements that others have made. */
export const othersFlags = {
  'allow-duplicate': Flags.boolean({
    summary: 'Bill even what an open statement, or another row, bills already.',
  }),
  adopt: Flags.boolean({
    summary: 'Continue what another machine began and has ended.',
  }),
};

/** What a resumed job takes besides. */
export const resumeFlags = {
  'retry-failed': Flags.boolean({summary: 'Retry statements that failed.'}),
  'resend-unknown': Flags.boolean({
    summary: 'Decide about each that may have been sent.',
  }),
};

/** What every import takes. */
export const runFlags = {
  concurrency: Flags.string({summary: 'Statements at a time, 1 to 32.', helpValue: '<number>', default: '4'}),
  result: Flags.string({
    summary: 'CSV file for ids, numbers, links and errors.',
    helpValue: '<file>',
  }),
  force: forceFlag,
};

export interface ResumeFlags extends GlobalFlags {
  readonly concurrency: string;
  readonly result?: string;
  readonly force?: boolean;
  readonly adopt?: boolean;
  readonly 'allow-duplicate'?: boolean;
  readonly 'retry-failed'?: boolean;
  readonly 'resend-unknown'?: boolean;
}

interface Resumed {
  readonly context: Context;
  /** As typed. */
  readonly id: string;
  /** The command, for the history. */
  readonly command: string;
  readonly flags: ResumeFlags;
  readonly rendering: Rendering;
}

export async function resumeJob({context, id, command, flags, rendering}: Resumed): Promise<void> {
  const {host, isAlive, io, now} = context;
  const connection = await context.connection();
  guardConnection(connection, flags);
  const concurrency = readConcurrency(flags.concurrency);
  if (!flags['dry-run']) checkFormat(rendering);
  if (!flags['dry-run']) guardIntent(connection, flags, 'continue an import', io);
  const job = await openJob(context, id);
  try {
    const resultFile = flags.result === undefined ? job.record.resultFile : resultPath(flags.result);
    const asked = {flag: '--result', force: flags.force, inputs: [job.record.source]};
    const result = resultFile === null ? undefined : await context.fileToWrite(resultFile, asked);
    io.progress('Looking at the account');
    await checkAccount(context, job).catch(orLater(context, job.id));
    io.progress(undefined);
    job.refuseIfTaken(host.identity, isAlive);
    refuseIfUnread(context, job);
    const retries = flags['retry-failed'] ?? false;
    if (flags['dry-run']) {
      const phases = [...UNDONE, ...(retries ? (['failed'] as const) : [])];
      return await printPlan(job, job.rows(phases), rendering, context);
    }
    const again = {retries, concurrency, allowDuplicate: flags['allow-duplicate'] ?? false};
    const own = await madeMeanwhile(context, job, again).catch(orLater(context, job.id));
    if (own.length > 0) await adopt(context, job, own, {...job.record, adopt: flags.adopt ?? false});
    const {again: resend, arrived} = flags['resend-unknown'] ? await askUnknown(context, job) : NONE;
    const left = job.left(
      retries,
      resend.map(({n}) => n),
    );
    const change = changeOfImport(job, left, {command});
    if (left.statements > 0) await guardChange(context, flags, lookingAgain(context, job, again, change));
    await workOn(context, job, rendering, {
      concurrency,
      allowDuplicate: again.allowDuplicate,
      result,
      prepare: async () => {
        await refuseIfBegun(context, job, 'running');
        if (retries) job.retryFailed();
        job.sendAgain(resend, now());
        for (const {n} of arrived) job.setRow(n, ARRIVED);
      },
    });
  } finally {
    job.close();
  }
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
  throw new CentavoError('refused', `${id} was never begun.`, {
    code: 'job_not_begun',
    why: 'It ended before its file was read, checked and confirmed.',
    hint: source === '-' ? 'Import the file again.' : `Import it again: ${again}${sameAccount(context)}`,
    applied: 'no',
  });
}

/** Rows that may have been sent, by what a person decided. */
interface Decided {
  readonly again: readonly Row[];
  readonly arrived: readonly Row[];
}

const NONE: Decided = {again: [], arrived: []};
const ARRIVED: Partial<Row> = {sent: 'yes', phase: 'done', unsettled_at: null, error_code: null, error: null};

/** Asks about each row that may have been sent. */
async function askUnknown({io, prompt}: Context, job: JobFile): Promise<Decided> {
  const unclear = job.unclearSends();
  if (unclear.length > 0 && !io.canAsk)
    throw usageError('--resend-unknown asks about each statement, and there is no terminal.', {
      code: 'cannot_ask',
      hint: 'Run it at a terminal, without --json, --no-input and pipes.',
    });
  const question = (row: Row): string =>
    `${row.number ?? row.external_id} for ${job.nameOf(row) ?? row.customer}, ${formatPesos(row.amount)}, may have been sent.`;
  const [again, arrived]: [Row[], Row[]] = [[], []];
  const choices: Choice<Row[] | undefined>[] = [
    {name: 'Decide later', value: undefined},
    {name: 'The customer has it: count it as sent', value: arrived},
    {name: 'Send it again', value: again},
  ];
  for (const row of unclear) (await prompt.select(question(row), choices))?.push(row);
  return {again, arrived};
}
