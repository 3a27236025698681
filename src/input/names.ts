// Compares and reads typed names and statement numbers.

/** Removes accents, case and apostrophes: `niño` and `NINO` become equal. */
export const normalizeName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/['’]/g, '');

export const wordsOfName = (name: string): string[] => normalizeName(name).match(/[\p{L}\p{N}]+/gu) ?? [];

export const isSameName = (a: string, b: string): boolean => wordsOfName(a).join(' ') === wordsOfName(b).join(' ');

/** True if two names match in any word order: `Dela Cruz, Juan` and `Juan de la Cruz`. */
export function isSamePerson(a: string, b: string): boolean {
  const [one, other] = [wordsOfName(a), wordsOfName(b)];
  const [first, second] = [one.join(''), other.join('')];
  if (first.length === second.length && (first + first).includes(second)) return true;
  return one.sort().join(' ') === other.sort().join(' ');
}

/** True if a word of the name starts with each typed word. */
export function matchesName(name: string, typed: string): boolean {
  const typedWords = wordsOfName(typed);
  const words = wordsOfName(name);
  return typedWords.length > 0 && typedWords.every((start) => words.some((word) => word.startsWith(start)));
}

/** True for a customer's prefix and digits: `JEEPNEY-0002`. */
export const isStatementNumber = (text: string): boolean => /^[\p{L}\p{N}]{1,40}-\d{1,20}$/u.test(text);

/** True for the digits of a statement number alone: `0002`, or `2`. */
export const isSequence = (text: string): boolean => /^\d{1,20}$/.test(text);

/** True if a statement number ends in these digits, ignoring leading zeros. */
export const hasSequence = (number: string, digits: string): boolean =>
  /-0*(\d+)$/.exec(number)?.[1] === digits.replace(/^0+(?=\d)/, '');
