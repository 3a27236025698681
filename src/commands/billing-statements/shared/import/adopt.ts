// What was begun or made of a file before: by another job of this machine, or on another machine.

import {linkOf, numberOf} from '../../../../api/statement.js';
import type {Existing} from '../../../../billing/import/existing-statements.js';
import type {Row} from '../../../../billing/import/job/facts.js';
import type {JobFile} from '../../../../billing/import/job/file.js';
import type {Context} from '../../../../context.js';
import {CentavoError} from '../../../../ground/errors.js';
import {allJobs, jobPath, resumeCommand, type JobSummary} from './jobs.js';

export interface AdoptFlags {
  readonly finalize: boolean;
  readonly send: boolean;
  /** Statements of another machine may be taken over. */
  readonly adopt: boolean;
}

/** The job of this machine that made a row before, and what became of it there. */
interface Before {
  readonly job: string;
  readonly row: Row;
}

/**
 * Takes over what this file made before. A statement that another machine opened may have been sent there.
 * Refuses a new job with nothing left to do, and one that another machine may still be working on.
 */
export async function adopt(
  context: Context,
  job: JobFile,
  own: readonly Existing[],
  flags: AdoptFlags,
): Promise<void> {
  const before = await madeHere(context, job, own);
  const isDone = ({row}: Existing): boolean => {
    const {phase, sent} = before.get(row.n)?.row ?? {};
    return phase === 'done' && (!flags.send || sent === 'yes');
  };
  const {statements} = job.tally;
  if (job.record.state === 'ready' && own.length === statements && own.every(isDone))
    throw new CentavoError('refused', `everything in this file was billed before.`, {
      code: 'imported_before',
      why: `All ${statements} of its statements were made by ${[...before.values()].at(-1)!.job}.`,
      hint: `To see them: centavo jobs get ${[...before.values()].at(-1)!.job}`,
      applied: 'no',
    });
  const others = own.filter(({row}) => !before.has(row.n));
  if (others.length > 0) await askAbout(context, others.length, flags);
  if (own.length > others.length)
    context.io.note(
      `${own.length - others.length} of ${statements} statements were made before. What they lack is completed.`,
    );
  job.together(() => {
    for (const each of own) job.setRow(each.row.n, valuesOf(each, before.get(each.row.n)?.row, flags));
  });
}

/** What the jobs of this machine did with these rows. */
async function madeHere(context: Context, job: JobFile, own: readonly Existing[]): Promise<Map<number, Before>> {
  const {JobFile: Jobs} = await context.imports();
  const before = new Map<number, Before>();
  // The newest job knows best.
  for (const {id} of (await otherJobs(context, job)).reverse()) {
    const other = Jobs.open(jobPath(context, id));
    try {
      for (const {row, statement} of own) {
        const same = other.rowWithKey(row.key);
        if (same?.id === statement.id) before.set(row.n, {job: id, row: same});
      }
    } finally {
      other.close();
    }
  }
  return before;
}

/** The other jobs for the same account, newest first. */
const otherJobs = async (context: Context, {id, record: {account}}: JobFile): Promise<JobSummary[]> =>
  (await allJobs(context)).filter((other) => other.id !== id && other.account === account);

/**
 * Refuses a job with a row that another job of this machine has still to do: both would bill it.
 * @param which `running` looks only at jobs that run now, `unfinished` also at those that were stopped
 */
export async function refuseIfBegun(context: Context, job: JobFile, which: 'running' | 'unfinished'): Promise<void> {
  const {JobFile: Jobs} = await context.imports();
  for (const {id, state, isRunning} of await otherJobs(context, job)) {
    if (!isRunning && (which === 'running' || state !== 'running')) continue;
    const other = Jobs.open(jobPath(context, id));
    try {
      for (const {key, external_id: external} of job.rows()) {
        const {phase = 'done'} = other.rowWithKey(key) ?? {};
        if (phase === 'done') continue;
        throw new CentavoError(
          'refused',
          `${external} is also in ${id}, which is ${isRunning ? 'running' : 'not done'}.`,
          {
            code: 'begun_before',
            why: 'Two imports of one file would bill it twice.',
            hint: isRunning
              ? `To see how far it is: centavo jobs get ${id}`
              : `To continue it: ${resumeCommand(context, id)} (or give it up: centavo jobs abandon ${id})`,
            applied: 'no',
          },
        );
      }
    } finally {
      other.close();
    }
  }
}

async function askAbout(context: Context, count: number, flags: AdoptFlags): Promise<void> {
  if (flags.adopt) return;
  const exist = count === 1 ? '1 statement of this file exists' : `${count} statements of this file exist`;
  const isSure =
    context.io.canAsk && (await context.prompt.confirm(`${exist} already, made by another run. Has that run ended?`));
  if (isSure) return;
  throw new CentavoError('refused', `${exist} already, made by another run.`, {
    code: 'made_elsewhere',
    why: 'Two runs at once could bill twice.',
    hint: 'If the other run has ended, add --adopt: what is missing is completed, and nothing is sent that may have been sent.',
    applied: 'no',
  });
}

/** Where a row stands whose statement exists. */
function valuesOf({row, statement}: Existing, before: Row | undefined, {finalize, send}: AdoptFlags): Partial<Row> {
  const {id, status, due_at: due} = statement;
  const known = {
    ...{id, status: status ?? null, number: numberOf(statement) ?? null, link: linkOf(statement) ?? null},
    // `+30d` was another day when the statement was made.
    due_at: before ? before.due_at : status === 'open' && typeof due === 'number' ? due : row.due_at,
  };
  if (status === 'draft') return {...known, phase: 'drafting', doubted: 1};
  if (status !== 'open' || !finalize) return {...known, phase: 'done', sent: before?.sent ?? 'no'};
  if (before) {
    const {sent, opened} = before;
    const isDone = send ? before.phase === 'done' && sent === 'yes' : before.phase === 'done' || sent === 'unknown';
    return {...known, sent, opened, phase: isDone ? 'done' : 'finishing'};
  }
  // Whoever opened it may have sent it.
  return {...known, phase: 'finishing', opened: 0, sent: send ? 'unknown' : 'no'};
}
