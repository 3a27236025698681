// Decodes Windows-1252. On Node 20, TextDecoder reads its quotation marks as control characters, and refuses no byte.

/** The characters of bytes 80 to 9F; empty for the five undefined bytes. */
export const WINDOWS_1252_HIGH = '€,,‚,ƒ,„,…,†,‡,ˆ,‰,Š,‹,Œ,,Ž,,,‘,’,“,”,•,–,—,˜,™,š,›,œ,,ž,Ÿ'.split(',');

/** Undefined bytes become U+FFFD. */
export const fromWindows1252 = ({buffer, byteOffset, byteLength}: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (byte) => WINDOWS_1252_HIGH[byte.charCodeAt(0) - 0x80]! || '\uFFFD');
