// `centavo history`: changes made from this machine, in every format and environment.

import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {HistoryRecord, HistoryEntryEnd, NewHistoryEntry} from '../../src/history/history.js';
import {formatChange} from '../../src/commands/history.js';
import {historyIn, BEGINNING, recordMany, recordOne} from '../support/history/history.js';
import {cli, temporaryDirectory} from '../support/cli.js';
import {commandsIn} from '../support/commands.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {terminalInProcess} from '../support/in-process.js';
import {loaded} from '../support/terminal.js';
import {callsOf} from '../support/calls-of.js';

const STATEMENT = `bstm_${'S'.repeat(32)}`;
const CUSTOMER = `cus_${'C'.repeat(32)}`;
const FORMULA = '=1+1';

const WRITES: readonly [Partial<NewHistoryEntry>, Partial<HistoryEntryEnd>][] = [
  [{profile: 'sandbox', mode: 'sandbox', command: 'customers create', ids: [CUSTOMER], amount: undefined}, {}],
  [{command: 'billing-statements create', ids: [CUSTOMER, STATEMENT]}, {}],
  [
    {mode: 'test', command: 'billing-statements void', ids: [STATEMENT], amount: undefined},
    {result: 'outcome_unknown', exitCode: 10, applied: 'unknown'},
  ],
  [{profile: FORMULA, command: 'billing-statements send', ids: [STATEMENT], amount: undefined}, {}],
];

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);

beforeAll(() => {
  const history = historyIn(directory);
  for (const [write, end] of WRITES) recordOne(history, write, end);
  history.begin({profile: 'shop', mode: 'live', command: 'refunds create', ids: ['pay_5Ls8'], amount: 2000});
});

interface Page {
  readonly has_more: boolean;
  readonly data: {readonly command: string}[];
}

