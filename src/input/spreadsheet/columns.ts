// Finds the field of each spreadsheet column by its header.

import {quote} from '../money.js';
import {nearestWord} from '../nearest.js';
import {shellQuote} from '../shell-quoting.js';

/** Headers of each field. */
type Vocabulary = Readonly<Record<string, readonly string[]>>;

export interface SheetLayout {
  readonly words: Vocabulary;
  readonly required: readonly string[];
  /** Headers with this prefix are fields too: `metadata.order`. */
  readonly prefix?: string;
  readonly example: string;
}

const QUANTITY =
  'quantity qty quant pcs pieces units count no_of no_of_units no_of_pieces number_of number_of_units how_many';
const PRICE =
  'unit_price price rate unit_rate price_each amount_each each_price price_per_unit price_per_piece price_per_pc per_unit price_unit unit_amount peso_price selling_price srp';
const listFields = (words: string): readonly string[] => words.split(' ');

const MONEY: Vocabulary = {
  quantity: listFields(`${QUANTITY} dami bilang ilan`),
  unit_price: listFields(`${PRICE} presyo presyo_bawat_isa presyo_kada_isa halaga_bawat_isa`),
  unit_price_centavos: listFields('unit_price_centavos price_centavos price_in_centavos unit_price_in_centavos'),
  // A unit price or the total of a row, depending on the other columns.
  amount: listFields(
    'amount total line_total total_amount total_price amount_total extended_price extended_amount halaga kabuuan kabuuang_halaga',
  ),
  // Never a price: the amount may be the total of all rows.
  amount_due: listFields(
    'amount_due total_due total_amount_due amount_payable amount_to_pay total_payable net_payable net_amount net_total grand_total gross_amount subtotal sub_total',
  ),
};
const ITEM =
  'item item_name item_description line_item particulars particular product product_name product_or_service product_service service service_name goods article articles produkto serbisyo aytem';

export const ITEM_COLUMNS: SheetLayout = {
  words: {description: listFields(`description ${ITEM} name details desc deskripsyon paglalarawan`), ...MONEY},
  required: ['description', 'unit_price'],
  example: 'Description,Quantity,Unit Price',
};

/** The columns of an import: one line item per row. */
export const STATEMENT_COLUMNS: SheetLayout = {
  words: {
    external_id: listFields(
      'external_id reference reference_no reference_number ref ref_no invoice invoice_no invoice_number invoice_id order_no order_number order_id statement_no statement_number billing_no bill_no so_no',
    ),
    customer: listFields('customer customer_id client client_id bill_to payer kliyente'),
    customer_email: listFields('customer_email email email_address customer_email_address client_email billing_email'),
    customer_name: listFields('customer_name name client_name full_name company company_name pangalan'),
    item: listFields(ITEM),
    ...MONEY,
    due: listFields('due due_date due_on due_at date_due deadline pay_by payment_due payment_due_date'),
    description: listFields('description memo statement_description'),
  },
  required: ['item', 'customer_email', 'unit_price'],
  prefix: 'metadata.',
  example: 'External ID,Customer Email,Item,Quantity,Unit Price,Due',
};

export interface SheetColumns {
  readonly header: readonly string[];
  /** The field of each column; undefined for a skipped column. */
  readonly fields: readonly (string | undefined)[];
  readonly skipped: readonly string[];
}

export interface ColumnProblem {
  readonly problem: string;
  readonly fix: string;
}

const FOREIGN =
  /[$€£¥₩₹]|\b(?:usd|eur|gbp|jpy|cny|krw|inr|sgd|hkd|aud|nzd|cad|chf|myr|thb|idr|twd|aed|sar|dollars?|euros?|yen)\b/i;
const CURRENCY = new RegExp(
  String.raw`[([{]?\s*(?:\bin )?(?:\b(?:php|pesos?)\b|\bus(?=\$)|${FOREIGN.source})\s*[)\]}]?`,
  'g',
);

/** Removes case, accents, spaces, signs and currency: `Unit Price (₱)` becomes `unitprice`. */
const comparableHeader = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/#/g, ' no ')
    .replace(CURRENCY, '')
    .replace(/[^\p{L}\p{N}]/gu, '');

