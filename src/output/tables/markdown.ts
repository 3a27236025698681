// A result as Markdown tables with full values.

import {clean} from '../format.js';
import {slices, type Io} from '../io.js';
import type {Column, Result, Row} from '../result.js';
import {textOf, valueAt} from '../rows.js';
import {cellOf} from './cells.js';
import {titled, isList, nestedColumns, withTotal} from './record-view.js';

/** One object becomes a table of its fields and one for each list in it; several objects become one table. */
export async function markdown({rows, shape}: Result, columns: readonly Column[], io: Io): Promise<string> {
  if (shape === 'many') return tableOf(rows, columns, io);
  const row = rows[0]!;
  const filled = columns.filter((column) => textOf(row, column) !== '' && !isList(valueAt(row, column.path)));
  const fields = filled.map((column) => [
    escaped(titled(column.header)),
    escaped(cellOf(row, column, {io, whole: true}).text),
  ]);
  let text = linesOf(['Field', 'Value'], ['---', '---'], fields);
  for (const {path, header} of columns) {
    const value = valueAt(row, path);
    if (!isList(value)) continue;
    const items = value.map(withTotal);
    text += `\n**${escaped(titled(header))}**\n\n${await tableOf(items, nestedColumns(items), io)}`;
  }
  return text;
}

async function tableOf(rows: readonly Row[], columns: readonly Column[], io: Io): Promise<string> {
  const cells: string[][] = [];
  for await (const some of slices(rows, io))
    for (const row of some) cells.push(columns.map((column) => escaped(cellOf(row, column, {io}).text)));
  return linesOf(
    columns.map(({header}) => escaped(titled(header))),
    columns.map(({kind}) => (kind === 'centavos' ? '---:' : '---')),
    cells,
  );
}

const linesOf = (
  ...[head, rule, cells]: [readonly string[], readonly string[], readonly (readonly string[])[]]
): string => [head, rule, ...cells].map((row) => `| ${row.join(' | ')} |\n`).join('');

/** Text that Markdown shows as it is: it cannot end a cell or make a link, image or tag. */
const escaped = (text: string): string => clean(text).replace(/[\\`*[\]<>|~]/g, '\\$&');
