// INPUT: what people type, made into exact values. Pure; nothing is guessed and nothing passes through a floating-point number.
// This file: pesos as text to centavos.

import {usageError} from '../errors.js';

const PESOS = /^(?:₱ ?|PHP )?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/;
/** Longer than any amount can be; a bound on work, whatever is pasted. */
const LONGEST = 40;
/** Characters of a value that is still shown in an error. */
const LONGEST_QUOTE = 60;

/**
 * Centavos of an amount in pesos: `1,250.50`, `₱1250.5`, `PHP 20`.
 * @param name the flag or column, for the error's words
 * @throws CentavoError kind `usage`
 */
export function parsePesos(text: string, name: string): number {
  const trimmed = text.trim();
  const match = trimmed.length <= LONGEST ? PESOS.exec(trimmed) : null;
  if (!match || /^0[\d,]/.test(match[1]!)) throw notPesos(trimmed, name);
  const [, whole = '', fraction = ''] = match;
  return exact(BigInt(whole.replaceAll(',', '')) * 100n + BigInt(fraction.padEnd(2, '0')), trimmed, name);
}

/**
 * Centavos written as such: `125050`.
 * @throws CentavoError kind `usage`
 */
export function parseCentavos(text: string, name: string): number {
  const trimmed = text.trim();
  if (!/^(0|[1-9]\d{0,14})$/.test(trimmed)) {
    throw usageError(`${name} ${quote(trimmed)} is not a whole number of centavos.`, {
      code: 'invalid_amount',
      hint: `For example, ₱1,250.50 is ${name} 125050`,
    });
  }
  return Number(trimmed);
}

function exact(value: bigint, text: string, name: string): number {
  if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  throw usageError(`${name} ${quote(text)} is too large.`, {code: 'invalid_amount'});
}

function notPesos(text: string, name: string): Error {
  return usageError(`${name} ${quote(text)} is not an amount in pesos.`, {
    code: 'invalid_amount',
    ...reason(text),
    // The name of a part of a flag, as in `--item, price`, is not what is typed.
    hint: `For example: ${name.includes(',') ? '' : `${name} `}${suggestion(text)}`,
  });
}

function reason(text: string): {why?: string} {
  if (/^[-−(]/.test(text)) return {why: 'An amount cannot be negative.'};
  if (/e[+-]?\d/i.test(text)) return {why: 'An amount cannot have an exponent.'};
  if (/^(\$|€|USD|EUR)/i.test(text)) return {why: 'Only pesos are supported.'};
  if (/,\d{1,2}$/.test(text)) return {why: 'Use commas between thousands and a point before centavos.'};
  if (/\.\d{3,}$/.test(text)) return {why: 'Use at most two decimals.'};
  const odd = [...text].find((character) => character > '\u007f' && character !== '₱');
  if (odd)
    return {why: `It contains the character U+${odd.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}.`};
  return {};
}

function suggestion(text: string): string {
  const european = /^(\d{1,3}(?:\.\d{3})*|\d+),(\d{1,2})$/.exec(text);
  return european ? `${european[1]!.replaceAll('.', '')}.${european[2]!}` : '1,250.50';
}

/** A value for an error's words: in quotes, on one line. Of a long one only its length: it is not cut, since a secret would be cut with it. */
export const quote = (text: string): string =>
  text.length > LONGEST_QUOTE ? `(${text.length} characters)` : JSON.stringify(text);
