// Totals in centavos: exact for factors of any size, and within the limits of the service.

import {MAXIMUM_CENTAVOS, MINIMUM_CENTAVOS} from '../../api/fields.js';
import {invalid} from '../problems.js';

/**
 * The sum of quantity × unit price, in centavos.
 * @throws Problem 400 for a sum that JSON numbers cannot carry exactly
 */
export function total(lines: readonly {readonly quantity: number; readonly price: number}[]): number {
  const sum = lines.reduce((whole, {quantity, price}) => whole + BigInt(quantity) * BigInt(price), 0n);
  if (sum > BigInt(Number.MAX_SAFE_INTEGER)) throw aboveMaximum('amount', MAXIMUM_CENTAVOS);
  return Number(sum);
}

/** @throws Problem 400 for an amount in centavos that is below or above the limits of the service */
export function collectable(amount: number): void {
  if (amount < MINIMUM_CENTAVOS) {
    throw invalid(
      'parameter_below_minimum',
      `The value for amount cannot be less than ${MINIMUM_CENTAVOS}; the total is ${amount}.`,
      'amount',
    );
  }
  if (amount > MAXIMUM_CENTAVOS) throw aboveMaximum('amount', MAXIMUM_CENTAVOS);
}

export const aboveMaximum = (parameter: string, maximum: number) =>
  invalid('parameter_above_maximum', `The value for ${parameter} cannot be more than ${maximum}.`, parameter);
