// `centavo dev`: a day with an app, its output, what it never uses, and how it ends.

import {createServer, type Server} from 'node:http';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {NO_LIMITS, temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {freePort} from '../../support/free-port.js';
import {watch, watchCommand} from '../../support/processes.js';
import {running, said} from '../../support/scenarios/listening.js';
import {Merchant, webhooksLeft} from '../../support/scenarios/merchant.js';
import {SDK_LINE, shop} from '../../support/scenarios/shop.js';
import {takeUsualPorts} from '../../support/usual-ports.js';

/** In a process: its app inherits the streams. */
const dev = (directory: string, words: readonly string[], options?: Parameters<typeof running>[2]) =>
  running(directory, ['dev', '--json', ...words], {...options, isProcess: true});

/** Arguments that start a Node program. */
const program = (source: string): string[] => ['--', process.execPath, '-e', source];

test('takes an app from setup to a paid order, and restarts the next day', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  const own = await shop();
  const words = ['dev', '--port', String(await freePort()), '--forward-to', `${own.port}/webhooks`];
  const options = {cwd: own.folder, env: own.env};
  const first = watch(directory, [...words, '--', process.execPath, own.file], options);
  await first.until(/shop is open/);
  const printed = Object.fromEntries([...first.stdout().matchAll(/^(PAYREX_\w+)=(\S+)$/gm)].map(([, ...each]) => each));
  expect(Object.keys(printed)).toHaveLength(4);
  expect(first.stderr()).toContain(`\n${SDK_LINE}\n`);

  const {id, url, order} = await own.order();
  expect((await fetch(url)).status).toBe(200);
  expect(await own.forge(order)).toBe(400);
  expect(await own.find(order)).toEqual({paid: false});
  expect((await run(['sandbox', 'pay', id, '--method', 'gcash'])).status).toBe(0);
  await first.until(/<-- 200/);
  expect(await own.find(order)).toEqual({paid: true});
  const time = String.raw`\d\d:\d\d:\d\d`;
  for (const line of [
    `${time} <-> POST /checkout_sessions  200  \\d+ ms  ${id}`,
    `${time} --> payment_intent.succeeded evt_\\w+ ₱200.00 ${order} genuine`,
    `${time} <-- 200 payment_intent.succeeded ₱200.00 ${order} POST :${own.port}/webhooks \\d+ ms`,
    'order paid',
  ])
    expect(first.stdout()).toMatch(new RegExp(`^${line}$`, 'm'));
  first.child.kill('SIGINT');
  expect(await first.ended).toMatchObject({status: 130});
  expect(await webhooksLeft(directory)).toBe(0);

  const app = watchCommand(process.execPath, [own.file], {env: {...own.env, PATH: process.env.PATH, ...printed}});
  await app.until(/shop is open/);
  const second = watch(directory, words, options);
  await second.until(/PAYREX_WEBHOOK_SECRET=/);
  expect(second.stdout()).toMatch(
    /^Sandbox ready at (\S+)\nStudio \1\/studio\/~\w{20}\/\nYour app needs in its environment:$/m,
  );
  for (const value of Object.values(printed)) expect(second.stdout()).toContain(`=${String(value)}\n`);
  const another = await own.order();
  expect((await run(['sandbox', 'pay', another.id])).status).toBe(0);
  await second.until(/<-- 200/);
  expect(await own.find(another.order)).toEqual({paid: true});
  app.child.kill('SIGKILL');
  second.child.kill('SIGINT');
  expect(await second.ended).toMatchObject({status: 130});
});

