// ACCESSIBLE=1, for screen readers: each interactive flow from its first line to its result.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {shownDirectory, temporaryDirectory} from '../../support/cli.js';
import {freePort} from '../../support/free-port.js';
import {terminalInProcess} from '../../support/in-process.js';
import {person, serve, SHOP} from '../../support/scenarios/accounts.js';
import {unpainted} from '../../support/output/recorded-terminal.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {app} from '../../support/services/app.js';
import {importFile} from '../../support/services/import-service.js';
import {showsKey, TEST_KEY} from '../../support/services/servers.js';
import {CTRL_C, ENTER, loaded, type Terminal} from '../../support/terminal.js';

const directory = temporaryDirectory(afterAll);
const merchant = new Merchant(directory);
afterAll(() => merchant.close());

const ENV = {ACCESSIBLE: '1'};
const at = (words: readonly string[], env: Readonly<Record<string, string>> = {}, home = directory): Terminal =>
  terminalInProcess(home, words, {columns: 80, env: {...ENV, ...env}});

/** Arrows, boxes, bars, blocks, shapes, check marks and braille, which are noise when read aloud. */
const NOISE = /[\u2190-\u21FF\u2500-\u25FF\u2600-\u27BF\u2800-\u28FF]|-->|<--|<->/;

/** Checks the exit, and that the output never moves the cursor, clears, or has noise. */
async function ends(desk: Terminal, status: number): Promise<string> {
  expect(await desk.ended, desk.text()).toBe(status);
  expect(unpainted(desk.raw()).replaceAll('\r\n', '\n')).not.toMatch(/(?!\n)\p{Cc}/u);
  expect(desk.text()).not.toMatch(NOISE);
  return desk.text();
}

const statements = async (): Promise<{id: string; status: string; amount: number}[]> =>
  (await merchant.call('GET', '/billing_statements?limit=100')).data;

beforeAll(async () => {
  await merchant.customer();
  await merchant.customer({name: 'Juana Cruz', email: 'juana@example.com'});
});

