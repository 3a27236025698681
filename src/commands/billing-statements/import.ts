// `centavo billing-statements import`: creates a statement for each customer in a spreadsheet, exactly once.

import {localName} from '../../config/resolve.js';
import type {Standing} from '../../accounting/standing.js';
import {billedAt, statementName} from '../../api/statement.js';
import type {CustomerFault} from '../../billing/import/existing-customers.js';
import type {ExistingStatement} from '../../billing/import/existing-statements.js';
import type {BillingStatementData} from '../../billing/statement/plan.js';
import type {JobHeader, StatementRow} from '../../billing/import/job/job-types.js';
import type {ReadRowsOptions} from '../../billing/import/read-rows.js';
import type {JobFile, NameMismatch, RepeatedRow} from '../../billing/import/job/job-file.js';
import {BaseCommand, CHANGE_EXITS, requiredArgument} from '../../cli/base.js';
import {Args, Flags} from '../../cli/oclif.js';
import {moneyHistory, readStanding} from '../../cli/presentation/standings.js';
import {withReadingProgress} from '../../cli/account-reads.js';
import type {Context, UserFile} from '../../context/context.js';
import {formatInteger} from '../../common/counts.js';
import {capitalized, CentavoError, usageError, type FileFault, type NextCommand} from '../../common/errors.js';
import {monthOf, monthText, shortDay} from '../../common/manila.js';
import {guardChange} from '../../guard/guard.js';
import {readDate, readMonthText} from '../../input/dates.js';
import {isNumbered, ownNumber} from '../../input/own-numbers.js';
import {InvalidInput, valueOrThrow} from '../../input/invalid-input.js';
import {commandText} from '../../common/next-text.js';
import {systemReason} from '../../common/system-errors.js';
import {RowErrors} from '../../input/spreadsheet/row-errors.js';
import type {Spreadsheet} from '../../input/spreadsheet/read.js';
import {adoptExisting} from '../../billing/import/cli/adopt-existing.js';
import {begunBefore, refuseIfBegun, replaceBegun} from '../../billing/import/cli/begun-jobs.js';
import {decideBills} from '../../billing/import/cli/decide-bills.js';
import {changedRowError} from '../../billing/import/cli/changed-row.js';
import {endJob, jobPath, jobStep, oldJobs, removeJob} from '../../billing/import/cli/find-jobs.js';
import {withRecheck} from '../../billing/import/cli/recheck-account.js';
import {
  changeOfImport,
  importNameOf,
  importSchema,
  faultLines,
  payersTable,
  importPlanLines,
  printPlan,
  formatBilledAs,
  type RowPlace,
} from '../../billing/import/cli/plan-output.js';
import {rowPayerOf} from '../../billing/import/cli/progress.js';
import {resumeJob} from '../../billing/import/cli/resume-job.js';
import {
  checkImportRun,
  jobFlags,
  importResultOf,
  printAlready,
  resultPathFor,
  workersOf,
  workOnJob,
  type ImportRunOptions,
  type JobFlags,
} from '../../billing/import/cli/run-import.js';
import {tableFlags, tableOptionsOf, type SheetOptions} from './shared/item-flags.js';

const COMMAND = 'billing-statements import';

