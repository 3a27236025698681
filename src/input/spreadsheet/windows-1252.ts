// Windows-1252, which Excel writes as "CSV" outside of UTF-8: its table, and the signs that a text is something else.
// TextDecoder is not used for it: on Node 20 it reads its quotation marks as control characters, and it never refuses.

/** The characters of the bytes 80 to 9F; empty for the five that have none. */
const HIGH = '€,,‚,ƒ,„,…,†,‡,ˆ,‰,Š,‹,Œ,,Ž,,,‘,’,“,”,•,–,—,˜,™,š,›,œ,,ž,Ÿ'.split(',');

/** @param text of which each character is a byte */
export const fromWindows1252 = (text: string): string =>
  text.replace(/[\x80-\x9f]/g, (byte) => HIGH[byte.charCodeAt(0) - 0x80]! || '\uFFFD');

/** A character that stands for a byte 80 to BF, as UTF-8 read as Windows-1252 has them behind its first. */
const REST = `[\\u0080-\\u00bf${HIGH.join('')}]`;
/** UTF-8 of Latin letters, signs and pesos (`Ã±`, `â‚±`) that was read as Windows-1252. */
const GARBLED = new RegExp(`[ÂÃ]${REST}|â[€‚]${REST}`);

/** A word that is not as it was written, and where it is. */
export interface Found {
  readonly word: string;
  readonly index: number;
}

const foundAt = (text: string, index: number): Found => ({
  word:
    /[^\s,;|"]*$/.exec(text.slice(Math.max(0, index - 20), index))![0] +
    /^.[^\s,;|"]*/su.exec(text.slice(index, index + 20))![0],
  index,
});

/** Where a text was garbled before it was saved: `Ni` + `Ã±` + `o`. */
export function garbledWord(text: string): Found | undefined {
  const found = /[ÂÃâ]/.test(text) ? GARBLED.exec(text) : null;
  return found ? foundAt(text, found.index) : undefined;
}

/** Letters that Philippine, Spanish, English and French words have. */
const LETTERS = 'ÑñÁáÉéÍíÓóÚúÜüÀàÈèÌìÒòÙùÂâÊêÎîÔôÛûÄäËëÏïÖöÇç';
const HIGH_LETTER = `[${LETTERS}]`;
const ANY_LETTER = `[A-Za-z${LETTERS}]`;
/** Endings that an apostrophe may stand before; in text of a Mac, the same byte is í. */
const ENDINGS = '(?:s|t|d|m|n|ll|re|ve|y|yo|to|yan|yon|di|no)(?![a-z])';

/** What a Windows-1252 text does not have, but other encodings read as such do. */
const DOUBTS = [
  /\uFFFD/,
  GARBLED,
  // Letters of other languages, and what the accented letters of a Mac become.
  new RegExp(`[${[...'ƒŠŒŽšœžŸˆ˜'].join('')}]|[À-ÖØ-öø-ÿ](?<!${HIGH_LETTER})`),
  // A sign inside a word: Ni–o, Espa¤a.
  new RegExp(`[a-z${LETTERS}][^\\x00-\\x7f‘’·${LETTERS}][a-z]`),
  new RegExp(`[A-Z][^\\x00-\\x7f‘’–—…·•\\u00a0${LETTERS}][A-Z]`),
  new RegExp(`[a-z]’(?!${ENDINGS})[a-z]|[a-z]‘[a-z]`),
  // Cyrillic, Greek or Chinese.
  new RegExp(`${HIGH_LETTER}{3}`),
  // A capital inside a word in small letters.
  new RegExp(`[a-z][ÑÁÉÍÓÚÜÀÈÌÒÙÂÊÎÔÛÄËÏÖÇ](?!${ANY_LETTER}*[A-Z])[a-z]`),
];

/** The first word for which it is in doubt whether the text is Windows-1252. */
export function doubtfulWord(text: string): Found | undefined {
  const index = Math.min(...DOUBTS.map((pattern) => pattern.exec(text)?.index ?? Infinity));
  return index === Infinity ? undefined : foundAt(text, index);
}
