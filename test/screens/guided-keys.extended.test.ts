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

/** Each question, with the answer to it, the key behind its Enter, and what that key does. */
const QUESTIONS: readonly (readonly [shown: RegExp, answer: string, key: string, done: RegExp])[] = [
  [/❯ Niño/, '', 'T', /Item 1: T/],
  // Written at once, two lines are a pasted list, whose second line is asked for.
  [/Item 1: T/, 'ie @ 500', 'H', /(Item|Pasted line) 2: H/],
  [/2: H/, 'at @ 500', 'd', /Item 3: d/],
  [/Item 3: d/, 'one', '+', /Due: \+/],
  [/Due: \+/, '7d', DOWN, /❯ s {2}/],
];

describe('a key behind Enter', () => {
  test.each([
    ['in the same write', undefined],
    ['5 ms later', 5],
    ['20 ms later', 20],
    ['40 ms later', 40],
  ])('counts at each question, %s', async (_, wait) => {
    const {desk, merchant} = await opened();
    for (const [shown, answer, key, done] of QUESTIONS) {
      await desk.until(shown);
      if (wait === undefined) desk.type(`${answer}${ENTER}${key}`);
      else {
        desk.type(`${answer}${ENTER}`);
        await delay(wait);
        desk.type(key);
      }
      await desk.until(done);
    }
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
    expect((await merchant.call('GET', '/billing_statements')).data).toEqual([]);
  });

  test('does not send if both are typed before the review', async () => {
    const {desk, merchant} = await opened();
    for (const [shown, answer, key] of QUESTIONS.slice(0, 4)) {
      await desk.until(shown);
      desk.type(`${answer}${ENTER}${key}`);
    }
    await desk.until(/Due: \+/);
    desk.type(`7d${ENTER}s${ENTER}`);
    await desk.until(/❯ s {2}/);
    expect((await merchant.call('GET', '/billing_statements')).data).toEqual([]);
    desk.type(ENTER);
    expect(await desk.ended).toBe(0);
    expect((await merchant.call('GET', '/billing_statements')).data).toMatchObject([{status: 'open'}]);
  });
});

/** A flow in which the customer is marked, but not yet chosen. */
async function opened(): Promise<{desk: Screen; merchant: Merchant}> {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory, () => FIXED_NOW);
  onTestFinished(() => merchant.close());
  await merchant.customer({name: 'Niño Ibañez', email: 'nino.ibanez@example.com', billing_statement_prefix: 'NINO'});
  const desk = screenInProcess(directory, ['bill']);
  await desk.until(/1 customer/);
  desk.type('nino');
  return {desk, merchant};
}
