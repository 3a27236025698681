// Repeats of refunds, bills, emails and creations, in simulated histories with kills and lost answers. `npm run soak` plays 20,000.

import {expect, test} from 'vitest';
import {SEED} from '../support/seed.js';
import {drawHistory, play, shrink} from '../support/simulation/repeats.js';

const CASES = Number(process.env.CASES ?? 150);
/** The first seeds are used by other simulations. */
const FIRST = 1000;

test(`${CASES} histories of repeats (CENTAVO_SEED=${SEED})`, {timeout: 7_200_000}, async () => {
  const outcomes = new Map<string, number>();
  let [commands, kills, faults] = [0, 0, 0];
  const failures: string[] = [];
  for (let seed = FIRST + SEED; seed < FIRST + SEED + CASES && failures.length < 10; seed++) {
    const steps = drawHistory(seed);
    const played = await play(seed, steps);
    commands += played.commands;
    kills += played.kills;
    faults += played.faults;
    for (const [word, count] of played.outcomes) outcomes.set(word, (outcomes.get(word) ?? 0) + count);
    if (played.wrong.length === 0) continue;
    const least = await shrink(seed, steps);
    failures.push(
      `seed ${seed}: ${least.played.wrong.join('\n')}\n${least.played.log.join('\n')}\n${JSON.stringify(least.steps)}`,
    );
  }
  console.log(`CENTAVO_SEED=${SEED}: ${commands} commands, ${kills} kills, ${faults} faults`, outcomes);
  expect(failures.join('\n\n')).toBe('');
});
