// Works on a job, for the command that began it or one that continues it.

import {setMaxListeners} from 'node:events';
import {existsSync} from 'node:fs';
import {basename, dirname, join, resolve} from 'node:path';
import type {Outcome} from '../../../../billing/compose/outcome.js';
import type {StatementPlan} from '../../../../billing/compose/plan.js';
import type {JobFile} from '../../../../billing/import/job/file.js';
import type {TypedRow} from '../../../../billing/import/job/rows.js';
import type {Workers} from '../../../../billing/import/workers.js';
import {sameAccount} from '../../../../cli/next-command.js';
import type {Context, UserFile} from '../../../../context.js';
import {usageError} from '../../../../ground/errors.js';
import {parseWholeNumber} from '../../../../input/quantities.js';
import type {Rendering} from '../../../../output/result.js';
import {csv} from '../../../../output/rows.js';
import {explainStop} from '../compose/end.js';
import {ROW_COLUMNS} from './job-words.js';
import {ImportProgress, recordOf} from './progress.js';
import {summarize} from './summary.js';

/** Rows at a time. */
const CONCURRENCY = 4;
const MOST_CONCURRENCY = 32;
/** Milliseconds after which the progress is looked at again. */
const TICK = 1000;
/** Milliseconds that calls under way have after a signal. */
const PATIENCE = 5000;

export interface RunFlags {
  /** Statements at a time. */
  readonly concurrency: number;
  /** Looks at the job, or changes it, as soon as it belongs to this process. */
  readonly prepare?: () => Promise<void>;
  /** Rows are billed even where they were billed with other content meanwhile. */
  readonly allowDuplicate: boolean;
  /** Where the result is written. */
  readonly result?: UserFile;
}

export const readConcurrency = (text: string | undefined): number =>
  text === undefined
    ? CONCURRENCY
    : parseWholeNumber(text, '--concurrency', {from: 1, to: MOST_CONCURRENCY, hint: 'For example: --concurrency 8'});

/** An import prints a line for each statement as it ends, which not every format can. */
export function checkFormat({format, jq, fields}: Rendering): void {
  if (jq === undefined && fields === undefined && format !== 'csv' && format !== 'yaml') return;
  throw usageError('an import prints lines of JSON as it goes, without --jq, --fields, csv and yaml.', {
    code: 'invalid_flag',
    hint: 'Use --json and filter the lines. --result names the CSV file.',
  });
}

/** Where a result goes: the same whatever folder the job is continued in. */
export const resultPath = (path: string): string => resolve(path);

/** `june-result.csv` for `june.csv`, or `june-result-2.csv` when there is one; none for stdin. */
export function resultPathFor(source: string): string | null {
  if (source === '-') return null;
  const name = join(dirname(source), basename(source).replace(/\.[^.]*$/, ''));
  for (let number = 1; ; number++) {
    const path = resolve(`${name}-result${number > 1 ? `-${number}` : ''}.csv`);
    if (!existsSync(path)) return path;
  }
}

/** What calls the service for several rows at a time. */
export async function workersOf(context: Context, concurrency: number): Promise<Workers> {
  const {Workers} = await context.imports();
  const {now, nowMilliseconds, signal, sleep} = context;
  // Each call under way listens.
  setMaxListeners(0, signal);
  return new Workers({client: await context.client(), concurrency, now, nowMilliseconds, signal, sleep});
}

/** Works on everything that is not done, writes the result file, and ends as {@link summarize} does. */
export async function workOn(
  context: Context,
  job: JobFile,
  rendering: Rendering,
  {concurrency, prepare, allowDuplicate, result}: RunFlags,
): Promise<void> {
  const {host, now, nowMilliseconds, signal, sleep} = context;
  const inJson = rendering.format === 'json' || rendering.format === 'jsonl';
  const {runJob} = await context.imports();
  job.claim(host.identity, now(), context.isAlive);
  await prepare?.();
  const failedBefore = job.tally.failed;
  const progress = new ImportProgress(context, job, inJson);
  const patience = new AbortController();
  const over = new AbortController();
  // Each statement under way listens.
  setMaxListeners(0, signal, patience.signal, over.signal);
  const giveUp = (): void =>
    void sleep(PATIENCE, over.signal).then(
      () => patience.abort(),
      () => {},
    );
  signal.addEventListener('abort', giveUp, {once: true});
  // Time passes also while everything waits.
  const tick = async (): Promise<void> => {
    for (;;) {
      await sleep(TICK, over.signal);
      progress.show();
    }
  };
  void tick().catch(() => {});
  const end = await runJob({
    client: await context.client(),
    job,
    concurrency,
    now,
    nowMilliseconds,
    signal,
    patience: patience.signal,
    sleep,
    tell: (news) => progress.tell(news),
    onCustomer: () => progress.addCustomer(),
    onSilence: (since) => progress.setSilence(since),
    explain: ({stop, state}: Extract<Outcome, {end: 'stopped'}>, plan: StatementPlan) =>
      explainStop(stop, state, plan, sameAccount(context)),
    sends: await sendsOf(context, job),
    allowDuplicate,
  });
  signal.removeEventListener('abort', giveUp);
  over.abort();
  let {error} = end;
  const keepFirst = (next: unknown): void => void (error ??= next);
  await progress.end().catch(keepFirst);
  try {
    job.release(host.identity, error === undefined ? 'ended' : 'running', now());
  } catch (failure) {
    keepFirst(failure);
  }
  let resultFile = result?.path ?? null;
  await result?.write(resultText(job, context.io)).catch((failure: unknown) => {
    resultFile = null;
    keepFirst(failure);
  });
  await summarize(context, job, {inJson, resultFile, failedBefore, applied: end.applied, error});
}

/** Sends in the history of this machine, which all commands look at. */
async function sendsOf(context: Context, job: JobFile) {
  const {lastSends} = await context.billing();
  const audit = await context.audit();
  const journal = await (await context.runs()).history();
  const {createdAt, since: oldest, newest} = job.record;
  // What an earlier import made may have been sent before this one began.
  const since = newest === 0 ? createdAt : Math.min(createdAt, oldest);
  let known = lastSends(audit.others(), since);
  let waiting: string[] = [];
  let recording: Promise<void> | undefined;
  const record = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    const ids = waiting;
    waiting = [];
    recording = undefined;
    await journal.intend('send', ids);
  };
  return {
    // Statements that are about to be sent at the same time are recorded with one write to the disk.
    intend: (id: string) => {
      waiting.push(id);
      return (recording ??= record());
    },
    ended: (id: string, sent: boolean) => journal.sendEnded(id, sent),
    elsewhere: (id: string, after: number | null) => {
      if (audit.othersWrote()) known = lastSends(audit.others(), since);
      const send = known.get(id);
      return send && (after === null || send.at > after) ? send.state : undefined;
    },
  };
}

const ROWS_AT_ONCE = 1000;

/** The rows in the order of the file, as a spreadsheet. */
async function* resultText(job: JobFile, {hide}: Context['io']): AsyncGenerator<string> {
  const textOf = (rows: readonly TypedRow[], header: boolean): Promise<string> => {
    const records = rows.map((row) => hide(recordOf(row, job)));
    return csv(records, ROW_COLUMNS, {checkSignal: async () => {}}, {header});
  };
  // Excel reads UTF-8 only with this mark.
  yield `\uFEFF${await textOf([], true)}`;
  let some: TypedRow[] = [];
  for (const row of job.rows()) {
    if (some.push(row) < ROWS_AT_ONCE) continue;
    yield await textOf(some, false);
    some = [];
  }
  yield await textOf(some, false);
}
