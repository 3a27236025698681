// Payment instruments: test cards, accepted methods, and methods saved to a customer.

import type {FailureCode, PaidWith} from '../../api/types.js';
import {INSTALLMENT_TYPES, PAYMENT_TERMS} from '../../api/fields.js';
import type {IntentRecord, MethodRecord} from '../record-types.js';
import type {Transaction} from '../transaction.js';

export interface Instrument {
  readonly type: string;
  readonly card?: TestCard;
  readonly plan?: InstallmentPlan;
}

export type InstallmentPlan = NonNullable<PaidWith['bdo_installment']>;

export const INSTALLMENT = 'bdo_installment';

/** Returns the installment types and months that the intent allows, and the first plan of them. */
export function allowedPlans({payment_method_options: {bdo_installment: given}}: IntentRecord) {
  const types: readonly string[] = given?.installment_types ?? INSTALLMENT_TYPES;
  const terms: readonly number[] = given?.payment_terms ?? PAYMENT_TERMS;
  return {types, terms, first: {installment_type: types[0]!, payment_term: terms[0]!}};
}

export function whyNotAccepted(intent: IntentRecord, {type, card, plan}: Instrument): string | undefined {
  if (!intent.payment_methods.includes(type)) return `Only ${intent.payment_methods.join(', ')} can be used.`;
  if (plan) {
    const {types, terms} = allowedPlans(intent);
    if (!types.includes(plan.installment_type)) return `Only ${types.join(' or ')} installments can be used.`;
    if (!terms.includes(plan.payment_term)) return `Only ${terms.join(' or ')} months can be used.`;
  }
  if (!card) return undefined;
  const {allowed_bins: bins, allowed_funding: funding} = intent.payment_method_options.card ?? {};
  if (bins?.length && !bins.some((bin) => card.number.startsWith(bin)))
    return `Only cards that start with ${bins.join(' or ')} can be used.`;
  if (funding?.length && !funding.includes(card.funding)) return `Only ${funding.join(' or ')} cards can be used.`;
  return undefined;
}

export function instrumentOf({type, _card, details}: MethodRecord): Instrument {
  if (type === INSTALLMENT) return {type, plan: details as unknown as InstallmentPlan};
  return {type, ...(_card && {card: testCard(_card)!})};
}

const first6AndLast4 = ({number, brand}: TestCard) => ({first6: number.slice(0, 6), last4: number.slice(-4), brand});

/** Returns the fields of cards, GCash and Maya as in recorded bodies, and of QR Ph as in the specification. Assumes the plan. */
export function paymentMethodFields(
  {type, card, plan}: Instrument,
  payerName: string,
): Record<string, unknown> & {type: string} {
  if (card) return {type, card: {...first6AndLast4(card), approval_code: 'test'}};
  if (type === 'gcash') return {type, payment_method_type: type};
  if (type !== 'qrph') return {type, ...(plan && {bdo_installment: plan})};
  return {
    type,
    qrph: {
      account_name: payerName,
      last4_account_number: '4321',
      account_institution: 'GXCHPHM2XXX',
      account_institution_name: 'GCash',
    },
  };
}

/** Returns the method saved to the customer, or creates an unsaved one. */
export function methodFor(
  tx: Transaction,
  {type, card, plan}: Instrument,
  billing: unknown,
  customerId: string | null,
): MethodRecord {
  const number = card?.number ?? null;
  const methods = customerId ? (tx.store.children(customerId, 'payment_method') as MethodRecord[]) : [];
  const saved = methods.find(
    (method) => method.customer_id === customerId && method.type === type && method._card === number,
  );
  if (saved) return saved;
  const fields = {
    type,
    customer_id: null,
    details: card ? {...first6AndLast4(card), funding: card.funding} : (plan ?? null),
    billing_details: billing,
    allow_redisplay: false,
    metadata: null,
    _card: number,
  };
  return tx.create('pm_', fields, customerId ?? undefined) as MethodRecord;
}

