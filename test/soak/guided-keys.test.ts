// Random keys in the guided flow: nothing is sent that was not confirmed, nothing shown is lost, and it always ends.

import {expect, test} from 'vitest';
import {screenInProcess} from '../support/in-process.js';
import {failedRuns} from '../support/random-keys.js';
import {screen} from '../support/screen.js';
import {SEED} from '../support/seed.js';
import {loaded} from '../support/terminal.js';

const RUNS = Number(process.env.CENTAVO_RUNS ?? 1000);
const RUNS_AT_TERMINALS = Math.min(60, RUNS);

test(`${RUNS} times in process (CENTAVO_SEED=${SEED})`, {timeout: 3_600_000}, async () => {
  expect(await failedRuns(RUNS, {open: screenInProcess, still: 15, atOnce: 8})).toEqual([]);
});

test.runIf(loaded.pty)(
  `${RUNS_AT_TERMINALS} times in a pseudo-terminal (CENTAVO_SEED=${SEED})`,
  {timeout: 3_600_000},
  async () => {
    expect(await failedRuns(RUNS_AT_TERMINALS, {open: screen, still: 150, atOnce: 3})).toEqual([]);
  },
);
