// `centavo doctor`: names each problem, with a command that fixes it as printed.

import {execFile} from 'node:child_process';
import {createHash} from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {createServer} from 'node:http';
import {dirname, join} from 'node:path';
import {promisify} from 'node:util';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {openDeliveries} from '../../src/webhooks/store/deliveries.js';
import {cli, cliEnvironment, type CliOptions, RUN, preload} from '../support/cli.js';
import {keychainMissing, keychainSession, UNLESS_DAEMON_DIED} from '../support/config/keychain-session.js';
import {freePort} from '../support/free-port.js';
import {inTurn, watch} from '../support/processes.js';
import {answersFor, loggedIn, person, serve, SHOP, type Person} from '../support/scenarios/accounts.js';
import {listeningProcess} from '../support/scenarios/listening.js';
import {listen} from '../support/services/sockets.js';
import {
  httpAnswer,
  LIVE_KEY,
  PUBLIC_KEY,
  rawServer,
  showsKey,
  TEST_KEY,
  type RawServer,
} from '../support/services/servers.js';

interface Check {
  readonly group: string;
  readonly name: string;
  readonly status: 'fixed' | 'note' | 'ok' | 'problem' | 'unchecked';
  readonly message: string;
  readonly source: string | null;
  readonly cure: string | null;
  readonly fixable: boolean;
}

interface Examined {
  readonly status: number | null;
  readonly checks: readonly Check[];
  readonly problems: readonly Check[];
  /** Messages by name. */
  readonly said: Readonly<Record<string, string>>;
  readonly stderr: string;
}

let api: RawServer;
beforeAll(async () => {
  api = await serve({[TEST_KEY]: SHOP, [LIVE_KEY]: SHOP}, afterAll);
});

const turn = inTurn();

/** Every file in a home with mode, size and time. Node keeps compiled code in one folder of it. */
/** @param isServed a server writes its request log during the test */
const listing = (directory: string, isServed = false): string[] =>
  readdirSync(directory, {recursive: true, encoding: 'utf8'})
    .filter((name) => !name.startsWith('.cache') && !name.startsWith('bin'))
    .filter((name) => !isServed || !name.includes('sandbox.db'))
    // The index of a write-ahead log, which each reader may build anew. It has no data.
    .filter((name) => !name.endsWith('-shm'))
    .sort()
    .map((name) => {
      const {mode, size, mtimeMs} = lstatSync(join(directory, name));
      return `${name} ${mode.toString(8)} ${size} ${mtimeMs}`;
    });

function readReport(status: number | null, stdout: string, stderr: string): Examined {
  const {
    healthy,
    problems: count,
    checks,
  } = JSON.parse(stdout) as {
    healthy: boolean;
    problems: number;
    checks: Check[];
  };
  const problems = checks.filter((check) => check.status === 'problem');
  expect({healthy, count, status}).toEqual({
    healthy: problems.length === 0,
    count: problems.length,
    status: problems.length === 0 ? 0 : 6,
  });
  for (const check of problems) expect(check.cure, check.message).toMatch(/\S/);
  expect(showsKey(stdout + stderr)).toBe(false);
  return {status, checks, problems, stderr, said: Object.fromEntries(checks.map(({name, message}) => [name, message]))};
}

/** Runs doctor, and checks that it changed nothing. */
async function examine(
  {directory, run, runProcess}: Person,
  words: readonly string[] = [],
  {
    isOwnProcess = false,
    isServed = false,
    ...options
  }: CliOptions & Readonly<{isOwnProcess?: boolean; isServed?: boolean}> = {},
): Promise<Examined> {
  const before = words.includes('--fix') ? undefined : listing(directory, isServed);
  const {status, stdout, stderr} = await (isOwnProcess ? runProcess : run)(['doctor', '--json', ...words], options);
  if (before) expect(listing(directory, isServed)).toEqual(before);
  return readReport(status, stdout, stderr);
}

/** The command at the end of a cure. */
const commandIn = (cure: string | null): string => cure!.slice(cure!.lastIndexOf(': ') + 2);

