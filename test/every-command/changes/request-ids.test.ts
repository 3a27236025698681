// The service's name for a request that failed: in the words, in the JSON and in --verbose, so that its support can find it.

import {afterAll, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {httpAnswer, rawServer, TEST_KEY} from '../../support/services/servers.js';

const run = commandsIn(temporaryDirectory(afterAll));
const CREATE = ['customers', 'create', '--name', 'Juan', '--email', 'juan@example.com'];
const REFUSAL = JSON.stringify({errors: [{code: 'parameter_invalid', detail: 'No.', parameter: 'name'}]});

const answering = async (status: string, body: string, headers: Record<string, string>) => {
  const server = await rawServer(() => httpAnswer(status, body, headers));
  const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
  return {run: (words: string[]) => run(words, {env}), close: server.close};
};

test.for([
  ['400 Bad Request', REFUSAL, CREATE, 5],
  ['401 Unauthorized', REFUSAL, CREATE, 4],
  ['500 Internal Server Error', '', CREATE, 10],
  ['200 OK', '<html>', CREATE, 10],
  ['200 OK', '<html>', ['customers', 'list'], 8],
] as [string, string, string[], number][])('is printed after %s', async ([status, body, words, exit]) => {
  const api = await answering(status, body, {'X-Request-Id': 'req_8aF2'});
  const [people, script] = await Promise.all([api.run(words), api.run([...words, '--json'])]);
  expect(people).toMatchObject({status: exit, stdout: ''});
  expect(people.stderr).toContain('Request ID: req_8aF2.');
  expect(
    people.stderr
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('→')).length,
  ).toBeLessThanOrEqual(3);
  expect(script).toMatchObject({status: exit, stdout: ''});
  expect(script.error()).toMatchObject({request_id: 'req_8aF2'});
  await api.close();
});

test('is read under its other name', async () => {
  const api = await answering('400 Bad Request', REFUSAL, {'Request-Id': 'b7c1-22'});
  expect((await api.run([...CREATE, '--json'])).error()).toMatchObject({request_id: 'b7c1-22'});
  await api.close();
});

test.for([[{}], [{'X-Request-Id': ''}], [{'X-Request-Id': 'a b'}], [{'X-Request-Id': 'x'.repeat(300)}]])(
  'is null if missing or invalid: %j',
  async ([headers]) => {
    const api = await answering('400 Bad Request', REFUSAL, headers as Record<string, string>);
    expect((await api.run([...CREATE, '--json'])).error()).toMatchObject({request_id: null});
    expect((await api.run(CREATE)).stderr).not.toContain('Request ID');
    await api.close();
  },
);

test('is omitted for a missing object', async () => {
  const api = await answering('404 Not Found', REFUSAL, {'X-Request-Id': 'req_8aF2'});
  expect((await api.run(['customers', 'get', 'cus_1'])).stderr).not.toContain('req_8aF2');
  await api.close();
});
