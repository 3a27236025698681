// Shows one object as a list of its fields, with nested lists as tables below.

import {boundedText} from '../../common/bounded-text.js';
import {isJsonObject} from '../../common/json.js';
import {oneLineText, formatValue, kindOfName} from '../format.js';
import {rowBatches, type OutputStreams} from '../streams.js';
import {textMeasureFor} from '../text-width.js';
import type {ResultColumn, CommandResult, ResultRow} from '../result.js';
import {cellText, valueAt} from '../row-formats.js';
import {cellOf, terminalCellOptionsOf} from './cells.js';
import {tableView} from './table-view.js';

interface RecordOptions {
  readonly io: OutputStreams;
  /** True if the user chose the fields: nested lists then keep all columns. */
  readonly keepAllColumns?: boolean;
  /** Unix seconds. */
  readonly now?: number;
}

/** Returns one field per line, without empty fields. Long values are wrapped. */
export async function recordView(
  row: ResultRow,
  columns: readonly ResultColumn[],
  result: Partial<CommandResult>,
  {io, now, keepAllColumns}: RecordOptions,
): Promise<string> {
  const look = await terminalCellOptionsOf(result, columns, now);
  const filled = columns.filter((column) => cellText(row, column) !== '' && !isList(valueAt(row, column.path)));
  const labels = filled.map((column) => titledField(fieldLabelOf(column, result)));
  const lines = filled.map((column, index): FieldLine => {
    const value = valueAt(row, column.path);
    const isMetadata = column.path === 'metadata' && isJsonObject(value);
    const parts = isMetadata
      ? Object.entries(value).map(([key, text]) => `${oneLineText(key)}=${formatValue(text, 'text')}`)
      : look && hashPartsOf(value);
    const cell =
      parts && !look?.words.has(column.path)
        ? {text: boundedText(parts.join(isMetadata ? ', ' : '; '))}
        : cellOf(row, column, {io, look, fullTime: true});
    return {label: labels[index]!, ...cell, whole: column.whole};
  });
  let output = await fieldLines(lines, io);
  for (const column of columns) {
    const value = valueAt(row, column.path);
    if (!isList(value)) continue;
    const title = oneLineText(titledField(column.header));
    output += `\n${io.paint('bold', title)}\n${await nested(value, {io, now, keepAllColumns})}`;
  }
  return output;
}

/** Returns the field's header in a table, unless another field has the same header. */
function fieldLabelOf({path, header}: ResultColumn, {atTerminal = [], all = []}: Partial<CommandResult>): string {
  const word = atTerminal.find((column) => column.path === path)?.header ?? header;
  return all.some((column) => column.path !== path && column.header === word) ? header : word;
}

export interface FieldLine {
  readonly label: string;
  readonly text: string;
  readonly paint?: (text: string) => string;
  readonly whole?: boolean;
}

/** Lays out labels and values, unpadded for a screen reader. Wraps wide values, or moves them to their own line. */
export async function fieldLines(lines: readonly FieldLine[], io: OutputStreams, indent = ''): Promise<string> {
  if (io.spoken) return lines.map(({label, text, paint}) => `${indent}${label}: ${paint?.(text) ?? text}\n`).join('');
  const {widthOf, widestWord, wrap} = await textMeasureFor(lines.map(({text}) => text));
  const labels = Math.max(...lines.map(({label}) => label.length), 0);
  const below = `${indent}  `;
  const width = io.width - indent.length - labels - 2;
  const fits = ({text}: FieldLine): boolean => widthOf(text) <= width;
  const mustWrap = (line: FieldLine): boolean => !fits(line) && !line.whole && widestWord(line.text) <= width;
  const painted = ({paint}: FieldLine, text: string): string => (paint ? paint(text) : text);
  const labelOf = (label: string): string => indent + io.paint('dim', label.padEnd(labels));
  return lines
    .flatMap((line) => {
      if (mustWrap(line))
        return wrap(line.text, width).map(
          (part, index) => `${labelOf(index === 0 ? line.label : '')}  ${painted(line, part)}\n`,
        );
      return !fits(line) && widthOf(below + line.text) <= io.width
        ? [`${indent}${io.paint('dim', line.label)}\n${below}${painted(line, line.text)}\n`]
        : [`${labelOf(line.label)}  ${painted(line, line.text)}\n`];
    })
    .join('');
}

const titledField = (text: string): string => (text.charAt(0).toUpperCase() + text.slice(1)).replace(/\burl\b/i, 'URL');

/** Returns the fields of an object without name and id, as `city: Cebu City`; undefined for any other value. */
function hashPartsOf(value: unknown): string[] | undefined {
  if (!isJsonObject(value) || (typeof value.name === 'string' && value.name) || typeof value.id === 'string')
    return undefined;
  return Object.entries(value).flatMap(([name, inner]) => {
    const text = formatValue(inner, kindOfName(name));
    return text === '' ? [] : (hashPartsOf(inner) ?? [`${oneLineText(name.replaceAll('_', ' '))}: ${text}`]);
  });
}

const isList = (value: unknown): value is ResultRow[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'object' && item !== null);

/** Fields of nested objects that are not shown. */
const NOISE = new Set(['resource', 'livemode', 'created_at', 'updated_at', 'billing_statement_id', 'image']);

function nestedColumns(items: readonly ResultRow[]): ResultColumn[] {
  const paths = [...new Set(items.flatMap((item) => Object.keys(item)))].filter(
    (path) => !NOISE.has(path) && items.some((item) => item[path] !== null),
  );
  return paths.map((path) => ({
    path,
    header: oneLineText(path.replaceAll('_', ' ')),
    kind: path === 'total' ? 'centavos' : kindOfName(path),
  }));
}

/** Returns a table of nested objects, with a total for each item. A narrow terminal drops ids first. */
async function nested(items: readonly ResultRow[], {io, now, keepAllColumns}: RecordOptions): Promise<string> {
  const rows = items.map(withTotal);
  const columns = nestedColumns(rows);
  const ranked = columns.map((column): ResultColumn => ({
    ...column,
    isId: column.path === 'id',
    rank: column.path === 'id' ? 5 : 1,
    ...(column.path === 'quantity' && {align: 'right' as const}),
  }));
  const atTerminal = [...ranked.filter(({isId}) => !isId), ...ranked.filter(({isId}) => isId)];
  const result: CommandResult = {rows, document: rows, columns, all: columns, atTerminal, shape: 'many'};
  const {text, shown} = await tableView(result, {io, now, ...(keepAllColumns && {chosen: atTerminal})});
  return text ?? recordsView(rows, shown, {}, {io, now});
}

/** Returns objects below each other, for a terminal that is too narrow for a table. */
export async function recordsView(
  rows: readonly ResultRow[],
  columns: readonly ResultColumn[],
  result: Partial<CommandResult>,
  options: RecordOptions,
): Promise<string> {
  const records = [];
  for await (const batch of rowBatches(rows, options.io))
    for (const row of batch) records.push(await recordView(row, columns, result, options));
  // A screen reader reads line by line, so a row is one line.
  if (options.io.spoken) return records.map((text) => `${text.trimEnd().replaceAll(/\n+/g, '; ')}\n`).join('');
  return records.join('\n');
}

/** Adds the total of an item, in centavos, if its quantity and price are known. */
export function withTotal(item: ResultRow): ResultRow {
  const price = item.unit_price ?? item.amount;
  const total = Number(item.quantity) * Number(price);
  return price !== undefined && 'quantity' in item && Number.isSafeInteger(total) ? {...item, total} : item;
}
