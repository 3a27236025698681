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
/** Texts whose characters are all one column wide: ASCII, Latin letters, and a few others. Most cells have nothing else, and measuring is slow. */
const PLAIN = /^[ -~À-ɏ₱·‘’“”–—…]*$/;

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

// These are used where the packages that measure and wrap are not needed, so that they are not loaded.
const lengthOf = (text: string): number => text.length;

/**
 * Wraps a plain text at spaces, and words that are too long anywhere; every character stays. The same as wrap-ansi makes of it,
 * which takes longer to load than a whole table.
 */
export function wrapPlain(text: string, width: number): string[] {
  const lines = [''];
  const last = (): string => lines.at(-1)!;
  const append = (more: string): void => {
    lines[lines.length - 1] += more;
  };
  for (const [index, word] of text.split(' ').entries()) {
    if (index > 0) {
      if (last().length >= width) lines.push('');
      append(' ');
    }
    if (word.length <= width) {
      if (last().length > 0 && word.length > 0 && last().length + word.length > width) lines.push('');
      append(word);
      continue;
    }
    // A word that is too long begins on a line of its own if it takes fewer lines there.
    const here = 1 + Math.floor((word.length - (width - last().length) - 1) / width);
    if (Math.floor((word.length - 1) / width) < here) lines.push('');
    for (let rest = word; rest !== '';) {
      if (last().length >= width) lines.push('');
      const part = rest.slice(0, width - last().length);
      append(part);
      rest = rest.slice(part.length);
    }
  }
  return lines;
}

/** The lines of a table that fits the width, or undefined when it cannot be made to fit. Ends with a line break. */
export async function renderTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  io: Io,
): Promise<string | undefined> {
  const isPlain = [...rows.flat(), ...columns.map(({header}) => ({text: header}))].every(({text}) => PLAIN.test(text));
  const stringWidth = isPlain ? lengthOf : (await import('string-width')).default;
  const widthOf = (text: string): number => (PLAIN.test(text) ? text.length : stringWidth(text));
  const natural = columns.map((column, index) =>
    rows.reduce((width, row) => Math.max(width, widthOf(row[index]!.text)), Math.max(1, widthOf(column.header))),
  );
  const widths = fit(columns, natural, io.width);
  if (!widths) return undefined;
  const {default: Table} = await import('cli-table3');
  const fits = natural.every((width, index) => width <= widths[index]!);
  const wrapAnsi = isPlain || fits ? undefined : (await import('wrap-ansi')).default;

  // cli-table3 measures with an old table of widths and misplaces newer scripts, and it is slow, so it lays out one row of
  // stand-ins, whose places all rows take.
  const table = new Table({
    chars: NO_BORDERS,
    style: {head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': GAP},
    colWidths: widths.map((width) => width + GAP),
  });
  table.push(widths.map((width) => STAND_IN.repeat(width)));
  const layout = table.toString();

  const padded = (text: string, column: number, paint?: Cell['paint']): string => {
    const width = widthOf(text);
    const shown = width === 0 ? '' : (paint?.(text) ?? text);
    const rest = ' '.repeat(widths[column]! - width);
    return columns[column]!.align === 'right' ? rest + shown : shown + rest;
  };
  const linesOf = (row: readonly Cell[]): string[] => {
    const cells = row.map(({text}, column) => {
      const width = widths[column]!;
      if (widthOf(text) <= width) return [text];
      if (!wrapAnsi || PLAIN.test(text)) return wrapPlain(text, width);
      return wrapAnsi(text, width, {hard: true, trim: false}).split('\n');
    });
    return Array.from({length: Math.max(...cells.map((lines) => lines.length))}, (_, line) => {
      const texts = cells.map((lines, column) => padded(lines[line] ?? '', column, row[column]!.paint)).values();
      return `${layout.replace(PLACE, () => texts.next().value!).trimEnd()}\n`;
    });
  };
  const head = columns.map(({header}): Cell => ({text: header, paint: (text) => io.paint('bold', text)}));
  let text = '';
  for await (const some of slices([head, ...rows], io)) text += some.flatMap(linesOf).join('');
  return text;
}

const STAND_IN = '\uE000';
const PLACE = /\uE000+/g;

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
