// Rows as CSV, for spreadsheets and for files that centavo reads again.

import {decimalPesos} from '../common/pesos.js';
import {oneLineText, formatValue, isoTime} from './format.js';
import {valueAt} from './row-formats.js';
import {rowBatches, type OutputStreams} from './streams.js';
import type {ResultColumn, ResultRow} from './result.js';

// eslint-disable-next-line no-control-regex
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** `header`: false for rows that follow earlier rows. `exact`: no escapes, for a file that is read again. */
export async function csvText(
  rows: readonly ResultRow[],
  columns: readonly ResultColumn[],
  io: Pick<OutputStreams, 'checkSignal'>,
  {header: hasHeader = true, exact = false} = {},
): Promise<string> {
  const {stringify} = await import('csv-stringify/sync');
  // An amount has two columns: the API's integer, and pesos for spreadsheets.
  const header = columns.flatMap(({path, kind}) =>
    kind === 'centavos' ? [`${path}_centavos`, `${path}_pesos`] : [path],
  );
  const cells = (row: ResultRow): string[] =>
    columns.flatMap(({path, kind}) => {
      const value = valueAt(row, path);
      if (kind === 'centavos')
        return typeof value === 'number' ? [String(value), decimalPesos(value)] : [formatValue(value, 'text'), ''];
      if (exact && typeof value === 'string') return [guardFormula(value.replace(CONTROLS, ''))];
      const isTime = kind === 'timestamp' && typeof value === 'number' && value !== 0;
      return [guardFormula(isTime ? isoTime(value) : formatValue(value, kind))];
    });
  const lines = (records: readonly (readonly string[])[]): string =>
    stringify([...records], {record_delimiter: '\r\n', quote_record_delimiter: true});
  let text = hasHeader ? lines([header.map((name) => guardFormula(oneLineText(name)))]) : '';
  for await (const batch of rowBatches(rows, io)) text += lines(batch.map(cells));
  return text;
}

/** Adds an apostrophe to a cell that starts like a formula, which a spreadsheet would execute. */
export function guardFormula(cell: string): string {
  return /^[\s"';,]*[=+\-@＝＋－＠]/.test(cell) ? `'${cell}` : cell;
}
