// The history keeps a statement from being emailed twice, by any command and after any failure.

import {closeSync, existsSync, openSync} from 'node:fs';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {failingServer, type Failure} from '../../support/services/failing.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {watch} from '../../support/processes.js';

const WHOLE = ['--item', 'Web design x2 @ 15,000', '--due', '2031-12-15'];

let merchant: Merchant;
let customer: string;
beforeAll(async () => {
  merchant = new Merchant(temporaryDirectory(afterAll));
  customer = (await merchant.customer()).id as string;
});
afterAll(() => merchant.close());

/** A separate machine, and an API with faults for its changes. */
async function machine(failures: Readonly<Record<number, Failure>> = {}, now?: () => number) {
  const server = await failingServer(merchant, failures);
  onTestFinished(server.close);
  const directory = temporaryDirectory();
  const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
  const run = commandsIn(directory, {env, pace: 0.01, now});
  const create = (...words: string[]) => run(['billing-statements', 'create', ...words]);
  return {
    run,
    create,
    directory,
    env,
    sent: () => server.changes.filter((change) => change.endsWith('/send')).length,
    goOn: (id: string) => create('--continue', id, ...WHOLE, '--send'),
    open: async () => (await create('--customer', customer, ...WHOLE, '--finalize', '--json')).json().id as string,
    last: async () => (await run(['history', '--json', '--limit', '1'])).json().data[0],
  };
}

test.runIf(existsSync('/dev/full'))('does not resend after a run that sent but could not print', async () => {
  const {create: _, directory, env, sent, goOn, last} = await machine();
  const full = openSync('/dev/full', 'w');
  const words = ['billing-statements', 'create', '--customer', customer, ...WHOLE, '--send'];
  const running = watch(directory, words, {env, stdio: ['ignore', full, 'pipe']});
  expect(await running.ended).toEqual({status: 15, signal: null});
  closeSync(full);
  const record = await last();
  expect(record).toMatchObject({result: 'local_io', applied: 'yes', step: 'sent'});
  const again = await goOn(record.ids.find((id: string) => id.startsWith('bstm_')));
  expect(again.stderr).toContain('It was not sent again.');
  expect([again.status, sent()]).toEqual([0, 1]);
});

test('a bulk send with failures leaves each outcome unknown', async () => {
  const {run, open, goOn, sent} = await machine();
  const id = await open();
  expect(await run(['billing-statements', 'send', id, 'bstm_none', '--yes'])).toMatchObject({status: 11});
  const before = sent();
  const again = await goOn(id);
  expect(again).toMatchObject({
    status: 10,
    stderr: expect.stringMatching(
      /could not confirm whether \S+-\d{4} was sent\.\s+An earlier run may have sent it\. This run did not send it\./,
    ),
  });
  expect(sent()).toBe(before);
});

test('a request that sent it counts as a send', async () => {
  const {run, open, goOn, sent, last} = await machine();
  const id = await open();
  expect(await run(['api', 'POST', `/billing_statements/${id}/send`])).toMatchObject({status: 0});
  expect(await last()).toMatchObject({command: 'api billing-statements send', result: 'ok'});
  expect(await goOn(id)).toMatchObject({status: 0, stderr: expect.stringContaining('was sent by another run')});
  expect(sent()).toBe(1);
});

test('a refused send does not count: the next run sends', async () => {
  const {create, goOn, sent, last} = await machine({5: 'limited'});
  expect(await create('--customer', customer, ...WHOLE, '--send')).toMatchObject({status: 11});
  const record = await last();
  expect(record).toMatchObject({applied: 'yes', step: 'not_sent'});
  expect(await goOn(record.ids.find((id: string) => id.startsWith('bstm_')))).toMatchObject({status: 0});
  expect(sent()).toBe(2);
});

describe('runs at the same time', () => {
  test.each([2, 4])('%i runs send it at most once, and none reports it unsent', async (count) => {
    const {open, sent, directory, env} = await machine();
    const id = await open();
    const line = ['billing-statements', 'create', '--continue', id, ...WHOLE, '--send'];
    const runs = Array.from({length: count}, () => watch(directory, line, {env}));
    const statuses = (await Promise.all(runs.map(({ended}) => ended))).map(({status}) => status);
    expect(sent()).toBeLessThanOrEqual(1);
    // Only one run at a time; the others are refused.
    expect(statuses.filter((status) => status !== 0 && status !== 10 && status !== 12)).toEqual([]);
    for (const [index, status] of statuses.entries())
      if (status === 12) expect(runs[index]!.stderr()).toContain('another centavo is working on');
    // Every successful run saw the send.
    if (statuses.includes(0)) expect(sent()).toBe(1);
  });
});

describe('a statement sent earlier from this machine', () => {
  test('is sent again by a new command, which says so first', async () => {
    let now = Date.now();
    const {open, sent, run} = await machine({}, () => now);
    const id = await open();
    const first = await run(['billing-statements', 'send', id]);
    expect(first).toMatchObject({status: 0, stderr: expect.not.stringContaining('from this machine')});
    const again = await run(['billing-statements', 'send', id]);
    expect(again.status).toBe(0);
    expect(again.stderr.indexOf('was sent from this machine today.')).toBeGreaterThan(-1);
    expect(again.stderr.indexOf('was sent from this machine')).toBeLessThan(again.stderr.indexOf('→ '));
    expect(sent()).toBe(2);
    expect((await run(['billing-statements', 'send', id, '-q'])).stderr).toBe('');
    now += 1000;
    expect((await run(['billing-statements', 'send', id])).stderr).toContain(
      'was sent from this machine earlier today.',
    );
  });
});
