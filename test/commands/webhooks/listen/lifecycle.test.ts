// The webhook that `webhooks listen` registers, and its removal however the command ends.

import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {openDeliveries} from '../../../../src/webhooks/store/deliveries.js';
import {commandsIn} from '../../../support/commands.js';
import {NO_LIMITS, temporaryDirectory} from '../../../support/cli.js';
import {app} from '../../../support/services/app.js';
import {
  listening,
  listeningProcess,
  listeningWithSecret,
  post,
  type Running,
} from '../../../support/scenarios/listening.js';
import {Merchant} from '../../../support/scenarios/merchant.js';
import {watch} from '../../../support/processes.js';
import {httpAnswer, LIVE_KEY, rawServer, TEST_KEY} from '../../../support/services/servers.js';
import {controlOf} from '../../../../src/sandbox/control/control.js';

const webhooksOf = async (merchant: Merchant): Promise<string[]> =>
  ((await merchant.call('GET', '/webhooks')).data as {id: string}[]).map(({id}) => id);

/** Leases of dead processes of any owner. */
function leasesLeft(directory: string, account = 'sandbox'): readonly {webhookId?: string}[] {
  const store = openDeliveries(join(directory, 'deliveries.db'), {
    owner: {pid: process.pid, startedAt: 1},
  });
  try {
    return store.endpoints.deadLeases(account, () => false);
  } finally {
    store.close();
  }
}

function merchantIn(directory: string): Merchant {
  return new Merchant(directory);
}

