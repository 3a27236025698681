// Finds statements created after a job read the account: during the question, or while the job was stopped.

import type {BillingStatementData} from '../../statement/plan.js';
import type {ExistingStatement} from '../existing-statements.js';
import type {RowPhase} from '../job/job-types.js';
import type {JobFile} from '../job/job-file.js';
import {withReadingProgress} from '../../../cli/account-reads.js';
import {moneyHistory, readStanding} from '../../../cli/presentation/standings.js';
import type {Context} from '../../../context/context.js';
import {formatInteger} from '../../../common/counts.js';
import {refusedError} from '../../../common/errors.js';
import type {PlannedChange} from '../../../guard/change.js';
import {refusedBills} from './find-jobs.js';
import {formatBilledAs} from './plan-output.js';
import {workersOf, type ImportRunOptions} from './run-import.js';

/**
 * Returns existing statements of rows that this job has not started; runs of started rows read their statements again.
 * Throws `duplicate_statement` if other statements bill the same items.
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
  const history = await moneyHistory(context);
  const own: ExistingStatement[] = [];
  const duplicates: ExistingStatement[] = [];
  const onEnded = ({id, created_at: at}: BillingStatementData): void => void (at >= newest && options.ended?.add(id));
  await withReadingProgress(context, 'Reading billing statements', async (walk) => {
    for await (const existing of findExisting(job, client, {...walk, since, onEnded, history})) {
      const {row, statement, how} = existing;
      if (!phases.includes(row.phase) || row.id !== null) continue;
      if (how === 'own' || (how === 'billed' && job.period !== null)) own.push(existing);
      // Earlier duplicates were allowed when the file was checked.
      else if (!options.allowDuplicate && statement.created_at > newest) duplicates.push(existing);
    }
  });
  const [first] = duplicates;
  if (!first) return own;
  const {external_id: external} = first.row;
  const rows = duplicates.length === 1 ? external : `${formatInteger(duplicates.length)} rows, for example ${external}`;
  throw refusedBills(context, 'duplicate_statement', `another run billed ${rows}.`, duplicates, {
    why: `${external} was billed as ${formatBilledAs(await readStanding(context, first.statement), first.statement)}.`,
    override: '--allow-duplicate',
  });
}

/** Adds a second check of the account after the question, which may stay open for hours. */
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
        why: `${made.row.external_id} was billed as ${formatBilledAs(await readStanding(context, made.statement), made.statement)}.`,
        hint: 'Run the command again to confirm the remaining rows.',
        ids: [made.statement.id],
        retryable: true,
      });
    },
  };
}
