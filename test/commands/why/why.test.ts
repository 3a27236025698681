// “My order is not marked paid”: the full output of `why` for each of eight planted causes. Texts are in texts/.

import {createHmac} from 'node:crypto';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {processIdentityOf} from '../../../src/processes/process-identity.js';
import {readEventFacts} from '../../../src/webhooks/receive/delivery.js';
import {openDeliveries} from '../../../src/webhooks/store/deliveries.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {receiver} from '../../support/sandbox/receiver.js';
import {type ListeningOptions, eventBytes, listening, unixNow} from '../../support/scenarios/listening.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {app, type Hit, type Said} from '../../support/services/app.js';
import {TEST_KEY} from '../../support/services/servers.js';
import {pagedService, statementNumbered} from '../../support/services/paged-service.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

type Wire = Record<string, any>;

/** Replaces ids, ports and times, which change, and the number of attempts before the listener ended. */
const steady = (text: string): string =>
  text
    .replace(/\b(bstm|cus|pi|pay|evt|wh|req|dlv|re)_[A-Za-z0-9]{8,}/g, '$1_…')
    .replace(/\b\d\d:\d\d:\d\d\b/g, 'HH:MM:SS')
    .replace(/(?<=localhost:|127\.0\.0\.1:|--forward-to )\d{4,5}\b/g, 'PORT')
    .replace(/, \d+ times/g, '')
    .replace(/[ \t]+$/gm, '');

const typeOf = ({body}: Hit): string => (JSON.parse(body.toString()) as {type: string}).type;

/** An app that compares this part of the signature with its own secret. */
function verifying(secret: string, part: 'li' | 'te') {
  return ({headers, body}: Hit): Said => {
    const signature = String(headers['payrex-signature']);
    const given = new RegExp(`${part}=([0-9a-f]*)`).exec(signature)?.[1];
    const text = `${/t=(\d+)/.exec(signature)?.[1]}.${body.toString()}`;
    const isRight = given === createHmac('sha256', secret).update(text).digest('hex');
    if (isRight) return 200;
    return {status: 400, body: JSON.stringify({error: given ? 'The signature is wrong' : 'No live signature'})};
  };
}

interface Shop {
  readonly directory: string;
  readonly run: ReturnType<typeof commandsIn>;
  /** An open statement of ₱1,500.00. */
  readonly bill: () => Promise<Wire>;
  readonly why: (id: string) => Promise<string>;
}

function shop(): Shop {
  const directory = temporaryDirectory(onTestFinished);
  const run = commandsIn(directory);
  return {
    directory,
    run,
    bill: async () => {
      const merchant = new Merchant(directory, () => Math.floor(Date.now() / 1000));
      const {id} = await merchant.customer({name: 'Juan', email: 'juan@example.com', billing_statement_prefix: 'SHOP'});
      const statement = await merchant.open({customer_id: id});
      merchant.close();
      return statement;
    },
    why: async (id) => {
      const {status, stdout, stderr} = await run(['why', id]);
      expect({status, stderr}).toEqual({status: 0, stderr: ''});
      return stdout;
    },
  };
}

/** A listener that forwards to an app with this answer, and a statement paid while it ran. */
async function paidWhileListening(
  answer: (hit: Hit) => Said,
  options?: ListeningOptions,
): Promise<Shop & {readonly id: string}> {
  const desk = shop();
  const {port} = await app(answer);
  const listener = listening(desk.directory, ['--forward-to', `${port}/hook`], options);
  await listener.next('ready');
  const {id} = await desk.bill();
  await desk.run(['sandbox', 'pay', id as string]);
  await listener.next('forward', ({event_type: type}) => type === 'payment_intent.succeeded');
  await listener.next('delivery', ({event_type: type}) => type === 'billing_statement.paid');
  await listener.stop();
  return {...desk, id};
}

const lastLines = (text: string): string => text.trimEnd().split('\n\n').at(-1)!;

