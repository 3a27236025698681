// One statement under faults of the service: it is sent once, with exactly the wanted items, and every report is true.
// Time is virtual.

import {describe, expect, test} from 'vitest';
import {HTTP_TIMING} from '../../../src/billing/statement/workflow/service-timing.js';
import type {BillingStatementData, StatementPlan} from '../../../src/billing/statement/plan.js';
import type {StatementItem} from '../../../src/input/items.js';
import {DUE, ITEMS, runStory} from '../../support/billing/merchant-run.js';
import {explained} from '../../support/billing/printed-stop.js';
import {World, type Fault, type Faults} from '../../support/billing/scheduled-service.js';
import {some} from '../../support/test-size.js';

/** Changes of a run without faults, in order. */
const CHANGES = ['the draft', 'item 1', 'item 2', 'item 3', 'the due date', 'the finalizing', 'the sending'];
const SENDING = CHANGES.length - 1;
const at = (change: number, fault: Fault): Faults => ({changes: new Map([[change, fault]])});

const WITHIN = [100, 500, 1000, 2900, 5000, 10_000, 14_900];
const BEYOND = [15_500, 16_000, 17_000, 20_000, 45_000];

test('promises a settle time above ten seconds', () => {
  expect(HTTP_TIMING.settle).toBeGreaterThanOrEqual(15_000);
});

test('makes each change once without faults', async () => {
  const story = await runStory([]);
  expect(story).toMatchObject({endings: ['done'], wrong: [], sentStatements: 1});
});

/** True if a change of unknown outcome is repeated at once. */
const isRepeated = (change: number): boolean => change === SENDING - 1 || change === SENDING - 2;

describe.each(CHANGES.slice(0, SENDING).map((name, change) => [name, change] as const))('%s', (_name, change) => {
  test.each(some(WITHIN, 3))('waits for a change late by %i ms, and repeats nothing', async (late) => {
    const story = await runStory([at(change, {late})]);
    expect(story).toMatchObject({endings: ['done'], wrong: [], sentStatements: 1});
    // Repeating a due date or a finalize is harmless, so the run does not wait.
    const again = change === SENDING - 2 || (change === SENDING - 1 && late > 1000);
    expect(story.world.asked).toBe(CHANGES.length + (again ? 1 : 0));
  });

  test.each(some(BEYOND, 2))('never sends another amount when late by %i ms, past the promise', async (late) => {
    expect((await runStory([at(change, {late})])).wrong).toEqual([]);
  });

  test.each(['lost', 'garbage', 'status-500-after', 'status-503-before'] as const)(
    '%s is settled by reading, and the run ends as asked',
    async (fault) => {
      expect(await runStory([at(change, fault)])).toMatchObject({endings: ['done'], wrong: [], sentStatements: 1});
    },
  );

  test.each(['unsent', 'limited'] as const)('stops when %s; the printed command does the rest', async (fault) => {
    const story = await runStory([at(change, fault)]);
    expect(story.wrong).toEqual([]);
    // Nothing was created yet, so the same command is run again.
    if (change > 0) expect(story).toMatchObject({endings: ['failed:' + codeOf(fault), 'done'], sentStatements: 1});
  });

  test('suggests no repeat when refused', async () => {
    const story = await runStory([at(change, 'refused')]);
    expect(story).toMatchObject({endings: ['failed:parameter_invalid'], wrong: [], sentStatements: 0});
  });

  const ENDS = ['interrupt-before', 'interrupt-after', 'kill-before', 'kill-after'] as const;
  test.each(ENDS)('%s: continuing completes the plan', async (fault) => {
    const story = await runStory([at(change, fault)]);
    expect(story.wrong).toEqual([]);
    if (change > 0) expect(story).toMatchObject({sentStatements: 1});
  });

  test('waits when late by 5 s after a kill, and repeats nothing', async () => {
    const story = await runStory([at(change, {late: 5000, then: 'kill'})]);
    // The history has no id of an unanswered draft.
    if (change > 0) expect(story).toMatchObject({endings: ['killed', 'done'], wrong: [], sentStatements: 1});
    expect(story.world.asked).toBe(change > 0 ? CHANGES.length + (isRepeated(change) ? 1 : 0) : 1);
  });

  test.each(some([...WITHIN, ...BEYOND], 4))('killed, then late by %i ms during the next run', async (late) => {
    for (const then of ['kill', 'interrupt'] as const)
      expect((await runStory([at(change, {late, then})])).wrong).toEqual([]);
  });
});

