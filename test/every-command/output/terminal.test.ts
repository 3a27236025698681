// At a terminal: coloured tables that fit, questions for missing values, and confirmation of irreversible changes.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {NO_LIMITS, temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {terminalInProcess} from '../../support/in-process.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {CTRL_C, ENTER, loaded, terminal} from '../../support/terminal.js';
import {wordsOf} from '../../support/words.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

test('a pseudo-terminal is available, or tests are skipped with a reason; CI fails', () => {
  if (loaded.reason) console.warn(`Skipped, for want of a pseudo-terminal: ${loaded.reason}`);
  if (process.env.CI === 'true') expect(loaded.reason).toBeUndefined();
});

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
let merchant: Merchant;

beforeAll(async () => {
  merchant = new Merchant(directory);
  await merchant.sandbox.seed();
});
afterAll(() => merchant.close());

const statusOf = async (id: string): Promise<unknown> =>
  (await merchant.call('GET', `/billing_statements/${id}`)).status;
const numberOf = async (id: string): Promise<string> =>
  (await merchant.call('GET', `/billing_statements/${id}`)).billing_statement_number as string;
// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001B\[\d/;

describe.runIf(loaded.pty)('a table', () => {
  test.for([80, 100, 200])('has a header and fits %i columns; numbers and amounts are complete', async (columns) => {
    const shown = (columns === 80 ? terminal : terminalInProcess)(
      directory,
      ['billing-statements', 'list', '--limit', '5'],
      {columns},
    );
    expect(await shown.ended).toBe(0);
    expect(shown.raw()).toMatch(COLOUR);
    const lines = shown.text().trimEnd().split('\n');
    expect(lines.find((line) => /^NUMBER\s+CUSTOMER .*AMOUNT\s+DUE\s+STATUS/.test(line))).toBeDefined();
    const table = lines.filter((line) => !/^(More|Not shown)/.test(line));
    for (const line of table) expect([...line].length, line).toBeLessThanOrEqual(columns);
    expect(shown.text().match(/^[A-Z0-9]+-\d{4} .*₱[\d,]+\.\d\d /gm)).toHaveLength(5);
  });

  test('omits and names columns if too wide, or stacks the fields', async () => {
    // At 60, the shortest dates of a year ("7 Dec") would fit.
    for (const columns of [58, 40, 20]) {
      const shown = terminalInProcess(directory, ['billing-statements', 'list', '--limit', '2', '--status', 'open'], {
        columns,
      });
      expect(await shown.ended).toBe(0);
      expect(shown.text().match(/₱[\d,]+\.\d\d/g)!.length).toBeGreaterThanOrEqual(2);
      expect(shown.text().replaceAll('\n', ' ')).toMatch(/Not shown, terminal too narrow: email, due, finalized, id\./);
    }
  });

  test.for([[{NO_COLOR: '1'}], [{TERM: 'dumb'}], [{FORCE_COLOR: '0'}]])('has no colour under %o', async ([env]) => {
    const shown = terminalInProcess(directory, ['billing-statements', 'list', '--limit', '2'], {env});
    expect(await shown.ended).toBe(0);
    expect(shown.raw()).not.toMatch(COLOUR);
    expect(shown.text()).toMatch(/draft|open|paid|void|uncollectible/);
  });

  test('has no colour under --no-color', async () => {
    const shown = terminalInProcess(directory, ['billing-statements', 'list', '--limit', '2', '--no-color']);
    expect(await shown.ended).toBe(0);
    expect(shown.raw()).not.toMatch(COLOUR);
  });

  test('without rows says so', async () => {
    const shown = terminalInProcess(temporaryDirectory(), ['customers', 'list']);
    expect(await shown.ended).toBe(0);
    expect(shown.text()).toContain('No customers found.');
  });

  test('escapes control characters of foreign text', async () => {
    const {id} = await merchant.customer({name: '\u001B[2J\u001B]0;Eve\u0007 \u202Egpj.exe'});
    for (const words of [
      ['customers', 'get', id as string],
      ['customers', 'list', '--limit', '1'],
    ]) {
      const shown = terminalInProcess(directory, words, {env: {NO_COLOR: '1'}});
      expect(await shown.ended).toBe(0);
      // oxlint-disable-next-line no-control-regex
      expect(shown.raw()).not.toMatch(/\u001B\[2J|\u001B\]0|\u0007|\u202E/);
      expect(shown.text()).toContain('Eve');
    }
  });

  test('ends with the command for the next page', async () => {
    const words = ['billing-statements', 'list', '--limit', '2', '--fields', 'id,customer.name', '--status', 'draft'];
    for (const typed of [words.slice(0, 6), words]) {
      const first = terminalInProcess(directory, typed, {columns: 200, env: {NO_COLOR: '1'}});
      expect(await first.ended).toBe(0);
      const more = /^More: centavo (.*)$/m.exec(first.text())?.[1];
      expect(more).toBeDefined();
      const next = await run(wordsOf(more!)[0]!);
      const both = await run([...typed.filter((word) => word !== '--limit' && word !== '2'), '--limit', '4']);
      // At the start of a row: the link of an open statement has the id too.
      const ids = (text: string) => text.match(/^bstm_[A-Za-z0-9]+/gm)!;
      expect(next.status).toBe(0);
      const shownFirst = ids(first.text().slice(0, first.text().indexOf('More:')));
      expect([...shownFirst, ...ids(next.stdout)]).toEqual(ids(both.stdout));
    }
  });

  test('does so backwards too', async () => {
    const {data} = await merchant.call('GET', '/customers?limit=10');
    const ids = (data as {id: string}[]).map(({id}) => id);
    const shown = terminalInProcess(directory, ['customers', 'list', '--limit', '2', '--before', ids[6]!], {
      columns: 200,
    });
    expect(await shown.ended).toBe(0);
    const more = /More: centavo (.*)$/m.exec(shown.text())![1]!;
    const next = await run(wordsOf(more)[0]!);
    expect(next.stdout.match(/cus_[A-Za-z0-9]+/g)).toEqual([ids[2], ids[3]]);
  });
});

