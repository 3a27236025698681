// Identical statements: create asks at a terminal, warns elsewhere, and never blocks.

import {expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../../support/cli.js';
import {commandsIn} from '../../../support/commands.js';
import {screenInProcess} from '../../../support/in-process.js';
import {Merchant} from '../../../support/scenarios/merchant.js';
import {customerNumbered, pagedService, statementNumbered} from '../../../support/services/paged-service.js';
import {TEST_KEY} from '../../../support/services/servers.js';
import {ENTER} from '../../../support/terminal.js';

const DAY = 86_400;
const WARNING = /^Warning: JUAN-0001 of \d+ \w+ bills the same items and is open\.$/m;
const billing = (...more: string[]): string[] => [
  ...['billing-statements', 'create', '--customer', 'juan@example.com', '--due', '+30d'],
  ...(more.includes('--item') ? [] : ['--item', 'Hosting x2 @ 500', '--item', 'Web design @ 1,500']),
  ...more,
];

async function shop(now?: () => number) {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory, now);
  onTestFinished(() => merchant.close());
  await merchant.customer({billing_statement_prefix: 'JUAN'});
  await merchant.customer({name: 'Ana', email: 'ana@example.com'});
  const run = commandsIn(directory);
  const count = async (): Promise<number> => (await merchant.call('GET', '/billing_statements')).data.length;
  return {directory, merchant, run, count};
}

test('warns a script only about open statements with the same items', async () => {
  const {merchant, run, count} = await shop();
  const first = await run(billing('--send'));
  expect(first.stderr).not.toContain('Warning');
  const again = await run(billing('--finalize'));
  expect(again, again.stderr).toMatchObject({status: 0, stderr: expect.stringMatching(WARNING)});
  expect((await run(['billing-statements', 'duplicate', 'JUAN-0001', '--due', '+30d', '--send'])).stderr).toMatch(
    /^Warning: JUAN-0002 of .* bills the same items and is open\.$/m,
  );
  expect(await count()).toBe(3);
  // Spelling does not matter.
  const spaced = await run(billing('--send', '--item', 'Web  design @ 1,500', '--item', 'Hosting x2 @ 500'));
  expect(spaced.stderr).toMatch(/^Warning: JUAN-0003 of .* bills the same items and is open\.$/m);
  const others = [
    billing(),
    billing('--send', '--item', 'Hosting x2 @ 500'),
    billing('--send', '--item', 'Hosting x1 @ 500', '--item', 'Web design @ 1,500'),
    ['billing-statements', 'create', '--customer', 'ana@example.com', ...billing('--send').slice(4)],
    billing('--send', '--json'),
    billing('--send', '--quiet'),
  ];
  for (const words of others) {
    const {status, stderr} = await run(words);
    expect({status, stderr}, words.join(' ')).toEqual({status: 0, stderr: expect.not.stringContaining('Warning')});
  }
  for (const {id} of (await merchant.call('GET', '/billing_statements?limit=100')).data.filter(
    (each: {status: string}) => each.status === 'open',
  ))
    await merchant.call('POST', `/billing_statements/${id}/void`);
  expect((await run(billing('--send'))).stderr).not.toContain('Warning');
  merchant.sandbox.advanceClock(21 * DAY);
  expect((await run(billing('--send'))).stderr).not.toContain('Warning');
});

test.each([
  ['create', billing('--send')],
  ['duplicate', ['billing-statements', 'duplicate', 'JUAN-0001', '--due', '+30d', '--send']],
])('at a terminal %s asks, Enter declines, and --yes confirms', async (_, words) => {
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
  expect(await sure.ended).toBe(0);
  expect(await sure.text()).toMatch(WARNING);
  expect(await count()).toBe(2);
});

test('reads three pages, and warns if the read fails', async () => {
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
  const lists = async (...more: string[]): Promise<string[]> => {
    service.taken();
    // The API of this test creates nothing.
    const {stderr} = await run([...bill, '--item', 'Web @ 500', '--due', '+30d', ...more]);
    expect(stderr).not.toContain('Warning: it could not');
    const sent = service.taken();
    const before = sent.slice(0, sent.indexOf('POST /billing_statements'));
    return before.filter((request) => request.startsWith('GET /billing_statements?'));
  };
  service.statements = Array.from({length: 420}, listed(60));
  expect(await lists('--send')).toHaveLength(3);
  expect(await lists('--send', '--json')).toHaveLength(0);
  expect(await lists()).toHaveLength(0);
  // Older ones are last month's.
  service.statements = Array.from({length: 420}, listed(DAY));
  expect(await lists('--send')).toHaveLength(1);
  service.statements = [{...statementNumbered(1), amount: 'much'}];
  const {stderr} = await run([...bill, '--item', 'Web @ 500', '--due', '+30d', '--send']);
  expect(stderr).toMatch(
    /^Warning: centavo could not check whether the same items are already billed: .*unexpected response/m,
  );
  expect(service.taken()).toContain('POST /billing_statements');
});
