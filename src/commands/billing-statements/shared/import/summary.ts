// What came of a run of an import, and the next command.

import type {Name} from '../../../../audit/audit.js';
import type {JobFile} from '../../../../billing/import/job/file.js';
import type {JobEnd} from '../../../../billing/import/run.js';
import type {Context} from '../../../../context.js';
import {count} from '../../../../ground/counts.js';
import {CentavoError, type Applied, type FailedResult} from '../../../../ground/errors.js';
import {formatPesos} from '../../../../ground/pesos.js';
import {toJson} from '../../../../output/format.js';
import {NOTHING_APPLIED} from '../compose/end.js';
import {resumeCommand, UNDONE} from './jobs.js';
import {doneWord, payerOf} from './progress.js';

/** How many rows an error lists for scripts. */
const MOST_RESULTS = 1000;
/** How many statements are named in an error. */
const MOST_NAMED = 5;

interface Ending extends JobEnd {
  readonly inJson: boolean;
  readonly resultFile: string | null;
  /** Rows that had failed when this run began. */
  readonly failedBefore: number;
}

/** What the statements are called in the history. */
function* namesOf(job: JobFile): Generator<readonly [id: string, name: Name]> {
  for (const row of job.rows()) if (row.id !== null) yield [row.id, {number: row.number, customer: payerOf(job, row)}];
}

/** Prints what was done. Throws what ended the run, or kind `partial` when rows failed, are in doubt or not done. */
export async function summarize(context: Context, job: JobFile, ending: Ending): Promise<void> {
  const {inJson, resultFile, failedBefore, applied, error} = ending;
  const {io} = context;
  const {id} = job;
  const {statements, done, doneAmount, failed, inDoubt} = job.tally;
  const left = statements - done - failed;
  if (inJson) {
    const summary = {type: 'summary', job: id, statements, done, failed, in_doubt: inDoubt, left, amount: doneAmount};
    await io.out(`${toJson({...summary, result_file: resultFile})}\n`);
  } else {
    await io.out(`${doneWords(job)}, ${formatPesos(doneAmount)}.\n`);
    if (resultFile !== null) io.note(`Result: ${resultFile}`);
  }
  const audit = await context.audit();
  audit.named(namesOf(job));
  if (applied === 'no') audit.unchanged();
  if (error !== undefined) throw withNextCommand(context, job, error, applied);
  if (failed === 0 && left === 0) return;
  const unclear = unclearWords(job);
  const waiting = left - job.unclearSends().length;
  const parts = [
    doneWords(job),
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...(unclear ? [unclear.count] : []),
    ...(waiting > 0 ? [`${count(waiting)} ${waiting === 1 ? 'is' : 'are'} not done`] : []),
  ];
  const resume = resumeCommand(context, id);
  throw new CentavoError('partial', `${parts.join(', ')}.`, {
    applied,
    changed: '',
    ...(unclear && {why: `centavo cannot tell whether these were sent: ${unclear.names}.`}),
    hint: unclear
      ? `To decide about each: ${resume} --resend-unknown`
      : failed > failedBefore
        ? `To see why: centavo jobs get ${id} --open`
        : failed > 0
          ? `To retry what failed: ${resume} --retry-failed`
          : `To continue: ${resume}`,
    results: resultsOf(job, applied),
  });
}

/** `12 of 12 sent`, `11 of 12 sent, 1 already paid`. */
function doneWords(job: JobFile): string {
  const {statements, done, sent} = job.tally;
  const paid = job.record.send ? done - sent : 0;
  return `${count(done - paid)} of ${count(statements)} ${doneWord(job.record)}${paid > 0 ? `, ${count(paid)} already paid` : ''}`;
}

/** The statements that may have been sent; undefined when there are none. */
function unclearWords(job: JobFile): {readonly count: string; readonly names: string} | undefined {
  const unclear = job.unclearSends();
  if (unclear.length === 0) return undefined;
  const names = unclear.slice(0, MOST_NAMED).map((row) => `${row.number ?? row.external_id} (${payerOf(job, row)})`);
  const more = unclear.length > names.length ? ` and ${count(unclear.length - names.length)} more` : '';
  return {count: `${count(unclear.length)} may have been sent`, names: `${names.join(', ')}${more}`};
}

/** What came of the rows that are not done, for scripts. */
function resultsOf(job: JobFile, applied: Applied): FailedResult[] {
  const results: FailedResult[] = [];
  const ofBegun = applied === 'no' ? 'no' : 'yes';
  for (const row of job.rows([...UNDONE, 'failed'])) {
    if (results.length === MOST_RESULTS) break;
    results.push({
      id: row.id ?? row.external_id,
      code: row.sent === 'unknown' ? 'send_in_doubt' : (row.error_code ?? 'not_done'),
      applied: row.sent === 'unknown' || row.unsettled_at !== null ? 'unknown' : row.id === null ? 'no' : ofBegun,
      apiErrors: [],
    });
  }
  return results;
}

function withNextCommand(context: Context, job: JobFile, error: unknown, applied: Applied): unknown {
  if (!(error instanceof CentavoError)) return error;
  const {statements, done, drafted, failed} = job.tally;
  const isOver = done + failed === statements;
  const unclear = unclearWords(job);
  const stands = [
    doneWords(job),
    ...(done === 0 && drafted > 0 ? [`${count(drafted)} drafts are made`] : []),
    ...(unclear ? [`${unclear.count}: ${unclear.names}`] : []),
  ];
  // Their exit codes promise that nothing was applied.
  const kind = applied !== 'no' && NOTHING_APPLIED.includes(error.kind) ? 'partial' : error.kind;
  // Which of the calls under way was stopped is not worth telling.
  const message = error.kind === 'interrupted' ? 'the import was stopped.' : error.message;
  return new CentavoError(kind, message, {
    ...error.details,
    code: error.code,
    applied,
    changed: `${stands.join(', ')}.`,
    hint: isOver ? `To see them: centavo jobs get ${job.id}` : `To continue: ${resumeCommand(context, job.id)}`,
  });
}
