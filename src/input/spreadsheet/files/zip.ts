// The directory of a zip, read before anything is unpacked: the files in it and their sizes.

import {refuseFile} from '../faults.js';

/** Bytes of all unpacked files together. */
const MOST_UNPACKED = 100_000_000;

const END_RECORD = 0x06054b50;
const ENTRY_RECORD = 0x02014b50;
/** Bytes of the end record with the longest possible comment. */
const LONGEST_END = 22 + 0xffff;

const DAMAGED_ZIP = ['it is damaged.', 'Open it, and save it again as .xlsx or as CSV.'] as const;

export function namesInZip(bytes: Uint8Array, file: string): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  if (end === undefined) return refuseFile(file, ...DAMAGED_ZIP);
  const names: string[] = [];
  let unpacked = 0;
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + 46 > end || view.getUint32(at, true) !== ENTRY_RECORD) return refuseFile(file, ...DAMAGED_ZIP);
    const packed = view.getUint32(at + 20, true);
    const size = view.getUint32(at + 24, true);
    // A file without a size could unpack to any size.
    if (size === 0 && packed > 2) return refuseFile(file, ...DAMAGED_ZIP);
    unpacked += size;
    if (unpacked > MOST_UNPACKED)
      refuseFile(
        file,
        'it unpacks to more than 100 MB.',
        'Save the sheet as CSV.',
        'A workbook of items is far smaller.',
      );
    const length = view.getUint16(at + 28, true);
    names.push(Buffer.from(bytes.subarray(at + 46, at + 46 + length)).toString('utf8'));
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return names;
}

function findEnd(view: DataView): number | undefined {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - LONGEST_END); at--)
    if (view.getUint32(at, true) === END_RECORD) return at;
  return undefined;
}

/** Other kinds of zip, by the files in them. */
const OTHER_ZIPS: readonly (readonly [name: string, sign: RegExp])[] = [
  ['an .xlsb workbook', /^xl\/workbook\.bin$/],
  ['an OpenDocument file (.ods)', /^(?:mimetype|content\.xml)$/],
  ['a Numbers file', /^Index\/|^Index\.zip$|^index\.apxl/],
  ['a Word document', /^word\//],
  ['a presentation', /^ppt\//],
];

export function checkWorkbook(names: readonly string[], file: string): void {
  if (names.some((name) => /^xl\/workbook\.xml$/i.test(name))) return;
  const kind =
    OTHER_ZIPS.find(([, sign]) => names.some((name) => sign.test(name)))?.[0] ?? 'a zip without a workbook in it';
  refuseFile(file, `it is ${kind}.`, 'Open it, and save the table as .xlsx or as CSV.');
}