test.each([16_200, 17_000, 20_000])(
  'an interrupted removal, after a finalizing that comes %i ms late, does not hide that it may be finalized',
  async (late) => {
    // The third item lands past the promise and is added twice; one is removed before finalizing.
    const faults: [number, Fault][] = [
      [3, {late: 16_500}],
      [6, {late}],
      [7, 'interrupt-after'],
    ];
    expect((await runStory([{changes: new Map(faults)}])).wrong).toEqual([]);
  },
);

describe('the sending', () => {
  const DOUBTS: readonly Fault[] = [
    'garbage',
    'interrupt-after',
    'lost',
    'status-500-after',
    'status-503-before',
    {late: 2900},
    {late: 2900, then: 'interrupt'},
  ];
  test.each(DOUBTS)('unknown after %j is never called unsent, nor suggested', async (fault) => {
    const {endings, wrong, world} = await runStory([at(SENDING, fault)]);
    expect(wrong).toEqual([]);
    expect(endings).toHaveLength(1);
    expect(world.falseWords).toEqual([]);
  });

  test.each(['kill-after', {late: 5000, then: 'kill'}] as const)(
    'cut short by %j is not done again by the run that goes on',
    async (fault) => {
      const story = await runStory([at(SENDING, fault)]);
      expect(story).toMatchObject({endings: ['killed', 'send_in_doubt:send_in_doubt'], wrong: [], sentStatements: 1});
    },
  );

  test.each(['unsent', 'limited'] as const)('left by %s is done by the printed command', async (fault) => {
    const story = await runStory([at(SENDING, fault)]);
    expect(story).toMatchObject({endings: ['failed:' + codeOf(fault), 'done'], wrong: [], sentStatements: 1});
  });
});

describe('past the promise', () => {
  /** Every hundredth of a second of the rest of the run. */
  const MOMENTS = some(
    Array.from({length: 60}, (_, moment) => 2 * HTTP_TIMING.settle + 900 + moment * 10),
    20,
  );
  const stories = (change: number) => Promise.all(MOMENTS.map((late) => runStory([at(change, {late})])));

  test.each(some([1, 2, 3], 1))('item %i is removed, or stops the run, and is never sent', async (change) => {
    const all = await stories(change);
    expect(all.flatMap(({wrong}) => wrong)).toEqual([]);
    const removed = all.filter(({world}) => world.applied.some(({method}) => method === 'DELETE'));
    expect(removed.length).toBeGreaterThan(0);
    const stopped = all.filter(({endings}) => endings[0] === 'mismatch:statement_differs');
    expect(stopped.length).toBeGreaterThan(0);
    for (const {world} of stopped) expect((await world.statements()).map(({status}) => status)).toEqual(['void']);
  });

  test('leaves a second draft empty', async () => {
    const moments = [0, 10_000].flatMap((more) => MOMENTS.map((late) => late + more));
    const all = await Promise.all(moments.map((late) => runStory([at(0, {late})])));
    expect(all.flatMap(({wrong}) => wrong)).toEqual([]);
    const drafts = await Promise.all(
      all.map(async ({world}) => (await world.statements()).filter(({status}) => status === 'draft')),
    );
    expect(Math.max(...drafts.map(({length}) => length))).toBe(1);
    for (const {line_items: items} of drafts.flat()) expect(items).toEqual([]);
  });
});

