// Results of records that are not of the API, each declared once with the words of cli/schema.ts.

import type {ResultColumn, CommandResult, ResultRow} from '../output/result.js';
import {SHOWN, type RecordSchema} from './schema.js';

/** Columns by path, in order: the rank of each, or what differs from its field. Others are computed for people. */
export type RecordTable = Readonly<Record<string, Partial<ResultColumn> | number>>;

export function recordColumnsOf(
  {properties}: RecordSchema,
  columns: RecordTable | readonly string[] = Object.keys(properties),
): ResultColumn[] {
  const all = Array.isArray(columns) ? columns.map((path: string) => [path, {}] as const) : Object.entries(columns);
  return all.map(([path, how]) => ({
    path,
    header: path.replaceAll('_', ' '),
    kind: 'text',
    ...properties[path]?.[SHOWN],
    ...(typeof how === 'number' ? {rank: how} : how),
  }));
}

interface RecordsShown extends Omit<Partial<CommandResult>, 'all' | 'atTerminal' | 'columns'> {
  /** Every known column, if not the fields in their order. */
  readonly all?: RecordTable | readonly string[];
  /** In a pipe, if not all of them. */
  readonly columns?: RecordTable | readonly string[];
  readonly atTerminal?: RecordTable | readonly string[];
}

/** A record that is not of the API, with the fields that it has. @param more overrides: another document, other columns */
export const resultOfRecord = <R extends object>(
  schema: RecordSchema<R>,
  one: R,
  more: RecordsShown = {},
): CommandResult =>
  resultOfRecords(schema, [one], {
    document: one,
    all: Object.keys(schema.properties).filter((path) => path in one),
    shape: 'one',
    ...more,
  });

export function resultOfRecords<R extends object>(
  schema: RecordSchema<R>,
  rows: readonly R[],
  {all, columns, atTerminal, ...more}: RecordsShown = {},
): CommandResult {
  const known = recordColumnsOf(schema, all);
  const inPipe = columns ? recordColumnsOf(schema, columns) : known;
  return {
    rows: rows as readonly ResultRow[],
    document: rows,
    columns: inPipe,
    ...(atTerminal && {atTerminal: recordColumnsOf(schema, atTerminal)}),
    all: [...known, ...inPipe.filter(({path}) => known.every((column) => column.path !== path))],
    shape: 'many',
    ...more,
  };
}
