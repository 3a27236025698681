// Web pages in Chromium that know the secret key try each control path, in each way that a page has. Nothing changes.

import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {listen} from '../../support/services/sockets.js';
import {launch, whyNoBrowser} from '../pages/browser.js';
import {type Served, served} from './served.js';

const PATHS = [
  'health',
  'time',
  'pay',
  'trigger',
  'events',
  'requests',
  'failures',
  'snapshots',
  'restore',
  'reset',
  'namespaces',
];

/** What a page runs. `url` has the key as its user, `plain` has not. */
const WAYS: Readonly<Record<string, string>> = {
  'a request with the key': `fetch(plain, {method, headers: {authorization}, ...sent})`,
  'a simple request': `fetch(plain, {method, ...sent})`,
  'an opaque request': `fetch(plain, {method: method === 'DELETE' ? 'GET' : method, mode: 'no-cors', credentials: 'include', ...(method === 'DELETE' ? {} : sent)})`,
  'an old request': `new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.onloadend = resolve;
    request.open(method, plain, true, key, '');
    request.send(sent.body);
  })`,
  'a beacon': `navigator.sendBeacon(plain, new URLSearchParams({advance: '31d'}))`,
  'an image': `new Promise((resolve) => { const image = new Image(); image.onerror = image.onload = resolve; image.src = plain; })`,
  'a script': `new Promise((resolve) => { const script = document.createElement('script'); script.onerror = script.onload = resolve; script.src = plain; document.head.append(script); })`,
  'a stylesheet': `new Promise((resolve) => { const link = document.createElement('link'); link.rel = 'stylesheet'; link.onerror = link.onload = resolve; link.href = plain; document.head.append(link); })`,
  'a frame': `new Promise((resolve) => { const frame = document.createElement('iframe'); frame.onerror = frame.onload = resolve; frame.src = url; document.body.append(frame); })`,
  'a form in a frame': `new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.name = 'target' + Math.random();
    document.body.append(frame);
    const form = document.createElement('form');
    Object.assign(form, {action: url, method: 'post', target: frame.name});
    form.append(Object.assign(document.createElement('input'), {name: 'advance', value: '31d'}));
    document.body.append(form);
    frame.onload = resolve;
    form.submit();
  })`,
};

/** Everything that a control request could change, read with the key. */
const stateOf = async (s: Served): Promise<unknown> => {
  const read = async (path: string) => (await s.control('GET', path)).body;
  const lists = ['failures', 'snapshots', 'namespaces', 'events'].map(read);
  return [...(await Promise.all(lists)), s.sandbox.now(), (await s.ok('GET', '/customers')).data];
};

describe.skipIf(whyNoBrowser)(`the control path in Chromium${whyNoBrowser ? ` (${whyNoBrowser})` : ''}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  async function attacked() {
    const s = await served();
    await s.customer();
    await s.control('POST', 'snapshots', {name: 'mine'});
    await s.control('POST', 'failures', {operation: 'refunds.create', status: 500});
    const site = createServer((_, response) => {
      response.writeHead(200, {'content-type': 'text/html'}).end('<!doctype html><title>Evil</title><body>');
    });
    await listen(site, onTestFinished);
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const answers: string[] = [];
    page.on('response', (response) => {
      const {pathname, port} = new URL(response.url());
      if (port === String(s.server.port) && pathname.startsWith('/_centavo/'))
        answers.push(`${response.request().method()} ${pathname} ${response.status()}`);
    });
    return {s, page, answers, sitePort: (site.address() as AddressInfo).port};
  }

  /** Runs each way for each path and method, all paths of a way at once. @param host of the target */
  async function attack(page: Page, host: string, key: string): Promise<void> {
    for (const way of Object.values(WAYS)) {
      const methods = /fetch|XML/.test(way) ? ['GET', 'POST', 'DELETE'] : ['GET'];
      await page.evaluate(`(() => {
        const key = ${JSON.stringify(key)};
        const authorization = 'Basic ' + btoa(key + ':');
        const attempt = (method, path) => {
          const plain = 'http://${host}/_centavo/' + path + '?name=mine';
          const url = plain.replace('//', '//' + key + ':@');
          const sent = method === 'POST' ? {body: new URLSearchParams('advance=31d')} : {};
          const tried = Promise.resolve(${way}).catch(() => {});
          return Promise.race([tried, new Promise((resolve) => setTimeout(resolve, 1000))]).then(() => {});
        };
        const all = ${JSON.stringify(methods)}.flatMap((method) => ${JSON.stringify(PATHS)}.map((path) => [method, path]));
        return Promise.all(all.map(([method, path]) => attempt(method, path)));
      })()`);
    }
  }

  test.each([
    ['another site', 'localhost', '127.0.0.1'],
    ['another port of this machine', '127.0.0.1', '127.0.0.1'],
    ['a site in a secure name', 'shop.localhost', 'localhost'],
  ])('%s changes nothing, with the key or without', async (_, siteHost, target) => {
    const {s, page, answers, sitePort} = await attacked();
    const before = await stateOf(s);
    await page.goto(`http://${siteHost}:${sitePort}/`);
    for (const key of [s.key, 'sk_test_ns_guessed']) await attack(page, `${target}:${s.server.port}`, key);
    expect(await stateOf(s)).toEqual(before);
    expect(answers.length).toBeGreaterThan(50);
    expect([...new Set(answers.map((answer) => answer.split(' ')[2]))]).toEqual(['403']);
    expect(s.faults).toEqual([]);
  });

  test('a foreign name that leads here changes nothing, though its pages are of one origin', async () => {
    const {s, page, answers} = await attacked();
    const before = await stateOf(s);
    const host = `evil.localhost:${s.server.port}`;
    expect((await page.goto(`http://${host}/_centavo/health`))!.status()).toBe(421);
    for (const key of [s.key, 'sk_test_ns_guessed']) await attack(page, host, key);
    expect(await stateOf(s)).toEqual(before);
    expect(answers.length).toBeGreaterThan(50);
    expect([...new Set(answers.map((answer) => answer.split(' ')[2]))]).toEqual(['421']);
  });

  test('a link or a form that leads here, with the key in it, changes nothing', async () => {
    const {s, page, answers, sitePort} = await attacked();
    const before = await stateOf(s);
    for (const path of PATHS)
      for (const method of ['get', 'post']) {
        await page.goto(`http://localhost:${sitePort}/`);
        const action = `http://${s.key}:@127.0.0.1:${s.server.port}/_centavo/${path}`;
        await page.setContent(`<form method="${method}" action="${action}"><input name="advance" value="31d"></form>`);
        const navigated = page.waitForURL(/_centavo/);
        await page.evaluate('document.forms[0].submit()');
        await navigated;
      }
    expect(await stateOf(s)).toEqual(before);
    expect(answers).toHaveLength(2 * PATHS.length);
    expect([...new Set(answers.map((answer) => answer.split(' ')[2]))]).toEqual(['403']);
  });

  test('a person who types the address sees that it is up', async () => {
    const {s, page} = await attacked();
    const response = await page.goto(`${s.server.url}/_centavo/health`);
    expect([response!.status(), await response!.text()]).toEqual([200, '{"status":"ok"}']);
    expect((await page.goto(`${s.server.url}/_centavo/time`))!.status()).toBe(401);
  });
});
