// Finds the total rows of a spreadsheet. They bill nothing, and are skipped if they match the rows above.

import type {FileFault} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import {centavosOfCell, pesosOfCell} from './cells.js';
import type {SheetRow} from './read.js';

const TOTAL =
  /^(?:grand |net |sub-?\s?)?totals?(?: (?:amount due|amount|due|payable|balance|php))?(?: ?\((?:php|₱)\))?\s*:?$|^(?:amount|balance) due:?$|^kabuuan:?$/i;

/** Fields with amounts, in order of preference: `amount` holds the total of a row. */
const AMOUNTS: readonly string[] = ['amount', 'unit_price', 'unit_price_centavos'];
/** A row with any of these fields belongs to a statement, and is no total. */
const PAYER_FIELDS: readonly string[] = ['external_id', 'customer', 'customer_email', 'customer_name'];
const MAX_NAMED = 5;

export const isTotal = (text: string): boolean => TOTAL.test(text);

/** Adds up the rows of a file, and finds total rows. */
export class TotalRowFinder {
  #sum = 0n;
  /** True if the sum is too small, because a row could not be read. */
  #isIncomplete = false;
  #count = 0;
  /** The first total rows: `line 12`. */
  readonly #named: string[] = [];

  /** @param centavos the amount of the next row; undefined if the row has faults */
  add(centavos: bigint | undefined): void {
    if (centavos === undefined) this.#isIncomplete = true;
    else this.#sum += centavos;
  }

  /**
   * True for a total row: a cell is a word for a total, the row names no payer, and its only amount is the sum so far.
   * @returns a fault if the total differs, or if the row contains other words
   */
  matchTotal(row: SheetRow): FileFault | boolean {
    if (row.faults.length > 0 || !row.all.some((text) => isTotal(text.trim()))) return false;
    const filled = [...row.cells].filter(([field, text]) => text !== '' && field !== 'quantity' && !isTotal(text));
    if (filled.some(([field]) => PAYER_FIELDS.includes(field))) return false;
    const isAmount = ([field, text]: readonly [string, string]): boolean =>
      AMOUNTS.includes(field) || field.startsWith('amount') || 'value' in pesosOfCell(text);
    const fault = (field: string, code: string, problem: string, fix: string): FileFault => ({
      ...row.place(field),
      value: row.cells.get(field)!,
      code,
      problem,
      fix,
    });
    const words = filled.find((cell) => !isAmount(cell));
    // In a skipped column, the word may mean anything.
    if (words && ![...row.cells.values()].some(isTotal)) return false;
    if (words) return fault(words[0], 'total_row', 'The row looks like a total.', 'Delete it: centavo sums the rows.');
    const field = AMOUNTS.find((name) => filled.some(([each]) => each === name)) ?? filled[0]?.[0];
    const differs = field === undefined ? undefined : this.#difference(row.cells.get(field)!, field);
    if (differs !== undefined) {
      const problem = `The row is a total${differs}, and the rows above come to ${formatPesos(this.#sum)}.`;
      return fault(field!, 'total_differs', problem, 'Correct them, or delete this row.');
    }
    if (this.#count++ < MAX_NAMED)
      this.#named.push(`${row.place([...row.cells.keys()][0]!).cell === undefined ? 'line' : 'row'} ${row.line}`);
    return true;
  }

  /** Describes a total that differs from the sum of the rows above; undefined if equal. */
  #difference(text: string, field: string): string | undefined {
    if (this.#isIncomplete) return undefined;
    const cell = field === 'unit_price_centavos' ? centavosOfCell(text) : pesosOfCell(text);
    if (!('value' in cell)) return ' that cannot be read';
    return BigInt(cell.value) === this.#sum ? undefined : ` of ${formatPesos(cell.value)}`;
  }

  /** Names the skipped total rows. */
  get note(): string | undefined {
    const [named, count] = [this.#named, this.#count];
    if (count === 0 || this.#isIncomplete) return undefined;
    const more = count > named.length ? ` and ${(count - named.length).toLocaleString('en')} more` : '';
    return `Left out ${named.join(', ')}${more}: ${count === 1 ? 'the total' : 'totals'} of the rows above.`;
  }
}
