// Imports whose connection is lost for a while: a short outage is waited out, and a long one ends the run.

import {expect, test} from 'vitest';
import {TransportError} from '../../../src/client/call-errors.js';
import {importStage, saidBy, someBills} from '../../support/simulation/import-stage.js';
import type {Wishes} from '../../support/simulation/imports.js';

const SENT: Wishes = {until: 'sent'};
const BILLS = someBills(8);
const ONCE = Object.fromEntries(BILLS.map(({externalId}) => [externalId, 1]));

/** An account that is unreachable for some seconds from the first request of this kind. */
function lostFor(seconds: number, kind: RegExp) {
  const stage = importStage(['A']);
  const {world} = stage;
  let begin = Infinity;
  world.meddle = async ({method, path}, handle) => {
    // Reads before the first change are not part of the run.
    const isRun = method !== 'GET' || world.applied.length > 0;
    if (begin === Infinity && isRun && kind.test(`${method} ${path}`)) begin = world.now();
    if (world.now() < begin || world.now() >= begin + seconds * 1000) return handle();
    throw new TransportError('the connection was refused', {sent: false});
  };
  return stage;
}

test.each([
  ['customers are created', /^POST \/customers$/],
  ['drafts are created', /^POST \/billing_statements$/],
  ['items are added', /^POST \/billing_statement_line_items$/],
  ['the account is read', /^GET \/billing_statements$/],
  ['due dates are set', /^PUT /],
  ['statements are finalized', /\/finalize$/],
  ['statements are sent', /\/send$/],
])('waits out an outage that begins while %s', async (_while, kind) => {
  for (const seconds of [5, 60, 100]) {
    const {world, machine, emails, broken} = lostFor(seconds, kind);
    const began = world.now();
    const [ended] = await world.run(machine('A').imports(BILLS, SENT));
    expect(saidBy(ended).error).toBeUndefined();
    expect(world.now()).toBeGreaterThan(began + seconds * 1000);
    expect(emails()).toEqual(ONCE);
    expect(broken(SENT)).toEqual([]);
  }
});

test('ends the run after two minutes; the next run continues', async () => {
  const {world, machine, emails, broken} = lostFor(600, /^POST \/billing_statements$/);
  const began = world.now();
  const [ended] = await world.run(machine('A').imports(BILLS, SENT));
  expect(saidBy(ended).error).toBe('unavailable');
  const took = (world.now() - began) / 1000;
  expect(took).toBeGreaterThan(120);
  expect(took).toBeLessThan(180);
  world.meddle = (_, handle) => handle();
  await world.run(machine('A').resumes(SENT));
  expect(emails()).toEqual(ONCE);
  expect(broken(SENT)).toEqual([]);
});
