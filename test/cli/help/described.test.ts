// `centavo commands --json`: its arguments and flags match their behaviour, and it stays short.

import {afterAll, describe, expect, test} from 'vitest';
import {operations} from '../../../src/api/registry.js';
import {flagSpecs} from '../../../src/cli/operations/flags.js';
import {HAND_WRITTEN, loadCommands} from '../../../src/command-table.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';

interface Value {
  readonly type?: string;
  readonly prefix?: string;
  readonly choices?: readonly string[];
  readonly required?: boolean;
  readonly multiple?: boolean;
  readonly summary?: string;
}
interface Described {
  readonly id: string;
  readonly risk: string;
  readonly exit_codes?: readonly number[];
  readonly arguments?: readonly (Value & {readonly name: string})[];
  readonly flags?: Readonly<Record<string, Value>>;
  readonly examples: readonly string[];
  readonly operation?: {readonly method: string};
}
interface Tree {
  readonly global_flags?: Readonly<Record<string, Value>>;
  readonly global_exit_codes: readonly number[];
  readonly data: readonly Described[];
}

const run = commandsIn(temporaryDirectory(afterAll));
const tree = async (...words: string[]): Promise<Tree> => (await run(['commands', ...words, '--json'])).json<Tree>();
const ALL = await tree();
const ids = Object.keys(await loadCommands()).map((id) => id.replaceAll(':', ' '));

describe('the size', () => {
  const size = async (...words: string[]): Promise<number> =>
    Buffer.byteLength((await run(['commands', ...words, '--json'])).stdout);

  test('is at most 70 KB for all', async () => {
    expect(await size()).toBeLessThanOrEqual(70 * 1024);
  });

  /** The statements topic has nineteen commands, many with short names. Scripts rely on each description. */
  const LARGEST = 'billing-statements';

  test.for([...new Set(ids.map((id) => id.split(' ')[0]!))])('is bounded for %s', async (topic) => {
    expect(await size(topic)).toBeLessThanOrEqual((topic === LARGEST ? 9.5 : 6) * 1024);
  });

  test.for(ids)('is at most 6 KB for the command %s', async (id) => {
    expect(await size(...id.split(' '))).toBeLessThanOrEqual(6 * 1024);
  });
});

test('lists every command, and global flags and exit codes once', () => {
  expect(ALL.data.map(({id}) => id)).toEqual([...ids].sort());
  expect(Object.keys(ALL.global_flags!)).toEqual(expect.arrayContaining(['json', 'live', 'schema', 'timeout']));
  expect(ALL.global_exit_codes).toEqual([0, 1, 2, 15, 130, 143]);
  for (const {flags = {}, exit_codes: codes = [], examples} of ALL.data) {
    for (const name of Object.keys(flags)) expect(ALL.global_flags).not.toHaveProperty(name);
    for (const code of codes) expect(ALL.global_exit_codes).not.toContain(code);
    expect(examples).toHaveLength(1);
    expect(examples[0]).not.toContain('<%');
  }
});

test('a topic or command narrows the list; a single command has all details', async () => {
  expect((await tree('webhooks', 'deliveries')).data.map(({id}) => id)).toEqual([
    'webhooks deliveries get',
    'webhooks deliveries list',
  ]);
  const {data, global_flags: flags} = await tree('billing-statements', 'finalize');
  expect(flags).toBeUndefined();
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({risk: 'bills', operation: {method: 'POST'}});
  expect(data[0]!.arguments![0]!.summary).toContain('bstm_');
  expect((await run(['commands', 'customers'])).stdout).toMatch(/^customers create\tCreate a customer/);
});

test('refuses an unknown topic with a suggestion that works', async () => {
  const {status, stdout, stderr} = await run(['commands', 'custmers', '--json']);
  expect({status, stdout}).toEqual({status: 2, stdout: ''});
  expect(JSON.parse(stderr)).toMatchObject({
    error: {code: 'unknown_command', hint: 'Did you mean: centavo commands customers'},
  });
  expect((await run(['commands', 'customers', '--json'])).status).toBe(0);
});

