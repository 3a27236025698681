// Changes to a statement, or on this machine, during a run, and the report about them.

import {describe, expect, test} from 'vitest';
import {runPlan} from '../../../src/billing/statement/workflow/run-plan.js';
import {CentavoError} from '../../../src/common/errors.js';
import {listed, NO_FAULTS, type Faults} from '../../support/simulation/faults.js';
import {aged} from '../../support/simulation/hostile-service.js';
import {billing, explained, ITEMS} from '../../support/simulation/stories.js';
import type {Act, World} from '../../support/simulation/world.js';

/** A run during which another person acts, after the answer to the first change of this path. */
async function during(
  path: RegExp,
  others: (world: World, id: string) => Promise<unknown>,
  faults: Faults = NO_FAULTS,
) {
  const {world, plan, run} = await billing();
  let done = false;
  const outcome = await run(plan, {
    faults,
    answer: async (request, body) => {
      if (!done && request.method !== 'GET' && path.test(request.path)) {
        done = true;
        await others(world, world.truth()[0]!.id);
      }
      return body;
    },
  });
  const [statement] = world.truth();
  return {statement: statement!, sent: statement!.emails.length, ...explained(outcome, plan)};
}

/** The acts of the person, in turn. */
const person =
  (...acts: readonly Act[]) =>
  async (world: World, id: string): Promise<void> => {
    for (const act of acts) await world.person(act, id);
  };

describe('another person', () => {
  test('opens and sends it early: it is not reported as unsent or a draft', async () => {
    const {text, sent, error} = await during(/line_items/, person('change-due', 'finalize', 'send'));
    expect(text).toMatch(/is open\.[^]*may have been sent\. This run changed it, but did not finalize or send it\./);
    expect(text).not.toMatch(/The draft|(?<!If it )was not sent|not finalized/);
    expect([sent, error.exitCode, error.details.applied]).toEqual([1, 5, 'yes']);
  });

  test('opens it when complete: this run does not send it', async () => {
    // The unknown due date is settled by a read before the other person opens the statement.
    for (const faults of [NO_FAULTS, listed({1: 'lost'})]) {
      const {text, sent} = await during(/^\/billing_statements\/\w+$/, person('finalize'), faults);
      expect(text).toMatch(/is open\.[^]*may have been sent\. This run changed it, but did not finalize or send it\./);
      expect(sent).toBe(0);
    }
  });

  test('deletes it: it is reported as deleted', async () => {
    const {text, error} = await during(/line_items/, person('delete'));
    expect(text).toMatch(/ was not found\.[^]*did not finalize or send it\.[^]* list --limit 5/);
    expect(error.exitCode).toBe(3);
  });

  test('removes an answered item: nothing is added again', async () => {
    const {error, statement} = await during(/^\/billing_statements\/\w+$/, person('delete-item'));
    expect(error).toMatchObject({code: 'not_shown', exitCode: 10, details: {applied: 'yes'}});
    expect(statement.items).toHaveLength(ITEMS.length - 1);
  });

  test('voids it after finalizing: the run reports what it did', async () => {
    const {text, sent} = await during(/finalize$/, person('void'));
    expect(text).toMatch(/is void\.[^]*This run changed it and did not send it\./);
    expect(sent).toBe(0);
  });
});

test('names a draft whose id cannot be recorded', async () => {
  const {world, machine, plan} = await billing();
  const made = (): never => {
    throw new CentavoError('local_io', 'the next step could not be recorded.', {applied: 'no'});
  };
  const ended = await world.alone('A', (around) => {
    const usual = machine.options(around, {});
    return runPlan(plan, {...usual, history: {...usual.history, made}});
  });
  const {error, text} = explained(ended.ended === 'killed' ? undefined : ended.value, plan);
  expect(text).toContain(`The draft ${world.truth()[0]!.id} has 0 of 3 items.`);
  expect(error).toMatchObject({exitCode: 15, details: {applied: 'yes'}});
});

test('a continued run interrupted during its first wait has changed nothing', async () => {
  const {machine, plan, run} = await billing();
  await run(plan, {faults: listed({1: 'interrupt-after'}), lag: aged(14_000)});
  const again = {...plan, id: machine.lastId!};
  const {error, text} = explained(await run(again, {lag: aged(14_000), interruptedAfter: 1000}), again);
  expect(error.details.applied).toBe('no');
  expect(text).toContain('Nothing was changed.');
});
