// Builds printable results of centavo's own records, which are declared with cli/schema.ts.

import type {ResultColumn, CommandResult, ResultRow} from '../output/result.js';
import * as schema from './schema.js';

/** Columns by path, in order: a rank, or overrides of the field's display. A path need not be a field. */
export type RecordTable = Readonly<Record<string, Partial<ResultColumn> | number>>;

export function recordColumnsOf(
  {properties}: schema.RecordSchema,
  columns: RecordTable | readonly string[] = Object.keys(properties),
): ResultColumn[] {
  const all = Array.isArray(columns) ? columns.map((path: string) => [path, {}] as const) : Object.entries(columns);
  return all.map(([path, how]) => ({
    path,
    header: path.replaceAll('_', ' '),
    kind: 'text',
    ...properties[path]?.[schema.SHOWN],
    ...(typeof how === 'number' ? {rank: how} : how),
  }));
}

interface RecordsShown extends Omit<Partial<CommandResult>, 'all' | 'atTerminal' | 'columns'> {
  /** Every known column; by default the fields in order. */
  readonly all?: RecordTable | readonly string[];
  /** Columns in a pipe; by default every known column. */
  readonly columns?: RecordTable | readonly string[];
  readonly atTerminal?: RecordTable | readonly string[];
}

/** Returns the result of one record, with columns only for its own fields. @param more overrides, such as columns */
export const resultOfRecord = <R extends object>(
  record: schema.RecordSchema<R>,
  one: R,
  more: RecordsShown = {},
): CommandResult =>
  resultOfRecords(record, [one], {
    document: one,
    all: Object.keys(record.properties).filter((path) => path in one),
    shape: 'one',
    ...more,
  });

export function resultOfRecords<R extends object>(
  record: schema.RecordSchema<R>,
  rows: readonly R[],
  {all, columns, atTerminal, ...more}: RecordsShown = {},
): CommandResult {
  const known = recordColumnsOf(record, all);
  const inPipe = columns ? recordColumnsOf(record, columns) : known;
  return {
    rows: rows as readonly ResultRow[],
    document: schema.listDocument(rows),
    columns: inPipe,
    ...(atTerminal && {atTerminal: recordColumnsOf(record, atTerminal)}),
    all: [...known, ...inPipe.filter(({path}) => known.every((column) => column.path !== path))],
    shape: 'many',
    ...more,
  };
}
