// Ten thousand secrets through every way of printing.

import {test} from 'vitest';
import {walkThrough} from '../output/redaction/walk.js';
import {SEED} from '../support/seed.js';

const COUNT = Number(process.env.CENTAVO_SECRETS ?? 10_000);

test(`of ${COUNT} secrets no piece is printed (CENTAVO_SEED=${SEED})`, {timeout: 900_000}, async () => {
  console.log(await walkThrough(COUNT, SEED));
});
