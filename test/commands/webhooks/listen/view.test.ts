// The interactive event list at a terminal: its content, its keys, and restoring the terminal.

import {describe, expect, test} from 'vitest';
import {NO_LIMITS, temporaryDirectory} from '../../../support/cli.js';
import {app, type App, type Said} from '../../../support/services/app.js';
import {Merchant} from '../../../support/scenarios/merchant.js';
import {terminalInProcess} from '../../../support/in-process.js';
import {CTRL_C, ENTER, loaded, terminal, type Terminal, type TerminalOptions} from '../../../support/terminal.js';
import {controlOf} from '../../../../src/sandbox/control/control.js';

const [UP, DOWN, ESCAPE] = ['\u001B[A', '\u001B[B', '\u001B'];
const pasted = (text: string): string => `\u001B[200~${text}\u001B[201~`;
const [ENTER_SCREEN, LEAVE_SCREEN, SHOW_CURSOR] = ['\u001B[?1049h', '\u001B[?1049l', '\u001B[?25h'];

test('has a pseudo-terminal, or skips the rest and says why; fails in CI', () => {
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
  start = terminalInProcess,
): Promise<Session> {
  const directory = temporaryDirectory();
  const target = await app(answer);
  const merchant = new Merchant(directory);
  const shown = start(directory, ['webhooks', 'listen', '--forward-to', `${target.port}/hook`, ...words], options);
  // The address is never wrapped.
  await shown.until(/Ready\. Receiving test events at\s+http:\/\/127\.0\.0\.1:\d+\/\w{32}\s/);
  return {shown, merchant, target, directory};
}

/** The terminal is restored: the main screen is shown, and the cursor is visible. */
async function expectRestored({shown, merchant}: Session): Promise<void> {
  const raw = shown.raw();
  expect(raw.split(ENTER_SCREEN)).toHaveLength(2);
  expect(raw.lastIndexOf(LEAVE_SCREEN)).toBeGreaterThan(raw.lastIndexOf(ENTER_SCREEN));
  expect(raw.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(raw.lastIndexOf('\u001B[?25l'));
  expect((await merchant.call('GET', '/webhooks')).data).toEqual([]);
  merchant.close();
}

describe.runIf(loaded.pty)('at a terminal', () => {
  test('shows events; arrows, details, replay, filter and q work as the last line says', async () => {
    const open = await session(['--events', 'billing_statement.finalized,billing_statement.paid,refund.created']);
    const {shown, merchant, target} = open;
    await shown.until(/Waiting for events…/);
    await shown.until(/↑↓ select {2}enter details {2}r replay {2}\/ filter {2}q quit/);
    const {id} = await merchant.open();
    await shown.until(/❯ \d\d:\d\d:\d\d {2}billing_statement\.finalized {2}₱1,500\.00 {2}genuine {2}→ 200 in \d+ ms/);
    controlOf(merchant.sandbox).trigger('billing_statement.paid', {from: id as string});
    await shown.until(/❯ \d\d:\d\d:\d\d {2}billing_statement\.paid.*→ 200/);
    await target.received(2);

    shown.type(ENTER);
    await shown.until(/billing_statement\.paid {2}evt_/);
    await shown.until(/Changed since billing_statement\.finalized/);
    await shown.until(/status: open → paid/);
    await shown.until(/Attempts\n *\d\d:\d\d:\d\d <-- 200 POST :\d+\/hook/);
    await shown.until(/payrex-signature/i);
    await shown.until(/↑↓ scroll {2}r replay {2}esc back/);
    // A new event does not replace the open details.
    controlOf(merchant.sandbox).trigger('refund.created', {});
    await target.received(3);
    shown.type('r');
    await target.received(4);
    expect(target.hits[3]!.body.equals(target.hits[1]!.body)).toBe(true);
    await shown.until(/\(attempt 2, replay\)/);
    shown.type(ESCAPE);
    await shown.until(/\/ filter/);

    // Pasted text runs no command, but filters.
    shown.type(pasted('q'));
    shown.type(UP.repeat(3));
    await shown.until(/❯ \d\d:\d\d:\d\d {2}billing_statement\.finalized/);
    shown.type(DOWN);
    await shown.until(/❯ \d\d:\d\d:\d\d {2}billing_statement\.paid/);

    shown.type(`/ref${pasted('und')}`);
    await shown.until(/❯ \d\d:\d\d:\d\d {2}refund\.created[^❯]*\/refund▏/);
    shown.type('zz');
    await shown.until(/No events match\./);
    shown.type(ESCAPE);
    await shown.until(/billing_statement\.finalized/);
    shown.type('q');
    expect(await shown.ended).toBe(0);
    expect(shown.text().replace(/\s+/g, ' ')).toMatch(
      /Deliveries: 3 genuine, 0 not genuine, .*Your app accepted 3 of 3 events, in 4 attempts/,
    );
    await expectRestored(open);
  });

  test('explains a refusal until the app accepts, and shows waiting events as held', async () => {
    let fixed = false;
    const answer = async () => (fixed ? 200 : {status: 500, body: '{"error":"no order"}'});
    const words = ['--events', 'billing_statement.finalized,billing_statement.sent'];
    const open = await session(words, answer, {columns: 80});
    const {shown, merchant} = open;
    expect(shown.text()).toMatch(/Receiving test events at\nhttp:/);
    const {id} = await merchant.open();
    await shown.until(/billing_statement\.finalized: 500 “no order”\. Your app failed: see its\s+log\./);
    await merchant.call('POST', `/billing_statements/${String(id)}/send`);
    await shown.until(/billing_statement\.sent .*→ held behind/);
    // An id is not wrapped.
    shown.type(ENTER);
    await shown.until(/held: waits for billing_statement\.finalized\n *evt_\w{32}, which will be retried/);
    shown.type(ESCAPE);
    await shown.until(/\/ filter/);
    fixed = true;
    await shown.until(/billing_statement\.sent .*→ 200/);
    shown.type('q');
    expect(await shown.ended).toBe(0);
    expect(shown.text().replace(/\s+/g, ' ')).toMatch(/Your app accepted 2 of 2 events, in \d+ attempts\./);
    await expectRestored(open);
  });

  test.each([[[]], [['--print-secret']]])(
    '%j: the secret of an object is on no screen; the one that signs is where it is asked for',
    async (words) => {
      const open = await session(words);
      const {shown, merchant} = open;
      const {data} = controlOf(merchant.sandbox).trigger('payment_intent.succeeded', {}) as unknown as {
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

  test('exits with 130 and the summary at Ctrl-C, and restores the terminal', async () => {
    const open = await session();
    open.shown.type(CTRL_C);
    expect(await open.shown.ended).toBe(130);
    expect(open.shown.text()).toMatch(/0 genuine/);
    await expectRestored(open);
  });

  test('ends at once at a second Ctrl-C, and still restores the terminal', async () => {
    // The app never ends, nor does the stop: only the second Ctrl-C ends it.
    const {shown, merchant, target} = await session([], () => new Promise(() => {}), {env: NO_LIMITS}, terminal);
    controlOf(merchant.sandbox).trigger('refund.created', {});
    await target.received(1);
    shown.type(CTRL_C);
    shown.type(CTRL_C);
    expect(await shown.ended).toBe(130);
    // A clean stop would have printed a summary.
    expect(shown.text()).not.toMatch(/1 genuine/);
    expect(shown.raw().lastIndexOf(LEAVE_SCREEN)).toBeGreaterThan(shown.raw().lastIndexOf(ENTER_SCREEN));
    merchant.close();
  });

  test('redraws after a resize, with no line too wide', async () => {
    const open = await session();
    controlOf(open.merchant.sandbox).trigger('payment_intent.succeeded', {});
    await open.shown.until(/payment_intent\.succeeded.*→ 200/);
    const before = open.shown.raw().length;
    open.shown.resize(40, 10);
    await open.shown.until(/Ready. Receiving test events at\nhttp:\/\/[\w.:/]+…/);
    await open.shown.until(/↑↓ select/);
    // oxlint-disable-next-line no-control-regex
    const escapes = /\u001B\[[0-?]*[A-Za-z]/g;
    // A frame of the previous size may still arrive: new frames begin with the first narrow one.
    const raw = open.shown.raw().slice(before);
    const begins = raw.lastIndexOf('\u001B[?2026h', raw.search(/http:\/\/[\w.:/]+…/));
    expect(begins).toBeGreaterThanOrEqual(0);
    const drawn = raw.slice(begins).replaceAll(escapes, '\r');
    for (const line of drawn.split(/[\r\n]+/)) expect([...line].length, line).toBeLessThanOrEqual(40);
    open.shown.type('q');
    expect(await open.shown.ended).toBe(0);
    await expectRestored(open);
  });

  test('prints lines without a screen with --plain', async () => {
    const {shown, merchant} = await session(['--plain', '--count', '1', '--events', 'refund.created'], undefined, {
      columns: 80,
    });
    expect(shown.text()).toMatch(/Receiving test events at\nhttp:/);
    controlOf(merchant.sandbox).trigger('refund.created', {});
    await shown.until(/--> refund\.created evt_\w{32} ₱1,250\.50\s+re_\w+ genuine/);
    expect(await shown.ended).toBe(0);
    expect(shown.raw()).not.toContain(ENTER_SCREEN);
    merchant.close();
  });

  test('leaves the terminal to a program after --', async () => {
    const {shown, merchant} = await session(
      ['--', process.execPath, '-e', 'console.log("the app runs")'],
      undefined,
      {},
      terminal,
    );
    await shown.until(/the app runs/);
    expect(await shown.ended).toBe(0);
    expect(shown.raw()).not.toContain(ENTER_SCREEN);
    merchant.close();
  });
});
