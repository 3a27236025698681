// An app with the saved secret: no event is refused or lost over restarts, resets, deleted webhooks and replays.

import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createClient} from '../../../src/client/client.js';
import {createRegistrar} from '../../../src/context/registrar.js';
import {everyEvent} from '../../../src/input/event-filter.js';
import {createEmbeddedSandbox} from '../../../src/sandbox/embedded.js';
import type {DeliveryStore} from '../../../src/webhooks/store/deliveries.js';
import type {ListenRecord} from '../../../src/webhooks/listen/listen-record.js';
import {startListener} from '../../../src/webhooks/listen/listener.js';
import {inspectSignature} from '../../../src/webhooks/signature/signature.js';
import {directProvider} from '../../../src/webhooks/tunnels/tunnel.js';
import {runs} from '../../support/test-size.js';
import {temporaryDirectory} from '../../support/cli.js';
import {openStore, OWNER, until} from '../../support/webhooks/listener.js';
import {OK, rawApp} from '../../support/webhooks/sockets.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const BUSY = 'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n';
const REFUSED = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n';
const EVENT = 'refund.created';
const ROUND = ['restart', 'reset', 'delete', 'replay', 'leftover'] as const;

test('no event is refused or lost', async () => {
  const path = temporaryDirectory();
  /** Ten minutes pass in each round, so that every signature of an earlier one is too old. */
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  const seconds = (): number => Math.floor(now() / 1000);
  const sandbox = createEmbeddedSandbox({path: join(path, 'sandbox.db'), now: seconds});
  let store!: DeliveryStore;
  const {handle, keys} = sandbox;
  const client = createClient({
    key: keys.secret,
    transport: handle,
    userAgent: 'test',
    now,
    random: Math.random,
    timeout: 60_000,
  });
  const registrar = await createRegistrar({
    io: {addSecret: () => {}},
    events: [EVENT],
    sandbox: () => Promise.resolve(sandbox),
    client: () => Promise.resolve(client),
    connection: () => Promise.resolve({mode: 'sandbox', profile: {value: 'sandbox'}}),
    key: () => Promise.resolve(undefined),
  } as unknown as Parameters<typeof createRegistrar>[0]);

  let secret: string | undefined;
  let busy = false;
  let started = 0;
  const [taken, refused] = [new Set<string>(), [] as string[]];
  const app = await rawApp(({fields, body}) => {
    const header = fields.filter(([name]) => name.toLowerCase() === 'payrex-signature').map(([, value]) => value);
    const {genuine} = inspectSignature({body, header, secrets: [secret!], now: seconds()});
    const {id} = JSON.parse(body.toString()) as {id: string};
    if (!genuine) refused.push(id);
    if (!genuine) return REFUSED;
    if (busy) return BUSY;
    taken.add(id);
    return OK;
  });

  let records: ListenRecord[] = [];
  const said = (type: ListenRecord['type']) => records.filter((record) => record.type === type).length;
  const start = async () => {
    records = [];
    // Each run is another process.
    const owner = {...OWNER, startedAt: ++started};
    store = openStore(join(path, 'deliveries.db'), owner);
    const ending = new AbortController();
    const {done, forwarder} = await startListener({
      store,
      owner,
      isAlive: () => false,
      allowsPruning: () => true,
      endpoint: {profile: 'sandbox', mode: 'sandbox', name: path, isNamed: false, keep: false},
      profile: 'sandbox',
      mode: 'test',
      verify: true,
      signing: {registrar},
      provider: directProvider(),
      accepts: everyEvent,
      targets: [{url: app.url, accepts: everyEvent}],
      report: (record) => records.push(record),
      signal: ending.signal,
      now,
      random: Math.random,
      token: (length) => sandbox.perform((tx) => tx.token(length)),
      // Checks all the time, instead of every second.
      sleep: (_, signal) =>
        new Promise((resolve, reject) =>
          setTimeout(() => (signal.aborted ? reject(signal.reason as Error) : resolve(undefined)), 2),
        ),
    });
    const sending = sandbox.startDelivery();
    await until(() => said('ready') === 1);
    const ready = records.find((record) => record.type === 'ready')!;
    return {
      forwarder,
      ready,
      end: async () => {
        ending.abort();
        await done;
        await sending.stop();
        expect(store.list({limit: 1, failed: true})).toHaveLength(busy ? 1 : 0);
        store.close();
      },
    };
  };
  const cause = async (): Promise<string> => {
    const {id} = controlOf(sandbox).trigger(EVENT, {}) as {id: string};
    await until(() => busy || taken.has(id));
    return id;
  };

  let running = await start();
  secret = running.ready.secret;
  const {url} = running.ready;
  for (let round = 0; round < runs(100); round += 1) {
    const kind = ROUND[round % ROUND.length]!;
    ahead += 600_000;
    if (kind === 'replay') {
      const [old] = store.list({limit: 1});
      expect(await running.forwarder.replay(old!, app.url)).toMatchObject({status: 200});
    }
    if (kind === 'leftover') {
      busy = true;
      const id = await cause();
      await until(
        () =>
          store.list({limit: 1})[0]?.event.id === id &&
          store.forwards.attempts(store.list({limit: 1})[0]!.id).length > 0,
      );
      await running.end();
      ahead += 600_000;
      busy = false;
      running = await start();
      await until(() => taken.has(id));
    }
    if (kind === 'restart') {
      await running.end();
      running = await start();
    }
    const before = said('reconnected');
    if (kind === 'reset') sandbox.reset();
    if (kind === 'delete')
      await client.webhooks.delete((await client.webhooks.list({limit: 1}).then(({data}) => data[0]!)).id);
    if (kind === 'reset' || kind === 'delete') await until(() => said('reconnected') > before);
    await cause();
    expect(refused, kind).toEqual([]);
  }
  expect(running.ready).toMatchObject({url, secret});
  await running.end();
  expect(sandbox.perform((tx) => tx.store.list('webhook', {limit: 10}).data)).toEqual([]);
  await app.close();
  await client.close();
  sandbox.close();
});
