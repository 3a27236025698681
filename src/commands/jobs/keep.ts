// `centavo jobs keep`: keeps a job file after the 90 days.

import {BaseCommand} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {Flags} from '../../cli/oclif.js';
import {jobsSchema} from '../billing-statements/shared/import/job-words.js';
import {changeJobs, jobArguments} from './shared/several-jobs.js';

export class JobsKeepCommand extends BaseCommand {
  static override summary = 'Keep the job file of an import for longer than 90 days.';
  static override examples = [
    '<%= config.bin %> jobs keep job_7f2kq81m0x',
    '<%= config.bin %> jobs keep job_7f2kq81m0x --undo',
  ];
  static override args = jobArguments;
  static override flags = {undo: Flags.boolean({summary: 'Let it be removed 90 days after the job ended.'})};
  static risk = 'writes' as const;
  static exits = ['config', 'not_found', 'partial', 'refused'] as const;
  static output = () => jobsSchema;

  async run(): Promise<void> {
    const {args, flags} = await this.read(JobsKeepCommand);
    const {context} = this;
    await changeJobs(context, args.id, 'keep', this.rendering, (job) => {
      job.refuseIfTaken(context.host.identity, context.isAlive);
      const what = flags.undo ? `let ${job.id} be removed 90 days after its end` : `keep ${job.id}`;
      if (!isDryRun(context, flags, what)) job.setJob({keep: flags.undo ? 0 : 1});
    });
  }
}
