// Email addresses as people type them.

import {usageError} from '../errors.js';
import {quote} from './money.js';

/** Longest address, in characters (RFC 5321). */
const LONGEST = 254;

/** Whether a text is an address that mail could be sent to. */
export const isEmail = (text: string): boolean =>
  text.length <= LONGEST && /^[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>]+$/.test(text);

/** @param name the flag, for the error's words @throws CentavoError kind `usage` for what is no email address */
export function readEmail(text: string, name: string): string {
  const trimmed = text.trim();
  if (isEmail(trimmed)) return trimmed;
  throw usageError(`${name} ${quote(text)} is not an email address.`, {code: 'invalid_email'});
}
