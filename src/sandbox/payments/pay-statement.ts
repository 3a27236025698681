// Pays a statement, session or intent as a customer on the hosted page, or saves the method of a setup intent.

import type {FailureCode} from '../../api/types.js';
import {PAYMENT_METHODS} from '../../api/fields.js';
import {shapeOfId} from '../../api/registry.js';
import {CentavoError, type NextCommand, nextCommand, usageError} from '../../common/errors.js';
import {allows} from '../lifecycle.js';
import {serialize, type Wire} from '../serialize.js';
import type {IntentRecord, MethodRecord} from '../record-types.js';
import type {StoredRecord} from '../store.js';
import type {Transaction} from '../transaction.js';
import type {BillingDetails} from './billing-details.js';
import {
  allowedPlans,
  DEFAULT_CARD,
  INSTALLMENT,
  type InstallmentPlan,
  TEST_CARD_FAILURES,
  type Instrument,
  instrumentOf,
  isFailureCode,
  testCard,
  whyNotAccepted,
} from './instruments.js';
import {approveAndLeave, attemptPayment, newMethod, type IntentOutcome, redirect} from './intents.js';

export interface PayOptions {
  /** One of PAYMENT_METHODS; by default the method that waits for approval, or a card if accepted. */
  readonly method?: string;
  /** Number of a test card; by default the Visa that always succeeds. */
  readonly card?: string;
  /** By default the first allowed plan of an installment. */
  readonly plan?: InstallmentPlan;
  readonly fail?: string;
  /** The payer's details if the intent has no customer; invented by default. */
  readonly billing?: BillingDetails;
}

export interface PayResult {
  readonly result: IntentOutcome | 'processing';
  /** Null if the attempt failed or waits for approval, or the amount is only held. */
  readonly payment: Wire | null;
  /** Without a payment intent: the setup intent, the method to save, and why it was not saved. */
  readonly payment_intent?: Wire;
  readonly setup_intent?: Wire;
  readonly payment_method?: Wire;
  readonly error?: Wire | null;
  readonly billing_statement?: Wire;
  readonly checkout_session?: Wire;
}

export function payStatement(tx: Transaction, id: string, options: PayOptions = {}): PayResult {
  const failure = failureOf(options.fail);
  const {intent, instrument} = chooseInstrument(tx, id, options);
  return resultOf(tx, intent, attemptPayment(tx, intent, instrument, failure, options.billing));
}

function resultOf(tx: Transaction, intent: IntentRecord, result: PayResult['result']): PayResult {
  if (intent.resource === 'setup_intent') {
    const method = serialize(tx.peek(intent.payment_method_id)!, tx);
    const error = intent.last_payment_error as Wire | null;
    return {result, payment: null, setup_intent: serialize(intent, tx), payment_method: method, error};
  }
  const payment = tx.peek(intent._payment_id);
  const source = tx.peek(intent._source_id);
  return {
    result,
    payment: payment ? serialize(payment, tx) : null,
    payment_intent: serialize(intent, tx),
    ...(source && {[source.resource]: serialize(source, tx)}),
  };
}

/** Starts a payment that needs approval; {@link payStatement} with the same method approves it. */
export function redirectPayer(tx: Transaction, id: string, options: PayOptions): IntentRecord {
  const {intent, instrument} = chooseInstrument(tx, id, options);
  redirect(tx, intent, newMethod(tx, intent, instrument, options.billing));
  return intent;
}

/** Starts a payment that waits for approval, or that is approved and succeeds ten seconds later. */
export function payLater(tx: Transaction, id: string, options: PayOptions, isApproved: boolean): PayResult {
  const intent = redirectPayer(tx, id, options);
  if (isApproved) approveAndLeave(tx, intent);
  return resultOf(tx, intent, isApproved ? 'processing' : 'awaiting_next_action');
}

function chooseInstrument(
  tx: Transaction,
  id: string,
  options: PayOptions,
): {intent: IntentRecord; instrument: Instrument} {
  const intent = payableIntent(tx, objectToPay(tx, id));
  const instrument = instrumentFor(tx, intent, options);
  const reason = whyNotAccepted(intent, instrument);
  if (!reason) return {intent, instrument};
  const method = instrument.card ? `the card ${instrument.card.number}` : instrument.type;
  throw rejectedPayment('method_not_allowed', `${id} cannot be ${doneTo(intent)} with ${method}.`, reason);
}