describe('the order is not marked paid, because', () => {
  test.for<[cause: string, answer: (hit: Hit) => Said, said: RegExp]>([
    ['the app has another secret', verifying('whsk_of_yesterday', 'te'), /400 “The signature is wrong”.*signature/s],
    ['the app expects the other mode', verifying('whsk_of_yesterday', 'li'), /400 “No live signature”.*mode/s],
    ['no handler is at this path', () => ({status: 404, body: 'Cannot POST /hook'}), /404 .*no route for this path/s],
    [
      'the handler fails',
      () => ({status: 500, body: '{"error":"TypeError: no order"}'}),
      /500 “TypeError.*see its log/s,
    ],
    ['the app does nothing with it', () => 200, /accepted .*200\. Check how\s+your app/s],
    [
      'an earlier event holds it',
      (hit) => (typeOf(hit) === 'billing_statement.finalized' ? 500 : 200),
      /billing_statement\.paid: held: waits for\s+billing_statement\.finalized.*500/s,
    ],
  ])('%s', async ([cause, answer, said]) => {
    // A refused event is retried until the listener's process has ended.
    const {id, why} = await paidWhileListening(answer, {isProcess: /fails|holds/.test(cause)});
    const text = await why(id);
    expect(lastLines(text)).toMatch(said);
    expect(lastLines(text)).toMatch(/^Next: centavo webhooks (deliveries get dlv_|replay evt_)/m);
    await expect(steady(text)).toMatchFileSnapshot(`texts/${cause.replaceAll(' ', '-')}.txt`);
  });

  test('the app refused the refund, and only that', async () => {
    const desk = shop();
    const {port} = await app((hit) => (typeOf(hit) === 'refund.created' ? 400 : 200));
    const listener = listening(desk.directory, ['--forward-to', `${port}/hook`]);
    await listener.next('ready');
    const {id} = await desk.bill();
    await desk.run(['sandbox', 'pay', id as string]);
    await desk.run(['refund', id as string, '--yes', '--amount', '100', '--reason', 'others']);
    await listener.next('forward', ({event_type: type}) => type === 'refund.created');
    await listener.stop();
    const text = lastLines(await desk.why(id as string));
    expect(text).toMatch(/was refunded\. refund\.created: .*\s+answered\s+400\./s);
    expect(text).toMatch(/^Next: centavo webhooks replay evt_/m);
  });

  test('no webhook asks for it', async () => {
    const {run, bill, why} = shop();
    const {id} = await bill();
    // The sample webhooks exist nowhere.
    await run(['webhooks', 'create', '--url', 'https://shop.example/hook', '--events', 'billing_statement.paid']);
    await run(['webhooks', 'create', '--url', 'http://127.0.0.1:9/hook', '--events', 'refund.created']);
    await run(['sandbox', 'pay', id as string]);
    const text = await why(id as string);
    expect(lastLines(text)).toMatch(/No webhook on this machine subscribed to billing_statement\.paid/);
    await expect(steady(text)).toMatchFileSnapshot('texts/no-webhook-asks-for-it.txt');
    const [next, then] = [...text.matchAll(/(?:Next|Then): centavo (.*)/g)].map(([, words]) => words!);
    expect((await run(next!.split(' '))).status).toBe(0);
    expect(then).toMatch(/^sandbox events resend evt_/);
    expect(await why(id as string)).toMatch(/is subscribed now.*Next: centavo sandbox events resend evt_/s);
  });

  test('the listener was killed', async () => {
    const {directory, run, bill, why} = shop();
    const {port} = await app(() => 200);
    const words = ['--forward-to', `${port}/hook`, '--name', 'till'];
    const listener = listening(directory, words, {isProcess: true});
    await listener.next('ready');
    const {id} = await bill();
    await run(['sandbox', 'pay', id as string]);
    await listener.next('forward', ({event_type: type}) => type === 'billing_statement.paid');
    await listener.stop('SIGKILL');
    const {id: other} = await bill();
    await run(['sandbox', 'pay', other as string]);
    const text = await why(other as string);
    await expect(steady(text)).toMatchFileSnapshot('texts/the-listener-was-killed.txt');
    expect(lastLines(text)).toContain(`Next: centavo webhooks listen ${words.join(' ')}`);
    const [last] = (await run(['sandbox', 'events', 'list', '--limit', '1', '--json'])).json<Wire>().data;
    // It runs again, and has not received anything yet.
    const store = openDeliveries(join(directory, 'deliveries.db'), {owner: {pid: process.pid, startedAt: 1}});
    const self = processIdentityOf(process.pid, Math.round(performance.timeOrigin));
    store.endpoints.claim('endpoint sandbox sandbox till', self, () => false);
    const running = lastLines(await why(other as string));
    expect(running).toMatch(/^Next: centavo sandbox events resend evt_/m);
    expect(running).not.toMatch(/webhooks listen|did not run/);
    store.endpoints.release(self);
    store.close();
    const back = listening(directory, words);
    await back.next('forward', ({event_id: event}) => event === last.id);
    expect(await back.stop()).toBe(130);
    expect(await why(other as string)).toContain('Your app accepted payment_intent.succeeded');
    const delivery = /deliveries get (dlv_\w+)/.exec(await why(other as string))![1]!;
    expect(lastLines(await why(delivery))).toContain('Your app accepted payment_intent.succeeded');
  });

  test('the payment failed', async () => {
    const {run, bill, why} = shop();
    const {id} = await bill();
    await run(['sandbox', 'pay', id as string, '--fail', 'funds_insufficient']);
    const text = await why(id as string);
    expect(lastLines(text)).toMatch(/The payment failed with funds_insufficient/);
    await expect(steady(text)).toMatchFileSnapshot('texts/the-payment-failed.txt');
    const next = /Next: centavo (.*)/.exec(text)![1]!;
    expect((await run(next.split(' '))).status).toBe(0);
    expect(lastLines(await why(id as string))).not.toContain('failed');
  });
});