/** Runs the cure in a shell, then doctor again. */
async function applyCure({directory}: Pick<Person, 'directory'>, cure: string | null, env: CliOptions['env'] = {}) {
  const bin = join(directory, 'bin');
  mkdirSync(bin, {recursive: true});
  symlinkSync(RUN, join(bin, 'centavo'));
  const path = `${bin}:${dirname(process.execPath)}:${process.env.PATH}`;
  const script = `{ ${commandIn(cure)}; } >/dev/null 2>&1; centavo doctor --json`;
  const options = {env: cliEnvironment(directory, {PATH: path, ...env})};
  return turn(async () => {
    const {code = 0, ...ended} = (await promisify(execFile)('/bin/sh', ['-c', script], options).catch(
      (error: {code: number; stdout: string; stderr: string}) => error,
    )) as {code?: number; stdout: string; stderr: string};
    return readReport(code, ended.stdout, ended.stderr);
  });
}

const problem = (name: string, message: RegExp, cure: RegExp | string) => ({
  name,
  status: 'problem',
  message: expect.stringMatching(message),
  cure: typeof cure === 'string' ? cure : expect.stringMatching(cure),
});

/** A person who has used the sandbox. */
async function merchant(): Promise<Person> {
  const someone = person();
  await someone.run(['customers', 'create', '--name', 'Juan', '--email', 'juan@example.com']);
  return someone;
}

const fileOf = ({directory}: Person, name: string): string => join(directory, name);
const damage = (path: string, text = 'not a database '.repeat(500)) => writeFileSync(path, text, {mode: 0o600});

describe.concurrent('a healthy set-up', () => {
  test('without configuration or data: creates nothing', async ({expect}) => {
    const someone = person();
    const {problems, said, checks} = await examine(someone);
    expect(problems).toEqual([]);
    expect(said).toMatchObject({profile: 'sandbox', API: 'the embedded sandbox', tunnels: expect.any(String)});
    expect(said.settings).toBe(`${dirname(someone.configuration)}, nothing yet`);
    expect([...new Set(checks.map(({group}) => group))]).toEqual([
      'machine',
      'files',
      'configuration',
      'account',
      'webhooks',
    ]);
    expect(listing(someone.directory)).toEqual([]);
  });

  test('with an account: shows the source of each value, not the key', async ({expect}) => {
    const someone = await loggedIn(TEST_KEY, api.url);
    const {problems, checks, said} = await examine(someone, [], {
      env: {CENTAVO_TIMEOUT: '20s', https_proxy: 'http://me:hunter2@127.0.0.1:1'},
    });
    expect(problems).toEqual([]);
    expect(checks).toEqual(
      expect.arrayContaining([
        expect.objectContaining({name: 'profile', message: 'shop', source: 'configuration'}),
        expect.objectContaining({name: 'base_url', message: api.url, source: 'profile shop'}),
        expect.objectContaining({name: 'timeout', message: '20s', source: 'CENTAVO_TIMEOUT'}),
        expect.objectContaining({name: 'key', message: 'sk_test_…cdef', source: 'profile shop (file)'}),
      ]),
    );
    expect(said.API).toBe(`${api.url} accepts the key`);
    // A service on this machine is reached without the proxy.
    expect(said).not.toHaveProperty('proxy');
  });

  test('with a public key: only checks that the API answers', async ({expect}) => {
    const {problems, said} = await examine(await loggedIn(PUBLIC_KEY, api.url));
    expect(problems).toEqual([]);
    expect(said).toMatchObject({API: `${api.url} answers`, key: 'pk_test_…cdef'});
  });

  test('is tab-separated in a pipe, and grouped with labels at a terminal', async ({expect}) => {
    const someone = await merchant();
    chmodSync(fileOf(someone, 'sandbox.db'), 0o644);
    const piped = await someone.run(['doctor']);
    expect(piped.stdout).toMatch(/^files\tsandbox\.db\tproblem\tOther users can access it: its mode is 644\.\t\t/m);
    const shown = await someone.run(['doctor'], {columns: 60, env: {NO_COLOR: '1'}});
    expect(shown.stdout).toMatch(
      /^Files\n {2}settings .*\n(?:.*\n)? {2}sandbox\.db {6}Problem: Other users can access it/m,
    );
    const long = shown.stdout.split('\n').filter((line) => line.length > 60);
    // Only a path, which is not wrapped, and a command, which is to be copied.
    expect(long.filter((line) => !line.includes(someone.directory))).toEqual([]);
    expect(shown.stderr).toContain('Error: 1 problem found.\n');
    expect(shown.stderr).toContain('centavo doctor --fix');
  });
});

