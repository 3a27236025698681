// `--schema` prints a JSON Schema of the --json output and of errors, and does nothing else.

import {createHmac} from 'node:crypto';
import {readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {operations} from '../../../src/api/registry.js';
import {errorObject} from '../../../src/cli/dispatch/print-error.js';
import {CentavoError, EXIT_CODES, type ErrorKind} from '../../../src/common/errors.js';
import {loadCommands} from '../../../src/command-table.js';
import {ANY_EXITS} from '../../../src/cli/base.js';
import {cli, temporaryDirectory, type CliResult} from '../../support/cli.js';
import {HANDLER_SECRET, startHandler} from '../../webhooks/fixtures/handler.js';
import {CALLS} from '../../support/scenarios/calls.js';
import {command, commandsIn} from '../../support/commands.js';
import {importFile} from '../../support/services/import-service.js';
import {listening, running} from '../../support/scenarios/listening.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {watch} from '../../support/processes.js';
import {recorded} from '../../support/scenarios/recorded-bodies.js';
import {idOf} from '../../support/scenarios/recorded-statements.js';
import {httpAnswer, rawServer, TEST_KEY} from '../../support/services/servers.js';
import {service, type Service} from '../../support/services/service.js';
import {wordsOf} from '../../support/words.js';

type Wire = Record<string, any>;

const COMMANDS = await loadCommands();
/** Strict: also refuses meaningless keywords. */
const ajv = new Ajv2020({allErrors: true, strict: true, allowUnionTypes: true, strictRequired: true});
const SCHEMAS = new Map<string, ValidateFunction>();

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
let errors: ValidateFunction;
let outputs = 0;
let failures = 0;
const seen = new Set<string>();

beforeAll(async () => {
  const empty = commandsIn(temporaryDirectory(afterAll));
  const schemaOf = async (...words: string[]): Promise<ValidateFunction> => {
    const {status, stdout, stderr} = await empty(words);
    expect({status, stderr}, words.join(' ')).toEqual({status: 0, stderr: ''});
    return ajv.compile(JSON.parse(stdout) as object);
  };
  for (const id of Object.keys(COMMANDS)) SCHEMAS.set(id, await schemaOf(...id.split(':'), '--schema'));
  errors = await schemaOf('customers', 'list', '--schema=error');
});

afterAll(() => console.info(`${outputs} outputs of ${seen.size} commands and ${failures} errors fit their schemas.`));

/** The command of these words. */
const idOfWords = (words: readonly string[]): string =>
  [3, 2, 1].map((count) => words.slice(0, count).join(':')).find((id) => Object.hasOwn(COMMANDS, id))!;

/** Checks the output of a command, and that it declares this exit code. @param documents of stdout */
function fits(words: readonly string[], {status, stderr}: Pick<CliResult, 'status' | 'stderr'>, documents: unknown[]) {
  const id = idOfWords(words);
  const exits = [...ANY_EXITS, ...COMMANDS[id]!.exits].map((name) => EXIT_CODES[name].exit);
  expect(exits, `${words.join(' ')}: ${stderr}`).toContain(status);
  const validate = SCHEMAS.get(id)!;
  for (const document of documents) {
    const wrong = validate(document) ? [] : validate.errors;
    expect(wrong, `${words.join(' ')}: ${JSON.stringify(document)}`).toEqual([]);
    outputs++;
    seen.add(id);
  }
  // An interrupted server has done its work.
  if (status === 0 || status === EXIT_CODES.interrupted.exit) return expect(documents.length).toBeGreaterThan(0);
  const failed = /^\{"error":.*$/m.exec(stderr);
  expect(errors(JSON.parse(failed![0])) ? [] : errors.errors, stderr).toEqual([]);
  failures++;
}

/** Commands that print a line for each event. */
const LINES = ['dev', 'webhooks:listen'];

/** Runs a command with --json, and checks its output. */
async function check(words: readonly string[], {in: place = directory, ...options}: Options = {}): Promise<CliResult> {
  const at = idOfWords(words).split(':').length;
  const result = await command(place, [...words.slice(0, at), '--json', ...words.slice(at)], options);
  const inLines = LINES.includes(idOfWords(words)) && !words.includes('--dry-run');
  const lines = inLines ? result.stdout.split('\n') : [result.stdout];
  fits(
    words,
    result,
    lines.filter(Boolean).map((line) => JSON.parse(line) as unknown),
  );
  return result;
}
type Options = NonNullable<Parameters<typeof command>[2]> & {readonly in?: string};

describe('sandbox responses fit', () => {
  test.for(operations.map(({id}) => id))('%s', async (id) => {
    const place = temporaryDirectory();
    const merchant = new Merchant(place);
    const words = await CALLS[id]!(merchant);
    merchant.close();
    const typed = [...id.split(':'), ...words, '--yes'];
    await check([...typed, '--dry-run'], {in: place});
    expect((await check(typed, {in: place})).status).toBe(0);
  });

  test('several ids', async () => {
    await run(['sandbox', 'seed']);
    const {data} = (await check(['customers', 'list'])).json<{data: {id: string}[]}>();
    const [one, two] = data.map(({id}) => id) as [string, string];
    expect((await check(['customers', 'get', one, two])).rows()).toHaveLength(2);
    expect((await check(['customers', 'get', one, 'cus_none'])).status).toBe(EXIT_CODES.partial.exit);
    expect((await check(['customers', 'delete', one, two, '--allow-owed'])).rows()).toHaveLength(2);
    expect((await check(['customers', 'get', one])).json()).toMatchObject({deleted: true});
  });
});

describe('recorded API responses fit', () => {
  let api: Service;
  beforeAll(async () => {
    api = await service({}, recorded);
  });
  afterAll(() => api.close());
  const env = () => ({CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY});

  test.for(
    [
      ...operations.map(({operation}) => [...wordsOf(operation.examples[0])[0]!, '--yes']),
      ...['Open', 'Draft', 'Paid', 'Void', 'Uncollectible', 'SomethingNew'].map((name) => ['get', idOf('bstm_', name)]),
      ...['Open', 'Paid'].map((name) => ['billing-statements', 'print', idOf('bstm_', name)]),
      ['customers', 'get', idOf('cus_', 'Gone')],
      ...['Card', 'Gcash', 'Bare', 'None'].map((name) => ['payments', 'get', idOf('pay_', name)]),
      ['checkout-sessions', 'get', idOf('cs_', 'One'), idOf('cs_', 'Two')],
      ['get', idOf('pi_', 'Full')],
      ['status'],
    ].map((words) => [words.join(' '), words] as const),
  )('%s', async ([, words]) => {
    expect((await check(words, {env: env()})).status).toBe(0);
  });
});

describe('the output of hand-written commands fits', () => {
  const secret = {CENTAVO_WEBHOOK_SECRET: HANDLER_SECRET};

  test('about the program', async () => {
    for (const words of [
      ['commands'],
      ['commands', 'webhooks'],
      ['commands', 'billing-statements', 'create'],
      ['help'],
      ['help', 'customers'],
      ['help', 'paid'],
      ['help', 'exit-codes'],
      ['help', 'agents'],
      ['help', 'flags'],
      ['status'],
      ['doctor'],
      ['config', 'list'],
      ['completion', 'install', 'bash', '--yes'],
      ['completion', 'print', 'zsh'],
      ['config', 'get', 'max_amount'],
      ['config', 'get', 'timeout', '--show-origin'],
      ['config', 'set', 'max_amount', '50,000'],
      ['config', 'set', 'read_only', 'false'],
      ['config', 'unset', 'max_amount'],
      ['profiles', 'list'],
      ['api', 'GET', '/customers'],
    ])
      expect((await check(words)).status).toBe(0);
  });

  test('about accounts', async () => {
    const place = temporaryDirectory();
    const login = ['login', '--offline', '--with-token', '--insecure-storage', 'test', '--profile'];
    for (const name of ['shop', 'other']) await check([...login, name], {in: place, input: TEST_KEY});
    for (const words of [
      ['profiles', 'list'],
      ['profiles', 'use', 'shop'],
      ['logout', '--profile', 'shop', '--force'],
      ['profiles', 'remove', 'other', '--force'],
    ])
      expect((await check(words, {in: place})).status).toBe(0);
  });

  test('about the sandbox and the history', async () => {
    const place = temporaryDirectory();
    const here = (...words: string[]) => check(words, {in: place});
    await here('sandbox', 'seed');
    await here('sandbox', 'clock');
    await here('sandbox', 'clock', 'advance', '3d');
    const create = ['billing-statements', 'create', '--customer-email', 'juan@example.com', '--due', '+30d'];
    await here('customers', 'create', '--name', 'Juan', '--email', 'juan@example.com');
    const {id} = (await here(...create, '--item', 'Web design x2 @ 15,000', '--send')).json<{id: string}>();
    await here('billing-statements', 'link', id, '--message', 'fil');
    await here('billing-statements', 'open', id);
    expect((await here('billing-statements', 'wait', id, '--for', 'paid', '--timeout', '1s')).status).toBe(9);
    const copy = (await here('billing-statements', 'duplicate', id)).json<{id: string}>();
    await here('billing-statements', 'edit', copy.id, '--item', 'Hosting @ 250');
    const next = (await here('billing-statements', 'duplicate', id, '--due', '+9d', '--finalize')).json<{id: string}>();
    await here('billing-statements', 'reissue', next.id, '--item', 'Hosting @ 250');
    await here('sandbox', 'pay', id, '--fail', 'generic_decline');
    await here('sandbox', 'pay', id, '--method', 'gcash');
    const owner = (await here('customers', 'list')).json<{data: {id: string}[]}>().data[0]!.id;
    const setup = (await here('setup-intents', 'create', '--customer', owner)).json<{id: string}>();
    await here('sandbox', 'pay', setup.id, '--fail', 'generic_decline');
    await here('sandbox', 'pay', setup.id);
    await here('billing-statements', 'aging');
    const due = await here(...create, '--item', 'Hosting @ 1,000', '--finalize');
    await here('billing-statements', 'remind', due.json<{id: string}>().id);
    await here('billing-statements', 'settle', due.json<{id: string}>().id, '--paid-outside', 'cash, 12 Nov');
    await here('billing-statements', 'aging');
    await here('billing-statements', 'wait', id);
    await here('refunds', 'create', '--statement', id, '--amount', '100', '--reason', 'others');
    const {customer_id: customer} = (await here('billing-statements', 'get', id)).json<{customer_id: string}>();
    await here('customers', 'ledger', customer, '--since', '2020-01-01');
    const file = join(place, 'june.csv');
    for (const report of ['billing-statements export', 'paid', 'month', 'billing-statements aging', 'history'])
      expect((await here(...report.split(' '), '--file', file, '--force')).json()).toMatchObject({file});
    await here('billing-statements', 'export', '--month', new Date().toISOString().slice(0, 7));
    writeFileSync(file, importFile(2).text);
    await here('billing-statements', 'import', file, '--dry-run');
    await here('billing-statements', 'import', file, '--send', '--yes');
    const sheet = {number: 1, headers: ['po'], file, used_at: 1};
    const answers = [{column: 'po', means: 'ignore', seen: {values: ['a'], loud: []}}];
    const sheets = {version: 1, sheets: [{...sheet, answers}]};
    writeFileSync(join(place, 'columns.json'), JSON.stringify(sheets), {mode: 0o600});
    expect((await here('columns', 'list')).rows()).toHaveLength(1);
    expect((await here('columns', 'forget', '1', '--yes')).rows()).toHaveLength(1);
    const [job] = (await here('jobs', 'list')).rows<{id: string}>();
    await here('jobs', 'get', job!.id);
    await here('jobs', 'resume', job!.id, '--yes');
    await here('jobs', 'void', job!.id, '--yes');
    await here('jobs', 'remove', job!.id);
    const event = (await here('webhooks', 'trigger', 'payment_intent.succeeded')).json<{id: string}>();
    await here('webhooks', 'trigger', 'checkout_session.expired');
    await here('sandbox', 'events');
    await here('sandbox', 'events', 'list', '--limit', '100');
    await here('sandbox', 'events', 'get', event.id);
    await here('sandbox', 'events', 'resend', event.id);
    const {data} = (await here('sandbox', 'logs')).json<{data: {id: string}[]}>();
    await here('sandbox', 'logs', data.find(({id}) => id !== null)!.id);
    await here('find', 'juan');
    await here('paid');
    await here('why', id);
    await here('month');
    await here('history');
    await here('approve', '--list');
    await here('sandbox', 'projects', 'list');
    await here('sandbox', 'clock', '--project', 'shop');
    await here('sandbox', 'projects', 'remove', 'shop', '--yes');
    await here('sandbox', 'fail', 'POST /refunds', '--drop', 'after', '--delay', '1s');
    await here('sandbox', 'fail');
    await here('status');
    await here('sandbox', 'fail', '--clear');
    await here('sandbox', 'snapshot', 'save', 'one');
    await here('sandbox', 'snapshot', 'list');
    await here('sandbox', 'snapshot', 'load', 'one');
    await here('sandbox', 'snapshot', 'delete', 'one');
    await here('sandbox', 'reset');
    const serving = watch(place, ['sandbox', 'serve', '--port', '0', '--json']);
    const [line] = await serving.until(/^.*\n/);
    await here('sandbox', 'open');
    serving.child.kill('SIGINT');
    const {status} = await serving.ended;
    fits(['sandbox', 'serve'], {status, stderr: ''}, [JSON.parse(line)]);
    const asks = 'fetch(new URL("/customers", process.env.PAYREX_BASE_URL)).then(() => {})';
    const day = running(place, ['dev', '--json', '--port', '0', '--', process.execPath, '-e', asks], {isProcess: true});
    fits(['dev'], {status: (await day.ended).status, stderr: ''}, day.records());
    expect(day.records().map(({type}) => type)).toEqual(['serving', 'ready', 'request', 'notice', 'summary']);
  });

  test('about webhooks', async () => {
    const place = temporaryDirectory();
    const handler = await startHandler();
    const here = (words: string[], options: Options = {}) => check(words, {in: place, env: secret, ...options});
    const running = listening(place, ['--forward-to', handler.url, '--forward-remote', '--count', '2']);
    await running.next('ready');
    await run(['webhooks', 'trigger', 'billing_statement.paid', '--profile', 'sandbox']);
    await cli(place)(['webhooks', 'trigger', 'billing_statement.paid']);
    await cli(place)(['webhooks', 'trigger', 'billing_statement.paid']);
    await running.next('summary');
    fits(['webhooks', 'listen'], {status: (await running.ended).status, stderr: ''}, running.records());
    expect(new Set(running.records().map(({type}) => type))).toEqual(
      new Set(['ready', 'delivery', 'forward', 'summary']),
    );
    const listed = (await here(['webhooks', 'deliveries', 'list'])).json<{data: {id: string}[]}>();
    const [delivery] = listed.data.map(({id}) => id) as [string];
    await here(['webhooks', 'secret']);
    await here(['webhooks', 'deliveries', 'get', delivery]);
    await here(['webhooks', 'replay', delivery, '--forward-to', handler.url]);
    await here(['webhooks', 'test', handler.url]);
    await here(['webhooks', 'test', handler.url, '--only', 'valid'], {
      env: {CENTAVO_WEBHOOK_SECRET: `${HANDLER_SECRET}x`},
    });
    await here(['webhooks', 'verify', '--header', 't=1790000123,te=5f0c,li='], {input: '{}'});
    const te = createHmac('sha256', HANDLER_SECRET).update('1790000123.{}').digest('hex');
    const genuine = ['--header', `t=1790000123,te=${te},li=`, '--tolerance', '0'];
    expect((await here(['webhooks', 'verify', ...genuine], {input: '{}'})).status).toBe(0);
    const trigger = ['webhooks', 'trigger', 'billing_statement.paid', '--secret-stdin', '--to'];
    await here([...trigger, handler.url], {input: HANDLER_SECRET});
    await here([...trigger, 'http://127.0.0.1:1/'], {input: HANDLER_SECRET});
    await handler.close();
  });

  test('for every command that prints JSON', () => {
    const silent = Object.keys(COMMANDS).filter((id) => !seen.has(id));
    expect(silent.sort()).toEqual(['mcp', 'sandbox:demo']);
    for (const id of silent) expect(COMMANDS[id]!.output, id).toBeUndefined();
  });
});

describe('errors fit', () => {
  test('of every kind, with all details', () => {
    const kinds = Object.keys(EXIT_CODES).filter((kind) => kind !== 'ok') as ErrorKind[];
    const details = {
      why: 'It was so.',
      hint: 'centavo status',
      retryable: true,
      applied: 'unknown',
      request: {method: 'POST', path: '/customers', operation: 'customers.create'},
      status: 500,
      apiErrors: [{code: 'a', detail: 'b', parameter: 'c'}],
      retryAfter: 1.5,
      results: [{id: 'cus_1', code: 'rejected', applied: 'no', apiErrors: [{code: 'a', detail: 'b'}]}],
    } as const;
    for (const kind of kinds)
      for (const given of [{}, details]) {
        const printed: unknown = JSON.parse(JSON.stringify(errorObject(new CentavoError(kind, 'it failed.', given))));
        expect(errors(printed) ? [] : errors.errors, kind).toEqual([]);
        failures++;
      }
  });

  test('as commands print them', async () => {
    const place = temporaryDirectory();
    writeFileSync(join(place, 'nothing.csv'), '');
    const statuses = new Map<number, string>();
    const failing = async (words: string[], options: Options = {}) => {
      const {status} = await check(words, {in: place, pace: 0.001, ...options});
      statuses.set(status!, words.join(' '));
    };
    const draft = (await command(place, ['customers', 'create', '--name', 'A', '--email', 'a@b.co', '--json'])).json();
    const made = await command(place, ['billing-statements', 'create', '--customer', draft.id, '--json']);
    await failing(['customers', 'create']);
    await failing(['customers', 'list', '--nope']);
    await failing(['customers', 'get', 'cus_none']);
    await failing(['billing-statements', 'finalize', made.json().id]);
    await failing(['customers', 'list', '--live']);
    await failing(['customers', 'list'], {env: {CENTAVO_BASE_URL: 'http://api.example'}});
    await failing(['status', '--profile', 'nobody']);
    await failing(['webhooks', 'verify', '--header', 't=1,te=1,li='], {env: {CENTAVO_WEBHOOK_SECRET: HANDLER_SECRET}});
    await failing(['webhooks', 'listen', '--count', '1', '--timeout', '1s']);
    for (const answer of ['401 Unauthorized', '429 Too Many Requests', '503 Service Unavailable']) {
      const server = await rawServer(() =>
        httpAnswer(answer, '{"errors":[{"code":"no","detail":"No.","parameter":null}]}'),
      );
      const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
      // A 429 is retried after the wait.
      const timeout = ['--timeout', '1s'];
      await failing(['customers', 'list', ...timeout], {env});
      await failing(['customers', 'create', '--name', 'A', '--email', 'a@b.co', ...timeout], {env});
      await server.close();
    }
    console.info(`Exit codes: ${[...statuses.keys()].sort((a, b) => a - b).join(' ')}`);
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14]));
  });
});

