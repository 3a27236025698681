// Payment pages against hostile text, other sites and odd requests; and the headers of every response.

import {createHash} from 'node:crypto';
import {describe, expect, test} from 'vitest';
import {html} from '../../../src/common/markup.js';
import {ask, GOOD_CARD, visitor} from './visitor.js';

const HOSTILE = {
  script: '<script>alert(1)</script>',
  breakout: `"><img src=x onerror=alert(1)> ' onfocus='alert(1)`,
  comment: '--><!--<style>*{display:none}</style>',
  template: '${7*7} {{7*7}} </title></style></textarea>',
  entity: '&lt;script&gt; &amp;amp; &#60;',
  bidi: 'abc\u202Egnp.exe\u2066 مرحبا بالعالم',
  emoji: '👩🏽‍🎨 ñ 漢字',
  controls: 'a\u0007b\u001Bc\u0085d\u0000e',
};

describe.each(Object.entries(HOSTILE))('a text of %s', (_, text) => {
  test('is always escaped', async () => {
    const v = await visitor();
    const name = text.replaceAll('\u0000', '');
    const customer = await v.customer({name});
    const statement = await v.statement({customer_id: customer.id, description: text});
    v.sandbox.perform((work) => {
      work.change(work.peek(statement.id)!, {billing_statement_number: text});
      work.store.set('merchant_name', text);
      for (const item of work.store.children(statement.id, 'billing_statement_line_item'))
        work.change(item, {description: text});
    });
    const session = await v.checkout({
      description: text,
      customer_reference_id: text,
      line_items: [{name: text, amount: 50_000, quantity: 1, description: text}],
      cancel_url: 'https://shop.example/?q="><script>alert(1)</script>',
    });
    const wrong = {...GOOD_CARD, cvc: '', name: text, number: text};
    for (const path of [statement.path, session.path]) {
      const pages = [
        await v.visit(path),
        await v.send(path, wrong),
        await v.visit(`${path}?card=${encodeURIComponent(text)}`),
        await v.follow(path, {method: 'gcash'}),
        await v.follow(path, {...GOOD_CARD, number: '4005550000000019', name: text}),
      ];
      await v.send(path, GOOD_CARD);
      pages.push(await v.visit(path));
      for (const {html} of pages) expectHarmless(html);
    }
  });
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');

const SCRIPT = /<script>\n(let sent = false;[\s\S]*?)<\/script>/;

/** Expects only known elements and attributes, all closed. */
function expectHarmless(html: string): void {
  // oxlint-disable-next-line no-control-regex
  expect(html).not.toMatch(/<(img|iframe|object|base|textarea)\b|[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/i);
  expect([...html.matchAll(/<style>/g)]).toHaveLength(1);
  expect([...html.matchAll(/<script/g)].length).toBe(SCRIPT.test(html) ? 1 : 0);
  expect([...html.matchAll(/<\/title>/g)]).toHaveLength(1);
  for (const [, attributes] of html
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(SCRIPT, '')
    .matchAll(/<[a-z][\w-]*((?:\s+[^<>]*)?)>/g))
    expect(attributes).toMatch(/^(\s+[a-z][\w:-]*(="[^"<>]*")?)*\s*\/?$/i);
  for (const [, href] of html.matchAll(/href="([^"]*)"/g))
    expect(href).toMatch(/^(https?:\/\/|\/[bcp]\/|#|data:image)/);
}

test('shortens a text of ten thousand characters at little cost', async () => {
  const v = await visitor();
  const long = 'Ñ'.repeat(10_000);
  const customer = await v.customer({name: long});
  const {path} = await v.statement({customer_id: customer.id, description: long});
  const {html, status} = await v.visit(path);
  expect(status).toBe(200);
  expect(html).toContain(`${'Ñ'.repeat(280)}…`);
  expect(html).not.toContain('Ñ'.repeat(1001));
  expect((await v.visit(`${path}?card=4242424242424242`)).html).not.toContain('Ñ'.repeat(1001));
});

test('a template renders nothing for false, null and undefined', () => {
  expect(html`${false}${null}${undefined}${''}${0}${[false, '<', null, 1]}`.text).toBe('0&lt;1');
});

test('isolates untrusted text, so that right-to-left marks move nothing around it', async () => {
  const v = await visitor();
  const customer = await v.customer({name: HOSTILE.bidi});
  const {html} = await v.visit((await v.statement({customer_id: customer.id})).path);
  expect(html).toContain(`<bdi>${HOSTILE.bidi}</bdi>`);
});

test('every response forbids frames, referrers, caching and all scripts but one, and has no key', async () => {
  const v = await visitor();
  await v.ok('POST', '/webhooks', {url: 'http://127.0.0.1:9/hook', events: ['billing_statement.paid']});
  const {path} = await v.statement();
  const {path: checkout} = await v.checkout();
  const approval = await v.follow(path, {method: 'qrph'});
  const {path: paid} = await v.statement();
  await v.send(paid, GOOD_CARD);
  const all = [
    await v.visit(path),
    await v.visit(checkout),
    approval,
    await v.visit(paid),
    await v.visit('/b/none'),
    await v.send(path, {method: ''}),
    await v.send(checkout, GOOD_CARD),
  ];
  for (const {headers, html} of all) {
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; form-action 'self'/);
    expect(policy).toMatch(/; base-uri 'none'; frame-ancestors 'none'$/);
    expect(policy).not.toMatch(/unsafe|\*/);
    const [, script] = SCRIPT.exec(html) ?? [];
    if (script)
      expect(policy).toContain(`; script-src 'sha256-${sha256(`\n${script}`)}'; connect-src 'self'; base-uri`);
    else expect(policy).not.toMatch(/script-src|connect-src/);
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers).not.toHaveProperty('set-cookie');
    expect(html).not.toMatch(/\b(sk|pk)_test_|whsk_/);
  }
  const {html, headers} = all[0]!;
  const hash = sha256(/<style>([\s\S]*)<\/style>/.exec(html)![1]!);
  expect(headers['content-security-policy']).toContain(`'sha256-${hash}'`);
});

test('only a checkout’s form may redirect to other hosts', async () => {
  const v = await visitor();
  const policy = async (path: string) => String((await v.visit(path)).headers['content-security-policy']);
  expect(await policy((await v.statement()).path)).toContain("form-action 'self';");
  expect(await policy((await v.checkout()).path)).toContain("form-action 'self' http: https:;");
});

describe('a form', () => {
  const form = {'content-type': 'application/x-www-form-urlencoded'};

  test.each<[string, Record<string, string>]>([
    ['another site', {origin: 'https://evil.example', 'sec-fetch-site': 'cross-site'}],
    ['another site in an old browser', {origin: 'https://evil.example'}],
    ['another port of this machine', {origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site'}],
    ['another port in an old browser', {origin: 'http://127.0.0.1:1'}],
    ['nowhere, in an old browser', {origin: 'null'}],
    ['a frame without an origin', {origin: 'null', 'sec-fetch-site': 'cross-site'}],
    ['a site that says it is ours', {origin: 'https://evil.example', 'sec-fetch-site': 'same-origin'}],
    ['the same machine under https', {origin: 'https://127.0.0.1', 'sec-fetch-site': 'same-site'}],
  ])('of %s is refused, and nothing is paid', async (_, headers) => {
    const v = await visitor();
    const {path} = await v.statement();
    const approval = await v.follow(path, {method: 'gcash'});
    for (const [target, fields] of [
      [path, GOOD_CARD],
      [approval.path, {method: 'gcash', answer: 'approve'}],
    ] as const) {
      const answer = await v.send(target, fields, {...form, ...headers});
      expect(answer.status).toBe(403);
      expect(answer.words).toContain('came from another website. Nothing was done');
    }
    expect(v.payments()).toBe(0);
  });

  test.each<[string, (port: number) => Record<string, string>]>([
    ['this page, without a referrer', () => ({origin: 'null', 'sec-fetch-site': 'same-origin'})],
    ['this page, with its origin', (port) => ({origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin'})],
    ['this page in an old browser', (port) => ({origin: `http://127.0.0.1:${port}`})],
    ['the page under its other name', (port) => ({origin: `http://localhost:${port}`, host: `localhost:${port}`})],
    ['a program', () => ({})],
  ])('of %s is accepted', async (_, headers) => {
    const v = await visitor();
    const {path} = await v.statement();
    expect((await v.send(path, GOOD_CARD, {...form, ...headers(v.server.port)})).status).toBe(303);
    expect(v.payments()).toBe(1);
  });

  test('of another content type is not read', async () => {
    const v = await visitor();
    const {path} = await v.statement();
    for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain', ''])
      expect((await v.send(path, GOOD_CARD, {'content-type': type})).status).toBe(415);
    expect(v.payments()).toBe(0);
  });

  test('of more than a mebibyte is not read', async () => {
    const v = await visitor();
    const {path} = await v.statement();
    const answer = await v.send(path, {...GOOD_CARD, name: 'x'.repeat(1024 * 1024)});
    expect(answer.status).toBe(413);
    expect(answer.words).toContain('at most 1048576 bytes');
    expect((await v.follow(path, {...GOOD_CARD, name: 'x'.repeat(500_000)})).words).toContain('Paid to');
  });
});

test('a page opens from a link on any site, but never inside another page', async () => {
  const v = await visitor();
  const {path} = await v.statement();
  const from = (site: string, dest: string) => v.visit(path, {'sec-fetch-site': site, 'sec-fetch-dest': dest});
  expect((await from('cross-site', 'document')).status).toBe(200);
  expect((await from('none', 'document')).status).toBe(200);
  for (const dest of ['iframe', 'image', 'empty', 'script', 'object'])
    expect((await from('cross-site', dest)).status).toBe(403);
});

test('refuses other methods with a page', async () => {
  const v = await visitor();
  const {path} = await v.statement();
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS'])
    expect(await ask(v.server.port, path, method)).toMatchObject({status: 405, title: /cannot be answered/});
  expect(await ask(v.server.port, path, 'HEAD')).toMatchObject({status: 200, html: ''});
});

test('refuses a foreign Host header', async () => {
  const v = await visitor();
  const {path} = await v.statement();
  expect((await v.visit(path, {host: 'evil.example'})).status).toBe(421);
});

test('the API still refuses requests from browsers', async () => {
  const v = await visitor();
  for (const headers of [{origin: v.server.url}, {origin: 'null', 'sec-fetch-site': 'same-origin'}])
    expect((await v.visit('/customers', headers)).status).toBe(403);
  const {path} = await v.statement();
  // A page's path below an API path belongs to the API.
  expect((await v.visit(`/customers${path}`)).status).toBe(401);
});

test('pages have no injected faults, and do not advance their sequence', async () => {
  const v = await visitor({faults: {rates: {'rate-limit': 1}}});
  const {path} = await v.statement();
  expect((await v.visit(path)).status).toBe(200);
  expect((await v.follow(path, GOOD_CARD)).words).toContain('Paid to');
});
