// Continues or skips rows that an earlier import of the same file started, on this machine or another machine.

import {replacedBy} from '../../../accounting/replacements.js';
import {paymentLinkOf, statementName, statementNumberOf} from '../../../api/statement.js';
import type {RunEvent} from '../../statement/workflow/run-events.js';
import type {ExistingStatement} from '../existing-statements.js';
import type {JobRecord, StatementRow} from '../job/job-types.js';
import type {JobFile} from '../job/job-file.js';
import {accountFlagsOf, suggest} from '../../../cli/next-steps.js';
import type {Context} from '../../../context/context.js';
import {formatInteger, formatCount} from '../../../common/counts.js';
import {refusedError} from '../../../common/errors.js';
import {isNumbered} from '../../../input/own-numbers.js';
import {forEachOtherJob, resumeCommand} from './find-jobs.js';
import {firstLines} from './plan-output.js';

/** Maximum rows that an error names. */
const MAX_NAMED_ROWS = 3;

/**
 * Records in the job the statements that this file created before. Throws `imported_before` for a new job without further
 * work. Asks about another machine's statements, and throws `made_elsewhere` unless the user confirms.
 * @param adopts true to continue statements of another machine without a question
 * @param sending hint for statements that this file already created as drafts
 */
export async function adoptExisting(
  context: Context,
  job: JobFile,
  found: readonly ExistingStatement[],
  adopts: boolean,
  sending?: string,
): Promise<void> {
  const {oldestPerRow} = await context.imports();
  const {record, tally} = job;
  const {statements} = tally;
  const own = oldestPerRow(found);
  const before = await createdHere(context, job, own);
  const taken = own.map(
    (existing) => [existing, adoptedValues(existing, before.get(existing.row.n)?.row, record)] as const,
  );
  const createdElsewhere = own.filter(({row, how}) => how !== 'billed' && !before.has(row.n));
  const passedOver = taken.flatMap(([, {error}]) => error ?? []);
  const done = taken.filter(([, {phase}]) => phase === 'done').length;
  const isMade = ({row, statement: {status}}: ExistingStatement): boolean =>
    status === 'draft' && before.get(row.n)?.row.phase === 'done';
  const drafts = record.finalize ? 0 : own.filter(isMade).length;
  if (record.state === 'ready' && createdElsewhere.length === 0 && done + drafts === statements) {
    const jobs = [...new Set([...before.values()].map(({job: {id}}) => id))];
    const why = [
      jobs.length > 0 && `Its statements are in ${jobs.join(' and ')}.`,
      ...passedOver.slice(0, MAX_NAMED_ROWS),
      drafts > 0 && `Still drafts: ${formatInteger(drafts)}.`,
      !isNumbered(own[0]!.row) && 'To bill the same items again, number the rows in a column Invoice No.',
    ];
    const see = jobs[0]
      ? `To see them: centavo jobs get ${jobs[0]}`
      : suggest('see', own[0]!.statement.id, accountFlagsOf(context));
    throw refusedError('imported_before', `everything in this file is already ${drafts > 0 ? 'created' : 'billed'}.`, {
      why: why.filter(Boolean).join(' '),
      hint: (drafts > 0 && sending) || see,
    });
  }
  if (createdElsewhere.length > 0 && !adopts) await confirmAdoption(context, createdElsewhere.length);
  const countText = (some: number): string =>
    `${formatInteger(some)} of ${formatCount(statements, 'statement')} ${some === 1 ? 'is' : 'are'}`;
  if (done > 0) context.io.note(`${countText(done)} already billed and will be skipped.`);
  for (const line of firstLines(passedOver)) context.io.note(line);
  if (own.length > done) context.io.note(`${countText(own.length - done)} already created and will be completed.`);
  job.transaction(() => {
    for (const [existing, values] of taken) {
      const {n} = existing.row;
      const made = before.get(n);
      job.clearEvents(n);
      job.setRow(n, {run: made?.row.run ?? null, billed_before: Number(values.phase === 'done'), ...values});
      // Without events of another job, the run starts from the statement's id.
      job.addEvents(n, ...(made?.events ?? [{type: 'named', id: existing.statement.id} as const]));
    }
  });
}

const SENT_CALLS = ['no', 'unknown', 'yes'] as const;
const progressRank = (row: StatementRow | undefined): number =>
  row ? SENT_CALLS.indexOf(row.sent) * 2 + row.opened : -1;

