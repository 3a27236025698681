// `webhooks trigger`: real events in the sandbox, and signed imitations marked as such.

import {describe, expect, test} from 'vitest';
import {inspectSignature} from '../../../src/webhooks/signature/signature.js';
import {temporaryDirectory} from '../../support/cli.js';
import {app} from '../../support/services/app.js';
import {listening, SECRET, unixNow} from '../../support/scenarios/listening.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {commandsIn} from '../../support/commands.js';
import {httpAnswer, rawServer, TEST_KEY} from '../../support/services/servers.js';

describe('in the sandbox', () => {
  test.for([
    ['payment_intent.succeeded', 'payment-intents', 'status', 'succeeded'],
    ['billing_statement.paid', 'billing-statements', 'status', 'paid'],
    ['billing_statement.voided', 'billing-statements', 'status', 'void'],
    ['checkout_session.expired', 'checkout-sessions', 'status', 'expired'],
    ['payment_intent.amount_capturable', 'payment-intents', 'status', 'awaiting_capture'],
  ])('%s is about an object that can be looked up', async ([type, topic, field, value]) => {
    const run = commandsIn(temporaryDirectory());
    const result = await run(['webhooks', 'trigger', type!, '--json']);
    expect(result, result.stderr).toMatchObject({status: 0});
    const event = result.json();
    expect(event).toMatchObject({resource: 'event', type, livemode: false});
    const object = (await run([topic!, 'get', event.data.id, '--json'])).json();
    expect(object[field!]).toBe(value);
  });

  test('applies --set, and uses the object of --from', async () => {
    const directory = temporaryDirectory();
    const run = commandsIn(directory);
    const merchant = new Merchant(directory);
    const {id} = await merchant.open();
    const set = ['--set', 'amount=500000', '--set', 'metadata[order]=1042', '--set', 'customer[name]=Niño'];
    const made = (await run(['webhooks', 'trigger', 'billing_statement.paid', ...set, '--json'])).json().data;
    expect(made).toMatchObject({amount: 500_000, metadata: {order: '1042'}, customer: {name: 'Niño'}});
    const named = (
      await run(['webhooks', 'trigger', 'billing_statement.paid', '--from', id as string, '--json'])
    ).json();
    expect(named.data).toMatchObject({id, status: 'paid'});
    const refused = await run(['webhooks', 'trigger', 'billing_statement.voided', '--from', id as string, '--json']);
    expect(refused.status).toBe(5);
    merchant.close();
  });

  test('reaches every listener', async () => {
    const directory = temporaryDirectory();
    const running = listening(directory, ['--events', 'payout.deposited', '--count', '1']);
    await running.next('ready');
    const event = (await commandsIn(directory)(['webhooks', 'trigger', 'payout.deposited', '--json'])).json();
    expect(await running.next('delivery', ({event_id}) => event_id === event.id)).toMatchObject({verdict: 'genuine'});
    expect(await running.ended).toMatchObject({status: 0});
  });

  test('changes nothing with --dry-run', async () => {
    const directory = temporaryDirectory();
    const run = commandsIn(directory);
    expect((await run(['webhooks', 'trigger', 'billing_statement.paid', '--dry-run'])).status).toBe(0);
    expect((await run(['billing-statements', 'list', '--json'])).json().data).toEqual([]);
  });
});

test('refuses invalid input with exit 2, and lists valid values', async () => {
  const run = commandsIn(temporaryDirectory());
  const rows: [string[], RegExp][] = [
    [[], /type of event is missing/],
    [['billing_statement.piad'], /billing_statement\.paid/],
    [['nonsense'], /billing_statement\.paid/],
    [['billing_statement.paid', '--set', 'colour=red'], /colour/],
    [['billing_statement.paid', '--from', 'pi_1'], /bstm_/],
    [['billing_statement.paid', '--to', 'http://localhost:1/'], /secret-stdin/],
  ];
  await Promise.all(
    rows.map(async ([words, mention]) => {
      const result = await run(['webhooks', 'trigger', ...words]);
      expect(result.status, words.join(' ')).toBe(2);
      expect(result.stderr).toMatch(mention);
    }),
  );
});

