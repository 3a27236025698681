// `centavo billing-statements import`: bills everybody in a spreadsheet, each exactly once.

import {BaseCommand, CHANGE_EXITS, requiredArgument} from '../../../cli/base.js';
import {Args, Flags} from '../../../cli/oclif.js';
import {usageError} from '../../../ground/errors.js';
import {guardChange, guardConnection, guardIntent} from '../../../guard/guard.js';
import {parsePairs} from '../../../input/pairs.js';
import {refuseIfBegun} from '../shared/import/adopt.js';
import {oldJobs, removeJob} from '../shared/import/jobs.js';
import {lookingAgain} from '../shared/import/look-again.js';
import {changeOfImport} from '../shared/import/plan-words.js';
import {importSchema, nameLines, payersTable, planLines, printPlan} from '../shared/import/plan-words.js';
import {othersFlags, resumeFlags, resumeJob, runFlags} from '../shared/import/resume.js';
import {checkFormat, readConcurrency, resultPath, resultPathFor, workOn} from '../shared/import/run.js';
import {tableFlags} from '../shared/items.js';
import {lookBefore, readIntoJob, sendingCommand, type ImportFlags} from './plan.js';

export class BillingStatementsImportCommand extends BaseCommand {
  static override summary = 'Bill everybody in a spreadsheet, each exactly once.';
  static override description =
    'Reads CSV as spreadsheets write it, or .xlsx. Columns: external_id (your own number of the statement), customer (id or email address) or customer_email with customer_name, item, quantity, unit_price in pesos, due, description, metadata.*. Rows with the same external_id are the items of one statement. A row with the total is left out if it agrees. A column that may change what is owed, such as Discount, Tax or Paid, is refused unless it is empty or ignored, and so is a name that is not that of the customer.\n\n' +
    'The whole file and the account are checked before anything is sent. Then all drafts are made; after that, those that are complete are finalized and sent. When an answer is lost, centavo waits, reads the account again and corrects what differs; an email that may have been sent is never sent again by itself.\n\n' +
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
      multiple: true,
      multipleNonGreedy: true,
    }),
    ...tableFlags(),
    'accept-names': Flags.boolean({summary: 'Bill rows whose name is not that of their customer.'}),
    ...runFlags,
    resume: Flags.string({
      summary: 'Continue a stopped job, without a file.',
      helpValue: '<job_…>',
    }),
    ...resumeFlags,
    ...othersFlags,
  };
  static risk = 'bills' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => importSchema;

  async run(): Promise<void> {
    const {flags, args} = await this.read(BillingStatementsImportCommand);
    const {context} = this;
    const command = 'billing-statements import';
    if (flags.resume !== undefined) {
      if (args.file !== undefined)
        throw usageError('--resume takes no file: the job has what was read of it.', {
          code: 'invalid_flag',
          hint: `To continue: centavo ${command} --resume ${flags.resume}`,
        });
      const ofReading = ['finalize', 'send', 'map', 'ignore-column', 'allow-repeated-items', 'accept-names'] as const;
      const lone = ofReading.find((name) => flags[name] !== undefined);
      if (lone !== undefined)
        throw usageError(`--${lone} cannot be changed for a job that has begun.`, {
          code: 'invalid_flag',
          hint: `To continue: centavo ${command} --resume ${flags.resume}`,
        });
      return resumeJob({context, id: flags.resume, command, flags, rendering: this.rendering});
    }
    const lone = (['retry-failed', 'resend-unknown'] as const).find((name) => flags[name]);
    if (lone !== undefined)
      throw usageError(`--${lone} works only with --resume.`, {
        code: 'invalid_flag',
        hint: 'To list jobs: centavo jobs list',
      });
    const file = requiredArgument(args.file, 'the file', `centavo ${command} june.csv --send`);
    const connection = await context.connection();
    guardConnection(connection, flags);
    const dryRun = flags['dry-run'] ?? false;
    if (!dryRun) checkFormat(this.rendering);
    const wanted: ImportFlags = {
      finalize: (flags.finalize || flags.send) ?? false,
      send: flags.send ?? false,
      map: new Map(Object.entries(parsePairs(flags.map ?? [], '--map'))),
      ignored: flags['ignore-column'],
      allowDuplicate: flags['allow-duplicate'] ?? false,
      allowRepeated: flags['allow-repeated-items'],
      otherNames: flags['accept-names'] ? 'accept' : context.io.canAsk && !flags.yes && !dryRun ? 'ask' : 'refuse',
      // A dry run shows what exists, and asks nothing.
      adopt: flags.adopt || dryRun,
      concurrency: readConcurrency(flags.concurrency),
      resultFile: flags.result === undefined ? resultPathFor(file) : resultPath(flags.result),
    };
    if (!dryRun) guardIntent(connection, flags, 'import billing statements', context.io);
    if (!dryRun) for (const {id} of await oldJobs(context, context.now())) removeJob(context, id);
    const asked = {flag: '--result', force: flags.force, inputs: [file]};
    const result = wanted.resultFile === null ? undefined : await context.fileToWrite(wanted.resultFile, asked);
    const job = await readIntoJob(context, file, wanted);
    let begun = false;
    try {
      const {callTime, names} = await lookBefore(context, job, wanted, file === '-' ? 'stdin' : file);
      const plan = planLines(job, {...wanted, callTime});
      const sending = file === '-' ? undefined : `To send them: ${sendingCommand(context, file, wanted)}`;
      // A list of hundreds would push the plan off the screen.
      if (dryRun) await printPlan(job, job.rows(), this.rendering, context);
      else if (!context.io.settings.quiet) for (const line of await payersTable(job, context.io)) context.io.note(line);
      for (const line of plan) context.io.note([line]);
      for (const line of nameLines(names)) context.io.note(line);
      if (dryRun) return context.io.note(['Nothing was sent.', sending].filter(Boolean).join(' '));
      const change = changeOfImport(job, job.left(false, []), {otherNames: names.count});
      await guardChange(context, flags, lookingAgain(context, job, {...wanted, retries: false}, change));
      const prepare = async (): Promise<void> => {
        // Another process may have begun the same file just now.
        await refuseIfBegun(context, job, 'unfinished');
        begun = true;
      };
      const {allowDuplicate} = wanted;
      await workOn(context, job, this.rendering, {concurrency: wanted.concurrency, prepare, allowDuplicate, result});
      if (!wanted.finalize && sending !== undefined) context.io.note(`These are drafts. ${sending}`);
    } finally {
      job.close();
      if (!begun) removeJob(context, job.id);
    }
  }
}
