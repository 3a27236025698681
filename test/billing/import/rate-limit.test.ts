// An import finds an unknown rate limit of the service and loses nothing.

import {expect, test} from 'vitest';
import {EMBEDDED_TIMING} from '../../../src/billing/statement/workflow/service-timing.js';
import type {Fault} from '../../support/simulation/faults.js';
import {importStage, saidBy, someBills} from '../../support/simulation/import-stage.js';

const ROWS = 24;
const CONCURRENCY = 32;
/** Seconds after which a new limit has been found. */
const FOUND = 5;

/** Allowed requests per second, by seconds since the start. */
type Limit = (at: number) => number;

/** The time of a request, in milliseconds since the start, and whether it was refused. */
interface Arrival {
  readonly at: number;
  readonly refused: boolean;
}

/** Imports at a service that refuses more requests than this. @param says true if a refusal says how long to wait */
async function importLimited(perSecond: Limit, says: boolean) {
  const {world, machine, emails} = importStage(['A'], {way: 50});
  const start = world.now();
  const arrivals: Arrival[] = [];
  const inSecond = new Map<number, number>();
  const request = (): Fault | undefined => {
    const at = world.now() - start;
    const second = Math.floor(at / 1000);
    const count = (inSecond.get(second) ?? 0) + 1;
    inSecond.set(second, count);
    const refused = count > perSecond(at / 1000);
    arrivals.push({at, refused});
    return refused ? {limited: says ? 1 : undefined} : undefined;
  };
  const wishes = {until: 'sent', concurrency: CONCURRENCY, timing: EMBEDDED_TIMING} as const;
  const [end] = await world.run(machine('A').imports(someBills(ROWS), wishes, {faults: {request}}));
  const {error, tally} = saidBy(end);
  return {error, tally, sent: Object.values(emails()), arrivals, seconds: (world.now() - start) / 1000};
}

const changing = (at: number): number => (at < 2 ? 100 : at < 15 ? 8 : 100);

test.each<[name: string, perSecond: Limit, says: boolean, share: number]>([
  ['5 a second', () => 5, true, 0.7],
  ['15 a second, without Retry-After', () => 15, false, 0.6],
  ['100 a second, without Retry-After', () => 100, false, 0.4],
  ['100, then 8, then 100 a second', changing, true, 0.5],
])('finds a limit of %s: sends each once, close to that rate, without bursts', async (name, ...given) => {
  const [perSecond, says, share] = given;
  const {error, tally, sent, arrivals, seconds} = await importLimited(perSecond, says);
  expect({error, ...tally}).toMatchObject({error: undefined, done: ROWS, failed: 0, inDoubt: 0});
  expect(sent).toEqual(Array.from({length: ROWS}, () => 1));
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
