import {brotliCompressSync, deflateRawSync, deflateSync, gzipSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {bodyInUtf8, bodyText} from '../../src/http/body-text.js';

const WORDS = '{"message":"Walang column na “paid_at” para kay Peña"}';
const packed = (coding: string) => ({'content-encoding': coding});
const typed = (charset: string) => ({'content-type': `text/html; Charset="${charset}"`});
const textOf = (...given: Parameters<typeof bodyText>) => bodyText(...given).text;

describe('a body that is packed', () => {
  test.each([
    ['gzip', gzipSync(WORDS)],
    ['X-GZip', gzipSync(WORDS)],
    ['deflate', deflateSync(WORDS)],
    ['deflate', deflateRawSync(WORDS)],
    ['br', brotliCompressSync(WORDS)],
    ['identity', Buffer.from(WORDS)],
  ])('%s is unpacked', (coding, body) => {
    expect(textOf(packed(coding), body)).toBe(WORDS);
    expect(Buffer.from(bodyInUtf8(packed(coding), body, 1000)).toString()).toBe(WORDS);
  });

  test('whose end is missing is unpacked as far as it goes', () => {
    const lines = Array.from({length: 2000}, (_, index) => `line ${index * 7919}`).join('\n');
    for (const [coding, body] of [
      ['gzip', gzipSync(lines)],
      ['br', brotliCompressSync(lines)],
    ] as const)
      expect(textOf(packed(coding), body.subarray(0, body.length / 2))).toMatch(/^line 0\nline 7919\n/);
  });

  test('stays packed, and is described, if it is damaged, unknown, or too large', () => {
    const gzip = gzipSync(WORDS);
    expect(textOf(packed('gzip'), Buffer.from('no gzip'))).toBe('[7 bytes in gzip: damaged]');
    expect(textOf(packed('constructor'), gzip)).toMatch(/^\[\d+ bytes in constructor, which centavo cannot unpack]$/);
    expect(textOf(packed('\x1b[31m'), gzip)).toMatch(/ in an unknown format, which centavo /);
    const bomb = gzipSync(Buffer.alloc(100_000_000));
    expect(textOf(packed('gzip'), bomb)).toMatch(/^\[[\d,]+ bytes in gzip: more than 1,048,576 bytes unpacked]$/);
    expect(bodyInUtf8(packed('gzip'), gzip, 10)).toBe(gzip);
    expect(textOf(packed('gzip'), Buffer.of())).toBe('');
  });
});

describe('a body in another charset', () => {
  test.each([
    ['iso-8859-1', 'Pe\xf1a', 'Peña'],
    ['Windows-1252', '\x93Pe\xf1a\x94 \x80', '“Peña” €'],
    ['Shift_JIS', '\x83\x65\x83\x58\x83\x67', 'テスト'],
    ['utf-16le', 'P\0e\0\xf1\0a\0', 'Peña'],
  ])('%s is decoded', (charset, bytes, text) => {
    expect(textOf(typed(charset), Buffer.from(bytes, 'latin1'))).toBe(text);
    expect(Buffer.from(bodyInUtf8(typed(charset), Buffer.from(bytes, 'latin1'), 1000)).toString()).toBe(text);
  });

  test('shows the number of bytes that it cannot decode, and keeps them in the bytes', () => {
    const latin1 = Buffer.from('{"error":"Walang Pe\xf1a"}', 'latin1');
    expect(textOf({}, latin1)).toBe('{"error":"Walang Pe[1 unreadable byte]a"}');
    expect(bodyInUtf8({}, latin1, 1000)).toBe(latin1);
    expect(textOf(typed('windows-1252'), Buffer.from('Walang Pe\x81\x8da', 'latin1'))).toBe(
      'Walang Pe[2 unreadable bytes]a',
    );
    expect(textOf({}, gzipSync(WORDS))).toMatch(/^\[\d+ bytes that are not text]$/);
    expect(textOf({}, Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'))).toBe('[10 bytes that are not text]');
    expect(textOf(typed('klingon'), latin1)).toBe(`[${latin1.length} bytes that are not text]`);
    expect(textOf({}, Buffer.from('a \uFFFD that was sent'))).toBe('a \uFFFD that was sent');
  });

  test('is cut between characters', () => {
    expect(bodyText({}, Buffer.from('Peña'), 3)).toEqual({text: 'Pe', cut: true});
    expect(bodyText({}, Buffer.from('Peña'), 5)).toEqual({text: 'Peña', cut: false});
  });
});
