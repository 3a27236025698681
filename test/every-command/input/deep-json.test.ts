// JSON that is nested a million deep is refused as invalid input, from every source, and is not reported as a bug.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {openSandbox} from '../../../src/sandbox/sandbox.js';
import {cli, temporaryDirectory, type CliResult} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {httpAnswer, rawServer, TEST_KEY, type RawServer} from '../../support/services/servers.js';

const DEEP = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
const OBJECT = `{"id":"cus_2mQ8","resource":"customer","metadata":{"a":${DEEP}}}`;

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);

function expectRefusal(exit: number, {status, stdout, stderr}: CliResult): void {
  expect(status, stderr.slice(0, 500)).toBe(exit);
  expect(stdout).toBe('');
  expect(stderr.length).toBeLessThan(1500);
  expect(stderr).toMatch(/nested more than 200 levels deep/);
  expect(stderr).not.toMatch(/bug/);
}

describe('from user input', () => {
  beforeAll(() => writeFileSync(join(directory, 'deep.json'), OBJECT));
  const update = (data: string): string[] => ['customers', 'update', 'cus_2mQ8', '--data', data];

  // The system allows at most 128 KiB for one word.
  test('on the command line', async () =>
    expectRefusal(2, await run(update(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`))));
  test('in a file', async () => expectRefusal(2, await cli(directory)(update(`@${join(directory, 'deep.json')}`))));
  test('as a list in a file', async () => {
    writeFileSync(join(directory, 'list.json'), DEEP);
    expectRefusal(2, await run(update(`@${join(directory, 'list.json')}`)));
  });
  test('on stdin', async () => expectRefusal(2, await run(update('-'), {input: OBJECT})));
  test('for api', async () => expectRefusal(2, await run(['api', 'POST', '/customers', '-d', '-'], {input: OBJECT})));
});

describe('from the API', () => {
  let server: RawServer;
  beforeAll(async () => {
    server = await rawServer(() => httpAnswer('200 OK', OBJECT));
  });
  afterAll(() => server.close());
  const asked = (words: readonly string[], how = run) =>
    how(words, {env: {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY}});

  test('a read is exit 8', async () => {
    for (const words of [['get', 'cus_2mQ8'], ['get', 'cus_2mQ8', '--json'], ['list']])
      expectRefusal(8, await asked(['customers', ...words]));
    expectRefusal(8, await asked(['api', 'GET', '/customers/cus_2mQ8'], cli(directory)));
  });

  test('a change has an unknown outcome: exit 10', async () => {
    expectRefusal(10, await asked(['customers', 'create', '--name', 'A', '--email', 'a@example.com']));
  });
});

test('in a webhook body it is not an event that can be compared', async () => {
  const {status, stderr} = await run(
    ['webhooks', 'verify', '--body', join(directory, 'deep.json'), '--header', 't=1,te=00,li='],
    {
      env: {CENTAVO_WEBHOOK_SECRET: 'whsk_0123456789abcdefghijklmn'},
    },
  );
  expect(status, stderr).toBe(6);
});

test('in a request to the sandbox it is a bad request', async () => {
  const sandbox = openSandbox();
  const {status, body} = await sandbox.handle({
    method: 'POST',
    path: '/customers',
    query: '',
    headers: {authorization: `Basic ${btoa(`${sandbox.keys.secret}:`)}`, 'content-type': 'application/json'},
    body: Buffer.from(OBJECT),
  });
  expect(status).toBe(400);
  expect(Buffer.from(body).toString()).toContain('nested more than 200 levels deep');
  sandbox.close();
});