describe.concurrent('files', () => {
  test('accessible to others: restricts the mode by the printed cure and by --fix', async ({expect}) => {
    const someone = await merchant();
    const path = fileOf(someone, 'sandbox.db');
    chmodSync(path, 0o644);
    const cure = `Restrict it to yourself: chmod 600 ${path}`;
    const {problems, stderr} = await examine(someone);
    expect(problems).toMatchObject([{...problem('sandbox.db', /Other users .* 644/, cure), fixable: true}]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'problems_found',
      exit_code: 6,
      hint: expect.stringMatching(/: centavo doctor --fix$/),
    });
    expect((await applyCure(someone, problems[0]!.cure)).problems).toEqual([]);

    chmodSync(path, 0o666);
    expect((await examine(someone, ['--fix', '--dry-run'])).problems).toHaveLength(1);
    const fixed = await someone.run(['doctor', '--fix'], {columns: 200});
    expect(fixed.stdout).toMatch(/sandbox\.db +Fixed: .* 666\. Its mode is now 600\.$/m);
    expect(fixed.stderr).toMatch(/Fixed 1 problem\.\ncentavo works\.\n$/);
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    const again = await someone.run(['doctor', '--fix']);
    expect(again.stderr).toMatch(/--fix changed nothing\.\ncentavo works\.\n$/);
  });

  test.for(['config.json', 'keys'])(
    'with %s open to others: told once, and the rest follows',
    async (name, {expect}) => {
      const someone = await loggedIn(TEST_KEY, api.url);
      const path = join(dirname(someone.configuration), name);
      chmodSync(path, 0o777);
      const {problems, checks} = await examine(someone);
      expect(problems).toMatchObject([problem(name, /Other users .* 777/, new RegExp(`: chmod [67]00 ${path}$`))]);
      const unread = name === 'keys' ? 'key' : 'file';
      expect(checks.find((check) => check.name === unread)).toMatchObject({status: 'unchecked', cure: null});
      const after = await applyCure(someone, problems[0]!.cure);
      expect(after.problems).toEqual([]);
      expect(after.said.API).toBe(`${api.url} accepts the key`);
    },
  );

  test('in a folder with foreign files: --fix leaves the folder alone', async ({expect}) => {
    const someone = await merchant();
    writeFileSync(fileOf(someone, 'letter.txt'), '');
    chmodSync(someone.directory, 0o777);
    const {problems} = await examine(someone, ['--fix']);
    expect(problems).toMatchObject([{...problem('data', / 777/, /: chmod 700 /), fixable: false}]);
    expect((await applyCure(someone, problems[0]!.cure)).problems).toEqual([]);
  });

  test('left by a killed command: removed by the printed cure and by --fix; not those of a running one', async ({
    expect,
  }) => {
    const someone = await loggedIn(TEST_KEY, api.url);
    const folder = dirname(someone.configuration);
    const left = ['.config.json.abcdefgh12345678', 'keys/.key-shop.test_secret-12345678.abcdefgh12345678'];
    const leave = () => {
      for (const name of left) {
        writeFileSync(join(folder, name), '', {mode: 0o600});
        utimesSync(join(folder, name), 1_700_000_000, 1_700_000_000);
      }
    };
    leave();
    const running = join(folder, '.config.json.running012345678');
    writeFileSync(running, '', {mode: 0o600});
    const {problems} = await examine(someone);
    expect(problems.map(({name}) => name).sort()).toEqual(left);
    expect((await applyCure(someone, problems[0]!.cure)).problems).toHaveLength(1);
    leave();
    expect((await examine(someone, ['--fix'])).checks.filter(({status}) => status === 'fixed')).toHaveLength(2);
    expect(readdirSync(folder).filter((name) => name.startsWith('.config'))).toEqual(['.config.json.running012345678']);
  });

  test.for(['history.db', 'deliveries.db', 'runs.db', 'sandbox.db'])('with a damaged %s', async (name, {expect}) => {
    const someone = await merchant();
    const path = fileOf(someone, name);
    damage(path);
    const words = name === 'sandbox.db' ? 'centavo sandbox reset' : `mv ${path} ${path}.damaged`;
    const {problems} = await examine(someone);
    expect(problems).toMatchObject([problem(name, /^The file is not a database\.$/, new RegExp(`: ${words}`))]);
    // --fix never fixes it.
    const fixed = await examine(someone, ['--fix']);
    expect(fixed.problems).toMatchObject([{name, fixable: false}]);
    expect(readFileSync(path, 'utf8')).toContain('not a database');
    expect((await applyCure(someone, problems[0]!.cure)).problems).toEqual([]);
  });

  test('with a damaged table inside a database, and a folder in place of one', async ({expect}) => {
    const someone = await merchant();
    const path = fileOf(someone, 'sandbox.db');
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(7, bytes.length / 2));
    mkdirSync(fileOf(someone, 'runs.db'));
    const {problems} = await examine(someone);
    expect(problems).toMatchObject([
      problem('runs.db', /^It is a folder\.$/, /: mv /),
      problem('sandbox.db', /^The file is damaged\.$/, /: centavo sandbox reset$/),
    ]);
  });

  test('with a damaged job: removed by the printed cure', async ({expect}) => {
    const someone = await merchant();
    mkdirSync(fileOf(someone, 'jobs'), {mode: 0o700});
    damage(fileOf(someone, 'jobs/job_abcdefgh12.db'));
    const {problems} = await examine(someone);
    expect(problems).toMatchObject([
      problem('jobs/job_abcdefgh12.db', /not a database/, /: centavo jobs remove job_abcdefgh12 --yes$/),
    ]);
    expect((await applyCure(someone, problems[0]!.cure)).problems).toEqual([]);
  });

  test('with a data folder that cannot be created, and a relative configuration folder', async ({expect}) => {
    const someone = person();
    writeFileSync(fileOf(someone, 'file'), '');
    const env = {CENTAVO_DATA_DIR: fileOf(someone, 'file/data'), CENTAVO_CONFIG_DIR: 'relative'};
    const {problems} = await examine(someone, [], {env});
    expect(problems).toMatchObject([
      problem('settings', /CENTAVO_CONFIG_DIR is "relative"/, /: export CENTAVO_CONFIG_DIR=/),
      problem('data', /^It cannot be used\. Part of the path is a file/, /: export CENTAVO_DATA_DIR=/),
    ]);
    const {CENTAVO_DATA_DIR: bad} = env;
    expect((await applyCure(someone, problems[1]!.cure, {CENTAVO_DATA_DIR: bad})).problems).toEqual([]);
  });

  test('with an unreadable configuration: still checks the rest', async ({expect}) => {
    const someone = await loggedIn(TEST_KEY, api.url);
    writeFileSync(someone.configuration, '{"version": 1, "profile": 7}');
    const {problems, checks} = await examine(someone);
    const path = someone.configuration;
    expect(problems).toMatchObject([
      problem('file', /"profile" is not a name/, new RegExp(`: mv ${path} ${path}.damaged$`)),
    ]);
    expect(checks.find(({name}) => name === 'key')).toMatchObject({status: 'unchecked'});
    expect(checks.some(({group}) => group === 'webhooks')).toBe(true);
    expect((await applyCure(someone, problems[0]!.cure)).said.profile).toBe('sandbox');
  });
});