describe('the list', () => {
  test('shows the year of changes from another year than the newest, as after a clock that moved', async () => {
    const later = commandsIn(temporaryDirectory());
    const create = (email: string) => later(['customers', 'create', '--name', 'Ana', '--email', email]);
    await create('ana@example.com');
    await later(['sandbox', 'clock', 'advance', '366d']);
    await create('ben@example.com');
    const {stdout} = await later(['history'], {columns: 120});
    const [newer, older] = stdout.match(/^\d+ [A-Z][a-z]{2} .*(?= sandbox|$)/gm)!;
    expect(newer).toMatch(/^\d+ [A-Z][a-z]{2} \d\d:\d\d /);
    expect(older).toMatch(/^\d+ [A-Z][a-z]{2} \d{4} \d\d:\d\d /);
  });

  test('is a list of records under --json, newest first', async () => {
    const {status, stdout, stderr} = await run(['history', '--json']);
    expect({status, stderr}).toEqual({status: 0, stderr: ''});
    const {data, ...page} = JSON.parse(stdout) as {data: unknown[]};
    expect(page).toEqual({resource: 'list', has_more: false});
    expect(data).toHaveLength(5);
    expect(data[0]).toEqual({
      at: BEGINNING + 8,
      profile: 'shop',
      mode: 'live',
      command: 'refunds create',
      ids: ['pay_5Ls8'],
      amount: 2000,
      result: 'unfinished',
      exit_code: null,
      applied: null,
      reason: null,
      step: null,
      step_at: null,
      steps: [],
      ended_at: null,
      number: null,
      customer: null,
      file: null,
      agent: null,
      objects: [{id: 'pay_5Ls8', number: null, customer: null, send: null}],
    });
    expect(data[2]).toMatchObject({result: 'outcome_unknown', exit_code: 10, applied: 'unknown'});
    expect(data[3]).toMatchObject({ids: [CUSTOMER, STATEMENT], amount: 125_050, result: 'ok', exit_code: 0});
  });

  test.concurrent.for<[words: string[], verbs: string[]]>([
    [[], ['create', 'send', 'void', 'create', 'create']],
    [['--live'], ['create', 'send', 'create']],
    [
      ['-p', 'shop'],
      ['create', 'void', 'create'],
    ],
    [['--profile', 'sandbox'], ['create']],
    [['-p', 'gone'], []],
    [
      ['--id', STATEMENT],
      ['send', 'void', 'create'],
    ],
    [
      ['--id', CUSTOMER],
      ['create', 'create'],
    ],
    [['--result', 'unfinished'], ['create']],
    [
      ['--since', `${BEGINNING + 6}`],
      ['create', 'send'],
    ],
    [
      ['--customer', CUSTOMER],
      ['create', 'create'],
    ],
    [['--customer', 'Nobody'], []],
    [['--result', 'outcome_unknown'], ['void']],
    [['-p', 'shop', '--live', '--id', STATEMENT, '--result', 'ok'], ['create']],
  ])('is narrowed by %j', async ([words, verbs], {expect}) => {
    const result = await run(['history', '--json', ...words]);
    expect(result, result.stderr).toMatchObject({status: 0, stderr: ''});
    expect(result.json<Page>().data.map(({command}) => command.split(' ')[1])).toEqual(verbs);
  });

  test('has the requested length, 20 by default, and says whether there is more', async () => {
    const own = temporaryDirectory();
    const history = historyIn(own);
    for (let number = 0; number < 23; number++) recordOne(history, {command: `customers ${number}`});
    const page = async (...words: string[]) => (await commandsIn(own)(['history', '--json', ...words])).json<Page>();
    expect(await page()).toMatchObject({has_more: true, data: {length: 20, 0: {command: 'customers 22'}}});
    expect(await page('--limit', '3')).toMatchObject({has_more: true, data: {length: 3}});
    expect(await page('--limit', '23')).toMatchObject({has_more: false, data: {length: 23}});
    expect(await page('--all')).toMatchObject({has_more: false, data: {length: 23, 22: {command: 'customers 0'}}});
  });

  test('is a row for each change in a pipe, with nothing shortened', async () => {
    const {status, stdout, stderr} = await run(['history']);
    expect({status, stderr}).toEqual({status: 0, stderr: ''});
    expect(stdout.split('\n').map((line) => line.split('\t'))).toEqual([
      ['2027-01-15 16:00', 'LIVE · shop', 'refunds create', 'unfinished', '₱20.00', 'pay_5Ls8', '', ''],
      ['2027-01-15 16:00', `LIVE · ${FORMULA}`, 'billing-statements send', 'ok', '', STATEMENT, '0', ''],
      ['2027-01-15 16:00', 'test · shop', 'billing-statements void', 'outcome_unknown', '', STATEMENT, '10', ''],
      [
        '2027-01-15 16:00',
        'LIVE · shop',
        'billing-statements create',
        'ok',
        '₱1,250.50',
        `${CUSTOMER}, ${STATEMENT}`,
        '0',
        '',
      ],
      ['2027-01-15 16:00', 'sandbox', 'customers create', 'ok', '', CUSTOMER, '0', ''],
      [''],
    ]);
  });

  test('is CSV that a spreadsheet does not execute', async () => {
    const {stdout} = await run(['history', '-o', 'csv']);
    const lines = stdout.split('\r\n');
    expect(lines[0]).toBe(
      'at,profile,mode,command,ids,amount_centavos,amount_pesos,result,exit_code,applied,reason,number,customer,file',
    );
    expect(lines[1]).toBe('2027-01-15T16:00:08+08:00,shop,live,refunds create,pay_5Ls8,2000,20.00,unfinished,,,,,,');
    expect(lines[2]).toContain(`,'=1+1,live,`);
    expect(lines[4]).toContain(`,"${CUSTOMER}, ${STATEMENT}",125050,1250.50,ok,0,yes,`);
    expect(lines).toHaveLength(7);
  });

  test('is one record per line as jsonl, and supports --fields and --jq', async () => {
    const lines = (await run(['history', '-o', 'jsonl', '--limit', '2'])).stdout.trimEnd().split('\n');
    expect(lines.map((line) => Object.keys(JSON.parse(line) as object))).toEqual(
      Array.from({length: 2}, () => [
        'at',
        'profile',
        'mode',
        'command',
        'ids',
        'amount',
        'reason',
        'result',
        'exit_code',
        'applied',
        'step',
        'step_at',
        'steps',
        'ended_at',
        'number',
        'customer',
        'file',
        'agent',
        'objects',
      ]),
    );
    expect((await run(['history', '--json', '--limit', '1', '--fields', 'command,result'])).json()).toMatchObject({
      has_more: true,
      data: [{command: 'refunds create', result: 'unfinished'}],
    });
    expect((await run(['history', '--fields', 'time,where,amount', '--limit', '1'])).stdout).toBe(
      '2027-01-15 16:00\tLIVE · shop\t₱20.00\n',
    );
    expect((await run(['history', '--jq', '.data[] | select(.result == "unfinished") | .ids[]'])).stdout).toBe(
      'pay_5Ls8\n',
    );
  });

  test.for<[words: string[], mention: RegExp]>([
    [['--limit', '0'], /--limit "0" is not a whole number/],
    [['--limit', 'many'], /--limit "many"/],
    [['--limit', '3', '--all'], /--all/],
    [['--id', 'statement 7'], /"statement 7" is not an id/],
    [['--id', STATEMENT, '--customer', 'Ana'], /--customer/],
    [['--since', 'soon'], /--since "soon" is not a date/],
    [['--customer', 'ana@reyes.example'], /not email addresses/],
    [['--customer', STATEMENT], /not of a customer/],
    [['--id', 'sk_test_0123456789abcdef'], /secret/],
  ])('refuses %j', async ([words, mention]) => {
    const {status, stdout, stderr} = await run(['history', ...words]);
    expect({status, stdout}).toEqual({status: 2, stdout: ''});
    expect(stderr).toMatch(mention);
    expect(stderr).not.toContain('0123456789abcdef');
  });

  test.for([
    [['--fields', 'who'], /"who"[^]*Did you mean how|"who"[^]*Fields: time, where, command/],
    [['--json', '--fields', 'where'], /"where"[^]*at, profile, mode/],
  ] as const)('leaves an unknown field empty, and names the fields: %j', async ([words, mention]) => {
    expect(await run(['history', ...words])).toMatchObject({status: 0, stderr: expect.stringMatching(mention)});
  });
});

