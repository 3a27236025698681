// Finds the total rows of a spreadsheet. They bill nothing, and are skipped if they match the rows above.

import type {FileFault} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import {centavosOfCell, pesosOfCell} from './cells.js';
import {exactTotalOf, type StatementItem} from '../items.js';
import {namesForeignMoney, namesScale} from './currencies.js';
import {CHARGE, isLoud, isTotal} from './meanings.js';
import type {SheetRow} from './read.js';

/** Fields with amounts, in order of preference: `amount` holds the total of a row. */
const AMOUNTS: readonly string[] = ['amount', 'amount_due', 'unit_price', 'unit_price_centavos'];
/** A row with any of these fields belongs to a statement, and is no total. */
const PAYER_FIELDS: readonly string[] = ['external_id', 'customer', 'customer_email', 'customer_name'];
const MAX_NAMED = 12;

/** A total in other words, in a row that names no payer: `Total for June`, `Kabuuang halaga`. */
const LIKE_TOTAL = /^\W*(?:(?:sub)?totals?|ttl|sum|suma|lahat|kabuu\w*)(?!\p{L})|(?<!\p{L})total\W*$/iu;
/** A line that may stand below a total: it says nothing about the amounts. */
const isFooter = (text: string): boolean =>
  ![isLoud, namesForeignMoney, namesScale].some((says) => says(text)) && !/^[\d.,₱\s]+$/.test(text);

/** Sums in centavos: `row` of whole rows, `charge 4` of one column. */
type Sums = Map<string, bigint>;

/** Adds up the rows of a file, finds total rows, and names the rows that are left out. */
export class TotalRowFinder {
  /** Sums of the rows that are billed, and of all rows. A total may be either. */
  readonly #billed: Sums = new Map();
  readonly #all: Sums = new Map();
  /** The same sums, up to the last total. */
  #before: readonly Sums[] = [];
  /** True if a sum is too small, because a row could not be read. */
  #isIncomplete = false;
  readonly #totals = new NamedRows();
  readonly #leftOut = new NamedRows();
  readonly #footers = new NamedRows();

  /** @param items of the next row; undefined if the row has faults */
  add(row: SheetRow, items: readonly StatementItem[] | undefined): void {
    if (row.leftOut) {
      const {column, value} = row.leftOut;
      const [id, who] = [row.cells.get('external_id'), row.cells.get('customer_name') ?? row.cells.get('customer')];
      this.#leftOut.add(row, `${[id, who].filter(Boolean).join(', ')}${id || who ? ', ' : ''}${column}: ${value}`);
    }
    // A row that is left out may hold anything.
    if (!items) return void (this.#isIncomplete ||= row.leftOut === undefined);
    const charges = [...row.cells].filter(([field]) => field.startsWith(`${CHARGE} `));
    for (const sums of row.leftOut ? [this.#all] : [this.#all, this.#billed]) {
      sums.set('row', (sums.get('row') ?? 0n) + exactTotalOf(items));
      for (const [field, text] of charges) {
        const cell = pesosOfCell(text);
        if ('value' in cell) sums.set(field, (sums.get(field) ?? 0n) + BigInt(cell.value));
      }
    }
  }

  /**
   * True for a total row: a cell is a word for a total, the row names no payer, and its amounts are the sums so far.
   * @returns a fault if a total differs, or if the row contains other words
   */
  matchTotal(row: SheetRow): FileFault | boolean {
    if (row.faults.length > 0) return false;
    const texts = row.all.map((text) => text.trim()).filter(Boolean);
    // A line below the total, such as `Prepared by: Clara`.
    if (this.#totals.count > 0 && texts.length === 1 && isFooter(texts[0]!)) {
      this.#footers.add(row, texts[0]);
      return true;
    }
    // A customer may have such a name, and without payers it may be an item.
    const others = [...row.cells.keys()].some((field) => PAYER_FIELDS.includes(field)) ? ['external_id', 'item'] : [];
    const isWord = ([field, text]: readonly [string, string]): boolean =>
      isTotal(text) || (others.includes(field) && LIKE_TOTAL.test(text));
    const isNamed = [...row.cells].some(isWord);
    if (!isNamed && !texts.some(isTotal)) return false;
    const filled = [...row.cells].filter((cell) => cell[1] !== '' && cell[0] !== 'quantity' && !isWord(cell));
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
    // In a column that is not read, the word may mean anything.
    if (words && !isNamed) return false;
    if (words) return fault(words[0], 'total_row', 'The row looks like a total.', 'Delete it: centavo sums the rows.');
    const charges = filled.filter(([field]) => field.startsWith(`${CHARGE} `)).map(([field]) => field);
    const whole = AMOUNTS.find((name) => filled.some(([each]) => each === name));
    const fields = whole === undefined ? (charges.length > 0 ? charges : [filled[0]?.[0]]) : [...charges, whole];
    for (const field of fields) {
      const isPart = texts.some((text) => /^sub-?\s?total/i.test(text));
      const difference = field === undefined ? undefined : this.#difference(row.cells.get(field)!, field, isPart);
      if (difference) return fault(field!, 'total_differs', difference, 'Correct them, or delete this row.');
    }
    this.#totals.add(row);
    this.#before = [this.#billed, this.#all].map((sums) => new Map(sums));
    return true;
  }

  /** Describes a total that differs from the sum of the rows above; undefined if equal. @param isPart true for a subtotal */
  #difference(text: string, field: string, isPart: boolean): string | undefined {
    if (this.#isIncomplete) return undefined;
    const cell = field === 'unit_price_centavos' ? centavosOfCell(text) : pesosOfCell(text);
    const key = field.startsWith(`${CHARGE} `) ? field : 'row';
    const sums = [this.#billed, this.#all].map((each) => each.get(key) ?? 0n);
    const parts = isPart ? sums.map((sum, at) => sum - (this.#before[at]?.get(key) ?? 0n)) : sums;
    if ('value' in cell && [...sums, ...parts].includes(BigInt(cell.value))) return undefined;
    const total = 'value' in cell ? ` of ${formatPesos(cell.value)}` : ' that cannot be read';
    const [billed, all] = parts.map(formatPesos);
    const which = isPart && this.#totals.count > 0 ? 'since the last total' : 'above';
    const without = billed === all ? '' : `, or to ${billed} without the rows left out`;
    return `The row is a total${total}, and the rows ${which} come to ${all}${without}.`;
  }

  /** Names the total rows, and the rows that are left out. */
  get notes(): string[] {
    const [totals, leftOut, footers] = [this.#totals, this.#leftOut, this.#footers];
    return [
      ...(totals.count === 0 || this.#isIncomplete
        ? []
        : [`Skipped ${totals.text}: ${totals.count === 1 ? 'the total' : 'totals'} of the rows above.`]),
      ...(footers.count === 0 ? [] : [`Not read, below the total: ${footers.text}.`]),
      ...(leftOut.count === 0 ? [] : [`Not billed, as answered: ${leftOut.text}.`]),
    ];
  }
}

/** Names the first of many rows: `line 12 (S-2, Settled: yes)`. */
class NamedRows {
  count = 0;
  readonly #named: string[] = [];

  add(row: SheetRow, what = ''): void {
    if (this.count++ >= MAX_NAMED) return;
    const unit = row.place([...row.cells.keys()][0]!).cell === undefined ? 'line' : 'row';
    this.#named.push(`${unit} ${row.line}${what && ` (${what})`}`);
  }

  get text(): string {
    const more = this.count - this.#named.length;
    return `${this.#named.join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
  }
}
