// Hand-made schedules of reissues: two machines, a refused or unanswered void, a kill between void and finalize, and changes by people.

import {describe, expect, test} from 'vitest';
import type {BillingStatementData} from '../../../../src/billing/statement/plan.js';
import {
  nextReissueStep,
  reissueStatement,
  type ReissueOutcome,
  type ReissuePlan,
} from '../../../../src/billing/statement/reissue.js';
import {clientOver} from '../../../../src/client/client.js';
import {listed, type Faults} from '../../../support/simulation/faults.js';
import {aged} from '../../../support/simulation/hostile-service.js';
import {around, process, reissuer, reissueScene, textOf} from '../../../support/simulation/reissues.js';
import type {Around, World} from '../../../support/simulation/world.js';

/** Numbers of the changes of a reissue. */
const [DRAFT, ITEM, SET_DUE, VOID, FINALIZE, SEND] = [0, 1, 3, 4, 5, 6];

const why = (outcome: ReissueOutcome | undefined) => {
  if (outcome === undefined) return 'killed';
  if (outcome.end === 'done') return outcome.byOther ? 'by another' : 'done';
  return outcome.stop.why === 'run' ? outcome.stop.outcome.stop.why : outcome.stop.why;
};
const words = (outcome: ReissueOutcome | undefined): string => (outcome?.end === 'stopped' ? textOf(outcome) : '');
const seconds = (world: World, from: number): number => Math.floor((world.now() - from) / 1000);

describe('two machines', () => {
  test('at once: one finalizes and sends its draft, the other deletes its own', async () => {
    const {world, A, B, plan, summary} = await reissueScene();
    const outcomes = await world.run(process(A, plan), process(B, plan));
    expect(outcomes.map(why).sort()).toEqual(['by another', 'done']);
    for (const outcome of outcomes) expect(outcome).toMatchObject({surplus: []});
    expect(summary().sort()).toEqual(['deleted 0', 'open 1', 'void']);
  });

  test('one after the other, the second changes nothing', async () => {
    const {world, A, B, run, summary} = await reissueScene();
    await run(A);
    const before = world.applied.length;
    expect(await run(B)).toMatchObject({end: 'done', applied: 'no', byOther: true});
    expect(world.applied).toHaveLength(before);
    expect(summary()).toEqual(['void', 'open 1']);
  });

  test('during old reads: the second deletes its draft, and names the opened one', async () => {
    const {A, B, run, its, summary} = await reissueScene({lag: aged(14_000)});
    await run(A);
    const outcome = await run(B);
    expect(outcome).toMatchObject({end: 'done', byOther: true, statement: {id: its()[0]!.id}});
    expect(summary()).toEqual(['void', 'open 1', 'deleted 0']);
  });

  test('takes over a draft killed between void and finalize, and waits', async () => {
    const {world, A, B, run, its, summary} = await reissueScene();
    await run(A, {faults: listed({[FINALIZE]: 'kill-before'})});
    const from = world.now();
    expect(why(await run(B))).toBe('done');
    expect(seconds(world, from)).toBeGreaterThanOrEqual(60 + 16);
    expect(its()[0]!.metadata).toMatchObject({centavo_was: expect.any(String)});
    expect(summary()).toEqual(['void', 'open 1']);
    expect(why(await run(A))).toBe('by another');
  });

  test('takes over a draft before the void, and creates no second one', async () => {
    const {A, B, run, summary} = await reissueScene();
    await run(A, {faults: listed({[VOID]: 'kill-before'})});
    expect(why(await run(B))).toBe('done');
    expect(summary()).toEqual(['void', 'open 1']);
  });

  test('opens neither draft if both machines have one and the old one is void', async () => {
    const {world, id, A, B, run, its, summary} = await reissueScene();
    const hidden = {lag: aged(14_000)};
    await run(A, {faults: listed({[FINALIZE]: 'kill-before'})});
    await run(B, {...hidden, faults: listed({[SET_DUE]: 'kill-before'})});
    await world.pass(20_000);
    const C = reissuer('C', world);
    const outcome = await run(C);
    expect(why(outcome)).toBe('elsewhere');
    expect(words(outcome)).toContain(`delete ${its()[1]!.id}`);
    expect(words(outcome)).toContain(`The draft ${its()[0]!.id} remains.`);
    expect(summary()).toEqual(['void', 'draft 0', 'draft 0']);
    // The machine that voided nothing deletes its draft when it continues.
    expect(why(await run(B))).toBe('elsewhere');
    expect(why(await run(C))).toBe('done');
    expect(summary()).toEqual(['void', 'open 1', 'deleted 0']);
    expect(
      world
        .truth()
        .filter(({status}) => status === 'open')
        .map(({metadata}) => metadata!.centavo_replaces),
    ).toEqual([id]);
  });
});

