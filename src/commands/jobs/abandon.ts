// `centavo jobs abandon`: gives an import up. What it made stays.

import {BaseCommand} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {jobsSchema} from '../billing-statements/shared/import/job-words.js';
import {changeJobs, jobArguments} from './shared/several-jobs.js';

export class JobsAbandonCommand extends BaseCommand {
  static override summary = 'Give up an import that was stopped.';
  static override description = 'What it made stays in the account. Its job file is removed after 90 days.';
  static override examples = ['<%= config.bin %> jobs abandon job_7f2kq81m0x'];
  static override args = jobArguments;
  static risk = 'writes' as const;
  static exits = ['config', 'not_found', 'partial', 'refused'] as const;
  static output = () => jobsSchema;

  async run(): Promise<void> {
    const {args, flags} = await this.read(JobsAbandonCommand);
    const {context} = this;
    await changeJobs(context, args.id, 'abandon', this.rendering, (job) => {
      const {state} = job.record;
      const isOver = state === 'ended' || state === 'abandoned';
      if (isOver) context.io.note(`${job.id} is over already.`);
      else if (!isDryRun(context, flags, `give up ${job.id}`)) {
        job.claim(context.host.identity, context.isAlive);
        job.release(context.host.identity, 'abandoned', context.now());
      }
    });
  }
}