describe('arguments', () => {
  test('accepts a statement number, customer or own number; an intent, event or request; a session by metadata', async () => {
    const {directory, run, bill} = shop();
    const statement = await bill();
    const merchant = new Merchant(directory, () => Math.floor(Date.now() / 1000));
    const paid = controlOf(merchant.sandbox).pay(statement.id as string, {}) as Wire;
    const order = {
      currency: 'PHP',
      line_items: [{name: 'T-shirt', amount: 45_000, quantity: 2}],
      success_url: 'https://shop.example/thanks',
      cancel_url: 'https://shop.example/cart',
      metadata: {order: 'ORDER-77'},
      customer_reference_id: 'CART-77',
    };
    const session = await merchant.call('POST', '/checkout_sessions', order);
    const refund = await merchant.call('POST', '/refunds', {
      ...{payment_id: paid.payment.id, amount: 100, currency: 'PHP', reason: 'requested_by_customer'},
    });
    const events = (await merchant.sandbox.listEvents({limit: 1})).data;
    const requests = (await merchant.sandbox.requestLog()).list({limit: 1}).data;
    await expect(merchant.call('POST', '/checkout_sessions', {...order, currency: 'USD'})).rejects.toThrow('400');
    const [refused] = (await merchant.sandbox.requestLog()).list({limit: 1}).data;
    const meant = async (typed: string): Promise<string> => {
      const {stdout, stderr} = await run(['why', typed, '--json']);
      expect(stderr, typed).toBe('');
      return (JSON.parse(stdout) as Wire).object.id as string;
    };
    const {id} = statement;
    expect(await meant(statement.billing_statement_number as string)).toBe(id);
    expect(await meant('juan@example.com')).toBe(id);
    expect(await meant(paid.payment_intent.id as string)).toBe(paid.payment_intent.id);
    expect(await meant(paid.payment.id as string)).toBe(paid.payment.id);
    expect([id, paid.payment_intent.id, refund.id]).toContain(await meant(events[0]!.id));
    expect(await meant('ORDER-77')).toBe(session.id);
    expect(await meant('CART-77')).toBe(session.id);
    expect((await run(['why', id as string, '--json'])).json<Wire>().ids).toContain(refund.id);
    expect(await meant(requests[0]!.id!)).toBe(refund.id);
    expect((await run(['why', refused!.id!])).stdout).toMatch(
      /POST \/checkout_sessions 400 \w+: not a payment\.\nNext: centavo sandbox logs req_/,
    );
    const newer = await merchant.call('POST', '/checkout_sessions', order);
    merchant.close();
    const several = await run(['why', 'ORDER-77']);
    expect(several.stderr).toBe(
      `2 have the reference "ORDER-77": ${newer.id} (open), ${session.id} (open). This is the first.\n`,
    );
    expect(several.stdout).toContain(newer.id);
  });

  test('exits with 3 for an unknown id, and suggests a real account', async () => {
    const {run} = shop();
    const {status, stderr} = await run(['why', 'pi_nothing']);
    expect(status).toBe(3);
    expect(stderr).toBe(
      'Error: "pi_nothing" was not found in the sandbox.\n  To look in a real account, add --profile.\n',
    );
    expect((await run(['why', 'whsk_0123456789'])).stderr).not.toContain('whsk_0');
    expect((await run(['why'])).status).toBe(2);
    expect(await run(['why', 'ORD-9999'])).toMatchObject({
      status: 3,
      stderr:
        'Error: no billing statement has the number ORD-9999, and no checkout session or payment intent has that reference.\n' +
        '  To list checkout sessions: centavo checkout-sessions list\n',
    });
    const session = await run(['checkout-sessions', 'get', 'ORD-9999', '--json']);
    expect(session.error()).toMatchObject({code: 'invalid_id', next: [['get', 'ORD-9999']]});
    const {id} = (
      await run(['customers', 'create', '--name', 'Juan', '--email', 'j@example.com', '--json'])
    ).json<Wire>();
    expect((await run(['why', id as string])).stderr).toContain('is not a payment.');
  });
});

