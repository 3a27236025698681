// A restarted listener: its path, port and secret, sharing between two, and a kept webhook on an account.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openDeliveries} from '../../../../src/webhooks/store/deliveries.js';
import {temporaryDirectory} from '../../../support/cli.js';
import {commandsIn} from '../../../support/commands.js';
import {watch} from '../../../support/processes.js';
import {
  eventBytes,
  listening,
  listeningProcess,
  post,
  running,
  signatureOf,
} from '../../../support/scenarios/listening.js';
import {Merchant} from '../../../support/scenarios/merchant.js';
import {app} from '../../../support/services/app.js';
import {inspectSignature} from '../../../../src/webhooks/signature/signature.js';
import {unixNow} from '../../../support/webhooks/events.js';

test('restores path, port and secret after a kill; a second listener gets its own; a name is used once', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  // An app can start before the first listener.
  const before = await run(['webhooks', 'secret']);
  expect(before).toMatchObject({
    status: 0,
    stderr: 'New secret: the next centavo webhooks listen in this folder uses it.\n',
  });
  const first = listeningProcess(directory, ['--print-secret']);
  const {url, secret, secret_command} = await first.next('ready');
  expect(before.stdout).toBe(`${secret}\n`);
  expect(secret_command).toBe('centavo webhooks secret');
  expect((await run(['webhooks', 'secret'])).stdout).toBe(`${secret}\n`);
  expect((await run(['webhooks', 'secret', '--json'])).json()).toEqual({mode: 'sandbox', secret});

  const [file, other] = [join(directory, '.env'), join(directory, '.env:OTHER')];
  const second = listeningProcess(directory, ['--print-secret', '--write-env', file]);
  const [notice] = await Promise.all([second.next('notice'), second.next('ready')]);
  expect(notice.message).toContain(`(process ${first.child.pid}): this listener uses a temporary port`);
  const {url: secondUrl, secret: secondSecret, secret_command: none} = await second.next('ready');
  expect(none).toBeNull();
  expect(new URL(secondUrl).port).not.toBe(new URL(url).port);
  expect(secondSecret).not.toBe(secret);
  // Two listeners do not overwrite each other's secret.
  const clash = await run(['webhooks', 'listen', '--json', '--write-env', file]);
  expect(clash.status).toBe(12);
  expect(clash.error()).toMatchObject({code: 'env_file_in_use', hint: expect.stringContaining(`${file}:PAYREX_`)});
  const third = listeningProcess(directory, ['--print-secret', '--name', 'shop', '--write-env', other]);
  const {secret: thirdSecret, secret_command: named} = await third.next('ready');
  expect(named).toBe('centavo webhooks secret --name shop');
  await third.next('notice', ({message}) => message.includes('as OTHER'));
  expect(readFileSync(file, 'utf8')).toBe(`PAYREX_WEBHOOK_SECRET='${secondSecret}'\nOTHER='${thirdSecret}'\n`);
  const twice = await run(['webhooks', 'listen', '--json', '--name', 'shop']);
  expect(twice.status).toBe(12);
  expect(twice.error()).toMatchObject({
    code: 'already_listening',
    applied: 'no',
    hint: expect.stringContaining('--name'),
  });
  const kept = await run(['webhooks', 'listen', '--json', '--keep']);
  expect(kept.error()).toMatchObject({code: 'already_listening', hint: expect.stringContaining('--name')});
  await second.stop();
  await third.stop();
  // It leaves nothing that blocks the next one.
  await first.stop('SIGKILL');
  const again = listening(directory, ['--print-secret']);
  expect(await again.next('ready')).toMatchObject({url, secret});
  await again.stop();
  const merchant = new Merchant(directory);
  const moved = listening(directory, ['--port', '0', '--print-secret']);
  const {url: movedUrl, secret: movedSecret} = await moved.next('ready');
  expect(movedSecret).toBe(secret);
  await moved.stop();
  const back = listening(directory);
  expect((await back.next('ready')).url).toBe(movedUrl);
  await back.stop();
  expect((await merchant.call('GET', '/webhooks')).data).toEqual([]);
  expect((await run(['webhooks', 'secret', '--name', 'shop'])).stdout).toBe(`${thirdSecret}\n`);
  expect((await run(['webhooks', 'secret', '--name', '/'])).status).toBe(2);
  merchant.close();
});

