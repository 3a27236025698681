// Numbers, email addresses and names in place of ids: matches, refusals, and no changes by a guess.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {shellQuote} from '../../../src/common/next-text.js';
import {readReference} from '../../../src/cli/references/references.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {failingServer} from '../../support/services/failing.js';
import {customerNumbered, pagedService, statementNumbered} from '../../support/services/paged-service.js';
import {LIVE_KEY, TEST_KEY} from '../../support/services/servers.js';
import {service} from '../../support/services/service.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
let merchant: Merchant;
const ids: Record<string, string> = {};
const numbers: Record<string, string> = {};

beforeAll(async () => {
  merchant = new Merchant(directory);
  for (const [name, email, prefix] of [
    ['Niño Ibañez', 'nino@example.com', 'NINO'],
    ['Juan Dela Cruz', 'juan@example.com', 'JUAN'],
    ['Juana Cruz', 'juana@example.com', 'JUANA'],
    ["Aling Nena's Store", 'Nena@Example.com', 'NENA'],
    ['Twin Store', 'twin@example.com', 'TWINA'],
    ['Twin Store', 'twin2@example.com', 'TWINB'],
    ['Old Friend', 'gone@example.com', 'GONE'],
  ] as const) {
    const {id} = await merchant.customer({name, email, billing_statement_prefix: prefix});
    ids[prefix] = id as string;
    numbers[prefix] = (await merchant.open({customer_id: id})).id as string;
  }
  await merchant.call('DELETE', `/customers/${ids.GONE}`);
});
afterAll(() => merchant.close());

const idOf = async (...words: string[]): Promise<unknown> => (await run([...words, '--json'])).json().id;

describe('a statement is found by its number', () => {
  test.for(['JUAN-0001', 'juan-0001', ' Juan-0001 '])('%j', async (number) => {
    expect(await idOf('billing-statements', 'get', number)).toBe(numbers.JUAN);
    expect(await idOf('get', number)).toBe(numbers.JUAN);
  });

  test('or by the start of its id, as tables show it', async () => {
    expect(await idOf('billing-statements', 'get', numbers.JUAN!.slice(0, 'bstm_'.length + 8))).toBe(numbers.JUAN);
    expect(await run(['billing-statements', 'get', 'bstm_00000000'])).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('no billing statement id starts with bstm_00000000'),
    });
  });

  test('or by the digits of its number, in reads; a change needs the full number', async () => {
    const {id: customer} = await merchant.customer({
      name: 'Seventh Store',
      email: 'seven@example.com',
      billing_statement_prefix: 'SEVEN',
      next_billing_statement_sequence_number: 77,
    });
    const {id} = await merchant.open({customer_id: customer});
    expect(await idOf('billing-statements', 'get', '0077')).toBe(id);
    expect(await idOf('get', '77')).toBe(id);
    const refused = await run(['billing-statements', 'void', '77']);
    expect(refused).toMatchObject({status: 2, stdout: ''});
    expect(refused.stderr).toContain('Did you mean SEVEN-0077 of ₱1,500.00 for Seventh Store?');
    expect(refused.stderr).toContain('a change needs a full number, an id, an email address or a full name.');
    expect((await merchant.call('GET', `/billing_statements/${id}`)).status).toBe('open');
    const several = await run(['billing-statements', 'get', '1']);
    expect(several.stderr).toMatch(/"1" matches \d+ billing statements\.\n {2}Use one of these numbers: /);
  });

  test('several, as arguments and on stdin, each printed as often as named', async () => {
    const read = async (words: string[], input = '') =>
      (await run(['billing-statements', 'get', ...words, '--json'], {input})).rows().map(({id}: {id: string}) => id);
    expect(await read(['NINO-0001', numbers.JUAN!, 'nino-0001'])).toEqual([numbers.NINO, numbers.JUAN, numbers.NINO]);
    expect(await read(['-'], `NINO-0001\n${numbers.JUAN}\n`)).toEqual([numbers.NINO, numbers.JUAN]);
  });

  test('in flags, and in sandbox pay', async () => {
    const {id} = await merchant.draft({customer_id: ids.JUANA});
    const {billing_statement_number: number} = await merchant.call('GET', `/billing_statements/${id}`);
    const item = ['--description', 'Rice', '--unit-price', '500', '--quantity', '1'];
    const add = await run([
      ...['billing-statement-line-items', 'create', '--billing-statement', number, ...item, '--json'],
    ]);
    expect(add.json()).toMatchObject({billing_statement_id: id});
    const more = ['billing-statements', 'create', '--continue', number, '--finalize', '--json'];
    expect((await run(more)).json()).toMatchObject({id, status: 'open'});
    const paid = await run(['sandbox', 'pay', number]);
    expect(paid).toMatchObject({status: 0, stderr: expect.stringContaining(`${number} of ₱2,000.00 for Juana Cruz`)});
  });

  test.for([
    ['JUAN-9', 'The newest number with this prefix is JUAN-0001.'],
    ['JUAN-1', 'Did you mean JUAN-0001?'],
    ['JUNA-0001', 'Did you mean JUANA-0001?'],
    ['NIÑO-0001', 'Did you mean NINO-0001?'],
    ['XYZ-0001'],
  ] as [string, string?][])('that is misspelt, %s: exit 3 with a suggestion', async ([number, proposal]) => {
    const result = await run(['billing-statements', 'get', number]);
    expect(result).toMatchObject({status: 3, stdout: ''});
    expect(result.stderr.trim().split('\n')).toEqual([
      `Error: no billing statement has the number ${number}.`,
      ...(proposal === undefined ? [] : [`  ${proposal}`]),
      '  To list them: centavo billing-statements list',
    ]);
  });
});