export class ImportCommand extends BaseCommand {
  static override summary = 'Bill each row or group of rows of a sheet, exactly once.';
  static override description =
    "Reads CSV or .xlsx. The header may follow a title. Columns: external_id (your number for the statement), customer or customer_email with customer_name, item, quantity, unit_price in pesos, due, description, metadata.*, or a column for each charge. The customer is an id, an email address, or a full name that only one customer has. Rows with the same external_id are the items of one statement; without that column each row is a statement, identified by its values. A row with the total is skipped if the total is right. At a terminal, centavo asks about all columns that it does not understand, and remembers the answers (centavo columns list). Elsewhere it refuses them, unless --map says what they are. A name that differs from the customer's name is also asked about or refused.\n\n" +
    'centavo checks the whole file and the account before it sends anything. Then it creates all drafts. After a wait, it finalizes and sends the complete ones. If another import bills the same row, the older draft wins. When a response is lost, centavo reads the account again and corrects the differences. It never repeats an email that may have been sent.\n\n' +
    'With --period month, each row is billed once in the month, however often the command runs. Without it, the same file continues a stopped import only within 20 hours. Later, centavo asks, or refuses without a terminal.\n\n' +
    'To continue another stopped import, use centavo jobs resume. The job file records the billed rows, and is removed 90 days after the job ends.';
  static override examples = [
    '<%= config.bin %> billing-statements import june.xlsx --dry-run',
    '<%= config.bin %> billing-statements import june.xlsx --send',
    '<%= config.bin %> billing-statements import rent.csv --period month --send',
    '<%= config.bin %> billing-statements import june.csv --map "Job=external_id" --map "Status=leave_out:paid|void" --send',
  ];
  static override usage = 'billing-statements import <file> [flags]';
  static override args = {file: Args.string({description: 'CSV or .xlsx file, or - for stdin.', helpValue: '<file>'})};
  static override flags = {
    finalize: Flags.boolean({summary: 'Finalize the statements, so that they can be paid.'}),
    send: Flags.boolean({summary: 'Finalize the statements and email them to their customers.'}),
    due: Flags.string({
      summary: 'Due date of rows without one, or with one that has passed: 2026-12-15 or +30d.',
      helpValue: '<date>',
    }),
    item: Flags.string({summary: 'Item of rows that name none: "Monthly dues".', helpValue: '<text>'}),
    ...tableFlags(),
    period: Flags.string({
      summary: 'Bill each row once in this period: 2026-11, or month for this month.',
      helpValue: '<word>',
    }),
    'accept-names': Flags.boolean({summary: "Bill rows even if the name differs from the customer's name."}),
    ...jobFlags,
  };
  static risk = 'bills' as const;
  static agents = 'hands_over' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => importSchema;

  async run(): Promise<void> {
    const {flags, args} = await this.read(ImportCommand);
    const {context, rendering} = this;
    const file = requiredArgument(args.file, 'the file', 'centavo import june.csv --send');
    const source = (await context.isReadOnce(file)) ? '-' : file;
    const {'dry-run': dryRun = false, due} = flags;
    const options = await checkImportRun(context, flags, 'import billing statements');
    const mayAsk = context.io.canAsk && !flags.yes && !dryRun;
    if (!dryRun) for (const {id} of await oldJobs(context)) await removeJob(context, id);
    const bytes = file === '-' ? [await context.readInputBytes()] : undefined;
    const open = () => bytes ?? context.openFile(file);
    const digest = await (await context.imports()).digestOf(open()).catch(unreadable(file));
    const result = await importResultOf(context, flags, file, resultPathFor(source));
    const wanted: ImportFlags = {
      ...options,
      ...{source, open, digest, period: await readPeriod(context, flags.period), billsAgain: false},
      ...{finalize: flags.finalize || flags.send || false, send: flags.send ?? false},
      ...(await tableOptionsOf(context, flags, 'STATEMENT_COLUMNS', importNameOf(file))),
      item: flags.item?.trim() || undefined,
      dueAt: due === undefined ? undefined : valueOrThrow(readDate(due, await context.plannedAt()), '--due'),
      dueTyped: due?.trim() || undefined,
      periodTyped: flags.period?.trim(),
      otherNames: flags['accept-names'] ? 'accept' : mayAsk ? 'ask' : 'refuse',
      ...{mayAsk, adopt: options.adopt || dryRun, resultFile: result?.path ?? null},
    };
    const begun = await begunBefore(context, wanted, mayAsk);
    if (begun !== undefined) return resumeJob(context, begun, COMMAND, {...flags, 'retry-failed': true}, rendering);
    await this.bill(file, wanted, flags, result).catch(async (error: unknown) => {
      // A person may say that a file without a period, which was billed before, bills another month.
      const isAskedFor = mayAsk && wanted.period === null && error instanceof CentavoError;
      if (!isAskedFor || error.code !== 'billed_before') throw error;
      const month = monthText(monthOf(await context.accountNow()));
      const question = `${capitalized(error.message)} Bill them again, for the period ${month}?`;
      if (!(await context.prompt.confirm(question))) throw error;
      await this.bill(file, {...wanted, period: month, billsAgain: true}, flags, result);
    });
  }

