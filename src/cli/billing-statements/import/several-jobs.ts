// Several jobs on one command line: each is changed in turn, and those that were are printed.

import type {JobFile} from '../../../billing/import/job-file.js';
import type {Context} from '../../../context.js';
import {CentavoError} from '../../../errors.js';
import type {Rendering} from '../../../output/result.js';
import {renderList} from '../../../output/render-list.js';
import {requiredArgument, severalWords} from '../../base.js';
import {Tally, whateverHappens} from '../../operations/tally.js';
import {idsOfInput} from '../../references/references.js';
import {resultOfJobs} from './job-words.js';
import {openJob, summaryOf, type JobSummary} from './jobs.js';

export const jobArguments = {
  id: severalWords({description: 'Ids of jobs; - for ids on stdin.', helpValue: '<job_…>'}),
};

/** Ids as they were typed, or on stdin; each once. @throws CentavoError kind `usage` when there is none */
export async function jobsNamed(
  context: Context,
  words: readonly string[] | undefined,
  example: string,
): Promise<string[]> {
  requiredArgument(words?.[0], 'the job', example);
  const isInput = words!.length === 1 && words![0] === '-';
  return [...new Set(isInput ? idsOfInput(await context.readInput()) : words)];
}

/**
 * Changes each job in turn, and prints those that were changed. One that cannot be changed does not keep the others from it.
 * @throws CentavoError that of all when they failed alike, or kind `partial` when some failed
 */
export async function changeJobs(
  context: Context,
  ids: readonly string[],
  rendering: Rendering,
  change: (job: JobFile) => void,
): Promise<void> {
  const tally = new Tally(ids.length);
  async function* changed(): AsyncGenerator<readonly JobSummary[]> {
    for (const id of ids) {
      try {
        const job = await openJob(context, id);
        try {
          change(job);
          tally.changed++;
          yield [summaryOf(context, job)];
        } finally {
          job.close();
        }
      } catch (error) {
        if (!(error instanceof CentavoError)) throw error;
        tally.fail(context, id, error);
      }
    }
  }
  await renderList(changed(), resultOfJobs, rendering, whateverHappens(context));
  if (tally.failures.length > 0) throw tally.failed(context);
}
