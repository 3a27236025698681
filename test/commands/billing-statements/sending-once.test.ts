// The history keeps a statement from being emailed twice, by any command and after any failure.

import {closeSync, existsSync, openSync} from 'node:fs';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {screenInProcess} from '../../support/in-process.js';
import {ENTER} from '../../support/terminal.js';
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
  if (now) server.now = now;
  onTestFinished(server.close);
  const directory = temporaryDirectory();
  const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
  const run = commandsIn(directory, {env, pace: 0.01, now});
  // The tests bill one customer for the same.
  const create = (...words: string[]) => run(['billing-statements', 'create', ...words, '--allow-duplicate']);
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

test('a bulk send with failures records which statements were sent', async () => {
  const {run, open, goOn, sent} = await machine();
  const id = await open();
  expect(await run(['billing-statements', 'send', id, 'bstm_none', '--yes'])).toMatchObject({status: 11});
  const before = sent();
  expect(await goOn(id)).toMatchObject({status: 0, stderr: expect.stringContaining('was sent by another run')});
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
  const HOUR = 3_600_000;

  test.each([[[]], [['-q']], [['--json']], [['--yes']]])(
    'is refused within 20 hours with %j: exit 12',
    async (more) => {
      const {open, sent, run} = await machine();
      const id = await open();
      expect(await run(['billing-statements', 'send', id])).toMatchObject({status: 0});
      const again = await run(['billing-statements', 'send', id, ...more]);
      expect(again).toMatchObject({status: 12, stdout: ''});
      if (more.includes('--json'))
        expect(again.error()).toMatchObject({
          ...{code: 'sent_before', applied: 'no', needs_person: true},
          before: {at: expect.any(Number), is_certain: true, ids: [id]},
          message: expect.stringMatching(
            / was sent from this machine on \d+ \w+ at \d\d:\d\d\. That is less than 20 hours ago/,
          ),
        });
      expect(sent()).toBe(1);
    },
  );

  test('goes with --allow-duplicate, and after 20 hours, and answers with the statement', async () => {
    let now = Date.now();
    const {open, sent, run} = await machine({}, () => now);
    const id = await open();
    const send = (...more: string[]) => run(['billing-statements', 'send', id, '--json', ...more]);
    const statement = {id, resource: 'billing_statement', status: 'open', amount: 3_000_000};
    expect((await send()).json()).toMatchObject(statement);
    now += HOUR;
    expect((await send('--allow-duplicate')).json()).toMatchObject(statement);
    const text = await run(['billing-statements', 'send', id, '--allow-duplicate']);
    expect(text.stdout).toMatch(/^status\topen$/m);
    now += 20 * HOUR - 60_000;
    expect(await send()).toMatchObject({status: 12});
    now += 120_000;
    expect(await send()).toMatchObject({status: 0});
    expect(sent()).toBe(4);
  });

  test('whose answer was lost may have been sent: refused, however old', async () => {
    let now = Date.now();
    const {open, sent, run} = await machine({5: 'answer lost'}, () => now);
    const id = await open();
    expect(await run(['billing-statements', 'send', id])).toMatchObject({status: 10});
    now += 60 * 24 * HOUR;
    const again = (await run(['billing-statements', 'send', id, '--json'])).error();
    expect(again).toMatchObject({code: 'sent_before', before: {is_certain: false, ids: [id]}});
    expect(again.message).toMatch(/ may have been sent from this machine .*\. Its outcome is unknown\./);
    expect(again.hint).toMatch(/^A person decides this, at a terminal\. centavo cannot check whether it was sent\./);
    expect(sent()).toBe(1);
  });

  test('among several: those are refused by name, and the others are sent', async () => {
    const {open, sent, run} = await machine();
    const [before, after] = [await open(), await open()];
    await run(['billing-statements', 'send', before]);
    const both = await run(['billing-statements', 'send', before, after, '--json']);
    expect(both).toMatchObject({status: 11});
    expect(both.rows()).toMatchObject([{id: after, status: 'open'}]);
    expect(both.error().results).toMatchObject([{id: before, code: 'sent_before', applied: 'no'}]);
    expect(sent()).toBe(2);
    const none = await run(['billing-statements', 'send', before, after]);
    expect(none).toMatchObject({status: 12, stderr: expect.stringMatching(/was sent from this machine.*\n.*was sent/)});
    const again = await run(['billing-statements', 'send', before, after, '--allow-duplicate', '--json']);
    expect(again.rows()).toMatchObject([{status: 'open'}, {status: 'open'}]);
  });

  test('that was paid since is refused because of the payment', async () => {
    const directory = temporaryDirectory();
    const merchant = new Merchant(directory);
    onTestFinished(() => merchant.close());
    const run = commandsIn(directory);
    const {id} = await merchant.open();
    for (const words of [
      ['send', id],
      ['sandbox', 'pay', id],
    ])
      expect(await run(words)).toMatchObject({status: 0});
    const again = await run(['send', id, '--json']);
    expect(again.status).toBe(5);
    expect(again.error()).toMatchObject({state: 'paid', applied: 'no', next: [['billing-statements', 'get', id]]});
  });

  test('at a terminal the question names the last send, however old', async () => {
    const {open, sent, run, directory, env} = await machine();
    const id = await open();
    await run(['billing-statements', 'send', id]);
    for (const [answer, status] of [
      ['n', 12],
      ['y', 0],
    ] as const) {
      const desk = screenInProcess(directory, ['billing-statements', 'send', id], {env, columns: 200, now: null});
      await desk.until(
        /send billing statement .*, although \S+ was sent from this machine on .* at \d\d:\d\d\? \(y\/N\)/,
      );
      desk.type(`${answer}${ENTER}`);
      expect(await desk.ended).toBe(status);
    }
    const line = ['billing-statements', 'send', id, '--yes'];
    const sure = screenInProcess(directory, line, {env, columns: 200, now: null});
    expect(await sure.ended).toBe(12);
    expect(sent()).toBe(2);
  });
});
