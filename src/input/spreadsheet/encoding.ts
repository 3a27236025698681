// Which encoding a text file has, found by reading all of it once, and its text.

import {quote} from '../money.js';
import {refuseFile} from './faults.js';
import {linesIn, wholeLines} from './lines.js';
import {doubtfulWord, fromWindows1252, garbledWord, type Found} from './windows-1252.js';

/** Opens a file from its beginning, as often as it is called. */
export type OpenBytes = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export type Encoding = 'UTF-8' | 'UTF-16BE' | 'UTF-16LE' | 'Windows-1252';

const SAVE_AS_UTF8 = 'Save it again as "CSV UTF-8" or as .xlsx.';
// eslint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x08\x0e-\x1f]/;

/**
 * @param head the first bytes of the file
 * @param file its name, for the error's words
 * @throws CentavoError kind `usage` when it is in doubt, or the file is no text
 */
export async function findEncoding(open: OpenBytes, head: Uint8Array, file: string): Promise<Encoding> {
  const encoding = encodingOfHead(head) ?? ((await isUtf8(open)) ? 'UTF-8' : 'Windows-1252');
  for await (const {text, line} of wholeLines(decode(open, encoding, file))) {
    if (CONTROL.test(text)) refuseFile(file, 'it is not a text file.', 'Save the table as CSV or as .xlsx.');
    const doubt = encoding === 'Windows-1252' ? doubtfulWord(text) : garbledWord(text);
    if (doubt) refuseDoubt(file, encoding, line + linesIn(text.slice(0, doubt.index)), doubt);
  }
  return encoding;
}

function refuseDoubt(file: string, encoding: Encoding, line: number, {word}: Found): never {
  if (encoding === 'Windows-1252')
    return refuseFile(
      file,
      `its encoding is in doubt: line ${line} would read ${quote(word)}.`,
      SAVE_AS_UTF8,
      'It is not UTF-8, and makes no sense as Windows-1252 (Excel’s ANSI).',
    );
  return refuseFile(
    file,
    `line ${line}: ${quote(word)} is garbled.`,
    'Correct it in the spreadsheet, or export the file again from where it came from.',
    'It was read in the wrong encoding before it was saved.',
  );
}

function encodingOfHead([...head]: Uint8Array): Encoding | undefined {
  const [a, b, c] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'UTF-8';
  if (a === 0xff && b === 0xfe) return 'UTF-16LE';
  if (a === 0xfe && b === 0xff) return 'UTF-16BE';
  // Without a mark: in plain text, every other byte is zero.
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

/**
 * The text of a file in pieces, without the mark at its beginning.
 * @throws CentavoError kind `usage` when a part of it is not in that encoding
 */
export async function* decode(open: OpenBytes, encoding: Encoding, file: string): AsyncIterable<string> {
  if (encoding === 'Windows-1252') {
    for await (const {buffer, byteOffset, byteLength} of open())
      yield fromWindows1252(Buffer.from(buffer, byteOffset, byteLength).toString('latin1'));
    return;
  }
  const decoder = new TextDecoder(encoding, {fatal: true});
  const decodeNext = (bytes?: Uint8Array): string => {
    try {
      return bytes ? decoder.decode(bytes, {stream: true}) : decoder.decode();
    } catch {
      return refuseFile(file, `it begins as ${encoding}, and has bytes that are not.`, SAVE_AS_UTF8);
    }
  };
  for await (const bytes of open()) yield decodeNext(bytes);
  yield decodeNext();
}
