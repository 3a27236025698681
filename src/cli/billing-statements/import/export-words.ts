// An exported month as an import file, and as data.

import type {ExportedRow, Month} from '../../../billing/export.js';
import {usageError} from '../../../errors.js';
import {quote} from '../../../input/money.js';
import {MONTHS} from '../../../manila.js';
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

/**
 * The rows as an import reads them: prices in pesos, and dates in a form in which a spreadsheet keeps day and month apart.
 * @param forTerminal whether it is shown there; else texts are kept as they are
 */
export function csvOfExport(
  rows: readonly ExportedRow[],
  io: Pick<Io, 'checkSignal'>,
  forTerminal: boolean,
): Promise<string> {
  const columns = [...COLUMNS.map((column) => ({...column, kind: 'text' as const})), ...metadataColumns(rows)];
  const cells = rows.map((row) => ({
    ...row,
    unit_price: decimalPesos(row.unit_price),
    due: row.due === null ? null : namedMonth(row.due),
  }));
  return csv(cells, columns, io, {exact: !forTerminal});
}

/** `15-Dec-2026`, which Excel saves as 15-Dec-26; of 2026-12-05 it makes 12/5/2026. @param day `2026-12-15` */
function namedMonth(day: string): string {
  const [year, month, date] = day.split('-');
  return `${date}-${MONTHS[Number(month) - 1]!.slice(0, 3)}-${year}`;
}

/** The rows as data: prices in centavos. */
export const resultOfExport = (rows: readonly ExportedRow[]): Result =>
  resultOfRecords(
    rows.map((row) => ({...row})),
    COLUMNS,
    {all: [...COLUMNS, ...metadataColumns(rows)]},
  );
