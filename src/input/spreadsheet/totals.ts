// Rows of a spreadsheet that add up those above them: they bill nothing, and are left out when they agree.

import type {FileFault} from '../../errors.js';
import {formatPesos} from '../../pesos.js';
import {readCentavos, readPesos} from './cells.js';
import type {Row} from './read.js';

/** What such a row is called. */
const TOTAL =
  /^(?:grand |net |sub-?\s?)?totals?(?: (?:amount due|amount|due|payable|balance|php))?(?: ?\((?:php|₱)\))?\s*:?$|^(?:amount|balance) due:?$|^kabuuan:?$/i;

/** Fields with amounts, that of a whole row first. */
const AMOUNTS: readonly string[] = ['amount', 'unit_price', 'unit_price_centavos'];

/** How many of them are named. */
const MOST_NAMED = 5;

export const isTotal = (text: string): boolean => TOTAL.test(text);

/** Adds up the rows of a file, and tells which of them are totals. */
export class Totals {
  #sum = 0n;
  /** A row could not be read, so that the sum is not that of the rows. */
  #isIncomplete = false;
  #count = 0;
  /** The first ones: `line 12`. */
  readonly #named: string[] = [];

  /** @param centavos what the next row comes to; undefined when it has faults */
  add(centavos: bigint | undefined): void {
    if (centavos === undefined) this.#isIncomplete = true;
    else this.#sum += centavos;
  }

  /**
   * Whether a row is a total, which is left out: it has no words but one for a total, and no amount but the sum of the rows above.
   * @returns the fault of one that comes to something else
   */
  leavesOut(row: Row): FileFault | boolean {
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
    const cell = field === 'unit_price_centavos' ? readCentavos(text) : readPesos(text);
    return 'value' in cell && BigInt(cell.value) === this.#sum;
  }

  /** What a person should know of the rows that were left out, if any were. */
  get note(): string | undefined {
    const [named, count] = [this.#named, this.#count];
    if (count === 0 || this.#isIncomplete) return undefined;
    const more = count > named.length ? ` and ${(count - named.length).toLocaleString('en')} more` : '';
    return `Left out ${named.join(', ')}${more}: ${count === 1 ? 'the total' : 'totals'} of the rows above.`;
  }
}
