// `centavo billing-statements settle`: closes a statement in the API, and keeps the reason on this machine.

import type {NewHistoryEntry} from '../../../src/history/history.js';
import {historyIn, BEGINNING} from '../../support/history/history.js';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {monthOf, monthText} from '../../../src/common/manila.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import type {Failure} from '../../support/services/failing.js';
import {machineOf} from '../../support/scenarios/machine.js';
import {begun} from '../../support/scenarios/limits.js';
import {terminalInProcess} from '../../support/in-process.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {LIVE_KEY} from '../../support/services/servers.js';
import {service} from '../../support/services/service.js';
import {loaded} from '../../support/terminal.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

let merchant: Merchant;
let customer: string;
beforeAll(async () => {
  merchant = new Merchant(temporaryDirectory(afterAll));
  customer = (await merchant.customer({name: 'Ana Cruz', email: 'ana@example.com'})).id as string;
});
afterAll(() => merchant.close());

const statusOf = async (id: string): Promise<unknown> =>
  (await merchant.call('GET', `/billing_statements/${id}`)).status;
const open = async (): Promise<string> => (await merchant.open({customer_id: customer})).id as string;

/** A separate machine, and an API with faults for its changes. */
async function machine(failures: Readonly<Record<number, Failure>> = {}) {
  const {directory, env, run, server} = await machineOf(merchant, failures);
  return {
    run,
    directory,
    env,
    changes: server.changes,
    settle: (id: string, reason: string, ...words: string[]) =>
      run(['billing-statements', 'settle', id, '--paid-outside', reason, ...words]),
    history: async () => (await run(['history', '--json'])).json().data as Record<string, unknown>[],
  };
}

describe('an open statement', () => {
  test('is voided, and history and owed show the reason', async () => {
    const {settle, run, history, changes} = await machine();
    const id = await open();
    const result = await settle(id, '  cash,\n 12 Nov ', '--json');
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.json()).toMatchObject({id, status: 'void'});
    expect(changes).toEqual(['POST /billing_statements/:id/void']);
    expect(await history()).toMatchObject([
      {command: 'billing-statements settle', ids: [id], amount: 150_000, reason: 'cash, 12 Nov', applied: 'yes'},
    ]);
    expect((await run(['history'])).stdout).toMatch(/\tok\t₱1,500\.00\t.*\tcash, 12 Nov\n$/);
    expect((await run(['history', '-o', 'csv'])).stdout).toMatch(
      /,applied,reason,number,customer,file\r\n.*,yes,"cash, 12 Nov",\S+-\d{4},Ana Cruz,\r\n/,
    );
    expect((await run(['owed', '--json'])).json().data).toEqual([]);
  });

  test('is marked uncollectible on request, with a note', async () => {
    const {settle, changes} = await machine();
    const id = await open();
    const result = await settle(id, 'half in cash', '--uncollectible');
    expect(result.stderr).toMatch(/Settled: \S+-\d{4} is uncollectible now\./);
    expect(await statusOf(id)).toBe('uncollectible');
    expect(changes).toEqual(['POST /billing_statements/:id/mark_uncollectible']);
  });

  test('that was written off adds nothing to received, even if voided later', async () => {
    const {settle, run} = await machine();
    const given = (await merchant.customer({name: 'Given Up', email: 'up@example.com'})).id as string;
    const made = [1, 2, 3].map(() => merchant.open({customer_id: given}));
    const opened = (await Promise.all(made)) as {id: string; finalized_at: number}[];
    const ids = opened.map(({id}) => id);
    const now = monthText(monthOf(opened[0]!.finalized_at));
    await settle(ids[0]!, 'gave up', '--uncollectible');
    await settle(ids[1]!, 'gave up', '--uncollectible');
    await settle(ids[2]!, 'cash');
    await run(['billing-statements', 'void', ids[0]!]);
    await merchant.call('POST', `/billing_statements/${ids[1]}/void`);
    const data = async (...words: string[]) => (await run([...words, '--json'])).json();
    expect(await data('paid', given)).toMatchObject({
      ...{received: 0, settled: 150_000, data: [{statement_id: ids[2], settled_reason: 'cash'}]},
    });
    const month = (await data('month', now)).data.filter((each: {customer_id: string}) => each.customer_id === given);
    for (const {statement_id: id, ...row} of month)
      expect(row).toMatchObject({billed: 150_000, ...(id === ids[2] ? {settled: 150_000} : {voided: 150_000})});
    expect(month).toHaveLength(3);
    expect((await data('customers', 'ledger', given)).settled).toBe(150_000);
    expect((await data('owed', given)).total).toBe(0);
    const list = (await run(['billing-statements', 'list', '--customer', given, '-o', 'table'])).stdout;
    expect(list).toMatch(/3 billing statements: ₱1,500\.00 settled, ₱3,000\.00 void/);
    expect((await run(['get', ids[0]!, '-o', 'table'])).stdout).not.toContain('Settled');
    const exported = await run(['billing-statements', 'export', '--month', now]);
    expect(exported.stderr).toContain('Skipped: 3 drafts and void statements.');
  });

  test('is read after a lost response, and counts as settled if it is', async () => {
    const {settle, history} = await machine({1: 'answer lost'});
    const id = await open();
    expect(await settle(id, 'cash')).toMatchObject({status: 0});
    expect(await history()).toMatchObject([{reason: 'cash', applied: 'yes'}]);
  });

  test('stays unchanged if the API refuses', async () => {
    const {settle, history} = await machine({1: 'refused'});
    const id = await open();
    const result = await settle(id, 'cash', '--json');
    expect(result.status).toBe(5);
    expect(result.error()).toMatchObject({applied: 'no', api_errors: [{code: 'not_today'}]});
    expect(await statusOf(id)).toBe('open');
    expect(await history()).toMatchObject([{reason: 'cash', applied: 'no'}]);
  });

  test('is unchanged by a dry run', async () => {
    const {settle, history, changes} = await machine();
    const id = await open();
    expect((await settle(id, 'cash', '--dry-run')).stdout).toMatch(/^POST \S+\/void\n/);
    expect([changes, await history()]).toEqual([[], []]);
  });
});

