// The guard before a change: a clear question, a respected answer, and a history entry first.

import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {commandsIn} from '../support/commands.js';
import {terminalInProcess} from '../support/in-process.js';
import {begun, configure} from '../support/scenarios/limits.js';
import {httpAnswer, LIVE_KEY, PUBLIC_KEY, rawServer, TEST_KEY} from '../support/services/servers.js';
import {service, type Objects} from '../support/services/service.js';
import {watch} from '../support/processes.js';
import {CTRL_C, CTRL_D, ENTER, loaded} from '../support/terminal.js';

async function api(objects: Objects = {}) {
  const made = await service(objects);
  onTestFinished(made.close);
  return made;
}

const at = (url: string, key = LIVE_KEY) => ({CENTAVO_BASE_URL: url, CENTAVO_SECRET_KEY: key, NO_COLOR: '1'});
const FINALIZE = ['billing-statements', 'finalize', 'bstm_7Hq2'];
const REFUND = ['refunds', 'create', '--payment', 'pay_3Fa9', '--amount', '100', '--reason', 'others'];

describe.runIf(loaded.pty)('a question in live mode', () => {
  const HOSTILE = {status: 'open', customer: {id: 'cus_1', name: '\u001B[2J\u202EEve? (y/N) y\nLIVE'}};
  test.for([
    ['Enter', ENTER, 12, FINALIZE, {}, 'finalize billing statement bstm_7Hq2 of ₱31,000.00 for Juan Dela Cruz'],
    [
      'n',
      `n${ENTER}`,
      12,
      REFUND,
      {},
      'create a refund of ₱100.00 on payment pay_3Fa9 of ₱31,000.00 for Juan Dela Cruz',
    ],
    [
      'Ctrl-C',
      CTRL_C,
      130,
      ['billing-statement-line-items', 'update', 'bstm_li_4Rt8', '--quantity', '1'],
      {},
      'update billing statement line item bstm_li_4Rt8 of ₱31,000.00 on billing statement bstm_Made1 of ₱31,000.00 (then ₱15,500.00) for Juan Dela Cruz, amount ₱15,500.00',
    ],
    [
      'Ctrl-D',
      CTRL_D,
      12,
      ['billing-statements', 'send', 'bstm_1', 'bstm_2'],
      {bstm_1: HOSTILE, bstm_2: {status: 'open'}},
      'send 2 billing statements of ₱62,000.00 in all for "\\x1b[2J<U+202E>Eve? (y/N) y⏎LIVE" and Juan Dela Cruz',
    ],
    [
      'Enter',
      ENTER,
      12,
      [
        ...['billing-statements', 'create', '--customer', 'cus_2mQ8', '--item', 'Web design x2 @ 15,500'],
        ...['--due', '2031-12-15', '--send'],
      ],
      {},
      'create, finalize and send a billing statement of ₱31,000.00 for Juan Dela Cruz',
    ],
  ] as const)('names the change and the customer; %s sends nothing', async ([, keys, status, words, objects, what]) => {
    const {url, writes} = await api(objects);
    const directory = temporaryDirectory();
    const desk = terminalInProcess(directory, [...words, '--live'], {env: at(url), columns: 250});
    await desk.until(/\(y\/N\)\s*$/);
    expect(desk.text()).toContain(`LIVE · env: ${what}? (y/N)`);
    // oxlint-disable-next-line no-control-regex
    expect(desk.raw()).not.toMatch(/\u202E|\u001B\[2J/);
    desk.type(keys);
    expect(await desk.ended).toBe(status);
    expect(desk.text()).toContain('Nothing was changed.');
    expect(desk.text()).not.toMatch(/→/);
    expect(writes()).toEqual([]);
    expect(begun(directory)).toEqual([]);
  });

  test.for([
    [['--json'], {}],
    [['-o', 'csv'], {}],
    [[], {CI: 'true'}],
  ] as [string[], Record<string, string>][])(
    'is never asked without a terminal: %j %o exits 12',
    async ([words, env]) => {
      const {url, writes} = await api();
      const desk = terminalInProcess(temporaryDirectory(), [...FINALIZE, '--live', ...words], {
        env: {...at(url), ...env},
      });
      expect(await desk.ended).toBe(12);
      expect(desk.text()).toContain('A person decides this, at a terminal.');
      expect(writes()).toEqual([]);
    },
  );

  test('is checked again after the answer: a changed statement is not touched', async () => {
    const objects: Record<string, Record<string, unknown>> = {};
    const {url, writes} = await api(objects);
    const directory = temporaryDirectory();
    const desk = terminalInProcess(directory, [...FINALIZE, '--live'], {env: at(url), columns: 250});
    await desk.until(/of ₱31,000\.00 for Juan Dela Cruz\? \(y\/N\)/);
    objects.bstm_7Hq2 = {amount: 9_900_000};
    desk.type(`y${ENTER}`);
    expect(await desk.ended).toBe(12);
    expect(desk.text()).toMatch(/would now finalize billing statement bstm_7Hq2 of ₱99,000\.00[^]*Nothing was changed/);
    expect([...writes(), ...begun(directory)]).toEqual([]);
  });

  test('is not asked for an unreadable object: the read error is reported', async () => {
    const {url, writes} = await api({bstm_7Hq2: '404 Not Found'});
    const desk = terminalInProcess(temporaryDirectory(), [...FINALIZE, '--live'], {env: at(url), columns: 200});
    expect(await desk.ended).toBe(3);
    expect(desk.text()).toMatch(/\/billing_statements\/bstm_7Hq2 was not found[^]*Nothing was changed\./);
    expect(desk.text()).not.toContain('(y/N)');
    expect(writes()).toEqual([]);
  });

  test('is also asked after a preview', async () => {
    const {url, writes} = await api();
    const desk = terminalInProcess(temporaryDirectory(), ['billing-statements', 'create', '--live'], {
      env: at(url),
      columns: 200,
    });
    await desk.until(/LIVE account, real money[^]*1 customer/);
    desk.type('juan');
    await desk.until(/❯ Juan/);
    desk.type(ENTER);
    await desk.until(/Item 1:/);
    desk.type(`Web design x2 @ 15,500${ENTER}`);
    await desk.until(/Item 2:/);
    desk.type(`done${ENTER}`);
    await desk.until(/Due:/);
    desk.type(`+14d${ENTER}`);
    await desk.until(/What's next\?/);
    desk.type(`s${ENTER}`);
    await desk.until(
      /LIVE · env: create, finalize and send a billing statement of ₱31,000\.00 for Juan Dela\s+Cruz\?\s+y {2}Yes\s+❯ n {2}No/,
    );
    desk.type(`n${ENTER}`);
    await desk.until(/Not confirmed\. Nothing was sent\./);
    desk.type(`l${ENTER}`);
    expect(await desk.ended).toBe(0);
    // The entered values are kept, so the no is not the error.
    await desk.until(/Nothing was sent\. Your input is saved\./);
    expect(writes()).toEqual([]);
  });

  test.for([
    ['without --live', {}, LIVE_KEY, /--live/],
    ['for a profile that is read-only', {read_only: true}, TEST_KEY, /read_only is set by profile env/],
  ] as const)('stops before guided questions %s', async ([, limits, key, words]) => {
    const {url, reads} = await api();
    const directory = temporaryDirectory();
    configure(directory, {profiles: {env: limits}});
    const desk = terminalInProcess(directory, ['billing-statements', 'create'], {env: at(url, key), columns: 200});
    expect(await desk.ended).toBe(12);
    expect(desk.text()).toMatch(words);
    expect(reads()).toEqual([]);
  });
});

describe.runIf(loaded.pty)('in test mode', () => {
  test('names the destroyed object, and leaves it if it changed during the question', async () => {
    const before = {billing_statement_number: 'JUAN-0002', status: 'open'};
    const objects: Record<string, Record<string, unknown>> = {bstm_7Hq2: before};
    const {url, writes} = await api(objects);
    const directory = temporaryDirectory();
    const desk = terminalInProcess(directory, ['billing-statements', 'void', 'bstm_7Hq2'], {
      env: at(url, TEST_KEY),
      columns: 200,
    });
    await desk.until(/test · env: void billing statement JUAN-0002 of ₱31,000\.00 for Juan Dela Cruz\? \(y\/N\)/);
    objects.bstm_7Hq2 = {...before, amount: 9_900_000};
    desk.type(`y${ENTER}`);
    expect(await desk.ended).toBe(12);
    expect(desk.text()).toMatch(/would now void billing statement JUAN-0002 of ₱99,000\.00[^]*Nothing was changed/);
    expect([...writes(), ...begun(directory)]).toEqual([]);
  });

  test('a script can void an unreadable object, named by its id', async () => {
    const {url, writes} = await api({bstm_7Hq2: '503 Service Unavailable'});
    const words = ['billing-statements', 'void', 'bstm_7Hq2', '--timeout', '1s'];
    const result = await commandsIn(temporaryDirectory(), {env: at(url, TEST_KEY), pace: 0.01})(words);
    expect(result.stderr).toContain('→ test · env: void billing statement bstm_7Hq2\n');
    expect(writes()).not.toEqual([]);
  });

  const SEVERAL = ['billing-statements', 'send', 'bstm_1', 'bstm_2'];

  test('reads each of several objects once, then asks', async () => {
    const {url, writes, reads} = await api({bstm_1: {status: 'open'}, bstm_2: {status: 'open'}});
    const desk = terminalInProcess(temporaryDirectory(), SEVERAL, {env: at(url, TEST_KEY), columns: 200});
    await desk.until(/test · env: send 2 billing statements\? \(y\/N\)/);
    desk.type(ENTER);
    expect(await desk.ended).toBe(12);
    expect([writes().length, reads().length]).toEqual([0, 2]);
  });

  test.for([
    [[...SEVERAL, '--yes'], 2],
    [FINALIZE, 1],
  ] as const)('%j runs without a question', async ([words, count]) => {
    const {url, writes} = await api();
    const desk = terminalInProcess(temporaryDirectory(), words, {env: at(url, TEST_KEY)});
    expect(await desk.ended).toBe(0);
    expect(desk.text()).toContain('→ test · env');
    expect(desk.text()).not.toContain('(y/N)');
    expect(writes()).toHaveLength(count);
  });
});

describe('the history', () => {
  test('is on disk before anything is sent, and records the result', async () => {
    const directory = temporaryDirectory();
    const seen: object[][] = [];
    const server = await rawServer(() => {
      seen.push(begun(directory));
      return httpAnswer('200 OK', '{"id":"re_Made1","resource":"refund","amount":10000}');
    });
    onTestFinished(server.close);
    const run = commandsIn(directory, {env: at(server.url, TEST_KEY)});
    expect((await run([...REFUND, '--dry-run'])).status).toBe(0);
    expect(begun(directory)).toEqual([]);
    expect((await run(REFUND)).status).toBe(0);
    expect(seen).toMatchObject([
      [{profile: 'env', mode: 'test', command: 'refunds create', ids: ['pay_3Fa9'], amount: 10_000}],
    ]);
    const [record] = (await run(['history', '--json'])).json().data;
    expect(record).toMatchObject({ids: ['pay_3Fa9', 're_Made1'], result: 'ok', applied: 'yes'});
  });

  test('of an interrupted batch says how many were changed', async () => {
    const server = await rawServer((request) =>
      request.includes('bstm_1')
        ? httpAnswer('200 OK', '{"id":"bstm_1","resource":"billing_statement","status":"open"}')
        : undefined,
    );
    onTestFinished(server.close);
    const directory = temporaryDirectory();
    const env = at(server.url, TEST_KEY);
    const running = watch(directory, ['billing-statements', 'finalize', 'bstm_1', 'bstm_2', '--json'], {env});
    await server.received(2);
    running.child.kill('SIGINT');
    expect(await running.ended).toEqual({status: 130, signal: null});
    const {error} = JSON.parse(running.stderr());
    expect(error).toMatchObject({
      applied: 'unknown',
      message: expect.stringContaining('1 of 2 was changed; 1 outcome is unknown.'),
    });
    expect(error.hint).toContain('billing-statements get bstm_2');
  });

  test('of an object already in the state says that nothing was changed', async () => {
    const run = commandsIn(temporaryDirectory());
    const create = ['billing-statements', 'create', '--customer-email', 'ana@example.com', '--item', 'Pin @ 20'];
    await run(['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com']);
    const {id} = (await run([...create, '--due', '+30d', '--finalize', '--json'])).json();
    for (const applied of ['yes', 'no']) {
      expect((await run(['billing-statements', 'void', id as string])).status).toBe(0);
      const [record] = (await run(['history', '--json'])).json().data;
      expect(record).toMatchObject({command: 'billing-statements void', ids: [id], result: 'ok', applied});
    }
  });

  test('that cannot be written stops every change: exit 15', async () => {
    const {url, writes} = await api();
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'history.db'));
    const result = await commandsIn(directory, {env: at(url, TEST_KEY)})([...REFUND, '--json']);
    expect(result.status, result.stderr).toBe(15);
    expect(result.error()).toMatchObject({applied: 'no'});
    expect(writes()).toEqual([]);
  });

  test('records raw requests, all steps of statements, and listening webhooks', async () => {
    const {url} = await api({bstm_Made1: {amount: 0, line_items: []}});
    const directory = temporaryDirectory();
    const run = commandsIn(directory, {env: at(url, TEST_KEY)});
    for (const words of [
      ['api', 'POST', '/payment_intents/pi_5kT1/capture', '-d', 'amount=5000'],
      ['billing-statements', 'create', '--customer', 'cus_2mQ8'],
      ['webhooks', 'listen', '--json', '--count', '1', '--timeout', '1s'],
    ])
      await run(words);
    const records = (await run(['history', '--json'])).json<{data: Record<string, unknown>[]}>().data;
    const shown = records.map(({command, ids, amount, result}) => ({command, ids, amount, result}));
    expect(shown).toHaveLength(3);
    expect(shown).toEqual(
      expect.arrayContaining([
        {command: 'api payment-intents capture', ids: ['pi_5kT1'], amount: 5000, result: 'ok'},
        {command: 'billing-statements create', ids: ['cus_2mQ8', 'bstm_Made1'], amount: null, result: 'ok'},
        {command: 'webhooks listen', ids: ['wh_Made1'], amount: null, result: 'timed_out'},
      ]),
    );
  });
});

