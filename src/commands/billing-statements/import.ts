// `centavo billing-statements import`: creates a statement for each customer in a spreadsheet, exactly once.

import type {Standing} from '../../accounting/standing.js';
import type {CustomerFault} from '../../billing/import/existing-customers.js';
import type {ExistingStatement} from '../../billing/import/existing-statements.js';
import type {JobHeader, StatementRow} from '../../billing/import/job/job-types.js';
import type {JobFile, NameMismatch, RepeatedRow} from '../../billing/import/job/job-file.js';
import {BaseCommand, CHANGE_EXITS, requiredArgument} from '../../cli/base.js';
import {accountFlagsOf} from '../../cli/next-steps.js';
import {Args, Flags} from '../../cli/oclif.js';
import {moneyHistory, readStanding} from '../../cli/presentation/standings.js';
import {withReadingProgress} from '../../cli/account-reads.js';
import type {Context} from '../../context/context.js';
import {formatInteger} from '../../common/counts.js';
import {CentavoError, usageError, type FileFault} from '../../common/errors.js';
import {systemReason} from '../../common/system-errors.js';
import {guardChange} from '../../guard/guard.js';
import {readDate} from '../../input/dates.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {shellQuote} from '../../input/shell-quoting.js';
import {RowErrors} from '../../input/spreadsheet/row-errors.js';
import {adoptExisting, findBegun, refuseIfBegun} from '../../billing/import/cli/adopt-existing.js';
import {changedRowError} from '../../billing/import/cli/changed-row.js';
import {jobAccountOf, jobPath, oldJobs, removeJob} from '../../billing/import/cli/find-jobs.js';
import {withRecheck} from '../../billing/import/cli/recheck-account.js';
import {
  changeOfImport,
  importSchema,
  nameMismatchLines,
  payersTable,
  importPlanLines,
  printPlan,
  formatBilledAs,
} from '../../billing/import/cli/plan-output.js';
import {resumeJob} from '../../billing/import/cli/resume-job.js';
import {
  checkImportRun,
  jobFlags,
  importResultOf,
  resultPathFor,
  workersOf,
  workOnJob,
  type ImportRunOptions,
} from '../../billing/import/cli/run-import.js';
import {tableFlags, tableOptionsOf, type TableOptions} from './shared/item-flags.js';

export class ImportCommand extends BaseCommand {
  static override summary = 'Create a billing statement for each row or group of rows in a spreadsheet, exactly once.';
  static override description =
    "Reads CSV or .xlsx. The header may follow a title. Columns: external_id (your number for the statement), customer or customer_email with customer_name, item, quantity, unit_price in pesos, due, description, metadata.*. The customer is an id, an email address, or a full name that only one customer has. Rows with the same external_id are the items of one statement; without that column each row is a statement, identified by its values. A row with the total is skipped if the total is right. Columns that may change the amount, such as Discount, Tax or Paid, are refused unless empty or ignored. So are names that differ from the customer's name.\n\n" +
    'centavo checks the whole file and the account before it sends anything. Then it creates all drafts. After a wait, it finalizes and sends the complete ones. If another import bills the same row, the older draft wins. When a response is lost, centavo reads the account again and corrects the differences. It never repeats an email that may have been sent.\n\n' +
    'To continue a stopped import, use centavo jobs resume. The job file records the billed rows, and is removed 90 days after the job ends.';
  static override examples = [
    '<%= config.bin %> billing-statements import june.xlsx --dry-run',
    '<%= config.bin %> billing-statements import june.xlsx --send',
    '<%= config.bin %> billing-statements import june.csv --map "Job=external_id" --send',
  ];
  static override usage = 'billing-statements import <file> [flags]';
  static override args = {
    file: Args.string({description: 'CSV or .xlsx file, or - for stdin.', helpValue: '<file>'}),
  };
  static override flags = {
    finalize: Flags.boolean({summary: 'Finalize the statements, so that they can be paid.'}),
    send: Flags.boolean({summary: 'Finalize the statements and email them to their customers.'}),
    due: Flags.string({
      summary: 'Due date of rows without one, or with one that has passed: 2026-12-15 or +30d.',
      helpValue: '<date>',
    }),
    item: Flags.string({summary: 'Item of rows that name none: "Monthly dues".', helpValue: '<text>'}),
    ...tableFlags(),
    'accept-names': Flags.boolean({summary: "Bill rows even if the name differs from the customer's name."}),
    ...jobFlags,
  };
  static risk = 'bills' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => importSchema;

