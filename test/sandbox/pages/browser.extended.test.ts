// Payment pages in a real browser: at two widths, by keyboard, without scripts, and for screen readers.

import {execFileSync, spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {listen} from '../../support/services/sockets.js';
import {browsing, faintTexts, fillCard, launch, overflow, payButton, SIZES, whyNoBrowser} from './browser.js';

const heading = (page: Page, words: string) => page.getByRole('heading', {level: 1}).filter({hasText: words}).waitFor();
const choose = (page: Page, method: string) => page.getByRole('radio', {name: method}).check();

describe.skipIf(whyNoBrowser)(`in Chromium${whyNoBrowser ? ` (${whyNoBrowser})` : ''}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  describe.each(SIZES)('$width pixels wide', (viewport) => {
    test('a statement fails by card, is declined by a wallet, and is paid', async () => {
      const b = await browsing(browser, {viewport});
      const {page} = b;
      const {id} = await b.openStatement();
      await fillCard(page, '4503 3000 0000 0008');
      await payButton(page).click();
      await expectAlert(page, 'The account has insufficient funds.');
      expect(await page.title()).toMatch(/^Declined · /);
      expect(await page.getByRole('textbox', {name: 'Card number'}).inputValue()).toBe('4503 3000 0000 0008');
      await choose(page, 'GCash');
      await payButton(page).click();
      await heading(page, 'GCash: approve your payment to Sandbox Merchant');
      await page.getByRole('button', {name: 'Decline'}).click();
      await expectAlert(page, 'The payment was declined by the issuer.');
      await fillCard(page);
      await payButton(page).click();
      await heading(page, 'Paid to Sandbox Merchant ₱1,500.00');
      expect((await b.ok('GET', `/billing_statements/${id}`)).status).toBe('paid');
      expect(b.complaints).toEqual([]);
    });

    test('a checkout is paid, and the payer is on the merchant’s page', async () => {
      const b = await browsing(browser, {viewport});
      await b.openCheckout({submit_type: 'donate'});
      await fillCard(b.page);
      await b.page.getByRole('button', {name: 'Donate ₱900.00'}).click();
      await b.page.waitForURL(`${b.shop}/thanks`);
      await heading(b.page, 'Shop /thanks');
      expect(b.complaints).toEqual([]);
    });

    test('a checkout fails with the wallet, is approved with another, and leads to the merchant', async () => {
      const b = await browsing(browser, {viewport});
      const {page} = b;
      await b.openCheckout();
      await choose(page, 'Maya');
      await payButton(page).click();
      await page.getByText('Sandbox: simulate a failure').click();
      await page.getByRole('combobox', {name: 'Reason'}).selectOption('funds_insufficient');
      await page.getByRole('button', {name: 'Fail the payment'}).click();
      await expectAlert(page, 'The account has insufficient funds.');
      await choose(page, 'BillEase');
      await payButton(page).click();
      await page.getByRole('button', {name: 'Approve', exact: true}).click();
      await page.waitForURL(`${b.shop}/thanks`);
      expect(b.complaints).toEqual([]);
    });

    test('a checkout that is left for the merchant’s page stays open', async () => {
      const b = await browsing(browser, {viewport});
      const {id} = await b.openCheckout();
      await b.page.getByRole('link', {name: 'Cancel and return to Sandbox Merchant'}).click();
      await b.page.waitForURL(`${b.shop}/cart`);
      expect((await b.ok('GET', `/checkout_sessions/${id}`)).status).toBe('active');
      expect(b.complaints).toEqual([]);
    });

    test('missing fields are listed at the top, with focus, and at each field', async () => {
      const b = await browsing(browser, {viewport});
      const {page} = b;
      await b.openStatement();
      await payButton(page).click();
      await expectAlert(page, 'Please check what you entered');
      await page.getByRole('link', {name: 'Enter the 3 digits of the security code.'}).click();
      expect(await focused(page)).toBe('cvc');
      const field = page.getByRole('textbox', {name: 'Security code'});
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await described(page, 'cvc')).toBe('Enter the 3 digits of the security code.');
      expect(b.complaints).toEqual([]);
    });

    test('every page fits, is legible, and names its controls', async () => {
      const colorScheme = viewport.width === 360 ? 'dark' : 'light';
      const b = await browsing(browser, {viewport, colorScheme});
      const {page, server} = b;
      const customer = await b.customer({name: 'W'.repeat(2000), email: `${'w'.repeat(60)}@example.com`});
      /** Waits for this text, so that the right page is checked. */
      const look = async (words: string | RegExp) => {
        const what = String(words);
        await page.getByText(words).first().waitFor();
        expect(await overflow(page), what).toBe(0);
        expect(await faintTexts(page), what).toEqual([]);
        expect(unnamed(await page.locator('body').ariaSnapshot()), what).toEqual([]);
        expect(await page.getByText('Sandbox: no money moves').isVisible(), what).toBe(true);
      };
      const unfold = async () => {
        const fold = page.getByText('What you pay for');
        if (await fold.isVisible()) await fold.click();
      };
      const long = 'W'.repeat(900);
      const statement = await b.openStatement({customer_id: customer.id, description: long}, 5_999_999_999);
      await unfold();
      await look('How do you want to pay?');
      await page.getByText('Test cards').click();
      await look('Choose a card to fill in the form.');
      await payButton(page).click();
      await look('Please check what you entered');
      await page.goto(`${server.url}${statement.path}?card=4005550000000019`);
      await page.getByRole('textbox', {name: 'Name on card'}).fill('Juan');
      await payButton(page).click();
      await look('The payment did not go through');
      await choose(page, 'QR Ph');
      await payButton(page).click();
      await look('I have paid');
      await page.getByRole('link', {name: 'Choose another way to pay'}).click();
      await look('QR Ph is waiting for your approval.');
      await choose(page, 'GCash');
      await payButton(page).click();
      await page.getByText('Sandbox: simulate a failure').click();
      await look('Fail the payment');
      await page.getByRole('button', {name: 'Approve, and close this page'}).click();
      await look('Your payment is being processed');
      b.advance(10);
      await page.goto(server.url + statement.path);
      await look('Paid to');
      const session = await b.openCheckout({description: long, statement_descriptor: 'W'.repeat(22)});
      await unfold();
      await look('On your bank statement');
      await b.ok('POST', `/checkout_sessions/${session.id}/expire`);
      await page.reload();
      await look('This checkout has expired');
      const image = `https://${'w'.repeat(60)}.${'w'.repeat(60)}.example/a.png`;
      const line_items = [{name: long, amount: 5000, quantity: 1, image, description: long}];
      await b.openCheckout({line_items, payment_methods: ['card', 'bdo_installment']});
      await unfold();
      await choose(page, 'BDO Installment');
      await look('Months to pay');
      const setup = await b.ok('POST', '/setup_intents', {customer_id: customer.id, description: long});
      await page.goto(setup.next_action.redirect_url as string);
      await look('How do you want to pay in future?');
      await page.getByRole('button', {name: 'Continue'}).click();
      await look('GCash: approve saving your account');
      await page.getByRole('button', {name: 'Decline'}).click();
      await look('GCash was not saved');
      await page.getByRole('button', {name: 'Continue'}).click();
      await page.getByRole('button', {name: 'Approve', exact: true}).click();
      await look('GCash is saved');
      await page.goto(`${server.url}/b/none`);
      await look('Page not found');
      expect(b.complaints).toEqual([]);
    });
  });

  test('by keyboard: chooses a failing test card from the list, then another one pays', async () => {
    const b = await browsing(browser);
    const {page} = b;
    await b.openStatement();
    await tabTo(page, 'summary');
    await page.keyboard.press('Enter');
    await tabTo(page, 'a[href*="4503300000000008"]');
    await page.keyboard.press('Enter');
    await page.waitForURL(/card=4503300000000008/);
    await expect.poll(() => focused(page)).toBe('number');
    expect(await page.getByRole('textbox', {name: 'Name on card'}).inputValue()).toBe('Juan Dela Cruz');
    await page.keyboard.press('Enter');
    await expectAlert(page, 'The account has insufficient funds.');
    await tabTo(page, '#method-card');
    await page.keyboard.press('Tab');
    for (const [field, text] of [
      ['number', '4242424242424242'],
      ['expiry', '12/40'],
      ['cvc', '123'],
      ['name', 'Juan'],
    ] as const) {
      expect(await focused(page)).toBe(field);
      await page.keyboard.type(text);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('BUTTON');
    await page.keyboard.press('Enter');
    // Asked from outside: the page's policy lets no text be evaluated inside it.
    await expect.poll(() => page.title()).toMatch(/^Paid/);
    expect(b.complaints).toEqual([]);
  });

  test('by keyboard: chooses a wallet with the arrows, declines, then approves', async () => {
    const b = await browsing(browser, {viewport: SIZES[1]!});
    const {page} = b;
    await b.openCheckout();
    await tabTo(page, '#method-card');
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toBe('method-gcash');
    // Without card fields, the collapsed billing details come next, then the button.
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('SUMMARY');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('BUTTON');
    await page.keyboard.press('Space');
    await page.waitForURL(/\/p\//);
    await tabTo(page, 'button[value="decline"]');
    await page.keyboard.press('Enter');
    await expectAlert(page, 'The payment was declined by the issuer.');
    await tabTo(page, '#method-gcash');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/p\//);
    await tabTo(page, 'button[value="approve"]');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${b.shop}/thanks`);
    expect(b.complaints).toEqual([]);
  });

  test('on a phone the form starts near the top, below a collapsed summary', async () => {
    const b = await browsing(browser, {viewport: {width: 375, height: 667}});
    const {page} = b;
    await b.openStatement({description: 'W '.repeat(400)});
    const form = page.getByText('How do you want to pay?');
    expect((await form.boundingBox())!.y).toBeLessThan(400);
    expect(await page.getByRole('heading', {level: 1}).innerText()).toContain('₱1,500.00');
    const items = page.getByRole('table', {name: 'Items'});
    expect(await items.isVisible()).toBe(false);
    await page.getByText('What you pay for').click();
    expect(await items.isVisible()).toBe(true);
    expect(b.complaints).toEqual([]);
  });

  test('a code paid on another screen leads to the merchant by itself', async () => {
    const b = await browsing(browser);
    const {id} = await b.openCheckout();
    await choose(b.page, 'QR Ph');
    await payButton(b.page).click();
    await heading(b.page, 'Scan to pay');
    b.pay(id);
    await b.page.waitForURL(`${b.shop}/thanks`);
    expect(b.complaints).toEqual([]);
  });

  test('typed text survives a failure elsewhere, but not a payment', async () => {
    const b = await browsing(browser);
    const {page} = b;
    const {id} = await b.openStatement();
    const looks = async () => {
      for (let count = 0; count < 2; count += 1)
        await page.waitForResponse((seen) => seen.request().method() === 'HEAD');
    };
    await fillCard(page);
    b.pay(id, {fail: 'generic_decline'});
    await looks();
    expect(await page.getByRole('textbox', {name: 'Card number'}).inputValue()).toBe('4242 4242 4242 4242');
    b.pay(id);
    await heading(page, 'Paid to Sandbox Merchant');
    expect(b.complaints).toEqual([]);
  });

  test('an open page shows a changed approval, then the end of the checkout', async () => {
    const b = await browsing(browser);
    const {page} = b;
    const {id, payment_intent: intent} = await b.openCheckout();
    await choose(page, 'GCash');
    await payButton(page).click();
    await heading(page, '₱900.00');
    b.sandbox.perform((work) => work.change(work.peek(intent.id)!, {amount: 95_000}));
    await heading(page, '₱950.00');
    await page.getByRole('button', {name: 'and close this page'}).click();
    await heading(page, 'Your payment is being processed');
    await b.ok('POST', `/checkout_sessions/${id}/expire`);
    await heading(page, 'This checkout has expired');
    expect(b.payments()).toBe(0);
    expect(b.complaints).toEqual([]);
  });

  test('with --images, the browser loads the image of an item, and sends no referrer', async () => {
    const referrers: unknown[] = [];
    const images = createServer((request, response) => {
      referrers.push(request.headers.referer);
      const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
      response.writeHead(200, {'content-type': 'image/svg+xml'}).end(picture);
    });
    const {url} = await listen(images, onTestFinished);
    const b = await browsing(browser, {}, {images: true});
    await b.openCheckout({line_items: [{name: 'Cap', amount: 5000, quantity: 1, image: `${url}/cap.svg`}]});
    const image = b.page.getByRole('img', {name: 'Image of Cap'});
    await expect
      .poll(() => image.evaluate((element) => (element as unknown as {naturalWidth: number}).naturalWidth))
      .toBe(9);
    expect(await image.boundingBox()).toMatchObject({width: 40, height: 40});
    expect(referrers).toEqual([undefined]);
    expect(b.complaints).toEqual([]);
  });

  test('without scripts', async () => {
    const b = await browsing(browser, {javaScriptEnabled: false});
    await b.openCheckout();
    await fillCard(b.page, '4000 0000 0000 3220');
    await payButton(b.page).click();
    await heading(b.page, 'Your bank: approve your payment to');
    await b.page.getByRole('button', {name: 'Approve', exact: true}).click();
    await b.page.waitForURL(`${b.shop}/thanks`);
    expect(b.payments()).toBe(1);
  });

  test('the merchant’s page may send the payer on to another site', async () => {
    const b = await browsing(browser);
    await b.openCheckout({success_url: `${b.shop}/moved`});
    await fillCard(b.page);
    await payButton(b.page).click();
    await b.page.waitForURL(`${b.shop.replace('127.0.0.1', 'localhost')}/thanks`);
    expect(b.complaints).toEqual([]);
  });

  test('a double click pays once, and going back shows that it is paid', async () => {
    const b = await browsing(browser);
    const {page} = b;
    await b.openStatement();
    await fillCard(page);
    await payButton(page).dblclick();
    // Asked from outside: the page's policy lets no text be evaluated inside it.
    await expect.poll(() => page.title()).toMatch(/^Paid/);
    expect(b.payments()).toBe(1);
    await page.goBack();
    await page.reload();
    await heading(page, 'Paid to Sandbox Merchant');
    expect(await payButton(page).count()).toBe(0);
    expect(b.payments()).toBe(1);
  });

  test('screen readers get headings, groups and labelled fields', async () => {
    const b = await browsing(browser);
    await b.openCheckout({payment_methods: ['card', 'gcash']});
    const snapshot = await b.page.getByRole('main').ariaSnapshot();
    for (const line of [
      '- heading "Pay Sandbox Merchant ₱900.00" [level=1]',
      '- table "Items":',
      '- rowheader "T-shirt 2 × ₱450.00"',
      '- group "How do you want to pay?":',
      '- radio "Card Visa or Mastercard" [checked]',
      '- group "Card details":',
      '- textbox "Card number"',
      '- textbox "Expiry date"',
      '- textbox "Security code"',
      '- textbox "Name on card"',
      '- radio "GCash Approve on the next page"',
      '- button "Pay ₱900.00"',
      '- link "Cancel and return to Sandbox Merchant"',
    ])
      expect(snapshot).toContain(line);
  });

  const noReader = spawnSync('zbarimg', ['--version']).status === 0 ? undefined : 'skipped: zbarimg is not installed';
  test.skipIf(noReader)(`a reader reads the QR code off the screen${noReader ? ` (${noReader})` : ''}`, async () => {
    const b = await browsing(browser, {viewport: SIZES[1]!, colorScheme: 'dark', deviceScaleFactor: 2});
    const {payment_intent: intent} = await b.openStatement();
    await choose(b.page, 'QR Ph');
    await payButton(b.page).click();
    const file = join(temporaryDirectory(), 'screen.png');
    writeFileSync(file, await b.page.screenshot({fullPage: true}));
    const read = execFileSync('zbarimg', ['--quiet', '--raw', file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(read.trim()).toBe(`Sandbox QR Ph, no money moves: PHP 1500.00, ${intent.id}`);
    await b.page.getByRole('button', {name: 'I have paid'}).click();
    await b.page.getByText('QR Ph', {exact: true}).waitFor();
  });
});

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement.id || document.activeElement.tagName');

const described = (page: Page, id: string): Promise<string> =>
  page.evaluate<string>(
    `document.getElementById(document.getElementById('${id}').getAttribute('aria-describedby')).textContent`,
  );

/** Expects an alert with the focus, so that it is read first and Tab continues from it. */
async function expectAlert(page: Page, words: string): Promise<void> {
  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.innerText()).toContain(words);
  await expect.poll(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('alert');
}

/** Presses Tab until the element has visible focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) {
      const outlined = `[document.activeElement, document.activeElement.closest('.choice')].some((element) => element && getComputedStyle(element).outlineStyle === 'solid')`;
      expect(await page.evaluate(outlined), `the focus on ${selector} is visible`).toBe(true);
      return;
    }
  }
  throw new Error(`Tab does not lead to ${selector}.`);
}

/** Controls and images without a name in the accessibility tree. */
const unnamed = (snapshot: string): string[] =>
  snapshot.split('\n').filter((line) => /^\s*- (button|textbox|radio|link|combobox|img|table)\b(?! ")/.test(line));
