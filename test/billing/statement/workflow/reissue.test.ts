// Reissues by one or two machines under faults, kills, old reads, people and payments, and the promises that must hold.

import {expect, test} from 'vitest';
import {RATES, scaled} from '../../../support/simulation/faults.js';
import {reissueCase, type ReissueCase} from '../../../support/simulation/reissues.js';
import {SEED} from '../../../support/seed.js';
import {cases} from '../../../support/test-size.js';

const CASES = cases(30);
const seeds = Array.from({length: CASES}, (_, index) => SEED + index);

const KINDS: readonly (readonly [string, ReissueCase])[] = [
  ['on a perfect network', {rates: scaled(RATES, 0), lags: false}],
  ['by two machines on a perfect network', {rates: scaled(RATES, 0), lags: false, machines: 2}],
  ['under faults and kills', {}],
  ['by two machines under faults and kills', {machines: 2}],
  ['by two machines, with people at the dashboard', {machines: 2, people: 3}],
  ['by two machines, while the customer pays', {machines: 2, pays: true}],
];

test.each(KINDS)(
  'a statement reissued %s is billed once, and never payable twice',
  async (name, options) => {
    const broken: string[] = [];
    const ends: Record<string, number> = {};
    let faults = 0;
    let kills = 0;
    for (const seed of seeds) {
      const {world, machines, broken: found, end} = await reissueCase(seed, options);
      ends[end] = (ends[end] ?? 0) + 1;
      broken.push(...found().map(({kind, words}) => `seed ${seed}: ${kind}: ${words}`));
      const its = world.truth().filter(({metadata}) => metadata?.centavo_replaces !== undefined);
      if (options.lags === false && its.filter(({status}) => status === 'open').length !== 1)
        broken.push(`seed ${seed}: unbilled: ${its.map(({status}) => status).join(', ')}`);
      if (options.lags === false && its.some(({status}) => status === 'draft'))
        broken.push(`seed ${seed}: a draft is left`);
      faults += world.met.faults;
      for (const machine of machines) kills += machine.kills;
      world.close();
    }
    console.log(
      `CENTAVO_SEED=${SEED} CASES=${CASES} ${name}: ${faults} faults, ${kills} kills; ${broken.length} broken; ${JSON.stringify(ends)}`,
    );
    expect(broken.slice(0, 8)).toEqual([]);
  },
  3_600_000,
);