describe('as plain lines', () => {
  test('creates a statement step by step, and sends it', async () => {
    const desk = at(['bill']);
    for (const [asked, typed] of [
      // No customer was named yet, so this is not a choice.
      [/Customer: $/, '1'],
      [/New customer "1"\nCustomer: $/, 'jua'],
      [/1\. Juana Cruz.*\n +2\. Juan Dela Cruz.*\n +n\. New customer "jua"\nCustomer: $/, '7'],
      [/Answer with a number up to 2, part of the name, or n\.\n(?:.*\n)*Customer: $/, '1'],
      [/Line 1: $/, 'Web design x2 @ 15,000'],
      [/Line 2: $/, ''],
      [/Due: $/, '+30d'],
      [/s\. Send to juana@example\.com[^]*Letter: $/, 's'],
    ] as const) {
      await desk.until(asked);
      desk.type(typed + ENTER);
    }
    expect(await ends(desk, 0)).toContain('Sent to Juana Cruz <juana@example.com>');
    expect(await statements()).toMatchObject([{status: 'open', amount: 3_000_000}]);
  });

  test('selects a customer by number or name; a change names its account', async () => {
    const words = [
      'billing-statements',
      'create',
      '--customer',
      'juan',
      '--item',
      'Pen @ 50',
      '--due',
      '+9d',
      '--send',
    ];
    for (const typed of ['1', 'dela']) {
      const desk = at(words);
      await desk.until(/Which one\?\s+1\. Juana Cruz.*\s+2\. Juan Dela Cruz.*\s1 to 2, or a name: $/);
      desk.type(`cruz${ENTER}`);
      await desk.until(/Answer with a number from 1 to 2, or a name\.\s1 to 2, or a name: $/);
      desk.type(typed + ENTER);
      await desk.until(typed === '1' ? /^Juana Cruz <juana@example/m : /^Juan Dela Cruz <juan@example/m);
      const text = await ends(desk, 0);
      expect(text).toMatch(/^To sandbox$/m);
      expect(text).toMatch(/^ +Pen\n +1 × ₱50\.00 = ₱50\.00$/m);
    }
    expect(await statements()).toHaveLength(3);
  });

  test('a missing value is asked for', async () => {
    const desk = at(['customers', 'create', '--name', 'Ana']);
    await desk.until(/Email address.*\n> $/);
    desk.type(`ana@example.com${ENTER}`);
    expect(await ends(desk, 0)).toMatch(/^Email: ana@example\.com$/m);
  });

  test('runs an irreversible change at yes, and not at Enter alone, which means no', async () => {
    const {id} = await merchant.open();
    for (const [typed, status, words] of [
      ['', 12, /Yes or no \(no\): \nNo\.\n[^]*Nothing was changed\./],
      ['yes', 0, /To sandbox\n[^]*void/],
    ] as const) {
      const desk = at(['billing-statements', 'void', id as string]);
      await desk.until(/Yes or no \(no\): $/);
      desk.type(typed + ENTER);
      expect(await ends(desk, status)).toMatch(words);
      expect((await statements()).find((each) => each.id === id)!.status).toBe(status === 0 ? 'void' : 'open');
    }
  });

  test('asks for a key without echo, and stores it', async () => {
    const api = await serve({[TEST_KEY]: SHOP}, onTestFinished);
    const someone = person();
    const desk = at(['login', '--insecure-storage', '--base-url', api.url], {}, someone.directory);
    await desk.until(/API key \(hidden\):\n> $/);
    desk.type(TEST_KEY + ENTER);
    await desk.until(/Yes or no \(yes\): $/);
    desk.type(ENTER);
    expect(await ends(desk, 0)).toMatch(/Yes\.\nKey stored\./);
    expect(showsKey(desk.raw())).toBe(false);
    expect(someone.holding(TEST_KEY)).toHaveLength(1);
  });

  test('an import lists customers and amounts, and asks; an unclear row is refused with its line', async () => {
    const file = join(shownDirectory(), 'june.csv');
    const words = ['billing-statements', 'import', file, '--send'];
    writeFileSync(file, importFile(3).text.replace('payer2@', 'payer2'));
    expect(await ends(at(words), 2)).toMatch(/june\.csv, line 4, [^]*It\s+has\s+no\s+@[^]*Nothing was sent\./);
    writeFileSync(file, importFile(3).text);
    const before = (await statements()).length;
    const desk = at(words);
    await desk.until(/In file: JUNE-0001; Customer: Payer 1; Items: 2; Amount: ₱1,059\.03; Due: .*2031\b/);
    await desk.until(/send 3 billing statements[^]*Yes or no \(no\): $/);
    desk.type(`yes${ENTER}`);
    expect(await ends(desk, 0)).toContain('3 of 3 sent');
    expect(await statements()).toHaveLength(before + 3);
  });

  test('prints rows as labelled lines at any width, without empty values', async () => {
    const owed = await ends(at(['owed']), 0);
    expect(owed).toMatch(
      /^Customer: Juana Cruz; Owes: ₱30,050\.00; Overdue: ₱0\.00; Statements: [A-Z0-9-]+ \+1; Sent: .*$/m,
    );
    const month = await ends(at(['month']), 0);
    expect(month).toMatch(/^Number: .*; Customer: Juana Cruz; .*Billed: ₱30,000\.00; Owed: ₱30,000\.00$/m);
    const list = await ends(at(['customers', 'list', '--fields', 'name,email']), 0);
    expect(list).toMatch(/^Name: Ana; Email: ana@example\.com$/m);
    for (const words of [['status'], ['history'], ['paid'], ['jobs', 'list']]) await ends(at(words), 0);
  });

  test('waiting prints a line for each tenth of the time, and the statement at the end', async () => {
    const {id} = await merchant.open();
    const desk = at(['billing-statements', 'wait', id as string, '--for', 'void', '--timeout', '10m']);
    await desk.until(/Waiting until [\w-]+ is void: open after \d+ s\. Ctrl-C stops waiting\./);
    await merchant.call('POST', `/billing_statements/${id}/void`);
    expect((await ends(desk, 0)).match(/Waiting until/g)).toHaveLength(1);
  });
});

describe.runIf(loaded.pty)('while it runs', () => {
  test('received, refused, retried and accepted deliveries each have a word', async () => {
    const target = await app((_, count) => (count === 1 ? {status: 500, body: 'TypeError: x'} : 200));
    const words = [
      'webhooks',
      'listen',
      '--forward-to',
      `${target.port}/hook`,
      '--events',
      'billing_statement.finalized',
    ];
    const desk = terminalInProcess(directory, words, {columns: 200, env: ENV});
    await desk.until(/To sandbox\nReady\./);
    await merchant.open();
    await desk.until(/ received billing_statement\.finalized evt_.* genuine\n/);
    await desk.until(/ answered 500 billing_statement\.finalized .*\n +TypeError: x\n/);
    await desk.until(/ answered 200 billing_statement\.finalized .*\(attempt 2\)/);
    desk.type(CTRL_C);
    await ends(desk, 130);
  });

  test('centavo dev', async () => {
    const [target, port] = [await app(), await freePort()];
    const words = ['dev', '--port', String(port), '--forward-to', `${target.port}/hook`];
    const desk = terminalInProcess(directory, words, {columns: 200, env: ENV});
    await desk.until(/Press Ctrl-C to stop\./);
    await fetch(`http://127.0.0.1:${port}/customers`);
    await desk.until(/ request GET \/customers {2}401 /);
    await merchant.open();
    await desk.until(/ answered 200 billing_statement\.created /);
    desk.type(CTRL_C);
    await ends(desk, 130);
  });
});

test('a pseudo-terminal is available, or tests are skipped with a reason; CI fails', () => {
  if (loaded.reason) console.warn(`Skipped, for want of a pseudo-terminal: ${loaded.reason}`);
  if (process.env.CI === 'true') expect(loaded.reason).toBeUndefined();
});
