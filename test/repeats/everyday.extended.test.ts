// Sixty everyday commands, each killed at some of its requests and run again; and two processes with one key.

import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {askTwiceAtOnce} from '../support/repeats/at-once.js';
import {EVERYDAY} from '../support/scenarios/everyday.js';
import {interruptAll} from '../support/scenarios/interrupted.js';
import {SEED} from '../support/seed.js';

const UNKNOWN = readFileSync(new URL('../fixtures/unknown-outcomes.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

test(`nothing is done twice, whatever interrupts it (CENTAVO_SEED=${SEED})`, {timeout: 300_000}, async () => {
  expect(EVERYDAY).toHaveLength(60);
  const {tried, wrong, unknown} = await interruptAll(SEED, 0.12);
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(60);
  expect(unknown.filter((each) => !UNKNOWN.includes(each))).toEqual([]);
});

test('two processes with one key make one object', {timeout: 300_000}, async () => {
  await askTwiceAtOnce(50);
});
