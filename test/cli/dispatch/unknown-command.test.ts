// Suggestions for unknown commands, and the short names of commands.

import {afterAll, describe, expect, test} from 'vitest';
import {SHORT_NAMES} from '../../../src/cli/catalog/short-names.js';
import {meanings} from '../../../src/cli/dispatch/unknown-command.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';

const run = commandsIn(temporaryDirectory(afterAll));

describe('suggests the command for common synonyms', () => {
  test.each([
    ['invoice', 'billing-statements create'],
    ['invoices', 'billing-statements list'],
    ['bills', 'billing-statements list'],
    ['statement', 'billing-statements create'],
    ['Statements', 'billing-statements list'],
    ['invoice create', 'billing-statements create'],
    ['new invoice', 'billing-statements create'],
    ['bill:create', 'billing-statements create'],
    ['invoices ls', 'billing-statements list'],
    ['invoice show BILL-0001', 'billing-statements get BILL-0001'],
    ['invoice cancel BILL-0001', 'billing-statements void BILL-0001'],
    ['statement send BILL-0001', 'billing-statements send BILL-0001'],
    ["finalize BILL-0001 'A B'", "billing-statements finalize BILL-0001 'A B'"],
    ['charge', 'billing-statements create'],
    ['pay', 'sandbox pay'],
    ['client', 'customers list'],
    ['clients add', 'customers create'],
    ['client find', 'customers list'],
    ['customer get ana@example.com', 'customers get ana@example.com'],
    ['reimburse', 'refund'],
    ['reimburse pay_1', 'refund pay_1'],
    ['qr', 'billing-statements link'],
    ['bulk', 'billing-statements import'],
    ['ledger', 'customers ledger'],
    ['unpaid', 'owed'],
    ['whoami', 'status'],
    ['listen', 'webhooks listen'],
    // The only topic with that verb that begins so.
    ['cust list', 'customers list'],
    ['pay-m list', undefined],
    // Letters that slipped.
    ['custmers list', 'customers list'],
    ['customers lst', 'customers list'],
    ['biling-statements create', 'billing-statements create'],
    ['oewd', 'owed'],
    ['billing-statements fin', 'billing-statements finalize'],
    ['hist', 'history'],
    ['bil juan', 'bill juan'],
    ['lnik juan@example.com', 'link juan@example.com'],
    ['payments refund', 'refund'],
    ['payments refund pay_1', 'refund pay_1'],
    ['billing-statements refund JEEPNEY-0002', 'refund JEEPNEY-0002'],
    ['customers remind ana', 'remind ana'],
    ['customers statements ana', 'billing-statements list --customer ana'],
    ['customers owed', 'owed'],
    ['payments list', 'paid'],
    ['checkout-sessions wait ORD-1', 'get ORD-1'],
    ['payment-intents refund pi_1', 'get pi_1'],
    ['webhooks resend evt_1', 'webhooks replay evt_1'],
    ['sandbox status', 'status'],
    ['sandbox start', 'sandbox serve'],
    ['logs', 'sandbox logs'],
    ['logs tail', 'sandbox logs'],
    ['auth status', 'status'],
    ['auth login', 'login'],
    ['cash JEEPNEY-0002', 'settle --paid-outside cash JEEPNEY-0002'],
    ['cancel JEEPNEY-0002', 'void JEEPNEY-0002'],
    ['unpaid ana', 'owed ana'],
    // No suggestion.
    ['x', undefined],
    ['constructor', undefined],
    ['__proto__ list', undefined],
  ])('%s → %s', async (typed, meant) => {
    const words = typed.includes("'") ? ['finalize', 'BILL-0001', 'A B'] : typed.split(' ');
    const {status, stdout, stderr} = await run(words);
    expect({status, stdout}).toEqual({status: 2, stdout: ''});
    const hint = stderr.trimEnd().split('\n').at(-1)!.trim();
    expect(hint).toBe(meant ? `Did you mean: centavo ${meant}` : 'To list the commands: centavo help');
  });
});

