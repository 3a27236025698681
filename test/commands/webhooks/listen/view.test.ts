// The list of events at a terminal: what it shows, which keys do what, and how it leaves the terminal.

import {describe, expect, test} from 'vitest';
import {NO_LIMITS, temporaryDirectory} from '../../../support/cli.js';
import {app, type App, type Said} from '../../../support/services/app.js';
import {Merchant} from '../../../support/scenarios/merchant.js';
import {CTRL_C, ENTER, loaded, terminal, type Terminal, type TerminalOptions} from '../../../support/terminal.js';

const [UP, DOWN, ESCAPE] = ['\u001B[A', '\u001B[B', '\u001B'];
const [ENTER_SCREEN, LEAVE_SCREEN, SHOW_CURSOR] = ['\u001B[?1049h', '\u001B[?1049l', '\u001B[?25h'];

test('there is a pseudo-terminal, or the rest is skipped and says why; in CI that is a failure', () => {
  if (loaded.reason) console.warn(`Skipped, for want of a pseudo-terminal: ${loaded.reason}`);
  if (process.env.CI === 'true') expect(loaded.reason).toBeUndefined();
});

interface Session {
  readonly shown: Terminal;
  readonly merchant: Merchant;
  readonly target: App;
  readonly directory: string;
}

/** Listens at a terminal, and forwards to an app. */
async function session(
  words: readonly string[] = [],
  answer?: () => Promise<Said>,
  options: TerminalOptions = {},
): Promise<Session> {
  const directory = temporaryDirectory();
  const target = await app(answer);
  const merchant = new Merchant(directory);
  const shown = terminal(directory, ['webhooks', 'listen', '--forward-to', `${target.port}/hook`, ...words], options);
  // The address is never broken.
  await shown.until(/Ready\. Receiving test events at\s+http:\/\/127\.0\.0\.1:\d+\/\w{32}\s/);
  return {shown, merchant, target, directory};
}