describe('a customer is found by', () => {
  test.for([
    ['the e-mail address in any case', 'NENA@example.com', 'NENA'],
    ['the whole name', 'Juan Dela Cruz', 'JUAN'],
    ['the name without accents and case', 'nino ibanez', 'NINO'],
    ['a part of the name', 'ibañ', 'NINO'],
    ['the beginnings of words in any order', 'sto ali', 'NENA'],
    ['a name with an apostrophe', 'aling nena’s store', 'NENA'],
    ['a name that is part of another', 'juana', 'JUANA'],
  ] as const)('%s', async ([, text, prefix]) => {
    expect(await idOf('customers', 'get', text)).toBe(ids[prefix]);
    expect(await idOf('get', text)).toBe(ids[prefix]);
  });

  test('flags accept them', async () => {
    const made = await run(['customer-sessions', 'create', '--customer', 'juan@example.com', '--json']);
    expect(made).toMatchObject({status: 0});
    const listed = await run(['billing-statements', 'list', '--customer', 'nino', '--json']);
    expect(listed.json().data).toMatchObject([{id: numbers.NINO}]);
    const billed = ['billing-statements', 'create', '--customer', 'Niño Ibañez', '--item', 'Rice @ 50', '--json'];
    expect((await run(billed)).json()).toMatchObject({customer_id: ids.NINO, status: 'draft'});
  });

  test('several matches: exit 2 with name, address and id of each', async () => {
    const part = await run(['customers', 'get', 'cruz']);
    expect(part).toMatchObject({status: 2, stdout: ''});
    for (const words of ['matches 2 customers', `Juan Dela Cruz <juan@example.com> ${ids.JUAN}`, ids.JUANA!])
      expect(part.stderr).toContain(words);
    expect(part.stderr.trim().split('\n').length).toBeLessThanOrEqual(3);
    expect(await run(['customers', 'get', 'Twin Store'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(ids.TWINB!),
    });
  });

  test.for([
    ['gone@example.com', 'customers', 'get'],
    ['Old Friend', 'customers', 'get'],
    ['old', 'customers', 'get'],
    ['nobody@example.com', 'customers', 'update'],
  ])('%s is unknown: exit 3, and a deleted customer never matches', async ([text, ...verb]) => {
    const result = await run([...verb, text!]);
    expect(result).toMatchObject({status: 3, stdout: ''});
    const flag = text!.includes('@') ? '--email' : '--name';
    expect(result.stderr).toContain(`centavo customers create ${flag} ${shellQuote(text!)}\n`);
    expect(result.stderr.includes('Nothing was changed.')).toBe(verb[1] === 'update');
  });

  test.for([
    ['Ibanes', 'Niño Ibañez'],
    ['Twn Stre', 'Twin Store'],
    ['Ibones', undefined],
  ])('a misspelt name is only suggested, with one error for 4 letters: %s', async ([text, name]) => {
    const result = await run(['customers', 'get', text!]);
    expect(result).toMatchObject({status: 3, stdout: ''});
    expect(/Did you mean (.*) </.exec(result.stderr)?.[1]).toBe(name);
  });
});

describe('a change', () => {
  test('prints the match before it is sent', async () => {
    const result = await run(['customers', 'update', 'nino ibanez', '--metadata', 'a=b', '--json', '-v']);
    expect(result.status).toBe(0);
    const told = await run(['customers', 'update', 'nino ibanez', '--metadata', 'a=c']);
    expect(told.stderr).toMatch(new RegExp(`^Found Niño Ibañez <nino@example.com>, ${ids.NINO}\n→ sandbox\n$`));
  });

  test.for([
    ['customers', 'update', 'ibañez', '--metadata', 'a=b'],
    ['customers', 'delete', 'aling'],
    ['billing-statements', 'create', '--customer', 'Juan', '--item', 'Rice @ 50'],
  ])('refuses part of a name without a terminal: %j', async (words) => {
    const result = await run(words);
    expect(result).toMatchObject({status: 2, stdout: ''});
    expect(result.stderr).toContain('Nothing was changed.');
    if (words[0] === 'customers') expect(result.stderr).toContain('needs an id, an email address or a full name.');
  });

  test('shows the id in a dry run', async () => {
    const result = await run(['billing-statements', 'void', 'NINO-0001', '--dry-run', '-o', 'curl']);
    expect(result.stdout).toContain(`/billing_statements/${numbers.NINO}/void`);
    expect((await merchant.call('GET', `/billing_statements/${numbers.NINO}`)).status).toBe('open');
  });

  test('that is refused suggests the next command with the typed name', async () => {
    const {billing_statement_number: number} = await merchant.draft({customer_id: ids.JUANA});
    const result = await run(['billing-statements', 'void', number]);
    expect(result).toMatchObject({status: 5, stdout: ''});
    expect(result.stderr).toContain(`To delete the draft instead: centavo billing-statements delete ${number}\n`);
    expect(await run(['billing-statements', 'delete', number])).toMatchObject({status: 0});
    const again = await run(['billing-statements', 'finalize', 'NINO-0001']);
    expect(again.stderr).toContain('NINO-0001 is already open. Nothing was changed.');
  });

  test('that the service refuses names the customer as typed', async () => {
    const refusal = {error: {code: 'not_allowed', detail: `The customer ${ids.NINO} is blocked.`}};
    const server = await failingServer(merchant, {1: refusal});
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
    const {stderr} = await run(['billing-statements', 'create', '--customer', 'niño ibañez', '--item', 'Rice @ 50'], {
      env,
    });
    await server.close();
    expect(stderr).toContain('The customer niño ibañez is blocked.');
  });

  test('names the destroyed object if no question is asked', async () => {
    const {id, billing_statement_number: number} = await merchant.open({customer_id: ids.JUANA});
    const result = await run(['billing-statements', 'void', number]);
    expect(result.stderr).toContain(`→ sandbox: void billing statement ${number} of ₱1,500.00 for Juana Cruz\n`);
    expect((await merchant.call('GET', `/billing_statements/${id}`)).status).toBe('void');
  });
});

test.for([
  ['cus_', 7, 'id'],
  ['cus_', 8, 'start'],
  ['bstm_', 31, 'start'],
  ['bstm_', 32, 'id'],
] as const)('%s and %i characters is read as: %s', ([prefix, length, kind]) => {
  expect(readReference(prefix + 'a'.repeat(length), prefix)).toMatchObject({kind});
});

test.for([
  ['cus_', 200, 'email', (length: number) => `${'a'.repeat(length - 12)}@example.com`],
  ['cus_', 200, 'name', (length: number) => 'a'.repeat(length)],
  ['bstm_li_', 300, 'item', (length: number) => `SHOP-1#${'a'.repeat(length - 7)}`],
] as const)('%s: up to %i characters are read as: %s', ([prefix, most, kind, textOf]) => {
  expect(readReference(textOf(most), prefix)).toMatchObject({kind});
  expect(readReference(textOf(most + 1), prefix)).not.toHaveProperty('kind');
});

describe('input is checked before any read', () => {
  test.for([
    [['customers', 'update', 'Juan', '--email', 'none'], 2],
    [['billing-statement-line-items', 'create', '--billing-statement', 'SHOP-1', '--unit-price', 'x'], 2],
    [['billing-statements', 'list', '--customer', 'Juan', '--since', 'whenever'], 2],
    [['billing-statements', 'create', '--customer', 'Juan', '--item', 'Rice'], 2],
    [['customers', 'get', 'juan@example.com', '--live'], 4],
  ] as const)('%j', async ([words, status]) => {
    const api = await pagedService();
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY};
    expect(await run(words, {env})).toMatchObject({status, stdout: ''});
    expect(api.requests).toEqual([]);
  });

  test.for([
    [[], 'A person decides'],
    [['--live'], 'A person decides'],
  ] as const)('a refused live change reads nothing: %j', async ([flags, hint]) => {
    const {url, reads, close} = await service();
    const env = {CENTAVO_BASE_URL: url, CENTAVO_SECRET_KEY: LIVE_KEY};
    for (const words of [
      ['billing-statements', 'finalize', 'JUAN-0001'],
      ['customers', 'delete', 'juan@example.com'],
      ['billing-statements', 'create', '--customer', 'juan@example.com', '--item', 'Rice @ 50'],
    ]) {
      const result = await run([...words, ...flags], {env});
      expect(result).toMatchObject({status: 12, stderr: expect.stringContaining(hint)});
    }
    expect(reads()).toEqual([]);
    await close();
  });

  test('refuses a secret and does not print it', async () => {
    for (const secret of ['whsk_MadeUp', 'pi_5kT1_secret_7Hq24Rt8'])
      for (const words of [['get'], ['customers', 'get'], ['billing-statements', 'list', '--customer']]) {
        const result = await run([...words, secret]);
        expect(result.status).toBe(2);
        expect(result.stderr).toContain('but got a secret');
        expect(result.stderr).not.toContain(secret);
      }
  });
});