describe('the webhook', () => {
  test.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const)('exists while it listens, and is removed after %s', async ([signal, status]) => {
    const directory = temporaryDirectory();
    const merchant = merchantIn(directory);
    const running = listeningProcess(directory, [], {env: NO_LIMITS});
    const {webhook_id, url} = await running.next('ready');
    const webhook = await merchant.call('GET', `/webhooks/${webhook_id}`);
    expect(webhook).toMatchObject({url, status: 'enabled'});
    expect(leasesLeft(directory)).toMatchObject([{webhookId: webhook_id}]);
    expect(await running.stop(signal)).toBe(status);
    expect(running.records().at(-1)).toMatchObject({type: 'summary'});
    expect(await webhooksOf(merchant)).toEqual([]);
    expect(leasesLeft(directory)).toEqual([]);
    merchant.close();
  });

  test('ends at once at a second Ctrl-C', async () => {
    const slow = await app(() => new Promise(() => {}));
    const directory = temporaryDirectory();
    const merchant = merchantIn(directory);
    // The app never ends, nor does the stop: only the second Ctrl-C ends it.
    const running = listeningProcess(directory, ['--forward-to', String(slow.port)], {env: NO_LIMITS});
    const {url} = await running.next('ready');
    controlOf(merchant.sandbox).trigger('payment_intent.succeeded', {});
    await slow.received(1);
    running.child.kill('SIGINT');
    // The first Ctrl-C was handled when connections are refused.
    const letIn = () =>
      post(url, undefined, {signature: ''}).then(
        () => true,
        () => false,
      );
    while (await letIn());
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({status: 130});
    // A clean stop would have printed a summary.
    expect(running.records().map(({type}) => type)).not.toContain('summary');
    merchant.close();
  });

  test('left by kill -9 is reused by the next listener of the folder, with its waiting events', async () => {
    const directory = temporaryDirectory();
    const merchant = merchantIn(directory);
    const killed = listeningProcess(directory);
    const {webhook_id} = await killed.next('ready');
    await killed.stop('SIGKILL');
    const {id} = controlOf(merchant.sandbox).trigger('refund.created', {});
    // Nothing listens: it would be retried ten seconds later.
    await merchant.sandbox.deliverDue();
    expect((await merchant.sandbox.getEvent(id)).pending).toMatchObject([{webhook_id, attempts: 1}]);
    const next = listeningProcess(directory, ['--port', '0']);
    expect(await next.next('ready')).toMatchObject({webhook_id});
    await next.next('delivery', ({event_id: event, verdict}) => event === id && verdict === 'genuine');
    await next.stop();
    expect(await webhooksOf(merchant)).toEqual([]);
    expect(leasesLeft(directory)).toEqual([]);
    merchant.close();
  });

  test('left by kill -9 is removed by another listener, which prints its id', async () => {
    const directory = temporaryDirectory();
    const merchant = merchantIn(directory);
    const killed = listeningProcess(directory, ['--name', 'killed']);
    const {webhook_id, url} = await killed.next('ready');
    expect(await killed.stop('SIGKILL')).toBeNull();
    // A webhook of the user that only looks alike.
    const own = await merchant.call('POST', '/webhooks', {url, events: ['payment_intent.succeeded']});
    const next = listeningProcess(directory);
    expect((await next.next('notice')).message).toMatch(new RegExp(`${webhook_id}.*waiting events`));
    const {webhook_id: fresh} = await next.next('ready');
    expect(new Set(await webhooksOf(merchant))).toEqual(new Set([own.id, fresh]));
    await next.stop();
    expect(await webhooksOf(merchant)).toEqual([own.id]);
    expect(leasesLeft(directory)).toEqual([]);
    merchant.close();
  });

  test('with an unrecorded id is found by its description', async () => {
    const directory = temporaryDirectory();
    const merchant = merchantIn(directory);
    const killed = listeningProcess(directory);
    const {webhook_id} = await killed.next('ready');
    await killed.stop('SIGKILL');
    const store = openDeliveries(join(directory, 'deliveries.db'), {owner: {pid: 1, startedAt: 1}});
    const [{id, account, url, pid, startedAt}] = store.endpoints.deadLeases('sandbox', () => false) as [
      {id: string; account: string; url: string; pid: number; startedAt: number},
    ];
    store.endpoints.removeLease(id);
    store.endpoints.addLease({id, account, url, pid, startedAt});
    store.close();
    const next = listeningProcess(directory);
    expect((await next.next('notice')).message).toContain(webhook_id);
    const {webhook_id: fresh} = await next.next('ready');
    expect(await webhooksOf(merchant)).toEqual([fresh]);
    await next.stop();
    merchant.close();
  });

  test('of one listener is not touched by another', async () => {
    const directory = temporaryDirectory();
    const merchant = merchantIn(directory);
    const [one, two] = [listeningProcess(directory), listeningProcess(directory, ['--name', 'second'])];
    const ids = [(await one.next('ready')).webhook_id, (await two.next('ready')).webhook_id];
    expect(new Set(await webhooksOf(merchant))).toEqual(new Set(ids));
    const event = controlOf(merchant.sandbox).trigger('refund.created', {});
    const mine = ({event_id}: Record<string, unknown>) => event_id === event.id;
    await Promise.all([one.next('delivery', mine), two.next('delivery', mine)]);
    await one.stop();
    expect(await webhooksOf(merchant)).toEqual([ids[1]]);
    await two.stop();
    expect([one, two].flatMap((running) => running.records()).filter(({type}) => type === 'notice')).toEqual([]);
    merchant.close();
  });

  test('is removed when the reader of the output is gone', async () => {
    const directory = temporaryDirectory();
    const merchant = merchantIn(directory);
    const running = listeningProcess(directory);
    await running.next('ready');
    running.child.stdout!.destroy();
    controlOf(merchant.sandbox).trigger('payment_intent.succeeded', {});
    expect(await running.ended).toMatchObject({status: 0});
    expect(await webhooksOf(merchant)).toEqual([]);
    merchant.close();
  });
});

describe('a port', () => {
  test('in use is exit 2 with advice, and registers nothing', async () => {
    const directory = temporaryDirectory();
    const merchant = merchantIn(directory);
    const taken = await app();
    const result = await commandsIn(directory)(['webhooks', 'listen', '--port', String(taken.port)]);
    expect(result.status).toBe(2);
    expect(result.stderr).toMatch(new RegExp(`${taken.port}.*\n(.*\n)?.*--port`));
    expect(await webhooksOf(merchant)).toEqual([]);
    merchant.close();
  });

  test('that is free is used', async () => {
    const free = await app();
    await free.close();
    const running = listening(temporaryDirectory(), ['--port', String(free.port)]);
    expect(new URL((await running.next('ready')).url).port).toBe(String(free.port));
    await running.stop();
  });
});

