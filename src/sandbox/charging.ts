// One attempt to pay an intent, from the method to the money: failed, held, or paid, and what that does to the intent's source.

import {FAILURES, type FailureCode} from './cards.js';
import {instrumentOf, methodFor, saveMethod, shownOnPayment, type Instrument} from './instruments.js';
import {allows, transition} from './lifecycle.js';
import type {IntentRecord, MethodRecord, PaymentRecord, StatementRecord} from './records.js';
import type {Stored} from './store.js';
import type {Work} from './work.js';

/** How long a held amount can be captured, in seconds (recorded bodies). */
export const CAPTURE_WINDOW = 604_800;

export type Outcome = 'failed' | 'held' | 'paid';

/**
 * Pays the intent's whole amount, or fails to.
 * @param failure the code to fail with, whatever is paid with
 * @throws Problem when the intent cannot be paid as it is
 */
export function attempt(
  work: Work,
  intent: IntentRecord,
  instrument: Instrument,
  failure: FailureCode | undefined,
): Outcome {
  const method = begunWith(work, intent, instrument) ?? newMethod(work, intent, instrument);
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
export function redirect(work: Work, intent: IntentRecord, instrument: Instrument): void {
  const method = newMethod(work, intent, instrument);
  transition(work, intent, 'redirect', {
    payment_method_id: method.id,
    next_action: {type: 'redirect'},
    last_payment_error: null,
  });
}

const newMethod = (work: Work, intent: IntentRecord, instrument: Instrument): MethodRecord =>
  methodFor(work, instrument, billingOf(work, intent), intent._customer_id);

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
  const billing = billingOf(work, intent);
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
    payment_method: shownOnPayment(
      instrumentOf(work.peek(intent.payment_method_id) as MethodRecord),
      billing.name ?? 'Juan Dela Cruz',
    ),
    refunded: false,
    status: 'paid',
    _customer_id: intent._customer_id,
  }) as PaymentRecord;
  work.change(intent, {_payment_id: payment.id});
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

interface Billing {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: Record<string, string | null>;
}

const NO_ADDRESS = {line1: null, line2: null, city: null, state: null, postal_code: null, country: null};

function billingOf(work: Work, intent: IntentRecord): Billing {
  const customer: Partial<Stored> = work.peek(intent._customer_id) ?? {};
  const {phone, address} = (customer.billing ?? {}) as {
    phone?: string | null;
    address?: Record<string, string | null> | null;
  };
  return {
    name: (customer.name as string | undefined) ?? null,
    email: (customer.email as string | undefined) ?? null,
    phone: phone ?? null,
    address: {...NO_ADDRESS, ...address},
  };
}