  private async bill(file: string, wanted: ImportFlags, flags: JobFlags, result?: UserFile): Promise<void> {
    const {context, rendering} = this;
    const {'dry-run': dryRun = false} = flags;
    const {job, placeOf} = await readIntoJob(context, file, wanted);
    let begun = false;
    try {
      const other = await replaceBegun(context, job, wanted.mayAsk, dryRun);
      if (other !== undefined) return await resumeJob(context, other, COMMAND, flags, rendering);
      const {callTime, names, already, keeps, sending} = await readAccountBefore(context, job, wanted, placeOf);
      if (already) {
        await printAlready(context, job, already, rendering);
        begun = keeps && !dryRun;
        if (begun) endJob(context, job, 'ended', await context.accountNow());
        return already.drafts > 0 && sending ? context.io.note(commandText(sending)) : undefined;
      }
      const toSend = (): string => {
        const command = sendingCommand(context, job, job.rows(), wanted);
        return command ? ` ${commandText(command)}` : '';
      };
      const {readDelay, takeoverWait} = await context.billing();
      const timing = (await (await context.runs()).timing())();
      const waits = {barrier: readDelay(timing), takeOver: takeoverWait(timing)};
      // Outside a dry run, only the first rows: a list of hundreds would push the plan off the screen.
      if (dryRun) await printPlan(job, job.rows(), rendering, context);
      else if (!context.io.settings.quiet) for (const line of await payersTable(job, context.io)) context.io.note(line);
      for (const line of importPlanLines(job, {...wanted, ...waits, callTime})) context.io.note([line]);
      for (const line of faultLines('These names differ from the customers’ names:', names)) context.io.note(line);
      if (dryRun) return context.io.note(`Nothing was sent.${toSend()}`);
      const change = changeOfImport(job, job.remainingRows(false, []), COMMAND, names.count);
      await guardChange(context, flags, withRecheck(context, job, wanted, change));
      const prepare = async (): Promise<void> => {
        // Another process may have started an import of the same file just now.
        await refuseIfBegun(context, job, 'unfinished');
        job.setJob({created_at: await context.accountNow()});
        begun = true;
      };
      await workOnJob(context, job, rendering, {...wanted, prepare, result});
      if (!wanted.finalize && toSend() !== '') context.io.note(`These are drafts.${toSend()}`);
    } finally {
      job.close();
      if (!begun) await removeJob(context, job.id);
    }
  }
}

/** A word; digits-digits only as a month. */
const PERIOD = /^(?:\d{4}-(?:0[1-9]|1[0-2])|(?!\d+-\d+$)[\p{L}\p{N}][\p{L}\p{N}._-]{0,39})$/u;

/** Returns the period as it is compared; `month` is this month in Manila, by the account's clock. */
async function readPeriod(context: Context, typed: string | undefined): Promise<string | null> {
  if (typed === undefined) return null;
  const period = ownNumber(typed).toLowerCase();
  // A month without its year would bill nobody a year later.
  if (!PERIOD.test(period) || (/^\D/.test(period) && !(readMonthText(period, 0) instanceof InvalidInput)))
    throw usageError('invalid_flag', `--period: ${JSON.stringify(typed)} is not a period.`, {
      hint: 'Use month for this month, a month with its year, such as 2026-11, or another name of up to 40 letters, digits, dots and hyphens.',
    });
  return period === 'month' ? monthText(monthOf(context.flags.plannedAt ?? (await context.serviceNow()))) : period;
}

type PlanOptions = Pick<JobHeader, 'digest' | 'finalize' | 'period' | 'send' | 'source'> &
  Pick<ReadRowsOptions, 'dueAt' | 'dueTyped' | 'item'>;

export interface ImportFlags extends ImportRunOptions, SheetOptions, PlanOptions {
  readonly open: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** True to bill rows that were billed without a period. */
  readonly billsAgain: boolean;
  readonly periodTyped?: string | undefined;
  /** How to handle names that differ from the customers' names. */
  readonly otherNames: 'accept' | 'ask' | 'refuse';
  /** True if a person can answer questions. */
  readonly mayAsk: boolean;
  /** Path of the result file; null for none. */
  readonly resultFile: string | null;
}

