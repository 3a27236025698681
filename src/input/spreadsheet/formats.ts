// Tells workbooks from text by the first bytes, and refuses other kinds of files by name.

import {unreadableFileError} from './row-errors.js';

const SAVE = 'Open it, and save the table as CSV or as .xlsx.';

/** Kinds of files that are not tables, by their first bytes in Latin-1. */
const OTHERS: readonly (readonly [name: string, sign: RegExp])[] = [
  ['a PDF', /^%PDF/],
  ['a picture', /^(?:\x89PNG|\xff\xd8\xff|GIF8|II\*\0|MM\0\*|RIFF.{4}WEBP|.{4}ftyp(?:heic|heix|mif1|avif))/s],
  ['a compressed file', /^(?:\p{Cc}\x8b|7z\xbc\xaf|Rar!|\xfd7zXZ)/u],
  ['a web page that is named like a spreadsheet', /^\s*<(?:!doctype html|html|head|body|table|meta|style)\b/i],
  ['an XML file', /^\s*<\?xml\b/i],
  ['a rich text document', /^\{\\rtf/],
  ['JSON', /^\s*(?:\{\s*"|\[\s*[[{])/],
  ['a database', /^SQLite format 3/],
];

export function kindOfFile(head: Uint8Array, file: string): 'text' | 'zip' {
  const text = Buffer.from(head).toString('latin1');
  if (head.length === 0) unreadableFileError(file, 'it is empty.', 'Save the table to it again, as CSV or as .xlsx.');
  if (['PK\x03\x04', 'PK\x05\x06'].includes(text.slice(0, 4))) return 'zip';
  if (text.startsWith('\xd0\xcf\x11\xe0')) refuseOldWorkbook(text, file);
  const other = OTHERS.find(([, sign]) => sign.test(text.replace(/^\xef\xbb\xbf/, '')));
  if (other) unreadableFileError(file, `it is ${other[0]}, not a table.`, SAVE);
  return 'text';
}

/** An old .xls and a password-protected .xlsx have the same container. */
function refuseOldWorkbook(text: string, file: string): never {
  const encrypted = [...'EncryptedPackage'].join('\0');
  if (text.includes(encrypted))
    return unreadableFileError(file, 'it is protected with a password.', 'Save it without the password, or as CSV.');
  return unreadableFileError(file, 'it is an old Excel file (.xls).', 'Open it, and save it as .xlsx or as CSV.');
}
