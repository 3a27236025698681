// Control characters from the API and from a local file, with each command once at a real terminal.

import {mkdirSync} from 'node:fs';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {historyIn} from '../../support/history/history.js';
import {temporaryDirectory} from '../../support/cli.js';
import {SOME_HOSTILE} from '../../support/output/control-characters.js';
import {dangers} from '../../support/output/recorded-terminal.js';
import {screenInProcess} from '../../support/in-process.js';
import {screen} from '../../support/screen.js';
import {httpAnswer, rawServer, TEST_KEY, type RawServer} from '../../support/services/servers.js';
import {loaded} from '../../support/terminal.js';

test('a pseudo-terminal is available, or tests are skipped with a reason; CI fails', () => {
  if (loaded.reason) console.warn(`Skipped, for want of a pseudo-terminal: ${loaded.reason}`);
  if (process.env.CI === 'true') expect(loaded.reason).toBeUndefined();
});

const CUSTOMER = {
  id: 'cus_2mQ8',
  resource: 'customer',
  name: SOME_HOSTILE,
  email: 'a@example.com',
  currency: 'PHP',
  metadata: {[SOME_HOSTILE]: SOME_HOSTILE},
};
const REFUSAL = {errors: [{code: SOME_HOSTILE, detail: SOME_HOSTILE, parameter: SOME_HOSTILE}]};
// Sent as UTF-8, which the raw server writes unchanged.
const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('utf8');

const directory = temporaryDirectory(afterAll);
let server: RawServer;
beforeAll(async () => {
  mkdirSync(directory, {recursive: true});
  historyIn(directory).begin({profile: SOME_HOSTILE, mode: SOME_HOSTILE, command: SOME_HOSTILE, ids: []});
  server = await rawServer((request) =>
    request.includes('cus_refused')
      ? httpAnswer('400 Bad Request', json(REFUSAL))
      : request.startsWith('GET /customers?') || request.startsWith('GET /customers ')
        ? httpAnswer('200 OK', json({resource: 'list', has_more: false, data: [CUSTOMER]}))
        : httpAnswer('200 OK', json(CUSTOMER)),
  );
});
afterAll(() => server.close());

const FORMATS = [
  [],
  ['--json'],
  ['-o', 'jsonl'],
  ['-o', 'csv'],
  ['-o', 'table'],
  ['--jq', '.. | strings'],
  ['--verbose'],
];
const HOSTILE_FIELD = SOME_HOSTILE.replaceAll('\u0000', '').replaceAll(',', '');
const COMMANDS = [
  ['customers', 'list'],
  ['customers', 'get', 'cus_2mQ8'],
  ['customers', 'get', 'cus_refused'],
  ['history'],
  ['api', 'GET', '/customers/cus_2mQ8'],
  ['customers', 'update', 'cus_2mQ8', '--name', 'B'],
  ['customers', 'list', '--fields', `id,name,metadata.${HOSTILE_FIELD}`],
  ['customers', 'list', '--fields', `id,nosuch.${HOSTILE_FIELD}`],
  ['customers', 'update', 'cus_2mQ8', '--dry-run', '--name', SOME_HOSTILE.replaceAll('\u0000', '')],
];

describe.skipIf(loaded.reason)('prints no control characters of foreign text', () => {
  test.each(COMMANDS.map((words) => [words.slice(0, 3).join(' '), words] as const))('%s', async (_, words) => {
    for (const format of FORMATS) {
      const open = format.length === 0 ? screen : screenInProcess;
      const shown = open(directory, [...words, ...format], {
        columns: 400,
        now: null,
        env: {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY, NO_COLOR: '1'},
      });
      await shown.ended;
      const text = shown.raw().replaceAll('\r\n', '\n').replaceAll('\r', '');
      expect(text.length, format.join(' ')).toBeGreaterThan(20);
      expect(dangers(text), format.join(' ')).toEqual([]);
    }
  });
});
