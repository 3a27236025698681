// The content of studio pages.

import {expect, test} from 'vitest';
import {receiver} from '../../support/sandbox/receiver.js';
import {DAY} from '../../support/sandbox/world.js';
import {AimedFailures} from '../../../src/sandbox/control/failures.js';
import {seed} from '../../../src/sandbox/seed/seed-account.js';
import {desk} from './desk.js';

const REFUND = {amount: 20_000, currency: 'PHP', reason: 'requested_by_customer'};

/** A sent, paid and refunded statement, and a shop that accepts only refunds. */
async function shop() {
  const d = await desk();
  const hook = await receiver(({event}, response) => {
    const isRefund = String(event.type).startsWith('refund');
    response.writeHead(isRefund ? 200 : 500, {'x-shop': 'Sari-sari'}).end(isRefund ? '{"ok":true}' : 'No order 17');
  });
  const types = ['billing_statement.paid', 'refund.created'];
  const {id: wh} = await d.ok('POST', '/webhooks', {url: hook.url, description: 'Shop', events: types});
  const buyer = await d.customer({billing_statement_prefix: 'SHOP'});
  const statement = await d.open({customer_id: buyer.id, metadata: {order: 'ORDER-17'}});
  await d.call('POST', `/billing_statements/${statement.id}/send`);
  await d.sandbox.deliverDue();
  const {payment, payment_intent: intent} = d.pay(statement.id);
  await d.sandbox.deliverDue();
  const refund = await d.ok('POST', '/refunds', {...REFUND, payment_id: payment!.id});
  await d.sandbox.deliverDue();
  const eventOf = (type: string): string => d.events().find((event) => event.type === type)!.id as string;
  return {...d, wh, buyer, statement, payment: payment!, intent, refund, eventOf};
}

test('today shows sums, recent steps, problems and due dates', async () => {
  const d = await shop();
  const late = await d.open({customer_id: d.buyer.id}, 100_000);
  await d.call('GET', `/billing_statements/${late.id}x`);
  await d.press('clock', '+31 days');
  await d.open({customer_id: d.buyer.id}, 230_000);
  const {status, title, words} = await d.see();
  expect(status).toBe(200);
  expect(title).toBe('Today · centavo sandbox');
  expect(words).toContain(
    'Open ₱3,300.00 2 statements Overdue ₱1,000.00 1 statement Paid in 7 days, less refunds ₱0.00 0 payments',
  );
  const {html, words: overdue} = await d.see('statements?status=overdue');
  expect(html).toMatch(/Open 2.*Overdue 1.*Paid 1/s);
  expect(overdue).toContain('SHOP-0002');
  expect(overdue).not.toContain('SHOP-0003');
  expect((await d.see('statements?status=open')).words).toMatch(/SHOP-0003.*SHOP-0002/s);
  expect(words).toContain('Needs attention Shop Retrying 1 event waits, next now');
  expect(words).toMatch(/Falls due next SHOP-0003 has 5 days left in 5 days SHOP-0003 becomes overdue in 10 days/);
  expect(words).toContain('Shop answered 500 No order 17 now');
  expect(words).toContain('The clock: statement overdue');
});

test('a failed payment needs attention until the object is paid', async () => {
  const d = await shop();
  const session = await d.session({customer_id: d.buyer.id, customer_reference_id: 'CART-9'});
  for (const fail of ['generic_decline', 'funds_insufficient']) d.pay(session.id, {fail});
  const needs = async () => /Needs attention (.*) Falls due next/.exec((await d.see()).words)![1];
  expect(await needs()).toMatch(/CART-9 Failed Payment failed: funds_insufficient$/);
  d.pay(session.id);
  expect(await needs()).not.toContain('Payment failed');
});

