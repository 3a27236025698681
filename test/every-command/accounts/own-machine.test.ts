// Nothing is sent to anybody but the account that a command is about: no telemetry, no search for updates. Each connection is written down.

import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {cli, temporaryDirectory, preload} from '../../support/cli.js';
import {listeningProcess, running} from '../../support/scenarios/listening.js';

const RECORDER = fileURLToPath(new URL('../../support/connections.cjs', import.meta.url));

/** A data folder of centavo, and its network use since the last read. */
function watched() {
  const directory = temporaryDirectory();
  const file = join(directory, 'connections.txt');
  writeFileSync(file, '');
  const env = {CONNECTIONS: file, ...preload(RECORDER)};
  const seen = (): string[] => {
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    writeFileSync(file, '');
    return [...new Set(lines)].sort();
  };
  return {directory, env, seen, run: cli(directory, {env})};
}

const BILL = ['bill', '--customer-email', 'juan@example.com', '--item', 'Design @ 15,000', '--due', '+30d', '--json'];

test('with the embedded sandbox, commands open no connection, look up no name and start no program', async () => {
  const {run, seen} = watched();
  const done = async (...words: string[]) => {
    const result = await run(words);
    expect({words, status: result.status, stderr: result.status === 0 ? '' : result.stderr}).toMatchObject({status: 0});
    return result;
  };
  await done('--version');
  await done('--help');
  await done('sandbox', 'seed', '--quiet');
  await done('customers', 'create', '--name', 'Juan', '--email', 'juan@example.com', '--json');
  const {id} = (await done(...BILL, '--finalize', '--send')).json<{id: string}>();
  await done('sandbox', 'pay', id, '--json');
  for (const words of [
    'owed',
    'paid',
    'month',
    'history',
    'status',
    `why ${id}`,
    'customers list --json --jq .data[0].id',
  ])
    await done(...words.split(' '));
  expect(seen()).toEqual([]);
});

test('with an account, a command connects only to its address; a served sandbox listens on loopback', async () => {
  const {directory, env, seen, run} = watched();
  const server = running(directory, ['sandbox', 'serve', '--port', '0', '--json'], {env, isProcess: true});
  const {url, secret_key: key} = await server.next('ready');
  const account = {env: {CENTAVO_BASE_URL: url as string, CENTAVO_SECRET_KEY: key as string}};
  expect(seen()).toEqual(['listen 127.0.0.1:0']);
  const made = await run(['customers', 'create', '--name', 'Juan', '--email', 'juan@example.com', '--json'], account);
  expect(made.status, made.stderr).toBe(0);
  const sent = await run([...BILL, '--finalize', '--send'], account);
  expect(sent.status, sent.stderr).toBe(0);
  for (const words of [['status'], ['doctor'], ['owed']]) await run(words, account);
  const {host} = new URL(url as string);
  expect(seen()).toEqual([`connect ${host}`]);
});

test('a sandbox listener receives events on loopback', async () => {
  const {directory, env, seen, run} = watched();
  const listener = listeningProcess(directory, ['--port', '0'], {env});
  const {url} = await listener.next('ready');
  const triggered = await run(['webhooks', 'trigger', 'billing_statement.paid', '--json']);
  expect(triggered.status, triggered.stderr).toBe(0);
  await listener.next('delivery');
  expect(seen()).toEqual([`connect ${new URL(url as string).host}`, 'listen 127.0.0.1:0']);
});
