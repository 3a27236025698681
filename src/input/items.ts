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

/**
 * @param name the flag, for the error's words
 * @throws CentavoError kind `usage`
 */
export function parseItem(text: string, name: string): ItemInput {
  const at = text.lastIndexOf('@');
  const head = at < 0 ? '' : text.slice(0, at).trim();
  const counted = /^(.*\S)\s+[x×]\s?(\S+)$/is.exec(head);
  const quantityText = counted && /^[-+\d]/.test(counted[2]!) ? counted[2]! : undefined;
  const label = quantityText === undefined ? head : counted![1]!;
  if (!label) {
    throw usageError(`${name} ${quote(text)} is not a line item.`, {
      code: 'invalid_item',
      why: at < 0 ? 'It has no @ before its price.' : 'It has no description.',
      hint: `Write it like this: ${name} "Web design x2 @ 15,000"`,
    });
  }
  return {
    text: label,
    quantity: quantityText === undefined ? 1 : parseQuantity(quantityText, name),
    unitPrice: checkPrice(parsePesos(text.slice(at + 1), `${name}, price`), `${name} ${quote(text)}`),
  };
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
