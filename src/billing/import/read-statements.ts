// The rows of a file made into the statements of a job. Everything is checked before anything is sent, and every fault is found.

import {createHash} from 'node:crypto';
import {MAXIMUM_CENTAVOS, MINIMUM_CENTAVOS} from '../../api/fields.js';
import {CentavoError} from '../../errors.js';
import {parseDate} from '../../input/dates.js';
import {parseQuantity} from '../../input/items.js';
import {parsePesos} from '../../input/money.js';
import {formatPesos} from '../../pesos.js';
import type {JobFile, Row} from './job-file.js';

/** A row of the file: what stands in each of the columns below, as text. */
export interface FileRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

/** Something in the file that must be mended before it can be imported. */
export interface FileFault {
  readonly line: number;
  readonly column: string;
  readonly value: string;
  readonly problem: string;
  readonly fix: string;
}

/** The columns of an import; those for metadata begin with {@link METADATA}. */
export const IMPORT_COLUMNS = [
  'external_id',
  'customer',
  'customer_email',
  'customer_name',
  'item',
  'quantity',
  'unit_price',
  'due',
  'description',
] as const;
export const METADATA = 'metadata.';
/** The metadata key that has the external id of a row. */
export const EXTERNAL_ID = 'external_id';
/** Metadata keys of our own. */
const RESERVED: readonly string[] = ['centavo_key', EXTERNAL_ID];

const CUSTOMER_ID = /^cus_[A-Za-z0-9]+$/;
const ADDRESS = /^[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>]+$/;
const LONGEST_EXTERNAL_ID = 100;
/** How many rows are written in one transaction. */
const AT_ONCE = 1000;

export interface ReadOptions {
  /** Whether each statement needs a due date. */
  readonly finalize: boolean;
  /** Unix seconds. */
  readonly now: number;
  readonly onFault: (fault: FileFault) => void;
  /** Is told of each batch of rows; it may throw to stop the reading. */
  readonly onRows?: (rows: number) => Promise<void> | void;
}

/**
 * Puts the statements of a file into a job, in constant memory. Rows with one external id are the items of one statement.
 * @returns how many rows there were
 */
export async function readStatements(
  rows: AsyncIterable<FileRow> | Iterable<FileRow>,
  job: JobFile,
  options: ReadOptions,
): Promise<number> {
  let count = 0;
  let waiting: FileRow[] = [];
  const write = async (): Promise<void> => {
    job.together(() => {
      for (const row of waiting) readRow(row, job, options);
    });
    waiting = [];
    await options.onRows?.(count);
  };
  for await (const row of rows) {
    count++;
    if (waiting.push(row) === AT_ONCE) await write();
  }
  await write();
  finish(job, options);
  return count;
}

