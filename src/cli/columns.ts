// From the contract's shapes to what the renderer shows.

import type {Field} from '../api/fields.js';
import type {Shape} from '../api/operation.js';
import type {ValueKind} from '../output/format.js';
import type {Column, Result, Row} from '../output/render.js';
import {COMPUTED_AMOUNT, shownOf} from './views.js';

const KINDS: Partial<Record<Field['kind'], ValueKind>> = {
  centavos: 'centavos',
  timestamp: 'timestamp',
  boolean: 'boolean',
  hash: 'object',
  items: 'object',
  metadata: 'object',
  related: 'object',
};

/** `billing_statement_number` of a billing statement is its number; `due_at` is due, unless something else is. */
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
  });

/** Addresses that people copy. */
const LINKS = new Set(['billing_statement.url', 'billing_statement.billing_statement_url', 'checkout_session.url']);

/** What a person need not see of one object: constants, and what other fields say. */
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
  // Times of the record itself are the least of what is asked for: they stand last.
  const times = ['created_at', 'updated_at'].filter((name) => name in shape.fields);
  const names = [...Object.keys(shape.fields).filter((name) => !times.includes(name)), ...times];
  const shown = rows.map((row) => shownOf(shape, row as Row));
  const few = shape.columns.map(columnOf(shape)).map(computing(shown));
  const unusual = unusualColumns(shown);
  const [first, ...others] = few;
  return {
    rows: rows as Result['rows'],
    shown,
    document,
    // Programs count columns: what only some objects have stands behind the others. People are to see it.
    columns: [...few, ...unusual],
    table: [first!, ...unusual.filter(({path}) => path === 'deleted'), ...others],
    all: [...names.map(columnOf(shape)).map(computing(shown)), ...unusual],
    quiet: QUIET,
    shape: kind,
    empty: `No ${shape.title}s found.`,
  };
}

const computes = (rows: readonly Row[]): boolean => rows.some((row) => row[COMPUTED_AMOUNT] !== undefined);

/** An amount that is not there is shown as computed. */
const computing =
  (rows: readonly Row[]) =>
  (column: Column): Column =>
    column.path === 'amount' && computes(rows) ? {...column, computed: COMPUTED_AMOUNT} : column;

/** Columns of what only some objects have. */
const unusualColumns = (rows: readonly Row[]): Column[] => [
  ...(rows.some((row) => row.deleted === true) ? [{path: 'deleted', header: 'deleted', kind: 'boolean'} as const] : []),
  ...(computes(rows) ? [{path: COMPUTED_AMOUNT, header: 'computed amount', kind: 'centavos'} as const] : []),
];

/** A record of our own as a result: each of its fields, named by its words. */
export function resultOfRecord(record: Readonly<Record<string, unknown>>): Result {
  const columns = recordColumns(Object.keys(record));
  return {rows: [record], document: record, columns, all: columns, shape: 'one'};
}

/** Columns of our own, all of them text. */
export const recordColumns = (paths: readonly string[]): Column[] =>
  paths.map((path) => ({path, header: path.replaceAll('_', ' '), kind: 'text'}));