test('the money of a statement is said as commands say it, and what the sandbox cannot know', async () => {
  const d = await shop();
  expect((await d.see()).words).toContain('Paid in 7 days, less refunds ₱1,300.00 1 payment');
  expect((await d.see(d.statement.id as string)).words).toMatch(
    /Money It was paid on 15 Jan by card, and ₱200\.00 of it was refunded\./,
  );
  const old = await d.open({customer_id: d.buyer.id});
  await d.ok('POST', `/billing_statements/${old.id}/void`);
  expect((await d.see(old.id as string)).words).toContain(
    'Money It is void. Whether it was paid outside or replaced is known only to the machine where that was done.',
  );
  const next = await d.open({customer_id: d.buyer.id, metadata: {centavo_replaces: old.id}});
  const replaced = await d.see(old.id as string);
  expect(replaced.words).toMatch(/Replaced/);
  expect(replaced.words).toContain(`Money It was replaced by ${next.billing_statement_number}.`);
});

test('a statement is overdue from the next day in Manila', async () => {
  const d = await shop();
  const {due_at: due} = await d.open({customer_id: d.buyer.id});
  const evening = Math.floor((Number(due) + 8 * 3600) / 86_400) * 86_400 + 86_400 - 1 - 8 * 3600;
  for (const [at, said] of [
    [evening, 'Overdue ₱0.00 0 statements'],
    [evening + 1, 'Overdue ₱1,500.00 1 statement'],
  ] as const) {
    d.sandbox.setClock(at);
    expect((await d.see()).words).toContain(said);
  }
});

test('a listener is named by its port', async () => {
  const d = await desk();
  const description = 'centavo webhooks listen Zm9vYmFy';
  await d.ok('POST', '/webhooks', {url: 'http://127.0.0.1:9/hook', description, events: ['refund.created']});
  expect((await d.see('webhooks')).words).toContain('listener on port 9 ');
});

test('each kind of object has a list, a state and related objects', async () => {
  const d = await shop();
  const session = await d.session({customer_id: d.buyer.id, customer_reference_id: 'CART-9'});
  const list: Record<string, RegExp> = {
    statements: /SHOP-0001 .*Juan Dela Cruz.*Partly refunded.*₱1,500\.00/,
    checkouts: /CART-9.*Open.*₱900\.00/,
    intents: /Partly refunded.*₱1,500\.00/,
    payments: /Juan Dela Cruz.*Partly refunded.*₱200\.00.*₱1,500\.00/,
    refunds: /₱200\.00.*requested_by_customer.*Succeeded/,
    customers: /Juan Dela Cruz.*juan@example\.com/,
    webhooks: /Shop.*127\.0\.0\.1.*Enabled/,
    payouts: /None\./,
  };
  for (const [kind, said] of Object.entries(list)) expect((await d.see(kind)).words, kind).toMatch(said);

  for (const {id} of [d.statement, d.intent, d.payment, d.refund]) {
    const {words, html} = await d.see(id as string);
    expect(words).toMatch(/Timeline.*POST \/refunds.*refund\.created.*Shop accepted it/s);
    expect(words).toMatch(/Shop answered 500 No order 17 again in 10 s/);
    for (const other of [d.buyer, d.statement, d.intent, d.payment, d.refund])
      expect(other.id === id || html.includes(`href="${d.home}${other.id}"`), `${id} to ${other.id}`).toBe(true);
  }
  const statement = await d.see(d.statement.id as string);
  expect(statement.words).toMatch(/Details Id bstm_\w+ Money .* Customer Juan Dela Cruz.*order ORDER-17/s);
  expect(statement.words).toContain('Item 1 × Web design');

  const customer = await d.see(d.buyer.id as string);
  expect(customer.words).toMatch(/Related Customer Juan Dela Cruz.*Statement SHOP-0001 Partly refunded/s);
  expect((await d.see(session.id as string)).words).toContain('Planned: CART-9 expires');
  expect((await d.see(d.wh as string)).words).toMatch(/Events billing_statement\.paid refund\.created/);
  await d.ok('DELETE', `/customers/${(await d.customer()).id}`);
  expect((await d.see('customers')).html.match(/<tr>/g)).toHaveLength(2);
});

