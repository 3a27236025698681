// Questions without redrawing, line by line, for terminals without a cursor and for screen readers.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {person, serve, SHOP} from '../../support/scenarios/accounts.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {showsKey, TEST_KEY, type RawServer} from '../../support/services/servers.js';
import {terminalInProcess} from '../../support/in-process.js';
import {CTRL_C, CTRL_D, ENTER, loaded, terminal} from '../../support/terminal.js';

const PLAIN = {ACCESSIBLE: '1', NO_COLOR: '1'};
const directory = temporaryDirectory(afterAll);
const at = (words: readonly string[], env: Readonly<Record<string, string>> = PLAIN) =>
  terminalInProcess(directory, words, {env});

let statement: string;
beforeAll(async () => {
  const merchant = new Merchant(directory);
  statement = (await merchant.open()).id as string;
  merchant.close();
});

describe.runIf(loaded.pty)('without redrawing', () => {
  test.each([PLAIN, {TERM: 'dumb'}])('%j: asks for a text again below, with the problem', async (env) => {
    const desk = at(['customers', 'create', '--name', 'Ana'], env);
    await desk.until(/Email address.*\n> /);
    desk.type(`nobody${ENTER}`);
    await desk.until(/"nobody" is not an email address\.\n> /);
    // A second customer with one address would be another question.
    const email = `ana${Object.keys(env).join('').toLowerCase()}@example.com`;
    desk.type(`${email}${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(desk.text()).toContain(email);
    expect(desk.raw()).not.toContain('\u001B');
  });

  test.each([
    ['Enter', ENTER, 12, /not confirmed\./],
    ['a word that is neither, and no', `maybe${ENTER}no${ENTER}`, 12, /Answer yes or no\.\n.*\n?.*not confirmed\./],
    ['Ctrl-C', CTRL_C, 130, /canceled at the question\./],
    ['Ctrl-D', CTRL_D, 12, /not confirmed\./],
  ])('does not run an irreversible change at %s', async (_, keys, status, words) => {
    const desk = at(['billing-statements', 'void', statement]);
    await desk.until(/sandbox: void billing statement .*\?\nYes or no \(no\): /);
    desk.type(keys);
    expect(await desk.ended).toBe(status);
    expect(desk.text()).toMatch(words);
    expect(desk.text()).toContain('Nothing was changed.');
    expect(desk.raw()).not.toContain('\u001B');
  });

  test('ignores input typed before the question', async () => {
    const desk = at(['billing-statements', 'void', statement]);
    desk.type(`yes${ENTER}yes`);
    await desk.until(/Yes or no \(no\): /);
    desk.type(ENTER);
    expect(await desk.ended).toBe(12);
  });

  test('runs at yes', async () => {
    const desk = terminal(directory, ['billing-statements', 'void', statement], {env: PLAIN});
    await desk.until(/Yes or no \(no\): /);
    desk.type(`yes${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(desk.text()).toMatch(/^[A-Z0-9]+-\d{4} +void$/m);
  });
});

describe.runIf(loaded.pty)('a key', () => {
  let api: RawServer;
  beforeAll(async () => {
    api = await serve({[TEST_KEY]: SHOP}, afterAll);
  });
  const login = (home: string) =>
    terminalInProcess(home, ['login', '--insecure-storage', '--base-url', api.url], {env: PLAIN, columns: 200});

  test('is not shown as it is typed', async () => {
    const someone = person();
    const desk = login(someone.directory);
    await desk.until(/API key \(hidden\):\n> /);
    desk.type(`${TEST_KEY}x\u007F${ENTER}`);
    await desk.until(/key {6}sk_test_…cdef[^]*Yes or no \(yes\): /);
    desk.type(ENTER);
    expect(await desk.ended).toBe(0);
    expect(someone.holding(TEST_KEY)).toHaveLength(1);
    expect(showsKey(desk.raw())).toBe(false);
    expect(desk.raw()).not.toContain('\u001B');
  });

  test.each([
    ['Ctrl-C', CTRL_C, 130],
    ['Ctrl-D', CTRL_D, 2],
  ])('is not stored at %s', async (_, keys, status) => {
    const someone = person();
    const desk = login(someone.directory);
    await desk.until(/API key .*\n> /);
    desk.type(keys);
    expect(await desk.ended).toBe(status);
    expect(someone.configured()).toBe(false);
  });
});

test('a pseudo-terminal is available, or tests are skipped with a reason; CI fails', () => {
  if (loaded.reason) console.warn(`Skipped, for want of a pseudo-terminal: ${loaded.reason}`);
  if (process.env.CI === 'true') expect(loaded.reason).toBeUndefined();
});