  async run(): Promise<void> {
    const {flags, args} = await this.read(ImportCommand);
    const {context, rendering} = this;
    const command = 'billing-statements import';
    const file = requiredArgument(args.file, 'the file', `centavo ${command} june.csv --send`);
    const dryRun = flags['dry-run'] ?? false;
    const options = await checkImportRun(context, flags, rendering, 'import billing statements');
    if (!dryRun) for (const {id} of await oldJobs(context)) removeJob(context, id);
    const result = await importResultOf(context, flags, file, resultPathFor(file));
    const wanted: ImportFlags = {
      ...options,
      finalize: (flags.finalize || flags.send) ?? false,
      send: flags.send ?? false,
      ...(await tableOptionsOf(context, flags, 'STATEMENT_COLUMNS', importNameOf(file))),
      item: flags.item?.trim() || undefined,
      dueAt:
        flags.due === undefined ? undefined : valueOrThrow(readDate(flags.due, await context.accountNow()), '--due'),
      otherNames: flags['accept-names'] ? 'accept' : context.io.canAsk && !flags.yes && !dryRun ? 'ask' : 'refuse',
      adopt: options.adopt || dryRun,
      resultFile: result?.path ?? null,
    };
    const job = await readIntoJob(context, file, wanted);
    let begun = false;
    try {
      const before =
        context.io.canAsk && !flags.yes && !dryRun ? await findBegun(context, job, 'unfinished') : undefined;
      if (before?.isRunning === false) {
        const question = `${before.external} is also in ${before.id}, which was stopped. Continue that import instead?`;
        if (await context.prompt.confirm(question))
          return await resumeJob(context, before.id, command, flags, rendering);
      }
      const {callTime, names} = await readAccountBefore(context, job, wanted);
      const {readDelay, takeoverWait} = await context.billing();
      const timing = (await (await context.runs()).timing())();
      const plan = importPlanLines(job, {
        ...wanted,
        callTime,
        barrier: readDelay(timing),
        takeOver: takeoverWait(timing),
      });
      // Outside a dry run, only the first rows: a list of hundreds would push the plan off the screen.
      if (dryRun) await printPlan(job, job.rows(), rendering, context);
      else if (!context.io.settings.quiet) for (const line of await payersTable(job, context.io)) context.io.note(line);
      for (const line of plan) context.io.note([line]);
      for (const line of nameMismatchLines(names)) context.io.note(line);
      if (dryRun)
        return context.io.note(
          ['Nothing was sent.', sendingHint(context, file, job.rows(), wanted)].filter(Boolean).join(' '),
        );
      const change = changeOfImport(job, job.remainingRows(false, []), command, names.count);
      await guardChange(context, flags, withRecheck(context, job, options, change));
      const prepare = async (): Promise<void> => {
        // Another process may have started an import of the same file just now.
        await refuseIfBegun(context, job, 'unfinished');
        begun = true;
      };
      await workOnJob(context, job, rendering, {...options, prepare, result});
      if (wanted.finalize) return;
      const sending = sendingHint(context, file, job.rows(), wanted);
      if (sending !== undefined) context.io.note(`These are drafts. ${sending}`);
    } finally {
      job.close();
      if (!begun) removeJob(context, job.id);
    }
  }
}

export interface ImportFlags extends ImportRunOptions, TableOptions {
  readonly finalize: boolean;
  readonly send: boolean;
  /** See {@link ReadRowsOptions}. */
  readonly item: string | undefined;
  readonly dueAt: number | undefined;
  /** How to handle names that differ from the customers' names. */
  readonly otherNames: 'accept' | 'ask' | 'refuse';
  /** Path of the result file; null for none. */
  readonly resultFile: string | null;
}

