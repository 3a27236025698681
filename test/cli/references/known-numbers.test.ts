// Caches the ids of numbers to save requests. A cached id is used only if the object has the number.

import {chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {statementNumberCache} from '../../../src/billing/account/lookup-cache.js';
import {temporaryDirectory} from '../../support/cli.js';
import {person} from '../../support/scenarios/accounts.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {pagedService, statementNumbered} from '../../support/services/paged-service.js';
import {LIVE_KEY, TEST_KEY} from '../../support/services/servers.js';

const NUMBER = 'SHOP-0101';
const ID = statementNumbered(101).id as string;
const WARM = [`GET /billing_statements/${ID}`];

/** A merchant with the profiles shop (test and live) and bakery, and 250 statements: an uncached lookup takes two pages. */
async function merchantWith(env: Record<string, string> = {}) {
  const api = await pagedService();
  api.statements = Array.from({length: 250}, (_, index) => statementNumbered(250 - index));
  const someone = person(env);
  for (const profile of ['shop', 'bakery']) await someone.keep(TEST_KEY, api.url, {profile});
  await someone.keep(LIVE_KEY, api.url);
  const look = async (profile = 'shop', ...flags: string[]) => {
    const {status} = await someone.run(['get', NUMBER, '--dry-run', '-p', profile, ...flags]);
    expect(status).toBe(0);
    return api.taken();
  };
  const folder = join(someone.directory, 'statement-numbers', 'shop');
  const file = () => join(folder, readdirSync(folder)[0]!);
  return {...someone, api, look, folder, file};
}

test('the second lookup takes one request; the file is private', async () => {
  const {look, file} = await merchantWith();
  expect(await look()).toHaveLength(2);
  expect(await look()).toEqual(WARM);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(readFileSync(file(), 'utf8')).not.toContain('MadeUp');
});

test('a number that moved to another statement is looked up again', async () => {
  const {api, look} = await merchantWith();
  await look();
  const [last, moved] = [api.statements.length - 1, api.statements.findIndex(({id}) => id === ID)];
  api.statements[moved] = {...api.statements[moved]!, billing_statement_number: 'SHOP-0777'};
  api.statements[last] = {...api.statements[last]!, billing_statement_number: NUMBER};
  expect((await look()).slice(0, 2)).toEqual([...WARM, 'GET /billing_statements?limit=100']);
  expect(await look()).toEqual([`GET /billing_statements/${api.statements[last]!.id}`]);
});

test('a deleted statement is not found, and removed from the cache', async () => {
  const {api, run, look, file} = await merchantWith();
  await look();
  api.statements = api.statements.filter(({id}) => id !== ID);
  expect(await run(['get', NUMBER, '-p', 'shop'])).toMatchObject({status: 3});
  expect(readFileSync(file(), 'utf8')).not.toContain(ID);
});

test('each profile, mode and address has its own cache', async () => {
  const {api, look, keep} = await merchantWith();
  await look();
  expect(await look('bakery')).toHaveLength(2);
  expect(await look('shop', '--live')).toHaveLength(2);
  const other = await pagedService();
  other.statements = api.statements;
  await keep(TEST_KEY, other.url);
  await look();
  expect(other.taken()).toHaveLength(2);
});

describe('an unusable file is ignored and replaced', () => {
  test.for([
    ['damaged', (path: string) => writeFileSync(path, '[["SHOP-0101","bstm_')],
    ['of another kind', (path: string) => writeFileSync(path, '{"SHOP-0101": 5}')],
    ['with what is no id', (path: string) => writeFileSync(path, JSON.stringify([[NUMBER, '../customers']]))],
    ['with the id of something else', (path: string) => writeFileSync(path, JSON.stringify([[NUMBER, 'cus_2mQ8']]))],
    ['readable by others', (path: string) => chmodSync(path, 0o644)],
  ] as const)('%s', async ([, spoil]) => {
    const {look, file} = await merchantWith();
    await look();
    spoil(file());
    expect((await look())[0]).toBe('GET /billing_statements?limit=100');
    expect(await look()).toEqual(WARM);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test('a link is replaced, and its target unchanged', async () => {
    const {look, file, directory} = await merchantWith();
    await look();
    const [path, target] = [file(), join(directory, 'target')];
    writeFileSync(target, 'mine');
    rmSync(path);
    symlinkSync(target, path);
    expect(await look()).toHaveLength(2);
    expect(await look()).toEqual(WARM);
    expect(readFileSync(target, 'utf8')).toBe('mine');
  });

  test('without a writable file, everything works without a cache', async () => {
    const {look, directory} = await merchantWith();
    writeFileSync(join(directory, 'statement-numbers'), 'in the way');
    expect(await look()).toHaveLength(2);
    expect(await look()).toHaveLength(2);
  });
});

describe('the cache is cleared', () => {
  test.for([
    ['with the keys', ['logout', '-p', 'shop', '--yes']],
    ['with the profile', ['profiles', 'remove', 'shop', '--yes']],
  ] as const)('%s', async ([, words]) => {
    const {look, run, folder} = await merchantWith();
    await look();
    await look('bakery');
    expect(await run(words)).toMatchObject({status: 0});
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(join(folder, '..', 'bakery'))).toBe(true);
  });

  test('when the sandbox is reset', async () => {
    const directory = temporaryDirectory();
    const merchant = new Merchant(directory);
    const {billing_statement_number: number} = await merchant.open();
    const run = commandsIn(directory);
    expect(await run(['get', number])).toMatchObject({status: 0});
    expect(existsSync(join(directory, 'statement-numbers', 'sandbox'))).toBe(true);
    expect(await run(['sandbox', 'reset', '--yes'])).toMatchObject({status: 0});
    expect(existsSync(join(directory, 'statement-numbers', 'sandbox'))).toBe(false);
    merchant.close();
  });

  test('CENTAVO_NO_CACHE neither writes nor reads the cache', async () => {
    const {look, folder} = await merchantWith({CENTAVO_NO_CACHE: '1'});
    expect(await look()).toHaveLength(2);
    expect(await look()).toHaveLength(2);
    expect(existsSync(folder)).toBe(false);
  });
});

test('keeps at most the newest ten thousand of an account', () => {
  const directory = temporaryDirectory();
  const options = {directory, profile: 'shop', mode: 'test', user: process.getuid?.(), token: () => 't1'};
  const pairs = (from: number, to: number) =>
    new Map(Array.from({length: to - from}, (_, at) => [`SHOP-${from + at}`, `bstm_${from + at}`]));
  statementNumberCache(options).update(pairs(0, 9000));
  statementNumberCache(options).update(pairs(9000, 12_000));
  const known = statementNumberCache(options);
  expect([0, 6999, 7000, 8999, 9000, 11_999].map((number) => known.get(`shop-${number}`))).toEqual([
    'bstm_0',
    'bstm_6999',
    undefined,
    undefined,
    'bstm_9000',
    'bstm_11999',
  ]);
});
