// `centavo jobs resume`: continues a stopped import, or retries failed statements.

import {BaseCommand, CHANGE_EXITS} from '../../cli/base.js';
import {Args, Flags} from '../../cli/oclif.js';
import {CentavoError} from '../../common/errors.js';
import {chooseJob, jobStep} from '../../billing/import/cli/find-jobs.js';
import {importSchema} from '../../billing/import/cli/plan-output.js';
import {resumeJob} from '../../billing/import/cli/resume-job.js';
import {jobFlags} from '../../billing/import/cli/run-import.js';

export class JobsResumeCommand extends BaseCommand {
  static override summary = 'Continue a stopped import.';
  static override description =
    'Without an id, it continues the stopped import, and asks if there are several. With --retry-failed or --resend-unknown, it also selects finished imports with such statements. It reads the account again first, so nothing is billed twice. It does not resend statements that may have been sent, unless you confirm each with --resend-unknown.';
  static override examples = ['<%= config.bin %> jobs resume', '<%= config.bin %> jobs resume --retry-failed'];
  static override usage = 'jobs resume [id] [flags]';
  static override args = {id: Args.string({description: 'Id of the job.', helpValue: '<job_…>'})};
  static override flags = {
    ...jobFlags,
    'retry-failed': Flags.boolean({summary: 'Retry statements that failed.'}),
    'resend-unknown': Flags.boolean({
      summary: 'Ask, for each statement that may have been sent, whether to send it again.',
    }),
  };
  static risk = 'bills' as const;
  static agents = 'hands_over' as const;
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
        throw error.with({
          why: `Statements of ${uncertainJob} may have been sent. Only a person can decide whether to send them again.`,
          next: [jobStep(this.context, 'To see them', 'jobs get', uncertainJob, '--open')],
          override: '--resend-unknown',
          needsPerson: true,
          job: uncertainJob,
        });
      }));
    await resumeJob(this.context, id, 'jobs resume', flags, this.rendering);
  }
}
