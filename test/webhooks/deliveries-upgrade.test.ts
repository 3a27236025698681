// What release 0.1.0 stored is read, and goes on from where it was. The fixture was written by that release's own code.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {openDatabase} from '../../src/storage/sqlite.js';
import {RETENTION} from '../../src/webhooks/store/deliveries.js';
import {folder, openStore} from '../support/webhooks/listener.js';

const FIXTURE = readFileSync(join(import.meta.dirname, 'fixtures/deliveries-0.1.0.sql'), 'utf8');
const AT = 1_790_000_000_000;
const TARGET = 'http://localhost:3000/hook';

function storeOf010(): string {
  const at = folder();
  onTestFinished(at.remove);
  const path = join(at.path, 'deliveries.db');
  const database = openDatabase(path);
  database.exec(FIXTURE);
  database.close();
  return path;
}

const versionOf = (path: string): number => {
  const database = openDatabase(path);
  const {user_version: version} = database.prepare('PRAGMA user_version').get<{user_version: number}>()!;
  database.close();
  return version;
};

test('deliveries, attempts, leases and what waits are as they were, with no webhook', () => {
  const path = storeOf010();
  expect(versionOf(path)).toBe(1);
  // Opened again, nothing is left to be done.
  for (const store of [openStore(path), openStore(path)]) {
    expect(store.list({limit: 10}).map(({id, webhook, duplicateOf}) => [id, webhook, duplicateOf])).toEqual([
      ['dlv_shown', undefined, undefined],
      ['dlv_waiting', undefined, undefined],
      ['dlv_refused', undefined, undefined],
      ['dlv_again', undefined, 'dlv_taken'],
      ['dlv_taken', undefined, undefined],
    ]);
    expect(store.get('dlv_again')!.body).toEqual(store.get('dlv_taken')!.body);
    expect(store.get('dlv_refused')).toMatchObject({
      receivedAt: AT,
      profile: 'sandbox',
      event: {id: 'evt_2', type: 'billing_statement.paid', objectId: 'bstm_1', amount: 125_050},
      verdict: {genuine: true, mode: 'test'},
    });
    expect(store.forwards.attempts('dlv_again')).toEqual([
      {deliveryId: 'dlv_taken', target: TARGET, attempt: 1, startedAt: AT + 5, durationMs: 12, status: 200},
    ]);
    expect(store.list({limit: 10, failed: true}).map(({id}) => id)).toEqual(['dlv_waiting', 'dlv_refused']);
    expect(store.endpoints.deadLeases('sandbox', () => false)).toMatchObject([{id: 'l1', webhookId: 'wh_1'}]);
    store.close();
  }
  expect(versionOf(path)).toBe(3);
});

test('what waits is taken over, what comes now knows its webhook, and only what was taken is pruned', async () => {
  const store = openStore(storeOf010());
  onTestFinished(() => store.close());
  expect(store.forwards.adopt(TARGET, 'sandbox', () => false)).toEqual(['dlv_waiting']);
  const waiting = store.get('dlv_waiting')!;
  const now = {...waiting, id: 'dlv_new', receivedAt: AT + 2 * RETENTION, webhook: 'wh_2'};
  expect(await store.record(now)).toEqual({});
  expect(store.get('dlv_new')).toEqual(now);
  await store.prune(AT + 2 * RETENTION);
  expect(store.list({limit: 10}).map(({id}) => id)).toEqual(['dlv_new', 'dlv_waiting', 'dlv_refused']);
});
