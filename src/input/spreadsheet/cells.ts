// Reads the cells of spreadsheets as exact values, or returns an error that suggests a fix.

import {readDay} from '../date-words.js';
import {readDate} from '../dates.js';
import {InvalidInput} from '../invalid-input.js';
import {MAX_QUANTITY} from '../items.js';
import {readPesos} from '../money.js';

interface CellProblem {
  readonly code: string;
  readonly problem: string;
  readonly fix: string;
}

export type SheetCell<T> = CellProblem | {readonly value: T};

export interface NumberOptions {
  /** True if the program that made the file writes decimals after a comma: its cells are separated by semicolons. */
  readonly commaDecimals?: boolean;
}

/** Text that a program writes as a formula, so that Excel does not change it: `="00042"`. */
const FORMULA_TEXT = /^="((?:[^"]|"")*)"$/;

const plainText = (written: string): string =>
  written.trim().replace(FORMULA_TEXT, (_, text: string) => text.replaceAll('""', '"').trim());

/** Without a formula around the text, and with one plain space in place of blanks. */
const plainNumber = (written: string): string => plainText(written).replace(/\s+/g, ' ');

export const invalidCell = (code: string, problem: string, fix: string): CellProblem => ({code, problem, fix});

export const SAVE_AGAIN = 'Open the file in the program that made it, and save it again.';

const EXPONENT = /^[-+]?\d+(?:\.\d+)?e[-+]?\d+$/i;

/** Checks for problems of any number: an empty cell, an error, a formula without its result. */
function numberProblem(text: string, code: string, example: string): CellProblem | undefined {
  if (/^[-–—]?$/.test(text)) return invalidCell(code, 'It is empty.', `Fill it in, for example ${example}.`);
  if (text.startsWith('#'))
    return invalidCell(code, 'The spreadsheet did not show a value.', 'Correct the formula, or widen the column.');
  if (text.startsWith('=')) return invalidCell(code, 'It is a formula without its result.', SAVE_AGAIN);
  if (/(?!\d)\p{Nd}/u.test(text))
    return invalidCell(code, 'It has digits other than 0 to 9.', `Write them as 0 to 9, for example ${example}.`);
  if (EXPONENT.test(text))
    return invalidCell(
      code,
      'The spreadsheet shortened the number.',
      'Format the column as Number, and save the file again.',
    );
  if (text.endsWith('%'))
    return invalidCell(code, 'It is a percentage.', `Write the number itself, for example ${example}.`);
  return undefined;
}

/** Refuses `1,000` or `1.000` in a file whose program writes decimals after a comma. */
function doubtfulNumber(text: string, {commaDecimals = false}: NumberOptions): CellProblem | undefined {
  const [, whole, rest] = (commaDecimals && /^([1-9]\d{0,2})[.,](\d{3})$/.exec(text)) || [];
  if (whole === undefined) return undefined;
  return invalidCell(
    'doubtful_number',
    'In a file with semicolons, its last three digits may be thousands or decimals.',
    `Write ${whole}${rest}, or ${`${whole}.${rest}`.replace(/\.?0+$/, '')}`,
  );
}

/** True for no amount, or zero: `₱ -`, `PHP 0.00`. */
export const isNothing = (written: string): boolean =>
  /^(?:₱|php|p)?[-–—\s]*(?:0+(?:\.0+)?)?$/i.test(plainNumber(written));

/** Reads pesos as centavos: `₱1,250.50`, `PHP 1250.5`, `P 1 250`. */
export function pesosOfCell(written: string, options: NumberOptions = {}): SheetCell<number> {
  const text = plainNumber(written);
  const refused = (problem: string, fix: string) => invalidCell('invalid_amount', problem, fix);
  const wrong = numberProblem(text, 'invalid_amount', '1,250.50');
  if (wrong) return wrong;
  if (/^\(.*\)$|^[-−–]|-$/.test(text))
    return refused('An amount cannot be negative.', 'Take a discount off the price of another row.');
  const [, lost, amount = ''] = /^(?:₱|php|p|(\?))? ?(.*?) ?(?:₱|php|pesos?)?$/i.exec(text)!;
  // Further decimals that are zeros change nothing, but 1.500 may be thousands.
  const bare = /^[1-9]\d{0,2}\.\d{3}$/.test(amount) ? amount : amount.replace(/(\.\d\d)0+$/, '$1');
  if (lost) return refused('Excel wrote ? in place of ₱.', 'Save it again as "CSV UTF-8", or without the peso sign.');
  const foreign = /[$€£¥]|\b(?:usd|eur|gbp|jpy|sgd|aud|hkd)\b/i.exec(text);
  if (foreign) return refused('Pesos are the only currency.', 'Convert it to pesos.');
  const doubtful = doubtfulNumber(bare, options);
  if (doubtful) return doubtful;
  const european = /^(\d{1,3}(?:[. ]\d{3})*|\d+),(\d{1,2})$/.exec(bare);
  if (european)
    return refused(
      'A comma groups thousands; centavos come after a point.',
      `Write ${european[1]!.replace(/\D/g, '')}.${european[2]!}`,
    );
  if (/^\d{1,3}(?:\.\d{3}){2,}$/.test(bare))
    return refused('A point comes before centavos only.', `Write ${bare.replaceAll('.', '')}`);
  const decimals = /^([\d,]+)\.\d{3,}$/.exec(bare);
  if (decimals)
    return refused(
      'A peso has 100 centavos: two decimals at most.',
      `Round it${/^\d{1,3}\.\d{3}$/.test(bare) ? `; if it is thousands, write ${bare.replace('.', '')}` : ' to two decimals'}.`,
    );
  const plain = /^\d{1,3}(?: \d{3})+(?:\.\d{1,2})?$/.test(bare) ? bare.replaceAll(' ', '') : bare;
  const value = readPesos(plain);
  if (value instanceof InvalidInput)
    return refused(value.details.why ?? 'It is not an amount in pesos.', 'Write it like this: 1,250.50');
  return value > 0
    ? {value}
    : invalidCell('invalid_price', 'A price cannot be zero.', 'Delete the row, or mention it in another item.');
}

