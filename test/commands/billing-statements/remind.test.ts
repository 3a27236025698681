// `centavo billing-statements remind`: sends each email once, despite failures, lost responses and concurrent runs.

import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {fileURLToPath} from 'node:url';
import {emptyList, cli, temporaryDirectory, preload} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import type {Failure} from '../../support/services/failing.js';
import {machineOf} from '../../support/scenarios/machine.js';
import {begun, configure} from '../../support/scenarios/limits.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {watch, type Watched} from '../../support/processes.js';
import {LIVE_KEY} from '../../support/services/servers.js';
import {service} from '../../support/services/service.js';
import {screenInProcess} from '../../support/in-process.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const DAY = 86_400;
const FIXED_CLOCK = fileURLToPath(new URL('../../support/fixed-clock.cjs', import.meta.url));

let merchant: Merchant;
let customer: string;
beforeAll(async () => {
  merchant = new Merchant(temporaryDirectory(afterAll));
  customer = (await merchant.customer({name: 'Ana Cruz', email: 'ana@example.com'})).id as string;
});
afterAll(() => merchant.close());

/** An open statement of ₱1,500.00, overdue by `days`. */
async function overdue(days: number, forCustomer = customer): Promise<string> {
  const {id} = await merchant.draft({customer_id: forCustomer});
  await merchant.call('PUT', `/billing_statements/${id}`, {due_at: merchant.sandbox.now() - days * DAY});
  await merchant.call('POST', `/billing_statements/${id}/finalize`);
  return id as string;
}

/** A separate machine, and an API with faults for its changes. */
async function machine(failures: Readonly<Record<number, Failure>> = {}) {
  const {directory, env, run, server} = await machineOf(merchant, failures);
  return {
    run,
    directory,
    env,
    server,
    remind: (...words: string[]) => run(['billing-statements', 'remind', ...words, '--timeout', '2s', '--json']),
    /** Ids that the API sent, in order. */
    sent: () => server.made.filter(({path}) => path.endsWith('/send')).map(({path}) => path.split('/')[2]),
    asked: () => server.changes.length,
    last: async () => (await run(['history', '--json', '--limit', '1'])).json().data[0],
  };
}

const rowsOf = (rows: readonly Record<string, unknown>[]) =>
  rows.map(({id, reminded, reason}) => [id, reminded, reason]);

describe('with --overdue', () => {
  test('sends statements overdue that long, longest first, once a week', async () => {
    const own = (await merchant.customer({name: 'Bea Santos', email: 'bea@example.com'})).id as string;
    const [late, later] = [await overdue(700, own), await overdue(701, own)];
    await overdue(699, own);
    const {remind, sent, last} = await machine();
    const first = await remind('--overdue', '700d');
    expect(first).toMatchObject({status: 0, stderr: ''});
    expect(first.rows()).toMatchObject([
      {
        ...{id: later, customer_id: own, name: 'Bea Santos', email: 'bea@example.com', amount: 150_000},
        ...{days_overdue: 701, state: 'overdue', last_sent_at: null, reminded: 'yes', reason: null},
        ...{number: expect.stringMatching(/-0002$/)},
      },
      {id: late, days_overdue: 700, reminded: 'yes'},
    ]);
    expect(sent()).toEqual([later, late]);
    expect(await last()).toMatchObject({
      command: 'billing-statements remind',
      amount: 300_000,
      result: 'ok',
      applied: 'yes',
      steps: [
        {step: 'send', ids: [later]},
        {step: 'sent', ids: [later]},
        {step: 'send', ids: [late]},
        {step: 'sent', ids: [late]},
      ],
    });

    const second = await remind('--overdue', '700d');
    expect(second.status).toBe(0);
    expect(rowsOf(second.rows())).toEqual([
      [later, 'no', 'sent_recently'],
      [late, 'no', 'sent_recently'],
    ]);
    expect(second.rows()[0].last_sent_at).toBeGreaterThan(0);
    expect(sent()).toHaveLength(2);

    expect(rowsOf((await remind('--overdue', '701d', '--again')).rows())).toEqual([[later, 'yes', null]]);
    expect(sent()).toEqual([later, late, later]);
  });

  test('without any statement, the next command only reads', async () => {
    const {remind} = await machine();
    const none = await remind();
    expect(none.status).toBe(2);
    expect(JSON.parse(none.stderr.trimEnd().split('\n').at(-1)!).error.next[0].slice(0, 2)).toEqual([
      'owed',
      '--overdue',
    ]);
  });

  test('succeeds when nothing is overdue', async () => {
    const {remind, run, asked} = await machine();
    expect(await remind('--overdue', '5000d')).toMatchObject({
      status: 0,
      stdout: emptyList('test'),
    });
    expect((await run(['history', '--json'])).json().data).toEqual([]);
    expect(asked()).toBe(0);
  });
});

