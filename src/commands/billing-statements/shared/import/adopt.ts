// What was begun or made of a file before: by another job of this machine, or on another machine.

import {linkOf, numberOf} from '../../../../api/statement.js';
import type {Fact} from '../../../../billing/engine/facts.js';
import type {Existing} from '../../../../billing/import/existing-statements.js';
import type {JobRecord, Row} from '../../../../billing/import/job/facts.js';
import type {JobFile} from '../../../../billing/import/job/file.js';
import type {Context} from '../../../../context.js';
import {count, counted} from '../../../../ground/counts.js';
import {refused} from '../../../../ground/errors.js';
import {eachOther, resumeCommand} from './jobs.js';

/**
 * Takes over what this file made before. A statement that another machine opened may have been sent there.
 * Refuses a new job with nothing left to do, and one that another machine may still be working on.
 * @param adopts statements of another machine may be taken over
 * @param sending the hint by which what this file made is sent
 */
export async function adopt(
  context: Context,
  job: JobFile,
  found: readonly Existing[],
  adopts: boolean,
  sending?: string,
): Promise<void> {
  const {isNumbered, onePerRow} = await context.imports();
  const {record, tally} = job;
  const {statements} = tally;
  const own = onePerRow(found);
  const before = await madeHere(context, job, own);
  const taken = own.map((existing) => [existing, valuesOf(existing, before.get(existing.row.n)?.row, record)] as const);
  const done = taken.filter(([, {phase}]) => phase === 'done').length;
  const isMade = ({row, statement: {status}}: Existing): boolean =>
    status === 'draft' && before.get(row.n)?.row.phase === 'done';
  const drafts = record.finalize ? 0 : own.filter(isMade).length;
  if (record.state === 'ready' && before.size === statements && done + drafts === statements) {
    const jobs = [...new Set([...before.values()].map(({job: {id}}) => id))];
    throw refused('imported_before', `everything in this file was ${drafts > 0 ? 'made' : 'billed'} before.`, {
      why: `Its statements are in ${jobs.join(' and ')}.${drafts > 0 ? ` Still drafts: ${count(drafts)}.` : ''}${isNumbered(own[0]!.row) ? '' : ' To bill the same once more, number the rows in a column Invoice No.'}`,
      hint: (drafts > 0 && sending) || `To see them: centavo jobs get ${jobs[0]}`,
    });
  }
  const others = own.filter(({row}) => !before.has(row.n));
  if (others.length > 0 && !adopts) await askAbout(context, others.length);
  const said = (some: number): string =>
    `${count(some)} of ${counted(statements, 'statement')} ${some === 1 ? 'was' : 'were'}`;
  if (done > 0) context.io.note(`${said(done)} billed before, and will not be billed again.`);
  if (own.length > done) context.io.note(`${said(own.length - done)} made before. What is lacking will be completed.`);
  job.together(() => {
    for (const [existing, values] of taken) {
      const {n} = existing.row;
      const made = before.get(n);
      job.forget(n);
      job.setRow(n, {run: made?.row.run ?? null, billed_before: Number(values.phase === 'done'), ...values});
      // Without facts of it, what the row says of the statement will do.
      job.addFacts(n, ...(made?.facts ?? [{what: 'named', id: existing.statement.id} as const]));
    }
  });
}

const SENT = ['no', 'unknown', 'yes'] as const;
const reached = (row: Row | undefined): number => (row ? SENT.indexOf(row.sent) * 2 + row.opened : -1);

/** What became of these rows, by their numbers, in the jobs of this machine that made them before. */
async function madeHere(context: Context, job: JobFile, own: readonly Existing[]) {
  const before = new Map<
    number,
    {readonly job: JobFile['record']; readonly row: Row; readonly facts: readonly Fact[]}
  >();
  await eachOther(context, job, (other) => {
    for (const {row, statement} of own) {
      const same = other.rowWithKey(row.key);
      const known = before.get(row.n);
      // The newest job knows best, and of those of one second the one that got farthest.
      const isLater =
        !known || (known.job.created_at === other.record.created_at && reached(same) > reached(known.row));
      if (same?.id === statement.id && isLater)
        before.set(row.n, {job: other.record, row: same, facts: other.factsOf(same.n)});
    }
  });
  return before;
}

/** Which jobs are looked at: `running` only those that run now, `unfinished` also those that were stopped. */
type Which = 'running' | 'unfinished';

/** Another job of this machine that has still to do a row of this one: both would bill it. */
export async function findBegun(context: Context, job: JobFile, which: Which) {
  let found: {readonly id: string; readonly external: string; readonly isRunning: boolean} | undefined;
  await eachOther(context, job, (other, {id, state, isRunning}) => {
    if (found || (!isRunning && (which === 'running' || state !== 'running'))) return;
    for (const {key, external_id: external} of job.rows())
      if ((other.rowWithKey(key)?.phase ?? 'done') !== 'done') {
        found = {id, external, isRunning};
        return;
      }
  });
  return found;
}

export async function refuseIfBegun(context: Context, job: JobFile, which: Which): Promise<void> {
  const begun = await findBegun(context, job, which);
  if (!begun) return;
  const {id, external, isRunning} = begun;
  throw refused('begun_before', `${external} is also in ${id}, which is ${isRunning ? 'running' : 'not done'}.`, {
    why: 'Two imports of one file would bill it twice.',
    hint: isRunning
      ? 'To see what runs: centavo jobs list'
      : `To continue it: ${resumeCommand(context, id)} (or abandon it: centavo jobs remove ${id})`,
  });
}

async function askAbout(context: Context, others: number): Promise<void> {
  const exist = others === 1 ? '1 statement of this file exists' : `${count(others)} statements of this file exist`;
  const isSure =
    context.io.canAsk && (await context.prompt.confirm(`${exist} already, made by another run. Has that run ended?`));
  if (isSure) return;
  throw refused('made_elsewhere', `${exist} already, made by another run.`, {
    why: 'Two runs at once could bill twice.',
    hint: 'If the other run has ended, add --adopt: what is missing is completed, and nothing is sent that may have been sent.',
  });
}

/** Where a row stands whose statement exists, and goes on from: where this machine made it, by what is known of it. */
function valuesOf({row, statement}: Existing, before: Row | undefined, {finalize, send}: JobRecord): Partial<Row> {
  const {id, status, due_at: due} = statement;
  const known = {
    id,
    status: status ?? null,
    number: numberOf(statement) ?? null,
    link: linkOf(statement) ?? null,
    // `+30d` was another day when the statement was made.
    due_at: before ? before.due_at : status === 'open' && typeof due === 'number' ? due : row.due_at,
  };
  if (status === 'draft') return {...known, phase: 'drafting'};
  if (status !== 'open' || !finalize) return {...known, phase: 'done', sent: before?.sent ?? 'no'};
  if (before) {
    const {sent, opened} = before;
    const isDone = send ? before.phase === 'done' && sent === 'yes' : before.phase === 'done' || sent === 'unknown';
    return {...known, sent, opened, phase: isDone ? 'done' : 'finishing'};
  }
  // Whoever opened it may have sent it.
  return {...known, phase: 'finishing', opened: 0, sent: send ? 'unknown' : 'no'};
}
