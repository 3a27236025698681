// Reads typed line items: `Web design x2 @ 15,000`.

import {usageError} from '../common/errors.js';
import {InvalidInput} from './invalid-input.js';
import {quote, readPesos} from './money.js';

/** A line item with the field names of a billing statement; other resources use other names. */
export interface StatementItem {
  readonly description: string;
  readonly quantity: number;
  /** Centavos for one unit. */
  readonly unit_price: number;
}

/** Words of a deduction: `Less: Discount`, `Less downpayment`, `Senior discount`. */
export const DEDUCTION =
  /^less\s*[:-]|^less\s+(?:\d|(?:down|discount|deposit|advance|payment|paid|vat|tax|ewt|withholding|rebate)\w*)|^bawas\b|^(?:[a-z]+ ){0,2}(?:discount|deduction|rebate|tawad|overpayment|ewt|withholding tax)s?(?: \d+ ?%)?$/i;
export const NO_DEDUCTION = 'Subtract it from a price, or describe the item in other words.';

export const MAX_QUANTITY = 1_000_000_000;

/** A price with a currency, at the end of a text: `₱75`, `PHP 75`, `75 pesos`. */
const MARKED_PRICE = /\s((?:₱|PHP)\s?[\d.,]+|[\d.,]+\s?(?:pesos?|PHP))(?:\s(?:each|ea))?$/i;
/** Characters; limits the time that patterns take on pasted text. */
const MAX_PRICE_LENGTH = 40;

/** Reads `Web design x2 @ 15,000`, `2x Pens @ ₱12.50`, `Pens @ 75 pesos each`. Refuses the ambiguous `Hosting 6500`. */
export function readItem(text: string): InvalidInput | StatementItem {
  const {head, price} = splitPrice(text);
  const trailing = /^(.*\S)\s+[x×]\s?(\S+)$/is.exec(head);
  const leading = /^(\d{1,10})\s?[x×]\s+(\S.*)$/is.exec(head);
  const [label, quantity] =
    trailing && /^[-+\d]/.test(trailing[2]!)
      ? [trailing[1]!, trailing[2]!]
      : leading
        ? [leading[2]!, leading[1]!]
        : [/^[x×]\s?\d+$/i.test(head) ? '' : head, undefined];
  if (!label || price === undefined) {
    const example = (price === undefined && suggestedItem(text)) || 'Web design x2 @ 15,000';
    return new InvalidInput(`${quote(text)} is not a line item.`, {
      code: 'invalid_item',
      why: price === undefined ? 'It has no @ before its price.' : 'It has no description.',
      hint: (place) => `Write it like this: ${place} "${example}"`,
    });
  }
  const count = quantity === undefined ? 1 : readQuantity(quantity);
  if (count instanceof InvalidInput) return count;
  const unitPrice = readPesos(plainPrice(price));
  if (unitPrice instanceof InvalidInput)
    return new InvalidInput(unitPrice.problem, {...unitPrice.details, part: 'price'});
  if (DEDUCTION.test(label))
    return new InvalidInput(`${quote(text)} looks like a deduction, but would be added to the total.`, {
      code: 'deduction',
      hint: NO_DEDUCTION,
    });
  if (unitPrice > 0) return {description: label, quantity: count, unit_price: unitPrice};
  // The service would refuse it after the draft was created.
  return new InvalidInput(`${quote(text)} has a price of zero.`, {
    code: 'invalid_price',
    why: 'The API rejects items below ₱0.01.',
    hint: 'Leave the item out, or mention it in the description of another item.',
  });
}

/** Splits at the last @, or before a price with a currency; otherwise `price` is missing. */
function splitPrice(text: string): {head: string; price?: string} {
  const at = text.lastIndexOf('@');
  if (at >= 0) return {head: text.slice(0, at).trim(), price: text.slice(at + 1)};
  const trimmed = text.trim();
  const marked = MARKED_PRICE.exec(trimmed.slice(-MAX_PRICE_LENGTH));
  if (!marked) return {head: trimmed};
  return {head: trimmed.slice(0, trimmed.length - marked[0].length).trim(), price: marked[1]};
}

/** Removes currency and `each`: `75` for `P75`, `75 pesos` and `75 each`. */
const plainPrice = (text: string): string =>
  text.length > MAX_PRICE_LENGTH
    ? text
    : text
        .trim()
        .replace(/\s*(?:each|ea)$/i, '')
        .replace(/\s*(?:pesos?|php)$/i, '')
        .replace(/^(?:php|p)\s?(?=\d)/i, '');

/** A likely reading of a text without @, with the last number as the price. */
export function suggestedItem(text: string): string | undefined {
  const trimmed = text.trim();
  // `Ube 3 x 75` and `Ube 3 pcs x 75` have the quantity 3.
  const counted = /^(.*\S)\s+(\d{1,6})\s*(?:pcs?\.?|pieces?|units?)?\s*[x×]\s*[P₱]?([\d,]+(?:\.\d{1,2})?)$/i.exec(
    trimmed.slice(0, 200),
  );
  if (counted && trimmed.length <= 200 && !trimmed.includes('"')) return `${counted[1]} x${counted[2]} @ ${counted[3]}`;
  const last = /\s[P₱]?([\d,]+(?:\.\d{1,2})?)$/i.exec(trimmed.slice(-MAX_PRICE_LENGTH));
  const label = last && trimmed.slice(0, trimmed.length - last[0].length).trim();
  // After `3 gal x` the last number may be the price of each or of all.
  return label && trimmed.length <= 200 && !/"|\s[x×]$/i.test(label) ? `${label} @ ${last[1]}` : undefined;
}

function readQuantity(text: string): InvalidInput | number {
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_QUANTITY) return Number(text);
  return new InvalidInput(`${quote(text)} is not a whole number of at least 1.`, {
    code: 'invalid_quantity',
    part: 'quantity',
  });
}

/** Exact sum of quantity × unit price, in centavos. */
export const exactTotalOf = (items: readonly StatementItem[]): bigint =>
  items.reduce((sum, {quantity, unit_price}) => sum + BigInt(quantity) * BigInt(unit_price), 0n);

/** Total in centavos. @throws CentavoError kind `usage` if a number cannot hold the total exactly */
export function totalAsNumber(items: readonly StatementItem[]): number {
  const total = exactTotalOf(items);
  if (total > BigInt(Number.MAX_SAFE_INTEGER))
    throw usageError('invalid_amount', 'the total of the items is too large.');
  return Number(total);
}
