// Wrong uses of the test kit from a program without types: each is told at its own line, in words of the kit.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {fileURLToPath} from 'node:url';
import * as source from '../../src/index.js';

const bundle = (await import(new URL('../../bundle/index.mjs', import.meta.url).href)) as typeof source;

// As JavaScript sees them.
let createSandbox: (options?: unknown) => Promise<any>;
let asId: (...given: unknown[]) => unknown;
let sandbox: any;
let other: any;
let closed: any;
let session: any;

async function open(library: typeof source): Promise<void> {
  createSandbox = library.createSandbox as typeof createSandbox;
  asId = library.asId as typeof asId;
  [sandbox, other, closed] = await Promise.all([1, 2, 3].map(() => createSandbox({at: '2031-01-15T09:00:00+08:00'})));
  await closed.close();
  session = await sandbox.client.checkoutSessions.create({
    currency: 'PHP',
    line_items: [{name: 'T-shirt', amount: 45_000, quantity: 2}],
    success_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/cart',
  });
}

const ok = () => new Response('');

/** What is written, and the message. */
const MISUSES: Record<string, readonly [misuse: () => unknown, message: string]> = {
  'an option that createSandbox does not have': [
    () => createSandbox({seeds: true}),
    '"seeds" is not an option of createSandbox. Did you mean seeded?',
  ],
  'an id of another kind, from a database': [
    () => asId('payment', 'cus_1'),
    '"cus_1" is not the id of a payment. Such an id starts with pay_, and this is the id of a customer.',
  ],
  'an instant without an offset': [
    () => createSandbox({at: '2031-01-15'}),
    `"2031-01-15" is not an instant. Write it as a Date, unix seconds, or a text with its offset: '2027-01-15T09:00:00+08:00'.`,
  ],
  milliseconds: [
    () => sandbox.clock.set(1_926_205_200_000),
    '1926205200000 is not an instant. A number is unix seconds, not milliseconds.',
  ],
  'an instant in the past': [
    () => sandbox.clock.set('2030-01-01T00:00:00+08:00'),
    'the sandbox clock only moves forward. It is already at 2031-01-15T09:00:00+08:00.',
  ],
  'a span in words': [
    () => sandbox.clock.advance('3 days'),
    `"3 days" is not a span of time. Write it as '30s', '12h', '31d' or '1d 6h', or as whole seconds; at most 100 years.`,
  ],
  'a seed that is no number': [() => createSandbox({random: 'x'}), 'random x is not a whole number.'],
  'an id of another kind': [
    () => sandbox.pay('cus_1'),
    'cus_1 cannot be paid. Give the id of a billing statement (bstm_), checkout session (cs_), payment intent (pi_) or setup intent (si_).',
  ],
  'a promise without await': [
    () => sandbox.pay(sandbox.client.paymentIntents.create({amount: 45_000, currency: 'PHP'})),
    'a value of type object is not an id, and has none. Write await before the promise.',
  ],
  'nothing to pay': [
    () => sandbox.pay(undefined),
    'nothing is not an id, and has none. Give an object of the API, or its id.',
  ],
  'a misspelt option of pay': [
    () => sandbox.pay(session, {crad: 'visa'}),
    '"crad" is not an option of pay. Did you mean card?',
  ],
  'a misspelt card': [
    () => sandbox.pay(session, {card: 'insufficent_funds'}),
    '"insufficent_funds" is not a test card. Did you mean insufficient_funds?',
  ],
  'a real card': [
    () => sandbox.pay(session, {card: '4111111111111111'}),
    '4111111111111111 is not a test card. The sandbox does not accept real cards. For a successful payment: card 4242424242424242',
  ],
  'a method that is none': [
    () => sandbox.pay(session, {method: 'paypal'}),
    'paypal is not a payment method. Payment methods: card, gcash, maya, billease, qrph, bdo_installment.',
  ],
  'a card with another method': [
    () => sandbox.pay(session, {method: 'gcash', card: 'visa'}),
    'card cannot be used with gcash. Give either a card or another payment method.',
  ],
  'an outcome that is none': [
    () => sandbox.pay(session, {outcome: 'payed'}),
    '"payed" is not an outcome. Did you mean paid?',
  ],
  'an event that nothing triggers': [
    () => sandbox.trigger('payment_intent.awaiting_capture'),
    'the sandbox cannot trigger "payment_intent.awaiting_capture". The service sends it as payment_intent.amount_capturable.',
  ],
  'an object that does not fit the event': [
    () => sandbox.trigger('refund.created', {from: 'cus_1'}),
    'cus_1 does not fit this event. Use an object whose id starts with re_, or leave out from.',
  ],
  'a field that cannot be set': [
    () => sandbox.trigger('refund.created', {set: {amont: 1}}),
    '"amont" cannot be set. You can set: amount, description, metadata, customer',
  ],
  'an event that does not exist': [
    () => sandbox.events.waitFor({type: 'payment_intent.suceeded'}),
    '"payment_intent.suceeded" is not an event. Did you mean payment_intent.succeeded?',
  ],
  'a misspelt option of events': [
    () => sandbox.events.list({typ: 'refund.created'}),
    '"typ" is not an option of events. Did you mean type?',
  ],
  'events of nothing': [
    () => sandbox.events.list({object: {}}),
    'a value of type object is not an id, and has none. Give an object of the API, or its id.',
  ],
  'an address without a scheme': [
    () => sandbox.deliverTo('localhost:3000'),
    '"localhost:3000" is not an address. Give a handler, or the URL of an app on this machine: http://127.0.0.1:3000/webhooks',
  ],
  'events of a handler that do not exist': [
    () => sandbox.deliverTo(ok, {events: ['refund.create']}),
    '"refund.create" is not an event. Did you mean refund.created?',
  ],
  'a secret that is too short': [
    () => sandbox.deliverTo(ok, {secret: 'whsk_1'}),
    'this secret cannot be used to sign. Give at least 12 characters without white space, or none to have one made.',
  ],
  'an operation that does not exist': [
    () => sandbox.failNext({operation: 'refund.create', status: 500}),
    '"refund.create" is not an operation. Operations are named as on the client: refunds.create',
  ],
  'a status that is no failure': [
    () => sandbox.failNext({status: 200}),
    '200 is not the status of a failure. Give a whole number from 400 to 599.',
  ],
  'a failure without a way to fail': [
    () => sandbox.failNext({operation: 'refunds.create'}),
    `a failure needs a status, drop or delay. For example: {status: 503}, {drop: 'after'} or {delay: 2000}`,
  ],
  'a misspelt option of failNext': [
    () => sandbox.failNext({oepration: 'refunds.create', status: 500}),
    '"oepration" is not an option of failNext. Did you mean operation?',
  ],
  'a snapshot of another sandbox': [
    async () => sandbox.restore(await other.snapshot()),
    'this is not a snapshot of this sandbox. Restore what its own snapshot() returned.',
  ],
  'a name as a snapshot': [
    () => sandbox.restore('empty'),
    'this is not a snapshot of this sandbox. Restore what its own snapshot() returned.',
  ],
  'a closed sandbox: pay': [
    () => closed.pay(session),
    'this sandbox is closed. Close it when the last test has ended.',
  ],
  'a closed sandbox: its client': [
    () => closed.client.customers.list(),
    'this sandbox is closed. Close it when the last test has ended.',
  ],
};