describe('a statement that is not open', () => {
  test('is already void: the payment is recorded on this machine, and nothing is sent', async () => {
    const {settle, run, history, changes} = await machine();
    const id = await open();
    await merchant.call('POST', `/billing_statements/${id}/void`);
    const result = await settle(id, 'cash');
    expect(result.status).toBe(0);
    expect(result.stderr).toMatch(/Settled: \S+-\d{4} is void already; the payment is recorded on this machine\./);
    expect(changes).toEqual([]);
    expect(await history()).toMatchObject([{reason: 'cash', amount: 150_000, applied: 'yes', ids: [id]}]);
    const paid = (await run(['paid', customer, '--json'])).json().data as {statement_id: string}[];
    expect(paid.filter((row) => row.statement_id === id)).toMatchObject([{settled: 150_000, settled_reason: 'cash'}]);
  });

  test('is settled already: exit 0, nothing is changed, and the first reason stays', async () => {
    const {settle, history, changes} = await machine();
    for (const words of [[], ['--uncollectible']]) {
      const id = await open();
      await settle(id, 'cash', ...words);
      const before = [await history(), [...changes]];
      const again = await settle(id, 'check', ...words);
      expect(again).toMatchObject({
        status: 0,
        stderr: expect.stringMatching(/: cash\. It is settled already; nothing was changed\./),
      });
      expect([await history(), changes]).toEqual(before);
    }
  });

  test('was replaced: exit 5, with the replacement named', async () => {
    const {settle, run, changes, history} = await machine();
    const id = await open();
    const next = (await run(['billing-statements', 'reissue', id, '--due', '+60d', '--yes', '--json'])).json();
    const before = [changes.length, (await history()).length];
    const result = await settle(id, 'cash', '--json');
    expect(result.status).toBe(5);
    const number = next.billing_statement_number as string;
    expect(result.error()).toMatchObject({
      ...{code: 'not_open', state: 'replaced', replaced_by: {id: next.id, name: number}},
      message: expect.stringContaining(`was replaced by ${number}.`),
      hint: expect.stringContaining(`settle ${next.id}`),
    });
    expect([changes.length, (await history()).length]).toEqual(before);
  });

  test('is void and cannot be written off', async () => {
    const {settle, changes} = await machine();
    const id = await open();
    await merchant.call('POST', `/billing_statements/${id}/void`);
    const refused = await settle(id, 'half in cash', '--uncollectible');
    expect(refused).toMatchObject({status: 5});
    expect(refused.stderr).not.toContain('Only open or void');
    expect(changes).toEqual([]);
  });

  test.each([
    ['paid', 'already_paid', /was paid on \d+ \w+ by card\. A billing statement that was paid online/],
    ['draft', 'not_open', /is a draft\. A draft is not owed yet/],
    ['uncollectible', 'not_open', /is marked uncollectible\. Only open or void/],
  ])('is %s: exit 5', async (status, code, words) => {
    const {settle, changes} = await machine();
    const id = status === 'draft' ? ((await merchant.draft({customer_id: customer})).id as string) : await open();
    if (status === 'paid') controlOf(merchant.sandbox).pay(id, {});
    if (status === 'uncollectible') await merchant.call('POST', `/billing_statements/${id}/mark_uncollectible`);
    const result = await settle(id, 'cash', '--json');
    expect(result.status).toBe(5);
    expect(result.error()).toMatchObject({code, applied: 'no', message: expect.stringMatching(words)});
    expect(changes).toEqual([]);
    expect(await statusOf(id)).toBe(status);
  });

  test('was written off and then paid in cash: the proposed void lets it be settled', async () => {
    const {settle, run} = await machine();
    const id = await open();
    await run(['billing-statements', 'mark-uncollectible', id, '--yes']);
    const {hint} = (await settle(id, 'cash', '--json')).error();
    expect(hint).toBe(`To record the payment, void it first: centavo void ${id}`);
    expect(await run(['billing-statements', 'void', id, '--yes'])).toMatchObject({status: 0});
    expect(await settle(id, 'cash')).toMatchObject({status: 0});
  });

  test('was paid in the meantime: the API refuses, and nothing was changed', async () => {
    const id = await open();
    // This test's own request intervenes, so the refused void is the first change.
    const {settle} = await machine({1: {before: () => void controlOf(merchant.sandbox).pay(id, {})}});
    const lost = await settle(id, 'cash', '--json');
    expect(await statusOf(id)).toBe('paid');
    expect(lost.error()).toMatchObject({applied: expect.stringMatching(/^(no|unknown)$/)});
    expect([5, 10]).toContain(lost.status);
  });

  test('does not exist: exit 3', async () => {
    const {settle, changes} = await machine();
    expect(await settle('bstm_None1', 'cash')).toMatchObject({status: 3, stdout: ''});
    expect(changes).toEqual([]);
  });
});