describe.concurrent('the account', () => {
  test('with a refused key', async ({expect}) => {
    const {problems, said} = await examine(await loggedIn(`${TEST_KEY}x`, api.url));
    expect(problems).toMatchObject([
      problem('API', /refused the key \(HTTP 401\).*sk_test_…defx/, /: centavo login --profile shop$/),
    ]);
    expect(said.key).toBe('sk_test_…defx');
  });

  test('without a key: still checks that the API answers', async ({expect}) => {
    const env = {CENTAVO_BASE_URL: api.url};
    const {problems, said} = await examine(person(env));
    expect(problems).toMatchObject([problem('key', /No API key/, /centavo login --base-url/)]);
    expect(said.API).toBe(`${api.url} answers`);
  });

  test('that does not exist is reported once', async ({expect}) => {
    const {problems} = await examine(person(), ['-p', 'nobody']);
    expect(problems).toMatchObject([
      problem('profile', /Profile "nobody" not found/, /: centavo login --profile nobody$/),
    ]);
  });

  test('with an invalid duration', async ({expect}) => {
    const {problems} = await examine(person({CENTAVO_TIMEOUT: 'soon'}));
    expect(problems).toMatchObject([{name: 'timeout', message: expect.stringContaining('CENTAVO_TIMEOUT')}]);
  });

  test.for([
    ['ahead of', -600],
    ['behind', 600],
  ] as const)(
    'with a clock that is 10 minutes %s the service’s',
    async ([words, seconds], {expect, onTestFinished}) => {
      const answer = answersFor({[TEST_KEY]: SHOP});
      const server = await serve((request) => {
        const date = new Date(Date.now() + seconds * 1000).toUTCString();
        return answer(request).replace('\r\n', `\r\ndate: ${date}\r\n`);
      }, onTestFinished);
      const {problems} = await examine(await loggedIn(TEST_KEY, server.url));
      expect(problems).toMatchObject([problem('clock', new RegExp(`is 10 minutes ${words} the service`), /: sudo /)]);
    },
  );

  test('with a service that never answers: stops at the time limit', async ({expect, onTestFinished}) => {
    const silent = await rawServer(() => undefined);
    onTestFinished(() => silent.close());
    const {problems, said} = await examine(await loggedIn(TEST_KEY, silent.url), ['--timeout', '1s']);
    expect(problems).toMatchObject([problem('API', /No response in time/, /centavo sandbox serve --port \d+$/)]);
    expect(said.tunnels).toBeDefined();
  });

  test('with a refusing proxy: names it without its password, and the cure works without it', async ({
    expect,
    onTestFinished,
  }) => {
    const proxy = createServer().on('connect', (_request, socket) => socket.end('HTTP/1.1 403 No\r\n\r\n'));
    const {port} = await listen(proxy, onTestFinished);
    const env = {
      https_proxy: `http://me:hunter2@127.0.0.1:${port}`,
      CENTAVO_BASE_URL: 'https://api.centavo.invalid',
      CENTAVO_SECRET_KEY: TEST_KEY,
    };
    const someone = person(env);
    const {problems, checks} = await examine(someone);
    expect(problems).toMatchObject([
      problem('API', /proxy refused .*HTTP 403/, /: env -u https_proxy centavo doctor$/),
    ]);
    expect(checks).toContainEqual(
      expect.objectContaining({name: 'proxy', message: `…@127.0.0.1:${port}`, source: 'https_proxy'}),
    );
    expect(JSON.stringify(checks)).not.toContain('hunter2');
  });

  test('at a port where another program answers: says so, and asks to stop it', async ({expect}) => {
    const someone = person();
    const other = await rawServer(() => httpAnswer('404 Not Found', '<h1>Not here</h1>'));
    const env = {CENTAVO_BASE_URL: other.url, CENTAVO_SECRET_KEY: 'sk_test_0123456789abcdefghijklmn'};
    const {problems} = await examine(someone, [], {env});
    const {port} = new URL(other.url);
    const cure = `Stop that program. To start a sandbox there: centavo sandbox serve --port ${port}`;
    expect(problems).toMatchObject([problem('API', /^Another program answers there, not the Payments API\.$/, cure)]);
  });

  test('at the port of a stopped sandbox: the printed cure starts it', async ({expect}) => {
    const someone = person();
    const port = await freePort();
    const first = watch(someone.directory, ['sandbox', 'serve', '--port', String(port), '--json']);
    const [ready] = await first.until(/.*\n/);
    const {url, secret_key: key} = JSON.parse(ready) as {url: string; secret_key: string};
    first.child.kill('SIGINT');
    await first.ended;
    const cure = `centavo sandbox serve --port ${port}`;
    // The sandbox itself is healthy; only its links lead nowhere.
    const embedded = await examine(someone);
    expect(embedded.problems).toEqual([]);
    const served = embedded.checks.find(({name}) => name === 'served sandbox');
    expect(served).toMatchObject({status: 'note', cure: `To start it: ${cure}`});

    const env = {CENTAVO_BASE_URL: url, CENTAVO_SECRET_KEY: key};
    const {problems} = await examine(someone, [], {env});
    expect(problems).toMatchObject([problem('API', /refused \(ECONNREFUSED\)/, `To start a sandbox there: ${cure}`)]);
    const again = watch(someone.directory, commandIn(problems[0]!.cure).split(' ').slice(1));
    await again.until(/ready/);
    const after = await examine(someone, [], {env, isServed: true});
    again.child.kill('SIGINT');
    await again.ended;
    expect(after.problems).toEqual([]);
    expect(after.said).toMatchObject({API: `${url} accepts the key`, 'served sandbox': `runs at ${url}`});
    // Its clock may be advanced, so it says nothing of this machine's.
    expect(after.said).not.toHaveProperty('clock');
    // A check by doctor is not an error in the studio.
    const logged = await someone.run(['sandbox', 'logs', '--json', '--status', '4xx']);
    expect(logged.json()).toMatchObject({data: []});
  });
});

