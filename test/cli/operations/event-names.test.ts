// Names of events: refuses a misspelt one with a suggestion, and accepts one that the API may add.

import {afterAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {listening} from '../../support/scenarios/listening.js';
import {Merchant} from '../../support/scenarios/merchant.js';

const run = commandsIn(temporaryDirectory(afterAll));
const CREATE = ['webhooks', 'create', '--url', 'http://127.0.0.1:3000/hook', '--json', '--events'];

describe('a misspelt name exits 2 with a suggestion', () => {
  test.for<[string[], string, string]>([
    [[...CREATE, 'billing_statement.piad'], 'billing_statement.piad', 'billing_statement.paid'],
    [[...CREATE, 'refund.created,payment_intent.suceeded'], 'payment_intent.suceeded', 'payment_intent.succeeded'],
    [[...CREATE, 'Billing_Statement.Paid'], 'Billing_Statement.Paid', 'billing_statement.paid'],
    [[...CREATE, 'billing-statement.finalised'], 'billing-statement.finalised', 'billing_statement.finalized'],
    [['webhooks', 'update', 'wh_1', '--events', 'refunds.created'], 'refunds.created', 'refund.created'],
    [['webhooks', 'listen', '--events', 'billing_statement.piad'], '--events', 'billing_statement.paid'],
    [['webhooks', 'listen', '--events', 'payout.*,!payout.craeted'], 'payout.craeted', 'payout.created'],
    [['webhooks', 'listen', '--events', 'billing_statment.*'], 'billing_statment.*', 'billing_statement.*'],
    [['webhooks', 'listen', '--events', 'payment.*'], 'payment.*', 'payment_intent.*'],
    [['webhooks', 'listen', '--route', 'refund.craeted=3001'], '--route', 'refund.created'],
    [['webhooks', 'trigger', 'billing_statement.piad'], '"billing_statement.piad"', 'billing_statement.paid'],
  ])('%j', async ([words, name, meant]) => {
    const {status, stderr} = await run(words);
    expect(status).toBe(2);
    expect(stderr).toContain(name);
    expect(stderr).toMatch(new RegExp(`Did you mean ${meant.replaceAll(/[.*]/g, '\\$&')}\\?`));
    expect((await run(['webhooks', 'list', '--json'])).json().data).toEqual([]);
  });
});

describe('an invalid name exits 2 with the valid names', () => {
  test.for<[string[], RegExp]>([
    [[...CREATE, 'nonsense'], /Kinds: billing_statement\.created, /],
    [[...CREATE, 'payout.*'], /Use full event names[^]*payout\.created,payout\.deposited/],
    [[...CREATE, '*'], /Use full event names/],
    [['webhooks', 'listen', '--events', '*.nowhere'], /matches no known event/],
    [['webhooks', 'listen', '--events', 'paid'], /Kinds: /],
    [['webhooks', 'trigger', 'nonsense'], /Kinds: /],
  ])('%j', async ([words, mention]) => {
    const {status, stderr} = await run(words);
    expect(status).toBe(2);
    expect(stderr).toMatch(mention);
  });
});

describe('an unknown name', () => {
  test('is accepted with a warning that it may never arrive', async () => {
    const words = [...CREATE, 'refund.created,checkout_session.completed'];
    const {status, json} = await run(words);
    expect(status).toBe(0);
    expect(json().events).toEqual(['refund.created', 'checkout_session.completed']);
    const {stderr} = await run(words.filter((word) => word !== '--json'));
    expect(stderr).toContain('"checkout_session.completed" is not a known event');
    expect(stderr).not.toContain('"refund.created"');
  });

  test('that looks misspelt is accepted from --data, as the error says', async () => {
    const refused = await run([...CREATE, 'billing_statement.unpaid']);
    expect(refused.status).toBe(2);
    const [, data] = /--data '([^']+)'/.exec(refused.error<{hint: string}>().hint)!;
    const {json} = await run([...CREATE.slice(0, -1), '--data', data!]);
    expect(json().events).toEqual(['billing_statement.unpaid']);
  });

  test('is received with --unknown-events, including patterns', async () => {
    const directory = temporaryDirectory();
    const merchant = new Merchant(directory);
    const running = listening(directory, ['--events', 'billing_statement.unpaid,loan.*', '--unknown-events']);
    const {webhook_id} = await running.next('ready');
    expect((await merchant.call('GET', `/webhooks/${webhook_id}`)).events).toEqual(['billing_statement.unpaid']);
    await running.stop();
    merchant.close();
  });

  test('that arrives is received', async () => {
    const directory = temporaryDirectory();
    const merchant = new Merchant(directory);
    const {id} = await merchant.call('POST', '/webhooks', {
      url: 'http://127.0.0.1:9/',
      events: ['billing_statement.piad'],
    });
    expect((await commandsIn(directory)(['webhooks', 'get', id, '--json'])).json().events).toEqual([
      'billing_statement.piad',
    ]);
    merchant.close();
  });
});
