// Results to print: the columns of objects and records, and values that are computed for display.

import type {Field} from '../api/fields.js';
import type {Shape, TableField} from '../api/operation.js';
import {shapes} from '../api/registry.js';
import type {ValueKind} from '../output/format.js';
import {isHash} from '../json.js';
import type {Column, Result, Row} from '../output/result.js';

const KINDS: Partial<Record<Field['kind'], ValueKind>> = {
  centavos: 'centavos',
  timestamp: 'timestamp',
  boolean: 'boolean',
  hash: 'object',
  items: 'object',
  metadata: 'object',
  related: 'object',
};

/** `billing_statement_number` becomes `number`; `due_at` becomes `due`, unless another field has that name. */
function headerOf(name: string, shape: Shape): string {
  const short = name.replace(/_at$/, '');
  return (short in shape.fields ? name : short).replace(`${shape.name}_`, '').replaceAll('_', ' ');
}

const columnOf =
  (shape: Shape) =>
  (name: string): Column => ({
    path: name,
    header: headerOf(name, shape),
    kind: name === 'status' ? 'status' : (KINDS[shape.fields[name]!.kind] ?? 'text'),
    ...(LINKS.has(`${shape.name}.${name}`) && {whole: true}),
    ...(shape.fields[name]!.kind === 'id' && {
      isId: true,
      shortens: FOUND_BY_START.has(shape.fields[name]!.prefix!),
    }),
  });

/** A column of a table at a terminal. */
const tableColumnOf =
  (shape: Shape) =>
  ({field, rank, cut, header}: TableField): Column => {
    const known = shape.fields[field] !== undefined;
    return {
      ...(known ? columnOf(shape)(field) : {path: field, header: field, kind: 'text'}),
      rank,
      ...(cut ? {cut} : {whole: true}),
      ...(header !== undefined && {header}),
      ...(known && shape.fields[field]!.kind === 'integer' && {align: 'right'}),
    };
  };

/** The kinds of id whose beginning is enough on a command line. */
const FOUND_BY_START = new Set(['bstm_', 'cus_']);

/** Addresses that people copy. */
const LINKS = new Set(['billing_statement.url', 'billing_statement.billing_statement_url', 'checkout_session.url']);

/** The sum of the items of a checkout session that does not say its amount itself. */
export const COMPUTED_AMOUNT = 'computed_amount';

const COMPUTED: Column = {path: COMPUTED_AMOUNT, header: 'computed amount', kind: 'centavos'};

/** Objects that may not say their amount. Their lists have a column for the sum, whether it is needed or not. */
const SUMMED = new Set(['checkout_session']);

/** Left out of a single object at a terminal: constants, and fields that repeat others. */
const QUIET = new Set([
  'resource',
  'livemode',
  'currency',
  'customer_id',
  COMPUTED_AMOUNT,
  'merchant_id',
  'billing_statement_url',
  'billing_details_collection',
  'next_billing_statement_sequence_number',
]);

/** Objects of a shape as a result to print. @param document what JSON prints; the object, or a page */
export function resultOf(shape: Shape, rows: readonly object[], document: unknown, kind: Result['shape']): Result {
  // The times of the record itself matter least, so they come last.
  const times = ['created_at', 'updated_at'].filter((name) => name in shape.fields);
  const names = [...Object.keys(shape.fields).filter((name) => !times.includes(name)), ...times];
  const shown = rows.map((row) => shownOf(shape, row as Row));
  const few = shape.columns.map(columnOf(shape)).map(computing(shown));
  const unusual = unusualColumns(shown);
  const [first, ...others] = few;
  const deleted = unusual.filter(({path}) => path === 'deleted');
  const [foremost, ...rest] = shape.table.map(tableColumnOf(shape)).map(computing(shown));
  return {
    rows: rows as Result['rows'],
    shown,
    document,
    // Programs count columns, so columns that only some objects have come last. In a table for people they come early.
    columns: [...few, ...deleted, ...(SUMMED.has(shape.name) ? [COMPUTED] : [])],
    table: [first!, ...deleted, ...others],
    atTerminal: [foremost!, ...deleted.map((column) => ({...column, rank: 1})), ...rest],
    all: [...names.map(columnOf(shape)).map(computing(shown)), ...unusual],
    words: async () => (await import('./words.js')).wordsOf(shape),
    quiet: QUIET,
    shape: kind,
    ...(shape.name === 'billing_statement' && rows.every((row) => !('deleted' in row)) && {view: viewStatement}),
    empty: `No ${shape.title}s found.`,
  };
}

