// `webhooks test`: its output, reports, state commands, and refusals before anything is sent.

import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {temporaryDirectory, type CliOptions} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {terminalInProcess} from '../../support/in-process.js';
import {loaded} from '../../support/terminal.js';
import {HANDLER_SECRET, isGenuineToSdk, listen, startHandler} from '../../webhooks/fixtures/handler.js';
import {elementsOf} from '../../webhooks/fixtures/xml.js';
import {watch} from '../../support/processes.js';

const ENV = {CENTAVO_WEBHOOK_SECRET: HANDLER_SECRET};

const run = (words: readonly string[], options: CliOptions = {}) =>
  commandsIn(temporaryDirectory(), {env: ENV})(['webhooks', 'test', ...words], options);

/** A program that prints the number of files in a folder, and records its arguments in a file. */
function counter(): {command: string; folder: string} {
  const directory = temporaryDirectory();
  const folder = join(directory, 'with blanks; and $(more)');
  mkdirSync(folder);
  const program = join(directory, 'count.mjs');
  writeFileSync(
    program,
    `import {readdirSync, writeFileSync} from 'node:fs';
    writeFileSync(${JSON.stringify(join(directory, 'given.json'))}, JSON.stringify({args: process.argv.slice(2), secret: process.env.CENTAVO_WEBHOOK_SECRET ?? null, other: process.env.OTHER}));
    console.log(readdirSync(process.argv[2]).length);`,
  );
  return {command: `${process.execPath} ${program} '${folder}' "a  b"`, folder};
}

describe('a handler that passes is exit 0', () => {
  test('with every case in --json, and empty stderr', async () => {
    const {url, app} = await startHandler();
    const result = await run([url, '--json']);
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.json()).toMatchObject({url, mode: 'test', event: 'billing_statement.paid'});
    expect(result.json()).toMatchObject({
      passed: 12,
      failed: 0,
      not_checked: 3,
      signed_with: 'the secret in CENTAVO_WEBHOOK_SECRET',
    });
    expect(result.json().cases[0]).toEqual({
      case: 'valid',
      result: 'passed',
      looked_at: 'status',
      sent: 'an event, signed now',
      expected: '2xx',
      came: '200',
      faults: [],
      cure: null,
      reason: null,
      effects: null,
      duration_ms: expect.any(Number),
    });
    expect(app.effects).toBe(11);
  });

  test('with a line per case for people', async () => {
    const {url} = await startHandler();
    const result = await run([url, '--only', 'valid,wrong-mode', '--only', 'slow', '-o', 'table'], {
      env: {COLUMNS: '160'},
    });
    expect(result).toMatchObject({status: 0, stderr: ''});
    const lines = result.stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ['CASE', 'RESULT', 'CAME'],
      ['valid', 'passed', '200'],
      ['wrong-mode', 'passed', '401'],
      ['slow', 'passed', '200'],
    ]);
  });

  test('with the secret from stdin', async () => {
    const {url} = await startHandler();
    const env = {CENTAVO_WEBHOOK_SECRET: undefined};
    const result = await run([url, '--only', 'valid', '--secret-stdin'], {env, input: `${HANDLER_SECRET}\n`});
    expect(result.status).toBe(0);
  });

  test('with the secret that dev sets, which it names', async () => {
    const {url} = await startHandler();
    const env = {CENTAVO_WEBHOOK_SECRET: undefined, PAYREX_WEBHOOK_SECRET: HANDLER_SECRET};
    const result = await run([url, '--only', 'valid', '-o', 'table'], {env});
    expect(result).toMatchObject({status: 0, stderr: 'Signing with the secret in PAYREX_WEBHOOK_SECRET.\n'});
    const wrong = await run([url, '--only', 'slow,large', '-o', 'table'], {
      env: {...env, CENTAVO_WEBHOOK_SECRET: `${HANDLER_SECRET}x`},
    });
    expect(wrong.stderr).toContain(
      'valid: your app has the secret in PAYREX_WEBHOOK_SECRET, and the test signs with the secret in CENTAVO_WEBHOOK_SECRET',
    );
    expect(wrong.stdout).toMatch(/^valid +failed +401 .*\n\nThe other 2 cases were not sent\.\n$/m);
    expect(wrong.stdout).not.toMatch(/^slow/m);
  });

  test('counted by its own answers, and otherwise said not to be', async () => {
    const acted = await listen((request, response) => {
      const isGenuine = request.headers['payrex-signature'] !== undefined;
      request.resume().once('end', () => response.writeHead(isGenuine ? 200 : 401, {'x-acted': '1'}).end());
    });
    const counted = await run([acted.url, '--only', 'duplicate', '-o', 'table']);
    expect(counted.stderr).toMatch(/^duplicate: your app acts on duplicates: acted on 3 times/);
    const {url} = await startHandler();
    const uncounted = await run([url, '--only', 'duplicate', '-o', 'table']);
    expect(uncounted).toMatchObject({
      status: 0,
      stderr: 'To check duplicate, answer with x-acted: 1 or 0, or add --state-command.\n',
    });
    expect(uncounted.stdout).toMatch(/^duplicate +not_checked +200 ×3; effects not counted/m);
  });

  test('counted by a program without a shell or the secret', async () => {
    const {command, folder} = counter();
    const {url} = await startHandler({
      act: (_, {id, type}) => {
        if (type === 'payment_intent.succeeded') writeFileSync(join(folder, id), '');
        return 200;
      },
    });
    const words = ['--event', 'payment_intent.succeeded', '--state-command', command, '--only', 'valid,duplicate'];
    const env = {CENTAVO_WEBHOOK_SECRET: HANDLER_SECRET, OTHER: 'kept'};
    const result = await run([url, ...words, '--json'], {env});
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.json().cases.map((each: {effects: number}) => each.effects)).toEqual([1, 1, 2]);
    const given = JSON.parse(readFileSync(join(folder, '../given.json'), 'utf8'));
    expect(given).toEqual({args: [folder, 'a  b'], secret: null, other: 'kept'});
  });
});

