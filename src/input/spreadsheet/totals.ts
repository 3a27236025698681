// Total rows of a spreadsheet: they bill nothing, and are left out if they agree with the rows above.

import type {FileFault} from '../../ground/errors.js';
import {formatPesos} from '../../ground/pesos.js';
import {centavosOfCell, pesosOfCell} from './cells.js';
import type {SheetRow} from './read.js';

const TOTAL =
  /^(?:grand |net |sub-?\s?)?totals?(?: (?:amount due|amount|due|payable|balance|php))?(?: ?\((?:php|₱)\))?\s*:?$|^(?:amount|balance) due:?$|^kabuuan:?$/i;

/** Fields with amounts; the total of a row comes first. */
const AMOUNTS: readonly string[] = ['amount', 'unit_price', 'unit_price_centavos'];
const MOST_NAMED = 5;

export const isTotal = (text: string): boolean => TOTAL.test(text);

/** Adds up the rows of a file, and finds the total rows among them. */
export class Totals {
  #sum = 0n;
  /** A row could not be read, so the sum is too small. */
  #isIncomplete = false;
  #count = 0;
  /** The first total rows: `line 12`. */
  readonly #named: string[] = [];

  /** @param centavos of the next row; undefined if it has faults */
  add(centavos: bigint | undefined): void {
    if (centavos === undefined) this.#isIncomplete = true;
    else this.#sum += centavos;
  }

  /**
   * Whether a row is left out: its only text is a word for a total, and it has no other amount than the sum so far.
   * @returns the fault of a total that differs
   */
  leavesOut(row: SheetRow): FileFault | boolean {
    const words = [...row.cells].filter(
      ([field, text]) => text !== '' && field !== 'quantity' && !AMOUNTS.includes(field) && !field.startsWith('amount'),
    );
    if (row.faults.length > 0 || words.length !== 1 || !isTotal(words[0]![1])) return false;
    const field = AMOUNTS.find((name) => row.cells.get(name));
    if (field !== undefined && !this.#agrees(row.cells.get(field)!, field))
      return {
        ...row.place(field),
        value: row.cells.get(field)!,
        code: 'total_differs',
        problem: `The rows above come to ${formatPesos(this.#sum)}.`,
        fix: 'Correct them, or delete this row.',
      };
    if (this.#count++ < MOST_NAMED)
      this.#named.push(`${row.place(words[0]![0]).cell === undefined ? 'line' : 'row'} ${row.line}`);
    return true;
  }

  #agrees(text: string, field: string): boolean {
    if (this.#isIncomplete) return true;
    const cell = field === 'unit_price_centavos' ? centavosOfCell(text) : pesosOfCell(text);
    return 'value' in cell && BigInt(cell.value) === this.#sum;
  }

  /** Names the rows that were left out. */
  get note(): string | undefined {
    const [named, count] = [this.#named, this.#count];
    if (count === 0 || this.#isIncomplete) return undefined;
    const more = count > named.length ? ` and ${(count - named.length).toLocaleString('en')} more` : '';
    return `Left out ${named.join(', ')}${more}: ${count === 1 ? 'the total' : 'totals'} of the rows above.`;
  }
}
