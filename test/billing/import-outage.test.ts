// Imports whose connection is lost for a while: a short outage is waited out, and a long one ends the run.

import {expect, onTestFinished, test} from 'vitest';
import {TransportError} from '../../src/client/call-errors.js';
import {seededRandom} from '../../src/ground/random.js';
import {JobWorld, NO_FAULTS, someRows} from '../support/billing/job-world.js';

const ROWS = 20;
const DONE = {lost: 0, doubled: 0, wrongAmounts: 0, secondEmails: 0, falseWords: [], done: ROWS, unknown: 0};

/** An account that cannot be reached for so many seconds, from a moment in the midst of the import. */
async function lostFor(seconds: number, from: number): Promise<JobWorld> {
  const world = new JobWorld(1, NO_FAULTS);
  onTestFinished(() => world.close());
  await world.stage(someRows(ROWS, seededRandom(2)));
  const begin = world.now + from;
  world.meddle = async (_, handle) => {
    if (world.now < begin || world.now >= begin + seconds * 1000) return handle();
    throw new TransportError('the connection was refused', {sent: false});
  };
  return world;
}

// While customers are created, while drafts are made, and while they are sent.
test.each([100, 400, 800])('an outage that begins after %i ms is waited out', async (from) => {
  for (const seconds of [5, 60, 100]) {
    const world = await lostFor(seconds, from);
    const began = world.now;
    await world.runToEnd();
    expect(world.now).toBeGreaterThan(began + seconds * 1000);
    expect(await world.judge()).toMatchObject({...DONE, runs: 1});
  }
});

test('after two minutes the run ends, and the next one goes on', async () => {
  const world = await lostFor(600, 800);
  const began = world.now;
  expect(await world.run()).toMatchObject({kind: 'unavailable'});
  const took = (world.now - began) / 1000;
  expect(took).toBeGreaterThan(120);
  expect(took).toBeLessThan(150);
  world.meddle = (_, handle) => handle();
  await world.runToEnd();
  expect(await world.judge()).toMatchObject(DONE);
});
