// What release 0.1.0 wrote is read by this one: profiles, key files, history, deliveries, the sandbox.

import {cpSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {gunzipSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {openDeliveries} from '../../src/webhooks/store/deliveries.js';
import {cli, temporaryDirectory} from '../support/cli.js';
import {httpAnswer, rawServer} from '../support/services/servers.js';

const OLD = join(import.meta.dirname, '0.1.0');
const KEY = 'sk_test_oldshopkey0123456789ABCDEFG';
const KEY_FILE = 'key-shop-j1oyh8srik.test_secret-eab21095';
const CUSTOMER = 'cus_OJrSd6OE5myj8HMMmcil68DyohUqUYVL';
const STATEMENT = 'bstm_gUbMCwxDwRxhViUobCRD0gcZ3ICDS266';

/** The folder as it was left, and a function that runs today's program in it. */
function inherited(): {directory: string; run: ReturnType<typeof cli>} {
  const directory = temporaryDirectory();
  const keys = join(directory, 'keys');
  mkdirSync(keys, {mode: 0o700});
  for (const name of ['config.json', 'history.jsonl']) cpSync(join(OLD, name), join(directory, name));
  writeFileSync(join(keys, KEY_FILE), readFileSync(join(OLD, KEY_FILE)), {mode: 0o600});
  for (const name of ['sandbox.db', 'deliveries.db'])
    writeFileSync(join(directory, name), gunzipSync(readFileSync(join(OLD, `${name}.gz`))), {mode: 0o600});
  return {directory, run: cli(directory, {env: {CENTAVO_CONFIG_DIR: directory}})};
}

describe('of release 0.1.0', () => {
  test('the sandbox is read, and goes on from where it was', async () => {
    const {run} = inherited();
    const statement = (await run(['billing-statements', 'get', STATEMENT, '--json'])).json();
    expect(statement).toMatchObject({
      id: STATEMENT,
      status: 'paid',
      amount: 3_125_050,
      customer_id: CUSTOMER,
      due_at: 1_955_116_799,
      line_items: [
        {description: 'Web design', quantity: 2, unit_price: 1_500_000},
        {description: 'Hosting', quantity: 1, unit_price: 125_050},
      ],
    });
    const {data} = (await run(['billing-statements', 'list', '--json'])).json();
    expect(data.map(({status}: {status: string}) => status).sort()).toEqual(['draft', 'paid', 'paid']);
    expect((await run(['customers', 'get', CUSTOMER, '--json'])).json()).toMatchObject({name: 'Niño Reyes'});
    expect((await run(['sandbox', 'events', 'list', '--json'])).json().data.length).toBeGreaterThan(5);

    // The number follows the two that this customer has.
    const words = [
      'billing-statements',
      'create',
      '--customer',
      CUSTOMER,
      '--item',
      'Next @ 100',
      '--due',
      '+30d',
      '--finalize',
    ];
    const next = await run([...words, '--json']);
    expect(next.status, next.stderr).toBe(0);
    expect(next.json()).toMatchObject({status: 'open', billing_statement_number: 'NAC57WPK-0003'});
    const draft = data.find(({status}: {status: string}) => status === 'draft').id as string;
    expect((await run(['billing-statements', 'delete', draft, '--yes'])).status).toBe(0);
    const paid = await run(['sandbox', 'pay', next.json().id, '--json']);
    expect(paid.status, paid.stderr).toBe(0);
  });

  test('the sandbox keeps its keys, and is reset in its place', async () => {
    const {run} = inherited();
    const done = await run(['sandbox', 'reset', '--json']);
    expect(done.json()).toEqual({reset: true});
    expect((await run(['customers', 'list', '--json'])).json().data).toEqual([]);
  });

  test('the history lists every write', async () => {
    const {run} = inherited();
    const {data} = (await run(['history', '--json'])).json();
    expect(data.map(({command, result}: Record<string, string>) => `${command}: ${result}`)).toEqual([
      'webhooks listen: terminated',
      'billing-statements create: ok',
      'billing-statements create: ok',
      'customers create: ok',
    ]);
    expect(data[2]).toMatchObject({amount: 3_125_050, ids: [CUSTOMER, STATEMENT], applied: 'yes'});
  });

  test('the deliveries are listed, with their bodies and attempts, and are still to be taken', async () => {
    const {directory} = inherited();
    const store = openDeliveries(join(directory, 'deliveries.db'), {
      owner: {pid: process.pid, startedAt: 0},
    });
    const all = [...store.list({limit: 100})];
    expect(all).toHaveLength(43);
    expect(all.every(({verdict}) => verdict.genuine)).toBe(true);
    const paid = all.find(({event}) => event.type === 'billing_statement.paid')!;
    expect(JSON.parse(Buffer.from(paid.body).toString())).toMatchObject({
      id: paid.event.id,
      type: 'billing_statement.paid',
    });
    expect(store.list({limit: 100, failed: true}).length).toBeGreaterThan(0);
    store.close();
  });

  test('the profiles are there, and the stored keys are sent to the addresses that they were stored for', async () => {
    const {directory, run} = inherited();
    expect((await run(['profiles', 'list'])).stdout).toMatch(/sandbox[^]*shop[^]*DEFG[^]*api\.shop\.example[^]*pass/);
    expect((await run(['config', 'get', '-p', 'shop', 'max_amount'])).stdout).toContain('₱50,000.00');

    // The address has no host here: the same file, for a server of this test.
    const server = await rawServer(() => httpAnswer('200 OK', '{"resource":"list","has_more":false,"data":[]}'));
    const config = join(directory, 'config.json');
    writeFileSync(config, readFileSync(config, 'utf8').replaceAll(/https:\/\/api\.(shop|pass)\.example/g, server.url));
    for (const [profile, key] of [
      ['shop', KEY],
      ['pass', 'sk_test_cmdkey0123456789abcdefgh'],
    ]) {
      const listed = await run(['customers', 'list', '-p', profile!]);
      expect(listed.status, listed.stderr).toBe(0);
      expect(server.requests.at(-1)).toContain(Buffer.from(`${key}:`).toString('base64'));
    }
    await server.close();
  });
});