const viewStatement: Result['view'] = async (row, options) =>
  (await import('./billing-statements/statement-view.js')).statementView(row, options);

const computes = (rows: readonly Row[]): boolean => rows.some((row) => row[COMPUTED_AMOUNT] !== undefined);

/** A missing amount is shown as computed. */
const computing =
  (rows: readonly Row[]) =>
  (column: Column): Column =>
    column.path === 'amount' && computes(rows) ? {...column, computed: COMPUTED_AMOUNT} : column;

/** Columns of what only some objects have. */
const unusualColumns = (rows: readonly Row[]): Column[] => [
  ...(rows.some((row) => row.deleted === true) ? [{path: 'deleted', header: 'deleted', kind: 'boolean'} as const] : []),
  ...(computes(rows) ? [COMPUTED] : []),
];

/** What the values under these names are; those that are not named are text. */
type Kinds = Readonly<Record<string, ValueKind>>;

/** A record of our own as a result, with a column for each of its fields. */
export function resultOfRecord(record: Row, kinds?: Kinds): Result {
  const columns = recordColumns(Object.keys(record), kinds);
  return {rows: [record], document: record, columns, all: columns, shape: 'one'};
}

/** Records of our own as a result. @param more what differs from this: another document, more columns */
export const resultOfRecords = (
  rows: readonly object[],
  columns: readonly Column[],
  more: Partial<Result> = {},
): Result => ({rows: rows as readonly Row[], document: rows, columns, all: columns, shape: 'many', ...more});

/** Columns of records of our own, under the words of their names. */
export const recordColumns = (paths: readonly string[], kinds: Kinds = {}): Column[] =>
  paths.map((path) => ({path, header: path.replaceAll('_', ' '), kind: kinds[path] ?? 'text'}));

/** Like {@link shownOf}, by the `resource` of the object. Anything else is returned unchanged. */
export function shownAny(row: Row): Row {
  const shape = [...shapes.values()].find(({name}) => name === row?.resource);
  return shape ? shownOf(shape, row) : row;
}

/** The object as it is displayed, in every format except JSON without `--fields`. */
export function shownOf(shape: Shape, row: Row): Row {
  const shown = {...row};
  if ('customer_id' in shape.fields && 'customer' in shape.fields) shown.customer = row.customer || row.customer_id;
  if (shape.name === 'billing_statement') {
    // The service returns the link in every state, but only an open statement can be paid.
    const link = row.status === 'open' ? row.billing_statement_url || row.url || null : null;
    Object.assign(shown, {url: link, billing_statement_url: link});
  }
  if (SUMMED.has(shape.name) && typeof row.amount !== 'number') {
    const sum = sumOf(row.line_items);
    if (sum !== undefined) shown[COMPUTED_AMOUNT] = sum;
  }
  return shown;
}

/** The sum of quantity × amount in centavos; undefined if an item lacks one of them. */
function sumOf(items: unknown): number | undefined {
  if (!Array.isArray(items) || items.length === 0) return undefined;
  const parts = items.map((item) => (isHash(item) ? Number(item.quantity) * Number(item.amount) : NaN));
  const sum = parts.reduce((total, part) => total + part, 0);
  return Number.isSafeInteger(sum) ? sum : undefined;
}