test('states the risk of commands that move money or destroy objects', () => {
  const of = (risk: string) => ALL.data.filter((command) => command.risk === risk).map(({id}) => id);
  expect(of('moves_money')).toEqual([
    'api',
    'approve',
    'payment-intents attach',
    'payment-intents capture',
    'refunds create',
  ]);
  expect(of('bills')).toEqual([
    'billing-statements create',
    'billing-statements duplicate',
    'billing-statements finalize',
    'billing-statements import',
    'billing-statements reissue',
    'billing-statements remind',
    'billing-statements send',
    'checkout-sessions create',
    'jobs resume',
  ]);
  expect(of('destroys')).toEqual([
    'billing-statement-line-items delete',
    'billing-statements delete',
    'billing-statements mark-uncollectible',
    'billing-statements settle',
    'billing-statements void',
    'columns forget',
    'customers delete',
    'customers delete-payment-method',
    'jobs remove',
    'jobs void',
    'logout',
    'profiles remove',
    'sandbox projects remove',
    'sandbox reset',
    'sandbox snapshot delete',
    'sandbox snapshot load',
    'webhooks delete',
  ]);
  for (const {id, operation} of operations)
    if (operation.method === 'GET')
      expect(ALL.data.find((each) => each.id === id.replace(':', ' '))!.risk, id).toBe('reads');
});

/** The type of each kind of field. */
const TYPES: Readonly<Record<string, string | undefined>> = {
  boolean: 'boolean',
  centavos: 'money',
  choice: 'choice',
  email: 'email',
  id: 'reference',
  integer: 'integer',
  items: 'item',
  list: 'list',
  metadata: 'pair',
  timestamp: 'date',
  url: 'url',
};

test('types, choices, prefixes and required flags match the contract', () => {
  for (const {id, operation} of operations) {
    if (Object.hasOwn(HAND_WRITTEN, id)) continue;
    const {flags = {}} = ALL.data.find((each) => each.id === id.replace(':', ' '))!;
    for (const {flag, field, path} of flagSpecs(operation.params)) {
      const {type, prefix, choices, required} = flags[flag]!;
      expect({type, prefix, choices, required}, `${id} --${flag}`).toEqual({
        type: TYPES[field.kind],
        prefix: field.prefix,
        choices: field.choices,
        required: (path.length === 1 && field.required) || undefined,
      });
    }
  }
});

/** A value of each type. */
const sample = ({type, prefix, choices}: Value): string =>
  choices?.[0] ??
  {
    money: '100',
    integer: '1',
    date: '+1d',
    duration: '1m',
    reference: `${prefix ?? 'cus_'}Made1`,
    url: 'https://shop.example/hook',
    email: 'a@b.co',
    list: 'payment_intent.succeeded',
    item: 'Design @ 100',
    pair: 'a=b',
    event: 'payment_intent.succeeded',
  }[type ?? ''] ??
  '3000';

describe('required flags and arguments', () => {
  /** The requirements of a command, each as words. */
  const needsOf = ({arguments: args = [], flags = {}}: Described) => [
    ...args.filter(({required}) => required).map((value) => [sample(value)]),
    ...Object.entries(flags)
      .filter(([, {required}]) => required)
      .map(([name, value]) => [`--${name}`, sample(value)]),
  ];
  const demanding = ALL.data.filter((each) => needsOf(each).length > 0);

  test.for(demanding.map((each) => [each.id, each] as const))('are each necessary: %s', async ([id, each]) => {
    const needs = needsOf(each);
    for (const left of needs) {
      const words = needs.filter((need) => need !== left).flat();
      const {status, stderr} = await run([...id.split(' '), ...words, '--json', '--no-input']);
      expect(status, `${id} ${words.join(' ')}: ${stderr}`).toBe(2);
    }
  });

  /** Commands that need one of two flags, or an id or a flag. */
  const ONE_OF_SEVERAL = [
    'billing-statements create',
    'billing-statements import',
    'billing-statements remind',
    'refunds create',
    'webhooks replay',
    'webhooks verify',
  ];
  /** Commands that run until they are stopped. */
  const RUNNING = ['dev', 'mcp', 'sandbox demo', 'sandbox serve', 'webhooks listen'];

  test.for(ids.filter((id) => ![...ONE_OF_SEVERAL, ...RUNNING].includes(id)))('are complete: %s', async (id) => {
    const words = needsOf(ALL.data.find((each) => each.id === id)!).flat();
    const {status, stderr} = await run([...id.split(' '), ...words, '--json', '--no-input']);
    if (status !== 0) expect(stderr).not.toMatch(/"code":"missing_(argument|flag)"/);
  });
});
