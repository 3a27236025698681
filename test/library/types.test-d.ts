// Checked, not run: the mistakes that must not compile, and uses that must, against the shipped declarations.

import {
  asId,
  CARDS,
  constructEvent,
  createClient,
  createSandbox,
  idOf,
  objectOf,
  resources,
  Snapshot,
  verifySignature,
  type BillingStatement,
  type Client,
  type Event,
  type EventData,
  type EventOf,
  type EventType,
  type OperationName,
  type Payment,
  type PaymentIntent,
  type TestSandbox,
  type Webhook,
} from 'centavo';

declare const client: Client;
declare const sandbox: TestSandbox;
declare const customer: `cus_${string}`;
declare const row: {readonly payment: string};
declare const intent: PaymentIntent;
declare const event: Event;
declare const statement: BillingStatement;

// --- parameters ---

export const amount = {currency: 'PHP', amount: 50_000} as const;
// @ts-expect-error 1: a currency that is not PHP
void client.paymentIntents.create({amount: 50_000, currency: 'USD'});
// @ts-expect-error 2: an unknown payment method
void client.paymentIntents.create({...amount, payment_methods: ['paypal']});
// @ts-expect-error 3: a refund for a reason that is not in the list
void client.refunds.create({currency: 'PHP', amount: 100, payment_id: 'pay_1', reason: 'because'});
// @ts-expect-error 4: a misspelled event type of a webhook
void client.webhooks.create({url: 'https://shop.example/hooks', events: ['billing_statement.payed']});
// @ts-expect-error 5: a misspelled parameter
void client.customers.list({limt: 3});
// @ts-expect-error 6: a misspelled parameter beside a right one
void client.paymentIntents.create({...amount, descripton: 'Order 7'});
// @ts-expect-error 7: a misspelled parameter inside a hash
void client.billingStatements.update('bstm_1', {payment_settings: {payment_metods: ['card']}});
// @ts-expect-error 8: an amount as text
void client.paymentIntents.create({currency: 'PHP', amount: '500.00'});
// @ts-expect-error 9: a missing amount
void client.paymentIntents.create({currency: 'PHP'});
// @ts-expect-error 10: a missing argument
void client.customers.create();
// @ts-expect-error 11: a due date as a Date
void client.billingStatements.update('bstm_1', {due_at: new Date()});
const page = {currency: 'PHP', success_url: 'https://shop.example', cancel_url: 'https://shop.example'} as const;
// @ts-expect-error 12: a line item without a quantity
void client.checkoutSessions.create({...page, line_items: [{name: 'Pen', amount: 100}]});
// @ts-expect-error 13: an unknown capture type
void client.paymentIntents.create({...amount, payment_method_options: {card: {capture_type: 'later'}}});
// @ts-expect-error 14: the id of another resource in a parameter
void client.refunds.create({currency: 'PHP', amount: 100, payment_id: intent.id, reason: 'others'});
// @ts-expect-error 15: an unchecked text as an id in a parameter
void client.refunds.create({currency: 'PHP', amount: 100, payment_id: row.payment, reason: 'others'});

// --- ids and methods ---

// @ts-expect-error 16: a literal id of another resource
void client.paymentIntents.get('cus_1');
// @ts-expect-error 17: a typed id of another resource
void client.paymentIntents.get(customer);
// @ts-expect-error 18: the second id of another resource
void client.customers.deletePaymentMethod('cus_1', 'pi_1');
// @ts-expect-error 19: an operation that the API does not have
void client.customers.finalize('cus_1');
// @ts-expect-error 20: a payment cannot be created
void client.payments.create({...amount});
// @ts-expect-error 21: a client without a target
createClient({key: 'sk_test_1'});
// @ts-expect-error 22: a client with two targets
createClient({key: 'sk_test_1', baseUrl: 'http://127.0.0.1:4010', transport: sandbox.transport});
// @ts-expect-error 23: an unknown api
createClient({key: 'sk_test_1', api: 'stripe'});
// @ts-expect-error 24: the generic call of the commands
void client.perform;

// --- answers ---

