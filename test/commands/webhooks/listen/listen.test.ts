// `webhooks listen --json`: its records, forwarding, and which requests it accepts.

import {createRequire} from 'node:module';
import {describe, expect, test} from 'vitest';
import {recordLine, summaryLine} from '../../../../src/commands/webhooks/shared/delivery-lines.js';
import type {ListenRecord, ListenSummary} from '../../../../src/webhooks/listen/listen-record.js';
import {commandsIn} from '../../../support/commands.js';
import {temporaryDirectory} from '../../../support/cli.js';
import {ask} from '../../../support/webhooks/sockets.js';
import {app} from '../../../support/services/app.js';
import {
  eventBytes,
  listening,
  listeningWithSecret,
  post,
  said,
  SECRET,
  signatureOf,
  unixNow,
  type Running,
} from '../../../support/scenarios/listening.js';
import {Merchant} from '../../../support/scenarios/merchant.js';
import {looksBroken, watch} from '../../../support/processes.js';
import {controlOf} from '../../../../src/sandbox/control/control.js';

/** The package has no types. */
const {webhooks: official} = new (createRequire(import.meta.url)('payrex-node') as any)('sk_test_0000000000000000');

/** Ends the listener and returns its summary. */
async function summaryOf(running: Running): Promise<Record<string, unknown>> {
  expect(await running.stop()).toBe(130);
  expect(looksBroken({stdout: running.stdout(), stderr: running.stderr()})).toBe(false);
  return running.records().at(-1)!;
}

describe('in the sandbox', () => {
  test('prints a record per line, and deliveries that the official client accepts', async () => {
    const directory = temporaryDirectory();
    const merchant = new Merchant(directory);
    const customer = await app();
    // Without --reveal, the body would be redacted and would not match its signature.
    const running = listening(directory, ['--print-secret', '--reveal', '--forward-to', `${customer.port}/hook`]);
    const ready = await running.next('ready');
    expect(ready).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/[A-Za-z0-9]{32}$/),
      public_url: ready.url,
      webhook_id: expect.stringMatching(/^wh_/),
      secret_source: 'registered',
      secret: expect.stringMatching(/^whsk_/),
      mode: 'test',
      targets: [`http://localhost:${customer.port}/hook`],
    });
    const event = controlOf(merchant.sandbox).trigger('payment_intent.succeeded', {});
    const delivery = await running.next('delivery', ({event_type}) => event_type === 'payment_intent.succeeded');
    expect(delivery).toMatchObject({
      delivery_id: expect.stringMatching(/^dlv_/),
      event_id: event.id,
      verdict: 'genuine',
      duplicate_of: null,
    });
    const body = Buffer.from(delivery.body_base64, 'base64').toString('utf8');
    const headers = delivery.headers as [string, string][];
    const signature = headers.find(([name]) => name.toLowerCase() === 'payrex-signature')![1];
    expect(official.parseEvent(body, signature, ready.secret)).toMatchObject({id: event.id});
    expect(() => official.parseEvent(`${body} `, signature, ready.secret)).toThrow();
    const forward = await running.next('forward', ({delivery_id}) => delivery_id === delivery.delivery_id);
    expect(forward).toMatchObject({
      target: `http://localhost:${customer.port}/hook`,
      status: 200,
      attempt: 1,
      duration_ms: expect.any(Number),
      replay: false,
    });
    const summary = await summaryOf(running);
    const records = running.records();
    const genuine = records.filter(({type}) => type === 'delivery').length;
    expect(summary).toMatchObject({type: 'summary', genuine, forwarded: genuine, not_genuine: 0, forward_failures: 0});
    for (const record of records)
      expect(record).toMatchObject({v: 1, type: expect.any(String), ts: expect.stringMatching(/^\d{4}-.*Z$/)});
    expect(running.stderr()).toBe('');
    merchant.close();
  });

  test('hides the secret without --print-secret', async () => {
    const running = listening(temporaryDirectory());
    await running.next('ready');
    await running.stop();
    expect(`${running.stdout()}${running.stderr()}`).not.toContain('whsk_');
  });

  test('registers only the types of --events; counts other events without forwarding them', async () => {
    const directory = temporaryDirectory();
    const merchant = new Merchant(directory);
    const customer = await app();
    const running = listening(directory, [
      '--events',
      'payment_intent.*,!payment_intent.awaiting_capture,loan.granted',
      '--forward-to',
      String(customer.port),
      '--print-secret',
    ]);
    const {url, webhook_id, secret} = await running.next('ready');
    const {events} = await merchant.call('GET', `/webhooks/${webhook_id}`);
    expect(new Set(events)).toEqual(
      new Set(['payment_intent.amount_capturable', 'payment_intent.succeeded', 'loan.granted']),
    );
    const send = (type: string) => {
      const body = eventBytes({type});
      return post(url, body, {signature: signatureOf(body, {secret})});
    };
    expect((await send('payment_intent.awaiting_capture')).status).toBe(200);
    expect((await send('refund.created')).status).toBe(200);
    expect((await send('loan.granted')).status).toBe(200);
    expect(await summaryOf(running)).toMatchObject({genuine: 3, filtered: 2, forwarded: 1});
    expect(customer.hits.map(({body}) => JSON.parse(body.toString()).type)).toEqual(['loan.granted']);
    merchant.close();
  });
});

