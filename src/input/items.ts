// Line items as they are typed: `Web design x2 @ 15,000`.

import {usageError} from '../errors.js';
import {parsePesos, quote} from './money.js';

/** A line item as people think of it; what the API calls its parts differs by resource. */
export interface ItemInput {
  readonly text: string;
  readonly quantity: number;
  /** Centavos for one unit. */
  readonly unitPrice: number;
}

const LARGEST_QUANTITY = 1_000_000_000;

/** A price that says that it is one, at the end: `₱75`, `PHP 75`, `75 pesos`. */
const MARKED_PRICE = /\s((?:₱|PHP)\s?[\d.,]+|[\d.,]+\s?(?:pesos?|PHP))(?:\s(?:each|ea))?$/i;
/** No price is longer; a bound on work, whatever is pasted. */
const LONGEST_PRICE = 40;

/**
 * One line item: `Web design x2 @ 15,000`, `2x Pens @ ₱12.50`, `Pens ₱75`, `Pens @ 75 pesos each`. What may mean two
 * things, such as `Hosting 6500`, is refused.
 * @param name the flag, for the error's words
 * @throws CentavoError kind `usage`
 */
export function parseItem(text: string, name: string): ItemInput {
  const {head, price} = splitPrice(text);
  const behind = /^(.*\S)\s+[x×]\s?(\S+)$/is.exec(head);
  const before = /^(\d{1,10})\s?[x×]\s+(\S.*)$/is.exec(head);
  const [label, quantity] =
    behind && /^[-+\d]/.test(behind[2]!)
      ? [behind[1]!, behind[2]!]
      : before
        ? [before[2]!, before[1]!]
        : [/^[x×]\s?\d+$/i.test(head) ? '' : head, undefined];
  if (!label || price === undefined) {
    throw usageError(`${name} ${quote(text)} is not a line item.`, {
      code: 'invalid_item',
      why: price === undefined ? 'It has no @ before its price.' : 'It has no description.',
      hint: `Write it like this: ${name} "${(price === undefined && suggestedItem(text)) || 'Web design x2 @ 15,000'}"`,
    });
  }
  return {
    text: label,
    quantity: quantity === undefined ? 1 : parseQuantity(quantity, name),
    unitPrice: checkPrice(parsePesos(plainPrice(price), `${name}, price`), `${name} ${quote(text)}`),
  };
}

/** A text up to its price, and the price; none where it does not say which part that is. */
function splitPrice(text: string): {head: string; price?: string} {
  const at = text.lastIndexOf('@');
  if (at >= 0) return {head: text.slice(0, at).trim(), price: text.slice(at + 1)};
  const trimmed = text.trim();
  const marked = MARKED_PRICE.exec(trimmed.slice(-LONGEST_PRICE));
  if (!marked) return {head: trimmed};
  return {head: trimmed.slice(0, trimmed.length - marked[0].length).trim(), price: marked[1]};
}

/** `75` of `P75`, `75 pesos` and `75 each`. */
const plainPrice = (text: string): string =>
  text.length > LONGEST_PRICE
    ? text
    : text
        .trim()
        .replace(/\s*(?:each|ea)$/i, '')
        .replace(/\s*(?:pesos?|php)$/i, '')
        .replace(/^(?:php|p)\s?(?=\d)/i, '');

/** The item that a text without @ may mean: its last number would be the price. */
export function suggestedItem(text: string): string | undefined {
  const trimmed = text.trim();
  const last = /\s[P₱]?([\d,]+(?:\.\d{1,2})?)$/i.exec(trimmed.slice(-LONGEST_PRICE));
  const label = last && trimmed.slice(0, trimmed.length - last[0].length).trim();
  return label && trimmed.length <= 200 && !label.includes('"') ? `${label} @ ${last[1]}` : undefined;
}

/** The service takes no item without a price, and would refuse it after the draft is made. @throws CentavoError kind `usage` */
function checkPrice(centavos: number, what: string): number {
  if (centavos > 0) return centavos;
  throw usageError(`${what} has a price of zero.`, {
    code: 'invalid_price',
    why: 'The API takes no item below ₱0.01.',
    hint: 'Leave the item out, or mention it in the description of another one.',
  });
}

/** @throws CentavoError kind `usage` */
export function parseQuantity(text: string, name: string): number {
  const quantity = Number(text);
  if (!/^[1-9]\d{0,9}$/.test(text) || quantity > LARGEST_QUANTITY) {
    throw usageError(`${name}, quantity ${quote(text)} is not a whole number from 1 on.`, {code: 'invalid_quantity'});
  }
  return quantity;
}

/**
 * Sum of quantity × unit price in centavos, exact for any quantities.
 * @throws CentavoError kind `usage` past what a number can hold exactly
 */
export function totalOf(items: readonly ItemInput[]): number {
  const total = items.reduce((sum, {quantity, unitPrice}) => sum + BigInt(quantity) * BigInt(unitPrice), 0n);
  if (total > BigInt(Number.MAX_SAFE_INTEGER))
    throw usageError('the items come to more than any amount can be.', {code: 'invalid_amount'});
  return Number(total);
}
