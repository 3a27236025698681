// Sixty everyday commands, each killed at every request and run again; and two processes with one key, often.

import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {askTwiceAtOnce} from '../support/repeats/at-once.js';
import {interruptAll} from '../support/scenarios/interrupted.js';
import {SEED} from '../support/seed.js';

const UNKNOWN = readFileSync(new URL('../fixtures/unknown-outcomes.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const ROUNDS = Number(process.env.CENTAVO_RUNS ?? 1000);
/** `--short` of the soak tries some. */
const SHARE = process.env.CENTAVO_RUNS === undefined ? 1 : 0.12;

test(`nothing is done twice, whatever interrupts it (CENTAVO_SEED=${SEED})`, {timeout: 1_800_000}, async () => {
  const {tried, wrong, unknown} = await interruptAll(SEED, SHARE);
  console.info(`${tried} interruptions.`);
  expect(wrong).toEqual([]);
  if (SHARE === 1) expect([...unknown].sort()).toEqual(UNKNOWN);
  else expect(unknown.filter((each) => !UNKNOWN.includes(each))).toEqual([]);
});

test(`two processes with one key make one object, ${ROUNDS} times`, {timeout: 1_800_000}, async () => {
  console.info(`${await askTwiceAtOnce(ROUNDS)} of ${ROUNDS} were in progress.`);
});