describe('money', () => {
  /** A card of the sandbox that waits for 3-D Secure. */
  const CHALLENGED = '4000000000003220';
  const finding = async ({run}: Shop, typed: string): Promise<Wire> => {
    const {status, stdout} = await run(['why', typed, '--json']);
    expect(status).toBe(0);
    const {finding: found, standing} = JSON.parse(stdout) as Wire;
    expect(found.message).not.toMatch(/obody/);
    return {...found, standing};
  };
  const order = (reference: string, more: object = {}) => ({
    currency: 'PHP',
    line_items: [{name: 'T-shirt', amount: 45_000, quantity: 2}],
    success_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/cart',
    customer_reference_id: reference,
    ...more,
  });
  const manual = {payment_method_options: {card: {capture_type: 'manual'}}};

  test('held on a card: until when, and the command that collects it', async () => {
    const desk = shop();
    const merchant = new Merchant(desk.directory, () => Math.floor(Date.now() / 1000));
    const {id} = await merchant.call('POST', '/checkout_sessions', order('CART-1', manual));
    controlOf(merchant.sandbox).pay(id as string, {});
    merchant.close();
    const held = await finding(desk, 'CART-1');
    expect(held).toMatchObject({
      code: 'money_held',
      message: expect.stringMatching(/^cs_\w+ is not collected yet: ₱900\.00 is held on a card until \d+ \w+\.$/),
      next: expect.stringMatching(/^centavo payment-intents capture pi_\w+ --amount 900\.00$/),
      standing: {state: 'held', attempt: 'held', held: 90_000, received: 0, balance: 0},
    });
    expect((await desk.run((held.next as string).split(' ').slice(1))).status).toBe(0);
    expect((await finding(desk, 'CART-1')).standing).toMatchObject({state: 'paid', received: 90_000, held: 0});
  });

  test('waits for the approval of the customer, and the sandbox can approve it', async () => {
    const desk = shop();
    const {id} = await desk.bill();
    await desk.run(['sandbox', 'pay', id as string, '--card', CHALLENGED]);
    const waiting = await finding(desk, id as string);
    expect(waiting).toMatchObject({
      code: 'in_progress',
      message: 'SHOP-0001 is open: the customer started a payment and has not approved it yet.',
      standing: {state: 'approving', attempt: 'approving', balance: 150_000},
    });
    expect((await desk.run((waiting.next as string).split(' ').slice(1))).status).toBe(0);
    expect((await finding(desk, id as string)).standing.state).toBe('paid');
  });

  test('paid outside, replaced, refunded: each by its name', async () => {
    const desk = shop();
    const [cash, old, paid] = [await desk.bill(), await desk.bill(), await desk.bill()];
    await desk.run(['settle', cash.id as string, '--paid-outside', 'cash, 12 Nov']);
    expect(await finding(desk, cash.id as string)).toMatchObject({
      code: 'settled',
      message: expect.stringMatching(/^SHOP-0001 was paid outside the service on .*: cash, 12 Nov\. /),
      next: `centavo get ${cash.id}`,
      standing: {state: 'settled', received: 0, settled: 150_000},
    });
    const reissued = await desk.run(['billing-statements', 'reissue', old.id as string, '--json', '--yes']);
    expect(reissued.status).toBe(0);
    expect(await finding(desk, old.id as string)).toMatchObject({
      code: 'replaced',
      message: expect.stringMatching(/ was replaced by SHOP-\d+\.$/),
      next: expect.stringMatching(/^centavo why SHOP-\d+$/),
    });
    await desk.run(['sandbox', 'pay', paid.id as string]);
    const refund = ['refunds', 'create', '--statement', paid.id as string, '--amount', '500', '--reason', 'others'];
    expect((await desk.run([...refund, '--yes'])).status).toBe(0);
    const refunded = await finding(desk, paid.id as string);
    expect(refunded.message).toMatch(/ was paid on .* by card, and ₱500\.00 of it was refunded\. /);
    expect(refunded.standing).toMatchObject({state: 'partly_refunded', received: 150_000, refunded: 50_000});
  });

  test('of several with one reference, names the paid one; pays the open one', async () => {
    const desk = shop();
    let now = Math.floor(Date.now() / 1000) - 60;
    const merchant = new Merchant(desk.directory, () => now);
    const older = await merchant.call('POST', '/checkout_sessions', order('CART-7100'));
    now += 30;
    const {id: first} = await merchant.open({metadata: {order: 'CART-8200'}});
    const {id: intent} = await merchant.call('POST', '/payment_intents', {
      ...{amount: 20_000, currency: 'PHP', payment_methods: ['card'], metadata: {order: 'cart-7100'}},
    });
    merchant.close();
    expect((await desk.run(['sandbox', 'pay', older.id as string])).status).toBe(0);
    expect((await desk.run(['why', 'CART-7100'])).stderr).toBe(
      `2 have the reference "CART-7100": ${older.id} (paid), ${intent} (open). This is the first.\n`,
    );
    const both = (await desk.run(['why', 'CART-7100', '--json'])).json<Wire>();
    expect(both).toMatchObject({object: {id: older.id}, standing: {state: 'paid', received: 90_000}});
    expect((await desk.run(['get', 'CART-7100', '--json'])).json<Wire>().id).toBe(older.id);
    expect((await desk.run(['find', 'cart-7100', '--json'])).json<Wire>().data).toMatchObject([
      {id: older.id, resource: 'checkout_session', name: 'CART-7100', amount: 90_000, state: 'paid'},
      {id: intent, resource: 'payment_intent', amount: 20_000, state: 'open', matched: 'reference'},
    ]);
    expect((await desk.run(['get', 'CART-8200', '--json'])).json<Wire>().id).toBe(first);
    const pay = await desk.run(['sandbox', 'pay', 'CART-7100', '--json']);
    expect(pay).toMatchObject({status: 0, stderr: ''});
    expect(pay.json<Wire>().payment_intent.id).toBe(intent);
    const again = await desk.run(['sandbox', 'pay', 'CART-7100']);
    expect(again.status).toBe(5);
    // Both are paid: the newest is the first.
    expect(again.stderr).toContain(`${intent} (paid), ${older.id} (paid). This is the first.`);
    expect(again.stderr).toContain('Its status is succeeded.');
  });

  test('several open ones with one reference are not paid by it', async () => {
    const desk = shop();
    const merchant = new Merchant(desk.directory, () => Math.floor(Date.now() / 1000));
    for (const _ of [1, 2]) await merchant.call('POST', '/checkout_sessions', order('CART-7200'));
    merchant.close();
    const pay = await desk.run(['sandbox', 'pay', 'CART-7200']);
    expect(pay.status).toBe(2);
    expect(pay.stderr).toMatch(
      /^Error: "CART-7200" names 2 open payments\.\n.*\n?.*Use one of these: cs_\w+ \(open\), cs_\w+ \(open\)\n$/,
    );
  });
});

