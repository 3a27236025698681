// `centavo jobs get`: what became of each statement of an import.

import {BaseCommand, requiredArgument} from '../../cli/base.js';
import {Args, Flags} from '../../cli/oclif.js';
import {jobSchema, printJob} from '../billing-statements/shared/import/job-words.js';
import {UNDONE, openJob} from '../billing-statements/shared/import/jobs.js';

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
    const {context} = this;
    const job = await openJob(context, requiredArgument(args.id, 'the job', 'centavo jobs get job_7f2kq81m0x'));
    try {
      const rows = job.rows(flags.open ? [...UNDONE, 'failed'] : undefined);
      await printJob(job, rows, this.rendering, context);
    } finally {
      job.close();
    }
  }
}
