// `centavo jobs resume`: continues an import that was stopped, or retries what failed.

import {BaseCommand, CHANGE_EXITS} from '../../cli/base.js';
import {Args, Flags} from '../../cli/oclif.js';
import {CentavoError} from '../../common/errors.js';
import {chooseJob, resumeCommand} from '../../billing/import/cli/find-jobs.js';
import {importSchema} from '../../billing/import/cli/plan-output.js';
import {resumeJob} from '../../billing/import/cli/resume-job.js';
import {jobFlags} from '../../billing/import/cli/run-import.js';

export class JobsResumeCommand extends BaseCommand {
  static override summary = 'Continue an import that was stopped.';
  static override description =
    'Without an id, it continues the one that was stopped; if there are several, it asks which. With --retry-failed or --resend-unknown, it is one with such statements. Reads the account again before it goes on, so nothing is billed twice. What may have been sent is left alone: --resend-unknown asks about each.';
  static override examples = ['<%= config.bin %> jobs resume', '<%= config.bin %> jobs resume --retry-failed'];
  static override usage = 'jobs resume [id] [flags]';
  static override args = {id: Args.string({description: 'Id of the job.', helpValue: '<job_…>'})};
  static override flags = {
    ...jobFlags,
    'retry-failed': Flags.boolean({summary: 'Retry statements that failed.'}),
    'resend-unknown': Flags.boolean({summary: 'Decide about each that may have been sent.'}),
  };
  static risk = 'bills' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => importSchema;

  async run(): Promise<void> {
    const {args, flags} = await this.read(JobsResumeCommand);
    let uncertainJob: string | undefined;
    const id =
      args.id ??
      (await chooseJob('continue', this.context, ({id: job, state, tally: {failed, inDoubt}}) => {
        if (state !== 'ended') return state === 'running';
        if (inDoubt > 0) uncertainJob ??= job;
        return (flags['retry-failed'] === true && failed > 0) || (flags['resend-unknown'] === true && inDoubt > 0);
      }).catch((error: unknown) => {
        if (!(error instanceof CentavoError) || error.code !== 'no_job' || !uncertainJob) throw error;
        const decide = `${resumeCommand(this.context, uncertainJob)} --resend-unknown`;
        throw error.with({hint: `To decide about each that may have been sent: ${decide}`});
      }));
    await resumeJob(this.context, id, 'jobs resume', flags, this.rendering);
  }
}