describe('a change as a phrase', () => {
  const at = 1_800_000_000;
  const step = (...steps: string[]) => ({steps: steps.map((each) => ({step: each, at, ids: []}))});
  const words = (record: Partial<HistoryRecord>) =>
    formatChange({
      ...{at, profile: 'shop', mode: 'live', command: 'billing-statements send', ids: [STATEMENT], amount: 120_000},
      ...{reason: null, result: 'ok', exit_code: 0, applied: 'yes', step: null, step_at: null, steps: [], ended_at: at},
      ...{number: 'JEEPNEY-0002', customer: 'Ana Reyes', file: null, agent: null, objects: [], ...record},
    });
  const several = [STATEMENT, `bstm_${'T'.repeat(32)}`];

  test.each<[Partial<HistoryRecord>, string]>([
    [{}, 'sent JEEPNEY-0002 to Ana Reyes, ₱1,200.00'],
    [{command: 'billing-statements void'}, 'voided JEEPNEY-0002 for Ana Reyes, ₱1,200.00'],
    [{command: 'billing-statements mark-uncollectible'}, 'marked JEEPNEY-0002 uncollectible for Ana Reyes, ₱1,200.00'],
    [
      {command: 'billing-statements settle', reason: 'cash, 12 Nov'},
      'settled JEEPNEY-0002 for Ana Reyes, ₱1,200.00: cash, 12 Nov',
    ],
    [{applied: 'no', result: 'ok'}, 'left JEEPNEY-0002 as it was'],
    [{applied: 'no', result: 'rejected'}, 'did not send JEEPNEY-0002 to Ana Reyes, ₱1,200.00 (rejected)'],
    [
      {applied: 'unknown', result: 'outcome_unknown'},
      'may have sent JEEPNEY-0002 to Ana Reyes, ₱1,200.00 (outcome unknown)',
    ],
    [
      {applied: null, result: 'unfinished', number: null, customer: null},
      'may have sent a billing statement, ₱1,200.00 (unfinished)',
    ],
    [
      {command: 'billing-statements create', ...step('draft', 'item', 'finalize', 'send', 'sent')},
      'created and sent JEEPNEY-0002 to Ana Reyes, ₱1,200.00',
    ],
    [
      {command: 'billing-statements create', ...step('draft', 'item', 'finalize')},
      'created and finalized JEEPNEY-0002 for Ana Reyes, ₱1,200.00',
    ],
    [
      {command: 'billing-statements duplicate', ...step('draft', 'item')},
      'created JEEPNEY-0002 for Ana Reyes, ₱1,200.00',
    ],
    [
      {command: 'billing-statements duplicate', ...step('draft', 'item', 'finalize')},
      'created and finalized JEEPNEY-0002 for Ana Reyes, ₱1,200.00',
    ],
    [
      {command: 'billing-statements create', ...step('item', 'finalize', 'send', 'sent')},
      'completed and sent JEEPNEY-0002 to Ana Reyes, ₱1,200.00',
    ],
    [
      {command: 'billing-statements create', result: 'partial', ...step('draft', 'item')},
      'partly created JEEPNEY-0002 for Ana Reyes, ₱1,200.00 (partial)',
    ],
    [
      {command: 'billing-statements create', applied: null, result: 'unfinished', ...step('draft', 'finalize', 'send')},
      'may have sent JEEPNEY-0002 to Ana Reyes, ₱1,200.00 (unfinished)',
    ],
    [
      {command: 'billing-statements void', ids: several, number: null, customer: null},
      'voided 2 billing statements, ₱1,200.00',
    ],
    [
      {command: 'billing-statements import', ids: several, number: null, customer: null, ...step('send', 'sent')},
      'imported 2 billing statements, ₱1,200.00',
    ],
    [
      {command: 'billing-statements import', ids: [], number: null, customer: null},
      'imported billing statements, ₱1,200.00',
    ],
    [{command: 'refunds create', ids: ['pay_1'], number: null, customer: null}, 'created a refund, ₱1,200.00'],
    [
      {command: 'billing-statement-line-items update', ids: ['bstm_li_1']},
      'updated an item of JEEPNEY-0002 for Ana Reyes, ₱1,200.00',
    ],
    [{command: 'api DELETE', ids: [CUSTOMER], result: 'rejected', applied: 'no'}, 'api DELETE (rejected)'],
    [{customer: 'Ana\u001B[2J'}, 'sent JEEPNEY-0002 to Ana\\x1b[2J, ₱1,200.00'],
  ])('%j', (record, expected) => {
    expect(words(record)).toBe(expected);
  });

  const named = (id: string, number: string | null, customer: string, send: 'in_doubt' | 'sent' | null = null) => ({
    ...{id, number, customer, send},
  });
  const [first = '', second = ''] = several;
  const two = [named(first, 'JUNE-0001', 'Ana Reyes', 'sent'), named(second, 'JUNE-0002', 'Ben Cruz', 'sent')];
  const third = named(`bstm_${'U'.repeat(32)}`, 'JUNE-0003', 'Cy Uy', 'sent');
  const fourth = named(`bstm_${'V'.repeat(32)}`, 'JUNE-0004', 'Di Go', 'in_doubt');
  const bulk = {number: null, customer: null, amount: null};
  const of = (objects: HistoryRecord['objects']) => ({...bulk, objects, ids: objects.map(({id}) => id)});

  test.each<[Partial<HistoryRecord>, string]>([
    [
      {...of(two), command: 'billing-statements remind', ...step('send', 'sent')},
      'sent 2 billing statements; emailed 2: JUNE-0001 to Ana Reyes, JUNE-0002 to Ben Cruz',
    ],
    [
      {...of([...two, third, fourth]), command: 'jobs resume', file: 'june.csv', result: 'partial', ...step('send')},
      'partly continued the import of june.csv (partial); emailed 3: JUNE-0001 to Ana Reyes, JUNE-0002 to Ben Cruz, JUNE-0003 to Cy Uy; may have emailed 1: JUNE-0004 to Di Go',
    ],
    [
      {...of([...two, third, {...fourth, send: 'sent'}]), command: 'billing-statements import', file: 'june.csv'},
      'imported 4 billing statements from june.csv; emailed 4: JUNE-0001 to Ana Reyes, JUNE-0002 to Ben Cruz and 2 more',
    ],
    [
      {...bulk, command: 'billing-statements import', file: 'june.csv', ids: []},
      'imported billing statements from june.csv',
    ],
    [
      {...of(two.map((each) => ({...each, send: null}))), command: 'billing-statements void'},
      'voided 2 billing statements (JUNE-0001 for Ana Reyes, JUNE-0002 for Ben Cruz)',
    ],
    [{...of([named(CUSTOMER, null, 'Ana Reyes')]), command: 'customers delete'}, 'deleted the customer Ana Reyes'],
    [
      {command: 'refunds create', ids: ['pay_1', STATEMENT]},
      'created a refund of JEEPNEY-0002 for Ana Reyes, ₱1,200.00',
    ],
  ])('with known names: %#', (record, expected) => {
    expect(words(record)).toBe(expected);
  });

  test('names a statement by number, customer and amount after every change', async () => {
    const own = temporaryDirectory();
    const merchant = new Merchant(own);
    const here = commandsIn(own);
    const {id: customer} = await merchant.customer({name: 'Ana Reyes', email: 'ana@reyes.example'});
    const {id, billing_statement_number: number} = await merchant.open({customer_id: customer});
    for (const line of [
      ['send', number],
      ['remind', number, '--again'],
      ['mark-uncollectible', id],
      ['void', id],
      ['create', '--customer', 'Ana Reyes', '--item', 'Rent @ 1,500', '--due', '+9d'],
    ])
      await here(['billing-statements', ...line, '--json']);
    merchant.close();
    const {data} = (await here(['history', '--json'])).json<{data: HistoryRecord[]}>();
    expect(data).toHaveLength(5);
    for (const record of data)
      expect(record).toMatchObject({number: expect.stringMatching(/-000\d$/), customer: 'Ana Reyes', amount: 150_000});
  });
});

