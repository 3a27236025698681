// Runs a job, for the command that creates or resumes it.

import {setMaxListeners} from 'node:events';
import {existsSync} from 'node:fs';
import {basename, dirname, join, resolve} from 'node:path';
import {isFinal, isGivenUp, type Standing} from '../../../accounting/standing.js';
import {describeStanding, UNKNOWN_END} from '../../../accounting/words.js';
import type {HistoryName} from '../../../history/history.js';
import type {StatementRow} from '../job/job-types.js';
import type {JobFile} from '../job/job-file.js';
import type {JobOutcome} from '../run-job.js';
import type {RowWorkers} from '../row-workers.js';
import {forceFlag} from '../../../cli/base.js';
import {shieldFromOutput} from '../../../cli/operations/batch-tally.js';
import {allowDuplicateFlag} from '../../../cli/operations/flags.js';
import type {GlobalFlags} from '../../../cli/global-flags.js';
import {accountArgs, accountFlagsOf} from '../../../cli/next-steps.js';
import {Flags, type Interfaces} from '../../../cli/oclif.js';
import {readStanding} from '../../../cli/presentation/standings.js';
import {recordColumnsOf, resultOfRecords} from '../../../cli/records.js';
import type {Context, UserFile} from '../../../context/context.js';
import {formatInteger} from '../../../common/counts.js';
import {CentavoError, type Applied, type FailedResult} from '../../../common/errors.js';
import {formatPesos} from '../../../common/pesos.js';
import {guardConnection, guardIntent} from '../../../guard/guard.js';
import {valueOrThrow} from '../../../input/invalid-input.js';
import {readWholeNumber} from '../../../input/quantities.js';
import {toJson} from '../../../output/format.js';
import {renderList} from '../../../output/render-list.js';
import type {Rendering} from '../../../output/result.js';
import {csvText} from '../../../output/csv-text.js';
import {explainStop, NOTHING_APPLIED} from '../../statement/cli/explain-stop.js';
import {alreadyText, type AlreadyBilled} from './adopt-existing.js';
import {doubtStep, isAdopted, jobStep, resumeCommand, UNDONE} from './find-jobs.js';
import {firstLines, IMPORT_ROW, pagesOf} from './plan-output.js';
import {formatRowEnd, ImportProgress, rowLine, rowPayerOf, rowRecordOf} from './progress.js';

const MAX_CONCURRENCY = 32;
/** Milliseconds between two updates of the progress. */
const PROGRESS_INTERVAL = 1000;
/** Milliseconds that running calls may take after a signal. */
const CALL_GRACE = 5000;

/** Flags that new and resumed imports share. */
export const jobFlags = {
  concurrency: Flags.string({summary: 'Statements at a time, 1 to 32.', helpValue: '<number>', default: '4'}),
  result: Flags.string({summary: 'CSV file for ids, numbers, links and errors.', helpValue: '<file>'}),
  force: forceFlag,
  'allow-duplicate': allowDuplicateFlag,
  adopt: Flags.boolean({summary: 'Continue an import that another machine began and no longer runs.'}),
};
/** `retry-failed` and `resend-unknown` belong to `jobs resume` alone. */
export type JobFlags = Interfaces.InferredFlags<typeof jobFlags> &
  GlobalFlags & {readonly 'retry-failed'?: boolean; readonly 'resend-unknown'?: boolean};

export interface ImportRunOptions {
  readonly concurrency: number;
  /** True to bill rows even if other statements bill the same items. */
  readonly allowDuplicate: boolean;
  /** True to continue statements of another machine without a question. */
  readonly adopt: boolean;
  readonly retries: boolean;
  /** Receives ids of ended statements that were created after the file was checked. */
  readonly ended?: Set<string>;
}

/** Checks flags and account before a file or job is read. @param what the action in errors: `continue an import` */
export async function checkImportRun(context: Context, flags: JobFlags, what: string): Promise<ImportRunOptions> {
  const connection = await context.connection();
  guardConnection(connection);
  const range = {from: 1, to: MAX_CONCURRENCY, hint: 'For example: --concurrency 8'};
  const concurrency = valueOrThrow(readWholeNumber(flags.concurrency, range), '--concurrency');
  if (!flags['dry-run']) guardIntent(connection, flags, what, context.io);
  const {adopt = false, 'allow-duplicate': allowDuplicate = false, 'retry-failed': retries = false} = flags;
  return {concurrency, adopt, allowDuplicate, retries};
}

