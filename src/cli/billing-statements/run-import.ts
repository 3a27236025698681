// Works on a job: from the command that began it, or one that goes on with it.

import {basename, dirname, join} from 'node:path';
import type {JobFile, Row} from '../../billing/import/job-file.js';
import type {Outcome} from '../../billing/outcome.js';
import type {StatementPlan} from '../../billing/plan.js';
import type {Context} from '../../context.js';
import {CentavoError, usageError} from '../../errors.js';
import {parseWholeNumber} from '../../input/numbers.js';
import {toJson} from '../../output/format.js';
import type {Rendering} from '../../output/render.js';
import {csv} from '../../output/rows.js';
import {formatPesos} from '../../pesos.js';
import {sameAccount} from '../next-command.js';
import {recordColumns} from '../columns.js';
import {ImportProgress, recordOf} from './import-progress.js';
import {accountOf, resumeCommand} from './jobs.js';
import {journalOf} from './journal.js';
import {explainStop} from './stop-errors.js';

/** Rows at a time. */
const CONCURRENCY = 4;
const MOST_CONCURRENCY = 32;
/** Milliseconds that calls under way have after a signal. */
const PATIENCE = 5000;

export interface RunFlags {
  readonly concurrency?: string;
  /** Where the result is written; undefined for none. */
  readonly resultFile?: string;
}

/** @throws CentavoError kind `usage` */
export const readConcurrency = (text: string | undefined): number =>
  text === undefined
    ? CONCURRENCY
    : parseWholeNumber(text, '--concurrency', {from: 1, to: MOST_CONCURRENCY, hint: 'For example: --concurrency 8'});

/** `june-result.csv` for `june.csv`; none for stdin. */
export function resultFileOf(source: string): string | undefined {
  if (source === '-') return undefined;
  return join(dirname(source), `${basename(source).replace(/\.[^.]*$/, '')}-result.csv`);
}

/** @throws CentavoError kind `refused` for a job of another account */
export async function checkAccount(context: Context, job: JobFile): Promise<void> {
  const {id, account, profile} = job.record;
  if (account === (await accountOf(context))) return;
  throw new CentavoError('refused', `${id} is for another account.`, {
    code: 'other_account',
    why: `It was begun with the profile ${profile}, for ${account}.`,
    hint: `Name it: centavo jobs resume ${id} --profile ${profile}`,
    applied: 'no',
  });
}

/**
 * Works on everything that is not done, prints what came of it, and writes the result file.
 * @throws CentavoError kind `partial` when rows failed or are in doubt; or what ended the run, with the command that goes on
 */
export async function workOn(
  context: Context,
  job: JobFile,
  rendering: Rendering,
  {concurrency, resultFile}: RunFlags,
): Promise<void> {
  const {host, now, nowMilliseconds, signal, sleep} = context;
  const inJson = rendering.format === 'json' || rendering.format === 'jsonl';
  const {runJob} = await context.imports();
  job.claim(host.identity, context.isAlive);
  const progress = new ImportProgress(context, job, inJson);
  const patience = new AbortController();
  const giveUp = (): void => void sleep(PATIENCE).then(() => patience.abort());
  signal.addEventListener('abort', giveUp, {once: true});
  let ended: unknown;
  try {
    await runJob({
      client: await context.client(),
      job,
      concurrency: readConcurrency(concurrency),
      now,
      nowMilliseconds,
      signal,
      patience: patience.signal,
      sleep,
      tell: (news) => progress.tell(news),
      explain: ({stop, state}: Extract<Outcome, {end: 'stopped'}>, plan: StatementPlan) =>
        explainStop(stop, state, plan, sameAccount(context)),
      sends: await sendsOf(context, job),
    });
  } catch (error) {
    ended = error;
  }
  signal.removeEventListener('abort', giveUp);
  await progress.end().catch((error: unknown) => void (ended ??= error));
  job.release(ended === undefined ? 'ended' : 'running', now());
  if (resultFile !== undefined)
    await writeResult(context, job, resultFile).catch((error: unknown) => void (ended ??= error));
  await summarize(context, job, {inJson, resultFile, ended});
}

/** Sends in the history of this machine, which all commands look at. */
async function sendsOf(context: Context, job: JobFile) {
  const {lastSends} = await context.billing();
  const audit = await context.audit();
  const journal = await journalOf(context);
  const since = job.record.createdAt;
  let known = lastSends(audit.others(), since);
  return {
    intend: (id: string) => journal.intend('send', [id]),
    ended: (id: string, sent: boolean) => journal.sendEnded(id, sent),
    elsewhere: (id: string) => {
      if (audit.othersWrote()) known = lastSends(audit.others(), since);
      return known.get(id)?.state;
    },
  };
}