describe('keys', () => {
  const stored = (command: readonly string[], origin: string) => ({
    store: 'command',
    last4: 'cdef',
    origin,
    command,
    checked_at: null,
  });

  test('are not needed to show a request; a missing key leaves nothing in the history', async () => {
    const {url, reads, writes} = await api();
    const directory = temporaryDirectory();
    configure(directory, {profiles: {shop: {base_url: url, keys: {test_secret: stored(['false'], url)}}}});
    const run = commandsIn(directory);
    for (const words of [REFUND, ['api', 'POST', '/customers'], ['customers', 'list'], ['get', 'bstm_7Hq2']])
      expect(await run([...words, '--dry-run', '-p', 'shop'])).toMatchObject({status: 0});
    expect((await run([...REFUND, '-p', 'shop'])).status).toBe(13);
    expect([...reads(), ...writes(), ...begun(directory)]).toEqual([]);
  });

  test('that are public are used with a client secret, if the profile has one', async () => {
    const keys: string[] = [];
    const server = await rawServer((request) => {
      keys.push(Buffer.from(/^authorization: Basic (\S+)/im.exec(request)![1]!, 'base64').toString());
      return httpAnswer('200 OK', '{"id":"pi_5kT1","resource":"payment_intent"}');
    });
    onTestFinished(server.close);
    const directory = temporaryDirectory();
    const origin = server.url;
    configure(directory, {
      profile: 'shop',
      profiles: {
        shop: {
          base_url: origin,
          keys: {test_secret: stored(['echo', TEST_KEY], origin), test_public: stored(['echo', PUBLIC_KEY], origin)},
        },
      },
    });
    const run = commandsIn(directory);
    const secret = 'pi_5kT1_secret_abc';
    for (const words of [
      ['payment-intents', 'get', 'pi_5kT1', '--client-secret', secret],
      ['api', 'GET', '/payment_intents/pi_5kT1', '-d', `client_secret=${secret}`],
      ['payment-intents', 'get', 'pi_5kT1'],
    ])
      expect((await run(words)).status).toBe(0);
    expect(keys).toEqual([`${PUBLIC_KEY}:`, `${PUBLIC_KEY}:`, `${TEST_KEY}:`]);
  });
});
