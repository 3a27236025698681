// An exported month as an import file, and as data.

import {existsSync} from 'node:fs';
import type {ExportedRow, Month} from '../../../billing/export.js';
import {usageError} from '../../../errors.js';
import {quote} from '../../../input/money.js';
import type {Io} from '../../../output/io.js';
import type {Column, Result} from '../../../output/result.js';
import {csv} from '../../../output/rows.js';
import {decimalPesos} from '../../../pesos.js';
import {resultOfRecords} from '../../columns.js';

const COLUMNS: readonly Column[] = [
  {path: 'external_id', header: 'external id', kind: 'text', rank: 1},
  {path: 'customer', header: 'customer', kind: 'text', rank: 6},
  {path: 'customer_name', header: 'customer name', kind: 'text', rank: 2},
  {path: 'item', header: 'item', kind: 'text', rank: 3},
  {path: 'quantity', header: 'quantity', kind: 'text', rank: 4},
  {path: 'unit_price', header: 'unit price', kind: 'centavos', rank: 3},
  {path: 'due', header: 'due', kind: 'text', rank: 4},
  {path: 'description', header: 'description', kind: 'text', rank: 7},
];

/** `2026-10` as typed. @throws CentavoError kind `usage` */
export function parseMonth(typed: string): Month {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(typed.trim()) ?? [];
  if (year !== undefined) return {year: Number(year), month: Number(month)};
  throw usageError(`--month ${quote(typed)} is not a month.`, {
    code: 'invalid_month',
    hint: 'For example: --month 2026-10',
  });
}

const metadataColumns = (rows: readonly ExportedRow[]): Column[] =>
  [...new Set(rows.flatMap(({metadata}) => Object.keys(metadata)))].map((key) => ({
    path: `metadata.${key}`,
    header: `metadata.${key}`,
    kind: 'text',
  }));

/** The rows as an import reads them: prices in pesos. */
export function csvOfExport(rows: readonly ExportedRow[], io: Pick<Io, 'checkSignal'>): Promise<string> {
  const columns = [...COLUMNS.map((column) => ({...column, kind: 'text' as const})), ...metadataColumns(rows)];
  const cells = rows.map((row) => ({...row, unit_price: decimalPesos(row.unit_price)}));
  return csv(cells, columns, io);
}

/** The rows as data: prices in centavos. */
export const resultOfExport = (rows: readonly ExportedRow[]): Result =>
  resultOfRecords(
    rows.map((row) => ({...row})),
    COLUMNS,
    {all: [...COLUMNS, ...metadataColumns(rows)]},
  );

/** @throws CentavoError kind `usage` for a file that exists */
export function refuseExisting(path: string): void {
  if (existsSync(path))
    throw usageError(`${path} exists already.`, {code: 'file_exists', hint: 'Name a new file with --file.'});
}
