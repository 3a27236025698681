// The store survives kill -9 under load, a full disk, and a removed folder.

import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {renameSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, expect, onTestFinished, test} from 'vitest';
import {openDatabase} from '../../../src/storage/sqlite.js';
import {eventBody, SECRET} from '../../support/webhooks/events.js';
import {runs} from '../../support/test-size.js';
import {listener, openStore, requestBytes, TOKEN, until} from '../../support/webhooks/listener.js';
import {temporaryDirectory} from '../../support/cli.js';
import {ask, rawApp} from '../../support/webhooks/sockets.js';

let at: string;

beforeEach(() => {
  at = temporaryDirectory();
});

const KILLS = runs(25);

test(`receivers killed ${KILLS} times (test/soak has 200) lose no acknowledged event`, () => {
  const program = join(import.meta.dirname, '../../soak/receiver-crash.mjs');
  console.log(execFileSync(process.execPath, [program, '--kills', String(KILLS)], {encoding: 'utf8'}).trim());
});

/** A receiver whose files are limited to this many blocks of `ulimit`. */
async function confined(path: string, blocks: number) {
  const app = await rawApp();
  // With the signal ignored, a write that goes beyond fails, as one to a full disk does.
  const confinement = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`;
  const program = join(import.meta.dirname, '../../support/webhooks/receiver-process.mjs');
  const child = spawn('sh', ['-c', confinement, process.execPath, program, path, app.url.href, SECRET, TOKEN], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const failures: unknown[] = [];
  const [port] = (await once(child, 'message')) as [number];
  child.on('message', (message) => failures.push(message));
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await app.close();
  });
  const post = async (id: string, size: number): Promise<number> => {
    const body = eventBody({id, objectId: id, description: 'x'.repeat(size)});
    return (await ask(port, requestBytes(port, body))).status;
  };
  return {post, failures, app};
}

test('a full disk: 503, reported once, no acknowledged event lost, and it recovers', async () => {
  const path = `${at}/deliveries.db`;
  const {post, failures, app} = await confined(path, 2048);
  const acknowledged: string[] = [];
  let status = 200;
  for (let index = 0; status === 200; index++) {
    const id = `evt_${index}`;
    status = await post(id, 100_000);
    if (status === 200) acknowledged.push(id);
  }
  expect(status).toBe(503);
  expect(acknowledged.length).toBeGreaterThan(2);
  expect(await Promise.all([1, 2, 3].map((n) => post(`evt_more_${n}`, 100_000)))).toEqual([503, 503, 503]);
  expect(failures).toHaveLength(1);

  const database = openDatabase(path, {journal: 'WAL'});
  const stored = database.all<{event_id: string}>('SELECT event_id FROM deliveries');
  expect(stored.map(({event_id: id}) => id)).toEqual(acknowledged);
  // Removed rows free space within the file, and a checkpoint frees the log.
  database.exec('DELETE FROM deliveries; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  expect(await post('evt_after', 100_000)).toBe(200);
  expect(app.seen).toHaveLength(acknowledged.length + 1);
});

test('a removed folder: 503, reported once, and it recovers', async () => {
  const path = `${at}/kept/deliveries.db`;
  const up = await listener(openStore(path));
  onTestFinished(() => up.close());
  const next = (id: string) => up.post(eventBody({id})).then(({status}) => status);
  expect(await next('evt_1')).toBe(200);
  renameSync(`${at}/kept`, `${at}/away`);
  expect([await next('evt_2'), await next('evt_3')]).toEqual([503, 503]);
  expect(up.failures).toHaveLength(1);
  expect(up.deliveries).toHaveLength(1);
  expect(up.refused.map(({reason}) => reason)).toEqual(['not_stored', 'not_stored']);
  renameSync(`${at}/away`, `${at}/kept`);
  expect(await next('evt_2')).toBe(200);
  renameSync(`${at}/kept`, `${at}/away`);
  expect(await next('evt_4')).toBe(503);
  expect(up.failures).toHaveLength(2);
  renameSync(`${at}/away`, `${at}/kept`);
  await until(() => up.store.list({limit: 10}).length === 2);
});