/** Reads a file into a new job. Nothing is sent. @param file its path, or `-` for stdin */
async function readIntoJob(context: Context, file: string, options: ImportFlags): Promise<JobFile> {
  const [{JobFile, readRowsIntoJob}, {STATEMENT_COLUMNS}, {readSpreadsheet}, {canReadRows}] = await Promise.all([
    context.imports(),
    import('../../input/spreadsheet/meanings.js'),
    import('../../input/spreadsheet/read.js'),
    import('../../input/spreadsheet/items.js'),
  ]);
  const bytes = file === '-' ? [await context.readInputBytes()] : undefined;
  const name = importNameOf(file);
  const open = () => bytes ?? context.openFile(file);
  const {io, now} = context;
  const {finalize, send, resultFile} = options;
  const connection = await context.connection();
  const header: JobHeader = {
    id: `job_${context.token(20).toLowerCase().slice(0, 10)}`,
    source: file,
    profile: connection.profile.value,
    mode: connection.mode,
    account: await jobAccountOf(context),
    created_at: now(),
    finalize,
    send,
    result_file: resultFile,
  };
  let job: JobFile | undefined;
  try {
    const filled = options.item === undefined ? [] : ['item'];
    const sheet = await readSpreadsheet(open, {...options, filled, layout: STATEMENT_COLUMNS, file: name});
    for (const note of sheet.notes) io.note(`${name}: ${note}`);
    if (!sheet.fields.has('quantity') && !sheet.fields.has('charge'))
      io.note(`${name}: It has no quantity column, so each row counts as 1.`);
    if (!sheet.fields.has('external_id')) for (const line of UNNUMBERED) io.note(`${name}: ${line}`);
    job = JobFile.create(jobPath(context, header.id), header);
    const faults = new RowErrors(sheet.decision);
    faults.add(...sheet.faults);
    const rows = await readRowsIntoJob(canReadRows(sheet.decision) ? sheet.rows : [], job, {
      ...options,
      now: await context.accountNow(),
      onFault: (...found) => faults.add(...found),
      onNote: (note) => io.note(`${name}: ${note}`),
      onRows: async (read) => {
        io.progress(`Reading ${name}: ${formatInteger(read)} rows`);
        await io.checkSignal();
      },
    });
    io.progress(undefined);
    if (faults.count > 0) throw faults.error(name);
    if (rows === 0)
      throw usageError('invalid_file', `${name}: it has no rows under its header.`, {
        hint: `Add rows like these: ${STATEMENT_COLUMNS.example}`,
      });
    return job;
  } catch (error) {
    io.progress(undefined);
    job?.close();
    if (job) removeJob(context, header.id);
    if (error instanceof CentavoError || typeof (error as {code?: unknown}).code !== 'string') throw error;
    throw usageError('unreadable_file', `${file} cannot be read.`, {why: systemReason(error)});
  }
}

const UNNUMBERED = [
  'It has no column with your own numbers, so each row is a billing statement.',
  'centavo identifies a row by its values: if you change it, it is billed again.',
  'To number the billing statements, add a column Invoice No.',
];

const importNameOf = (file: string): string => (file === '-' ? 'stdin' : file);

/**
 * Finds customers, adopts statements that this file already created, and refuses duplicates.
 * @returns `callTime` in milliseconds, and accepted `names` that differ from the customer's name
 */