test('sends events that the app refused to the next run, at the same webhook', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  let status = 401;
  const target = await app(() => status);
  const words = ['--forward-to', String(target.port)];
  const first = listening(directory, words);
  const {webhook_id: id} = await first.next('ready');
  await run(['webhooks', 'trigger', 'payment_intent.succeeded']);
  await first.next('forward', ({status: answered}) => answered === 401);
  await first.stop();
  expect(first.records().at(-1)).toMatchObject({type: 'summary', events_waiting: 1, webhook_left: false});
  status = 200;
  const second = listening(directory, words);
  expect((await second.next('ready')).webhook_id).toBe(id);
  await second.next('forward', ({status: answered}) => answered === 200);
  await second.stop();
  const merchant = new Merchant(directory);
  expect((await merchant.call('GET', '/webhooks')).data).toEqual([]);
  merchant.close();
});

test('keeps an event that failed in one run and was refused in the next for the third', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  let status = 500;
  const target = await app(() => status);
  const words = ['--forward-to', String(target.port)];
  const ids: unknown[] = [];
  for (status of [500, 400, 200]) {
    const each = listening(directory, words);
    ids.push((await each.next('ready')).webhook_id);
    if (status === 500) await run(['webhooks', 'trigger', 'payment_intent.succeeded']);
    await each.next('forward', ({status: answered}) => answered === status);
    await each.stop();
    expect(each.records().at(-1)).toMatchObject({events_waiting: status === 200 ? 0 : 1, webhook_left: false});
  }
  expect(new Set(ids).size).toBe(1);
  expect(target.hits.filter(({headers}) => headers['x-centavo-attempt'] === '1')).toHaveLength(1);
});

test('removes the webhook of a second listener of a folder, whatever the app refused', async () => {
  const directory = temporaryDirectory();
  const target = await app(() => 400);
  const first = listeningProcess(directory);
  await first.next('ready');
  const second = listeningProcess(directory, ['--forward-to', String(target.port)]);
  await second.next('ready');
  await commandsIn(directory)(['webhooks', 'trigger', 'payment_intent.succeeded']);
  await second.next('forward', ({status}) => status === 400);
  await second.stop();
  const shown = running(directory, ['webhooks', 'listen']);
  await shown.said(/^Secret: ends with this run; to see it: --print-secret$/m);
  await shown.stop();
  expect(second.records().at(-1)).toMatchObject({events_not_accepted: 1, events_waiting: 0, webhook_left: false});
  await first.stop();
  const merchant = new Merchant(directory);
  expect((await merchant.call('GET', '/webhooks')).data).toEqual([]);
  merchant.close();
});

test('reports a port taken by another program, and reuses it once it is free', async () => {
  const directory = temporaryDirectory();
  const first = listening(directory);
  const {url} = await first.next('ready');
  await first.stop();
  const store = openDeliveries(join(directory, 'deliveries.db'), {owner: {pid: process.pid, startedAt: 1}});
  const other = await app();
  const key = {profile: 'sandbox', mode: 'sandbox', name: process.cwd()} as const;
  const known = store.endpoints.find(key)!;
  store.endpoints.save(key, {...known, port: other.port});
  const second = listening(directory);
  expect((await second.next('notice')).message).toContain(`another program uses port ${other.port}`);
  expect(new URL((await second.next('ready')).url).pathname).toBe(new URL(url).pathname);
  await second.stop();
  expect(store.endpoints.find(key)!.port).toBe(other.port);
  store.close();
  await other.close();
});

