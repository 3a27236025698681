// “My order is not marked paid”: the overview or a linked page names each of eight causes.

import {createHmac} from 'node:crypto';
import type {ServerResponse} from 'node:http';
import {expect, test} from 'vitest';
import {type Arrival, receiver, webhook} from '../../support/sandbox/receiver.js';
import {desk} from './desk.js';

const PAID = 'billing_statement.paid';

/** Refuses like an app that checks this part of the signature with its own secret. */
const verifying =
  (part: 'li' | 'te') =>
  ({headers, body}: Arrival): [number, string] => {
    const signature = String(headers['payrex-signature']);
    const given = new RegExp(`${part}=([0-9a-f]*)`).exec(signature)?.[1];
    const own = createHmac('sha256', 'whsk_of_yesterday').update(
      `${/t=(\d+)/.exec(signature)?.[1]}.${body.toString()}`,
    );
    if (given === own.digest('hex')) return [200, ''];
    return [400, given ? 'The signature is wrong' : 'No live signature'];
  };

const CASES: readonly (readonly [
  cause: string,
  answer: (arrival: Arrival) => [number, string],
  onToday: RegExp,
  behind: RegExp,
])[] = [
  ['the app has another secret', verifying('te'), /answered 400 The signature is wrong/, /check the listener’s secret/],
  ['the app expects the other mode', verifying('li'), /answered 400 No live signature/, /check the listener’s secret/],
  [
    'no handler is at this path',
    () => [404, 'Cannot POST /hook'],
    /answered 404 Cannot POST \/hook/,
    /has no route for this path/,
  ],
  [
    'the handler fails',
    () => [500, 'TypeError: no order'],
    /answered 500 TypeError: no order/,
    /Your app failed: see its log/,
  ],
  [
    'the app behind a listener of this machine does not run',
    () => [502, 'Stored. The app cannot be reached.'],
    /stored it for your app Stored\. The app cannot be reached\./,
    /Nothing listens at this port: start your app.*The listener on this machine answered/s,
  ],
  [
    'the app does nothing with it',
    () => [200, '{"ignored":true}'],
    /billing_statement\.paid \S+ open → Paid \S+ accepted it/,
    /Your app answered.*"ignored": true/s,
  ],
];

test.each(CASES)('%s', async (_, answer, onToday, behind) => {
  const d = await desk();
  const hook = await receiver((arrival, response) => {
    const [status, body] = answer(arrival);
    response.writeHead(status).end(body);
  });
  await webhook(d, hook.url, PAID);
  const {id} = await d.open();
  d.pay(id as string);
  await d.sandbox.deliverDue();
  const today = await d.see();
  expect(today.words).toMatch(onToday);
  const [, line] = /class="hook[^"]*">\s*<span><\/span>[\s\S]*?<a href="[^"]*~\w+\/([^"]*)"/.exec(today.html)!;
  expect((await d.see(line)).words).toMatch(behind);
});

test('an earlier event blocks it', async () => {
  const d = await desk();
  const held: ServerResponse[] = [];
  const hook = await receiver((__, response) => void held.push(response));
  await webhook(d, hook.url, 'billing_statement.finalized', PAID);
  const {id} = await d.open();
  const delivery = d.sandbox.startDelivery();
  await hook.until(1);
  d.pay(id as string);
  const {words} = await d.see();
  expect(words).toMatch(/draft → Open \S+ is receiving it now/);
  expect(words).toMatch(/open → Paid \S+ has not received it yet: it waits for billing_statement\.finalized/);
  for (const response of held) response.end();
  await delivery.stop();
});

test('no webhook asks for it', async () => {
  const d = await desk();
  await webhook(d, 'http://127.0.0.1:9/hook', 'refund.created');
  const {id} = await d.open();
  d.pay(id as string);
  expect((await d.see()).words).toMatch(/billing_statement\.paid \S+ open → Paid No webhook subscribed to it/);
  await webhook(d, 'http://127.0.0.1:9/late', PAID);
  expect((await d.see()).words).toMatch(/No webhook subscribed to it then\. 127\.0\.0\.1:9 does now/);
});

test('the payment failed', async () => {
  const d = await desk();
  const {id} = await d.open();
  d.pay(id as string, {fail: 'funds_insufficient'});
  expect((await d.see()).words).toContain('Payment failed: funds_insufficient');
});

test('the app does not run', async () => {
  const d = await desk();
  const {id: wh} = await webhook(d, 'http://127.0.0.1:9/hook', PAID);
  const {id} = await d.open();
  d.pay(id as string);
  await d.sandbox.deliverDue();
  const event = d.events().find(({type}) => type === PAID)!.id as string;
  expect((await d.see()).words).toMatch(/127\.0\.0\.1:9 did not answer/);
  const shown = async () => (await d.see(`${event}?to=${wh}`)).words;
  expect(await shown()).toContain('Nothing listens at this port: start your app, or correct the port.');
  expect(await shown()).toContain('Your app answered Nothing.');
  d.sandbox.perform(({store}) => store.database.exec('DELETE FROM answers'));
  expect(await shown()).toContain('Your app answered Nothing.');
});

test('an example is shown only where nothing else subscribes', async () => {
  const d = await desk();
  await webhook(d, 'https://shop.example/hook', PAID, 'billing_statement.finalized');
  const hook = await receiver(200);
  await webhook(d, hook.url, PAID);
  d.pay((await d.open()).id as string);
  await d.sandbox.deliverDue();
  const {words} = await d.see('events');
  expect(words).toMatch(/billing_statement\.paid \S+ · (\S+) accepted it \S+ \S+ \1 accepted it payment_intent/);
  expect(words).toMatch(/billing_statement\.finalized \S+ · shop\.example is only an example: nothing is sent/);
});

test('an unsent event is never shown as sent or retried', async () => {
  const d = await desk();
  const hook = await receiver(500);
  const {id: gone} = await webhook(d, hook.url, PAID);
  const {id: example} = await webhook(d, 'https://shop.example/hook', PAID);
  const {id: far} = await webhook(d, 'http://192.0.2.1/hook', PAID);
  d.pay((await d.open()).id as string);
  await d.sandbox.deliverDue();
  const event = d.events().find(({type}) => type === PAID)!.id as string;
  expect((await d.see(event)).html).toMatch(/<\/h1>\s*<span class="badge warn">Retrying/);
  expect((await d.see(`${event}?to=${gone}`)).words).toContain('Sent to 127.0.0.1');
  await d.ok('DELETE', `/webhooks/${gone}`);
  const page = await d.see(`${event}?to=${gone}`);
  for (const {words} of [page, await d.see(gone as string)]) {
    expect(words).toContain('Dropped');
    expect(words).not.toContain('Retrying');
  }
  for (const [to, address] of [
    [example, 'shop.example/hook'],
    [far, '192.0.2.1/hook'],
  ]) {
    const {words} = await d.see(`${event}?to=${to}`);
    expect(words).toContain(`Not sent to ${address}`);
    expect(words).not.toMatch(/ Sent to|Your app answered|Retrying/);
  }
});
