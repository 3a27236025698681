// Several ids, and `-`: every command with an id takes several in the same way, or one for a reason.

import {afterAll, describe, expect, test} from 'vitest';
import {emptyList, temporaryDirectory} from '../../support/cli.js';
import {CALLS} from '../../support/scenarios/calls.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';

type Wire = Record<string, any>;

interface Described {
  readonly id: string;
  readonly arguments?: readonly {readonly name: string; readonly prefix?: string; readonly multiple?: boolean}[];
}

const commands = (await commandsIn(temporaryDirectory(afterAll))(['commands', '--json'])).json<{data: Described[]}>()
  .data;
const taking = commands.filter(({arguments: given}) => given?.some(({prefix}) => prefix !== undefined));
const [several, one] = [true, false].map((many) =>
  taking.filter(({arguments: [first] = []}) => Boolean(first!.multiple) === many),
) as [Described[], Described[]];

/** Commands that take one id, with the reason. */
const ONE: Readonly<Record<string, string>> = {
  'billing-statement-line-items update': 'what is changed is that of one object',
  'billing-statements update': 'what is changed is that of one object',
  'customers update': 'what is changed is that of one object',
  'payment-intents update': 'what is changed is that of one object',
  'payments update': 'what is changed is that of one object',
  'refunds update': 'what is changed is that of one object',
  'webhooks update': 'what is changed is that of one object',
  'payment-intents attach': 'the payment method is for one intent',
  'payment-intents capture': 'the amount is that of one intent',
  'customers delete-payment-method': 'two ids name one payment method',
  approve: 'each change is shown and confirmed',
  'billing-statements aging': 'without an id it is all customers',
  'billing-statements create': 'one customer is billed',
  'billing-statements edit': 'what is changed is that of one object',
  'billing-statements duplicate': 'the new statement is shown and confirmed',
  'billing-statements reissue': 'the new statement is shown and confirmed',
  'billing-statements settle': 'each has a reason of its own',
  'billing-statements link': 'a list has the links: billing-statements list --fields number,url',
  'billing-statements open': 'one page in a browser',
  'billing-statements print': 'one page in one file',
  'billing-statements wait': 'one verdict, in its exit code',
  'customers ledger': 'one balance',
  'customers list-payment-methods': 'it is a list',
  'payouts list-transactions': 'it is a list',
  paid: 'it is a list',
  'refunds create': 'the amount is that of one payment',
  'jobs get': 'it is a list',
  'jobs remove': 'what happens to the import is confirmed',
  'jobs resume': 'one run with one confirmation',
  'jobs void': 'its statements are shown and asked about together',
  'sandbox events get': 'an event with its attempts',
  'sandbox events resend': 'one event to each webhook',
  'sandbox logs': 'a request with its bodies',
  'webhooks deliveries get': 'a delivery with its attempts',
  'webhooks verify': 'one verdict',
};

/** Creates an object for commands that are not operations. */
const MAKES: Readonly<Record<string, (directory: string) => Promise<string>>> = {
  'billing-statements remind': (directory) => withMerchant(directory, async (merchant) => (await merchant.open()).id),
};
/** Their output is not the objects; tested with deliveries. */
const OTHERWISE = ['webhooks replay'];
/** They read all named objects first, and do nothing if one is missing. */
const ALL_OR_NOTHING = ['billing-statements remind'];

async function withMerchant<T>(directory: string, work: (merchant: Merchant) => Promise<T>): Promise<T> {
  const merchant = new Merchant(directory);
  return work(merchant).finally(() => merchant.close());
}

/** Two ids that the command can be used on. */
async function twoFor(id: string, directory: string): Promise<[string, string]> {
  const make =
    MAKES[id] ?? ((at) => withMerchant(at, async (merchant) => (await CALLS[id.replace(' ', ':')]!(merchant))[0]!));
  return [await make(directory), await make(directory)];
}

test('each command that takes a single id has a reason', () => {
  expect(one.map(({id}) => id).sort()).toEqual(Object.keys(ONE).sort());
});

describe.each(
  several.filter(({id}) => !OTHERWISE.includes(id)).map(({id, arguments: [first] = []}) => [id, first!.prefix!]),
)('%s', (id, prefix) => {
  const nobody = `${prefix}nobody`;

  test('prints the existing objects in order and names the others; an empty list for an empty stdin', async () => {
    const directory = temporaryDirectory();
    const run = commandsIn(directory);
    const words = [...id.split(' '), '-', '--yes', '--json'];
    expect(await run(words, {input: '\n'})).toMatchObject({
      status: 0,
      stdout: emptyList('sandbox'),
      stderr: '',
    });
    const [first, second] = await twoFor(id, directory);
    const input = [{id: first}, {id: nobody, name: 'x'}, {id: second}].map((each) => JSON.stringify(each)).join('\n');
    const result = await run(words, {input});
    if (ALL_OR_NOTHING.includes(id)) return expect(result).toMatchObject({status: 3, stdout: ''});
    expect(result.status, result.stderr).toBe(11);
    expect(result.rows<Wire>().map((each) => each.id)).toEqual([first, second]);
    expect(result.error()).toMatchObject({code: 'partial', results: [{id: nobody, applied: 'no'}]});
  });
});

test('refuses single-object flags for several', async () => {
  const run = commandsIn(temporaryDirectory());
  const result = await run(['payment-intents', 'get', 'pi_1', 'pi_2', '--client-secret', 'pi_1_secret_x', '--json']);
  expect(result.status).toBe(2);
  expect(result.error()).toMatchObject({code: 'invalid_flag'});
});
