// Ten thousand rows, imported by one machine or by several with the same rows, in virtual time, on both cores:
// test/billing/import/simulated-imports.test.ts with more of it. CASES=1000 makes it sixty thousand.

import {expect, test} from 'vitest';
import {inParts} from '../support/sharded.js';
import {SEED} from '../support/seed.js';

/** Imports of each kind. */
const CASES = Number(process.env.CASES ?? 150);
// A world makes ten seeds of its own, which are below 2 ** 32.

test(`${CASES} imports of each kind (CENTAVO_SEED=${SEED})`, {timeout: 14_400_000}, async () => {
  const parts = await inParts(CASES, 'test/billing/import/simulated-imports.test.ts', (first, cases) => ({
    ...{CENTAVO_SEED: String(SEED + first), CASES: String(cases)},
  }));
  for (const {status, text} of parts) console.log(status === 0 ? text.match(/CENTAVO_SEED=.*$/gm)?.join('\n') : text);
  expect(parts.map(({status}) => status)).toEqual(parts.map(() => 0));
});
