// One attempt to pay an intent, from the method to the money: failed, held, or paid, and what that does to the intent's source.

import {billingOfCustomer, USUAL_PAYER, type BillingDetails} from './billing.js';
import {FAILURES, type FailureCode} from './cards.js';
import {instrumentOf, methodFor, saveMethod, shownOnPayment, type Instrument} from './instruments.js';
import {allows, transition} from '../lifecycle.js';
import type {IntentRecord, MethodRecord, PaymentRecord, StatementRecord} from '../records.js';
import type {Work} from '../work.js';

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
