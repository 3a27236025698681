// `centavo jobs get`: what became of each statement of an import.

import {Args, Flags} from '../../cli/oclif.js';
import {BaseCommand, requiredArgument} from '../../cli/base.js';
import type {Phase, Row} from '../../billing/import/job-types.js';
import {openJob, summaryOf} from '../../cli/billing-statements/import/jobs.js';
import {jobSchema, pagesOf, resultOfJob} from '../../cli/billing-statements/import/import-words.js';
import {renderList, untilStopped} from '../../output/render-list.js';
import type {Result} from '../../output/result.js';

const NOT_DONE: readonly Phase[] = ['planned', 'drafting', 'drafted', 'finishing', 'failed'];

export class JobsGetCommand extends BaseCommand {
  static override summary = 'Show what became of each statement of an import.';
  static override examples = [
    '<%= config.bin %> jobs get job_7f2kq81m0x',
    '<%= config.bin %> jobs get job_7f2kq81m0x --open',
  ];
  static override usage = 'jobs get <id> [flags]';
  static override args = {id: Args.string({description: 'Id of the job.', helpValue: '<job_…>'})};
  static override flags = {open: Flags.boolean({summary: 'Only statements that are not done.'})};
  static risk = 'reads' as const;
  static exits = ['config', 'not_found'] as const;
  static output = () => jobSchema;

  async run(): Promise<void> {
    const {args, flags} = await this.read(JobsGetCommand);
    const job = await openJob(this.context, requiredArgument(args.id, 'the job', 'centavo jobs get job_7f2kq81m0x'));
    try {
      const rows = job.rows(flags.open ? NOT_DONE : undefined);
      const summary = summaryOf(this.context, job);
      const resultOf = (some: readonly Row[]): Result => resultOfJob(summary, some);
      // JSON has the rows inside the job.
      if (this.rendering.format === 'json') await this.print(resultOf([...rows]));
      else await renderList(pagesOf(rows), resultOf, this.rendering, untilStopped(this.context));
    } finally {
      job.close();
    }
  }
}
