// Line items as a person types or pastes them at a prompt: one per line, with list marks, or as spreadsheet rows.

import {CentavoError} from '../ground/errors.js';
import {parseItem, suggestedItem, type ItemInput} from './items.js';

/** An item, or what is wrong with the line. */
export type TypedItem = {readonly item: ItemInput} | {readonly fault: string};

const EXAMPLE = 'Example: Web design x2 @ 15,000';
/** `- `, `• `, `1. `, `1) ` */
const LIST_MARK = /^(?:[-*•–]|\d{1,3}[.)])\s+(?=\S)/;
const HEADER = /^(?:#|no\.?|description|item|items|particulars|qty|quantity|price|unit ?price|rate|total|amount)$/i;
/** Characters of a line. */
const LONGEST = 500;

/** The lines of a pasted text, without empty ones and a row of column names. */
export function pastedLines(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  return lines.filter((line) => line !== '' && !isHeader(line));
}

const isHeader = (line: string): boolean => {
  const cells = line.split('\t').map((cell) => cell.trim());
  return cells.length > 1 && cells.every((cell) => cell === '' || HEADER.test(cell));
};

/** Reads a line as {@link parseItem} does, or as a row of a spreadsheet. */
export function readTypedItem(typed: string): TypedItem {
  const line = typed.trim().replace(LIST_MARK, '');
  if (line.length > LONGEST) return {fault: `It is ${line.length} characters long; the limit is ${LONGEST}.`};
  const row = line.includes('\t') && !line.slice(line.lastIndexOf('\t')).includes('@') ? rowText(line) : undefined;
  if (row !== undefined && 'fault' in row) return row;
  const text = (row?.text ?? line).replace(/\s+/g, ' ');
  try {
    return {item: parseItem(text, 'The item')};
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    return {fault: faultOf(error, text)};
  }
}

/** A row of cells as an item: description, perhaps quantity, price, perhaps total; a row number may come first. */
function rowText(line: string): {text: string} | {fault: string} {
  const cells = line.split('\t').map((cell) => cell.trim());
  while (cells.at(-1) === '') cells.pop();
  if (cells.length > 2 && /^\d{1,3}\.?$/.test(cells[0]!) && /\D/.test(cells[1]!)) cells.shift();
  const [description = '', ...numbers] = cells;
  if (numbers.length === 1) return {text: `${description} x1 @ ${numbers[0]}`};
  if (numbers.length === 2) return {text: `${description} x${plainCount(numbers[0]!)} @ ${numbers[1]}`};
  if (numbers.length === 3) {
    const text = `${description} x${plainCount(numbers[0]!)} @ ${numbers[1]}`;
    const [one, total] = [readTypedItem(text), readTypedItem(`Total @ ${numbers[2]}`)];
    const fits = 'item' in one && 'item' in total && one.item.quantity * one.item.unitPrice === total.item.unitPrice;
    if (fits) return {text};
  }
  return {fault: `Its columns cannot be told apart: description, quantity and price are needed. ${EXAMPLE}`};
}

/** Spreadsheets write 1,200 and 2.00 for whole numbers. */
const plainCount = (cell: string): string => cell.replace(/\.0+$/, '').replace(/^(\d{1,3}),(\d{3})$/, '$1$2');

function faultOf({code, message, details}: CentavoError, text: string): string {
  switch (code) {
    case 'invalid_item': {
      const suggestion = suggestedItem(text);
      if (details.why === 'It has no description.') return `No description. ${EXAMPLE}`;
      return suggestion === undefined ? `No price. ${EXAMPLE}` : `No price. Did you mean: ${suggestion}`;
    }
    case 'invalid_price':
      return 'The price is zero; the smallest is ₱0.01.';
    case 'invalid_quantity':
      return `The quantity is not a whole number from 1 on. ${EXAMPLE}`;
    default:
      return details.why ?? `${message.replace(/^The item, price/, 'The price')} ${EXAMPLE}`;
  }
}
