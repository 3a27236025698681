// `centavo billing-statements import`: bills everybody in a spreadsheet, each exactly once.

import {BaseCommand, CHANGE_EXITS, requiredArgument} from '../../../cli/base.js';
import {Args, Flags, repeatable} from '../../../cli/oclif.js';
import {usageError} from '../../../ground/errors.js';
import {guardChange} from '../../../guard/guard.js';
import {valid} from '../../../input/fault.js';
import {readPairs} from '../../../input/pairs.js';
import {refuseIfBegun} from '../shared/import/adopt.js';
import {oldJobs, removeJob} from '../shared/import/jobs.js';
import {lookingAgain} from '../shared/import/look-again.js';
import {
  changeOfImport,
  importSchema,
  nameLines,
  payersTable,
  planLines,
  printPlan,
} from '../shared/import/plan-words.js';
import {resumeJob} from '../shared/import/resume.js';
import {checkRun, jobFlags, resultOf, resultPathFor, workOn} from '../shared/import/run.js';
import {tableFlags} from '../shared/items.js';
import {lookBefore, readIntoJob, sendingCommand, type ImportFlags} from './plan.js';

export class ImportCommand extends BaseCommand {
  static override summary = 'Bill everybody in a spreadsheet, each exactly once.';
  static override description =
    'Reads CSV as spreadsheets write it, or .xlsx. Columns: external_id (your own number of the statement), customer (id or email address) or customer_email with customer_name, item, quantity, unit_price in pesos, due, description, metadata.*. Rows with the same external_id are the items of one statement. A row with the total is left out if it agrees. A column that may change what is owed, such as Discount, Tax or Paid, is refused unless it is empty or ignored, and so is a name that is not that of the customer.\n\n' +
    'The whole file and the account are checked before anything is sent. Then all drafts are made. After a wait, a row that another import bills too is left to the one whose draft is older, and what is complete is finalized and sent. When an answer is lost, centavo reads the account again and corrects what differs; an email that may have been sent is never sent again by itself.\n\n' +
    'An import that was stopped continues with centavo jobs resume. The job file holds what was billed, and is removed 90 days after the job ends.';
  static override examples = [
    '<%= config.bin %> billing-statements import june.xlsx --dry-run',
    '<%= config.bin %> billing-statements import june.xlsx --send',
    '<%= config.bin %> billing-statements import june.csv --map "Job=external_id" --send',
  ];
  static override usage = 'billing-statements import [file] [flags]';
  static override args = {
    file: Args.string({description: 'CSV or .xlsx file, or - for stdin.', helpValue: '<file>'}),
  };
  static override flags = {
    finalize: Flags.boolean({summary: 'Open the statements for payment.'}),
    send: Flags.boolean({summary: 'Open the statements and email them to their customers.'}),
    map: Flags.string({
      summary: 'What a column holds: "Invoice #=external_id". Repeatable.',
      helpValue: '<column=field>',
      ...repeatable,
    }),
    ...tableFlags(),
    'accept-names': Flags.boolean({summary: 'Bill rows whose name is not that of their customer.'}),
    resume: Flags.string({summary: 'Continue a stopped job, without a file.', helpValue: '<job_…>'}),
    ...jobFlags,
  };
  static risk = 'bills' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => importSchema;

  async run(): Promise<void> {
    const {flags, args} = await this.read(ImportCommand);
    const {context, rendering} = this;
    const {resume} = flags;
    const isNew = resume === undefined;
    const command = 'billing-statements import';
    const ofReading = ['finalize', 'send', 'map', 'ignore-column', 'allow-repeated-items', 'accept-names'] as const;
    const ofResuming = ['retry-failed', 'resend-unknown'] as const;
    const lone = (isNew ? ofResuming : ofReading).find((name) => flags[name] !== undefined);
    const hint = isNew ? 'To list jobs: centavo jobs list' : `To continue: centavo ${command} --resume ${resume}`;
    if (!isNew && args.file !== undefined)
      throw usageError('invalid_flag', '--resume takes no file: the job has what was read of it.', {hint});
    const fault = isNew ? 'works only with --resume' : 'cannot be changed for a job that has begun';
    if (lone !== undefined) throw usageError('invalid_flag', `--${lone} ${fault}.`, {hint});
    if (!isNew) return resumeJob(context, resume, command, flags, rendering);
    const file = requiredArgument(args.file, 'the file', `centavo ${command} june.csv --send`);
    const dryRun = flags['dry-run'] ?? false;
    const options = await checkRun(context, flags, rendering, 'import billing statements');
    const map = new Map(Object.entries(valid(readPairs(flags.map ?? []), '--map')));
    if (!dryRun) for (const {id} of await oldJobs(context)) removeJob(context, id);
    const result = await resultOf(context, flags, file, resultPathFor(file));
    const wanted: ImportFlags = {
      ...options,
      finalize: (flags.finalize || flags.send) ?? false,
      send: flags.send ?? false,
      map,
      ignored: flags['ignore-column'],
      allowRepeated: flags['allow-repeated-items'],
      otherNames: flags['accept-names'] ? 'accept' : context.io.canAsk && !flags.yes && !dryRun ? 'ask' : 'refuse',
      // A dry run shows what exists, and asks nothing.
      adopt: options.adopt || dryRun,
      resultFile: result?.path ?? null,
    };
    const job = await readIntoJob(context, file, wanted);
    let begun = false;
    try {
      const {callTime, names} = await lookBefore(context, job, wanted);
      const {barrierOf, takeOverOf} = await context.billing();
      const timing = (await (await context.runs()).timing())();
      const plan = planLines(job, {...wanted, callTime, barrier: barrierOf(timing), takeOver: takeOverOf(timing)});
      const sending = file === '-' ? undefined : `To send them: ${sendingCommand(context, file, wanted)}`;
      // A list of hundreds would push the plan off the screen.
      if (dryRun) await printPlan(job, job.rows(), rendering, context);
      else if (!context.io.settings.quiet) for (const line of await payersTable(job, context.io)) context.io.note(line);
      for (const line of plan) context.io.note([line]);
      for (const line of nameLines(names)) context.io.note(line);
      if (dryRun) return context.io.note(['Nothing was sent.', sending].filter(Boolean).join(' '));
      const change = changeOfImport(job, job.left(false, []), command, names.count);
      await guardChange(context, flags, lookingAgain(context, job, options, change));
      const prepare = async (): Promise<void> => {
        // Another process may have begun the same file just now.
        await refuseIfBegun(context, job, 'unfinished');
        begun = true;
      };
      await workOn(context, job, rendering, {...options, prepare, result});
      if (!wanted.finalize && sending !== undefined) context.io.note(`These are drafts. ${sending}`);
    } finally {
      job.close();
      if (!begun) removeJob(context, job.id);
    }
  }
}