describe.runIf(loaded.pty)('a missing value', () => {
  test('is asked for, checked, and asked again', async () => {
    const desk = terminalInProcess(directory, ['customers', 'create', '--name', 'Ana']);
    await desk.until(/Email address/);
    desk.type(`nobody${ENTER}`);
    await desk.until(/is not an email address/);
    desk.type(`\u0015ana@example.com${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(desk.text()).toMatch(/Email\s+ana@example\.com/);
  });

  test('is asked for if stdout is a file, which gets only the data', async () => {
    const file = join(directory, 'created.txt');
    const desk = terminal(directory, [], {
      shell: `"$NODE" "$RUN" customers create --name Ana > '${file}'`,
    });
    await desk.until(/Email address/);
    desk.type(`ana.reyes@example.com${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(readFileSync(file, 'utf8')).toMatch(/^id\tcus_\w+\n[^]*\nemail\tana\.reyes@example\.com\n/);
  });

  test('is asked for when it is an id', async () => {
    const {id} = await merchant.customer({name: 'Bea'});
    const desk = terminalInProcess(directory, ['customers', 'get']);
    await desk.until(/Customer \(name, email address or id\)/);
    desk.type(`${id}${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(desk.text()).toMatch(/Bea\S* {2}owes ₱0\.00\s/);
  });

  test('ends the command with 130 and nothing changed at Ctrl-C', async () => {
    const count = async () => (await merchant.call('GET', '/customers?limit=100')).data.length as number;
    const before = await count();
    const desk = terminalInProcess(directory, ['customers', 'create', '--name', 'Ana']);
    await desk.until(/Email address/);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
    expect(desk.text()).toContain('Nothing was changed.');
    expect(desk.text()).not.toMatch(/\n\s+at /);
    expect(await count()).toBe(before);
  });

  test('is exit 2 with --no-input', async () => {
    const desk = terminalInProcess(directory, ['customers', 'create', '--name', 'Ana', '--no-input']);
    expect(await desk.ended).toBe(2);
    expect(desk.text()).toContain('--email is missing');
  });

  test.for([
    [['--json'], {}],
    [['-o', 'jsonl'], {}],
    [['-o', 'csv'], {}],
    [['--jq', '.id'], {}],
    [[], {CI: 'true'}],
    [[], {CI: '1'}],
    [[], {CENTAVO_NO_INPUT: '1'}],
  ] as [string[], Record<string, string>][])('is never asked for without a terminal: %j %o', async ([words, env]) => {
    for (const [typed, missing] of [
      [['customers', 'create', '--name', 'Ana'], '--email'],
      [['customers', 'get'], 'the id of a customer'],
      [['billing-statements', 'create'], '--customer'],
      [['webhooks', 'verify', '--header', 't=1,te=a', '--secret', 'whsk_MadeUpForTests'], ''],
    ] as const) {
      const desk = terminalInProcess(directory, [...typed, ...words], {env});
      expect([typed, await desk.ended, desk.text()]).toEqual([typed, 2, expect.stringContaining(missing)]);
    }
  });

  test.for([[{CI: ''}], [{CI: '0'}], [{CI: 'false', CENTAVO_NO_INPUT: '0'}]])(
    'is asked for under %o',
    async ([env]) => {
      const desk = terminalInProcess(directory, ['customers', 'create', '--name', 'Ana'], {env});
      await desk.until(/Email address/);
      desk.type(CTRL_C);
      expect(await desk.ended).toBe(130);
    },
  );

  test('exits 2 if stderr is not a terminal', async () => {
    const desk = terminal(directory, [], {shell: '"$NODE" "$RUN" customers create --name Ana 2>/dev/null'});
    expect(await desk.ended).toBe(2);
  });

  test('exits 2 if stdin is not a terminal', async () => {
    const desk = terminal(directory, [], {shell: '"$NODE" "$RUN" customers create --name Ana < /dev/null'});
    expect(await desk.ended).toBe(2);
    expect(desk.text()).toContain('--email is missing');
  });
});

test.runIf(loaded.pty)('after sample data, the next command is named', async () => {
  const desk = terminalInProcess(temporaryDirectory(), ['sandbox', 'seed']);
  await desk.until(/To see who owes you: centavo owed/);
  expect(await desk.ended).toBe(0);
});

describe.runIf(loaded.pty)('an irreversible change', () => {
  const open = async () => (await merchant.open()).id as string;

  test.for([
    ['no', `n${ENTER}`],
    ['Enter alone', ENTER],
  ] as const)('is not done at %s: exit 12, nothing changed', async ([, keys]) => {
    const id = await open();
    const desk = terminalInProcess(directory, ['billing-statements', 'void', id]);
    await desk.until(
      new RegExp(`sandbox: void billing statement ${await numberOf(id)} of ₱1,500\\.00 for Juan Dela Cruz\\?`),
    );
    desk.type(keys);
    expect(await desk.ended).toBe(12);
    expect(desk.text()).toMatch(/not confirmed\.\s+Nothing was changed\./);
    expect(await statusOf(id)).toBe('open');
  });

  test('is confirmed only if something would change', async () => {
    const [gone, paid, left] = [await open(), await open(), await open()];
    await merchant.call('POST', `/billing_statements/${gone}/void`);
    controlOf(merchant.sandbox).pay(paid, {method: 'gcash'});
    for (const [id, status, words] of [
      [gone, 0, /is already void\. Nothing was changed\./],
      [paid, 5, /was paid on [^]*centavo refund /],
    ] as const) {
      const desk = terminalInProcess(directory, ['billing-statements', 'void', id]);
      expect(await desk.ended).toBe(status);
      expect(desk.text()).toMatch(words);
      expect(desk.text()).not.toMatch(/\?/);
      // It may have been paid outside.
      expect(desk.text()).not.toContain('duplicate');
    }
    const desk = terminalInProcess(directory, ['billing-statements', 'void', gone, paid, left]);
    await desk.until(/void billing statement \S+ of ₱1,500\.00 for Juan Dela Cruz\?/);
    desk.type(`y${ENTER}`);
    expect(await desk.ended).toBe(11);
    expect([await statusOf(gone), await statusOf(paid), await statusOf(left)]).toEqual(['void', 'paid', 'void']);
    // If only one of several remains, it is also confirmed.
    const one = terminalInProcess(directory, ['billing-statements', 'send', gone, await open()]);
    await one.until(/send billing statement .*\?/);
    one.type(ENTER);
    expect(await one.ended).toBe(12);
  });

  test('of a statement overdue at once is confirmed, and made only at yes', async () => {
    const {id: customer} = (await run(['customers', 'create', '--name', 'Ana', '--email', 'a@b.co', '--json'])).json();
    const words = ['billing-statements', 'create', '--customer', customer, '--item', 'Rent @ 500'];
    const desk = terminalInProcess(directory, [...words, '--due', '2026-01-15', '--finalize']);
    await desk.until(/of ₱500\.00 for Ana, overdue at once\?/);
    desk.type(ENTER);
    expect(await desk.ended).toBe(12);
    const list = ['billing-statements', 'list', '--customer', customer, '--all', '--json', '--jq', '.data | length'];
    expect((await run(list)).stdout).toBe('0\n');
    // A script is not asked.
    expect((await run([...words, '--due', '2026-01-15', '--finalize'])).status).toBe(0);
    expect((await run(list)).stdout).toBe('1\n');
  });

  test('ignores input typed before the question', async () => {
    const id = await open();
    const desk = terminalInProcess(directory, ['billing-statements', 'void', id]);
    desk.type(`y${ENTER}y`);
    await desk.until(/void billing statement .*\?/);
    desk.type(ENTER);
    expect(await desk.ended).toBe(12);
    expect(await statusOf(id)).toBe('open');
  });

  test.for([
    ['SIGTERM', 143, /canceled at the question\.\s+Nothing was changed\./],
    ['SIGINT', 130, /canceled at the question\.\s+Nothing was changed\./],
    ['SIGHUP', 143, /\?/],
  ] as const)('is not made at %s, without waiting: exit %i', async ([signal, status, words]) => {
    const id = await open();
    const desk = terminal(directory, ['billing-statements', 'void', id], {env: NO_LIMITS});
    await desk.until(/void billing statement/);
    desk.kill(signal);
    expect(await desk.ended).toBe(status);
    expect(desk.text()).toMatch(words);
    expect(await statusOf(id)).toBe('open');
  });

  test('is not done at Ctrl-C: exit 130', async () => {
    const id = await open();
    const desk = terminalInProcess(directory, ['billing-statements', 'void', id]);
    await desk.until(/void billing statement/);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
    expect(await statusOf(id)).toBe('open');
  });

  test('is done at yes', async () => {
    const id = await open();
    const desk = terminalInProcess(directory, ['billing-statements', 'void', id]);
    await desk.until(/void billing statement/);
    desk.type(`y${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(await statusOf(id)).toBe('void');
  });

  test.for([['--yes'], ['--no-input'], ['--json']])('is done without a question with %s', async ([flag]) => {
    const id = await open();
    const desk = terminalInProcess(directory, ['billing-statements', 'void', id, flag!]);
    expect(await desk.ended).toBe(0);
    expect(desk.text()).not.toContain('?');
    expect(await statusOf(id)).toBe('void');
  });

  test('is confirmed once for several', async () => {
    const ids = [await open(), await open()];
    const desk = terminalInProcess(directory, ['billing-statements', 'void', ...ids]);
    await desk.until(/void 2 billing statements of ₱3,000\.00 in all for Juan Dela Cruz\?/);
    desk.type(ENTER);
    expect(await desk.ended).toBe(12);
  });

  test('includes a reset of the sandbox', async () => {
    const own = temporaryDirectory();
    const desk = terminalInProcess(own, ['sandbox', 'reset']);
    await desk.until(/Delete all sandbox data/);
    desk.type(ENTER);
    expect(await desk.ended).toBe(12);
  });

  test('a reversible change is not confirmed', async () => {
    const {id} = await merchant.webhook();
    const desk = terminalInProcess(directory, ['webhooks', 'disable', id as string]);
    expect(await desk.ended).toBe(0);
    expect(desk.text()).toContain('→ sandbox');
  });
});
