// Reads line items typed or pasted at a prompt: one per line, with list marks, or as spreadsheet rows.

import {InvalidInput} from './invalid-input.js';
import {DEDUCTION, NO_DEDUCTION, readItem, suggestedItem, type StatementItem} from './items.js';
import {isTotal} from './spreadsheet/meanings.js';

/** A unit after a number: `3 pcs`, `3x`. */
const UNIT = String.raw`\s?(?:[x×]|pcs?\.?|pieces?|units?)`;
/** A possible quantity at the end: `Bilao 3`, `Bilao 3pcs`. */
const TRAILING_COUNT = new RegExp(String.raw`^(.*\S)\s+[x×]?\s?(\d{1,6})(?:${UNIT})?$`, 'is');
/** A possible quantity at the start: `3 Bilao`, `3xBilao`, `3 pcs of Bilao`; but not `2x4 Lumber` or `3D print`. */
const LEADING_COUNT = new RegExp(
  String.raw`^[x×]?\s?(\d{1,6})(?:(?:${UNIT})?\s+(?:of\s+)?|[x×](?=\p{L}))(\S.*)$`,
  'isu',
);

/** A possible quantity at either end of a description, and the remaining text: `3` and `Pancit bilao`. */
export function possibleQuantity(text: string): {readonly count: string; readonly rest: string} | undefined {
  // An input method may give full-width digits. Each becomes one digit, so that positions stay the same.
  const plain = text.replace(/[０-９]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0));
  const [, rest, count] = TRAILING_COUNT.exec(plain) ?? [];
  if (count !== undefined) return {count, rest: rest!};
  const [, first, described] = LEADING_COUNT.exec(plain) ?? [];
  return first === undefined ? undefined : {count: first, rest: described!};
}

interface TypedItem {
  readonly item: StatementItem;
  readonly question?: string;
  /** The line with the other reading. */
  readonly suggestion?: string;
}

const EXAMPLE = 'Example: Web design x2 @ 15,000';
/** The mark of a list item: `- `, `• `, `1. `, `1) `. */
const LIST_MARK = /^(?:[-*•–]|\d{1,3}[.)])\s+(?=\S)/;
const MAX_LINE_LENGTH = 500;
/** A price below zero at the end of a line: `-100`, `-₱100`, `₱-100`. */
const NEGATIVE = /(?:^|[\s@])(?:[-−](?:₱|PHP|P)?|(?:₱|PHP|P)[-−])\d[\d,]*(?:\.\d+)?$/i;
const NEGATIVE_LINE = 'It is a deduction, and a price cannot be negative. Subtract it from the price of another item.';
const TOTAL_LINE = 'It looks like a total, and centavo adds up the items. Leave it out.';

export const pastedLines = (text: string): string[] =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter(Boolean);

/** Reads a line like {@link readItem}, or as a row of a spreadsheet. Errors fit a prompt. */
export function readTypedItem(typed: string): InvalidInput | TypedItem {
  const line = typed.trim().replace(LIST_MARK, '');
  if (line.length > MAX_LINE_LENGTH)
    return new InvalidInput(`It is ${line.length} characters long; the limit is ${MAX_LINE_LENGTH}.`);
  const row = line.includes('\t') && !line.slice(line.lastIndexOf('\t')).includes('@') ? rowText(line) : undefined;
  if (row instanceof InvalidInput) return row;
  const text = (row ?? line).replace(/\s+/g, ' ');
  const item = readItem(text);
  if (item instanceof InvalidInput) return invalidLine(item, text);
  if (isTotal(item.description)) return new InvalidInput(TOTAL_LINE);
  const {count, rewritten} = alternativeReading(item, text) ?? {};
  if (rewritten === undefined) return {item};
  const question = `Is ${count} the quantity? Then write: ${rewritten}. Press Enter again for one item named “${item.description}”.`;
  return {item, question, suggestion: rewritten};
}

