// The bytes of a terminal as keys, typed text and pasted text.

import {PassThrough} from 'node:stream';
import {expect, test, vi} from 'vitest';
import {openKeyboard} from '../../../src/output/prompt/keyboard.js';
import type {KeyEvent} from '../../../src/output/prompt/line-field.js';

const key = (name: string): KeyEvent => ({type: 'key', key: name});
const text = (typed: string): KeyEvent => ({type: 'text', text: typed});
const paste = (pasted: string): KeyEvent => ({type: 'paste', text: pasted});

test.each<[string, readonly string[], readonly KeyEvent[]]>([
  ['text in one piece', ['Niño 😀'], [text('Niño 😀')]],
  ['Enter behind text', ['abc\r'], [text('abc'), key('enter')]],
  ['Enter of two characters', ['abc\r\n'], [text('abc'), key('enter')]],
  ['Enter pressed twice at once', ['\r\r'], [key('enter')]],
  ['arrows and pages', ['\u001B[A\u001BOB\u001B[5~'], [key('up'), key('down'), key('pageup')]],
  ['an arrow in pieces', ['\u001B', '[', 'C'], [key('right')]],
  ['Escape alone', ['\u001B'], [key('escape')]],
  ['Escape and a letter', ['\u001Bo'], [key('escape'), text('o')]],
  ['Ctrl-C behind text', ['abc\u0003'], [text('abc'), key('ctrl-c')]],
  ['what erases', ['\u007F\u0015'], [key('backspace'), key('ctrl-u')]],
  ['a paste with marks, in pieces', ['\u001B[200~a\r', 'b\u001B[20', '1~'], [paste('a\rb')]],
  ['a paste without marks', ['a\rb\r', 'c'], [paste('a\rb\rc')]],
  ['a paste with Ctrl-C in its marks', ['\u001B[200~a\u0003b\u001B[201~'], [paste('a\u0003b')]],
])('%s', async (_, chunks, expected) => {
  const heard: KeyEvent[] = [];
  const input = Object.assign(new PassThrough(), {setRawMode: () => {}});
  const keyboard = openKeyboard({input, onEvent: (event) => heard.push(event), onEnd: () => {}});
  for (const chunk of chunks) input.write(chunk);
  await vi.waitFor(() => expect(heard).toEqual(expected));
  keyboard.close();
});
