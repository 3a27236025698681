// Several jobs on one command line: each is changed in turn, and those that were are printed.

import type {JobFile} from '../../../billing/import/job/file.js';
import {requiredArgument, severalWords} from '../../../cli/base.js';
import {Tally, whateverHappens} from '../../../cli/operations/tally.js';
import {idsOfInput} from '../../../cli/references/references.js';
import type {Context} from '../../../context.js';
import {CentavoError} from '../../../ground/errors.js';
import {renderList} from '../../../output/render-list.js';
import type {Rendering} from '../../../output/result.js';
import {resultOfJobs} from '../../billing-statements/shared/import/job-words.js';
import {openJob, summaryOf, type JobSummary} from '../../billing-statements/shared/import/jobs.js';

export const jobArguments = {
  id: severalWords({description: 'Ids of jobs; - for ids on stdin.', helpValue: '<job_…>'}),
};

/** Ids as they were typed, or on stdin; each once. */
export async function jobsNamed(
  context: Context,
  words: readonly string[] | undefined,
  example: string,
): Promise<string[]> {
  requiredArgument(words?.[0], 'the job', example);
  const isInput = words!.length === 1 && words![0] === '-';
  return [...new Set(isInput ? idsOfInput(await context.readInput()) : words)];
}

/** Changes each job in turn, and prints those that were changed. A failure does not stop the others. */
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
