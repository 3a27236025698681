// Secrets in API responses, in arguments typed by mistake, and in crash reports.

import {describe, expect, test} from 'vitest';
import {temporaryDirectory, type CliResult, preload, moduleOf} from '../../support/cli.js';
import {CANARIES, COMMANDS, FORMS, lookForCanaries, lookForKeys, SCENARIOS} from '../../support/scenarios/canaries.js';
import {commandsIn} from '../../support/commands.js';
import {terminalInProcess} from '../../support/in-process.js';
import {loaded} from '../../support/terminal.js';
import {cliInTurn, watch} from '../../support/processes.js';
import {httpAnswer, rawServer} from '../../support/services/servers.js';

const {key, live, webhook, client} = CANARIES;
const printed = ({stdout, stderr}: Pick<CliResult, 'stderr' | 'stdout'>): string => stdout + stderr;

describe('an API that returns secrets', () => {
  // test/soak has each of these in many more command lines and forms.
  test.each(Object.entries(SCENARIOS).map(([name, scenario], index) => ({name, scenario, index})))(
    '$name: prints no secret',
    async ({scenario, index}) => {
      const server = await rawServer(scenario);
      const run = commandsIn(temporaryDirectory(), {env: {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: key.text}});
      const words = [...COMMANDS[index % COMMANDS.length]!, ...FORMS[index % FORMS.length]!, '--timeout', '3s'];
      const result = await run(words);
      expect(printed(result).length).toBeGreaterThan(0);
      expect(lookForCanaries(printed(result)).leak, words.join(' ')).toBeUndefined();
      await server.close();
    },
  );
});

describe('--reveal', () => {
  const env = async () => {
    const server = await rawServer(SCENARIOS['objects with secrets in every field']!);
    return {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: key.text};
  };

  test.each([[['--json']], [['-o', 'csv']], [['--jq', '.secret_key']], [['--fields', 'client_secret,secret_key']]])(
    '%j: shows client and webhook secrets, not the key',
    async (form) => {
      const run = commandsIn(temporaryDirectory(), {env: await env()});
      const result = await run(['webhooks', 'get', 'wh_1', '--reveal', ...form]);
      expect(result.status).toBe(0);
      const {text} = CANARIES.odd;
      const writings = [text, JSON.stringify(text).slice(1, -1), text.replaceAll('"', '""')];
      expect(writings.some((each) => result.stdout.includes(each))).toBe(true);
      expect(lookForKeys(printed(result)).leak).toBeUndefined();
      const hidden = await run(['webhooks', 'get', 'wh_1', ...form]);
      expect(lookForCanaries(printed(hidden)).leak).toBeUndefined();
      expect(hidden.stdout).toContain('[redacted]');
    },
  );

  test('shows nothing on stderr', async () => {
    const server = await rawServer(SCENARIOS['a refusal that repeats the header']!);
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: key.text};
    for (const form of [[], ['--json']]) {
      const result = await commandsIn(temporaryDirectory(), {env})(['webhooks', 'get', 'wh_1', '--reveal', ...form]);
      expect(result.status).toBe(5);
      expect(lookForCanaries(result.stderr).leak).toBeUndefined();
    }
  });

  test('prints the secret of a new sandbox webhook', async () => {
    const run = commandsIn(temporaryDirectory());
    const words = ['webhooks', 'create', '--url', 'https://shop.example/hooks', '--events', 'payment_intent.succeeded'];
    const {id, secret_key: secret} = (await run([...words, '--json'])).json();
    expect(secret).toMatch(/^whsk_[A-Za-z0-9]{32}$/);
    expect((await run(['webhooks', 'get', id, '--json'])).json().secret_key).toBe('whsk_[redacted]');
    expect((await run(['webhooks', 'get', id, '--json', '--reveal'])).json().secret_key).toBe(secret);
  });

  test('sandbox links of statements and sessions are complete without it', async () => {
    const run = commandsIn(temporaryDirectory());
    const words = [
      '--item',
      'T-shirt x2 @ 450',
      '--success-url',
      'https://a.example/b',
      '--cancel-url',
      'https://a.example/c',
    ];
    const session = (await run(['checkout-sessions', 'create', ...words, '--json'])).json();
    expect(session).toMatchObject({
      client_secret: `${session.id}_secret_[redacted]`,
      url: expect.stringMatching(new RegExp(`/c/${session.id}_secret_[A-Za-z0-9]{32}$`)),
    });
  });

  describe.runIf(loaded.pty)('at a terminal', () => {
    const create = ['webhooks', 'create', '--url', 'https://shop.example/hooks', '--events', 'refund.created'];
    const NOTE = /Secrets are hidden\. To show them, add --reveal\./g;

    test('notes once that secrets are hidden, and not with --reveal', async () => {
      const directory = temporaryDirectory();
      const {id} = (await commandsIn(directory)([...create, '--json'])).json();
      const words = ['webhooks', 'get', id];
      const hidden = terminalInProcess(directory, words);
      expect(await hidden.ended).toBe(0);
      expect(hidden.text()).toContain('whsk_[redacted]');
      expect(hidden.text().match(NOTE)).toHaveLength(1);
      const shown = terminalInProcess(directory, [...words, '--reveal']);
      expect(await shown.ended).toBe(0);
      expect(shown.text()).toMatch(/whsk_[A-Za-z0-9]{32}/);
      expect(shown.text()).not.toMatch(NOTE);
      const none = terminalInProcess(directory, ['customers', 'list']);
      expect(await none.ended).toBe(0);
      expect(none.text()).not.toMatch(NOTE);
    });
  });
});

