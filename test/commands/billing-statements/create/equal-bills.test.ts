// Equal bills: refused within 20 hours without a terminal, asked about at one, and only warned about later.

import {describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../../support/cli.js';
import {commandsIn} from '../../../support/commands.js';
import {historyIn} from '../../../support/history/history.js';
import {screenInProcess} from '../../../support/in-process.js';
import {machineOf} from '../../../support/scenarios/machine.js';
import {Merchant} from '../../../support/scenarios/merchant.js';
import {customerNumbered, pagedService, statementNumbered} from '../../../support/services/paged-service.js';
import {TEST_KEY} from '../../../support/services/servers.js';
import {ENTER} from '../../../support/terminal.js';
import {controlOf} from '../../../../src/sandbox/control/control.js';

const HOUR = 3600;
const DAY = 86_400;
const DUE = '2031-12-15';
const WARNING = /^Warning: JUAN-0001 of \d+ \w+ bills the same items and is open\.$/m;
const billing = (...more: string[]): string[] => [
  ...['billing-statements', 'create', '--customer', 'juan@example.com', '--due', DUE],
  ...(more.includes('--item') ? [] : ['--item', 'Hosting x2 @ 500', '--item', 'Web design @ 1,500']),
  ...more,
];

async function shop() {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  onTestFinished(() => merchant.close());
  const customer = (await merchant.customer({billing_statement_prefix: 'JUAN'})).id as string;
  await merchant.customer({name: 'Ana', email: 'ana@example.com'});
  const run = commandsIn(directory);
  const all = async () => (await merchant.call('GET', '/billing_statements')).data as {id: string; status: string}[];
  return {directory, merchant, customer, run, all, count: async () => (await all()).length};
}

describe('within 20 hours, without a terminal', () => {
  test.each([
    ['--finalize', []],
    ['--send', ['--json']],
    ['--send', ['-q']],
    ['--send', ['--yes']],
  ])('an equal bill with %s %j is refused: exit 12, with its id and time', async (verb, more) => {
    const {run, count} = await shop();
    const first = (await run(billing('--send', '--json'))).json();
    const again = await run(billing(verb, ...more));
    expect(again).toMatchObject({status: 12, stdout: ''});
    if (more.includes('--json'))
      expect(again.error()).toMatchObject({
        ...{code: 'billed_before', applied: 'no', needs_person: true},
        before: {at: first.finalized_at, is_certain: true, ids: [first.id]},
        message: expect.stringMatching(/^JUAN-0001 of \d+ \w+ bills the same items and is open\. That is less than 20/),
      });
    if (more.includes('--json')) expect(Object.keys(again.error().before)).toEqual(['at', 'is_certain', 'ids']);
    else expect(again.stderr).toContain('JUAN-0001');
    expect(await count()).toBe(1);
    expect(await run(billing(verb, '--allow-duplicate'))).toMatchObject({status: 0});
    expect(await count()).toBe(2);
  });

  test('an open, paid or settled bill counts; a void, replaced or deleted one does not', async () => {
    const {merchant, run, all} = await shop();
    const refused = async () => {
      const {status, stderr} = await run(billing('--send'));
      expect(status, stderr).toBe(12);
      return stderr;
    };
    await run(billing('--send'));
    const {id} = (await all())[0]!;
    await run(['settle', id, '--paid-outside', 'cash']);
    expect(await refused()).toMatch(/bills the same items and was paid outside the service on \d+ \w+: cash\./);
    await run(billing('--finalize', '--allow-duplicate'));
    controlOf(merchant.sandbox).pay((await all())[0]!.id, {});
    expect(await refused()).toMatch(/JUAN-0002 of \d+ \w+ bills the same items and was paid on \d+ \w+ by card\./);

    const other = await shop();
    await other.run(billing('--send'));
    await other.run(['billing-statements', 'reissue', 'JUAN-0001', '--item', 'Hosting @ 700', '--yes']);
    expect(await other.run(billing('--send'))).toMatchObject({status: 0});
    for (const statement of await other.all())
      if (statement.status === 'open') await other.merchant.call('POST', `/billing_statements/${statement.id}/void`);
    expect(await other.run(billing('--send'))).toMatchObject({status: 0});
  });

  test('other items, another customer or due date, and a draft are not equal', async () => {
    const {run} = await shop();
    await run(billing('--send'));
    for (const words of [
      billing(),
      billing('--send', '--item', 'Hosting x2 @ 500'),
      billing('--send', '--item', 'Hosting x1 @ 500', '--item', 'Web design @ 1,500'),
      ['billing-statements', 'create', '--customer', 'ana@example.com', ...billing('--send').slice(4)],
    ])
      expect(await run(words), words.join(' ')).toMatchObject({
        status: 0,
        stderr: expect.not.stringContaining('Warning'),
      });
    const later = await run(billing('--send').map((word) => (word === DUE ? '2031-12-16' : word)));
    expect(later, later.stderr).toMatchObject({status: 0, stderr: expect.stringMatching(WARNING)});
    // Spelling does not matter.
    const spaced = billing('--send', '--item', 'Web  design @ 1,500', '--item', 'Hosting x2 @ 500');
    expect(await run(spaced)).toMatchObject({status: 12});
  });

  test('a duplicate is equal only with the same due date and items; a reissue bills again on purpose', async () => {
    const {run} = await shop();
    await run(billing('--send'));
    const duplicate = (due: string) => run(['billing-statements', 'duplicate', 'JUAN-0001', '--due', due, '--send']);
    expect(await duplicate(DUE)).toMatchObject({status: 12});
    expect(await duplicate('2032-01-15')).toMatchObject({status: 0, stderr: expect.stringMatching(WARNING)});
    expect(await run(['billing-statements', 'reissue', 'JUAN-0001', '--yes'])).toMatchObject({status: 0});
  });

  test('a bill counts from when it was finalized, however old its draft', async () => {
    const {merchant, run, all} = await shop();
    await run(billing());
    merchant.sandbox.advanceClock(30 * DAY);
    const {id} = (await all())[0]!;
    await run(billing('--finalize'));
    merchant.sandbox.advanceClock(HOUR);
    await run(['billing-statements', 'finalize', id, '--yes']);
    const again = await run(billing('--finalize', '--json'));
    // The last one is named, although another was created later.
    expect(again.error()).toMatchObject({code: 'billed_before', before: {is_certain: true, ids: [id]}});
    merchant.sandbox.advanceClock(20 * HOUR + 60);
    expect(await run(billing('--finalize'))).toMatchObject({status: 0});
  });

  test('a bill of last month that is sent today, and a deleted draft of last month, are no repeats', async () => {
    const {merchant, run, all} = await shop();
    await run(billing());
    await run(billing('--finalize'));
    merchant.sandbox.advanceClock(30 * DAY);
    const [open, draft] = (await all()).map(({id}) => id);
    for (const words of [
      ['billing-statements', 'delete', draft!, '--yes'],
      ['send', open!, '--yes'],
    ])
      expect(await run(words)).toMatchObject({status: 0});
    expect(await run(billing('--finalize'))).toMatchObject({status: 0, stderr: expect.not.stringContaining('Warning')});
  });

  test('a refused value, corrected, goes; what was not created is no repeat', async () => {
    const {run} = await shop();
    expect(await run(billing('--send', '--data', 'billing_details_collection=never'))).toMatchObject({status: 5});
    expect(await run(billing('--send'))).toMatchObject({status: 0});
  });
});

test('outside the window an open equal bill is a warning, also with --json; an ended one is none', async () => {
  const {merchant, run} = await shop();
  await run(billing('--send'));
  merchant.sandbox.advanceClock(20 * HOUR - 60);
  expect(await run(billing('--send'))).toMatchObject({status: 12});
  merchant.sandbox.advanceClock(120);
  const second = await run(billing('--send', '--json'));
  expect(second).toMatchObject({status: 0, stderr: expect.stringMatching(WARNING)});
  expect(second.json()).toMatchObject({status: 'open'});
  merchant.sandbox.advanceClock(21 * DAY);
  expect(await run(billing('--send'))).toMatchObject({status: 0, stderr: expect.not.stringContaining('Warning')});
});

test.each([
  ['create', billing('--send')],
  ['duplicate', ['billing-statements', 'duplicate', 'JUAN-0001', '--due', DUE, '--send']],
])('at a terminal %s asks, Enter declines, and --allow-duplicate does not ask', async (_, words) => {
  const {directory, run, count} = await shop();
  await run(billing('--send', '-q'));
  const desk = screenInProcess(directory, words, {columns: 160, now: null});
  await desk.until(
    /Juan Dela Cruz, although JUAN-0001 of \d+ \w+ bills\s+the\s+same\s+items\s+and\s+is\s+open\? \(y\/N\)/,
  );
  desk.type(ENTER);
  expect(await desk.ended).toBe(12);
  expect(await count()).toBe(1);
  const sure = screenInProcess(directory, [...words, '--yes'], {columns: 160, now: null});
  expect(await sure.ended, '--yes confirms no repeat').toBe(12);
  const allowed = screenInProcess(directory, [...words, '--allow-duplicate'], {columns: 160, now: null});
  expect(await allowed.ended).toBe(0);
  expect(await count()).toBe(2);
});

test('two processes at one question: one goes', async () => {
  const {directory, merchant, run, count} = await shop();
  await run(billing('--send', '-q'));
  const desks = [1, 2].map(() => screenInProcess(directory, billing('--send'), {columns: 160, now: null}));
  for (const desk of desks) await desk.until(/\(y\/N\)/);
  merchant.sandbox.advanceClock(5);
  desks[0]!.type(`y${ENTER}`);
  expect(await desks[0]!.ended).toBe(0);
  desks[1]!.type(`y${ENTER}`);
  expect(await desks[1]!.ended).toBe(12);
  expect(await desks[1]!.text()).toContain('another command began to bill the same amount to this customer');
  expect(await count()).toBe(2);
});

describe('a bill of unknown outcome', () => {
  test('is no repeat if it is for another amount, although its draft has only the same items yet', async () => {
    const {directory, customer, run, all} = await shop();
    await run(billing('--item', 'Hosting x2 @ 500'));
    const {id} = (await all())[0]!;
    const {mode, profile} = (await run(['history', '--json'])).json().data[0];
    const other = historyIn(directory);
    const command = 'billing-statements create';
    other.begin({mode, profile, command, ids: [customer], amount: 990_000});
    other.step('draft', [id]);
    other.close();
    expect(await run(billing('--finalize', '--json'))).toMatchObject({status: 0});
  });

  test.each(['finalize', 'send'])(
    'lost at %s and typed again is refused, however old, and its run goes on',
    async (at) => {
      const merchant = new Merchant(temporaryDirectory());
      onTestFinished(() => merchant.close());
      await merchant.customer({billing_statement_prefix: 'JUAN'});
      const {directory, run} = await machineOf(merchant);
      const typed = billing(`--${at}`);
      // A killed process: its draft and its last step are recorded, and no end is.
      await run(billing(...(at === 'send' ? ['--finalize'] : [])));
      const [{id, customer_id: customer}] = (await merchant.call('GET', '/billing_statements')).data;
      const {mode, profile} = (await run(['history', '--json'])).json().data[0];
      const killed = historyIn(directory);
      const command = 'billing-statements create';
      killed.begin({mode, profile, command, ids: [customer], amount: 250_000});
      killed.step('draft', [id]);
      killed.step(at, [id]);
      killed.close();

      merchant.sandbox.advanceClock(30 * DAY);
      const again = await run([...typed, '--json']);
      expect(again).toMatchObject({status: 12, stdout: ''});
      const {hint, before, code, message} = again.error();
      expect({code, before}).toMatchObject({code: 'billed_before', before: {is_certain: false, ids: [id]}});
      expect(message).toMatch(/may have been (finalized|sent)\. Its outcome is unknown/);
      expect(hint).toMatch(
        /^A person decides this, at a terminal\. Continue it: centavo bill --continue bstm_\w+ --item /,
      );
      // The send of a killed run is never repeated.
      const goesOn = await run(billing(`--${at}`, '--continue', id).filter((word) => !/customer|juan@/.test(word)));
      expect(goesOn, goesOn.stderr).toMatchObject({status: at === 'send' ? 10 : 0});
      expect((await merchant.call('GET', '/billing_statements')).data).toHaveLength(1);
    },
  );
});

test('reads on within the window, and warns if the read fails', async () => {
  const service = await pagedService();
  service.customers = [customerNumbered(1)];
  const now = Math.floor(Date.now() / 1000);
  const listed = (ago: number) => (__: unknown, index: number) =>
    statementNumbered(900 - index, {created_at: now - ago * index, updated_at: now, customer: {id: 'cus_other'}});
  const run = commandsIn(temporaryDirectory(), {
    pace: 0.01,
    env: {CENTAVO_BASE_URL: service.url, CENTAVO_SECRET_KEY: TEST_KEY},
  });
  const bill = ['billing-statements', 'create', '--customer', customerNumbered(1).id as string];
  let amount = 500;
  const lists = async (...more: string[]): Promise<string[]> => {
    service.taken();
    // The API of this test creates nothing. Each amount is another bill.
    const {stderr} = await run([...bill, '--item', `Web @ ${amount++}`, '--due', '+30d', ...more]);
    expect(stderr).not.toContain('Warning: it could not');
    const sent = service.taken();
    const before = sent.slice(0, sent.indexOf('POST /billing_statements'));
    return before.filter((request) => request.startsWith('GET /billing_statements?'));
  };
  // 420 statements within 7 hours are all in the window; of older ones, three pages are enough.
  service.statements = Array.from({length: 420}, listed(60));
  expect(await lists('--send')).toHaveLength(5);
  expect(await lists('--send', '--json')).toHaveLength(5);
  expect(await lists()).toHaveLength(0);
  service.statements = Array.from({length: 420}, listed(HOUR / 2));
  expect(await lists('--send')).toHaveLength(3);
  // Older ones are last month's.
  service.statements = Array.from({length: 420}, listed(DAY));
  expect(await lists('--send')).toHaveLength(1);
  service.statements = [{...statementNumbered(1), amount: 'much'}];
  const {stderr} = await run([...bill, '--item', 'Web @ 100', '--due', '+30d', '--send']);
  expect(stderr).toMatch(
    /^Warning: centavo could not check whether the same items are already billed: .*unexpected response/m,
  );
  expect(service.taken()).toContain('POST /billing_statements');
});