/** The result file, as an absolute path: a job may resume in another folder. @param defaultPath used without --result */
export async function importResultOf(
  context: Context,
  {result, force}: JobFlags,
  source: string,
  defaultPath: string | null,
): Promise<UserFile | undefined> {
  const path = result === undefined ? defaultPath : resolve(result);
  return path === null ? undefined : context.fileToWrite(path, {flag: '--result', force, inputs: [source]});
}

/** `june-result.csv` for `june.csv`, or `june-result-2.csv` if that exists; null for stdin. */
export function resultPathFor(source: string): string | null {
  if (source === '-') return null;
  const name = join(dirname(source), basename(source).replace(/\.[^.]*$/, ''));
  for (let number = 1; ; number++) {
    const path = resolve(`${name}-result${number > 1 ? `-${number}` : ''}.csv`);
    if (!existsSync(path)) return path;
  }
}

export async function workersOf(context: Context, concurrency: number): Promise<RowWorkers> {
  const {RowWorkers} = await context.imports();
  const {now, steadyNow: nowMilliseconds, signal, sleep} = context;
  // Each running call adds a listener.
  setMaxListeners(0, signal);
  return new RowWorkers({client: await context.client(), concurrency, now, nowMilliseconds, signal, sleep});
}

interface WorkOptions extends ImportRunOptions {
  /** Called once this process has claimed the job, before any row is processed. */
  readonly prepare: () => Promise<void>;
  readonly result: UserFile | undefined;
}

/** Processes all unfinished rows, writes the result file, and prints or throws as {@link summarize} does. */
export async function workOnJob(
  context: Context,
  job: JobFile,
  rendering: Rendering,
  {concurrency, prepare, allowDuplicate, ended, result}: WorkOptions,
): Promise<void> {
  const {host, io, now, steadyNow: nowMilliseconds, signal, sleep} = context;
  const {runJob} = await context.imports();
  const runs = await context.runs();
  job.claim(host.identity, context.isAlive);
  await prepare();
  const [failedBefore, createdBefore] = [job.tally.failed, job.created];
  const progress = new ImportProgress(context, job, printsRowsAsTheyEnd(rendering));
  const abortCalls = new AbortController();
  const finished = new AbortController();
  // Each running statement adds a listener.
  setMaxListeners(0, signal, abortCalls.signal, finished.signal);
  const abortLater = (): void =>
    void sleep(CALL_GRACE, finished.signal).then(
      () => abortCalls.abort(),
      () => {},
    );
  signal.addEventListener('abort', abortLater, {once: true});
  // Updates the progress even while all calls wait.
  const tick = async (): Promise<void> => {
    for (;;) {
      await sleep(PROGRESS_INTERVAL, finished.signal);
      progress.show();
    }
  };
  void tick().catch(() => {});
  const end = await runJob({
    ...{client: await context.client(), job, concurrency, allowDuplicate, endedStatements: ended},
    ...{now, nowMilliseconds, signal, sleep, abortCalls: abortCalls.signal},
    timing: await runs.timing(),
    serviceAhead: await runs.serviceAhead(true),
    timeout: (await context.connection()).timeout.value * 1000,
    onProgress: (row) => progress.update(row),
    onCustomer: () => progress.addCustomer(),
    onNoResponse: (since) => progress.setSilentSince(since),
    onWait: (...wait) => progress.setWait(...wait),
    onSurplusCustomer: (id) =>
      io.note(
        `Another import created a customer with the email address of ${id}, which was kept. To see it: centavo customers get ${id}${accountFlagsOf(context)}`,
      ),
    explainLoss: async (row, winner, stays) =>
      explainLoss(row, winner.isSame, stays, {
        resume: resumeCommand(context, job.id),
        account: accountFlagsOf(context),
        now: await context.accountNow(),
        standing: await readStanding(context, {id: winner.id, status: winner.status}),
        canAsk: io.canAsk,
      }),
    explain: ({stop, state}, plan) => explainStop(stop, state, plan, accountArgs(context)),
    sends: await sendsOf(context, job),
  });
  signal.removeEventListener('abort', abortLater);
  finished.abort();
  let {error} = end;
  const keepFirst = (next: unknown): void => void (error ??= next);
  await progress.end().catch(keepFirst);
  try {
    job.release(host.identity, error === undefined ? 'ended' : 'running', context.displayNow());
  } catch (failure) {
    keepFirst(failure);
  }
  let resultFile = result?.path ?? null;
  await result?.write(resultText(job, io)).catch((failure: unknown) => {
    resultFile = null;
    keepFirst(failure);
  });
  const created = Math.max(0, job.created - createdBefore);
  const ending = {rendering, id: job.id, created, resultFile};
  await summarize(context, job, failedBefore, {applied: end.applied, error}, ending);
}

