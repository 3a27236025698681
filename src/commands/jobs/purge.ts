// `centavo jobs purge`: removes job files, which hold names, addresses and amounts.

import {CentavoError} from '../../errors.js';
import {BaseCommand, type FlagsOf} from '../../cli/base.js';
import {resultOfRecord} from '../../cli/columns.js';
import {openJob, purgeOld, removeJob, resumeCommand, summaryOf} from '../../cli/billing-statements/import/jobs.js';
import {jobArguments, jobsNamed} from '../../cli/billing-statements/import/several-jobs.js';
import {Tally} from '../../cli/operations/tally.js';
import {integer, record} from '../../cli/help/json-schema.js';

export class JobsPurgeCommand extends BaseCommand {
  static override summary = 'Remove the job file of an import.';
  static override description =
    'Without an id, removes those that ended more than 90 days ago. What was billed stays in the account.';
  static override examples = ['<%= config.bin %> jobs purge job_7f2kq81m0x', '<%= config.bin %> jobs purge'];
  static override usage = 'jobs purge [id...] [flags]';
  static override args = jobArguments;
  static risk = 'destroys' as const;
  static exits = ['config', 'not_found', 'partial', 'refused'] as const;
  static output = () => record({removed: integer});

  async run(): Promise<void> {
    const {args, flags} = await this.read(JobsPurgeCommand);
    const {context} = this;
    if (args.id === undefined) {
      const removed = flags['dry-run'] ? 0 : await purgeOld(context, context.now());
      return this.print(resultOfRecord({removed}));
    }
    const ids = await jobsNamed(context, args.id, 'centavo jobs purge job_7f2kq81m0x');
    const tally = new Tally(ids.length, 'removed');
    for (const id of ids) {
      try {
        await this.remove(id, flags);
        tally.changed++;
      } catch (error) {
        if (!(error instanceof CentavoError)) throw error;
        tally.fail(context, id, error);
      }
    }
    await this.print(resultOfRecord({removed: flags['dry-run'] ? 0 : tally.changed}));
    if (tally.failures.length > 0) throw tally.failed(context);
  }

  /** @throws CentavoError kind `refused` when it is not done */
  private async remove(name: string, flags: FlagsOf<typeof JobsPurgeCommand>): Promise<void> {
    const {context} = this;
    const job = await openJob(context, name);
    const {id, isRunning, state, tally} = summaryOf(context, job);
    job.close();
    const left = tally.statements - tally.done - tally.failed;
    if (isRunning || (state === 'running' && left > 0 && !flags.yes))
      throw new CentavoError(
        'refused',
        `${id} is ${isRunning ? 'running' : `not done: ${left} statements are left`}.`,
        {
          code: 'job_not_done',
          hint: isRunning
            ? 'Wait until it ends.'
            : `To continue it: ${resumeCommand(context, id)} (or remove it with --yes)`,
          applied: 'no',
        },
      );
    if (!flags['dry-run']) removeJob(context, id);
  }
}