test('an event shows its cause, changes, attempts and responses', async () => {
  const d = await shop();
  d.advance(10);
  await d.sandbox.deliverDue();
  const paid = await d.see(d.eventOf('billing_statement.paid'));
  expect(paid.words).toMatch(/Object Statement SHOP-0001.*Cause A sandbox command/);
  expect(paid.words).toContain('status Open Paid');
  expect(paid.words).toMatch(/Shop answered 500, 2 times again in 20 s/);
  expect(paid.words).toMatch(/1 16:00:00.* 500 \d+ ms Failed 2 16:00:10.* 500 \d+ ms Retrying/);
  expect(paid.words).toMatch(/payrex-signature: t=\d+,te=[0-9a-f]{64}/i);
  expect(paid.words).toMatch(/Your app answered.*x-shop: Sari-sari.*No order 17/s);
  const first = await d.see(`${d.eventOf('billing_statement.paid')}?to=${d.wh}&attempt=1`);
  expect(first.html).toContain('<b>1</b>');

  const refund = await d.see(d.eventOf('refund.created'));
  expect(refund.words).toMatch(/Cause POST \/refunds/);
  expect(refund.words).toMatch(/"ok": true/);
  const sent = await d.see(d.eventOf('billing_statement.sent'));
  expect(sent.words).toContain('No webhook subscribed to it');
  // Only the newest responses are kept.
  d.sandbox.perform(({store}) => store.database.exec('DELETE FROM answers'));
  expect((await d.see(d.eventOf('refund.created'))).words).toMatch(/Your app answered No longer kept\./);
});

test('events with different responses, and with disabled subscribers', async () => {
  const d = await desk();
  let count = 0;
  const hook = await receiver((_, response) => response.writeHead(count++ === 0 ? 500 : 404).end());
  await d.ok('POST', '/webhooks', {url: hook.url, description: 'Shop', events: ['billing_statement.paid']});
  const statement = await d.open();
  d.pay(statement.id);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await d.sandbox.deliverDue();
    d.advance(10);
  }
  const event = (type: string): string => d.events().find((each) => each.type === type)!.id as string;
  expect((await d.see(event('billing_statement.paid'))).words).toContain(
    'Shop answered 404, in the last of 2 attempts',
  );

  const asking = {url: hook.url, events: ['billing_statement.finalized']};
  const staging = await d.ok('POST', '/webhooks', {...asking, description: 'Staging'});
  const told = async () => (await d.see(event('billing_statement.finalized'))).words;
  expect(await told()).toContain('No webhook subscribed to it then. Staging does now');
  await d.ok('POST', `/webhooks/${staging.id}/disable`);
  expect(await told()).toContain('No webhook subscribed to it then. Staging does, but is disabled');
  await d.ok('POST', '/webhooks', {...asking, description: 'Newer'});
  await d.ok('POST', `/webhooks/${staging.id}/enable`);
  const {id: newest} = await d.ok('POST', '/webhooks', {...asking, description: 'Newest'});
  await d.ok('POST', `/webhooks/${newest}/disable`);
  expect(await told()).toMatch(/No webhook subscribed to it then\. (Newer|Staging) does now/);
});

