// Changes to a statement, or on this machine, during a run, and the report about them.

import {describe, expect, test} from 'vitest';
import {runPlan} from '../../../src/billing/statement/workflow/run-plan.js';
import type {RunOutcome} from '../../../src/billing/statement/workflow/outcome.js';
import type {StatementPlan} from '../../../src/billing/statement/plan.js';
import {CentavoError} from '../../../src/common/errors.js';
import {DUE, ITEMS} from '../../support/billing/merchant-run.js';
import {explained} from '../../support/billing/printed-stop.js';
import {World, type Fault} from '../../support/billing/scheduled-service.js';

const WHOLE = {items: ITEMS, dueAt: DUE, finalize: true, send: true} as const;

async function planned(world: World): Promise<StatementPlan> {
  const customer = await world.call('POST', '/customers', {name: 'Juan', email: 'juan@example.com', currency: 'PHP'});
  return {create: {customer_id: customer.id as string, currency: 'PHP'}, ...WHOLE};
}

/** A run during which another person makes these requests, after the answer to the change of this path. */
async function during(
  path: RegExp,
  others: (world: World, id: string) => Promise<unknown>,
  changes: ReadonlyMap<number, Fault> = new Map(),
) {
  const world = new World();
  const plan = await planned(world);
  let done = false;
  const outcome = (await world.run(plan, {
    changes,
    answer: async (request, body) => {
      if (!done && request.method !== 'GET' && path.test(request.path)) {
        done = true;
        await others(world, (await world.statements())[0]!.id);
      }
      return body as unknown;
    },
  })) as Extract<RunOutcome, {end: 'stopped'}>;
  expect(outcome.end).toBe('stopped');
  const [{id, line_items: items}] = (await world.statements().then((all) => (all.length ? all : [{}]))) as any[];
  return {world, id, items, sent: id ? world.sent(id) : 0, ...explained(outcome, plan)};
}

const open = async (world: World, id: string): Promise<void> => {
  await world.call('PUT', `/billing_statements/${id}`, {due_at: DUE});
  await world.call('POST', `/billing_statements/${id}/finalize`);
};
const openAndSend = async (world: World, id: string): Promise<void> => {
  await open(world, id);
  await world.call('POST', `/billing_statements/${id}/send`);
};

describe('another person', () => {
  test('opens and sends it early: it is not reported as unsent or a draft', async () => {
    const {text, sent, error} = await during(/line_items/, openAndSend);
    expect(text).toMatch(/is open\.[^]*may have been sent\. This run changed it, but did not finalize or send it\./);
    expect(text).not.toMatch(/The draft|(?<!If it )was not sent|not finalized/);
    expect([sent, error.exitCode, error.details.applied]).toEqual([1, 5, 'yes']);
  });

  test('opens it when complete: this run does not send it', async () => {
    // The unknown due date is settled by a read before the other person opens the statement.
    for (const changes of [new Map<number, Fault>(), new Map<number, Fault>([[1, 'lost']])]) {
      const {text, sent} = await during(/^\/billing_statements\/\w+$/, open, changes);
      expect(text).toMatch(/is open\.[^]*may have been sent\. This run changed it, but did not finalize or send it\./);
      expect(sent).toBe(0);
    }
  });

  test('deletes it: it is reported as deleted', async () => {
    const {text, error} = await during(/line_items/, (world, id) => world.call('DELETE', `/billing_statements/${id}`));
    expect(text).toMatch(/ was not found\.[^]*did not finalize or send it\.[^]* list --limit 5/);
    expect(error.exitCode).toBe(3);
  });

  test('removes an answered item: nothing is added again', async () => {
    const {error, items} = await during(/^\/billing_statements\/\w+$/, async (world, id) => {
      const {line_items: all} = await world.call('GET', `/billing_statements/${id}`);
      await world.call('DELETE', `/billing_statement_line_items/${all[0].id}`);
    });
    expect(error).toMatchObject({code: 'not_shown', exitCode: 10, details: {applied: 'yes'}});
    expect(items).toHaveLength(ITEMS.length - 1);
  });

  test('voids it after finalizing: the run reports what it did', async () => {
    const {text, sent} = await during(/finalize$/, (world, id) => world.call('POST', `/billing_statements/${id}/void`));
    expect(text).toMatch(/is void\.[^]*This run changed it and did not send it\./);
    expect(sent).toBe(0);
  });
});

test('names a draft whose id cannot be recorded', async () => {
  const world = new World();
  const plan = await planned(world);
  const full = (): never => {
    throw new CentavoError('local_io', 'the next step could not be recorded.', {applied: 'no'});
  };
  const outcome = await world.perform(
    'billing-statements create',
    [],
    {changes: new Map()},
    {
      work: (around) => runPlan(plan, world.engine({}, {...around, history: {...around.history, made: full}})),
      appliedOf: () => 'yes',
    },
  );
  const [{id}] = (await world.statements()) as unknown as [{id: string}];
  const {error, text} = explained(outcome as never, plan);
  expect(text).toContain(`The draft ${id} has 0 of 3 items.`);
  expect(error).toMatchObject({exitCode: 15, details: {applied: 'yes'}});
});

test('a continued run interrupted during its first wait has changed nothing', async () => {
  const world = new World();
  const plan = await planned(world);
  await world.run(plan, {changes: new Map([[4, 'interrupt-after']])});
  const again = {...plan, id: world.lastId()!};
  const outcome = await world.run(again, {changes: new Map(), reads: new Map([[1, 'interrupt']])});
  const {error, text} = explained(outcome as never, again);
  expect(error.details.applied).toBe('no');
  expect(text).toContain('Nothing was changed.');
});
