// From the contract's shapes to what the renderer shows.

import type {Field} from '../api/fields.js';
import type {Shape} from '../api/operation.js';
import type {ValueKind} from '../output/format.js';
import type {Column, Result} from '../output/render.js';

const KINDS: Partial<Record<Field['kind'], ValueKind>> = {
  centavos: 'centavos',
  timestamp: 'timestamp',
  boolean: 'boolean',
  hash: 'object',
  items: 'object',
  metadata: 'object',
  related: 'object',
};

/** `billing_statement_number` of a billing statement is its number; `due_at` is due. */
function headerOf(name: string, shape: Shape): string {
  return name.replace(`${shape.name}_`, '').replace(/_at$/, '').replaceAll('_', ' ');
}

const columnOf =
  (shape: Shape) =>
  (name: string): Column => ({
    path: name,
    header: headerOf(name, shape),
    kind: name === 'status' ? 'status' : (KINDS[shape.fields[name]!.kind] ?? 'text'),
  });

/** What a person need not see of one object: constants, and what other fields say. */
const QUIET = new Set([
  'resource',
  'livemode',
  'currency',
  'customer_id',
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
  return {
    rows: rows as Result['rows'],
    document,
    columns: shape.columns.map(columnOf(shape)),
    all: names.map(columnOf(shape)),
    quiet: QUIET,
    shape: kind,
    empty: `No ${shape.title}s found.`,
  };
}

/** A record of our own as a result: each of its fields, named by its words. */
export function resultOfRecord(record: Readonly<Record<string, unknown>>): Result {
  const columns = recordColumns(Object.keys(record));
  return {rows: [record], document: record, columns, all: columns, shape: 'one'};
}

/** Columns of our own, all of them text. */
export const recordColumns = (paths: readonly string[]): Column[] =>
  paths.map((path) => ({path, header: path.replaceAll('_', ' '), kind: 'text'}));
