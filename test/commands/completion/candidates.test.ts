// Completion candidates for typed words, from local files only.

import {chmodSync, existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {statementNumberCache} from '../../../src/billing/account/lookup-cache.js';
import {temporaryDirectory} from '../../support/cli.js';
import {command, commandsIn} from '../../support/commands.js';
import {serve} from '../../support/scenarios/accounts.js';
import {httpAnswer} from '../../support/services/servers.js';

const ID = 'bstm_ztPmjWfvC5OSkYDfM9FPaihBFtCtY0pX';
const KEY = {last4: 'cdef', origin: 'https://api.example', checked_at: 1, store: 'keychain', fingerprint: '0a0a0a0a'};

interface Account {
  readonly profile: string;
  readonly mode: string;
  readonly baseUrl?: string;
}
const SANDBOX: Account = {profile: 'sandbox', mode: 'sandbox'};

/** A person with profiles shop, whose key is in no store, and bakery, and with these cached numbers. */
function somebody(seen: readonly (readonly [Account, readonly string[]])[] = [], profile = 'sandbox') {
  const directory = temporaryDirectory();
  const configuration = join(directory, '.config', 'centavo');
  mkdirSync(configuration, {recursive: true, mode: 0o700});
  const shop = {keys: {test_secret: KEY, live_secret: KEY}, base_url: 'https://api.example'};
  const bakery = {keys: {}, base_url: 'https://api.example'};
  writeFileSync(
    join(configuration, 'config.json'),
    JSON.stringify({
      version: 1,
      profile,
      profiles: {shop: {id: 'shop-1', ...shop}, bakery: {id: 'bakery-1', ...bakery}},
    }),
    {mode: 0o600},
  );
  for (const [account, numbers] of seen)
    statementNumberCache({directory, ...account, user: process.getuid?.(), token: () => 'new'}).update(
      new Map(numbers.map((number) => [number, ID])),
    );
  const run = commandsIn(directory);
  const offered = async (...words: string[]): Promise<string[]> => {
    const {status, stdout, stderr} = await run(['__complete', 'words', ...words]);
    expect({status, stderr}).toEqual({status: 0, stderr: ''});
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t')[0]!);
  };
  return {directory, run, offered};
}

describe('candidates from the index', () => {
  const {offered, run} = {
    offered: (...words: string[]) => somebody().offered(...words),
    run: (...words: string[]) => somebody().run(['__complete', ...words]),
  };

  test.each([
    ['topics, verbs and short names', ['bil'], ['billing-statement-line-items', 'billing-statements', 'bill']],
    ['verbs of a topic', ['customers', 'l'], ['ledger', 'list', 'list-payment-methods']],
    ['in any case', ['Customers'.toUpperCase()], ['customers']],
    ['a topic in a topic', ['webhooks', 'deliveries', ''], ['get', 'list']],
    ['a command with commands below it', ['sandbox', 'events', 're'], ['resend']],
    ['after global flags', ['-p', 'shop', '--json', 'sta'], ['status']],
    ['commands for help', ['help', 'customers', 'le'], ['ledger']],
    ['pages of help', ['help', 'ex'], ['exit-codes', 'export']],
    ['flags', ['owed', '--ov'], ['--overdue']],
    ['flags of every command', ['status', '--no'], ['--no-input', '--no-color']],
    ['flags before a command', ['--js'], ['--json']],
    ['a flag once', ['status', '--json', '--js'], []],
    ['a flag once, by its letter', ['status', '-y', '--y'], []],
    ['not what another flag excludes', ['status', '--json', '--out'], []],
    ['a flag that may be repeated', ['bill', '--item', 'a @ 1', '--item'], ['--item', '--items']],
    ['the values of a flag', ['status', '--output', 'js'], ['json', 'jsonl']],
    ['… by its letter', ['status', '-o', 't'], ['table']],
    ['… behind letters', ['status', '-qo', 't'], ['table']],
    ['… behind =', ['status', '--output=t'], ['--output=table']],
    ['… of the contract', ['refunds', 'create', '--reason', 'wr'], ['wrong_product_received']],
    ['the values of a list', ['bill', '--payment-methods', 'card,g'], ['card,gcash']],
    ['… each once', ['bill', '--payment-methods=gcash,g'], []],
    ['… behind a word with the letter of another flag', ['bill', 'Jo', '--payment-methods', 'q'], ['qrph']],
    ['events', ['webhooks', 'trigger', 'setup'], ['setup_intent.succeeded']],
    [
      'events of a list',
      ['webhooks', 'create', '--events', 'payout.created,payout'],
      ['payout.created,payout.deposited'],
    ],
    ['settings', ['config', 'set', 'max'], ['max_amount', 'max_statements_per_run']],
    ['what a clock does', ['sandbox', 'clock', 'ad'], ['advance']],
    ['shells', ['completion', 'install', 'z'], ['zsh']],
    ['profiles', ['profiles', 'use', ''], ['sandbox', 'shop', 'bakery']],
    ['profiles of a flag', ['status', '--profile=b'], ['--profile=bakery']],
    ['a file of a flag', ['export', '--file', 'a'], [':files']],
    ['a file', ['import', ''], [':files']],
    ['nothing for a text', ['bill', '--description', ''], []],
    ['nothing behind --', ['webhooks', 'listen', '--', ''], []],
    ['nothing for what is no command', ['nonsense', 'x'], []],
    ['nothing for a flag that takes no value', ['status', '--json=t'], []],
  ])('%s', async (_, words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  test('offers flags where nothing else fits', async () => {
    expect(await offered('customers', 'create', '')).toEqual(expect.arrayContaining(['--name', '--email', '--help']));
  });

  test('reads the line as one text with any quotes', async () => {
    const words = async (line: string) => (await run('line', line)).stdout.replace(/\t.*/g, '').trim().split('\n');
    expect(await words('centavo sta')).toEqual(['status']);
    expect(await words('centavo customers l')).toEqual(['ledger', 'list', 'list-payment-methods']);
    expect(await words('centavo bill "Juan  Cruz" --due\\-x=1 --payment-methods q')).toEqual(['qrph']);
    expect(await words('centavo status "')).toEqual(['']);
  });

  test('have descriptions; a word that asks for help or a secret is not executed', async () => {
    expect((await run('words', 'sta')).stdout).toBe(
      'status\tShow the account in use, and whether the API can be reached.\n',
    );
    expect((await run('words', 'status', '--help', '--out')).stdout).toMatch(/^--output\t/);
    expect(await run('words', 'status', 'sk_live_abcdefgh12345678', '--out')).toMatchObject({status: 2, stdout: ''});
  });
});

describe('statement numbers', () => {
  const SEEN = [
    [SANDBOX, ['KAPE-0001']],
    [{profile: 'shop', mode: 'test', baseUrl: 'https://api.example'}, ['SHOP-0001', 'SHOP-0002']],
    [{profile: 'shop', mode: 'live', baseUrl: 'https://api.example'}, ['LIVE-0001']],
    [{profile: 'shop', mode: 'test', baseUrl: 'https://other.example'}, ['OTHER-0001']],
    [{profile: 'bakery', mode: 'test', baseUrl: 'https://api.example'}, ['BREAD-0001']],
  ] as const;

  test('belong to the account: its profile, address and mode', async () => {
    const {offered, run} = somebody(SEEN, 'shop');
    expect(await offered('send', '')).toEqual(['SHOP-0001', 'SHOP-0002']);
    expect(await offered('get', 'shop-0002')).toEqual(['SHOP-0002']);
    expect(await offered('send', 'SHOP-0001', 'S')).toEqual(['SHOP-0002']);
    expect(await offered('send', '--live', 'L')).toEqual(['LIVE-0001']);
    expect(await offered('-p', 'sandbox', 'send', 'k')).toEqual(['KAPE-0001']);
    expect(await offered('sandbox', 'pay', 'k')).toEqual(['KAPE-0001']);
    // Without a key, it is not an account.
    expect(await offered('send', '-p', 'bakery', 'B')).toEqual([]);
    expect(await offered('send', '-p', 'nobody', 'S')).toEqual([]);
    const elsewhere = {CENTAVO_BASE_URL: 'https://other.example', CENTAVO_SECRET_KEY: 'sk_test_0123456789abcdef'};
    expect((await run(['__complete', 'words', 'send', 'S'], {env: elsewhere})).stdout).toBe('');
    expect((await run(['__complete', 'words', 'send', 'S'], {env: {CENTAVO_NO_CACHE: '1'}})).stdout).toBe('');
  });

  test('are not offered if a shell could read them as more than a word', async () => {
    const hostile = [
      '$(touch x)-1',
      '`touch x`-2',
      "'-3",
      '"-4',
      'A\nB-5',
      'A B-6',
      '~-7',
      'A:B-8',
      '\u001B[31mA-9',
      '--live',
      '*-1',
    ];
    const {offered} = somebody([[SANDBOX, [...hostile, 'KAPE-0001', 'NIÑO-0002']]]);
    expect(await offered('send', '')).toEqual(['KAPE-0001', 'NIÑO-0002']);
  });

  test('are cached when read at a terminal', async () => {
    const {directory, run, offered} = somebody();
    await run(['sandbox', 'seed']);
    await run(['billing-statements', 'list', '--limit', '3']);
    expect((await offered('send', '')).filter((word) => !word.startsWith('-'))).toEqual([]);
    const shown = await run(['billing-statements', 'list', '--limit', '3'], {columns: 100});
    const numbers = [...shown.stdout.matchAll(/^[A-Z0-9]+-\d{4}/gm)].map(([number]) => number);
    expect(numbers).toHaveLength(3);
    expect((await offered('send', '')).sort()).toEqual(numbers.sort());
    expect(existsSync(join(directory, 'statement-numbers'))).toBe(true);
  });

  test('of an account checked by a login are not offered for the account in use', async () => {
    const {directory, run} = somebody();
    const statement = {id: ID, resource: 'billing_statement', status: 'open', billing_statement_number: 'OTHER-0001'};
    const body = {resource: 'list', has_more: false, data: [statement]};
    const {url} = await serve(() => httpAnswer('200 OK', JSON.stringify(body)), onTestFinished);
    const login = ['login', '--profile', 'new', '--base-url', url, '--insecure-storage', '--with-token'];
    const key = 'sk_test_0123456789abcdef';
    const done = await run(login, {input: `${key}\n`, columns: 100});
    expect(done).toMatchObject({status: 0});
    expect(existsSync(join(directory, 'statement-numbers'))).toBe(false);
  });
});

test('offers nothing for unreadable files', async () => {
  const {directory, offered} = somebody([[SANDBOX, ['KAPE-0001']]]);
  chmodSync(join(directory, 'statement-numbers', 'sandbox', 'sandbox.json'), 0o644);
  expect(await offered('send', 'K')).toEqual([]);
  writeFileSync(join(directory, '.config', 'centavo', 'config.json'), '{');
  expect(await offered('status', '-p', '')).toEqual([]);
  expect(await offered('sta')).toEqual(['status']);
  expect((await command(directory, ['__complete'])).stdout).toContain('customers\t');
});