describe('forwarding', () => {
  test('sends the same bytes, query, path and end-to-end headers', async () => {
    const customer = await app(() => ({status: 201, headers: {'x-app': 'yes'}, body: 'taken'}));
    const running = listeningWithSecret(temporaryDirectory(), ['--forward-to', `${customer.port}/base?x=1`]);
    const {url, secret_source, webhook_id} = await running.next('ready');
    expect([secret_source, webhook_id]).toEqual(['given', null]);
    const text = eventBytes({id: 'evt_odd'}).toString().replace('{', '{ \t"ünïcode": "₱ \\u20b1",\r\n');
    const body = Buffer.from(text);
    const answer = await post(`${url}?a=b%20c`, body, {
      headers: {'X-Request-Id': 'r-1', 'x-two': ['1', '2'], 'Content-Type': 'application/json; charset=utf-8'},
    });
    expect(answer).toMatchObject({status: 201, text: 'taken'});
    const [hit] = customer.hits;
    expect(hit!.body.equals(body)).toBe(true);
    expect(hit!.url).toBe('/base?x=1&a=b%20c');
    expect(hit!.headers).toMatchObject({
      'x-request-id': 'r-1',
      'x-two': '1, 2',
      'content-type': 'application/json; charset=utf-8',
      host: `localhost:${customer.port}`,
    });
    expect(hit!.headers['payrex-signature']).toBe(signatureOf(body, {timestamp: timestampOf(hit!.headers)}));
    await running.stop();
  });

  test('reports a failure to the sender, and retries until the app accepts it', async () => {
    const customer = await app((_, count) => (count === 1 ? {status: 500, body: 'boom'} : 200));
    const running = listeningWithSecret(temporaryDirectory(), ['--forward-to', String(customer.port)]);
    const {url} = await running.next('ready');
    expect(await post(url)).toMatchObject({status: 500, text: 'boom'});
    await running.next('forward', ({attempt, status}) => attempt === 2 && status === 200);
    expect(await running.next('forward')).toMatchObject({
      event_type: 'payment_intent.succeeded',
      event_id: expect.stringMatching(/^evt_/),
      response: {headers: expect.arrayContaining([['connection', 'keep-alive']]), body: 'boom', cut: false},
      likely_cause: 'Your app failed: see its log.',
    });
    const counts = {genuine: 1, events_accepted: 1, events_not_accepted: 0, forwarded: 1, forward_failures: 1};
    expect(await summaryOf(running)).toMatchObject(counts);
  });

  test('prints a likely cause once, until the response changes', async () => {
    const customer = await app((_, count) => (count === 3 ? 200 : {status: 500, body: `boom ${count}`}));
    const words = ['webhooks', 'listen', '--secret-stdin', '--no-retry', '--forward-to', String(customer.port)];
    const running = watch(temporaryDirectory(), words);
    running.child.stdin!.end(SECRET);
    const [, url] = await said(running, /Receiving test events at (\S+)/);
    for (let count = 0; count < 4; count++) await post(url!);
    await running.until(/boom 4/);
    running.child.kill('SIGINT');
    await running.ended;
    const lines = running.stdout().match(/boom \d|Your app failed|<-- 200/g);
    expect(lines).toEqual(['boom 1', 'Your app failed', 'boom 2', '<-- 200', 'boom 4', 'Your app failed']);
  });

  test('holds events behind a failing one, except with --no-order', async () => {
    const customer = await app((_, count) => (count === 1 ? {status: 500, headers: {'retry-after': '200'}} : 200));
    const directory = temporaryDirectory();
    // A process, because the last line depends on its end.
    const running = listeningWithSecret(directory, ['--forward-to', String(customer.port)], {isProcess: true});
    const {url} = await running.next('ready');
    const [failing, behind] = [eventBytes(), eventBytes({type: 'payment_intent.canceled'})];
    expect((await post(url, failing)).status).toBe(500);
    const {delivery_id: held_by} = await running.next('forward');
    expect((await post(url, behind)).status).toBe(503);
    const held = await running.next('held');
    expect(held).toMatchObject({event_type: 'payment_intent.canceled', held_by, target: expect.any(String)});
    expect(held.next_attempt_at).toBeGreaterThan(unixNow() + 100);
    const get = (...more: string[]) => commandsIn(directory)(['webhooks', 'deliveries', 'get', held.event_id, ...more]);
    const {next_attempt_at} = held;
    expect((await get('--json')).json()).toMatchObject({id: held.delivery_id, held_by, next_attempt_at, attempts: []});
    const {id} = JSON.parse(failing.toString());
    expect((await get()).stdout).toContain(`held: waits for payment_intent.succeeded ${id}, which will be retried at`);
    expect(await summaryOf(running)).toMatchObject({events_accepted: 0, events_not_accepted: 2, forward_failures: 1});
    expect((await get()).stdout).toContain('which will be retried when webhooks listen forwards there');

    const other = await app((_, count) => (count === 1 ? {status: 500, headers: {'retry-after': '200'}} : 200));
    const words = ['--no-order', '--forward-to', String(other.port)];
    const unordered = await listeningWithSecret(temporaryDirectory(), words).next('ready');
    expect((await post(unordered.url, failing)).status).toBe(500);
    expect((await post(unordered.url, behind)).status).toBe(200);
  });

  test('answers 502 while the app is down, and delivers when it is back', async () => {
    const gone = await app();
    await gone.close();
    const running = listeningWithSecret(temporaryDirectory(), ['--forward-to', String(gone.port)]);
    const {url} = await running.next('ready');
    const body = eventBytes();
    expect((await post(url, body)).status).toBe(502);
    const first = await running.next('forward');
    expect(first).toMatchObject({status: null, error: expect.stringMatching(/\w/), attempt: 1});
    const back = await app(() => 200, gone.port);
    await back.received(1);
    expect(back.hits[0]!.body.equals(body)).toBe(true);
    await running.next('forward', ({status}) => status === 200);
    await running.stop();
  });

  test('does not follow redirects, and with --no-retry does not retry', async () => {
    const other = await app();
    const customer = await app((_, count) =>
      count === 1 ? {status: 302, headers: {location: `http://localhost:${other.port}/`}} : 503,
    );
    const running = listeningWithSecret(temporaryDirectory(), ['--forward-to', String(customer.port), '--no-retry']);
    const {url} = await running.next('ready');
    await post(url);
    expect((await post(url)).status).toBe(503);
    expect(await summaryOf(running)).toMatchObject({forwarded: 0, forward_failures: 2});
    expect(customer.hits).toHaveLength(2);
    expect(other.hits).toHaveLength(0);
  });

  test('sends each event to the first matching route, or else to --forward-to', async () => {
    const [main, refunds] = [await app(), await app()];
    const running = listeningWithSecret(temporaryDirectory(), [
      '--route',
      `refund.*=${refunds.port}/refunds`,
      '--route',
      'payout.*=/payouts',
      '--forward-to',
      `${main.port}/all`,
    ]);
    const {url} = await running.next('ready');
    for (const type of ['refund.created', 'payout.created', 'payment_intent.succeeded'])
      expect((await post(url, eventBytes({type}))).status).toBe(200);
    expect(refunds.hits.map((hit) => hit.url)).toEqual(['/refunds']);
    expect(main.hits.map((hit) => hit.url)).toEqual(['/payouts', '/all']);
    await running.stop();
  });

  test('says and counts what matches no route, if there is no --forward-to', async () => {
    const refunds = await app();
    const flags = ['--route', `refund.*=${refunds.port}`];
    const running = listeningWithSecret(temporaryDirectory(), flags);
    const {url} = await running.next('ready');
    for (const type of ['refund.created', 'payout.created'])
      expect((await post(url, eventBytes({type}))).status).toBe(200);
    for (const [type, unrouted] of [
      ['refund.created', false],
      ['payout.created', true],
    ])
      expect(await running.next('delivery', ({event_type: name}) => name === type)).toMatchObject({unrouted});
    const summary = await summaryOf(running);
    expect(summary).toMatchObject({genuine: 2, unrouted: 1, forwarded: 1});
    expect(summaryLine(summary as unknown as ListenSummary)).toContain('0 filtered out, 1 matched no route.');
    const delivery = {id: 'dlv_1', receivedAt: 0, event: {type: 'payout.created'}, verdict: {genuine: true}};
    const record = {type: 'delivery', delivery, unrouted: true} as unknown as ListenRecord;
    expect(recordLine(record, 0, () => '')?.text).toBe('08:00:00 --> payout.created genuine, matches no route');
  });

  test('accepts a duplicate event without forwarding it again', async () => {
    const customer = await app();
    const running = listeningWithSecret(temporaryDirectory(), ['--forward-to', String(customer.port)]);
    const {url} = await running.next('ready');
    const body = eventBytes();
    expect((await post(url, body)).status).toBe(200);
    expect((await post(url, body)).status).toBe(200);
    const [first, second] = [await running.next('delivery'), await running.next('delivery', (one) => one.duplicate_of)];
    expect(second.duplicate_of).toBe(first.delivery_id);
    expect(await summaryOf(running)).toMatchObject({genuine: 2, duplicates: 1});
  });
});

