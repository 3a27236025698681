// A terminal that is closed while a question is open: reading fails with EIO, and the question ends.

import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import {Keyboard} from '../../../src/output/prompt/keyboard.js';
import {openPlainAsker} from '../../../src/output/prompt/plain-asker.js';

const terminal = () => Object.assign(new PassThrough(), {setRawMode: () => {}});
const EIO = Object.assign(new Error('read EIO'), {code: 'EIO'});

test.each(['line', 'password'] as const)('a plain %s', async (kind) => {
  const input = terminal();
  const output = new PassThrough();
  const asker = await openPlainAsker(
    {input: input as never, output, signal: new AbortController().signal},
    {io: {redact: (text) => text, width: 80}},
  );
  const answer = kind === 'line' ? asker.line({ask: 'Customer:', keys: ''}) : asker.password('Key:');
  const shown = expect(answer).rejects.toMatchObject({reason: 'ended'});
  await new Promise((resolve) => output.once('data', resolve));
  await new Promise(setImmediate);
  input.destroy(EIO);
  await shown;
});

test('the keyboard of drawn questions', async () => {
  const input = terminal();
  const left: string[] = [];
  const onLeave = (reason: string): number => left.push(reason);
  const keys = new Keyboard({input: input as never, now: Date.now, onLeave});
  input.destroy(EIO);
  await new Promise(setImmediate);
  expect(left[0]).toBe('ended');
  keys.close();
});
