// Reads the rows of a file into the statements of a job. Checks all rows before anything is sent, and reports all faults.

import {createHash} from 'node:crypto';
import {MAXIMUM_CENTAVOS, MINIMUM_CENTAVOS} from '../../api/fields.js';
import type {FileFault} from '../../common/errors.js';
import {formatCount} from '../../common/counts.js';
import {DAY, manilaDay} from '../../common/manila.js';
import {formatPesos} from '../../common/pesos.js';
import {dateText} from '../../input/dates.js';
import {exactTotalOf} from '../../input/items.js';
import {emailFault, isEmail} from '../../input/email-address.js';
import {isSameName, wordsOfName} from '../../input/names.js';
import {isNumbered, ownNumber, unnumberedId} from '../../input/own-numbers.js';
import {dueOfCell, textOfCell} from '../../input/spreadsheet/cells.js';
import {comparedText, itemsOfRow, repeatedItem, type RowClaim, type RowItems} from '../../input/spreadsheet/items.js';
import type {SheetRow as FileRow} from '../../input/spreadsheet/read.js';
import {TotalRowFinder} from '../../input/spreadsheet/totals.js';
import {EXTERNAL_ID, OWN_KEYS} from '../statement/metadata-keys.js';
import type {JobFile} from './job/job-file.js';
import type {StatementRow} from './job/job-types.js';

/** Prefix of the columns for metadata. */
const METADATA = 'metadata.';

/** Reference of a customer given only by name. Contains neither `@`, like an address, nor `_`, like an id. */
export const customerNameReference = (name: string): string => wordsOfName(name).join(' ');
export const isCustomerNameReference = (ref: string): boolean => ref !== '' && !/[@_]/.test(ref);

/** The first filled column for the payer; if all are empty, the first such column. */
function payerColumn({cells}: FileRow): string {
  const columns = ['customer_email', 'customer', 'customer_name'].filter((name) => cells.has(name));
  return columns.find((name) => cells.get(name)) ?? columns[0]!;
}

const RESERVED: readonly string[] = [...OWN_KEYS, EXTERNAL_ID];

const CUSTOMER_ID = /^cus_[A-Za-z0-9]+$/;
const MAX_EXTERNAL_ID_LENGTH = 100;

export interface ReadRowsOptions {
  /** True if each statement needs a due date. */
  readonly finalize: boolean;
  /** True if a statement may have the same item twice. */
  readonly allowRepeated?: boolean;
  /** The item of rows that name none. */
  readonly item?: string | undefined;
  /** Unix seconds: the due date of rows that have none, or one that has passed. */
  readonly dueAt?: number | undefined;
  /** The same date as typed: `+30d` is the same tomorrow, so a row without a date keeps its key. */
  readonly dueTyped?: string | undefined;
  /** Unix seconds. */
  readonly now: number;
  readonly onFault: (...faults: readonly FileFault[]) => void;
  /** Receives sentences that explain how the rows were read. */
  readonly onNote?: (note: string) => void;
  /** Called after each batch, with the number of rows so far; may throw to stop the reading. */
  readonly onRows?: (rows: number) => Promise<void> | void;
}

/** Adds rows to a job, in constant memory, and returns their number. Rows with the same external id form one statement. */
export async function readRowsIntoJob(
  rows: AsyncIterable<FileRow> | Iterable<FileRow>,
  job: JobFile,
  options: ReadRowsOptions,
): Promise<number> {
  let count = 0;
  const totals = new TotalRowFinder();
  const dates = {missing: 0, passed: 0};
  job.begin();
  for await (const row of rows) {
    readRow(row, job, totals, dates, options);
    if (await job.commitBatch(++count)) await options.onRows?.(count);
  }
  await options.onRows?.(count);
  for (const note of [...totals.notes, ...datesNote(dates, options)]) options.onNote?.(note);
  await completeRows(job, options);
  job.end();
  return count;
}

/** Rows whose due date `--due` filled in or replaced. */
interface FilledDates {
  missing: number;
  passed: number;
}

function datesNote({missing, passed}: FilledDates, {dueAt}: ReadRowsOptions): string[] {
  const parts = [
    missing > 0 && `${formatCount(missing, 'row')} without a date`,
    passed > 0 && `${formatCount(passed, 'row')} whose date has passed`,
  ].filter(Boolean);
  return parts.length === 0 ? [] : [`Due ${dateText(dueAt!)}: ${parts.join(' and ')}.`];
}

function faultIn(row: FileRow, field: string, code: string, problem: string, fix: string): FileFault {
  return {...row.place(field), value: row.cells.get(field) ?? '', code, problem, fix};
}

