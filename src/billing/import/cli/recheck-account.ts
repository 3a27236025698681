// Finds statements that others created since a job read the account: during the question, or while the job was stopped.

import type {BillingStatementData} from '../../statement/plan.js';
import type {ExistingStatement} from '../existing-statements.js';
import type {RowPhase} from '../job/job-types.js';
import type {JobFile} from '../job/job-file.js';
import {withReadingProgress} from '../../../cli/references/cached-reads.js';
import type {Context} from '../../../context/context.js';
import {formatInteger} from '../../../common/counts.js';
import {refusedError} from '../../../common/errors.js';
import type {PlannedChange} from '../../../guard/change.js';
import {formatBilledAs} from './plan-output.js';
import {workersOf, type ImportRunOptions} from './run-import.js';

/**
 * Finds statements created from rows that this job has not begun. The job reads its begun rows again by itself.
 * Refuses what would be billed twice.
 */
export async function findCreatedSince(
  context: Context,
  job: JobFile,
  options: ImportRunOptions,
): Promise<ExistingStatement[]> {
  const phases: readonly RowPhase[] = options.retries ? ['planned', 'failed'] : ['planned'];
  if (job.rows(phases).next().done) return [];
  const {findExisting} = await context.imports();
  const {client} = await workersOf(context, options.concurrency);
  const {since, newest} = job.record;
  const own: ExistingStatement[] = [];
  const duplicates: ExistingStatement[] = [];
  const onEnded = ({id, created_at: at}: BillingStatementData): void => void (at >= newest && options.ended?.add(id));
  await withReadingProgress(context, 'Reading billing statements', async (walk) => {
    for await (const existing of findExisting(job, client, {...walk, since, onEnded})) {
      const {row, statement, how} = existing;
      if (!phases.includes(row.phase) || row.id !== null) continue;
      if (how === 'own') own.push(existing);
      // The first check found and allowed the earlier ones.
      else if (!options.allowDuplicate && statement.created_at > newest) duplicates.push(existing);
    }
  });
  const [first] = duplicates;
  if (!first) return own;
  const count = duplicates.length === 1 ? '1 statement was' : `${formatInteger(duplicates.length)} statements were`;
  throw refusedError('duplicate_statement', `${count} billed by another run, such as ${first.row.external_id}.`, {
    why: `It was billed as ${formatBilledAs(first.statement)}.`,
    hint: 'To continue anyway, add --allow-duplicate.',
  });
}

/** A change that checks the account again after the question, which may stay open for hours. */
export function withRecheck(
  context: Context,
  job: JobFile,
  options: ImportRunOptions,
  change: PlannedChange,
): PlannedChange {
  let isFresh = true;
  return {
    ...change,
    lookUp: async () => {
      const [made] = isFresh ? [] : await findCreatedSince(context, job, options);
      isFresh = false;
      if (!made) return {...change.known};
      throw refusedError('changed_meanwhile', 'the account changed after you confirmed.', {
        why: `${made.row.external_id} was billed as ${formatBilledAs(made.statement)}.`,
        hint: 'Run the command again to confirm the remaining rows.',
      });
    },
  };
}