export function saveMethod(tx: Transaction, id: string | null, customerId: string): void {
  const method = tx.peek(id);
  if (method && method.customer_id === null) tx.change(method, {customer_id: customerId, allow_redisplay: true});
}

/** Messages for the payer, by failure code. */
export const TEST_CARD_FAILURES = {
  blocked: 'The card was blocked by the issuer.',
  generic_decline: 'The payment was declined by the issuer.',
  funds_insufficient: 'The account has insufficient funds.',
  cvc_incorrect: 'The security code of the card is incorrect.',
  processing_error: 'An error occurred while the payment was processed.',
  system_error: 'A system error occurred at the issuer.',
} as const satisfies Readonly<Record<FailureCode, string>>;

export const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(TEST_CARD_FAILURES, code);

export interface TestCard {
  readonly number: string;
  readonly brand: 'mastercard' | 'visa';
  readonly funding: 'credit' | 'debit';
  /** The code of a failing payment. Without a code, payments succeed. */
  readonly failure?: FailureCode;
  /** True if the payment waits for approval on the bank's page. */
  readonly challenge?: true;
  readonly description: string;
}

/** Numbers of test cards, for tests that say what a card is for. */
export const CARDS = {
  visa: '4242424242424242',
  visa_debit: '4701322211111234',
  mastercard: '5425233430109903',
  mastercard_debit: '5200828282828210',
  three_d_secure: '4000000000003220',
  blocked: '4000000000001000',
  declined: '4005550000000019',
  insufficient_funds: '4503300000000008',
  wrong_cvc: '4205260000000005',
} as const;

export type CardName = keyof typeof CARDS;

export const DEFAULT_CARD = CARDS.visa;

/** Columns: number, brand, funding, result, code of the failure. Failing cards are credit cards: the source does not say. */
const TABLE: readonly (readonly [string, TestCard['brand'], TestCard['funding'], string, FailureCode?])[] = [
  [CARDS.visa, 'visa', 'credit', 'succeeds: Visa credit'],
  [CARDS.visa_debit, 'visa', 'debit', 'succeeds: Visa debit'],
  [CARDS.mastercard, 'mastercard', 'credit', 'succeeds: Mastercard credit'],
  [CARDS.mastercard_debit, 'mastercard', 'debit', 'succeeds: Mastercard debit'],
  ['4000000760000002', 'visa', 'credit', 'succeeds: issued in the Philippines'],
  ['4311780000241409', 'visa', 'credit', 'succeeds: 3-D Secure, frictionless'],
  [CARDS.three_d_secure, 'visa', 'credit', 'asks for approval: 3-D Secure'],
  [CARDS.blocked, 'visa', 'credit', 'fails: blocked', 'blocked'],
  [CARDS.declined, 'visa', 'credit', 'fails: declined', 'generic_decline'],
  [CARDS.insufficient_funds, 'visa', 'credit', 'fails: insufficient funds', 'funds_insufficient'],
  [CARDS.wrong_cvc, 'visa', 'credit', 'fails: wrong security code', 'cvc_incorrect'],
  ['4001270000000000', 'visa', 'credit', 'fails: processing error', 'processing_error'],
  ['4012000033330026', 'visa', 'credit', 'fails: issuer error', 'system_error'],
  ['4000000000000077', 'visa', 'credit', 'fails: 3-D Secure, frictionless, declined', 'generic_decline'],
];

export const TEST_CARDS: readonly TestCard[] = TABLE.map(([number, brand, funding, description, failure]) => ({
  number,
  brand,
  funding,
  ...(failure && {failure}),
  ...(number === CARDS.three_d_secure && {challenge: true}),
  description,
}));

/** Finds a test card by number, ignoring spaces and dashes. */
export function testCard(number: string): TestCard | undefined {
  const digits = number.replace(/[\s-]/g, '');
  return TEST_CARDS.find((card) => card.number === digits);
}