describe('the changes of a merchant', () => {
  test('have names, and are found by customer and by day', async () => {
    const own = temporaryDirectory();
    const merchant = new Merchant(own);
    onTestFinished(() => merchant.close());
    const run = commandsIn(own);
    const {id: ana} = await merchant.customer({name: 'Ana Reyes', email: 'ana@reyes.example'});
    const {id: ben} = await merchant.customer({name: 'Niño Cruz', email: 'nino@cruz.example'});
    const {billing_statement_number: one} = await merchant.open({customer_id: ana});
    const {billing_statement_number: two} = await merchant.open({customer_id: ben});
    await run(['billing-statements', 'remind', one, two, '--yes']);
    await run(['customers', 'create', '--name', 'Cy Uy', '--email', 'cy@uy.example']);
    const {id: cy} = (await run(['customers', 'list', '--json'])).json<{data: {id: string}[]}>().data[0]!;
    await run(['customers', 'delete', cy, '--yes']);
    const table =
      'External ID,Customer Email,Customer Name,Item,Unit Price,Due\nJ-1,dy@go.example,Dy Go,Rent,1500,+30d\n';
    writeFileSync(join(own, 'june.csv'), table);
    const imported = await run(['billing-statements', 'import', join(own, 'june.csv'), '--send', '--yes']);
    expect(imported.status, imported.stderr).toBe(0);

    const whats = async (...words: string[]) =>
      (await run(['history', '--fields', 'what', ...words])).stdout.trimEnd().split('\n');
    const reminded = `sent 2 billing statements, ₱3,000.00; emailed 2: ${one} to Ana Reyes, ${two} to Niño Cruz`;
    const all = await whats('--since', 'today');
    expect(all.slice(1)).toEqual(['deleted the customer Cy Uy', 'created the customer Cy Uy', reminded]);
    expect(all[0]).toMatch(/^imported .* from june\.csv, ₱1,500\.00; emailed 1: \S+ to Dy Go$/);
    expect(await whats('--customer', 'nino')).toEqual([reminded]);
    expect(await whats('--customer', 'Cy Uy')).toEqual(all.slice(1, 3));
    expect(await whats('--customer', cy)).toEqual(all.slice(1, 3));
    expect(await whats('--since', '+1d')).toEqual(['']);
    expect(await whats('--since', '1d')).toEqual(all);
    const reissued = await run([
      'billing-statements',
      'reissue',
      one,
      '--item',
      'Rent @ 1,600',
      '--due',
      '+9d',
      '--json',
    ]);
    const {billing_statement_number: fresh} = reissued.json<{billing_statement_number: string}>();
    expect((await whats('--limit', '1'))[0]).toBe(`reissued ${one} as ${fresh} for Ana Reyes, ₱1,600.00`);
    const sent = await run(['billing-statements', 'reissue', fresh, '--due', '+12d', '--send', '--json']);
    const {billing_statement_number: last} = sent.json<{billing_statement_number: string}>();
    expect((await whats('--limit', '1'))[0]).toBe(`reissued ${fresh} as ${last}, sent to Ana Reyes, ₱1,600.00`);
  });
});