/** The alternatives of a schema. */
const formsOf = ({anyOf, ...schema}: Wire): Wire[] => (anyOf ? anyOf.flatMap(formsOf) : [schema]);

test.for(Object.entries(COMMANDS).filter(([, {output}]) => output))('%s declares no bare list', ([, {output}]) => {
  const forms = formsOf(output!());
  expect(forms.filter(({type}) => type === 'array')).toEqual([]);
  const lists = forms.filter(({properties}) => properties?.data?.type === 'array');
  for (const {required} of lists) expect(required).toEqual(expect.arrayContaining(['data', 'has_more']));
});

describe('--schema', () => {
  test('needs no account, no arguments and no network, and changes nothing', async () => {
    const place = temporaryDirectory();
    const env = {CENTAVO_BASE_URL: 'http://127.0.0.1:1', CENTAVO_PROFILE: 'nobody', CENTAVO_TIMEOUT: 'x'};
    for (const words of [
      ['billing-statements', 'finalize', '--live', '--yes', '--schema'],
      ['customers', 'create', '--schema', '--no-such-flag'],
      ['refunds', 'create', '--schema=error', '--amount', 'nothing'],
      ['sandbox', 'reset', '--yes', '--schema'],
    ]) {
      const {status, stdout, stderr} = await cli(place, {env})(words);
      expect({status, stderr}, words.join(' ')).toEqual({status: 0, stderr: ''});
      expect(JSON.parse(stdout)).toMatchObject({$schema: 'https://json-schema.org/draft/2020-12/schema'});
    }
    expect(readdirSync(place)).toEqual([]);
  });

  test('rejects other output', () => {
    const customer = {id: 'cus_1', resource: 'customer', name: 'Juan'};
    const get = SCHEMAS.get('customers:get')!;
    const list = SCHEMAS.get('customers:list')!;
    const listed = {resource: 'list', has_more: false, data: [customer]};
    expect([customer, listed, {...customer, new_field: 1}].map((each) => get(each))).not.toContain(false);
    expect(
      [{...customer, name: 7}, {name: 'Juan'}, [customer], [], 'cus_1', null].map((each) => get(each)),
    ).not.toContain(true);
    expect(list(listed)).toBe(true);
    expect(
      [[customer], {resource: 'list', data: []}, {resource: 'list', has_more: false, data: [{}]}].map((each) =>
        list(each),
      ),
    ).not.toContain(true);
    expect(errors({error: {code: 'usage', exit_code: 2}})).toBe(false);
  });

  test('has two forms, and is ignored after --', async () => {
    expect(await run(['customers', 'list', '--schema=all', '--json'])).toMatchObject({status: 2, stdout: ''});
    expect((await run(['customers', 'get', '--json', '--', '--schema'])).error()).toMatchObject({code: 'invalid_id'});
    expect((await run(['--schema', '--json'])).error()).toMatchObject({code: 'missing_command'});
    expect((await run(['customers', '--schema'])).stderr).toMatch(
      /is a topic[^]*To list its commands: centavo customers$/m,
    );
    expect((await run(['customers', '--schema'])).status).toBe(2);
  });

  test('of a text command is a schema that nothing fits', () => {
    expect(SCHEMAS.get('sandbox:demo')!({})).toBe(false);
    expect(SCHEMAS.get('sandbox:demo')!('text')).toBe(false);
  });
});