/** Sends recorded in this machine's history, which all commands read. */
async function sendsOf(context: Context, job: JobFile) {
  const history = await context.history();
  const runs = await context.runs();
  await runs.recallSends([...job.rows(UNDONE)].flatMap(({id}) => id ?? []));
  const sends = await runs.history();
  let waiting: string[] = [];
  let recording: Promise<void> | undefined;
  const record = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    const ids = waiting;
    waiting = [];
    recording = undefined;
    await sends.intend('send', ids);
  };
  return {
    // Concurrent sends share one write to the disk.
    recordIntent: (id: string) => {
      waiting.push(id);
      return (recording ??= record());
    },
    recordEnd: (id: string, sent: boolean) => sends.sendEnded(id, sent),
    earlierSend: (id: string, after: number | null) => {
      const send = history.lastSend(id);
      return send && (after === null || send.at > after) ? send.state : undefined;
    },
  };
}

/** Yields the rows as CSV, in the order of the file. */
async function* resultText(job: JobFile, {hide}: Context['io']): AsyncGenerator<string> {
  const textOf = (rows: readonly StatementRow[], header: boolean): Promise<string> => {
    const records = rows.map((row) => hide(rowRecordOf(row, job)));
    return csvText(records, recordColumnsOf(IMPORT_ROW), {checkSignal: async () => {}}, {header});
  };
  // Excel needs a byte order mark to recognize UTF-8.
  yield `\uFEFF${await textOf([], true)}`;
  for (const rows of pagesOf(job.rows())) yield await textOf(rows, false);
}

const MAX_RESULTS = 1000;
const MAX_NAMED_ROWS = 5;

interface ImportSummary {
  readonly rendering: Rendering;
  /** The job that has the rows; null if none was kept. */
  readonly id: string | null;
  /** Number of statements that this run completed, also those that an earlier run began. */
  readonly created: number;
  readonly resultFile: string | null;
  /** True if nothing was left to bill. */
  readonly already?: boolean;
}

function* namesOf(job: JobFile): Generator<readonly [id: string, name: HistoryName]> {
  for (const row of job.rows())
    if (row.id !== null) yield [row.id, {number: row.number, customer: rowPayerOf(job, row)}];
}

/** Prints the result. Throws the error that ended the run, or a `partial` error if rows failed or are not done. */
async function summarize(
  context: Context,
  job: JobFile,
  failedBefore: number,
  {applied, error}: JobOutcome,
  ending: ImportSummary,
): Promise<void> {
  const {rendering, resultFile} = ending;
  const {io} = context;
  const {id} = job;
  const {statements, done, doneAmount, failed} = job.tally;
  const remaining = statements - done - failed;
  if (isForPrograms(rendering)) await printDocument(context, job, ending);
  else {
    await io.out(`${formatImportEnd(job)}${isAllAdopted(job) ? '' : `, ${formatPesos(doneAmount)}`}.\n`);
    for (const line of firstLines(job.passedOver())) io.note(line);
    if (resultFile !== null) io.note(`Result: ${resultFile}`);
  }
  const history = await context.history();
  history.addNames(namesOf(job));
  if (applied === 'no') history.markUnchanged();
  if (error !== undefined) throw explainEnd(context, job, error, applied);
  if (failed === 0 && remaining === 0) return;
  const doubtful = formatSendsInDoubt(job);
  const waiting = remaining - job.sendsInDoubt().length;
  const parts = [
    ...(isAllAdopted(job) ? [] : [formatImportEnd(job)]),
    ...(failed > 0 ? [`${formatInteger(failed)} failed`] : []),
    ...(doubtful ? [doubtful.count] : []),
    ...(waiting > 0 ? [`${formatInteger(waiting)} ${waiting === 1 ? 'is' : 'are'} not done`] : []),
  ];
  const see = jobStep(context, doubtful ? 'To see them' : 'To see why', 'jobs get', id, '--open');
  const retry = jobStep(context, 'To retry the failed rows', 'jobs resume', id, '--retry-failed');
  const goOn = failed > 0 ? retry : jobStep(context, 'To continue', 'jobs resume', id);
  throw new CentavoError('partial', `${parts.join(', ')}.`, {
    applied,
    changed: '',
    // Whether to send again is a person's decision.
    ...(doubtful && {
      why: `centavo cannot tell whether these were sent: ${doubtful.names}.`,
      needsPerson: true,
      ...(io.canAsk && {hint: doubtStep(context, job)}),
    }),
    job: id,
    next: doubtful ? [see] : failed > failedBefore ? [see, goOn] : [goOn],
    results: resultsOf(job, applied),
  });
}

