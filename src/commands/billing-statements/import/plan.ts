// An import before it begins: the file read into a job, and the account looked at.

import type {Existing} from '../../../billing/import/existing-statements.js';
import type {OtherName} from '../../../billing/import/job/customers.js';
import type {JobFacts} from '../../../billing/import/job/facts.js';
import type {JobFile} from '../../../billing/import/job/file.js';
import type {Repeated} from '../../../billing/import/job/rows.js';
import {sameAccount} from '../../../cli/next-command.js';
import type {Context} from '../../../context.js';
import {CentavoError, usageError, type FileFault} from '../../../ground/errors.js';
import {reasonOf} from '../../../ground/system-errors.js';
import {shellQuote} from '../../../input/shell-words.js';
import {Faults} from '../../../input/spreadsheet/faults.js';
import type {ItemsOptions} from '../../../input/spreadsheet/items.js';
import {adopt, refuseIfBegun, type AdoptFlags} from '../shared/import/adopt.js';
import {accountOf, jobPath, newJobId, removeJob} from '../shared/import/jobs.js';
import {statementWords} from '../shared/import/plan-words.js';
import {workersOf} from '../shared/import/run.js';

export interface ImportFlags extends AdoptFlags, ItemsOptions {
  readonly map: ReadonlyMap<string, string>;
  readonly allowDuplicate: boolean;
  /** What to do about names that are not those of the customers. */
  readonly otherNames: 'accept' | 'ask' | 'refuse';
  /** Statements at a time. */
  readonly concurrency: number;
  /** Where the result is written; null for nowhere. */
  readonly resultFile: string | null;
}

/** Reads a file into a new job. Nothing is sent. @param file its name, or `-` for stdin */
export async function readIntoJob(context: Context, file: string, flags: ImportFlags): Promise<JobFile> {
  const [{JobFile, readStatements}, {readSpreadsheet}, {STATEMENT_COLUMNS}] = await Promise.all([
    context.imports(),
    import('../../../input/spreadsheet/read.js'),
    import('../../../input/spreadsheet/columns.js'),
  ]);
  const bytes = file === '-' ? [await context.readInputBytes()] : undefined;
  const name = file === '-' ? 'stdin' : file;
  const open = () => bytes ?? context.openFile(file);
  const {io, now} = context;
  const connection = await context.connection();
  const facts: JobFacts = {
    id: newJobId(context),
    source: file,
    profile: connection.profile.value,
    mode: connection.mode,
    account: await accountOf(context),
    finalize: flags.finalize,
    send: flags.send,
    createdAt: now(),
    resultFile: flags.resultFile,
  };
  let job: JobFile | undefined;
  try {
    const sheet = await readSpreadsheet(open, {...flags, layout: STATEMENT_COLUMNS, file: name});
    for (const note of sheet.notes) io.note(`${name}: ${note}`);
    if (!sheet.fields.has('quantity')) io.note(`${name}: It has no quantity column, so each row counts as 1.`);
    job = JobFile.create(jobPath(context, facts.id), facts);
    const faults = new Faults();
    const rows = await readStatements(sheet.rows, job, {
      ...flags,
      now: await context.accountNow(),
      onFault: (...found) => faults.add(...found),
      onNote: (note) => io.note(`${name}: ${note}`),
      onRows: async (count) => {
        io.progress(`Reading ${name}: ${count.toLocaleString('en')} rows`);
        await io.checkSignal();
      },
    });
    io.progress(undefined);
    faults.add(...sheet.doubts());
    if (faults.count > 0) throw faults.error(name);
    if (rows === 0)
      throw usageError(`${name}: it has no rows under its header.`, {
        code: 'invalid_file',
        hint: `Add rows like these: ${STATEMENT_COLUMNS.example}`,
      });
    return job;
  } catch (error) {
    io.progress(undefined);
    job?.close();
    if (job) removeJob(context, facts.id);
    if (error instanceof CentavoError || !isFileError(error)) throw error;
    throw usageError(`${file} cannot be read.`, {code: 'unreadable_file', why: reasonOf(error)});
  }
}

