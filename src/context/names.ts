// The numbers of the statements that the API returned, by their ids: people know a statement by its number.

import {isHash} from '../json.js';

/** A command about more than these names none of them in an error. */
const MOST = 1000;

/** Keeps the number of a billing statement. @param answer whatever an operation returned */
export function noteNumber(names: Map<string, string>, answer: unknown): void {
  if (!isHash(answer) || names.size >= MOST) return;
  const {id, billing_statement_number: number} = answer;
  if (typeof id === 'string' && typeof number === 'string' && number !== '') names.set(id, number);
}