/** The rows in the order of the file, as a spreadsheet; replaced as a whole. */
async function writeResult(context: Context, job: JobFile, path: string): Promise<void> {
  const columns = recordColumns(
    ['external_id', 'id', 'number', 'status', 'sent', 'amount', 'link', 'error_code', 'error'],
    {amount: 'centavos'},
  );
  let text = '';
  let some: Row[] = [];
  const write = async (): Promise<void> => {
    const records = some.map(recordOf).map((record) => context.io.hide(record));
    // Excel reads UTF-8 only with this mark.
    text += await csv(records, columns, {checkSignal: async () => {}}, {header: text === ''});
    some = [];
  };
  for (const row of job.rows()) if (some.push(row) === 1000) await write();
  if (some.length > 0 || text === '') await write();
  context.replaceFile(path, `\uFEFF${text}`);
}

interface Ending {
  readonly inJson: boolean;
  readonly resultFile: string | undefined;
  readonly ended: unknown;
}

async function summarize(context: Context, job: JobFile, {inJson, resultFile, ended}: Ending): Promise<void> {
  const {io} = context;
  const {id, finalize, send} = job.record;
  const {statements, done, doneAmount, failed, inDoubt, pending} = job.tally;
  const left = statements - done - failed;
  const verb = send ? 'sent' : finalize ? 'finalized' : 'created';
  if (inJson) {
    const summary = {type: 'summary', job: id, statements, done, failed, in_doubt: inDoubt, left, amount: doneAmount};
    await io.out(`${toJson({...summary, result_file: resultFile ?? null})}\n`);
  } else {
    await io.out(
      `${done.toLocaleString('en')} of ${statements.toLocaleString('en')} ${verb}, ${formatPesos(doneAmount)}.\n`,
    );
    if (resultFile !== undefined) io.note(`Result: ${resultFile}`);
  }
  if (done > 0 || pending > 0) {
    // Something was changed, whatever follows.
  } else (await context.audit()).unchanged();
  const applied = inDoubt > 0 ? 'unknown' : done > 0 || pending > 0 ? 'yes' : 'no';
  const resume = resumeCommand(context, id);
  if (ended !== undefined) {
    if (!(ended instanceof CentavoError)) throw ended;
    throw ended.with({
      applied,
      changed: `${done} of ${statements} ${done === 1 ? 'is' : 'are'} ${verb}.`,
      hint: `To continue: ${resume}`,
    });
  }
  if (failed === 0 && left === 0) return;
  const unclear = [...job.rows(['finishing'])].filter(({sent}) => sent === 'unknown');
  throw new CentavoError(
    'partial',
    [
      `${left + failed} of ${statements} are not ${verb}`,
      failed > 0 && `${failed} failed`,
      unclear.length > 0 && `${unclear.length} may have been sent`,
    ]
      .filter(Boolean)
      .join('; ')
      .concat('.'),
    {
      applied,
      why:
        unclear.length > 0
          ? `Nobody can tell whether these were sent: ${unclear
              .slice(0, 5)
              .map(({number, external_id: external}) => number ?? external)
              .join(', ')}${unclear.length > 5 ? ` and ${unclear.length - 5} more` : ''}.`
          : undefined,
      hint:
        unclear.length > 0 ? `To decide about each: ${resume} --resend-unknown` : `See them: centavo jobs get ${id}`,
      results: [...job.rows(['failed', 'finishing', 'drafting'])].slice(0, 1000).map((row) => ({
        id: row.id ?? row.external_id,
        code: row.error_code ?? 'send_in_doubt',
        applied: row.sent === 'unknown' ? ('unknown' as const) : ('no' as const),
        apiErrors: [],
      })),
    },
  );
}

/** Asks of each row whose sending is in doubt whether it shall be sent again. @throws CentavoError kind `usage` without a terminal */
export async function askUnknown(context: Context, job: JobFile): Promise<void> {
  const unclear = [...job.rows(['finishing'])].filter(({sent}) => sent === 'unknown');
  if (unclear.length === 0) return;
  if (!context.io.canAsk)
    throw usageError('--resend-unknown asks about each statement, and there is no terminal.', {code: 'cannot_ask'});
  for (const {n, number, external_id: external, amount, customer} of unclear) {
    const {name} = job.customer(customer)!;
    const again = await context.prompt.confirm(
      `${number ?? external} for ${name ?? customer}, ${formatPesos(amount)}, may have been sent. Send it again?`,
    );
    job.setRow(n, again ? {sent: 'no', opened: 1} : {phase: 'done', sent: 'unknown'});
  }
}
