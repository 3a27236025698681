// Deleting a customer names the open statements; the customer can still be found by them.

import {expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {screenInProcess} from '../../support/in-process.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {customerNumbered, pagedService, statementNumbered} from '../../support/services/paged-service.js';
import {TEST_KEY} from '../../support/services/servers.js';
import {ENTER} from '../../support/terminal.js';

const DAY = 86_400;

/** Open statements: Ana two (one overdue), Bea one, Cora none. */
async function shop() {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  onTestFinished(() => merchant.close());
  for (const name of ['Ana', 'Bea', 'Cora']) {
    const {id} = await merchant.customer({
      ...{name: `${name} Reyes`, email: `${name}@example.com`.toLowerCase()},
      billing_statement_prefix: name.toUpperCase(),
    });
    if (name === 'Ana') await merchant.open({customer_id: id});
    if (name === 'Ana') merchant.sandbox.advanceClock(11 * DAY);
    if (name !== 'Cora') await merchant.open({customer_id: id});
    await merchant.draft({customer_id: id});
  }
  return {directory, run: commandsIn(directory)};
}

const ANA = '₱3,000.00 (₱1,500.00 overdue) on ANA-0002, ANA-0001';

test('the question has the amount owed, and Enter deletes no customer', async () => {
  const {directory, run} = await shop();
  const desk = screenInProcess(directory, ['customers', 'delete', 'Ana Reyes'], {columns: 160, now: null});
  await desk.until(/delete customer cus_\w+ \(Ana Reyes\), who owes/);
  desk.type(ENTER);
  expect(await desk.ended).toBe(12);
  expect((await desk.text()).replace(/\s+/g, ' ')).toContain(`(Ana Reyes), who owes ${ANA}? No`);
  const several = screenInProcess(directory, ['customers', 'delete', 'Ana Reyes', 'Bea Reyes', 'Cora Reyes'], {
    ...{columns: 160, now: null},
  });
  await several.until(/delete 3 customers/);
  several.type(ENTER);
  expect(await several.ended).toBe(12);
  expect((await several.text()).replace(/\s+/g, ' ')).toContain(
    `who owe ₱4,500.00 (₱1,500.00 overdue): Ana Reyes ${ANA}; Bea Reyes ₱1,500.00 on BEA-0001? No`,
  );
  expect((await run(['customers', 'list', '--json'])).json().data).toHaveLength(3);
});

test('refuses a script without --allow-owed, and finds deleted customers by name, address, number and id', async () => {
  const {run} = await shop();
  const cora = await run(['customers', 'delete', 'Cora Reyes']);
  expect(cora.stderr).toMatch(/→ sandbox: delete customer cus_\w+ \(Cora Reyes\)\n$/);
  const {id} = (await run(['customers', 'list', '--email', 'ana@example.com', '--json'])).json().data[0];
  for (const flags of [[], ['--yes'], ['-q'], ['--json']]) {
    const refused = await run(['customers', 'delete', 'Ana Reyes', ...flags]);
    expect(refused, flags.join()).toMatchObject({status: 12, stdout: '', stderr: expect.stringContaining(ANA)});
  }
  const refused = await run(['customers', 'delete', 'ana@example.com', 'bea@example.com', '--json']);
  expect(refused.error()).toMatchObject({
    ...{code: 'customer_owes', applied: 'no', needs_person: true},
    message: expect.stringContaining(
      `these customers owe ₱4,500.00 (₱1,500.00 overdue): Ana Reyes ${ANA}; Bea Reyes ₱1,500.00 on BEA-0001.`,
    ),
  });
  expect((await run(['api', 'DELETE', `/customers/${id}`])).status).toBe(12);
  expect((await run(['customers', 'get', id as string, '--json'])).json()).toMatchObject({id, name: 'Ana Reyes'});
  const deleted = await run(['api', 'DELETE', `/customers/${id}`, '--allow-owed']);
  expect(deleted.stderr).toContain(`delete customer ${id} (Ana Reyes)\n`);
  const bea = await run(['customers', 'delete', 'bea@example.com', 'cus_Nobody', '--allow-owed']);
  expect(bea.status).toBe(11);

  for (const typed of ['ana@example.com', 'ANA@example.com', 'Ana Reyes', 'ana rey', 'ANA-0001', id as string]) {
    const ledger = await run(['customers', 'ledger', typed, '--json']);
    expect(ledger.status, ledger.stderr).toBe(0);
    expect(ledger.json()).toMatchObject({customer_id: id, name: 'Ana Reyes', deleted: true, owed: 300_000});
    const owed = await run(['owed', typed, '--json']);
    expect(owed.json().data).toMatchObject([{customer_id: id, owed: 300_000, overdue: 150_000}]);
    const list = await run(['billing-statements', 'list', '--customer', typed, '--json']);
    expect(list.json().data).toHaveLength(3);
  }
  const said = await run(['customers', 'ledger', 'Ana Reyes'], {columns: 100});
  expect(said.stderr).toMatch(/Found Ana Reyes <ana@example\.com> \(deleted\)/);
  expect(said.stdout).toContain('Ana Reyes (deleted): billed ₱3,000.00, paid ₱0.00, owes ₱3,000.00');
  expect((await run(['customers', 'ledger', 'cus_Nobody'])).status).toBe(3);
  expect((await run(['billing-statements', 'create', '--customer', 'Ana Reyes', '--item', 'A @ 500'])).status).toBe(3);
});

test('names a forgotten customer from statements, and refuses to delete one with an unknown debt', async () => {
  const service = await pagedService();
  service.statements = [statementNumbered(1)];
  const directory = temporaryDirectory();
  const run = commandsIn(directory, {env: {CENTAVO_BASE_URL: service.url, CENTAVO_SECRET_KEY: TEST_KEY}});
  const {id} = customerNumbered(1);
  expect((await run(['customers', 'ledger', 'SHOP-0001', '--json'])).json()).toMatchObject({
    ...{customer_id: id, name: 'Customer 1', deleted: true, owed: 150_000},
  });
  service.customers = [customerNumbered(1)];
  service.statements = [{...statementNumbered(1), amount: 'much'}];
  const unread = await run(['customers', 'delete', id as string, '--json']);
  expect(unread).toMatchObject({status: 8, stdout: ''});
  expect(unread.error()).toMatchObject({applied: 'no'});
  service.statements = [{...statementNumbered(1), amount: null}];
  const refused = await run(['customers', 'delete', id as string]);
  expect(refused).toMatchObject({status: 12, stdout: ''});
  expect(refused.stderr).toContain('Error: Customer 1 owes an unknown amount on SHOP-0001.\n');
});
