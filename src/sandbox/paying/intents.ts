// Payment intents: made, paid or not by one attempt after another, captured, and ended; and what that does to what they were made for.

import {PAYMENT_METHODS} from '../../api/fields.js';
import {allows, transition} from '../lifecycle.js';
import type {CardOptions, IntentRecord, MethodRecord, PaymentRecord, StatementRecord} from '../record-types.js';
import type {Work} from '../transaction.js';
import {billingOfCustomer, USUAL_PAYER, type BillingDetails} from './billing-details.js';
import {instrumentOf, methodFor, saveMethod, shownOnPayment, type Instrument} from './instruments.js';
import {FAILURES, type FailureCode} from './test-cards.js';

export interface NewIntent {
  /** Centavos. */
  readonly amount: number;
  readonly description?: unknown;
  readonly metadata?: unknown;
  readonly methods?: unknown;
  readonly card?: CardOptions | null;
  readonly descriptor?: unknown;
  readonly customerId?: string | null;
  /** The statement or checkout session that it is made for. */
  readonly sourceId?: string;
}

/** The methods of the merchant account: whatever there is, as no source shows a default. */
export const methodsOf = (given: unknown): readonly string[] =>
  (given as readonly string[] | null | undefined) ?? [...PAYMENT_METHODS];

/** Card options with what is not given filled in. */
export function cardOptions(given: CardOptions | null | undefined): {card: CardOptions} {
  const known = Object.entries(given ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return {card: {capture_type: 'automatic', ...Object.fromEntries(known)}};
}

export function createIntent(
  work: Work,
  {amount, description, metadata, methods, card, descriptor, customerId, sourceId}: NewIntent,
): IntentRecord {
  return work.create('pi_', (id) => ({
    amount,
    amount_received: 0,
    amount_capturable: 0,
    capture_before_at: null,
    client_secret: `${id}_secret_${work.token()}`,
    currency: 'PHP',
    description: description ?? null,
    last_payment_error: null,
    merchant_id: work.merchantId,
    metadata: metadata ?? null,
    next_action: null,
    payment_method_id: null,
    payment_method_options: cardOptions({...card, request_three_d_secure: 'any'}),
    payment_methods: methodsOf(methods),
    return_url: null,
    statement_descriptor: descriptor || null,
    status: 'awaiting_payment_method',
    _customer_id: customerId ?? null,
    _payment_id: null,
    _source_id: sourceId ?? null,
  })) as IntentRecord;
}

/** Cancels the intent of what has ended, where it still can be. */
export function abandonIntent(work: Work, id: string | null): void {
  const intent = work.peek(id);
  if (!intent || !allows(intent, 'abandon')) return;
  work.store.unschedule(intent.id);
  transition(work, intent, 'abandon', {amount_capturable: 0, next_action: null});
}

/** How long a held amount can be captured, in seconds (recorded bodies). */
export const CAPTURE_WINDOW = 604_800;

export type Outcome = 'failed' | 'held' | 'paid';

/**
 * Pays the intent's whole amount, or fails to.
 * @param failure the code to fail with, whatever is paid with
 * @param typed what the payer says of themselves; it counts where the intent has no customer
 * @throws Problem when the intent cannot be paid as it is
 */
export function attempt(
  work: Work,
  intent: IntentRecord,
  instrument: Instrument,
  failure: FailureCode | undefined,
  typed?: BillingDetails,
): Outcome {
  const method = begunWith(work, intent, instrument) ?? newMethod(work, intent, instrument, typed);
  transition(work, intent, 'begin', {payment_method_id: method.id, next_action: null, last_payment_error: null});
  const code = failure ?? instrument.card?.failure;
  if (code) {
    transition(work, intent, 'fail', {last_payment_error: {code, detail: FAILURES[code]}});
    return 'failed';
  }
  if (instrument.card && intent.payment_method_options.card?.capture_type === 'manual') {
    hold(work, intent);
    return 'held';
  }
  collect(work, intent, intent.amount);
  return 'paid';
}

/** Sends the customer away to approve; the attempt follows. @throws Problem when the intent cannot be paid as it is */
export function redirect(work: Work, intent: IntentRecord, instrument: Instrument, typed?: BillingDetails): void {
  const method = newMethod(work, intent, instrument, typed);
  transition(work, intent, 'redirect', {
    payment_method_id: method.id,
    next_action: {type: 'redirect'},
    last_payment_error: null,
  });
}

function newMethod(work: Work, intent: IntentRecord, instrument: Instrument, typed = USUAL_PAYER): MethodRecord {
  const {_customer_id: customerId} = intent;
  return methodFor(work, instrument, billingOfCustomer(work, customerId) ?? typed, customerId);
}

/** The wallet that waits for approval, when that is what is paid with. */
function begunWith(work: Work, intent: IntentRecord, {type}: Instrument): MethodRecord | undefined {
  if (intent.status !== 'awaiting_next_action') return undefined;
  const method = work.peek(intent.payment_method_id) as MethodRecord | undefined;
  return method?.type === type ? method : undefined;
}

function hold(work: Work, intent: IntentRecord): void {
  const until = work.now + CAPTURE_WINDOW;
  work.change(intent, {capture_before_at: until});
  work.store.schedule({at: until, kind: 'capture-deadline', id: intent.id});
  transition(work, intent, 'hold', {amount_capturable: intent.amount});
  completeSource(work, intent);
}

/** Makes the payment of an intent. @param amount centavos; what was held beyond that is released */
export function collect(work: Work, intent: IntentRecord, amount: number): PaymentRecord {
  const method = work.peek(intent.payment_method_id) as MethodRecord;
  const billing = billingOfCustomer(work, intent._customer_id) ?? method.billing_details;
  const payment = work.create('pay_', {
    amount,
    amount_refunded: 0,
    billing,
    currency: 'PHP',
    description: intent.description,
    // Test mode takes no fee, so that the net amount is the amount (recorded bodies).
    fee: 0,
    net_amount: amount,
    metadata: intent.metadata,
    origin: 'api',
    page_session: null,
    payment_intent_id: intent.id,
    payment_method: shownOnPayment(instrumentOf(method), billing.name ?? USUAL_PAYER.name!),
    refunded: false,
    status: 'paid',
    _customer_id: intent._customer_id,
  }) as PaymentRecord;
  // What was held has been captured.
  work.change(intent, {_payment_id: payment.id, capture_before_at: null});
  work.store.unschedule(intent.id);
  transition(work, intent, 'succeed', {amount_capturable: 0, amount_received: amount});
  completeSource(work, intent);
  return payment;
}

/** A statement is paid when its intent is; a session is completed when the payer has done all there is to do. */
function completeSource(work: Work, intent: IntentRecord): void {
  const source = work.peek(intent._source_id);
  if (!source || !allows(source, 'pay')) return;
  if (source.resource === 'billing_statement') keepMethod(work, source as StatementRecord, intent);
  work.store.unschedule(source.id);
  transition(work, source, 'pay');
}

function keepMethod(work: Work, statement: StatementRecord, intent: IntentRecord): void {
  if (statement.setup_future_usage) saveMethod(work, intent.payment_method_id, statement.customer_id);
}
