// `centavo sandbox fail`: what can be aimed at, what a failure of a command says, and when it ends.

import {afterAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';

const NOW = Date.parse('2031-01-15T09:42:00+08:00');
const SANDBOX = {CENTAVO_PROFILE: 'sandbox'};
const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory, {env: SANDBOX, pace: 0.001});
const fail = (...words: string[]) => run(['sandbox', 'fail', ...words]);

describe('the requests', () => {
  test.each([
    ['POST /refunds', 'POST /refunds'],
    ['post /refunds', 'POST /refunds'],
    ['refunds.create', 'POST /refunds'],
    ['/refunds', '/refunds'],
    ['POST https://api.payrexhq.com/refunds', 'POST /refunds'],
    ['GET /customers/cus_4Vt9', 'GET /customers/cus_4Vt9'],
    ['GET /customers/:id', 'GET /customers/:id'],
    ['POST /payment_intents/*/cancel', 'POST /payment_intents/:id/cancel'],
    ['/payment_intents/{id}/cancel', 'POST /payment_intents/:id/cancel'],
  ])('%s', async (typed, aim) => {
    expect((await fail(typed, '--status', '500', '--json')).json()).toMatchObject({aim, status: 500, times: 1});
  });

  test.each([
    ['POST /refund', 'Did you mean "POST /refunds"?'],
    ['POST /v1/refunds', 'Did you mean "POST /refunds"?'],
    ['refund.create', 'Did you mean "refunds.create"?'],
    ['POST /payment_intents/pi_4Vt9Qz/cancle', 'Did you mean "POST /payment_intents/:id/cancel"?'],
    ['POST /refunds twice', 'Did you mean "POST /refunds"?'],
    ['/customers/*', 'Name one of them.'],
  ])('%s is refused', async (typed, hint) => {
    const {status, stderr} = await fail(typed, '--status', '500');
    expect({status, stderr}).toEqual({status: 2, stderr: expect.stringContaining(hint) as string});
  });
});

test('without a way to fail, a request is refused; --clear takes none', async () => {
  expect((await fail('POST /refunds')).stderr).toContain('how the requests fail is missing');
  expect((await fail('POST /refunds', '--clear')).stderr).toContain('it takes no request');
  expect((await fail('--delay', '61s')).stderr).toContain('--delay "61s" is not from 1s to 60s');
  expect((await fail('--status', '500', '--drop', 'after')).status).toBe(2);
});

test('a command says which failure it took, and the log names it', async () => {
  await fail('--clear');
  await fail('customers.create', '--status', '500', '--own');
  const create = ['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com', '--json'];
  const answered = await run(create);
  const [, id] = /Simulated failure (\d+): the sandbox was told to answer HTTP 500\./.exec(answered.stderr)!;
  expect(answered.error()).toMatchObject({code: 'outcome_unknown', applied: 'unknown'});
  await fail('customers.create', '--drop', 'after', '--own');
  const dropped = await run(create);
  expect(dropped.error()).toMatchObject({code: 'outcome_unknown', applied: 'unknown'});
  expect(dropped.stderr).toContain(`simulated failure ${Number(id) + 1} closed the connection`);
  const {data} = (await run(['customers', 'list', '--json'])).json<{data: object[]}>();
  expect(data).toHaveLength(1);
  const logs = (await run(['sandbox', 'logs', '--json'])).json<{data: {simulated: string | null}[]}>().data;
  expect(logs.map(({simulated}) => simulated)).toEqual([`failure ${Number(id) + 1}`, `failure ${id}`]);
});

test('a forgotten failure is in status and the list for an hour', async () => {
  const at = (minutes: number) => ({now: () => NOW + minutes * 60_000});
  await fail('--clear');
  await run(['sandbox', 'fail', 'POST /refunds', '--drop', 'after', '--delay', '3s', '--times', '2'], at(0));
  const text = 'POST /refunds waits 3 s, then is applied, then gets no response 2 times (until 10:42)';
  expect((await run(['status', '--json'], at(59))).json()).toMatchObject({failures: [text]});
  expect((await run(['status'], {...at(59), columns: 200})).stdout).toContain(`1 failure is aimed: ${text}. To end: `);
  expect((await run(['sandbox', 'fail', '--json'], at(59))).json<{data: object[]}>().data).toHaveLength(1);
  expect((await run(['status', '--json'], at(60))).json()).toMatchObject({failures: []});
  expect((await run(['sandbox', 'fail', '--json'], at(60))).json()).toMatchObject({data: []});
});