describe('an unanswered void', () => {
  test('that was applied counts when the second is refused and no other draft exists', async () => {
    const {world, A, run, summary} = await reissueScene();
    const from = world.now();
    expect(why(await run(A, {faults: listed({[VOID]: 'lost'})}))).toBe('done');
    expect(seconds(world, from)).toBe(16);
    expect(summary()).toEqual(['void', 'open 1']);
  });

  test('that was not applied is repeated without a wait', async () => {
    const {world, A, run, summary} = await reissueScene();
    const from = world.now();
    expect(why(await run(A, {faults: listed({[VOID]: 'status-500-after', [VOID + 1]: 'status-503-before'})}))).toBe(
      'done',
    );
    expect(summary()).toEqual(['void', 'open 1']);
    const other = await reissueScene();
    const begun = other.world.now();
    expect(why(await other.run(other.A, {faults: listed({[VOID]: {late: 100, end: 'reset'}})}))).toBe('done');
    expect(seconds(other.world, begun)).toBeLessThan(17);
    expect(seconds(world, from)).toBeGreaterThan(0);
  });

  test('keeps both drafts unopened while another run has one', async () => {
    const {A, B, run, its, summary} = await reissueScene({lag: aged(14_000)});
    await run(A, {faults: listed({[SET_DUE]: 'kill-before'})});
    const outcome = await run(B, {faults: listed({[VOID]: 'lost'})});
    expect(why(outcome)).toBe('elsewhere');
    expect(words(outcome)).toContain(`The draft ${its()[1]!.id} remains.`);
    expect(summary()).toEqual(['void', 'draft 0', 'draft 0']);
    // The other machine has voided nothing: it deletes its draft, and one remains.
    expect(why(await run(A))).toBe('elsewhere');
    expect(why(await run(B))).toBe('done');
    expect(summary()).toEqual(['void', 'deleted 0', 'open 1']);
  });

  test('that stays unanswered is reported, and the same command continues', async () => {
    const {A, run, summary} = await reissueScene();
    const never = listed({[VOID]: 'lost', [VOID + 1]: 'lost', [VOID + 2]: 'lost', [VOID + 3]: 'lost'});
    const faults: Faults = {request: (leaving) => (leaving.path.endsWith('/void') ? 'never' : undefined)};
    const outcome = await run(A, {faults});
    expect(words(outcome)).toMatch(
      /centavo could not confirm whether the old statement was voided\.\n.*did not finalize or send it\./,
    );
    expect(outcome).toMatchObject({applied: 'unknown'});
    expect(why(await run(A, {faults: never}))).toBe('done');
    expect(summary()).toEqual(['void', 'open 1']);
  });
});

test('repeats a void whose answer shows the old one open', async () => {
  const {world, A, plan, summary} = await reissueScene();
  let asked = 0;
  const work = (each: Around): Promise<ReissueOutcome> => {
    const client = clientOver(each.client, async (call, options) => {
      if (call.verb === 'void' && asked++ === 0) return {id: plan.id, status: 'open'};
      return each.client.perform(call, options) as Promise<unknown>;
    });
    return reissueStatement(plan, around(A, {...each, client}));
  };
  const [ended] = await world.run(world.start('A', work));
  expect(ended).toMatchObject({value: {end: 'done'}});
  expect(summary()).toEqual(['void', 'open 1']);
});

test('voids the old one and does not send a replacement opened too early', async () => {
  const {world, A, run, its, summary} = await reissueScene();
  await run(A, {faults: listed({[SET_DUE + 1]: 'kill-before'})});
  await world.person('finalize', its()[0]!.id);
  await world.pass(20_000);
  expect(why(await run(A))).toBe('by another');
  expect(summary()).toEqual(['void', 'open 0']);
});