/** The fields of a row that describe its statement, without its item. */
interface Heading extends Pick<StatementRow, 'description' | 'due' | 'due_at' | 'metadata'> {
  readonly externalId: string;
  /** An id, a lower-case email address, a name without case and accents, or an empty string. */
  readonly customer: string;
  readonly email: string;
  readonly name: string;
}

/** Reads the payer. The column `customer` may contain an id, an email address or a name. */
export function readCustomer(
  textOf: (field: string) => string,
  fault: (field: string, problem: string, fix: string) => void,
): {readonly customer: string; readonly email: string; readonly name: string} {
  const written = textOf('customer');
  const isId = written.startsWith('cus_');
  const email = textOf('customer_email') || (isEmail(written) ? written : '');
  const fullName = textOf('customer_name') || `${textOf('first_name')} ${textOf('last_name')}`.trim();
  const name = fullName || (isId || written === email ? '' : written);
  if (isId ? email !== '' : isEmail(written) && written !== email)
    fault('customer', 'The row has both a customer and a customer_email.', 'Clear one of them.');
  else if (
    isId ? !CUSTOMER_ID.test(written) : email === '' && (written.includes('@') || !isSameName(written || name, name))
  )
    fault(
      'customer',
      'It is neither the id, the email address nor the name of a customer.',
      'Use an id such as cus_2mQ8 or an email address, or add the column customer_email.',
    );
  const wrong = email === '' ? undefined : emailFault(email);
  if (wrong) fault('customer_email', wrong, 'Use an address such as juan@example.com.');
  return {customer: isId ? written : email.toLowerCase() || customerNameReference(name), email, name};
}

/** Returns a relative date, such as +30d, as typed, and any other date in one form. */
function dueText(typed: string, at: number, now: number): string {
  const later = dueOfCell(typed, now + 500 * DAY);
  return 'value' in later && later.value === at ? dateText(at) : typed;
}

function readHeading(
  row: FileRow,
  dates: FilledDates,
  {now, dueAt: filledAt}: ReadRowsOptions,
  fault: (field: string, problem: string, fix: string, code?: string) => void,
): Heading {
  const textOf = (field: string): string => {
    const cell = textOfCell(row.cells.get(field) ?? '');
    if ('value' in cell) return cell.value;
    fault(field, cell.problem, cell.fix, cell.code);
    return '';
  };
  const externalId = row.cells.has('external_id') ? ownNumber(textOf('external_id')) : unnumberedId(row.line);
  if (externalId === '')
    fault('external_id', 'It is empty.', 'Give each statement an id of your own, such as an invoice number.');
  const retype = 'Format the column as Text, then type the numbers again.';
  if (/^\d+(?:\.\d+)?E\+\d+$/i.test(externalId)) fault('external_id', 'The spreadsheet shortened the number.', retype);
  if (externalId.length > MAX_EXTERNAL_ID_LENGTH)
    fault('external_id', `It is longer than ${MAX_EXTERNAL_ID_LENGTH} characters.`, 'Use a shorter one.');
  const payer = readCustomer(textOf, fault);
  const typed = row.cells.get('due') ?? '';
  const typedAt = typed === '' ? undefined : dueOfCell(typed, now);
  const hasPassed = typedAt !== undefined && 'value' in typedAt && manilaDay(typedAt.value) < manilaDay(now);
  const isFilled = filledAt !== undefined && hasPassed;
  if (isFilled) dates.passed++;
  if (typedAt && 'problem' in typedAt) fault('due', typedAt.problem, typedAt.fix);
  else if (hasPassed && !isFilled) fault('due', 'It has passed.', 'Use a future date, or add --due +30d');
  const metadata: Record<string, string> = {};
  for (const [field, text] of row.cells) {
    if (!field.startsWith(METADATA) || text === '') continue;
    const key = field.slice(METADATA.length);
    if (RESERVED.includes(key)) fault(field, `The metadata key ${key} is reserved.`, 'Rename the column.');
    metadata[key] = textOf(field);
  }
  return {
    externalId,
    ...payer,
    // The file's own date stays in the key of the row, so that a row that was billed with it is known again.
    ...(typedAt && 'value' in typedAt
      ? {due: dueText(typed, typedAt.value, now), due_at: isFilled ? filledAt : typedAt.value}
      : {due: typed || null, due_at: null}),
    description: textOf('description') || null,
    metadata: Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : null,
  };
}

