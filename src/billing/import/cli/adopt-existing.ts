// Continues or skips rows that an earlier import of the same file started, on this machine or another machine.

import {replacedBy} from '../../../accounting/replacements.js';
import {billedAt, statementName, statusText} from '../../../api/statement.js';
import type {RecordedSend} from '../../../accounting/standing.js';
import type {RunEvent} from '../../statement/workflow/run-events.js';
import type {ExistingStatement} from '../existing-statements.js';
import type {JobRecord, StatementRow} from '../job/job-types.js';
import type {JobFile} from '../job/job-file.js';
import {moneyHistory} from '../../../cli/presentation/standings.js';
import type {Context} from '../../../context/context.js';
import {formatInteger, formatCount} from '../../../common/counts.js';
import type {CentavoError, NextCommand} from '../../../common/errors.js';
import {dayText} from '../../../common/manila.js';
import {commandText} from '../../../common/next-text.js';
import {REPEAT_WINDOW} from '../../../guard/repeats.js';
import {changedRowError} from './changed-row.js';
import {ADOPTED, forEachOtherJob, isAdopted, jobStep, refusedBills} from './find-jobs.js';
import {firstLines} from './plan-output.js';

/** A file of which nothing is left to bill. */
export interface AlreadyBilled {
  readonly drafts: number;
  /** When the first and the last were billed, or created as drafts. Unix seconds. */
  readonly first: number;
  readonly last: number;
  /** The jobs of this machine that billed them. */
  readonly jobs: readonly string[];
}

/**
 * Records in the job the statements that this file created before. Asks about another machine's statements, and throws
 * `made_elsewhere` unless the user confirms.
 * @param adopts true to continue statements of another machine without a question
 * @param sending the command that sends statements which this file already created as drafts
 * @returns when everything was billed, if a new job has nothing left to bill: under the same period, or in the last 20
 * hours. Otherwise throws `billed_before`.
 */
export async function adoptExisting(
  context: Context,
  job: JobFile,
  found: readonly ExistingStatement[],
  {adopts, sending}: {readonly adopts: boolean; readonly sending?: NextCommand},
): Promise<AlreadyBilled | undefined> {
  const {isBilledOtherwise, oldestPerRow, valuesOf} = await context.imports();
  const {record, tally, period} = job;
  const {statements} = tally;
  const own = oldestPerRow(found);
  const before = await createdHere(context, job, own);
  const history = await moneyHistory(context);
  const taken = own.map((existing) => {
    const {row, statement} = existing;
    const values = adoptedValues(existing, before.get(row.n)?.row, history.send(statement.id)?.state, record);
    return [existing, {...valuesOf(statement), ...values}] as const;
  });
  for (const [existing, values] of taken)
    if (values.error && isBilledOtherwise(existing, job)) {
      const {problem, next} = await changedRowError(context, job, existing, {line: 0, column: null, value: ''});
      const step = next?.args.includes('reissue') ? ` ${commandText({...next, words: 'To replace it'})}` : '';
      Object.assign(values, {error_code: 'billed_otherwise', error: `${problem} It is not billed again.${step}`});
    }
  // In a period, bills of another machine are skipped, so only its drafts need an answer.
  const createdElsewhere = own.filter(
    ({row, how, statement}) => how !== 'billed' && !before.has(row.n) && (period === null || isDraft(statement)),
  );
  const passedOver = taken.flatMap(([, {error}]) => error ?? []);
  const done = taken.filter(([, {phase}]) => phase === 'done').length;
  const isMade = ({row, statement}: ExistingStatement) => isDraft(statement) && before.get(row.n)?.row.phase === 'done';
  const drafts = record.finalize ? 0 : own.filter(isMade).length;
  const isWhole = record.state === 'ready' && createdElsewhere.length === 0 && done + drafts === statements;
  const isBilled = ([{row, statement}, {phase}]: (typeof taken)[number]): boolean =>
    phase === 'done' || (!before.has(row.n) && !isDraft(statement));
  const isAllBilled = record.state === 'ready' && own.length === statements && taken.every(isBilled);
  const now = await context.accountNow();
  const times = own.map(({statement}) => billedAt(statement) ?? now).sort((one, other) => one - other);
  const jobs = [...new Set([...before.values()].map(({job: {id}}) => id))];
  const billed = {drafts, first: times[0]!, last: times.at(-1)!, jobs};
  if ((isWhole || isAllBilled) && period === null && billed.last <= now - REPEAT_WINDOW)
    throw billedBefore(context, own, billed, now, sending);
  if (!isWhole) {
    if (createdElsewhere.length > 0 && !adopts) await confirmAdoption(context, createdElsewhere);
    const countText = (some: number): string =>
      `${formatInteger(some)} of ${formatCount(statements, 'statement')} ${some === 1 ? 'is' : 'are'}`;
    if (done > 0) context.io.note(`${countText(done)} already billed and will be skipped.`);
    for (const line of firstLines(passedOver)) context.io.note(line);
    if (own.length > done) context.io.note(`${countText(own.length - done)} already created and will be completed.`);
  }
  job.transaction(() => {
    for (const [{row, statement}, values] of taken) {
      const made = before.get(row.n);
      const phase = isWhole ? 'done' : values.phase;
      job.clearEvents(row.n);
      // A job that bills nothing reports the totals of its file.
      const passed = Number(!isWhole && phase === 'done');
      job.setRow(row.n, {run: made?.row.run ?? null, ...values, phase, billed_before: passed});
      // Without events of another job, the run starts from the statement's id.
      job.addEvents(row.n, ...(made?.events ?? [{type: 'named', id: statement.id} as const]));
    }
  });
  return isWhole ? billed : undefined;
}

