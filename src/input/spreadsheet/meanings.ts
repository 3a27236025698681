// Lists the meanings of spreadsheet columns: their headers, and checks on their cells.

import {InvalidInput} from '../invalid-input.js';
import {quote} from '../money.js';
import {isForeignMoney} from './currencies.js';

/** Headers by field, in order of preference. */
type Vocabulary = Readonly<Record<string, readonly string[]>>;

/** The fields of one kind of table: statements of an import, or items of one statement. */
export interface SheetLayout {
  readonly words: Vocabulary;
  readonly required: readonly string[];
  /** Columns of any name with this prefix are fields: `metadata.order`. */
  readonly prefix?: string;
  readonly example: string;
}

const listFields = (words: string): readonly string[] => words.split(' ');

const MONEY: Vocabulary = {
  quantity: listFields(
    'quantity qty quant pcs pieces no_of_pieces number_of number_of_pieces number_of_units no_of qty_pcs quantity_pcs how_many dami ilan',
  ),
  unit_price: listFields(
    'unit_price price rate unit_rate price_each amount_each each_price price_per_unit price_per_piece price_per_pc per_unit price_unit unit_amount peso_price selling_price srp fee monthly_fee presyo presyo_bawat_isa presyo_kada_isa halaga_bawat_isa singil',
  ),
  unit_price_centavos: listFields('unit_price_centavos price_centavos price_in_centavos unit_price_in_centavos'),
  // The total of a row; in a table without quantities and prices, its price.
  amount: listFields(
    'amount total line_total line_amount total_amount total_price amount_total extended_price extended_amount ext_price ext_amount net_value halaga kabuuan kabuuang_halaga',
  ),
  // The total of a row or of its statement. Never a price.
  amount_due: listFields(
    'amount_due total_due total_amount_due amount_payable amount_to_pay total_payable net_payable net_amount net_total grand_total gross_amount subtotal sub_total balance balance_due total_balance outstanding natitira dapat_bayaran',
  ),
  currency: listFields('currency curr ccy currency_code'),
};
const ITEM =
  'item item_name item_description line_item particulars particular product product_name product_or_service product_service service service_name goods article articles produkto serbisyo aytem bayarin for para_sa';

export const ITEM_COLUMNS: SheetLayout = {
  words: {description: listFields(`description ${ITEM} name details desc deskripsyon paglalarawan`), ...MONEY},
  required: ['description', 'unit_price'],
  example: 'Description,Quantity,Unit Price',
};

/** The columns of an import: each row is an item, or has one item for each column of charges. */
export const STATEMENT_COLUMNS: SheetLayout = {
  words: {
    external_id: listFields(
      'external_id reference reference_no reference_number ref ref_no invoice invoice_no invoice_number invoice_id order_no order_number order_id statement_no statement_number billing_no bill_no so_no si_no dr_no soa_no',
    ),
    customer: listFields(
      'customer customer_id client client_id bill_to payer kliyente nangungupahan tenant student member patient guest',
    ),
    customer_email: listFields('customer_email email email_address customer_email_address client_email billing_email'),
    customer_name: listFields(
      'customer_name name client_name full_name company company_name contact_name tenant_name student_name member_name patient_name guest_name pangalan',
    ),
    first_name: listFields('first_name given_name'),
    last_name: listFields('last_name surname family_name apelyido'),
    item: listFields(ITEM),
    ...MONEY,
    due: listFields(
      'due due_date due_on due_at date_due deadline pay_by payment_due payment_due_date takdang_petsa takdang_araw huling_araw',
    ),
    description: listFields('description memo statement_description'),
  },
  required: ['item', 'customer_email', 'unit_price'],
  prefix: 'metadata.',
  example: 'External ID,Customer Email,Item,Quantity,Unit Price,Due',
};

/** Columns that no bill needs: their headers, and checks on their cells. */
const UNREAD: readonly (readonly [words: readonly string[], fits: (cell: string) => boolean])[] = [
  [
    listFields('date invoice_date order_date bill_date billing_date issue_date date_issued transaction_date petsa'),
    (cell) =>
      /^(?:\d{1,4}[-/. ](?:\d{1,2}|\p{L}{3,9})[-/. ,]+\d{2,4}|\p{L}{3,9} \d{1,2},? \d{4})(?:[ T][\d:.]+ ?(?:[ap]m|z|\+08:00)?)?$/iu.test(
        cell,
      ),
  ],
  [
    listFields('phone phone_no phone_number mobile mobile_no mobile_number contact_no contact_number telephone tel'),
    (cell) => /^'?[+\d][-+()\d ./]{5,}$/.test(cell),
  ],
  [
    listFields(
      'address billing_address city province barangay zip zip_code postal_code tin sku cashier staff prepared_by branch room room_no block lot color',
    ),
    (cell) => !isLoud(cell),
  ],
];
/** Headers of a column that counts the rows. */
const ORDINAL: readonly string[] = ['no', 'blg', 'row', 'row_no', 'line', 'line_no'];