test('on a real account: shows the object, deliveries and changes of this machine, and what is unknown', async () => {
  const place = await pagedService();
  const payment = {id: 'pay_1', resource: 'payment'};
  const intent = {id: 'pi_5Ls8', resource: 'payment_intent', status: 'succeeded', latest_payment: payment};
  place.statements = [
    statementNumbered(1, {status: 'paid', payment_intent: intent}),
    statementNumbered(2, {payment_intent: {...intent, status: 'awaiting_payment_method', latest_payment: null}}),
    statementNumbered(3, {payment_intent: {...intent, status: 'processing', latest_payment: null}}),
  ];
  const directory = temporaryDirectory(onTestFinished);
  const run = commandsIn(directory, {env: {CENTAVO_BASE_URL: place.url, CENTAVO_SECRET_KEY: TEST_KEY}});
  const {stdout, stderr} = await run(['why', 'SHOP-0001']);
  expect(stderr).toBe('Requests from other machines and responses of other webhooks are not recorded here.\n');
  expect(lastLines(stdout)).toMatch(/^It is paid\. No event of it has reached this machine/);
  const open = (await run(['why', 'SHOP-0002', '--json'])).json<Wire>();
  expect(open).toMatchObject({is_complete: false, ids: [place.statements[1]!.id, 'pi_5Ls8'], timeline: []});
  expect(open.finding).toEqual({
    code: 'not_paid',
    message: 'SHOP-0002 is open. Nothing was paid.',
    next: `centavo get ${place.statements[1]!.id}`,
    after: null,
  });
  expect((await run(['why', 'SHOP-0003', '--json'])).json<Wire>().finding).toMatchObject({
    message:
      'SHOP-0003 is being paid: the customer approved the payment, and the service is processing it. An event follows when it succeeds.',
    next: null,
  });

  const store = openDeliveries(join(directory, 'deliveries.db'), {owner: {pid: process.pid, startedAt: 1}});
  const body = eventBytes({id: 'evt_1', type: 'payment_intent.succeeded', data: {id: 'pi_5Ls8'}});
  await store.record({
    ...{id: 'dlv_1', receivedAt: Date.now(), profile: 'env', webhook: 'wh_1', path: '/', headers: [], body},
    verdict: {genuine: true, mode: 'test', secretIndex: 0, timestamp: unixNow()},
    event: readEventFacts(body),
  });
  store.close();
  const received = (await run(['why', 'SHOP-0001', '--json'])).json<Wire>();
  expect(received.timeline).toMatchObject([
    {type: 'event', id: 'evt_1', name: 'payment_intent.succeeded'},
    {type: 'delivery', id: 'dlv_1', event_id: 'evt_1', outcome: 'not_forwarded'},
  ]);
  expect(received.finding).toMatchObject({
    code: 'not_forwarded',
    next: 'centavo webhooks replay evt_1 --forward-to 3000/webhooks',
  });
  expect((await run(['why', 'evt_1', '--json'])).json<Wire>().finding.code).toBe('not_forwarded');
});

