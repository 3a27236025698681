// Reads typed amounts as exact centavos, or refuses them. No amount passes through a float.

import {InvalidInput} from './invalid-input.js';

const PESOS_PATTERN = /^(?:₱ ?|PHP )?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/;
/** Characters; limits the time that patterns take on pasted text. */
const MAX_AMOUNT_LENGTH = 40;
const MAX_QUOTE_LENGTH = 60;

/** Reads pesos as centavos: `1,250.50`, `₱1250.5`, `PHP 20`. */
export function readPesos(text: string): InvalidInput | number {
  const trimmed = text.trim();
  const match = trimmed.length <= MAX_AMOUNT_LENGTH ? PESOS_PATTERN.exec(trimmed) : null;
  if (!match || /^0[\d,]/.test(match[1]!)) return notPesos(trimmed);
  const [, whole = '', fraction = ''] = match;
  const centavos = BigInt(whole.replaceAll(',', '')) * 100n + BigInt(fraction.padEnd(2, '0'));
  if (centavos <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(centavos);
  return new InvalidInput(`${quote(trimmed)} is too large.`, {code: 'invalid_amount'});
}

/** Reads centavos: `125050`. */
export function readCentavos(text: string): InvalidInput | number {
  const trimmed = text.trim();
  if (/^(0|[1-9]\d{0,14})$/.test(trimmed)) return Number(trimmed);
  return new InvalidInput(`${quote(trimmed)} is not a whole number of centavos.`, {
    code: 'invalid_amount',
    hint: (place) => `For example, ₱1,250.50 is ${place} 125050`,
  });
}

const notPesos = (text: string): InvalidInput =>
  new InvalidInput(`${quote(text)} is not an amount in pesos.`, {
    code: 'invalid_amount',
    why: pesosFault(text),
    hint: (place) => `For example: ${place} ${suggestion(text)}`,
  });

function pesosFault(text: string): string | undefined {
  if (/^[-−(]/.test(text)) return 'An amount cannot be negative.';
  if (/e[+-]?\d/i.test(text)) return 'An amount cannot have an exponent.';
  if (/^(\$|€|USD|EUR)/i.test(text)) return 'Only pesos are supported.';
  if (/,\d{1,2}$/.test(text)) return 'Use commas between thousands and a point before centavos.';
  if (/\.\d{3,}$/.test(text)) return 'Use at most two decimals.';
  const odd = [...text].find((character) => character > '\u007f' && character !== '₱');
  return odd && `It contains the character U+${odd.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}.`;
}

function suggestion(text: string): string {
  const european = /^(\d{1,3}(?:\.\d{3})*|\d+),(\d{1,2})$/.exec(text);
  return european ? `${european[1]!.replaceAll('.', '')}.${european[2]!}` : '1,250.50';
}

/** Quotes a value for an error, on one line. Long values are not cut: half a secret would not be redacted. */
export const quote = (text: string): string =>
  text.length > MAX_QUOTE_LENGTH ? `(${text.length} characters)` : JSON.stringify(text);
