// `centavo jobs purge`: removes job files, which hold names, addresses and amounts.

import {BaseCommand} from '../../cli/base.js';
import {confirmLocal, isDryRun} from '../../cli/dry-run.js';
import {resultOfRecord} from '../../cli/records.js';
import {either, integer, record} from '../../cli/schema.js';
import {Args} from '../../cli/oclif.js';
import {counted} from '../../ground/counts.js';
import {CentavoError, refused} from '../../ground/errors.js';
import {jobsSchema, resultOfJobs} from '../billing-statements/shared/import/job-words.js';
import {oldJobs, removeJob, resumeCommand, summaryOf, withJob} from '../billing-statements/shared/import/jobs.js';

const REMOVED = record({removed: integer});

export class JobsPurgeCommand extends BaseCommand {
  static override summary = 'Remove the job file of an import.';
  static override description =
    'Without an id, removes those that ended more than 90 days ago. What was billed stays in the account. --dry-run lists what would be removed.';
  static override examples = ['<%= config.bin %> jobs purge job_7f2kq81m0x', '<%= config.bin %> jobs purge --dry-run'];
  static override usage = 'jobs purge [id] [flags]';
  static override args = {id: Args.string({description: 'Id of the job.', helpValue: '<job_…>'})};
  static risk = 'destroys' as const;
  static exits = ['config', 'not_found', 'refused'] as const;
  static output = () => either(REMOVED, jobsSchema);

  async run(): Promise<void> {
    const {args, flags} = await this.read(JobsPurgeCommand);
    const {context} = this;
    if (args.id !== undefined) return this.one(args.id);
    const old = await oldJobs(context);
    if (isDryRun(context, flags, `remove ${old.length === 0 ? 'no job files' : counted(old.length, 'job file')}`))
      return this.print(resultOfJobs(old));
    for (const {id} of old) removeJob(context, id);
    return this.print(resultOfRecord(REMOVED, {removed: old.length}));
  }

  private async one(named: string): Promise<void> {
    const {context, globals: flags} = this;
    const id = named.trim();
    // A damaged file can be removed, too.
    const job = await withJob(context, id, (file) => summaryOf(context, file)).catch((error: unknown) => {
      if (error instanceof CentavoError && error.code.startsWith('damaged_')) return undefined;
      throw error;
    });
    if (job?.isRunning) throw notDone(`${id} is running.`, 'Wait until it ends.');
    const left = job?.state === 'running' ? job.tally.statements - job.tally.done : 0;
    const count = left === 1 ? '1 statement is left' : `${left} statements are left`;
    const isSure = flags.yes || flags['dry-run'] || context.io.canAsk;
    const remove = `To remove it: centavo jobs purge ${id} --yes`;
    if (!job && !isSure) throw notDone(`${id} cannot be read, so it is not known whether it is done.`, remove);
    if (left > 0 && !isSure)
      throw notDone(`${id} is not done: ${count}.`, `To continue it: ${resumeCommand(context, id)}. ${remove}`);
    const what = `remove the job file of ${id}${left > 0 ? `, of which ${count}` : ''}`;
    if (!(await confirmLocal(context, flags, what))) return this.print(resultOfJobs(job ? [job] : []));
    removeJob(context, id);
    return this.print(resultOfRecord(REMOVED, {removed: 1}));
  }
}

const notDone = (message: string, hint: string): CentavoError => refused('job_not_done', message, {hint});
