// `webhooks create` shows the secret of the new webhook, which is its purpose. Nothing else shows it without --reveal.

import {afterAll, describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {httpAnswer, rawServer, TEST_KEY} from '../../support/services/servers.js';

const run = commandsIn(temporaryDirectory(afterAll));
const CREATE = ['webhooks', 'create', '--url', 'https://shop.example/hooks', '--events', 'billing_statement.paid'];
const SECRET = /whsk_[A-Za-z0-9]{20,}/;
const HIDDEN = 'whsk_[redacted]';

describe('the secret of a new webhook', () => {
  test.for([[[]], [['-o', 'table']], [['--json']], [['-o', 'jsonl']], [['-o', 'csv']], [['--jq', '.secret_key']]])(
    'is shown once: %j',
    async ([more]) => {
      const {stdout, stderr} = await run([...CREATE, ...more!, '--verbose']);
      expect(stdout).toMatch(SECRET);
      // The log of the request is for people, and may be kept.
      expect(stderr).toContain(HIDDEN);
      expect(stderr).not.toMatch(SECRET);
    },
  );

  test('is shown again by the same key, as the service has it now', async () => {
    const words = [...CREATE, '--idempotency-key', 'hooks', '--json'];
    const [first, second] = [await run(words), await run(words)];
    expect(second.json()).toEqual({...first.json(), already: true, done_at: expect.any(Number)});
    expect(second.json().secret_key).toMatch(SECRET);
  });

  test.for([['-o', 'table'], ['--json'], ['-o', 'csv']])('is the only one that is shown: %j', async (more) => {
    const secret = `whsk_${'New'.repeat(9)}`;
    const webhook = {
      id: 'wh_1',
      resource: 'webhook',
      secret_key: secret,
      description: `It was whsk_${'Old'.repeat(9)}.`,
    };
    const server = await rawServer(() => httpAnswer('200 OK', JSON.stringify(webhook)));
    onTestFinished(() => server.close());
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const {stdout} = await commandsIn(temporaryDirectory())([...CREATE, ...more], {env});
    expect(stdout).toContain(secret);
    expect(stdout).not.toContain('OldOld');
  });

  test('is told to be saved, at a terminal', async () => {
    const {stdout, stderr} = await run(CREATE, {columns: 120});
    expect(stdout).toMatch(SECRET);
    expect(stderr).toContain('Save secret_key.');
    expect(stderr).not.toContain('Secrets are hidden');
  });

  test.for([['get'], ['list'], ['update', '--description', 'New'], ['disable'], ['enable'], ['history'], ['create']])(
    'is hidden elsewhere: %j',
    async ([verb, ...more]) => {
      const {id} = (await run([...CREATE, '--json'])).json();
      const words = {history: ['history'], create: [...CREATE, '--dry-run'], list: ['webhooks', 'list']}[verb!];
      const {stdout, stderr} = await run([...(words ?? ['webhooks', verb!, id]), ...more, '--json', '--verbose']);
      expect(stdout + stderr).not.toMatch(SECRET);
    },
  );

  test.for([
    [
      ['webhooks', 'update', 'ID', '--description', 'New'],
      'To show them: centavo webhooks get ID --profile sandbox --reveal',
    ],
    [['webhooks', 'get', 'ID'], 'To show them, add --reveal.'],
  ] as const)('the words name what shows it: %j', async ([words, said]) => {
    const {id} = (await run([...CREATE, '--json'])).json();
    const {stdout, stderr} = await run([...words.map((word) => word.replace('ID', id)), '-p', 'sandbox'], {
      columns: 200,
      env: {NO_COLOR: '1'},
    });
    expect(stdout).not.toMatch(SECRET);
    expect(stderr).toContain(said.replace('ID', id));
    const [, line] = /To show them: centavo (.*)/.exec(stderr) ?? [];
    if (line) expect((await run(line.split(' '))).stdout).toMatch(SECRET);
  });
});
