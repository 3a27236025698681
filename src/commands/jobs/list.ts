// `centavo jobs list`: lists the imports of this machine.

import {BaseCommand} from '../../cli/base.js';
import {jobsSchema, resultOfJobs} from '../../billing/import/cli/job-output.js';
import {allJobs} from '../../billing/import/cli/find-jobs.js';

export class JobsListCommand extends BaseCommand {
  static override summary = 'List the imports of this machine, newest first.';
  static override examples = ['<%= config.bin %> jobs list'];
  static risk = 'reads' as const;
  static exits = ['config'] as const;
  static output = () => jobsSchema;

  async run(): Promise<void> {
    await this.read(JobsListCommand);
    const jobs = await allJobs(this.context, true);
    await this.print(resultOfJobs(jobs.filter(({state, tally}) => state !== 'ready' || tally.statements > 0)));
  }
}
