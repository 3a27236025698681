// The account of a command: its id, the line that a new sandbox draws, and the time of its service.

import {existsSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {Configuration} from '../../src/config/profiles.js';
import type {Connection} from '../../src/config/resolve.js';
import {accountIdOf} from '../../src/context/account-id.js';
import {fingerprint} from '../../src/config/keys/keys.js';
import {openSandbox} from '../../src/sandbox/sandbox.js';
import {loadSnapshot, saveSnapshot} from '../../src/sandbox/snapshots.js';
import {openDatabase} from '../../src/storage/sqlite.js';
import {temporaryDirectory} from '../support/cli.js';
import {commandsIn} from '../support/commands.js';
import {historyIn, OK, recordOne} from '../support/history/history.js';
import {machineOf} from '../support/scenarios/machine.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {importFile, importService} from '../support/services/import-service.js';
import {controlOf} from '../../src/sandbox/control/control.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the id', () => {
  const [one, two, three] = ['sk_live_1111111111', 'sk_live_2222222222', 'sk_live_3333333333'];
  const known = (...keys: string[]) => keys.map((key) => `live_secret-${fingerprint(key)}`);
  const stored = (key: string) => ({live_secret: {store: 'file', fingerprint: fingerprint(key)}});
  const idOf = async (profiles: object, used: object, baseUrl = 'https://api.example.com') =>
    accountIdOf(
      {
        baseUrl: {value: baseUrl},
        mode: 'live',
        profile: {value: 'shop'},
        key: {slot: 'live_secret', ...used},
      } as Connection,
      {profiles} as Configuration,
      () => expect.fail('no sandbox'),
    );
  const named = `https://api.example.com live ${known(one)[0]}`;

  test.each<[string, object, object]>([
    ['a key of the environment', {}, {value: one}],
    ['a rolled key', {shop: {keys: stored(two), known_keys: known(one, two)}}, stored(two).live_secret],
    ['a key that a profile has had', {shop: {keys: {}, known_keys: known(one, two)}}, {value: two}],
    [
      'profiles that share a key',
      {
        first: {keys: stored(one), known_keys: known(one, two)},
        shop: {keys: stored(three), known_keys: known(two, three)},
      },
      {value: three},
    ],
    ['a key of the profile env', {env: {keys: {}, known_keys: known(two, one)}}, {value: one}],
  ])('names %s by the first key', async (_, profiles, used) => {
    const key = 'value' in used ? used : {stored: used};
    expect(await idOf(profiles, key)).toBe(named);
    expect(await idOf(profiles, key, 'https://api.example.com/')).toBe(named);
    expect(await idOf(profiles, key, 'https://other.example.com')).not.toBe(named);
  });

  test('names the key of a program by its profile', async () => {
    const shop = {id: 'shop-x1', keys: {live_secret: {store: 'command'}}, known_keys: ['live_secret']};
    const expected = 'https://api.example.com live live_secret-shop-x1';
    expect(await idOf({shop}, {stored: shop.keys.live_secret})).toBe(expected);
    const rolled = {...shop, keys: stored(two), known_keys: ['live_secret', ...known(two)]};
    expect(await idOf({shop: rolled}, {stored: stored(two).live_secret})).toBe(expected);
  });
});

async function paidStatement(directory: string) {
  const merchant = new Merchant(directory);
  onTestFinished(() => merchant.close());
  const {id} = await merchant.open();
  controlOf(merchant.sandbox).pay(id as string, {});
  const refund = ['refunds', 'create', '--statement', id as string, '--reason', 'others', '--amount', '100', '--json'];
  return {merchant, refund};
}

