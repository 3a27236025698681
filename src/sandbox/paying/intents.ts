// Payment intents as statements, checkout sessions and the API make and end them.

import {PAYMENT_METHODS} from '../../api/fields.js';
import {allows, transition} from '../lifecycle.js';
import type {CardOptions, IntentRecord} from '../records.js';
import type {Work} from '../work.js';

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
