// Payment intents, and the statement or session that each pays.

import type {FailureCode, PaymentMethodOptions} from '../../api/types.js';
import {STATEMENT_METHODS} from '../../api/fields.js';
import {allows, transition} from '../lifecycle.js';
import type {IntentRecord, MethodRecord, PaymentRecord, StatementRecord} from '../record-types.js';
import type {StoreReader} from '../store.js';
import type {Transaction} from '../transaction.js';
import {type BillingDetails, billingOfCustomer, DEFAULT_PAYER} from './billing-details.js';
import {chargesOf} from './fees.js';
import {
  TEST_CARD_FAILURES,
  type Instrument,
  instrumentOf,
  methodFor,
  saveMethod,
  paymentMethodFields,
} from './instruments.js';

export interface NewIntent {
  readonly amount: number;
  readonly description?: unknown;
  readonly metadata?: unknown;
  readonly methods?: unknown;
  readonly options?: PaymentMethodOptions | null;
  readonly descriptor?: unknown;
  readonly customerId?: string | null;
  /** The statement or checkout session. */
  readonly sourceId?: string;
}

/** Returns the given methods. Assumes the methods of statements by default: no source shows the service's default. */
export const methodsOf = (given: unknown): readonly string[] =>
  (given as readonly string[] | null | undefined) ?? [...STATEMENT_METHODS];