const isDraft = ({status}: ExistingStatement['statement']): boolean => status === 'draft';

/** `all 12 rows were billed on 3 June`, `the only row was created between 3 June and 5 June`. @param now unix seconds */
export function alreadyText({first, last, drafts}: AlreadyBilled, rows: number, now: number): string {
  const [from, to] = [first, last].map((at) => dayText(at, now));
  const when = from === to ? `on ${from}` : `between ${from} and ${to}`;
  const which =
    rows === 1 ? 'the only row was' : rows === 2 ? 'both rows were' : `all ${formatInteger(rows)} rows were`;
  return `${which} ${drafts > 0 ? 'created' : 'billed'} ${when}`;
}

function billedBefore(
  context: Context,
  own: readonly ExistingStatement[],
  already: AlreadyBilled,
  now: number,
  sending: NextCommand | undefined,
): CentavoError {
  const {drafts, jobs, last} = already;
  const [job] = jobs;
  const isIn = job === undefined ? '' : `They are in ${jobs.join(' and ')}. `;
  const areDrafts = drafts > 0 ? `Still drafts: ${formatInteger(drafts)}. ` : '';
  const error = refusedBills(context, 'billed_before', `${alreadyText(already, own.length, now)}.`, own, {
    why: `${isIn}${areDrafts}Without --period, centavo cannot tell another month from a repeat.`,
    job,
  });
  const {ids = [], next = []} = error.details;
  const see = job === undefined ? next : [jobStep(context, 'To see them', 'jobs get', job)];
  const first = drafts > 0 && sending ? [sending] : [];
  return error.with({next: [...first, ...see], before: {at: last, is_certain: true, ids}});
}

const SENT_CALLS = [null, 'no', 'unknown', 'yes'] as const;
const progressRank = (row: StatementRow | undefined) => (row ? SENT_CALLS.indexOf(row.sent) * 2 + row.opened : -1);

/** Rows of other jobs on this machine that created the same statements, by the number of this job's row. */
export async function createdHere(context: Context, job: JobFile, own: readonly ExistingStatement[]) {
  const {draftOwnersOf} = await context.imports();
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
      // A stopped process may not have recorded the id of its last draft.
      const isOwn = same && (same.id ?? statement.id) === statement.id;
      const isFound = isOwn && (same.id !== null || draftOwnersOf(statement).owner === same.run);
      if (isFound && isLater) before.set(row.n, {job: other.record, row: same, events: other.eventsOf(same.n)});
    }
  });
  return before;
}

async function confirmAdoption(context: Context, found: readonly ExistingStatement[]): Promise<void> {
  const exist = `${formatCount(found.length, 'statement')} of this file already ${found.length === 1 ? 'exists' : 'exist'}, created by another run.`;
  if (context.io.canAsk && (await context.prompt.confirm(`${exist} Has that run ended?`))) return;
  throw refusedBills(context, 'made_elsewhere', exist, found, {
    why: 'Two runs at once could bill twice. If the other run has ended, its drafts can be completed; nothing is resent.',
    override: '--adopt',
  });
}

/**
 * Values of a row whose statement exists. @param before the row of the job on this machine that created the statement
 * @param earlier the statement's last send in this machine's history
 */
function adoptedValues(
  {row, statement, how, isEnded}: ExistingStatement,
  before: StatementRow | undefined,
  earlier: RecordedSend['state'] | undefined,
  {finalize, send, period}: JobRecord,
): Partial<StatementRow> {
  const {status, due_at: due, amount} = statement;
  const became = replacedBy(statement) === undefined ? 'billed' : 'reissued';
  const end = isEnded ? `, which is ${statusText(statement)}` : '';
  const error = `${row.external_id} was ${became} as ${statementName(statement)}${end}: not billed again.`;
  const isSent = earlier === 'sent' || before?.sent === 'yes';
  const sent = isSent ? 'yes' : earlier ? 'unknown' : (before?.sent ?? null);
  const passed = {phase: 'done', sent, error_code: 'billed_before', error} as const;
  const known = {
    amount: status === 'draft' || typeof amount !== 'number' ? row.amount : amount,
    // `+30d` meant another day when the statement was created.
    due_at: before ? before.due_at : status === 'open' && typeof due === 'number' ? due : row.due_at,
  };
  if (how === 'billed' || (period !== null && !before && status !== 'draft')) return {...known, ...passed};
  if (status === 'draft') return {...known, phase: 'drafting'};
  if (status !== 'open' || !finalize) return {...known, phase: 'done', sent};
  if (before) {
    const {opened, phase, sent: own} = before;
    const isDone = send ? phase === 'done' && own === 'yes' : phase === 'done' || own === 'unknown';
    if (isDone && period !== null) return {...known, opened, ...passed};
    const seen = own === 'unknown' && isAdopted(before) ? ADOPTED : {};
    return {...known, sent: own, opened, phase: isDone ? 'done' : 'finishing', ...seen};
  }
  if (!send) return {...known, phase: 'finishing', opened: 0, sent: 'no'};
  if (isSent) return {...known, phase: 'done', opened: 0, sent};
  // The run that finalized the statement may also have sent it.
  return {...known, phase: 'finishing', opened: 0, sent: 'unknown', ...(earlier === undefined && ADOPTED)};
}