/** Adds a row to the job, unless it is a total of the rows above, or left out. */
function readRow(row: FileRow, job: JobFile, totals: TotalRowFinder, dates: FilledDates, options: ReadRowsOptions) {
  const total = totals.matchTotal(row);
  if (typeof total === 'object') options.onFault(total);
  if (total !== false) return;
  const read = itemsOfRow(row, {named: 'item', item: options.item});
  const isBilled = row.leftOut === undefined && readBilledRow(row, read, job, dates, options);
  totals.add(row, Array.isArray(read) || !(isBilled || row.leftOut) ? undefined : read.items);
}

/** Joins the values of the rows of a statement: `NAI-4, PLY-12`. Both are JSON. */
function joinedMetadata(before: string | null, added: string | null): string | null {
  if (before === added || added === null) return before;
  const joined: Record<string, string> = JSON.parse(before ?? '{}') as Record<string, string>;
  for (const [key, value] of Object.entries(JSON.parse(added) as Record<string, string>)) {
    const values = joined[key]?.split(', ') ?? [];
    joined[key] = values.includes(value) ? joined[key]! : [...values, value].join(', ');
  }
  return JSON.stringify(joined);
}

/** Returns a fault for each field that differs from the first row of the statement. Later rows may omit fields. */
const conflictsWith = (
  first: StatementRow,
  row: FileRow,
  own: Readonly<Record<'customer' | 'description' | 'due', string | null>>,
): FileFault[] =>
  (['customer', 'due', 'description'] as const)
    .filter((field) => own[field] && own[field] !== first[field])
    .map((field) => {
      const place = `${row.place(field).cell === undefined ? 'line' : 'row'} ${first.line}`;
      const problem = `It differs from ${place}, which has the same external_id ${first.external_id}.`;
      const fix = 'All rows of one statement have the same customer, due date and description.';
      return faultIn(row, field === 'customer' ? payerColumn(row) : field, 'invalid_cell', problem, fix);
    });

/** Adds a row to the job. Returns false if the row has faults. @param read the row's items, or their faults */
function readBilledRow(row: FileRow, read: RowItems, job: JobFile, dates: FilledDates, options: ReadRowsOptions) {
  const {finalize, onFault, allowRepeated = false} = options;
  const faults: FileFault[] = [];
  const refuse = (...all: readonly FileFault[]): false => {
    onFault(...all);
    return false;
  };
  const fault = (field: string, problem: string, fix: string, code = 'invalid_cell'): void =>
    void faults.push(faultIn(row, field, code, problem, fix));
  if (row.faults.length > 0) return refuse(...row.faults);
  // The user has to delete a total row, so its other faults do not matter.
  if (Array.isArray(read) && read.some(({code}) => code === 'total_row')) return refuse(...read);
  const heading = readHeading(row, dates, options, fault);
  if (Array.isArray(read)) faults.push(...read);
  const {externalId, customer: written, email, name, ...own} = heading;
  const before = externalId === '' ? undefined : job.rowWithExternalId(externalId);
  const isUndated = before === undefined && own.due === null && options.dueAt !== undefined;
  if (isUndated) dates.missing++;
  const {dueAt = 0, dueTyped = '', now} = options;
  const values = isUndated ? {...own, due: dueText(dueTyped, dueAt, now), due_at: dueAt} : own;
  // A name alone in a later row of a statement refers to the customer that the first row identifies.
  const customer =
    before && isCustomerNameReference(written) && !isCustomerNameReference(before.customer) ? '' : written;
  if (before && before.phase !== 'failed')
    faults.push(...conflictsWith(before, row, {customer, due: values.due, description: values.description}));
  if (!before && customer === '')
    fault(payerColumn(row), 'The row names no customer.', 'Fill in an email address, or the name of a customer.');
  if (!before && finalize && values.due === null) {
    const what = row.cells.has('due') ? 'It is empty' : 'No column has the due date';
    fault('due', `${what}, and a statement needs a due date.`, 'To fill it in: add --due +30d');
  }
  const rawId = row.raw?.get('external_id');
  const add = (amount: bigint): number =>
    job.addRow({
      ...{external_id: externalId, raw_external_id: rawId === undefined ? null : ownNumber(rawId)},
      ...{line: row.line, customer, ...values, amount: Number(amount)},
    });
  if (faults.length > 0 || Array.isArray(read)) {
    // Phase `failed` keeps this row's faults from causing further errors in later rows.
    if (externalId !== '') job.setRow(before?.n ?? add(0n), {phase: 'failed'});
    return refuse(...faults);
  }
  const {items, claims} = read;
  const amount = exactTotalOf(items) + BigInt(before?.amount ?? 0);
  if (amount > BigInt(MAXIMUM_CENTAVOS)) {
    const problem = `With this row the statement ${externalId} comes to ${formatPesos(amount)}.`;
    const fix = `A statement collects at most ${formatPesos(MAXIMUM_CENTAVOS)}.`;
    return refuse(faultIn(row, 'unit_price', 'invalid_amount', problem, fix));
  }
  for (const item of before && !allowRepeated ? items : []) {
    const same = job.itemDescriptions(before!.n, item);
    if (same.some((each) => comparedText(each) === comparedText(item.description)))
      return refuse(repeatedItem(row, 'item'));
  }
  const n = before?.n ?? add(amount);
  if (before) job.setRow(n, {amount: Number(amount), metadata: joinedMetadata(before.metadata, values.metadata)});
  for (const claim of claims) {
    const {claim: earlier = null} = before ?? {};
    if (earlier !== null && (JSON.parse(earlier) as RowClaim).amount !== claim.amount) return refuse(claim.fault);
    job.setRow(n, {claim: JSON.stringify(claim)});
  }
  if (customer !== '')
    job.addCustomer(customer, {
      ...(customer.includes('@') && {email}),
      ...(customer.startsWith('cus_') ? {id: customer} : name !== '' && {name}),
    });
  const payer = customer || before?.customer;
  if (name !== '' && payer) job.addName(payer, name, row.line);
  for (const [at, item] of items.entries()) job.addItem(n, item, at === 0 ? row.raw?.get('item') : undefined);
  return true;
}