describe('a secret among the arguments', () => {
  test.each([
    ['as an id', ['customers', 'get', key.text]],
    ['as the value of a flag', ['customers', 'create', '--name', `x ${live.text} y`]],
    [
      'in a header',
      ['webhooks', 'verify', '--header', `Authorization: Basic ${Buffer.from(`${key.text}:`).toString('base64')}`],
    ],
    ['as a webhook secret', ['webhooks', 'verify', '--header', webhook.text]],
    ['behind --', ['webhooks', 'listen', '--', 'env', `PAYREX_SECRET_KEY=${live.text}`, 'node']],
    ['with --verbose', ['customers', 'list', '-v', key.text]],
    ['where help is asked for', ['customers', 'list', '--help', key.text]],
    ['where there is no such command', ['login', '--key', live.text, '--nothing']],
  ])('%s exits 2 before anything is done, and is not printed', async (_, words) => {
    const server = await rawServer(() => httpAnswer('200 OK', '{}'));
    const run = commandsIn(temporaryDirectory(), {env: {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: key.text}});
    const plain = await run(words);
    expect(plain).toMatchObject({status: 2, stdout: ''});
    expect(plain.stderr).toMatch(
      /^Error: an argument contains .*\n {2}Other processes .* replace it.*Nothing was sent\.\n {2}.*centavo login.*\n$/,
    );
    expect(lookForCanaries(printed(plain)).leak).toBeUndefined();
    expect(server.connections()).toBe(0);
    await server.close();
  });

  test('has an error code with --json', async () => {
    const result = await commandsIn(temporaryDirectory())(['customers', 'get', live.text, '--json']);
    expect(result).toMatchObject({status: 2, stdout: ''});
    expect(result.error()).toMatchObject({code: 'secret_in_argument', exit_code: 2, applied: 'no'});
    expect(lookForCanaries(printed(result)).leak).toBeUndefined();
  });

  test('accepts a public key or a client secret', async () => {
    const server = await rawServer(SCENARIOS['objects with secrets in every field']!);
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: CANARIES.public.text};
    const run = commandsIn(temporaryDirectory(), {env});
    const result = await run(['payment-intents', 'get', 'pi_1', '--client-secret', client.text, '-v', '--json']);
    expect(result.status).toBe(0);
    expect(lookForCanaries(printed(result)).leak).toBeUndefined();
    expect(server.requests[0]).toContain(client.text);
  });

  test('accepts text that only mentions a key', async () => {
    const words = ['customers', 'create', '--name', 'sk_live_ or whsk_…', '--email', 'a@example.com', '--dry-run'];
    expect(await commandsIn(temporaryDirectory())(words)).toMatchObject({status: 0});
  });
});

describe('a dry-run request', () => {
  test.each([[[]], [['--json']], [['-o', 'jsonl']], [['-o', 'curl']]])('%j has no secret in it', async (form) => {
    const env = {CENTAVO_BASE_URL: 'http://127.0.0.1:1', CENTAVO_SECRET_KEY: CANARIES.public.text};
    const run = commandsIn(temporaryDirectory(), {env});
    const words = ['payment-intents', 'get', 'pi_1', '--client-secret', client.text, '--dry-run', ...form];
    const result = await run(words);
    expect(result.status).toBe(0);
    expect(result.stdout).toContain('_secret_[redacted]');
    expect(lookForCanaries(printed(result)).leak).toBeUndefined();
    expect((await run([...words, '--reveal'])).stdout).toContain(client.text);
  });
});

