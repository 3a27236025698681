// `centavo jobs resume`: continues an import that was stopped, or retries what failed.

import {BaseCommand, CHANGE_EXITS, requiredArgument} from '../../cli/base.js';
import {Args} from '../../cli/oclif.js';
import {importSchema} from '../billing-statements/shared/import/plan-words.js';
import {resumeJob} from '../billing-statements/shared/import/resume.js';
import {jobFlags} from '../billing-statements/shared/import/run.js';

export class JobsResumeCommand extends BaseCommand {
  static override summary = 'Continue an import that was stopped.';
  static override description =
    'Reads the account again before it goes on, so nothing is billed twice. What may have been sent is left alone: --resend-unknown asks about each.';
  static override examples = [
    '<%= config.bin %> jobs resume job_7f2kq81m0x',
    '<%= config.bin %> jobs resume job_7f2kq81m0x --retry-failed',
  ];
  static override args = {id: Args.string({description: 'Id of the job.', helpValue: '<job_…>'})};
  static override flags = jobFlags;
  static risk = 'bills' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => importSchema;

  async run(): Promise<void> {
    const {args, flags} = await this.read(JobsResumeCommand);
    const id = requiredArgument(args.id, 'the job', 'centavo jobs resume job_7f2kq81m0x');
    await resumeJob(this.context, id, 'jobs resume', flags, this.rendering);
  }
}