/** True for a header such as `No.`, whose column counts the rows. */
const isOrdinal = (header: string) => ORDINAL.some((word) => comparableHeader(word) === comparableHeader(header));

/** The meaning of a column that no bill needs. */
export const NOT_READ = 'not read';
/** Answers beside the fields. */
export const CHARGE = 'charge';
export const IGNORE = 'ignore';
export const LEAVE_OUT = 'leave_out';
export const AS_IS = ':as_is';
/** Several columns of these may stand in a table: each is compared with the bill. */
export const TOTALS: readonly string[] = ['amount', 'amount_due'];
export const isPrice = (field: string | undefined): boolean =>
  field === 'unit_price' || field === 'unit_price_centavos' || field === 'amount';
/** Texts that a customer reads. A word such as PAID in one of them may mean that the row is not owed. */
const READ_BY_CUSTOMERS: readonly string[] = ['external_id', 'customer', 'customer_name', 'item', 'description'];

const LOUD_WORD =
  '(?:(?:fully |already )?paid(?: in full)?|(?:na|bi)?(?:nayaran|bayaran|bayad)(?: na)?|settled|cancel(?:led|ed)?|void(?:ed)?|refund(?:ed|s)?|waived?|credit (?:note|memo)s?|do not (?:bill|charge|invoice)|[✓✔✅☑])';
const LETTER = String.raw`[\p{L}\p{M}]`;
const LOUD = new RegExp(
  String.raw`(?<!${LETTER}|\b(?:not|not yet|un|be|hindi(?: pa)?|di(?: pa)?)[ -])${LOUD_WORD}(?!${LETTER})`,
  'iu',
);
/** At its start before a sign, after a dash or in brackets, at its end, or before a date: `Rent paid 12 Nov`. */
const LOUD_PLACE = new RegExp(
  String.raw`^\W*${LOUD_WORD}\s*(?:$|[–—:*/)\]]|-(?!(?:up|in)\b))|(?:[–—:(\[*/]|(?<!\b(?:pre|post|non|un|re))-)\s*${LOUD_WORD}(?!${LETTER})|(?<!\b(?:not|yet|be|pa|hindi))[\s"'“‘.;|~_]${LOUD_WORD}(?:\W*$| (?:on|thru|through|via|by|noong|last|\d))|[✓✔✅☑]|^\W*refund (?:of|to)\b`,
  'iu',
);
/** In capitals in a text that is not: `PAID June rent`. */
const LOUD_CAPITALS =
  /(?<!\p{L}|\b(?:NOT|YET|BE|PA|HINDI|UN|PRE)[ -])(?:PAID|BAYAD|VOID(?:ED)?|CANCEL(?:L?ED)?|REFUND(?:ED)?)(?!\p{L})/u;