describe('an email sent earlier from this machine', () => {
  test.each([
    ['send', (id: string) => ['send', id]],
    ['remind', (id: string) => ['remind', id]],
  ])('by %s counts', async (_, words) => {
    const {run, remind, sent} = await machine();
    const id = await overdue(10);
    expect(await run(['billing-statements', ...words(id)])).toMatchObject({status: 0});
    const again = await remind(id);
    expect(again.status).toBe(0);
    expect(rowsOf(again.rows())).toEqual([[id, 'no', 'sent_recently']]);
    expect(sent()).toEqual([id]);
  });

  test('by create --send counts', async () => {
    const {run, remind, sent} = await machine();
    const {id} = await merchant.draft({customer_id: customer});
    await merchant.call('PUT', `/billing_statements/${id}`, {due_at: merchant.sandbox.now() - 10 * DAY});
    const created = await run(['billing-statements', 'create', '--continue', id as string, '--send']);
    expect(created).toMatchObject({status: 0});
    expect(rowsOf((await remind(id as string)).rows())).toEqual([[id, 'no', 'sent_recently']]);
    expect(sent()).toEqual([id]);
  });

  test('counts even if the reminder was planned earlier', async () => {
    const {directory, env, sent} = await machine();
    const [one, two] = [await overdue(10), await overdue(10)];
    const desk = screenInProcess(directory, ['billing-statements', 'remind', one, two], {columns: 160, now: null, env});
    await desk.until(/\(y\/N\)/);
    expect((await cli(directory, {env})(['billing-statements', 'remind', one, '--json'])).status).toBe(0);
    desk.type('y\r');
    expect(await desk.ended).toBe(0);
    expect(sent()).toEqual([one, two]);
  });

  test('counts for seven days by the clock', async () => {
    const {directory, env, sent, server} = await machine();
    const id = await overdue(10);
    const start = merchant.sandbox.now();
    const at = (seconds: number) => {
      server.now = () => (start + seconds) * 1000;
      return cli(directory, {
        env: {...env, ...preload(FIXED_CLOCK), FIXED_NOW: String(start + seconds)},
      })(['billing-statements', 'remind', id, '--json']);
    };
    expect((await at(0)).rows()[0].reminded).toBe('yes');
    expect((await at(7 * DAY - 60)).rows()[0]).toMatchObject({reminded: 'no', reason: 'sent_recently'});
    expect(sent()).toHaveLength(1);
    expect((await at(7 * DAY + 60)).rows()[0].reminded).toBe('yes');
    expect(sent()).toHaveLength(2);
  });
});

describe('a send whose outcome is unknown', () => {
  test('counts as sent, is named, and is not repeated', async () => {
    const [one, two] = [await overdue(10), await overdue(10)];
    const {remind, sent, asked, last} = await machine({1: 'answer lost'});
    const first = await remind(one, two);
    expect(first.status).toBe(11);
    expect(rowsOf(first.rows())).toEqual([
      [one, 'unknown', 'outcome_unknown'],
      [two, 'yes', null],
    ]);
    expect(first.error()).toMatchObject({
      code: 'partial',
      applied: 'unknown',
      message: '1 of 2 failed. 1 of 2 was reminded; 1 outcome is unknown.',
      hint: expect.stringContaining('whether it was sent'),
      results: [{id: one, code: 'outcome_unknown', applied: 'unknown'}],
    });
    expect(await last()).toMatchObject({
      result: 'partial',
      steps: [
        {step: 'send', ids: [one]},
        {step: 'send', ids: [two]},
        {step: 'sent', ids: [two]},
      ],
    });
    const second = await remind(one, two);
    expect(second.status).toBe(0);
    expect(rowsOf(second.rows())).toEqual([
      [one, 'no', 'send_in_doubt'],
      [two, 'no', 'sent_recently'],
    ]);
    expect([asked(), sent().length]).toEqual([2, 2]);
  });

  test('ends a run of one with exit 10', async () => {
    const id = await overdue(10);
    const {remind} = await machine({1: 'answer lost'});
    const result = await remind(id);
    expect(result.status).toBe(10);
    expect(result.error()).toMatchObject({code: 'outcome_unknown', applied: 'unknown'});
    expect(rowsOf(result.rows())).toEqual([[id, 'unknown', 'outcome_unknown']]);
  });

  test('of a killed run is not repeated by the next', async () => {
    const [one, two] = [await overdue(10), await overdue(10)];
    let running: Watched | undefined;
    const {remind, sent, directory, env, asked} = await machine({
      1: {before: () => void running!.child.kill('SIGKILL')},
    });
    running = watch(directory, ['billing-statements', 'remind', one, two, '--yes'], {env});
    expect((await running.ended).signal).toBe('SIGKILL');
    expect([asked(), sent()]).toEqual([1, []]);
    const next = await remind(one, two);
    expect(next.status).toBe(0);
    expect(rowsOf(next.rows())).toEqual([
      [two, 'yes', null],
      [one, 'no', 'send_in_doubt'],
    ]);
    expect(sent()).toEqual([two]);
  });
});