describe('deliveries that are not genuine', () => {
  test('get 401, are shown with the reason and counted, and are not forwarded or stored', async () => {
    const directory = temporaryDirectory();
    const customer = await app();
    const running = listeningWithSecret(directory, ['--forward-to', String(customer.port)]);
    const {url} = await running.next('ready');
    const body = eventBytes();
    const forgeries: [string, string][] = [
      ['no_match', signatureOf(body, {secret: 'whsk_somebodyelses00000000000000000000'})],
      ['missing_header', ''],
      ['malformed_header', 'nonsense'],
      ['too_old', signatureOf(body, {timestamp: unixNow() - 600})],
      ['too_new', signatureOf(body, {timestamp: unixNow() + 600})],
      ['wrong_mode', signatureOf(body).replace(/te=(\w+),li=/, 'te=,li=$1')],
    ];
    for (const [reason, signature] of forgeries) {
      expect((await post(url, body, {signature})).status, reason).toBe(401);
      await running.next('delivery', ({verdict}) => verdict === reason);
    }
    expect(await summaryOf(running)).toMatchObject({genuine: 0, not_genuine: forgeries.length, forwarded: 0});
    expect(customer.hits).toHaveLength(0);
    expect((await commandsIn(directory)(['webhooks', 'deliveries', 'list', '--json'])).json().data).toEqual([]);
  });

  test('are accepted and marked with --skip-verify', async () => {
    const customer = await app();
    const running = listeningWithSecret(temporaryDirectory(), [
      '--skip-verify',
      '--forward-to',
      String(customer.port),
      '--count',
      '1',
    ]);
    const {url} = await running.next('ready');
    expect((await post(url, eventBytes(), {signature: ''})).status).toBe(200);
    expect(await running.next('delivery')).toMatchObject({verdict: 'missing_header'});
    await customer.received(1);
    // Not counted by --count.
    expect((await post(url)).status).toBe(200);
    expect(await running.ended).toMatchObject({status: 0});
    expect(running.records().at(-1)).toMatchObject({genuine: 1, not_genuine: 1, forwarded: 2});
  });

  test('with an old signature are accepted with a larger --tolerance', async () => {
    const running = listeningWithSecret(temporaryDirectory(), ['--tolerance', '900']);
    const {url} = await running.next('ready');
    const body = eventBytes();
    expect((await post(url, body, {signature: signatureOf(body, {timestamp: unixNow() - 600})})).status).toBe(200);
    await running.stop();
  });
});

