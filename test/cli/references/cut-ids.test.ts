// Ids at 80 columns: each table keeps one, a cut one ends with an ellipsis, and what a table shows works when pasted.

import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {readEventFacts} from '../../../src/webhooks/receive/delivery.js';
import {openDeliveries} from '../../../src/webhooks/store/deliveries.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {eventBytes} from '../../support/scenarios/listening.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {customerNumbered, pagedService, statementNumbered} from '../../support/services/paged-service.js';
import {app} from '../../support/services/app.js';
import {LIVE_KEY, TEST_KEY} from '../../support/services/servers.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory, {columns: 80, env: {NO_COLOR: '1'}});

const order = (reference: string) => ({
  currency: 'PHP',
  line_items: [{name: 'T-shirt with a long name', amount: 45_000, quantity: 2}],
  success_url: 'https://shop.example/thanks',
  cancel_url: 'https://shop.example/cart',
  customer_reference_id: reference,
});

/** Whole ids of the sandbox, by what they are. */
const whole: Record<'customer' | 'event' | 'intent' | 'payment' | 'session' | 'statement', string> = {} as never;
const DELIVERIES = ['dlv_0mx00o2n100001dNVdOrXXGz', 'dlv_0mx00o2n100002dNVdOrXXGz'] as const;

beforeAll(async () => {
  const merchant = new Merchant(directory);
  const customer = await merchant.customer({name: 'Barangay Malinis Water Refilling Station'});
  whole.customer = customer.id as string;
  whole.statement = (await merchant.open({customer_id: customer.id})).id as string;
  whole.session = (await merchant.call('POST', '/checkout_sessions', order('ORDER-2031-000000000000001'))).id as string;
  for (const reference of ['CART-1', 'CART-1', 'CART-2', 'CART-3'])
    await merchant.call('POST', '/checkout_sessions', order(reference));
  whole.payment = (await merchant.payment()).id as string;
  await merchant.payment();
  whole.intent = (await merchant.intent()).id as string;
  await merchant.webhook();
  await merchant.refund();
  whole.event = (await merchant.sandbox.listEvents({limit: 1})).data[0]!.id;
  merchant.close();
  const store = openDeliveries(join(directory, 'deliveries.db'), {owner: {pid: process.pid, startedAt: 1}});
  for (const id of DELIVERIES) {
    const body = eventBytes({
      id: `evt_${id.slice(4)}`,
      type: 'billing_statement.will_be_due',
      data: {id: whole.statement},
    });
    const verdict = {genuine: true, mode: 'test', secretIndex: 0, timestamp: 1} as const;
    const rest = {profile: 'sandbox', webhook: 'wh_1', path: '/', headers: [], body, verdict};
    await store.record({id, receivedAt: Date.now(), event: readEventFacts(body), ...rest}, []);
  }
  store.close();
});

const PREFIXES = 'bstm|cus|cs|pi|pay|wh|req|evt|dlv';
const SHOWN = new RegExp(`\\b(?:${PREFIXES})_\\w+…?`, 'g');
const WHOLE = new RegExp(`^(?:dlv_\\w{24}|(?:${PREFIXES})_\\w{32})$`);

describe('at 80 columns', () => {
  test.for([
    ['cus_', 'customers list', 'customers get'],
    ['cs_', 'checkout-sessions list', 'sandbox pay'],
    ['wh_', 'webhooks list', 'webhooks get'],
    ['evt_', 'sandbox events list', 'sandbox events get'],
    ['evt_', 'sandbox events list --type billing_statement.finalized', 'why'],
    ['req_', 'sandbox logs', 'sandbox logs'],
    ['dlv_', 'webhooks deliveries list', 'webhooks deliveries get'],
    ['bstm_', 'webhooks deliveries list', 'why'],
    ['pay_', 'payments get PAYMENT PAYMENT', 'payments get'],
    ['pi_', 'payment-intents get INTENT INTENT', 'why'],
  ] as const)('%s of %s stays, and works in %s', async ([prefix, list, command]) => {
    const words = list.replaceAll('PAYMENT', whole.payment).replaceAll('INTENT', whole.intent).split(' ');
    const table = await run(words);
    expect(table.status, table.stderr).toBe(0);
    const [header, ...lines] = table.stdout.trimEnd().split('\n');
    expect(header).toMatch(/ ID\b/);
    for (const line of lines) expect([...line].length, line).toBeLessThanOrEqual(80);
    const shown = table.stdout.match(SHOWN)!;
    for (const id of shown) expect(id).toMatch(id.endsWith('…') ? /_\w{8,}…$/ : WHOLE);
    const pasted = shown.find((id) => id.startsWith(prefix))!;
    const used = await run([...command.split(' '), pasted]);
    expect(used.status, used.stderr).toBe(0);
    if (pasted.endsWith('…')) expect(used.stderr).toMatch(new RegExp(`${pasted} is |Found Barangay`));
  });
});

