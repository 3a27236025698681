// The adapter of cli-table3, which lays out the lines of a table.

import {isPlain} from '../text-width.js';
import type {ResultCell} from '../result.js';
import {GAP} from './layout.js';

/** One line of a cell, without control characters. Fits its column, except for a single wide grapheme. */
interface Part extends ResultCell {
  readonly width: number;
}

/** Returns a function that lays out one line of cells without borders, with a line break at the end. */
export async function tableOf(
  columns: readonly {readonly width: number; readonly align: 'left' | 'right'}[],
): Promise<(cells: readonly (Part | undefined)[]) => string> {
  const {default: Table} = await import('cli-table3');
  const options = {
    chars: {...NO_BORDERS, middle: ' '.repeat(GAP)},
    style: {border: [], 'padding-left': 0, 'padding-right': 0},
    colWidths: columns.map(({width}) => width),
    colAligns: columns.map(({align}) => align),
  };
  return (cells) => {
    // Lays out one line at a time. The time of cli-table3 grows with the cube of the lines in a cell
    // (40 lines: 0.6 s, 160 lines: 33 s), but about linearly with the rows.
    const table = new Table(options);
    const replaced: string[] = [];
    table.push(
      cells.map((part, index) => {
        if (!part || part.width === 0) return '';
        const {text, paint, width} = part;
        const shown = paint?.(text) ?? text;
        if (isPlain(text)) return shown;
        replaced.push(shown);
        return STAND_IN.repeat(Math.min(width, columns[index]!.width));
      }),
    );
    const line = table.toString().replace(/\uE000+/g, () => replaced.shift()!);
    return `${line.trimEnd()}\n`;
  };
}

const NO_BORDERS = Object.fromEntries(
  ['left', 'right', ...['top', 'bottom'].flatMap((edge) => [edge, `${edge}-left`, `${edge}-mid`, `${edge}-right`])].map(
    (part) => [part, ''],
  ),
);

/** Stands in for text that cli-table3 would measure wrongly and cut, such as newer scripts. */
const STAND_IN = '\uE000';
