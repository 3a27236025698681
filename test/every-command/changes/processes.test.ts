// Long-running and concurrent processes: signals, the served sandbox, --dry-run and --verbose.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {cli, NO_LIMITS, temporaryDirectory, preload, moduleOf, NO_LIMITS_PATH} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {customerNumbered, pagedService, type PagedService} from '../../support/services/paged-service.js';
import {followProcessor, looksBroken, watch, type Watched} from '../../support/processes.js';
import {runs} from '../../support/test-size.js';
import {httpAnswer, LIVE_KEY, rawServer, showsKey, TEST_KEY, type RawServer} from '../../support/services/servers.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const CREATE = ['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com'];
const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

describe('stopped by a signal', () => {
  test.for(SIGNALS)('%s ends the served sandbox cleanly: exit %i', async ([signal, status]) => {
    const served = watch(directory, ['sandbox', 'serve', '--port', '0', '--json'], {env: NO_LIMITS});
    await served.until(/\n/);
    served.child.kill(signal);
    expect(await served.ended).toEqual({status, signal: null});
    expect(served.stderr()).toBe('');
  });

  test.for(SIGNALS)('%s ends a read without a response: exit %i', async ([signal, status]) => {
    const server = await rawServer(() => undefined);
    const reading = watch(directory, ['customers', 'list', '--json'], {
      env: {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY, ...NO_LIMITS},
    });
    await server.received(1);
    reading.child.kill(signal);
    expect(await reading.ended).toEqual({status, signal: null});
    const {error} = JSON.parse(reading.stderr());
    expect(error).toMatchObject({exit_code: status, applied: 'no'});
    expect(reading.stdout()).toBe('');
    await server.close();
  });

  test('a change without a response has an unknown outcome, with a command to check', async () => {
    const server = await rawServer(() => undefined);
    const writing = watch(directory, CREATE, {
      env: {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY, ...NO_LIMITS},
    });
    await server.received(1);
    writing.child.kill('SIGINT');
    expect(await writing.ended).toEqual({status: 130, signal: null});
    expect(writing.stderr()).toContain('centavo could not confirm whether anything was changed.');
    expect(writing.stderr()).toMatch(/centavo customers list/);
    expect(looksBroken({stdout: '', stderr: writing.stderr()})).toBe(false);
    expect(server.requests).toHaveLength(1);
    await server.close();
  });

  /** Sends the signal, and returns the output after the process ended as expected. */
  async function stop(running: Watched, [signal, status]: (typeof SIGNALS)[number]) {
    running.child.kill(signal);
    expect(await running.ended).toEqual({status, signal: null});
    expect(looksBroken({stdout: '', stderr: running.stderr()})).toBe(false);
    return running.stderr();
  }

  describe.each([
    [['customers', 'get', '-']],
    [['customers', 'create', '--data', '-']],
    [['webhooks', 'verify', '--secret-stdin', '--header', 't=1,te=2,li=']],
  ])('%j, which waits for stdin', (words) => {
    test.for(SIGNALS)('by %s: exit %i', async (by) => {
      const waiting = watch(directory, words, {
        env: preload(
          NO_LIMITS_PATH,
          moduleOf("process.stdin.once('newListener', () => process.stdout.write('waiting'))"),
        ),
      });
      await waiting.until(/waiting/);
      expect(await stop(waiting, by)).toContain('stopped while reading stdin.');
    });
  });

  const LONG = runs(50_000);
  const MAX_PAGE = 100;

  describe(`a list of ${LONG}`, () => {
    let service: PagedService;
    let env: Record<string, string>;
    beforeAll(async () => {
      service = await pagedService({done: afterAll});
      service.customers = Array.from({length: LONG}, (_, index) => customerNumbered(index));
      env = {CENTAVO_BASE_URL: service.url, CENTAVO_SECRET_KEY: TEST_KEY};
    });

    test.for([
      ['table', SIGNALS[0]],
      ['csv', SIGNALS[1]],
      ['json', SIGNALS[0]],
    ] as const)('during the change, a %s', async ([format, by]) => {
      const last = service.answered(LONG / MAX_PAGE);
      const listing = watch(directory, ['customers', 'list', '--all', '-o', format], {env: {...env, ...NO_LIMITS}});
      // CSV is printed as it comes, so that it may be done as soon as the last page is there.
      await (format === 'csv' ? listing.until(/\n/) : last);
      const sinceThen = followProcessor(listing.child);
      expect(await stop(listing, by)).toContain('was');
      const share = sinceThen();
      // CSV is printed page by page.
      if (format === 'csv') return;
      expect(listing.stdout()).toBe('');
      // Making all of it takes more work than reading the list did.
      expect(share).toBeLessThan(0.5);
    });

    test.for(SIGNALS)('with unread output, by %s: exit %i', async (by) => {
      const listing = watch(directory, ['customers', 'list', '--all', '-o', 'json'], {env: {...env, ...NO_LIMITS}});
      await listing.until(/\n/);
      listing.child.stdout!.pause();
      const ended = stop(listing, by);
      listing.child.once('exit', () => listing.child.stdout!.resume());
      expect(await ended).toContain('stopped before all output was written.');
    });
  });

  test('between the changes of a sandbox batch, with the number changed', async () => {
    const {id} = (await run([...CREATE, '--json'])).json();
    const deleting = watch(directory, ['customers', 'delete', '-', '--yes'], {env: NO_LIMITS});
    deleting.child.stdin!.end([id, ...Array.from({length: 20_000}, (_, index) => `cus_n${index}`)].join('\n'));
    // The first one is deleted when the second is reported missing.
    await new Promise<void>((resolve) =>
      deleting.child.stderr!.on('data', () => void (/cus_n0: /.test(deleting.stderr()) && resolve())),
    );
    const said = await stop(deleting, SIGNALS[0]);
    expect(said).toMatch(/was interrupted\.\n {2}1 of 20001 was changed\.\n/);
  });
});

