// A QR code in half blocks, as lines for a terminal.

import {usageError} from '../ground/errors.js';

/** Modules around the code, which readers need. */
const QUIET_ZONE = 4;
/** Themes do not change these colours: the code must be dark on light on every terminal. */
const BLACK_ON_WHITE = '\u001B[38;5;16;48;5;231m';
const RESET = '\u001B[0m';

/** @throws CentavoError kind `usage` if the code is wider than that: a wrapped code cannot be read */
export async function qrLines(text: string, width: number, colored: boolean): Promise<string[]> {
  const {encode} = await import('uqr');
  const {data, size} = encode(text, {ecc: 'L', border: QUIET_ZONE});
  if (size > width)
    throw usageError('terminal_too_narrow', `the QR code needs ${size} columns, and the terminal has ${width}.`, {
      hint: 'Widen the terminal, or leave out --qr.',
    });
  const lines: string[] = [];
  for (let row = 0; row < size; row += 2) {
    const blocks = Array.from({length: size}, (_, column) => {
      const [upper, lower] = [data[row]![column], data[row + 1]?.[column]];
      return upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ';
    }).join('');
    lines.push(colored ? `${BLACK_ON_WHITE}${blocks}${RESET}` : blocks.trimEnd());
  }
  return lines;
}
