// The only adapter of cli-table3: cells arrive clean, are wrapped here, and are printed without its borders and colours.

import {slices, type Io} from './io.js';

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
const GAP = 2;
/** A column of free text is not squeezed below this many columns of the terminal. */
const NARROWEST = 12;
/** Characters that are always one column wide. Most cells have nothing else, and measuring is slow. */
const PLAIN = /^[ -~₱·]*$/;

export interface Cell {
  readonly text: string;
  /** Wraps the finished text in colour; widths are measured without it. */
  readonly paint?: (text: string) => string;
}

export interface TableColumn {
  readonly header: string;
  readonly align: 'left' | 'right';
  /** Free text, which may be wrapped when the terminal is narrow; ids and amounts never are. */
  readonly wraps: boolean;
}

/** The lines of a table that fits the width, or undefined when it cannot be made to fit. Ends with a line break. */
export async function renderTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  io: Io,
): Promise<string | undefined> {
  const [{default: Table}, {default: stringWidth}, {default: wrapAnsi}] = await Promise.all([
    import('cli-table3'),
    import('string-width'),
    import('wrap-ansi'),
  ]);
  const widthOf = (text: string): number => (PLAIN.test(text) ? text.length : stringWidth(text));
  const natural = columns.map((column, index) =>
    rows.reduce((width, row) => Math.max(width, widthOf(row[index]!.text)), widthOf(column.header)),
  );
  const widths = fit(columns, natural, io.width);
  if (!widths) return undefined;

  const head = columns.map(({header}): Cell => ({text: header, paint: (text) => io.paint('bold', text)}));
  const wrapped = ({text}: Cell, index: number): string[] =>
    widthOf(text) <= widths[index]! ? [text] : wrapAnsi(text, widths[index]!, {hard: true, trim: false}).split('\n');
  // Rows with cells of the same widths share one layout, and most rows have the widths of an earlier one.
  const layouts = new Map<string, string>();
  const layOut = (cells: readonly string[]): string => {
    const known = layouts.get(cells.join('\t'));
    if (known !== undefined) return known;
    const table = new Table({
      chars: NO_BORDERS,
      style: {head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': GAP},
      colWidths: widths.map((width) => width + GAP),
      colAligns: columns.map((column) => column.align),
    });
    table.push([...cells]);
    const layout = table.toString();
    layouts.set(cells.join('\t'), layout);
    return layout;
  };
  let text = '';
  for await (const some of slices([head, ...rows], io))
    for (const cells of some) {
      const row = cells.map(wrapped);
      // cli-table3 measures with an old table of widths and misplaces newer scripts, so it lays out stand-ins of the right width.
      const layout = layOut(row.map((cell) => cell.map((line) => standIn(widthOf(line))).join('\n')));
      const texts = inOrder(row, cells, widthOf).values();
      for (const line of layout.replace(STAND_IN, () => texts.next().value!).split('\n')) text += `${line.trimEnd()}\n`;
    }
  return text;
}

const STAND_IN = /\uE000\uE001*/g;
const standIn = (width: number): string => (width === 0 ? '' : `\uE000${'\uE001'.repeat(width - 1)}`);

/** The texts of a row in the order of the output: line by line, from left to right. */
function inOrder(
  row: readonly (readonly string[])[],
  cells: readonly Cell[],
  widthOf: (text: string) => number,
): string[] {
  const height = Math.max(...row.map((lines) => lines.length));
  return Array.from({length: height}, (_, line) =>
    row.map((lines, index) => ({text: lines[line] ?? '', paint: cells[index]!.paint})),
  )
    .flat()
    .filter(({text}) => widthOf(text) > 0)
    .map(({text, paint}) => paint?.(text) ?? text);
}

/** Widths that fit, by narrowing columns of free text; undefined if that is not enough. */
function fit(columns: readonly TableColumn[], natural: readonly number[], available: number): number[] | undefined {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) + GAP * (columns.length - 1) - available;
  while (excess > 0) {
    const widest = widths.reduce(
      (best, width, index) =>
        columns[index]!.wraps && width > NARROWEST && (best < 0 || width > widths[best]!) ? index : best,
      -1,
    );
    if (widest < 0) return undefined;
    widths[widest] = widths[widest]! - 1;
    excess--;
  }
  return widths;
}
