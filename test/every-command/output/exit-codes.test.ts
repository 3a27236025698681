// Every exit code with its stdout and stderr: JSON from a real process, and text for people.

import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {EXIT_CODES} from '../../../src/common/errors.js';
import {cliEnvironment, RUN, temporaryDirectory, moduleOf, preload} from '../../support/cli.js';
import {digest, eventText, liveHeader, NOW, OTHER_SECRET, SECRET, SIGNED_AT} from '../../webhooks/fixtures/signing.js';
import {command} from '../../support/commands.js';
import {watchCommand} from '../../support/processes.js';
import {httpAnswer, LIVE_KEY, rawServer, TEST_KEY} from '../../support/services/servers.js';

interface Provoked {
  readonly name: keyof typeof EXIT_CODES;
  readonly what: string;
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** The signal to send once the server has a request. */
  readonly signal?: NodeJS.Signals;
  /** stdout as JSON; empty by default. */
  readonly result?: unknown;
  /** stdout as JSON lines. */
  readonly lines?: readonly unknown[];
  readonly applied?: 'no' | 'unknown';
  readonly message?: RegExp;
}

const NOT_FOUND = JSON.stringify({errors: [{code: 'resource_not_found', detail: 'No such customer.'}]});
const REFUSAL = JSON.stringify({errors: [{code: 'parameter_invalid', detail: 'No.', parameter: 'name'}]});
const CUSTOMER = {id: 'cus_2mQ8', resource: 'customer', name: 'Juan'};

const directory = temporaryDirectory(afterAll);
const api = await rawServer((request) => {
  const path = request.split(' ')[1]!;
  if (path.includes('Hangs')) return undefined;
  if (path.includes('Limited')) return httpAnswer('429 Too Many Requests', '{}', {'retry-after': '9'});
  if (path.endsWith('/cus_2mQ8')) return httpAnswer('200 OK', JSON.stringify(CUSTOMER));
  if (path.startsWith('/customers/')) return httpAnswer('404 Not Found', NOT_FOUND);
  return path.startsWith('/webhooks') ? httpAnswer('502 Bad Gateway', '') : httpAnswer('400 Bad Request', REFUSAL);
});
beforeAll(() => {
  mkdirSync(join(directory, 'broken'));
  writeFileSync(join(directory, 'broken', 'config.json'), '{');
  writeFileSync(join(directory, 'deliveries.db'), 'This is no database.'.repeat(100));
});
afterAll(() => api.close());

const GET = ['customers', 'get', 'cus_2mQ8'];
const CREATE = ['customers', 'create', '--name', 'Juan', '--email', 'juan@example.com'];
const CRASH = moduleOf(`const timer = setInterval(() => {
  if (process.listenerCount('uncaughtException') === 0) return;
  clearInterval(timer);
  throw new Error('secret words');
}, 1);`);

const service = (key = TEST_KEY) => ({CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: key});