describe('continuing a draft', () => {
  const [design, hosting] = ITEMS;
  const EXTRA = {description: 'Logo', quantity: 1, unit_price: 99_900};

  /** A run on a draft with these items. */
  async function goOn(
    present: readonly StatementItem[],
    plan: Partial<StatementPlan>,
    then?: (world: World, id: string) => Promise<unknown>,
  ) {
    const world = new World();
    const customer = await world.call('POST', '/customers', {name: 'Juan', email: 'juan@example.com', currency: 'PHP'});
    const {id} = await world.call('POST', '/billing_statements', {customer_id: customer.id, currency: 'PHP'});
    for (const item of present)
      await world.call('POST', '/billing_statement_line_items', {...item, billing_statement_id: id});
    await then?.(world, id);
    const before = world.applied.length;
    const whole = {id, items: [design, hosting], dueAt: DUE, finalize: true, send: true, ...plan} as StatementPlan;
    const outcome = (await world.run(whole, {changes: new Map()}))!;
    const statement: BillingStatementData = await world.call('GET', `/billing_statements/${id}`);
    const error = outcome.end === 'stopped' ? explained(outcome, whole).error : undefined;
    return {world, outcome, statement, error, sent: world.sent(id), changes: world.applied.slice(before)};
  }

  test.each([[[]], [[design]], [[hosting, design]]])('with %j adds only the missing items', async (present) => {
    const {outcome, statement, sent, changes} = await goOn(present, {});
    expect(outcome.end).toBe('done');
    expect(statement).toMatchObject({status: 'open', amount: 3_125_050});
    expect(sent).toBe(1);
    // The keys and the due date are written first.
    expect(changes).toHaveLength(2 - present.length + 3);
  });

  test('without given items keeps its own', async () => {
    const {statement, sent} = await goOn([design, EXTRA], {items: []});
    expect([statement.amount, sent]).toEqual([3_099_900, 1]);
  });

  test.each([
    ['an item that was not asked for', [design, EXTRA]],
    ['an item once too often', [design, design]],
  ])('with %s stops, and removes nothing', async (_what, present) => {
    const {error, statement, sent, changes} = await goOn(present, {});
    expect(error).toMatchObject({code: 'unexpected_items', exitCode: 12});
    expect(error!.details.hint).toMatch(/line-items delete bstm_li_/);
    expect(statement.line_items).toHaveLength(2);
    expect([sent, changes]).toEqual([0, []]);
  });

  test('that another person opened is not sent: exit 5', async () => {
    const open = async (world: World, id: string) => {
      await world.call('PUT', `/billing_statements/${id}`, {due_at: DUE});
      await world.call('POST', `/billing_statements/${id}/finalize`);
    };
    const {error, sent, statement} = await goOn([design, design], {}, open);
    expect(error).toMatchObject({code: 'not_a_draft', exitCode: 5, details: {applied: 'no'}});
    expect(error!.details.hint).toContain(`centavo billing-statements send ${statement.id}`);
    expect(sent).toBe(0);
  });

  test('that is deleted or void is reported as such', async () => {
    const remove = (world: World, id: string) => world.call('DELETE', `/billing_statements/${id}`);
    const {outcome, error} = await goOn([design], {}, remove);
    expect(outcome.end).toBe('stopped');
    expect(error!.exitCode).toBeGreaterThan(0);
  });
});

describe('reads', () => {
  test('does not send if the read after finalizing fails; the printed command sends it', async () => {
    // The answer to finalize is incomplete, so a read is needed.
    const answer: Faults['answer'] = ({path}, body) => (path.endsWith('/finalize') ? {id: body.id} : body);
    const story = await runStory([{changes: new Map(), reads: new Map([[0, 'fails']]), answer}]);
    expect(story).toMatchObject({endings: ['failed:partial', 'done'], wrong: [], sentStatements: 1});
  });

  test.each([0, 1, 2, 3])('a failure or Ctrl-C at read %i is reported truthfully', async (read) => {
    for (const fault of ['fails', 'interrupt'] as const) {
      const reads = new Map([[read, fault]]);
      for (const changes of [new Map<number, Fault>(), new Map<number, Fault>([[1, 'lost']])])
        for (const plan of [{}, {send: false}, {send: false, finalize: false}])
          expect((await runStory([{changes, reads}], plan)).wrong).toEqual([]);
    }
  });

  test('is done with a complete draft whose last read fails', async () => {
    const reads = new Map([[0, 'fails' as const]]);
    const story = await runStory([{changes: new Map(), reads}], {send: false, finalize: false});
    expect(story).toMatchObject({endings: ['done'], wrong: []});
  });
});

/** The error code of a fault. */
const codeOf = (fault: 'limited' | 'unsent'): string => (fault === 'limited' ? 'rate_limited' : 'partial');
