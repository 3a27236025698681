// Splits a typed command into shell words.

import {InvalidInput} from './invalid-input.js';

/** Splits a command at spaces. Quotes and backslashes work as in a shell; nothing is expanded. */
export function splitWords(text: string): InvalidInput | string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quote === "'" && character !== "'") word += character;
    else if (character === quote) quote = '';
    else if (character === '\\' && (quote === '' || /["\\]/.test(text[at + 1] ?? ''))) {
      at++;
      if (at === text.length) return new InvalidInput(`the command ${JSON.stringify(text)} ends with a backslash.`);
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
  if (quote !== '') return new InvalidInput(`the command ${JSON.stringify(text)} has a ${quote} that is not closed.`);
  return word === undefined ? words : [...words, word];
}