describe('a change', () => {
  const CREATE = ['customers', 'create', '--name', 'Maria Clara', '--email', 'maria@example.com', '--json'];

  test('is recorded with its objects or its error; a read is not', async () => {
    const own = temporaryDirectory();
    const {id} = (await cli(own)(CREATE)).json<{id: string}>();
    await commandsIn(own)(['customers', 'get', id]);
    expect((await commandsIn(own)(['customers', 'delete', 'cus_none', '--yes'])).status).toBe(3);
    const {stdout} = await commandsIn(own)(['history', '--json']);
    const sandbox = {profile: 'sandbox', mode: 'sandbox', amount: null};
    expect((JSON.parse(stdout) as Page).data).toMatchObject([
      {...sandbox, command: 'customers delete', ids: ['cus_none'], exit_code: 3, applied: 'no'},
      {...sandbox, command: 'customers create', ids: [id], result: 'ok', exit_code: 0, applied: 'yes'},
    ]);
    expect(JSON.parse(stdout)).toMatchObject({data: {1: {objects: [{id, customer: 'Maria Clara'}]}}});
    expect(stdout, 'an email address').not.toContain('maria@');
  });

  test('that cannot be recorded is not sent: exit 15, with the file', async () => {
    const own = temporaryDirectory();
    mkdirSync(join(own, 'history.db'));
    const refused = await commandsIn(own)(CREATE);
    expect(refused).toMatchObject({status: 15, stdout: ''});
    expect(refused.error()).toMatchObject({code: 'not_recorded', exit_code: 15, applied: 'no'});
    expect(refused.error().message).toContain(join(own, 'history.db'));
    expect((await commandsIn(own)(['customers', 'list', '--json'])).json<Page>().data).toEqual([]);
  });
});

