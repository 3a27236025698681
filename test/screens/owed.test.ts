// Screens of owed, remind and settle, at three widths.

import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {copyDatabase, temporaryDirectory} from '../support/cli.js';
import {screenInProcess} from '../support/in-process.js';
import {FIXED_NOW, masked, type Screen} from '../support/screen.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {ENTER, loaded} from '../support/terminal.js';
import {widths} from '../support/test-size.js';

const DAY = 86_400;
const WIDTHS = widths([60, 80, 100]);

/** Customers: name, number prefix, and per statement the days overdue and the centavos. */
const OWING: readonly [name: string, prefix: string, ...statements: [days: number, centavos: number][]][] = [
  ['Jeepney Brewing Company', 'JEEPNEY', [47, 18_450_000]],
  ['Barangay Malinis Water Refilling Station', 'MALINIS', [33, 2_130_000], [-5, 1_065_000], [-20, 1_065_000]],
  ['Niño Ibañez', 'NINO', [3, 1_595_000]],
  ['Sari-Sari ni Aling Nena', 'NENA', [95, 450_000], [0, 120_000]],
  ['Mabuhay Learning Center', 'MABUHAY', [-12, 4_458_000]],
];

const directory = temporaryDirectory(afterAll);
let merchant: Merchant;

beforeAll(async () => {
  merchant = new Merchant(directory, () => FIXED_NOW);
  for (const [name, prefix, ...statements] of OWING) {
    const email = `accounts@${prefix.toLowerCase()}.example`;
    const customer = {name, email, currency: 'PHP', billing_statement_prefix: prefix};
    const {id: customer_id} = await merchant.call('POST', '/customers', customer);
    for (const [days, unit_price] of statements) {
      const {id} = await merchant.call('POST', '/billing_statements', {currency: 'PHP', customer_id});
      const item = {billing_statement_id: id, description: 'Monthly order', unit_price, quantity: 1};
      await merchant.call('POST', '/billing_statement_line_items', item);
      await merchant.call('PUT', `/billing_statements/${id}`, {due_at: FIXED_NOW - days * DAY});
      await merchant.call('POST', `/billing_statements/${id}/finalize`);
    }
  }
});
afterAll(() => merchant.close());

/** A separate machine with the same account. */
function copyOfSandbox(): string {
  const own = temporaryDirectory();
  copyDatabase(join(directory, 'sandbox.db'), join(own, 'sandbox.db'));
  return own;
}

/** The final screen with ids masked, even if wrapped. */
async function seen(desk: Screen, status = 0): Promise<string> {
  expect(await desk.ended).toBe(status);
  const {data} = await merchant.call('GET', '/billing_statements');
  const ids = (data as {id: string}[]).map(({id}) => new RegExp([...id].join('\\n?'), 'g'));
  const mask = (found: string): string => found.replace(/(?<=_\n?[^_]*)[A-Za-z0-9]/g, 'X');
  return masked(ids.reduce((text, id) => text.replace(id, mask), await desk.text()));
}

const kept = (flow: string, columns: number): string => `texts/${flow}-${columns}.txt`;

