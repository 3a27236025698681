// `centavo jobs purge`: removes job files, which hold names, addresses and amounts.

import {BaseCommand} from '../../cli/base.js';
import {confirmLocal, isDryRun} from '../../cli/dry-run.js';
import {either, integer, list, record} from '../../cli/json-schema.js';
import {resultOfRecord} from '../../cli/objects/results.js';
import {Args} from '../../cli/oclif.js';
import {CentavoError} from '../../ground/errors.js';
import {jobFields, resultOfJobs} from '../billing-statements/shared/import/job-words.js';
import {
  oldJobs,
  openJob,
  removeJob,
  resumeCommand,
  summaryOf,
  type JobSummary,
} from '../billing-statements/shared/import/jobs.js';

export class JobsPurgeCommand extends BaseCommand {
  static override summary = 'Remove the job file of an import.';
  static override description =
    'Without an id, removes those that ended more than 90 days ago. What was billed stays in the account. --dry-run lists what would be removed.';
  static override examples = ['<%= config.bin %> jobs purge job_7f2kq81m0x', '<%= config.bin %> jobs purge --dry-run'];
  static override usage = 'jobs purge [id] [flags]';
  static override args = {id: Args.string({description: 'Id of the job.', helpValue: '<job_…>'})};
  static risk = 'destroys' as const;
  static exits = ['config', 'not_found', 'refused'] as const;
  static output = () => either(record({removed: integer}), list(record(jobFields)));

  async run(): Promise<void> {
    const {args, flags} = await this.read(JobsPurgeCommand);
    const {context} = this;
    if (args.id !== undefined) return this.one(args.id);
    const old = await oldJobs(context, context.now());
    const count = old.length === 1 ? '1 job file' : `${old.length || 'no'} job files`;
    if (isDryRun(context, flags, `remove ${count}`)) return this.print(resultOfJobs(old));
    for (const {id} of old) removeJob(context, id);
    return this.print(resultOfRecord({removed: old.length}));
  }

  private async one(named: string): Promise<void> {
    const {context, globals: flags} = this;
    const id = named.trim();
    const job = await this.find(id);
    if (job?.isRunning) throw refused(`${id} is running.`, 'Wait until it ends.');
    const left = job?.state === 'running' ? job.tally.statements - job.tally.done : 0;
    const count = left === 1 ? '1 statement is left' : `${left} statements are left`;
    const isSure = flags.yes || flags['dry-run'] || context.io.canAsk;
    const remove = `To remove it: centavo jobs purge ${id} --yes`;
    if (!job && !isSure) throw refused(`${id} cannot be read, so it is not known whether it is done.`, remove);
    if (left > 0 && !isSure)
      throw refused(`${id} is not done: ${count}.`, `To continue it: ${resumeCommand(context, id)}. ${remove}`);
    const what = `remove the job file of ${id}${left > 0 ? `, of which ${count}` : ''}`;
    if (!(await confirmLocal(context, flags, what))) return this.print(resultOfJobs(job ? [job] : []));
    removeJob(context, id);
    return this.print(resultOfRecord({removed: 1}));
  }

  /** Undefined for a damaged file, which can be removed, too. */
  private async find(id: string): Promise<JobSummary | undefined> {
    try {
      const job = await openJob(this.context, id);
      try {
        return summaryOf(this.context, job);
      } finally {
        job.close();
      }
    } catch (error) {
      if (error instanceof CentavoError && error.code.startsWith('damaged_')) return undefined;
      throw error;
    }
  }
}

const refused = (message: string, hint: string): CentavoError =>
  new CentavoError('refused', message, {code: 'job_not_done', hint, applied: 'no'});
