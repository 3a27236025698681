// Draws tables with cli-table3, without its borders and colours. Cells arrive clean, and are wrapped here.

import {slices, type Io} from '../io.js';
import type {Cell} from '../result.js';
import {fit, GAP, type ColumnWidths} from './layout.js';
import {rulerFor, textsOf, wrapperFor, type Ruler} from './measure.js';

const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
};
/** The least width of a column of free text. */
const NARROWEST = 12;

export interface TableColumn {
  readonly header: string;
  readonly align: 'left' | 'right';
  /** Free text, which a narrow terminal wraps; ids and amounts are never wrapped. */
  readonly wraps: boolean;
}

/** A table that ends with a line break; undefined if it does not fit. */
export async function renderTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  io: Io,
  available = io.width,
): Promise<string | undefined> {
  const ruler = await rulerFor(textsOf(columns, rows));
  const widths = columns.map(({header, wraps}, index): ColumnWidths => {
    const cells = rows.map((row) => row[index]!);
    return {rank: 1, ...(wraps ? wrappingWidths(header, cells, ruler) : {forms: [widestOf(header, cells, ruler)]})};
  });
  const places = fit(widths, available);
  if (!places) return undefined;
  const chosen = places.map(({width}) => width);
  return drawTable(columns, rows, chosen, {ruler, io});
}

/** The width of the widest cell or the header. */
export const widestOf = (header: string, cells: readonly Cell[], {widthOf}: Ruler): number =>
  cells.reduce((width, {text}) => Math.max(width, widthOf(text)), Math.max(1, widthOf(header)));

/** A column of free text can be narrowed down to its widest word. */
export function wrappingWidths(
  header: string,
  cells: readonly Cell[],
  ruler: Ruler,
): Pick<ColumnWidths, 'forms' | 'soft'> {
  const word = cells.reduce((width, {text}) => Math.max(width, ruler.widestWord(text)), ruler.widestWord(header));
  return {forms: [widestOf(header, cells, ruler)], soft: Math.max(NARROWEST, word)};
}

/** A table of these widths, with wider cells wrapped. Ends with a line break. */
export async function drawTable(
  columns: readonly Pick<TableColumn, 'align' | 'header'>[],
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
  const fits = (text: string, column: number): boolean => ruler.widthOf(text) <= widths[column]!;
  const head = columns.map(({header}): Cell => ({text: header, paint: (text) => io.paint('bold', text)}));
  const all = [head, ...rows];
  const wrap = await wrapperFor(
    all.flatMap((row) => row.flatMap(({text}, column) => (fits(text, column) ? [] : [text]))),
  );
  const linesOf = (row: readonly Cell[]): string[] => {
    const cells = row.map(({text}, column) => (fits(text, column) ? [text] : wrap(text, widths[column]!)));
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
