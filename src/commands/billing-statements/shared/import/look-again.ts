// What others have billed since a job looked at the account: while a person was asked, or while the job was stopped.

import type {Existing} from '../../../../billing/import/existing-statements.js';
import type {Phase} from '../../../../billing/import/job/facts.js';
import type {JobFile} from '../../../../billing/import/job/file.js';
import type {Context} from '../../../../context.js';
import {CentavoError} from '../../../../ground/errors.js';
import type {Change} from '../../../../guard/change.js';
import {statementWords} from './plan-words.js';
import {workersOf} from './run.js';

export interface AgainFlags {
  readonly allowDuplicate: boolean;
  /** Statements at a time. */
  readonly concurrency: number;
  /** Whether rows that failed are tried again. */
  readonly retries: boolean;
}

/**
 * Statements that were made from rows that this job has not begun. What it has begun, it reads again by itself.
 * Refuses what would be billed twice.
 */
export async function madeMeanwhile(context: Context, job: JobFile, flags: AgainFlags): Promise<Existing[]> {
  const phases: readonly Phase[] = flags.retries ? ['planned', 'failed'] : ['planned'];
  if (job.rows(phases).next().done) return [];
  const {io, signal} = context;
  const {findExisting} = await context.imports();
  const {client} = await workersOf(context, flags.concurrency);
  const {since, newest} = job.record;
  const onProgress = (count: number): void => io.progress(`Reading billing statements: ${count.toLocaleString('en')}`);
  const own: Existing[] = [];
  const others: Existing[] = [];
  try {
    for await (const existing of findExisting(job, client, {signal, since, onProgress})) {
      const {row, statement, how} = existing;
      if (!phases.includes(row.phase) || row.id !== null) continue;
      if (how === 'own') own.push(existing);
      // What was there before was found by the first look, and allowed.
      else if (!flags.allowDuplicate && statement.created_at > newest) others.push(existing);
    }
  } finally {
    io.progress(undefined);
  }
  const [first] = others;
  if (!first) return own;
  const them = others.length === 1 ? '1 statement was' : `${others.length.toLocaleString('en')} statements were`;
  throw new CentavoError('refused', `${them} billed in the meantime, such as ${first.row.external_id}.`, {
    code: 'duplicate_statement',
    why: `It was billed as ${statementWords(first.statement)}.`,
    hint: 'To continue all the same, add --allow-duplicate.',
    applied: 'no',
  });
}

/** The change with another look at the account after the question, which may stay open for hours. */
export function lookingAgain(context: Context, job: JobFile, flags: AgainFlags, change: Change): Change {
  let isFresh = true;
  return {
    ...change,
    lookUp: async () => {
      const [made] = isFresh ? [] : await madeMeanwhile(context, job, flags);
      isFresh = false;
      if (!made) return {...change.known};
      throw new CentavoError('refused', 'what you confirmed has changed in the meantime.', {
        code: 'changed_meanwhile',
        why: `${made.row.external_id} was billed as ${statementWords(made.statement)}.`,
        hint: 'Run the command again to confirm what is left.',
        applied: 'no',
      });
    },
  };
}