/** The line rewritten with a quantity, if the description contains a number that may be the quantity. */
export function alternativeReading(
  {description: text, quantity}: StatementItem,
  line: string,
): {readonly count: string; readonly rewritten: string} | undefined {
  const found = quantity === 1 ? (possibleQuantity(text) ?? countInside(text)) : undefined;
  const price = found && line.slice(text.length).replace(/^\s*@?\s*/, '');
  // With `x1` or another quantity, the line is not ambiguous.
  if (!found || !line.startsWith(text) || /^[x×]/i.test(price!)) return undefined;
  const {count, rest} = found;
  return {count, rewritten: `${rest} x${count} @ ${price}`};
}

/** Finds a count inside a description: `consulting x2 hrs`. */
function countInside(text: string): {readonly count: string; readonly rest: string} | undefined {
  const [, before, count, unit] = /^(.*\S)\s+[x×](\d{1,6})\s+(\S+)$/i.exec(text) ?? [];
  return count === undefined ? undefined : {count, rest: `${before}, ${unit}`};
}

/** Rewrites a row of cells as an item: description, optional quantity, price, optional total. Drops a row number. */
function rowText(line: string): InvalidInput | string {
  const cells = line.split('\t').map((cell) => cell.trim());
  while (cells.at(-1) === '') cells.pop();
  if (cells.length > 2 && /^\d{1,3}\.?$/.test(cells[0]!) && /\D/.test(cells[1]!)) cells.shift();
  const [description = '', ...numbers] = cells;
  if (isTotal(description)) return new InvalidInput(TOTAL_LINE);
  if (numbers.length === 1) return `${description} x1 @ ${numbers[0]}`;
  if (numbers.length === 2) return `${description} x${plainCount(numbers[0]!)} @ ${numbers[1]}`;
  if (numbers.length === 3) {
    const text = `${description} x${plainCount(numbers[0]!)} @ ${numbers[1]}`;
    const [one, total] = [readTypedItem(text), readTypedItem(`Sum @ ${numbers[2]}`)];
    const isRead = !(one instanceof InvalidInput) && !(total instanceof InvalidInput);
    if (isRead && one.item.quantity * one.item.unit_price === total.item.unit_price) return text;
  }
  return new InvalidInput(`Its columns are ambiguous: description, quantity and price are needed. ${EXAMPLE}`);
}

/** Removes commas and zero decimals: spreadsheets write 1,200 and 2.00 for whole numbers. */
const plainCount = (cell: string): string => cell.replace(/\.0+$/, '').replace(/^(\d{1,3}),(\d{3})$/, '$1$2');

function invalidLine({problem, details: {code, why, part}}: InvalidInput, text: string): InvalidInput {
  const fault = (words: string, suggestion?: string): InvalidInput => new InvalidInput(words, {suggestion});
  if (code === 'invalid_price') return fault('The price is zero; the minimum is ₱0.01.');
  if (NEGATIVE.test(text)) return fault(NEGATIVE_LINE);
  if (code === 'deduction') return fault(`It looks like a deduction, but would be added to the total. ${NO_DEDUCTION}`);
  if (code === 'invalid_quantity') return fault(`The quantity is not a whole number of at least 1. ${EXAMPLE}`);
  if (part !== undefined) return fault(why ?? `The ${part} ${problem} ${EXAMPLE}`);
  if (why === 'It has no description.') return fault(`No description. ${EXAMPLE}`);
  if (isTotal(text.replace(/[\s\d.,₱]+$/, ''))) return fault(TOTAL_LINE);
  const suggestion = suggestedItem(text);
  const meant = suggestion === undefined ? undefined : readItem(suggestion);
  if (meant instanceof InvalidInput && meant.details.code === 'deduction') return invalidLine(meant, text);
  if (suggestion !== undefined) return fault(`No price. Did you mean: ${suggestion}`, suggestion);
  return fault(DEDUCTION.test(text) ? `It looks like a deduction. ${NO_DEDUCTION}` : `No price. ${EXAMPLE}`);
}