describe('a --jq program without end', () => {
  const LIST = httpAnswer('200 OK', '{"resource":"list","has_more":false,"data":[]}');
  const ENDLESS = ['--jq', 'repeat(1)'];

  test.for(SIGNALS)('%s ends it: exit %i', async ([signal, status]) => {
    const server = await rawServer(() => LIST);
    const running = watch(directory, ['customers', 'list', ...ENDLESS, '--json'], {
      env: {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY, ...NO_LIMITS},
    });
    await server.received(1);
    running.child.kill(signal);
    expect(await running.ended).toEqual({status, signal: null});
    expect(running.stdout()).toBe('');
    expect(JSON.parse(running.stderr()).error).toMatchObject({exit_code: status, applied: 'no'});
    await server.close();
  });

  test('--timeout ends it: exit 9, or 15 after a change', async () => {
    const own = cli(temporaryDirectory());
    const read = await own(['customers', 'list', ...ENDLESS, '--timeout', '1s', '--json']);
    expect(read).toMatchObject({status: 9, stdout: ''});
    expect(read.error()).toMatchObject({code: 'jq_timed_out', exit_code: 9, applied: 'no'});
    // Long enough for a busy machine to make the change first.
    const change = await own([...CREATE, ...ENDLESS, '--timeout', '3s', '--json']);
    expect(change).toMatchObject({status: 15, stdout: ''});
    expect(change.error()).toMatchObject({code: 'jq_timed_out', exit_code: 15, applied: 'yes'});
    expect((await own(['customers', 'list', '--jq', '.data | length'])).stdout).toBe('1\n');
  });

  test('neither the program nor its output sees a key', async () => {
    const env = {CENTAVO_BASE_URL: 'http://127.0.0.1:9', CENTAVO_SECRET_KEY: TEST_KEY};
    const result = await cli(directory)(['commands', '--jq', 'env, $ENV, (env | length)'], {env});
    expect(result).toMatchObject({status: 0, stdout: '{}\n{}\n0\n', stderr: ''});
  });
});

describe('a timeout', () => {
  test('ends a read without a response: exit 8', async () => {
    const server = await rawServer(() => undefined);
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const result = await run(['customers', 'list', '--timeout', '1s', '--json'], {env});
    expect(result.status).toBe(8);
    expect(result.error()).toMatchObject({exit_code: 8, retryable: true});
    await server.close();
  });

  test('ends a change without a response: exit 10, sent once', async () => {
    const server = await rawServer(() => undefined);
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const result = await run([...CREATE, '--timeout', '1s', '--json'], {env});
    expect(result.status).toBe(10);
    expect(result.error()).toMatchObject({exit_code: 10, applied: 'unknown'});
    expect(server.requests).toHaveLength(1);
    await server.close();
  });
});