/** A number of a credit note or a quotation: `CN-7`. */
const CREDIT = /^(?:s?cn|cm|crn?|rtn|qtn)[-\s#]?\d|credit|return|draft|quot(?:e|ation)|estimate|pro-?forma/i;

/** True if a cell has a word for a bill that is no longer owed: `paid in cash`, `VOID`. */
export const isLoud = (cell: string): boolean => LOUD.test(plainText(cell));
const plainText = (cell: string): string => cell.normalize('NFKC').replace(/[\p{Cf}\uFE0F]/gu, '');

export const isCreditNumber = (cell: string): boolean => CREDIT.test(cell);

/** True if a text that is billed may say that it is not owed: `Rent - PAID`, but not `Paid ads, June`. */
export const isDoubtful = (field: string, cell: string): boolean =>
  READ_BY_CUSTOMERS.includes(field) &&
  (field === 'external_id' || LOUD_PLACE.test(plainText(cell)) || (LOUD_CAPITALS.test(cell) && /\p{Ll}/u.test(cell)));

const TOTAL =
  /^(?:grand |net |sub-?\s?)?totals?(?: (?:amount due|amount|due|payable|balance|php))?(?: ?\((?:php|₱)\))?\s*:?$|^(?:amount|balance) due:?$|^kabuuan:?$/i;

/** True for a word that begins a total row: `Grand total`. */
export const isTotal = (text: string): boolean => TOTAL.test(text);

/** Removes case, accents, spaces, signs and currency: `Unit Price (₱)` becomes `unitprice`. */
export const comparableHeader = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/#/g, ' no ')
    .replace(/[([{]?\s*\b(?:in )?(?:php|pesos?)\b\s*[)\]}]?/g, '')
    .replace(/[^\p{L}\p{N}]/gu, '');

/** A meaning that fits a column's header, with the check on its cells. */
export interface Candidate {
  readonly means: string;
  readonly fits: (cell: string, previous: string) => boolean;
  /** True if every cell must fit. Otherwise one is enough, and each other cell is a fault of its row. */
  readonly isStrict: boolean;
}

/** Fields whose header can mean something else. Other cells that do not fit are faults of their rows. */
const FITS: Readonly<Record<string, (cell: string) => boolean>> = {
  // An amount has no day: `Due 500.00`.
  due: (cell) => /[-/+\p{L}]|^\d{10}$/u.test(cell) && !isForeignMoney(cell) && !/^(?:₱|php)/i.test(cell),
};

/** Returns the meaning that fits a header; undefined if the header is not known. */
export function candidateOf(header: string, {words, prefix}: SheetLayout): Candidate | undefined {
  const written = header.trim();
  if (prefix && written.toLowerCase().startsWith(prefix) && written.length > prefix.length)
    return {means: prefix + written.slice(prefix.length), fits: () => true, isStrict: false};
  const wanted = comparableHeader(written);
  // `Price (%)` and `Price (¢)` are no prices in pesos.
  if (wanted === '' || /[%¢]/.test(written)) return undefined;
  const isOneOf = (all: readonly string[]): boolean => all.some((word) => comparableHeader(word) === wanted);
  const field = Object.keys(words).find((each) => isOneOf(words[each]!));
  if (field) return {means: field, fits: FITS[field] ?? (() => true), isStrict: false};
  if (isOrdinal(written))
    return {
      means: NOT_READ,
      fits: (cell, previous) => /^\d+\.?$/.test(cell) && (previous === '' || parseInt(cell) === parseInt(previous) + 1),
      isStrict: true,
    };
  const unread = UNREAD.find(([all]) => isOneOf(all));
  return unread && {means: NOT_READ, fits: unread[1], isStrict: true};
}

/** Every meaning that an answer can have, for help and errors. */
export const meaningsOf = ({words, prefix, required}: SheetLayout): string[] => [
  ...Object.keys(words),
  ...(prefix ? [`${prefix}<name>`] : []),
  ...(required.includes('customer_email') ? [CHARGE] : []),
  `${LEAVE_OUT}:<value>|<value>`,
  IGNORE,
];

export interface ColumnAnswer {
  /** A field, `charge`, `leave_out` or `ignore`. */
  readonly means: string;
  /** The cells, in lower case, whose rows are not billed. */
  readonly leaveOut: readonly string[];
  /** True if texts with words such as PAID are billed as they are. */
  readonly isAsIs: boolean;
}

/** Reads an answer: `unit_price`, `metadata.po`, `charge`, `leave_out:yes|paid`, `item:as_is`, `ignore`. */
export function readAnswer(written: string, layout: SheetLayout): ColumnAnswer | InvalidInput {
  const text = written.trim();
  const [, left] = /^leave[ _-]?out:(.*)$/is.exec(text) ?? [];
  const leaveOut = (left ?? '')
    .split('|')
    .map((value) => comparedCell(value))
    .filter(Boolean);
  if (leaveOut.length > 0) return {means: LEAVE_OUT, leaveOut, isAsIs: false};
  const isAsIs = text.toLowerCase().endsWith(AS_IS);
  const typed = isAsIs ? text.slice(0, -AS_IS.length) : text;
  const field = layout.prefix && typed.startsWith(layout.prefix) ? typed : typed.toLowerCase().replace(/[ -]/g, '_');
  const means = field === 'item' && !Object.hasOwn(layout.words, field) ? 'description' : field;
  const isKnown =
    means === IGNORE ||
    (means === CHARGE && layout.required.includes('customer_email')) ||
    Object.hasOwn(layout.words, means) ||
    (layout.prefix !== undefined && means.startsWith(layout.prefix) && means.length > layout.prefix.length);
  if (isKnown && (!isAsIs || READ_BY_CUSTOMERS.includes(means))) return {means, leaveOut: [], isAsIs};
  return new InvalidInput(
    means === LEAVE_OUT || left !== undefined
      ? `leave_out needs the values of the rows that are not billed, such as leave_out:yes|paid.`
      : `${quote(text)} is not a meaning of a column.`,
    {code: 'invalid_column', hint: `Meanings: ${meaningsOf(layout).join(', ')}`},
  );
}

/** A cell as leave_out compares it: whole, without case. */
export const comparedCell = (text: string): string => text.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase();

/** Returns the header of a field in the example: `Unit Price` for `unit_price`. */
export const columnTitleOf = (field: string, {example}: SheetLayout): string =>
  example.split(',').find((title) => comparableHeader(title) === comparableHeader(field)) ?? field;
