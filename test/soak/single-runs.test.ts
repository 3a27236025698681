// The long form of test/billing/statement/workflow/single.test.ts: 5000 statements of each kind, on all cores. CASES sets the number.

import {expect, test} from 'vitest';
import {inParts} from '../support/sharded.js';

/** Statements of each of the six kinds. */
const CASES = Number(process.env.CASES ?? 5000);
// A world derives ten seeds, which must be below 2 ** 32.
const FROM = Number(process.env.FROM ?? Math.floor(Math.random() * 2 ** 28));

test(`${CASES} single runs of each kind (FROM=${FROM})`, {timeout: 7_200_000}, async () => {
  const parts = await inParts(CASES, ['test/billing/statement/workflow/single.test.ts'], (first, cases) => ({
    ...{FROM: String(FROM + first), CASES: String(cases)},
  }));
  for (const {status, text} of parts) console.log(status === 0 ? text.match(/FROM=.*$/gm)?.join('\n') : text);
  expect(parts.map(({status}) => status)).toEqual(parts.map(() => 0));
});