// @ts-expect-error 25: a misspelled status
export const done: boolean = intent.status === 'succeded';
// @ts-expect-error 26: a misspelled field
export const status: unknown = intent.stauts;
// @ts-expect-error 27: a related object that may be only an id
export const email: unknown = intent.customer.email;
// @ts-expect-error 28: a due date that may be null
export const dueIn: number = statement.due_at - 100;
// @ts-expect-error 29: a change of an answer
statement.amount = 100;
// @ts-expect-error 30: an unknown status is possible
export const known: 'paid' | 'failed' = ({} as Payment).status;
// @ts-expect-error 31: nothing is returned
export const sent: BillingStatement = await client.billingStatements.send('bstm_1');
// @ts-expect-error 32: asId of an unknown resource
asId('invoice', row.payment);

// --- events ---

export function onEvent(given: Event): unknown {
  switch (given.type) {
    // @ts-expect-error 33: a misspelled type of event
    case 'billing_statement.payed':
      return 1;
    case 'billing_statement.paid':
      // @ts-expect-error 34: deliveries of a statement have no url
      return given.data.url;
    case 'refund.created':
      // @ts-expect-error 35: a field of another object
      return given.data.line_items;
    default:
      // @ts-expect-error 36: nothing is known of the object
      return given.data.id.length;
  }
}
// @ts-expect-error 37: the object before its type is known
export const total: unknown = event.data.amount_refunded;
// @ts-expect-error 38: the amount of an intent is null in the event of a statement
export const ofIntent: unknown = ({} as EventOf<'billing_statement.paid'>).data.payment_intent?.amount;
// @ts-expect-error 39: a handler for each type, with one missing
export const handlers: Record<EventType, () => void> = {'refund.created': () => {}};

// --- the kit ---

// @ts-expect-error 40: a card by a wrong name
void sandbox.pay('cs_1', {card: 'insuficient_funds'});
// @ts-expect-error 41: a card with another method
void sandbox.pay('cs_1', {method: 'gcash', card: 'visa'});
// @ts-expect-error 42: something that cannot be paid
void sandbox.pay('cus_1');
// @ts-expect-error 43: a code that no decline has
void sandbox.pay('cs_1', {outcome: 'no_money'});
// @ts-expect-error 44: a failure that both drops and answers
sandbox.failNext({operation: 'refunds.create', drop: 'after', status: 503});
// @ts-expect-error 45: a misspelled operation
sandbox.failNext({operation: 'refunds.creat', status: 503});
// @ts-expect-error 46: a failure by operation and by path
sandbox.failNext({operation: 'refunds.create', path: '/refunds', status: 503});
// @ts-expect-error 47: a failure that does nothing
sandbox.failNext({operation: 'refunds.create'});
// @ts-expect-error 48: an event that no call causes
void sandbox.trigger('payment_intent.awaiting_capture');
// @ts-expect-error 49: a wait for a misspelled type
void sandbox.events.waitFor({type: 'payment_intent.succeded'});
// @ts-expect-error 50: a snapshot made by hand
void sandbox.restore({name: 'empty'});
// @ts-expect-error 51: a sandbox that is not awaited
void createSandbox().client;
// @ts-expect-error 52: a misspelled option
void createSandbox({seed: true});
// @ts-expect-error 53: a payment that may not have succeeded
export const paid: string = (await sandbox.pay('cs_1')).payment.id;
// @ts-expect-error 54: a handler without an answer
void sandbox.deliverTo(() => {});
// @ts-expect-error 55: a delivery to a misspelled type of event
void sandbox.deliverTo('http://127.0.0.1:3000/hooks', {events: ['refund.make']});
// @ts-expect-error 56: a parsed body
constructEvent({type: 'refund.created'}, 't=1', 'whsk_0123456789abcdef');

// --- right uses ---

