// One statement, billed by one machine or more under faults, kills, old reads and people at the dashboard: what must never happen.

import {expect, test} from 'vitest';
import {seededRandom} from '../../../src/ground/random.js';
import {drawCase, violations} from '../../support/engine/cases.js';
import {scaled, RATES} from '../../support/engine/faults.js';
import {bills, goesOn, Machine, planOf} from '../../support/engine/subjects.js';

const CASES = Number(process.env.CASES ?? 150);
const FROM = Number(process.env.FROM ?? 1);
const seeds = Array.from({length: CASES}, (_, index) => FROM + index);

interface Tally {
  ends: Record<string, number>;
  broken: string[];
}

async function each(
  seed: number,
  tally: Tally,
  options: Parameters<typeof drawCase>[1],
  second: boolean,
): Promise<void> {
  const {world, plan} = await drawCase(seed, {...options, twins: 0});
  const chance = seededRandom(10 * seed + 5);
  const machines = [new Machine('A', world), ...(second ? [new Machine('B', world)] : [])];
  const pause = (): number => (chance() < 0.5 ? 500 : chance() * 40_000);
  const [first, other] = machines as [Machine, Machine?];
  const joins = async (): Promise<void> => {
    await world.passed(chance() * 60_000);
    const id = first.lastId;
    if (!other || id === undefined) return;
    const {newCustomer: _, create: __, ...rest} = planOf(plan);
    for (let attempt = 0; attempt < 3; attempt++) {
      const ended = await other.process({...rest, id});
      if (ended.ended !== 'killed' && ended.value && !goesOn(ended.value)) return;
      await world.passed(pause());
    }
  };
  try {
    await world.run(bills(first, plan, pause), joins());
    await world.rest();
    const said = machines.flatMap((machine) => machine.said);
    const {end, sent} = first.said.at(-1) ?? {end: 'killed', sent: ''};
    tally.ends[`${end} ${sent}`] = (tally.ends[`${end} ${sent}`] ?? 0) + 1;
    for (const {kind, words} of violations(world, plan, said)) tally.broken.push(`seed ${seed}: ${kind}: ${words}`);
  } catch (error) {
    tally.broken.push(`seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    world.close();
  }
}

test.each<[string, Parameters<typeof drawCase>[1], boolean]>([
  ['on a perfect network', {rates: scaled(RATES, 0), lags: false}, false],
  ['under faults and kills', {}, false],
  ['with people at the dashboard', {people: 2}, false],
  ['taken over by another machine', {}, true],
])(
  '%s nothing is billed wrong, twice or with false words',
  async (name, options, second) => {
    const tally: Tally = {ends: {}, broken: []};
    for (const seed of seeds) await each(seed, tally, options, second);
    console.log(name, JSON.stringify(tally.ends), tally.broken.length);
    expect(tally.broken.slice(0, 8)).toEqual([]);
  },
  3_600_000,
);