describe('with nothing to show', () => {
  test('prints an empty list, exit 0, and creates no file', async () => {
    const own = join(temporaryDirectory(), 'none');
    const empty = {resource: 'list', has_more: false, data: []};
    expect((await commandsIn(own)(['history', '--json'])).json()).toEqual(empty);
    expect(await commandsIn(own)(['history'])).toMatchObject({status: 0, stdout: '', stderr: ''});
    expect(existsSync(own)).toBe(false);
  });
});

describe('surroundings', () => {
  test.for<[string, Record<string, string>]>([
    ['no key', {CENTAVO_PROFILE: 'env'}],
    ['a profile that is not there', {CENTAVO_PROFILE: 'gone'}],
    ['a key that is none', {CENTAVO_SECRET_KEY: 'hunter2'}],
    ['an encoding that is none', {CENTAVO_SECRET_KEY: 'sk_test_0123456789abcdef', CENTAVO_ENCODING: 'xml'}],
    ['a base URL that is none', {CENTAVO_SECRET_KEY: 'sk_test_0123456789abcdef', CENTAVO_BASE_URL: 'not a url'}],
  ])('%s: the whole history, of every profile', async ([, env]) => {
    const result = await run(['history', '--json'], {env});
    expect(result, result.stderr).toMatchObject({status: 0, stderr: ''});
    expect(result.json<Page>().data).toHaveLength(5);
  });

  test('an unreadable configuration: the whole history', async () => {
    const home = temporaryDirectory();
    writeFileSync(join(home, 'config.json'), '{"broken": ');
    const env = {CENTAVO_CONFIG_DIR: home};
    expect(await run(['customers', 'list'], {env})).toMatchObject({status: 14});
    expect((await run(['history', '--json'], {env})).json<Page>().data).toHaveLength(5);
  });

  test('an unreadable history: exit 15, with the file', async () => {
    const own = temporaryDirectory();
    mkdirSync(join(own, 'history.db'));
    const {status, stdout, stderr} = await commandsIn(own)(['history']);
    expect({status, stdout}).toEqual({status: 15, stdout: ''});
    expect(stderr).toContain(`the history ${join(own, 'history.db')} cannot be read.\n  It is a folder.`);
  });

  test('escapes control characters', async () => {
    const own = temporaryDirectory();
    const history = historyIn(own);
    recordOne(history, {profile: '\u001B[2Jshop\u202E', command: 'customers\tcreate\nrow'}, {result: '\u009B31mno'});
    for (const form of [[], ['-o', 'table'], ['-o', 'csv'], ['--json']])
      // oxlint-disable-next-line no-control-regex
      expect((await commandsIn(own)(['history', ...form])).stdout).not.toMatch(/[\u001B\u0080-\u009F\u202E]/);
  });

  test('reads only the displayed records of 2,000, each once', async () => {
    const own = temporaryDirectory();
    recordMany(own, 2000, (number) => [`bstm_${number}`, CUSTOMER]);
    const reading = (...words: string[]) =>
      callsOf('#recordOf', async () => (await commandsIn(own)(['history', ...words])).stdout.trimEnd().split('\n'));
    const newest = await reading('--json');
    expect(newest.calls).toBe(20);
    expect(JSON.parse(newest.result.join(''))).toMatchObject({
      has_more: true,
      data: {length: 20, 0: {at: BEGINNING + 1999}},
    });
    expect(await reading('--id', 'bstm_77')).toMatchObject({calls: 1, result: {length: 1}});
    expect(await reading('--all', '-o', 'csv')).toMatchObject({calls: 2000, result: {length: 2001}});
  });
});

