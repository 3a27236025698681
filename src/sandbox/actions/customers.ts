// Customers, and what is made for them: saved payment methods, customer sessions, setup intents.

import {transition} from '../lifecycle.js';
import {notFound} from '../problems.js';
import {givenMetadata, metadataOf, page, remains, replaced, type Actions} from './action.js';
import {sequenceText} from './statement-numbers.js';

/** Prefixes that the service makes up have eight of these (recorded bodies). */
const PREFIX_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ23456789';

const same = (a: unknown, b: unknown): boolean => String(a).toLowerCase() === String(b).toLowerCase();

export const customers: Actions = {
  create: (work, {params}) =>
    work.create('cus_', {
      name: params.name,
      email: params.email,
      currency: 'PHP',
      billing: params.billing_details ?? null,
      billing_statement_prefix: params.billing_statement_prefix ?? work.token(8, PREFIX_ALPHABET),
      next_billing_statement_sequence_number: sequenceText(
        (params.next_billing_statement_sequence_number as number | null | undefined) ?? 1,
      ),
      metadata: metadataOf(params),
    }),

  get: (work, {ids: [id]}) => {
    const found = work.store.find('customer', id!);
    if (!found) throw notFound('customer', id!);
    return found.deleted ? remains(found.record) : found.record;
  },

  list: (work, {params}) => {
    const wanted = Object.entries((params.metadata ?? {}) as Record<string, string>);
    return page(work, 'customer', params, (record) => {
      const stored = (record.metadata ?? {}) as Record<string, unknown>;
      return (
        (!params.email || same(record.email, params.email)) &&
        (!params.name || same(record.name, params.name)) &&
        wanted.every(([key, value]) => Object.hasOwn(stored, key) && String(stored[key]) === value)
      );
    });
  },

  update: (work, {ids: [id], params}) => {
    const customer = work.get('cus_', id!);
    const sequence = params.next_billing_statement_sequence_number;
    work.change(customer, {
      ...replaced(params, 'name', 'email', 'billing_statement_prefix'),
      ...givenMetadata(params),
      ...(params.billing_details !== undefined && {billing: params.billing_details}),
      ...(typeof sequence === 'number' && {next_billing_statement_sequence_number: sequenceText(sequence)}),
    });
    return customer;
  },

  delete: (work, {ids: [id]}) => {
    const customer = work.get('cus_', id!);
    work.store.remove(customer.id);
    return remains(customer);
  },

  'list-payment-methods': (work, {ids: [id], params}) => {
    work.get('cus_', id!);
    return page(work, 'payment_method', params, (record) => record.customer_id === id);
  },

  'delete-payment-method': (work, {ids: [id, methodId]}) => {
    work.get('cus_', id!);
    const method = work.get('pm_', methodId!);
    if (method.customer_id !== id) throw notFound('payment method', methodId!);
    work.store.remove(method.id);
    return remains(method);
  },
};

/** Seconds (field notes, 4.11). */
const LIFETIME = 86_400;

const FEATURES = ['payment_method_save', 'payment_method_edit', 'payment_method_redisplay', 'payment_method_remove'];

export const customerSessions: Actions = {
  create: (work, {params}) => {
    const customer = work.get('cus_', params.customer_id as string);
    return work.create('cus_s_', (id) => ({
      client_secret: `${id}_secret_${work.token()}`,
      components: FEATURES.map((feature) => ({component: 'payment_element', feature, value: 'enabled'})),
      expired_at: work.now + LIFETIME,
      _customer_id: customer.id,
    }));
  },

  get: (work, {ids: [id]}) => work.get('cus_s_', id!),
};

/** The documentation offers only these, in a closed beta (field notes, 3.10). */
const METHODS = ['gcash', 'maya'];

export const setupIntents: Actions = {
  create: (work, {params}) => {
    const customer = work.get('cus_', params.customer_id as string);
    return work.create('seti_', (id) => ({
      status: 'awaiting_payment_method',
      client_secret: `${id}_secret_${work.token()}`,
      description: params.description || null,
      next_action: null,
      payment_methods: params.payment_methods ?? METHODS,
      return_url: null,
      usage: 'off_session',
      metadata: metadataOf(params),
      _customer_id: customer.id,
    }));
  },

  get: (work, {ids: [id]}) => work.get('seti_', id!),

  cancel: (work, {ids: [id]}) => transition(work, work.get('seti_', id!), 'cancel'),
};