describe('the date of the payment', () => {
  const NOW = Date.parse('2031-11-20T10:00:00+08:00');
  /** A machine and an account of their own, both at the same time. */
  async function dated() {
    const own = new Merchant(temporaryDirectory(), () => NOW / 1000);
    onTestFinished(() => own.close());
    const {run, directory} = await machineOf(own);
    const id = (await own.open()).id as string;
    const at = (iso: string): number => Date.parse(iso) / 1000;
    const settle = (on: string, of = id) => {
      const words = ['billing-statements', 'settle', of, '--paid-outside', 'cash', '--on', on];
      return run(words, {now: () => NOW});
    };
    const paidAt = (of = id) => historyIn(directory).settlements().get(of)?.paidAt;
    return {own, run, id, settle, paidAt, at};
  }

  test.each([
    ['2031-11-12', '2031-11-12T23:59:59+08:00'],
    ['12 Nov', '2031-11-12T23:59:59+08:00'],
    ['yesterday', '2031-11-19T23:59:59+08:00'],
    ['2031-11-12T09:00:00+08:00', '2031-11-12T23:59:59+08:00'],
    ['today', '2031-11-20T10:00:00+08:00'],
  ])('%s is kept as the end of its day, and never later than now', async (on, kept) => {
    const {settle, paidAt, at} = await dated();
    const result = await settle(on);
    expect(result).toMatchObject({status: 0, stderr: expect.not.stringContaining('changes: see')});
    expect(paidAt()).toBe(at(kept));
  });

  test('is now if it is not given', async () => {
    const {run, id, paidAt} = await dated();
    await run(['settle', id, '--paid-outside', 'cash'], {now: () => NOW});
    expect(paidAt()).toBe(NOW / 1000);
  });

  test('in the future is refused: exit 2', async () => {
    const {settle, paidAt} = await dated();
    for (const on of ['tomorrow', '2031-11-21', 'soon']) expect(await settle(on), on).toMatchObject({status: 2});
    expect(paidAt()).toBeUndefined();
  });

  test('in an earlier month says which month changes, also with --json', async () => {
    const own = new Merchant(temporaryDirectory(), () => Date.parse('2031-09-03T10:00:00+08:00') / 1000);
    onTestFinished(() => own.close());
    const {run} = await machineOf(own);
    const [first, second] = [(await own.open()).id as string, (await own.open()).id as string];
    own.sandbox.advanceClock((NOW - Date.parse('2031-09-03T10:00:00+08:00')) / 1000);
    const settle = (id: string, on: string, ...words: string[]) =>
      run(['settle', id, '--paid-outside', 'cash', '--on', on, ...words], {now: () => NOW});
    expect((await settle(first, '5 Oct', '--json')).stderr).toBe('October 2031 changes: see centavo month 2031-10\n');
    // Not before it was billed.
    const early = (await settle(second, '2031-08-01')).stderr;
    expect(early).toMatch(
      /The payment counts on Wednesday, 3 September 2031, the day of the bill\.\n[^]*Settled: [^]*September 2031 changes: see centavo month 2031-09\n/,
    );
  });

  test('of a void statement changes the month of the void, too', async () => {
    const own = new Merchant(temporaryDirectory(), () => Date.parse('2031-09-03T10:00:00+08:00') / 1000);
    onTestFinished(() => own.close());
    const {run} = await machineOf(own);
    const id = (await own.open()).id as string;
    await own.call('POST', `/billing_statements/${id}/void`);
    own.sandbox.advanceClock((NOW - Date.parse('2031-09-03T10:00:00+08:00')) / 1000);
    const {stderr} = await run(['settle', id, '--paid-outside', 'cash', '--on', '5 Oct'], {now: () => NOW});
    expect(stderr).toMatch(/September 2031 changes: see .*2031-09\nOctober 2031 changes: see .*2031-10\n/);
  });
});

