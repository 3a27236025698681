// Two thousand histories of repeats on both cores: test/guard/repeat-histories.test.ts with more of them.

import {expect, test} from 'vitest';
import {inParts} from '../support/sharded.js';
import {SEED} from '../support/seed.js';

const CASES = Number(process.env.CASES ?? 2000);

test(`${CASES} histories of repeats (CENTAVO_SEED=${SEED})`, {timeout: 14_400_000}, async () => {
  const parts = await inParts(CASES, 'test/guard/repeat-histories.test.ts', (first, cases) => ({
    ...{CENTAVO_SEED: String(SEED + first), CASES: String(cases)},
  }));
  for (const {status, text} of parts) console.log(status === 0 ? text.match(/CENTAVO_SEED=.*$/gm)?.join('\n') : text);
  expect(parts.map(({status}) => status)).toEqual(parts.map(() => 0));
});
