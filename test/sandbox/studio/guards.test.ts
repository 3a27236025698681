// The studio against other sites, other programs and odd requests; and the headers of every response.

import {expect, test} from 'vitest';
import {ask, type Seen} from '../pages/visitor.js';
import {desk, FORM} from './desk.js';

type Desk = Awaited<ReturnType<typeof desk>>;
type Headers = Record<string, string>;

/** Headers of every response. Refusals contain their stylesheet. */
function expectGuarded({headers}: Seen): void {
  const policy = String(headers['content-security-policy']);
  expect(policy).toMatch(/^default-src 'none'; style-src ('self'|'sha256-[\w+/=]+');/);
  expect(policy).toMatch(/; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/);
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(headers).toMatchObject({
    'x-frame-options': 'DENY',
    'referrer-policy': expect.stringMatching(/^(same-origin|no-referrer)$/) as string,
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  expect(headers).not.toHaveProperty('access-control-allow-origin');
  expect(headers).not.toHaveProperty('set-cookie');
}

const cross = (dest: string, mode = 'no-cors') => ({
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': mode,
  'sec-fetch-dest': dest,
});
const own = (dest: string) => ({'sec-fetch-site': 'same-origin', 'sec-fetch-dest': dest});

const READS: readonly (readonly [what: string, headers: Headers, status: number])[] = [
  ['a person who types the address', {'sec-fetch-site': 'none', 'sec-fetch-dest': 'document'}, 200],
  ['a link of another site', cross('document', 'navigate'), 200],
  ['a link of another port', {...cross('document', 'navigate'), 'sec-fetch-site': 'same-site'}, 200],
  ['a program', {}, 200],
  ['a page of its own', own('document'), 200],
  ['a script of its own', own('empty'), 200],
  ['another site’s script', cross('empty', 'cors'), 403],
  ['another site’s script tag', cross('script'), 403],
  ['another site’s stylesheet', cross('style'), 403],
  ['another site’s image', cross('image'), 403],
  ['another site’s frame', cross('iframe', 'navigate'), 403],
  ['a frame of its own', own('iframe'), 403],
  ['another port’s script', {'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'empty'}, 403],
  ['another port’s frame', {'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'iframe'}, 403],
  ['a worker of its own', own('serviceworker'), 403],
  ['a foreign name that leads here', {host: 'evil.example'}, 421],
  ['a foreign name with this port', {host: 'evil.example:{port}'}, 421],
  ['another port', {host: '127.0.0.1:1'}, 421],
];

test.each(READS)('a page requested by %s', async (_, headers, status) => {
  const d = await desk();
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace('{port}', String(d.server.port))]),
  );
  for (const page of ['', 'events', 'pulse', 'live.js', 'style.css'])
    for (const open of [d.see, d.look]) {
      const answer = await open(page, sent);
      expect(answer.status, page).toBe(status);
      expectGuarded(answer);
      if (status !== 200) expect(answer.words).not.toMatch(/Activity|Objects/);
    }
});

const POSTS: readonly (readonly [what: string, headers: (url: string) => Headers, status: number])[] = [
  ['a page of its own', (origin) => ({origin, ...own('document')}), 303],
  ['a page of its own in an old browser', (origin) => ({origin}), 303],
  [
    'the page under its other name',
    (url) => ({
      origin: url.replace('127.0.0.1', 'localhost'),
      host: new URL(url).host.replace('127.0.0.1', 'localhost'),
    }),
    303,
  ],
  ['another site', () => ({origin: 'https://evil.example', ...cross('document', 'navigate')}), 403],
  ['another site in an old browser', () => ({origin: 'https://evil.example'}), 403],
  ['another site that says it is ours', () => ({origin: 'https://evil.example', ...own('document')}), 403],
  [
    'another port',
    () => ({origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'document'}),
    403,
  ],
  ['another port in an old browser', () => ({origin: 'http://127.0.0.1:1'}), 403],
  ['this port under https', (url) => ({origin: url.replace('http', 'https')}), 403],
  ['its other name', (url) => ({origin: url.replace('127.0.0.1', 'localhost')}), 403],
  ['nowhere', () => ({origin: 'null'}), 403],
  ['nowhere, as it says of this site', () => ({origin: 'null', ...own('document')}), 403],
  ['another site with our origin', (origin) => ({origin, ...cross('document', 'navigate')}), 403],
  ['a frame with our origin', (origin) => ({origin, ...own('iframe')}), 403],
  ['a program without an origin', () => ({}), 403],
  ['a foreign name with its own origin', () => ({host: 'evil.example', origin: 'http://evil.example'}), 421],
];

test.each(POSTS)('a button pressed by %s', async (_, headers, status) => {
  const d = await desk();
  const {id} = await d.open();
  const answer = await ask(d.server.port, `${d.home}act/pay`, 'POST', {...FORM, ...headers(d.server.url)}, `id=${id}`);
  expect(answer.status).toBe(status);
  expectGuarded(answer);
  if (status !== 421 && status !== 303) expect(answer.words).toContain('Nothing was done');
  expect(d.sandbox.read((tx) => tx.peek(id as string)!.status)).toBe(status === 303 ? 'paid' : 'open');
});

test("accepts only forms by POST for a known button, with this server's secret", async () => {
  const d = await desk();
  const {id} = await d.open();
  const body = `id=${id}`;
  const {port, url: origin} = d.server;
  const secret = d.home.slice('/studio/~'.length, -1);
  const cases: [method: string, path: string, headers: Headers, status: number][] = [
    ['POST', `${d.home}act/pay`, {'content-type': 'application/json'}, 415],
    ['POST', `${d.home}act/pay`, {'content-type': 'text/plain'}, 415],
    ['POST', `${d.home}act/none`, FORM, 404],
    ['POST', `${d.home}act/constructor`, FORM, 404],
    ['POST', `${d.home}act/`, FORM, 404],
    ['POST', `${d.home}events`, FORM, 404],
    ['POST', d.home, FORM, 404],
    ['POST', '/studio/act/pay', FORM, 403],
    ['POST', '/studio', FORM, 403],
    ['POST', `/studio/~${secret.slice(0, -1)}/act/pay`, FORM, 404],
    ['POST', `/studio/~${secret.toLowerCase()}x/act/pay`, FORM, 404],
    ['POST', '/studio/~/act/pay', FORM, 404],
    ['POST', `/studio/%7E${secret}/act/pay`, FORM, 403],
    ['POST', `/studio//~${secret}/act/pay`, FORM, 403],
    ['GET', `${d.home}act/pay?${body}`, {}, 404],
    ['HEAD', `${d.home}act/pay?${body}`, {}, 404],
    ['PUT', `${d.home}act/pay`, FORM, 405],
    ['DELETE', d.home, {}, 405],
    ['OPTIONS', d.home, {}, 405],
    ['TRACE', d.home, {}, 400],
    ['GET', `/studio/~${secret}x/`, {}, 404],
    ['GET', '/studio/~/', {}, 404],
    ['GET', `${d.home}%E0%A4%A`, {}, 404],
    ['GET', `${d.home}?said=%E0%A4%A&before=x&q=%`, {}, 200],
    ['GET', `${d.home}events?before=-1`, {}, 200],
    ['GET', `${d.home}events?before=1e999&type=%00`, {}, 200],
    ['GET', `/studio/~${secret}`, {}, 200],
    ['HEAD', '/', {}, 200],
    ['GET', '/studio', {}, 200],
    ['GET', '/studio/', {}, 200],
    // Not a studio address: the API requires a key.
    ['GET', '/studios', {}, 401],
    ['POST', '/', {}, 401],
    ['GET', '//', {}, 401],
  ];
  for (const [method, path, headers, status] of cases) {
    const from = method === 'GET' || method === 'HEAD' || status === 401 ? {} : {origin};
    const answer = await ask(port, path, method, {...headers, ...from}, method === 'POST' ? body : undefined);
    expect(answer.status, `${method} ${path}`).toBe(status);
    if (status !== 401) expectGuarded(answer);
    if (method === 'HEAD') expect(answer.html).toBe('');
    if (!path.includes(`/~${secret}`)) expect(answer.html).not.toContain(secret);
  }
  expect(d.sandbox.read((tx) => tx.peek(id as string)!.status)).toBe('open');
  const large = await ask(port, `${d.home}act/pay`, 'POST', {...FORM, origin}, `id=${id}&x=${'x'.repeat(1024 * 1024)}`);
  expect(large.status).toBe(413);
  expectGuarded(large);
});

test('an allowed name opens only the address with the secret, with its buttons', async () => {
  const d = await desk({allowedHosts: ['host.docker.internal']});
  const host = `host.docker.internal:${d.server.port}`;
  const {id} = await d.open();
  const page = await d.see(id as string, {host});
  expect(page.status).toBe(200);
  // So are its script and stylesheet.
  for (const [, part] of page.html.matchAll(/(?:href|src|data-pulse)="(\/studio[^"]*\.(?:css|js)|[^"]*\/pulse)"/g)) {
    expect(part).toContain(d.home);
    expect((await ask(d.server.port, part!, 'GET', {host})).status).toBe(200);
  }
  for (const path of ['', 'events', 'style.css']) expect((await d.look(path, {host})).status).toBe(403);
  const press = (origin: string) => d.send(`${d.home}act/pay`, {id: id as string}, {host, origin});
  expect((await press('http://127.0.0.1')).status).toBe(403);
  expect((await press(`http://${host}`)).status).toBe(303);
  // A tunnel may send this machine's name, and adds the client's address.
  for (const tunnel of [{'x-forwarded-for': '203.0.113.9'}, {forwarded: 'for=203.0.113.9'}]) {
    expect((await d.look('', tunnel)).words).toContain('open the address that sandbox serve printed');
    expect((await d.see('', tunnel)).status).toBe(200);
  }
  expect((await d.look()).status).toBe(200);
});

test('a server for IPv4 and IPv6 counts as this machine', async () => {
  const d = await desk({host: '::', secretKey: 'sk_test_0123456789abcdefghij'});
  expect((await d.look()).status).toBe(200);
});

test('the studio has no injected faults, and does not advance their sequence', async () => {
  const d = await desk({faults: {rates: {'rate-limit': 1}}});
  expect((await d.see()).status).toBe(200);
});

test('studio requests are not logged, and pages without the secret do not show it', async () => {
  const told: string[] = [];
  const d: Desk = await desk({onAnswer: (entry) => told.push(JSON.stringify(entry))});
  const {id} = await d.open();
  await d.see(id as string);
  await d.press(id as string, 'Pay');
  await d.look('events');
  await d.send('/studio/act/pay', {});
  await d.see('none');
  expect(told).toEqual([]);
  const secret = d.home.slice('/studio/~'.length, -1);
  for (const page of ['', 'requests', 'events', id as string, 'none', '~x/'])
    expect((await d.look(page)).html, page).not.toContain(secret);
  const log = d.sandbox.requests.database.all('SELECT * FROM requests');
  expect(JSON.stringify(log)).not.toContain(secret);
});

test('a mistyped studio address is logged and shown without the secret', async () => {
  const told: string[] = [];
  const d: Desk = await desk({onAnswer: (entry) => told.push(JSON.stringify(entry))});
  const secret = d.home.slice('/studio/~'.length, -1);
  const {port, studioUrl} = d.server;
  const customerOf = (text: string): string =>
    JSON.stringify({name: text, email: 'juan@example.com', currency: 'PHP', metadata: {from: text}});
  const authorization = `Basic ${Buffer.from(`${d.sandbox.keys.secret}:`).toString('base64')}`;
  const paths = [
    ...[`//studio/~${secret}/`, `/STUDIO/~${secret}/`, `/~${secret}/`, `/studio~${secret}/`, `/studio%2F~${secret}/`],
    ...[
      `/index.html/studio/~${secret}/`,
      `/b/~${secret}`,
      `/%7e${secret}`,
      `/x%257E${secret}/events`,
      `/~${secret.slice(1)}`,
    ],
    ...[studioUrl, encodeURIComponent(studioUrl)].map((given) => `/customers?from=${given}&limit=1`),
    `/customers?${new URLSearchParams({from: studioUrl})}`,
  ];
  for (const path of paths) await ask(port, path, 'GET', {'user-agent': `curl ${studioUrl}`, referer: studioUrl});
  for (const text of [studioUrl, encodeURIComponent(studioUrl)])
    await ask(port, '/customers', 'POST', {authorization, 'content-type': 'application/json'}, customerOf(text));
  expect(told).toHaveLength(paths.length + 2);
  const log = d.sandbox.requests.database.all<{id: string}>('SELECT * FROM requests');
  const pages = await Promise.all(['', 'requests', ...log.map(({id}) => id)].map((page) => d.look(page)));
  expect(pages.map(({status}) => status)).toEqual(pages.map(() => 200));
  for (const text of [...told, JSON.stringify(log), ...pages.map(({html}) => html)])
    expect(text).not.toContain(secret.slice(1));
  expect(told[0]).toContain('"path":"//studio/~…"');
  expect(pages[1]!.words).toContain('GET //studio/~ …');
  expect(d.sandbox.read(({store}) => store.counts().customer)).toBe(2);
});

test('each server has its own secret', async () => {
  const [one, other] = [await desk(), await desk()];
  expect(one.home).toMatch(/^\/studio\/~[A-Za-z0-9]{20}\/$/);
  expect(one.home).not.toBe(other.home);
  expect((await ask(other.server.port, one.home)).words).toContain('server of this address has ended');
});
