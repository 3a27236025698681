// `centavo mcp` at its edges: hostile bytes, an ended input, signals, approvals, and what an agent may run.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {buffer} from 'node:stream/consumers';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {CommandIndex} from '../../../src/cli/catalog/command-index.js';
import {agentIndex, readLine} from '../../../src/commands/mcp/line.js';
import {CommandCatalog} from '../../../src/cli/catalog/command-catalog.js';
import {cli, cliEnvironment, RUN, temporaryDirectory} from '../../support/cli.js';
import {terminalInProcess} from '../../support/in-process.js';
import {openServer} from '../../support/protocol.js';
import {LIVE_KEY} from '../../support/services/servers.js';
import {service} from '../../support/services/service.js';
import {ENTER} from '../../support/terminal.js';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): any => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const whole: CommandIndex = read('bundle/commands.json');

/** A server without a client: what is written to its stdin is up to the test. */
function bare(directory: string, env = {}) {
  const child = spawn(process.execPath, [RUN, 'mcp'], {env: cliEnvironment(directory, env)});
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = Promise.all([buffer(child.stdout), buffer(child.stderr), once(child, 'close')]).then(
    ([stdout, stderr, [status]]) => ({stdout: stdout.toString(), stderr: stderr.toString(), status: status as number}),
  );
  const send = (message: object) => child.stdin.write(`${JSON.stringify({jsonrpc: '2.0', ...message})}\n`);
  return {child, ended, send};
}

const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: {protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {name: 'bare', version: '1'}},
};
const callOf = (id: number, name: string, input: object) => ({
  id,
  method: 'tools/call',
  params: {name, arguments: input},
});

async function liveAccount() {
  const account = await service({bstm_Open1: {status: 'open', billing_statement_number: 'JEEPNEY-0002'}});
  onTestFinished(account.close);
  return {account, env: {CENTAVO_BASE_URL: account.url, CENTAVO_SECRET_KEY: LIVE_KEY}};
}

test('an ended input ends the process, and stops the calls that wait', async () => {
  const directory = temporaryDirectory();
  const {account, env} = await liveAccount();
  const made = await openServer(directory, {env});
  const {head} = await made.call('change', {args: ['billing-statements', 'void', 'bstm_Open1']});
  const {child, ended, send} = bare(directory, env);
  send(INITIALIZE);
  await once(child.stdout, 'data');
  send({method: 'notifications/initialized'});
  send(callOf(2, 'wait', {for: head.error.hand_over.id, seconds: 600}));
  child.stdin.end();
  const {status, stderr, stdout} = await ended;
  expect({status, stderr}).toEqual({status: 0, stderr: ''});
  expect(stdout).not.toContain('"id":2');
  expect(account.writes()).toEqual([]);
});

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s ends it with status %d', async (signal, expected) => {
  const {child, ended, send} = bare(temporaryDirectory());
  send(INITIALIZE);
  await once(child.stdout, 'data');
  child.kill(signal);
  expect((await ended).status).toBe(expected);
});

test('bytes that are no message are passed over, and a message that never ends closes the connection', async () => {
  const {child, ended, send} = bare(temporaryDirectory());
  child.stdin.on('error', () => {});
  child.stdin.write(
    'not json\n{"jsonrpc":"2.0"}\n[]\nnull\n{"jsonrpc":"2.0","id":9,"method":"no/such"}\n\u0000\u0001\n',
  );
  send(INITIALIZE);
  await once(child.stdout, 'data');
  send(callOf(2, 'read', {args: ['status'], page: {toString: 'x'}}));
  await once(child.stdout, 'data');
  child.stdin.write('{"jsonrpc":"2.0","id":3,"method":"' + 'x'.repeat(11 * 1024 * 1024));
  const {stdout, status} = await ended;
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.find(({id}) => id === 1)?.result.serverInfo.name).toBe('centavo');
  expect(answers.find(({id}) => id === 2)?.result.isError).toBe(true);
  expect(status).toBe(0);
});

