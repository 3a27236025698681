// One object as a list of its fields; lists of objects in it stand below as tables.

import {cellOf, readingOf} from './cells.js';
import {isHash} from '../../json.js';
import {clean, formatValue, kindOfName} from '../format.js';
import {slices, type Io} from '../io.js';
import {rulerFor, wrapperFor} from './measure.js';
import {textOf, valueAt} from '../rows.js';
import type {Column, Result, Row} from '../result.js';
import {tableView} from './table-view.js';

interface RecordOptions {
  readonly io: Io;
  /** Whether the fields were asked for by name: then lists in them are shown with all of their columns. */
  readonly keepsAll?: boolean;
  /** Unix seconds. */
  readonly now?: number;
}

/** One object, a field a line; fields without a value are left out. At a terminal, long values are wrapped at words. */
export async function recordView(
  row: Row,
  columns: readonly Column[],
  result: Partial<Result>,
  {io, now, keepsAll}: RecordOptions,
): Promise<string> {
  const look = await readingOf(result, columns, {io, now});
  const filled = columns.filter((column) => textOf(row, column) !== '' && !isList(valueAt(row, column.path)));
  const labels = filled.map((column) => (io.stdoutIsTerminal ? capitalized(wordOf(column, result)) : column.header));
  const lines = filled.map((column, index): FieldLine => {
    const parts = look && column.path !== 'metadata' ? partsOf(valueAt(row, column.path)) : undefined;
    const cell =
      parts && !look?.words.has(column.path) ? {text: parts.join('; ')} : cellOf(row, column, {io, look, whole: true});
    return {label: labels[index]!, ...cell, whole: column.whole};
  });
  let output = await fieldLines(lines, io);
  for (const column of columns) {
    const value = valueAt(row, column.path);
    if (!isList(value)) continue;
    const title = clean(io.stdoutIsTerminal ? capitalized(column.header) : column.header);
    output += `\n${io.paint('bold', title)}\n${await nested(value, {io, now, keepsAll})}`;
  }
  return output;
}

/** The word for a field in a table at a terminal, unless another field has it. */
function wordOf({path, header}: Column, {atTerminal = [], all = []}: Partial<Result>): string {
  const word = atTerminal.find((column) => column.path === path)?.header ?? header;
  return all.some((column) => column.path !== path && column.header === word) ? header : word;
}

/** A label and what stands beside it. */
export interface FieldLine {
  readonly label: string;
  readonly text: string;
  readonly paint?: (text: string) => string;
  /** Never broken, however long. */
  readonly whole?: boolean;
}

/**
 * Lines of labels and values. A value that is too wide is wrapped at words; one that must not be broken stands on a line of its own
 * where it fits there.
 * @param indent blanks before each line
 */
export async function fieldLines(lines: readonly FieldLine[], io: Io, indent = ''): Promise<string> {
  const {widthOf, widestWord} = await rulerFor(lines.map(({text}) => text));
  const labels = Math.max(...lines.map(({label}) => label.length), 0);
  const below = `${indent}  `;
  const width = io.stdoutIsTerminal ? io.width - indent.length - labels - 2 : Infinity;
  const fits = ({text}: FieldLine): boolean => widthOf(text) <= width;
  const breaks = (line: FieldLine): boolean => !fits(line) && !line.whole && widestWord(line.text) <= width;
  const wrap = await wrapperFor(lines.filter(breaks).map(({text}) => text));
  const painted = ({paint}: FieldLine, text: string): string => (paint ? paint(text) : text);
  const labelOf = (label: string): string => indent + io.paint('dim', label.padEnd(labels));
  return lines
    .flatMap((line) => {
      if (breaks(line))
        return wrap(line.text, width).map(
          (part, index) => `${labelOf(index === 0 ? line.label : '')}  ${painted(line, part)}\n`,
        );
      return !fits(line) && widthOf(below + line.text) <= io.width
        ? [`${indent}${io.paint('dim', line.label)}\n${below}${painted(line, line.text)}\n`]
        : [`${labelOf(line.label)}  ${painted(line, line.text)}\n`];
    })
    .join('');
}

export const capitalized = (text: string): string =>
  (text.charAt(0).toUpperCase() + text.slice(1)).replace(/\burl\b/i, 'URL');

/** `city: Cebu City`: what is in a hash that has neither a name nor an id; undefined for anything else. */
function partsOf(value: unknown): string[] | undefined {
  if (!isHash(value) || (typeof value.name === 'string' && value.name) || typeof value.id === 'string')
    return undefined;
  return Object.entries(value).flatMap(([name, inner]) => {
    const text = formatValue(inner, kindOfName(name));
    return text === '' ? [] : (partsOf(inner) ?? [`${clean(name.replaceAll('_', ' '))}: ${text}`]);
  });
}

export const isList = (value: unknown): value is Row[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'object' && item !== null);

/** Fields of nested objects that say nothing. */
const NOISE = new Set(['resource', 'livemode', 'created_at', 'updated_at', 'billing_statement_id', 'image']);

/** Columns of nested objects, without the fields that say nothing. */
export function nestedColumns(items: readonly Row[]): Column[] {
  const paths = [...new Set(items.flatMap((item) => Object.keys(item)))].filter(
    (path) => !NOISE.has(path) && items.some((item) => item[path] !== null),
  );
  return paths.map((path) => ({
    path,
    header: clean(path.replaceAll('_', ' ')),
    kind: path === 'total' ? 'centavos' : kindOfName(path),
  }));
}

/** A table of nested objects. At a terminal, items have their totals, and ids are left out first. */
async function nested(items: readonly Row[], {io, now, keepsAll}: RecordOptions): Promise<string> {
  const rows = io.stdoutIsTerminal ? items.map(withTotal) : items;
  const columns = nestedColumns(rows);
  const ranked = columns.map((column): Column => ({
    ...column,
    isId: column.path === 'id',
    rank: column.path === 'id' ? 5 : 1,
    ...(column.path === 'quantity' && {align: 'right' as const}),
  }));
  const atTerminal = [...ranked.filter(({isId}) => !isId), ...ranked.filter(({isId}) => isId)];
  const result: Result = {rows, document: rows, columns, all: columns, atTerminal, shape: 'many'};
  const {text, shown} = await tableView(result, {io, now, ...(keepsAll && {chosen: atTerminal})});
  return text ?? recordsView(rows, shown, {}, {io, now});
}

/** Objects one below the other, for a terminal that is too narrow for a table. */
export async function recordsView(
  rows: readonly Row[],
  columns: readonly Column[],
  result: Partial<Result>,
  options: RecordOptions,
): Promise<string> {
  const records = [];
  for await (const some of slices(rows, options.io))
    for (const row of some) records.push(await recordView(row, columns, result, options));
  return records.join('\n');
}

/** An item with what it comes to, in centavos. */
export function withTotal(item: Row): Row {
  const price = item.unit_price ?? item.amount;
  const total = Number(item.quantity) * Number(price);
  return price !== undefined && 'quantity' in item && Number.isSafeInteger(total) ? {...item, total} : item;
}
