// Two thousand imports of twenty statements under faults, in virtual time, on both cores: test/billing/import-faults.test.ts with more of it.

import {expect, test} from 'vitest';
import {inParts} from '../support/parts.js';

const SEED = Number(process.env.CENTAVO_SEED ?? Math.floor(Math.random() * 2 ** 31));
const TRIALS = Number(process.env.CENTAVO_TRIALS ?? 2000);

test(`${TRIALS} imports of 20 statements with faults (CENTAVO_SEED=${SEED})`, {timeout: 1_800_000}, async () => {
  const words = ['test/billing/import-faults.test.ts', '-t', 'statements with faults'];
  const parts = await inParts(TRIALS, words, (first, trials) => ({
    ...{CENTAVO_SEED: String(SEED), CENTAVO_FIRST: String(first), CENTAVO_TRIALS: String(trials), CENTAVO_ROWS: '20'},
  }));
  for (const {text} of parts) console.log(/^.*CENTAVO_SEED=.*wrong.*$/m.exec(text)?.[0] ?? text);
  expect(parts.map(({status}) => status)).toEqual(parts.map(() => 0));
});
