// Finds a statement by its customer or a metadata number: the match, what a script may change, and errors without a match.

import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {screenInProcess} from '../../support/in-process.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {FIXED_NOW} from '../../support/screen.js';
import {ENTER, loaded} from '../../support/terminal.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory, {now: () => FIXED_NOW * 1000});
let merchant: Merchant;
const ids: Record<string, string> = {};

beforeAll(async () => {
  merchant = new Merchant(directory, () => FIXED_NOW);
  const customer = async (name: string, email: string, prefix: string) => {
    const {id} = await merchant.customer({name, email, billing_statement_prefix: prefix});
    return (ids[prefix] = id as string);
  };
  const juan = await customer('Juan Dela Cruz', 'juan@example.com', 'JUAN');
  await merchant.open({customer_id: juan, metadata: {external_id: 'NOV-004', unit: '4B', order: 2043, po: 2}});
  const {id: paid} = await merchant.open({customer_id: juan, metadata: {external_id: 'OCT-004', order: 1042}});
  controlOf(merchant.sandbox).pay(paid as string, {});
  await merchant.draft({
    customer_id: juan,
    metadata: {agent: 'angelica', shop: 'Unit 12', cc: 'unit12@example.com', by: 'gone12@example.com'},
  });
  const tita = await customer('Tita Cora', 'cora@example.com', 'TITA');
  await merchant.draft({customer_id: tita});
  await customer('Nobody Yet', 'sari.sari@example.com', 'NOBODY');
  await customer('Unit 12', 'unit12@example.com', 'UNIT');
  const kape = await customer('Kapeng Barako', 'kape@example.com', 'KAPE');
  for (let count = 0; count < 2; count++) await merchant.open({customer_id: kape, metadata: {lot: 'lot-7'}});
  for (const prefix of ['TWINA', 'TWINB']) await customer('Twin Store', 'twin@example.com', prefix);
  await merchant.open({customer_id: ids.TWINA});
  const gone = await customer('Old Friend', 'gone@example.com', 'GONE');
  await merchant.open({customer_id: gone});
  await merchant.call('DELETE', `/customers/${gone}`);
});
afterAll(() => merchant.close());

const numberOf = async (...words: string[]): Promise<unknown> => {
  const result = await run([...words, '--json']);
  expect(result).toMatchObject({status: 0});
  const {number, billing_statement_number: other = number} = result.json();
  return other;
};
const lines = async (...words: string[]) => {
  const {status, stdout, stderr} = await run(words);
  expect(stdout).toBe('');
  return [status, ...stderr.trimEnd().split('\n')];
};

