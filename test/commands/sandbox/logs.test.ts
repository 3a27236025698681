// `sandbox logs` beside a served sandbox.

import {expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {watch} from '../../support/processes.js';
import {terminalInProcess} from '../../support/in-process.js';
import {CTRL_C, loaded} from '../../support/terminal.js';

const authorization = (key: string) => ({authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`});

test('prints each request of a server, and shows it again with logs, alone and with --follow', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  const logs = (...words: string[]) => run(['sandbox', 'logs', ...words]);
  expect(await logs()).toMatchObject({status: 0, stdout: ''});
  const words = ['sandbox', 'serve', '--port', '0', '--host', '0.0.0.0'];
  const secret = `sk_test_${'a1'.repeat(10)}`;
  const server = watch(directory, words, {env: {CENTAVO_SANDBOX_KEY: secret}});
  const [, url, key] = await server.until(/ready at (\S+)\n +studio +\S+\n +secret key +(\S+)/);
  const follower = watch(directory, ['sandbox', 'logs', '--follow', '--json', '--status', '404']);
  expect(key).toBe(secret);
  const headers = authorization(secret);
  const {id} = (await (
    await fetch(`${url}/customers`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({name: 'Juan', email: 'juan@example.com', currency: 'PHP'}),
    })
  ).json()) as {id: string};
  const missing = (await fetch(`${url}/customers/cus_nobody`, {headers})).headers.get('x-request-id')!;
  const [line] = await follower.until(/^.*cus_nobody.*\n/m);
  expect(JSON.parse(line)).toMatchObject({id: missing, status: 404, method: 'GET', object_id: 'cus_nobody'});
  follower.child.kill('SIGINT');
  expect(await follower.ended).toMatchObject({status: 130});
  server.child.kill('SIGINT');
  await server.ended;
  expect(server.stderr()).toMatch(/Anyone who can reach this machine on port \d+ can use this sandbox with its keys/);
  expect(server.stderr()).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d  POST /customers  200  \\d+ ms  ${id}$`, 'm'));
  expect(server.stderr()).toMatch(
    /^\d\d:\d\d:\d\d {2}GET \/customers\/… {2}404 resource_not_found {2}\d+ ms {2}cus_nobody$/m,
  );

  expect((await logs('--json', '--object', id)).json()).toMatchObject({
    resource: 'list',
    has_more: false,
    data: [{method: 'POST', path: '/customers', status: 200, object_id: id, query: null}],
  });
  expect((await logs('-o', 'table')).stdout).toMatch(/^TIME +METHOD +PATH +STATUS.*\n[\d:]+ +GET +\/customers\/… +404/);
  expect((await logs('--limit', '1')).stderr).toBe('More: centavo sandbox logs --all\n');
  const one = await logs(missing.slice(0, 14), '--json');
  expect(one.json()).toMatchObject({id: missing, request_body: null, response_body: {errors: [{}]}, events: []});
  for (const [typed, code, status] of [
    [['--status', '9xx'], 'usage', 2],
    [['--object', 'Juan'], 'usage', 2],
    [['cus_1'], 'invalid_id', 2],
    [['req_gone'], 'not_found', 3],
    [['--follow', '--jq', '.id'], 'invalid_flag', 2],
  ] as const) {
    const refused = await logs(...typed, '--json');
    expect([typed, refused.status, refused.error().code]).toEqual([typed, status, code]);
  }
});

test('is silent with -q, and refuses an invalid address or name', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  for (const [flag, value] of [
    ['--host', 'my-machine'],
    ['--allow-host', 'http://shop.local'],
    ['--allow-host', '*'],
  ] as const) {
    const refused = await run(['sandbox', 'serve', '--port', '0', flag, value]);
    expect(refused).toMatchObject({status: 2, stdout: ''});
    expect(refused.stderr).toContain(flag);
  }
  for (const [given, host, code] of [
    ['', '0.0.0.0', 'missing_key'],
    ['', '::', 'missing_key'],
    ['sk_test_short', '127.0.0.1', 'invalid_key'],
    [`pk_test_${'a1'.repeat(10)}`, '127.0.0.1', 'invalid_key'],
    [`sk_live_${'a1'.repeat(10)}`, '127.0.0.1', 'invalid_key'],
    [`sk_test_ns_${'a1'.repeat(10)}`, '0.0.0.0', 'invalid_key'],
  ] as const) {
    const options = {env: {CENTAVO_SANDBOX_KEY: given}};
    const refused = await run(['sandbox', 'serve', '--port', '0', '--host', host, '--json'], options);
    expect([given, refused.status, refused.error().code]).toEqual([given, 2, code]);
    expect(refused.stderr).toContain('export CENTAVO_SANDBOX_KEY=sk_test_$(openssl rand -hex 16)');
    if (given) expect(refused.stderr).not.toContain(given);
  }
  const server = watch(directory, ['sandbox', 'serve', '--port', '0', '-q']);
  const [, url, key] = await server.until(/ready at (\S+)\n +studio +\S+\n +secret key +(\S+)/);
  await fetch(`${url}/customers`, {headers: authorization(key!)});
  server.child.kill('SIGINT');
  await server.ended;
  expect(server.stderr()).toBe('');
});

test.runIf(loaded.pty)('prints JSON at a terminal too, for one request and with --follow', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  await run(['customers', 'create', '--name', 'Juan', '--email', 'juan@example.com']);
  const {data} = (await run(['sandbox', 'logs', '--json'], {columns: 80})).json<{data: {id: string}[]}>();
  const one = await run(['sandbox', 'logs', data[0]!.id, '--json'], {columns: 80});
  expect(one.json()).toMatchObject({id: data[0]!.id, method: 'POST'});
  const follower = terminalInProcess(directory, ['sandbox', 'logs', '--follow', '--json']);
  await follower.until(/^\{.*"type":"request".*\}$/m);
  follower.type(CTRL_C);
  expect(await follower.ended).toBe(130);
});
