// `billing-statements wait`: exit 0 at the status, 6 at another final status, 9 at the deadline; signals end it at once.

import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {cli, NO_LIMITS, temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {failingServer} from '../../support/services/failing.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {watch} from '../../support/processes.js';
import {CTRL_C, loaded, terminal} from '../../support/terminal.js';
import {httpAnswer, rawServer, TEST_KEY} from '../../support/services/servers.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const wait = (id: string, ...words: string[]) => run(['billing-statements', 'wait', id, ...words]);
let merchant: Merchant;

beforeAll(() => {
  merchant = new Merchant(directory);
});
afterAll(() => merchant.close());

const open = async (): Promise<string> => (await merchant.open()).id as string;

describe('in the sandbox', () => {
  test('prints at once if the status is already reached', async () => {
    const id = await open();
    controlOf(merchant.sandbox).pay(id, {});
    expect((await wait(id, '--json')).json()).toMatchObject({id, status: 'paid'});
    expect((await wait(id, '--for', 'paid', '--quiet')).status).toBe(0);
  });

  test('paid during the wait: exit 0, and the statement is printed', async () => {
    const id = await open();
    const waiting = cli(directory)(['billing-statements', 'wait', id, '--for', 'paid', '--json']);
    // A late first read sees one of the two.
    controlOf(merchant.sandbox).pay(id, {});
    const {status, stdout} = await waiting;
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({id, status: 'paid'});
  });

  test.each(['void', 'uncollectible'] as const)('ended as %s: exit 6, and the statement is printed', async (state) => {
    const id = await open();
    await merchant.call('POST', `/billing_statements/${id}/${state === 'void' ? 'void' : 'mark_uncollectible'}`);
    const {status, stdout, stderr} = await wait(id, '--json');
    expect(status).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject({id, status: state});
    expect(JSON.parse(stderr).error).toMatchObject({code: 'ended_otherwise', exit_code: 6});
    expect((await wait(id, '--for', state)).status).toBe(0);
  });

  test.for([
    ['1s', /still open after 1s\./],
    ['1', /still open after 1 s\./],
  ] as const)('at the deadline of %s: exit 9, and the statement is printed', async ([timeout, message]) => {
    const id = await open();
    const {status, stdout, stderr} = await wait(id, '--timeout', timeout, '--json');
    expect(status).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject({id, status: 'open'});
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'timed_out',
      message: expect.stringMatching(message),
    });
  });

  test('waits until a draft is open', async () => {
    const {id} = await merchant.draft();
    expect((await wait(id as string, '--for', 'open', '--timeout', '1s')).status).toBe(9);
    await merchant.call('POST', `/billing_statements/${id}/finalize`);
    expect((await wait(id as string, '--for', 'open')).status).toBe(0);
  });

  test('a missing statement: exit 3', async () => {
    expect((await wait('bstm_Nothing12345678901234567890123456')).status).toBe(3);
  });

  test.each([
    ['--timeout', '0'],
    ['--for', 'draft'],
  ])('%s %s is refused', async (...words) => {
    expect((await wait(await open(), ...words)).status).toBe(2);
  });

  test.runIf(loaded.pty)('shows one line and clears it; Ctrl-C ends it: exit 130', async () => {
    const desk = terminal(directory, ['billing-statements', 'wait', await open()], {
      columns: 100,
      env: NO_LIMITS,
    });
    await desk.until(/Waiting until \S+-0001 is paid: open after \d+ s\. Ctrl-C stops waiting\./);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
    expect(desk.raw().match(/\n/g)?.length ?? 0).toBeLessThan(4);
  });

  test('SIGTERM ends it at once: exit 143', async () => {
    const waiting = watch(directory, ['billing-statements', 'wait', await open(), '-v'], {
      env: NO_LIMITS,
    });
    await expect.poll(() => waiting.stderr()).toContain('GET');
    waiting.child.kill('SIGTERM');
    expect(await waiting.ended).toMatchObject({status: 143});
  });
});

describe('at a service', () => {
  const body = (status: string): string =>
    JSON.stringify({id: 'bstm_7Hq2', resource: 'billing_statement', status, amount: 150_000});

  test('retries temporary failures and respects Retry-After', async () => {
    const answers = [
      httpAnswer('200 OK', body('open')),
      httpAnswer('429 Too Many Requests', '{"errors":[]}', {'retry-after': '120'}),
      httpAnswer('200 OK', body('paid')),
    ];
    const server = await rawServer(() => answers.shift());
    onTestFinished(server.close);
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const own = commandsIn(temporaryDirectory(), {env, pace: 0.001});
    // The read gives up on a longer wait; the command reads again.
    const result = await own(['billing-statements', 'wait', 'bstm_7Hq2', '--timeout', '10m', '--json']);
    expect(result.status, result.stderr).toBe(0);
    expect(server.requests).toHaveLength(3);
  });

  test('gives up on a rate limit at the deadline: exit 7, without rapid retries', async () => {
    const server = await failingServer(merchant, {}, {1: 'limited', 2: 'limited', 3: 'limited'});
    onTestFinished(server.close);
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
    const id = await open();
    const {status} = await commandsIn(temporaryDirectory(), {env})([
      'billing-statements',
      'wait',
      id,
      '--timeout',
      '2s',
    ]);
    expect(status).toBe(7);
  });
});
