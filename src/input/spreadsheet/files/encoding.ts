// Finds the encoding of a text file by reading all of it once, and decodes it line by line.

import {fromWindows1252, WINDOWS_1252_HIGH} from '../../../common/windows-1252.js';
import {quote} from '../../money.js';
import {unreadableFileError} from '../row-errors.js';

/** Opens the file from the start at each call. */
export type OpenBytes = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export type FileEncoding = 'UTF-8' | 'UTF-16BE' | 'UTF-16LE' | 'Windows-1252';

const SAVE_AS_UTF8 = 'Save it again as "CSV UTF-8" or as .xlsx.';
// eslint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x08\x0e-\x1f]/;

/** @throws CentavoError kind `usage` if the encoding is ambiguous, or the file is not text */
export async function findEncoding(open: OpenBytes, head: Uint8Array, file: string): Promise<FileEncoding> {
  const encoding = encodingOfHead(head) ?? ((await isUtf8(open)) ? 'UTF-8' : 'Windows-1252');
  for await (const {text, line} of wholeLines(decodeText(open, encoding, file))) {
    if (CONTROL.test(text)) unreadableFileError(file, 'it is not a text file.', 'Save the table as CSV or as .xlsx.');
    const patterns = encoding === 'Windows-1252' ? SUSPICIOUS_PATTERNS : [GARBLED];
    const index = Math.min(...patterns.map((pattern) => pattern.exec(text)?.index ?? Infinity));
    if (index < Infinity) refuseEncoding(file, encoding, line + linesIn(text.slice(0, index)), wordAt(text, index));
  }
  return encoding;
}

const wordAt = (text: string, index: number): string =>
  /[^\s,;|"]*$/.exec(text.slice(Math.max(0, index - 20), index))![0] +
  /^.[^\s,;|"]*/su.exec(text.slice(index, index + 20))![0];

function refuseEncoding(file: string, encoding: FileEncoding, line: number, word: string): never {
  if (encoding === 'Windows-1252')
    return unreadableFileError(
      file,
      `its encoding is unclear: line ${line} would read ${quote(word)}.`,
      SAVE_AS_UTF8,
      'It is not UTF-8, and makes no sense as Windows-1252 (Excel’s ANSI).',
    );
  return unreadableFileError(
    file,
    `line ${line}: ${quote(word)} is garbled.`,
    'Correct it in the spreadsheet, or export the file again from its source.',
    'It was read in the wrong encoding before it was saved.',
  );
}

function encodingOfHead([...head]: Uint8Array): FileEncoding | undefined {
  const [a, b, c] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'UTF-8';
  if (a === 0xff && b === 0xfe) return 'UTF-16LE';
  if (a === 0xfe && b === 0xff) return 'UTF-16BE';
  // UTF-16 without a byte order mark: in plain text, every second byte is zero.
  const [even, odd] = [0, 1].map((first) => head.filter((byte, at) => at % 2 === first && byte === 0).length);
  const most = head.length * 0.35;
  if (head.length < 8 || (even! > 0 && odd! > 0)) return undefined;
  return odd! > most ? 'UTF-16LE' : even! > most ? 'UTF-16BE' : undefined;
}

async function isUtf8(open: OpenBytes): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', {fatal: true});
  try {
    for await (const bytes of open()) decoder.decode(bytes, {stream: true});
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** Decodes a file in pieces, without the byte order mark. */
export async function* decodeText(open: OpenBytes, encoding: FileEncoding, file: string): AsyncIterable<string> {
  if (encoding === 'Windows-1252') {
    for await (const bytes of open()) yield fromWindows1252(bytes);
    return;
  }
  const decoder = new TextDecoder(encoding, {fatal: true});
  const decodeNext = (bytes?: Uint8Array): string => {
    try {
      return bytes ? decoder.decode(bytes, {stream: true}) : decoder.decode();
    } catch {
      return unreadableFileError(file, `it starts as ${encoding}, but contains other bytes.`, SAVE_AS_UTF8);
    }
  };
  for await (const bytes of open()) yield decodeNext(bytes);
  yield decodeNext();
}

/** Maximum characters of a piece; longer lines are split. */
const MAX_PIECE_LENGTH = 1_000_000;

/** Yields pieces of whole lines that end with LF, each with the number of its first line. The first line is 1. */
export async function* wholeLines(pieces: AsyncIterable<string>): AsyncIterable<{text: string; line: number}> {
  let line = 1;
  let rest = '';
  const piece = function* (text: string): Iterable<{text: string; line: number}> {
    const normal = text.replace(/\r\n?/g, '\n');
    if (normal) yield {text: normal, line};
    line += linesIn(normal);
  };
  for await (const next of pieces) {
    rest += next;
    // A CR at the end may be half of a CRLF.
    const end = Math.max(rest.lastIndexOf('\n'), rest.lastIndexOf('\r', rest.length - 2)) + 1;
    const cut = end === 0 && rest.length > MAX_PIECE_LENGTH ? rest.length - 1 : end;
    yield* piece(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  yield* piece(rest);
}

export function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** UTF-8 continuation bytes, 80 to BF, read as Windows-1252. */
const UTF8_REST = `[\\u0080-\\u00bf${WINDOWS_1252_HIGH.join('')}]`;
/** Latin letters, signs and peso signs in UTF-8, read as Windows-1252: `Ã±`, `â‚±`. */
const GARBLED = new RegExp(`[ÂÃ]${UTF8_REST}|â[€‚]${UTF8_REST}`);

/** Accented letters in Philippine, Spanish, English and French words. */
const LETTERS = 'ÑñÁáÉéÍíÓóÚúÜüÀàÈèÌìÒòÙùÂâÊêÎîÔôÛûÄäËëÏïÖöÇç';
const HIGH_LETTER = `[${LETTERS}]`;
const ANY_LETTER = `[A-Za-z${LETTERS}]`;
/** Letters that may follow an apostrophe, whose byte is í in Mac encodings. */
const ENDINGS = '(?:s|t|d|m|n|ll|re|ve|y|yo|to|yan|yon|di|no)(?![a-z])';

/** Patterns of text in other encodings that was read as Windows-1252. */
const SUSPICIOUS_PATTERNS = [
  /\uFFFD/,
  GARBLED,
  // Letters of other languages, and accented letters of a Mac.
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
