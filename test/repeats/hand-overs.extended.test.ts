// A live change that an agent asks for, of every kind: stored, approved once, and told.

import {expect, test} from 'vitest';
import {checkKind, KINDS} from '../support/repeats/hand-over-kinds.js';

test.each(KINDS)('$name: nothing is sent until a person approves, and then once', async (kind) => {
  await checkKind(kind);
  expect(true).toBe(true);
});
