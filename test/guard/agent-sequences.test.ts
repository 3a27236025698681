// Random sequences of an agent's command lines in live mode. `npm run soak` plays 10,000.

import {join} from 'node:path';
import {expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {IN_MEMORY} from '../support/commands.js';
import {SEED} from '../support/seed.js';
import {
  drawSequence,
  machineOf,
  playAsAgent,
  tellingService,
  type Line,
  type Played,
} from '../support/simulation/agents.js';

const CASES = Number(process.env.CASES ?? 200);
/** Sequences that a person types, to see that these lines do change things. */
const COMPARED = 40;
/** Sequences with one service. */
const STAGED = 100;
/** Failures after which it ends. */
const MOST = 5;

async function stage() {
  const api = await tellingService();
  const machine = await machineOf(api.url);
  const folder = join(temporaryDirectory(undefined, IN_MEMORY), 'machine');
  return {
    close: api.close,
    sequence: (seed: number) => drawSequence(seed, folder, api.url),
    play: (lines: readonly Line[], isAgent = true): Promise<Played> =>
      playAsAgent(lines, {machine, folder, api}, isAgent),
  };
}

const most = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([word, count]) => `${word} ${count}`)
    .join(', ');

test(
  `${CASES} sequences of an agent change nothing, loosen nothing and show no secret (CENTAVO_SEED=${SEED})`,
  {timeout: 14_400_000},
  async () => {
    let staged = await stage();
    const outcomes = new Map<string, number>();
    const failures: string[] = [];
    let lines = 0;
    for (let seed = SEED; seed < SEED + CASES && failures.length < MOST; seed++) {
      // A service keeps all of its requests.
      if ((seed - SEED) % STAGED === STAGED - 1) {
        await staged.close();
        staged = await stage();
      }
      const played = await staged.play(staged.sequence(seed));
      lines += played.lines;
      for (const [word, count] of played.outcomes) outcomes.set(word, (outcomes.get(word) ?? 0) + count);
      failures.push(...played.wrong.map((each) => `seed ${seed}: ${each}`));
    }
    console.info(`CENTAVO_SEED=${SEED}: ${CASES} sequences, ${lines} lines of an agent; ${most(outcomes)}`);
    expect(failures.join('\n\n')).toBe('');
    expect(outcomes.get('handed over')).toBeGreaterThan(CASES / 10);
  },
);

// A guided bill that gets y for each answer goes on until it is stopped, after half a minute.
test('the same lines of a person do change things', {timeout: 14_400_000}, async () => {
  const {play, sequence} = await stage();
  let writes = 0;
  for (let seed = SEED; seed < SEED + COMPARED; seed++) writes += (await play(sequence(seed), false)).writes;
  expect(writes).toBeGreaterThan(COMPARED / 4);
});
