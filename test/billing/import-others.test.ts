// Imports while somebody else works on the same statements: another import of the same file, the dashboard, the customer.

import {expect, onTestFinished, test} from 'vitest';
import {seededRandom} from '../../src/sandbox/seeded-random.js';
import {JobWorld, NO_FAULTS, someRows} from './support/job-world.js';

async function worldWith(count: number, ...names: string[]) {
  const world = new JobWorld(7, NO_FAULTS);
  onTestFinished(() => world.close());
  const rows = someRows(count, seededRandom(8));
  for (const name of names) await world.stage(rows, {name});
  const emails = async () => (await world.statements()).map(({id}) => world.emails(id)).reduce((a,b)=>a+b,0);
  return {world, rows, emails};
}

test('two imports of the same file, both confirmed before the first began', async () => {
  const {world, emails} = await worldWith(4, 'job_one', 'job_two');
  expect(await world.run('job_one')).toBeUndefined();
  world.now += 5000;
  console.log(await world.run('job_two'));
  console.log(world.rows('job_two').map(({phase, error, sent}) => [phase, error, sent]));
  expect(await emails()).toBe(4);
});