/** Rows of other jobs on this machine that created the same statements, by the number of this job's row. */
async function createdHere(context: Context, job: JobFile, own: readonly ExistingStatement[]) {
  const before = new Map<
    number,
    {readonly job: JobFile['record']; readonly row: StatementRow; readonly events: readonly RunEvent[]}
  >();
  await forEachOtherJob(context, job, (other) => {
    for (const {row, statement} of own) {
      const same = other.rowWithKey(row.key) ?? other.rowWithKey(row.raw_key);
      const known = before.get(row.n);
      // The newest job counts; among jobs of the same second, the row with the most progress.
      const isLater =
        !known || (known.job.created_at === other.record.created_at && progressRank(same) > progressRank(known.row));
      if (same?.id === statement.id && isLater)
        before.set(row.n, {job: other.record, row: same, events: other.eventsOf(same.n)});
    }
  });
  return before;
}

/** Jobs to check. `running`: only jobs that run now. `unfinished`: stopped jobs too. */
type JobScope = 'running' | 'unfinished';

/** Finds another job on this machine with an unfinished row of this job, which both jobs would bill. */
export async function findBegun(context: Context, job: JobFile, which: JobScope) {
  let found: {readonly id: string; readonly external: string; readonly isRunning: boolean} | undefined;
  await forEachOtherJob(context, job, (other, {id, state, isRunning}) => {
    if (found || (!isRunning && (which === 'running' || state !== 'running'))) return;
    for (const {key, raw_key: rawKey, external_id: external} of job.rows())
      if (((other.rowWithKey(key) ?? other.rowWithKey(rawKey))?.phase ?? 'done') !== 'done') {
        found = {id, external, isRunning};
        return;
      }
  });
  return found;
}

export async function refuseIfBegun(context: Context, job: JobFile, which: JobScope): Promise<void> {
  const begun = await findBegun(context, job, which);
  if (!begun) return;
  const {id, external, isRunning} = begun;
  throw refusedError('begun_before', `${external} is also in ${id}, which is ${isRunning ? 'running' : 'not done'}.`, {
    why: 'Two imports of one file would bill it twice.',
    hint: isRunning
      ? 'To list jobs: centavo jobs list'
      : `To continue it: ${resumeCommand(context, id)} (or abandon it: centavo jobs remove ${id})`,
  });
}

async function confirmAdoption(context: Context, count: number): Promise<void> {
  const exist = `${formatCount(count, 'statement')} of this file already ${count === 1 ? 'exists' : 'exist'}`;
  const isSure =
    context.io.canAsk && (await context.prompt.confirm(`${exist}, created by another run. Has that run ended?`));
  if (isSure) return;
  throw refusedError('made_elsewhere', `${exist}, created by another run.`, {
    why: 'Two runs at once could bill twice.',
    hint: 'If the other run has ended, add --adopt. centavo then completes the drafts and resends nothing that may have been sent.',
  });
}

/** Values of a row whose statement exists. @param before the row of the job on this machine that created the statement */
function adoptedValues(
  {row, statement, how}: ExistingStatement,
  before: StatementRow | undefined,
  {finalize, send}: JobRecord,
): Partial<StatementRow> {
  const {id, status, due_at: due} = statement;
  const known = {
    id,
    status: status ?? null,
    number: statementNumberOf(statement) ?? null,
    link: paymentLinkOf(statement) ?? null,
    // `+30d` meant another day when the statement was created.
    due_at: before ? before.due_at : status === 'open' && typeof due === 'number' ? due : row.due_at,
  };
  if (how === 'billed') {
    const became = replacedBy(statement) === undefined ? 'billed' : 'reissued';
    const error = `${row.external_id} was ${became} as ${statementName(statement)}: not billed again.`;
    return {...known, phase: 'done', error_code: 'billed_before', error};
  }
  if (status === 'draft') return {...known, phase: 'drafting'};
  if (status !== 'open' || !finalize) return {...known, phase: 'done', sent: before?.sent ?? 'no'};
  if (before) {
    const {sent, opened} = before;
    const isDone = send ? before.phase === 'done' && sent === 'yes' : before.phase === 'done' || sent === 'unknown';
    return {...known, sent, opened, phase: isDone ? 'done' : 'finishing'};
  }
  // The run that finalized the statement may also have sent it.
  return {...known, phase: 'finishing', opened: 0, sent: send ? 'unknown' : 'no'};
}
