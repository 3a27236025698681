// Total rows of a spreadsheet: they bill nothing, and are skipped if they agree with the rows above.

import type {FileErrorPlace} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import {centavosOfCell, pesosOfCell} from './cells.js';
import type {SheetRow} from './read.js';

const TOTAL =
  /^(?:grand |net |sub-?\s?)?totals?(?: (?:amount due|amount|due|payable|balance|php))?(?: ?\((?:php|₱)\))?\s*:?$|^(?:amount|balance) due:?$|^kabuuan:?$/i;

/** Fields with amounts; the total of a row comes first. */
const AMOUNTS: readonly string[] = ['amount', 'unit_price', 'unit_price_centavos'];
/** A row with one of these belongs to a statement, whatever else it says. */
const PAYER_FIELDS: readonly string[] = ['external_id', 'customer', 'customer_email', 'customer_name'];
const MAX_NAMED = 5;

export const isTotal = (text: string): boolean => TOTAL.test(text);

/** Adds up the rows of a file, and finds the total rows among them. */
export class TotalRowFinder {
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
   * True for a total row: one cell is a word for a total, the row names no payer, and its only amount is the sum so far.
   * @returns the fault of a total that differs, or of one with other words
   */
  matchTotal(row: SheetRow): FileErrorPlace | boolean {
    if (row.faults.length > 0 || !row.all.some((text) => isTotal(text.trim()))) return false;
    const filled = [...row.cells].filter(([field, text]) => text !== '' && field !== 'quantity' && !isTotal(text));
    if (filled.some(([field]) => PAYER_FIELDS.includes(field))) return false;
    const isAmount = ([field, text]: readonly [string, string]): boolean =>
      AMOUNTS.includes(field) || field.startsWith('amount') || 'value' in pesosOfCell(text);
    const fault = (field: string, code: string, problem: string, fix: string): FileErrorPlace => ({
      ...row.place(field),
      value: row.cells.get(field)!,
      code,
      problem,
      fix,
    });
    const words = filled.find((cell) => !isAmount(cell));
    // In a skipped column it may mean anything.
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

  /** The part of a total that differs from the sum of the rows above. */
  #difference(text: string, field: string): string | undefined {
    if (this.#isIncomplete) return undefined;
    const cell = field === 'unit_price_centavos' ? centavosOfCell(text) : pesosOfCell(text);
    if (!('value' in cell)) return ' that cannot be read';
    return BigInt(cell.value) === this.#sum ? undefined : ` of ${formatPesos(cell.value)}`;
  }

  /** Names the rows that were left out. */
  get note(): string | undefined {
    const [named, count] = [this.#named, this.#count];
    if (count === 0 || this.#isIncomplete) return undefined;
    const more = count > named.length ? ` and ${(count - named.length).toLocaleString('en')} more` : '';
    return `Left out ${named.join(', ')}${more}: ${count === 1 ? 'the total' : 'totals'} of the rows above.`;
  }
}
