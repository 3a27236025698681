// An import before it begins: the file read into a job, and the account looked at.

import type {CustomerFault} from '../../../billing/import/existing-customers.js';
import type {Existing} from '../../../billing/import/existing-statements.js';
import type {OtherName} from '../../../billing/import/job/file.js';
import type {JobFacts} from '../../../billing/import/job/facts.js';
import type {JobFile} from '../../../billing/import/job/file.js';
import type {Repeated} from '../../../billing/import/job/file.js';
import {sameAccount} from '../../../cli/next-command.js';
import {reading} from '../../../cli/references/reading.js';
import type {Context} from '../../../context.js';
import {count} from '../../../ground/counts.js';
import {CentavoError, usageError, type FileFault} from '../../../ground/errors.js';
import {reasonOf} from '../../../ground/system-errors.js';
import {shellQuote} from '../../../input/shell-words.js';
import {Faults} from '../../../input/spreadsheet/faults.js';
import type {ItemsOptions} from '../../../input/spreadsheet/items.js';
import {adopt, refuseIfBegun} from '../shared/import/adopt.js';
import {accountOf, jobPath, removeJob} from '../shared/import/jobs.js';
import {statementWords} from '../shared/import/plan-words.js';
import {workersOf, type RunOptions} from '../shared/import/run.js';

export interface ImportFlags extends RunOptions, ItemsOptions {
  readonly finalize: boolean;
  readonly send: boolean;
  readonly map: ReadonlyMap<string, string>;
  /** What to do about names that are not those of the customers. */
  readonly otherNames: 'accept' | 'ask' | 'refuse';
  /** Where the result is written; null for nowhere. */
  readonly resultFile: string | null;
}

/** Reads a file into a new job. Nothing is sent. @param file its name, or `-` for stdin */
export async function readIntoJob(context: Context, file: string, options: ImportFlags): Promise<JobFile> {
  const [{JobFile, readStatements}, {readSpreadsheet}, {STATEMENT_COLUMNS}] = await Promise.all([
    context.imports(),
    import('../../../input/spreadsheet/read.js'),
    import('../../../input/spreadsheet/columns.js'),
  ]);
  const bytes = file === '-' ? [await context.readInputBytes()] : undefined;
  const name = nameOf(file);
  const open = () => bytes ?? context.openFile(file);
  const {io, now} = context;
  const {finalize, send, resultFile} = options;
  const connection = await context.connection();
  const facts: JobFacts = {
    id: `job_${context.token(20).toLowerCase().slice(0, 10)}`,
    source: file,
    profile: connection.profile.value,
    mode: connection.mode,
    account: await accountOf(context),
    created_at: now(),
    finalize,
    send,
    result_file: resultFile,
  };
  let job: JobFile | undefined;
  try {
    const sheet = await readSpreadsheet(open, {...options, layout: STATEMENT_COLUMNS, file: name});
    for (const note of sheet.notes) io.note(`${name}: ${note}`);
    if (!sheet.fields.has('quantity')) io.note(`${name}: It has no quantity column, so each row counts as 1.`);
    job = JobFile.create(jobPath(context, facts.id), facts);
    const faults = new Faults();
    const rows = await readStatements(sheet.rows, job, {
      ...options,
      now: await context.accountNow(),
      onFault: (...found) => faults.add(...found),
      onNote: (note) => io.note(`${name}: ${note}`),
      onRows: async (read) => {
        io.progress(`Reading ${name}: ${count(read)} rows`);
        await io.checkSignal();
      },
    });
    io.progress(undefined);
    faults.add(...sheet.doubts());
    if (faults.count > 0) throw faults.error(name);
    if (rows === 0)
      throw usageError('invalid_file', `${name}: it has no rows under its header.`, {
        hint: `Add rows like these: ${STATEMENT_COLUMNS.example}`,
      });
    return job;
  } catch (error) {
    io.progress(undefined);
    job?.close();
    if (job) removeJob(context, facts.id);
    if (error instanceof CentavoError || typeof (error as {code?: unknown}).code !== 'string') throw error;
    throw usageError('unreadable_file', `${file} cannot be read.`, {why: reasonOf(error)});
  }
}

/** For people. */
const nameOf = (file: string): string => (file === '-' ? 'stdin' : file);

/**
 * Looks at the account: finds customers, takes over statements that this file made before, and refuses what would be billed
 * twice. `callTime` is in milliseconds; `names` are those that differ from their customers' and are not refused.
 */
export async function lookBefore(context: Context, job: JobFile, options: ImportFlags) {
  const name = nameOf(job.record.source);
  await refuseIfBegun(context, job, 'unfinished');
  const workers = await workersOf(context, options.concurrency);
  const {findJobCustomers, findExisting} = await context.imports();
  const [faults, names] = [new Faults(), new Faults()];
  const onFault = ({ref, problem, fix}: CustomerFault): void => {
    const {line} = job.rowsFor(ref)[0]!;
    faults.add({line, column: null, value: ref, code: 'invalid_customer', problem, fix});
  };
  await reading(context, 'Reading customers', (walk) => findJobCustomers(job, workers, walk, onFault));
  for (const other of job.otherNames()) (options.otherNames === 'refuse' ? faults : names).add(nameFault(other));
  if (!options.allowDuplicate) for (const repeated of job.repeatedRows()) faults.add(repeatedFault(repeated));
  const own: Existing[] = [];
  await reading(context, 'Reading billing statements', async (walk) => {
    for await (const existing of findExisting(job, workers.client, walk)) {
      if (existing.how === 'own') own.push(existing);
      else if (!options.allowDuplicate) faults.add(duplicateFault(existing));
    }
  });
  if (faults.shown.some(({code}) => code !== 'customer_name_differs')) throw faults.error(name);
  if (faults.count > 0) throw faults.error(name).with({code: 'customer_name_differs'});
  if (own.length > 0) await adopt(context, job, own, options.adopt);
  return {callTime: workers.callTime, names};
}

function nameFault({customer: {ref, email, name, creates}, name: value, line}: OtherName): FileFault {
  const whose = creates ? `also ${JSON.stringify(name)} in this file` : `the customer ${JSON.stringify(name)}`;
  const fix = 'Correct the row, or add --accept-names';
  return {line, column: null, value, code: 'customer_name_differs', problem: `${email ?? ref} is ${whose}.`, fix};
}

function repeatedFault({line, external_id: value, ...first}: Repeated): FileFault {
  const problem = `${first.first_external_id} in line ${first.first_line} bills the same customer for the same items and due date.`;
  const fix = 'Remove one of them, or add --allow-duplicate.';
  return {line, column: null, value, code: 'duplicate_row', problem, fix};
}

function duplicateFault({row: {line, external_id: value}, statement, how}: Existing): FileFault {
  const named = statementWords(statement);
  const problem =
    how === 'changed'
      ? `${value} was billed before as ${named}, with other content.`
      : `${named} bills the same customer for the same items and due date.`;
  const fix = 'Remove the row, or add --allow-duplicate.';
  return {line, column: null, value, code: 'duplicate_statement', problem, fix};
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
