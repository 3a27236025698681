// Edits of a draft under faults of the service: the draft ends with exactly the wanted items, and foreign items stay.
// Time is virtual.

import {describe, expect, test} from 'vitest';
import {
  editsOf,
  itemsOf,
  type ExistingItem,
  type BillingStatementData,
  type StatementPlan,
} from '../../../src/billing/statement/plan.js';
import {listed, type Fault} from '../../support/simulation/faults.js';
import {billing, DUE, explained} from '../../support/simulation/stories.js';
import type {Act, Item, World} from '../../support/simulation/world.js';

const item = (description: string, quantity: number, unit_price: number) => ({description, quantity, unit_price});
const DESIGN = item('Web design', 2, 1_500_000);
const HOSTING = item('Hosting', 1, 125_050);
const DELIVERY = item('Delivery', 1, 50_000);
const DEARER = item('Hosting', 1, 130_000);
const LOGO = item('Logo', 1, 400_000);
const TRAINING = item('Training', 1, 90_000);
const BEFORE = [DELIVERY, DESIGN, HOSTING];
/** Removes Delivery, raises Hosting, adds two items. */
const WANTED = [DESIGN, DEARER, TRAINING, LOGO];

const plain = (items: readonly Item[]) =>
  items.map(({description, quantity, unit_price}) => ({description, quantity, unit_price}));
const sorted = (items: readonly object[]): string[] => items.map((each) => JSON.stringify(each)).sort();

/** A machine, and a draft to edit. */
async function editing() {
  const scene = await billing();
  const id = await scene.draft(BEFORE);
  const now = (): Promise<BillingStatementData> => scene.world.call('GET', `/billing_statements/${id}`);
  return {...scene, id, now, before: await now()};
}

const planOf = (draft: BillingStatementData, items = WANTED): StatementPlan => ({
  ...{id: draft.id, edits: draft, items, dueAt: DUE, finalize: false, send: false},
});

describe('differences', () => {
  const present = BEFORE.map((each, index) => ({...each, id: `bstm_li_${index}`}));
  const [delivery, design, hosting] = present as [ExistingItem, ExistingItem, ExistingItem];

  test.each([
    ['nothing', BEFORE, {changed: [], added: [], removed: []}],
    ['a price', [DELIVERY, DESIGN, DEARER], {changed: [{from: hosting, to: DEARER}], added: [], removed: []}],
    ['a text', [LOGO, DESIGN, HOSTING], {changed: [{from: delivery, to: LOGO}], added: [], removed: []}],
    ['one less', [DELIVERY, HOSTING], {changed: [], added: [], removed: [design]}],
    ['one twice', [...BEFORE, HOSTING], {changed: [], added: [HOSTING], removed: []}],
    ['one out, one in', [DESIGN, HOSTING, LOGO], {changed: [], added: [LOGO], removed: [delivery]}],
    ['all', WANTED, {changed: [{from: hosting, to: DEARER}], added: [TRAINING, LOGO], removed: [delivery]}],
  ])('%s', (_, wanted, edits) => {
    expect(editsOf(wanted, present)).toEqual(edits);
  });
});

test('changes only what differs, once each', async () => {
  const {run, before, now, changes} = await editing();
  const outcome = await run(planOf(before));
  expect(outcome).toMatchObject({end: 'done', changed: true, statement: {status: 'draft', due_at: DUE}});
  expect(changes().map(({method}) => method)).toEqual(['PUT', 'PUT', 'POST', 'POST', 'DELETE']);
  const items = itemsOf(await now());
  expect(plain(items)).toEqual(WANTED);
  const ids = (all: readonly ExistingItem[]) => all.map(({id}) => id);
  expect(ids(items).slice(0, 2)).toEqual(ids(itemsOf(before)).slice(1));
});

const CHANGES = ['the change', 'the first new item', 'the second new item', 'the removal', 'the due date'];
const FAULTS: readonly Fault[] = [
  ...(['garbage-after', 'lost', 'never', 'status-500-after', 'status-503-before', 'unsent'] as const),
  ...(['interrupt-after', 'interrupt-before', 'kill-after', 'kill-before'] as const),
  {limited: 999_999},
  ...[10_000, 14_900].map((late) => ({late})),
  {late: 5000, end: 'kill'},
  {late: 5000, end: 'interrupt'},
];

describe.each(CHANGES.map((name, change) => [name, change] as const))('%s', (_name, change) => {
  test.each(FAULTS.map((fault) => [JSON.stringify(fault), fault] as const))('%s', async (_words, fault) => {
    const {world, run, before, now} = await editing();
    let outcome = await run(planOf(before), {faults: listed({[change]: fault})});
    // A repeated command starts from the current draft.
    for (let again = 0; again < 3 && outcome?.end !== 'done'; again++) outcome = await run(planOf(await now()));
    expect(outcome?.end).toBe('done');
    await world.rest();
    const all = world.truth();
    expect(all).toMatchObject([{status: 'draft', due_at: DUE}]);
    expect(sorted(plain(all[0]!.items))).toEqual(sorted(WANTED));
  });
});

describe('another person', () => {
  test.each<[string, (world: World, id: string) => Promise<unknown>]>([
    ...(['add-item', 'change-item', 'delete-item', 'change-due'] as const).map(
      (act): [Act, (world: World, id: string) => Promise<unknown>] => [act, (world, id) => world.person(act, id)],
    ),
    [
      'finalizes it',
      async (world, id) => {
        for (const act of ['change-due', 'finalize'] as const) await world.person(act, id);
      },
    ],
  ])('%s before the first change: nothing is changed', async (_, others) => {
    const {world, run, id, before, now, changes} = await editing();
    await others(world, id);
    const left = await now();
    const {error, text} = explained(await run(planOf(before)), planOf(before));
    expect([error.code, error.exitCode, error.details.applied]).toEqual(['changed_meanwhile', 12, 'no']);
    expect(text).toMatch(left.status === 'draft' ? /was changed in the meantime[^]* edit / : /became open[^]* get /);
    expect([changes(), await now()]).toEqual([[], left]);
  });

  test('adds an item during the run: the item stays, and the run stops', async () => {
    const {world, run, id, before, now} = await editing();
    let done = false;
    const outcome = await run(planOf(before), {
      answer: async ({method}, body) => {
        if (!done && method === 'PUT') await world.person('add-item', id);
        done ||= method === 'PUT';
        return body;
      },
    });
    expect(outcome).toMatchObject({end: 'stopped', stop: {why: 'foreign', items: [{description: 'Extra'}]}});
    expect(plain(itemsOf(await now()))).toContainEqual(item('Extra', 1, 7700));
  });
});