/** True if the output is for programs: a document, or a line for each row. Otherwise a sentence. */
const isForPrograms = ({format, fields, jq}: Rendering): boolean =>
  jq !== undefined || fields !== undefined || (format !== undefined && format !== 'table');

const printsRowsAsTheyEnd = ({format, fields, jq}: Rendering): boolean =>
  format === 'jsonl' && jq === undefined && fields === undefined;

/** Prints the rows of an import and its summary: one document, or the last line of JSON lines. */
async function printDocument(
  context: Context,
  job: JobFile,
  {rendering, id, created, resultFile, already = false}: ImportSummary,
): Promise<void> {
  const {statements, done, doneAmount: amount, failed, inDoubt} = job.tally;
  const summary = {
    ...{job: id, period: job.period, statements, done, failed, in_doubt: inDoubt, left: statements - done - failed},
    ...{created, already, amount, result_file: resultFile, mode: job.record.mode},
  };
  if (printsRowsAsTheyEnd(rendering)) {
    const {out} = context.io;
    if (already) for (const row of job.rows()) await out(rowLine(row, job));
    return out(`${toJson({type: 'summary', ...summary})}\n`);
  }
  const resultOf = (rows: readonly StatementRow[]) => {
    const data = rows.map((row) => rowRecordOf(row, job));
    return resultOfRecords(IMPORT_ROW, data, {document: {resource: 'list', has_more: false, ...summary, data}});
  };
  await renderList(pagesOf(job.rows()), resultOf, rendering, shieldFromOutput(context));
}

export async function printAlready(context: Context, job: JobFile, already: AlreadyBilled, rendering: Rendering) {
  const [id = null] = already.jobs;
  if (isForPrograms(rendering))
    return printDocument(context, job, {rendering, id, created: 0, resultFile: null, already: true});
  const text = alreadyText(already, job.tally.statements, await context.accountNow());
  await context.io.out(`Nothing new was ${already.drafts > 0 ? 'created' : 'billed'}: ${text}.\n`);
  for (const line of firstLines(job.passedOver('billed_otherwise'))) context.io.note(line);
}

/** True if another run finalized the statement of every row. */
const isAllAdopted = (job: JobFile): boolean => job.sendsInDoubt().filter(isAdopted).length === job.tally.statements;

/** `12 of 12 sent`, `11 of 12 sent, 1 already paid`. */
function formatImportEnd(job: JobFile): string {
  const {statements, done, sent} = job.tally;
  if (isAllAdopted(job)) return `${formatInteger(statements)} of ${formatInteger(statements)} adopted`;
  const paid = job.record.send ? done - sent : 0;
  return `${formatInteger(done - paid)} of ${formatInteger(statements)} ${formatRowEnd(job.record)}${paid > 0 ? `, ${formatInteger(paid)} already paid` : ''}`;
}

/** Count and names of the statements that may have been sent; undefined if none. */
function formatSendsInDoubt(job: JobFile): {readonly count: string; readonly names: string} | undefined {
  const inDoubt = job.sendsInDoubt();
  if (inDoubt.length === 0) return undefined;
  const names = inDoubt
    .slice(0, MAX_NAMED_ROWS)
    .map((row) => `${row.number ?? row.external_id} (${rowPayerOf(job, row)})`);
  const more = inDoubt.length > names.length ? ` and ${formatInteger(inDoubt.length - names.length)} more` : '';
  const adopted = inDoubt.filter(isAdopted).length;
  const counts = [
    adopted > 0 &&
      `${formatInteger(adopted)} adopted: open, and whether ${adopted === 1 ? 'it was' : 'they were'} emailed is not known`,
    adopted < inDoubt.length && `${formatInteger(inDoubt.length - adopted)} may have been sent`,
  ];
  return {count: counts.filter(Boolean).join(', '), names: `${names.join(', ')}${more}`};
}

