// Results of records that are not of the API, each declared once with the words of cli/schema.ts.

import type {Column, Result, Row} from '../output/result.js';
import {SHOWN, type RecordSchema} from './schema.js';

/** Columns by path, in order: the rank of each, or what differs from its field. Others are computed for people. */
export type Table = Readonly<Record<string, Partial<Column> | number>>;

/** All fields by default. */
export function columnsOf(
  {properties}: RecordSchema,
  columns: Table | readonly string[] = Object.keys(properties),
): Column[] {
  const all = Array.isArray(columns) ? columns.map((path: string) => [path, {}] as const) : Object.entries(columns);
  return all.map(([path, how]) => ({
    path,
    header: path.replaceAll('_', ' '),
    kind: 'text',
    ...properties[path]?.[SHOWN],
    ...(typeof how === 'number' ? {rank: how} : how),
  }));
}

interface RecordsShown extends Omit<Partial<Result>, 'all' | 'atTerminal' | 'columns'> {
  /** Every known column, if not the fields in their order. */
  readonly all?: Table | readonly string[];
  /** In a pipe, if not all of them. */
  readonly columns?: Table | readonly string[];
  readonly atTerminal?: Table | readonly string[];
}

/** A record that is not of the API, with the fields that it has. @param more overrides: another document, other columns */
export const resultOfRecord = <R extends object>(schema: RecordSchema<R>, one: R, more: RecordsShown = {}): Result =>
  resultOfRecords(schema, [one], {
    document: one,
    all: Object.keys(schema.properties).filter((path) => path in one),
    shape: 'one',
    ...more,
  });

/** Records that are not of the API. */
export function resultOfRecords<R extends object>(
  schema: RecordSchema<R>,
  rows: readonly R[],
  {all, columns, atTerminal, ...more}: RecordsShown = {},
): Result {
  const known = columnsOf(schema, all);
  const inPipe = columns ? columnsOf(schema, columns) : known;
  return {
    rows: rows as readonly Row[],
    document: rows,
    columns: inPipe,
    ...(atTerminal && {atTerminal: columnsOf(schema, atTerminal)}),
    all: [...known, ...inPipe.filter(({path}) => known.every((column) => column.path !== path))],
    shape: 'many',
    ...more,
  };
}