test('Ctrl-C during a send: reports the unknown outcome and the reminders not tried', async () => {
  const [one, two] = [await overdue(10), await overdue(10)];
  let running: Watched | undefined;
  const {remind, sent, directory, env} = await machine({1: {after: () => void running!.child.kill('SIGINT')}});
  running = watch(directory, ['billing-statements', 'remind', one, two, '--yes', '--json'], {env});
  expect((await running.ended).status).toBe(130);
  // The second one may have been read.
  const [first, ...others] = rowsOf(JSON.parse(running.stdout()).data as []);
  expect(first).toEqual([one, 'unknown', expect.any(String)]);
  expect(others.filter(([, reminded]) => reminded !== 'no')).toEqual([]);
  expect(JSON.parse(running.stderr())).toMatchObject({
    error: {
      exit_code: 130,
      applied: 'unknown',
      message: expect.stringMatching(/0 of 2 were reminded; 1 outcome is unknown\./),
    },
  });
  expect(rowsOf((await remind(one, two)).rows())).toEqual([
    [two, 'yes', null],
    [one, 'no', 'send_in_doubt'],
  ]);
  expect(sent()).toEqual([one, two]);
});

describe('skipped or refused', () => {
  test('skips a statement that was paid after the preview', async () => {
    const [one, two] = [await overdue(10), await overdue(10)];
    const {remind, sent} = await machine({1: {after: () => void controlOf(merchant.sandbox).pay(two, {})}});
    const result = await remind(one, two);
    expect(rowsOf(result.rows())).toEqual([
      [one, 'unknown', 'outcome_unknown'],
      [two, 'no', 'not_open'],
    ]);
    expect(result.rows()[1].state).toBe('paid');
    expect(sent()).toEqual([one]);
  });

  test('a refused send is not recorded as sent, and the next run sends it', async () => {
    const [one, two] = [await overdue(10), await overdue(10)];
    const {remind, sent} = await machine({1: 'limited'});
    const first = await remind(one, two);
    expect(first.status).toBe(11);
    expect(first.error()).toMatchObject({
      message: '1 of 2 failed. 1 of 2 was reminded.',
      applied: 'yes',
      results: [{id: one, code: 'rate_limited', applied: 'no'}],
    });
    expect(rowsOf((await remind(one, two)).rows())).toEqual([
      [one, 'yes', null],
      [two, 'no', 'sent_recently'],
    ]);
    expect(sent()).toEqual([two, one]);
  });

  test('all sends refused: exit 7, and nothing was changed', async () => {
    const [one, two] = [await overdue(10), await overdue(10)];
    const {remind, last} = await machine({1: 'limited', 2: 'limited'});
    const result = await remind(one, two);
    expect(result.status).toBe(7);
    expect(result.error()).toMatchObject({
      applied: 'no',
      message: expect.stringMatching(/^all 2 failed: .*Nothing was changed/),
    });
    expect(await last()).toMatchObject({applied: 'no'});
  });

  test('a named statement that is not open: exit 5 alone, 11 with others', async () => {
    const {remind, asked, sent} = await machine();
    const [draft, open] = [(await merchant.draft({customer_id: customer})).id as string, await overdue(10)];
    const alone = await remind(draft);
    expect(alone.status).toBe(5);
    expect(alone.error()).toMatchObject({
      code: 'not_open',
      applied: 'no',
      message: expect.stringMatching(/is a draft\./),
    });
    expect(asked()).toBe(0);
    const both = await remind(draft, open);
    expect(both.status).toBe(11);
    expect(both.error()).toMatchObject({results: [{id: draft, code: 'not_open'}], applied: 'yes'});
    expect(sent()).toEqual([open]);
  });

  test('everything, if one of the named statements does not exist', async () => {
    const {remind, asked} = await machine();
    const result = await remind(await overdue(10), 'bstm_None1');
    expect(result).toMatchObject({status: 3, stdout: ''});
    expect(asked()).toBe(0);
  });

  test('everything in a dry run, which shows the requests and records nothing', async () => {
    const {run, asked} = await machine();
    const id = await overdue(10);
    const result = await run(['billing-statements', 'remind', id, '--dry-run']);
    expect(result.status).toBe(0);
    expect(result.stdout).toMatch(new RegExp(`^POST \\S+/billing_statements/${id}/send\n`));
    expect(result.stderr).toMatch(/-\d{4} {2}₱1,500\.00 {2}overdue 10 days\s+Ana Cruz\s+<ana@example\.com>\n/);
    expect(asked()).toBe(0);
    expect((await run(['history', '--json'])).json().data).toEqual([]);
  });
});