function resultsOf(job: JobFile, applied: Applied): FailedResult[] {
  const results: FailedResult[] = [];
  const ofBegun = applied === 'no' ? 'no' : 'yes';
  for (const {id, external_id, sent, error_code, unsettled_at} of job.rows([...UNDONE, 'failed'])) {
    if (results.length === MAX_RESULTS) break;
    const isUnknown = sent === 'unknown' || unsettled_at !== null;
    results.push({
      id: id ?? external_id,
      code: sent === 'unknown' ? 'send_in_doubt' : (error_code ?? 'not_done'),
      applied: isUnknown ? 'unknown' : id === null ? 'no' : ofBegun,
      apiErrors: [],
    });
  }
  return results;
}

function explainEnd(context: Context, job: JobFile, error: unknown, applied: Applied): unknown {
  if (!(error instanceof CentavoError)) return error;
  const {statements, done, drafted, failed} = job.tally;
  const isOver = done + failed === statements;
  const inDoubt = formatSendsInDoubt(job);
  const summary = [
    formatImportEnd(job),
    ...(done === 0 && drafted > 0 ? [`${formatInteger(drafted)} drafts created`] : []),
    ...(inDoubt ? [`${inDoubt.count}: ${inDoubt.names}`] : []),
  ];
  // The exit codes of these kinds promise that nothing was applied.
  const kind = applied !== 'no' && NOTHING_APPLIED.includes(error.kind) ? 'partial' : error.kind;
  // Names no call: any of the running calls may be the first to stop.
  const message = error.kind === 'interrupted' ? 'the import was stopped.' : error.message;
  return new CentavoError(kind, message, {
    ...error.details,
    code: error.code,
    applied,
    changed: `${summary.join(', ')}.`,
    hint: undefined,
    job: job.id,
    next: [jobStep(context, isOver ? 'To see them' : 'To continue', isOver ? 'jobs get' : 'jobs resume', job.id)],
  });
}

interface LossFacts {
  /** The command that continues the job, and account flags as text. */
  readonly resume: string;
  readonly account: string;
  /** Unix seconds. */
  readonly now: number;
  /** The other import's statement. */
  readonly standing: Standing;
  /** True if a person reads it, who may lift the refusal. */
  readonly canAsk: boolean;
}

/**
 * @param isSame true if the other import bills the same content
 * @param stays true if both statements remain, because a user finalized this import's
 */
export function explainLoss(
  {id: own, external_id: externalId}: Pick<StatementRow, 'external_id' | 'id'>,
  isSame: boolean,
  stays: boolean,
  {resume, account, now, standing, canAsk}: LossFacts,
): {readonly code: string; readonly message: string} {
  const {id, state, unknown} = standing;
  if (stays) {
    const twin = `Another import bills this row as ${id}, and ${own} was finalized too.`;
    return {code: 'twin_statement', message: `${twin} To void it: centavo void ${own}${account}`};
  }
  const elsewhere = (message: string, more = '') => ({code: 'made_elsewhere', message: `${message}.${more}`});
  if (isFinal(standing)) {
    const why = unknown.includes('ended_why') ? ` ${UNKNOWN_END}` : '';
    const again = isGivenUp(standing) ? `${why} To bill it again: ${resume} --retry-failed` : '';
    return elsewhere(describeStanding(standing, now, `Another import billed this row as ${id}, which`), again);
  }
  if (!isSame) {
    const both = canAsk ? ` To bill both: ${resume} --retry-failed --allow-duplicate` : '';
    return elsewhere(`Another import bills ${externalId} as ${id}, with other content`, both);
  }
  const isOpen = state !== 'draft' || !canAsk;
  const goOn = ` If that import has stopped, continue its drafts: ${resume} --retry-failed --adopt`;
  return elsewhere(`Another import bills this row as ${id}`, isOpen ? '' : goOn);
}