describe('other requests', () => {
  test('are refused by reason and counted', async () => {
    const running = listeningWithSecret(temporaryDirectory());
    const {url} = await running.next('ready');
    const {port, host, pathname} = new URL(url);
    const refused = async (reason: string, status: number) =>
      expect(await running.next('refused', (record) => record.reason === reason)).toMatchObject({status});
    expect((await post(url, undefined, {method: 'GET'})).status).toBe(405);
    await refused('method', 405);
    expect((await post(`${new URL(url).origin}/${'A'.repeat(32)}`)).status).toBe(404);
    await refused('path', 404);
    const raw = (head: string) => ask(Number(port), `${head}Content-Length: 2\r\nConnection: close\r\n\r\n{}`);
    expect((await raw(`POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nHost: ${host}\r\n`)).status).toBe(400);
    await refused('host', 400);
    expect((await raw(`POST ${pathname} HTTP/1.1\r\nHost: evil.example\r\n`)).status).toBe(421);
    await refused('host', 400);
    expect((await post(url, undefined, {headers: {origin: 'https://evil.example'}})).status).toBe(403);
    await refused('browser', 403);
    expect((await post(url, undefined, {headers: {'content-encoding': 'gzip'}})).status).toBe(415);
    expect(await summaryOf(running)).toMatchObject({refused: 6, genuine: 0, not_genuine: 0});
  });
});

const timestampOf = (headers: Readonly<Record<string, unknown>>): number =>
  Number(/^t=(\d+)/.exec(String(headers['payrex-signature']))![1]);