const PROVOKED: readonly Provoked[] = [
  {name: 'ok', what: 'an object', words: GET, env: service(), result: CUSTOMER},
  {
    name: 'ok',
    what: 'nothing in a list',
    words: ['customers', 'list'],
    result: {resource: 'list', has_more: false, mode: 'sandbox', data: []},
  },
  {
    name: 'internal',
    what: 'a bug',
    words: ['customers', 'get', 'cus_Hangs'],
    env: {...service(), ...preload(CRASH)},
    message: /^a bug in centavo: Error/,
    applied: 'no',
  },
  {name: 'usage', what: 'an unknown flag', words: ['customers', 'list', '--nosuch'], message: /--nosuch/},
  {name: 'usage', what: 'a missing flag', words: ['customers', 'create', '--name', 'A'], message: /--email is missing/},
  {name: 'not_found', what: 'an unknown id', words: ['customers', 'get', 'cus_None'], env: service()},
  {name: 'auth', what: 'a service without a key', words: GET, env: {CENTAVO_BASE_URL: 'https://api.example.com'}},
  {name: 'rejected', what: 'a refused parameter', words: CREATE, env: service(), applied: 'no'},
  {
    name: 'condition_unmet',
    what: 'a forged delivery',
    words: [
      'webhooks',
      'verify',
      '--now',
      String(NOW),
      '--header',
      liveHeader(digest(eventText(), SIGNED_AT, OTHER_SECRET)),
    ],
    env: {CENTAVO_WEBHOOK_SECRET: SECRET},
    input: eventText(),
    result: expect.objectContaining({genuine: false}),
  },
  {
    name: 'rate_limited',
    what: '429 until the time is over',
    words: ['customers', 'get', 'cus_Limited', '--timeout', '1s'],
    env: service(),
  },
  {
    name: 'unavailable',
    what: 'nothing listening',
    words: GET,
    env: {...service(), CENTAVO_BASE_URL: 'http://127.0.0.1:1'},
  },
  {
    name: 'timed_out',
    what: 'no event in time',
    words: ['webhooks', 'listen', '--count', '1', '--timeout', '1s'],
    env: {CENTAVO_DATA_DIR: join(directory, 'broken')},
    lines: [expect.objectContaining({type: 'ready'}), expect.objectContaining({type: 'summary'})],
  },
  {
    name: 'outcome_unknown',
    what: 'a change without an answer',
    words: ['webhooks', 'create', '--url', 'https://shop.example/hooks', '--events', 'payment_intent.succeeded'],
    env: service(),
    applied: 'unknown',
  },
  {
    name: 'partial',
    what: 'one of two ids',
    words: ['customers', 'get', 'cus_2mQ8', 'cus_None'],
    env: service(),
    result: {resource: 'list', has_more: false, mode: 'test', data: [CUSTOMER]},
  },
  {name: 'refused', what: 'a live change without --live', words: CREATE, env: service(LIVE_KEY), applied: 'no'},
  {
    name: 'keychain',
    what: 'a session without a keychain',
    words: ['login', '--profile', 'shop', '--with-token'],
    input: TEST_KEY,
  },
  {
    name: 'config',
    what: 'a broken configuration',
    words: GET,
    env: {CENTAVO_CONFIG_DIR: join(directory, 'broken')},
  },
  {name: 'local_io', what: 'a damaged file', words: ['webhooks', 'deliveries', 'list']},
  {
    name: 'interrupted',
    what: 'SIGINT',
    words: ['customers', 'get', 'cus_Hangs'],
    env: service(),
    signal: 'SIGINT',
  },
  {
    name: 'terminated',
    what: 'SIGTERM',
    words: ['customers', 'get', 'cus_Hangs'],
    env: service(),
    signal: 'SIGTERM',
  },
];

async function run({words, env, input, signal}: Provoked, more: readonly string[]) {
  const before = api.requests.length;
  const started = watchCommand(process.execPath, [RUN, ...words, ...more], {env: cliEnvironment(directory, env)});
  started.child.stdin!.end(input ?? '');
  if (signal) {
    await api.received(before + 1);
    started.child.kill(signal);
  }
  const {status} = await started.ended;
  return {status, stdout: started.stdout(), stderr: started.stderr()};
}

/** The same without a process, if only the command decides the exit code. */
const runInWords = (one: Provoked) =>
  one.signal || one.env?.NODE_OPTIONS || one.lines
    ? run(one, [])
    : command(directory, one.words, {env: one.env, input: one.input});

test('every exit code is covered', () => {
  expect([...new Set(PROVOKED.map(({name}) => name))].sort()).toEqual(Object.keys(EXIT_CODES).sort());
});

describe.each(PROVOKED.map((one) => [EXIT_CODES[one.name].exit, one.what, one] as const))(
  'exit %i: %s',
  (exit, _, one) => {
    test('with --json', async () => {
      const {status, stdout, stderr} = await run(one, ['--json']);
      expect({status, stderr: exit === 0 ? stderr : ''}).toEqual({status: exit, stderr: ''});
      if (one.lines)
        expect(
          stdout
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line) as unknown),
        ).toEqual(one.lines);
      else if (one.result !== undefined) expect(JSON.parse(stdout)).toEqual(one.result);
      else expect(stdout).toBe('');
      if (exit === 0) return;
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      const {error} = JSON.parse(stderr) as {error: {message: string}};
      expect(error).toMatchObject({exit_code: exit, applied: one.applied ?? 'no'});
      expect(error.message).toMatch(one.message ?? /\.$/);
    });

    test('as text', async () => {
      const {status, stdout, stderr} = await runInWords(one);
      expect(status).toBe(exit);
      if (one.result === undefined) expect(stdout).toBe('');
      if (exit === 0) return expect(stderr).toBe('');
      const lines = stderr.trimEnd().split('\n');
      const first = lines.findIndex((line) => line.startsWith('Error: '));
      expect(first, stderr).toBeGreaterThanOrEqual(0);
      expect(lines.length - first).toBeLessThanOrEqual(3);
      expect(stderr).not.toMatch(/^\s+at /m);
    });
  },
);
