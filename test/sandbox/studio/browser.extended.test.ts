// The studio in a real browser: three widths, light and dark, without scripts, live updates, buttons and keyboard.

import axe from 'axe-core';
import type {Browser, BrowserContextOptions, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {seed} from '../../../src/sandbox/seed/seed-account.js';
import {serveSandbox} from '../../../src/sandbox/serve/sandbox-server.js';
import {receiver} from '../../support/sandbox/receiver.js';
import {world} from '../../support/sandbox/world.js';
import {launch, opened, overflow, whyNoBrowser} from '../pages/browser.js';
import {desk, newFile} from './desk.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const PHONE = {width: 375, height: 800};
const LISTS = [
  '',
  ...['events', 'requests', 'mail', 'clock', 'search?q=juan', 'search?q=nobody', 'none'],
  ...['statements', 'checkouts', 'intents', 'payments', 'refunds', 'customers', 'payouts', 'webhooks'],
];

/** Checks of each view. The dark one checks only colours, the one without scripts what scripts cannot fix. */
const looksAt = (width: number) =>
  [
    ['light', true, width === 768 ? undefined : {}],
    ['dark', true, width === PHONE.width ? {runOnly: 'color-contrast'} : undefined],
    ['dark', false, undefined],
  ] as const;

/** A shop with everything to show: its app refuses only refunds, another one fails, a third does not run. */
async function shop() {
  const d = await desk({path: newFile()});
  d.sandbox.perform(seed);
  const app = await receiver(({event}, response) => {
    const isRefund = String(event.type).startsWith('refund');
    response.writeHead(isRefund ? 400 : 200).end(isRefund ? '{"error":"no handler for refunds"}' : '{"ok":true}');
  });
  const broken = await receiver((_, response) => void response.writeHead(500).end('<h1>TypeError: no order</h1>'));
  const events = ['billing_statement.sent', 'billing_statement.paid', 'refund.created'];
  const hook = (url: string, description: string) => d.ok('POST', '/webhooks', {url, description, events});
  const webhook = await hook(app.url, 'Shop');
  await hook(broken.url, 'Fulfilment');
  await hook('http://127.0.0.1:9/hooks', 'Accounting');
  const email = `${'long.'.repeat(11)}name@example.com`;
  const buyer = await d.customer({name: 'W'.repeat(200), email, billing_statement_prefix: 'SHOP'});
  const statement = await d.open({customer_id: buyer.id, metadata: {order: 'ORDER-17'}});
  await d.call('POST', `/billing_statements/${statement.id}/send`);
  d.pay(statement.id, {fail: 'funds_insufficient'});
  const {payment, payment_intent: intent} = d.pay(statement.id, {method: 'gcash'});
  const reason = 'requested_by_customer';
  await d.ok('POST', '/refunds', {payment_id: payment!.id, amount: 20_000, currency: 'PHP', reason});
  const checkout = await d.session({customer_reference_id: 'CART-9'});
  d.pay(checkout.id, {method: 'gcash'});
  const open = await d.open({customer_id: buyer.id});
  const method = {payment_method_options: {card: {capture_type: 'manual'}}, payment_methods: ['card']};
  const {payment_intent: held} = d.pay((await d.intent(method)).id as string);
  const stopped = await hook('http://127.0.0.1:9/old', 'Stopped');
  await d.ok('POST', `/webhooks/${stopped.id as string}/disable`);
  const refused = await d.call('GET', '/billing_statements/bstm_none');
  await d.sandbox.deliverDue();
  const id = (type: string) => d.events().findLast((event) => event.type === type)!.id as string;
  const [paid, sent, refunded] = ['billing_statement.paid', 'billing_statement.sent', 'refund.created'].map(id);
  const made = d.sandbox.requests.database.all<{id: string}>('SELECT id FROM requests');
  const pages = [
    ...LISTS,
    ...[statement, checkout, intent, payment!, held, buyer, webhook, stopped, open].map((each) => each.id as string),
    ...[paid!, refunded!, `mail/${sent}`, made[0]!.id, made.at(-1)!.id],
  ];
  expect(refused.status).toBe(404);
  return {...d, app, payment: payment!, held, stopped, statement, checkout, open, refunded: refunded!, pages};
}

const beside = ({sandbox}: {sandbox: {path: string}}) => world({path: sandbox.path});

const violations = (page: Page, only: object): Promise<string[]> =>
  page.evaluate<string[]>(
    `axe.run({...${JSON.stringify(only)}, resultTypes: ['violations']}).then(({violations}) => violations.map(({id, nodes}) => id + ' ' + nodes[0].html.slice(0, 160)))`,
  );

/** Controls below 40 pixels of height; a table link counts as its cell. */
const lowControls = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('a:not(.skip, td a), button, summary, input, select')]
    .filter((each) => each.getClientRects().length && each.getBoundingClientRect().height < 40)
    .map((each) => each.outerHTML.slice(0, 120))`);

describe.skipIf(whyNoBrowser)(`the studio in Chromium${whyNoBrowser ? ` (${whyNoBrowser})` : ''}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  async function at<D extends {server: {studioUrl: string}}>(d: D, options: BrowserContextOptions = {}) {
    const {studioUrl} = d.server;
    const {page, complaints} = await opened(browser, options);
    page.on('request', (request) => {
      if (!request.url().startsWith(new URL(studioUrl).origin)) complaints.push(`elsewhere: ${request.url()}`);
    });
    return {...d, page, complaints, go: (path = '') => page.goto(studioUrl + path)};
  }

  describe.each([1280, 768, 375])('%i pixels wide', (width) => {
    test('every page fits, is legible, names its controls, and requests nothing from other hosts', async () => {
      const d = await shop();
      for (const [colorScheme, javaScriptEnabled, rule] of looksAt(width)) {
        const {page, complaints, go} = await at(d, {viewport: {width, height: 800}, colorScheme, javaScriptEnabled});
        await page.addInitScript(axe.source);
        for (const path of d.pages) {
          const what = `${path} ${colorScheme} ${javaScriptEnabled}`;
          await go(path);
          expect(await overflow(page), what).toBe(0);
          if (rule) expect(await violations(page, rule), what).toEqual([]);
          if (!javaScriptEnabled && width === PHONE.width) expect(await lowControls(page), what).toEqual([]);
        }
        expect(complaints).toEqual([]);
      }
    });
  });

  test('without scripts the menu opens, and buttons work', async () => {
    const s = await at(await shop(), {viewport: PHONE, javaScriptEnabled: false});
    const {page} = s;
    await s.go();
    await page.getByText('Menu', {exact: true}).click();
    await page.getByRole('link', {name: 'Clock', exact: true}).click();
    await page.getByRole('button', {name: '+1 hour'}).click();
    await said(page, /^It is now .*\. Everything due by then has happened\.$/);
    expect(await page.locator('.pulse').isVisible()).toBe(false);
    expect(s.complaints).toEqual([]);
  });

  test('each button shows a sentence with the focus above its page', async () => {
    const s = await at(await shop());
    const {page} = s;
    const press = async (name: string, words: RegExp) => {
      await page.getByRole('button', {name, exact: true}).first().click();
      await said(page, words);
    };
    await s.go(s.open.id as string);
    await page.getByRole('combobox', {name: 'Reason'}).selectOption('cvc_incorrect');
    await press('Fail payment', /^The payment of ₱1,500\.00 failed: cvc_incorrect\.$/);
    await press('Pay', /^₱1,500\.00 was paid\.$/);
    await s.go(s.payment.id as string);
    await page.getByRole('textbox', {name: 'Amount in pesos'}).fill('100');
    await press('Refund', /^₱100\.00 was refunded\.$/);
    await s.go(s.held.id as string);
    await press('Capture', /^₱1,250\.50 was captured\.$/);
    await s.go(s.stopped.id as string);
    await press('Enable', /^The webhook is enabled\./);
    await s.go(s.refunded);
    await press('Resend', /did not (accept it|answer): /);
    await s.go('clock');
    await press('Save a snapshot', /^Saved as /);
    await press('+7 days', /^It is /);
    await press('Restore', /^Restored/);
    await page.reload();
    expect(await page.getByRole('main').getByRole('status').count()).toBe(0);
    expect(s.complaints).toEqual([]);
  });

  test("two clicks lead from today to the app's response", async () => {
    const s = await at(await shop());
    await s.go();
    await s.page.getByRole('link', {name: 'Shop', exact: true}).click();
    await s.page.getByRole('row', {name: 'Retrying'}).getByRole('link').click();
    await s.page.getByText('"error": "no handler for refunds"').waitFor();
    expect(s.complaints).toEqual([]);
  });

  test('by keyboard: finds a statement by number, and pays it', async () => {
    const s = await at(await shop());
    const {page} = s;
    const tab = async () => {
      await page.keyboard.press('Tab');
      const seen = await page.evaluate<string>(
        "getComputedStyle(document.activeElement).outlineStyle + ' ' + document.activeElement.textContent.trim()",
      );
      expect(seen).toMatch(/^solid/);
      return seen.slice('solid '.length);
    };
    await s.go();
    expect(await tab()).toBe('Skip to content');
    expect(await tab()).toBe('centavo sandbox');
    await tab();
    await page.keyboard.type('shop-0002');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', {name: 'Statement SHOP-0002'}).waitFor();
    expect(await tab()).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await tab()).toMatch(/^card/);
    expect(await tab()).toBe('Pay');
    await page.keyboard.press('Enter');
    await said(page, /^₱1,500\.00 was paid\.$/);
    expect((await s.ok('GET', `/billing_statements/${s.open.id}`)).status).toBe('paid');
    expect(s.complaints).toEqual([]);
  });

  describe('live rows', () => {
    const row = (page: Page, words: string) => page.locator('.line li').filter({hasText: words});

    /** Waits for two more polls, after which all updates are drawn. */
    const looks = async (page: Page) => {
      for (let count = 0; count < 2; count += 1) await page.waitForResponse(/\/pulse$/);
    };

    test('shows changes by other processes, and keeps open parts, selections and focus', async () => {
      const s = await at(await shop());
      const {page} = s;
      await s.go(s.open.id as string);
      await page.getByText('JSON', {exact: true}).click();
      await page.getByRole('combobox', {name: 'Reason'}).selectOption('cvc_incorrect');
      const reached = page.getByRole('link', {name: 'billing_statement.finalized'});
      await reached.focus();
      const other = beside(s);
      await other.call('POST', `/billing_statements/${s.open.id}/send`);
      await row(page, 'billing_statement.sent').waitFor();
      expect(await page.locator('pre').isVisible()).toBe(true);
      expect(await page.getByRole('combobox', {name: 'Reason'}).inputValue()).toBe('cvc_incorrect');
      expect(await focused(page)).toBe('billing_statement.finalized');
      other.pay(s.open.id as string);
      await page.getByRole('main').getByText('Paid', {exact: true}).first().waitFor();
      expect(await page.getByRole('button', {name: 'Pay'}).count()).toBe(0);
      expect(s.complaints).toEqual([]);
    });

    test('does not move the visible rows, and pauses during selections and typing', async () => {
      const s = await at(await shop(), {viewport: PHONE});
      const {page} = s;
      await s.go();
      await page.evaluate(`scrollTo(0, 1500)`);
      const place = `document.querySelector('.line a[href*="${s.refunded}"]').getBoundingClientRect().top`;
      const before = await page.evaluate<number>(place);
      const other = beside(s);
      const arrives = async (name: string) => {
        await other.customer({name});
        await other.ok('POST', '/checkout_sessions', {
          currency: 'PHP',
          line_items: [{name, amount: 45_000, quantity: 2}],
          success_url: 'https://shop.example/thanks',
          cancel_url: 'https://shop.example/cart',
        });
      };
      const count = row(page, 'POST /checkout_sessions');
      await arrives('one');
      await expect.poll(() => count.count()).toBe(2);
      expect(Math.abs((await page.evaluate<number>(place)) - before)).toBeLessThan(2);

      await page.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))");
      await arrives('two');
      await looks(page);
      expect(await count.count()).toBe(2);
      await page.evaluate('getSelection().removeAllRanges()');
      await expect.poll(() => count.count()).toBe(3);

      await page.getByRole('searchbox').fill('juan');
      await arrives('three');
      await page.getByText('Paused', {exact: true}).waitFor();
      await looks(page);
      expect(await count.count()).toBe(3);
      await page.getByRole('searchbox').blur();
      await expect.poll(() => count.count()).toBe(4);
      await page.getByText('Up to date', {exact: true}).waitFor();
      expect(await page.getByRole('searchbox').inputValue()).toBe('juan');
      expect(s.complaints).toEqual([]);
    });

    test('a hidden tab does not poll, and a slow server gets one poll at a time', async () => {
      const s = await at(await shop());
      const {page} = s;
      let asked = 0;
      page.on('request', (request) => void (request.url().endsWith('/pulse') && (asked += 1)));
      await page.clock.install();
      let answer = (): void => {};
      const slow = new Promise<void>((resolve) => (answer = resolve));
      await page.route(/\/pulse$/, async (route) => {
        await slow;
        await route.continue();
      });
      await s.go();
      // Less than the poll's timeout.
      await page.clock.runFor(4000);
      expect(asked).toBe(1);
      const answered = page.waitForResponse(/\/pulse$/);
      answer();
      await (await answered).finished();
      await page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})");
      const before = asked;
      await page.clock.runFor(30_000);
      expect(asked).toBe(before);
      await page.evaluate('delete document.hidden');
      await Promise.all([page.waitForRequest(/\/pulse$/), page.clock.runFor(2000)]);
      expect(s.complaints).toEqual([]);
    });

    test('shows a stopped server, and continues when it is back', async () => {
      const s = await at(await shop());
      const {page, server} = s;
      await page.goto(server.url);
      await page.getByText('Up to date', {exact: true}).waitFor();
      await server.close();
      await page.getByText('Not connected', {exact: true}).waitFor();
      const again = await serveSandbox(controlOf(s.sandbox), {port: server.port});
      try {
        await s.customer({name: 'Came later'});
        await page.getByText('Up to date', {exact: true}).waitFor();
        await row(page, 'POST /customers').first().waitFor();
      } finally {
        await again.close();
      }
    });

    test('shows a deleted object and an ended server in place of the page', async () => {
      const s = await at(await shop());
      const {page, server} = s;
      await s.go(s.open.id as string);
      await page.getByRole('heading', {name: 'Statement SHOP'}).waitFor();
      s.sandbox.reset();
      await page.getByRole('heading', {name: 'Not found'}).waitFor();
      await page.getByText('Up to date', {exact: true}).waitFor();
      await server.close();
      const again = await serveSandbox(controlOf(s.sandbox), {port: server.port});
      try {
        await page.getByText('The server of this address has ended.').waitFor();
      } finally {
        await again.close();
      }
    });
  });
});

const focused = (page: Page): Promise<string> => page.evaluate<string>('document.activeElement.textContent');

/** Expects a button's message, announced and with the focus. */
async function said(page: Page, words: RegExp): Promise<void> {
  // The browser moves the focus after it has shown the page.
  await page.getByRole('main').locator('[role=status]:focus').filter({hasText: words}).waitFor();
}
