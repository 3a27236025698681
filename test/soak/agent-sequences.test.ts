// Two thousand sequences of an agent on both cores: test/guard/agent-sequences.test.ts with more of them.

import {expect, test} from 'vitest';
import {inParts} from '../support/sharded.js';
import {SEED} from '../support/seed.js';

const CASES = Number(process.env.CASES ?? 2000);
/** Sequences of one round, after which its processes and their memory are gone. */
const ROUND = 2000;

test(`${CASES} sequences of an agent (CENTAVO_SEED=${SEED})`, {timeout: 14_400_000}, async () => {
  for (let start = 0; start < CASES; start += ROUND) {
    const count = Math.min(ROUND, CASES - start);
    const parts = await inParts(count, 'test/guard/agent-sequences.test.ts', (first, cases) => ({
      ...{CENTAVO_SEED: String(SEED + start + first), CASES: String(cases)},
    }));
    for (const {status, text} of parts)
      console.log(status === 0 ? text.match(/CENTAVO_SEED=.*;.*$/gm)?.join('\n') : text);
    expect(parts.map(({status}) => status)).toEqual(parts.map(() => 0));
  }
});