describe('the reason', () => {
  test.each([
    ['', 'empty'],
    [' \n ', 'empty'],
    ['x'.repeat(201), 'too_long'],
  ])('%j is refused', async (reason, code) => {
    const {settle, changes} = await machine();
    const result = await settle(await open(), reason, '--json');
    expect(result.status).toBe(2);
    expect(result.error()).toMatchObject({code, applied: 'no'});
    expect(changes).toEqual([]);
  });

  test('must be given', async () => {
    const {run} = await machine();
    const result = await run(['billing-statements', 'settle', 'bstm_7Hq2', '--json']);
    expect(result.status).toBe(2);
    expect(result.error()).toMatchObject({code: 'missing_flag', message: '--paid-outside is missing.'});
  });

  test('keeps 200 characters, escapes control characters and rejects secrets', async () => {
    const {settle, history} = await machine();
    const reasons = ['ñ'.repeat(200), 'cash\u001B[2J', 'with pi_1_secret_abcdef'];
    for (const reason of reasons) expect(await settle(await open(), reason)).toMatchObject({status: 0});
    expect((await history()).map(({reason}) => reason)).toEqual(['[redacted]', 'cash\\x1b[2J', reasons[0]]);
  });
});

describe.runIf(loaded.pty)('at a terminal', () => {
  test('asks with number, amount, customer and reason; does not settle a statement paid before the answer', async () => {
    const {directory, env} = await machine();
    const id = await open();
    const words = ['billing-statements', 'settle', id, '--paid-outside', 'cash, 12 Nov'];
    const no = terminalInProcess(directory, words, {env, columns: 200});
    await no.until(/void billing statement \S+-\d{4} of ₱1,500\.00 for Ana Cruz as paid outside: "cash, 12 Nov"\?/);
    no.type('n\r');
    expect(await no.ended).toBe(12);
    expect(await statusOf(id)).toBe('open');

    const yes = terminalInProcess(directory, words, {env, columns: 200});
    await yes.until(/paid outside/);
    controlOf(merchant.sandbox).pay(id, {});
    yes.type('y\r');
    expect(await yes.ended).toBe(5);
    expect(yes.text()).toMatch(
      /-\d{4} was paid on \d+ \w+ by card\.\s+It was paid in the meantime\..*Nothing was changed\./s,
    );
    expect(await statusOf(id)).toBe('paid');
  });
});