test('has a pseudo-terminal, or skips the rest and says why; in CI that is a failure', () => {
  if (loaded.reason) console.warn(`Skipped, for want of a pseudo-terminal: ${loaded.reason}`);
  if (process.env.CI === 'true') expect(loaded.reason).toBeUndefined();
});

describe.runIf(loaded.pty)('at a terminal', () => {
  test('prints a table with the object of each change', async () => {
    const shown = terminalInProcess(directory, ['history'], {columns: 160});
    expect(await shown.ended).toBe(0);
    const [head, ...rows] = shown.text().trimEnd().split('\n');
    expect(head).toMatch(/^TIME +WHAT +WHERE +IDS$/);
    expect(rows[0]).toMatch(/16:00 {2}may have created a refund, ₱20\.00 \(unfinished\) +LIVE · shop +pay_5Ls8$/);
    expect(rows[3]).toMatch(new RegExp(`created a billing statement, ₱1,250\\.50 +LIVE · shop +${STATEMENT} \\+1$`));
    expect(rows).toHaveLength(5);
  });

  test('shows the amount in 80 columns', async () => {
    const shown = terminalInProcess(directory, ['history', '--live'], {columns: 80});
    expect(await shown.ended).toBe(0);
    expect(shown.text()).toMatch(/may have created a refund, ₱20\.00 \(unfinished\) +LIVE · shop$/m);
  });

  test.for([40, 60, 80, 100])('fits %i columns without cutting an id', async (columns) => {
    const shown = terminalInProcess(directory, ['history', '-p', 'sandbox'], {columns});
    expect(await shown.ended).toBe(0);
    const table = shown
      .text()
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('Not shown'));
    for (const line of table) expect([...line].length, line).toBeLessThanOrEqual(columns);
    const ids = shown.text().match(/cus_\S*|C{3,}/g);
    expect(ids ?? [CUSTOMER]).toEqual([CUSTOMER]);
    expect(ids !== null || /^Not shown, terminal too narrow: .*ids/m.test(shown.text())).toBe(true);
    expect(shown.text()).toContain('sandbox');
  });

  test('suggests the command that shows the rest', async () => {
    const shown = terminalInProcess(directory, ['history', '--limit', '2', '-p', 'shop'], {columns: 160});
    expect(await shown.ended).toBe(0);
    expect(shown.text()).toMatch(/^1 more: centavo history -p shop --all$/m);
    const again = terminalInProcess(directory, ['history', '-p', 'shop', '--all'], {columns: 160});
    expect(await again.ended).toBe(0);
    expect(again.text().trimEnd().split('\n')).toHaveLength(4);
  });

  test('says that there are no changes', async () => {
    const own = temporaryDirectory();
    const none = terminalInProcess(own, ['history']);
    expect(await none.ended).toBe(0);
    expect(none.text()).toBe('No changes made from this machine yet.\n');
    const narrowed = terminalInProcess(directory, ['history', '-p', 'gone']);
    expect(await narrowed.ended).toBe(0);
    expect(narrowed.text()).toBe('No changes found.\n');
  });
});
