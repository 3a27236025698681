// A QR code: in half blocks, as lines for a terminal, or as an image for a page.

import {usageError} from '../common/errors.js';
import type {Html} from '../common/markup.js';
import {qrSvg} from '../common/page-parts.js';

/** Blank modules that scanners need around the code. The standard has 4; with 2, a payment link fits in 24 rows. */
const QUIET_ZONE = 2;
/** Themes do not change these colours: the code must be dark on light on every terminal. */
const BLACK_ON_WHITE = '\u001B[38;5;16;48;5;231m';
const RESET = '\u001B[0m';

interface Size {
  readonly columns?: number;
  readonly rows?: number;
}

/**
 * @param instead the alternative to suggest if the code does not fit
 * @throws CentavoError kind `usage` if the code does not fit: scanners cannot read a wrapped or scrolled code
 */
export async function qrLines(text: string, terminal: Size, colored: boolean, instead: string): Promise<string[]> {
  const {encode} = await import('uqr');
  const {data, size} = encode(text, {ecc: 'L', border: QUIET_ZONE});
  // The last row of the terminal is for the next command.
  for (const [name, needed] of [['columns', size] as const, ['rows', Math.ceil(size / 2) + 1] as const])
    if (needed > (terminal[name] ?? Infinity))
      throw usageError(
        'terminal_too_narrow',
        `the QR code needs ${needed} ${name}, and the terminal has ${terminal[name]}.`,
        {
          hint: `Make the window larger, or ${instead}`,
        },
      );
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

/** @param label describes the image to screen readers */
export async function qrImage(text: string, label: string): Promise<Html> {
  const {encode} = await import('uqr');
  return qrSvg(encode(text, {ecc: 'M', border: 0}), label);
}