export async function readAccountBefore(context: Context, job: JobFile, options: ImportFlags) {
  const name = importNameOf(job.record.source);
  await refuseIfBegun(context, job, 'unfinished');
  const workers = await workersOf(context, options.concurrency);
  const {findJobCustomers, findExisting} = await context.imports();
  const [faults, names] = [new RowErrors(), new RowErrors()];
  const onFault = ({ref, value = ref, problem, fix}: CustomerFault): void => {
    const {line} = job.rowsFor(ref)[0]!;
    faults.add({line, column: null, value, code: 'invalid_customer', problem, fix});
  };
  await withReadingProgress(context, 'Reading customers', (paging) => findJobCustomers(job, workers, paging, onFault));
  for (const other of job.nameMismatches()) (options.otherNames === 'refuse' ? faults : names).add(nameFault(other));
  if (!options.allowDuplicate) for (const repeated of job.repeatedRows()) faults.add(repeatedFault(repeated));
  const toAdopt: ExistingStatement[] = [];
  const history = await moneyHistory(context);
  await withReadingProgress(context, 'Reading billing statements', async (paging) => {
    for await (const existing of findExisting(job, workers.client, {...paging, history})) {
      if (existing.how === 'own') toAdopt.push(existing);
      else if (!options.allowDuplicate)
        faults.add(
          existing.how === 'changed'
            ? await changedRowError(context, job, existing)
            : duplicateFault(existing, await readStanding(context, existing.statement)),
        );
    }
  });
  if (faults.shown.some(({code}) => code !== 'customer_name_differs')) throw faults.error(name);
  if (faults.count > 0) throw faults.error(name).with({code: 'customer_name_differs'});
  if (toAdopt.length > 0) {
    const drafts = toAdopt.filter(({statement: {status}}) => status === 'draft');
    const rows = drafts.map(({row, statement}) => ({due_at: statement.due_at ?? row.due_at, id: statement.id}));
    await adoptExisting(context, job, toAdopt, options.adopt, sendingHint(context, job.record.source, rows, options));
  }
  return {callTime: workers.callTime, names};
}

function nameFault({customer: {ref, email, name, creates}, name: value, line}: NameMismatch): FileFault {
  const whose = creates ? `also ${JSON.stringify(name)} in this file` : `the customer ${JSON.stringify(name)}`;
  const fix = 'Correct the row, or add --accept-names';
  return {line, column: null, value, code: 'customer_name_differs', problem: `${email ?? ref} is ${whose}.`, fix};
}

function repeatedFault({line, external_id: value, ...first}: RepeatedRow): FileFault {
  const problem = `${first.first_external_id} in line ${first.first_line} bills the same customer for the same items and due date.`;
  const fix = 'Remove one of them, or add --allow-duplicate.';
  return {line, column: null, value, code: 'duplicate_row', problem, fix};
}

function duplicateFault({row, statement}: ExistingStatement, standing: Standing): FileFault {
  const {line, external_id: value, due_at: due} = row;
  const problem = `${formatBilledAs(standing, statement)} bills the same customer for the same items${due === null ? '' : ' and due date'}.`;
  const fix = 'Remove the row, or add --allow-duplicate.';
  return {line, column: null, value, code: 'duplicate_statement', problem, fix};
}

/** Returns a hint to send the drafts of these rows; undefined if the rows came from stdin with due dates. */
function sendingHint(
  context: Context,
  file: string,
  rows: Iterable<Pick<StatementRow, 'due_at' | 'id'>>,
  {tableWords, allowDuplicate, allowRepeated, otherNames}: ImportFlags,
): string | undefined {
  // Sending needs a due date. Adding a date to the file could bill the row again.
  for (const {due_at: due, id} of rows) {
    if (due !== null) continue;
    return id === null
      ? 'To send them, add a column Due with dates such as 2026-12-15 or +30d.'
      : `To send one draft: centavo billing-statements create --continue ${id} --due +30d --send${accountFlagsOf(context)}`;
  }
  if (file === '-') return undefined;
  return (
    [
      `To send them: centavo billing-statements import ${shellQuote(file)}`,
      ...tableWords,
      '--send',
      ...(allowDuplicate ? ['--allow-duplicate'] : []),
      ...(allowRepeated ? ['--allow-repeated-items'] : []),
      ...(otherNames === 'accept' ? ['--accept-names'] : []),
    ].join(' ') + accountFlagsOf(context)
  );
}