function fieldOf(text: string, {words, prefix}: SheetLayout): string | undefined {
  const written = text.trim();
  if (prefix && written.toLowerCase().startsWith(prefix) && written.length > prefix.length)
    return prefix + written.slice(prefix.length);
  const wanted = comparableHeader(written);
  return Object.keys(words).find((field) => words[field]!.some((word) => comparableHeader(word) === wanted));
}

const fieldsOf = ({words, prefix}: SheetLayout): string[] => [...Object.keys(words), ...(prefix ? [`${prefix}…`] : [])];

const isField = (name: string, {words, prefix}: SheetLayout): boolean =>
  Object.hasOwn(words, name) || (prefix !== undefined && name.startsWith(prefix) && name.length > prefix.length);

const isPrice = (field: string | undefined): boolean =>
  field === 'unit_price' || field === 'unit_price_centavos' || field === 'amount';

const PAYER_COLUMNS: readonly (string | undefined)[] = ['customer_email', 'customer', 'customer_name'];

const hasColumn = (found: readonly (string | undefined)[], needed: string): boolean =>
  needed === 'unit_price'
    ? found.some(isPrice)
    : found.some((field) => (needed === 'customer_email' ? PAYER_COLUMNS.includes(field) : field === needed));

const fieldsIn = (cells: readonly string[], layout: SheetLayout, map: ReadonlyMap<string, string>) =>
  withItem(
    cells.map((cell) => map.get(cell.trim()) ?? fieldOf(cell, layout)),
    layout,
  );

/** True if these cells name every required column. @param map fields by header */
export const isHeader = (cells: readonly string[], layout: SheetLayout, map: ReadonlyMap<string, string>): boolean => {
  const found = fieldsIn(cells, layout, map);
  return layout.required.every((field) => hasColumn(found, field));
};

export const countKnownColumns = (...row: Parameters<typeof fieldsIn>): number =>
  fieldsIn(...row).filter(Boolean).length;

export const isIgnored = (name: string, ignored: readonly string[]): boolean =>
  ignored.some((each) => each.trim().toLowerCase() === name.toLowerCase());

/** Finds the fields of a header row. @param map fields by header @param ignored headers of columns to skip */
export function readHeader(
  header: readonly string[],
  layout: SheetLayout,
  map: ReadonlyMap<string, string>,
  ignored: readonly string[] = [],
): ColumnProblem | SheetColumns {
  const names = header.map((cell) => cell.trim());
  const fields = withItem(
    names.map((name) => (isIgnored(name, ignored) ? undefined : (map.get(name) ?? fieldOf(name, layout)))),
    layout,
  );
  const unmatched =
    [...map.keys()].find((name) => !names.includes(name)) ??
    ignored.find((each) => !names.some((name) => isIgnored(name, [each])));
  if (unmatched !== undefined)
    return {problem: `it has no column ${quote(unmatched)}.`, fix: `Its columns are: ${shownHeader(names)}`};
  const unknown = [...map.values()].find((field) => !isField(field, layout));
  if (unknown !== undefined)
    return {problem: `${quote(unknown)} is not a field.`, fix: `The fields are: ${fieldsOf(layout).join(', ')}`};
  if (fields.every((field) => field === undefined))
    return {problem: 'its first row does not name its columns.', fix: `Add a header row first: ${layout.example}`};
  const foreign = names.find((name, at) => (isPrice(fields[at]) || fields[at] === 'amount_due') && FOREIGN.test(name));
  if (foreign !== undefined)
    return {
      problem: `the column ${quote(foreign)} is not in pesos.`,
      fix: `Convert it to pesos and rename it, or add --ignore-column ${shellQuote(foreign)}`,
    };
  const misspelled = names.flatMap((name, at) => {
    const meant = fields[at] === undefined && !isIgnored(name, ignored) && closestHeader(name, fields, layout);
    return meant ? [{name, meant}] : [];
  });
  if (misspelled.length > 0)
    return {
      problem: misspelled
        .map(({name, meant}) => `the column ${quote(name)} is not known; did you mean ${meant}?`)
        .join(' And '),
      fix: layout.required.every((needed) => hasColumn(fields, needed))
        ? `Rename it, or add ${misspelled.map(({name}) => `--ignore-column ${shellQuote(name)}`).join(' ')}`
        : 'Rename it.',
    };
  const missing = layout.required.find((needed) => !hasColumn(fields, needed));
  const due =
    missing === 'unit_price' &&
    hasColumn(fields, 'customer_email') &&
    names.find((_, at) => fields[at] === 'amount_due');
  if (missing !== undefined)
    return {
      problem: `it has no column ${quote(columnTitleOf(missing, layout))}; its columns are ${shownHeader(names)}.`,
      fix: due
        ? `If ${quote(due)} is the amount of each row, add --map ${shellQuote(`${due}=amount`)}`
        : `Name the columns like this: ${layout.example}`,
    };
  return withAmounts(names, fields);
}