describe('a handler that fails is exit 6', () => {
  test('prints each cause with its cure', async () => {
    const {url} = await startHandler({isGenuine: isGenuineToSdk});
    const result = await run([url, '--only', 'valid,stale-signature,wrong-mode', '-o', 'table']);
    expect(result.status).toBe(6);
    expect(result.stderr.trimEnd().split('\n')).toEqual([
      'wrong-mode: the delivery with the moved signature: 200',
      'Read te in test mode and li in live mode, and no other place.',
      'stale-signature: the tolerance is too long: 200 for a signature made a week ago',
      'Refuse a signature whose t is more than 300 seconds from now.',
      'Error: 2 of 3 cases failed.',
      '  wrong-mode, stale-signature.',
    ]);
    expect(result.stdout).toMatch(/^stale-signature +failed +200 ×2, 401/m);
  });

  test.runIf(loaded.pty)('prints them below the table, which may be longer than the screen', async () => {
    const {url} = await startHandler({isGenuine: isGenuineToSdk});
    const words = ['webhooks', 'test', url, '--only', 'stale-signature'];
    const desk = terminalInProcess(temporaryDirectory(), words, {env: ENV});
    expect(await desk.ended).toBe(6);
    expect(desk.text()).toMatch(/^CASE[^]*^stale-signature {2}[^]*^Refuse a signature[^]*^Error: /m);
  });

  test('prints the report on stdout with --json, and the error on one line of stderr', async () => {
    const {url} = await startHandler({refuse: () => 200});
    const result = await run([url, '--only', 'wrong-mode', '--json']);
    expect(result.status).toBe(6);
    expect(result.json()).toMatchObject({passed: 1, failed: 1});
    expect(result.error()).toMatchObject({code: 'handler_failed', exit_code: 6});
    expect(result.stdout + result.stderr).not.toContain(HANDLER_SECRET);
  });
});

describe('reports', () => {
  test('writes JUnit to a file, and still prints the table', async () => {
    const {url} = await startHandler({refuse: () => 200});
    const file = join(temporaryDirectory(), 'report.xml');
    const result = await run([url, '--only', 'valid,wrong-mode', '--report', 'junit', '--report-file', file]);
    expect(result.status).toBe(6);
    expect(result.stdout).toMatch(/^valid\tpassed\t200\t/m);
    const elements = elementsOf(readFileSync(file, 'utf8'));
    expect(elements.map(({name}) => name)).toEqual(['testsuites', 'testsuite', 'testcase', 'testcase', 'failure']);
    expect(elements[0]!.attributes).toMatchObject({tests: '2', failures: '1'});
  });

  test('print JUnit or JSON only to stdout without a file', async () => {
    const {url} = await startHandler();
    const words = [url, '--only', 'valid', '--report'];
    const [junit, json] = await Promise.all([run([...words, 'junit']), run([...words, 'json'])]);
    expect(elementsOf(junit.stdout)).toHaveLength(3);
    expect(json.json()).toMatchObject({passed: 1, cases: [{case: 'valid'}]});
  });

  test('that cannot be written are exit 15', async () => {
    const {url} = await startHandler();
    // A file contains no folder, on any machine.
    const path = join(fileURLToPath(import.meta.url), 'report.json');
    const words = ['--only', 'valid', '--report', 'json', '--report-file', path];
    const result = await run([url, ...words]);
    expect(result).toMatchObject({status: 15, stdout: ''});
    expect(result.stderr).toContain(path);
    expect(result.stderr).toContain('Part of the path is a file instead of a folder.');
  });
});

