// Draws tables with cli-table3, without its borders and colours. Cells arrive clean, and are wrapped here.

import {slices, type Io} from '../io.js';
import type {Cell} from '../result.js';
import type {Ruler} from '../measure.js';
import {GAP} from './layout.js';

const NO_BORDERS = Object.fromEntries(
  ['top', 'bottom', 'left', 'mid', 'right']
    .flatMap((part) => [part, `${part}-mid`, `${part}-left`, `${part}-right`])
    .concat('middle')
    .map((part) => [part, '']),
);

interface TableColumn {
  readonly header: string;
  readonly align: 'left' | 'right';
}

/** A table of these widths, with wider cells wrapped. Ends with a line break. */
export async function drawTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  widths: readonly number[],
  {ruler, io}: {readonly ruler: Ruler; readonly io: Io},
): Promise<string> {
  const {default: Table} = await import('cli-table3');
  // cli-table3 is slow, and its old widths misplace newer scripts. So it lays out one row of placeholders, and all rows
  // take their places.
  const table = new Table({
    chars: NO_BORDERS,
    style: {head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': GAP},
    colWidths: widths.map((width) => width + GAP),
  });
  table.push(widths.map((width) => PLACEHOLDER.repeat(width)));
  const layout = table.toString();

  const padded = (text: string, column: number, paint?: Cell['paint']): string => {
    const width = ruler.widthOf(text);
    const shown = width === 0 ? '' : (paint?.(text) ?? text);
    const rest = ' '.repeat(Math.max(0, widths[column]! - width));
    return columns[column]!.align === 'right' ? rest + shown : shown + rest;
  };
  const head = columns.map(({header}): Cell => ({text: header, paint: (text) => io.paint('bold', text)}));
  const all = [head, ...rows];
  const linesOf = (row: readonly Cell[]): string[] => {
    const cells = row.map(({text}, column) => ruler.wrap(text, widths[column]!));
    return Array.from({length: Math.max(...cells.map((lines) => lines.length))}, (_, line) => {
      const texts = cells.map((lines, column) => padded(lines[line] ?? '', column, row[column]!.paint)).values();
      return `${layout.replace(/\uE000+/g, () => texts.next().value!).trimEnd()}\n`;
    });
  };
  let text = '';
  for await (const some of slices(all, io)) text += some.flatMap(linesOf).join('');
  return text;
}

const PLACEHOLDER = '\uE000';