test('prints one record per line with --json; without --forward-to, suggests a command that works', async () => {
  const directory = temporaryDirectory();
  const app = program(`
    console.log('not a record');
    fetch(process.env.PAYREX_BASE_URL + '/customers', {headers: {authorization: 'Basic ' + btoa(process.env.PAYREX_SECRET_KEY + ':')}})
      .then(({status}) => console.log('answered', status));
    fetch(process.env.PAYREX_BASE_URL + '/webhooks', {headers: {authorization: 'Basic ' + btoa('sk_test_ns_worker-1:')}});
    setInterval(() => {}, 1e6);`);
  const shown = dev(directory, ['--port', '0', ...app]);
  const {url, secret_key, public_key} = await shown.next('serving');
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect([secret_key, public_key]).toEqual([expect.stringMatching(/^sk_test_/), expect.stringMatching(/^pk_test_/)]);
  await shown.said(/not a record\nanswered 200/);
  const named = {'/customers': null, '/webhooks': 'worker-1'};
  for (const [name, namespace] of Object.entries(named))
    expect(await shown.next('request', ({path, status}) => path === name && status === 200)).toMatchObject({namespace});
  await commandsIn(directory)(['webhooks', 'trigger', 'billing_statement.paid']);
  await shown.next('delivery', ({event_type}) => event_type === 'billing_statement.paid');
  expect(await shown.stop()).toBe(130);
  expect(new Set(shown.records().map(({type}) => type))).toEqual(
    new Set(['serving', 'ready', 'request', 'delivery', 'summary']),
  );
  const plain = watch(directory, ['dev', '--port', '0', '--', 'node', 'my app.js']);
  await said(
    plain,
    /To forward events to your app: centavo dev --forward-to 3000\/webhooks --port 0 -- node 'my app\.js'\n/,
  );
  await plain.ended;
});

test('prints API refusals in red, but not visits to an expired payment page', async () => {
  const app = program(`
    const visit = (path) => fetch(process.env.PAYREX_BASE_URL + path, {headers: {'sec-fetch-dest': 'document'}});
    const authorization = 'Basic ' + btoa('sk_test_ns_worker-1:');
    const ofWorker = () => fetch(process.env.PAYREX_BASE_URL + '/webhooks', {headers: {authorization}});
    visit('/b/none').then(ofWorker).then(() => visit('/customers'));
    setInterval(() => {}, 1e6);`);
  const shown = watch(temporaryDirectory(), ['dev', '--port', '0', ...app], {env: {FORCE_COLOR: '1'}});
  await shown.until(/GET \/customers/);
  shown.child.kill('SIGINT');
  await shown.ended;
  const lines = shown.stdout().replaceAll('\u001B[31m', 'red ');
  expect(lines).toMatch(/^red .*GET \/customers {2}40[13] .*$/m);
  expect(lines).toMatch(/^\d.*GET \/b\/none {2}404 .*$/m);
  expect(lines).toMatch(/^[\d:]+ <-> worker-1 {2}GET \/webhooks {2}200/m);
});