describe('nothing is sent', () => {
  test.for([
    ['without a URL', [], {}, 2, /URL of the handler is missing/],
    ['to another machine without leave', ['https://shop.example/hook'], {}, 12, /A person decides/],
    [
      'without a secret',
      ['URL'],
      {env: {CENTAVO_WEBHOOK_SECRET: undefined}},
      2,
      /CENTAVO_WEBHOOK_SECRET is not set\.[^]*export CENTAVO_WEBHOOK_SECRET="\$\(centavo webhooks secret\)"/,
    ],
    [
      'with a secret that cannot be used to sign',
      ['URL', '--secret-stdin'],
      {input: ' short\n'},
      2,
      /cannot be used to sign/,
    ],
    ['when a case is not known', ['URL', '--only', 'valid,nonsense'], {}, 2, /nonsense.*\n.*\n.*raw-body/],
    ['without time to answer', ['URL', '--timeout', '0'], {}, 2, /--timeout cannot be 0/],
    ['when a report is to go nowhere', ['URL', '--report-file', 'x.xml'], {}, 2, /--report/],
    ['when the state command needs a shell', ['URL', '--state-command', 'cat x | wc -l'], {}, 2, /without a shell/],
    ['when its quotes are not closed', ['URL', '--state-command', "echo '1"], {}, 2, /quote is not closed/],
    [
      'when it is not there',
      ['URL', '--state-command', `${fileURLToPath(import.meta.url)}/count`],
      {},
      2,
      /could not be run/,
    ],
    ['when it prints no number', ['URL', '--state-command', 'echo many'], {}, 2, /printed "many"/],
    ['when it fails', ['URL', '--state-command', "sh -c 'echo broken >&2; exit 3'"], {}, 2, /status 3: broken/],
  ] as readonly [string, string[], CliOptions, number, RegExp][])('%s', async ([, words, options, status, message]) => {
    const {url, requests} = await startHandler();
    const result = await run(
      words.map((word) => (word === 'URL' ? url : word)),
      options,
    );
    expect(result).toMatchObject({status, stdout: ''});
    expect(result.stderr).toMatch(message);
    expect(requests()).toBe(0);
  });

  test('when the state command fails after some cases: the handler is not blamed', async () => {
    const {command, folder} = counter();
    const {url, requests} = await startHandler({
      act: (_, {id}) => {
        writeFileSync(join(folder, id), '');
        return 200;
      },
      // The count is gone when a forged event has come.
      isGenuine: (...given) => {
        if (isGenuineToSdk(...given)) return true;
        rmSync(folder, {recursive: true, force: true});
        return false;
      },
    });
    const result = await run([url, '--state-command', command, '--only', 'valid,bad-signature']);
    expect(result).toMatchObject({status: 2, stdout: ''});
    expect(result.stderr).toMatch(/the state command .* did not print a whole number\.\n {2}It ended with status 1/);
    expect(result.stderr).not.toContain('bad-signature');
    expect(result.stderr).not.toContain('Nothing was sent');
    expect(requests()).toBeGreaterThan(1);
  });

  test('where nothing listens: exit 8', async () => {
    const handler = await listen(() => {});
    await handler.close();
    const result = await run([handler.url, '--json']);
    expect(result).toMatchObject({status: 8, stdout: ''});
    expect(result.error()).toMatchObject({code: 'unreachable', retryable: true, applied: 'no'});
  });
});

test('exits with 130 at SIGINT during a slow handler', async () => {
  const child = {current: undefined as ReturnType<typeof watch> | undefined};
  const handler = await listen(() => child.current!.child.kill('SIGINT'));
  child.current = watch(temporaryDirectory(), ['webhooks', 'test', handler.url], {env: ENV});
  child.current.child.stdin?.end();
  expect(await child.current.ended).toMatchObject({status: 130});
});
