// Login at a terminal: hidden input, a summary of the key, and storage only after a yes.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {BAKERY, loggedIn, person, serve, SHOP, type Person} from '../../support/scenarios/accounts.js';
import {LIVE_KEY, showsKey, TEST_KEY, type RawServer} from '../../support/services/servers.js';
import {terminalInProcess} from '../../support/in-process.js';
import {CTRL_C, ENTER, loaded, type Terminal} from '../../support/terminal.js';

const CTRL_D = '\u0004';
const BAKERY_KEY = TEST_KEY.replace('abcdef', 'bakery');

let api: RawServer;
beforeAll(async () => {
  api = await serve({[TEST_KEY]: SHOP, [LIVE_KEY]: SHOP, [BAKERY_KEY]: BAKERY}, afterAll);
});

/** `centavo login` at a terminal, storing the key in a file. */
const desk = ({directory}: Person, words: readonly string[] = [], place = '--insecure-storage'): Terminal =>
  terminalInProcess(directory, ['login', place, '--base-url', api.url, ...words], {columns: 200});

const nothingKept = (someone: Person): void => {
  expect(someone.configured()).toBe(false);
  expect(someone.holding('MadeUp')).toEqual([]);
};

describe.runIf(loaded.pty).concurrent('centavo login', () => {
  test('asks for a hidden key, shows its facts, and stores it at Enter', async ({expect}) => {
    const someone = person();
    const login = desk(someone, ['-p', 'shop']);
    await login.until(/API key \(hidden\):/);
    login.type(TEST_KEY);
    await login.until(/\*{38}/);
    login.type(ENTER);
    await login.until(
      /profile {2}shop \(new\)\s+account {2}Aling Nena Store · merc_Shop1\s+mode {5}test\s+key {6}sk_test_…cdef\s/,
    );
    await login.until(/storage {2}a file that only you can read\s+\? Store this key\? \(Y\/n\)/);
    expect(someone.holding('MadeUp')).toEqual([]);
    login.type(ENTER);
    expect(await login.ended).toBe(0);
    expect(login.text()).toMatch(/Key stored\.\s+Commands now use shop\. To use the sandbox: --profile sandbox/);
    expect(showsKey(login.raw())).toBe(false);
    expect(someone.holding(TEST_KEY)).toHaveLength(1);
  });

  test('prints LIVE in red, and never shows a live key', async ({expect}) => {
    const someone = person();
    const login = desk(someone, [], '--insecure-storage=live');
    await login.until(/API key/);
    login.type(LIVE_KEY + ENTER);
    await login.until(/mode {5}LIVE/);
    await login.until(/Store this key\?/);
    expect(login.raw()).toContain('\u001B[31mLIVE');
    login.type(`y${ENTER}`);
    expect(await login.ended).toBe(0);
    expect(login.text()).toContain('Key stored. To use it, add --live.');
    expect(showsKey(login.raw())).toBe(false);
  });

  test('asks again for an invalid key, and says why without showing it', async ({expect}) => {
    const someone = person();
    const login = desk(someone);
    await login.until(/API key/);
    login.type(`"${TEST_KEY}"${ENTER}`);
    await login.until(/This text has 40 characters, and character 1 is neither/);
    // The previous input is cleared: it was hidden, and a key pasted after it would be invalid too.
    await login.until(/API key/);
    login.type(`whsk_MadeUpForTests0123456789${ENTER}`);
    await login.until(/This text has 29 characters/);
    await login.until(/API key/);
    login.type(ENTER);
    await login.until(/It is empty/);
    await login.until(/API key/);
    login.type(TEST_KEY + ENTER);
    await login.until(/Store this key\?/);
    login.type(ENTER);
    expect(await login.ended).toBe(0);
    expect(login.raw()).not.toContain('MadeUp');
  });

  test('with --quiet, asks with the facts in the question', async ({expect}) => {
    const login = desk(person(), ['--quiet']);
    await login.until(/API key/);
    login.type(TEST_KEY + ENTER);
    await login.until(/sk_test_…cdef, test, account Aling Nena Store · merc_Shop1\. Store this key\? \(Y\/n\)/);
    login.type(`n${ENTER}`);
    expect(await login.ended).toBe(12);
  });

  test('with --quiet, fails instead of asking again without a reason: exit 4', async ({expect}) => {
    const someone = person();
    const login = desk(someone, ['--quiet']);
    await login.until(/API key/);
    login.type(`hello${ENTER}`);
    expect(await login.ended).toBe(4);
    expect(login.text()).toMatch(/The answer is not an API key\.\s+A key starts with/);
    nothingKept(someone);
  });

  test.for([
    ['Ctrl-C', CTRL_C, 130, 'canceled at the question'],
    ['Ctrl-D', CTRL_D, 2, 'the input ended before an answer'],
  ] as const)('ends at %s, and stores nothing', async ([, key, exit, words], {expect}) => {
    const someone = person();
    const login = desk(someone);
    await login.until(/API key/);
    login.type(key);
    expect(await login.ended).toBe(exit);
    expect(login.text()).toContain(words);
    nothingKept(someone);
  });

  test.for([
    ['no', `n${ENTER}`, 12, 'the key was not stored'],
    ['Ctrl-C', CTRL_C, 130, 'canceled at the question'],
  ] as const)('stores nothing after %s to the question', async ([, key, exit, words], {expect}) => {
    const someone = person();
    const login = desk(someone);
    await login.until(/API key/);
    login.type(TEST_KEY + ENTER);
    await login.until(/Store this key\?/);
    login.type(key);
    expect(await login.ended).toBe(exit);
    expect(login.text()).toContain(words);
    nothingKept(someone);
  });

  test('with a key of another account, asks with No as the default', async ({expect}) => {
    const someone = await loggedIn(TEST_KEY, api.url);
    await someone.keep(TEST_KEY, api.url, {merchant: {id: 'merc_Shop1', name: 'Aling Nena Store'}});
    const before = someone.configured();
    const first = desk(someone);
    await first.until(/API key/);
    first.type(BAKERY_KEY + ENTER);
    await first.until(/sk_test_…kery, replacing …cdef/);
    await first.until(/shop is logged in to another account, Aling Nena Store\. Store this key anyway\? \(y\/N\)/);
    first.type(ENTER);
    expect([await first.ended, someone.configured()]).toEqual([12, before]);
    const second = desk(someone);
    await second.until(/API key/);
    second.type(BAKERY_KEY + ENTER);
    await second.until(/anyway\?/);
    second.type(`y${ENTER}`);
    expect(await second.ended).toBe(0);
    expect(someone.configured().profiles.shop.merchant).toEqual({id: 'merc_Bake2', name: 'Panaderia Reyes'});
  });

  test('does not read a key from the terminal with --with-token, which would show it', async ({expect}) => {
    const login = desk(person(), ['--with-token']);
    expect(await login.ended).toBe(2);
    expect(login.text()).toMatch(
      /stdin is the terminal, which would show the key[^]*asks for the key without showing it/,
    );
  });

  test.for(['--no-input', '--json'])('asks nothing with %s', async (flag, {expect}) => {
    const login = desk(person(), [flag]);
    expect(await login.ended).toBe(2);
    expect(login.text()).toContain('--with-token');
  });
});

