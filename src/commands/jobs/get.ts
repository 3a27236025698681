// `centavo jobs get`: shows the result of each statement of an import.

import {BaseCommand} from '../../cli/base.js';
import {Args, Flags} from '../../cli/oclif.js';
import {jobSchema, printJob} from '../../billing/import/cli/job-output.js';
import {missingJob, UNDONE, withJob} from '../../billing/import/cli/find-jobs.js';

export class JobsGetCommand extends BaseCommand {
  static override summary = 'Show the result of each statement of an import, without later payments.';
  static override examples = [
    '<%= config.bin %> jobs get job_7f2kq81m0x',
    '<%= config.bin %> jobs get job_7f2kq81m0x --open',
  ];
  static override args = {id: Args.string({description: 'Id of the job.', helpValue: '<job_…>'})};
  static override flags = {open: Flags.boolean({summary: 'Only unfinished statements.'})};
  static risk = 'reads' as const;
  static exits = ['config', 'not_found'] as const;
  static output = () => jobSchema;

  async run(): Promise<void> {
    const {args, flags} = await this.read(JobsGetCommand);
    const {context} = this;
    if (!args.id) throw missingJob('show');
    await withJob(context, args.id, (job) =>
      printJob(job, job.rows(flags.open ? [...UNDONE, 'failed'] : undefined), this.rendering, context),
    );
  }
}
