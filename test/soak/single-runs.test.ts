// The long form of test/billing/statement/workflow/single.test.ts: 5000 statements of each kind, on all cores.

import {expect, test} from 'vitest';
import {inParts} from '../support/sharded.js';
import {SEED} from '../support/seed.js';

/** Statements of each of the six kinds. */
const CASES = Number(process.env.CASES ?? 2500);

test(`${CASES} single runs of each kind (CENTAVO_SEED=${SEED})`, {timeout: 7_200_000}, async () => {
  const parts = await inParts(CASES, 'test/billing/statement/workflow/single.test.ts', (first, cases) => ({
    ...{CENTAVO_SEED: String(SEED + first), CASES: String(cases)},
  }));
  for (const {status, text} of parts) console.log(status === 0 ? text.match(/CENTAVO_SEED=.*$/gm)?.join('\n') : text);
  expect(parts.map(({status}) => status)).toEqual(parts.map(() => 0));
});