// Not concurrent: the process that starts one ends it with the running test.
describe('killed listeners', () => {
  test('in the sandbox: deletes unused webhooks as printed, and leaves reusable ones', async () => {
    const someone = person();
    const first = listeningProcess(someone.directory);
    const {webhook_id: used} = await first.next('ready');
    for (const words of [['--fix'], []]) {
      // A second listener of the folder keeps no endpoint.
      const second = listeningProcess(someone.directory);
      const {webhook_id: left} = await second.next('ready');
      expect((await examine(someone)).said.listeners).toBe('no leftover webhooks');
      await second.stop('SIGKILL');
      const {problems} = await examine(someone);
      const cure = 'To delete it: centavo doctor --fix';
      expect(problems).toMatchObject([{...problem('listeners', new RegExp(`: ${left}\\.$`), cure), fixable: true}]);
      const after = words.length > 0 ? await examine(someone, words) : await applyCure(someone, problems[0]!.cure);
      expect(after.problems).toEqual([]);
      expect((await examine(someone)).said.listeners).toBe('no leftover webhooks');
    }
    await first.stop('SIGKILL');
    expect((await examine(someone, ['--fix'])).said.listeners).toBe('no leftover webhooks');
    const {data} = (await someone.run(['webhooks', 'list', '--json'])).json<{data: {id: string}[]}>();
    expect(data.map(({id}) => id)).toEqual([used]);
  });

  test('on an account: prints the command for leftover webhooks, and --fix does not touch them', async ({
    expect,
    onTestFinished,
  }) => {
    let isThere = true;
    const answer = answersFor({[TEST_KEY]: SHOP});
    const server = await serve((request) => {
      if (!request.startsWith('GET /webhooks/wh_1')) return answer(request);
      const gone = httpAnswer('404 Not Found', '{"errors": [{"code": "resource_not_found", "detail": "Made up."}]}');
      return isThere ? httpAnswer('200 OK', '{"id": "wh_1", "resource": "webhook", "status": "enabled"}') : gone;
    }, onTestFinished);
    const someone = await loggedIn(TEST_KEY, server.url);
    const hash = createHash('sha256').update(`${server.url} ${TEST_KEY}`).digest('hex').slice(0, 16);
    const store = openDeliveries(fileOf(someone, 'deliveries.db'), {owner: {pid: 1, startedAt: 1}});
    const lease = {id: 'lease', account: `shop ${hash}`, url: 'https://x.example', webhookId: 'wh_1'};
    store.endpoints.addLease({...lease, pid: 999_999_999, startedAt: 1});
    store.close();
    const {problems} = await examine(someone, ['--fix', '-p', 'shop']);
    expect(problems).toMatchObject([
      problem('listeners', /left a webhook: wh_1\.$/, 'Delete it: centavo webhooks delete wh_1 --profile shop'),
    ]);
    isThere = false;
    expect((await examine(someone)).problems).toEqual([]);
    expect(server.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
  });
});

describe.concurrent('the machine', () => {
  const preloaded = (someone: Person, text: string, ...more: string[]) => {
    const path = fileOf(someone, 'preload.cjs');
    writeFileSync(path, text);
    return {env: preload(path, ...more), isOwnProcess: true};
  };
  const version = (text: string): string =>
    `Object.defineProperty(process, 'versions', {value: {...process.versions, node: '${text}'}});`;

  test('with a Node without security fixes', async ({expect}) => {
    const someone = person();
    const {problems, checks} = await examine(someone, [], preloaded(someone, version('20.19.1')));
    expect(problems).toEqual([]);
    expect(checks.find(({name}) => name === 'Node')).toMatchObject({
      status: 'note',
      message: 'Node 20.19.1 no longer gets security fixes.',
      cure: expect.stringContaining('Node 22'),
    });
  });

  test('with a Node without a database and without the package for it', async ({expect}) => {
    const someone = person();
    const noDatabase = fileURLToPath(new URL('../support/history/no-sqlite.cjs', import.meta.url));
    const {problems} = await examine(someone, [], preloaded(someone, version('20.19.1'), noDatabase));
    expect(problems).toMatchObject([
      {name: 'Node', message: expect.stringContaining('libsql'), cure: expect.stringContaining('Node 22')},
    ]);
  });

  test('with a Node too old for centavo: reported before anything else', async ({expect}) => {
    const someone = person();
    const {status, stderr} = await someone.runProcess(['doctor'], preloaded(someone, version('18.20.0')));
    expect({status, stderr}).toEqual({
      status: 2,
      stderr: 'Error: centavo needs Node 20.19 or later; this is 18.20.0.\n',
    });
  });

  test('without a tunnel program: a note with where to get one', async ({expect}) => {
    const {problems, checks} = await examine(person({PATH: '/nowhere'}));
    expect(problems).toEqual([]);
    expect(checks.find(({name}) => name === 'tunnels')).toMatchObject({
      status: 'note',
      message: 'No tunnel program is installed. Only webhooks of a real account need one.',
      cure: expect.stringMatching(/^Get it from .*brew install cloudflared/),
    });
  });
});

const missing = keychainMissing();

test('has a keychain, or skips the rest and says why; fails in CI', () => {
  if (missing) console.warn(`Skipped, for want of a keychain: ${missing}`);
  if (process.env.CI === 'true') expect(missing).toBeUndefined();
});

describe.skipIf(missing)('a keychain', () => {
  const use = async (environment: Record<string, string>) => {
    const someone = person(environment, environment.HOME);
    await someone.keep(TEST_KEY, api.url, {store: 'file'});
    const text = readFileSync(someone.configuration, 'utf8').replace('"store": "file"', '"store": "keychain"');
    writeFileSync(someone.configuration, text);
    return someone;
  };

  test('that is locked, then unlocked', UNLESS_DAEMON_DIED, async () => {
    const session = await keychainSession('unlocked');
    const someone = person(session.environment, session.environment.HOME);
    const login = ['login', '--with-token', '-p', 'shop', '--base-url', api.url];
    expect((await cli(someone.directory, {env: session.environment})(login, {input: TEST_KEY})).status).toBe(0);
    expect((await examine(someone)).problems).toEqual([]);
    await session.lock();
    const {problems, said} = await examine(someone);
    expect(problems).toMatchObject([
      problem('key', /^The keychain is locked\./, /CENTAVO_SECRET_KEY .*centavo login .*--credential-command/),
    ]);
    // The API is still checked.
    expect(said.API).toBe(`${api.url} answers`);
  });

  test('that never answers is given up at its limit', async () => {
    const {environment} = await keychainSession('black hole');
    const {problems, said} = await examine(await use(environment));
    expect(problems).toMatchObject([
      problem('key', /^The keychain did not answer/, /CENTAVO_SECRET_KEY .*centavo login .*--credential-command/),
    ]);
    expect(said.API).toBe(`${api.url} answers`);
    // Not used without a key in the keychain.
    const other = await examine(person(environment, environment.HOME), ['-p', 'sandbox']);
    expect(other.checks.find(({name}) => name === 'keychain')).toMatchObject({status: 'note'});
  });
});
