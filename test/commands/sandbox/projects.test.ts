// Projects of the sandbox: nothing of one shows in another, and errors name the project that has what is missing.

import {existsSync, readFileSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {openSandbox} from '../../../src/sandbox/sandbox.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {TEST_KEY} from '../../support/services/servers.js';

const SANDBOX = {CENTAVO_PROFILE: 'sandbox'};
const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const words = (line: string): string[] => line.split(' ');
const inProject = (line: string, project?: string, env: object = SANDBOX) =>
  run([...words(line), ...(project === undefined ? [] : ['--project', project])], {env: {...SANDBOX, ...env}});

describe('two shops', () => {
  const CUSTOMER = 'customers create --name Ana --email ana@example.com --billing-statement-prefix SHOP --json';
  const BILL = 'billing-statements create --customer ana@example.com --item Web@100 --due 2031-06-01';

  test('share no customer, number, key of an import, settlement or idempotency key', async () => {
    const first = await inProject(CUSTOMER, 'one');
    expect(first).toMatchObject({status: 0, stderr: 'Project one is new: an empty sandbox.\n'});
    expect((await inProject(CUSTOMER, 'one')).stderr).not.toContain('is new');
    const {id} = first.json() as {id: string};
    expect((await inProject('customers list --json', 'two')).json()).toMatchObject({data: []});
    expect((await inProject('customers list --json')).json()).toMatchObject({data: []});

    // The same key is another key in another project.
    const keyed = 'customers create --name Ben --email ben@example.com --idempotency-key k1 --json';
    const made = await Promise.all(
      ['one', 'two'].map(async (name) => (await inProject(keyed, name)).json() as {id: string}),
    );
    expect(new Set(made.map((each) => each.id)).size).toBe(2);
    expect((await inProject(keyed, 'two')).json()).toMatchObject({id: made[1]!.id});

    writeFileSync(
      join(directory, 'sheet.csv'),
      'Name,Customer Email,Item,Amount,Due\nCarla,carla@example.com,Web,250,2031-06-01\n',
    );
    const sheet = `import ${join(directory, 'sheet.csv')} --yes --json`;
    for (const name of ['one', 'two']) expect((await inProject(sheet, name)).stdout).toContain('"created": 1');
    expect(await inProject(sheet, 'two')).toMatchObject({stdout: expect.stringContaining('"already": true')});

    await inProject(`${BILL.replace('ana@example.com', id)} --send --yes`, 'one');
    const settled = await inProject('settle SHOP-0001 --paid-outside cash --yes', 'one');
    expect(settled.status).toBe(0);
    const other = await inProject(CUSTOMER, 'two');
    await inProject(`${BILL.replace('ana@example.com', (other.json() as {id: string}).id)} --send --yes`, 'two');
    expect((await inProject('owed --json', 'two')).stdout).toContain('SHOP-0001');
    expect((await inProject('owed --json', 'one')).stdout).not.toContain('SHOP-0001');
  });

  test('have their own jobs: one resumed in the wrong project names the right one', async () => {
    const {data} = (await inProject('jobs list --json', 'one')).json() as {data: {id: string; account?: string}[]};
    const shown = await run(['jobs', 'list'], {columns: 120});
    expect(shown.stdout).toMatch(/WHERE[^]* sandbox\/(one|two)\n[^]* sandbox\/(?!\1)(one|two)\n/);
    const wrong = await inProject(`jobs void ${data[0]!.id} --yes`, 'three');
    expect(wrong.status).toBe(12);
    expect(wrong.stderr).toMatch(/--profile sandbox --project (one|two)$/m);
  });

  test('an object of another project is named with the command that finds it', async () => {
    const {data} = (await inProject('customers list --json', 'one')).json() as {data: {id: string}[]};
    const {id} = data[0]!;
    const missing = await inProject(`customers get ${id}`, 'two');
    expect(missing.status).toBe(3);
    expect(missing.stderr.split('\n').slice(1, 3)).toEqual([
      '  centavo looked in project two. Project one has it.',
      `  To look there: centavo customers get ${id} --project one`,
    ]);
    const nowhere = await inProject('customers get cus_nowhere', 'two', {CENTAVO_PROJECT: 'ignored'});
    expect(nowhere.stderr).toContain('centavo looked in project two.');
    const urls = '--success-url https://a.example --cancel-url https://a.example';
    const own = '--customer-reference-id D-101 --metadata order=HS-2406';
    await inProject(`checkout-sessions create --item Web@100 ${own} ${urls}`, 'one');
    for (const name of ['D-101', 'HS-2406'])
      expect((await inProject(`get ${name}`, 'two')).stderr).toContain(
        `look there: centavo get ${name} --project one\n`,
      );
    const inJson = (await inProject(`customers get ${id} --json --project=two`)).stderr.split('\n').at(-2)!;
    expect(JSON.parse(inJson).error.next).toEqual([['customers', 'get', id, '--json', '--project', 'one']]);
  });

  test('are listed, shown by status and in the history, and removed', async () => {
    await inProject('sandbox clock', 'three');
    const {data} = (await inProject('sandbox projects list --json', 'one')).json() as {
      data: {name: string; active: boolean}[];
    };
    expect(data.map(({name, active}) => [name, active])).toEqual([
      ['default', false],
      ['one', true],
      ['three', false],
      ['two', false],
    ]);
    expect((await inProject('status --json', 'one')).json()).toMatchObject({
      destination: 'sandbox/one',
      project: 'one',
    });
    expect((await inProject('status --json', undefined, {CENTAVO_PROJECT: 'two'})).json()).toMatchObject({
      project: 'two',
    });
    expect((await inProject('history', 'one')).stdout).toContain('sandbox/one');
    expect(await inProject('sandbox projects remove default --yes')).toMatchObject({
      status: 12,
      stderr: expect.stringContaining('centavo sandbox reset'),
    });
    expect((await inProject('sandbox projects remove four --yes')).status).toBe(3);
    const file = join(directory, 'sandboxes', 'three', 'sandbox.db');
    expect(existsSync(file)).toBe(true);
    expect((await inProject('sandbox projects remove three --yes')).status).toBe(0);
    expect(existsSync(file)).toBe(false);
  });
});

test.each([
  ['an impossible name', ['--project', '../x'], {}, 2, '--project "../x" is not a project name.'],
  ['an empty name', ['--project', ''], {}, 2, '--project "" is not a project name.'],
  ['an impossible variable', [], {CENTAVO_PROJECT: 'Shop!'}, 14, 'CENTAVO_PROJECT "Shop!" is not a project name.'],
  [
    'a real account',
    ['--project', 'shop'],
    {CENTAVO_PROFILE: '', CENTAVO_SECRET_KEY: TEST_KEY},
    2,
    'Profile env is a real account, and a project is a sandbox.',
  ],
])('refuses %s', async (_, flags, env, status, text) => {
  const result = await run(['customers', 'list', ...flags], {env: {...SANDBOX, ...env}});
  expect(result.stderr).toContain(text);
  expect(result.status).toBe(status);
});

test('says that a real account ignores the variable', async () => {
  const env = {CENTAVO_PROFILE: '', CENTAVO_SECRET_KEY: TEST_KEY, CENTAVO_PROJECT: 'shop'};
  const {stderr} = await run(['customers', 'create', '--name', 'A', '--email', 'a@ex.com', '--dry-run', '--json'], {
    env,
  });
  expect(stderr).toBe('CENTAVO_PROJECT is ignored: profile env is a real account.\n');
});

test('a change counts while a process uses the project, whose file may be older', async () => {
  const file = join(directory, 'sandboxes', 'used', 'sandbox.db');
  const sandbox = openSandbox({path: file});
  sandbox.read(({store}) => store.set('clock_offset', '1'));
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  sandbox.read(({store}) => store.set('clock_offset', '2'));
  const {data} = (await run(words('sandbox projects list --json'))).json() as {
    data: {name: string; changed_at: number}[];
  };
  sandbox.close();
  expect(data.find(({name}) => name === 'used')!.changed_at).toBeGreaterThan(1_700_000_000);
});

test('a damaged file of a project is replaced by the command in its error', async () => {
  await inProject('sandbox seed', 'broken');
  const file = join(directory, 'sandboxes', 'broken', 'sandbox.db');
  writeFileSync(file, 'This is not a database. '.repeat(100));
  const {stderr} = await inProject('customers list', 'broken');
  const command = /: centavo (sandbox reset.*)$/m.exec(stderr)![1]!;
  expect(command).toBe('sandbox reset --project broken');
  expect((await run([...words(command), '--yes'], {env: SANDBOX})).status).toBe(0);
  expect((await inProject('customers list --json', 'broken')).json()).toMatchObject({data: []});
  expect(readFileSync(`${file}.old-1`, 'utf8')).toContain('This is not');
});

test.each(['sandbox open', 'customers get cus_nowhere', 'why HS-9999', 'sandbox pay HS-9999'])(
  'the next command of `%s` stays in its project',
  async (line) => {
    const {stderr} = await inProject(line, 'one');
    expect(stderr).toMatch(/: centavo .* --project one$/m);
  },
);
