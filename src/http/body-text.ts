// Reads the body of a message as text: unpacked, decoded by its charset, with counts in place of unreadable bytes.

import {versions} from 'node:process';
import zlib from 'node:zlib';
import {formatCount} from '../common/counts.js';
import {fromWindows1252} from '../common/windows-1252.js';

export type HeaderPairs = Iterable<readonly [name: string, value: unknown]>;

/** Maximum bytes of an unpacked body that is only shown: a few kilobytes can unpack to gigabytes. */
const MAX_UNPACKED = 1024 * 1024;

type Unpack = (bytes: Uint8Array, options: zlib.ZlibOptions) => Buffer;

const {zstdDecompressSync} = zlib as {readonly zstdDecompressSync?: Unpack};
const UNPACKERS: Readonly<Record<string, Unpack | undefined>> = {
  br: zlib.brotliDecompressSync,
  // Some servers leave out the header of deflate, whose first byte ends in 8.
  deflate: (bytes, options) => (bytes[0]! % 16 === 8 ? zlib.inflateSync : zlib.inflateRawSync)(bytes, options),
  gzip: zlib.gunzipSync,
  'x-gzip': zlib.gunzipSync,
  zstd: zstdDecompressSync,
};
/** Flush operations that also unpack a body whose end is missing. */
const FLUSH = (coding: string): number =>
  coding === 'br' || coding === 'zstd' ? zlib.constants.BROTLI_OPERATION_FLUSH : zlib.constants.Z_SYNC_FLUSH;

const valueOf = (headers: HeaderPairs, wanted: string): string =>
  String([...headers].find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '').toLowerCase();

/** Returns the unpacked body, or why it stays packed. @param max bytes */
function unpack(headers: HeaderPairs, body: Uint8Array, max: number): Uint8Array | string {
  const codings = valueOf(headers, 'content-encoding').match(/[^\s,]+/g) ?? [];
  let bytes = body;
  for (const coding of codings.reverse().filter((each) => each !== 'identity' && body.length > 0)) {
    const name = /^[\w-]{1,20}$/.test(coding) ? coding : 'an unknown format';
    const size = `${formatCount(body.length, 'byte')} in ${name}`;
    const unpacker = Object.hasOwn(UNPACKERS, coding) ? UNPACKERS[coding] : undefined;
    if (!unpacker) return `[${size}, which Node ${versions.node.split('.')[0]} cannot unpack]`;
    try {
      bytes = unpacker(bytes, {finishFlush: FLUSH(coding), maxOutputLength: max});
    } catch (error) {
      const isLarge = (error as {code?: string}).code === 'ERR_BUFFER_TOO_LARGE';
      return `[${size}: ${isLarge ? `more than ${formatCount(max, 'byte')} unpacked` : 'damaged'}]`;
    }
  }
  return bytes;
}

/** Decodes bytes; undefined if the charset is unknown, or, unless `lenient`, lacks some of the bytes. */
function decode(headers: HeaderPairs, bytes: Uint8Array, options: {stream: boolean; lenient?: boolean}) {
  const [, charset = 'utf-8'] = /charset\s*=\s*["']?([^\s"';]+)/.exec(valueOf(headers, 'content-type')) ?? [];
  const {stream, lenient = false} = options;
  try {
    const decoder = new TextDecoder(charset, {fatal: !lenient});
    // Node 20 reads the quotation marks of Windows-1252 as control characters, and accepts every byte.
    const text = decoder.encoding === 'windows-1252' ? fromWindows1252(bytes) : decoder.decode(bytes, {stream});
    return decoder.encoding === 'windows-1252' && !lenient && text.includes('\uFFFD') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Returns the body unpacked and in UTF-8, or unchanged if it cannot be read so. @param max bytes of the unpacked body */
export function bodyInUtf8(headers: HeaderPairs, body: Uint8Array, max: number): Uint8Array {
  const bytes = unpack(headers, body, max);
  const text = typeof bytes === 'string' ? undefined : decode(headers, bytes, {stream: false});
  return text === undefined ? body : Buffer.from(text);
}

/** Returns the start of the body as text, to show it. @param max bytes before decoding @param cut true if more follows */
export function bodyText(headers: HeaderPairs, body: Uint8Array, max = Infinity): {text: string; cut: boolean} {
  const bytes = unpack(headers, body, MAX_UNPACKED);
  if (typeof bytes === 'string') return {text: bytes, cut: false};
  const cut = bytes.length > max;
  const start = bytes.subarray(0, max);
  const exact = decode(headers, start, {stream: cut});
  if (exact !== undefined && !exact.includes('\0')) return {text: exact, cut};
  const text = decode(headers, start, {stream: cut, lenient: true}) ?? '\0';
  const bad = text.match(/\uFFFD/g)?.length ?? 0;
  // Text in another charset has few such bytes; a picture, or a body that is packed without a header, has many.
  if (text.includes('\0') || bad * 4 > text.length)
    return {text: `[${formatCount(body.length, 'byte')} that are not text]`, cut: false};
  return {text: text.replace(/\uFFFD+/g, (run) => `[${formatCount(run.length, 'unreadable byte')}]`), cut};
}
