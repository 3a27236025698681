// What others have billed since a job looked at the account: while a person was asked, or while the job was stopped.

import type {Statement} from '../../../../billing/compose/plan.js';
import type {Existing} from '../../../../billing/import/existing-statements.js';
import type {Phase} from '../../../../billing/import/job/facts.js';
import type {JobFile} from '../../../../billing/import/job/file.js';
import {reading} from '../../../../cli/references/reading.js';
import type {Context} from '../../../../context.js';
import {count} from '../../../../ground/counts.js';
import {refused} from '../../../../ground/errors.js';
import type {Change} from '../../../../guard/change.js';
import {statementWords} from './plan-words.js';
import {workersOf, type RunOptions} from './run.js';

/**
 * Statements that were made from rows that this job has not begun. What it has begun, it reads again by itself.
 * Refuses what would be billed twice.
 */
export async function madeMeanwhile(context: Context, job: JobFile, options: RunOptions): Promise<Existing[]> {
  const phases: readonly Phase[] = options.retries ? ['planned', 'failed'] : ['planned'];
  if (job.rows(phases).next().done) return [];
  const {findExisting} = await context.imports();
  const {client} = await workersOf(context, options.concurrency);
  const {since, newest} = job.record;
  const own: Existing[] = [];
  const others: Existing[] = [];
  const onEnded = ({id, created_at: at}: Statement): void => void (at >= newest && options.ended?.add(id));
  await reading(context, 'Reading billing statements', async (walk) => {
    for await (const existing of findExisting(job, client, {...walk, since, onEnded})) {
      const {row, statement, how} = existing;
      if (!phases.includes(row.phase) || row.id !== null) continue;
      if (how === 'own') own.push(existing);
      // What was there before was found by the first look, and allowed.
      else if (!options.allowDuplicate && statement.created_at > newest) others.push(existing);
    }
  });
  const [first] = others;
  if (!first) return own;
  const them = others.length === 1 ? '1 statement was' : `${count(others.length)} statements were`;
  throw refused('duplicate_statement', `${them} billed in the meantime, such as ${first.row.external_id}.`, {
    why: `It was billed as ${statementWords(first.statement)}.`,
    hint: 'To continue all the same, add --allow-duplicate.',
  });
}

/** The change with another look at the account after the question, which may stay open for hours. */
export function lookingAgain(context: Context, job: JobFile, options: RunOptions, change: Change): Change {
  let isFresh = true;
  return {
    ...change,
    lookUp: async () => {
      const [made] = isFresh ? [] : await madeMeanwhile(context, job, options);
      isFresh = false;
      if (!made) return {...change.known};
      throw refused('changed_meanwhile', 'what you confirmed has changed in the meantime.', {
        why: `${made.row.external_id} was billed as ${statementWords(made.statement)}.`,
        hint: 'Run the command again to confirm what is left.',
      });
    },
  };
}
