// Unpacks the parts of a workbook, none beyond the size that the zip's directory claims for it.

import {crc32, inflateRawSync} from 'node:zlib';
import {unreadableFileError} from '../row-errors.js';

/** Maximum total size of all unpacked files, in bytes. */
const MAX_UNPACKED_SIZE = 100_000_000;
/** Maximum total size of the unpacked parts that are read, in bytes. Each byte takes up to 12 bytes of memory. */
const MAX_READ_SIZE = 28_000_000;

const END_RECORD = 0x06054b50;
const ENTRY_RECORD = 0x02014b50;
const LOCAL_RECORD = 0x04034b50;
/** Maximum size of a zip's end record, with the longest comment, in bytes. */
const MAX_END_LENGTH = 22 + 0xffff;

const DAMAGED_ZIP = ['it is damaged.', 'Open it, and save it again as .xlsx or as CSV.'] as const;

/** Kinds of zip by the names of files in them; the first that fits. */
const KINDS: readonly (readonly [kind: string, sign: RegExp])[] = [
  ['', /(?:^|[\\/])workbook\.xml$/i],
  ['an .xlsb workbook', /^xl\/workbook\.bin$/],
  ['an OpenDocument file (.ods)', /^(?:mimetype|content\.xml)$/],
  ['a Numbers file', /^Index\/|^Index\.zip$|^index\.apxl/],
  ['a Word document', /^word\//],
  ['a presentation', /^ppt\//],
  ['', /^\[Content_Types\]\.xml$/i],
];

/** Parts to read. Comments and links are not read, nor files that make the library take it for another kind. */
const NEEDED_PART = /^(?!META-INF|Index|objectdata|.*sheets[\\/]_rels[\\/]).*(?:\.xml|\.rels)$/is;

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly checksum: number;
  /** Sizes in bytes. */
  readonly packed: number;
  readonly size: number;
  /** Position of the local record. */
  readonly start: number;
}

/** The parts of a workbook, unpacked when the library reads them. */
export class WorkbookParts {
  /** In the form of JSZip. */
  readonly files: Readonly<Record<string, {readonly name: string; readonly asNodeBuffer: () => Buffer}>>;
  isDamaged = false;
  private isTooLarge = false;
  private readonly read = new Map<string, number>();
  private readonly changes = new Map<string, (xml: string) => string>();

  /** @throws CentavoError kind `usage` if it is not a workbook, or unpacks to more than 100 MB */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly file: string,
  ) {
    const entries = entriesOf(bytes, file);
    const kind = KINDS.find(([, sign]) => entries.some(({name}) => sign.test(name)))?.[0];
    if (kind !== '') refuseKind(file, kind);
    this.files = Object.fromEntries(
      entries.flatMap((entry) =>
        NEEDED_PART.test(entry.name) ? [[entry.name, {name: entry.name, asNodeBuffer: () => this.unpack(entry)}]] : [],
      ),
    );
  }

  /** Changes the XML of a part before the library reads it again. @param path begins with a slash */
  change(path: string, change: (xml: string) => string): void {
    this.changes.set(samePath(path), change);
  }

  refuse(error?: unknown): never {
    if (error instanceof Error && error.message === 'Could not find workbook') refuseKind(this.file);
    return this.isTooLarge
      ? unreadableFileError(
          this.file,
          'it has more than 28 MB of cells.',
          'Save the sheet as CSV.',
          'A workbook is read as a whole, and a CSV file row by row.',
        )
      : unreadableFileError(
          this.file,
          'it is damaged, or has cells far outside the table.',
          'Copy the table into a new sheet, and save that as .xlsx or as CSV.',
        );
  }

  private unpack(entry: ZipEntry): Buffer {
    this.read.set(entry.name, entry.size);
    this.isTooLarge ||= [...this.read.values()].reduce((sum, size) => sum + size, 0) > MAX_READ_SIZE;
    if (this.isTooLarge) throw new Error('too large');
    try {
      const content = asUtf8(contentOf(this.bytes, entry));
      const change = this.changes.get(samePath(entry.name));
      return change ? Buffer.from(change(content.toString('utf8'))) : content;
    } catch (error) {
      this.isDamaged = true;
      throw error;
    }
  }
}

const samePath = (path: string): string => path.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();

const refuseKind = (file: string, kind = 'a zip without a workbook in it'): never =>
  unreadableFileError(file, `it is ${kind}.`, 'Open it, and save the table as .xlsx or as CSV.');

function contentOf(bytes: Uint8Array, {method, checksum, packed, size, start}: ZipEntry): Buffer {
  const local = Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.byteLength - start);
  const at = 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
  const content = local.subarray(at, at + packed);
  if (local.readUInt32LE() !== LOCAL_RECORD || ![0, 8].includes(method)) throw new Error('damaged');
  const plain =
    method === 0 || size === 0 ? content.subarray(0, size) : inflateRawSync(content, {maxOutputLength: size});
  if (plain.length !== size || crc32(plain) !== checksum) throw new Error('damaged');
  return plain;
}

/** The library garbles letters with accents in UTF-16. */
function asUtf8(xml: Buffer): Buffer {
  const [first, second] = xml;
  const isLittle = first === 0xff && second === 0xfe;
  return isLittle || (first === 0xfe && second === 0xff)
    ? Buffer.from(new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be').decode(xml))
    : xml;
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
