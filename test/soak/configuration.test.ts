// Sixty processes that change the configuration and are killed at random: it is whole all the time, and nothing that was said is lost.

import {expect, test} from 'vitest';
import {configurationIn, watched, writer} from '../support/config/configuration-writers.js';
import {temporaryDirectory} from '../support/cli.js';
import {SEED} from '../support/seed.js';

test(
  `a configuration survives the death of those who write it (CENTAVO_SEED=${SEED})`,
  {timeout: 300_000},
  async () => {
    const directory = temporaryDirectory();
    let state = SEED;
    const below = (limit: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
    const configuration = configurationIn(directory);
    let reads = 0;
    for (let round = 0; round < 10; round++) {
      const writers = Array.from({length: 6}, (_, index) =>
        writer(directory, `w${round}-${index}`, 1000, 1 + below(60)),
      );
      reads += await watched(configuration, writers);
    }
    expect(Object.keys(configuration.read().profiles)).toHaveLength(60);
    console.info(`60 kills, ${reads} readings.`);
  },
);
