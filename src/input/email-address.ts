// Reads typed email addresses, or says which character is wrong.

import {EMAIL_ADDRESS} from '../common/email-address.js';
import {InvalidInput} from './invalid-input.js';
import {quote} from './money.js';

/** Faults of addresses, most telling first. `$` is the character; its position completes a text without a full stop. */
const FAULTS: readonly (readonly [pattern: RegExp, fault: string])[] = [
  [/^[^]{255}/, 'more than 254 characters.'],
  [/(?! )[\p{C}\p{Z}\p{DI}\u2800]/u, 'an invisible character ($)'],
  [/ /, 'a space'],
  [/@[^@]+@/, 'a second @.'],
  [/^[^@＠]*$/, 'no @.'],
  [/[^\w'+\-.@]|'(?=@)|(?<=@.*)['+_]|^'/u, 'the character $'],
  [/\.\./, 'two dots together.'],
  [/^\.|\.@|@\./, 'a dot in the wrong place'],
  [/^@/, 'nothing before the @.'],
  [/@[^.]*$/, 'no dot after the @.'],
];

/** Describes in a sentence why a text is no email address; undefined for an address. */
export function emailFault(text: string): string | undefined {
  if (EMAIL_ADDRESS.test(text)) return undefined;
  const prefix = /^(?:mailto|e-?mail|to)\s*:/i.exec(text);
  if (prefix) return `It begins with ${prefix[0]}.`;
  if (text.endsWith('.')) return 'It ends with a dot.';
  for (const [pattern, fault] of FAULTS) {
    const found = pattern.exec(text);
    if (!found) continue;
    if (fault.endsWith('.')) return `It has ${fault}`;
    const [character] = found;
    const code = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
    const position = [...text.slice(0, found.index)].length;
    const where = position === 0 ? 'at its start' : `after position ${position}`;
    return `It has ${fault.replace('$', () => (fault.includes('(') ? code : character))} ${where}.`;
  }
  return 'It has no valid domain after the @.';
}

export const isEmail = (text: string): boolean => emailFault(text) === undefined;

export function readEmail(text: string): InvalidInput | string {
  const trimmed = text.trim();
  const fault = emailFault(trimmed);
  if (fault === undefined) return trimmed;
  const why = trimmed.includes('@') ? fault : undefined;
  return new InvalidInput(`${quote(text)} is not an email address.`, {code: 'invalid_email', why});
}