test('signs a replay again for an app with the secret of the folder, except with --signature exact', async () => {
  const directory = temporaryDirectory();
  const store = openDeliveries(join(directory, 'deliveries.db'), {owner: {pid: process.pid, startedAt: 1}});
  const [mine, older] = ['whsk_the_secret_of_this_folder_0123', 'whsk_of_an_earlier_listener_012345'];
  store.endpoints.save({profile: 'sandbox', mode: 'sandbox', name: process.cwd()}, {port: 1, token: 'x', secret: mine});
  const names = {fresh: [mine, 0], stale: [mine, 3600], foreign: [older, 0]} as const;
  for (const [name, [secret, age]] of Object.entries(names)) {
    const body = eventBytes({id: `evt_${name}`});
    const timestamp = unixNow() - age;
    await store.record({
      id: `dlv_${name}`,
      receivedAt: timestamp * 1000,
      profile: 'sandbox',
      path: '/',
      headers: [['Payrex-Signature', signatureOf(body, {secret, timestamp})]],
      body,
      verdict: {genuine: true, mode: 'test', secretIndex: 0, timestamp},
      event: {id: `evt_${name}`, type: 'payment_intent.succeeded'},
    });
  }
  const target = await app();
  const run = commandsIn(directory);
  const words = [
    'webhooks',
    'replay',
    ...Object.keys(names).map((name) => `dlv_${name}`),
    '--forward-to',
    `${target.port}`,
  ];
  const verdicts = () =>
    target.hits
      .slice(-3)
      .map(({body, headers}) =>
        inspectSignature({body, header: String(headers['payrex-signature']), secrets: [mine], now: unixNow()}),
      );
  expect(await run(words)).toMatchObject({status: 0});
  const [first] = target.hits;
  expect(first!.headers['payrex-signature']).toBe(store.get('dlv_fresh')!.headers[0]![1]);
  expect(verdicts()).toMatchObject([{genuine: true}, {genuine: true}, {genuine: true}]);
  // A narrow terminal must show the response of the app.
  expect((await run(words, {columns: 80})).stdout).toMatch(/^\W*\w*EVENT.*ANSWER/);
  const verified = async (name: string) => (await run(['webhooks', 'verify', `dlv_${name}`, '--json'])).json<object>();
  expect(await verified('stale')).toMatchObject({genuine: true, explanation: expect.stringContaining('its listener')});
  expect(await verified('foreign')).toMatchObject({genuine: false, reason: 'no_match'});
  await run([...words, '--signature', 'exact']);
  expect(verdicts()).toMatchObject([{genuine: true}, {reason: 'too_old'}, {reason: 'no_match'}]);
  store.close();
  await target.close();
});

test('on an account, disables the webhook with --keep, and the next run enables it with the same secret', async () => {
  const [there, directory] = [temporaryDirectory(), temporaryDirectory()];
  const server = watch(there, ['sandbox', 'serve', '--port', '0', '--json']);
  const [, baseUrl] = await server.until(/"url": ?"([^"]+)"/);
  const merchant = new Merchant(there);
  const env = {CENTAVO_BASE_URL: baseUrl, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
  const secretOf = () => commandsIn(directory, {env})(['webhooks', 'secret']);
  const all = async () => (await merchant.call('GET', '/webhooks')).data as Record<string, unknown>[];

  const passing = listeningProcess(directory, ['--print-secret'], {env});
  const {secret: gone} = await passing.next('ready');
  expect(await secretOf()).toMatchObject({status: 3, stderr: expect.stringContaining('--keep')});
  await passing.stop();
  expect(await all()).toEqual([]);

  const words = ['--keep', '--print-secret'];
  const first = listeningProcess(directory, [...words, '--events', 'refund.created'], {env});
  const {secret, webhook_id: id, url} = await first.next('ready');
  expect(secret).not.toBe(gone);
  await first.stop();
  expect(await all()).toMatchObject([{id, url, status: 'disabled', secret_key: secret}]);
  expect((await secretOf()).stdout).toBe(`${secret}\n`);

  const second = listeningProcess(directory, [...words, '--port', '0', '--events', 'payout.deposited'], {env});
  const ready = await second.next('ready');
  expect(ready).toMatchObject({secret, webhook_id: id});
  expect(await all()).toMatchObject([{id, url: ready.url, status: 'enabled', events: ['payout.deposited']}]);
  const body = eventBytes();
  expect((await post(ready.url, body, {signature: signatureOf(body, {secret})})).status).toBe(200);
  // A crash leaves it, and the next run reuses it.
  await second.stop('SIGKILL');
  const third = listeningProcess(directory, words, {env});
  expect(await third.next('ready')).toMatchObject({secret, webhook_id: id});
  await third.stop();
  expect(await all()).toMatchObject([{id, status: 'disabled'}]);

  await merchant.call('DELETE', `/webhooks/${id}`);
  const fourth = listeningProcess(directory, words, {env});
  const notice = await fourth.next('notice');
  const {secret: fresh, webhook_id: freshId} = await fourth.next('ready');
  expect(notice.message).toMatch(new RegExp(`${id}.*registered ${freshId}, with a new secret`));
  expect((await secretOf()).stdout).toBe(`${fresh}\n`);
  await fourth.stop();
  expect(await all()).toMatchObject([{id: freshId, status: 'disabled', secret_key: fresh}]);
  const result = await commandsIn(directory, {env})(['webhooks', 'listen', '--keep', '--secret-stdin', '--json'], {
    input: 'x',
  });
  expect(result.status).toBe(2);
  server.child.kill('SIGTERM');
  await server.ended;
  merchant.close();
});