test('on a real account: a session by its reference; a list with few fields says what is not known', async () => {
  const place = await pagedService();
  const intent = {resource: 'payment_intent', amount: 90_000, latest_payment: null};
  const session = {resource: 'checkout_session', amount: 90_000, customer_reference_id: 'CART-1'};
  const held = {status: 'awaiting_capture', amount_capturable: 90_000, capture_before_at: unixNow() + 86_400};
  place.sessions = [
    {
      ...session,
      id: 'cs_2',
      status: 'active',
      payment_intent: {...intent, id: 'pi_2', status: 'awaiting_payment_method'},
    },
    {...session, id: 'cs_1', status: 'completed', payment_intent: {...intent, id: 'pi_1', ...held}},
    {...session, id: 'cs_3', status: 'active', customer_reference_id: 'CART-3', amount: undefined},
  ];
  const directory = temporaryDirectory(onTestFinished);
  const run = commandsIn(directory, {env: {CENTAVO_BASE_URL: place.url, CENTAVO_SECRET_KEY: TEST_KEY}});
  const why = await run(['why', 'cart-1']);
  expect(why.stderr).toContain('2 have the reference "cart-1": cs_1 (held), cs_2 (open). This is the first.\n');
  expect(lastLines(why.stdout)).toMatch(
    /^cs_1 is not collected yet: ₱900\.00 is held on a card until .*\nNext: centavo payment-intents capture pi_1 --amount 900\.00$/s,
  );
  expect((await run(['find', 'CART-1', '--json'])).json<Wire>().data).toMatchObject([{id: 'cs_1'}, {id: 'cs_2'}]);
  expect((await run(['get', 'CART-1', '--json'])).json<Wire>().id).toBe('cs_1');
  const thin = (await run(['why', 'CART-3', '--json'])).json<Wire>();
  expect(thin.standing).toMatchObject({state: 'open', attempt: 'unknown', held: null, billed: null});
  expect(thin.standing.unknown).toEqual(['attempt', 'amount']);
  expect(thin.finding.message).toBe('cs_3 is open. The service does not say if a payment is under way.');
  const unknown = await run(['why', 'CART-9']);
  expect(unknown.status).toBe(3);
  expect(unknown.stderr).toContain('CART-9');
});