/** Checks minimum amounts and stated totals, and sets the keys: these need all rows of a statement. */
async function completeRows(job: JobFile, {onFault}: ReadRowsOptions): Promise<void> {
  let count = 0;
  const {period} = job;
  for (const row of job.rows()) {
    const claim = row.claim === null || row.phase === 'failed' ? undefined : (JSON.parse(row.claim) as RowClaim);
    if (claim && claim.amount !== row.amount) onFault(claim.fault);
    if (row.phase !== 'failed' && row.amount < MINIMUM_CENTAVOS) {
      const problem = `The statement ${row.external_id} comes to ${formatPesos(row.amount)}.`;
      const fix = `A statement collects at least ${formatPesos(MINIMUM_CENTAVOS)}.`;
      onFault({line: row.line, column: null, value: row.external_id, code: 'invalid_amount', problem, fix});
    }
    const raw = job.hasRawTexts ? rowKeysOf(rawRowOf(row), job, period, job.itemsOf(row.n, true)).key : null;
    job.setRow(row.n, {...rowKeysOf(row, job, period), raw_key: raw});
    await job.commitBatch(++count);
  }
}

type KeyedRow = Pick<StatementRow, 'external_id' | 'line' | 'plain_key'>;

/** Returns the key of a row in a period: by its number, or else its content. Without a period: by its content. */
export function keyInPeriod(row: KeyedRow, period: string | null): string {
  if (period === null || !isNumbered(row)) return contentKey(row, period);
  return hashOf(JSON.stringify(['period', period, ['number', row.external_id]]));
}

/** Returns the key of a row in a period by its content, even if it has a number. */
export const contentKey = ({plain_key: plain}: Pick<KeyedRow, 'plain_key'>, period: string | null): string =>
  period === null ? plain : hashOf(JSON.stringify(['period', period, plain]));

/** Returns the SHA-256 of bytes, in hex. */
export async function digestOf(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of bytes) hash.update(piece);
  return hash.digest('hex');
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/**
 * Returns the keys of a statement's draft. The same content has the same key in any file, order and machine, so that no
 * row is billed twice. For identical rows without external ids, the key includes the position among these rows.
 */
function rowKeysOf(row: StatementRow, job: JobFile, period: string | null, items = job.itemsOf(row.n)) {
  const {external_id: externalId, customer, due, description, metadata} = row;
  const isOwn = isNumbered(row);
  const content = [isOwn ? externalId : '', customer, due, description, metadata, items];
  for (let nth = 1; ; nth++) {
    const plain = hashOf(JSON.stringify(nth === 1 ? content : [...content, nth]));
    const key = keyInPeriod({...row, plain_key: plain}, period);
    if (isOwn || job.rowWithKey(key) === undefined) return {key, plain_key: plain};
  }
}

/** The row by its exact texts, under which earlier imports billed it: they read 42 where a cell shows 00042. */
const rawRowOf = (row: StatementRow): StatementRow => ({...row, external_id: row.raw_external_id ?? row.external_id});