describe('requests', () => {
  async function shop(options?: Parameters<typeof pagedService>[0]) {
    const api = await pagedService(options);
    const own = temporaryDirectory();
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY};
    api.statements = Array.from({length: 450}, (_, index) => statementNumbered(450 - index));
    api.customers = Array.from({length: 250}, (_, index) => customerNumbered(250 - index));
    /** With --dry-run, only the lookup is sent. */
    const look = async (...words: string[]) => {
      const result = await commandsIn(own, {env})([...words, '--dry-run']);
      return {...result, sent: api.taken()};
    };
    return {api, look};
  }
  const LIST = 'GET /billing_statements?limit=100';

  test('searches newest first, stops at the match, and caches the number', async () => {
    const {look} = await shop();
    const cold = await look('billing-statements', 'void', 'SHOP-0320');
    expect(cold.sent).toEqual([LIST, `${LIST}&after=${statementNumbered(351).id}`]);
    const warm = await look('billing-statements', 'void', 'shop-0320');
    expect(warm).toMatchObject({status: 0, sent: [`GET /billing_statements/${statementNumbered(320).id}`]});
    expect(warm.stdout).toContain(`${statementNumbered(320).id}/void`);
    // Statements on the way are cached too.
    expect((await look('get', 'SHOP-0449')).sent).toHaveLength(1);
    // The last request looks for a checkout session with this reference.
    expect((await look('get', 'SHOP-9999')).sent).toHaveLength(6);
  });

  test('takes one request for an address or full name; part of a name reads all customers', async () => {
    const {look} = await shop();
    expect((await look('customers', 'delete', 'customer7@example.com')).sent).toEqual([
      'GET /customers?email=customer7@example.com&limit=100',
    ]);
    expect((await look('customers', 'delete', 'Customer 7')).sent).toEqual([
      'GET /customers?name=Customer 7&limit=100',
    ]);
    expect((await look('customers', 'get', 'cust 77')).sent).toHaveLength(1 + 3);
  });

  test('finds several numbers in one pass', async () => {
    const {look} = await shop();
    expect((await look('billing-statements', 'void', 'SHOP-0450', 'SHOP-0150', 'SHOP-0250')).sent).toHaveLength(4);
  });

  test.for([
    [10, ''],
    [11, 'and 1 more\n'],
    [12, 'and 2 more\n'],
  ] as const)('of %i numbers prints the first ten matches', async ([count, more]) => {
    const {look} = await shop();
    const numbers = Array.from({length: count}, (_, index) => `SHOP-0${450 - index}`);
    const {stderr} = await look('billing-statements', 'void', ...numbers);
    expect(stderr.match(/^SHOP-.*\n/gm)).toHaveLength(10);
    expect(/^and .*\n/m.exec(stderr)?.[0] ?? '').toBe(more);
  });

  test('checks matches if the API ignores a filter', async () => {
    const {look} = await shop({ignoresFilters: true});
    const result = await look('customers', 'delete', 'customer7@example.com');
    expect(result.stdout).toContain(`/customers/${customerNumbered(7).id}`);
    expect(await look('customers', 'delete', 'nobody@example.com')).toMatchObject({status: 3});
  });

  test('reports two statements with one number', async () => {
    const {api, look} = await shop();
    api.statements[3] = {...api.statements[3]!, billing_statement_number: 'SHOP-0450'};
    const result = await look('billing-statements', 'void', 'SHOP-0450');
    expect(result).toMatchObject({status: 2, stdout: ''});
    for (const index of [447, 450]) expect(result.stderr).toContain(statementNumbered(index).id);
  });
});