describe('the served sandbox', () => {
  test('prints one line of JSON when ready, and answers a second process with its URL and key', async () => {
    const served = watch(directory, ['sandbox', 'serve', '--port', '0', '--json']);
    const [line] = await served.until(/^.*\n/);
    const ready = JSON.parse(line) as Record<string, string>;
    expect(ready).toEqual({
      type: 'ready',
      project: 'default',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      secret_key: expect.stringMatching(/^sk_test_/),
      public_key: expect.stringMatching(/^pk_test_/),
    });
    const other = cli(temporaryDirectory(), {env: {CENTAVO_BASE_URL: ready.url, CENTAVO_SECRET_KEY: ready.secret_key}});
    // The result of a change names the mode of the account; one object that was read is as the API gave it.
    const {mode, ...made} = (await other([...CREATE, '--json'])).json();
    expect(mode).toBe('test');
    expect((await other(['customers', 'get', made.id, '--json'])).json()).toEqual(made);
    expect((await run(['customers', 'get', made.id, '--json'])).json(), 'the embedded one is the same').toEqual(made);

    const wrong = await other(['customers', 'list', '--json'], {env: {CENTAVO_SECRET_KEY: TEST_KEY}});
    expect(wrong).toMatchObject({status: 4, stdout: ''});
    served.child.kill('SIGTERM');
    expect((await served.ended).status).toBe(143);
  });

  test('exits 2 on a used port, with a way to another', async () => {
    const server = await rawServer(() => undefined);
    const result = await cli(directory)(['sandbox', 'serve', '--port', new URL(server.url).port]);
    expect(result).toMatchObject({status: 2, stdout: '', stderr: expect.stringContaining('--port 0')});
    await server.close();
  });
});

describe('--dry-run', () => {
  let server: RawServer;
  beforeAll(async () => {
    server = await rawServer(() => httpAnswer('200 OK', '{}'));
  });
  afterAll(() => server.close());
  const dry = (words: readonly string[], env = {}) =>
    run([...words, '--dry-run'], {env: {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY, ...env}});
  const commands = [
    CREATE,
    ['customers', 'list', '--limit', '3'],
    ['customers', 'delete', 'cus_2mQ8', 'cus_3nR9'],
    ['billing-statements', 'finalize', 'bstm_7Hq2'],
    ['payouts', 'list-transactions', 'po_9Xc5', '--all'],
    ['get', 'pi_5kT1'],
    ['api', 'POST', '/customers', '-d', 'name=Ana'],
  ];

  test.for(commands.map((words) => [words]))('shows %s as HTTP without the key, and sends nothing', async ([words]) => {
    const result = await dry(words!);
    expect(result.status).toBe(0);
    expect(result.stdout).toMatch(/^(GET|POST|PUT|DELETE) http:\/\/127\.0\.0\.1:\d+\/\w+/);
    expect(result.stdout).toMatch(/^authorization: Basic \[redacted\]$/m);
    expect(result.stderr).toContain('Nothing was sent.');
    expect(showsKey(result.stdout + result.stderr)).toBe(false);
  });

  test('shows a curl command that reads the key from the environment', async () => {
    const {stdout} = await dry([...CREATE, '--metadata', "note=it's 5 o'clock", '-o', 'curl']);
    expect(stdout).toMatch(
      /^curl -X POST 'http:\/\/127\.0\.0\.1:\d+\/customers' |^curl -X POST http:\/\/127\.0\.0\.1:\d+\/customers /,
    );
    expect(stdout).toContain('-u "$CENTAVO_SECRET_KEY:"');
    expect(stdout).toContain(String.raw`it'\''s 5 o'\''clock`);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(showsKey(stdout)).toBe(false);
  });

  test('prints each request with --json', async () => {
    const result = await dry([...CREATE, '--json']);
    expect(result.stderr).toBe('');
    const {dry_run: dryRun, requests} = result.json();
    expect(dryRun).toBe(true);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({method: 'POST', url: `${server.url}/customers`});
    expect(JSON.parse(requests[0].body)).toEqual({name: 'Ana', email: 'ana@example.com', currency: 'PHP'});
  });

  test('shows live requests without --live', async () => {
    const result = await dry(CREATE, {CENTAVO_SECRET_KEY: LIVE_KEY});
    expect(result.status).toBe(0);
    expect(showsKey(result.stdout + result.stderr)).toBe(false);
  });

  test('changes nothing in the sandbox', async () => {
    const count = async () => (await run(['customers', 'list', '--all', '--json'])).json().data.length as number;
    const before = await count();
    expect((await run([...CREATE, '--dry-run'])).status).toBe(0);
    expect(await count()).toBe(before);
  });

  test('sent nothing in these tests', () => {
    expect(server.connections()).toBe(0);
  });
});

