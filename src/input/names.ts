// Compares names as people type them: accents, case and apostrophes are ignored, and the beginnings of words are enough.

/** A name without accents, case and apostrophes: `niño` and `NINO` are the same. */
export const foldName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/['’]/g, '');

/** The words of a folded name. */
export const wordsOfName = (name: string): string[] => foldName(name).match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether two texts are the same name. */
export const isSameName = (a: string, b: string): boolean => wordsOfName(a).join(' ') === wordsOfName(b).join(' ');

/** Whether two texts name the same person, in whatever order: `Dela Cruz, Juan` and `Juan de la Cruz`. */
export function isSamePerson(a: string, b: string): boolean {
  const [one, other] = [wordsOfName(a), wordsOfName(b)];
  const [first, second] = [one.join(''), other.join('')];
  if (first.length === second.length && (first + first).includes(second)) return true;
  return one.sort().join(' ') === other.sort().join(' ');
}

/** Whether each word that was typed begins a word of the name; nothing typed fits no name. */
export function fitsName(name: string, typed: string): boolean {
  const wanted = wordsOfName(typed);
  const words = wordsOfName(name);
  return wanted.length > 0 && wanted.every((start) => words.some((word) => word.startsWith(start)));
}
