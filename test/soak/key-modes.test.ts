// A key whose mode contradicts what was typed never leaves the machine: every operation, with a test key and --live.

import {afterAll, beforeAll, expect, test} from 'vitest';
import {isWrite} from '../../src/api/operation.js';
import {operations} from '../../src/api/registry.js';
import {temporaryDirectory} from '../support/cli.js';
import {cliInTurn} from '../support/processes.js';
import {httpAnswer, PUBLIC_KEY, rawServer, TEST_KEY, type RawServer} from '../support/services/servers.js';
import {wordsOf} from '../support/words.js';

const run = cliInTurn(temporaryDirectory(afterAll));
let server: RawServer;
beforeAll(async () => {
  server = await rawServer(() => httpAnswer('200 OK', '{"resource":"list","has_more":false,"data":[]}'));
});
afterAll(() => server.close());

const lines = [
  ...operations.map(({operation}) => wordsOf(operation.examples[0])[0]!),
  ['get', 'bstm_7Hq2'],
  ['api', 'GET', '/customers'],
  ['api', 'POST', '/coupons'],
  ['webhooks', 'listen'],
];

test.concurrent.for(lines.map((words) => [words.join(' '), words] as const))(
  'centavo %s --live, with a test key',
  {timeout: 120_000},
  async ([, words], {expect}) => {
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
    for (const more of [['--live'], ['--live', '--yes']]) {
      const result = await run([...words, ...more, '--json'], {env});
      expect(result.status, result.stderr).toBe(4);
      expect(result.error()).toMatchObject({code: 'wrong_mode', applied: 'no'});
    }
  },
);

test.concurrent.for(
  operations.filter(({operation}) => isWrite(operation)).map(({id, operation}) => [id, operation] as const),
)('%s with a public key', {timeout: 120_000}, async ([, operation], {expect}) => {
  const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: PUBLIC_KEY};
  const result = await run([...wordsOf(operation.examples[0])[0]!, '--json'], {env});
  expect(result.status, result.stderr).toBe(4);
  expect(result.error()).toMatchObject({code: 'public_key', hint: expect.stringContaining('centavo login')});
});

test('none of these reached the API', () => {
  expect(server.connections()).toBe(0);
});
