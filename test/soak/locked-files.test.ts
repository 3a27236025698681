// Files that another program keeps locked: each command waits ten seconds for it, then says so, and has changed nothing.

import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {openDatabase} from '../../src/storage/sqlite.js';
import {app} from '../support/services/app.js';
import {listening} from '../support/scenarios/listening.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {cli, temporaryDirectory} from '../support/cli.js';
import {controlOf} from '../../src/sandbox/control/control.js';

const CREATE = ['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com', '--json'];
const LISTEN = ['webhooks', 'listen', '--count', '1', '--timeout', '60s', '--json'];

/** Holds the only lock there is; what is returned lets go of it. */
function lock(path: string): () => void {
  const database = openDatabase(path);
  onTestFinished(() => database.close());
  database.exec('BEGIN EXCLUSIVE');
  return () => database.exec('ROLLBACK');
}

const state = async (run: ReturnType<typeof cli>) => ({
  customers: (await run(['customers', 'list', '--json'])).json().data,
  webhooks: (await run(['webhooks', 'list', '--json'])).json().data,
  deliveries: (await run(['webhooks', 'deliveries', 'list', '--json'])).json().data,
});

describe.for<[string, string, string[][]]>([
  [
    'the sandbox',
    'sandbox.db',
    [
      CREATE,
      ['customers', 'list', '--json'],
      ['sandbox', 'reset', '--yes', '--json'],
      ['sandbox', 'serve', '--port', '0', '--json'],
      LISTEN,
    ],
  ],
  ['the store of deliveries', 'deliveries.db', [['webhooks', 'deliveries', 'list', '--json'], LISTEN]],
])('%s', ([, name, commands]) => {
  test('that is locked: exit 15, file_busy, nothing applied; let go, it is as it was, and can be changed', async () => {
    const directory = temporaryDirectory();
    const run = cli(directory);
    expect((await run(CREATE)).status).toBe(0);
    const before = await state(run);
    const path = join(directory, name);
    const release = lock(path);
    const results = await Promise.all(commands.map((words) => run(words)));
    release();
    for (const [index, result] of results.entries()) {
      const words = commands[index]!.join(' ');
      expect(result.status, `${words}: ${result.stderr}`).toBe(15);
      expect(result.stdout, words).not.toContain('"ready"');
      const error = JSON.parse(result.stderr.trim().split('\n').at(-1)!).error;
      expect(error, words).toMatchObject({code: 'file_busy', exit_code: 15, applied: 'no', retryable: true});
      expect(error.message, words).toContain(path);
      expect(error.message, words).toMatch(/Another program is using it/);
    }
    expect(await state(run)).toEqual(before);
    expect((await run(CREATE)).status).toBe(0);
  });
});

test('a store that is locked while one listens: it is said, the event is kept by who sends it, and comes when it is let go', async () => {
  const directory = temporaryDirectory();
  const customer = await app();
  const once = ['--events', 'payout.deposited', '--count', '1'];
  const running = listening(directory, ['--forward-to', String(customer.port), ...once]);
  await running.next('ready');
  const release = lock(join(directory, 'deliveries.db'));
  const merchant = new Merchant(directory);
  const {id} = controlOf(merchant.sandbox).trigger('payout.deposited', {});
  merchant.close();
  expect((await running.next('notice')).message).toMatch(
    /answered with 503: .*deliveries\.db.* Another program is using it/,
  );
  release();
  expect(await running.ended).toMatchObject({status: 0});
  expect(running.records().filter(({type, event_id}) => type === 'delivery' && event_id === id)).toHaveLength(1);
  expect(customer.hits.filter(({body}) => JSON.parse(String(body)).id === id)).toHaveLength(1);
});