describe.each([
  ['the sources', source],
  ['the bundle', bundle],
])('from %s', (_, library) => {
  beforeAll(() => open(library));
  afterAll(() => Promise.all([sandbox, other].map((each) => each.close())));

  test.each(Object.entries(MISUSES))('%s', async (__, [misuse, message]) => {
    const error = await (async () => misuse())().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(library.CentavoError);
    expect((error as Error).message).toBe(message);
    expect((error as Error).stack!.split('\n').find((line) => /^\s+at /.test(line))).toContain(
      fileURLToPath(import.meta.url),
    );
    expect(message).not.toContain('--');
  });

  test('every use after close says so, and none fails otherwise', async () => {
    const uses: Record<string, () => unknown> = {
      fetch: () => closed.fetch('/customers'),
      trigger: () => closed.trigger('refund.created'),
      list: () => closed.events.list(),
      waitFor: () => closed.events.waitFor({type: 'refund.created'}),
      requests: () => closed.requests.list(),
      deliverTo: () => closed.deliverTo(ok),
      settled: () => closed.settled(),
      now: () => closed.clock.now(),
      advance: () => closed.clock.advance('1d'),
      run: () => closed.clock.run(),
      failNext: () => closed.failNext({status: 500}),
      snapshot: () => closed.snapshot(),
      reset: () => closed.reset(),
      serve: () => closed.serve(),
    };
    for (const [name, use] of Object.entries(uses)) {
      const error = await (async () => use())().catch((thrown: Error) => thrown);
      expect([name, (error as Error).message]).toEqual([name, expect.stringContaining('this sandbox is closed.')]);
    }
    await closed.close();
  });
});
