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
import {summaryOf, withJob, type JobSummary} from '../../billing-statements/shared/import/jobs.js';

export const jobArguments = {
  id: severalWords({description: 'Ids of jobs; - for ids on stdin.', helpValue: '<job_…>'}),
};

/**
 * Changes each job in turn, and prints those that were changed. A failure does not stop the others.
 * @param words ids as they were typed, or `-` @param verb of the command
 */
export async function changeJobs(
  context: Context,
  words: readonly string[] | undefined,
  verb: string,
  rendering: Rendering,
  change: (job: JobFile) => void,
): Promise<void> {
  const first = requiredArgument(words?.[0], 'the job', `centavo jobs ${verb} job_7f2kq81m0x`);
  const isInput = words!.length === 1 && first === '-';
  const ids = new Set(isInput ? idsOfInput(await context.readInput()) : words);
  const tally = new Tally(ids.size);
  async function* changed(): AsyncGenerator<readonly JobSummary[]> {
    for (const id of ids) {
      try {
        const summary = await withJob(context, id, (job) => {
          change(job);
          return summaryOf(context, job);
        });
        tally.changed++;
        yield [summary];
      } catch (error) {
        if (!(error instanceof CentavoError)) throw error;
        tally.fail(context, id, error);
      }
    }
  }
  await renderList(changed(), resultOfJobs, rendering, whateverHappens(context));
  if (tally.failures.length > 0) throw tally.failed(context);
}