/** The terminal is as it was: the other screen is left last, and the cursor is there. */
async function expectRestored({shown, merchant}: Session): Promise<void> {
  const raw = shown.raw();
  expect(raw.split(ENTER_SCREEN)).toHaveLength(2);
  expect(raw.lastIndexOf(LEAVE_SCREEN)).toBeGreaterThan(raw.lastIndexOf(ENTER_SCREEN));
  expect(raw.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(raw.lastIndexOf('\u001B[?25l'));
  expect((await merchant.call('GET', '/webhooks')).data).toEqual([]);
  merchant.close();
}

describe.runIf(loaded.pty)('at a terminal', () => {
  test('events appear; arrows, details, replay, filter and q do what the last line says', async () => {
    const open = await session(['--events', 'billing_statement.finalized,billing_statement.paid,refund.created']);
    const {shown, merchant, target} = open;
    await shown.until(/Waiting for events…/);
    await shown.until(/↑↓ select {2}enter details {2}r replay {2}\/ filter {2}q quit/);
    const {id} = await merchant.open();
    await shown.until(/❯ \d\d:\d\d:\d\d {2}billing_statement\.finalized {2}₱1,500\.00 {2}genuine {2}→ 200 in \d+ ms/);
    await merchant.sandbox.trigger('billing_statement.paid', {from: id as string});
    await shown.until(/❯ \d\d:\d\d:\d\d {2}billing_statement\.paid.*→ 200/);
    await target.received(2);

    shown.type(ENTER);
    await shown.until(/billing_statement\.paid {2}evt_/);
    await shown.until(/Changed since billing_statement\.finalized/);
    await shown.until(/status: open → paid/);
    await shown.until(/Attempts\n *\d\d:\d\d:\d\d <-- 200 POST :\d+\/hook/);
    await shown.until(/payrex-signature/i);
    await shown.until(/↑↓ scroll {2}r replay {2}esc back/);
    // An event that comes while details are read does not take their place.
    await merchant.sandbox.trigger('refund.created', {});
    await target.received(3);
    shown.type('r');
    await target.received(4);
    expect(target.hits[3]!.body.equals(target.hits[1]!.body)).toBe(true);
    await shown.until(/\(attempt 2, replay\)/);
    shown.type(ESCAPE);
    await shown.until(/\/ filter/);

    shown.type(UP.repeat(3));
    await shown.until(/❯ \d\d:\d\d:\d\d {2}billing_statement\.finalized/);
    shown.type(DOWN);
    await shown.until(/❯ \d\d:\d\d:\d\d {2}billing_statement\.paid/);

    shown.type('/refund');
    await shown.until(/❯ \d\d:\d\d:\d\d {2}refund\.created[^❯]*\/refund▏/);
    shown.type('zz');
    await shown.until(/No events match\./);
    shown.type(ESCAPE);
    await shown.until(/billing_statement\.finalized/);
    shown.type('q');
    expect(await shown.ended).toBe(0);
    expect(shown.text()).toMatch(/3 genuine, 0 not genuine, .*Your app accepted 3 of 3 events, in 4 attempts/);
    await expectRestored(open);
  });

  test('what an app refuses is explained until it accepts it, and what waits behind it is shown as held', async () => {
    let fixed = false;
    const answer = async () => (fixed ? 200 : {status: 500, body: '{"error":"no order"}'});
    const words = ['--events', 'billing_statement.finalized,billing_statement.sent'];
    const open = await session(words, answer, {columns: 80});
    const {shown, merchant} = open;
    expect(shown.text()).toMatch(/Receiving test events at\nhttp:/);
    const {id} = await merchant.open();
    await shown.until(/billing_statement\.finalized: 500 “no order”\. Your app failed: its own log says\s+where\./);
    await merchant.call('POST', `/billing_statements/${String(id)}/send`);
    await shown.until(/billing_statement\.sent .*→ held behind/);
    // An id is not broken.
    shown.type(ENTER);
    await shown.until(/held: waits for billing_statement\.finalized\n *evt_\w{32}, which will be retried/);
    shown.type(ESCAPE);
    await shown.until(/\/ filter/);
    fixed = true;
    await shown.until(/billing_statement\.sent .*→ 200/);
    shown.type('q');
    expect(await shown.ended).toBe(0);
    expect(shown.text()).toMatch(/Your app accepted 2 of 2\s+events, in \d+ attempts\./);
    await expectRestored(open);
  });

  test.each([[[]], [['--print-secret']]])(
    '%j: the secret of an object is on no screen; the one that signs is where it is asked for',
    async (words) => {
      const open = await session(words);
      const {shown, merchant} = open;
      const {data} = (await merchant.sandbox.trigger('payment_intent.succeeded', {})) as unknown as {
        data: {client_secret: string};
      };
      await shown.until(/payment_intent\.succeeded.*→ 200/);
      shown.type(ENTER);
      await shown.until(/"client_secret": "pi_[A-Za-z0-9]{32}_secret_\[redacted\]/);
      const webhook = (await merchant.call('GET', '/webhooks')).data[0] as {secret_key: string};
      shown.type(ESCAPE);
      await shown.until(/\/ filter/);
      shown.type('q');
      expect(await shown.ended).toBe(0);
      expect(shown.raw().includes(webhook.secret_key)).toBe(words.length > 0);
      expect(data.client_secret).toMatch(/_secret_[A-Za-z0-9]{32}$/);
      expect(shown.raw()).not.toContain(data.client_secret.split('_secret_')[1]!);
      expect(shown.text()).toContain('Secrets are hidden. To show them, add --reveal.');
      await expectRestored(open);
    },
  );

  test('Ctrl-C is exit 130, with the summary, and leaves the terminal as it was', async () => {
    const open = await session();
    open.shown.type(CTRL_C);
    expect(await open.shown.ended).toBe(130);
    expect(open.shown.text()).toMatch(/0 genuine/);
    await expectRestored(open);
  });

  test('a second Ctrl-C ends it at once, and still leaves the terminal as it was', async () => {
    // The app is never given up, nor the stop: nothing but the second one ends it.
    const {shown, merchant, target} = await session([], () => new Promise(() => {}), {env: NO_LIMITS});
    await merchant.sandbox.trigger('refund.created', {});
    await target.received(1);
    shown.type(CTRL_C);
    shown.type(CTRL_C);
    expect(await shown.ended).toBe(130);
    // After a clean stop it would have said what happened.
    expect(shown.text()).not.toMatch(/1 genuine/);
    expect(shown.raw().lastIndexOf(LEAVE_SCREEN)).toBeGreaterThan(shown.raw().lastIndexOf(ENTER_SCREEN));
    merchant.close();
  });

  test('it is drawn anew when the terminal gets another size, and no line is wider', async () => {
    const open = await session();
    await open.merchant.sandbox.trigger('payment_intent.succeeded', {});
    await open.shown.until(/payment_intent\.succeeded.*→ 200/);
    const before = open.shown.raw().length;
    open.shown.resize(40, 10);
    await open.shown.until(/Ready. Receiving test events at\nhttp:\/\/[\w.:/]+…/);
    await open.shown.until(/↑↓ select/);
    // oxlint-disable-next-line no-control-regex
    const escapes = /\u001B\[[0-?]*[A-Za-z]/g;
    // A frame of the former size may still have been on its way: the first that is cut begins the new ones.
    const raw = open.shown.raw().slice(before);
    const begins = raw.lastIndexOf('\u001B[?2026h', raw.search(/http:\/\/[\w.:/]+…/));
    expect(begins).toBeGreaterThanOrEqual(0);
    const drawn = raw.slice(begins).replaceAll(escapes, '\r');
    for (const line of drawn.split(/[\r\n]+/)) expect([...line].length, line).toBeLessThanOrEqual(40);
    open.shown.type('q');
    expect(await open.shown.ended).toBe(0);
    await expectRestored(open);
  });

  test('with --plain there are lines, and no screen', async () => {
    const {shown, merchant} = await session(['--plain', '--count', '1', '--events', 'refund.created'], undefined, {
      columns: 80,
    });
    expect(shown.text()).toMatch(/Receiving test events at\nhttp:/);
    await merchant.sandbox.trigger('refund.created', {});
    await shown.until(/--> refund\.created evt_\w{32} ₱1,250\.50\s+re_\w+ genuine/);
    expect(await shown.ended).toBe(0);
    expect(shown.raw()).not.toContain(ENTER_SCREEN);
    merchant.close();
  });

  test('with a program behind -- the terminal is the program’s', async () => {
    const {shown, merchant} = await session(['--', process.execPath, '-e', 'console.log("the app runs")']);
    await shown.until(/the app runs/);
    expect(await shown.ended).toBe(0);
    expect(shown.raw()).not.toContain(ENTER_SCREEN);
    merchant.close();
  });
});