test('a customer’s whole name selects the open statement; part of a name selects none', async () => {
  const {id} = await merchant.customer({name: 'Cora Diaz', email: 'cora@example.com'});
  await merchant.draft({customer_id: id});
  const late = await overdue(3, id as string);
  const {remind, sent} = await machine();
  const part = await remind('cora');
  expect([part.status, part.error().code]).toEqual([2, 'statement_ambiguous']);
  expect(sent()).toEqual([]);
  expect((await remind('Cora Diaz')).status).toBe(0);
  expect(sent()).toEqual([late]);
});

test('reads ids from stdin, each once', async () => {
  const {run, sent} = await machine();
  const id = await overdue(10);
  const result = await run(['billing-statements', 'remind', '-', '--json'], {input: `${id}\n${id}\n`});
  expect(rowsOf(result.rows())).toEqual([[id, 'yes', null]]);
  expect(sent()).toEqual([id]);
});

test.each([
  [[], 'missing_argument'],
  [['bstm_7Hq2', '--overdue', '7d'], 'invalid_flag'],
  [['--overdue', '7h'], 'invalid_duration'],
  [['cus_7Hq2'], 'invalid_id'],
])('remind %j is refused', async (words, code) => {
  const {remind, asked} = await machine();
  const result = await remind(...words);
  expect(result).toMatchObject({status: 2, stdout: ''});
  expect(result.error()).toMatchObject({code, applied: 'no'});
  expect(asked()).toBe(0);
});

describe('runs at the same time', () => {
  test.each([2, 3])('%i runs send each statement at most once', async (count) => {
    const statements = [await overdue(10), await overdue(10)];
    const {sent, directory, env} = await machine();
    const line = ['billing-statements', 'remind', ...statements, '--yes', '--json'];
    const runs = Array.from({length: count}, () => watch(directory, line, {env}));
    const ends = await Promise.all(runs.map(({ended}) => ended));
    expect(ends.map(({status}) => status)).toEqual(runs.map(() => 0));
    expect(new Set(sent()).size).toBe(sent().length);
    const rows = runs.flatMap(({stdout}) => JSON.parse(stdout()).data as {id: string; reminded: string}[]);
    expect(
      rows
        .filter(({reminded}) => reminded === 'yes')
        .map(({id}) => id)
        .sort(),
    ).toEqual(sent().toSorted());
  });
});

describe('a live key', () => {
  const open = {bstm_7Hq2: {status: 'open'}, bstm_8Jr3: {status: 'open'}};
  async function live(...words: string[]) {
    const api = await service(open);
    onTestFinished(api.close);
    const directory = temporaryDirectory();
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: LIVE_KEY};
    const result = await commandsIn(directory, {env})(['billing-statements', 'remind', ...words, '--json']);
    return {...result, api, directory};
  }

  test.each([[['bstm_7Hq2']], [['bstm_7Hq2', '--yes']], [['bstm_7Hq2', '--live']], [['--overdue', '7d', '--live']]])(
    'reads and sends nothing with %j',
    async (words) => {
      const {status, api, directory} = await live(...words);
      expect(status).toBe(12);
      expect([...api.reads(), ...api.writes()]).toEqual([]);
      expect(begun(directory)).toEqual([]);
    },
  );

  test('sends with --live and --yes', async () => {
    const {status, api} = await live('bstm_7Hq2', 'bstm_8Jr3', '--live', '--yes');
    expect(status).toBe(0);
    expect(api.writes()).toEqual([
      'POST /billing_statements/bstm_7Hq2/send',
      'POST /billing_statements/bstm_8Jr3/send',
    ]);
  });
});

test.each([
  [{max_statements_per_run: 1}, 'too_many_statements'],
  [{max_amount: 149_999}, 'over_max_amount'],
  [{read_only: true}, 'read_only'],
])('the limit %j holds', async (limits, code) => {
  const {remind, asked, directory} = await machine();
  configure(directory, {profiles: {env: limits}});
  const result = await remind(await overdue(10), await overdue(10), '--yes');
  expect(result.status).toBe(12);
  expect(result.error()).toMatchObject({code, applied: 'no'});
  expect(asked()).toBe(0);
});