test('never uses a real key, and leaves one in an env file as a comment', async () => {
  const directory = temporaryDirectory();
  const asked: (string | undefined)[] = [];
  const real = createServer((request, response) => void response.end(String(asked.push(request.url))));
  await listen(real, 0);
  const file = join(directory, '.env.local');
  writeFileSync(file, "A=1\nexport PAYREX_SECRET_KEY='sk_live_mine'\nPAYREX_BASE_URL=https://api.payrexhq.com\n");
  const app = program(`
    const {PAYREX_SECRET_KEY, PAYREX_PUBLIC_KEY, PAYREX_BASE_URL, PAYREX_WEBHOOK_SECRET, ...others} = process.env;
    console.error(JSON.stringify({PAYREX_SECRET_KEY, PAYREX_PUBLIC_KEY, PAYREX_BASE_URL, PAYREX_WEBHOOK_SECRET}));
    console.error('sees', Object.values(others).filter((value) => value.startsWith('sk_')));`);
  const env = {
    CENTAVO_SECRET_KEY: `sk_live_${'a'.repeat(32)}`,
    CENTAVO_BASE_URL: `http://127.0.0.1:${portOf(real)}`,
    PAYREX_SECRET_KEY: 'sk_live_mine',
  };
  const shown = dev(directory, ['--port', '0', '--write-env', file, ...app], {env});
  expect(await shown.ended).toMatchObject({status: 0});
  expect(shown.stderr()).toContain('Profile env is ignored: centavo dev works only with the sandbox.\n');
  expect(shown.stderr()).toContain('sees []');
  const {url, secret_key, public_key} = await shown.next('serving');
  const {secret} = await shown.next('ready');
  expect(JSON.parse(/^\{"PAYREX.*$/m.exec(shown.stderr())![0])).toEqual({
    PAYREX_SECRET_KEY: secret_key,
    PAYREX_PUBLIC_KEY: public_key,
    PAYREX_BASE_URL: url,
    PAYREX_WEBHOOK_SECRET: secret,
  });
  expect(readFileSync(file, 'utf8')).toBe(
    `A=1\n# export PAYREX_SECRET_KEY='sk_live_mine'\nexport PAYREX_SECRET_KEY='${secret_key}'\nPAYREX_BASE_URL='${url}'\n` +
      `PAYREX_PUBLIC_KEY='${public_key}'\nPAYREX_WEBHOOK_SECRET='${secret}'\n`,
  );
  expect((await shown.next('notice')).message).toBe(
    `the secret is in ${file} as PAYREX_WEBHOOK_SECRET, with PAYREX_BASE_URL, PAYREX_SECRET_KEY, PAYREX_PUBLIC_KEY`,
  );
  expect(asked).toEqual([]);
});

describe('ending', () => {
  test('ends the app first, while the sandbox and the webhook still exist', async () => {
    const directory = temporaryDirectory();
    const words = [
      '--port',
      '0',
      ...program(`
        process.on('SIGTERM', async () => {
          const headers = {authorization: 'Basic ' + btoa(process.env.PAYREX_SECRET_KEY + ':')};
          const {data} = await (await fetch(process.env.PAYREX_BASE_URL + '/webhooks', {headers})).json();
          console.log('webhooks', data.length);
          process.exit(3);
        });
        console.log('up');
        setInterval(() => {}, 1e6);`),
    ];
    const shown = dev(directory, words, {env: NO_LIMITS});
    await shown.said(/up/);
    const {url} = await shown.next('serving');
    expect(await shown.stop()).toBe(130);
    expect(shown.stderr()).toContain('webhooks 1\n');
    expect(shown.records().at(-1)).toMatchObject({type: 'summary', webhook_left: false});
    expect(await webhooksLeft(directory)).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
  });

  test('kills an app that ignores the signal', async () => {
    const shown = dev(temporaryDirectory(), [
      '--port',
      '0',
      ...program(
        "for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {}); console.log('pid=' + process.pid); setInterval(() => {}, 1e6)",
      ),
    ]);
    const [, pid] = await shown.said(/pid=(\d+)\n/);
    expect(await shown.stop()).toBe(130);
    expect(() => process.kill(Number(pid), 0)).toThrow();
  });

  test('counts an app ended by Ctrl-C as success', async () => {
    const shown = dev(temporaryDirectory(), ['--port', '0', ...program("process.kill(process.pid, 'SIGINT')")]);
    expect(await shown.ended).toMatchObject({status: 0});
  });

  test('reports an app that ended by itself', async () => {
    const shown = watch(temporaryDirectory(), ['dev', '--port', '0', ...program('')]);
    expect(await shown.ended).toMatchObject({status: 0});
    expect(shown.stdout()).toMatch(new RegExp(`--- ${process.execPath} ended with status 0: stopping\n`));
  });

  test('reports an app that failed', async () => {
    const directory = temporaryDirectory();
    const shown = dev(directory, ['--port', '0', ...program('process.exit(7)')]);
    expect(await shown.ended).toMatchObject({status: 6});
    expect(JSON.parse(shown.stderr().split('\n').at(-2)!).error).toMatchObject({
      code: 'program_failed',
      message: 'the program ended with status 7. centavo itself changed nothing.',
      applied: 'no',
    });
    expect(await webhooksLeft(directory)).toBe(0);
  });

  test('reports an app that cannot be started, and shows how to start one', async () => {
    const directory = temporaryDirectory();
    const shown = dev(directory, ['--port', '0', '--', '/no/such/app']);
    expect(await shown.ended).toMatchObject({status: 2});
    expect(JSON.parse(shown.stderr().split('\n').at(-2)!).error).toMatchObject({
      code: 'program_not_started',
      message: expect.stringContaining('"/no/such/app" cannot be started. It does not exist.'),
      hint: expect.stringContaining('centavo dev -- npm run dev'),
    });
    expect(await webhooksLeft(directory)).toBe(0);
  });
});

const listen = (server: Server, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    onTestFinished(() => void server.close());
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });

