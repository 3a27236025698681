// Imports while somebody else is at the same statements: another import of the same file, the dashboard, the customer.

import {describe, expect, test} from 'vitest';
import {pay} from '../../src/sandbox/paying/payer.js';
import {RATES} from '../support/billing/job-world.js';
import {callOf, COUNT, FINALIZE, worldWith} from '../support/billing/meddled.js';

describe('two imports of one file', () => {
  const ONCE = {statements: COUNT, emails: COUNT, most: 1};

  test('one after the other: the second bills nobody, also when it is told to go on', async () => {
    const {world, billed, phases} = await worldWith(['job_one', 'job_two']);
    expect(await world.run('job_one')).toBeUndefined();
    expect(await world.run('job_two')).toBeUndefined();
    expect(phases('job_two')).toEqual(Array(COUNT).fill('failed'));
    expect(world.rows('job_two')[0]!.error).toMatch(/^Another import made bstm_\w+ for this row/);
    expect(await billed()).toEqual(ONCE);
    expect(await world.run('job_two', {retries: true})).toBeUndefined();
    expect(await billed()).toEqual(ONCE);
    expect(await world.statements()).toHaveLength(COUNT);
  });

  test('at the same time: what both have made is finalized by neither, until one is told to go on', async () => {
    for (const seed of [1, 2, 3]) {
      const {world, billed} = await worldWith(['job_one', 'job_two'], {seed});
      await Promise.all([world.run('job_one'), world.run('job_two')]);
      expect((await billed()).statements).toBeLessThanOrEqual(COUNT);
      expect((await billed()).most).toBeLessThanOrEqual(1);
      await Promise.all([world.run('job_one', {retries: true}), world.run('job_two', {retries: true})]);
      expect((await billed()).statements).toBeLessThanOrEqual(COUNT);
      expect((await billed()).most).toBe(1);
      await world.run('job_one', {retries: true});
      expect(await billed()).toEqual(ONCE);
    }
  });

  test('at the same time, and both are told to go on while answers are lost: each is sent once, or in doubt', async () => {
    for (const seed of [1, 3, 57]) {
      const rates = {...RATES, kill: 0, full: 0};
      const {world, billed} = await worldWith(['job_one', 'job_two'], {rates, seed: seed * 7919, rowsBy: seed});
      for (const retries of [false, false, true, true]) {
        await Promise.all([world.run('job_one', {retries}), world.run('job_two', {retries})]);
        world.now += 30_000;
      }
      expect((await billed()).statements).toBeLessThanOrEqual(6);
      expect((await billed()).most).toBe(1);
    }
  });
});

describe('somebody else', () => {
  test('bills a row with other content while the import waits: it is not billed again', async () => {
    const {world, billed, rows} = await worldWith(['job_one']);
    const changed = rows.map((row) =>
      row.cells.get('external_id') === 'JUNE-2'
        ? {...row, cells: new Map([...row.cells, ['unit_price', '777.00']])}
        : row,
    );
    await world.stage(changed, {name: 'job_two'});
    world.now += 5000;
    await world.run('job_two');
    world.now += 5000;
    await world.run('job_one');
    expect(world.rows('job_one').map(({error_code: code}) => code)).toEqual(Array(COUNT).fill('made_elsewhere'));
    await world.run('job_one', {retries: true});
    expect(await billed()).toEqual({statements: COUNT, emails: COUNT, most: 1});
    await world.run('job_one', {retries: true, allowDuplicate: true});
    expect(await billed()).toEqual({statements: COUNT + 1, emails: COUNT + 1, most: 1});
  });

  test('finalizes and sends a draft right before this import does: it is not sent again, also when failed rows are retried', async () => {
    const {world, once, call, billed, phases} = await worldWith(['job_test']);
    once(FINALIZE, async (request, handle, id) => {
      await call('POST', request.path);
      await call('POST', `/billing_statements/${id}/send`);
      return handle();
    });
    await world.run();
    expect(phases().toSorted()).toEqual(['done', 'done', 'done', 'failed']);
    await world.run('job_test', {retries: true});
    expect(await billed()).toEqual({statements: COUNT, emails: COUNT, most: 1});
    expect(world.rows().find(({phase}) => phase === 'failed')?.error).toMatch(/may have sent it/);
  });

  test('pays between the finalizing and the sending: that is done, and not called sent', async () => {
    const {world, once, billed} = await worldWith(['job_test']);
    once(FINALIZE, async (_request, handle, id) => {
      const answer = await handle();
      world.sandbox.perform((work) => pay(work, id));
      return answer;
    });
    await world.run();
    expect(
      world
        .rows()
        .map(({phase, status, sent}) => [phase, status, sent])
        .toSorted(),
    ).toEqual([...Array.from({length: COUNT - 1}, () => ['done', 'open', 'yes']), ['done', 'paid', 'no']]);
    expect(await billed()).toEqual({statements: COUNT, emails: COUNT - 1, most: 1});
  });

  const ITEM = {description: 'Tip', quantity: 1, unit_price: 100_000};
  test.each<[string, (call: ReturnType<typeof callOf>, id: string) => Promise<unknown>]>([
    [
      'adds an item to',
      (call, id) => call('POST', '/billing_statement_line_items', {...ITEM, billing_statement_id: id}),
    ],
    [
      'voids',
      async (call, id) => {
        await call('POST', `/billing_statements/${id}/finalize`);
        await call('POST', `/billing_statements/${id}/void`);
      },
    ],
    ['deletes', (call, id) => call('DELETE', `/billing_statements/${id}`)],
  ])('%s a draft before it is finalized: it has failed, and is not sent', async (_what, meddle) => {
    const {world, call, billed, once, phases} = await worldWith(['job_test']);
    once(/^GET \/billing_statements\/\w+$/, async (_request, handle, id) => {
      await meddle(call, id);
      return handle();
    });
    await world.run();
    expect(phases().toSorted()).toEqual(['done', 'done', 'done', 'failed']);
    expect(await billed()).toEqual({statements: COUNT - 1, emails: COUNT - 1, most: 1});
  });
});
