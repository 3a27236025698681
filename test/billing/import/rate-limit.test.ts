// An import finds an unknown rate limit of the service and loses nothing.

import {expect, test} from 'vitest';
import {importLimited, type Limits} from '../../support/billing/limited-service.js';

const ROWS = 24;
const CONCURRENCY = 32;
/** Seconds after which a new limit has been found. */
const FOUND = 5;

const changing = (at: number): number => (at < 2 ? 100 : at < 15 ? 8 : 100);

test.each<[name: string, perSecond: Limits['perSecond'], says: boolean, share: number]>([
  ['5 a second', () => 5, true, 0.7],
  ['15 a second, without Retry-After', () => 15, false, 0.6],
  ['100 a second, without Retry-After', () => 100, false, 0.4],
  ['100, then 8, then 100 a second', changing, true, 0.5],
])('finds a limit of %s: sends each once, close to that rate, without bursts', async (name, ...given) => {
  const [perSecond, says, share] = given;
  const {error, tally, sent, arrivals, seconds} = await importLimited({
    ...{perSecond, says},
    rows: ROWS,
    concurrency: CONCURRENCY,
  });
  expect({error, ...tally}).toMatchObject({error: undefined, done: ROWS, failed: 0, inDoubt: 0});
  expect([sent.length, new Set(sent).size]).toEqual([ROWS, ROWS]);
  const refused = arrivals.filter((each) => each.refused).length;
  const answered = arrivals.length - refused;
  let allowed = 0;
  for (let second = 0; second < seconds; second++) allowed += perSecond(second) * Math.min(1, seconds - second);
  // When the limit drops, running calls retry together once.
  const settled = arrivals.filter(
    ({at}) => at >= FOUND * 1000 && perSecond(at / 1000) === perSecond(at / 1000 - FOUND),
  );
  const crowd = Math.max(
    0,
    ...settled.map(({at}) => settled.filter((each) => each.at >= at && each.at < at + 50).length),
  );
  console.info(
    `${name}: ${(answered / seconds).toFixed(1)} a second, ${Math.round((100 * answered) / allowed)} % of what is allowed; ` +
      `${refused} refused beside ${answered}; at most ${crowd} within 50 ms`,
  );
  expect(answered / allowed).toBeGreaterThan(share);
  expect(refused).toBeLessThan(answered);
  expect(crowd).toBeLessThanOrEqual(CONCURRENCY / 2);
});