const lettersOf = (text: string): string => [...text].sort().join('');

/** Returns the header of a missing field that differs by one letter or by the order: `Email` for `Emial`. */
function closestHeader(name: string, found: readonly (string | undefined)[], {words}: SheetLayout): string | undefined {
  const typed = comparableHeader(name);
  if (typed.length < 4) return undefined;
  const isMissing = (field: string): boolean => !found.includes(field) && !(isPrice(field) && found.some(isPrice));
  const headers = new Map(
    Object.entries(words)
      .filter(([field]) => isMissing(field))
      .flatMap(([, each]) => each.map((word) => [comparableHeader(word), word] as const))
      // A column `Unit` holds `pc` or `3-B`, not a quantity.
      .filter(([word]) => word[0] === typed[0] && Math.abs(word.length - typed.length) < 2 && word !== `${typed}s`),
  );
  const near = [...headers.keys()];
  const swapped = near.filter((word) => lettersOf(word) === lettersOf(typed));
  const meant = headers.get(nearestWord(typed, swapped, 2) ?? nearestWord(typed, near, 1) ?? '');
  return meant?.replace(/(?:^|_)./g, (start) => start.replace('_', ' ').toUpperCase());
}

/** Uses the description as the item if the file has no item column. */
const withItem = (found: readonly (string | undefined)[], {required}: SheetLayout): (string | undefined)[] =>
  required.includes('item') && !found.includes('item')
    ? found.map((field) => (field === 'description' ? 'item' : field))
    : [...found];

/** Decides what amounts are: row totals beside a unit price; otherwise unit prices, if the file has no quantity. */
function withAmounts(names: readonly string[], found: readonly (string | undefined)[]): ColumnProblem | SheetColumns {
  const duplicate = found.find((field, at) => field !== undefined && field !== 'amount' && found.indexOf(field) !== at);
  if (duplicate !== undefined) {
    const same = names.filter((_, at) => found[at] === duplicate);
    const [first, second] = same;
    return {
      problem:
        first === second
          ? `two columns are named ${quote(first!)}.`
          : `the columns ${same.map(quote).join(' and ')} both mean the ${duplicate.replaceAll('_', ' ')}.`,
      fix: 'Remove the unused column, or rename it, for example to Notes.',
    };
  }
  const amounts = names.filter((_, at) => found[at] === 'amount');
  if (found.includes('unit_price') || found.includes('unit_price_centavos'))
    // Several total columns get different fields, so that each is checked.
    return withSkipped(
      names,
      found.map((field, at) => (field === 'amount' && found.indexOf(field) !== at ? `amount ${at}` : field)),
    );
  if (amounts.length === 1 && !found.includes('quantity'))
    return withSkipped(
      names,
      found.map((field) => (field === 'amount' ? 'unit_price' : field)),
    );
  return {
    problem: `${amounts.map(quote).join(' and ')} may be unit prices or totals.`,
    fix: 'Name the column of the unit prices: Unit Price',
  };
}

const withSkipped = (header: readonly string[], fields: readonly (string | undefined)[]): SheetColumns => ({
  header,
  fields,
  skipped: header.filter((name, at) => name !== '' && fields[at] === undefined),
});

const shownHeader = (names: readonly string[]): string =>
  names
    .filter(Boolean)
    .slice(0, 12)
    .map((name) => quote(name))
    .join(', ');

/** Returns the header of a field in the example: `Unit Price` for `unit_price`. */
const columnTitleOf = (field: string, {example}: SheetLayout): string =>
  example.split(',').find((title) => comparableHeader(title) === comparableHeader(field)) ?? field;
