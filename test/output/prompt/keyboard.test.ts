// The bytes of a terminal as keys, typed text and pasted text, and what waits for the next question.

import {PassThrough} from 'node:stream';
import {expect, test, vi} from 'vitest';
import {Keyboard} from '../../../src/output/prompt/keyboard.js';

type Heard = readonly [text: string | undefined, name?: string, pasted?: string];

function keyboard() {
  const heard: Heard[] = [];
  const left: string[] = [];
  let now = 0;
  const input = Object.assign(new PassThrough(), {setRawMode: () => {}});
  const keys = new Keyboard({
    input: input as never,
    now: () => now,
    onLeave: (reason) => left.push(reason),
  });
  keys.on('keypress', (text: string | undefined, {name, sequence}: {name?: string; sequence?: string}) => {
    heard.push(name === 'paste' ? [text, name, sequence] : [text, name]);
    if (name === 'accept') keys.hold();
  });
  return {heard, left, input, keys, pass: (milliseconds: number) => (now += milliseconds)};
}

const ACCEPT: Heard = [undefined, 'accept'];

test.each<[string, readonly string[], readonly Heard[]]>([
  ['text in one piece', ['Niño 😀'], [['Niño 😀', undefined]]],
  ['Enter behind text', ['abc\r'], [['abc', undefined], ACCEPT]],
  ['Enter of two characters', ['abc\r\n'], [['abc', undefined], ACCEPT]],
  [
    'arrows and pages',
    ['\u001B[A\u001BOB\u001B[5~'],
    [
      [undefined, 'previous'],
      [undefined, 'next'],
      [undefined, 'pageup'],
    ],
  ],
  ['an arrow in pieces', ['\u001B', '[', 'C'], [[undefined, 'right']]],
  [
    'Escape and a letter',
    ['\u001Bo'],
    [
      [undefined, 'escape'],
      ['o', undefined],
    ],
  ],
  ['Tab', ['\t'], [[undefined, 'take']]],
  ['a paste with marks, in pieces', ['\u001B[200~a\r', 'b\u001B[20', '1~'], [[undefined, 'paste', 'a\rb']]],
  ['a paste with Ctrl-C in its marks', ['\u001B[200~a\u0003b\u001B[201~'], [[undefined, 'paste', 'a\u0003b']]],
])('%s', async (_, chunks, expected) => {
  const {heard, input, keys} = keyboard();
  keys.listen();
  for (const chunk of chunks) input.write(chunk);
  await vi.waitFor(() => expect(heard).toEqual(expected));
  keys.close();
});

test('Escape alone is a key after a short while', async () => {
  const {heard, input, keys} = keyboard();
  keys.listen();
  input.write('\u001B');
  await vi.waitFor(() => expect(heard.map(([, name]) => name)).toEqual(['escape']));
  keys.close();
});

test('lines without marks are a paste where a list is expected, and typed keys elsewhere', async () => {
  const {heard, input, keys} = keyboard();
  keys.listen(() => true);
  input.write('a\rb\r');
  input.write('c');
  await vi.waitFor(() => expect(heard).toEqual([[undefined, 'paste', 'a\rb\rc']]));
  keys.listen();
  input.write('a\rb');
  await vi.waitFor(() => expect(heard.slice(1)).toEqual([['a', undefined], ACCEPT]));
  keys.listen();
  expect(heard.slice(3)).toEqual([['b', undefined]]);
  keys.close();
});

test('for a prompt of inquirer, keys have their usual names, and a paste is typed text', async () => {
  const {heard, input, keys} = keyboard();
  keys.listen(undefined, true);
  for (const chunk of ['\u001B[A', '\t', 'up', '\r', '2', '\u001B[200~a\rb\u001B[201~']) input.write(chunk);
  await vi.waitFor(() =>
    expect(heard).toEqual([
      [undefined, 'up'],
      [undefined, 'tab'],
      ['up', undefined],
      [undefined, 'return'],
      ['2', '2'],
      ['a b', undefined],
    ]),
  );
  keys.close();
});

test('keys behind Enter wait for the next question; a repeated Enter counts once', async () => {
  const {heard, input, keys, pass} = keyboard();
  keys.listen();
  for (const chunk of ['a\r', '\r', 'b', '\r']) input.write(chunk);
  await vi.waitFor(() => expect(heard).toEqual([['a', undefined], ACCEPT]));
  keys.listen();
  expect(heard.slice(2)).toEqual([['b', undefined], ACCEPT]);
  pass(200);
  input.write('\r');
  keys.listen();
  await vi.waitFor(() => expect(heard.slice(4)).toEqual([ACCEPT]));
  keys.close();
});

test('drops what was typed ahead, or only its Enter', async () => {
  const {heard, input, keys} = keyboard();
  input.write('x\u001B[B\r');
  await new Promise((resolve) => setImmediate(resolve));
  keys.dropEnter();
  keys.listen();
  expect(heard).toEqual([
    ['x', undefined],
    [undefined, 'next'],
  ]);
  keys.hold();
  input.write('y');
  await new Promise((resolve) => setImmediate(resolve));
  keys.drop();
  keys.listen();
  expect(heard).toHaveLength(2);
  keys.close();
});

test('Ctrl-C, Ctrl-D and the end of the input leave, even between questions', async () => {
  const {left, input, keys} = keyboard();
  for (const chunk of ['abc\u0003', '\u0004']) input.write(chunk);
  input.end();
  await vi.waitFor(() => expect(left.slice(0, 3)).toEqual(['stopped', 'ended', 'ended']));
  keys.close();
});
