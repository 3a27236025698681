// One statement under faults of the service: it is sent once, with exactly the wanted items, and every report is true.
// Time is virtual.

import {nextText} from '../../../src/common/next-text.js';
import {describe, expect, test} from 'vitest';
import {HTTP_TIMING} from '../../../src/billing/statement/workflow/service-timing.js';
import type {StatementPlan} from '../../../src/billing/statement/plan.js';
import type {StatementItem} from '../../../src/input/items.js';
import {listed, type Fault} from '../../support/simulation/faults.js';
import {bill, billing, DUE, explained, ITEMS, type Round} from '../../support/simulation/stories.js';
import type {World} from '../../support/simulation/world.js';
import {some} from '../../support/test-size.js';

/** Changes of a run without faults, in order. */
const CHANGES = ['the draft', 'item 1', 'item 2', 'item 3', 'the due date', 'the finalizing', 'the sending'];
const SENDING = CHANGES.length - 1;
const at = (change: number, fault: Fault): Round => ({faults: listed({[change]: fault})});

/** Milliseconds after the timeout; negative before it. */
const WITHIN = [14_900, 5000, -500, 100, 2900, -9900];
const BEYOND = [15_500, 16_000, 17_000, 20_000, 45_000];

/** The promises that hold even if a call is applied after the settle time: what is opened then may differ, and is not sent. */
const unlessOpened = (wrong: readonly string[]): string[] =>
  wrong.filter((words) => !words.startsWith('wrong finalized'));

const DONE = {endings: ['done'], wrong: [], emails: 1};

test('promises a settle time above ten seconds', () => {
  expect(HTTP_TIMING.settle).toBeGreaterThanOrEqual(15_000);
});

test('makes each change once without faults', async () => {
  expect(await bill([])).toMatchObject({...DONE, asked: CHANGES.length});
});

/** Faults that stop a run before anything was applied, with the error code. */
const STOPPING: readonly [Fault, string][] = [
  ['unsent', 'partial'],
  [{limited: 999_999}, 'rate_limited'],
];

/** True if a change of unknown outcome is repeated at once. */
const isRepeated = (change: number): boolean => change === SENDING - 1 || change === SENDING - 2;

describe.each(CHANGES.slice(0, SENDING).map((name, change) => [name, change] as const))('%s', (_name, change) => {
  test.each(some(WITHIN, 3))('waits for a change late by %i ms, and repeats nothing', async (late) => {
    // Repeating a due date or a finalize is harmless, so the run does not wait.
    const again = change === SENDING - 2 || (change === SENDING - 1 && late > 0);
    expect(await bill([at(change, {late})])).toMatchObject({...DONE, asked: CHANGES.length + (again ? 1 : 0)});
  });

  test.each(some(BEYOND, 2))('never sends another amount when late by %i ms, past the promise', async (late) => {
    expect(unlessOpened((await bill([at(change, {late})])).wrong)).toEqual([]);
  });

  test.each(['lost', 'never', 'garbage-after', 'status-500-after', 'status-503-before'] as const)(
    '%s is settled by reading, and the run ends as asked',
    async (fault) => {
      expect(await bill([at(change, fault)])).toMatchObject(DONE);
    },
  );

  test.each(STOPPING)('stops when %j; the printed command does the rest', async (fault, code) => {
    const story = await bill([at(change, fault)]);
    expect(story.wrong).toEqual([]);
    // Nothing was created yet, so the same command is run again.
    if (change > 0) expect(story).toMatchObject({...DONE, endings: [`failed:${code}`, 'done']});
  });

  test('suggests no repeat when refused', async () => {
    const story = await bill([at(change, 'refused')]);
    expect(story).toMatchObject({endings: ['failed:parameter_invalid'], wrong: [], emails: 0});
  });

  const ENDS = ['interrupt-before', 'interrupt-after', 'kill-before', 'kill-after'] as const;
  test.each(ENDS)('%s: continuing completes the plan', async (fault) => {
    expect(await bill([at(change, fault)])).toMatchObject({wrong: [], ...(change > 0 && {emails: 1})});
  });

  test('waits when late by 5 s after a kill, and repeats nothing', async () => {
    const story = await bill([at(change, {late: 5000, end: 'kill'})]);
    // The history has no id of an unanswered draft.
    if (change > 0) expect(story).toMatchObject({...DONE, endings: ['killed', 'done']});
    expect(story.asked).toBe(change > 0 ? CHANGES.length + (isRepeated(change) ? 1 : 0) : 1);
  });

  test.each(some([100, ...BEYOND, 14_900], 3))('killed, then late by %i ms during the next run', async (late) => {
    for (const end of ['kill', 'interrupt'] as const)
      expect(unlessOpened((await bill([at(change, {late, end})])).wrong)).toEqual([]);
  });
});

test.each([16_200, 17_000, 20_000])(
  'an interrupted removal, after a finalizing that comes %i ms late, does not hide that it may be finalized',
  async (late) => {
    // The third item lands past the promise and is added twice; one is removed before finalizing.
    const faults = listed({3: {late: 16_500}, 6: {late}, 7: 'interrupt-after'});
    expect((await bill([{faults}])).wrong).toEqual([]);
  },
);

