// From a payment in a browser to a verified event in a listener.

import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {Browser} from 'playwright-core';
import {listening} from '../../support/scenarios/listening.js';
import {watch} from '../../support/processes.js';
import {cli, temporaryDirectory} from '../../support/cli.js';
import {fillCard, launch, payButton, SIZES, whyNoBrowser} from './browser.js';

describe.skipIf(whyNoBrowser)(`a payment in Chromium${whyNoBrowser ? ` (${whyNoBrowser})` : ''}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test.each(SIZES)('$width pixels wide arrives as a verified event in listen --json', async (viewport) => {
    const directory = temporaryDirectory();
    const run = cli(directory);
    const served = watch(directory, ['sandbox', 'serve', '--port', '0', '--json']);
    onTestFinished(async () => {
      served.child.kill('SIGTERM');
      await served.ended;
    });
    await new Promise((resolve) => served.child.stdout!.once('data', resolve));
    const listener = listening(directory, ['--events', 'billing_statement.paid', '--count', '1']);
    await listener.next('ready');

    const customer = await run(['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com', '--json']);
    const words = ['--item', 'Web design @ 1,500', '--due', '+7d', '--finalize', '--json'];
    const statement = (await run(['billing-statements', 'create', '--customer', customer.json().id, ...words])).json();
    const page = await browser.newPage({viewport});
    onTestFinished(() => page.close());
    await page.goto(statement.url);
    await fillCard(page);
    await payButton(page).click();
    await page.getByRole('heading', {level: 1}).filter({hasText: 'Paid to'}).waitFor();

    const delivery = await listener.next('delivery', ({event_type: type}) => type === 'billing_statement.paid');
    expect(delivery).toMatchObject({verdict: 'genuine'});
    const event = JSON.parse(Buffer.from(delivery.body_base64, 'base64').toString('utf8'));
    expect(event.data).toMatchObject({id: statement.id, status: 'paid'});
    expect((await listener.ended).status).toBe(0);
  });
});
