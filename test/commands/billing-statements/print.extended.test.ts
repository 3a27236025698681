// The printed page in a real browser: on A4 paper, on a phone and on a wide screen, with long names and many items.

import {pathToFileURL} from 'node:url';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import axe from 'axe-core';
import type {Browser} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {controlOf} from '../../../src/sandbox/control/control.js';
import {launch, opened, overflow, whyNoBrowser} from '../../sandbox/pages/browser.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {loaded, terminal} from '../../support/terminal.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const WIDE = 'W'.repeat(300);
const pages: Record<string, string> = {};

/** The width of A4 without its margins, at 96 dots per inch, and those of a phone and a screen. */
const SIZES = [
  {name: 'A4', media: 'print', viewport: {width: 658, height: 1002}},
  {name: 'phone', media: 'screen', viewport: {width: 375, height: 740}},
  {name: 'wide', media: 'screen', viewport: {width: 1280, height: 900}},
] as const;

describe.skipIf(whyNoBrowser)(`in Chromium${whyNoBrowser ? ` (${whyNoBrowser})` : ''}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
    const merchant = new Merchant(directory);
    const customer = await merchant.customer({name: WIDE, email: `${'w'.repeat(60)}@example.com`});
    const ana = await merchant.customer({name: 'Ana Reyes', billing_statement_prefix: 'ANA'});
    const open = async ({id} = customer) => String((await merchant.open({customer_id: id})).id);
    const draft = await merchant.draft({
      customer_id: customer.id,
      description: WIDE,
      metadata: {[`k${WIDE}`.slice(0, 40)]: WIDE},
    });
    for (let item = 1; item < 40; item++)
      await merchant.call('POST', '/billing_statement_line_items', {
        billing_statement_id: draft.id,
        description: item % 2 ? `Item ${item}` : WIDE,
        quantity: 1,
        unit_price: 140_000_000,
      });
    const ids: Record<string, string> = {
      draft: String(draft.id),
      open: await open(),
      part: await open(),
      void: await open(),
    };
    ids.long = String((await merchant.call('POST', `/billing_statements/${String(draft.id)}/finalize`)).id);
    ids.paid = await open(ana);
    controlOf(merchant.sandbox).pay(ids.paid, {});
    controlOf(merchant.sandbox).pay(ids.part!, {});
    await merchant.call('POST', `/billing_statements/${ids.void}/void`);
    merchant.close();
    expect(
      await run(['refunds', 'create', '--statement', ids.part!, '--amount', '450', '--reason', 'others', '--yes']),
    ).toMatchObject({status: 0});
    for (const [name, id] of Object.entries(ids)) {
      const from = name === 'paid' ? 'Reyes & Sons' : WIDE;
      const {stdout} = await run(['print', id, '--metadata', '--from', from]);
      writeFileSync((pages[name] = join(directory, `${name}.html`)), stdout);
    }
  });
  afterAll(() => browser.close());

  test.each(SIZES)('every page fits and is accessible: $name', async ({media, viewport}) => {
    const {page, complaints} = await opened(browser, {viewport, bypassCSP: true});
    await page.emulateMedia({media});
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(pathToFileURL(path).href);
      expect(await page.getByRole('heading', {level: 1}).innerText(), name).toMatch(
        /^(?:Billing statement|Payment confirmation)/,
      );
      expect(await overflow(page), name).toBe(0);
      await page.evaluate(axe.source);
      const found = await page.evaluate<string[]>(
        `axe.run({resultTypes: ['violations']}).then(({violations}) => violations.map(({id, nodes}) => id + ' ' + nodes[0].html.slice(0, 160)))`,
      );
      expect(found, name).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });

  test('the policy lets the style sheet act, and nothing else', async () => {
    const {page, complaints} = await opened(browser);
    await page.goto(pathToFileURL(pages.open!).href);
    expect(complaints).toEqual([]);
    expect(await page.evaluate<string>(`getComputedStyle(document.querySelector('h1 span')).display`)).toBe('block');
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<p id="x" style="color: red" onclick="1">x</p>')`,
    );
    expect(await page.evaluate<string>(`getComputedStyle(document.querySelector('#x')).color`)).not.toBe(
      'rgb(255, 0, 0)',
    );
    expect(complaints.join('\n')).toContain('Content Security Policy');
  });

  test('forty items take the pages of A4 that they need', async () => {
    const {page} = await opened(browser);
    const sheets = async (name: string) => {
      await page.goto(pathToFileURL(pages[name]!).href);
      const pdf = (await page.pdf({preferCSSPageSize: true})).toString('latin1');
      expect(pdf).toMatch(/\/MediaBox \[0 0 59[45][.\d]* 84[12][.\d]*\]/);
      return pdf.match(/\/Type \/Page\b/g)!.length;
    };
    expect(await sheets('paid')).toBe(1);
    expect(await sheets('long')).toBeGreaterThan(2);
  });

  test.skipIf(!loaded.pty)(`a terminal gets a file named after the statement ${loaded.reason ?? ''}`, async () => {
    const folder = temporaryDirectory();
    const shell = `cd '${folder}' && "$NODE" "$RUN" print ana-0001 && "$NODE" "$RUN" print ANA-0001`;
    const {ended, text} = terminal(directory, [], {columns: 80, shell});
    expect(await ended).toBe(0);
    expect(text().match(/^Wrote ANA-0001\.html\.$/gm)).toHaveLength(2);
    expect(text()).toContain('To make a PDF, open the page in a browser, print it, and choose "Save as PDF".');
    expect(text()).not.toContain('<html');
    expect(readFileSync(join(folder, 'ANA-0001.html'), 'utf8')).toContain('<h1>Payment confirmation');
  });
});
