// A result as tables of Markdown, for documents and issues: full values, nothing cut.

import {cellOf} from './cells.js';
import {clean} from '../format.js';
import {slices, type Io} from '../io.js';
import {capitalized, isList, nestedColumns, withTotal} from './record-view.js';
import type {Column, Result, Row} from '../result.js';
import {textOf, valueAt} from '../rows.js';

/** One object is a table of its fields, and one of each list in it; several are a table of their own. */
export async function markdown({rows, shape}: Result, columns: readonly Column[], io: Io): Promise<string> {
  if (shape === 'many') return tableOf(rows, columns, io);
  const row = rows[0]!;
  const filled = columns.filter((column) => textOf(row, column) !== '' && !isList(valueAt(row, column.path)));
  const fields = filled.map((column) => [
    escaped(capitalized(column.header)),
    escaped(cellOf(row, column, {io, whole: true}).text),
  ]);
  let text = linesOf(['Field', 'Value'], ['---', '---'], fields);
  for (const {path, header} of columns) {
    const value = valueAt(row, path);
    if (!isList(value)) continue;
    const items = value.map(withTotal);
    text += `\n**${escaped(capitalized(header))}**\n\n${await tableOf(items, nestedColumns(items), io)}`;
  }
  return text;
}

async function tableOf(rows: readonly Row[], columns: readonly Column[], io: Io): Promise<string> {
  const cells: string[][] = [];
  for await (const some of slices(rows, io))
    for (const row of some) cells.push(columns.map((column) => escaped(cellOf(row, column, {io}).text)));
  return linesOf(
    columns.map(({header}) => escaped(capitalized(header))),
    columns.map(({kind}) => (kind === 'centavos' ? '---:' : '---')),
    cells,
  );
}

const linesOf = (
  ...[head, rule, cells]: [readonly string[], readonly string[], readonly (readonly string[])[]]
): string => [head, rule, ...cells].map((row) => `| ${row.join(' | ')} |\n`).join('');

/** A text that Markdown shows as it is: it ends no cell and makes no link, picture or tag. */
const escaped = (text: string): string => clean(text).replace(/[\\`*[\]<>|~]/g, '\\$&');