describe('a new life of the sandbox', () => {
  test('a reset between two equal imports: the second one bills', async () => {
    const directory = temporaryDirectory();
    const run = commandsIn(directory, {pace: 0.001});
    const file = join(directory, 'june.csv');
    writeFileSync(file, importFile(2).text);
    for (const _ of [1, 2]) {
      expect(await run(['sandbox', 'reset', '--yes'])).toMatchObject({status: 0});
      expect(await run(['billing-statements', 'import', file, '--yes'])).toMatchObject({status: 0});
      expect((await run(['billing-statements', 'list', '--json'])).json().data).toHaveLength(2);
    }
  });

  test('a snapshot loaded after a refund: the refund is allowed again', async () => {
    const directory = temporaryDirectory();
    const run = commandsIn(directory);
    const {merchant, refund} = await paidStatement(directory);
    const name = saveSnapshot(merchant.sandbox);
    expect(await run(refund)).toMatchObject({status: 0});
    expect((await run(refund)).error()).toMatchObject({code: 'repeated_refund'});
    loadSnapshot(merchant.sandbox, name);
    expect(await run(refund)).toMatchObject({status: 0});
    expect((await run(refund)).error()).toMatchObject({code: 'repeated_refund'});
    expect((await run(['history', '--json'])).json().data).toHaveLength(2);
  });

  test('ends the runs that began before it; listeners register again', async () => {
    const path = join(temporaryDirectory(), 'sandbox.db');
    const [old, other] = [openSandbox({path}), openSandbox({path})];
    onTestFinished(() => [old, other].forEach((each) => each.close()));
    const send = (method: 'GET' | 'POST', target: string, body: object) =>
      old.handle({
        ...{method, path: target, query: '', body: Buffer.from(JSON.stringify(body))},
        headers: {authorization: `Basic ${btoa(`${old.keys.secret}:`)}`, 'content-type': 'application/json'},
      } as never);
    const customer = {name: 'Ana', email: 'ana@example.com', currency: 'PHP'};
    expect(await send('POST', '/customers', customer)).toMatchObject({status: 200});
    other.reset();
    await expect(send('POST', '/customers', customer)).rejects.toMatchObject({code: 'sandbox_reset'});
    expect(other.perform(({store}) => store.counts())).toEqual({});
    const webhook = {url: 'https://shop.example/hooks', events: ['payment_intent.succeeded']};
    expect(await send('POST', '/webhooks', webhook)).toMatchObject({status: 200});
    old.reset();
    expect(await send('POST', '/customers', customer)).toMatchObject({status: 200});
  });

  test('ends an import: no object of it is in the new sandbox', async () => {
    const directory = temporaryDirectory();
    const other = openSandbox({path: join(directory, 'sandbox.db')});
    onTestFinished(() => other.close());
    const file = join(directory, 'june.csv');
    writeFileSync(file, importFile(40).text);
    const running = commandsIn(directory, {pace: 0.001})(['billing-statements', 'import', file, '--yes', '--json']);
    while (!other.read(({store}) => store.counts().billing_statement)) await new Promise(setImmediate);
    other.reset();
    const {status, stderr} = await running;
    expect([status, stderr]).toEqual([expect.not.stringMatching(/^0$/), expect.stringContaining('sandbox_reset')]);
    expect(other.read(({store}) => store.counts())).toEqual({});
  });

  test('is not made by a command that only looks for what it remembers', async () => {
    const directory = temporaryDirectory();
    expect((await commandsIn(directory)(['jobs', 'resume', '--yes', '--json'])).error()).toMatchObject({
      code: 'no_job',
    });
    expect(existsSync(join(directory, 'sandbox.db'))).toBe(false);
  });
});

describe('a clock that jumps 40 days', () => {
  test('still refuses the refund of an hour ago, by the time of the service', async () => {
    const {merchant, refund} = await paidStatement(temporaryDirectory());
    const {run, server} = await machineOf(merchant);
    const start = Math.floor(Date.now() / 1000);
    server.now = () => start * 1000;
    const jumped = {now: () => Date.now() + 40 * DAY};
    expect(await run(refund, jumped)).toMatchObject({status: 0});
    const [first] = (await run(['history', '--json'])).json().data;
    expect([start - first.at, start - first.ended_at].map(Math.abs).every((seconds) => seconds < 5)).toBe(true);
    server.now = () => start * 1000 + HOUR;
    for (const clock of [jumped, {}, {now: () => Date.now() - 40 * DAY}])
      expect((await run(refund, clock)).error()).toMatchObject({code: 'repeated_refund', before: {at: first.at}});
    server.now = () => start * 1000 + 21 * HOUR;
    expect(await run(refund, {})).toMatchObject({status: 0});
  });

  test('removes no job, until the clocks agree', async () => {
    const service = await importService();
    onTestFinished(() => service.close());
    const directory = temporaryDirectory();
    const jobs = () => readdirSync(join(directory, 'jobs')).filter((name) => name.endsWith('.db'));
    const run = commandsIn(directory, {pace: 0.001, env: service.env});
    const imports = async (name: string, rows: number, options = {}) => {
      const file = join(directory, name);
      writeFileSync(file, importFile(1, rows).text);
      return run(['billing-statements', 'import', file, '--yes'], options);
    };
    expect(await imports('a.csv', 1)).toMatchObject({status: 0});
    const [old] = jobs();
    expect(await imports('b.csv', 2, {now: () => Date.now() + 100 * DAY})).toMatchObject({status: 0});
    expect(jobs()).toContain(old);
    const database = openDatabase(join(directory, 'jobs', old!));
    database.exec(`UPDATE job SET ended_at = ended_at - ${(100 * DAY) / 1000}`);
    database.close();
    expect(await imports('c.csv', 3)).toMatchObject({status: 0});
    expect(jobs()).not.toContain(old);
  });
});

test('an older history is upgraded, and still consulted for every account', () => {
  const directory = temporaryDirectory();
  const older = historyIn(directory);
  recordOne(older, {command: 'billing-statements settle', reason: 'cash', ids: ['bstm_1']}, OK);
  older.close();
  const database = openDatabase(older.path);
  for (const column of ['account', 'pid', 'pid_started_at', 'agent'])
    database.exec(`ALTER TABLE change DROP COLUMN ${column}`);
  database.exec('PRAGMA user_version = 2');
  database.close();
  const history = historyIn(directory, {first: 2});
  history.account = 'https://api.example.com live live_secret-1';
  recordOne(history, {command: 'billing-statements settle', reason: 'cash', ids: ['bstm_2']}, OK);
  const settledIn = (account: string) =>
    [...Object.assign(historyIn(directory), {account}).settlements().keys()].sort();
  expect(settledIn('https://api.example.com live live_secret-2')).toEqual(['bstm_1', 'bstm_2']);
  expect(settledIn('https://api.example.com test test_secret-1')).toEqual(['bstm_1']);
  expect(settledIn('sandbox default one')).toEqual(['bstm_1']);
});