describe('output for people says settled', () => {
  test('in the view, lists, totals and the ledger; machine formats keep the API’s status', async () => {
    const {directory, env, settle, run} = await machine();
    const id = await open();
    const other = await open();
    await settle(id, 'cash, 12 Nov', '--json');
    await merchant.call('POST', `/billing_statements/${other}/void`);
    const seen = async (...words: string[]): Promise<string> => {
      const desk = terminalInProcess(directory, words, {env, columns: 160});
      expect(await desk.ended).toBe(0);
      return desk.text();
    };
    const view = await seen('billing-statements', 'get', id);
    expect(view).toMatch(/^\S+-\d{4} +settled\b/);
    expect(view).toMatch(/Settled +\w+, \d+ \w+ \d{4}: cash, 12 Nov \(voided\)/);
    expect(await seen('billing-statements', 'get', other)).toMatch(/^\S+-\d{4} +void\b/);
    const list = await seen('billing-statements', 'list', '--status', 'void', '--limit', '2');
    expect(list).toMatch(/ void [^]* settled [^]*: ₱1,500\.00 settled, ₱1,500\.00 void/);
    expect(await seen('billing-statements', 'get', id, other)).toMatch(/ settled [^]* void /);
    expect(await seen('customers', 'ledger', customer)).toMatch(/Settled, cash, 12 Nov[^]*Void /);
    const both = await run(['billing-statements', 'get', id, other, '--fields', 'status', '--json']);
    expect(both.rows()).toEqual([{status: 'void'}, {status: 'void'}]);
    expect((await run(['billing-statements', 'get', id])).stdout).toMatch(/^status\tvoid$/m);
  });
});

describe('a live key', () => {
  async function live(...words: string[]) {
    const api = await service({bstm_7Hq2: {status: 'open'}});
    onTestFinished(api.close);
    const directory = temporaryDirectory();
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: LIVE_KEY};
    const line = ['billing-statements', 'settle', 'bstm_7Hq2', '--paid-outside', 'cash', ...words];
    const result = await commandsIn(directory, {env})(line);
    return {...result, api, directory};
  }

  test.each([[[]], [['--yes']], [['--live']]])('reads and changes nothing with %j', async (words) => {
    const {status, api, directory} = await live(...words);
    expect(status).toBe(12);
    expect([...api.reads(), ...api.writes()]).toEqual([]);
    expect(begun(directory)).toEqual([]);
  });

  test('settles with --live and --yes', async () => {
    const {status, api} = await live('--live', '--yes');
    expect(status).toBe(0);
    expect(api.writes()).toEqual(['POST /billing_statements/bstm_7Hq2/void']);
  });
});

describe('the settlements in a history', () => {
  type Applied = 'no' | 'unknown' | 'yes' | undefined;
  const settle = {profile: 'shop', mode: 'live', command: 'billing-statements settle', reason: 'cash'} as const;
  /** @param records oldest first; a record without `applied` is unfinished */
  const settlementsIn = (...records: (Partial<NewHistoryEntry> & {readonly applied?: Applied})[]) => {
    const directory = temporaryDirectory();
    for (const [index, {applied, ...write}] of records.entries()) {
      const history = historyIn(directory, {first: index});
      history.begin({...settle, ids: ['bstm_1'], amount: 100, ...write});
      if (applied) history.end({result: 'any', exitCode: 0, applied});
    }
    return Object.assign(historyIn(directory), {account: 'sandbox default one'}).settlements();
  };
  const at = BEGINNING;

  test('are the certain and uncertain ones of the account', () => {
    const applied = 'yes';
    const found = settlementsIn(
      {applied},
      {applied, ids: ['bstm_2'], reason: undefined},
      {applied, ids: ['bstm_2'], command: 'billing-statements void'},
      {applied, ids: ['bstm_2'], account: 'sandbox default other'},
      {applied, ids: ['bstm_6'], account: 'sandbox default one'},
      {applied: 'no', ids: ['bstm_3']},
      {applied: 'unknown', ids: ['bstm_4']},
      {ids: ['bstm_5', 'cus_5']},
    );
    expect([...found]).toEqual([
      ['bstm_5', {at, reason: 'cash', amount: 100, isCertain: false, paidAt: null}],
      ['bstm_4', {at, reason: 'cash', amount: 100, isCertain: false, paidAt: null}],
      ['bstm_6', {at, reason: 'cash', amount: 100, isCertain: true, paidAt: null}],
      ['bstm_1', {at, reason: 'cash', amount: 100, isCertain: true, paidAt: null}],
    ]);
  });

  test('of one statement: the last certain one', () => {
    const doubt = {reason: 'doubt', applied: 'unknown'} as const;
    const [later, sooner] = [
      {reason: 'later', applied: 'yes'},
      {reason: 'sooner', applied: 'yes'},
    ] as const;
    const only = (...records: Parameters<typeof settlementsIn>) => settlementsIn(...records).get('bstm_1')?.reason;
    expect(only(sooner, later, doubt)).toBe('later');
    expect(only(sooner, doubt, later)).toBe('later');
    expect(only({...doubt, reason: 'first doubt'}, doubt)).toBe('doubt');
  });
});