const portOf = (server: Server): number => (server.address() as {port: number}).port;

const USUAL = 4010;

describe('a port in use', () => {
  takeUsualPorts();

  test('by another program: takes a free port, but refuses a port given with --port', async () => {
    const directory = temporaryDirectory();
    // Does no harm if the port is already taken.
    await listen(
      createServer((_, response) => void response.end('hello')),
      USUAL,
    );
    const shown = dev(directory, []);
    const {url} = await shown.next('serving');
    expect(Number(new URL(url).port)).not.toBe(USUAL);
    expect((await shown.next('notice')).message).toContain(`port ${USUAL} is in use`);
    expect(await shown.stop()).toBe(130);
    const asked = dev(directory, ['--port', String(USUAL)]);
    expect(await asked.ended).toMatchObject({status: 2});
    expect(JSON.parse(asked.stderr().split('\n').at(-2)!).error).toMatchObject({code: 'port_in_use', applied: 'no'});
  });

  test('by a server of the same sandbox: says where output appears; a second listener gets its own endpoint', async ({
    skip,
  }) => {
    const directory = temporaryDirectory();
    const merchant = new Merchant(directory);
    const server = await merchant.sandbox.serve({port: USUAL}).catch(() => undefined);
    if (!server && process.env.CI !== 'true') return skip(`port ${USUAL} is in use`);
    onTestFinished(async () => {
      await server!.close();
      merchant.close();
    });
    const first = dev(directory, []);
    expect((await first.next('notice')).message).toBe(
      `this sandbox is also served at ${server!.url}: its requests are printed there, its events here`,
    );
    const {public_url, secret} = await first.next('ready');
    const second = dev(directory, ['--port', '0']);
    expect((await second.next('notice')).message).toContain(`another listener of this folder is running`);
    const other = await second.next('ready');
    expect([other.public_url === public_url, other.secret === secret]).toEqual([false, false]);
    await merchant.customer();
    for (const each of [first, second]) expect(await each.stop()).toBe(130);
    return undefined;
  });
});

test('refuses invalid flags before it starts anything', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  for (const [words, status, mention] of [
    [['--port', '70000'], 2, /--port/],
    [['--forward-to', 'example.com'], 12, /A person decides/],
    [['--write-env', '.env:1X'], 2, /variable/],
    [['--jq', '.'], 2, /records/],
    [['--timeout', '30s'], 2, /--timeout cannot be used with dev/],
    [['--live'], 12, /live key, and centavo dev works only with the sandbox/],
    [['npm', 'run', 'dev'], 2, /centavo dev -- npm run dev/],
  ] as const) {
    const refused = await run(['dev', ...words]);
    expect([words, refused.status]).toEqual([words, status]);
    expect(refused.stderr).toMatch(mention);
    expect(refused.stderr).toMatch(/Nothing was (sent|changed)|"applied":"no"/);
  }
  const served = await run(['sandbox', 'serve', '--timeout', '30s']);
  expect(served).toMatchObject({status: 2, stderr: expect.stringContaining('cannot be used with sandbox serve')});
  const rehearsed = await run(['dev', '--dry-run']);
  expect(rehearsed).toMatchObject({status: 0, stdout: ''});
  expect(rehearsed.stderr).toContain('Nothing was changed: this would serve the sandbox');
  expect(await webhooksLeft(directory)).toBe(0);
});
