// Finds skipped columns that may change the amount owed: a discount, a tax, a payment, another currency.

import type {FileFault} from '../../common/errors.js';
import {shellQuote} from '../shell-quoting.js';
import {isIgnored, type SheetColumns} from './columns.js';

/** A kind of column, by its header. */
interface MoneyColumnKind {
  readonly named: RegExp;
  readonly not?: RegExp;
  readonly isDoubtful: (cell: string, name: string) => boolean;
  readonly problem: string;
  /** The alternative to --ignore-column. */
  readonly fix: string;
}

const EMPTY = /^(?:[-–—._\s]*|n\/?a)$/i;
const HARMLESS_VALUE =
  /^0+(?:[.,]0+)?\s*%?$|^(?:no|n|none|nil|false|wala|hindi(?: pa)?(?: bayad)?|unpaid|not (?:yet )?paid(?: yet)?|not yet|pending|open|due|overdue|outstanding|(?:for|awaiting) payment|to be paid|non-?\s?vat|(?:vat |tax )?exempt(?:ed)?|zero[ -]rated)$/i;
const PESO_HEADER = /^(?:₱|php|p|pesos?|piso|philippines?|filipino)+$/;
/** Headers whose cell `no` is doubtful too: VAT inclusive, VAT-exempt, unpaid. */
const NEGATED = /\b(?:incl\w*|excl\w*|ex|exempt\w*|non|not|unpaid)\b/;
const NOT_OWED =
  /\b(?:paid|bayad|nabayaran|binayaran|nagbayad|settled|cancel\w*|void\w*|refund\w*|waived?|credited|collected|reversed|written|partial\w*|disput\w*|duplicate|hold)\b/i;

/** A possible quantity: without a quantity column, each row would bill 1. */
const COUNT_COLUMN: MoneyColumnKind = {
  named:
    /^(?:hours?|hrs?|oras|nights?|days?|weeks?|months?|sessions?|pax|heads?|persons?|kilos?|kgs?|liters?|litres?|sqm|boxes|sacks)$/,
  isDoubtful: (cell) => !HARMLESS_VALUE.test(cell) && !/^1(?:\.0+)?$/.test(cell),
  problem: 'This may be the quantity, and no other column contains one',
  fix: 'Name the column Quantity',
};

/** The first matching kind applies. */
const MONEY_COLUMN_KINDS: readonly MoneyColumnKind[] = [
  {
    named: /\b(?:currency|curr?|ccy|(?:exchange|conversion|conv) rate|fx|forex)\b/,
    isDoubtful: (cell) =>
      !PESO_HEADER.test(cell.toLowerCase().replace(/[^\p{L}₱]/gu, '')) && !/^1(?:\.0+)?$/.test(cell),
    problem: 'Pesos are the only currency',
    fix: 'Convert the prices to pesos',
  },
  {
    named:
      /\b(?:disc|discount\w*|disk?u?wento|less|bawas|kaltas|rebates?|deduct\w*|tax(?:es|able|ed)?|vat|gst|buwis|vatable|withh\w*|[ec]wt|wht|deposit\w*|down ?payments?|dp|prepaid|prepayments?|advances?|paid|unpaid|bayad|nabayaran|hulog|install?ments?|returned|payments?|balan[cs]e|credits?|tips?|gratuity|surcharges?|penalt\w*|interest|fees?|charges?|refund\w*|void\w*|cancel\w*|waived?|coupons?|vouchers?|promo\w*|adj|adjust\w*|offset|retention|mark ?up|senior|pwd)\b|^(?:shipping|freight|handling|postage|received|collected)$|\b(?:(?:shipping|freight|handling|postage|delivery) (?:cost|amount|amt|price|total)|amount (?:received|collected)|(?:final|sale|net|discounted|promo) price)\b/,
    not: /^(?:mode|terms?|method|form|type) of payments?$|^(?:payments?|paid) (?:via|through)$|^deposit to$|^charge to$|^(?!.*\b(?:paid|bayad)\b).*\b(?:ids?|no|num|number|tin|reg|registration|terms?|method|mode|payment (?:type|option)|address|card|bank|account|acct|channel|gateway|link|url|person|officer|limit|score|rating|days?|period|frequency|schedule|year|month|email|phone|contact|for)$/,
    isDoubtful: (cell, name) => NEGATED.test(name) || !HARMLESS_VALUE.test(cell.replace(/^(?:₱|php|p)\s*(?=\d)/i, '')),
    problem: 'This may change the amount owed, and is not applied',
    fix: 'Put the amount owed into the price',
  },
  {
    named: /\b(?:status|katayuan|remarks?|notes?|comments?)\b/,
    // Only the start of a remark counts: `Paid in cash`.
    isDoubtful: (cell, name) =>
      (NOT_OWED.test(
        /status|katayuan/.test(name) ? cell : /^[^\p{L}]*(?:(?:fully|already|gcash|may)[ -])?[\p{L}]*/iu.exec(cell)![0],
      ) ||
        /\bdo not bill\b/i.test(cell)) &&
      !HARMLESS_VALUE.test(cell),
    problem: 'This may no longer be owed',
    fix: 'Delete the rows that should not be billed',
  },
];

/** Splits a header into words in lower case: `tax amount no` for `TaxAmount #`. */
const headerWordsOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/(\p{Ll})(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$2 ')
    .toLowerCase()
    .replaceAll('#', ' no ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

export class MoneyColumns {
  /** Column index to its kind, the number of doubtful rows, and the error of the first doubtful row. */
  readonly #columns = new Map<number, {name: string; kind: MoneyColumnKind; count: number; first?: FileFault}>();

  constructor({header, fields}: SheetColumns, ignored: readonly string[]) {
    const kinds = fields.includes('quantity') ? MONEY_COLUMN_KINDS : [COUNT_COLUMN, ...MONEY_COLUMN_KINDS];
    for (const [at, written] of header.entries()) {
      const name = headerWordsOf(written);
      const kind = kinds.find(({named, not}) => named.test(name) && !not?.test(name));
      if (fields[at] === undefined && kind && !isIgnored(written, ignored))
        this.#columns.set(at, {name, kind, count: 0});
    }
  }

  has(at: number): boolean {
    return this.#columns.has(at);
  }

  check(cells: readonly string[], place: (at: number) => Pick<FileFault, 'cell' | 'column' | 'line'>): void {
    for (const [at, entry] of this.#columns) {
      const {name, kind} = entry;
      const value = (cells[at] ?? '').replace(/\s+/g, ' ').trim();
      if (EMPTY.test(value.replace(/^(?:₱|php|p)\s*(?=\W)/i, '')) || !kind.isDoubtful(value, name)) continue;
      const {column} = place(at);
      const fix = `${kind.fix}, or add --ignore-column ${shellQuote(column!)}`;
      entry.first ??= {...place(at), value, code: 'doubtful_column', problem: kind.problem, fix};
      entry.count++;
    }
  }

  /** One error per doubtful column; complete after all rows. */
  get faults(): FileFault[] {
    return [...this.#columns.values()].flatMap(({count, first}) => {
      const rows = count > 1 ? ` (${count.toLocaleString('en')} rows)` : '';
      return first ? [{...first, problem: `${first.problem}${rows}.`}] : [];
    });
  }
}
