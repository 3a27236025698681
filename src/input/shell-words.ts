// A command as people write it: split into words as a shell would, and a text as one such word, for commands that are printed to be pasted.

import {usageError} from '../errors.js';

/** Quotes and backslashes as in a shell, and nothing else that a shell does. @throws CentavoError kind `usage` for a quote that is not closed, or a backslash at the end */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quote === "'" && character !== "'") word += character;
    else if (character === quote) quote = '';
    else if (character === '\\' && (quote === '' || /["\\]/.test(text[at + 1] ?? ''))) {
      at++;
      if (at === text.length) throw usageError(`the command ${JSON.stringify(text)} ends with a backslash.`);
      word = (word ?? '') + text[at]!;
    } else if (quote !== '') word += character;
    else if (/["']/.test(character)) {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== '') throw usageError(`the command ${JSON.stringify(text)} has a ${quote} that is not closed.`);
  return word === undefined ? words : [...words, word];
}

/** One word of a POSIX shell; quotes only what needs it. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