describe('the sending', () => {
  const DOUBTS: readonly Fault[] = [
    'garbage-after',
    'interrupt-after',
    'lost',
    'status-500-after',
    'status-503-before',
    {late: 2900},
    {late: 2900, end: 'interrupt'},
  ];
  test.each(DOUBTS)('unknown after %j is never called unsent, nor suggested', async (fault) => {
    const {endings, wrong} = await bill([at(SENDING, fault)]);
    expect(wrong).toEqual([]);
    expect(endings).toHaveLength(1);
  });

  test.each(['kill-after', {late: 5000, end: 'kill'}] as const)(
    'cut short by %j is not done again by the run that goes on',
    async (fault) => {
      const story = await bill([at(SENDING, fault)]);
      expect(story).toMatchObject({...DONE, endings: ['killed', 'send_in_doubt:send_in_doubt']});
    },
  );

  test.each(STOPPING)('left by %j is done by the printed command', async (fault, code) => {
    expect(await bill([at(SENDING, fault)])).toMatchObject({...DONE, endings: [`failed:${code}`, 'done']});
  });
});

describe('past the promise', () => {
  /** Every hundredth of a second of the rest of the run. */
  const MOMENTS = some(
    Array.from({length: 60}, (_, moment) => 2 * HTTP_TIMING.settle + moment * 10),
    20,
  );

  test.each(some([1, 2, 3], 1))('item %i is removed, or stops the run, and is never sent', async (change) => {
    const all = await Promise.all(MOMENTS.map((late) => bill([at(change, {late})])));
    expect(unlessOpened(all.flatMap(({wrong}) => wrong))).toEqual([]);
    const removed = all.filter(({world}) => world.applied.some(({method}) => method === 'DELETE'));
    expect(removed.length).toBeGreaterThan(0);
    const stopped = all.filter(({endings}) => endings[0] === 'mismatch:statement_differs');
    expect(stopped.length).toBeGreaterThan(0);
    for (const {statements} of stopped) expect(statements.map(({status}) => status)).toEqual(['void']);
  });

  test('leaves a second draft empty', async () => {
    const moments = [0, 10_000].flatMap((more) => MOMENTS.map((late) => late + more));
    const all = await Promise.all(moments.map((late) => bill([at(0, {late})])));
    expect(all.flatMap(({wrong}) => wrong)).toEqual([]);
    const drafts = all.map(({statements}) => statements.filter(({status}) => status === 'draft'));
    expect(Math.max(...drafts.map(({length}) => length))).toBe(1);
    for (const {items} of drafts.flat()) expect(items).toEqual([]);
  });
});

describe('continuing a draft', () => {
  const [design, hosting] = ITEMS;
  const EXTRA = {description: 'Logo', quantity: 1, unit_price: 99_900};

  /** A run on a draft with these items. */
  async function goOn(
    present: readonly StatementItem[],
    change: Partial<StatementPlan>,
    then?: (world: World, id: string) => Promise<unknown>,
  ) {
    const {world, run, draft, changes} = await billing();
    const id = await draft(present);
    await then?.(world, id);
    const plan = {id, items: [design, hosting], dueAt: DUE, finalize: true, send: true, ...change};
    const outcome = (await run(plan))!;
    const error = outcome.end === 'stopped' ? explained(outcome, plan).error : undefined;
    const [statement] = world.truth();
    return {outcome, statement: statement!, error, sent: statement!.emails.length, changes: changes()};
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
    expect(nextText(error!.details)).toMatch(/line-items delete bstm_li_/);
    expect(statement.items).toHaveLength(2);
    expect([sent, changes]).toEqual([0, []]);
  });

  test('that another person opened is not sent: exit 5', async () => {
    const open = async (world: World, id: string) => {
      await world.call('PUT', `/billing_statements/${id}`, {due_at: DUE});
      await world.call('POST', `/billing_statements/${id}/finalize`);
    };
    const {error, sent, statement} = await goOn([design, design], {}, open);
    expect(error).toMatchObject({code: 'not_a_draft', exitCode: 5, details: {applied: 'no'}});
    expect(nextText(error!.details)).toContain(`centavo send ${statement.id}`);
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
    const answer: Round['answer'] = ({path}, body) => (path.endsWith('/finalize') ? {id: body.id} : body);
    const story = await bill([{faults: listed({}, {0: 'unsent'}), answer}]);
    expect(story).toMatchObject({...DONE, endings: ['failed:partial', 'done']});
  });

  test.each([0, 1, 2, 3])('a failure or Ctrl-C at read %i is reported truthfully', async (read) => {
    for (const fault of ['unsent', 'interrupt-before'] as const)
      for (const changes of [{}, {1: 'lost'}] as Record<number, Fault>[])
        for (const plan of [{}, {send: false}, {send: false, finalize: false}])
          expect((await bill([{faults: listed(changes, {[read]: fault})}], plan)).wrong).toEqual([]);
  });

  test('is done with a complete draft whose last read fails', async () => {
    // The answer to a due date would show the whole draft.
    const plan = {dueAt: undefined, send: false, finalize: false};
    const {world, ...story} = await bill([{faults: listed({}, {0: 'unsent'})}], plan);
    expect(story).toMatchObject({endings: ['done'], wrong: []});
    expect(world.met.faults).toBe(1);
  });
});