/** Reads centavos: `125050`. */
export function centavosOfCell(written: string): SheetCell<number> {
  const text = plainText(written);
  const wrong = numberProblem(text, 'invalid_amount', '125050');
  if (wrong) return wrong;
  if (!/^(?:0|[1-9]\d{0,14})$/.test(text))
    return invalidCell('invalid_amount', 'It is not a whole number of centavos.', 'Write ₱1,250.50 as 125050.');
  return text === '0'
    ? invalidCell('invalid_price', 'A price cannot be zero.', 'Delete the row, or mention it in another item.')
    : {value: Number(text)};
}

/** Reads a quantity: `2`, `1,000`, or `2.00` in a column with two decimals. */
export function quantityOfCell(written: string, options: NumberOptions = {}): SheetCell<number> {
  const text = plainNumber(written);
  const refused = (problem: string, fix: string) => invalidCell('invalid_quantity', problem, fix);
  const wrong = numberProblem(text, 'invalid_quantity', '1') ?? doubtfulNumber(text, options);
  if (wrong) return wrong;
  const digits = text.replace(/\.0+$/, '').replace(/^(\d{1,3})((?:,\d{3})+)$/, (whole) => whole.replaceAll(',', ''));
  if (/^[1-9]\d{0,9}$/.test(digits) && Number(digits) <= MAX_QUANTITY) return {value: Number(digits)};
  const counted = /^([1-9]\d{0,8}) ?\p{L}+\.?$/u.exec(text);
  if (counted) return refused('It is not only a number.', `Write ${counted[1]!}`);
  if (/^\d+[.,]\d+$/.test(text))
    return refused('A quantity is a whole number.', 'Write 1, and the total price as the unit price.');
  if (/^0+$/.test(digits)) return refused('A quantity is 1 or more.', 'Delete the row, or write 1.');
  return refused('It is not a whole number of at least 1.', 'Write it in digits, for example 2.');
}

/** Reads a due date as unix seconds: `2026-12-15`, `15-Dec-26`, `+30d`. */
export function dueOfCell(written: string, now: number): SheetCell<number> {
  const text = plainText(written);
  const refused = (problem: string, fix: string) => invalidCell('invalid_date', problem, fix);
  if (text.startsWith('#'))
    return refused('The spreadsheet did not show a value.', 'Widen the column, and save the file again.');
  if (/^\d{5}(?:\.\d+)?$/.test(text))
    return refused(
      'The spreadsheet saved the date as a number.',
      'Format the column as Date, and save the file again.',
    );
  if (/^[\d.]{1,9}$/.test(text))
    return refused(
      'It is a number, not a date.',
      'Use a date such as 2026-12-15; if a comma moved it here, put that cell in quotation marks.',
    );
  const reading = readDay(text, {now});
  if (reading && 'readings' in reading)
    return refused(reading.fault, 'Format the column as yyyy-mm-dd, or save the file as .xlsx.');
  const value = readDate(text, now);
  return value instanceof InvalidInput
    ? refused(value.details.why ?? value.problem, 'Use a date such as 2026-12-15 or +30d.')
    : {value};
}

/** Cells of a database or a program without a value; the name Nan is a person's. */
const NO_VALUE = /^(?:NULL|null|\(null\)|<null>|None|NONE|none|NaN|nan|NAN|undefined|\\N)$/;
const SHEET_ERROR = /^#(?:N\/A|NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|SPILL!|CALC!|GETTING_DATA|ERROR!|#+)$/i;
const ENTITY = /&(?:#x[\da-f]{1,6}|#\d{1,7}|[a-z][a-z\d]{1,31});/i;
/** An apostrophe that an export puts before text that starts like a formula. */
const FORMULA_GUARD = /^'(?=[\s"';,]*[=+\-@＝＋－＠])/;

/** Reads a text that is billed, or refuses what no person wrote: HTML entities, formulas, NULL. */
export function textOfCell(written: string): SheetCell<string> {
  const text = plainText(written);
  const refused = (problem: string, fix: string) => invalidCell('garbled_cell', problem, fix);
  if (FORMULA_GUARD.test(text)) return {value: text.slice(1)};
  if (/^[=＝]/.test(text)) return refused('It is a formula without its result.', SAVE_AGAIN);
  if (SHEET_ERROR.test(text))
    return refused('The spreadsheet did not show a value.', 'Correct the formula, or widen the column.');
  if (NO_VALUE.test(text))
    return refused('A program wrote it for an empty cell.', 'Clear the cell, or write the text.');
  const [entity] = ENTITY.exec(text) ?? [];
  return entity === undefined
    ? {value: text}
    : refused(`It has ${entity}, as web pages write a character.`, 'Write the character itself: & for &amp;');
}