test('a person approves, the wait ends, and the same change asked again tells so', async () => {
  const directory = temporaryDirectory();
  const {account, env} = await liveAccount();
  const {call} = await openServer(directory, {env});
  const args = ['billing-statements', 'void', 'bstm_Open1'];
  const {id} = (await call('change', {args})).head.error.hand_over;
  expect((await call('wait', {for: id, seconds: 1})).head.exit_code).toBe(9);
  const waiting = call('wait', {for: id, seconds: 60});
  const person = terminalInProcess(directory, ['approve', id], {env});
  await person.until(/\?/);
  person.type(`y${ENTER}`);
  expect(await waiting).toMatchObject({isError: false, head: {exit_code: 0}, data: {id, state: 'done'}});
  expect(account.writes()).toEqual(['POST /billing_statements/bstm_Open1/void']);
  expect(await call('change', {args})).toMatchObject({isError: false, data: {already: true, hand_over: id}});
  expect(account.writes()).toHaveLength(1);
});

test('--profile and --live hold for every call', async () => {
  const directory = temporaryDirectory();
  const {env} = await liveAccount();
  const sandbox = await openServer(directory, {env, args: ['--profile', 'sandbox']});
  expect((await sandbox.call('read', {args: ['status']})).data).toMatchObject({mode: 'sandbox'});
  expect((await sandbox.call('change', {args: ['sandbox', 'seed']})).isError).toBe(false);
  expect((await sandbox.call('wait', {for: 'JEEPNEY-0001', seconds: 1})).head.exit_code).toBeLessThan(10);
  const live = await openServer(directory, {args: ['--live', '--profile', 'sandbox']});
  expect((await live.call('read', {args: ['customers', 'list']})).isError).toBe(true);
});

test('a list of a hundred statements and one of everything stay within a page each', async () => {
  const directory = temporaryDirectory();
  await cli(directory)(['sandbox', 'seed']);
  const {call} = await openServer(directory);
  for (const line of [
    'billing-statements list --limit 20',
    'owed',
    'month',
    'paid',
    'customers list',
    'payouts list',
    'history',
  ])
    expect((await call('read', {args: line.split(' ')})).size, line).toBeLessThan(17_000);
  expect((await call('read', {args: ['billing-statements', 'list', '--limit', '3']})).size).toBeLessThan(2_200);
});

describe('the table of commands says what an agent may run', () => {
  const agents = agentIndex(whole);

  test('these commands change something', () => {
    const changes = Object.entries(agents.commands).filter(([, {risk}]) => risk !== 'reads');
    const ids = changes.map(([id]) => id);
    expect(ids.filter((id) => whole.commands[id]!.agents === 'runs')).toEqual([
      ...['sandbox:clock', 'sandbox:events:resend', 'sandbox:fail', 'sandbox:pay', 'sandbox:seed'],
      ...['sandbox:snapshot:save', 'webhooks:trigger'],
    ]);
    expect(ids.filter((id) => !['runs', 'hands_over'].includes(whole.commands[id]!.agents!))).toEqual([]);
  });

  test('these read, and are kept from agents', () => {
    const reads = Object.keys(whole.commands).filter((id) => whole.commands[id]!.risk === 'reads');
    expect(reads.filter((id) => !(id in agents.commands))).toEqual([
      ...['billing-statements:open', 'completion:print', 'sandbox:open', 'webhooks:secret'],
    ]);
  });

  test('of the flags of these commands, an agent may not give these', () => {
    const kept = Object.entries(agents.commands).flatMap(([id, {flags}]) =>
      Object.keys(whole.commands[id]!.flags ?? {}).filter((name) => !(name in flags!)),
    );
    expect([...new Set(kept)].sort().join(' ')).toBe(
      'accept-names adopt again allow-duplicate allow-owed allow-repeated-items body client-secret copy file follow force items open resend-unknown result secret-stdin to',
    );
    expect(Object.keys(agents.globalFlags).sort().join(' ')).toBe('dry-run fields jq json timeout');
  });

  test('a line is written so that every value stays the value of its flag', () => {
    const catalog = new CommandCatalog(
      {root: ROOT, pjson: read('package.json'), index: agents, loadCommand: () => Promise.reject(new Error())},
      undefined as never,
    );
    const line = (words: string[]) => readLine(words, catalog, whole).argv.join(' ');
    expect(line(['bill', 'Juan', '--due', '--live', '--item', '--yes', 'x'])).toBe(
      'bill --due=--live --item=--yes -- Juan x',
    );
    expect(line(['owed', '--overdue', 'Juan'])).toBe('owed --overdue -- Juan');
    expect(line(['owed', '--overdue', '7d', 'Juan'])).toBe('owed --overdue=7d -- Juan');
    expect(line(['customers', 'get', '--', '--live', '-y'])).toBe('customers get -- --live -y');
    expect(line(['customers:get', 'cus_1', '--json'])).toBe('customers get --json -- cus_1');
  });
});