test('each synonym stands for a topic, a verb or a command, with flags that it has', async () => {
  const {data} = (await run(['commands', '--json'])).json();
  const flags = new Map<string, object>(data.map((each: {id: string; flags?: object}) => [each.id, each.flags ?? {}]));
  for (const [name, id] of Object.entries(SHORT_NAMES)) flags.set(name, flags.get(id.replaceAll(':', ' '))!);
  const places = [...flags.keys()].flatMap((id) => [id, id.replace(/ [^ ]+$/, ''), id.replace(/^.* /, '')]);
  for (const meant of [...meanings.values()].flat()) {
    const [place = '', flag] = meant.split(/ --([\w-]+)/);
    expect(places, meant).toContain(place);
    if (flag !== undefined) expect(Object.keys(flags.get(place)!), meant).toContain(flag);
  }
  // `customers.statements` names a topic, which may lack the verb.
  for (const [topic] of [...meanings.keys()].filter((word) => word.includes('.')).map((word) => word.split('.')))
    expect(places).toContain(topic);
});

describe('an unknown flag', () => {
  test.each([
    // A prefix wins over a name of equal length.
    ['customers list --lim 5', '--limit'],
    ['customers list --li 5', '--limit'],
    ['customers list --jqq .data', '--jq'],
    ['customers update --me a=b', '--metadata'],
    ['--prof shop', '--profile'],
    // Flags that lift a guard are never suggested.
    ['customers create --liv', undefined],
    ['customers create --test', undefined],
    ['customers create --yess', undefined],
    ['logout --forc', undefined],
    ['login --insecure', undefined],
    ['webhooks listen --skip', undefined],
    ['webhooks listen --allow', undefined],
    ['dev --forwrd-to 3000 -- npm run dev', '--forward-to'],
    ['billing-statements import x.csv --allow-dup', undefined],
    ['--liv', undefined],
    ['--ye', undefined],
  ])('%s → %s', async (typed, meant) => {
    const {status, stderr} = await run(typed.split(' '));
    const hint = stderr.trimEnd().split('\n').at(-1)!.trim();
    expect({status, hint}).toEqual({
      status: 2,
      hint: meant ? `Did you mean ${meant}?` : expect.stringContaining('To list the flags'),
    });
  });
});

test.each(['dev php -S localhost:8000', 'webhooks listen npm run dev'])('a program without --: %s', async (typed) => {
  const {status, stderr} = await run(typed.split(' '));
  expect({status, stderr}).toMatchObject({status: 2, stderr: expect.stringContaining('Put a program after --.')});
});

describe('a short name', () => {
  test('runs the same command with the same flags', async () => {
    const words = [
      '--customer',
      'cus_2mQ8',
      '--item',
      'Web design x2 @ 15,000',
      '--due',
      '2030-12-15',
      '--dry-run',
      '--json',
    ];
    const [short, long] = await Promise.all([run(['bill', ...words]), run(['billing-statements', 'create', ...words])]);
    expect(short).toMatchObject({status: 0});
    expect(short.stdout.replaceAll(/centavo_(key|run)\W+\w+/g, '')).toBe(
      long.stdout.replaceAll(/centavo_(key|run)\W+\w+/g, ''),
    );
    expect((await run(['owed', '--schema'])).stdout).toBe(
      (await run(['billing-statements', 'aging', '--schema'])).stdout,
    );
  });

  test('works after a global flag', async () => {
    expect(await run(['--json', 'owed'])).toMatchObject({status: 0, stderr: ''});
  });

  test('is not a topic', async () => {
    const {stderr} = await run(['bill', 'create']);
    expect(stderr).toContain('no customer is called "create".');
  });

  test.each(Object.entries(SHORT_NAMES))(
    '%s has a help page that names the long name, and vice versa',
    async (name, id) => {
      const long = id.replaceAll(':', ' ');
      const page = (await run([name, '--help'])).stdout;
      const usage = (first: string, second: string) =>
        new RegExp(`USAGE\\n {2}\\$ centavo ${first}( .*)?\\n {2}\\$ centavo ${second}( .*)?\\n\\n`);
      expect(page).toMatch(usage(name, long));
      expect(page).toContain(`  $ centavo ${name}`);
      expect((await run([...long.split(' '), '--help'])).stdout).toMatch(usage(long, name));
      expect((await run(['help'])).stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    },
  );

  test.each(Object.entries(SHORT_NAMES))('commands lists %s with its long name', async (name, id) => {
    const {data} = (await run(['commands', '--json'])).json();
    expect(data.find((each: {id: string}) => each.id === id.replaceAll(':', ' ')).short_name).toBe(name);
    const narrowed = (await run(['commands', name, '--json'])).json();
    expect(narrowed.data.map((each: {id: string}) => each.id)).toEqual([id.replaceAll(':', ' ')]);
  });
});