test('with two listeners of one event, replays the refused delivery of different responses', async () => {
  const place = await pagedService();
  const intent = {id: 'pi_5Ls8', resource: 'payment_intent', status: 'succeeded'};
  place.statements = [statementNumbered(1, {status: 'paid', payment_intent: intent})];
  const directory = temporaryDirectory(onTestFinished);
  const run = commandsIn(directory, {env: {CENTAVO_BASE_URL: place.url, CENTAVO_SECRET_KEY: TEST_KEY}});
  const store = openDeliveries(join(directory, 'deliveries.db'), {owner: {pid: process.pid, startedAt: 1}});
  const body = eventBytes({id: 'evt_1', type: 'payment_intent.succeeded', data: {id: 'pi_5Ls8'}});
  const target = 'http://localhost:3000/webhooks';
  const mistyped = 'http://localhost:3000/webhoks';
  for (const [name, answers] of [
    ['dlv_refused', [500, 500, 400].map((status) => ({target, status}))],
    ['dlv_accepted', [mistyped, target].map((to) => ({target: to, status: to === target ? 200 : 404}))],
  ] as const) {
    await store.record({
      ...{id: name, receivedAt: Date.now(), profile: 'env', webhook: name, path: '/', headers: [], body},
      verdict: {genuine: true, mode: 'test', secretIndex: 0, timestamp: unixNow()},
      event: readEventFacts(body),
    });
    for (const [index, answer] of answers.entries()) {
      const attempt = {...answer, deliveryId: name, attempt: index + 1, startedAt: Date.now() + index, durationMs: 1};
      await store.forwards.recordAttempt(attempt, {settled: index === answers.length - 1});
    }
  }
  store.close();
  const {finding, timeline} = (await run(['why', 'SHOP-0001', '--json'])).json<Wire>();
  expect(finding).toMatchObject({
    code: 'refused',
    next: 'centavo webhooks replay dlv_refused --forward-to 3000/webhooks',
  });
  const words = timeline.map((row: Wire) => row.words);
  expect(words).toContain(`your app at ${target} answered 400, in the last of 3 attempts`);
  expect(words).toContain(`your app at ${target} accepted it: 200`);
  // The user corrected this address, and the app accepted the event there.
  expect(words.join()).not.toContain(mistyped);
});

