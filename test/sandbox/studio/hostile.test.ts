// Untrusted text in every place of the studio stays text, and no page shows a secret.

import {describe, expect, test} from 'vitest';
import {serialize} from '../../../src/sandbox/serialize.js';
import {receiver} from '../../support/sandbox/receiver.js';
import {desk} from './desk.js';

const HOSTILE = {
  image: '<img src=x onerror=alert(1)>',
  script: '</script><script>alert(1)</script>',
  breakout: `"><b onclick="alert(1)"> ' onfocus='alert(1)`,
  comment: '--></title></textarea><!--<style>*{display:none}</style>',
  entity: '&lt;script&gt; &amp;amp; &#60;',
  bidi: 'abc\u202Egnp.exe\u2066 مرحبا\u200F',
  zalgo: `Z${'\u0301'.repeat(40)}algo`,
  long: `<i>${'Ñ'.repeat(10_000)}`,
  controls: 'a\u0007b\u001Bc\u0085d\u009Be',
};

const ELEMENTS = new Set(
  (
    'html head meta title link script body a header b span form input p button div details summary nav ul li h1 h2 main small bdi ' +
    'time ol br code wbr table thead tbody tr th td dl dt dd section pre select option'
  ).split(' '),
);

/** Expects only known elements and attributes, and links to this server. */
function expectHarmless(html: string): void {
  const tags = [...html.slice('<!doctype html>'.length).matchAll(/<([^/][^\s>]*)([^>]*)>/g)];
  const wrong = tags.filter(
    ([, name, attributes]) =>
      !ELEMENTS.has(name!) ||
      !/^(\s+[a-z][\w-]*(="[^"<>]*")?)*\s*\/?$/.test(attributes!) ||
      /\s(on\w+|style|srcdoc)\b/i.test(attributes!.replace(/="[^"]*"/g, '')),
  );
  const links = [...html.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, link]) => link!);
  const away = links.filter((link) => !/^(\/$|\/studio\/|\/[bcp]\/|#main$|data:image\/svg)/.test(link));
  const count = (part: string): number => html.split(part).length - 1;
  expect({wrong, away, scripts: count('<script'), titles: count('</title>'), others: count('<!')}).toEqual({
    ...{wrong: [], away: [], scripts: 1, titles: 1, others: 1},
  });
  // oxlint-disable-next-line no-control-regex
  const marks = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]|\p{M}{3}/u;
  expect(marks.exec(html)).toBeNull();
  // Bodies are shown unchanged.
  expect(html.replace(/<pre[\s\S]*?<\/pre>/g, '').includes('Ñ'.repeat(401))).toBe(false);
}

describe.each(Object.entries(HOSTILE))('a text of %s', (_, text) => {
  test('is escaped everywhere', async () => {
    const d = await desk();
    const hook = await receiver((_, response) => {
      // Only characters that a header allows.
      const value = Buffer.from(text.slice(0, 2000))
        .toString('latin1')
        .replace(/[^\t\x20-\x7E\x80-\xFF]/g, '');
      response.writeHead(400, {'x-text': value, 'content-type': 'text/html'}).end(`${text}<p>`);
    });
    const wh = await d.ok('POST', '/webhooks', {url: hook.url, events: ['billing_statement.sent']});
    const far = await d.ok('POST', '/webhooks', {url: 'http://127.0.0.1:1/x', events: ['refund.created']});
    const customer = await d.customer({name: text, metadata: {[text.slice(0, 20)]: text.slice(0, 400)}});
    const statement = await d.open({
      customer_id: customer.id,
      description: text,
      metadata: {order: text.slice(0, 400)},
    });
    const session = await d.session({
      description: text,
      customer_reference_id: text,
      line_items: [{name: text, amount: 50_000, quantity: 1, description: text}],
    });
    d.sandbox.perform((tx) => {
      tx.change(tx.peek(customer.id as string)!, {email: text, name: text});
      tx.change(tx.peek(wh.id as string)!, {description: text});
      tx.change(tx.peek(far.id as string)!, {url: `http://127.0.0.1:1/${text}`, events: [text]});
      tx.change(tx.peek(statement.id as string)!, {billing_statement_number: text});
      tx.change(tx.peek(session.id as string)!, {expires_at: Number.MAX_VALUE});
      tx.store.set('merchant_name', text);
      for (const item of tx.store.children(statement.id as string, 'billing_statement_line_item'))
        tx.change(item, {description: text});
      tx.emit('billing_statement.sent', tx.peek(statement.id as string)!, {
        description: text,
        due_at: -1,
        metadata: {a: text},
      });
      tx.emit('checkout_session.expired', tx.peek(session.id as string)!, {status: 'active'});
    });
    const {id: paid} = await d.intent({description: text});
    d.pay(paid as string, {fail: 'blocked'});
    d.sandbox.perform((tx) => {
      const intent = tx.peek(paid as string)!;
      tx.change(intent, {last_payment_error: {code: text, detail: text}, metadata: {a: text}});
      tx.emit('payment_intent.succeeded', intent, {last_payment_error: {detail: text}});
    });
    await d.sandbox.deliverDue();
    d.sandbox.requests.append([
      {
        ...{
          id: 'req_hostile',
          type: 'request',
          at: d.sandbox.now(),
          method: 'GET',
          path: `/customers/${text}`,
          query: text,
        },
        ...{status: 400, duration_ms: 1, user_agent: text, object_id: customer.id as string, source_id: null},
        simulated: null,
        ...{code: null, cause: null, request_cut: true, response_cut: false, request_body: text},
        response_body: JSON.stringify({errors: [{code: text, detail: text}]}),
      },
      {
        ...{id: null, type: 'payment_failed', at: d.sandbox.now(), method: null, path: null, query: null, status: null},
        ...{duration_ms: null, user_agent: null, object_id: paid as string, source_id: null, code: text, cause: text},
        simulated: null,
        ...{request_cut: false, response_cut: false, request_body: null, response_body: null},
      },
    ]);
    const typed = encodeURIComponent(text.slice(0, 500));
    const events = d.events().map(({id}) => id as string);
    const objects = [customer, statement, session, wh, far, {id: paid}].map(({id}) => id as string);
    const lists = 'events requests mail clock statements checkouts intents customers webhooks'.split(' ');
    const mail = events.filter((id) =>
      d.sandbox.read((tx) => tx.store.find('event', id)!.record.type === 'billing_statement.sent'),
    );
    const pages = [
      ...['', ...lists, ...events, ...objects, 'req_hostile', ...mail.map((id) => `mail/${id}`)],
      ...[`search?q=${typed}`, `statements?status=${typed}`, `requests?show=${typed}`],
      ...[`${mail[0]!}?to=${typed}&attempt=${typed}`, `?said=${typed}&before=${typed}`, typed, `mail/${typed}`],
    ];
    for (const page of pages)
      for (const open of page === '' ? [d.see, d.look] : [d.see]) {
        const {html, status} = await open(page);
        expect(status, page).toBe(page === typed || page === `mail/${typed}` ? 404 : 200);
        // A field keeps the typed text.
        expectHarmless(html.replace(/value="[^"<>]*"/, ''));
      }
    for (const [verb, form] of [
      ['pay', {id: text}],
      ['resend', {id: mail[0]!, webhook: text}],
      ['restore', {name: text}],
      ['fail', {id: paid as string, code: text}],
    ] as const) {
      const {headers} = await d.send(`${d.home}act/${verb}`, {...form, back: `${d.home}${typed}?a=${typed}`});
      expectHarmless((await d.see(headers.location!.slice(d.home.length))).html);
    }
  });
});

test('prints direction marks, and puts the ellipsis outside the isolated text', async () => {
  const d = await desk();
  await d.customer({name: `abc${HOSTILE.bidi.slice(3)}`});
  await d.customer({name: 'x'.repeat(100)});
  const {html} = await d.see('customers');
  expect(html).toContain('<bdi>abc&lt;U+202E&gt;gnp.exe&lt;U+2066&gt;');
  expect(html).toContain(`<bdi>${'x'.repeat(40)}</bdi>…`);
});

test('no page shows keys, client secrets, or secrets of webhooks, links and requests', async () => {
  const d = await desk();
  const hook = await receiver((_, response) =>
    response.writeHead(500, {'set-cookie': 'session=of_the_app'}).end('whsk_of_the_app sk_test_of_the_app'),
  );
  const wh = await d.ok('POST', '/webhooks', {
    url: hook.url,
    events: ['payment_intent.succeeded', 'billing_statement.sent'],
  });
  const statement = await d.open();
  const session = await d.session();
  await d.call('POST', `/billing_statements/${statement.id}/send`);
  const {payment, payment_intent: intent} = d.pay(session.id as string);
  await d.sandbox.deliverDue();
  const authorization = `Basic ${Buffer.from(`${d.sandbox.keys.secret}:`).toString('base64')}`;
  for (const path of [
    `/payment_intents/${intent.id as string}`,
    '/webhooks',
    `/webhooks/${wh.id}`,
    '/customers?x=sk_test_typed',
  ])
    await fetch(d.server.url + path, {headers: {authorization}});
  const made = await fetch(`${d.server.url}/checkout_sessions`, {
    method: 'POST',
    headers: {authorization, 'content-type': 'application/json'},
    body: JSON.stringify({
      currency: 'PHP',
      line_items: [{name: 'T', amount: 9900, quantity: 1}],
      success_url: 'http://a.example',
      cancel_url: 'http://a.example',
    }),
  });
  const event = d.sandbox.perform((tx) => {
    tx.emit('payment_intent.succeeded', tx.peek(intent.id as string)!, {client_secret: 'pi_1_secret_before'});
    return serialize(tx.store.list('event', {limit: 1}).data[0]!, tx).id as string;
  });
  const ids = [statement, session, intent, payment!, wh].map(({id}) => id as string);
  const secrets = [
    ...Object.values(d.sandbox.keys),
    wh.secret_key,
    authorization.slice(6),
    'sk_test_typed',
    'of_the_app',
    'secret_before',
  ];
  const pages = ['', 'events', 'requests', 'mail', 'checkouts', 'intents', 'webhooks', event, ...ids];
  pages.push(made.headers.get('x-request-id')!, ...d.events().map(({id}) => id as string));
  for (const page of pages)
    for (const open of [d.see, d.look]) {
      // Only payment links have theirs, and only on pages with buttons.
      const html = (await open(page)).html.replace(/<a class="(button|pay)" href="\/[bcp]\/[^"]*"/g, '');
      expect(html, page).not.toMatch(/_secret_\w/);
      for (const secret of secrets) expect(html, page).not.toContain(secret as string);
    }
});
