// Formats with one line per row (tab-separated, JSON lines, CSV), and the lookup of a row's fields.

import {decimalPesos} from '../common/pesos.js';
import {oneLineText, formatValue, isoTime, kindOfName, toJson} from './format.js';
import {rowBatches, type OutputStreams} from './streams.js';
import type {ResultColumn, RedactedResult, CommandResult, ResultRow} from './result.js';

// eslint-disable-next-line no-control-regex
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Returns the value at a dotted path. A name may contain dots too, as keys of metadata do. */
export function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, path)) return (value as ResultRow)[path];
  const dot = path.indexOf('.');
  return dot > 0 && Object.hasOwn(value, path.slice(0, dot))
    ? valueAt((value as ResultRow)[path.slice(0, dot)], path.slice(dot + 1))
    : undefined;
}

/** True if neither the contract nor a row has the field. Any field of a known object is known: `metadata.order`. */
export const isUnknownField = (result: CommandResult, field: string): boolean =>
  columnNamed(result, field) === undefined &&
  result.all.every(({path}) => !field.startsWith(`${path}.`)) &&
  result.rows.every((row) => valueAt(row, field) === undefined);

/** Finds a column by field name, or else by header: `number`, `net amount`. */
function columnNamed(result: CommandResult, name: string): ResultColumn | undefined {
  const known = result.all.find(({path}) => path === name);
  if (known || result.rows.some((row) => valueAt(row, name) !== undefined)) return known;
  const word = normalizedHeader(name);
  const headed = headings(result).find(({header}) => normalizedHeader(header) === word);
  return headed && (result.all.find(({path}) => path === headed.path) ?? headed);
}

/** Columns of the terminal come first, because users see their headers. */
export const headings = ({atTerminal = [], all}: CommandResult): ResultColumn[] => [...atTerminal, ...all];

export const normalizedHeader = (name: string): string => name.toLowerCase().replace(/[ -]/g, '_');

/** Returns a column for each field. A field that no object has is a column of empty values. */
export const chosenColumns = (result: CommandResult, fields: readonly string[]): ResultColumn[] =>
  fields.map(
    (field) => columnNamed(result, field) ?? {path: field, header: oneLineText(field), kind: kindOfName(field)},
  );

export const pickColumns = (row: ResultRow, columns: readonly ResultColumn[]): ResultRow =>
  Object.fromEntries(columns.map(({path}) => [path, valueAt(row, path) ?? null]));

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

export const jsonLines = ({rows, raw}: RedactedResult, columns?: readonly ResultColumn[]): string =>
  (columns ? rows.map((row) => pickColumns(row, columns)) : raw).map((row) => `${toJson(row)}\n`).join('');

/** Formats rows for another program: tabs between cells, no header, nothing cut. */
export async function tabSeparated(
  result: CommandResult,
  columns: readonly ResultColumn[] | undefined,
  io: Pick<OutputStreams, 'checkSignal'>,
): Promise<string> {
  if (result.shape === 'one') {
    return (columns ?? result.all)
      .map((column) => `${oneLineText(column.path)}\t${cellText(result.rows[0]!, column)}\n`)
      .join('');
  }
  let text = '';
  for await (const rows of rowBatches(result.rows, io))
    for (const row of rows)
      text += `${(columns ?? result.columns).map((column) => cellText(row, column)).join('\t')}\n`;
  return text;
}

export function cellText(row: ResultRow, {path, kind, computed}: ResultColumn): string {
  const text = formatValue(valueAt(row, path), kind);
  const computedText = text === '' && computed !== undefined ? formatValue(valueAt(row, computed), kind) : '';
  return computedText === '' ? text : `${computedText} (computed)`;
}