describe.runIf(loaded.pty).concurrent('removing keys', () => {
  test.for([
    ['logout', ['logout'], /Remove sk_test_…cdef of shop\? \(y\/N\)/],
    ['profiles remove', ['profiles', 'remove', 'shop'], /Remove the profile shop with sk_test_…cdef\? \(y\/N\)/],
  ] as const)('%s asks first: Enter and Ctrl-D are no, y is yes', async ([, words, question], {expect}) => {
    const someone = await loggedIn(TEST_KEY, api.url);
    const before = someone.configured();
    for (const [keys, exit] of [
      [ENTER, 12],
      [CTRL_D, 12],
      [CTRL_C, 130],
    ] as const) {
      const no = terminalInProcess(someone.directory, words);
      await no.until(question);
      no.type(keys);
      expect(await no.ended).toBe(exit);
      expect(no.text()).toContain('Nothing was changed.');
    }
    expect(someone.configured()).toEqual(before);
    const yes = terminalInProcess(someone.directory, words);
    await yes.until(question);
    yes.type(`y${ENTER}`);
    expect(await yes.ended).toBe(0);
    expect(someone.holding('MadeUp')).toEqual([]);
  });

  test('does not ask with --yes', async ({expect}) => {
    const someone = await loggedIn(TEST_KEY, api.url);
    const logout = terminalInProcess(someone.directory, ['logout', '--yes']);
    expect(await logout.ended).toBe(0);
    expect(logout.text()).not.toContain('?');
  });
});