/** Returns all options of the specification. @param more card options without a parameter */
export function methodOptions(given: PaymentMethodOptions | null | undefined, more?: PaymentMethodOptions['card']) {
  const {card, bdo_installment: installment} = given ?? {};
  const known = Object.entries(card ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return {
    card: {
      capture_type: 'automatic' as const,
      allowed_bins: [],
      allowed_funding: [],
      ...Object.fromEntries(known),
      ...more,
    },
    ...(installment && {bdo_installment: installment}),
  };
}

export function createIntent(
  tx: Transaction,
  {amount, description, metadata, methods, options, descriptor, customerId, sourceId}: NewIntent,
): IntentRecord {
  return tx.create('pi_', (id) => ({
    amount,
    amount_received: 0,
    amount_capturable: 0,
    capture_before_at: null,
    client_secret: `${id}_secret_${tx.token()}`,
    currency: 'PHP',
    description: description ?? null,
    last_payment_error: null,
    merchant_id: tx.merchantId,
    metadata: metadata ?? null,
    next_action: null,
    payment_method_id: null,
    payment_method_options: methodOptions(options, {request_three_d_secure: 'any'}),
    payment_methods: methodsOf(methods),
    return_url: null,
    statement_descriptor: descriptor || null,
    status: 'awaiting_payment_method',
    _customer_id: customerId ?? null,
    _payment_id: null,
    _source_id: sourceId ?? null,
  })) as IntentRecord;
}

/** Cancels the unpaid intent of a statement or session that ended. */
export function abandonIntent(tx: Transaction, id: string | null): void {
  const intent = tx.peek(id);
  if (!intent || !allows(intent, 'abandon')) return;
  tx.store.unschedule(intent.id);
  transition(tx, intent, 'abandon', {amount_capturable: 0, next_action: null});
}

/** Seconds during which a held amount can be captured (recorded bodies). */
const CAPTURE_WINDOW = 604_800;

export type IntentOutcome = 'awaiting_next_action' | 'failed' | 'held' | 'paid' | 'saved';

/**
 * Pays the intent's whole amount, saves the method of a setup intent, or fails. A card with a challenge first waits for
 * approval; a second attempt with the same card approves it. @param entered billing details, used if the intent has no customer
 */
export function attemptPayment(
  tx: Transaction,
  intent: IntentRecord,
  instrument: Instrument,
  failure: FailureCode | undefined,
  entered?: BillingDetails,
): IntentOutcome {
  const pending = pendingMethod(tx, intent, instrument);
  const method = pending ?? newMethod(tx, intent, instrument, entered);
  if (instrument.card?.challenge && !pending && !failure) {
    redirect(tx, intent, method);
    return 'awaiting_next_action';
  }
  transition(tx, intent, 'begin', {payment_method_id: method.id, next_action: null, last_payment_error: null});
  const code = failure ?? instrument.card?.failure;
  if (code) {
    transition(tx, intent, 'fail', {last_payment_error: {code, detail: TEST_CARD_FAILURES[code]}});
    const details = {at: tx.now, object_id: intent.id, source_id: intent._source_id, code, cause: tx.cause};
    if (intent.resource === 'payment_intent') tx.store.requests.add({type: 'payment_failed', ...details});
    return 'failed';
  }
  return finishAttempt(tx, intent);
}

/** Seconds from approval to success if the payer leaves the page; assumed. */
const PROCESSING_TIME = 10;

/** Approves the pending payment, which succeeds later without the payer. */
export function approveAndLeave(tx: Transaction, intent: IntentRecord): void {
  transition(tx, intent, 'begin', {next_action: null});
  tx.store.schedule({at: tx.now + PROCESSING_TIME, kind: 'payment-end', id: intent.id});
}

/** True if a successful payment only holds the amount, to be captured later. */
export const isManualCapture = (
  tx: StoreReader,
  {payment_method_id: id, payment_method_options: {card}}: IntentRecord,
): boolean => card?.capture_type === 'manual' && tx.peek(id)?.type === 'card';

export function finishAttempt(tx: Transaction, intent: IntentRecord): IntentOutcome {
  if (intent.resource === 'setup_intent') {
    saveMethod(tx, intent.payment_method_id, intent._customer_id!);
    transition(tx, intent, 'succeed');
    return 'saved';
  }
  if (isManualCapture(tx, intent)) {
    hold(tx, intent);
    return 'held';
  }
  collectPayment(tx, intent, intent.amount);
  return 'paid';
}

/** Sends the payer to the approval page. {@link attemptPayment} then ends the attempt. */
export function redirect(tx: Transaction, intent: IntentRecord, {id}: MethodRecord): void {
  transition(tx, intent, 'redirect', {
    payment_method_id: id,
    next_action: {type: 'redirect'},
    last_payment_error: null,
  });
}

export function newMethod(
  tx: Transaction,
  intent: IntentRecord,
  instrument: Instrument,
  entered = DEFAULT_PAYER,
): MethodRecord {
  const {_customer_id: customerId} = intent;
  return methodFor(tx, instrument, billingOfCustomer(tx, customerId) ?? entered, customerId);
}

/** Returns the method that waits for approval if it matches the instrument. */
function pendingMethod(tx: Transaction, intent: IntentRecord, {type, card}: Instrument): MethodRecord | undefined {
  if (intent.status !== 'awaiting_next_action') return undefined;
  const method = tx.peek(intent.payment_method_id) as MethodRecord | undefined;
  return method?.type === type && method._card === (card?.number ?? null) ? method : undefined;
}

function hold(tx: Transaction, intent: IntentRecord): void {
  const until = tx.now + CAPTURE_WINDOW;
  tx.change(intent, {capture_before_at: until});
  tx.store.schedule({at: until, kind: 'capture-deadline', id: intent.id});
  transition(tx, intent, 'hold', {amount_capturable: intent.amount});
  completeSource(tx, intent);
}

/** Creates the payment. @param amount centavos; the rest of a held amount is released */
export function collectPayment(tx: Transaction, intent: IntentRecord, amount: number): PaymentRecord {
  const method = tx.peek(intent.payment_method_id) as MethodRecord;
  const billing = billingOfCustomer(tx, intent._customer_id) ?? method.billing_details;
  const payment = tx.create('pay_', {
    amount,
    amount_refunded: 0,
    billing,
    currency: 'PHP',
    description: intent.description,
    ...chargesOf(tx, method.type, amount),
    metadata: intent.metadata,
    origin: 'api',
    page_session: null,
    payment_intent_id: intent.id,
    payment_method: paymentMethodFields(instrumentOf(method), billing.name ?? DEFAULT_PAYER.name!),
    refunded: false,
    status: 'paid',
    _customer_id: intent._customer_id,
  }) as PaymentRecord;
  tx.change(intent, {_payment_id: payment.id, capture_before_at: null});
  tx.store.unschedule(intent.id);
  transition(tx, intent, 'succeed', {amount_capturable: 0, amount_received: amount});
  completeSource(tx, intent);
  return payment;
}

function completeSource(tx: Transaction, intent: IntentRecord): void {
  const source = tx.peek(intent._source_id);
  if (!source || !allows(source, 'pay')) return;
  if (source.resource === 'billing_statement' && source.setup_future_usage)
    saveMethod(tx, intent.payment_method_id, (source as StatementRecord).customer_id);
  tx.store.unschedule(source.id);
  transition(tx, source, 'pay');
}