test('reports each wait with its reason', async () => {
  const {world, A, plan} = await reissueScene();
  const told: string[] = [];
  const work = (each: Around): Promise<ReissueOutcome> => {
    const options = around(A, each);
    return reissueStatement(plan, {
      ...options,
      onProgress: (event) => void told.push(event.type === 'wait' ? event.why : event.type),
    });
  };
  await world.run(world.start('A', work, {faults: listed({[VOID]: 'lost'})}));
  expect(told.filter((each) => each !== 'answered')).toEqual(['outcome_unknown', 'other_runs']);
});

describe('a continued run', () => {
  test.each([
    ['killed before the finalizing', {[FINALIZE]: 'kill-before'}, 0],
    ['killed after it', {[FINALIZE]: 'kill-after'}, 15],
    ['killed while it voids, before', {[VOID]: 'kill-before'}, 0],
    ['killed while it voids, after', {[VOID]: 'kill-after'}, 16],
    ['killed at an item', {[ITEM]: 'kill-before'}, 30],
    ['killed at the due date', {[SET_DUE]: 'kill-after'}, 30],
  ] as const)('%s, on the same machine', async (_, faults, most) => {
    const {world, A, run, summary} = await reissueScene();
    await run(A, {faults: listed(faults)});
    const from = world.now();
    expect(why(await run(A))).toBe('done');
    expect(seconds(world, from)).toBeLessThanOrEqual(most);
    expect(summary()).toEqual(['void', 'open 1']);
  });

  test('creates a new draft if its own is gone', async () => {
    const {world, A, run, its, summary} = await reissueScene();
    await run(A, {faults: listed({[VOID]: 'kill-before'})});
    await world.person('delete', its()[0]!.id);
    await world.pass(20_000);
    expect(why(await run(A))).toBe('done');
    expect(summary()).toEqual(['void', 'deleted 0', 'open 1']);
  });

  test('keeps its draft if interrupted during old reads', async () => {
    const {A, run, its, summary} = await reissueScene({lag: aged(14_000)});
    await run(A, {faults: listed({[FINALIZE]: 'kill-before'})});
    await run(A, {interruptedAfter: 3000});
    expect(why(await run(A))).toBe('done');
    expect(its()[0]!.metadata).not.toHaveProperty('centavo_was');
    expect(summary()).toEqual(['void', 'open 1']);
  });

  test('does not repeat an intended send', async () => {
    const {A, run, summary} = await reissueScene();
    await run(A, {faults: listed({[SEND]: 'kill-after'})});
    expect(why(await run(A))).toBe('send_in_doubt');
    expect(summary()).toEqual(['void', 'open 1']);
  });

  test('keeps both drafts if killed during the void', async () => {
    const {A, B, run, summary} = await reissueScene();
    await run(B, {faults: listed({[SET_DUE]: 'kill-before'})});
    await run(A, {lag: aged(14_000), faults: listed({[VOID]: 'kill-after'})});
    expect(why(await run(A))).toBe('elsewhere');
    expect(summary()).toEqual(['void', 'draft 0', 'draft 0']);
  });

  test('does not mistake an older voided statement for its unanswered draft', async () => {
    const {world, A, run, its, summary} = await reissueScene();
    await run(A, {faults: listed({[VOID]: 'kill-before'})});
    for (const act of ['finalize', 'void'] as const) await world.person(act, its()[0]!.id);
    await world.pass(20_000);
    expect(why(await run(A))).toBe('ended');
    expect(why(await run(A, {faults: listed({[DRAFT]: 'lost'})}))).toBe('done');
    expect(summary()).toEqual(['void', 'void 0', 'open 1']);
  });

  test('finds its unanswered draft', async () => {
    const {world, A, B, plan, summary} = await reissueScene();
    const outcomes = await world.run(process(A, plan, {faults: listed({[DRAFT]: 'lost'})}), process(B, plan));
    expect(outcomes.map(why)).toEqual(['by another', 'done']);
    expect(summary().sort()).toEqual(['deleted 0', 'open 1', 'void']);
  });
});

