// Unpacks the parts of a workbook, none beyond the size that the zip's directory claims for it.

import {crc32, inflateRawSync} from 'node:zlib';
import {unreadableFileError} from '../row-errors.js';

/** Maximum total size of all unpacked files, in bytes. */
const MAX_UNPACKED_SIZE = 100_000_000;
/** Maximum total size of the parts that are read, in bytes. Each byte takes up to 12 bytes of memory. */
const MAX_READ_SIZE = 34_000_000;

const END_RECORD = 0x06054b50;
const ENTRY_RECORD = 0x02014b50;
/** Maximum size of a zip's end record, with the longest comment, in bytes. */
const MAX_END_LENGTH = 22 + 0xffff;

const DAMAGED_ZIP = ['it is damaged.', 'Open it, and save it again as .xlsx or as CSV.'] as const;

/** Kinds of zip by the names of files in them; the first that fits. */
const KINDS: readonly (readonly [kind: string, sign: RegExp])[] = [
  ['a workbook', /(?:^|[\\/])workbook\.xml$/i],
  ['an .xlsb workbook', /^xl\/workbook\.bin$/],
  ['an OpenDocument file (.ods)', /^(?:mimetype|content\.xml)$/],
  ['a Numbers file', /^Index\/|^Index\.zip$|^index\.apxl/],
  ['a Word document', /^word\//],
  ['a presentation', /^ppt\//],
  ['a workbook', /^\[Content_Types\]\.xml$/i],
  ['a zip without a workbook in it', /^/],
];

/** Comments and links of sheets are not read, nor files that make the library take it for another kind. */
const NEEDED_PART = /^(?!META-INF|Index|objectdata|.*sheets[\\/]_rels).*\.(?:xml|rels)$/is;

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly checksum: number;
  /** Sizes in bytes. */
  readonly packed: number;
  readonly size: number;
  /** Position of the record before the content. */
  readonly start: number;
}

/** The parts of a workbook, unpacked when the library reads them. */
export class WorkbookParts {
  /** In the form of JSZip. */
  readonly files: Readonly<Record<string, {readonly name: string; readonly asNodeBuffer: () => Buffer}>>;
  isDamaged = false;
  private readonly sizes = new Map<string, number>();

  /** @param change changes the XML of a part before the library reads it */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly file: string,
    private readonly change = (_path: string, xml: Buffer): Buffer => xml,
  ) {
    const entries = entriesOf(bytes, file);
    const [kind] = KINDS.find(([, sign]) => entries.some(({name}) => sign.test(name))) ?? KINDS.at(-1)!;
    if (kind !== 'a workbook')
      unreadableFileError(file, `it is ${kind}.`, 'Open it, and save the table as .xlsx or as CSV.');
    const needed = entries.filter(({name}) => NEEDED_PART.test(name));
    this.files = Object.fromEntries(
      needed.map((entry) => [entry.name, {name: entry.name, asNodeBuffer: () => this.unpack(entry)}]),
    );
  }

  refuse(): never {
    if (this.isTooLarge)
      unreadableFileError(this.file, 'it has more than 34 MB of cells.', 'Save the sheet as CSV.', 'CSV has no limit.');
    return unreadableFileError(
      this.file,
      'it is damaged, or has cells far outside the table.',
      'Copy the table into a new sheet, and save that as .xlsx or as CSV.',
    );
  }

  private get isTooLarge(): boolean {
    return [...this.sizes.values()].reduce((sum, size) => sum + size, 0) > MAX_READ_SIZE;
  }

  private unpack(entry: ZipEntry): Buffer {
    this.sizes.set(entry.name, entry.size);
    if (this.isTooLarge) throw new Error('too large');
    const content = contentOf(this.bytes, entry);
    this.isDamaged ||= content === undefined;
    return this.change(`/${entry.name.replaceAll('\\', '/')}`, asUtf8(content ?? Buffer.alloc(0)));
  }
}

/** Returns undefined if the content does not agree with the directory. */
function contentOf(bytes: Uint8Array, {method, checksum, packed, size, start}: ZipEntry): Buffer | undefined {
  try {
    const record = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(start);
    const at = 30 + record.readUInt16LE(26) + record.readUInt16LE(28);
    const content = record.subarray(at, at + packed);
    const plain =
      method === 8 && size > 0 ? inflateRawSync(content, {maxOutputLength: size}) : content.subarray(0, size);
    return plain.length === size && crc32(plain) === checksum ? plain : undefined;
  } catch {
    return undefined;
  }
}

/** The library garbles letters with accents in UTF-16. */
function asUtf8(xml: Buffer): Buffer {
  const mark = xml.toString('latin1', 0, 2);
  const encoding = {'\xff\xfe': 'utf-16le', '\xfe\xff': 'utf-16be'}[mark];
  return encoding ? Buffer.from(new TextDecoder(encoding).decode(xml)) : xml;
}

/** Returns the entries of the zip's directory, before anything is unpacked. */
function entriesOf(bytes: Uint8Array, file: string): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  if (end === undefined) return unreadableFileError(file, ...DAMAGED_ZIP);
  const entries: ZipEntry[] = [];
  let unpacked = 0;
  let at = view.getUint32(end + 16, true);
  for (let remaining = view.getUint16(end + 10, true); remaining > 0; remaining--) {
    if (at + 46 > end || view.getUint32(at, true) !== ENTRY_RECORD) return unreadableFileError(file, ...DAMAGED_ZIP);
    const packed = view.getUint32(at + 20, true);
    const size = view.getUint32(at + 24, true);
    // A file that claims size 0 could unpack to any size.
    if (size === 0 && packed > 2) return unreadableFileError(file, ...DAMAGED_ZIP);
    unpacked += size;
    if (unpacked > MAX_UNPACKED_SIZE)
      unreadableFileError(
        file,
        'it unpacks to more than 100 MB.',
        'Save the sheet as CSV.',
        'A workbook of items is far smaller.',
      );
    const length = view.getUint16(at + 28, true);
    entries.push({
      name: Buffer.from(bytes.subarray(at + 46, at + 46 + length)).toString('utf8'),
      method: view.getUint16(at + 10, true),
      checksum: view.getUint32(at + 16, true),
      packed,
      size,
      start: view.getUint32(at + 42, true),
    });
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

function findEnd(view: DataView): number | undefined {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - MAX_END_LENGTH); at--)
    if (view.getUint32(at, true) === END_RECORD) return at;
  return undefined;
}
