// A QR code in half blocks, as lines for a terminal.

import {usageError} from '../../errors.js';

/** Modules around the code that readers need to find it. */
const QUIET_ZONE = 4;
/** Black on white in colours that themes do not change: the code must be dark on light on every terminal. */
const BLACK_ON_WHITE = '\u001B[38;5;16;48;5;231m';
const RESET = '\u001B[0m';

/**
 * @param width columns that there are
 * @param colored whether the lines are for a terminal, which shows colours; on paper the code is drawn dark on nothing
 * @throws CentavoError kind `usage` when the code is wider than that: a broken line cannot be read
 */
export async function qrLines(text: string, width: number, colored: boolean): Promise<string[]> {
  const {encode} = await import('uqr');
  const {data, size} = encode(text, {ecc: 'L', border: QUIET_ZONE});
  if (size > width)
    throw usageError(`the QR code needs ${size} columns, and the terminal has ${width}.`, {
      code: 'terminal_too_narrow',
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
