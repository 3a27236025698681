// Whole numbers, as people type them.

import {usageError} from '../errors.js';
import {quote} from './money.js';

export interface NumberRange {
  readonly from: number;
  readonly to?: number;
  /** What to do instead, for the error. */
  readonly hint?: string;
}

/** @param name the flag, for the error. @throws CentavoError kind `usage` */
export function parseWholeNumber(text: string, name: string, {from, to, hint}: NumberRange): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (value >= from && value <= (to ?? Infinity)) return value;
  const range = to === undefined ? `${from} on` : `${from} to ${to}`;
  throw usageError(`${name} ${quote(text)} is not a whole number from ${range}.`, {code: 'invalid_number', hint});
}