/** Reads a file into a new job. Nothing is sent. @param file its path, or `-` for stdin */
async function readIntoJob(context: Context, file: string, options: ImportFlags) {
  const [{JobFile, readRowsIntoJob}, {STATEMENT_COLUMNS}, {readSpreadsheet}] = await Promise.all([
    context.imports(),
    import('../../input/spreadsheet/meanings.js'),
    import('../../input/spreadsheet/read.js'),
  ]);
  const name = importNameOf(file);
  const {io} = context;
  const {finalize, send, resultFile, source, period, digest, open} = options;
  const connection = await context.connection();
  const {mode} = connection;
  const header: JobHeader = {
    id: `job_${context.token(20).toLowerCase().slice(0, 10)}`,
    account: await context.accountId(),
    created_at: await context.accountNow(),
    ...{source, profile: localName(connection), mode, finalize, send, period, digest, result_file: resultFile},
  };
  let job: JobFile | undefined;
  try {
    const filled = options.item === undefined ? [] : ['item'];
    const sheet = await readSpreadsheet(open, {...options, filled, layout: STATEMENT_COLUMNS, file: name});
    for (const note of sheet.notes) io.note(`${name}: ${note}`);
    // A column that is not understood may be the quantity, or the number.
    if (sheet.decision.unknown.length === 0) {
      if (!sheet.fields.has('quantity') && !sheet.fields.has('charge'))
        io.note(`${name}: It has no quantity column, so each row counts as 1.`);
      if (!sheet.fields.has('external_id')) io.note(`${name}: ${UNNUMBERED}`);
    }
    await (await context.runs()).ownFolder('begins');
    job = JobFile.create(jobPath(context, header.id), header);
    const faults = new RowErrors(sheet.decision);
    faults.add(...sheet.faults);
    const rows = await readRowsIntoJob(sheet.decision.canReadRows ? sheet.rows : [], job, {
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
    for (const row of job.alikeRows()) faults.add(alikeFault(row, sheet.place));
    if (faults.count > 0) throw faults.error(name);
    if (rows === 0)
      throw usageError('invalid_file', `${name}: it has no rows under its header.`, {
        hint: `Add rows like these: ${STATEMENT_COLUMNS.example}`,
      });
    return {job, placeOf: sheet.place};
  } catch (error) {
    io.progress(undefined);
    job?.close();
    if (job) await removeJob(context, header.id);
    return unreadable(file)(error);
  }
}

const unreadable =
  (file: string) =>
  (error: unknown): never => {
    if (error instanceof CentavoError || typeof (error as {code?: unknown}).code !== 'string') throw error;
    throw usageError('unreadable_file', `${file} cannot be read.`, {why: systemReason(error), cause: error});
  };

const UNNUMBERED =
  'It has no column Invoice No., so a row is known by its values: if you correct a billed row, it is billed again.';

/**
 * Finds customers, adopts statements that this file already created, and refuses duplicates.
 * @returns `callTime` in milliseconds; accepted `names` that differ from the customer's name; when everything was `already`
 * billed; `sending`, the command that sends earlier drafts; `keeps`, true if a person said which bills the period has
 */
export async function readAccountBefore(context: Context, job: JobFile, options: ImportFlags, placeOf: PlaceOf) {
  const name = importNameOf(job.record.source);
  const workers = await workersOf(context, options.concurrency);
  const {findJobCustomers, findExisting, externalIdOf, isBilledBeside} = await context.imports();
  const [faults, names] = [new RowErrors(), new RowErrors()];
  const onFault = ({ref, value = ref, problem, fix}: CustomerFault): void => {
    const field = value.includes('@') ? 'customer_email' : value.startsWith('cus_') ? 'customer' : 'customer_name';
    const place = placeOf(job.rowsFor(ref)[0]!.line, field, 'customer');
    faults.add({...place, value, code: 'invalid_customer', problem, fix});
  };
  await withReadingProgress(context, 'Reading customers', (paging) => findJobCustomers(job, workers, paging, onFault));
  const mismatches = options.otherNames === 'refuse' ? faults : names;
  for (const other of job.nameMismatches()) mismatches.add(nameFault(other, placeOf));
  if (!options.allowDuplicate) for (const repeated of job.repeatedRows()) faults.add(repeatedFault(repeated, placeOf));
  const bills: ExistingStatement[] = [];
  const toAdopt: ExistingStatement[] = [];
  const alike: ExistingStatement[] = [];
  const inDoubt: ExistingStatement[] = [];
  const history = await moneyHistory(context);
  await withReadingProgress(context, 'Reading billing statements', async (paging) => {
    for await (const existing of findExisting(job, workers.client, {...paging, history})) {
      const {how, row, statement} = existing;
      if (existing.isMoved || how === 'unperioded' || existing.isEnded) inDoubt.push(existing);
      else if (how === 'own' || how === 'billed') bills.push(existing);
      else if (options.allowDuplicate) continue;
      else if (how === 'alike') alike.push(existing);
      else if (how === 'changed') bills.push(existing);
      else faults.add(duplicateFault(existing, await readStanding(context, statement), placeOfRow(row, placeOf)));
    }
  });
  const byTime = bills.toSorted((one, other) => one.statement.created_at - other.statement.created_at);
  const newest = new Map(byTime.map((existing) => [existing.row.n, existing]));
  for (const existing of bills) {
    const {how, row} = existing;
    const last = newest.get(row.n)!;
    // Without a period, bills of earlier months say nothing of this one.
    if (job.period === null && last.how !== 'own' && existing !== last) continue;
    if (how !== 'changed') toAdopt.push(existing);
    else if (existing === last || isBilledBeside(existing, last))
      faults.add(await changedRowError(context, job, existing, placeOfRow(row, placeOf)));
  }
  const billed = new Set(toAdopt.map(({row}) => row.n));
  const toAsk = options.mayAsk ? new RowErrors() : faults;
  for (const {row, statement} of alike)
    if (!billed.has(row.n))
      toAsk.add(
        billedAlikeFault(statement, externalIdOf(statement)!, placeOfRow(row, placeOf), await context.accountNow()),
      );
  if (faults.shown.some(({code}) => code !== 'customer_name_differs')) throw faults.error(name);
  if (faults.count > 0) throw faults.error(name).with({code: 'customer_name_differs'});
  if (toAsk.count > 0) await confirmAlike(context, toAsk, name);
  const undecided = inDoubt.filter(({row}) => !billed.has(row.n));
  const {known, keeps} = await decideBills(context, job, undecided, {...options, placeOf});
  const own = [...toAdopt, ...known];
  const drafts = own.filter(({statement: {status}}) => status === 'draft');
  const rows = drafts.map(({row, statement: {id, due_at: due}}) => ({...row, due_at: due ?? row.due_at, id}));
  const adoption = {adopts: options.adopt, sending: sendingCommand(context, job, rows, options)};
  const already = own.length > 0 ? await adoptExisting(context, job, own, adoption) : undefined;
  return {callTime: workers.callTime, names, already, keeps, sending: adoption.sending};
}

type PlaceOf = Spreadsheet['place'];

/** The place of a row's own number. A row without one is named by its line alone. */
const placeOfRow = (row: Pick<StatementRow, 'external_id' | 'line'>, placeOf: PlaceOf): RowPlace =>
  isNumbered(row) ? {...placeOf(row.line, 'external_id'), value: row.external_id} : {...placeOf(row.line), value: ''};

/** `A-1 in row 2`, or `Row 2`. */
function nameOfFirst({first_external_id: id, first_line: line}: RepeatedRow, placeOf: PlaceOf): string {
  const place = `${placeOf(line).cell === undefined ? 'line' : 'row'} ${line}`;
  return isNumbered({external_id: id, line}) ? `${id} in ${place}` : capitalized(place);
}

function nameFault({customer, name: value, line}: NameMismatch, placeOf: PlaceOf): FileFault {
  const {ref, email, name, creates} = customer;
  const whose = creates ? `also ${JSON.stringify(name)} in this file` : `the customer ${JSON.stringify(name)}`;
  const words = {problem: `${email ?? ref} is ${whose}.`, fix: 'Correct the row.', override: '--accept-names'};
  return {...placeOf(line, 'customer_name', 'customer'), value, code: 'customer_name_differs', ...words};
}

/** A fault of a row that another row or statement bills, which a person may allow. */
function duplicate(place: RowPlace, code: string, problem: string, fix: string): FileFault {
  return {...place, code, problem, fix, override: '--allow-duplicate'};
}

function repeatedFault(row: RepeatedRow, placeOf: PlaceOf): FileFault {
  const problem = `${nameOfFirst(row, placeOf)} bills the same customer for the same items and due date.`;
  return duplicate(placeOfRow(row, placeOf), 'duplicate_row', problem, 'Remove one of them.');
}

function alikeFault(row: RepeatedRow, placeOf: PlaceOf): FileFault {
  const problem = `${row.external_id} looks like ${nameOfFirst(row, placeOf)}.`;
  const fix = 'Write it the same way in both rows if they are one statement. If not, change one of the numbers.';
  return {...placeOfRow(row, placeOf), code: 'alike_number', problem, fix};
}

/** @param id the statement's own number, which looks like the row's @param now unix seconds */
function billedAlikeFault(statement: BillingStatementData, id: string, place: RowPlace, now: number): FileFault {
  const on = shortDay(billedAt(statement) ?? now, now);
  const problem = `${place.value} looks like ${id}, billed as ${statementName(statement)} on ${on}.`;
  return duplicate(place, 'alike_number', problem, `If it is the same, write ${id}.`);
}

/** Asks whether rows whose numbers look like billed numbers are other statements. Throws their error unless confirmed. */
async function confirmAlike(context: Context, alike: RowErrors, file: string): Promise<void> {
  const {count, shown} = alike;
  const lines = count === 1 ? [] : faultLines('These numbers look like numbers that were billed:', alike);
  for (const line of lines) context.io.note(line);
  const question = count === 1 ? `${shown[0]!.problem} Bill it as another?` : `Bill these ${count} as others?`;
  if (!(await context.prompt.confirm(question))) throw alike.error(file);
}

function duplicateFault({row, statement}: ExistingStatement, standing: Standing, place: RowPlace): FileFault {
  const what = `the same items${row.due_at === null ? '' : ' and due date'}`;
  const problem = `${formatBilledAs(standing, statement)} bills the same customer for ${what}.`;
  return duplicate(place, 'duplicate_statement', problem, 'Remove the row.');
}

/** Returns the command that sends the drafts of these rows; undefined if the rows came from stdin. */
function sendingCommand(
  context: Context,
  job: JobFile,
  rows: Iterable<StatementRow>,
  {source, tableWords, item, dueTyped, period, periodTyped, allowDuplicate, allowRepeated, otherNames}: ImportFlags,
): NextCommand | undefined {
  const continueDraft = ['bill', '--continue'] as const;
  // Sending needs a due date. A draft gets its own, because another date could bill the row again.
  let due = dueTyped;
  for (const row of rows) {
    if (row.due_at !== null) continue;
    const words = `To send the draft for ${rowPayerOf(job, row)}, which has no due date`;
    if (row.id !== null) return jobStep(context, words, ...continueDraft, row.id, '--due', '+30d', '--send');
    due = '+30d';
    break;
  }
  if (source === '-') return undefined;
  const valued = Object.entries({'--item': item, '--due': due, '--period': periodTyped ?? period});
  // Flags that pass a guard are for a person to repeat.
  const passes = {
    '--allow-duplicate': allowDuplicate && context.io.canAsk,
    '--allow-repeated-items': allowRepeated,
    '--accept-names': otherNames === 'accept' && context.io.canAsk,
  };
  const flags = [
    ...valued.flatMap(([flag, value]) => (value === undefined || value === null ? [] : [flag, value])),
    ...['--send', ...Object.entries(passes).flatMap(([flag, isSet]) => (isSet ? [flag] : []))],
  ];
  return jobStep(context, 'To send them', 'import', source, ...tableWords, ...flags);
}