describe('--verbose', () => {
  test('shows each attempt on stderr with the reason for the retry, and never a key', async () => {
    let count = 0;
    const server = await rawServer(() =>
      ++count < 3
        ? httpAnswer('503 Service Unavailable', '{}', {'retry-after': '0'})
        : httpAnswer('200 OK', '{"resource":"list","has_more":false,"data":[]}'),
    );
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const result = await run(['customers', 'list', '--verbose', '--json'], {env});
    expect(result.status).toBe(0);
    expect(result.json()).toMatchObject({data: []});
    expect(result.stderr.match(/^GET \/customers → (503|200) .*$/gm)).toHaveLength(3);
    expect(result.stderr).toMatch(/attempt 2, again in \d+ ms/);
    expect(showsKey(result.stdout + result.stderr)).toBe(false);
    await server.close();
  });

  test('shows the attempts of a change that fails, and its error', async () => {
    const server = await rawServer(() => httpAnswer('400 Bad Request', '{"errors":[{"code":"bad","detail":"No."}]}'));
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const result = await run([...CREATE, '-v'], {env});
    expect(result.status).toBe(5);
    expect(result.stderr).toMatch(/POST \/customers → 400/);
    expect(result.stderr).toMatch(/Error: [^]*No\. Nothing was changed\./);
    expect(showsKey(result.stdout + result.stderr)).toBe(false);
    await server.close();
  });

  test('shows headers and bodies without secrets, and long bodies in part', async () => {
    const client_secret = 'pi_1_secret_MadeUpForTests0123';
    const lines = Array.from({length: 500}, (_, index) => index);
    const server = await rawServer(() =>
      httpAnswer(
        '200 OK',
        JSON.stringify({id: 'cus_1', resource: 'customer', name: 'A\u202E', client_secret, key: TEST_KEY, lines}),
        {'X-Request-Id': 'req_77', 'set-cookie': 'session=MadeUpSession'},
      ),
    );
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const result = await run([...CREATE, '-v', '--reveal'], {env});
    expect(result.status).toBe(0);
    expect(result.stderr).toMatch(
      /^POST \/customers → 200 \(\d+ ms, request ID req_77\)\n {2}> accept: application\/json$/m,
    );
    expect(result.stderr).toMatch(/^ {2}> \{\n {2}> {3}"currency": "PHP",\n/m);
    expect(result.stderr).toMatch(/^ {2}< set-cookie: \[redacted\]$/m);
    expect(result.stderr).toMatch(/^ {2}< {3}"name": "A\\u202e",$/m);
    expect(result.stderr).toMatch(/^ {2}< … and \d+ more lines$/m);
    expect(result.stderr).not.toMatch(/MadeUp|authorization|Basic/);
    expect(showsKey(result.stdout + result.stderr)).toBe(false);
    await server.close();
  });

  test('shows requests to the embedded sandbox', async () => {
    expect((await run(['customers', 'list', '-v'])).stderr).toMatch(/GET \/customers → 200/);
  });
});

test('concurrent processes each create their own object', async () => {
  const own = temporaryDirectory();
  const results = await Promise.all([1, 2, 3, 4].map((number) => cli(own)([...CREATE, '--metadata', `n=${number}`])));
  expect(results.map(({status}) => status)).toEqual([0, 0, 0, 0]);
  const merchant = new Merchant(own);
  expect((await merchant.call('GET', '/customers')).data).toHaveLength(4);
  merchant.close();
});
