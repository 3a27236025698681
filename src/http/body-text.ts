// Reads the body of a message as text: unpacked, decoded by its charset, with counts in place of unreadable bytes.

import zlib from 'node:zlib';
import {formatCount} from '../common/counts.js';
import {fromWindows1252} from '../common/windows-1252.js';

/** By lower-case name. */
type HeaderFields = Readonly<Record<string, unknown>>;
type Unpack = (bytes: Uint8Array, options: zlib.ZlibOptions) => Buffer;

/** Maximum bytes of an unpacked body that is only shown: a few kilobytes can unpack to gigabytes. */
const MAX_UNPACKED = 1024 * 1024;

const UNPACKERS: Readonly<Record<string, Unpack | undefined>> = {
  br: zlib.brotliDecompressSync,
  // Some servers leave out the header of deflate, whose first byte ends in 8.
  deflate: (bytes, options) => (bytes[0]! % 16 === 8 ? zlib.inflateSync : zlib.inflateRawSync)(bytes, options),
  gzip: zlib.gunzipSync,
  'x-gzip': zlib.gunzipSync,
};

const valueOf = (headers: HeaderFields, name: string): string => String(headers[name] ?? '').toLowerCase();

/** Returns the unpacked body, or why it stays packed. @param max bytes */
function unpack(headers: HeaderFields, body: Uint8Array, max: number): Uint8Array | string {
  const coding = valueOf(headers, 'content-encoding').trim();
  if (coding === '' || coding === 'identity' || body.length === 0) return body;
  const size = `${formatCount(body.length, 'byte')} in ${/^[\w-]{1,20}$/.test(coding) ? coding : 'an unknown format'}`;
  const unpacker = Object.hasOwn(UNPACKERS, coding) ? UNPACKERS[coding] : undefined;
  if (!unpacker) return `[${size}, which centavo cannot unpack]`;
  const {BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH} = zlib.constants;
  // A flush also unpacks a body whose end is missing.
  const finishFlush = coding === 'br' ? BROTLI_OPERATION_FLUSH : Z_SYNC_FLUSH;
  try {
    return unpacker(body, {finishFlush, maxOutputLength: max});
  } catch (error) {
    const isLarge = (error as {code?: string}).code === 'ERR_BUFFER_TOO_LARGE';
    return `[${size}: ${isLarge ? `more than ${formatCount(max, 'byte')} unpacked` : 'damaged'}]`;
  }
}

/** Decodes bytes; undefined if the charset is unknown, or, unless `lenient`, lacks some of the bytes. */
function decode(headers: HeaderFields, bytes: Uint8Array, {stream = false, lenient = false} = {}): string | undefined {
  const [, charset = 'utf-8'] = /charset\s*=\s*["']?([^\s"';]+)/.exec(valueOf(headers, 'content-type')) ?? [];
  try {
    const decoder = new TextDecoder(charset, {fatal: !lenient});
    if (decoder.encoding !== 'windows-1252') return decoder.decode(bytes, {stream});
    const text = fromWindows1252(bytes);
    return text.includes('\uFFFD') && !lenient ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Returns the body unpacked and in UTF-8, or unchanged if it cannot be read so. @param max bytes of the unpacked body */
export function bodyInUtf8(headers: HeaderFields, body: Uint8Array, max: number): Uint8Array {
  const bytes = unpack(headers, body, max);
  const text = typeof bytes === 'string' ? undefined : decode(headers, bytes);
  return text === undefined ? body : Buffer.from(text);
}

/** Returns the start of the body as text, to show it. @param max bytes before decoding @param cut true if more follows */
export function bodyText(headers: HeaderFields, body: Uint8Array, max = Infinity): {text: string; cut: boolean} {
  const bytes = unpack(headers, body, MAX_UNPACKED);
  if (typeof bytes === 'string') return {text: bytes, cut: false};
  const cut = bytes.length > max;
  const start = bytes.subarray(0, max);
  const exact = decode(headers, start, {stream: cut});
  const text = exact ?? decode(headers, start, {stream: cut, lenient: true}) ?? '\0';
  const bad = exact === undefined ? (text.match(/\uFFFD/g)?.length ?? 0) : 0;
  // Text in another charset has few such bytes; a picture, or a body that is packed without a header, has many.
  if (text.includes('\0') || bad * 4 > text.length)
    return {text: `[${formatCount(body.length, 'byte')} that are not text]`, cut: false};
  if (bad === 0) return {text, cut};
  return {text: text.replace(/\uFFFD+/g, (run) => `[${formatCount(run.length, 'unreadable byte')}]`), cut};
}
