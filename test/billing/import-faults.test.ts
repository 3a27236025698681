// Imports under faults: each statement is made, opened and sent exactly once, or named.

import {expect, onTestFinished, test} from 'vitest';
import {seededRandom} from '../../src/ground/random.js';
import {
  JobWorld,
  NO_FAULTS,
  RATES,
  someRows,
  type Planted,
  type Rates,
  type Verdict,
} from '../support/billing/job-world.js';
import {runs} from '../support/tiers.js';

const SEED = Number(process.env.CENTAVO_SEED ?? Math.floor(Math.random() * 2 ** 31));
const TRIALS = Number(process.env.CENTAVO_TRIALS ?? runs(60));
const ROWS = Number(process.env.CENTAVO_ROWS ?? 6);
/** Number of the first trial: the soak divides them among processes. */
const FIRST = Number(process.env.CENTAVO_FIRST ?? 0);

async function trial(seed: number, rows: number, rates: Rates, planted?: Planted): Promise<Verdict> {
  const world = new JobWorld(seed, rates, planted);
  try {
    await world.stage(someRows(rows, seededRandom(seed + 1)));
    await world.runToEnd();
    return await world.judge();
  } finally {
    world.close();
  }
}

const clean = ({lost, doubled, wrongAmounts, secondEmails, falseWords}: Verdict): boolean =>
  lost + doubled + wrongAmounts + secondEmails + falseWords.length === 0;

test('without faults every statement is made, opened and sent once, with the fewest requests', async () => {
  const verdict = await trial(1, 20, NO_FAULTS);
  expect(verdict).toMatchObject({
    lost: 0,
    doubled: 0,
    wrongAmounts: 0,
    secondEmails: 0,
    falseWords: [],
    runs: 1,
    done: 20,
  });
});

test(`${TRIALS} imports of ${ROWS} statements with faults (CENTAVO_SEED=${SEED})`, {timeout: 1_800_000}, async () => {
  const wrong: string[] = [];
  const sum = {runs: 0, faults: 0, requests: 0, done: 0, unknown: 0};
  for (let number = FIRST; number < FIRST + TRIALS; number++) {
    const verdict = await trial(SEED + number * 7919, ROWS, RATES);
    if (!clean(verdict)) wrong.push(`${SEED + number * 7919}: ${JSON.stringify(verdict)}`);
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += verdict[name];
  }
  console.log(`CENTAVO_SEED=${SEED}: ${TRIALS} imports of ${ROWS}: ${JSON.stringify(sum)}, wrong ${wrong.length}`);
  expect(wrong).toEqual([]);
});

test.each(['/billing_statements', '/customers', '/billing_statement_line_items'])(
  'a process is killed at a POST %s, which is applied nine seconds later: the next one, which comes at once, waits for it',
  async (path) => {
    for (let at = 1; at <= 6; at++) {
      const world = new JobWorld(3, NO_FAULTS);
      onTestFinished(() => world.close());
      // Nothing can be added to what is finalized.
      await world.stage(someRows(6, seededRandom(4)), {finalize: false, send: false});
      let seen = 0;
      world.meddle = (request, handle) => {
        if (request.method !== 'POST' || request.path !== path || ++seen !== at) return handle();
        void world.later(9000).then(handle);
        return world.kill();
      };
      await world.runToEnd();
      const statements = await world.statements();
      expect(statements.map(({amount}) => amount).toSorted()).toEqual(
        world
          .rows()
          .map(({amount}) => amount)
          .toSorted(),
      );
      const {data} = world.sandbox.perform((work) => work.store.list('customer', {limit: 100}));
      expect(data).toHaveLength(new Set(statements.map(({customer_id: id}) => id)).size);
    }
  },
);

test.each<Planted>(['skip the sweep', 'finalize before the journal', 'repeat a send', 'count a doubt as done'])(
  'a planted bug is seen: %s',
  async (planted) => {
    let seen = false;
    for (let number = 0; number < 60 && !seen; number++)
      seen = !clean(
        await trial(4242 + number * 7919, ROWS, {...RATES, kill: 0.03}, planted).catch(() => ({lost: 1}) as Verdict),
      );
    expect(seen).toBe(true);
  },
);
