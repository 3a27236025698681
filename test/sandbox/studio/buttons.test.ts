// Studio buttons: each acts and shows a sentence once, only at the address with the secret.

import {existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import type {ServerResponse} from 'node:http';
import {expect, test} from 'vitest';
import {openSandbox} from '../../../src/sandbox/sandbox.js';
import {openDatabase} from '../../../src/storage/sqlite.js';
import {receiver, webhook} from '../../support/sandbox/receiver.js';
import {DAY, START} from '../../support/sandbox/world.js';
import {ask} from '../pages/visitor.js';
import {desk, FORM, messageOf, newFile} from './desk.js';

type Desk = Awaited<ReturnType<typeof desk>>;

const statusOf = (d: Desk, id: string): unknown => d.sandbox.read((tx) => tx.peek(id)!.status);
const countOf = (d: Desk, resource: string): number => d.sandbox.read(({store}) => store.counts()[resource] ?? 0);
const post = (d: Desk, verb: string, form: Record<string, string>) => d.send(`${d.home}act/${verb}`, form);

test('Pay and Fail payment, of a statement, a session and an intent', async () => {
  const d = await desk();
  const {id} = await d.open();
  const failed = await d.press(id as string, 'Fail payment', {code: 'funds_insufficient'});
  expect(messageOf(failed)).toBe('The payment of ₱1,500.00 failed: funds_insufficient.');
  expect(failed.words).toContain('Payment failed: funds_insufficient');
  expect(statusOf(d, id as string)).toBe('open');
  expect(failed.html).toContain('<option selected>generic_decline</option>');
  expect(failed.html.match(/(?<=<button class="main">)[^<]*/g)).toEqual(['Pay']);
  const paid = await d.press(id as string, 'Pay');
  expect(messageOf(paid)).toBe('₱1,500.00 was paid.');
  expect(paid.words).toMatch(/A studio button .*billing_statement\.paid/);
  expect(paid.html).not.toContain('>Pay</button>');
  expect(messageOf(await d.press((await d.session()).id as string, 'Pay'))).toBe('₱900.00 was paid.');
  const hold = {payment_method_options: {card: {capture_type: 'manual'}}, payment_methods: ['card']};
  const held = await d.press((await d.intent(hold)).id as string, 'Pay');
  expect(messageOf(held)).toBe('₱1,250.50 is held on the card, until it is captured.');
  expect(d.events().filter(({type}) => type === 'billing_statement.paid')).toHaveLength(1);
});

test('Save and Fail of a setup intent', async () => {
  const d = await desk();
  const {id: customer_id} = await d.customer();
  const {id} = (await d.call('POST', '/setup_intents', {customer_id})).body;
  expect(messageOf(await d.press(id as string, 'Fail'))).toBe('The payment method was not saved: generic_decline.');
  const saved = await d.press(id as string, 'Save', {method: 'maya'});
  expect(messageOf(saved)).toBe('The payment method was saved.');
  expect(saved.words).toContain('setup_intent.succeeded');
  expect(saved.html).not.toMatch(/>(?:Save|Fail|Setup page)</);
  const method = d.sandbox.read((tx) => tx.peek(tx.peek(id as string)!.payment_method_id as string)!);
  expect(method).toMatchObject({type: 'maya', customer_id});
});

test('Pay with a chosen method; Capture and Refund of an amount; Enable: as the API does it', async () => {
  const d = await desk();
  const {id} = await d.open({payment_settings: {payment_methods: ['card', 'gcash', 'maya']}});
  const offered = await d.see(id as string);
  expect(offered.html).toMatch(/<option selected>card<\/option>\s*<option\s*>gcash<\/option>\s*<option\s*>maya</);
  await d.press(id as string, 'Pay', {method: 'gcash'});
  const paymentId = d.sandbox.read(({store}) => store.list('payment', {limit: 1}).data)[0]!.id;
  const typeOf = () => d.sandbox.read((tx) => (tx.peek(paymentId)!.payment_method as {type: string}).type);
  expect(typeOf()).toBe('gcash');

  const part = await d.press(paymentId, 'Refund', {amount: '1,000.50', reason: 'fraudulent'});
  expect(messageOf(part)).toBe('₱1,000.50 was refunded.');
  expect(part.html).toContain('value="499.50"');
  for (const amount of ['600', '0', '-1', '1e3', '1.005', ''])
    expect((await d.press(paymentId, 'Refund', {amount, reason: 'others'})).html, amount).toContain('message failed');
  const rest = await d.press(paymentId, 'Refund', {amount: '499.50', reason: 'others'});
  expect(rest.html).not.toContain('>Refund</button>');
  const refunds = d.sandbox.read(({store}) => store.list('refund', {limit: 9}).data);
  expect(refunds.map(({amount, reason}) => [amount, reason])).toEqual([
    [49_950, 'others'],
    [100_050, 'fraudulent'],
  ]);

  const hold = {payment_method_options: {card: {capture_type: 'manual'}}, payment_methods: ['card']};
  const intent = (await d.intent(hold)).id as string;
  await d.press(intent, 'Pay');
  const tooMuch = await d.press(intent, 'Capture', {amount: '1250.51'});
  expect(tooMuch.html).toContain('message failed');
  expect(messageOf(await d.press(intent, 'Capture', {amount: '1250.50'}))).toBe('₱1,250.50 was captured.');
  expect(statusOf(d, intent)).toBe('succeeded');

  const {id: hook} = await webhook(d, 'http://127.0.0.1:9/hook', 'refund.created');
  await d.call('POST', `/webhooks/${hook as string}/disable`);
  expect(messageOf(await d.press(hook as string, 'Enable'))).toMatch(/^The webhook is enabled\./);
  expect((await d.see(hook as string)).html).not.toContain('>Enable</button>');
  for (const page of [id as string, paymentId, intent, hook as string])
    expect((await d.look(page)).html).not.toContain('<form method="post"');
});

test('a refused action shows the reason, and changes nothing', async () => {
  const d = await desk();
  const {id} = await d.open();
  d.pay(id as string);
  const before = d.events().length;
  for (const [verb, form, said] of [
    ['pay', {id: id as string}, /^bstm_\w+ cannot be paid\. Its status is paid\.$/],
    ['pay', {id: 'bstm_0'}, /^bstm_0 was not found in the sandbox\.$/],
    ['pay', {}, /cannot be paid/],
    ['fail', {id: id as string, code: '__proto__'}, /^__proto__ is not a failure code\./],
    ['pay', {id: id as string, method: 'cash'}, /cannot be paid|is not a payment method/],
    ['capture', {id: 'pi_0', amount: '20'}, /pi_0/],
    ['capture', {id: 'pi_0', amount: '1'}, /less than 2000\. The API counts centavos\.$/],
    ['refund', {id: 'pay_0', amount: '1', reason: 'others'}, /pay_0/],
    [
      'refund',
      {id: 'pay_0', amount: 'all', reason: 'others'},
      /^&quot;all&quot; is not an amount in pesos\. Nothing was done\.$/,
    ],
    ['enable', {id: 'wh_0'}, /wh_0/],
    ['resend', {id: 'evt_0'}, /^Event evt_0 was not found/],
    ['resend', {id: d.events()[0]!.id as string}, /has no webhook to send to/],
    ...['Infinity', '1e10', '-1', '1.5', '', '253402300800', '999999999999', '9'.repeat(400)].map(
      (to) => ['advance', {to}, /^The clock cannot move to this time\. Nothing was done\.$/] as const,
    ),
    ['advance', {}, /^The clock cannot move/],
    ['snapshot', {}, /^This sandbox has no snapshots\. It is kept in memory, without a file\.$/],
    ['restore', {name: '../sandbox'}, /It is kept in memory/],
  ] as const) {
    const {status, headers} = await post(d, verb, form);
    expect(status).toBe(303);
    const page = await d.see(headers.location!.slice(d.home.length));
    expect(messageOf(page), verb).toMatch(said);
    expect(page.html).toContain('message failed');
  }
  expect(d.events()).toHaveLength(before);
  expect(d.sandbox.now()).toBe(START);
});

test('Resend shows each result in a sentence', async () => {
  const d = await desk();
  const hook = await receiver();
  await webhook(d, hook.url, 'billing_statement.paid');
  const {id} = await d.open();
  d.pay(id as string);
  await d.sandbox.deliverDue();
  const event = d.events().find(({type}) => type === 'billing_statement.paid')!.id as string;
  const host = new URL(hook.url).host;
  expect(messageOf(await d.press(event, 'Resend'))).toMatch(new RegExp(`^${host} accepted it: 200, \\d+ ms\\.$`));
  hook.answer = 500;
  const refused = await d.press(event, 'Resend');
  expect(messageOf(refused)).toMatch(/ did not accept it: 500, \d+ ms\.$/);
  expect(refused.html).toContain('message failed');
  hook.answer = 'reset';
  expect(messageOf(await d.press(event, 'Resend'))).toMatch(/ did not answer: .*, \d+ ms\.$/);
  expect(hook.types()).toHaveLength(4);
  for (const [url, said] of [
    ['https://shop.example/hook', 'shop.example is reserved for examples, so nothing is sent.'],
    ['http://192.0.2.1/hook', /^192\.0\.2\.1 is not a loopback address\. .* nothing was sent\.$/],
  ] as const) {
    const {id: far} = await webhook(d, url, 'billing_statement.paid');
    const {headers} = await post(d, 'resend', {id: event, webhook: far as string});
    const shown = messageOf(await d.see(headers.location!.slice(d.home.length)));
    if (typeof said === 'string') expect(shown).toBe(said);
    else expect(shown).toMatch(said);
  }
});

test('Resend shows that a listener already forwarded the event, and how to forward it again', async () => {
  const d = await desk();
  const hook = await receiver((_, response) => void response.writeHead(200).end('The app already has this event.\n'));
  await webhook(d, hook.url, 'billing_statement.paid');
  const {id} = await d.open();
  d.pay(id as string);
  await d.sandbox.deliverDue();
  const event = d.events().find(({type}) => type === 'billing_statement.paid')!.id as string;
  const page = await d.press(event, 'Resend');
  expect(messageOf(page)).toBe(
    `The listener at ${new URL(hook.url).host} answered: The app already has this event. To send it to your app again: centavo webhooks replay ${event}`,
  );
  expect(page.words).toContain('The listener on this machine answered');
  expect(page.words).not.toContain('Your app answered');
});

test('the clock moves to a time, by a step and to the next item, and never back', async () => {
  const d = await desk();
  await d.open();
  const next = await d.press('clock', 'To the next item');
  expect(messageOf(next)).toBe('It is now Wed 20 Jan, 16:00. Everything due by then has happened.');
  expect(d.types()).toContain('billing_statement.will_be_due');
  await d.press('clock', '+7 days');
  expect(d.sandbox.now()).toBe(START + 12 * DAY);
  expect(d.types()).toContain('billing_statement.overdue');
  // The page is old: the clock has moved on.
  await post(d, 'advance', {to: String(START)});
  expect(d.sandbox.now()).toBe(START + 12 * DAY);
});

test('a message is shown once, and only on its page', async () => {
  const d = await desk();
  const {id} = await d.open();
  const answer = await post(d, 'pay', {id: id as string, back: `${d.home}events?type=billing_statement.paid`});
  const at = answer.headers.location!;
  expect(at).toMatch(/^\/studio\/~\w+\/events\?type=billing_statement\.paid&said=\w{8}$/);
  expect(answer.headers).not.toHaveProperty('set-cookie');
  const page = at.slice(d.home.length);
  expect(messageOf(await d.see())).toBeUndefined();
  expect(messageOf(await d.see('events'))).toBeUndefined();
  // Another address or a HEAD request does not consume it.
  expect(messageOf(await d.see(page.replace('events', 'clock')))).toBeUndefined();
  await ask(d.server.port, at, 'HEAD');
  const shown = await d.see(page);
  expect(messageOf(shown)).toBe('₱1,500.00 was paid.');
  // Links and buttons of the page do not repeat it.
  expect(shown.html).not.toContain('said=');
  expect(messageOf(await d.see(page))).toBeUndefined();
});

test.each([
  ['nothing', ''],
  ['another server', 'https://evil.example/'],
  ['another server, without its protocol', '//evil.example/'],
  ['another server, behind a path of ours', '{home}../..//evil.example/'],
  ['another server, with backslashes', '{home}..\\..\\\\evil.example'],
  ['a script', 'javascript:alert(1)'],
  ['the pages without the secret', '/studio/events'],
  ['the API', '{home}../../customers'],
  ['another line', '{home}x\r\nset-cookie: a=b'],
])('back to %s stays below this address', async (_, back) => {
  const d = await desk();
  const {status, headers} = await post(d, 'advance', {to: '0', back: back.replace('{home}', d.home)});
  expect(status).toBe(303);
  expect(headers.location).toMatch(new RegExp(`^${d.home}(xset-cookie:%20a=b)?\\?said=\\w+$`));
  expect(headers).not.toHaveProperty('set-cookie');
});

test('without the secret, the same pages have no buttons, and posts are refused', async () => {
  const d = await desk({path: newFile()});
  const hook = await receiver(500);
  await webhook(d, hook.url, 'billing_statement.sent');
  const statement = await d.open();
  await d.call('POST', `/billing_statements/${statement.id}/send`);
  const session = await d.session();
  await d.sandbox.deliverDue();
  await d.press('clock', 'Save a snapshot');
  const event = d.events().find(({type}) => type === 'billing_statement.sent')!.id as string;
  for (const page of ['', 'clock', event, statement.id, session.id, `mail/${event}`, 'events'] as string[]) {
    const [own, others] = [await d.see(page), await d.look(page)];
    expect(others.status).toBe(200);
    expect(others.title).toBe(own.title);
    expect(others.html, page).not.toMatch(/method="post"|~/);
    // A payment link has a secret too.
    expect(others.html, page).not.toMatch(/_secret_\w/);
    if (page !== '' && page !== 'events') expect(own.html, page).toMatch(/method="post"|class="pay" href=/);
  }
  for (const verb of ['pay', 'fail', 'resend', 'advance', 'snapshot', 'restore', 'none']) {
    const answer = await d.send(`/studio/act/${verb}`, {id: statement.id as string, to: String(START + DAY)});
    expect(answer).toMatchObject({status: 403, words: expect.stringContaining('Nothing was done') as string});
  }
  expect([statusOf(d, statement.id as string), d.sandbox.now()]).toEqual(['open', START]);
});

test('a snapshot is private, named by its second, and restores everything', async () => {
  const path = newFile();
  const d = await desk({path});
  const {id} = await d.open();
  const names: string[] = [];
  for (let count = 0; count < 3; count += 1)
    names.push(/^Saved as (.*)\.$/.exec(messageOf(await d.press('clock', 'Save a snapshot'))!)![1]!);
  expect(names).toEqual(['2027-01-15-160000', '2027-01-15-160000-2', '2027-01-15-160000-3']);
  for (const name of names) expect(statSync(`${path}.snapshot-${name}`).mode & 0o777).toBe(0o600);

  const key = `Basic ${Buffer.from(`${d.sandbox.keys.secret}:`).toString('base64')}`;
  const settings = (): Record<string, unknown> =>
    d.sandbox.read(({store}) => ({
      ...Object.fromEntries(
        ['version', 'secret_key', 'public_key', 'base_url', 'studio_url'].map((name) => [name, store.setting(name)]),
      ),
    }));
  d.sandbox.perform(({store}) => store.set('base_url', 'http://127.0.0.1:1'));
  const before = settings();
  const events = d.types();
  d.pay(id as string);
  d.advance(20 * DAY);
  // Not yet written to the log.
  expect((await fetch(`${d.server.url}/customers`, {headers: {authorization: key}})).status).toBe(200);
  const back = await d.press('clock', 'Restore', {name: names[0]!});
  expect(messageOf(back)).toBe(`Restored ${names[0]!}. The previous state is saved as 2027-01-15-160000-4.`);
  expect(settings()).toEqual(before);
  expect(d.types()).toEqual(events);
  expect(d.sandbox.now()).toBe(START);
  expect((await d.see('requests')).words).not.toContain('GET /customers');
  // New ids, positions and requests follow, with the same key.
  expect(messageOf(await d.press(id as string, 'Pay'))).toBe('₱1,500.00 was paid.');
  expect((await fetch(`${d.server.url}/customers`, {headers: {authorization: key}})).status).toBe(200);
  expect(countOf(d, 'payment')).toBe(1);
  // The previous state is not lost.
  await d.press('clock', 'Restore', {name: '2027-01-15-160000-4'});
  expect(d.sandbox.now()).toBe(START + 20 * DAY);
});

test.each<[string, (file: string) => void, RegExp]>([
  [
    'is of another version',
    (file) => changed(file, "UPDATE settings SET value = '99' WHERE name = 'version'"),
    /another version of centavo\. Nothing was done/,
  ],
  [
    'belongs to another sandbox',
    (file) => changed(file, "UPDATE settings SET value = 'sk_test_other' WHERE name = 'secret_key'"),
    /belongs to another sandbox\. Nothing was done/,
  ],
  [
    'has a clock that is no number',
    (file) => changed(file, "INSERT INTO settings VALUES ('clock_offset', '-1e9')"),
    /Its clock is not a number\. Nothing was done/,
  ],
  ['has a write-ahead log', (file) => walOf(file), /after it was saved\. Nothing was done/],
  ['has a journal', (file) => writeFileSync(`${file}-journal`, 'x'), /after it was saved\. Nothing was done/],
  ['lacks a table', (file) => changed(file, 'DROP TABLE timers'), /another version of centavo\. Nothing was done/],
  [
    'has another column',
    (file) => changed(file, 'ALTER TABLE objects ADD COLUMN more TEXT'),
    /another version of centavo\. Nothing was done/,
  ],
  [
    'has a view in place of a table',
    (file) => changed(file, 'DROP TABLE settings; CREATE VIEW settings AS SELECT 1'),
    /another version of centavo\. Nothing was done/,
  ],
  ['is no database', (file) => writeFileSync(file, 'x'.repeat(5000)), /after it was saved\. Nothing was done/],
  ['is empty', (file) => writeFileSync(file, ''), /after it was saved\. Nothing was done/],
  [
    'is damaged',
    (file) => writeFileSync(file, readFileSync(file).fill(0xff, 4096)),
    /damaged\. Nothing was done|Nothing was done/,
  ],
])('a snapshot that %s is refused, and nothing changes', async (_, spoil, said) => {
  const path = newFile();
  const d = await desk({path});
  await d.open();
  const saved = messageOf(await d.press('clock', 'Save a snapshot'))!.slice('Saved as '.length, -1);
  spoil(`${path}.snapshot-${saved}`);
  await d.open();
  const before = readFileSync(path);
  const files = readdirSync(dirname(path));
  const kept = readFileSync(`${path}.snapshot-${saved}`);
  const page = await d.press('clock', 'Restore', {name: saved});
  expect(readdirSync(dirname(path))).toEqual(files);
  expect(readFileSync(`${path}.snapshot-${saved}`).equals(kept)).toBe(true);
  expect(messageOf(page)).toMatch(said);
  expect(messageOf(page)).toContain(`The snapshot ${saved} cannot be used`);
  expect(readFileSync(path).equals(before)).toBe(true);
  // The file is closed, so that the next one can be used.
  expect(messageOf(await d.press('clock', 'Save a snapshot'))).toMatch(/^Saved as/);
});

/** Marks a write-ahead log in the file's header. */
function walOf(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(2, 18, 20);
  writeFileSync(file, bytes);
}

function changed(file: string, sql: string): void {
  const database = openDatabase(file);
  database.exec(sql);
  database.close();
}

test('lists only snapshots of this sandbox, and refuses unknown names', async () => {
  const path = newFile();
  const d = await desk({path});
  for (const name of ['snapshot-x', 'snapshot-2027-01-15-160000-journal', 'snapshot-', 'old-1'])
    writeFileSync(`${path}.${name}`, '');
  symlinkSync(`${path}.made`, `${path}.snapshot-2027-01-15-160000`);
  expect((await d.see('clock')).html).not.toContain('Restore');
  for (const name of ['', 'x', '../sandbox.db', '2027-01-15-160000']) {
    const answer = await post(d, 'restore', {name, back: `${d.home}clock`});
    expect(messageOf(await d.see(answer.headers.location!.slice(d.home.length)))).toBe('This snapshot was not found.');
  }
  // Another file has this name; it stays.
  expect(messageOf(await d.press('clock', 'Save a snapshot'))).toBe(
    'The snapshot cannot be saved. It already exists. Nothing was done.',
  );
  expect(readdirSync(dirname(path)).filter((name) => name.endsWith('-160000'))).toHaveLength(1);
  expect(existsSync(`${path}.made`)).toBe(false);
});

test('on a full disk, a button shows the reason, and that nothing was done', async () => {
  const d = await desk({path: newFile()});
  const {id} = await d.open();
  const {database} = d.sandbox.requests;
  const {page_count: pages} = database.get<{page_count: number}>('PRAGMA page_count')!;
  database.exec(`PRAGMA max_page_count = ${pages}`);
  const said = messageOf(await d.press(id as string, 'Pay'));
  expect(said).toMatch(/^The database \S+ cannot be used\. The disk is full\. Nothing was done\.$/);
  expect(statusOf(d, id as string)).toBe('open');
});

test('an already open sandbox continues with the restored data', async () => {
  const path = newFile();
  const d = await desk({path});
  const other = openSandbox({path, now: () => START});
  await d.customer();
  await d.press('clock', 'Save a snapshot');
  await d.customer();
  await d.press('clock', 'Restore');
  expect(other.read(({store}) => store.counts().customer)).toBe(1);
  expect(other.keys).toEqual(d.sandbox.keys);
  other.close();
});

test('restoring removes an event that is being sent, and the next one is sent', async () => {
  const d = await desk({path: newFile()});
  const held: ServerResponse[] = [];
  const hook = await receiver((_, response) => void held.push(response));
  await webhook(d, hook.url, 'billing_statement.paid');
  const {id} = await d.open();
  await d.press('clock', 'Save a snapshot');
  const delivery = d.sandbox.startDelivery();
  d.pay(id as string);
  await hook.until(1);
  await d.press('clock', 'Restore');
  held[0]!.end();
  d.pay(id as string);
  await hook.until(2);
  held[1]!.end();
  await delivery.stop();
  const [gone, paid] = hook.arrivals.map(({event}) => event.id as string);
  expect((await d.see(gone!)).status).toBe(404);
  expect((await d.see(paid!)).words).toMatch(/accepted it/);
  expect(countOf(d, 'payment')).toBe(1);
});

test('a delivery that was running in a snapshot is not shown as running after a restore', async () => {
  const d = await desk({path: newFile()});
  const held: ServerResponse[] = [];
  const hook = await receiver((_, response) => void held.push(response));
  await webhook(d, hook.url, 'billing_statement.paid');
  d.pay((await d.open()).id as string);
  const delivery = d.sandbox.startDelivery();
  await hook.until(1);
  const {id} = hook.arrivals[0]!.event;
  expect((await d.see(id as string)).words).toContain('is receiving it now');
  await d.press('clock', 'Save a snapshot');
  const stopped = delivery.stop();
  held[0]!.end();
  await stopped;
  await d.press('clock', 'Restore');
  expect((await d.see(id as string)).words).not.toContain('is receiving it now');
});

test('a form of another content type is not read', async () => {
  const d = await desk();
  const {id} = await d.open();
  for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain', ''])
    expect((await d.send(`${d.home}act/pay`, {id: id as string}, {...FORM, 'content-type': type})).status).toBe(415);
  expect(statusOf(d, id as string)).toBe('open');
});