describe('people', () => {
  test('deletes the draft if the customer pays before the void', async () => {
    const {world, id, A, run, summary} = await reissueScene();
    const faults: Faults = {request: ({path}) => (path.endsWith('/void') ? void world.pays(id) : undefined)};
    const outcome = await run(A, {faults});
    expect(why(outcome)).toBe('paid');
    expect(words(outcome)).toMatch(/was paid on .*\.\n.*Nothing was billed again\. The draft bstm_\w+ was deleted\./);
    expect(summary()).toEqual(['paid', 'deleted 0']);
  });

  test('deletes the draft even if that answer is lost', async () => {
    const {world, id, A, run, summary} = await reissueScene();
    const faults: Faults = {
      request: ({path, method, number}) => {
        if (path.endsWith('/void')) world.pays(id);
        return method === 'DELETE' && number === VOID + 1 ? 'never' : undefined;
      },
    };
    const outcome = await run(A, {faults});
    expect(words(outcome)).toMatch(/The draft bstm_\w+ was deleted\./);
    expect(summary()).toEqual(['paid', 'deleted 0']);
  });

  test('opens the draft after a void by hand, once no other run can bill', async () => {
    const {world, id, A, run, summary} = await reissueScene();
    const faults: Faults = {request: ({path}) => (path.endsWith('/void') ? void world.person('void', id) : undefined)};
    const from = world.now();
    expect(why(await run(A, {faults}))).toBe('done');
    expect(seconds(world, from)).toBe(16);
    expect(summary()).toEqual(['void', 'open 1']);
  });

  test('does not open a draft that gets an item between void and finalize, and says so', async () => {
    const {world, A, run, its, summary} = await reissueScene();
    await run(A, {faults: listed({[FINALIZE]: 'kill-before'})});
    await world.person('add-item', its()[0]!.id);
    await world.pass(20_000);
    const outcome = await run(A);
    expect(why(outcome)).toBe('incomplete');
    expect(words(outcome)).toMatch(/comes to ₱\S+\.\n.*is void\./);
    const items = [{description: 'Rent', quantity: 1, unit_price: 6500_00}];
    expect(why(await run(A, {}, {id: outcome!.old!.id, send: true, items}))).toBe('foreign');
    expect(summary()).toEqual(['void', 'draft 0']);
  });

  test('does not call an unanswered finalize undone', async () => {
    const {world, A, run, its, summary} = await reissueScene();
    const faults: Faults = {
      request: ({path}) => {
        if (!path.endsWith('/finalize')) return undefined;
        void world.person('add-item', its()[0]!.id);
        return {late: 5000, end: 'reset'};
      },
    };
    const outcome = await run(A, {faults});
    await world.rest();
    expect(why(outcome)).toBe('foreign');
    expect(words(outcome)).toMatch(/centavo could not confirm whether bstm_\w+ was finalized\. \S+ is void\./);
    expect(summary()).toEqual(['void', 'open 0']);
  });

  test('does not send a statement that was opened incomplete', async () => {
    const {world, A, B, run, its, summary} = await reissueScene();
    const faults: Faults = {
      request: ({path}) => (path.endsWith('/finalize') ? void world.person('delete-item', its()[0]!.id) : undefined),
    };
    expect(why(await run(A, {faults}))).toBe('not_shown');
    for (const machine of [A, B]) expect(why(await run(machine))).toBe('incomplete');
    expect(summary()).toEqual(['void', 'open 0']);
  });

  test('does not bill again what was opened and then voided', async () => {
    const {world, A, B, run, its, summary} = await reissueScene();
    await run(B, {faults: listed({[SET_DUE]: 'kill-before'}), lag: aged(0)});
    const hidden = await run(A, {lag: aged(14_000)});
    expect(why(hidden)).toBe('done');
    await world.person('void', its()[1]!.id);
    await world.pass(20_000);
    const outcome = await run(B);
    expect(why(outcome)).toBe('elsewhere');
    expect(words(outcome)).toMatch(/, which replaced \S+, is void\.\n.*The draft bstm_\w+ was deleted\.\n.*See it: /);
    expect(summary()).toEqual(['void', 'deleted 0', 'void 1']);
  });
});

