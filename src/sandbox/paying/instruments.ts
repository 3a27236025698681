// Payment instruments: which ones an intent accepts, how a payment shows them, and which are saved to a customer.

import type {IntentRecord, MethodRecord} from '../record-types.js';
import type {Transaction} from '../transaction.js';
import {testCard, type TestCard} from './test-cards.js';

export interface Instrument {
  /** `card`, `gcash`, `maya`, `billease` or `qrph`. */
  readonly type: string;
  readonly card?: TestCard;
}

/** Why this intent does not take this instrument; undefined when it does. */
export function whyNotTaken(intent: IntentRecord, {type, card}: Instrument): string | undefined {
  if (!intent.payment_methods.includes(type)) return `Only ${intent.payment_methods.join(', ')} can be used.`;
  if (!card) return undefined;
  const {allowed_bins: bins, allowed_funding: funding} = intent.payment_method_options.card ?? {};
  if (bins?.length && !bins.some((bin) => card.number.startsWith(bin)))
    return `Only cards that begin with ${bins.join(' or ')} can be used.`;
  if (funding?.length && !funding.includes(card.funding)) return `Only ${funding.join(' or ')} cards can be used.`;
  return undefined;
}

/** The instrument that a stored payment method stands for. */
export function instrumentOf({type, _card}: MethodRecord): Instrument {
  return {type, ...(_card && {card: testCard(_card)!})};
}

const first6AndLast4 = ({number, brand}: TestCard) => ({first6: number.slice(0, 6), last4: number.slice(-4), brand});

/** As a payment shows it: cards and wallets as in recorded bodies, QR Ph as the specification lists its fields. */
export function shownOnPayment({type, card}: Instrument, payerName: string): Record<string, unknown> & {type: string} {
  if (card) return {type, card: {...first6AndLast4(card), approval_code: 'test'}};
  if (type !== 'qrph') return {type, payment_method_type: type};
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

/** The payment method for this instrument: the customer's saved one, else a new one that is not saved to anyone. */
export function methodFor(
  tx: Transaction,
  {type, card}: Instrument,
  billing: unknown,
  customerId: string | null,
): MethodRecord {
  const number = card?.number ?? null;
  const known = customerId ? (tx.store.children(customerId, 'payment_method') as MethodRecord[]) : [];
  const saved = known.find(
    (method) => method.customer_id === customerId && method.type === type && method._card === number,
  );
  if (saved) return saved;
  const fields = {
    type,
    customer_id: null,
    details: card ? {...first6AndLast4(card), funding: card.funding} : null,
    billing_details: billing,
    allow_redisplay: false,
    metadata: null,
    _card: number,
  };
  return tx.create('pm_', fields, customerId ?? undefined) as MethodRecord;
}

/** Saves a payment method to its customer. */
export function saveMethod(tx: Transaction, id: string | null, customerId: string): void {
  const method = tx.peek(id);
  if (method && method.customer_id === null) tx.change(method, {customer_id: customerId, allow_redisplay: true});
}
