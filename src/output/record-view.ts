// One object as a list of its fields; lists of objects in it stand below as tables.

import {cellOf} from './cells.js';
import {clean, kindOfName} from './format.js';
import type {Io} from './io.js';
import {rulerFor, wrapperFor} from './measure.js';
import {textOf, valueAt} from './rows.js';
import type {Column, Row} from './render.js';
import {renderTable} from './table.js';

interface RecordOptions {
  readonly io: Io;
  /** Unix seconds. */
  readonly now?: number;
}

/** One object, a field a line; fields without a value are left out. At a terminal, long values are wrapped at words. */
export async function recordView(row: Row, columns: readonly Column[], {io, now}: RecordOptions): Promise<string> {
  const look =
    io.stdoutIsTerminal && now !== undefined ? {now, beside: new Set(columns.map(({path}) => path))} : undefined;
  const filled = columns.filter((column) => textOf(row, column) !== '' && !isList(valueAt(row, column.path)));
  const labels = filled.map(({header}) => (io.stdoutIsTerminal ? capitalized(header) : header));
  let output = await fieldLines(
    filled.map((column, index) => ({
      label: labels[index]!,
      ...cellOf(row, column, {io, look, whole: true}),
      whole: column.whole,
    })),
    io,
  );
  for (const column of columns) {
    const value = valueAt(row, column.path);
    if (!isList(value)) continue;
    const title = clean(io.stdoutIsTerminal ? capitalized(column.header) : column.header);
    output += `\n${io.paint('bold', title)}\n${await nested(value, io)}`;
  }
  return output;
}

/** A label and what stands beside it. */
export interface FieldLine {
  readonly label: string;
  readonly text: string;
  readonly paint?: (text: string) => string;
  /** Never broken, however long. */
  readonly whole?: boolean;
}

/** Lines of labels and values. @param indent blanks before each line */
export async function fieldLines(lines: readonly FieldLine[], io: Io, indent = ''): Promise<string> {
  const ruler = await rulerFor(lines.map(({text}) => text));
  const wrap = await wrapperFor(lines.map(({text}) => text));
  const labels = Math.max(...lines.map(({label}) => label.length), 0);
  const width = io.stdoutIsTerminal ? io.width - indent.length - labels - 2 : Infinity;
  const parts = (line: FieldLine): string[] => {
    const fits = line.whole || ruler.widthOf(line.text) <= width || width < ruler.widestWord(line.text);
    return fits ? [line.text] : wrap(line.text, width);
  };
  return lines
    .flatMap((line) =>
      parts(line).map((part, index) => {
        const label = io.paint('dim', (index === 0 ? line.label : '').padEnd(labels));
        return `${indent}${label}  ${line.paint ? line.paint(part) : part}\n`;
      }),
    )
    .join('');
}

const capitalized = (text: string): string => (text === 'url' ? 'URL' : text.charAt(0).toUpperCase() + text.slice(1));

const isList = (value: unknown): value is Row[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'object' && item !== null);

/** A table of nested objects, without the fields that say nothing. */
async function nested(items: readonly Row[], io: Io): Promise<string> {
  const hidden = new Set(['resource', 'livemode', 'created_at', 'updated_at', 'billing_statement_id', 'image']);
  const paths = [...new Set(items.flatMap((item) => Object.keys(item)))].filter(
    (path) => !hidden.has(path) && items.some((item) => item[path] !== null),
  );
  const columns = paths.map((path): Column => ({
    path,
    header: clean(path.replaceAll('_', ' ')),
    kind: kindOfName(path),
  }));
  const rows = items.map((item) => columns.map((column) => cellOf(item, column, {io})));
  const table = await renderTable(
    columns.map(({header, kind, path}) => ({
      header: header.toUpperCase(),
      align: kind === 'centavos' ? 'right' : 'left',
      wraps: (kind === 'text' || kind === 'object') && !/(^|_)id$/.test(path),
    })),
    rows,
    io,
    io.tableWidth,
  );
  return table ?? rows.map((row) => `${row.map(({text}) => text).join('  ')}\n`).join('');
}
