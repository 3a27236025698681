// The system's headless Chromium for page tests, with a merchant's site; records all errors.

import {existsSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {chromium, type Browser, type BrowserContextOptions, type Page} from 'playwright-core';
import {onTestFinished} from 'vitest';
import type {ServeOptions} from '../../../src/sandbox/serve/sandbox-server.js';
import {FAR} from '../../support/far-limits.js';
import {listen} from '../../support/services/sockets.js';
import {visitor} from './visitor.js';

const CHROMIUM = '/usr/bin/chromium';
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The reason why no browser can be used; undefined if one can. */
export const whyNoBrowser = existsSync(CHROMIUM) ? undefined : `skipped: ${CHROMIUM} is not installed`;

export const launch = (): Promise<Browser> =>
  chromium.launch({executablePath: CHROMIUM, headless: true, chromiumSandbox: false, args: ARGS, timeout: 2 * FAR});

export const SIZES = [
  {width: 1280, height: 900},
  {width: 360, height: 740},
];

export async function opened(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({viewport: SIZES[0]!, ...options});
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(2 * FAR);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Chromium logs 422 and 410 responses as missing parts of the page.
    const ofStatus = /^Failed to load resource: the server responded with a status of 4(04|10|22)/;
    if (!ofStatus.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('requestfailed', (request) => {
    // Chromium reports responses without a body and unfollowed redirects as aborted.
    if (request.method() !== 'HEAD') complaints.push(`${request.url()}: ${request.failure()?.errorText}`);
  });
  return {page, complaints};
}

/** A served world, a page in its own browser, and a merchant's site. */
export async function browsing(browser: Browser, options: BrowserContextOptions = {}, served?: Partial<ServeOptions>) {
  const v = await visitor(served);
  const shop = await merchantSite();
  const {page, complaints} = await opened(browser, options);
  const shopUrls = {success_url: `${shop}/thanks`, cancel_url: `${shop}/cart`};
  return {
    ...v,
    page,
    shop,
    complaints,
    async openStatement(fields?: object, centavos?: number) {
      const statement = await v.statement(fields, centavos);
      await page.goto(v.server.url + statement.path);
      return statement;
    },
    async openCheckout(fields: object = {}) {
      const session = await v.checkout({...shopUrls, ...fields});
      await page.goto(v.server.url + session.path);
      return session;
    },
  };
}

/** Answers with the requested path; `/moved` redirects to the same site under its other name. */
async function merchantSite(): Promise<string> {
  const server = createServer((request, response) => {
    const {port} = server.address() as AddressInfo;
    if (request.url === '/moved') response.writeHead(302, {location: `http://localhost:${port}/thanks`}).end();
    else
      response
        .writeHead(200, {'content-type': 'text/html'})
        .end(`<!doctype html><title>Shop</title><link rel="icon" href="data:,"><h1>Shop ${request.url}</h1>`);
  });
  return (await listen(server, onTestFinished)).url;
}

export const payButton = (page: Page) => page.getByRole('button', {name: /^(Pay|Donate|Book|Send) ₱/});

export async function fillCard(page: Page, number = '4242 4242 4242 4242'): Promise<void> {
  await page.getByRole('radio', {name: 'Card'}).check();
  await page.getByRole('textbox', {name: 'Card number'}).fill(number);
  await page.getByRole('textbox', {name: 'Expiry date'}).fill('12/40');
  await page.getByRole('textbox', {name: 'Security code'}).fill('123');
  await page.getByRole('textbox', {name: 'Name on card'}).fill('Juan Dela Cruz');
}

/** Pixels of the page beyond the right edge. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Texts with a contrast below 4.5, or 3 for large ones. */
export const faintTexts = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const channel = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = parse(getComputedStyle(at).backgroundColor);
        if (colour.length === 3 || colour[3] === 1) return colour;
      }
      return [255, 255, 255];
    };
    return [...document.querySelectorAll('body *')].filter((element) => {
      const shows = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
      return (shows || element.tagName === 'INPUT') && element.getClientRects().length;
    }).flatMap((element) => {
      const colours = [getComputedStyle(element).color];
      if (element.tagName === 'INPUT') colours.push(getComputedStyle(element, '::placeholder').color);
      const large = parseFloat(getComputedStyle(element).fontSize) >= 24;
      return colours.flatMap((colour) => {
        const [one, two] = [luminance(parse(colour)), luminance(behind(element))].sort((a, b) => b - a);
        const ratio = (one + 0.05) / (two + 0.05);
        return ratio < (large ? 3 : 4.5) ? [element.outerHTML.slice(0, 80) + ' ' + ratio.toFixed(2)] : [];
      });
    });
  })()`);
