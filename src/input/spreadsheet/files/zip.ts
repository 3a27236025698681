// Unpacks the parts of a workbook, none beyond the size that the zip's directory claims for it.

import {crc32, inflateRawSync} from 'node:zlib';
import {unreadableFileError} from '../row-errors.js';

/** Maximum total size of all unpacked files, in bytes. */
const MAX_UNPACKED_SIZE = 100_000_000;
/** Maximum total size of the parts that are read, in bytes. Each byte takes up to 12 bytes of memory. */
const MAX_READ_SIZE = 34_000_000;

const END_RECORD = Buffer.from('PK\x05\x06');
const ENTRY_RECORD = 0x02014b50;

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

type ZipEntry = ReturnType<typeof entriesOf>[number];

/** The parts of a workbook, unpacked when the library reads them. */
export class WorkbookParts {
  /** In the form of JSZip. */
  readonly files: Readonly<Record<string, {readonly name: string; readonly asNodeBuffer: () => Buffer}>>;
  isDamaged = false;
  private readonly zip: Buffer;
  private readonly sizes = new Map<string, number>();

  /** @param change changes the XML of a part before the library reads it */
  constructor(
    bytes: Uint8Array,
    private readonly file: string,
    private readonly change = (_path: string, xml: Buffer): Buffer => xml,
  ) {
    this.zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const entries = this.entries();
    if (totalOf(entries.map(({size}) => size)) > MAX_UNPACKED_SIZE)
      unreadableFileError(
        file,
        'it unpacks to more than 100 MB.',
        'Save the sheet as CSV.',
        'A workbook of items is far smaller.',
      );
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

  private entries(): ZipEntry[] {
    try {
      return entriesOf(this.zip);
    } catch {
      return unreadableFileError(this.file, 'it is damaged.', 'Open it, and save it again as .xlsx or as CSV.');
    }
  }

  private get isTooLarge(): boolean {
    return totalOf([...this.sizes.values()]) > MAX_READ_SIZE;
  }

  private unpack(entry: ZipEntry): Buffer {
    this.sizes.set(entry.name, entry.size);
    if (this.isTooLarge) throw new Error('too large');
    try {
      return this.change(`/${entry.name.replaceAll('\\', '/')}`, asUtf8(contentOf(this.zip, entry)));
    } catch (error) {
      this.isDamaged = true;
      throw error;
    }
  }
}

const totalOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** @throws Error if the content does not agree with the directory */
function contentOf(zip: Buffer, {method, checksum, packed, size, start}: ZipEntry): Buffer {
  const at = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28);
  const content = zip.subarray(at, at + packed);
  const plain = method === 8 && size > 0 ? inflateRawSync(content, {maxOutputLength: size}) : content.subarray(0, size);
  if (plain.length !== size || crc32(plain) !== checksum) throw new Error('damaged');
  return plain;
}

/** The library garbles letters with accents in UTF-16. */
function asUtf8(xml: Buffer): Buffer {
  const mark = xml.toString('latin1', 0, 2);
  const encoding = {'\xff\xfe': 'utf-16le', '\xfe\xff': 'utf-16be'}[mark];
  return encoding ? Buffer.from(new TextDecoder(encoding).decode(xml)) : xml;
}

/** Reads the zip's directory, before anything is unpacked. @throws Error if it is damaged */
function entriesOf(zip: Buffer) {
  const end = zip.lastIndexOf(END_RECORD);
  if (end < 0) throw new Error('damaged');
  let at = zip.readUInt32LE(end + 16);
  return Array.from({length: zip.readUInt16LE(end + 10)}, () => {
    const [checksum, packed, size] = [16, 20, 24].map((offset) => zip.readUInt32LE(at + offset)) as [
      number,
      number,
      number,
    ];
    // A file that claims size 0 could unpack to any size.
    if (zip.readUInt32LE(at) !== ENTRY_RECORD || (size === 0 && packed > 2)) throw new Error('damaged');
    const [method, start, nameAt] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 42), at + 46];
    const nameEnd = nameAt + zip.readUInt16LE(at + 28);
    at = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
    return {name: zip.toString('utf8', nameAt, nameEnd), method, checksum, packed, size, start};
  });
}