test('with several attempts and different responses, reports the last response', async () => {
  const {directory, why} = shop();
  const {port} = await app((_, count) => (count === 1 ? 500 : 404));
  let time = unixNow() - 60;
  const merchant = new Merchant(directory, () => time);
  const url = `http://127.0.0.1:${port}/hook`;
  await merchant.call('POST', '/webhooks', {url, events: ['billing_statement.paid']});
  const {id} = await merchant.open();
  controlOf(merchant.sandbox).pay(id as string, {});
  for (const later of [0, 30]) {
    time += later;
    await merchant.sandbox.deliverDue();
  }
  merchant.close();
  expect(await why(id as string)).toMatch(
    /127\.0\.0\.1:\d+\/hook answered 404, in the last\s+of 2 attempts; it will be\s+retried/,
  );
});

test('does not claim that an app or webhook missed an event that it may have received', async () => {
  const directory = temporaryDirectory(onTestFinished);
  const run = commandsIn(directory);
  const merchant = new Merchant(directory, () => unixNow());
  const hook = await receiver('reset');
  await merchant.call('POST', '/webhooks', {url: hook.url, events: ['billing_statement.paid']});
  const {id} = await merchant.open();
  controlOf(merchant.sandbox).pay(id as string, {});
  await merchant.sandbox.deliverDue();
  const {id: event} = (await merchant.sandbox.listEvents({limit: 1})).data[0]!;
  merchant.close();
  const store = openDeliveries(join(directory, 'deliveries.db'), {owner: {pid: process.pid, startedAt: 1}});
  const errors = {
    'no response within 30 s': 'sent no full response',
    'stopped before it responded': 'sent no full response',
    'the connection was closed before the response was complete (UND_ERR_SOCKET)': 'sent no full response',
    'the connection was refused (ECONNREFUSED)': 'did not receive it',
    'the TLS certificate is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)': 'did not receive it',
  };
  const body = eventBytes({id: event, type: 'billing_statement.paid'});
  for (const [index, error] of Object.keys(errors).entries()) {
    const deliveryId = `dlv_${index}`;
    await store.record({
      ...{id: deliveryId, receivedAt: Date.now(), profile: 'sandbox', webhook: `secret:${index}`, path: '/'},
      ...{headers: [], body, verdict: {genuine: true, mode: 'test', secretIndex: 0, timestamp: unixNow()}},
      event: {...readEventFacts(body), objectId: id as string},
    });
    const attempt = {deliveryId, target: 'http://localhost:3000/hook', attempt: 1, startedAt: 1, durationMs: 1, error};
    await store.forwards.recordAttempt(attempt, {settled: true});
  }
  store.close();
  const words = (await run(['why', id as string, '--json'])).json<Wire>().timeline.map((row: Wire) => row.words);
  for (const [error, said] of Object.entries(errors))
    expect(words).toContain(`your app at http://localhost:3000/hook ${said}: ${error}`);
  expect(words.join('\n')).toMatch(/^127\.0\.0\.1:\d+\/hook\S* sent no full response: the connection was .*retried$/m);
});
