// Formats with one line per row (tab-separated, JSON lines), and the lookup of a row's fields.

import {oneLineText, formatValue, kindOfName, toJson} from './format.js';
import {rowBatches, type OutputStreams} from './streams.js';
import type {ResultColumn, RedactedResult, CommandResult, ResultRow} from './result.js';

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

export const jsonLines = ({rows, raw}: RedactedResult, columns?: readonly ResultColumn[]): string =>
  (columns ? rows.map((row) => pickColumns(row, columns)) : raw).map((row) => `${toJson(row)}\n`).join('');

/** Formats rows for another program: tabs between cells, no header, nothing cut. */
export async function tabSeparated(
  result: CommandResult,
  columns: readonly ResultColumn[] | undefined,
  io: Pick<OutputStreams, 'checkSignal'>,
): Promise<string> {
  if (result.shape === 'one')
    return (columns ?? result.all)
      .map((column) => `${oneLineText(column.path)}\t${cellText(result.rows[0]!, column)}\n`)
      .join('');
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
