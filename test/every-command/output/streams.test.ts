// Pipes: stdout may close or be full, ids may come on stdin, and colour is used only if wanted.

import {existsSync, openSync} from 'node:fs';
import {beforeAll, afterAll, describe, expect, onTestFinished, test} from 'vitest';
import {emptyList, cli, cliEnvironment, RUN, temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {looksBroken, watch, watchCommand} from '../../support/processes.js';
import {rawServer, TEST_KEY} from '../../support/services/servers.js';

const directory = temporaryDirectory(afterAll);
const run = cli(directory);
/** For tests that need no pipe. */
const here = commandsIn(directory);
// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001B\[/;

let customers: string[];
let statements: string[];

beforeAll(async () => {
  const merchant = new Merchant(directory);
  await merchant.sandbox.seed();
  const made = [];
  for (const name of ['Ana', 'Ben', 'Carla']) made.push((await merchant.customer({name})).id as string);
  customers = made;
  statements = [(await merchant.open()).id as string, (await merchant.open()).id as string];
  merchant.close();
});

// oclif would read them as a missing argument.
test('leaves unused stdin for others: a shell loop reads all lines', async () => {
  const commands = ['owed --json', 'paid --json', 'month --json', 'billing-statements link', 'customers get', 'find'];
  const line = `printf '2026-10\\n2026-11\\nAna\\n' | while read -r it; do ${commands
    .map((words) => `"$NODE" "$RUN" ${words} >/dev/null 2>&1`)
    .join(
      '; ',
    )}; "$NODE" "$RUN" bill --customer-email ana@example.com --metadata name="$it" --item 'A @ 5' --dry-run --json; done`;
  const loop = watchCommand('sh', ['-c', line], {env: cliEnvironment(directory, {NODE: process.execPath, RUN})});
  await loop.ended;
  expect(loop.stderr()).toBe('');
  for (const it of ['2026-10', '2026-11', 'Ana']) expect(loop.stdout()).toContain(`\\"name\\":\\"${it}\\"`);
});

describe('the reader of stdout', () => {
  /** Runs a shell pipeline; stderr then has the status of its first program. */
  const pipeline = (words: string, reader: string) =>
    watchCommand('sh', ['-c', `{ "$NODE" "$RUN" ${words}; echo "status $?" >&2; } | ${reader}`], {
      env: cliEnvironment(directory, {NODE: process.execPath, RUN}),
    });

  test.for([
    'billing-statements list --all -o jsonl',
    'billing-statements list --all',
    'billing-statements list --all --json',
    'billing-statements list --all -o csv',
    'commands --json',
  ])('may close after the first line of %s: exit 0, silently', async (words) => {
    const piped = pipeline(words, 'head -n 1');
    await piped.ended;
    expect(piped.stderr()).toBe('status 0\n');
    expect(piped.stdout().trimEnd().split('\n')).toHaveLength(1);
  });

  test('may not read at all', async () => {
    const piped = pipeline('billing-statements list --all -o jsonl', 'true');
    await piped.ended;
    expect(piped.stderr()).toBe('status 0\n');
  });

  test('gets every row, even if slow', async () => {
    const piped = pipeline('billing-statements list --all -o jsonl', 'sort | wc -l');
    await piped.ended;
    expect(piped.stderr()).toBe('status 0\n');
    expect(Number(piped.stdout())).toBe(
      (await run(['billing-statements', 'list', '--limit', '100', '--json'])).json().data.length,
    );
  });

  const full = test.runIf(existsSync('/dev/full'));
  full.for([
    [['customers', 'list']],
    [['customers', 'list', '--json']],
    [['customers', 'create', '--name', 'A', '--email', 'a@b.co']],
    [['commands']],
    [['--help']],
    [['--version']],
  ] as [string[]][])('may be full: %s is exit 15', async ([words]) => {
    const written = watch(directory, words, {stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe']});
    expect(await written.ended).toEqual({status: 15, signal: null});
    expect(written.stderr()).toMatch(/the output could not be written\.[^]*The disk is full/);
    expect(looksBroken({stdout: '', stderr: written.stderr()})).toBe(false);
  });

  full('may be full after a change, which is not said to be undone', async () => {
    const written = watch(directory, ['billing-statements', 'send', statements[0]!], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    });
    expect((await written.ended).status).toBe(15);
    expect(written.stderr()).not.toMatch(/Nothing was/);
  });

  test('may have closed stderr', async () => {
    const result = watchCommand('sh', ['-c', '"$NODE" "$RUN" customers get cus_none 2>&-; echo "status $?"'], {
      env: cliEnvironment(directory, {NODE: process.execPath, RUN}),
    });
    await result.ended;
    expect(result.stdout()).toBe('status 3\n');
  });
});

describe('colour and width, in a pipe', () => {
  const table = ['billing-statements', 'list', '--limit', '5', '-o', 'table'];

  test.for([
    [{}, false],
    [{FORCE_COLOR: '1'}, true],
    [{FORCE_COLOR: '0'}, false],
    [{NO_COLOR: '1'}, false],
    [{TERM: 'dumb'}, false],
    [{TERM: 'dumb', FORCE_COLOR: '1'}, true],
  ] as [Record<string, string>, boolean][])('%o: colour %s', async ([env, colour]) => {
    const {status, stdout} = await here(table, {env});
    expect(status).toBe(0);
    expect(COLOUR.test(stdout)).toBe(colour);
  });

  test('--no-color wins over FORCE_COLOR', async () => {
    const {stdout, stderr} = await run([...table, '--no-color'], {env: {FORCE_COLOR: '1'}});
    expect(stdout + stderr).not.toMatch(COLOUR);
  });

  test.for([
    ['60', false],
    [undefined, false],
    ['80', false],
    ['200', true],
  ] as const)('COLUMNS=%s prints the table of that width, with full ids: %s', async ([columns, whole]) => {
    const {status, stdout} = await here(table, {env: {COLUMNS: columns}});
    expect(status).toBe(0);
    expect(stdout).toMatch(/^NUMBER +CUSTOMER /);
    expect(/bstm_[A-Za-z0-9]{32}\b/.test(stdout)).toBe(whole);
    for (const line of stdout.split('\n')) expect([...line].length).toBeLessThanOrEqual(Number(columns ?? 80));
  });

  test('tab-separated rows are neither coloured nor cut, whatever the width', async () => {
    const narrow = await run(['billing-statements', 'list', '--limit', '5'], {env: {COLUMNS: '10', NO_COLOR: '1'}});
    const wide = await run(['billing-statements', 'list', '--limit', '5'], {env: {COLUMNS: '300'}});
    expect(narrow.stdout).toBe(wide.stdout);
    expect(narrow.stdout.split('\n')).toHaveLength(6);
  });
});

test.for([
  [['customers', 'create', '-d', '@/dev/zero'], '--data'],
  [['billing-statements', 'create', '--customer', 'cus_2mQ8', '--items', '/dev/zero'], '--items'],
  [['webhooks', 'verify', '--header', 't=1', '--body', '/dev/zero'], '--body'],
] as const)('an endless file is not read forever: %j', async ([words, flag]) => {
  const result = await here([...words, '--json'], {env: {CENTAVO_WEBHOOK_SECRET: 'whsk_2mQ8'}});
  expect(result).toMatchObject({status: 2, stdout: ''});
  expect(result.error()).toMatchObject({
    code: 'input_too_large',
    message: `${flag}: /dev/zero is larger than 64 MiB.`,
    applied: 'no',
  });
});

const names = (stdout: string) => (JSON.parse(stdout) as {data: {name: string}[]}).data.map(({name}) => name);

describe('ids on stdin', () => {
  test('a repeated id is read once and printed in each place, in order', async () => {
    const [ana, ben] = customers as [string, string];
    const result = await here(['customers', 'get', '-', '--json', '--verbose'], {
      input: [ben, ana, ben, ben].join('\n'),
    });
    expect(result.status).toBe(0);
    expect(names(result.stdout)).toEqual(['Ben', 'Ana', 'Ben', 'Ben']);
    expect(result.stderr.match(/GET \/customers\//g)).toHaveLength(2);
  });

  test('a repeated id is changed once, and fails once', async () => {
    const [open = '', other = ''] = statements;
    const voided = await here(['billing-statements', 'void', open, other, open, '--json']);
    expect(voided.rows().map(({id}: {id: string}) => id)).toEqual([open, other, open]);
    const history = await here(['history', '--limit', '1', '--json']);
    expect(history.json().data[0].ids).toEqual([open, other]);
    const gone = await here(['billing-statements', 'get', 'bstm_2mQ8x', open, 'bstm_2mQ8x', '--json']);
    expect(gone).toMatchObject({status: 11});
    expect(gone.error()).toMatchObject({message: '1 of 2 failed.', results: [{id: 'bstm_2mQ8x'}]});
  });

  test.for([
    ['a folder', '< /', 15, 'It is a folder. Nothing was changed.'],
    ['closed', '<&-', 15, 'It is closed. Nothing was changed.'],
    ['open for writing only', '0> "$CENTAVO_DATA_DIR/out"', 15, 'It is closed. Nothing was changed.'],
    ['empty', '< /dev/null', 0, 'No ids on stdin. Nothing was done.'],
    ['endless', '< /dev/zero', 2, 'stdin is larger than 64 MiB.'],
  ] as const)('that is %s: %s', async ([, redirection, status, said]) => {
    const line = `exec "$NODE" "$RUN" billing-statements void - ${redirection}`;
    const piped = watchCommand('sh', ['-c', line], {env: cliEnvironment(directory, {NODE: process.execPath, RUN})});
    expect(await piped.ended).toEqual({status, signal: null});
    expect(piped.stderr()).toContain(said);
    expect(piped.stdout()).toBe('');
  });

  test.for([
    ['one a line', () => `${customers.join('\n')}\n`],
    ['one a line, with more behind it', () => customers.map((id) => `${id}\tsomething else`).join('\r\n')],
    ['JSON lines', () => customers.map((id) => JSON.stringify({id, name: 'x'})).join('\n')],
    [
      'the JSON of a list',
      () => JSON.stringify({resource: 'list', has_more: false, data: customers.map((id) => ({id}))}),
    ],
    ['an array', () => JSON.stringify(customers)],
  ] as [string, () => string][])('%s', async ([, input]) => {
    const result = await here(['customers', 'get', '-', '--json'], {input: input()});
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(names(result.stdout)).toEqual(['Ana', 'Ben', 'Carla']);
  });

  test.for([['table'], ['jsonl'], ['json']])('accepts the output of a list as %s', async ([format]) => {
    const listed = await run(['customers', 'list', '--limit', '3', ...(format === 'table' ? [] : ['-o', format!])]);
    const result = await run(['customers', 'get', '-', '--json'], {input: listed.stdout});
    expect(names(result.stdout)).toHaveLength(3);
  });
});

describe('- always gives a list', () => {
  test('with one id', async () => {
    const result = await here(['customers', 'get', '-', '--json'], {input: `${customers[0]}\n`});
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(names(result.stdout)).toEqual(['Ana']);
  });

  test.for([
    ['customers', 'get'],
    ['billing-statements', 'void'],
    ['customers', 'delete'],
  ] as string[][])('with no ids, for %j: exit 0, and nothing is asked or sent', async (words) => {
    const server = await rawServer(() => undefined);
    onTestFinished(server.close);
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const result = await here([...words, '-', '--json'], {input: '\n \n', env});
    expect(result).toMatchObject({status: 0, stdout: emptyList('test'), stderr: ''});
    expect((await here([...words, '-'], {input: '', env})).stderr).toContain('No ids on stdin');
    expect(server.connections()).toBe(0);
  });
});

describe('several ids', () => {
  test('with one missing: the others succeed, exit 11', async () => {
    const result = await here(['customers', 'get', customers[0]!, 'cus_none', customers[1]!]);
    expect(result.status).toBe(11);
    expect(result.stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([customers[0], customers[1], '']);
    expect(result.stderr).toMatch(/cus_none: .*\n(.*\n)*Error: 1 of 3 failed\./);
    expect(result.stderr, 'nothing was to be changed').not.toContain('The change was made');
  });

  test('with --json: results on stdout, one error on stderr with the id', async () => {
    const result = await here(['customers', 'get', customers[0]!, 'cus_none', '--json']);
    expect(result.status).toBe(11);
    expect(result.rows()).toMatchObject([{id: customers[0]}]);
    expect(result.error()).toMatchObject({code: 'partial', exit_code: 11});
    expect(result.stderr).toContain('cus_none');
  });

  test('with all missing: the status of each', async () => {
    const result = await here(['customers', 'get', 'cus_none', 'cus_nobody', '--json']);
    expect(result.status).toBe(3);
    expect(result.error()).toMatchObject({exit_code: 3});
  });

  test('already in the status: exit 0 each time, without claiming a change', async () => {
    const [id] = statements;
    expect((await here(['billing-statements', 'void', id!])).status).toBe(0);
    const again = await here(['billing-statements', 'void', id!, '--json']);
    expect(again).toMatchObject({status: 0, stderr: ''});
    expect(again.json()).toMatchObject({id, status: 'void'});
    const third = await here(['billing-statements', 'void', ...statements]);
    expect(third.status).toBe(0);
    expect(third.stderr).toContain(`${again.json().billing_statement_number} is already void. Nothing was changed.`);
  });

  test('in a status that does not allow it: exit 5, and nothing was changed', async () => {
    const result = await here(['billing-statements', 'finalize', statements[0]!, '--json']);
    expect(result.status).toBe(5);
    expect(result.error()).toMatchObject({exit_code: 5, applied: 'no', status: 400});
  });
});