test('requests: all, changes, failed, and one with bodies and events', async () => {
  const d = await shop();
  const key = Buffer.from(`${d.sandbox.keys.secret}:`).toString('base64');
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(d.server.url + path, {
      ...init,
      headers: {authorization: `Basic ${key}`, 'user-agent': 'shop/1', ...init.headers},
    });
  await ask('/customers?limit=7');
  await ask('/b/none', {headers: {'sec-fetch-dest': 'document'}});
  const body = JSON.stringify({...REFUND, payment_id: d.payment.id, amount: 1});
  const refused = await ask('/refunds', {method: 'POST', body: '{}', headers: {'content-type': 'application/json'}});
  const made = await ask('/refunds', {method: 'POST', body, headers: {'content-type': 'application/json'}});
  // Buffered reads are written with the next change.
  const all = await d.see('requests');
  expect(all.words).toMatch(
    /POST \/refunds.*shop\/1.* 200 POST \/refunds .*shop\/1.* 400 GET \/b\/none .* 404 GET \/customers/,
  );
  const failed = await d.see('requests?show=failed');
  expect(failed.words).toMatch(/POST \/refunds/);
  expect(failed.words).not.toMatch(/shop\/1 \d+ ms 200/);
  // Opening an ended payment link is not an app error.
  for (const {words} of [failed, await d.see()]) expect(words).not.toContain('/b/none');
  expect((await d.see('requests?show=changes')).words).not.toContain('GET /customers');

  const one = await d.see(made.headers.get('x-request-id')!);
  expect(one.words).toMatch(/From shop\/1 Object re_\w+ Events refund\.created/);
  expect(one.words).toMatch(/Request \{ "amount": 1,.*Answer \{ "id": "re_/s);
  expect((await d.see(refused.headers.get('x-request-id')!)).html).toContain('<p class="message failed">');
});

test("mail shows the customer's message with the payment link", async () => {
  const d = await shop();
  expect((await d.see('mail')).words).toMatch(/SHOP-0001.*Juan Dela Cruz.*juan@example\.com.*₱1,500\.00/);
  const mail = await d.see(`mail/${d.eventOf('billing_statement.sent')}`);
  expect(mail.words).toMatch(/From Sandbox Merchant To Juan Dela Cruz < juan@example\.com >/);
  expect(mail.words).toMatch(/₱1,500\.00 due Monday, 25 January 2027 Hi Juan Dela Cruz.*Pay ₱1,500\.00.*Web design/s);
  const link = /class="pay" href="(\/b\/[^"]*)"/.exec(mail.html)![1]!;
  expect(d.statement.url).toBe(d.server.url + link);
  expect((await d.see(`mail/${d.eventOf('refund.created')}`)).status).toBe(404);
});

test('a search opens an exact id or number, finds text, and shows when it finds nothing', async () => {
  const d = await shop();
  for (const [words, id] of [
    [d.statement.id, d.statement.id],
    ['shop-0001', d.statement.id],
    [`  ${d.refund.id} `, d.refund.id],
  ])
    expect(await d.see(`search?q=${encodeURIComponent(words as string)}`)).toMatchObject({
      status: 303,
      headers: {location: d.home + (id as string)},
    });
  expect((await d.look('search?q=SHOP-0001')).headers.location).toBe(`/studio/${d.statement.id}`);
  for (const words of ['dela', 'juan@example', 'ORDER-17', d.statement.id.slice(5, 12)])
    expect((await d.see(`search?q=${words}`)).words, words).toMatch(/Found for “.*”.*(Juan Dela Cruz|SHOP-0001)/);
  for (const words of ['%', '!', "'", '"', '\\', 'amount', '_secret', 'juan_'])
    expect((await d.see(`search?q=${encodeURIComponent(words)}`)).words, words).toContain('Nothing found. Search by');
  expect((await d.see('search')).words).toContain('Nothing found. Search by');
});

test('a search finds values, not field names, and shows when there are more than fifty', async () => {
  const d = await desk();
  const {id} = await d.customer({name: 'Aling "Nena" 100%'});
  for (const words of ['"nena"', '100%'])
    expect((await d.see(`search?${new URLSearchParams({q: words})}`)).words).toContain('Aling');
  await d.session();
  for (const words of ['null', 'amount', 'quantity', '100_'])
    expect((await d.see(`search?q=${words}`)).words, words).toContain('Nothing found. Search by');
  const many = 'Showing the newest 50. There are more.';
  const shown = async () => [(await d.see('search?q=tindahan')).words, (await d.see(id as string)).words];
  const add = () => d.ok('POST', '/billing_statements', {currency: 'PHP', customer_id: id, description: 'Tindahan'});
  for (let count = 0; count < 50; count += 1) await add();
  for (const words of await shown()) expect(words).not.toContain(many);
  await add();
  for (const words of await shown()) expect(words).toContain(many);
});

test('a search reads each sign as itself: no wildcards, no escape character', async () => {
  const d = await desk();
  await d.customer({name: 'Now! 50%_off!% \\d [a]*?', metadata: {note: 'Nena!'}});
  await d.customer({name: 'Nowhere 500 off d a'});
  for (const words of ['Now!', '!', 'nena!', '! 5', '0%', '%_', '_off', '!%', '\\d', '\\', '[a]', '*', '?']) {
    const {words: shown} = await d.see(`search?${new URLSearchParams({q: words})}`);
    expect([shown.includes('Now!'), shown.includes('Nowhere')], words).toEqual([true, false]);
  }
  for (const words of ['!!', '!_', 'N%!', 'N_w', '\\%', '\\\\', '[N]', 'N*', 'N?w'])
    expect((await d.see(`search?${new URLSearchParams({q: words})}`)).words, words).toContain('Nothing found.');
});

test('a list continues with older rows, and keeps its filter', async () => {
  const d = await desk();
  d.sandbox.perform(seed);
  for (const [page, count] of [
    ['events', 50],
    ['statements', 50],
    ['statements?status=paid', undefined],
  ] as const) {
    const seen: string[] = [];
    let next: string | undefined = page;
    while (next !== undefined) {
      const {html}: {html: string} = await d.see(next);
      const found = [...html.matchAll(/<tr>\s*<td class="[^"]*"><a href="[^"]*\/(\w+)"/g)].map(([, id]) => id!);
      if (count !== undefined && seen.length === 0) expect(found).toHaveLength(count);
      seen.push(...found);
      next = /class="more" href="[^"]*\/~\w+\/([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    }
    const resource = page.startsWith('events') ? 'event' : 'billing_statement';
    const [, name, value] = /\?(\w+)=(.*)/.exec(page) ?? [];
    const all = d.sandbox.read(({store}) => store.list(resource, {limit: 10_000}).data);
    expect(seen).toEqual(all.filter((each) => name === undefined || each[name] === value).map(({id}) => id));
    expect(seen.length).toBeGreaterThan(5);
  }
});

test('a just due timer is not shown as done', async () => {
  const d = await desk();
  await d.open();
  // Another process moves the clock. Due timers have not run yet.
  d.sandbox.read(({store}) => store.set('clock_offset', String(10 * DAY)));
  for (const page of ['', 'clock', 'events']) {
    const words = (await d.look(page)).words.replace('webhook.disabled', '');
    expect(words, page).not.toMatch(/ ago|The clock:|Overdue ₱1|will_be_due [A-Z]/);
    if (page !== 'events') expect(words, page).toMatch(/becomes overdue/);
  }
  d.advance(1);
  expect((await d.look('events')).words).toContain('billing_statement.overdue');
});

test('the pulse changes with each write, also of another connection, and only then', async () => {
  const d = await desk();
  const before = (await d.see('pulse')).html;
  expect((await d.look('pulse')).html).toBe(before);
  await d.customer();
  expect((await d.see('pulse')).html).not.toBe(before);
});

test('an unknown address shows Not found', async () => {
  const d = await desk();
  for (const page of [
    'none',
    'evt_none',
    'bstm_0',
    'req_0',
    'mail/evt_0',
    '%',
    '%E0%A4%A',
    '//',
    'constructor',
    '__proto__',
  ])
    expect(await d.see(page), page).toMatchObject({status: 404, title: 'Not found · centavo sandbox'});
});

test('Today shows what is aimed, until it is taken', async () => {
  const d = await desk();
  const failures = new AimedFailures(d.sandbox);
  failures.add({operation: 'refunds.create', status: 503});
  expect((await d.look()).words).toContain('POST /refunds gets HTTP 503 once (until 17:00)');
  failures.remove();
  expect((await d.look()).words).not.toContain('HTTP 503');
});