describe('a cut id, or the start of one, works in', () => {
  const start = (id: string): string[] => [`${id.slice(0, 13)}…`, id.slice(0, 13)];
  test.for([
    ['customer', ['customers', 'get']],
    ['session', ['checkout-sessions', 'get']],
    ['payment', ['payments', 'get']],
    ['payment', ['get']],
    ['statement', ['why']],
    ['event', ['why']],
    ['intent', ['sandbox', 'logs', '--object']],
    ['intent', ['sandbox', 'pay']],
  ] as const)('%s: %j', async ([kind, words]) => {
    for (const typed of start(whole[kind])) {
      const result = await run([...words, typed], {columns: undefined});
      expect(result.status, result.stderr).toBe(0);
      expect(result.stderr).toContain(whole[kind]);
      if (words[1] === 'pay') return;
    }
  });

  test('webhooks replay', async () => {
    const target = await app();
    const replayed = await run([
      'webhooks',
      'replay',
      `${DELIVERIES[1].slice(0, 20)}…`,
      '--forward-to',
      `${target.port}`,
    ]);
    expect(replayed).toMatchObject({status: 0, stderr: expect.stringContaining(`is ${DELIVERIES[1]}\n`)});
    expect(target.hits).toHaveLength(1);
  });
});

test('a cut id that several ids start with: exit 2 with some of them, and what they are', async () => {
  const result = await run(['webhooks', 'deliveries', 'get', `${DELIVERIES[0].slice(0, 16)}…`], {columns: undefined});
  expect(result).toMatchObject({status: 2, stdout: ''});
  expect(result.stderr).toMatch(/^Error: several ids start with "dlv_0mx00o2n1000"\.$/m);
  for (const id of DELIVERIES) expect(result.stderr).toContain(`${id} (`);
  const coded = await run(['webhooks', 'deliveries', 'get', 'dlv_0', '--json']);
  expect(coded.error()).toMatchObject({code: 'id_ambiguous', candidates: DELIVERIES.map((id) => ({id}))});
  expect((await run(['webhooks', 'deliveries', 'get', 'dlv_zzz…'])).status).toBe(3);
});

test('sandbox pay takes a reference, or says which payments it could be', async () => {
  const twice = await run(['sandbox', 'pay', 'CART-1', '--json']);
  expect([twice.status, twice.error().code, twice.error().candidates]).toMatchObject([
    2,
    'statement_ambiguous',
    [{}, {}],
  ]);
  expect(await run(['sandbox', 'pay', 'cart-2'])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('₱900.00'),
  });
});

describe('on a real account', () => {
  const cut = `pay_${'0'.repeat(10)}…`;
  test('centavo searches its own records for a cut id, and no list', async () => {
    const api = await pagedService();
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const refused = await run(['payments', 'get', cut], {env});
    expect(refused).toMatchObject({status: 2, stderr: expect.stringContaining(`${cut} is only the start of an id.`)});
    expect(refused.stderr).toContain('--fields id');
    expect(api.requests).toEqual([]);
    // The sandbox's ids are not this account's.
    expect((await run(['payments', 'get', `${whole.payment.slice(0, 13)}…`], {env})).status).toBe(2);
    const delivered = await run(['why', `evt_${DELIVERIES[0].slice(4, 20)}…`], {env});
    expect(delivered).toMatchObject({status: 0, stderr: expect.stringContaining(`is evt_${DELIVERIES[0].slice(4)}\n`)});
  });

  test.for([
    ['statement', ['billing-statements', 'send'], `bstm_${'0'.repeat(10)}`],
    ['customer', ['customers', 'delete'], `cus_${'0'.repeat(10)}`],
    ['payment', ['payments', 'update'], cut],
    ['refund', ['refunds', 'create', '--amount', '100', '--reason', 'others', '--payment'], cut],
  ] as const)('a live change of a %s does not take a cut id', async ([, words, typed]) => {
    const api = await pagedService();
    api.customers.push(customerNumbered(1, {livemode: true}));
    api.statements.push(statementNumbered(1, {livemode: true}));
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: LIVE_KEY};
    const more = words[0] === 'payments' ? ['--description', 'Rent'] : [];
    const result = await run([...words, typed, ...more, '--live', '--yes'], {env, columns: undefined});
    expect(result).toMatchObject({status: 2, stdout: ''});
    expect(result.stderr).toMatch(/is only the start of an id/);
    expect(api.requests.filter((each) => !each.startsWith('GET '))).toEqual([]);
  });
});