export async function rightUses(request: Request): Promise<unknown> {
  const real = createClient({key: 'sk_live_1', api: 'payrex', timeout: 5000});
  const served = createClient({key: 'sk_test_1', baseUrl: 'http://127.0.0.1:4010'});
  const own = createClient({key: sandbox.keys.secret, transport: sandbox.transport});
  const buyer = await real.customers.create({name: 'Juan', email: 'juan@example.com', currency: 'PHP'});
  const draft = await served.billingStatements.create({customer_id: buyer.id, currency: 'PHP', description: null});
  await own.billingStatements.create({customer_id: buyer.id});
  await own.billingStatementLineItems.create({
    billing_statement_id: draft.id,
    description: 'Web design',
    unit_price: 1_500_000,
    quantity: 2,
  });
  const id: string = row.payment;
  const payment = await client.payments.get(id);
  const params = {amount: 50_000, currency: 'PHP', payment_methods: ['card', 'gcash']} as const;
  const opened = await client.paymentIntents.create(params, {timeout: 1000});
  await client.refunds.create({
    currency: 'PHP',
    amount: payment.amount,
    payment_id: asId('payment', row.payment),
    reason: 'requested_by_customer',
  });
  for await (const each of client.customers.list({limit: 3})) if (each.name === 'Juan') break;
  const listed = await client.billingStatements.list();
  const nobody: undefined = await client.billingStatements.send(draft.id);
  await client.raw('POST', '/payment_intents', {anything: 1});
  const customerId: `cus_${string}` | null = idOf(opened.customer);
  const whole = objectOf(opened.customer);
  const latest: string | undefined = objectOf(intent.latest_payment)?.payment_method.card?.last4;
  const method = payment.payment_method.type === 'bdo_installment';
  const hook: Webhook = await client.webhooks.create({url: 'https://shop.example', events: ['refund.created']});
  return [listed.data[0]?.amount, nobody, customerId, whole?.email, latest, method, hook.secret_key, request];
}

export function statusText(of: PaymentIntent): string {
  switch (of.status) {
    case 'succeeded':
      return 'paid';
    case 'canceled':
    case 'processing':
    case 'awaiting_capture':
    case 'awaiting_next_action':
    case 'awaiting_payment_method':
      return 'waiting';
    default:
      return of.status;
  }
}

export function handle(given: Event): string | number {
  switch (given.type) {
    case 'billing_statement.paid':
      return given.data.line_items.length + (given.previous_attributes.amount ?? 0);
    case 'payment_intent.succeeded':
      return given.data.capture_before_at ?? given.data.amount;
    case 'checkout_session.expired':
      return given.data.customer_id ?? given.data.payment_intent?.amount ?? 0;
    case 'payout.deposited':
      return given.data.destination?.bank_name ?? '';
    case 'refund.created':
    case 'refund.updated':
      return given.data.payment_id;
    default:
      return given.type;
  }
}

export async function kit(app: (request: Request) => Promise<Response>): Promise<unknown> {
  const made = await createSandbox({at: '2027-01-15T09:00:00+08:00', random: 7, seeded: true});
  const empty: Snapshot = await made.snapshot();
  const webhook = await made.deliverTo(app, {secret: 'whsk_0123456789abcdef', events: ['refund.created']});
  const result = await made.pay(await made.client.checkoutSessions.get('cs_1'), {card: 'insufficient_funds'});
  const code = result.outcome === 'failed' ? result.error.code : '';
  if (result.outcome === 'paid') await made.pay(result.intent, {card: CARDS.visa, outcome: 'paid'});
  await made.pay('bstm_1', {method: 'gcash'});
  const setup = await made.pay(await made.client.setupIntents.get('si_1'), {method: 'maya'});
  if (setup.outcome === 'saved') await made.client.setupIntents.get(setup.setupIntent.id);
  const chosen: `pm_${string}` | null = setup.setupIntent.payment_method_id;
  await made.client.paymentIntents.attach('pi_1', {payment_method_id: chosen ?? setup.paymentMethod.id});
  const bdo_installment = {installment_types: ['zero'], payment_terms: [3, 36]} as const;
  await made.client.paymentIntents.create({amount: 1, currency: 'PHP', payment_method_options: {bdo_installment}});
  const refund = await made.trigger('refund.created', {set: {amount: 5000}});
  const data: EventData<'refund'> = refund.data;
  const seen = await made.events.waitFor({type: 'payment_intent.succeeded', object: result.intent}, {timeout: 10});
  const failing = made.failNext({operation: 'refunds.create', drop: 'after', times: 2});
  made.failNext({method: 'POST', path: '/refunds', status: 503, applied: true});
  made.failNext({delay: 100});
  const operation: OperationName = 'customers.listPaymentMethods';
  await made.clock.advance('31d');
  await webhook.redeliver(seen);
  await made.restore(empty);
  await made[Symbol.asyncDispose]();
  const genuine: true = verifySignature({
    body: new Uint8Array(),
    header: 't=1',
    secrets: [webhook.secret],
    now: 1,
  }).genuine;
  const topic: string = resources[0]!.topic;
  return [code, data.reason, seen.data.status, failing.used, operation, genuine, topic];
}
