// A question with many choices: typing finds one, and typed-ahead or pasted text never chooses.

import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import {createPrompt} from '../../../src/output/prompt/prompt.js';
import {terminal} from '../../support/output/recorded-terminal.js';

const CHOICES = [
  {name: 'NINO-0004', detail: 'Niño Ibañez, ₱38,298.00', value: 1},
  {name: 'JEEPNEY-0012', detail: 'Jeepney Brewing, ₱184,500.00', value: 2},
  {name: 'NINO-0005', detail: 'Niño Panganiban \u001B[2J', value: 3},
];

const HOST = {now: () => Date.now(), interrupt: () => {}, atExit: () => () => {}};

function desk(env: Readonly<Record<string, string>> = {}) {
  let shown = '';
  const input = Object.assign(new PassThrough(), {setRawMode: () => {}});
  const output = {write: (text: string) => ((shown += text), true), on: () => {}, off: () => {}, columns: 80, rows: 24};
  const prompt = createPrompt(terminal({env}).io, {
    streams: () => ({input, output}),
    signal: new AbortController().signal,
    host: HOST,
  });
  const answer = prompt.search('Which one?', CHOICES);
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(shown)) await new Promise((resolve) => setImmediate(resolve));
    shown = '';
  };
  return {input, answer, until};
}

test.each([
  ['Enter alone', '', 1],
  ['a part of the detail, without accents', 'ibanez', 1],
  ['the beginning of the name', 'jee', 2],
])('%s chooses the first match', async (_, typed, value) => {
  const {input, answer, until} = desk();
  await until(/3 of 3/);
  if (typed !== '') {
    input.write(typed);
    await until(/1 of 3/);
  }
  input.write('\r');
  expect(await answer).toBe(value);
});

test('arrows move among matches; Escape shows all again', async () => {
  const {input, answer, until} = desk();
  await until(/3 of 3/);
  input.write('nino');
  await until(/2 of 3/);
  input.write('\u001B[B');
  await until(/❯ NINO-0005/);
  input.write('\u001B');
  await until(/3 of 3/);
  input.write('\u001B[B');
  await until(/❯ JEEPNEY/);
  input.write('\r');
  expect(await answer).toBe(2);
});

test('Enter without a match chooses nothing', async () => {
  const {input, answer, until} = desk();
  await until(/3 of 3/);
  input.write('zzz');
  await until(/No matches/);
  input.write('\r\u007F\u007F\u007F');
  await until(/3 of 3/);
  input.write('\r');
  expect(await answer).toBe(1);
});

test.each([
  ['\u0003', 'interrupted'],
  ['\u0004', 'usage'],
])('%j ends it: %s', async (key, kind) => {
  const {input, answer, until} = desk();
  await until(/3 of 3/);
  input.write(key);
  await expect(answer).rejects.toMatchObject({kind});
});

test('in plain lines a number chooses, and other text searches', async () => {
  const {input, answer, until} = desk({ACCESSIBLE: '1'});
  await until(/3\. NINO-0005 {2}Niño Panganiban \\x1b\[2J\nNumber, or part of the name: /);
  input.write('zzz\n');
  await until(/No matches\.\n {2}1\. NINO-0004/);
  input.write('jeepney\n');
  await until(/1\. JEEPNEY-0012 {2}Jeepney Brewing, ₱184,500\.00\nNumber/);
  input.write('1\n');
  expect(await answer).toBe(2);
});