const isFileError = (error: unknown): boolean => typeof (error as {code?: unknown}).code === 'string';

/**
 * Looks at the account: finds customers, takes over statements that this file made before, and refuses what would be billed
 * twice. `callTime` is in milliseconds; `names` are those that differ from their customers' and are not refused.
 */
export async function lookBefore(
  context: Context,
  job: JobFile,
  flags: ImportFlags,
  name: string,
): Promise<{readonly callTime: number; readonly names: Faults}> {
  const {io, signal} = context;
  await refuseIfBegun(context, job, 'unfinished');
  const workers = await workersOf(context, flags.concurrency);
  const {findCustomers, findExisting} = await context.imports();
  const [faults, names] = [new Faults(), new Faults()];
  const faultOf = (line: number, value: string, code: string, problem: string, fix: string): FileFault => ({
    line,
    column: null,
    value,
    code,
    problem,
    fix,
  });
  const progress = (what: string) => (count: number) => io.progress(`Reading ${what}: ${count.toLocaleString('en')}`);
  try {
    await findCustomers(job, workers, {signal, onProgress: progress('customers')}, ({ref, problem, fix}) => {
      faults.add(faultOf(job.rowsFor(ref)[0]!.line, ref, 'invalid_customer', problem, fix));
    });
    for (const other of job.otherNames()) (flags.otherNames === 'refuse' ? faults : names).add(nameFault(other));
    if (!flags.allowDuplicate) for (const repeated of job.repeatedRows()) faults.add(repeatedFault(repeated));
    const own: Existing[] = [];
    const options = {signal, onProgress: progress('billing statements')};
    for await (const existing of findExisting(job, workers.client, options)) {
      if (existing.how === 'own') own.push(existing);
      else if (!flags.allowDuplicate) faults.add(duplicateFault(existing));
    }
    io.progress(undefined);
    if (faults.shown.some(({code}) => code !== 'customer_name_differs')) throw faults.error(name);
    if (faults.count > 0) throw faults.error(name).with({code: 'customer_name_differs'});
    if (own.length > 0) await adopt(context, job, own, flags);
    return {callTime: workers.callTime, names};
  } finally {
    io.progress(undefined);
  }
}

const nameFault = ({customer: {ref, email, name, creates}, name: value, line}: OtherName): FileFault => ({
  line,
  column: null,
  value,
  code: 'customer_name_differs',
  problem: `${email ?? ref} is ${creates ? 'also' : 'the customer'} ${JSON.stringify(name)}${creates ? ' in this file' : ''}.`,
  fix: 'Correct the row, or add --accept-names',
});

const repeatedFault = ({
  line,
  external_id: value,
  first_line: first,
  first_external_id: firstId,
}: Repeated): FileFault => ({
  line,
  column: null,
  value,
  code: 'duplicate_row',
  problem: `${firstId} in line ${first} bills the same customer for the same items and due date.`,
  fix: 'Remove one of them, or add --allow-duplicate.',
});

function duplicateFault({row, statement, how}: Existing): FileFault {
  const named = statementWords(statement);
  return {
    line: row.line,
    column: null,
    value: row.external_id,
    code: 'duplicate_statement',
    problem:
      how === 'changed'
        ? `${row.external_id} was billed before as ${named}, with other content.`
        : `${named} bills the same customer for the same items and due date.`,
    fix: 'Remove the row, or add --allow-duplicate.',
  };
}

/** The same command with --send. */
export const sendingCommand = (
  context: Context,
  file: string,
  {map, ignored = [], allowDuplicate, allowRepeated, otherNames}: ImportFlags,
): string =>
  [
    `centavo billing-statements import ${shellQuote(file)}`,
    ...[...map].map(([column, field]) => `--map ${shellQuote(`${column}=${field}`)}`),
    ...ignored.map((column) => `--ignore-column ${shellQuote(column)}`),
    '--send',
    ...(allowDuplicate ? ['--allow-duplicate'] : []),
    ...(allowRepeated ? ['--allow-repeated-items'] : []),
    ...(otherNames === 'accept' ? ['--accept-names'] : []),
  ].join(' ') + sameAccount(context);
