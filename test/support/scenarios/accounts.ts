// The parts of the API that login needs: raw servers with some keys, and homes of users.

import {existsSync, mkdtempSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'vitest';
import {createKeyFiles} from '../../../src/config/keys/key-files.js';
import {ProfileKeys, type NewKey} from '../../../src/config/keys/profile-keys.js';
import {configurationFile} from '../../../src/config/configuration-file.js';
import {filesHolding, newKey} from '../config/key-homes.js';
import {RUN_FOLDER} from '../built.js';
import {cli, type CliOptions} from '../cli.js';
import {command, type CommandOptions} from '../commands.js';
import {inTurn} from '../processes.js';
import {httpAnswer, rawServer, type RawServer} from '../services/servers.js';

/** The account of a key. */
export interface Account {
  /** The merchant's name on its statements; undefined without a statement. */
  readonly merchant?: {readonly id: string; readonly name?: string};
  /** The mode on its statements; the key's mode by default. */
  readonly livemode?: boolean;
}

export const SHOP: Account = {merchant: {id: 'merc_Shop1', name: 'Aling Nena Store'}};
export const BAKERY: Account = {merchant: {id: 'merc_Bake2', name: 'Panaderia Reyes'}};

const error = (status: string, code: string): string =>
  httpAnswer(status, JSON.stringify({errors: [{code, detail: `Made up: ${code}.`}]}));

/** Reads the key from Basic authentication. */
export const keyIn = (request: string): string => {
  const [, encoded = ''] = /^authorization: Basic (\S+)/im.exec(request) ?? [];
  return Buffer.from(encoded, 'base64').toString('utf8').replace(/:$/, '');
};

const statementOf = (key: string, {merchant, livemode}: Account): object => ({
  id: 'bstm_MadeUp1',
  resource: 'billing_statement',
  status: 'draft',
  livemode: livemode ?? key.includes('_live_'),
  merchant_id: merchant!.id,
  billing_statement_merchant_name: merchant!.name ?? null,
});

/** Responds like the API: lists, one statement, no payment intent, and 401 to every other key. */
export function answersFor(accounts: Readonly<Record<string, Account>>): (request: string) => string {
  return (request) => {
    const key = keyIn(request);
    const account = accounts[key];
    if (!account) return error('401 Unauthorized', 'auth_invalid');
    const [, method, path = ''] = /^(\S+) ([^ ?]+)/.exec(request)!;
    if (method !== 'GET') return error('400 Bad Request', 'not_today');
    if (path.startsWith('/payment_intents/')) return error('404 Not Found', 'resource_not_found');
    if (key.startsWith('pk_')) return error('401 Unauthorized', 'auth_invalid');
    const data = path === '/billing_statements' && account.merchant ? [statementOf(key, account)] : [];
    return httpAnswer('200 OK', JSON.stringify({resource: 'list', has_more: false, data}));
  };
}

/** A server that runs until the test, or the given hook, is done. */
export async function serve(
  accounts: Readonly<Record<string, Account>> | ((request: string) => string | undefined),
  done: (clean: () => Promise<void>) => void,
): Promise<RawServer> {
  const server = await rawServer(typeof accounts === 'function' ? accounts : answersFor(accounts));
  done(() => server.close());
  return server;
}

export type Person = ReturnType<typeof person>;

const root = process.env[RUN_FOLDER]!;
const turn = inTurn();
let tokens = 0;

/** A user with a separate home, removed after all tests or the given one. */
export function person(env: CliOptions['env'] = {}, directory = mkdtempSync(join(root, 'home-'))) {
  const centavo = cli(directory, {env});
  const folder = join(directory, '.config', 'centavo');
  const user = process.getuid?.();
  const token = () => `t${tokens++}`;
  const files = createKeyFiles({directory: join(folder, 'keys'), user, token});
  const profileKeys = new ProfileKeys(configurationFile({directory: () => folder, user, token}), {
    open: async () => files,
    run: async () => expect.fail('No program is run here.'),
  });
  const configuration = join(folder, 'config.json');
  return {
    ...{directory, configuration},
    /** Runs a command in the test's own process. */
    run: (args: readonly string[], options: CommandOptions = {}) =>
      command(directory, args, {...options, env: {...env, ...options.env}}),
    /** Runs a command in a separate process. */
    runProcess: (args: readonly string[], options?: CliOptions) => turn(() => centavo(args, options)),
    /** The content of the configuration file; false if missing. */
    configured: (): any => existsSync(configuration) && JSON.parse(readFileSync(configuration, 'utf8')),
    holding: filesHolding(directory),
    /** Stores a key in a file without the slow program; for the profile `shop` by default. */
    keep: (key: string, url: string, more: Partial<NewKey> = {}) =>
      profileKeys.save({...newKey(key, token()), origin: new URL(url).origin, baseUrl: url, ...more}),
  };
}

/** A user whose profile `shop` has this key, for this address. */
export async function loggedIn(key: string, url: string, env: CliOptions['env'] = {}): Promise<Person> {
  const someone = person(env);
  await someone.keep(key, url);
  return someone;
}
