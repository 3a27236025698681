// Repeats of refunds, bills, emails and creations, in simulated histories with kills and lost answers. `npm run soak` plays 2,000.

import {describe, expect, test} from 'vitest';
import {SEED} from '../support/seed.js';
import type {Fault} from '../support/simulation/faults.js';
import {cases} from '../support/test-size.js';
import {drawHistory, play, shrink, warmUp, type Step, type Typed} from '../support/simulation/repeats.js';

const CASES = cases(60);
/** The first of the seeds, which are below 2 ** 28. */
const FIRST = 1000 + SEED;
/** Failures after which it ends. */
const MOST = 5;

test(`${CASES} histories of repeats (CENTAVO_SEED=${SEED})`, {timeout: 14_400_000}, async () => {
  await warmUp();
  const outcomes = new Map<string, number>();
  let [commands, kills, faults] = [0, 0, 0];
  const failures: string[] = [];
  for (let seed = FIRST; seed < FIRST + CASES && failures.length < MOST; seed++) {
    const steps = drawHistory(seed);
    const played = await play(seed, steps);
    commands += played.commands;
    kills += played.kills;
    faults += played.faults;
    for (const [word, count] of played.outcomes) outcomes.set(word, (outcomes.get(word) ?? 0) + count);
    if (played.wrong.length === 0) continue;
    const least = await shrink(seed, steps);
    // What goes right when it is played again was a matter of turns.
    const {wrong, log} = least.played.wrong.length > 0 ? least.played : played;
    failures.push(`seed ${seed}: ${wrong.join('\n')}\n${log.join('\n')}\n${JSON.stringify(least.steps)}`);
  }
  const counts = [...outcomes].sort(([, one], [, other]) => other - one).map(([word, count]) => `${word} ${count}`);
  console.log(`CENTAVO_SEED=${SEED}: ${commands} commands, ${kills} kills, ${faults} faults; ${counts.join(', ')}`);
  expect(failures.join('\n\n')).toBe('');
});

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

type Rest = Partial<Omit<Typed, 'does' | 'task'>>;
const runs = (task: Typed['task'], rest: Rest = {}): Typed => ({
  ...{does: 'command', seed: 1, after: 10 * MINUTE, task, variant: 0, faults: 0},
  ...rest,
});
const faults = (...all: Fault[]): Rest['faults'] => ({...all});

/** What went wrong once. */
const SEQUENCES: Readonly<Record<string, readonly Step[]>> = {
  'a send that was limited, then lost, may have been made': [
    runs('send', {key: 'a', faults: faults({limited: 1}, 'lost')}),
    runs('send', {key: 'a'}),
    runs('send'),
  ],
  'a send that waits before it is repeated is still at work': [
    runs('send', {faults: faults({limited: 10}), beside: runs('send', {after: 3000, faults: faults('lost')})}),
  ],
  'a send under one key is not the send of another': [
    runs('send', {key: 'a', faults: faults('never')}),
    runs('send', {key: 'b', person: 'another'}),
    runs('send', {key: 'a'}),
  ],
  'what was sent without a key is not what another key sent later': [
    runs('send'),
    runs('send', {key: 'a', person: 'another'}),
    runs('send', {key: 'b'}),
  ],
  ...Object.fromEntries(
    (['send', 'refund'] as const).map((task) => [
      `a ${task} that a person says was made, on a machine with a wrong clock, is not repeated`,
      [
        runs(task, {key: 'a', faults: faults('lost')}),
        {does: 'jump', after: MINUTE, by: -40 * DAY},
        // A send is answered under its own key, a refund when it is asked for under another.
        ...[1, 2].map((seed) => runs(task, {key: task === 'send' ? 'a' : 'b', person: 'once', seed})),
        runs(task),
      ],
    ]),
  ),
  'a refund that a person says was made is answered': [
    runs('refund', {key: 'a', faults: faults('lost')}),
    ...[1, 2, 3].map((seed) => runs('refund', {key: 'a', person: 'once', seed})),
    runs('refund', {key: 'a'}),
  ],
  'a person is asked once the first call cannot arrive any more': [
    runs('refund', {faults: faults({late: 14_000, end: 'reset'})}),
    ...[1, 2].map((seed) => runs('refund', {person: 'once', seed, after: 1000})),
    runs('refund', {key: 'a', variant: 1, faults: faults({late: 14_000, end: 'kill'})}),
    ...[1, 2].map((seed) => runs('refund', {key: 'a', variant: 1, person: 'once', seed, after: 1000})),
  ],
  'two people who free one key make one refund': [
    runs('refund', {key: 'a', faults: faults('kill-before')}),
    ...[1, 2, 3].map((seed) => {
      const wanted = {key: 'a', variant: 1, person: 'once'} as const;
      return runs('refund', {...wanted, seed, beside: runs('refund', {...wanted, seed: seed + 10, after: 1})});
    }),
  ],
  'a bill under a key goes on only if nobody billed the same without one': [
    runs('bill', {key: 'a', faults: faults('kill-before')}),
    runs('bill'),
    runs('bill', {key: 'a'}),
  ],
  'a bill is compared with each equal one, not only the last': [
    runs('finalize'),
    runs('finalize', {key: 'a', person: 'another'}),
    runs('finalize', {key: 'b'}),
  ],
  'a bill is compared with one whose draft was made long before it was finalized': [
    runs('finalize', {key: 'a', faults: faults({slow: 1}, 'kill-before')}),
    runs('finalize', {key: 'a', after: 30 * DAY}),
    runs('finalize'),
  ],
  'a webhook made without a key is not the one that was lost under a key': [
    runs('webhook', {key: 'a', faults: faults('never')}),
    runs('webhook'),
    runs('webhook', {key: 'a'}),
  ],
  ...Object.fromEntries(
    ([0, 20, 50, 80, 120, 200] as const).map((after) => [
      `of two equal changes at once one is made, ${after} ms apart`,
      [
        ...(['send', 'refund', 'finalize'] as const).flatMap((task) => {
          const beside = runs(task, {after});
          return [runs(task, {beside}), runs(task, {after: 30 * 60 * MINUTE, beside})];
        }),
        runs('bill', {variant: 1, beside: runs('bill', {variant: 1, key: 'a', after})}),
      ],
    ]),
  ),
};

describe('a history that went wrong once', () => {
  test.each(Object.entries(SEQUENCES))('%s', async (_, steps) => {
    const {wrong, log} = await play(1, steps);
    expect(wrong, log.join('\n')).toEqual([]);
  });
});

// One command reads the account before the other makes its draft, and finishes reading after the other ends.
test.each([
  [146, 202],
  [157, 209],
  [171, 327],
  [231, 147],
  [245, 265],
  [253, 161],
  [438, 206],
  [469, 153],
])('of two equal bills at once one is made, in the world of seed %i, %i ms apart', async (seed, after) => {
  const {wrong, log} = await play(seed, [runs('finalize', {beside: runs('finalize', {after, seed: seed + 2})})]);
  expect(wrong, log.join('\n')).toEqual([]);
});