describe('a crash', () => {
  /** Has something thrown in the program, once it is there, where nothing waits for it. */
  const throwing = (statement: string) => {
    const wait = `const timer = setInterval(() => {
      if (process.listenerCount('uncaughtException') === 0) return;
      clearInterval(timer);
      ${statement}
    }, 5);`;
    return preload(moduleOf(wait));
  };
  const message = JSON.stringify(`broke with ${key.text} and Basic ${Buffer.from(`${live.text}:`).toString('base64')}`);

  test.each([
    ['an exception', `throw new Error(${message})`],
    ['a rejection', `void Promise.reject(new Error(${message}, {cause: new Error(${message})}))`],
    ['what is no error', `throw ${message}`],
  ])('by %s is reported like any bug, without a secret: exit 1', async (_, statement) => {
    for (const words of statement.startsWith('throw new') ? [[], ['--json'], ['-v']] : [['-v']]) {
      const {ended, stderr, stdout} = watch(temporaryDirectory(), ['sandbox', 'serve', '--port', '0', ...words], {
        env: {...throwing(statement), CENTAVO_SECRET_KEY: key.text},
      });
      expect(await ended).toEqual({status: 1, signal: null});
      expect(lookForKeys(stdout() + stderr()).leak).toBeUndefined();
      if (words[0] === '--json') expect(JSON.parse(stderr())).toMatchObject({error: {code: 'internal', exit_code: 1}});
      else expect(stderr()).toMatch(/^Error: a bug in centavo: (Error|string)/m);
      expect(stderr()).not.toContain('broke with');
      expect(stderr().includes('\n    at ')).toBe(words[0] === '-v' && statement.includes('Error'));
    }
  });

  test('without a value is reported', async () => {
    const {ended, stderr} = watch(temporaryDirectory(), ['sandbox', 'serve', '--port', '0'], {
      env: throwing('void Promise.reject()'),
    });
    expect(await ended).toEqual({status: 1, signal: null});
    expect(stderr()).toContain('a bug in centavo');
  });

  test('Node’s diagnostic report has no key', async () => {
    const report = `process.on('exit', () => process.stderr.write(JSON.stringify(process.report.getReport())))`;
    const env = {
      ...preload(moduleOf(report)),
      CENTAVO_SECRET_KEY: key.text,
      CENTAVO_WEBHOOK_SECRET: webhook.text,
    };
    const {ended, stderr} = watch(temporaryDirectory(), ['sandbox', 'cards'], {env});
    expect((await ended).status).toBe(0);
    expect(stderr()).toContain('environmentVariables');
    expect(lookForCanaries(stderr()).leak).toBeUndefined();
  });
});

describe('settings that would expose a key', () => {
  const list = ['customers', 'list'];
  const answering = () => rawServer(() => httpAnswer('200 OK', '{"resource":"list","has_more":false,"data":[]}'));

  test.each([
    [{NODE_DEBUG: 'undici'}, 'NODE_DEBUG=undici'],
    [{SSLKEYLOGFILE: '/tmp/keys.txt'}, 'SSLKEYLOGFILE'],
  ])('%j warns once with a test key, and is refused with a live key', async (env, name) => {
    const server = await answering();
    const run = (secret: string, words: readonly string[] = []) =>
      commandsIn(temporaryDirectory(), {env: {...env, CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: secret}})([
        ...list,
        ...words,
      ]);
    const warned = await run(key.text);
    expect(warned.status).toBe(0);
    expect(warned.stderr.split(`Warning: ${name} shows requests`)).toHaveLength(2);
    const before = server.connections();
    const refused = await run(live.text, ['--json']);
    expect(refused).toMatchObject({status: 12, stdout: ''});
    // Node's own lines may come before it.
    expect(JSON.parse(refused.stderr.trim().split('\n').at(-1)!)).toMatchObject({
      error: {code: 'exposed', applied: 'no'},
    });
    expect(server.connections()).toBe(before);
    for (const result of [warned, refused]) expect(lookForKeys(printed(result)).leak).toBeUndefined();
    await server.close();
  });

  test('are ignored in the sandbox', async () => {
    const {status, stderr} = await cliInTurn(temporaryDirectory(), {env: {NODE_DEBUG: 'undici'}})(list);
    expect({status, stderr}).toEqual({status: 0, stderr: ''});
  });
});

test('the served sandbox prints its own keys, as text and as JSON', async () => {
  const directory = temporaryDirectory();
  const ready = async (words: readonly string[], env = {}) => {
    const served = watch(directory, ['sandbox', 'serve', '--port', '0', ...words], {env});
    const [text] = await served.until(/^[^]*pk_test_[^]*\n/);
    served.child.kill('SIGTERM');
    await served.ended;
    return text;
  };
  const {secret_key: secret, public_key: open} = JSON.parse(await ready(['--json'])) as Record<string, string>;
  expect(secret).toMatch(/^sk_test_[A-Za-z0-9]{32}$/);
  // Even where they are the keys that must not be shown.
  for (const env of [{}, {CENTAVO_SECRET_KEY: secret}])
    expect(await ready([], env)).toContain(`secret key  ${secret}\n  public key  ${open}\n`);
});
