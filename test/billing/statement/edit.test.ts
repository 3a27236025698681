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
import {DUE} from '../../support/billing/merchant-run.js';
import {explained} from '../../support/billing/printed-stop.js';
import {World, type Fault, type Faults} from '../../support/billing/scheduled-service.js';

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

const FINE: Faults = {changes: new Map()};
const plain = (items: readonly ExistingItem[]) =>
  items.map(({description, quantity, unit_price}) => ({description, quantity, unit_price}));
const sorted = (items: readonly object[]): string[] => items.map((each) => JSON.stringify(each)).sort();

async function draftIn(world: World): Promise<BillingStatementData> {
  const customer = await world.call('POST', '/customers', {name: 'Juan', email: 'juan@example.com', currency: 'PHP'});
  const {id} = await world.call('POST', '/billing_statements', {currency: 'PHP', customer_id: customer.id});
  for (const each of BEFORE)
    await world.call('POST', '/billing_statement_line_items', {...each, billing_statement_id: id});
  return world.call('GET', `/billing_statements/${id}`);
}

const planOf = (draft: BillingStatementData, items = WANTED): StatementPlan => ({
  ...{id: draft.id, edits: draft, items, dueAt: DUE, finalize: false, send: false},
});

const now = (world: World, {id}: BillingStatementData): Promise<BillingStatementData> =>
  world.call('GET', `/billing_statements/${id}`);

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
  const world = new World();
  const draft = await draftIn(world);
  const outcome = await world.run(planOf(draft), FINE);
  expect(outcome).toMatchObject({end: 'done', changed: true, statement: {status: 'draft', due_at: DUE}});
  expect(world.applied.map(({method}) => method)).toEqual(['PUT', 'PUT', 'POST', 'POST', 'DELETE']);
  const {line_items: items} = await now(world, draft);
  expect(plain(items as ExistingItem[])).toEqual(WANTED);
  const ids = (statement: {line_items: unknown}) => (statement.line_items as ExistingItem[]).map(({id}) => id);
  expect(ids({line_items: items}).slice(0, 2)).toEqual(ids(draft).slice(1));
});

const CHANGES = ['the change', 'the first new item', 'the second new item', 'the removal', 'the due date'];
const FAULTS: readonly Fault[] = [
  ...(['garbage', 'lost', 'status-500-after', 'status-503-before', 'unsent', 'limited'] as const),
  ...(['interrupt-after', 'interrupt-before', 'kill-after', 'kill-before'] as const),
  ...[100, 2900, 10_000, 14_900].map((late) => ({late})),
  {late: 5000, then: 'kill'},
  {late: 5000, then: 'interrupt'},
];

describe.each(CHANGES.map((name, change) => [name, change] as const))('%s', (_name, change) => {
  test.each(FAULTS.map((fault) => [JSON.stringify(fault), fault] as const))('%s', async (_words, fault) => {
    const world = new World();
    let draft = await draftIn(world);
    let outcome = await world.run(planOf(draft), {changes: new Map([[change, fault]])});
    // A repeated command starts from the current draft.
    for (let again = 0; again < 3 && outcome?.end !== 'done'; again++) {
      draft = await now(world, draft);
      outcome = await world.run(planOf(draft), FINE);
    }
    expect(outcome?.end).toBe('done');
    await world.advance(600_000);
    const after = await now(world, draft);
    expect(sorted(plain(itemsOf(after)))).toEqual(sorted(WANTED));
    expect([after.due_at, after.status, (await world.statements()).length]).toEqual([DUE, 'draft', 1]);
  });
});

describe('another person', () => {
  const add = (world: World, {id}: BillingStatementData) =>
    world.call('POST', '/billing_statement_line_items', {...item('Discount', 1, 100), billing_statement_id: id});

  test.each<[string, (world: World, draft: BillingStatementData) => Promise<unknown>]>([
    ['adds an item', add],
    [
      'changes an item',
      (world, draft) =>
        world.call('PUT', `/billing_statement_line_items/${itemsOf(draft)[0]!.id}`, {...DELIVERY, quantity: 9}),
    ],
    [
      'removes an item',
      (world, draft) => world.call('DELETE', `/billing_statement_line_items/${itemsOf(draft)[2]!.id}`),
    ],
    ['sets the due date', (world, {id}) => world.call('PUT', `/billing_statements/${id}`, {due_at: DUE + 86_400})],
    [
      'finalizes it',
      async (world, {id}) => {
        await world.call('PUT', `/billing_statements/${id}`, {due_at: DUE});
        await world.call('POST', `/billing_statements/${id}/finalize`);
      },
    ],
  ])('%s before the first change: nothing is changed', async (_, others) => {
    const world = new World();
    const draft = await draftIn(world);
    await others(world, draft);
    const left = await now(world, draft);
    const outcome = await world.run(planOf(draft), FINE);
    if (outcome?.end !== 'stopped') throw new Error('it went on');
    const {error, text} = explained(outcome, planOf(draft));
    expect([error.code, error.exitCode, error.details.applied]).toEqual(['changed_meanwhile', 12, 'no']);
    expect(text).toMatch(left.status === 'draft' ? /was changed in the meantime[^]* edit / : /became open[^]* get /);
    expect([world.applied, await now(world, draft)]).toEqual([[], left]);
  });

  test('adds an item during the run: the item stays, and the run stops', async () => {
    const world = new World();
    const draft = await draftIn(world);
    let done = false;
    const outcome = await world.run(planOf(draft), {
      changes: new Map(),
      answer: async (request, body) => {
        if (!done && request.method === 'PUT') await add(world, draft);
        done ||= request.method === 'PUT';
        return body as unknown;
      },
    });
    expect(outcome).toMatchObject({end: 'stopped', stop: {why: 'foreign', items: [{description: 'Discount'}]}});
    expect(plain(itemsOf(await now(world, draft)))).toContainEqual(item('Discount', 1, 100));
  });
});
