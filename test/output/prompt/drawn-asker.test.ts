// The drawn asker on streams that it takes for a terminal: what is pasted chooses nothing.

import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import {PromptEnded} from '../../../src/output/prompt/asker.js';
import {openDrawnAsker} from '../../../src/output/prompt/drawn-asker.js';

async function review() {
  let now = 0;
  const input = Object.assign(new PassThrough(), {setRawMode: () => {}});
  const asker = await openDrawnAsker(
    {input: input as never, output: new PassThrough().resume(), signal: new AbortController().signal},
    {
      io: {paint: (_, text) => text, redact: (text) => text, width: 80},
      host: {now: () => now, interrupt: () => {}, suspend: () => {}, atExit: () => () => {}},
    },
  );
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
