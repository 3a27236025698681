// Checkout sessions, with their line items and payment intent.

import {createIntent, methodOptions, methodsOf} from '../payments/intents.js';
import {invalidParameter} from '../api-problems.js';
import type {PaymentMethodOptions} from '../../api/types.js';
import type {SessionRecord} from '../record-types.js';
import {expireSession} from '../timers.js';
import type {Transaction} from '../transaction.js';
import {type Actions, metadataOf, listPage, requireCollectable, itemsTotal} from './action.js';

/** Default lifetime of a session, in seconds (recorded bodies). */
const SESSION_LIFETIME = 86_400;

interface SessionLine {
  readonly name: string;
  readonly amount: number;
  readonly quantity: number;
  readonly description?: string | null;
  readonly image?: string | null;
}

const storedLine = (tx: Transaction, {name, amount, quantity, description, image}: SessionLine) => ({
  id: `cs_li_${tx.token()}`,
  resource: 'checkout_session_line_item',
  name,
  amount,
  quantity,
  description: description || null,
  image: image || null,
});

function expiryOf(tx: Transaction, given: unknown): number {
  const at = (given as number | null | undefined) ?? tx.now + SESSION_LIFETIME;
  if (at <= tx.now) throw invalidParameter('expires_at', 'The value for expires_at must be in the future.');
  return at;
}

export const checkoutSessionActions: Actions = {
  create: (tx, {params}) => {
    const lines = params.line_items as SessionLine[];
    const amount = itemsTotal(lines.map((line) => ({quantity: line.quantity, price: line.amount})));
    requireCollectable(amount);
    const expiresAt = expiryOf(tx, params.expires_at);
    const customerId = (params.customer_id as string | null | undefined) ?? null;
    if (customerId) tx.get('cus_', customerId);
    const options = methodOptions(params.payment_method_options as PaymentMethodOptions | null | undefined);
    const methods = methodsOf(params.payment_methods);
    const metadata = metadataOf(params);
    const session = tx.create('cs_', (id) => ({
      amount,
      customer_reference_id: params.customer_reference_id || null,
      customer_id: customerId,
      client_secret: `${id}_secret_${tx.token()}`,
      status: 'active',
      currency: 'PHP',
      line_items: lines.map((line) => storedLine(tx, line)),
      metadata,
      success_url: params.success_url,
      cancel_url: params.cancel_url,
      payment_methods: methods,
      payment_method_options: options,
      capture_type: options.card.capture_type,
      billing_details_collection: params.billing_details_collection ?? 'always',
      description: params.description ?? null,
      submit_type: params.submit_type || 'pay',
      statement_descriptor: params.statement_descriptor || null,
      expires_at: expiresAt,
    }));
    const intent = createIntent(tx, {
      amount,
      customerId,
      description: params.description,
      metadata,
      methods,
      options,
      descriptor: params.statement_descriptor,
      sourceId: session.id,
    });
    tx.change(session, {_payment_intent_id: intent.id});
    tx.store.schedule({at: expiresAt, kind: 'session-expiry', id: session.id});
    return session;
  },

  get: (tx, {ids: [id]}) => tx.get('cs_', id!),

  list: (tx, {params}) => listPage(tx, 'checkout_session', params),

  expire: (tx, {ids: [id]}) => {
    const session = tx.get('cs_', id!) as SessionRecord;
    expireSession(tx, session);
    return session;
  },
};