function readRow({line, cells}: FileRow, job: JobFile, {finalize, now, onFault}: ReadOptions): void {
  let isWhole = true;
  const fault = (column: string, problem: string, fix: string): void => {
    isWhole = false;
    onFault({line, column, value: cells[column] ?? '', problem, fix});
  };
  const textOf = (column: string): string => (cells[column] ?? '').trim();
  /** What a parser of flags makes of a cell; what it refuses is a fault of the cell. */
  const parsed = <T>(column: string, read: (text: string) => T): T | undefined => {
    try {
      return read(textOf(column));
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      const {why, hint} = error.details;
      fault(column, [error.message.replace(/^cell(, quantity)? /, ''), why].filter(Boolean).join(' '), hint ?? '');
      return undefined;
    }
  };

  const externalId = textOf('external_id');
  if (externalId === '')
    fault('external_id', 'It is empty.', 'Give each statement an id of your own: an invoice number.');
  if (externalId.length > LONGEST_EXTERNAL_ID)
    fault('external_id', `It is longer than ${LONGEST_EXTERNAL_ID} characters.`, 'Use a shorter one.');

  const customer = textOf('customer');
  const email = textOf('customer_email');
  const name = textOf('customer_name');
  if (customer !== '' && email !== '')
    fault('customer', 'The row has both a customer and a customer_email.', 'Leave one of them empty.');
  if (customer !== '' && !CUSTOMER_ID.test(customer))
    fault(
      'customer',
      'It is not the id of a customer.',
      'Write an id such as cus_2mQ8, or use the column customer_email.',
    );
  if (email !== '' && (!ADDRESS.test(email) || email.length > 254))
    fault('customer_email', 'It is not an email address.', 'Write it like this: juan@example.com');

  const item = textOf('item');
  if (item === '') fault('item', 'It is empty.', 'Describe what is paid for.');
  const quantity = parsed('quantity', (text) => parseQuantity(text.replaceAll(',', ''), 'cell'));
  const price = parsed('unit_price', (text) => parsePesos(text, 'cell'));
  if (price === 0)
    fault('unit_price', 'The price is zero.', 'Leave the row out; the service takes no item below ₱0.01.');
  const due = textOf('due');
  const dueAt = due === '' ? undefined : parsed('due', (text) => parseDate(text, 'cell', now));
  const metadata: Record<string, string> = {};
  for (const [column, text] of Object.entries(cells)) {
    if (!column.startsWith(METADATA) || text.trim() === '') continue;
    const key = column.slice(METADATA.length);
    if (RESERVED.includes(key)) fault(column, `The metadata key ${key} is reserved.`, 'Give the column another name.');
    metadata[key] = text.trim();
  }
  if (!isWhole || externalId === '') return;

  const ref = customer || email.toLowerCase();
  const own = {
    customer: ref,
    due: due || null,
    due_at: dueAt ?? null,
    description: textOf('description') || null,
    metadata: Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : null,
  };
  const before = job.rowNamed(externalId);
  let n = before?.n;
  if (before === undefined || n === undefined) {
    if (ref === '')
      return fault('customer_email', 'The row names no customer.', 'Fill in customer_email, or customer.');
    if (finalize && dueAt === undefined)
      return fault('due', 'It is empty, and a statement needs a due date.', 'Write a date: 2026-12-15 or +30d.');
    n = job.addRow({external_id: externalId, line, ...own});
  } else {
    // Further rows of a statement may leave out what its first row says.
    const first: Readonly<Record<string, unknown>> = {...before};
    for (const [column, value] of Object.entries(own)) {
      if (value === null || value === '' || column === 'due_at' || value === first[column]) continue;
      const shown = column === 'customer' && email !== '' ? 'customer_email' : column;
      fault(
        shown === 'metadata' ? 'external_id' : shown,
        `It differs from line ${before.line}, which has the same external_id ${externalId}.`,
        'Rows of one statement have one customer, due date, description and metadata.',
      );
    }
    if (!isWhole) return;
  }
  if (ref !== '') job.addCustomer(ref, customer ? {id: customer} : {email: ref, ...(name !== '' && {name})});
  const cost = BigInt(quantity!) * BigInt(price!) + BigInt(before?.amount ?? 0);
  if (cost > BigInt(MAXIMUM_CENTAVOS))
    return fault(
      'unit_price',
      `With this row the statement ${externalId} comes to ${formatPesos(cost)}.`,
      `A statement collects ${formatPesos(MAXIMUM_CENTAVOS)} at most.`,
    );
  job.addItem(n, {description: item, quantity: quantity!, unit_price: price!});
  job.setRow(n, {amount: Number(cost)});
}

/** What can be said of a statement only when all of its rows are known: whether it is large enough, and its key. */
function finish(job: JobFile, {finalize, onFault}: ReadOptions): void {
  const rows = job.rows();
  for (;;) {
    let isLast = true;
    job.together(() => {
      for (let count = 0; count < AT_ONCE; count++) {
        const {value: row, done} = rows.next();
        if (done) return;
        if (finalize && row.amount < MINIMUM_CENTAVOS)
          onFault({
            line: row.line,
            column: 'unit_price',
            value: formatPesos(row.amount),
            problem: `The statement ${row.external_id} comes to ${formatPesos(row.amount)}.`,
            fix: `A statement collects ${formatPesos(MINIMUM_CENTAVOS)} at least.`,
          });
        job.setRow(row.n, {key: keyOf(row, job)});
      }
      isLast = false;
    });
    if (isLast) return;
  }
}

/**
 * The key of a statement's draft: the same for the same content, whatever file, machine or order it comes in, so that no
 * bill is made twice; another one for a row that was changed.
 */
function keyOf({n, external_id: externalId, customer, description, metadata}: Row, job: JobFile): string {
  const content = [externalId, customer, job.dueText(n), description, metadata, job.itemsOf(n)];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32);
}
