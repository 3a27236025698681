// Checkout sessions: a hosted page, its line items and the intent that is paid there.

import {cardOptions, createIntent, methodsOf} from '../paying/intents.js';
import {invalidParameter} from '../problems.js';
import type {CardOptions, SessionRecord} from '../record-types.js';
import {expireSession} from '../timers.js';
import type {Work} from '../transaction.js';
import {metadataOf, page, type Actions} from './action.js';
import {collectable, total} from './amounts.js';

/** How long a session stays open when the request does not say, in seconds (recorded bodies). */
const LIFETIME = 86_400;

interface Line {
  readonly name: string;
  readonly amount: number;
  readonly quantity: number;
  readonly description?: string | null;
  readonly image?: string | null;
}

const storedLine = (work: Work, {name, amount, quantity, description, image}: Line) => ({
  id: `cs_li_${work.token()}`,
  resource: 'checkout_session_line_item',
  name,
  amount,
  quantity,
  description: description || null,
  image: image || null,
});

function expiryOf(work: Work, given: unknown): number {
  const at = (given as number | null | undefined) ?? work.now + LIFETIME;
  if (at <= work.now) throw invalidParameter('expires_at', 'The value for expires_at must be in the future.');
  return at;
}

export const checkoutSessions: Actions = {
  create: (work, {params}) => {
    const lines = params.line_items as Line[];
    const amount = total(lines.map((line) => ({quantity: line.quantity, price: line.amount})));
    collectable(amount);
    const expiresAt = expiryOf(work, params.expires_at);
    const customerId = (params.customer_id as string | null | undefined) ?? null;
    if (customerId) work.get('cus_', customerId);
    const options = cardOptions((params.payment_method_options as {card?: CardOptions} | null | undefined)?.card);
    const methods = methodsOf(params.payment_methods);
    const metadata = metadataOf(params);
    const session = work.create('cs_', (id) => ({
      amount,
      customer_reference_id: params.customer_reference_id || null,
      customer_id: customerId,
      client_secret: `${id}_secret_${work.token()}`,
      status: 'active',
      currency: 'PHP',
      line_items: lines.map((line) => storedLine(work, line)),
      metadata,
      success_url: params.success_url,
      cancel_url: params.cancel_url,
      payment_methods: methods,
      payment_method_options: options,
      capture_type: options.card.capture_type,
      billing_details_collection: params.billing_details_collection ?? 'always',
      description: params.description ?? null,
      submit_type: params.submit_type ?? 'pay',
      statement_descriptor: params.statement_descriptor || null,
      expires_at: expiresAt,
    }));
    const intent = createIntent(work, {
      amount,
      customerId,
      description: params.description,
      metadata,
      methods,
      card: options.card,
      descriptor: params.statement_descriptor,
      sourceId: session.id,
    });
    work.change(session, {_payment_intent_id: intent.id});
    work.store.schedule({at: expiresAt, kind: 'session-expiry', id: session.id});
    return session;
  },

  get: (work, {ids: [id]}) => work.get('cs_', id!),

  list: (work, {params}) => page(work, 'checkout_session', params),

  expire: (work, {ids: [id]}) => {
    const session = work.get('cs_', id!) as SessionRecord;
    expireSession(work, session);
    return session;
  },
};
