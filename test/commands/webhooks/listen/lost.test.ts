// A webhook that is removed or disabled while `webhooks listen` uses it: reported, restored, and cleaned up.

import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {openDeliveries} from '../../../../src/webhooks/store/deliveries.js';
import {temporaryDirectory} from '../../../support/cli.js';
import {app} from '../../../support/services/app.js';
import {commandsIn} from '../../../support/commands.js';
import {eventBytes, listening, post, signatureOf, type Running} from '../../../support/scenarios/listening.js';
import {Merchant} from '../../../support/scenarios/merchant.js';
import {controlOf} from '../../../../src/sandbox/control/control.js';

const webhooksOf = async (merchant: Merchant): Promise<string[]> =>
  ((await merchant.call('GET', '/webhooks')).data as {id: string}[]).map(({id}) => id);

function leasesOf(directory: string): (string | undefined)[] {
  const store = openDeliveries(join(directory, 'deliveries.db'), {owner: {pid: process.pid, startedAt: 1}});
  try {
    return store.endpoints.deadLeases('sandbox', () => false).map(({webhookId}) => webhookId);
  } finally {
    store.close();
  }
}

/** Triggers an event, which must arrive, be genuine, and be accepted by the app. */
async function expectToArrive(running: Running, merchant: Merchant): Promise<void> {
  const {id} = controlOf(merchant.sandbox).trigger('refund.created', {});
  const delivery = await running.next('delivery', ({event_id}) => event_id === id);
  expect(delivery.verdict).toBe('genuine');
  const {status} = await running.next('forward', ({delivery_id}) => delivery_id === delivery.delivery_id);
  expect(status).toBe(200);
}

type Taking = (merchant: Merchant, id: string, directory: string) => Promise<unknown>;

describe.for<[string, string, Taking]>([
  [
    'a reset of the sandbox',
    'webhook_gone',
    (_, __, directory) => commandsIn(directory)(['sandbox', 'reset', '--yes']),
  ],
  ['deleting it', 'webhook_gone', (merchant, id) => merchant.call('DELETE', `/webhooks/${id}`)],
  ['disabling it', 'webhook_disabled', (merchant, id) => merchant.call('POST', `/webhooks/${id}/disable`)],
])('%s', ([, reason, take]) => {
  test('is reported, events arrive again, and nothing remains at the end', async () => {
    const directory = temporaryDirectory();
    const merchant = new Merchant(directory);
    const customer = await app();
    const running = listening(directory, ['--forward-to', String(customer.port), '--print-secret']);
    const {webhook_id: first, secret: firstSecret, public_url: url} = await running.next('ready');
    await take(merchant, first, directory);
    const lost = await running.next('disconnected');
    expect(lost).toMatchObject({v: 1, reason, message: expect.stringContaining(first)});
    const back = await running.next('reconnected');
    const replaced = reason === 'webhook_gone';
    expect(back).toMatchObject({public_url: url, message: expect.stringContaining(back.webhook_id)});
    expect(back.webhook_id !== first).toBe(replaced);
    // Printed only when it changed.
    expect(back.secret).toBeUndefined();
    expect(await webhooksOf(merchant)).toEqual([back.webhook_id]);
    expect(leasesOf(directory)).toEqual([back.webhook_id]);
    await expectToArrive(running, merchant);
    // The secret is still the first one.
    const body = eventBytes();
    const old = await post(url, body, {signature: signatureOf(body, {secret: firstSecret})});
    expect(old.status).toBe(200);
    // A second time, after the first repair.
    await take(merchant, back.webhook_id, directory);
    const again = await running.next('reconnected', ({ts}) => ts > back.ts);
    await expectToArrive(running, merchant);
    expect(await running.stop()).toBe(130);
    expect(await webhooksOf(merchant)).toEqual([]);
    expect(leasesOf(directory)).toEqual([]);
    expect(again.public_url).toBe(url);
    merchant.close();
  });
});

test('ends cleanly at Ctrl-C right after the removal', async () => {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  const running = listening(directory);
  const {webhook_id} = await running.next('ready');
  await merchant.call('DELETE', `/webhooks/${webhook_id}`);
  await running.next('disconnected');
  expect(await running.stop()).toBe(130);
  expect(running.records().at(-1)).toMatchObject({type: 'summary'});
  expect(await webhooksOf(merchant)).toEqual([]);
  expect(leasesOf(directory)).toEqual([]);
  merchant.close();
});

test('does not print a new secret without --print-secret', async () => {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  const running = listening(directory);
  const {webhook_id} = await running.next('ready');
  await merchant.call('DELETE', `/webhooks/${webhook_id}`);
  await running.next('reconnected');
  await running.stop();
  expect(`${running.stdout()}${running.stderr()}`).not.toContain('whsk_');
  merchant.close();
});

test('delivers every event to two listeners of one profile, each with its own app and --count', async () => {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  const [one, two] = [await app(), await app(() => 500)];
  const once = ['--events', 'payout.deposited', '--count', '1', '--no-retry'];
  const first = listening(directory, ['--forward-to', `${one.port}/hook`, ...once]);
  const second = listening(directory, ['--forward-to', `${two.port}/hook`, ...once]);
  const ids = [(await first.next('ready')).webhook_id, (await second.next('ready')).webhook_id] as string[];
  const {id} = controlOf(merchant.sandbox).trigger('payout.deposited', {});
  expect(await first.ended).toMatchObject({status: 0});
  expect(await second.ended).toMatchObject({status: 0});
  const run = commandsIn(directory);
  const {data} = (await run(['webhooks', 'deliveries', 'list', '--json', '--type', 'payout.deposited'])).json();
  const rows = data as {
    webhook: string;
    event_id: string;
    duplicate_of: null;
    attempts: {status: number}[];
    id: string;
  }[];
  // The response of each app belongs to its own delivery.
  const told = Object.fromEntries(rows.map(({webhook, attempts}) => [webhook, attempts.map(({status}) => status)]));
  expect(told).toEqual({[ids[0]!]: [200], [ids[1]!]: [500]});
  expect(rows.map(({event_id, duplicate_of}) => [event_id, duplicate_of])).toEqual([
    [id, null],
    [id, null],
  ]);
  const {stdout} = await run(['webhooks', 'deliveries', 'get', rows[0]!.id]);
  expect(stdout).toContain(`Webhook: ${rows[0]!.webhook}`);
  merchant.close();
});