test('says once why the sandbox refuses a field', async () => {
  const run = commandsIn(temporaryDirectory());
  expect((await run(['webhooks', 'trigger', 'payment_intent.succeeded', '--set', 'amount=12'])).stderr).toContain(
    'Error: the API refused the request (HTTP 400).\n  The value for amount cannot be less than 2000. Nothing was changed.\n',
  );
});

describe('an imitation', () => {
  test('is signed, marked as an imitation, and has the --set fields', async () => {
    const target = await app();
    const run = commandsIn(temporaryDirectory());
    const words = ['--to', `http://localhost:${target.port}/hook?a=b`, '--secret-stdin', '--set', 'customer[name]=Ana'];
    const result = await run(['webhooks', 'trigger', 'billing_statement.paid', ...words], {input: `${SECRET}\n`});
    expect(result, result.stderr).toMatchObject({status: 0});
    expect(result.stderr).toContain('This is an imitation');
    expect(result.stdout).toContain('imitation');
    expect(`${result.stdout}${result.stderr}`).not.toContain(SECRET);
    const [hit] = target.hits;
    expect(hit!.url).toBe('/hook?a=b');
    const header = [String(hit!.headers['payrex-signature'])];
    expect(inspectSignature({body: hit!.body, header, secrets: [SECRET], now: unixNow(), mode: 'test'})).toMatchObject({
      genuine: true,
    });
    const event = JSON.parse(hit!.body.toString('utf8'));
    expect(event).toMatchObject({type: 'billing_statement.paid', livemode: false, data: {status: 'paid'}});
    expect(event.data.customer).toMatchObject({name: 'Ana', email: expect.stringContaining('@')});
  });

  test('uses a real object of a real account, with one read request', async () => {
    const target = await app(() => 500);
    const id = `pi_${'A'.repeat(32)}`;
    const api = await rawServer(() =>
      httpAnswer('200 OK', JSON.stringify({id, resource: 'payment_intent', amount: 77, livemode: false})),
    );
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const run = commandsIn(temporaryDirectory(), {env});
    const to = ['--to', `http://localhost:${target.port}/`, '--secret-stdin'];
    const sent = await run(['webhooks', 'trigger', 'payment_intent.succeeded', '--from', id, ...to, '--json'], {
      input: SECRET,
    });
    expect(sent.status).toBe(6);
    expect(sent.error()).toMatchObject({code: 'not_accepted', message: expect.stringContaining('500')});
    expect(JSON.parse(target.hits[0]!.body.toString()).data).toMatchObject({id, amount: 77});
    expect(api.requests.map((request) => request.split(' HTTP')[0])).toEqual([`GET /payment_intents/${id}`]);
    await api.close();
  });

  test('is required on a real account: without --to, exit 2 and nothing is sent', async () => {
    const api = await rawServer(() => httpAnswer('200 OK', '{}'));
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const result = await commandsIn(temporaryDirectory(), {env})(
      'webhooks trigger billing_statement.paid --json'.split(' '),
    );
    expect(result.status).toBe(2);
    expect(result.error().hint).toMatch(/--to .*--secret-stdin/);
    expect(api.connections()).toBe(0);
    await api.close();
  });

  test.for([
    ['nobody there', 'http://localhost:1/', SECRET, 6],
    ['no secret', 'http://localhost:1/', '', 2],
    ['a secret that cannot be one', 'http://localhost:1/', 'short', 2],
    ['a place that must not be sent to', 'http://169.254.169.254/', SECRET, 12],
  ] as const)('to %s fails', async ([, to, input, status]) => {
    const words = ['webhooks', 'trigger', 'refund.created', '--to', to, '--secret-stdin', '--json'];
    const result = await commandsIn(temporaryDirectory())(words, {input});
    expect(result.status, result.stderr).toBe(status);
    expect(result.error().exit_code).toBe(status);
  });
});
