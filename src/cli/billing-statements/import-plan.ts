// An import before it begins: the file read into a job, the account looked at, and the plan in words.

import type {Existing} from '../../billing/import/existing.js';
import type {JobFile, JobFacts} from '../../billing/import/job-file.js';
import {numberOf} from '../../api/statement.js';
import type {Context} from '../../context.js';
import {CentavoError, usageError, type FileFault} from '../../errors.js';
import type {Change} from '../../guard/change.js';
import {Faults} from '../../input/spreadsheet/faults.js';
import {formatPesos} from '../../pesos.js';
import {reasonOf} from '../../system-errors.js';
import {accountOf, allJobs, jobPath, newJobId, removeJob, resumeCommand} from './jobs.js';

export interface ImportFlags {
  readonly finalize: boolean;
  readonly send: boolean;
  readonly map: ReadonlyMap<string, string>;
  readonly allowDuplicate: boolean;
  readonly adopt: boolean;
}

/**
 * Reads a file into a new job. Nothing is sent.
 * @param file its name, or `-` for stdin
 * @throws CentavoError kind `usage` with every fault of the file
 */
export async function readIntoJob(context: Context, file: string, flags: ImportFlags): Promise<JobFile> {
  const [{JobFile, readStatements}, {readSpreadsheet}, {STATEMENT_COLUMNS}] = await Promise.all([
    context.imports(),
    import('../../input/spreadsheet/read.js'),
    import('../../input/spreadsheet/columns.js'),
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
  };
  let job: JobFile | undefined;
  try {
    const sheet = await readSpreadsheet(open, {layout: STATEMENT_COLUMNS, file: name, map: flags.map});
    for (const note of sheet.notes) io.note(`${name}: ${note}`);
    if (!sheet.fields.has('quantity')) io.note(`${name}: It has no quantity column, so each row counts as 1.`);
    job = JobFile.create(jobPath(context, facts.id), facts);
    const faults = new Faults();
    const rows = await readStatements(sheet.rows, job, {
      finalize: flags.finalize,
      now: now(),
      onFault: (...found) => faults.add(...found),
      onRows: async (count) => {
        io.progress(`Reading ${name}: ${count.toLocaleString('en')} rows`);
        await io.checkSignal();
      },
    });
    io.progress(undefined);
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
 * Looks at the account: customers are found, statements that this file made before are taken over, and what would be billed twice
 * is refused.
 * @throws CentavoError kind `usage` with the rows that cannot be billed, or `refused`
 */
export async function lookBefore(context: Context, job: JobFile, flags: ImportFlags, name: string): Promise<void> {
  const {io, signal} = context;
  const client = await context.client();
  const {findCustomers, findExisting} = await context.imports();
  const faults = new Faults();
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
    await findCustomers(job, {client, signal, onProgress: progress('customers')}, ({ref, problem, fix}) => {
      faults.add(faultOf(job.firstLineOf(ref), ref, 'invalid_customer', problem, fix));
    });
    const own: Existing[] = [];
    const options = {client, signal, onProgress: progress('billing statements')};
    for await (const existing of findExisting(job, options)) {
      if (existing.how === 'own') own.push(existing);
      else if (!flags.allowDuplicate) faults.add(duplicateFault(existing));
    }
    io.progress(undefined);
    if (faults.count > 0) throw faults.error(name);
    if (own.length > 0) await adopt(context, job, own, flags);
  } finally {
    io.progress(undefined);
  }
}

function duplicateFault({row, statement, how}: Existing): FileFault {
  const named = `${numberOf(statement) ?? statement.id} (${statement.status}, ${formatPesos(statement.amount ?? 0)})`;
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

/** Takes over what this file made before: on another machine, or in a job that is no longer here. */
async function adopt(context: Context, job: JobFile, own: readonly Existing[], flags: ImportFlags): Promise<void> {
  const {io} = context;
  for (const {id, state} of await allJobs(context)) {
    if (id === job.record.id || state === 'abandoned') continue;
    const other = (await context.imports()).JobFile.open(jobPath(context, id));
    const isSame = own.some(({row}) => other.rowWithKey(row.key) !== undefined);
    const {endedAt, state: stands} = other.record;
    const {done, statements} = other.tally;
    other.close();
    if (!isSame) continue;
    if (stands === 'ended' && endedAt !== null && done === statements)
      throw new CentavoError('refused', `this file was imported before, by ${id}.`, {
        code: 'imported_before',
        why: `${own.length} of its statements exist already.`,
        hint: `See what it made: centavo jobs get ${id}`,
        applied: 'no',
      });
    throw new CentavoError('refused', `this file was begun by ${id}.`, {
      code: 'begun_before',
      why: `${own.length} of its statements exist already.`,
      hint: `To continue it: ${resumeCommand(context, id)}`,
      applied: 'no',
    });
  }
  const count = own.length === 1 ? '1 statement of this file exists' : `${own.length} statements of this file exist`;
  if (!flags.adopt) {
    const isSure =
      io.canAsk && (await context.prompt.confirm(`${count} already, made by another run. Has that run ended?`));
    if (!isSure)
      throw new CentavoError('refused', `${count} already, made by another run.`, {
        code: 'made_elsewhere',
        why: 'Two runs at once could bill twice.',
        hint: 'If the other run has ended, add --adopt: then they are completed, and none is sent that may have been sent.',
        applied: 'no',
      });
  }
  job.together(() => {
    for (const {row, statement} of own) {
      const {id, status} = statement;
      // Whoever opened it may have sent it.
      const values =
        status === 'draft'
          ? ({phase: 'drafting', doubted: 1} as const)
          : ({phase: 'finishing', opened: 0, sent: status === 'paid' || !flags.send ? 'no' : 'unknown'} as const);
      job.setRow(row.n, {
        id,
        ...values,
        ...(status === 'paid' && {phase: 'done' as const, status: 'paid', number: numberOf(statement) ?? null}),
      });
    }
  });
}

/** `create, finalize and send 400 billing statements of ₱1,284,500.00 in all for 388 customers (12 new)`. */
export function changeOfImport(job: JobFile, command = 'billing-statements import'): Change {
  const {finalize, send} = job.record;
  const {statements, amount, customers, newCustomers} = job.tally;
  const verbs = ['create', ...(finalize ? ['finalize'] : []), ...(send ? ['send'] : [])];
  const steps = verbs.length > 1 ? `${verbs.slice(0, -1).join(', ')} and ${verbs.at(-1)}` : verbs[0]!;
  const what = statements === 1 ? '1 billing statement' : `${statements.toLocaleString('en')} billing statements`;
  const who = customers === 1 ? '1 customer' : `${customers.toLocaleString('en')} customers`;
  const fresh = newCustomers > 0 ? ` (${newCustomers.toLocaleString('en')} new)` : '';
  const largest = job.largest;
  return {
    command,
    asks: true,
    ids: [],
    known: {
      what: `${steps} ${what} of ${formatPesos(amount)} in all for ${who}${fresh}`,
      amount: BigInt(amount),
      statements,
      // Those that are smaller are allowed whenever the largest is.
      amounts: largest ? [{of: `billing statement ${largest.external_id}`, amount: BigInt(largest.amount)}] : [],
    },
  };
}