const doneTo = ({resource}: StoredRecord): string => (resource === 'setup_intent' ? 'completed' : 'paid');

const rejectedPayment = (code: string, message: string, why: string, next?: NextCommand): CentavoError =>
  new CentavoError('rejected', message, {code, why, next: next && [next], applied: 'no'});

function failureOf(code: string | undefined): FailureCode | undefined {
  if (code === undefined || isFailureCode(code)) return code;
  throw usageError('usage', `${code} is not a failure code.`, {
    why: `Failure codes: ${Object.keys(TEST_CARD_FAILURES).join(', ')}.`,
  });
}

function objectToPay(tx: Transaction, id: string): StoredRecord {
  const prefix = shapeOfId(id)?.prefix;
  if (prefix === undefined || !['bstm_', 'cs_', 'pi_', 'si_'].includes(prefix))
    throw usageError('usage', `${id} cannot be paid.`, {
      why: 'Give the id of a billing statement (bstm_), checkout session (cs_), payment intent (pi_) or setup intent (si_).',
    });
  const target = tx.peek(id);
  if (target) return target;
  throw new CentavoError('not_found', `${id} was not found in the sandbox.`, {
    applied: 'no',
    next: [nextCommand('To list open statements', 'billing-statements list', '--status', 'open')],
  });
}

function payableIntent(tx: Transaction, target: StoredRecord): IntentRecord {
  const {id, resource} = target;
  const refuse = (why: string, next?: NextCommand) =>
    rejectedPayment('not_payable', `${id} cannot be ${doneTo(target)}.`, why, next);
  if (target.status === 'draft')
    throw refuse(
      'It is a draft and has no payment link yet.',
      target.due_at === null
        ? nextCommand('To give it a due date', 'edit', id, '--due', '+14d')
        : nextCommand('To finalize it', 'billing-statements finalize', id),
    );
  const intent = (
    /^(payment|setup)_intent$/.test(resource) ? target : tx.peek(target._payment_intent_id as string)
  ) as IntentRecord;
  const ended = [target, intent].find((record) => !allows(record, record === intent ? 'begin' : 'pay'));
  if (ended) {
    const {id: intentId, amount_capturable: held} = intent;
    const capture = ['payment-intents capture', intentId, '--amount-centavos', String(held)] as const;
    throw refuse(
      `Its status is ${String(ended.status).replaceAll('_', ' ')}.`,
      held ? nextCommand('To capture it', ...capture) : nextCommand('To see what happened', 'why', id),
    );
  }
  return intent;
}

function instrumentFor(tx: Transaction, intent: IntentRecord, {method, card: number, plan}: PayOptions): Instrument {
  const isWaiting = method === undefined && number === undefined && intent.status === 'awaiting_next_action';
  if (isWaiting) return instrumentOf(tx.peek(intent.payment_method_id) as MethodRecord);
  const type = method ?? (number === undefined ? defaultMethod(intent) : 'card');
  if (!(PAYMENT_METHODS as readonly string[]).includes(type))
    throw usageError('usage', `${type} is not a payment method.`, {
      why: `Payment methods: ${PAYMENT_METHODS.join(', ')}.`,
    });
  if (type !== 'card') {
    if (number === undefined) return type === INSTALLMENT ? {type, plan: plan ?? allowedPlans(intent).first} : {type};
    throw usageError('usage', `--card cannot be used with ${type}.`, {
      hint: 'Give either a card or another payment method.',
    });
  }
  const card = testCard(number ?? DEFAULT_CARD);
  if (card) return {type, card};
  throw usageError('usage', `${number} is not a test card.`, {
    why: 'The sandbox does not accept real cards.',
    hint: `For a successful payment: --card ${DEFAULT_CARD}`,
  });
}

export const defaultMethod = ({payment_methods: methods}: IntentRecord): string =>
  methods.includes('card') ? 'card' : methods[0]!;
