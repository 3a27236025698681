// `centavo jobs remove`: abandons an unfinished import, or deletes the job file of a finished one.

import {BaseCommand} from '../../cli/base.js';
import {confirmLocal} from '../../cli/dry-run.js';
import {accountFlagsOf} from '../../cli/next-steps.js';
import {Args} from '../../cli/oclif.js';
import {resultOfRecord} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {formatInteger} from '../../common/counts.js';
import {CentavoError, refusedError, type ErrorDetails} from '../../common/errors.js';
import {endJob, jobStep, missingJob, removeJob, jobSummaryOf, withJob} from '../../billing/import/cli/find-jobs.js';

const REMOVAL = schema.record({id: schema.text, action: schema.choice('abandon', 'delete')});
type Removal = schema.SchemaValue<typeof REMOVAL>;
/** `what`: `delete the job file of job_7f2kq81m0x`. */
type Plan = Removal & {readonly what: string};

export class JobsRemoveCommand extends BaseCommand {
  static override summary = 'Abandon an unfinished import, or delete the job file of a finished one.';
  static override description =
    'An unfinished import is abandoned. Its statements and drafts stay in the account: to undo them, use centavo jobs void. Its job file stays for 90 days; removing the job again deletes the file.\n\n' +
    'If an import is finished, abandoned or never started, its job file is deleted. The account does not change.';
  static override examples = [
    '<%= config.bin %> jobs remove job_7f2kq81m0x',
    '<%= config.bin %> jobs remove job_7f2kq81m0x --dry-run',
  ];
  static override args = {id: Args.string({description: 'Id of the job.', helpValue: '<job_…>'})};
  static risk = 'destroys' as const;
  static exits = ['config', 'not_found', 'refused'] as const;
  static output = () => REMOVAL;

  async run(): Promise<void> {
    const {args, flags} = await this.read(JobsRemoveCommand);
    const {context} = this;
    const id = args.id?.trim();
    if (!id) throw missingJob('remove');
    const {action, what} = await this.plan(id);
    const isSure = await confirmLocal(context, flags, what);
    if (isSure) await this.remove(id, action);
    await this.printDone(resultOfRecord(REMOVAL, {id, action}), isSure ? 'yes' : 'no');
  }

  /** Refuses a running job; without a terminal or --yes, also a job that is or may be unfinished. */
  private async plan(id: string): Promise<Plan> {
    const {context, globals: flags} = this;
    const job = await withJob(context, id, (file) => jobSummaryOf(context, file)).catch((error: unknown) => {
      if (error instanceof CentavoError && error.code.startsWith('damaged_')) return undefined;
      throw error;
    });
    if (job?.isRunning) throw notDone(id, `${id} is running.`, {hint: 'Wait until it ends.', retryable: true});
    const done = job && `${formatInteger(job.tally.done)} of ${formatInteger(job.tally.statements)} statements done`;
    const isSure = flags.yes || flags['dry-run'] || context.io.canAsk;
    if (job?.state === 'running') {
      const next = [jobStep(context, 'To continue it', 'jobs resume', id)];
      if (!isSure) throw notDone(id, `${id} is not finished: ${done}.`, {next, ...UNSURE});
      return {id, action: 'abandon', what: `abandon ${id} (${done})`};
    }
    const message = `${id} cannot be read, so it may be unfinished.`;
    if (!job && !isSure) throw notDone(id, message, UNSURE);
    return {id, action: 'delete', what: `delete the job file of ${id}${job ? '' : ', which cannot be read'}`};
  }

  private async remove(id: string, action: Removal['action']): Promise<void> {
    const {context} = this;
    // The question may have been open for hours, so the plan is made again.
    if ((await this.plan(id)).action !== action)
      throw refusedError('changed_meanwhile', `another process worked on ${id}.`, {
        hint: 'Run the command again.',
        retryable: true,
      });
    if (action === 'delete') return removeJob(context, id);
    const at = await context.accountNow().catch(context.now);
    await withJob(context, id, (job) => endJob(context, job, 'abandoned', at));
    context.io.note(`${id} is abandoned. Its statements and drafts stay in the account.`);
    context.io.note(`To void the statements and delete the drafts: centavo jobs void ${id}${accountFlagsOf(context)}`);
    context.io.note(`To delete the job file: centavo jobs remove ${id}`);
  }
}

const UNSURE: ErrorDetails = {override: '--yes', needsPerson: true};

const notDone = (id: string, message: string, details: ErrorDetails): CentavoError =>
  refusedError('job_not_done', message, {job: id, changed: 'Nothing was changed.', ...details});