describe.runIf(loaded.pty)('at a terminal', () => {
  test.each(WIDTHS)('amounts owed, at %i columns', async (columns) => {
    const shown = await seen(screenInProcess(directory, ['owed'], {columns}));
    await expect(shown).toMatchFileSnapshot(kept('owed', columns));
  });

  test('amounts owed for a screen reader and without UTF-8: no bars, or bars of #', async () => {
    const plain = await seen(screenInProcess(directory, ['owed'], {env: {ACCESSIBLE: '1'}}));
    expect(plain).not.toMatch(/[█▏▎▍▌▋▊▉#]/);
    expect(plain).toMatch(/Not yet due {4}₱67,080\.00 {2}4\n/);
    const ascii = await seen(screenInProcess(directory, ['owed'], {env: {LC_ALL: 'C'}}));
    expect(ascii).not.toMatch(/[█▏▎▍▌▋▊▉]/);
    expect(ascii).toMatch(/Not yet due {4}₱67,080\.00 {2}#{10,40} +4\n/);
  });

  test.each(WIDTHS)('previews a reminder, and does not send it when declined, at %i columns', async (columns) => {
    const desk = screenInProcess(directory, ['billing-statements', 'remind', '--overdue', '7d'], {columns});
    await desk.until(/y\/N/);
    desk.type(`n${ENTER}`);
    await expect(await seen(desk, 12)).toMatchFileSnapshot(kept('remind-declined', columns));
  });

  test('sends reminders once, and the next run says when, at 80 columns', async () => {
    const own = copyOfSandbox();
    const desk = screenInProcess(own, ['billing-statements', 'remind', '--overdue', '40d']);
    await desk.until(/y\/N/);
    desk.type(`y${ENTER}`);
    await expect(await seen(desk)).toMatchFileSnapshot(kept('remind', 80));
    const again = screenInProcess(own, ['billing-statements', 'remind', '--overdue', '30d'], {
      now: FIXED_NOW + 2 * DAY,
    });
    await again.until(/y\/N/);
    again.type(`y${ENTER}`);
    await expect(await seen(again)).toMatchFileSnapshot(kept('remind-again', 80));
  });

  test('remind without a name offers the open statements: some, or all overdue', async () => {
    const own = copyOfSandbox();
    const some = screenInProcess(own, ['billing-statements', 'remind'], {rows: 30});
    await some.until(/❯ All 4 overdue\n +NENA-0001 .*overdue 95 days\n +JEEPNEY-0001 [^]*NENA-0002 .*due today/);
    some.type(`nino${ENTER}`);
    await some.until(/Which others\?[^]*❯ Remind of NINO-0001/);
    some.type(`mabuhay${ENTER}`);
    await some.until(/❯ Remind of NINO-0001, MABUHAY-0001/);
    some.type(ENTER);
    await some.until(/email 2 customers about 2 billing statements of ₱60,530\.00\s+in all\? \(y\/N\)/);
    some.type(`y${ENTER}`);
    expect(await some.ended).toBe(0);
    const all = screenInProcess(own, ['billing-statements', 'remind', '--again'], {rows: 40});
    await all.until(/❯ All 4 overdue[^]*NINO-0001 .*overdue \d+ days, sent 15 Dec/);
    all.type(ENTER);
    await all.until(/NINO-0001 [^]*sent 15 Dec[^]*about 4 billing statements of ₱226,250\.00/);
    all.type(`n${ENTER}`);
    expect(await all.ended).toBe(12);
    const owed = screenInProcess(own, ['owed'], {rows: 30});
    expect(await owed.ended).toBe(0);
    expect(await owed.text()).toMatch(/ STATEMENTS +SENT\n[^]*NINO-0001 +15 Dec\n[^]*remind --overdue\n?$/);
    const one = screenInProcess(own, ['owed', 'jeepney'], {rows: 30});
    expect(await one.ended).toBe(0);
    expect(await one.text()).toMatch(/To remind them: centavo remind JEEPNEY-0001\n?$/);
  });

  test('settle asks for the statement and the reason', async () => {
    const own = copyOfSandbox();
    const desk = screenInProcess(own, ['billing-statements', 'settle'], {columns: 160, rows: 30});
    await desk.until(/Which billing statement was paid\?/);
    desk.type(`nino${ENTER}`);
    // The day is said before the question.
    await desk.until(/on: Tuesday, 15 December 2026 in Manila; for another day, add --on\n[^]*How was it paid/);
    desk.type(ENTER);
    await desk.until(/\n +is empty\. Say how it was paid\./);
    desk.type(`cash${ENTER}`);
    await desk.until(/NINO-0001 of ₱15,950\.00 for Niño Ibañez as paid outside: "cash"\? \(y\/N\)/);
    desk.type(`y${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(await desk.text()).toMatch(/To see who owes you: centavo owed\n?$/);
  });

  test('suggests the next command in one line at a terminal, not with -q, --json or --no-input', async () => {
    const own = copyOfSandbox();
    const next = 'To wait until it is paid: centavo wait NINO-0001';
    for (const [flags, count] of [
      [[], 2],
      [['-q'], 1],
      [['--json'], 1],
      [['--no-input'], 1],
    ] as const) {
      const words = ['billing-statements', 'send', 'NINO-0001', '--allow-duplicate', ...flags];
      const desk = screenInProcess(own, words, {rows: 60});
      expect(await desk.ended).toBe(0);
      expect((await desk.text()).split(next), flags.join()).toHaveLength(count);
    }
  });

  test('a dry run describes the change, and shows the requests with -v or -o curl', async () => {
    const run = (...words: string[]) => screenInProcess(directory, [...words, '--dry-run'], {columns: 160, rows: 60});
    const textOf = async (desk: Screen): Promise<string> => {
      expect(await desk.ended).toBe(0);
      return (await desk.text()).trimEnd();
    };
    const note = 'Nothing was sent. To see the requests, add -v or -o curl.';
    const verb = (name: string, ...more: string[]) => ['billing-statements', name, 'NINO-0001', ...more];
    const statement = 'billing statement NINO-0001 of ₱15,950.00 for Niño Ibañez';
    for (const [words, said] of [
      [verb('void'), `void ${statement}`],
      [verb('settle', '--paid-outside', 'cash'), `void ${statement} as paid outside: "cash"`],
      [verb('remind'), 'email Niño Ibañez about billing statement NINO-0001 of ₱15,950.00'],
      [
        verb('duplicate', '--due', '2027-01-31', '--send'),
        'create, finalize and send a billing statement of ₱15,950.00 for Niño Ibañez.\n  1 × ₱15,950.00  Monthly order\n  due Sunday, 31 January 2027',
      ],
      [
        ['bill', '--customer-email', 'accounts@nino.example', '--item', 'Rice x2 @ 50'],
        'create a billing statement of ₱100.00 for "accounts@nino.example".\n  2 × ₱50.00  Rice',
      ],
    ] as const)
      expect((await textOf(run(...words))).replace('"cash".', '"cash"')).toContain(
        `sandbox: this would ${said}${said.includes('\n') || said.includes('"cash"') ? '' : '.'}\n${note}`,
      );
    for (const flags of [['-v'], ['-o', 'curl']]) {
      const shown = await textOf(run(...verb('void'), ...flags));
      expect(shown).toMatch(/POST .*\/void/);
      expect(shown).not.toContain('this would');
    }
  });

  test.each(WIDTHS)('settles a statement after a question, and shows it, at %i columns', async (columns) => {
    const own = copyOfSandbox();
    const words = [
      'billing-statements',
      'settle',
      'JEEPNEY-0001',
      '--paid-outside',
      'cash, 12 Nov',
      '--fields',
      'status',
    ];
    const desk = screenInProcess(own, words, {columns});
    await desk.until(/y\/N/);
    desk.type(`y${ENTER}`);
    await expect(await seen(desk)).toMatchFileSnapshot(kept('settle', columns));
    const history = await seen(screenInProcess(own, ['history'], {columns}));
    await expect(history).toMatchFileSnapshot(kept('history-settle', columns));
  });
});
