// The drawn asker on streams that it takes for a terminal: its first frame, and what is pasted chooses nothing.

import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import {PromptEnded} from '../../../src/output/prompt/asker.js';
import {openDrawnAsker} from '../../../src/output/prompt/drawn-asker.js';

async function opened(now: () => number = () => 0) {
  const input = Object.assign(new PassThrough(), {setRawMode: () => {}});
  const output = new PassThrough();
  const asker = await openDrawnAsker(
    {input: input as never, output, signal: new AbortController().signal},
    {
      io: {paint: (_, text) => text, redact: (text) => text, width: 80},
      host: {now, interrupt: () => {}, atExit: () => () => {}},
    },
  );
  return {asker, input, output};
}

async function review() {
  let now = 0;
  const {asker, input, output} = await opened(() => now);
  output.resume();
  const choices = ['s', 'o', 't'].map((key) => ({key, name: key}));
  const answer = asker.choose({ask: "What's next?", choices, mark: 's', isCareful: true, keys: ''});
  // Enter counts from here on.
  now = 1000;
  return {answer: answer.finally(asker.close), input};
}

test.each(['tok\r', 'tok\rx', '\r\ntok\r\nx', 's\rx', '\ro', '\u001B[200~s\r\u001B[201~'])(
  'the pasted text %j confirms nothing',
  async (pasted) => {
    const {answer, input} = await review();
    for (const text of [pasted, '\u0003']) input.write(text);
    await expect(answer).rejects.toThrow(PromptEnded);
  },
);

test.each([
  ['\r', 's'],
  ['o\r', 'o'],
  ['\u001B[B\r', 'o'],
])('%j chooses %s', async (typed, chosen) => {
  const {answer, input} = await review();
  input.write(typed);
  expect(await answer).toBe(chosen);
});

test('the first frame shows the text of the question', async () => {
  const {asker, input, output} = await opened();
  output.read();
  const answer = asker.line({ask: 'Email:', text: 'ana@example.com', keys: ''}).finally(asker.close);
  const [frame] = String(output.read()).split('\u001B[?2026l');
  expect(frame).toContain('? Email: ana@example.com');
  input.write('\r');
  expect(await answer).toEqual({typed: 'ana@example.com', isSame: true});
});
