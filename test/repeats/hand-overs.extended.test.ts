// A live change that an agent asks for, of every kind: stored, approved once, and told, whenever its approval is killed.

import {expect, test} from 'vitest';
import {approveKilled, checkKind, KINDS, kindNamed} from '../support/repeats/hand-over-kinds.js';

test.each(KINDS)('$name: nothing is sent until a person approves, and then once', async (kind) => {
  expect((await checkKind(kind)).approved.status).toBe(0);
});

/** Every so many steps; 1 takes hours on a busy machine. */
const STRIDE = Number(process.env.CENTAVO_KILL_STRIDE ?? 3);

test.each([
  'customer',
  'webhook',
  'checkout session',
  'bill with an email',
  'copy with an email',
  'reissue',
  'refund of a payment',
  'refund of the rest',
  'capture',
  'email of a draft',
  'void',
  'settle',
  'new name',
  'edit a draft',
  'delete a customer',
  'webhook deleted',
  'remind',
  'import of a file',
  'import of stdin',
  'jobs void',
  'several ids',
  'several emails',
])('%s: killed at each step of its approval, and approved again: done once', {timeout: 600_000}, async (name) => {
  const kind = kindNamed(name);
  const wrong: string[] = [];
  const at = async (step: number, clean: string) => {
    const closers: (() => unknown)[] = [];
    try {
      return await approveKilled(kind, step, clean, (close) => void closers.push(close));
    } finally {
      for (const close of closers.reverse()) await close();
    }
  };
  const whole = await at(0, '');
  expect(whole.steps).toBeGreaterThan(10);
  for (let step = 1; step <= whole.steps!; step += STRIDE) {
    const found = await at(step, whole.clean!);
    if (found.wrong !== '') wrong.push(found.wrong);
  }
  expect(wrong).toEqual([]);
});