describe('another account', () => {
  test('a sandbox served on this machine needs no tunnel', async () => {
    const [there, here] = [temporaryDirectory(), temporaryDirectory()];
    const server = watch(there, ['sandbox', 'serve', '--port', '0', '--json']);
    const [, url] = await server.until(/"url": ?"([^"]+)"/);
    const merchant = merchantIn(there);
    const env = {CENTAVO_BASE_URL: url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
    const running = listening(here, ['--events', 'refund.created', '--count', '1'], {env});
    await running.next('ready');
    controlOf(merchant.sandbox).trigger('refund.created', {});
    expect(await running.ended).toMatchObject({status: 0});
    expect(await webhooksOf(merchant)).toEqual([]);
    server.child.kill('SIGTERM');
    await server.ended;
    merchant.close();
  });

  test('leaves webhooks of another key alone', async () => {
    const api = await webhookApi();
    const directory = temporaryDirectory();
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const killed = listeningProcess(directory, [], {env});
    await killed.next('ready');
    await killed.stop('SIGKILL');
    const other = listeningProcess(directory, [], {env: {...env, CENTAVO_SECRET_KEY: `${TEST_KEY}2`}});
    await other.next('ready');
    await other.stop();
    expect(api.calls('DELETE')).toEqual(['/webhooks/wh_2']);
    const same = listeningProcess(directory, [], {env});
    expect((await same.next('notice')).message).toContain('wh_1');
    await same.next('ready');
    await same.stop();
    expect(api.calls('DELETE')).toEqual(['/webhooks/wh_2', '/webhooks/wh_1', '/webhooks/wh_3']);
    await api.close();
  });

  test.for(['https://api.example.com', 'https://127.example.com', 'https://localhost.example.com'])(
    'at %s cannot reach this machine: exit 2, with what to do, and nothing sent',
    async (address) => {
      const env = {CENTAVO_BASE_URL: address, CENTAVO_SECRET_KEY: TEST_KEY};
      const result = await commandsIn(temporaryDirectory())(['webhooks', 'listen', '--json'], {env});
      expect(result.status).toBe(2);
      expect(result.error()).toMatchObject({code: 'no_tunnel', hint: expect.stringContaining('--tunnel')});
    },
  );

  test('registers a live webhook only with --live and --yes', async () => {
    const api = await webhookApi();
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: LIVE_KEY};
    const run = commandsIn(temporaryDirectory(), {env});
    for (const words of [[], ['--live']]) {
      const result = await run(['webhooks', 'listen', '--json', ...words]);
      expect(result.status, result.stderr).toBe(12);
      expect(result.error()).toMatchObject({applied: 'no', needs_person: true, next: []});
      expect(result.stderr).not.toMatch(/--(?:live|yes)/);
    }
    expect(api.calls()).toEqual([]);
    const running = listening(temporaryDirectory(), ['--live', '--yes'], {env});
    expect(await running.next('ready')).toMatchObject({mode: 'live', webhook_id: 'wh_1'});
    await running.stop();
    expect(api.calls()).toEqual(['/webhooks', '/webhooks/wh_1']);
    await api.close();
  });

  test('needs no confirmation in live mode if nothing is registered', async () => {
    const env = {CENTAVO_BASE_URL: 'https://api.example.com', CENTAVO_SECRET_KEY: LIVE_KEY};
    const running: Running = listeningWithSecret(temporaryDirectory(), [], {env});
    expect(await running.next('ready')).toMatchObject({mode: 'live', webhook_id: null});
    await running.stop();
  });
});

test('registers nothing with --dry-run, and ends', async () => {
  const directory = temporaryDirectory();
  const merchant = merchantIn(directory);
  expect(await commandsIn(directory)(['webhooks', 'listen', '--dry-run'])).toMatchObject({status: 0});
  expect(leasesLeft(directory)).toEqual([]);
  merchant.close();
});

/** An API with webhooks only, and numbered ids. */
async function webhookApi() {
  let made = 0;
  const server = await rawServer((request) => {
    const [, method, path] = /^(\w+) (\S+)/.exec(request)!;
    const id = method === 'POST' ? `wh_${++made}` : path!.split('/').at(-1)!;
    const {url = 'https://shop.example'} = (
      /\{.*\}$/s.exec(request) ? JSON.parse(/\{.*\}$/s.exec(request)![0]) : {}
    ) as {
      url?: string;
    };
    const webhook = {
      id,
      resource: 'webhook',
      secret_key: 'whsk_0123456789abcdefghijklmnopqrstuv',
      status: 'enabled',
      description: null,
      livemode: false,
      url,
      events: [],
      created_at: 1,
      updated_at: 1,
    };
    return httpAnswer(
      '200 OK',
      JSON.stringify(method === 'DELETE' ? {id, resource: 'webhook', deleted: true} : webhook),
    );
  });
  return {
    url: server.url,
    close: server.close,
    calls: (method = '\\w+') =>
      server.requests.flatMap((request) => new RegExp(`^${method} (\\S+)`).exec(request)?.[1] ?? []),
  };
}
