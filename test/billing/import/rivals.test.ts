// Imports while another import, the dashboard or the customer changes the same statements.

import {describe, expect, test} from 'vitest';
import {importStage, refusalOf, saidBy, someBills} from '../../support/simulation/import-stage.js';
import type {Wishes} from '../../support/simulation/imports.js';
import type {World} from '../../support/simulation/world.js';

const SENT: Wishes = {until: 'sent'};
const BILLS = someBills(4);
const ONCE = {'JUNE-1': 1, 'JUNE-2': 1, 'JUNE-3': 1, 'JUNE-4': 1};
const CHANGED = BILLS.map((bill, n) =>
  n === 1 ? {...bill, items: [{description: 'Rent', quantity: 1, unit_price: 7000_00}]} : bill,
);

const FINALIZE = /^POST \/billing_statements\/\w+\/finalize$/;
const DUE = /^PUT \/billing_statements\/\w+$/;

test('two imports of one file at once, both continued, bill each row once', async () => {
  const {world, machine, emails, broken} = importStage(['A', 'B']);
  await world.run(machine('A').imports(BILLS, SENT), machine('B').imports(BILLS, SENT));
  for (let more = 0; more < 2; more++) {
    const again = {...SENT, retries: true, adopt: true};
    await world.run(machine('A').resumes(again), machine('B').resumes(again));
    expect(emails()).toEqual(ONCE);
    expect(broken(SENT)).toEqual([]);
  }
  expect(world.truth().filter(({status}) => status === 'open')).toHaveLength(4);
});

describe('a row that is billed with other content', () => {
  test('during the question is not billed again without --allow-duplicate', async () => {
    const {world, machine, emails} = importStage(['A', 'B']);
    const [, ended] = await world.run(
      machine('A').imports(CHANGED, SENT),
      machine('B').imports(BILLS, {...SENT, hesitates: 120_000}),
    );
    expect(refusalOf(ended).code).toBe('duplicate_statement');
    expect(emails()).toEqual(ONCE);
    const only = BILLS.slice(1, 2);
    const [again] = await world.run(machine('B').imports(only, SENT));
    expect(refusalOf(again).message).toMatch(/JUNE-2 was billed before|would be billed twice|line 2/);
    await world.run(machine('B').imports(only, {...SENT, allowDuplicate: true}));
    expect(emails()).toEqual({...ONCE, 'JUNE-2': 2});
  });
});

describe('another user', () => {
  test('finalizes and sends a draft first: it is not sent again, even with --retry-failed', async () => {
    const {world, machine, once, emails, broken} = importStage(['A']);
    once(FINALIZE, async (_request, handle, id) => {
      await world.person('finalize', id);
      await world.person('send', id);
      return handle();
    });
    const [ended] = await world.run(machine('A').imports(BILLS, SENT));
    const {rows} = saidBy(ended);
    expect(rows.map(({phase}) => phase).toSorted()).toEqual(['done', 'done', 'done', 'failed']);
    await world.run(machine('A').resumes({...SENT, retries: true}));
    expect(emails()).toEqual(ONCE);
    expect(broken(SENT, {hasPeople: true})).toEqual([]);
    const failed = machine('A')
      .rows()
      .find(({phase}) => phase === 'failed')!;
    expect(failed.error).toMatch(/may have been sent/);
  });

  test('pays between finalize and send: the row is done but not reported as sent', async () => {
    const {world, machine, once, billed} = importStage(['A']);
    once(FINALIZE, async (_request, handle, id) => {
      const answer = await handle();
      world.pays(id);
      return answer;
    });
    await world.run(machine('A').imports(BILLS, SENT));
    const rows = machine('A').rows();
    expect(rows.map(({phase, status, sent}) => [phase, status, sent]).toSorted()).toEqual([
      ...Array.from({length: 3}, () => ['done', 'open', 'yes']),
      ['done', 'paid', 'no'],
    ]);
    const mails = Object.values(billed()).flatMap((all) => all.flatMap((each) => each.emails));
    expect(mails).toHaveLength(3);
  });

  test.each<[string, (world: World, id: string) => Promise<unknown>]>([
    ['adds an item to', (world, id) => world.person('add-item', id)],
    [
      'voids',
      async (world, id) => {
        await world.person('change-due', id);
        await world.person('finalize', id);
        await world.person('void', id);
      },
    ],
    ['deletes', (world, id) => world.person('delete', id)],
  ])('%s a draft before it is finalized: the row fails and is not sent', async (_what, meddle) => {
    const {world, machine, once, emails, broken} = importStage(['A']);
    once(DUE, async (_request, handle, id) => {
      await meddle(world, id);
      return handle();
    });
    await world.run(machine('A').imports(BILLS, SENT));
    const rows = machine('A').rows();
    expect(rows.map(({phase}) => phase).toSorted()).toEqual(['done', 'done', 'done', 'failed']);
    expect(Object.values(emails())).toEqual([1, 1, 1]);
    expect(broken(SENT, {hasPeople: true})).toEqual([]);
  });
});
