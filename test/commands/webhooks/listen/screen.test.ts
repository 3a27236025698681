// The bytes of a terminal as keys and pasted characters, and what the screen writes.

import {PassThrough} from 'node:stream';
import {expect, test, vi} from 'vitest';
import {openScreen, type ScreenOptions} from '../../../../src/commands/webhooks/listen/screen.js';
import {dangers} from '../../../support/output/recorded-terminal.js';
import {CONTROLS, HOSTILE} from '../../../support/output/control-characters.js';

/** A screen on streams: what it hears, and what it writes. */
function opened() {
  const input = Object.assign(new PassThrough(), {setRawMode: () => {}});
  const heard: string[] = [];
  let written = '';
  const output = {write: (text: string) => ((written += text), true), on: () => {}, off: () => {}};
  const screen = openScreen({
    input,
    output,
    atExit: () => () => {},
    onKey: (key: string, isPasted: boolean) => heard.push(isPasted ? `pasted ${key}` : key),
    onResize: () => {},
  } as unknown as ScreenOptions);
  return {input, screen, heard, written: () => written};
}

test.each<[string, readonly (string | Buffer)[], readonly string[]]>([
  ['text in one piece', ['ño 😀'], ['ñ', 'o', ' ', '😀']],
  ['a character in two pieces', [Buffer.from('ñ').subarray(0, 1), Buffer.from('ñ').subarray(1)], ['ñ']],
  ['Enter behind text', ['ab\r'], ['a', 'b', 'enter']],
  ['arrows and pages', ['\u001B[A\u001BOB\u001B[5~'], ['up', 'down', 'pageup']],
  ['an arrow in pieces', ['\u001B', '[', 'C'], ['right']],
  ['Escape alone', ['\u001B'], ['escape']],
  ['Escape and a letter', ['\u001Bo'], ['escape', 'o']],
  ['Ctrl-C behind text', ['a\u0003'], ['a', 'ctrl-c']],
  ['what erases', ['\u007F\u0015'], ['backspace', 'ctrl-u']],
  ['a paste in pieces', ['\u001B[200~q\r', 'r\u001B[20', '1~q'], ['pasted q', 'pasted r', 'q']],
  ['a paste with Ctrl-C and Escape in it', ['\u001B[200~a\u0003\u001Bb\u001B[201~'], ['pasted a', 'pasted b']],
])('%s', async (_, chunks, expected) => {
  const {input, heard, screen} = opened();
  for (const chunk of chunks) input.write(chunk);
  await vi.waitFor(() => expect(heard).toEqual(expected));
  screen.close();
});

test('draws no active character', () => {
  const {screen, written} = opened();
  const before = written().length;
  screen.draw([HOSTILE]);
  const drawn = written().slice(before);
  expect(drawn.length).toBeGreaterThan(CONTROLS.length);
  // oxlint-disable-next-line no-control-regex
  expect(dangers(drawn.replace(/\u001B\[(?:[HJK]|\?2026[hl])|\t/g, ''))).toEqual([]);
  screen.close();
});
