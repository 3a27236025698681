// `centavo jobs resume`: goes on with an import that was stopped, or tries again what failed.

import {Args, Flags} from '../../cli/oclif.js';
import {BaseCommand, CHANGE_EXITS, requiredArgument} from '../../cli/base.js';
import {changeOfImport} from '../../cli/billing-statements/import-plan.js';
import {importSchema} from '../../cli/billing-statements/import-words.js';
import {openJob} from '../../cli/billing-statements/jobs.js';
import {
  askUnknown,
  checkAccount,
  readConcurrency,
  resultFileOf,
  workOn,
} from '../../cli/billing-statements/run-import.js';
import {guardChange, guardConnection} from '../../guard/guard.js';

export class JobsResumeCommand extends BaseCommand {
  static override summary = 'Continue an import that was stopped.';
  static override description =
    'Reads the account again before it goes on, so nothing is billed twice. What may have been sent is left alone: --resend-unknown asks about each.';
  static override examples = [
    '<%= config.bin %> jobs resume job_7f2kq81m0x',
    '<%= config.bin %> jobs resume job_7f2kq81m0x --retry-failed',
  ];
  static override usage = 'jobs resume <id> [flags]';
  static override args = {id: Args.string({description: 'Id of the job.', helpValue: '<job_…>'})};
  static override flags = {
    'retry-failed': Flags.boolean({summary: 'Try statements that failed again.'}),
    'resend-unknown': Flags.boolean({
      summary: 'Ask about each statement that may have been sent whether to send it again.',
    }),
    concurrency: Flags.string({summary: 'Statements at a time, 1 to 32.', helpValue: '<number>', default: '4'}),
    result: Flags.string({summary: 'Where to write ids, numbers, links and errors, as CSV.', helpValue: '<file>'}),
  };
  static risk = 'bills' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => importSchema;

  async run(): Promise<void> {
    const {args, flags} = await this.read(JobsResumeCommand);
    const {context} = this;
    const connection = await context.connection();
    guardConnection(connection, flags);
    readConcurrency(flags.concurrency);
    const job = await openJob(context, requiredArgument(args.id, 'the job', 'centavo jobs resume job_7f2kq81m0x'));
    try {
      await checkAccount(context, job);
      if (flags['dry-run']) {
        const {statements, done} = job.tally;
        context.io.note(`${statements - done} of ${statements} statements would be continued.`);
        return;
      }
      await guardChange(context, flags, changeOfImport(job, 'jobs resume'));
      if (flags['retry-failed']) job.retryFailed();
      if (flags['resend-unknown']) await askUnknown(context, job);
      await workOn(context, job, this.rendering, {
        concurrency: flags.concurrency,
        resultFile: flags.result ?? resultFileOf(job.record.source),
      });
    } finally {
      job.close();
    }
  }
}
