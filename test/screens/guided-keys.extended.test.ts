// Keys that a user types fast, or at random, in the guided flow: none is lost, and none confirms what was not yet asked.

import {setTimeout as delay} from 'node:timers/promises';
import {describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {screenInProcess} from '../support/in-process.js';
import {failedRuns} from '../support/random-keys.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {FIXED_NOW, screen, type Screen} from '../support/screen.js';
import {SEED} from '../support/seed.js';
import {CTRL_C, ENTER, loaded} from '../support/terminal.js';

const DOWN = '\u001B[B';

test(`keeps to the rules under random keys (CENTAVO_SEED=${SEED})`, async () => {
  expect(await failedRuns(30, {open: screenInProcess, still: 15, atOnce: 8})).toEqual([]);
});

test.runIf(loaded.pty)(`also in a pseudo-terminal (CENTAVO_SEED=${SEED})`, async () => {
  expect(await failedRuns(3, {open: screen, still: 150, atOnce: 3})).toEqual([]);
});

/** The rest of the answer to each question, how it is shown, the key behind its Enter, and what that key does. */
const QUESTIONS: readonly (readonly [rest: string, answer: RegExp, key: string, done: RegExp])[] = [
  ['nino', /❯ Niño/, 'T', /Item 1: T/],
  ['ie @ 500', /Item 1: Tie @ 500/, 'H', /Item 2: H/],
  ['at @ 500', /Item 2: Hat @ 500/, 'd', /Item 3: d/],
  ['one', /Item 3: done/, '+', /Due: \+/],
];
const DUE = ['7d', /Due: \+7d/] as const;

describe('a key behind Enter', () => {
  test.each([
    ['in the same write', undefined],
    ['5 ms later', 5],
    ['20 ms later', 20],
    ['40 ms later', 40],
  ])('counts at each question, %s', async (_, wait) => {
    const {desk, statuses} = await opened();
    for (const [rest, answer, key, done] of [...QUESTIONS, [...DUE, DOWN, /❯ s {2}/] as const]) {
      desk.type(rest);
      await desk.until(answer);
      if (wait === undefined) desk.type(`${ENTER}${key}`);
      else {
        desk.type(ENTER);
        await delay(wait);
        desk.type(key);
      }
      await desk.until(done);
    }
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
    expect(await statuses()).toEqual([]);
  });

  test('does not send if both are typed before the review', async () => {
    const {desk, statuses} = await opened();
    for (const [rest, answer, key, done] of QUESTIONS) {
      desk.type(rest);
      await desk.until(answer);
      desk.type(`${ENTER}${key}`);
      await desk.until(done);
    }
    desk.type(DUE[0]);
    await desk.until(DUE[1]);
    desk.type(`${ENTER}s${ENTER}`);
    await desk.until(/❯ s {2}/);
    expect(await statuses()).toEqual([]);
    // Enter alone could be the same press.
    desk.type('s');
    desk.type(ENTER);
    expect(await desk.ended).toBe(0);
    expect(await statuses()).toEqual(['open']);
  });
});

/** A flow that asks for the customer, and the statuses of the statements. */
async function opened(): Promise<{desk: Screen; statuses: () => Promise<string[]>}> {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory, () => FIXED_NOW);
  onTestFinished(() => merchant.close());
  await merchant.customer({name: 'Niño Ibañez', email: 'nino.ibanez@example.com', billing_statement_prefix: 'NINO'});
  const desk = screenInProcess(directory, ['bill']);
  await desk.until(/1 customer/);
  const statuses = async (): Promise<string[]> =>
    ((await merchant.call('GET', '/billing_statements')).data as {status: string}[]).map(({status}) => status);
  return {desk, statuses};
}
