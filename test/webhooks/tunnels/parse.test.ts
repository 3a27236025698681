// Values of `--tunnel` and `--public-url`, splitting commands, and quoting other programs' output.

import {expect, test} from 'vitest';
import {quoteLastError, quoteLine} from '../../../src/webhooks/tunnels/program-tunnel.js';
import {readTunnel, type TunnelOptions} from '../../../src/webhooks/tunnels/providers.js';
import type {ProcessHost} from '../../../src/processes/child-program.js';
import {valueOrThrow} from '../../../src/input/invalid-input.js';
import {splitWords} from '../../../src/input/shell-quoting.js';

const host: ProcessHost = {env: {}, kill: () => {}};
const parse = (text: string, options: Omit<TunnelOptions, 'host'> = {}) =>
  valueOrThrow(readTunnel(text, {host, ...options}));

test('recognizes every form', () => {
  expect(parse('none').name).toBe('none');
  expect(parse('cloudflared').name).toBe('cloudflared');
  expect(parse('ngrok').name).toBe('ngrok');
  expect(parse('command:mytunnel {port}', {publicUrl: 'https://a.example'}).name).toBe('mytunnel');
});

test.each<[string, Omit<TunnelOptions, 'host'>]>([
  ['', {}],
  ['frp', {}],
  ['command', {}],
  ['cloudflared:x', {}],
  ['command:', {publicUrl: 'https://a.example'}],
  ['command:"x', {publicUrl: 'https://a.example'}],
  ['cloudflared', {publicUrl: 'https://a.example'}],
  ['none', {publicUrl: 'a.example'}],
  ['none', {publicUrl: 'ftp://a.example'}],
  ['none', {publicUrl: 'https://user:secret@a.example'}],
  ['none', {publicUrl: 'https://a.example/?x=1'}],
])('%s %o is refused as a usage error', (text, options) => {
  expect(() => parse(text, options)).toThrow(expect.objectContaining({kind: 'usage'}));
});

test('without a tunnel, uses the receiver or the public URL', async () => {
  const controller = new AbortController();
  const open = (publicUrl?: string) => parse('none', {publicUrl}).open({localPort: 4000, signal: controller.signal});
  const [bare, led] = await Promise.all([open(), open('https://hooks.example.com/')]);
  expect([bare.url, led.url]).toEqual(['http://127.0.0.1:4000', 'https://hooks.example.com']);
  await bare.close();
  expect(await bare.closed).toBe('it was closed');
  controller.abort();
  expect(await led.closed).toBe('it was closed');
  expect(await (await open()).closed).toBe('it was closed');
});

test.each<[string, string[]]>([
  ['', []],
  ['  a  b ', ['a', 'b']],
  [`a"b c"'d e'f`, ['ab cd ef']],
  [`"" ''`, ['', '']],
  [String.raw`"a\"b\\c\d" 'a\b' a\ b`, [String.raw`a"b\c\d`, String.raw`a\b`, 'a b']],
  ['a|b && $(c) `d` > *', ['a|b', '&&', '$(c)', '`d`', '>', '*']],
])('%s is split into words', (text, words) => {
  expect(valueOrThrow(splitWords(text))).toEqual(words);
});

test('refuses unclosed quotes', () => {
  for (const text of [`'a`, `"a`, 'a\\', `"a\\"`])
    expect(() => valueOrThrow(splitWords(text))).toThrow(expect.objectContaining({kind: 'usage'}));
});

test.each([
  ['connect to https://me:hunter2@example.com/x failed', 'connect to https://…@example.com/x failed'],
  ['Authorization: Bearer abc.def', 'Authorization: … …'],
  ['got bearer abc.def', 'got bearer …'],
  ['{"authtoken": "short","x":1}', '{"authtoken": "…","x":1}'],
  ['--api-key=k3y --verbose', '--api-key=… --verbose'],
  ['id 8f2b4c6d8f2b4c6d8f2b4c6d', 'id 8f2b…'],
  ['no-digits-in-this-rather-long-name', 'no-digits-in-this-rather-long-name'],
])('%s is shown without its secret', (line, shown) => {
  expect(quoteLine(line)).toBe(shown);
});

test('shortens a long line', () => {
  expect(quoteLine('x '.repeat(200))).toBe(`${'x '.repeat(100)}…`);
});

test('shows the line with the failure, not the last one', () => {
  expect(quoteLastError(['a', 'ERR no', 'bye'])).toBe('It printed: ERR no');
  expect(quoteLastError(['a', 'bye'])).toBe('It printed: bye');
  expect(quoteLastError([])).toBe('It printed nothing.');
});
