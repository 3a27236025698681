// A row whose cells do not fit its header. Most often, an amount with a comma was not put in quotation marks.

import type {FileFault} from '../../errors.js';
import type {Columns} from './columns.js';

/** The end of an amount whose thousands were cut off, `000` or `500.50`, and what stands before it. */
const THOUSANDS = /^\s*\d{3}(?:\.\d{1,2})?\s*$/;
const BEFORE_THOUSANDS = /^\s*(?:₱|PHP|P)?\s*\d{1,3}\s*$/i;

/** The fault of a row with more cells than the header, or with what may be half of a price. */
export function misfit(cells: readonly string[], {header, fields}: Columns, line: number): FileFault | undefined {
  const filled = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  const excess = filled - header.length;
  if (excess > 0) {
    const amount = splitAmount(cells.slice(0, filled), excess);
    return amount === undefined
      ? faultOf(
          line,
          `It has ${filled} cells, and the header ${header.length}.`,
          'Put a cell with the separator in it, such as 15,000, in quotation marks.',
        )
      : twoCells(line, amount);
  }
  // The second half may have gone into a column that is skipped, at the end of the row.
  const price = fields.indexOf('unit_price');
  const mayBeHalf = price >= 0 && price + 2 === filled && fields[price + 1] === undefined;
  const amount = mayBeHalf ? splitAmount(cells.slice(price, filled), 1) : undefined;
  return amount === undefined ? undefined : twoCells(line, amount);
}

/** The first amount that was split, if joining such amounts leaves as many cells as there should be. */
function splitAmount(cells: readonly string[], excess: number): string | undefined {
  let left = excess;
  let amount: string | undefined;
  for (let at = cells.length - 1; at > 0 && left > 0; at--) {
    if (!THOUSANDS.test(cells[at]!) || !BEFORE_THOUSANDS.test(cells[at - 1]!)) amount = undefined;
    else {
      amount = `${cells[at - 1]!.trim()},${amount?.replace(/^[^\d]*/, '') ?? cells[at]!.trim()}`;
      left--;
    }
  }
  return left === 0 && !amount?.startsWith('0') ? amount : undefined;
}

const faultOf = (line: number, problem: string, fix: string, value = ''): FileFault => ({
  line,
  column: null,
  value,
  code: 'invalid_row',
  problem,
  fix,
});

const twoCells = (line: number, amount: string): FileFault => {
  const cells = amount.split(',').length;
  return faultOf(
    line,
    `${amount} is ${cells === 2 ? 'two' : cells} cells here.`,
    `Put it in quotation marks: "${amount}"`,
  );
};