test('opens a complete draft without a run if the old statement is void', async () => {
  const {world, id, A, run, summary} = await reissueScene();
  const {customer_id, line_items: items} = await world.call('GET', `/billing_statements/${id}`);
  const metadata = {centavo_replaces: id, centavo_amount: '650000', centavo_key: 'old'};
  const made = await world.call('POST', '/billing_statements', {customer_id, currency: 'PHP', metadata});
  for (const {description, quantity, unit_price} of items)
    await world.call('POST', '/billing_statement_line_items', {
      ...{description, quantity, unit_price, billing_statement_id: made.id},
    });
  await world.call('PUT', `/billing_statements/${made.id}`, {due_at: 1_900_000_000});
  await world.call('POST', `/billing_statements/${id}/void`);
  expect(why(await run(A))).toBe('done');
  expect(summary()).toEqual(['void', 'open 1']);
});

describe('the decision table', () => {
  const PLAN: ReissuePlan = {id: 'bstm_0', send: true};
  const statement = (id: string, status: string, more: object = {}): BillingStatementData =>
    ({id, status, line_items: [], metadata: {centavo_amount: '0', centavo_run: 'x'}, ...more}) as never;
  const asking = {draft: 'bstm_1', isUncertain: false, outcome: {} as never, part: {} as never};
  const step = (
    old: string,
    others: readonly string[],
    asks?: Partial<typeof asking>,
    more: object = {},
    plan = PLAN,
  ) => {
    const all = others.map((status, n) => statement(`bstm_${n + 1}`, status, n === 0 ? more : {}));
    const live = all.filter(({status}) => status !== 'void');
    const found = {
      old: statement('bstm_0', old),
      replacements: live,
      ended: all.filter((each) => !live.includes(each)),
    };
    return nextReissueStep(found, plan, asks && {...asking, ...asks});
  };
  const stop = (reason: string) => ({type: 'stop', stop: {why: reason}});
  const go = (next: string, id?: string) => ({type: 'run', next, replacement: id === undefined ? undefined : {id}});

  test.each<[string, ReturnType<typeof step>, object]>([
    ['nothing there yet', step('open', []), go('void')],
    ['a draft', step('open', ['draft', 'draft']), go('void', 'bstm_1')],
    ['opened too early', step('open', ['open']), go('void', 'bstm_1')],
    ['a statement that is a draft', step('draft', []), stop('not_open')],
    ['ended, with a draft', step('void', ['draft']), go('ask', 'bstm_1')],
    ['not collectible, with a draft', step('uncollectible', ['draft']), go('ask', 'bstm_1')],
    ['ended, with one that is open', step('void', ['open']), go('ask', 'bstm_1')],
    [
      'ended, with one that is not to be sent',
      step('void', ['open'], undefined, {}, {...PLAN, send: false}),
      {type: 'done'},
    ],
    ['ended, with one that is paid', step('void', ['paid']), {type: 'done'}],
    ['ended, with nothing', step('void', []), stop('not_open')],
    [
      'ended, with a half of a draft',
      step('void', ['draft'], undefined, {metadata: {centavo_amount: '5'}}),
      stop('incomplete'),
    ],
    ['paid, with drafts', step('paid', ['draft', 'draft']), {type: 'remove', drafts: [{id: 'bstm_1'}, {id: 'bstm_2'}]}],
    ['paid, with one that is open', step('paid', ['open']), stop('billed_twice')],
    ['refused, and still open', step('open', ['draft'], {}), stop('run')],
    ['refused, and nobody else', step('void', ['draft'], {}), go('open', 'bstm_1')],
    [
      'refused, with another draft',
      step('void', ['draft', 'draft'], {}),
      {type: 'leave', other: {id: 'bstm_2'}, drafts: [{id: 'bstm_1'}]},
    ],
    ['refused, with another that is void', step('void', ['draft', 'void'], {}), {type: 'leave', other: {id: 'bstm_2'}}],
    [
      'in doubt, with another draft',
      step('void', ['draft', 'draft'], {isUncertain: true}),
      {type: 'leave', drafts: []},
    ],
    [
      'refused, with one that was taken over',
      step('void', ['draft', 'draft'], {}, {metadata: {centavo_run: 'x', centavo_was: 'y'}}),
      {type: 'leave', drafts: []},
    ],
    ['refused, and somebody opened it', step('void', ['open', 'draft'], {}), go('open', 'bstm_1')],
    ['refused, and deleted since', step('void', [], {}), stop('not_open')],
  ])('%s', (_, next, expected) => expect(next).toMatchObject(expected));
});