describe('a customer’s name or address selects the statement that fits the verb', () => {
  test.for([
    ['the open one', ['link', 'Juan Dela Cruz'], 'JUAN-0001'],
    ['by a part of the name, for a read', ['link', 'dela'], 'JUAN-0001'],
    ['by the address', ['link', 'JUAN@example.com'], 'JUAN-0001'],
    ['of a customer who was deleted', ['link', 'old friend'], 'GONE-0001'],
    ['the only one there is', ['get', 'Tita Cora'], 'TITA-0001'],
    ['by one’s own number', ['get', 'oct-004'], 'JUAN-0002'],
    ['by one’s own number of digits', ['get', '1042'], 'JUAN-0002'],
  ] as const)('%s', async ([, [verb, ...words], number]) => {
    expect(await numberOf('billing-statements', verb, ...words)).toBe(number);
  });

  test.each(['evt_abc', 'dlv_abc', 'req_abc'])('names the command for %s', async (id) => {
    const {status, stderr} = await run(['get', id]);
    expect({status, stderr}).toMatchObject({status: 2, stderr: expect.stringContaining(`: centavo why ${id}\n`)});
  });

  test('works in a dry run, a flag and an item', async () => {
    const dry = await run(['billing-statements', 'void', 'Juan Dela Cruz', '--dry-run', '-o', 'curl']);
    expect(dry.stdout).toContain(await idOf('JUAN-0001'));
    const item = ['--description', 'Rice', '--unit-price', '500', '--quantity', '1'];
    const add = ['billing-statement-line-items', 'create', '--billing-statement', 'tita cora', ...item, '--json'];
    const {id} = (await run(add)).json();
    expect(await run(['billing-statement-line-items', 'delete', 'Tita Cora#Rice', '--json'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(id),
    });
    // Two items with one description need the number.
    for (let count = 0; count < 2; count++) await run(add);
    const twice = await lines('billing-statement-line-items', 'delete', 'Tita Cora#rice');
    expect(twice[1]).toBe('Error: TITA-0001 has 2 items "rice".');
    expect(twice.at(-1)).toMatch(/^ {2}Use its number: #\d Rice \(₱500\.00\), #\d Rice \(₱500\.00\)\.$/);
    const second = /, #(\d)/.exec(String(twice.at(-1)))![1];
    expect((await run(['billing-statement-line-items', 'delete', `Tita Cora#${second}`])).status).toBe(0);
    expect((await run(['billing-statement-line-items', 'delete', 'Tita Cora#rice'])).status).toBe(0);
  });

  const idOf = async (number: string) => (await run(['get', number, '--json'])).json().id as string;
});

describe('a change in a script', () => {
  test('accepts a full name with one matching statement, and prints which', async () => {
    const updated = await run(['billing-statements', 'update', 'juan dela cruz', '--description', 'Rice']);
    expect(updated.stderr).toMatch(/^JUAN-0003 of ₱1,500.00 for Juan Dela Cruz, bstm_\w+\n→ sandbox/);
    expect(updated).toMatchObject({status: 0, stdout: expect.stringContaining('Rice')});
  });

  test.for([
    [['void', 'dela'], '"dela" is only part of a customer’s name.', 'Did you mean JUAN-0001 of ₱1,500.00 for Juan'],
    [['void', 'Twin Store'], '"Twin Store" matches 2 customers.', 'Did you mean TWINA-0001'],
    [['void', 'twin@example.com'], '"twin@example.com" matches 2 customers.', 'Did you mean TWINA-0001'],
    [['void', 'Old Friend'], '"Old Friend" matches a deleted customer.', 'Did you mean GONE-0001'],
    [['void', '3'], '"3" is only part of a billing statement number.', 'Did you mean JUAN-0003'],
    [['void', 'LOT-7'], '"LOT-7" matches 2 billing statements.', 'Use one of these numbers: KAPE-0002'],
    [['void', 'kapeng barako'], '"kapeng barako" matches 2 billing statements.', 'Use one of these numbers: KAPE-0002'],
  ] as const)('refuses anything less: %j', async ([words, what, next]) => {
    const [status, first, ...rest] = await lines('billing-statements', ...words);
    expect([status, first]).toEqual([2, `Error: ${what}`]);
    expect(rest.join('\n')).toContain('Nothing was changed.');
    expect(rest.at(-1)).toContain(next);
    expect(rest.length).toBeLessThanOrEqual(2);
  });

  test('accepts a metadata number that is complete and unique', async () => {
    const settled = ['billing-statements', 'settle', 'nov-004', '--paid-outside', 'cash', '--json', '--dry-run'];
    const {url} = (await run(settled)).json().requests[0];
    expect(url).toMatch(/\/void$/);
    // "2" is also part of JUAN-0002 and KAPE-0002: a whole own number goes first, for changes, get and why.
    for (const digits of ['2043', '2']) {
      expect((await run(settled.with(2, digits))).json().requests[0].url).toBe(url);
      expect(url).toContain((await run(['get', digits, '--json'])).json().id);
      expect(url).toContain((await run(['why', digits, '--json'])).json().object.id);
    }
    const {candidates, exit_code: exit} = (await run([...settled.with(2, 'lot-7')])).error();
    expect([exit, candidates.map(({name}: {name: string}) => name).sort()]).toEqual([2, ['KAPE-0001', 'KAPE-0002']]);
    expect(await lines('billing-statements', 'settle', 'nov-00', '--paid-outside', 'cash')).toEqual([
      3,
      'Error: no billing statement has the number nov-00.',
      expect.stringContaining('Nothing was changed.'),
      '  To list them: centavo billing-statements list',
    ]);
  });
});

describe('a customer or address in the metadata of another customer’s statement does not match', () => {
  test.for([
    ['Unit 12', '"Unit 12" has no draft billing statement.'],
    ['unit12@example.com', '"unit12@example.com" has no draft billing statement.'],
    ['gone12@example.com', 'no billing statement has the number gone12@example.com.'],
  ])('%s', async ([typed, what]) => {
    const [status, first] = await lines('billing-statements', 'delete', typed!, '--yes');
    expect([status, first]).toEqual([3, `Error: ${what}`]);
  });
});

describe('without a match', () => {
  test.for<[string[], unknown[]]>([
    [
      ['void', 'Tita Cora'],
      [
        'Error: "Tita Cora" has no open billing statement.',
        '  There is TITA-0001 (draft). Nothing was changed.',
        '  If it is right: centavo billing-statements finalize TITA-0001',
      ],
    ],
    [
      ['delete', 'kape@example.com'],
      [
        'Error: "kape@example.com" has no draft billing statement.',
        '  There are KAPE-0002 (due 25 Dec), KAPE-0001 (due 25 Dec). Nothing was changed.',
        '  To list all of them: centavo billing-statements list --customer kape@example.com',
      ],
    ],
    [
      ['link', 'Nobody Yet'],
      ['Error: "Nobody Yet" has no open billing statement.', "  To create one: centavo bill 'Nobody Yet'"],
    ],
    [
      ['link', 'angelica'],
      ['Error: no customer is called "angelica".', '  To search names, numbers and amounts: centavo find angelica'],
    ],
    [
      ['link', 'sari.sari'],
      [
        'Error: no customer is called "sari.sari".',
        '  Did you mean Nobody Yet <sari.sari@example.com>?',
        '  To list them: centavo customers list',
      ],
    ],
    [
      ['link', 'tita cara'],
      [
        'Error: no customer is called "tita cara".',
        '  Did you mean Tita Cora <cora@example.com>?',
        '  To list them: centavo customers list',
      ],
    ],
    [
      ['get', 'KAPE-0OO1'],
      [
        'Error: no billing statement has the number "KAPE-0OO1", and no customer has that name.',
        '  Did you mean KAPE-0001?',
        '  To search names, numbers and amounts: centavo find KAPE-0OO1',
      ],
    ],
    [
      ['link', 'Tita Cora'],
      [
        'Error: TITA-0001 is a draft.',
        '  Only open statements have a payment link.',
        '  Finalize it: centavo billing-statements finalize TITA-0001',
      ],
    ],
  ])('%j', async ([words, said]) => {
    expect((await lines('billing-statements', ...words)).slice(1)).toEqual(said);
  });
});

describe('customers who look the same are distinguished', () => {
  const ONE = '(1 statement, owes ₱1,500.00, created 15 Dec)';
  const NONE = '(no statements, created 15 Dec)';

  test('in errors for scripts, with their ids', async () => {
    const named = (id: string, told: string) => `Twin Store <twin@example.com> ${told} ${id}`;
    for (const text of ['Twin Store', 'twin@example.com']) {
      const said = (await lines('customers', 'get', text)).join('\n');
      expect(said).toContain(named(ids.TWINA!, ONE));
      expect(said).toContain(named(ids.TWINB!, NONE));
    }
    const billed = await lines('bill', '--customer-email', 'twin@example.com', '--item', 'Rice @ 500');
    expect(billed.at(-1)).toContain(`${ids.TWINB} (Twin Store; ${NONE.slice(1)}`);
    expect((await lines('customers', 'get', 'a')).join('\n')).not.toContain('Dela Cruz <juan@example.com> (');
  });

  test.runIf(loaded.pty)('at a terminal, without ids', async () => {
    const desk = screenInProcess(directory, ['customers', 'get', 'twin'], {columns: 100});
    await desk.until(/matches 2/);
    const text = (await desk.text()).replace(/\s+/g, ' ');
    expect(text).toContain('Twin Store <twin@example.com>, 1 statement, owes ₱1,500.00, created');
    expect(text).not.toContain('cus_');
    desk.type('\u0003');
    expect(await desk.ended).toBe(130);
  });
});

describe.runIf(loaded.pty)('at a terminal', () => {
  test('offers a choice with customer and status', async () => {
    const desk = screenInProcess(directory, ['billing-statements', 'link', 'kape'], {columns: 60});
    await desk.until(/matches 2/);
    expect(await desk.text()).toContain('KAPE-0002 of ₱1,500.00 for Kapeng Barako, due 25 Dec');
    desk.type(ENTER);
    expect(await desk.ended).toBe(0);
  });

  test('confirms part of a name before a change, by number and name', async () => {
    const desk = screenInProcess(directory, ['billing-statements', 'finalize', 'cora'], {columns: 60});
    await desk.until(/Do you mean TITA-0001 of ₱1,500\.00 for Tita Cora,\s+draft\? \(y\/N\)/);
    desk.type(ENTER);
    expect(await desk.ended).toBe(12);
    expect(await desk.text()).toMatch(/Error: not confirmed\.\s+Nothing was changed\./);
  });

  test('asks yes or no about the only open statement', async () => {
    const ownDirectory = temporaryDirectory();
    const own = new Merchant(ownDirectory, () => FIXED_NOW);
    onTestFinished(() => own.close());
    const {id} = await own.customer({
      name: 'Only Customer',
      email: 'only@example.com',
      billing_statement_prefix: 'ONE',
    });
    await own.open({customer_id: id});
    for (const [command, answer, status] of [
      ['settle', '', 12],
      ['remind', '', 12],
      ['remind', 'y', 0],
    ] as const) {
      const desk = screenInProcess(ownDirectory, ['billing-statements', command], {columns: 100});
      await desk.until(/Only one is open\. Do you mean ONE-0001 for Only Customer, ₱1,500\.00, due 25\s+Dec\?/);
      desk.type(`${answer}${ENTER}`);
      expect(await desk.ended).toBe(status);
    }
  });
});
